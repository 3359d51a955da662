"""The distribution uses Selectron's public names alone."""

import ast
from importlib import import_module
from pathlib import Path

import selectron_desktop

MODULES = {"selectron", "selectron.askers", "selectron.learners", "selectron.storage"}


def test_only_public_names_are_imported():
    found = set()
    for path in Path(selectron_desktop.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found |= {(node.module, one.name) for one in node.names}
            elif isinstance(node, ast.Import):
                found |= {(one.name, None) for one in node.names}
    own = {one for one in found if one[0].split(".")[0] == "selectron"}
    assert {module for module, _ in own} <= MODULES
    for module, name in own:
        assert name in import_module(module).__all__, (module, name)
