"""Models whose files somebody has forged, in children: what `test_forged` runs in a process.

    python -m tests.face.forging KIND [NUMBER]

forges the arrays of a small genuine model, or numbers of its header, with a checksum that fits: in
all ways, or a NUMBER of them. What can be loaded is used, every model in a child of its own. A line
is printed for each that ends by a signal, as one does that takes too long, or by any other error
than `SelectronError`; the last line has how many could be loaded, and how many could not.
"""

import copy
import itertools
import os
import random
import signal
import sys
import tempfile

import numpy as np
import pandas as pd
import scipy.sparse

from selectron import OnlineClassifier, SelectronError, TableEncoder, storage
from selectron.askers import Budget, Margin
from selectron.learners import (
    LASEC,
    BudgetPerceptron,
    Forgetron,
    L1Constrained,
    LeadingHistory,
    Perceptron,
)

VALUES = np.nan, np.inf, -np.inf, -1.0, -1e6, 1e9, 1e300, 0.5
NUMBERS = -1, 0, 0.5, 10**6, 2**31 - 1, 10**9, 2**62, 1e300  # in a header
BEFORE, AFTER = 60, 16  # rows learned, over which the sixty-fourth renews a `LeadingHistory`
LONG = 20  # seconds that a forged model may take
SOUND, REFUSED, FAILED = 0, 1, 2
WIDE = 160  # features, so that sparse rows are not dense to a `LeadingHistory`

# the learner, the number of classes, whether rows are sparse, and other parameters
KINDS = {
    "history": (LeadingHistory(), 2, False, {"asker": Budget(rate=0.3)}),
    "history-many": (LeadingHistory(), 5, False, {}),
    "history-sparse": (LeadingHistory(), 2, True, {}),
    "history-sparse-many": (LeadingHistory(), 5, True, {"max_open": 5}),
    "first": (Perceptron(), 2, False, {}),
    "table": (LASEC(), 3, False, {"encoder": TableEncoder(form="dense")}),
    "first-sparse": (Perceptron(), 3, True, {}),
    "second": (LASEC(), 2, False, {}),
    "second-sparse": (LASEC(), 3, True, {}),
    "exact": (LASEC(), 3, False, {"many": "exact"}),
    "ball": (L1Constrained(beta=5.0), 2, True, {}),
    "sketch": (LASEC(), 2, False, {"sketch": 2}),
    "sketch-sparse": (LASEC(), 2, True, {"sketch": 2}),
    "kernel": (LASEC(), 2, False, {"kernel": "rbf"}),
    "kernel-sparse": (Perceptron(), 3, True, {"kernel": "rbf", "max_support": 8}),
    "linear-sparse": (LASEC(), 2, True, {"kernel": "linear"}),
    "random": (BudgetPerceptron(budget=8), 2, False, {}),
    "budget": (Forgetron(budget=8), 2, True, {"asker": Budget(rate=0.5)}),
}


def rows(classes, sparse):
    """Rows of a small problem, and their labels."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(BEFORE + AFTER, WIDE if sparse else 4))
    if sparse:
        X[rng.random(X.shape) < 0.9] = 0.0
        X[:, 0] = 1.0
    y = np.argmax(X @ rng.normal(size=(X.shape[1], classes)), axis=1)
    return scipy.sparse.csr_array(X) if sparse else X, y


def genuine(kind, learned=BEFORE - 8):
    """A classifier that has learned some rows, with open tickets, and the rows that come next."""
    learner, classes, sparse, more = KINDS[kind]
    X, y = rows(classes, sparse)
    if "encoder" in more:
        names = np.array(["north", "south", "east"])[(X[:, 0] > 0) + 1 * (X[:, 1] > 0)]
        X = pd.DataFrame(X, columns=list("abcd")).assign(word=names, text="free gift of " + names)
    asker = {"asker": Margin(1.0)} | more
    clf = OnlineClassifier(learner, classes=range(classes), random_state=1, **asker)
    if learned:
        clf.run(X[:learned], y[:learned])
    for i in range(learned, learned + max(1, min(learned, 8))):
        clf.decide(X[i : i + 1])
    return clf, X[BEFORE:], y[BEFORE:]


def use(path, X, y):
    """Load a file, and let it predict, learn and ask."""
    clf = OnlineClassifier.load(path)
    for ticket in list(clf.open_tickets_)[:4]:
        clf.tell(ticket, y[0])
    clf.predict_proba(X)
    clf.run(X, y)
    clf.partial_fit(X[:4], y[:4])
    decision = clf.decide(X[:1])
    decision.proba, decision.label  # noqa: B018
    if decision.ask:
        clf.tell(decision.ticket, y[0])


def forgeries(header, arrays, number):
    """Names of arrays, places in them, and the values to put there: all, or a number of them.

    Without a name, the place is that of a number in the header.
    """
    rng = random.Random(0)
    found = [
        (None, *one) for one in itertools.product(leaves(header["model"], ("model",)), NUMBERS)
    ]
    for name, array in arrays.items():
        places = [..., *rng.sample(range(array.size), min(array.size, 20))]
        found += [(name, *one) for one in itertools.product(places, VALUES)]
    return found if number is None else rng.sample(found, min(number, len(found)))


def leaves(part, path=()):
    """The places of the numbers in a header, at most three of a list."""
    if isinstance(part, dict | list):
        named = part.items() if isinstance(part, dict) else list(enumerate(part))[:3]
        for name, one in named:
            yield from leaves(one, (*path, name))
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield path


def with_number(header, path, value):
    """A copy of a header with another number in a place."""
    new = part = copy.deepcopy(header)
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return new


def forged(array, place, value):
    """A copy of an array with a value, or of its type the nearest, put in a place, or in all."""
    if array.dtype.kind != "f":
        limits = np.iinfo(array.dtype)
        value = int(max(limits.min, min(limits.max, -1 if np.isnan(value) else value)))
    new = array.copy()
    if place is ...:
        new[...] = value
    else:
        new.reshape(-1)[place] = value
    return new


def outcome(use, *args):
    """What came of using a model in a child: an exit status, or minus a signal."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(LONG)
    status = FAILED
    try:
        use(*args)
        status = SOUND
    except SelectronError:
        status = REFUSED
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", end=": ", flush=True)
    finally:
        os._exit(status)


def main(kind, number=None):
    clf, X, y = genuine(kind)
    found = {SOUND: 0, REFUSED: 0}
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        path = os.path.join(folder, "model")
        for learned in range(4):  # of what is just beginning, nothing is refused
            genuine(kind, learned)[0].save(path)
            OnlineClassifier.load(path)
        clf.save(path)
        header, arrays = storage.read(path)
        use(path, X, y)  # which compiles
        for name, place, value in forgeries(header, arrays, number):
            if name is None:
                storage.write(path, with_number(header, place, value), arrays)
            else:
                new = forged(arrays[name], place, value)
                storage.write(path, header, arrays | {name: new})
            ended = outcome(use, path, X, y)
            if ended in found:
                found[ended] += 1
            else:
                print(f"{kind}: {name}[{place}] = {value} ends with {ended}", flush=True)
    print(found[SOUND], found[REFUSED])


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
