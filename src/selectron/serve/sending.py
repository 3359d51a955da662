"""Send a file to a stream in batches, retry what fails, and resume where it stopped."""

import time
from bisect import bisect_left
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from select import select
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2

from ..data.cells import label_of
from ..engine.parameters import first_few
from ..errors import SelectronError
from ..streams.readers.json_lines import ADVICE, ARRAY
from . import strict
from .strict import Problem

TOGETHER, BYTES = 500, 4 << 20  # items, and bytes, of a batch
READ = 1 << 20  # bytes asked for at a time
PATIENCE = 8  # attempts, each after twice the time of the one before
FIRST = 0.5  # seconds


class Line(NamedTuple):
    """An item to send: its place in the input, its id, a line of JSON, and its label if known."""

    where: str
    id: str
    text: str
    label: str | None = None


class Sender:
    """A client of the stream at an address; calls `warn` with a sentence before it tries again."""

    def __init__(
        self,
        url: str,
        token: str,
        client: Any = None,
        warn: Callable[[str], object] = lambda sentence: None,
    ):
        self.url, self.warn = url.rstrip("/"), warn
        self.headers = {"authorization": f"Bearer {token}"}
        self.client = client or httpx2.Client(timeout=120)

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def has(self, key: str) -> bool:
        """Return whether the stream has an item with this id."""
        return "error" not in self._ask("GET", "items", plain=(404, 422), params={"id": key})

    def answered(self, key: str) -> bool:
        """Return whether the item with this id has an answer."""
        return bool(self._ask("GET", "items", params={"id": key})["answers"])

    def send(self, items: list[str]) -> list[dict[str, Any]]:
        """Send items once; return the decision on each, or the reason why it is refused."""
        body = "\n".join(items).encode()
        headers = {"idempotency-key": uuid4().hex, "content-type": "application/x-ndjson"}
        return self._ask("POST", "batch", content=body, headers=headers)["items"]

    def answer(self, line: Line) -> dict[str, Any]:
        """Answer about an item with its label; return the reply, or why the stream refuses it."""
        body, headers = {"id": line.id, "label": line.label}, {"idempotency-key": uuid4().hex}
        return self._ask("POST", "answers", plain=(422,), json=body, headers=headers)

    def _ask(self, method: str, path: str, plain: tuple[int, ...] = (), **more: Any) -> Any:
        url, headers, reason = f"{self.url}/{path}", self.headers | more.pop("headers", {}), ""
        for attempt in range(PATIENCE):
            if attempt:
                time.sleep(FIRST * 2 ** (attempt - 1))
            try:
                response = self.client.request(method, url, headers=headers, **more)
            except httpx2.TransportError as error:
                reason = str(error) or type(error).__name__
                if not attempt:
                    self.warn(f"{url}: {reason.rstrip('.')}; trying again for a minute")
                continue
            if response.status_code < 300 or response.status_code in plain:
                return json_of(response)
            reason = error_message(response)
            if response.status_code == 404:
                reason = f"{reason.rstrip('.')}; a stream is at http://HOST:PORT/v1/streams/NAME"
            if response.status_code not in (408, 429, 503, 507):
                break
        raise SelectronError(f"{url}: {reason.rstrip('.')}.")


def json_of(response: Any) -> Any:
    """Return what a reply holds; raise SelectronError if that is not JSON, as of another server."""
    try:
        return response.json()
    except ValueError:
        raise SelectronError(f"{response.url}: this is no server of Selectron's.") from None


def error_message(response: Any) -> str:
    """Return the error message of a reply."""
    if response.is_redirect:
        return f"the server is at {response.headers['location']}: give that address"
    try:
        return response.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return f"the server answers with {response.status_code}"


class Lines:
    """The lines of an unbuffered file, as they come."""

    def __init__(self, file: Any):
        self.file, self.come = file, deque[bytes]()

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        while piece := self.file.read(READ):
            *whole, rest = (rest + piece).split(b"\n")
            self.come.extend(whole)
            while self.come:
                yield self.come.popleft()
        yield rest

    def more(self) -> bool:
        """Return whether another line has come, or part of it, or the end."""
        return any(map(bytes.strip, self.come)) or bool(select([self.file], [], [], 0)[0])


