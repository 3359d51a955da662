"""What of the options of a command cannot work together: bad usage, not bad data."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import SelectronError
from ..learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron, SecondOrderPerceptron
from ..specs import ENDINGS

DEMO = LeadingHistory(), LASEC(), SecondOrderPerceptron(), PassiveAggressive(), Perceptron()
DEFAULT, DENSE, SPARSE = (LeadingHistory(),), (LASEC(),), (PassiveAggressive(),)
PICTURES = (".png", ".svg", ".pdf")
FOR_FILES = ("label", "drop", "time", "kind", "header", "classes")


def check_usage(file: str | None, output: str | None, picture: str | None, **options: Any) -> None:
    """Refuse what cannot work, before anything is played."""
    if file is None and any(options[name] not in (None, ()) for name in FOR_FILES):
        raise click.UsageError(
            "--label, --drop, --time, --header, --format and --classes go with a FILE."
        )
    if options["time"] is None and by_time(options["budget"], *options["askers"]):
        raise click.UsageError(
            "A budget per day goes by the times of rows: name their column with --time."
        )
    names = [name.strip() for name in (options["classes"] or "a,b").split(",")]
    if len(set(names)) < 2 or "" in names:
        raise click.BadParameter(
            "two different labels are needed at least: ham,spam", param_hint="--classes"
        )
    check_target(output, ENDINGS, "-o")
    check_target(picture, PICTURES, "--plot")
    found = [identity(path) for path in (file, output, picture) if path]
    if len(set(found)) < len(found):
        raise click.UsageError("FILE, -o and --plot must be different files.")
    if options["bounds"]:
        check_bounds(file, options["kind"], options["many"], len(set(names)))
    kernel, max_support = options["kernel"], options["max_support"]
    known = options["learners"] or (default_learners(True, False, kernel) if file is None else ())
    if max_support and not kernel and not known:  # whichever learner the rows will get
        known = SPARSE
    check_learners(known, kernel, max_support, options["many"], options["askers"])


def identity(path: str) -> Any:
    """Return what tells a file from others, whatever names it has; "-" is standard input."""
    try:
        found = os.stat(0 if path == "-" else path)
    except (OSError, ValueError):  # there is none as yet
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def by_time(*askers: Any) -> bool:
    """Does any of them go by the times of rows?"""
    return any(getattr(asker, "per", None) is not None for asker in askers)


def default_learners(demo: bool, sparse: bool, kernel: Any) -> tuple[Any, ...]:
    """Return the learners that play if none is named; LeadingHistory keeps no examples."""
    if kernel is not None:
        return SPARSE if sparse else DENSE
    return DEMO if demo else DEFAULT


def check_bounds(file: str | None, kind: str | None, many: str, classes: int) -> None:
    """Refuse --bounds where it is known beforehand that no theorem is about the stream."""
    from ..streams.readers import by_name

    sparse = (kind or by_name(file or "")) == "svmlight"
    if sparse or classes > 2 or many == "exact":
        raise click.UsageError(
            "--bounds is for dense rows of two classes: not for svmlight, more --classes, or "
            "--many exact."
        )


def check_learners(
    learners: Sequence[Any],
    kernel: Any,
    max_support: int | None,
    many: str,
    askers: Sequence[Any] = (),
) -> None:
    """Refuse a kernel, a budget, askers and a way to learn many classes that a learner lacks."""
    from ..model.compose import check_pair, space_for
    from ..model.support import kernel_for, kind

    for learner in learners:
        try:
            taken = kernel_for(learner, kernel, max_support, sparse=False)
            space_for(learner, False, many, kind(taken))
            for asker in askers:
                check_pair(learner, asker)
        except SelectronError as error:
            raise click.UsageError(str(error)) from None


def check_target(path: str | None, endings: tuple[str, ...], option: str) -> None:
    """Refuse a file to write whose ending names no format, or whose folder is not there."""
    if path and Path(path).suffix.lower() not in endings:
        raise click.BadParameter(f"{path}: must end in {', '.join(endings)}", param_hint=option)
    if path and not Path(path).absolute().parent.is_dir():
        raise click.BadParameter(f"{path}: its folder does not exist", param_hint=option)
