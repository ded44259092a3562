"""A large file without what stands before its syntax error, for the slow parser to judge."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from streamt_ol.ground.yaml_events import InDoubtError, libyaml


def outline(text: str) -> str:
    """Return text that LibYAML refuses, with the finished entries of each open block collection left blank.

    Lines and columns of the rest stay. The pure parser, twenty times slower than LibYAML, fails there at
    the same character with the same words: an entry that LibYAML has read without a doubt does not fail, and
    what comes after it depends on the indentation of its collection only.
    """
    lines = text.splitlines(keepends=True)
    for level in _open_levels(text, lines):
        if level.first is not None and level.last is not None:
            for number in range(level.first, level.last):
                lines[number] = " \n"  # with a space, lest a `\r` before it makes one break of two
    return "".join(lines)


class _Level:
    """A collection still open; `first` and `last` are lines, from 0, that an entry begins."""

    def __init__(self, kind: str, column: int | None) -> None:
        self.kind = kind
        """`mapping`, `sequence`, or `other` where entries are not lined up: flow collections."""
        self.column = column
        self.nodes = 0
        self.first: int | None = None
        self.last: int | None = None

    def node(self, mark: Any, lines: list[str]) -> None:
        """Note the start of a node that is an entry or the key or value of one."""
        self.nodes += 1
        if self.kind == "other" or (self.kind == "mapping" and self.nodes % 2 == 0):
            return
        if self.column is None:
            self.column = mark.column
        if self._begins_entry(mark, lines[mark.line] if mark.line < len(lines) else ""):
            self.first = mark.line if self.first is None else self.first
            self.last = mark.line

    def _begins_entry(self, mark: Any, line: str) -> bool:
        if line[: self.column].strip(" "):
            return False
        return mark.column == self.column if self.kind == "mapping" else line[self.column :].startswith("- ")


def _open_levels(text: str, lines: list[str]) -> list[_Level]:
    get = libyaml(text)
    levels = [_Level("other", None)]
    try:
        while not isinstance(event := get(), StreamEndEvent):
            if isinstance(event, NodeEvent):
                levels[-1].node(event.start_mark, lines)
            if isinstance(event, CollectionStartEvent):
                levels.append(_level(event))
            elif isinstance(event, CollectionEndEvent):
                levels.pop()
    except (yaml.YAMLError, UnicodeError, InDoubtError):
        pass  # here is the error, and these are the collections around it
    return levels


def _level(event: Any) -> _Level:
    if event.flow_style or (isinstance(event, SequenceStartEvent) and (event.anchor or event.tag)):
        return _Level("other", None)  # behind an anchor or tag the column of the dashes is not known
    if isinstance(event, MappingStartEvent):
        return _Level("mapping", None)
    return _Level("sequence", event.start_mark.column)