def items(
    lines: Iterable[bytes],
    name: str,
    field: str | None,
    refused: Callable[[str], object] | None = None,
    ignored: dict[str, int] | None = None,
    unit: str = "line",
    label: str | None = None,
) -> Iterator[Line]:
    """Yield an item per line: a JSON object is its data, other text goes to the field "text".

    Its id is the value of `field`, or that of a line {"id": ..., "data": {...}}, or the name of the
    file and the line number, so that a line is the same item whenever it is sent; fields that
    are `ignored` are left out and counted. The field `label`, which is one of these, has the known
    label, if it is not blank. A line that is neither text nor strict JSON, or lacks the field, is
    left out, and `refused` called with a sentence, which calls a line a `unit`; without it, or if
    it is the first line, SelectronError is raised.

    >>> next(items([b"win money"], "a.txt", None)).text
    '{"id":"a.txt:1","data":{"text":"win money"}}'
    >>> next(items([b'{"id": 7, "data": {"text": "win"}}'], "a.jsonl", None)).id
    '7'
    """
    for number, line in enumerate(map(bytes.strip, lines), 1):
        if number == 1:
            line = line.removeprefix(BOM_UTF8).lstrip()
        if not line:
            continue
        try:
            place = f"{name}, {unit} {number}"
            yield parse_item(line, place, f"{name}:{number}", field, ignored or {}, label)
        except SelectronError as error:
            if refused is None or number == 1:  # where the first is wrong, it is another file
                raise
            refused(str(error))


def parse_item(
    line: bytes,
    where: str,
    usual: str,
    field: str | None,
    ignored: dict[str, int],
    label: str | None = None,
) -> Line:
    """Return a line as an item, whose id is `usual` unless the line has one."""
    own, data = parse_line(line, where)
    if field is not None:
        own = data.get(field, own)
    elif own is None:
        own = usual
    if isinstance(own, float) and own.is_integer():  # as pandas writes ids if one is blank
        own = int(own)
    if type(own) not in (str, int):
        others = f"; the fields are {first_few([*data])}" if field else ""
        what = f"the field {field or 'id'!r}{others}"
        raise SelectronError(f"{where} has no text or number in {what}.")
    try:
        known = label_of(data.get(label)) if label else None
    except SelectronError as error:
        raise SelectronError(f"{where}: {label}: {error}") from None
    for name in ignored.keys() & data.keys():
        ignored[name] += 1
        del data[name]
    text = strict.dumps({"id": str(own), "data": data}, sort=False)
    return Line(where, str(own), text, known)


def parse_line(line: bytes, where: str) -> tuple[Any, dict[str, Any]]:
    """Return the id of a line, None if it has none of its own, and its data."""
    if not line.startswith(b"{"):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            what = "the text is not UTF-8: give its --encoding, or unpack the file"
            raise SelectronError(f"{where}: {what}") from None
        if ARRAY.match(text):
            raise SelectronError(f"{where}: {ADVICE}")
        return None, {"text": text}
    try:
        value = strict.loads(line)
    except Problem as problem:
        raise SelectronError(f"{where}: {problem}") from None
    if set(value) <= {"id", "data"} and isinstance(value.get("data"), dict):
        return value.get("id"), value["data"]
    return None, value


def resumed(sender: Sender, keys: list[str], name: str) -> int:
    """Return how many of these items have been sent: the first ones, except those refused.

    That is known only of ids that are numbers of lines; others may come in another order, so that
    all are sent again, and the stream skips those that it has.
    """
    if not all(key.startswith(f"{name}:") for key in keys):
        return 0
    return bisect_left(keys, True, key=lambda key: not sender.has(key))


def refusal(line: Line, reply: Any) -> str:
    """Return why the stream refuses an item."""
    why = f"{line.where}: {reply['error']['message'].rstrip('.')}"
    other = "; use another --name for other lines" if reply["error"]["code"] == "conflict" else ""
    return f"{why}{other}."


def answer(sender: Sender, line: Line, again: bool, refused: Callable[[str], object]) -> None:
    """Answer about an item with its label; not `again` if it was sent before and has an answer."""
    if line.label is None or (again and sender.answered(line.id)):
        return
    if "error" in (reply := sender.answer(line)):
        refused(refusal(line, reply))


def batches(found: Iterable[Line], more: Callable[[], bool] = lambda: True) -> Iterator[list[Line]]:
    """Yield batches of items; one ends early where the input has no `more` lines yet.

    It also ends with a line that has a label, which is learned before the next item comes.
    """

    def size(line: Line) -> int:
        whole = more() and line.label is None
        return 4 * len(line.text) if whole else BYTES  # bytes at most

    return strict.grouped(found, size, BYTES, TOGETHER)


def send_all(
    sender: Sender,
    found: Iterable[Line],
    progress: Callable[[int], object],
    refused: Callable[[str], object],
    more: Callable[[], bool] = lambda: True,
) -> tuple[int, int]:
    """Send items, and call `refused` with a sentence for each that the stream refuses.

    Those at hand are sent where there are no `more` yet. Items whose label is known are answered,
    unless they have an answer. Returns how many were new, and queried.
    """
    new = asked = 0
    for batch in batches(found, more):
        replies = sender.send([line.text for line in batch])
        for line, reply in zip(batch, replies, strict=True):
            if "error" in reply:
                refused(refusal(line, reply))
                continue
            new, asked = new + (not reply["known"]), asked + (reply["asked"] > reply["known"])
            answer(sender, line, reply["known"], refused)
        progress(len(batch))
    return new, asked
