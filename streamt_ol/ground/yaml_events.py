"""Where parsing events come from: LibYAML for speed, PyYAML's own parser as the judge.

The two differ in what they accept (tabs between tokens, `?` inside flow collections, `|#`, odd tags) and in
how they word errors. So the pure parser decides: whatever LibYAML refuses, and whatever it is known to
accept or read differently, is read again by the pure parser. Text that LibYAML reads without such a doubt
gives the same events, at the same places, from both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

from streamt_ol.ground.yaml_errors import LibYamlMissingError
from streamt_ol.ground.yaml_scalars import MAP, SCALAR_TAGS, SEQ

Backend = Literal["auto", "libyaml", "pure"]
_LIBYAML: Any = yaml.cyaml.CParser if yaml.__with_libyaml__ else None  # type: ignore[attr-defined]

GetEvent = Callable[[], Any]

CORE_TAGS = SCALAR_TAGS | {SEQ, MAP}
MAX_DEPTH = 100
"""Collections inside each other, the outermost counted: few enough for readers that recurse."""

_BREAKS = "\n\r\x85\u2028\u2029"
_ODD_BREAK = "[\x85\u2028\u2029\ufeff]"
_HEADER_COMMENT = re.compile("#(?:(?<=[|>]#)|(?<=[|>][-+0-9]#)|(?<=[|>][-+0-9][-+0-9]#))")
_TAB = f"(?m)^ *#[^{_BREAKS}]*|(\t)"
_MARKED_STYLES = frozenset("|>'\"")
_GUARDED = re.compile(rb"[\t?!]")


class InDoubtError(Exception):
    """LibYAML refuses the text, or may read it differently than the pure parser."""


class InvalidEscapeMarkError(ScannerError):
    """An escape in the double-quoted scalar at `problem_mark` names no character."""


class PureParser(Reader, Scanner, Parser):
    """PyYAML's own parser. Raises nothing but yaml.MarkedYAMLError for text from `yaml_text.decode`."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_flow_scalar(self, style: str) -> Any:
        """Refuse what Python's `chr` refuses, and surrogates, which no UTF-8 output can hold."""
        start = self.get_mark()
        try:
            token = super().scan_flow_scalar(style)
            token.value.encode("utf-8")
        except (ValueError, OverflowError):
            raise InvalidEscapeMarkError(None, None, "invalid escape", start) from None
        return token

    def scan_yaml_directive_number(self, start_mark: Any) -> Any:
        """Refuse what Python's `int` refuses: thousands of digits."""
        try:
            return super().scan_yaml_directive_number(start_mark)
        except ValueError:
            raise ScannerError(
                "while scanning a directive", start_mark, "found a number that is too long", start_mark
            ) from None


def pure(text: str) -> GetEvent:
    """Return the events of the pure parser, one a call, StreamEndEvent last."""
    get: GetEvent = PureParser(text).get_event
    return get


def libyaml_trusted(text: str, backend: Backend) -> bool:
    """Tell whether LibYAML is there, is wanted, and seems to read the text as the pure parser does.

    Raises LibYamlMissingError.
    """
    if backend == "libyaml" and _LIBYAML is None:
        raise LibYamlMissingError("PyYAML was built without LibYAML.", suggestion="Choose the pure parser.")
    if backend == "pure" or _LIBYAML is None:
        return False
    # Comments behind `|`, and line breaks that are not ASCII.
    return not _HEADER_COMMENT.search(text) and (text.isascii() or not re.search(_ODD_BREAK, text))


def libyaml(text: str) -> GetEvent:
    """Return the events of LibYAML, one a call, StreamEndEvent last.

    A call raises InDoubtError, yaml.YAMLError or UnicodeError where the pure parser has to decide.
    """
    data = text.encode("utf-8")
    get: GetEvent = _LIBYAML(data).get_event
    return _Guard(get, text) if _GUARDED.search(data) else get


def check_structure(get: GetEvent) -> Any:
    """Read all events; return the mark of the first collection that is nested too deep, None without one."""
    depth = 0
    while True:
        event = get()
        if isinstance(event, CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                return event.start_mark
        elif isinstance(event, CollectionEndEvent):
            depth -= 1
        elif isinstance(event, StreamEndEvent):
            return None


class _Guard:
    """Hands out LibYAML's events as long as the pure parser would give the same.

    The pure parser knows tabs only inside block and quoted scalars and inside comments, takes any `?` in a
    flow collection for a key, and reads what follows a tag in a flow collection as part of the tag.
    """

    def __init__(self, get: GetEvent, text: str) -> None:
        self._get = get
        self._text = text
        self._end = len(text) + 1
        self._tabs = iter(
            [found.start() for found in re.finditer(_TAB, text) if found.group(1)] if "\t" in text else ()
        )
        self._tab = next(self._tabs, self._end)
        self._flow: list[bool] = [False]

    def __call__(self) -> Any:
        event = self._get()
        if self._tab < event.start_mark.index:
            raise InDoubtError
        kind = type(event)
        if kind is ScalarEvent:
            self._scalar(event)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            self._refuse_odd_tag(event.tag)
            self._flow.append(bool(event.flow_style))
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self._flow.pop()
        return event

    def _scalar(self, event: Any) -> None:
        if event.tag is not None:
            self._refuse_odd_tag(event.tag)
        if event.style in _MARKED_STYLES:
            if self._tab < self._end:
                self._skip_tabs(event)
        elif self._flow[-1] and "?" in event.value:
            raise InDoubtError

    def _refuse_odd_tag(self, tag: str | None) -> None:
        if tag is not None and (self._flow[-1] or tag not in CORE_TAGS):
            raise InDoubtError

    def _skip_tabs(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if self._tab >= end:
            return
        if event.anchor is not None or event.tag is not None:
            raise InDoubtError  # the tab may stand between the anchor or tag and the scalar
        if event.style in ("|", ">"):
            start = self._text.find("\n", start, end)  # tabs of its header are not its text
        if self._tab < start or start < 0:
            raise InDoubtError
        while self._tab < end:
            self._tab = next(self._tabs, self._end)
