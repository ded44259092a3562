"""Rewrites the tree of a template so that everything it does is known and counted.

The sandbox of Jinja2 lets a program watch calls, attributes and arithmetic, but not loops, `~`,
comparisons, slices and literals. Here each of them is led through a filter. Two of these filters have
names with a blank, which no template can write.
"""

# ruff: noqa: N802, N815 - Jinja2 names visitors after the classes of nodes

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from streamt_ol.compiler.template_errors import UnknownHelperError
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from collections.abc import Container

LOOP_ITEMS = "loop items"
MEASURED = "measured value"


class Guard(NodeTransformer):
    """Changes a tree in place. Raises `UnknownHelperError`, with its place, for what is not offered."""

    def __init__(self, file: str, *, filters: Container[str], tests: Container[str], includes: bool) -> None:
        self._file = file
        self._filters = filters
        self._tests = tests
        self._includes = includes

    def visit_For(self, node: nodes.For) -> nodes.Node:
        """Count every item that a loop is given."""
        self.generic_visit(node)
        node.iter = _through(LOOP_ITEMS, node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        """Turn `a ~ b` into `[a, b] | join`, which is bounded."""
        self.generic_visit(node)
        return _through("join", nodes.List(node.nodes, lineno=node.lineno))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        """Count what a comparison or a search reads."""
        self.generic_visit(node)
        node.expr = _through(MEASURED, node.expr)
        for operand in node.ops:
            operand.expr = _through(MEASURED, operand.expr)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        """Count what a slice may copy."""
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            node.node = _through(MEASURED, node.node)
        return node

    def visit_List(self, node: nodes.List) -> nodes.Node:
        """Count a literal with all that it holds: nested ones can double in size with each level."""
        self.generic_visit(node)
        return _through(MEASURED, node)

    visit_Dict = visit_List

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        """Count a literal; a tuple on the left of an assignment is none."""
        self.generic_visit(node)
        return _through(MEASURED, node) if node.ctx == "load" else node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        """Refuse a filter that is not offered, also one that would never run."""
        if node.name not in self._filters:
            raise self._unknown("filter", node.name, node)
        return self.generic_visit(node)

    def visit_Test(self, node: nodes.Test) -> nodes.Node:
        """Refuse a test that is not offered."""
        if node.name not in self._tests:
            raise self._unknown("test", node.name, node)
        return self.generic_visit(node)

    def visit_ScopedEvalContextModifier(self, node: nodes.Node) -> nodes.Node:
        """Refuse `autoescape`: HTML has no meaning in SQL."""
        raise self._unknown("statement", "autoescape", node)

    def visit_Include(self, node: nodes.Node) -> nodes.Node:
        """Refuse other templates in the SQL of a model: only a macro has a folder to find them in."""
        if not self._includes:
            raise UnknownHelperError(
                "the SQL of a model cannot include, import or extend another template",
                place=Place(self._file, node.lineno),
                suggestion="name a macro with `macro:`; macros can use each other",
            )
        return self.generic_visit(node)

    visit_Import = visit_FromImport = visit_Extends = visit_Include

    def _unknown(self, kind: str, name: str, node: nodes.Node) -> UnknownHelperError:
        return UnknownHelperError(f"there is no {kind} `{name}`", place=Place(self._file, node.lineno))


def _through(name: str, node: nodes.Node) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
