"""`selectron send`: feed a file, or standard input, to a stream that is served."""

import os
import sys
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import click

from ..errors import SelectronError
from . import INTERRUPTED


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--to", "url", required=True, help="The stream: http://127.0.0.1:8000/v1/streams/mail"
)
@click.option(
    "--token", envvar="SELECTRON_TOKEN", help="For ingest. Default: that in SELECTRON_TOKEN."
)
@click.option("--id", "field", help="The field that has an item's own id. Default: file and line.")
@click.option("--name", help="What ids of lines begin with. Default: the file's name, or stdin.")
def send(file: str, url: str, token: str | None, field: str | None, name: str | None) -> None:
    """Send the lines of FILE to a stream, - for standard input.

    A line is an object of JSON, or text. What has been sent before is passed over, so that the same
    command goes on where it was; attempts that fail are made again.

    \b
        selectron send mail.jsonl --to http://127.0.0.1:8000/v1/streams/mail
        tail -f messages.log | selectron send - --to http://127.0.0.1:8000/v1/streams/log
    """
    if token is None:
        raise click.UsageError("Give --token, or set SELECTRON_TOKEN.")
    try:
        new, asked = fed(file, url, token, field, name)
        click.echo(f"{new:,} new items, {asked:,} of them asked for")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("selectron"):
            raise
        click.echo("selectron: selectron send needs pip install 'selectron[serve]'.", err=True)
        sys.exit(1)
    except (SelectronError, OSError) as error:
        click.echo(f"selectron: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        click.echo("selectron: interrupted; the same command goes on", err=True)
        sys.exit(INTERRUPTED)


def fed(file: str, url: str, token: str, field: str | None, name: str | None) -> tuple[int, int]:
    """Send what is not there yet; return how many items were new, and asked for."""
    from tqdm import tqdm

    from ..serve import sending

    with closing(sending.Sender(url, token)) as sender:
        if file == "-":
            found: Any = sending.items(lines(), name or "stdin", field)
            with tqdm(unit=" items", disable=None) as bar:
                return sending.sent(sender, found, bar.update)
        return file_sent(sender, Path(file), field, name or Path(file).name)


def file_sent(sender: Any, file: Path, field: str | None, name: str) -> tuple[int, int]:
    """Send what of a file is not there yet."""
    from tqdm import tqdm

    from ..serve import sending

    with open(file, "rb") as text:
        keys = [item["id"] for item in sending.items(text, name, field)]
    start = sending.resumed(sender, keys)
    with open(file, "rb") as text, tqdm(total=len(keys), unit=" items", disable=None) as bar:
        bar.update(start)
        found = islice(sending.items(text, name, field), start, None)
        return sending.sent(sender, found, bar.update)


def lines() -> Any:
    """Yield the lines of standard input as they come."""
    with os.fdopen(os.dup(0), "rb") as text:
        yield from text
