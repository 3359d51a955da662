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
@click.option("--again", is_flag=True, help="Send all lines, also those before the last sent one.")
def send(file: str, url: str, token: str | None, **options: Any) -> None:
    """Send the lines of FILE to a stream, - for standard input.

    A line is an object of JSON, or text. What has been sent before is passed over, so that the same
    command goes on where it was; attempts that fail are made again.

    A line that is no JSON stops it. An item that the stream refuses is named with its line, the
    rest is sent, and the exit code is 1; --again sends such lines once they are mended.

    \b
        selectron send mail.jsonl --to http://127.0.0.1:8000/v1/streams/mail
        tail -f messages.log | selectron send - --to http://127.0.0.1:8000/v1/streams/log
    """
    if token is None:
        raise click.UsageError("Give --token, or set SELECTRON_TOKEN.")
    try:
        new, asked, refused = fed(file, url, token, **options)
        click.echo(f"{new:,} new items, {asked:,} of them asked for")
        if refused:
            lines = "1 line is" if refused == 1 else f"{refused:,} lines are"
            them = "it" if refused == 1 else "them"
            raise SelectronError(f"{lines} refused: mend {them}, and send the file with --again")
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


def fed(file: str, url: str, token: str, field: str | None, name: str | None, again: bool) -> Any:
    """Send what is not there yet; return how many items were new, asked for, and refused."""
    from tqdm import tqdm

    from ..serve import sending

    with closing(sending.Sender(url, token)) as sender:
        if file == "-":
            found: Any = sending.items(lines(), name or "stdin", field)
            with tqdm(unit=" items", disable=None) as bar:
                return sending.sent(sender, found, bar.update, refusal(bar))
        return file_sent(sender, Path(file), field, name or Path(file).name, again)


def refusal(bar: Any) -> Any:
    """Return the function that prints why an item is refused, above a bar."""
    return lambda sentence: bar.write(f"selectron: {sentence}", file=sys.stderr)


def file_sent(sender: Any, file: Path, field: str | None, name: str, again: bool) -> Any:
    """Send what of a file is not there yet."""
    from tqdm import tqdm

    from ..serve import sending

    with open(file, "rb") as text:
        keys = [line.id for line in sending.items(text, name, field)]
    start = 0 if again else sending.resumed(sender, keys)
    with open(file, "rb") as text, tqdm(total=len(keys), unit=" items", disable=None) as bar:
        bar.update(start)
        found = islice(sending.items(text, name, field), start, None)
        return sending.sent(sender, found, bar.update, refusal(bar))


def lines() -> Any:
    """Yield the lines of standard input as they come."""
    with os.fdopen(os.dup(0), "rb") as text:
        yield from text
