"""Snapshots: the state derived from the log up to an entry, so that a start need not replay it all.

A snapshot is a model file with the rest of the state in its header; without, the log is replayed.
"""

from pathlib import Path

from .. import storage
from ..errors import SelectronError
from ..estimator import packing
from ..estimator.classifier import OnlineClassifier
from . import store
from .event import LOG, Damaged
from .question import Statistics
from .stream import Stream

KEPT = 3


def folder(stream: Stream) -> Path:
    """Return the folder of the snapshots of a stream."""
    return stream.store.folder / "snapshots" / stream.name


def paths(stream: Stream) -> list[Path]:
    """Return the snapshots of a stream, latest first."""
    return sorted(folder(stream).glob("*.model"), key=lambda path: -int(path.stem))


def take(stream: Stream) -> None:
    """Take a snapshot of a stream whose entries are all committed, and delete old ones."""
    stream.saved = stream.seq  # even if it fails: the next attempt is as far away
    if not stream.model.begun:
        return
    here = folder(stream)
    for path in (here.parent, here):
        path.mkdir(mode=store.FOLDER, exist_ok=True)
    header, arrays = packing.pack(stream.model.clf)
    header["stream"] = {
        "store": stream.store.identity,
        "seq": stream.seq,
        "log": stream.db.seal_of(stream.seq),
        "learned": stream.model.learned,
        "void": stream.model.void,
        "settings": stream.settings,
        "clock": [stream.model.latest, stream.model.lead],
        "tally": stream.statistics.pack(),
        "open": list(stream.open),
        "named": list(stream.named),
    }
    path = here / f"{stream.seq}.model"
    storage.write(path, header, arrays)
    path.chmod(store.FILE)
    latest = paths(stream)[:KEPT]
    for path in here.iterdir():
        if path not in latest:
            path.unlink(missing_ok=True)


def restore(stream: Stream, accept_loss: bool = False) -> None:
    """Restore a stream to the end of its log, from the latest valid snapshot if there is one.

    Damaged snapshots are skipped, with a warning. If the model needs a damaged item, SelectronError
    is raised; with `accept_loss` the model stays as it was before that item.
    """
    stream.reset()
    for path in paths(stream):
        try:
            load(stream, path)
            break
        except (SelectronError, OSError, ValueError, KeyError, TypeError) as error:
            LOG.warning("The snapshot %s is not used: %s", path, error)
            stream.reset()
    try:
        stream.replay()
    except Damaged as error:
        if not accept_loss:
            raise SelectronError(
                f"Stream {stream.name!r}: {error.what} is damaged, and the model has to learn it "
                "again: bring back a copy of the folder, or start with --accept-loss to go on with "
                "the model as it was before."
            ) from None
        lost = "Stream %r: the model has lost what came after entry %d."
        LOG.warning(lost, stream.name, stream.seq)
        for event in stream.log_after(stream.seq):
            stream.apply(event)
        stream.model.void = stream.seq
        take(stream)


def load(stream: Stream, path: Path) -> None:
    """Load a snapshot; raise SelectronError if it is damaged, or of another store."""
    header, arrays = storage.read(path)
    state = header["stream"]
    seq = state["seq"]
    if (state["store"], state["log"]) != (stream.store.identity, stream.db.seal_of(seq)):
        raise SelectronError("it belongs to another log.")
    model = stream.model
    model.clf = packing.unpack(OnlineClassifier, path, header, arrays, ())
    model.learned, model.void = state["learned"], state["void"]
    model.latest, model.lead = state["clock"]
    stream.settings = state["settings"]
    stream.statistics = Statistics.unpack(state["tally"])
    stream.open = {item: stream.question(item, seq) for item in state["open"]}
    stream.named = dict.fromkeys(state["named"])
    stream.seq = stream.saved = seq
