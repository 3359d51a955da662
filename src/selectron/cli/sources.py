"""Where the rows of a command come from, a file or the handwritten digits, and what names them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..errors import Refused, SelectronError

if TYPE_CHECKING:
    from ..streams.readers import Chunk


def digits(seed: int) -> Iterator["Chunk"]:
    """Yield the handwritten digits in chunks."""
    from ..engine.rows import Dense
    from ..streams import digits
    from ..streams.readers import Chunk

    X, y = digits(seed=seed)
    for start in range(0, len(y), 1024):
        part = slice(start, start + 1024)
        yield Chunk(Dense(X[part]), X.shape[1], y[part].astype(float), start)


def chunks_of(file: str, **options: Any) -> Iterator["Chunk"]:
    """Yield the chunks of a file, with a progress bar on a terminal."""
    from tqdm import tqdm

    from ..streams.readers import read

    choice: dict[str, Any] = {
        name: options.get(name) for name in ("label", "drop", "time", "header")
    }
    source = read(file, format=options["kind"], **choice)
    bar = tqdm(total=source.size_in_bytes, unit="B", unit_scale=True, disable=None, delay=0.5)
    with bar:
        for chunk in source:
            if source.doubt and not chunk.first:
                click.echo(f"selectron: {source.name}: {source.doubt}", err=True)
            yield chunk
            bar.update(source.position() - bar.n)


@contextmanager
def naming(file: str | None, first: int = 0) -> Iterator[None]:
    """Put the name of the file before the message of an error, and number rows by the stream."""
    try:
        with numbering(file, first):
            yield
    except SelectronError as error:
        known = file is None or str(error).startswith((f"{file}:", "standard input:"))
        raise SelectronError(f"{'' if known else f'{file}: '}{error}") from None


@contextmanager
def numbering(file: str | None, first: int = 0) -> Iterator[None]:
    """Name a row that is refused by the file and its number there, from 1 on."""
    try:
        yield
    except Refused as error:
        row = first + error.row + 1
        raise SelectronError(f"{file}: row {row}{error.reason}") from None
