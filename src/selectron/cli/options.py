"""Options that commands share."""

from collections.abc import Callable

import click

FORMATS = ("svmlight", "csv", "parquet", "jsonl")
OF_FILES = (
    click.option(
        "--label",
        help="Column with the labels, by name or position, or '' for none. Default: the one named "
        "label, target, class or y, or else the last.",
    ),
    click.option("--drop", multiple=True, help="Column to leave out. May be repeated."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Does a CSV file begin with names? Default: if a cell of its first line is a word, "
        "unless others are numbers and the next line is like it.",
    ),
    click.option(
        "--format",
        "kind",
        type=click.Choice(FORMATS),
        help="Default: by the file's name or its first line.",
    ),
    click.option("--classes", help="The labels, if there are to be no others: ham,spam."),
)


def of_a_file(command: Callable) -> Callable:
    """Add the options that say how a file is read: label, drop, header, kind and classes."""
    for option in reversed(OF_FILES):
        command = option(command)
    return command
