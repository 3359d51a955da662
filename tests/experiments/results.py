"""Results as the trials have them, made up, so that reports can be tested without computing."""

import zlib

import numpy as np
from experiments.trials import ellipsoid, lasec, selective_sampling


def made_up(trial, calls, **options):
    """Stand in for `each`: the same result for the same call, in the shape of the real one."""
    name = f"{trial.__module__.rpartition('.')[2]}_{trial.__name__}"
    return [MAKERS[name](generator(name, call), call) for call in calls]


def generator(name, call):
    return np.random.default_rng(zlib.crc32(repr((name, sorted(call.items(), key=str))).encode()))


def lasec_passed(random, call):
    wrong = np.cumsum(random.binomial(call["n"] // lasec.POINTS, 0.2, lasec.POINTS))
    accuracy = 1 - wrong[-1] / call["n"]
    mistakes = wrong.tolist()
    return {"accuracy": accuracy, "rate": random.uniform(), "later": accuracy, "mistakes": mistakes}


def ellipsoid_passed(random, call):
    ends = 10 * np.arange(1, ellipsoid.POINTS + 1)
    wrong = np.cumsum(random.binomial(10, 0.2, ellipsoid.POINTS)).tolist()
    return {"ends": ends.tolist(), "mistakes": wrong, "steps": wrong}


def ellipsoid_cut(random, call):
    volume = [0.0, *(-random.uniform(0.02, 0.1, 7).cumsum())]
    return {"volume": volume, "good": True, "bound": 100.0}


def large_margin_passed(random, call):
    wrong = np.cumsum(random.binomial(10, 0.1, 80)).tolist()
    found = {"chosen": "perceptron", "ends": (10 * np.arange(1, 81)).tolist(), "mistakes": wrong}
    return found | {"least": wrong[-1] / 1000}


def large_margin_lean(random, call):
    used = np.geomspace(256, 2, len(call["sigmas"]))
    return [{"error": random.uniform(), "used": float(k)} for k in used]


def large_margin_selected(random, call):
    return [{"error": random.uniform(), "used": float(k)} for k in call["sizes"]]


def large_margin_weights(random, call):
    return {way: random.random(256).tolist() for way in ("information gain", *call["ways"])}


def large_margin_pictures(random, call):
    return {pair: random.random(256).tolist() for pair in ("3 and 8", "7 and 9")}


def selective_sampling_topics(random, call):
    return [f"topic {i}" for i in range(call["most"])]


def selective_sampling_passed(random, call):
    counts = random.integers(1, 50, (4, selective_sampling.POINTS)).tolist()
    names = "hits", "alarms", "misses", "asked"
    return {**dict(zip(names, counts, strict=True)), "rows": [200] * selective_sampling.POINTS}


def self_directed_mistakes(random, call):
    return int(random.integers(5, 500))


def self_directed_angles(random, call):
    return np.exp(-random.uniform(0.1, 0.5, 12).cumsum()).tolist()


MAKERS = {name: made for name, made in globals().items() if name[-1] != "_" and callable(made)}
