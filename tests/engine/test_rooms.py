"""The rooms of the house: imports go downwards, without circles, and a row passes few files."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest

import selectron
from selectron import OnlineClassifier
from selectron.askers import Margin
from selectron.learners import LASEC

SOURCES = Path(selectron.__file__).parent

# From the bottom to the top: a room imports only from levels below its own, or from itself. The
# package's `__init__` imports the estimators when they are first used, by name, and is low.
LEVELS = (
    ("errors",),
    ("__init__",),
    ("engine",),
    ("learners", "askers", "kernels"),
    ("spaces",),
    ("classes", "history", "data"),
    ("model", "storage", "specs"),
    ("estimator", "streams"),
    ("bounds", "pool", "selection"),
    ("evaluate", "river", "spark"),
    ("serve",),
    ("cli",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}


def test_every_room_has_a_level():
    assert {room_of(name) for name in MODULES} == set(LEVEL)


@pytest.fixture(scope="module")
def modules_imported():
    """The modules that each one imports."""
    return {name: imported(name, path) for name, path in MODULES.items()}


def test_imports_go_downwards(modules_imported):
    upwards = [
        f"{name} imports {other}"
        for name, others in modules_imported.items()
        for other in others
        if room_of(name) != room_of(other) and LEVEL[room_of(other)] >= LEVEL[room_of(name)]
    ]
    assert upwards == []


def test_no_modules_import_each_other(modules_imported):
    TopologicalSorter(modules_imported).prepare()  # CycleError names a circle


def test_the_root_has_few_modules():
    assert len(list(SOURCES.glob("*.py"))) <= 6


def test_public_names_are_found_before_they_are_used():
    script = "import selectron as s; assert {*s.__all__} <= {*dir(s)}; print(s.Budget.__name__)"
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, capture_output=True, check=True).stdout.strip() == b"Budget"


# Of the round itself: what `play` calls for one row that is asked for and steps, in plain Python.
# What `run` does once a call (checks, draws, the record) is not counted, and neither are returns.
# A crossing is a call of a function in another file than the caller's.
FILES, CROSSINGS = 10, 26  # `observe`, of rows without labels, is one


def test_a_row_passes_few_files(interpreted):
    X = np.random.default_rng(0).normal(size=(40, 5))
    clf = OnlineClassifier(LASEC(), Margin(1e9), classes=[-1, 1], random_state=0)
    clf.run(X, np.sign(X[:, 0]))
    y = -clf.predict(X[:1])
    calls = called(lambda: clf.run(X[:1], y))
    crossings = [(one, other) for one, other in calls if one != other]
    assert len(calls) > 20  # it was a round
    assert len({file for crossing in crossings for file in crossing}) <= FILES
    assert len(crossings) <= CROSSINGS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import selectron.errors", {"selectron.errors"}),
        ("from ..errors import SelectronError", {"selectron.errors"}),
        ("from .. import errors", {"selectron.errors"}),
        ("from .loop import play", {"selectron.engine.loop"}),
        ("def f():\n    from ..model import Model", {"selectron.model"}),
        ("if TYPE_CHECKING:\n    from ..model import Model", set()),
        (
            "if TYPE_CHECKING:\n    pass\nelse:\n    from .loop import play",
            {"selectron.engine.loop"},
        ),
        ("import numpy", set()),
    ],
)
def test_imports_are_found(source, found):
    assert imports(ast.parse(source), "selectron.engine") == found


# How it is found out


def modules() -> dict[str, Path]:
    """Return the file of every module."""
    found = {}
    for path in SOURCES.rglob("*.py"):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        found[".".join(("selectron", *parts)).removesuffix(".__init__")] = path
    return found


def room_of(name: str) -> str:
    """Return the room of a module: its folder in the package, or its own name."""
    return (*name.split("."), "__init__")[1]


def imports(tree: ast.AST, package: str) -> set[str]:
    """Return the modules of the package that a file imports, in functions too."""
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & MODULES.keys()
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")
            base = above[: len(above) + 1 - node.level] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                found |= {inner if inner in MODULES else source} & MODULES.keys()
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only type checkers see."""
    children = list(ast.iter_child_nodes(tree))
    if isinstance(tree, ast.If) and ast.unparse(tree.test).endswith("TYPE_CHECKING"):
        children = list(tree.orelse)
    for node in children:
        yield node
        yield from statements(node)


def imported(name: str, path: Path) -> set[str]:
    """Return the modules of the package that one of them imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return imports(ast.parse(path.read_text(encoding="utf-8")), package) - {name}


def called(act) -> list[tuple[str, str]]:
    """Return the files of caller and callee, for every call within `play`."""
    found: list[tuple[str, str]] = []
    within = False

    def note(frame, event, _):
        nonlocal within
        if frame.f_code.co_name == "play" and event in ("call", "return"):
            within = event == "call"
        elif within and event == "call":
            one, other = frame.f_back.f_code.co_filename, frame.f_code.co_filename
            if all(Path(file).is_relative_to(SOURCES) for file in (one, other)):
                found.append((one, other))

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


MODULES = modules()
