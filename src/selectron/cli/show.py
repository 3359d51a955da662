"""`selectron show`: what a kept model has learned."""

import json
from typing import Any

import click

from . import ExamplesFirst, reported
from .models import Saved, load

MOST = 10  # weights that are shown


@click.command(cls=ExamplesFirst)
@click.argument("model")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(model: str, as_json: bool) -> None:
    """Show what MODEL has learned: rows, labels, classes, columns, and its largest weights.

    \b
        selectron show mail.model
        selectron show mail.model --json
    """
    with reported():
        found = described(load(model))
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
                    f"  Words of text, which are hashed and have no names: {part:.1%} of all weight"
                )


def described(saved: Saved) -> dict[str, Any]:
    """Return what is known of a model, as values for JSON."""
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
        "weights": {} if model.dual else largest(clf),
        "words": {} if model.dual else of_words(clf),
    }


def of_words(clf: Any) -> dict[str, float]:
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


def largest(clf: Any) -> dict[str, list[tuple[str, float]]]:
    """Return the largest weights of every class, by the names of the features.

    Of two classes, positive weights are those of the second. Words of text are hashed: they have no
    names, and are left out if there are other features.
    """
    coef = clf.coef_
    hashed = _hashed(clf)
    known = hasattr(clf, "encoder_") or hasattr(clf, "names_")
    names = clf.feature_names_ if known else [f"feature {j}" for j in range(coef.shape[1])]
    found = {}
    for name, row in zip(_sides(clf), coef, strict=True):
        order = abs(row).argsort(kind="stable")[::-1]
        named = order[order >= hashed] if row[hashed:].any() else order
        found[name] = [(names[j], float(row[j])) for j in named[:MOST] if row[j]]
    return found
