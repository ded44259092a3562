"""Anchors and aliases of one document, and the bound on what they amplify."""

from __future__ import annotations

from typing import Any

from streamt_ol.ground.yaml_errors import (
    AmplificationError,
    DuplicateAnchorError,
    RecursiveAnchorError,
    UndefinedAliasError,
    refusal,
)
from streamt_ol.ground.yaml_events import MAX_DEPTH

FREE_NODES = 100_000
"""Nodes that any file may have once its aliases are followed."""
NODES_PER_CHARACTER = 2
"""What a longer file may have; files without aliases have about one node for fourteen characters."""


class Anchor:
    """A node that aliases can name."""

    __slots__ = ("height", "is_open", "nodes", "value")

    def __init__(self, nodes: int, height: int) -> None:
        self.value: Any = None
        self.nodes = nodes
        """Nodes in it, its own aliases followed; until it is complete, those of the document before it."""
        self.height = height
        """Collections inside each other; until it is complete, the deepest of the document before it."""
        self.is_open = True


class Anchors:
    """The anchors so far. The builder keeps `nodes` and `deepest` up to date for what it builds itself."""

    def __init__(self, file: str, characters: int) -> None:
        self.nodes = 1
        """Nodes of the document so far, aliases followed."""
        self.deepest = 0
        """Collections inside each other, aliases followed, at most: in the document or in the open anchor."""
        self._file = file
        self._limit = max(FREE_NODES, NODES_PER_CHARACTER * characters)
        self._anchors: dict[str, Anchor] = {}

    def open(self, event: Any, depth: int) -> Anchor:
        """Return the anchor of a node that begins inside so many collections. Raises DuplicateAnchorError."""
        if event.anchor in self._anchors:
            raise refusal(
                DuplicateAnchorError,
                f"The anchor `&{event.anchor}` is set a second time.",
                event.start_mark,
                self._file,
                "Give each anchor a name of its own.",
            )
        anchor = self._anchors[event.anchor] = Anchor(self.nodes, self.deepest)
        self.deepest = depth
        return anchor

    def close(self, anchor: Anchor, value: Any, depth: int) -> None:
        """Complete the anchor whose node has ended."""
        before = anchor.height
        anchor.value, anchor.is_open = value, False
        anchor.nodes = self.nodes - anchor.nodes + 1
        anchor.height = self.deepest - depth
        self.deepest = max(before, self.deepest)

    def follow(self, event: Any, depth: int) -> Any:
        """Return the value that an alias names, shared, not copied; it stands inside so many collections.

        Raises UndefinedAliasError, RecursiveAnchorError and AmplificationError.
        """
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise self._refusal(
                UndefinedAliasError,
                event,
                "names no anchor above it",
                "Set the anchor before, or quote the text.",
            )
        if anchor.is_open:
            raise self._refusal(
                RecursiveAnchorError, event, "stands inside its own anchor", "A node cannot contain itself."
            )
        self.deepest = max(self.deepest, depth + anchor.height)
        if self.deepest > MAX_DEPTH:
            raise self._refusal(
                AmplificationError,
                event,
                f"nests collections more than {MAX_DEPTH} deep",
                "Flatten the file.",
            )
        self.nodes += anchor.nodes - 1
        if self.nodes > self._limit:
            raise self._refusal(
                AmplificationError,
                event,
                f"brings the file to {self.nodes} nodes, and its size allows {self._limit}"
                f" ({NODES_PER_CHARACTER} for each character, never less than {FREE_NODES})",
                "Write fewer aliases of aliases.",
            )
        return anchor.value

    def _refusal(self, cause: type[Any], event: Any, what: str, suggestion: str) -> Exception:
        message = f"The alias `*{event.anchor}` {what}."
        return refusal(cause, message, event.start_mark, self._file, suggestion)
