"""`selectron serve` and `selectron send`: streams over HTTP, and files that are sent to them."""

import os
import re
import signal
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from ..engine.parameters import counted, first_few
from ..errors import SelectronError
from ..streams import readers
from ..streams.readers.source import PACKED
from ..streams.readers.text import Blocks, Counted, encoding_of
from . import ExamplesFirst, Whole, echo, reporting_errors, warn
from .files import as_json, records_of, with_progress
from .options import encoding_option

PLACE, REASONS = re.compile(r", (line|row) \d+"), 10  # most that are shown
ADDRESS = re.compile(r"https?://[^\s?#]+")


@click.command(cls=ExamplesFirst)
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False, exists=True))
@click.option("--demo", is_flag=True, help="Serve a built-in stream of texts that drifts.")
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The folder of the data. Default: selectron-data, or selectron-demo.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=Whole(0, 65_535), default=8000, show_default=True)
@click.option(
    "--allow-host", multiple=True, help="A host name that reaches this server. May be repeated."
)
@click.option(
    "--connections-per-address",
    type=Whole(1),
    default=200,
    show_default=True,
    help="How many connections one address may have open; a proxy is one address.",
)
@click.option(
    "--token",
    metavar="ROLE[:NAME[:DAYS]]",
    help="Make a token for ingest, annotate, read or admin, print it, and exit.",
)
@click.option("--list-tokens", is_flag=True, help="Print the name, role and expiry of all tokens.")
@click.option("--revoke", metavar="NAME", help="Delete the token of this name, and exit.")
@click.option("--accept-loss", is_flag=True, help="Continue if the end of the log has been lost.")
def serve(files: tuple[str, ...], demo: bool, **options: Any) -> None:
    """Predict streams item by item, ask a person for the most useful labels, learn at once.

    FILES declare streams, in TOML. The address of the page is printed. All data are kept in one
    folder; the same command continues where it stopped.

    \b
        selectron serve --demo
        selectron serve mail.toml --data /var/lib/mail
    """
    keys = options["list_tokens"] or options["revoke"] is not None
    if not (files or demo or (keys and options["data"])):
        raise click.UsageError("Give a FILE that declares streams, or --demo.")
    if keys and options["token"] is not None:
        raise click.UsageError("--token makes a token: leave out --list-tokens and --revoke.")
    folder = Path(options["data"] or ("selectron-data" if files else "selectron-demo"))
    with reporting_errors(extra="serve"):
        if not keys:
            serve_streams(files, demo, folder, **options)
            return
        from ..serve import tokens
        from ..serve.host import Host

        if options["revoke"] is not None:
            with Host(tokens.existing(folder), []) as host:
                host.revoke_token(options["revoke"])
        if options["list_tokens"]:
            for row in [("name", "role", "expires"), *tokens.list_tokens(folder)]:
                echo("\t".join(row))


def serve_streams(files: tuple[str, ...], demo: bool, folder: Path, **options: Any) -> None:
    """Serve, or make a token."""
    from ..serve import server
    from ..serve.declaration import check_names, read
    from ..serve.demo import DEMO
    from ..serve.guard import bare
    from ..serve.host import Host

    found = [declaration for file in files for declaration in read(file)]
    streams = [*found, DEMO] if demo else found
    check_names(stream.name for stream in streams)
    made = partial(Host, folder, streams, accept_loss=options["accept_loss"])
    if options["token"] is not None:
        make_token(made, options["token"])
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # all `finally` blocks run
    with server.listen(options["host"], options["port"]) as door:
        host, port = made(), door.getsockname()[1]
        show_tokens(host, f"http://{bare(options['host'])}:{port}", demo)
        if others := host.service.unserved:
            warn(f"{folder} has streams that are not served: {first_few(others)}")
        echo(f"Everything is kept in {folder}; Ctrl-C ends.")
        names = (*options["allow_host"], options["host"])
        server.run(host, door, names, demo, options["connections_per_address"])


def show_tokens(host: Any, where: str, demo: bool) -> None:
    """Print the new tokens, and the address of the page."""
    from ..serve import server

    tokens = server.first_tokens(host)
    for role, text in tokens.items():
        echo(f"{role:>9} token: {text}")
    if tokens:
        echo("Tokens are shown only once; --token makes new ones.")
    token = tokens.get("annotate") or (server.demo_token(host) if demo else None)
    echo(f"Open {where}/" + (f"#token={token}" if token else " with a token for annotate"))


