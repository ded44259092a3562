"""YAML files as plain values: dict with string keys, list, str, int, float, bool, None."""

from __future__ import annotations

from typing import Any

import yaml

from streamt_ol.ground import yaml_events, yaml_syntax
from streamt_ol.ground.collector import collector_paused
from streamt_ol.ground.yaml_builder import Builder, Plain
from streamt_ol.ground.yaml_errors import NestingError, YamlError
from streamt_ol.ground.yaml_events import Backend, GetEvent, InDoubtError
from streamt_ol.ground.yaml_outline import outline
from streamt_ol.ground.yaml_text import decode


def parse(data: bytes, file: str, backend: Backend = "auto", plain: Plain | None = None) -> Any:
    """Return the value of the one document in a file; None for an empty one.

    `file` is the name shown in errors. Values that are reached through an alias are shared, so the result
    is for reading only. The backend changes the speed and nothing else, and so does `plain`: who reads many
    files hands the same one, at first empty, to each call.

    Raises a subclass of YamlError with the place at fault, and LibYamlMissingError. An error in the structure
    of the text comes before an error in its meaning, wherever they stand.
    """
    text = decode(data, file)
    if yaml_events.libyaml_trusted(text, backend):
        try:
            return _read(text, file, yaml_events.libyaml, plain)
        except (yaml.YAMLError, UnicodeError, InDoubtError, NestingError):
            yaml_syntax.check(outline(text), file)
    return _read_pure(text, file, plain)


def _read_pure(text: str, file: str, plain: Plain | None) -> Any:
    try:
        return _read(text, file, yaml_events.pure, plain)
    except yaml.MarkedYAMLError as error:
        raise yaml_syntax.syntax_error(error, file) from None


def _read(text: str, file: str, events: Any, plain: Plain | None) -> Any:
    get: GetEvent = events(text)
    try:
        with collector_paused():
            return Builder(get, file, len(text), plain).document()
    except YamlError:
        too_deep = yaml_events.check_structure(events(text))
        if too_deep is not None:
            raise yaml_syntax.nesting_error(too_deep, file) from None
        raise
