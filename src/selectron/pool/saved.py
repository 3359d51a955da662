"""Files with the answers of a session, and a digest of the rows instead of the rows."""

import hashlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from .. import storage
from ..data.labels import as_array
from ..errors import SelectronError
from .confident import Confident, InOrder
from .perceptron import Boosted, Greedy, Sphere
from .session import Answers

if TYPE_CHECKING:
    from .classifier import SelfDirectedClassifier

KIND = "pool"
LEARNERS = {kind.__name__: kind for kind in (Confident, InOrder, Greedy, Sphere, Boosted)}
PARAMETERS = ("mode", "delta", "fit_intercept", "random_state")


def write(path: str | os.PathLike, pool: "SelfDirectedClassifier", X: Any) -> None:
    """Write the answers, the parameters, and the points at which plans were made."""
    session, learner = pool.session_, pool._learner()
    header = {
        "kind": KIND,
        "learner": [type(learner).__name__, list(learner)],
        "parameters": {name: getattr(pool, name) for name in PARAMETERS},
        "features": pool.features if isinstance(pool.features, str) else None,
        "named": pool.classes is not None,
        "classes": pool.classes_.tolist(),
        "plans": [[begun.answered, begun.known] for begun in session.begun],
        "rows": digest(X),
    }
    storage.write(path, header, {**session.answers._asdict(), "given": session.given})


def read(kind: type, path: str | os.PathLike, X: Any, features: Any) -> "SelfDirectedClassifier":
    """Return the classifier saved in a file, its plans made again."""
    header, arrays = storage.read(path)
    if header.get("kind") != KIND:
        raise SelectronError(f"{path} holds a model, not the answers for a pool.")
    if header["rows"] != digest(X):
        raise SelectronError(f"{path} holds the answers for other rows.")
    own = header["features"] or features
    if own is None:
        raise SelectronError(f"{path} needs its transformer: pass it as features=.")
    name, parameters = header["learner"]
    if name not in LEARNERS:
        raise SelectronError(f"{path} needs the learner {name}, which is not part of Selectron.")
    pool = kind(LEARNERS[name](*parameters), features=own, **header["parameters"])
    pool.classes = header["classes"] if header["named"] else None
    pool._begin(pool._session_of(X, arrays.pop("given")), as_array(header["classes"]), X)
    pool.session_.restore(Answers(**arrays), header["plans"])
    return pool


def digest(X: Any) -> str:
    """Return the BLAKE2b digest of a table, in hex."""
    total = hashlib.blake2b(repr(X.shape).encode(), digest_size=16)
    for array in (X.indptr, X.indices, X.data) if scipy.sparse.issparse(X) else (X,):
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()