def make_token(made: Callable[[], Any], text: str) -> None:
    """Make a token from ROLE[:NAME[:DAYS]], and print it; no store is made for a wrong one."""
    from ..serve.tokens import NewToken

    role, _, rest = text.partition(":")
    name, _, days = rest.partition(":")
    try:
        until = float(days) if days else None
    except ValueError:
        raise SelectronError(f"--token: days must be a number, got {days!r}") from None
    try:
        new = NewToken.of({"name": name or role, "role": role, "days": until})
    except ValueError as error:
        raise SelectronError(f"--token: {error}") from None
    with made() as host:
        echo(host.make_token(new.name, new.role, new.days, new=True))


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
@click.option("--ignore", multiple=True, metavar="NAME", help="Leave out this field.")
@click.option(
    "--label", metavar="NAME", help="The field with known labels: left out, and sent as answers."
)
@click.option("--name", help="The prefix of the ids of lines. Default: the file's name, or stdin.")
@encoding_option
@click.option("--again", is_flag=True, help="Send all lines, even those that were sent before.")
def send(file: str, url: str, token: str | None, **options: Any) -> None:
    """Send the lines of FILE to a stream, - for standard input.

    A line is a JSON object, or text. One of the form {"id": ..., "data": {...}} has its own id. The
    rows of a table (CSV, Parquet) are sent as objects; leave labels out with --ignore. Lines that
    have been sent before are skipped, so that the same command continues where it stopped; failed
    attempts are repeated. Lines without an id are recognised by name and number: give another file,
    or another `tail -f`, another --name.

    Give --label for a file with known labels: each item is answered with its label before the next
    one is sent, unless the label is blank, or the item was sent before and has an answer.

    A line of invalid JSON, and an item or label that the stream refuses, are reported once for each
    reason, the rest is sent, and the exit code is 1; --again sends such lines once they are fixed.

    \b
        selectron send mail.jsonl --to http://127.0.0.1:8000/v1/streams/mail
        selectron send mail.csv --id id --ignore label --to http://127.0.0.1:8000/v1/streams/mail
        selectron send old.csv --label label --to http://127.0.0.1:8000/v1/streams/mail
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
        echo(f"{counted(new, 'new item')}, {asked:,} of them asked for")
        if refused:
            were, them = ("were", "them") if refused > 1 else ("was", "it")
            lines = f"{counted(refused, 'row' if is_table(file) else 'line')} {were} refused"
            advice = f"correct {them}, and send the file with --again"
            raise SelectronError(f"{lines}: {advice}")


def is_table(file: str) -> bool:
    """Return whether a file is not read line by line. Raises SelectronError for svmlight."""
    kind = readers.by_name(file)
    if kind == "svmlight":
        raise SelectronError(f"{file} has no names of fields: give CSV, Parquet or JSON lines")
    return kind in ("csv", "parquet")


def decimals_of(file: str, encoding: str | None, left: Container[str | None]) -> dict[str, Any]:
    """Return how `run` reads the columns whose numbers have decimal commas, but for those `left`.

    The stream may have settled on decimal points, or have no columns that learn how text is read.
    """
    from ..data.kinds import Layout  # slow to import
    from ..data.tables import Column

    columns = dict[str, Column]()
    for chunk in readers.read(file, label="", encoding=encoding):
        for name, array in zip(chunk.rows.column_names, chunk.rows.columns, strict=True):
            column = columns.setdefault(name, Column(name))
            for x in array:
                if column.settled:
                    break
                column.recognise(x.as_py())
            if column.kind == "number" and column.encoder.open:  # a later value may show the style
                column.encoder.prepare(array.combine_chunks(), Layout(0), True)
    found = {x: columns[x].encoder for x in columns if columns[x].kind == "number"}
    commas = [name for name in found if found[name].style == "," and name not in left]
    if commas:
        warn(f"{file}: sent as numbers, with a decimal comma: {first_few(commas)}")
    return {name: found[name].parse for name in commas}


def with_numbers(row: dict[str, Any], decimals: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose text is numbers in some columns, where it can be."""
    found = {name: parse(row[name]) for name, parse in decimals.items()}
    return row | {name: x for name, x in found.items() if x == x}


