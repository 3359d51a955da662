"""`selectron demo`: what the library does, in some seconds."""

import sys

import click

from . import ExamplesFirst
from .options import PICTURES, check_target, path_option
from .run import run

LEARNERS, PICTURE = ("lasec:c=100", "perceptron"), "selectron-demo.png"
ABOUT = """\
Handwritten digits arrive one by one. Every 500 rows another half of them becomes the positive
class. Each learner may ask for the labels of a tenth of the rows."""
NEXT = """\

LASEC forgets at a fixed rate. The default, LeadingHistory, finds out when concepts end, and is
right more often; it takes some 20 seconds to compile, once:

    selectron run                                       the same stream, with the default
    selectron run your.csv --budget 10% --save my.model
    selectron serve --demo                              a page that asks you (selectron[serve])"""


@click.command(cls=ExamplesFirst)
@path_option("--plot", "picture", default=PICTURE, show_default=True, help="Draw the picture here.")
def demo(picture: str) -> None:
    """Play a stream whose concept changes, print a table, and draw a picture.

    On a terminal, the picture is opened.

    \b
        selectron demo
    """
    check_target(picture, PICTURES, "--plot")
    click.echo(ABOUT + "\n")
    options = [*(f"--learner={name}" for name in LEARNERS), "--budget=10%", f"--plot={picture}"]
    run.main(options, "selectron run", standalone_mode=False)
    click.echo(NEXT)
    if sys.stdout.isatty():
        click.launch(picture)
