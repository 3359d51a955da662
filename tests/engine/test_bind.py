"""Binding replaces names all the way down, and the digest is that of all the code it reaches."""

import json
import os
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from selectron.engine import machine
from selectron.engine.arithmetic import reassociated
from selectron.engine.bind import StandIn, bind, digest

SOURCE = '''
"""A module."""
import math
from typing import NamedTuple

from selectron.engine import machine
from selectron.engine.bind import StandIn


class Filling:
    @staticmethod
    def twice(x):
        return fill.once(fill.once(x))


fill = StandIn("filling", Filling)

RATE = 0.5
WEIGHTS = (1.0, 2.0)


class Pair(NamedTuple):
    first: float
    second: float


def inner(x):
    return fill.once(x) + RATE * WEIGHTS[1]


def middle(x, by=3.0):
    values = [inner(x + j) for j in range(2)]
    return (values[0] + values[1]) * by


def outer(x):
    if math.isfinite(x) and x > 0:
        return Pair(first=middle(x), second=1.5)
    return Pair(first=0.0, second=outer(x + 10).second)
'''


def load(source=SOURCE):
    """Return a module of this source."""
    module = ModuleType("bound")
    exec(source, module.__dict__)
    return module


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def through_double(x):
    return double(x) + 1


DOUBLE = {"filling": SimpleNamespace(once=double)}


def test_a_part_is_put_in_its_place_all_the_way_down():
    assert bind(load().outer, DOUBLE)(1.0) == (24.0, 1.5)  # 3 (2 + 1 + 4 + 1)


def test_what_is_bound_is_left_as_it_was():
    module = load()
    bind(module.outer, DOUBLE)
    with pytest.raises(AttributeError):
        module.outer(1.0)


def test_what_a_part_lacks_is_the_default_of_its_contract():
    source = SOURCE.replace("fill.once(x) + RATE", "fill.twice(x) + RATE")
    assert bind(load(source).inner, DOUBLE)(1.0) == 5.0
    own = {"filling": SimpleNamespace(once=double, twice=triple)}
    assert bind(load(source).inner, own)(1.0) == 4.0


def test_the_first_of_several_comes_first():
    chain = SimpleNamespace(other=None), SimpleNamespace(once=triple), DOUBLE["filling"]
    assert bind(load().inner, {"filling": chain})(1.0) == 4.0


def test_what_nothing_provides_is_named():
    with pytest.raises(AttributeError, match="No filling has 'once'"):
        bind(load().inner, {"filling": SimpleNamespace()})


def test_a_part_keeps_the_names_of_its_own_module():
    """A learner may have a helper that is called as a part of the loop is."""
    assert bind(load().inner, {"filling": SimpleNamespace(once=through_double)})(1.0) == 4.0


def test_a_function_that_calls_itself_calls_its_copy():
    assert bind(load().outer, DOUBLE)(-15.0) == bind(load().outer, DOUBLE)(5.0)._replace(first=0.0)


def test_functions_in_a_closure_are_bound_too():
    def make():
        def factor():
            return double(1)

        def scaled(x):
            return factor() * x

        return scaled

    assert bind(make(), {})(5) == 10


def test_every_function_passes_once_through_wrap():
    seen = []

    def wrap(copy, original):
        assert copy.__code__ is original.__code__
        seen.append(copy.__name__)
        return copy

    bind(load().outer, DOUBLE, wrap)
    assert sorted(seen) == ["double", "inner", "middle", "outer"]


def test_copies_that_read_the_same_are_shared():
    module, shared = load(), {}
    first, second = (bind(module.outer, DOUBLE, shared=shared) for _ in range(2))
    third = bind(module.outer, {"filling": SimpleNamespace(once=triple)}, shared=shared)
    middles = [one.__globals__["middle"] for one in (first, second, third)]
    assert first is not second
    assert middles[0] is middles[1] is not middles[2]
    assert [one(1.0).first for one in (first, second, third)] == [24.0, 24.0, 33.0]
    module.RATE = 0.25
    assert bind(module.outer, DOUBLE, shared=shared)(1.0).first == 21.0


def test_copies_with_other_functions_in_their_closures_are_not_shared():
    def make(step):
        def stepped(x):
            return step(x)

        def outer(x):
            return stepped(x)

        return outer

    function, shared = make(load().inner), {}
    assert bind(function, DOUBLE, shared=shared)(1.0) == 3.0
    other = {"filling": SimpleNamespace(once=triple)}
    assert bind(function, other, shared=shared)(1.0) == 4.0


def test_an_edited_function_is_not_shared():
    module, shared = load(), {}
    bind(module.outer, DOUBLE, shared=shared)
    module.middle.__code__ = load(SOURCE.replace("* by", "* by * 10")).middle.__code__
    assert bind(module.outer, DOUBLE, shared=shared)(1.0).first == 240.0


def test_copies_are_not_shared_after_a_change_in_a_global_array():
    module, shared = load(), {}
    module.WEIGHTS = np.array([1.0, 2.0])
    first = bind(module.outer, DOUBLE, shared=shared)
    module.WEIGHTS[1] = 4.0
    second = bind(module.outer, DOUBLE, shared=shared)
    assert first.__globals__["middle"] is not second.__globals__["middle"]


