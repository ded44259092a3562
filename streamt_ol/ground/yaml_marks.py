"""Where a node of a YAML file stands. The file is read again, so this costs nothing until something fails."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)

from streamt_ol.ground import yaml_events
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.errors import Place
from streamt_ol.ground.yaml_events import Backend, GetEvent, InDoubtError
from streamt_ol.ground.yaml_text import LINE_BREAK, decode, line_starts, place_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PROPERTIES = re.compile(r"(?:[&!]\S*|\s+|#.*)*")
"""What may stand between the start of a node and its text: anchor, tag, blanks, comments."""
_LONGEST_INDEX = 10
"""Digits of an index; more would only tire `int`."""


def find(
    data: bytes,
    tokens: Sequence[str],
    file: str,
    line_within: int | None = None,
    column_within: int | None = None,
) -> Place:
    """Return the place of the node at a path, as `Marks.find` does."""
    return Marks(data, file).find(tokens, line_within, column_within)


def find_key(data: bytes, tokens: Sequence[str], file: str) -> Place:
    """Return the place of the key at the end of a path, as `Marks.find_key` does."""
    return Marks(data, file).find_key(tokens)


class Marks:
    """The places in one file; keep it to ask more than once, because reading the file is the slow part.

    Never fails for data that `yaml_reader.parse` accepts. Of a file with an error it knows what stands
    before the error. Raises NotUtf8Error, ControlCharacterError and LibYamlMissingError.
    """

    def __init__(self, data: bytes, file: str, backend: Backend = "auto") -> None:
        self._file = file
        self._text = decode(data, file)
        self._line_starts = line_starts(self._text)
        self._root = _compose(self._text, backend)

    def find(
        self, tokens: Sequence[str], line_within: int | None = None, column_within: int | None = None
    ) -> Place:
        """Return the place of the node at a path of keys and list indexes, through aliases and merges.

        Where nothing is written for the value, the place is that of its key; where the path does not exist,
        that of the nearest parent that does. With `line_within` (and `column_within`), both from 0, it is the
        place inside a literal block scalar, or inside a scalar that stands on one line with the line 0.
        """
        key, node, exists = self._walk(tokens)
        if key is not None and node.is_blank:
            return self._place(key)
        if exists and line_within is not None and node.is_scalar:
            return self._within(node, line_within, column_within or 0)
        return self._place(node)

    def find_key(self, tokens: Sequence[str]) -> Place:
        """Return the place of the key at the end of a path; where there is none, that of `find`."""
        key, _, exists = self._walk(tokens)
        return self._place(key) if key is not None and exists else self.find(tokens)

    def _walk(self, tokens: Sequence[str]) -> tuple[_Node | None, _Node, bool]:
        """Return key and node of the path, or of its nearest parent with False."""
        key, node = None, self._root
        for token in tokens:
            entry = node.entry(token)
            if entry is None:
                return key, node, False
            key, node = entry
        return key, node, True

    def _place(self, node: _Node) -> Place:
        return place_at(self._text, self._start(node), self._file, self._line_starts)

    def _start(self, node: _Node) -> int:
        """Return where a node begins; a scalar does behind its anchor and tag."""
        if not node.is_scalar or not self._text.startswith(("&", "!"), node.start):
            return node.start
        found = _PROPERTIES.match(self._text, node.start, node.end)
        return found.end() if found else node.start

    def _within(self, node: _Node, line: int, column: int) -> Place:
        start = self._place(node)
        if start.line is None or start.column is None:
            return start
        raw = re.split(LINE_BREAK, self._text[self._start(node) : node.end])
        if node.kind == "|":
            pairs = zip(raw[1:], re.split(LINE_BREAK, node.text), strict=False)
            indent = next((len(whole) - len(text) for whole, text in pairs if text), 0)
            return Place(self._file, start.line + 1 + line, indent + column + 1)
        if node.kind != ">" and line == 0 and len(raw) == 1:
            return Place(self._file, start.line, start.column + len(node.kind) + column)
        return start


@dataclass(slots=True)
class _Node:
    """A node as written, small because a file may have a million: indexes into the text, no marks."""

    kind: str
    """`mapping`, `sequence`, `alias` (of nothing), or the style of a scalar: its quote, `|`, `>` or empty."""
    start: int
    end: int
    text: str = ""
    children: list[_Node] | tuple[()] = ()
    """Items, or keys and values in turn."""

    @property
    def is_scalar(self) -> bool:
        """Whether it is a scalar."""
        return len(self.kind) < len("alias")

    @property
    def is_blank(self) -> bool:
        """Whether nothing is written: no text, no anchor, no tag."""
        return self.is_scalar and self.start == self.end

    def entry(self, token: str) -> tuple[_Node | None, _Node] | None:
        """Return key and value of an entry, None and the node in a list, None where there is no entry."""
        if self.kind == "sequence":
            index = int(token) if token.isdecimal() and len(token) < _LONGEST_INDEX else len(self.children)
            return (None, self.children[index]) if index < len(self.children) else None
        pending, seen = [self], set()
        while pending:
            node = pending.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            sources: list[_Node] = []
            for key, value in node.pairs():
                if (key.kind, key.text) == ("", "<<"):
                    sources += value.children if value.kind == "sequence" else [value]
                elif key.text == token:
                    return key, value
            pending += reversed(sources)  # the first source, with what it merges itself, comes next
        return None

    def pairs(self) -> Iterator[tuple[_Node, _Node]]:
        """Yield keys that are scalars with their values; nothing unless this is a mapping."""
        if self.kind == "mapping":
            for key, value in zip(self.children[::2], self.children[1::2], strict=False):
                if key.is_scalar:
                    yield key, value


def _compose(text: str, backend: Backend) -> _Node:
    """Return the root of the first document, complete up to the first error."""
    documents: list[_Node] = []
    trusted = yaml_events.libyaml_trusted(text, backend)
    with collector_paused():
        for events in (yaml_events.libyaml, yaml_events.pure) if trusted else (yaml_events.pure,):
            documents = []
            with suppress(yaml.YAMLError, UnicodeError, InDoubtError):
                _fill(documents, events(text))
                break
    return documents[0] if documents and not documents[0].is_blank else _NOTHING


def _fill(documents: list[_Node], get: GetEvent) -> None:
    open_lists = [documents]
    anchors: dict[str, _Node] = {}
    while not isinstance(event := get(), StreamEndEvent):
        if isinstance(event, CollectionEndEvent):
            open_lists.pop()
        elif isinstance(event, NodeEvent):
            node = _node(event)
            if isinstance(event, AliasEvent):
                node = anchors.get(str(event.anchor), node)
            elif event.anchor is not None:
                anchors[event.anchor] = node
            open_lists[-1].append(node)
            if isinstance(event, CollectionStartEvent) and isinstance(node.children, list):
                open_lists.append(node.children)


def _node(event: Any) -> _Node:
    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, ScalarEvent):
        return _Node(event.style or "", start, end, event.value)
    if isinstance(event, AliasEvent):
        return _Node("alias", start, end)
    return _Node("mapping" if isinstance(event, MappingStartEvent) else "sequence", start, end, children=[])


_NOTHING = _Node("", 0, 0)
