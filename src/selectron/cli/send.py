"""`selectron send`: feed a file, or standard input, to a stream that is served."""

import os
import re
import sys
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import click

from ..engine.parameters import counted
from ..errors import SelectronError
from . import ExamplesFirst, reporting_errors, warn

ADDRESS = re.compile(r"https?://[^\s?#]+")
TABLES = ".csv", ".tsv", ".parquet", ".pq", ".svm", ".svmlight", ".libsvm"


@click.command(cls=ExamplesFirst)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--to", "url", required=True, help="The stream: http://127.0.0.1:8000/v1/streams/mail"
)
@click.option(
    "--token", envvar="SELECTRON_TOKEN", help="A token for ingest. Default: $SELECTRON_TOKEN."
)
@click.option(
    "--id", "field", help="The field with the id of an item. Default: the line's, or file and line."
)
@click.option("--name", help="The prefix of the ids of lines. Default: the file's name, or stdin.")
@click.option("--again", is_flag=True, help="Send all lines, even those that were sent before.")
def send(file: str, url: str, token: str | None, **options: Any) -> None:
    """Send the lines of FILE to a stream, - for standard input.

    A line is a JSON object, or text. One of the form {"id": ..., "data": {...}} has its own id.
    Lines that have been sent before are skipped, so that the same command continues where it
    stopped; failed attempts are repeated. Lines without an id are recognised by name and number:
    give another file, or another `tail -f`, another --name.

    A line of invalid JSON, and an item that the stream refuses, are reported with their line, the
    rest is sent, and the exit code is 1; --again sends such lines once they are fixed.

    \b
        selectron send mail.jsonl --to http://127.0.0.1:8000/v1/streams/mail
        tail -f a.log | selectron send - --name "$(date)" --to http://127.0.0.1:8000/v1/streams/a
    """
    if token is None:
        raise click.UsageError("Give --token, or set SELECTRON_TOKEN.")
    if not (token.isascii() and token.isprintable()):
        raise click.BadParameter("a token is printable ASCII", param_hint="--token")
    if not ADDRESS.fullmatch(url):
        what = f"{url!r} is not http://HOST:PORT/v1/streams/NAME"
        raise click.BadParameter(what, param_hint="--to")
    with reporting_errors("interrupted; the same command continues", extra="serve"):
        new, asked, refused = feed(file, url, token, **options)
        click.echo(f"{counted(new, 'new item')}, {asked:,} of them asked for")
        if refused:
            were, them = ("were", "them") if refused > 1 else ("was", "it")
            lines = f"{counted(refused, 'line')} {were} refused"
            advice = f"correct {them}, and send the file with --again"
            raise SelectronError(f"{lines}: {advice}")


def feed(file: str, url: str, token: str, field: str | None, name: str | None, again: bool) -> Any:
    """Send what is new; return how many items were new, asked for, and refused."""
    from tqdm import tqdm

    from ..serve import sending

    if any(ending.lower() in TABLES for ending in Path(file).suffixes[-2:]):
        raise SelectronError(
            f"{file} is a table, and a line must be a JSON object or text: convert it to JSON "
            "lines, without the labels"
        )
    name, keys = name or ("stdin" if file == "-" else Path(file).name), []
    if file != "-":
        with open(file, "rb") as text:
            keys = [line.id for line in sending.items(text, name, field, lambda sentence: None)]

    with closing(sending.Sender(url, token, warn=warn)) as sender:
        start = 0 if again else sending.resumed(sender, keys, name)
        bar = tqdm(total=len(keys) or None, initial=start, unit=" items", disable=None)
        failed: list[str] = []

        def refused(sentence: str) -> None:
            failed.append(sentence)
            bar.write(f"selectron: {sentence}", file=sys.stderr)

        with open(os.dup(0) if file == "-" else file, "rb", buffering=0) as raw, bar:
            lines = sending.Lines(raw)
            found = sending.items(lines, name, field, refused)
            for line in islice(found, max(0, start - 1), start):
                (reply,) = sender.send([line.text])
                if "error" in reply:  # the stream has another item with its id
                    raise SelectronError(sending.refusal(line, reply))
            new, asked = sending.send_all(sender, found, bar.update, refused, lines.more)
            return new, asked, len(failed)
