"""Formulas as MathML, which browsers render by themselves: no script, no font, no network."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(translator: Any, node: nodes.Node) -> None:
    """Write a formula within a line."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def display(translator: Any, node: nodes.Node) -> None:
    """Write a formula on lines of its own."""
    scrolls = 'class="formula" tabindex="0" role="group" aria-label="formula"'  # also by keys
    translator.body.append(f"<div {scrolls}>{tex2mathml(node.astext(), as_block=True)}</div>")
    raise nodes.SkipNode
