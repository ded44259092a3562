"""The checker: closed documents, problems with paths, JSON data only."""

import datetime as dt
import math
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt_ol.ground.json_data import DEEPEST
from streamt_ol.ground.json_problems import deepest, demand
from streamt_ol.ground.json_schema import Checker, SchemaUnusableError, ValidatorsDisagreeError, rewritten

TREE = {
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "at": {"format": "date-time"},
                "kids": {"items": {"$ref": "#/$defs/tree"}},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
    },
    "$ref": "#/$defs/tree",
}


def found(schema, instance, documents=None):
    return [(list(p.absolute_path), p.validator) for p in Checker(schema, documents or {}).problems(instance)]


def test_a_valid_instance_is_accepted_and_has_no_problems():
    instance = {"name": "a", "kids": [{"name": "b", "at": "2026-01-01T00:00:00Z"}]}

    assert Checker(TREE).accepts(instance)
    assert found(TREE, instance) == []


@pytest.mark.parametrize(
    ("instance", "problem"),
    [
        ({}, ([], "required")),
        ({"name": 1}, (["name"], "type")),
        (
            {"name": "a", "kids": [{"name": "b"}, {"name": "c", "at": "yesterday"}]},
            (["kids", 1, "at"], "format"),
        ),
        ({"name": "a", "more": 1}, ([], "additionalProperties")),
        ({"name": "\ud800"}, (["name"], "json")),
        ({"name": "a", "\ud800": 1}, ([], "json")),
        ({"name": "a", 1: 1}, ([], "json")),
        ({"name": "a", "kids": [math.nan]}, (["kids", 0], "type")),
        ({"name": dt.date(2026, 1, 1)}, (["name"], "type")),
    ],
)
def test_a_refused_instance_has_one_located_problem(instance, problem):
    assert not Checker(TREE).accepts(instance)
    assert found(TREE, instance) == [problem]


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**64, "\ud800", {1: 2}, {"\ud800": 2}, b"", {1}])
def test_what_is_no_json_data_is_refused_even_where_everything_is_permitted(value):
    assert not Checker({}).accepts({"free": value})
    assert {validator for _, validator in found({}, {"free": value})} == {"json"}


def test_a_tuple_counts_as_a_list_for_both_validators():
    schema = {"type": "array", "items": {"type": "integer"}}

    assert Checker(schema).accepts((1, 2))
    assert found(schema, (1, "x")) == [([1], "type")]


def test_an_instance_too_deep_to_explain_is_refused_with_a_problem():
    layered = {"items": {"$ref": "#/$defs/layered"}, "type": ["array", "string"]}
    for _ in range(5):
        layered = {"allOf": [layered]}
    schema = {"$defs": {"layered": layered}, "$ref": "#/$defs/layered"}
    instance = 1
    for _ in range(DEEPEST):
        instance = [instance]

    assert not Checker(schema).accepts(instance)
    assert found(schema, instance) == [([], "json")]


def test_a_reference_reaches_exactly_the_given_documents():
    documents = {"https://a.example/s.json": {"$defs": {"n": {"type": "integer"}}}}
    schema = {"$ref": "https://a.example/s.json#/$defs/n"}

    assert Checker(schema, documents).accepts(1)
    assert found(schema, "x", documents) == [([], "type")]


def test_a_reference_to_another_document_is_refused_by_its_uri_and_not_retrieved():
    checker = Checker({"$ref": "http://127.0.0.1:1/s.json"})

    with pytest.raises(
        SchemaUnusableError, match=r"http://127\.0\.0\.1:1/s\.json is not among the given documents"
    ):
        checker.accepts(1)
    with pytest.raises(SchemaUnusableError, match="is not among the given documents"):
        list(checker.problems(1))


@pytest.mark.parametrize(
    "schema", [{"type": "nope"}, {"allOf": 3}, {"pattern": "("}, {"properties": {"a": {"format": "email"}}}]
)
def test_an_unusable_schema_is_refused_at_first_use(schema):
    checker = Checker(schema)

    with pytest.raises(SchemaUnusableError) as refusal:
        checker.accepts(1)
    assert refusal.value.location == "schema"


def test_an_unknown_format_in_a_document_is_refused_by_name():
    checker = Checker({"$ref": "urn:x:d"}, {"urn:x:d": {"items": {"format": "ipv4"}}})

    with pytest.raises(
        SchemaUnusableError, match="format 'ipv4' is not checked here, only date-time, uri, uuid"
    ):
        checker.accepts([])


