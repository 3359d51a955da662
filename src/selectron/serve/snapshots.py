"""Snapshots: the state derived from the log up to an entry, so that a start need not replay it all.

A snapshot is a model file and a manifest, which is written last: a snapshot is valid if the hashes
in its manifest match. Without a valid one, the log is replayed from its beginning.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..data.files import replace
from ..errors import SelectronError
from . import store, strict
from .event import LOG, Damaged
from .question import Statistics
from .stream import Stream

SCHEMA = 1
KEPT = 3


def folder(stream: Stream) -> Path:
    """Return the folder of the snapshots of a stream."""
    return stream.store.folder / "snapshots" / stream.name


def take(stream: Stream) -> None:
    """Take a snapshot of a stream whose entries are all committed, and delete old ones."""
    stream.saved = stream.seq  # even if it fails: the next attempt is as far away
    if not stream.model.begun:
        return
    here = folder(stream)
    for path in (here.parent, here):
        path.mkdir(mode=store.FOLDER, exist_ok=True)
    model = here / f"{stream.seq}.model"
    stream.model.clf.save(model)
    model.chmod(store.FILE)
    store.reached("model written")
    manifest = sealed(
        {
            "schema": SCHEMA,
            "store": stream.store.identity,
            "seq": stream.seq,
            "log": stream.db.seal_of(stream.seq),
            "model": sha256(model.read_bytes()).hexdigest(),
            "learned": stream.model.learned,
            "void": stream.model.void,
            "clock": [stream.model.latest, stream.model.lead],
            "tally": stream.statistics.pack(),
            "open": list(stream.open),
            "named": list(stream.named),
        }
    )
    path = here / f"{stream.seq}.json"
    text = strict.dumps(manifest).encode()
    replace(path, text, reached=store.reached, opener=store.opener)
    kept = [path.stem for path in manifests(stream)[:KEPT]]
    for path in here.iterdir():
        if path.stem not in kept:
            path.unlink(missing_ok=True)


def manifests(stream: Stream) -> list[Path]:
    """Return the manifests of a stream, latest first."""
    return sorted(folder(stream).glob("*.json"), key=lambda path: -int(path.stem))


def oldest(stream: Stream) -> int:
    """Return the last entry covered by the oldest snapshot, 0 if there is none."""
    return min((int(path.stem) for path in manifests(stream)), default=0)


def restore(stream: Stream, accept_loss: bool = False) -> None:
    """Restore a stream to the end of its log, from the latest valid snapshot if there is one.

    Damaged snapshots are skipped, with a warning. If the model needs a damaged item, SelectronError
    is raised; with `accept_loss` the model stays as it was before that item.
    """
    stream.reset()
    for path in manifests(stream):
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
        LOG.warning("Stream %r: the model has lost what came after entry %d.", *stream.forgo())
        take(stream)


def load(stream: Stream, path: Path) -> None:
    """Load a snapshot; raise SelectronError if it is damaged, or of another store."""
    manifest = json.loads(path.read_bytes())
    if manifest != sealed(manifest) or manifest["schema"] != SCHEMA:
        raise SelectronError("it is damaged, or of another version.")
    seq, db = manifest["seq"], stream.db
    if manifest["store"] != stream.store.identity or manifest["log"] != db.seal_of(seq):
        raise SelectronError("it belongs to another log.")
    model = path.with_suffix(".model")
    if sha256(model.read_bytes()).hexdigest() != manifest["model"]:
        raise SelectronError("its model is damaged.")
    stream.model.load(model, manifest)
    stream.statistics = Statistics.unpack(manifest["tally"])
    stream.open = {item: stream.question(item, seq) for item in manifest["open"]}
    stream.named = dict.fromkeys(manifest["named"])
    stream.seq = stream.saved = seq


def sealed(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with a hash of its other fields."""
    content = {name: value for name, value in manifest.items() if name != "seal"}
    return {**content, "seal": sha256(strict.dumps(content).encode()).hexdigest()}
