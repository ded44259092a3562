"""The schemas as they are packaged, for editors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from streamt_ol.ground.resources import schemas_folder
from streamt_ol.project.schema import ENVIRONMENT, PROJECT, packaged

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = [PROJECT, ENVIRONMENT]


def parts(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mapping in a document with its path."""
    if isinstance(schema, dict):
        yield path, schema
        for key, value in schema.items():
            yield from parts(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from parts(value, f"{path}/{index}")


@pytest.mark.parametrize("name", NAMES)
def test_a_packaged_schema_is_a_schema(name):
    jsonschema.Draft202012Validator.check_schema(packaged(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_names_itself_beside_the_other(name):
    assert packaged(name)["$id"] == f"https://streamt.dev/schemas/project/{name}"


@pytest.mark.parametrize("name", NAMES)
def test_no_key_stands_twice_in_a_packaged_schema(name):
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    json.loads((schemas_folder() / "project" / name).read_text(), object_pairs_hook=unique)


def test_the_packaged_schema_lists_the_built_in_materializations():
    assert packaged(PROJECT)["$defs"]["materialized"]["enum"] == [
        "topic",
        "virtual_topic",
        "flink",
        "sink",
        None,
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_object_with_fixed_keys_refuses_others(name):
    described = [part for _, part in parts(packaged(name)) if "title" in part and "properties" in part]
    open_ones = [part["title"] for part in described if part.get("additionalProperties") is not False]

    assert open_ones == (["Deployment state"] if name == PROJECT else [])  # closed by each of its backends


@pytest.mark.parametrize("name", NAMES)
def test_every_key_that_an_editor_offers_is_described(name):
    document = packaged(name)
    silent = [
        f"{path}/{key}"
        for path, part in parts(document)
        if "title" in part
        for key, value in part.get("properties", {}).items()
        if not ("description" in value or "$ref" in value or "doNotSuggest" in value)
    ]

    assert silent == []


def test_every_definition_is_used():
    document = packaged(PROJECT)
    text = json.dumps(document) + json.dumps(packaged(ENVIRONMENT))
    assert [name for name in document["$defs"] if f'#/$defs/{name}"' not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_form_that_a_value_must_have_is_explained_in_words(name):
    unexplained = [
        path
        for path, part in parts(packaged(name))
        if {"pattern", "minimum", "minLength", "maxLength", "maxItems", "minProperties", "not"} & set(part)
        and "errorMessage" not in part
        and "/if" not in path
        and not path.endswith("/not")
    ]

    assert unexplained == []
