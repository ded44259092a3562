"""The file that OPENLINEAGE_CONFIG names: its bounds, its YAML, and where in it something stands.

Source: section 6.2 of the runtime facts. Neither its path nor anything in it is ever shown: a fault is told
by its kind, its line and its column. The YAML is read by the reader that reads projects; what is added are
bounds, and that there are neither anchors nor aliases.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent, StreamEndEvent
from yaml.tokens import (
    AliasToken,
    AnchorToken,
    BlockEndToken,
    BlockMappingStartToken,
    BlockSequenceStartToken,
    FlowMappingEndToken,
    FlowMappingStartToken,
    FlowSequenceEndToken,
    FlowSequenceStartToken,
    StreamEndToken,
)

from streamt_ol.ground import yaml_errors, yaml_reader
from streamt_ol.ground.pointer import tokens as steps_of
from streamt_ol.ground.yaml_events import PureParser, pure
from streamt_ol.ground.yaml_marks import Marks
from streamt_ol.ground.yaml_text import decode
from streamt_ol.runs.bounded_files import FileRefused, read_bounded
from streamt_ol.runs.config_errors import FILE, TRANSPORT, TransportFault, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from streamt_ol.engine.reading import Catalogue
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.errors import Place

_NAME = "the configuration file"
_OPENING = (
    BlockMappingStartToken,
    BlockSequenceStartToken,
    FlowMappingStartToken,
    FlowSequenceStartToken,
)
_CLOSING = (BlockEndToken, FlowMappingEndToken, FlowSequenceEndToken)
_FAULTS: Mapping[type[yaml_errors.YamlError], str] = {
    yaml_errors.NotUtf8Error: "config_encoding",
    yaml_errors.ControlCharacterError: "config_character",
    yaml_errors.SeveralDocumentsError: "config_documents",
    yaml_errors.DuplicateKeyError: "config_repeated_key",
    yaml_errors.NonStringKeyError: "config_key_no_text",
    yaml_errors.UnknownTagError: "config_tag",
    yaml_errors.UnusableScalarError: "config_scalar",
    yaml_errors.MergeError: "config_merge",
}


class ConfigFile:
    """The root mapping of a configuration file, and the places of what it holds. It does not print."""

    def __init__(self, root: Mapping[str, Any], data: bytes) -> None:
        self.root = root
        self._data = data

    def place(self, *steps: str) -> str:
        """Return line and column of the key at the end of a path, or of its nearest parent, in words."""
        return _words(self._marks.find_key(steps))

    @cached_property
    def _marks(self) -> Marks:
        return Marks(self._data, "")


class _Found(Exception):  # noqa: N818 - the way out of a search
    def __init__(self, fault: str, place: Place | None = None, at: str = FILE) -> None:
        super().__init__()
        self.fault = fault
        self.place = place
        self.at = at


def read_config_file(path: str, rules: RuleSet, cwd: Path | None = None) -> ConfigFile:
    """Return the configuration file at a path, relative to `cwd` or to the working directory.

    Raises TransportConfigError.
    """
    bounds = rules.catalogue("transport-bounds")
    fault = _path_fault(path)
    if fault is not None:
        raise refusal(TransportFault(fault, FILE, _NAME), rules)
    limit = bounds["config_bytes"]["limit"]
    try:
        data = read_bounded((cwd or Path()) / path, limit)
    except FileRefused as refused:
        reason = str(limit) if refused.fault == "file_too_large" else refused.reason
        told = TransportFault(refused.fault, FILE, f"{_NAME} that OPENLINEAGE_CONFIG names", limit=reason)
    else:
        try:
            return ConfigFile(_root(data, bounds, rules.catalogue("transport-keys").entries), data)
        except _Found as found:
            where = "" if found.place is None else _words(found.place)
            limit = bounds["config_depth" if found.fault == "config_depth" else "config_tokens"]["limit"]
            told = TransportFault(found.fault, found.at, _NAME, where, str(limit))
    raise refusal(told, rules)


def _path_fault(path: str) -> str | None:
    if not path:
        return "config_path_empty"
    if "\0" in path:
        return "config_path_nul"
    return "config_path_padded" if path != path.strip() else None


def _root(data: bytes, bounds: Catalogue, keys: Container[str]) -> Mapping[str, Any]:
    """Return the root mapping; raises _Found."""
    try:
        text = decode(data, "")
        _refuse_structure(text, bounds["config_tokens"]["limit"], bounds["config_depth"]["limit"])
        root = yaml_reader.parse(data, "")
    except yaml_errors.YamlError as error:
        raise _Found(_FAULTS.get(type(error), "config_syntax"), error.place, _location(error, keys)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = None if mark is None else yaml_errors.place_of(mark, "")
        raise _Found("config_syntax", place) from None
    if not isinstance(root, dict):
        raise _Found("config_no_mapping")
    return root


def _refuse_structure(text: str, most_tokens: int, deepest: int) -> None:
    """Raise _Found for too many tokens, an anchor or collections too deep, and what a parser raises."""
    get_token: Callable[[], Any] = PureParser(text).get_token
    depth = 0
    for count in range(1, most_tokens + 2):
        if count > most_tokens:
            raise _Found("config_tokens")
        token = get_token()
        if isinstance(token, (AnchorToken, AliasToken)):
            raise _Found("config_anchor", yaml_errors.place_of(token.start_mark, ""))
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        # Not every collection has a token of its own: this bounds the work, and the events are the judge.
        if depth > deepest:
            raise _Found("config_depth", yaml_errors.place_of(token.start_mark, ""))
        if isinstance(token, StreamEndToken):
            break
    get_event = pure(text)
    depth = 0
    while not isinstance(event := get_event(), StreamEndEvent):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > deepest:
            raise _Found("config_depth", yaml_errors.place_of(event.start_mark, ""))


def _location(error: yaml_errors.YamlError, keys: Container[str]) -> str:
    """Return the location of an error of the reader: the key whose value it cannot hold, or the file."""
    steps = steps_of(error.location or "")
    if not isinstance(error, yaml_errors.UnusableScalarError) or steps[:1] != ["transport"]:
        return FILE
    known = [key for end in range(2, len(steps) + 1) if (key := ".".join(steps[1:end])) in keys]
    return ".".join([TRANSPORT, *known[-1:]])


def _words(place: Place) -> str:
    return f"line {place.line}, column {place.column}"
