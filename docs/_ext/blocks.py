"""Highlight indented blocks as Python sessions or shell commands; link pictures to their files."""

from typing import Any

from docutils import nodes

COMMANDS = {"selectron", "selectron-desktop", "pip", "make", "python", "zcat", "curl", "eval"}


def language(text: str) -> str:
    """Return the language of a block of code.

    >>> language(">>> 1 + 1"), language("pip install selectron"), language("P <- P + eps I")
    ('pycon', 'bash', 'none')
    """
    first = text.lstrip().split(maxsplit=1)[0] if text.strip() else ""
    return "pycon" if first == ">>>" else "bash" if first in COMMANDS else "none"


def choose(app: Any, doctree: nodes.document) -> None:
    """Give each block without a language its own; let Sphinx link pictures to their files."""
    for block in doctree.findall(nodes.literal_block):
        if block.get("language", "default") in ("default", "none"):
            block["language"] = language(block.astext())
    for block in doctree.findall(nodes.doctest_block):
        block.rawsource = block.astext().rstrip()
        block[:] = [nodes.Text(block.rawsource)]
    for picture in doctree.findall(nodes.image):
        if picture["uri"].endswith(".png") and "gallery" not in picture["uri"]:
            picture["width"] = "100%"  # as wide as the text; Sphinx links what is scaled


def as_code(app: Any, context: Any, lines: list[str]) -> None:
    """Turn the examples of a command, which sphinx-click gives as lines of verse, into code."""
    verse = [i for i, line in enumerate(lines) if line.startswith("| ")]
    if verse:
        lines[verse[0] : verse[-1] + 1] = ["::", "", *("    " + lines[i][2:] for i in verse)]
