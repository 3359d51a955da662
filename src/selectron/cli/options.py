"""Options of commands: learners, askers and budgets as text, and combinations that are refused."""

import csv
import math
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from ..data.cells import canonical
from ..engine.parameters import shown
from ..errors import SelectronError
from ..evaluate.contest import Contestant
from ..learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron, SecondOrderPerceptron
from ..learners.leading_history import default_for
from ..model.compose import check_pair, space_for
from ..model.model import Model
from ..model.support import kernel_for, kernel_type
from ..model.weighting import MOST
from ..specs import budgeted
from ..storage import MAGIC
from ..streams.readers import by_name

BALANCED = "balanced"
DECISIONS = (".csv", ".parquet", ".pq", ".json", ".jsonl", ".ndjson")  # endings of their files
PICTURES = (".png", ".svg", ".pdf")
DEMO = LeadingHistory(), LASEC(), SecondOrderPerceptron(), PassiveAggressive(), Perceptron()
FOR_FILES = [
    *("label", "labels", "ignore", "columns", "time", "kind", "header", "encoding", "skip_damaged"),
    *("classes", "class_weight", "first"),
]
CALIBRATED = "output", "save", "as_json", "metrics", "calibration"  # whose results need it
SETTINGS = "normalize", "many", "kernel", "max_support", "sketch", "seed"  # of a model
OF_MODEL = (  # options that a saved model fixes
    *("learners", "askers", "seed", "bounds", "columns"),
    *("classes", "kernel", "max_support", "sketch", "many", "intercept", "normalize"),
    "class_weight",
)


def column_kinds(ctx: Any, param: Any, given: tuple[str, ...]) -> dict[str, str]:
    """Return what columns are taken for, from `zip=category`."""
    found: dict[str, str] = {}
    if given:
        from ..data.tables import KINDS  # it takes a while to import
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} should be NAME=KIND", ctx, param)
        if name in found:
            raise click.BadParameter(f"{name!r} has 2 kinds: give one.", ctx, param)
        found[name] = click.Choice(KINDS).convert(kind, param, ctx)
    return found


def class_weights(ctx: Any, param: Any, given: tuple[str, ...]) -> dict[str, float] | str:
    """Return the weights of classes, from `fraud=10`, or "balanced"."""
    if given == (BALANCED,):
        return BALANCED
    found: dict[str, float] = {}
    for text in given:
        name, _, weight = text.rpartition("=")
        try:
            found[name] = float(weight)
        except ValueError:
            found[name] = math.nan
        if not (name and 0 <= found[name] <= MOST):
            how = f"should be LABEL=WEIGHT, with a weight from 0 to {MOST:.0f}, or {BALANCED} alone"
            raise click.BadParameter(f"{text!r} {how}", ctx, param)
    if len(found) < len(given):
        raise click.BadParameter("a label has 2 weights: give one.", ctx, param)
    return found


def class_names(ctx: Any, param: Any, text: str | None) -> list[str] | None:
    """Return the labels that --classes names, as those of a file are written; None without any.

    >>> class_names(None, None, 'ham, spam, "bills, late"')
    ['ham', 'spam', 'bills, late']
    """
    if not text:
        return None
    try:
        found = next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        how = 'names are separated by commas, and quoted if they hold some: ham,"bills, late"'
        raise click.BadParameter(f"{shown(text)}: {how}", ctx, param) from None
    names = [canonical(name.strip()) for name in found]
    if "" in names or len({*names}) < 2:
        few = "at least two different labels are needed"
        wanted = "no label may be empty" if "" in names else few
        raise click.BadParameter(f"{wanted}: ham,spam", ctx, param)
    return [*dict.fromkeys(names)]


def path_option(*names: str, **more: Any) -> Callable:
    """Return an option of a file that is written."""
    return click.option(*names, type=click.Path(dir_okay=False), **more)


def with_options(*options: Callable) -> Callable:
    """Return a decorator that adds these options to a command."""

    def add(command: Callable) -> Callable:
        for option in reversed(options):
            command = option(command)
        return command

    return add


