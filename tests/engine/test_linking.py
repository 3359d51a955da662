"""Only functions that Python may call get machine code; others of ours are linked into them."""

import threading

import numba
import pytest
from numba.core.registry import cpu_target

from selectron.engine import machine
from selectron.engine.machine import COMPILED, compiled


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


def as_ours(function):
    function.__module__ = "selectron.engine.round"
    return function


@as_ours
def plus_one(x: float) -> float:
    return x + 1.0


@as_ours
def twice_more(x: float) -> float:
    return 2 * plus_one(x)


@numba.njit
def half(x: float) -> float:
    return x / 2


@as_ours
def quarter(x: float) -> float:
    return half(half(x))


def checked(x: float) -> float:
    if x > 1:
        raise ValueError("too large", x)
    with numba.objmode(y="float64"):
        y = x + 1
    return y


def of_a_user(x: float) -> float:
    return checked(x)


def has_machine_code(dispatcher) -> bool:
    (result,) = dispatcher.overloads.values()
    engine = result.library.codegen._engine
    return engine.is_symbol_defined(result.fndesc.mangled_name)


def test_an_inner_function_has_no_machine_code_of_its_own():
    assert compiled(twice_more, {}, "twice_more")(1.0) == 4.0
    copies = [copy for shared in COMPILED.values() for copy in shared.values()]
    (inner,) = (copy for copy in copies if copy.py_func.__code__ is plus_one.__code__)
    assert not has_machine_code(inner)


def test_a_compiled_function_of_the_user_can_be_called_from_python_afterwards():
    assert compiled(quarter, {}, "quarter")(6.0) == 1.5
    assert has_machine_code(half)
    assert half(3.0) == 1.5


def test_without_the_private_names_all_functions_get_machine_code(monkeypatch):
    monkeypatch.setattr(machine, "PRIVATE", ("_no_such_name",))
    monkeypatch.setattr(machine, "COMPILED", {})
    assert compiled(twice_more, {}, "twice_more_unlinked")(1.0) == 4.0
    copies = [copy for shared in machine.COMPILED.values() for copy in shared.values()]
    assert all(map(has_machine_code, copies))


def test_numba_is_left_as_it_was():
    codegen = cpu_target.target_context.codegen()
    before = dict(vars(codegen))
    compiled(twice_more, {}, "twice_more_again")(1.0)
    assert vars(codegen) == before
    assert numba.njit(plus_one)(1.0) == 2.0


def test_threads_may_compile_at_once():
    found = []

    def run(name: str) -> None:
        found.append(compiled(quarter, {}, name)(2.0))

    threads = [threading.Thread(target=run, args=(f"quarter_{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0.5] * 4


@pytest.mark.filterwarnings("ignore:Code running in object mode")
def test_functions_of_a_user_may_do_what_needs_their_environment():
    run = compiled(of_a_user, {}, "of_a_user")
    assert run(0.5) == 1.5
    with pytest.raises(ValueError, match="too large"):
        run(2.0)
