"""The YAML files of a golden folder as plain values that follow their schema."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from streamt_ol.ground import yaml_marks, yaml_reader
from streamt_ol.ground.json_problems import deepest, demand
from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.pointer import pointer
from streamt_ol.ground.resources import schemas_folder
from streamt_ol.ground.yaml_errors import YamlError

if TYPE_CHECKING:
    from pathlib import Path

    from jsonschema.exceptions import ValidationError

    from streamt_ol.ground.errors import StreamtError


def read_document(path: Path, schema: str, failure: type[StreamtError]) -> Any:
    """Return the value of a file that follows `schemas/golden/SCHEMA`; else raise `failure`, located."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise failure(f"{path} cannot be read: {error.strerror}", location=str(path)) from error
    try:
        document = yaml_reader.parse(data, str(path))
    except YamlError as error:
        raise failure(error.message, place=error.place, suggestion=error.suggestion) from None
    checker = _checker(schema)
    if checker.accepts(document):
        return document
    problem = deepest(checker.problems(document))
    tokens = tuple(str(token) for token in problem.absolute_path)
    raise failure(_said(problem), location=pointer(*tokens), place=yaml_marks.find(data, tokens, str(path)))


def _said(problem: ValidationError) -> str:
    """Return what is wrong, with the keys that are unknown: people misspell keys more than anything else."""
    if problem.validator != "additionalProperties":
        return demand(problem)
    schema: Any = problem.schema
    instance: Any = problem.instance
    known = schema["properties"]
    unknown = ", ".join(repr(key) for key in instance if key not in known)
    return f"has the unknown key {unknown}; known are {', '.join(known)}"


@cache
def _checker(schema: str) -> Checker:
    return Checker(orjson.loads((schemas_folder() / "golden" / schema).read_bytes()))