EDITS = {
    "a constant": ("second=1.5", "second=1.25"),
    "its sign": ("second=1.5", "second=-1.5"),
    "its type": ("first=0.0", "first=0"),
    "the sign of zero": ("first=0.0", "first=-0.0"),
    "a constant of a callee": ("inner(x + j)", "inner(x + 2 * j)"),
    "the code of a callee's callee": ("once(x) + RATE", "once(x) - RATE"),
    "a global number": ("RATE = 0.5", "RATE = 0.25"),
    "a global tuple": ("(1.0, 2.0)", "(1.0, 2.5)"),
    "a default": ("by=3.0", "by=4.0"),
    "the name of a field": ("first", "other"),
    "the order of the fields": (
        "first: float\n    second: float",
        "second: float\n    first: float",
    ),
    "one more field": ("second: float", "second: float\n    third: float = 0.0"),
    "what it takes of a part": ("fill.once(x) + RATE", "fill.twice(x) + RATE"),
    "another function of a module": ("math.isfinite", "math.isnan"),
    "a comparison": ("x > 0", "x >= 0"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_the_digest_changes_with(edit):
    assert SOURCE.count(edit[0])
    edited = SOURCE.replace(*edit)
    found, expected = (digest(load(s).outer, DOUBLE) for s in (edited, SOURCE))
    assert found != expected


IDLE = {
    "a comment": ("RATE = 0.5", "RATE = 0.5  # a half"),
    "another line": ("\ndef inner", "\n\n\ndef inner"),
    "what is not reached": ("return fill.once(fill.once(x))", "return fill.once(x)"),
    "a global that is not read": ("RATE = 0.5", "RATE = 0.5\nOTHER = 3"),
}


@pytest.mark.parametrize("edit", IDLE.values(), ids=IDLE)
def test_the_digest_does_not_change_with(edit):
    edited = SOURCE.replace(*edit)
    assert edited != SOURCE
    found, expected = (digest(load(s).outer, DOUBLE) for s in (edited, SOURCE))
    assert found == expected


def test_the_digest_changes_with_what_a_part_is():
    module, fills = load(), (double, triple, through_double)
    digests = {digest(module.outer, {"filling": SimpleNamespace(once=f)}) for f in fills}
    assert len(digests) == 3


def test_the_digest_changes_with_fastmath():
    plain, fast = load(), load()
    reassociated(fast.inner)
    assert digest(plain.outer, DOUBLE) != digest(fast.outer, DOUBLE)


def made(factor, shift):
    """Return a function that holds a number and another function, which holds a number."""

    def shifted(x):
        return x + shift

    def scaled(x):
        return factor * shifted(x)

    return scaled


def test_the_digest_changes_with_a_number_in_a_closure():
    assert digest(made(2.0, 1.0), {}) == digest(made(2.0, 1.0), {})
    assert digest(made(2.0, 1.0), {}) != digest(made(3.0, 1.0), {})


def test_the_digest_changes_with_a_function_in_a_closure():
    assert digest(made(2.0, 1.0), {}) != digest(made(2.0, 5.0), {})


def test_the_digest_changes_with_what_a_function_in_a_closure_reaches():
    def make():
        def within(x):
            return fill.once(x)

        def outer(x):
            return within(x)

        return outer

    assert digest(make(), DOUBLE) != digest(make(), {"filling": SimpleNamespace(once=triple)})


fill = StandIn("filling", object)


DIGESTS = """
import json
from selectron import askers, learners
from selectron.model.compose import parts, space_for
from selectron.engine import machine
from selectron.engine.bind import digest
from selectron.engine.loop import play

found = {}
for learner in learners.__all__:
    for asker in askers.__all__:
        for sparse in (False, True):
            kinds = getattr(learners, learner), getattr(askers, asker)
            space = space_for(kinds[0], sparse)
            found[f"{learner} {asker} {sparse}"] = digest(play, parts(*kinds, space))
print(json.dumps(found))
"""

SET = """
import json
from selectron.engine import machine
from selectron.engine.bind import digest

def member(x):
    return x in {"I", "II", "III", "IV", "V", "VI", "VII"}

print(json.dumps(digest(member, {})))
"""


def printed(script, **environment):
    """Return what a process prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_processes(script):
    """Return what three processes print that differ in the order of their sets."""
    return [printed(script, PYTHONHASHSEED=seed) for seed in ("0", "1", "12345")]


def test_the_digest_is_the_same_in_every_process():
    first, *others = in_processes(DIGESTS)
    assert all(other == first for other in others)
    assert len(set(first.values())) == len(first)


def test_the_digest_of_a_set_is_the_same_in_every_process():
    assert len(set(in_processes(SET))) == 1


RUN = """
import json
from selectron.askers import Margin
from selectron.engine.rows import Dense
from selectron.learners import LASEC
from selectron.model.model import Model
from selectron.streams import switching_gaussian
X, y = switching_gaussian(60, d=5, seed=1)
model = Model(LASEC(), Margin(0.5), width=5, seed=2)
out = model.run(Dense(X), y.astype("int8"))
ticket = None
while ticket is None:
    ticket = model.decide(Dense(X[:1]))[3]
model.tell(ticket, -1)
print(json.dumps([out.margin.tolist(), out.asked.tolist(), model.weights().tolist()]))
"""


@pytest.mark.slow
def test_without_a_compiler_it_runs_as_plain_python(tmp_path):
    """NUMBA_DISABLE_JIT=1, for debuggers and coverage."""
    plain = printed(RUN, NUMBA_DISABLE_JIT="1")
    compiled = printed(RUN, NUMBA_CACHE_DIR=str(tmp_path))
    assert plain[1] == compiled[1]
    for found, expected in zip(plain, compiled, strict=True):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_functions_need_no_module():
    scope: dict = {}
    exec("def step(r): return r", scope)
    assert scope["step"].__module__ is None
    assert machine._counts(scope["step"])
