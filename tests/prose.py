"""The prose of documents and docstrings, without code, and the glossary as checks of proselint."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import proselint.checks
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, types
from proselint.tools import LintFile

GLOSSARY = {  # what to avoid (a regular expression): what to write
    r"tells|told|telling|says|said": "reports, shows, states",
    r"whoever": "anyone who",
    r"(?:of|for) (?:one|my|our)'s own": "your own",
    r"beside": "next to, compared with",
    r"anew": "again",
    r"likewise": "also, in the same way",
    r"what it comes to": "the result",
    r"is to be had": "is available",
    r"so many": "that many, as many",
    r"thereby": "so",
}
OFF = {  # checks of another style, or that take mathematics and tables for mistakes
    *("typography", "spelling", "restricted", "annotations", "skunked_terms"),
    *("lexical_illusions", "dates_times"),
}
TERMS = {"in the long run", "discriminant"}  # of the field
CODE = re.compile(r"^```.*?^```$|^(?:    |\t|>>>|\|).*$|`[^`]*`|\]\([^)]*\)", re.M | re.S)


def prose(text: str) -> str:
    """Return a document without code, tables and addresses; lines stay where they are."""
    return CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def docstrings(text: str) -> Iterator[str]:
    """Yield the docstrings of a module, without code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield prose(ast.get_docstring(node) or "")


def enabled() -> dict[str, Any]:
    """Register the glossary with proselint's own checks; return which checks run."""
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(proselint.checks.__register__)
        for avoid, better in GLOSSARY.items():
            kind = types.Existence(items=(avoid,))
            registry.register(Check(kind, path="glossary", message=f"'{{}}': write {better}."))
    paths = {check.path.partition(".")[0] for check in registry.checks}
    return {"checks": {path: path not in OFF for path in paths}, "max_errors": 1000}


def faults(path: Path) -> list[str]:
    """Return what the linter finds in a document or a module."""
    text = path.read_text(encoding="utf-8")
    parts = [prose(text)] if path.suffix == ".md" else list(docstrings(text))
    checks = enabled()
    found = []
    for part in filter(str.strip, parts):
        for result in LintFile(path.name, part).lint(checks):
            words = part[result.check_result.span[0] - 1 : result.check_result.span[1] - 1]
            if words not in TERMS:
                found.append(f"{words}: {result.check_result.message}")
    return found
