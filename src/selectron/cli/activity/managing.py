"""What is done to activities: list, create, rename, merge, close, associate."""

import json
import time
from pathlib import Path

import click

from .common import at_home, reported, saying


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the activities as JSON.")
@at_home
@reported
def listed(as_json: bool, home: Path) -> None:
    """List the activities; the one that is declared has a mark."""
    with saying(home) as say:
        names = say.names()
    declared = names.declared[1] if names.declared else None
    found = [
        {"activity": name, "open": is_open, "declared": name == declared}
        for name, is_open in names.open.items()
    ]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for one in found:
        mark = "*" if one["declared"] else " "
        click.echo(f"{mark} {one['activity']}{'' if one['open'] else '  (closed)'}")


@click.command()
@click.argument("name")
@at_home
@reported
def create(name: str, home: Path) -> None:
    """Create the activity NAME."""
    with saying(home) as say:
        say.create(name, time.time())


@click.command()
@click.argument("old")
@click.argument("new")
@at_home
@reported
def rename(old: str, new: str, home: Path) -> None:
    """Give the activity OLD the name NEW."""
    with saying(home) as say:
        say.rename(old, new, time.time())


@click.command()
@click.argument("old")
@click.argument("into")
@at_home
@reported
def merge(old: str, into: str, home: Path) -> None:
    """Make the activity OLD part of INTO."""
    with saying(home) as say:
        say.merge(old, into, time.time())


@click.command()
@click.argument("name")
@at_home
@reported
def close(name: str, home: Path) -> None:
    """Close the activity NAME: it is not predicted any more, until it is declared again."""
    with saying(home) as say:
        say.close(name, time.time())


@click.command()
@click.argument("resource")
@click.argument("name", required=False)
@at_home
@reported
def associate(resource: str, name: str | None, home: Path) -> None:
    """Say that RESOURCE belongs to the activity NAME; without NAME, that it belongs to none.

    The names of documents and folders are kept as those in titles are: hashed, unless settled
    otherwise.

    \b
        selectron activity associate site:example.org "Write the thesis"
    """
    from ...activity.desk.home import resource_of

    with saying(home) as say:
        say.associate(resource_of(say.journal, resource), name, time.time())