def test_a_property_called_format_is_no_format():
    assert Checker({"properties": {"format": {"type": "string"}}, "default": {"format": "ipv4"}}).accepts({})


def test_a_refusal_without_a_problem_fails_closed():
    checker = Checker({"pattern": "^a$"})  # in Python, `$` also matches before a final newline

    assert not checker.accepts("a\n")
    with pytest.raises(ValidatorsDisagreeError):
        list(checker.problems("a\n"))


def test_start_up_does_not_import_the_explaining_validator():
    program = (
        "import sys; from streamt_ol.ground.json_schema import Checker;"
        "assert Checker({'format': 'uri'}).accepts('a:b');"
        "print(sorted({'jsonschema', 'referencing'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


SCHEMAS = st.recursive(
    st.sampled_from([{}, {"type": "string"}, {"type": "integer"}, {"const": 1}, {"enum": ["a", None]}])
    | st.sampled_from(
        [{"format": "date-time"}, {"format": "uri"}, {"minItems": 1}, {"minProperties": 1}, {"not": {}}]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "additionalProperties": inner,
            "items": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "required": st.lists(st.sampled_from("ab"), unique=True),
        },
    ),
    max_leaves=5,
)
INSTANCES = st.recursive(
    st.sampled_from(
        [
            None,
            True,
            False,
            0,
            1,
            1.0,
            -1.5,
            math.nan,
            2**70,
            "",
            "a",
            "a:b",
            "\ud800",
            "2026-01-01T00:00:00Z",
        ]
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=5,
)


@settings(deadline=None, max_examples=400)
@given(SCHEMAS, INSTANCES)
def test_the_two_validators_agree(schema, instance):
    checker = Checker(schema)

    assert checker.accepts(instance) == (not list(checker.problems(instance)))


def test_rewriting_reaches_schemas_and_leaves_names_and_values_alone():
    schema = {
        "title": "T",
        "properties": {"title": {"title": "T", "items": {"title": "T"}}},
        "$defs": {"title": {"anyOf": [{"title": "T", "type": "object"}, True]}},
        "patternProperties": {"title": {"title": "T", "not": {"title": "T"}}},
        "const": {"title": "kept"},
        "enum": [{"title": "kept"}],
        "default": {"title": "kept"},
        "x-own": {"title": "kept"},
    }

    rewritten_schema = rewritten(schema, lambda part: {k: v for k, v in part.items() if k != "title"})

    assert rewritten_schema == {
        "properties": {"title": {"items": {}}},
        "$defs": {"title": {"anyOf": [{"type": "object"}, True]}},
        "patternProperties": {"title": {"not": {}}},
        "const": {"title": "kept"},
        "enum": [{"title": "kept"}],
        "default": {"title": "kept"},
        "x-own": {"title": "kept"},
    }


@pytest.mark.parametrize(
    ("schema", "instance", "location", "message"),
    [
        ({"required": ["a", "b"]}, {"a": 1}, [], "lacks 'b'"),
        ({"additionalProperties": {"not": {}}}, {"a": "s3cret"}, ["a"], "is not permitted here"),
        ({"properties": {"a": {"const": 1}}}, {"a": "s3cret"}, ["a"], "does not satisfy const 1"),
        ({"items": {"type": "string"}}, [{"a": "s3cret"}], [0], 'does not satisfy type "string"'),
        ({"items": {"format": "uri"}}, ["s3cret"], [0], 'does not satisfy format "uri"'),
        ({}, ["s3cret\ud800"], [0], "holds a lone surrogate"),
    ],
)
def test_a_demand_says_what_is_wanted_and_nothing_of_the_value(schema, instance, location, message):
    problem = deepest(Checker(schema).problems(instance))

    assert (list(problem.absolute_path), demand(problem)) == (location, message)


def test_the_schema_false_permits_nothing():
    problem = deepest(Checker({"properties": {"a": False}}).problems({"a": "s3cret"}))

    assert demand(problem) == "is not permitted here"


def test_the_deepest_cause_is_found_inside_branches():
    schema = {
        "anyOf": [
            {"type": "string"},
            {"properties": {"a": {"oneOf": [{"type": "null"}, {"items": {"minItems": 1}}]}}},
        ],
        "maxProperties": 0,
    }

    problem = deepest(
        Checker({"allOf": [schema, {"properties": {"a": {"type": "object"}}}]}).problems({"a": [[]]})
    )

    assert list(problem.absolute_path) == ["a", 0]