encoding_option = click.option(
    "--encoding",
    help="Of text: cp1252 (Windows), .... Default: UTF-8, or UTF-16 with a byte order mark.",
)
text_options = with_options(  # the options for reading a file whose columns are known
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether a CSV file begins with names. Default: if a cell of its first line is a "
        "word, unless other cells are numbers and the next line looks the same.",
    ),
    click.option(
        "--format",
        "kind",
        type=click.Choice(("svmlight", "csv", "parquet", "jsonl")),
        help="Default: by the file's name or its first line.",
    ),
    encoding_option,
    click.option(
        "--skip-damaged",
        is_flag=True,
        help="Leave out rows that cannot be read, such as those with too few cells.",
    ),
)
file_options = with_options(  # the options for reading a file and its columns
    click.option(
        "--label",
        help="Column with the labels, by name or position (0 is the first, -1 the last), or '' for "
        "none. Default: the one named label, target, class or y, or else the last.",
    ),
    click.option(
        "--labels",
        type=click.Path(exists=True, dir_okay=False),
        help="File with labels by the number of the row, as `pool -o` and `label -o` write it; "
        "they replace those of the column.",
    ),
    click.option("--ignore", multiple=True, help="Column to leave out. May be repeated."),
    click.option(
        "--column",
        "columns",
        metavar="NAME=KIND",
        callback=column_kinds,
        multiple=True,
        help="What a column is taken for: number, category, date, text, vector or ignored. May be "
        "repeated. Default: by its type, or its first 100 values.",
    ),
    text_options,
    click.option(
        "--classes", callback=class_names, help="The labels, if no others may appear: ham,spam."
    ),
)


class_weight_option = click.option(
    "--class-weight",
    metavar="LABEL=WEIGHT",
    callback=class_weights,
    multiple=True,
    help="How much rows of a class count, such as fraud=10; may be repeated. Or balanced: by how "
    "rare the class is among the labels asked for. Default: 1.",
)


show_option = click.option(
    "--show",
    multiple=True,
    help="Column to show with each row. May be repeated. Default: the first twelve, cut if long.",
)


def model_arguments(arguments: str) -> Callable:
    """Add a model and a file, MODEL FILE, or --model MODEL FILE; `arguments` is what help shows."""
    return with_options(
        click.argument("paths", nargs=-1, metavar=arguments),
        click.option("--model", help="The model, instead of the argument."),
    )


def model_and_file(model: str | None, paths: Sequence[str], least: int = 2) -> tuple[str, Any]:
    """Return the paths of `model_arguments`, None for a file that is not given; check their number.

    >>> model_and_file(None, ("mail.model", "new.csv")), model_and_file("mail.model", (), 1)
    (('mail.model', 'new.csv'), ('mail.model', None))
    """
    given = [*paths] if model is None else [model, *paths]
    if not least <= len(given) <= 2:
        wanted = "MODEL and FILE" if least == 2 else "MODEL, and perhaps FILE"
        raise click.UsageError(f"The arguments are {wanted}, got {' '.join(given) or 'none'}.")
    file = given[1] if len(given) == 2 else None
    if file and by_name(given[0]) and not by_name(file):
        raise click.UsageError(f"MODEL comes first: {file} {given[0]}.")
    return given[0], file


def needs_times(*askers: Any) -> bool:
    """Return whether any of these askers needs the times of rows."""
    return any(getattr(asker, "per", None) is not None for asker in askers)


def check_usage(options: dict[str, Any]) -> None:
    """Refuse options of `run` that do not go together, before a row is read."""
    file, output, picture, save = (options[x] for x in ("file", "output", "picture", "save"))
    if file is None and (save or options["model"]):
        raise click.UsageError("--save and --model need a FILE.")
    if options["model"]:
        check_fixed(*OF_MODEL)
    if file is None and (given := given_option(*FOR_FILES)):
        raise click.UsageError(f"{given} needs a FILE.")
    timeless = options["time"] is None and not options["model"]
    if timeless and needs_times(options["budget"], *options["askers"]):
        raise click.UsageError(
            "A budget per period needs the times of rows: name their column with --time."
        )
    check_target(output, DECISIONS, "-o")
    later = options["model"] and (options["first"] or 1) > 1
    if later and output and os.path.isfile(output) and os.path.getsize(output):
        why = "exists, and may hold the decisions on the rows before --from"
        raise click.UsageError(f"{output} {why}: give another file with -o.")
    check_target(picture, PICTURES, "--plot")
    if options["bounds"] and options["class_weight"]:
        raise click.UsageError("--bounds excludes --class-weight: the theorems are about mistakes.")
    if options["calibration"] and file is not None and picture is None:
        raise click.UsageError("--calibration needs --plot.")
    check_target(save, (), "--save")
    labels = options["labels"]
    check_different("FILE, --labels, -o, --plot and --save", file, labels, output, picture, save)
    check_different("--model, -o and --plot", options["model"], output, picture)
    sparse = (options["kind"] or by_name(file or "")) == "svmlight"
    if options["bounds"] and (
        sparse or len(options["classes"] or ()) > 2 or options["many"] == "exact"
    ):
        raise click.UsageError(
            "--bounds is for dense rows of two classes: not for svmlight, more --classes, or "
            "--many exact."
        )
    known = known_learners(options)
    if not known and (options["max_support"] or options["sketch"]):  # the default is known, too
        known = (default_for(0, sparse, options["kernel"], options["sketch"]),)
    check_learners(known, options)
    if save and len(known) * len(options["askers"] or (None,)) > 1:
        raise click.UsageError("--save keeps one model: give one --learner, and one --ask.")


