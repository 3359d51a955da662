"""`selectron activity`: which project one is working on, from ActivityWatch."""

import click

from .. import Lazy

COMMANDS = {
    "watch": "Predict live, and ask when the activity seems to have changed.",
    "import": "Take up what ActivityWatch has exported to a file.",
    "declare": "Say what you work on, from now on or from a time on.",
    "answer": "Answer a question that waits, or correct an answer.",
    "report": "Show a day: predicted, declared and corrected, and the time of each activity.",
    "list": "List the activities.",
    "create": "Create an activity.",
    "rename": "Give an activity another name.",
    "merge": "Make an activity part of another one.",
    "close": "Close an activity, until it is declared again.",
    "associate": "Say that a resource belongs to an activity.",
    "evaluate": "Measure precision and recall by the paper's protocol.",
    "generate": "Make up a log of a desktop, to try things with.",
}
MANAGING = ("list", "create", "rename", "merge", "close", "associate")
PLACES = {"import": "importing", **dict.fromkeys(MANAGING, "managing")}


@click.group(cls=Lazy, told=COMMANDS, package=__name__, places=PLACES)
def activity() -> None:
    """Tell which project one is working on, and notice switches that were not declared.

    \b
        selectron activity declare "Write the thesis"
        selectron activity watch --web
        selectron activity report --html today.html
    """
