"""`selectron show`: what a kept model has learned."""

import json
from collections import Counter
from typing import Any

import click

from ..errors import SelectronError
from . import ExamplesFirst, reported
from .files import watched
from .models import Saved, load
from .options import model_and_file, of_a_model, of_text
from .predict import all_columns
from .terminal import records_of

MOST = 10  # weights that are shown
ROWS = 20_000  # of a file in which words are looked for
TO_NAME = "; to see them, add a file with such texts: selectron show MODEL FILE"


@click.command(cls=ExamplesFirst)
@of_a_model("MODEL [FILE]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@of_text
def show(paths: tuple[str, ...], model: str | None, as_json: bool, **options: Any) -> None:
    """Show what MODEL has learned: rows, labels, classes, columns, and its largest weights.

    A model stores hashes of the words of texts, not the words. With FILE, which holds such texts,
    the weights of its words are shown, too.

    \b
        selectron show mail.model
        selectron show mail.model mail.csv
        selectron show mail.model --json
    """
    model, file = model_and_file(model, paths, 1)
    with reported():
        saved = load(model)
        found = described(saved, words_of(saved, file, options) if file else {})
        if as_json:
            click.echo(json.dumps(found, indent=2))
            return
        for name in ("learner", "asker", "rows", "labels", "open", "classes"):
            value = found[name]
            shown = ", ".join(value) if isinstance(value, list) else value
            click.echo(f"{name:8}  {shown:,}" if isinstance(shown, int) else f"{name:8}  {shown}")
        for line in found["columns"]:
            click.echo(f"column    {line}")
        for name, weights in found["weights"].items():
            other = f", or {found['classes'][0]} if negative" if len(found["weights"]) == 1 else ""
            click.echo(f"\nWeights towards {name}{other}")
            for feature, weight in weights:
                click.echo(f"  {weight:+10.4f}  {feature}")
            if part := found["words"].get(name):
                click.echo(
                    f"  Words of text have {part:.1%} of all weight{'' if file else TO_NAME}"
                )


def words_of(saved: Saved, file: str, options: dict[str, Any]) -> dict[int, str]:
    """Return the most frequent word or pair of words in a file at the place of each hash."""
    columns = saved.encoder.columns_ if saved.encoder else {}
    texts = {name: column.encoder for name, column in columns.items() if column.kind == "text"}
    if not texts:
        raise SelectronError("the model has no column of text: leave FILE out")
    counts = Counter[tuple[int, str]]()
    for chunk in watched(all_columns(file, **options)):
        for row in records_of(chunk.rows):
            for name, text in texts.items():
                counts.update(text.terms(row.get(name), saved.encoder.layout_))
        if chunk.first > ROWS:
            break
    if not counts:
        raise SelectronError(f"{file}: there are no words in {', '.join(map(repr, texts))}")
    return {place: f'"{word}"' for (place, word), _ in reversed(counts.most_common())}


def described(saved: Saved, words: dict[int, str]) -> dict[str, Any]:
    """Return what is known of a model, as values for JSON, given the words at places of hashes."""
    from ..specs import written

    clf = saved.classifier
    model = clf.model_
    return {
        "learner": written(model.learner),
        "asker": written(model.asker),
        "rows": model.rounds,
        "labels": model.labels,
        "open": len(model.open),
        "classes": [str(name) for name in clf.classes_.tolist()],
        "columns": [] if saved.encoder is None else saved.encoder.report(),
        "weights": {} if model.dual else largest(clf, words),
        "words": {} if model.dual else shares_of_words(clf),
    }


def shares_of_words(clf: Any) -> dict[str, float]:
    """Return the part that hashed words have of the sum of all sizes of weights, by class."""
    sizes = abs(clf.coef_)
    words = sizes[:, : _hashed(clf)].sum(axis=1) / sizes.sum(axis=1).clip(min=1e-300)
    return dict(zip(_sides(clf), words.tolist(), strict=True))


def _hashed(clf: Any) -> int:
    """Return the number of features of hashed words, which are the first."""
    return clf.encoder_.layout_.front if hasattr(clf, "encoder_") else 0


def _sides(clf: Any) -> list[str]:
    """Return the class that each row of weights is towards."""
    classes = [str(name) for name in clf.classes_.tolist()]
    return classes[-1:] if len(clf.coef_) == 1 else classes


def largest(clf: Any, words: dict[int, str]) -> dict[str, list[tuple[str, float]]]:
    """Return the largest weights of every class, by the names of the features.

    Of two classes, positive weights are those of the second. `words` names places of hashes; those
    without a name are left out if there are other features.
    """
    import numpy as np

    coef = clf.coef_
    hashed = _hashed(clf)
    known = hasattr(clf, "encoder_") or hasattr(clf, "names_")
    names = list(clf.feature_names_ if known else (f"feature {j}" for j in range(coef.shape[1])))
    for place, word in words.items():
        names[place] = word
    found = {}
    for name, row in zip(_sides(clf), coef, strict=True):
        order = abs(row).argsort(kind="stable")[::-1]
        named = order[(order >= hashed) | np.isin(order, list(words))]
        named = named if row[named].any() else order
        found[name] = [(names[j], float(row[j])) for j in named[:MOST] if row[j]]
    return found