def known_learners(options: dict[str, Any]) -> Sequence[Any]:
    """Return the learners that are known before a row is read: those given, or of the digits."""
    demo = options["file"] is None and not (options["kernel"] or options["sketch"])
    return options["learners"] or (DEMO if demo else ())


def given_option(*names: str) -> str:
    """Return the first of these options that the user has given; empty if there is none."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is not click.core.ParameterSource.DEFAULT:
            return max(option.opts, key=len)
    return ""


def check_fixed(*names: str) -> None:
    """Refuse options that the model of --model fixes."""
    if given := given_option(*names):
        only = ", unless that was made with --label ''" * (given == "--label")
        raise click.UsageError(
            f"{given} cannot be given with --model{only}: leave {given} out, or begin a new model."
        )


def check_different(names: str, *paths: str | None) -> None:
    """Refuse to read and write the same file."""
    found = [_identity(path) for path in paths if path]
    if len(set(found)) < len(found):
        raise click.UsageError(f"{names} must be different files.")


def _identity(path: str) -> Any:
    """Return what a file has in common under all its names; "-" is standard input."""
    try:
        found = os.stat(0 if path == "-" else path)
    except (OSError, ValueError):  # it does not exist yet
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def check_learners(learners: Sequence[Any], options: dict[str, Any]) -> None:
    """Refuse a kernel, a number of examples, a sketch, a reduction or an asker for a learner."""
    sketched = options["sketch"] is not None
    for learner in learners:
        try:
            kernel = kernel_for(learner, options["kernel"], options["max_support"], sparse=False)
            space_for(learner, False, options["many"], kernel_type(kernel), sketched=sketched)
            for asker in options["askers"]:
                check_pair(learner, asker)
        except SelectronError as error:
            raise click.UsageError(as_options(str(error))) from None


def as_options(message: str) -> str:
    """Return a message in which parameters of a model are options of the command line.

    >>> as_options('sketch excludes max_support: give kernel="linear", or many="rest".')
    '--sketch excludes --max-support: give --kernel linear, or --many rest.'
    """
    parameter = rf'\b({"|".join(SETTINGS)})\b(?:="(\w+)")?'

    def option(found: re.Match[str]) -> str:
        name = f"--{found[1].replace('_', '-')}"
        return f"{name} {found[2]}" if found[2] else name

    return re.sub(parameter, option, message)


def contestants(width: int, sparse: bool, options: dict[str, Any]) -> list[Contestant]:
    """Return a contestant for every learner under every asker."""
    default = default_for(width, sparse, options["kernel"], options["sketch"])
    learners = known_learners(options) or (default,)
    check_learners(learners, options)
    settings = {name: options[name] for name in SETTINGS}
    calibrated, weights = any(options[name] for name in CALIBRATED), options["class_weight"]
    return [
        Contestant(
            Model(
                learner,
                budgeted(options["budget"], asker, learner, bool(options["learners"])),
                width=width,
                sparse=sparse,
                constant=options["intercept"],
                balanced=weights == BALANCED,
                **settings,
            ),
            options["delay"],
            calibrated,
            weights=None if weights == BALANCED else weights,
        )
        for asker in options["askers"] or (None,)
        for learner in learners
    ]


def check_target(
    path: str | None, endings: tuple[str, ...], option: str, replaced: bool = False
) -> None:
    """Refuse an output file of another ending than these, or where nothing can be written.

    Without endings it is a model. One that is `replaced`, as models are, needs a file next to it.
    """
    if path is not None and (why := _unfit(Path(path), endings, replaced or not endings)):
        raise click.BadParameter(f"{path or repr(path)}: {why}", param_hint=option)


def _unfit(path: Path, endings: tuple[str, ...], replaced: bool) -> str:
    """Return why a file cannot be written there; empty if it can."""
    if endings and path.suffix.lower() not in endings:
        return f"must end in {' or '.join(endings)}"
    real = Path(os.path.realpath(path))
    if real.is_dir():
        return "is a folder, and a file is needed"
    if not real.parent.is_dir():
        return "its folder does not exist"
    if real.exists() and not real.is_file():
        return "" if endings else "is not a file: a model can be written to a file only"
    try:
        if real.exists():
            with open(real, "r+b") as file:
                if not endings and file.read(len(MAGIC)) not in (b"", MAGIC):
                    return "was not written by Selectron: give another file"
        if replaced or not real.exists():
            tempfile.TemporaryFile(dir=real.parent).close()
    except OSError as error:
        where = "it" if error.filename == str(real) else "its folder"
        return f"nothing can be written to {where} ({error.strerror})"
    return ""