@contextmanager
def lines_of(
    file: str, first: bool, encoding: str | None, decimals: dict[str, Any]
) -> Iterator[tuple[Iterable[bytes], Callable[[], bool]]]:
    """Open a file; return its lines, and a function that returns whether more have come.

    What the reader doubts is shown if this is the first time.
    """
    from ..serve.sending import Lines

    if is_table(file):
        source = readers.read(file, label="", encoding=encoding)
        with closing(with_progress(source)) if first else nullcontext(source) as chunks:
            rows = chain.from_iterable(records_of(chunk.rows) for chunk in chunks)
            yield (as_json(with_numbers(row, decimals)).encode() for row in rows), lambda: True
    elif encoding or file.lower().endswith(PACKED):
        with open(os.dup(0) if file == "-" else file, "rb") as packed:
            blocks = Blocks(Counted(packed), encoding_of(encoding))
            lines = Lines(blocks)
            yield lines, lines.more
            if blocks.fault:
                raise SelectronError(f"{file}: {blocks.fault}")
    else:
        with open(os.dup(0) if file == "-" else file, "rb", buffering=0) as raw:
            lines = Lines(raw)
            yield lines, lines.more


def check_left_out(file: str, ignored: dict[str, int], label: str | None) -> None:
    """Raise SelectronError if no line has a field to be left out, as its name may be misspelt."""
    if missing := [name for name, count in ignored.items() if not count]:
        unit = "row" if is_table(file) else "line"
        what = "with labels" if missing[0] == label else "to be ignored"
        raise SelectronError(f"{file}: no {unit} has a field {missing[0]!r} {what}")


def feed(
    file: str,
    url: str,
    token: str,
    again: bool,
    name: str | None,
    ignore: tuple[str, ...],
    encoding: str | None,
    **options: Any,
) -> Any:
    """Send what is new; return how many items were new, asked for, and refused."""
    from tqdm import tqdm

    from ..serve import sending

    name, keys = name or ("stdin" if file == "-" else Path(file).name), []
    ignored = dict.fromkeys([*ignore, *filter(None, [options["label"]])], 0)
    options |= {"unit": "row" if is_table(file) else "line", "ignored": ignored}
    decimals = dict[str, Any]()
    if file != "-":
        if readers.by_name(file) == "csv":
            decimals = decimals_of(file, encoding, (options["field"], options["label"]))
        with lines_of(file, True, encoding, decimals) as (lines, _):
            found = sending.items(lines, name, refused=lambda sentence: None, **options)
            keys = [line.id for line in found]
        check_left_out(file, ignored, options["label"])

    with closing(sending.Sender(url, token, warn=warn)) as sender:
        start = 0 if again else sending.resumed(sender, keys, name)
        bar = tqdm(total=len(keys) or None, initial=start, unit=" items", disable=None)
        failed: dict[str, list[str]] = {}

        def refused(sentence: str) -> None:
            why = PLACE.sub("", sentence, count=1).partition(", got ")[0]
            failed.setdefault(why, []).append(sentence)
            if file == "-":  # which may come for days
                bar.write(f"selectron: {sentence}", file=sys.stderr)

        shown = naming_refused(failed) if file != "-" else nullcontext()
        with lines_of(file, False, encoding, decimals) as (lines, more), shown, bar:
            found = sending.items(lines, name, refused=refused, **options)
            for line in islice(found, max(0, start - 1), start):
                (reply,) = sender.send([line.text])
                if "error" in reply:  # the stream has another item with its id
                    raise SelectronError(sending.refusal(line, reply))
                sending.answer(sender, line, True, refused)
            new, asked = sending.send_all(sender, found, bar.update, refused, more)
            return new, asked, sum(map(len, failed.values()))


@contextmanager
def naming_refused(failed: dict[str, list[str]]) -> Iterator[None]:
    """Show at the end which line was refused first for each reason, and how many others were."""
    try:
        yield
    finally:
        for first, *others in [*failed.values()][:REASONS]:
            warn(PLACE.sub(rf"\g<0> (and {len(others):,} more)", first, 1) if others else first)
        if (left := len(failed) - REASONS) > 0:
            warn(f"other lines were refused for {counted(left, 'more reason')}")
