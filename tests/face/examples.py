"""What the tests of the face share: a small stream, and a look at all that a classifier is."""

import copy
import pickle

from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.streams import switching_gaussian

NEEDED = {
    "L1Constrained": {"beta": 10.0},
    "L2Constrained": {"beta": 10.0},
}  # a learner's parameters without a default

X, Y = switching_gaussian(120, d=4, every=60, seed=3)


def inside(clf) -> bytes:
    """All that a classifier is; draws by their values, and without the room for a product."""
    values = copy.deepcopy(vars(clf))
    model = values.get("model_")
    if model is not None:
        state = model.state._asdict()
        state.pop("g", None)  # written before it is read
        model.state = list(state.items())
        values["draws"] = model.draws.take(3).tolist()
        model.draws = None
        equipment = dict.fromkeys(("space", "loop", "one_round", "recent", "lock"))
        values["model_"] = vars(model) | equipment
    return pickle.dumps(sorted(values.items()))


def is_one_sentence(text: str) -> bool:
    inner = text[:-1]
    return (
        text.endswith(".")
        and "\n" not in text
        and not any(mark in inner for mark in (". ", "! ", "? "))
        and not any(name in text for name in ("np.int", "np.float", "np.str_", "np.bool"))
    )


def begun(learner, rows):
    """A classifier in the middle of a stream, and its open tickets."""
    clf = OnlineClassifier(learner, asker=Margin(0.5), classes=[-1, 1], random_state=4)
    clf.run(rows[:50], Y[:50])
    tickets = [clf.decide(rows[[i]]).ticket for i in range(50, 70)]
    return clf, [ticket for ticket in tickets if ticket]
