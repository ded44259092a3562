"""Schemas by their digests: what is the same in other words, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.deploy.providers.schema_registry.forms import (
    SchemaTextError,
    registered_digest,
    schema_digest,
)

RECORD = {"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "id", "type": "long"}]}


def same(kind: str, one: str, other: str) -> bool:
    return schema_digest(kind, one) == schema_digest(kind, other)


def avro(one: object, other: object) -> bool:
    return same("AVRO", json.dumps(one), json.dumps(other))


def field(**parts: object) -> dict[str, object]:
    return {"type": "record", "name": "R", "fields": [{"name": "f", "type": "int", **parts}]}


def test_white_space_and_order_of_keys_make_no_difference() -> None:
    turned = dict(reversed(RECORD.items()))

    assert same("AVRO", json.dumps(RECORD), json.dumps(turned, indent=4))
    assert same("JSON", '{"a": 1, "b": {"c": 2, "d": 3}}', '{"b":{"d":3,"c":2},"a":1}')


def test_a_type_by_itself_is_the_same_in_braces() -> None:
    assert same("AVRO", '"string"', '{"type": "string"}')
    assert same("AVRO", '{"type": "string"}', '{"type": {"type": "string"}}')
    assert avro({"type": "array", "items": "int"}, {"type": "array", "items": {"type": "int"}})
    assert not avro("string", {"type": "string", "logicalType": "uuid"})


def test_a_name_is_the_same_however_it_is_split() -> None:
    assert avro(RECORD, {**{key: RECORD[key] for key in ("type", "fields")}, "name": "shop.Order"})
    assert avro(RECORD, {**RECORD, "name": "shop.Order", "namespace": "ignored"})
    assert not avro(RECORD, {**RECORD, "namespace": "shop.v2"})
    assert not avro(RECORD, {key: RECORD[key] for key in ("type", "name", "fields")})


def test_a_name_inside_a_record_is_in_its_namespace() -> None:
    inner = {"type": "enum", "name": "Kind", "symbols": ["A"]}
    short = [{"name": "k", "type": inner}, {"name": "l", "type": ["null", "Kind"]}]
    whole = [
        {"name": "k", "type": {**inner, "name": "shop.Kind"}},
        {"name": "l", "type": ["null", "shop.Kind"]},
    ]

    assert avro({**RECORD, "fields": short}, {**RECORD, "fields": whole})
    assert not avro(
        {**RECORD, "fields": short}, {**RECORD, "fields": [short[0], {"name": "l", "type": "Kind"}]}
    )


def test_the_order_that_is_usual_need_not_be_said() -> None:
    assert avro(field(), field(order="ascending"))
    assert not avro(field(), field(order="descending"))


@pytest.mark.parametrize(
    "other",
    [{"default": 0}, {"doc": "a word"}, {"type": "long"}, {"name": "g"}, {"aliases": ["g"]}],
    ids=lambda other: next(iter(other)),
)
def test_whatever_else_a_field_says_counts(other: dict[str, object]) -> None:
    assert not avro(field(), field(**other))


def test_the_order_of_fields_symbols_and_branches_counts() -> None:
    two = [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}]

    assert not avro({**RECORD, "fields": two}, {**RECORD, "fields": two[::-1]})
    assert not avro(["null", "int"], ["int", "null"])
    assert not avro(
        {"type": "enum", "name": "E", "symbols": ["A", "B"]},
        {"type": "enum", "name": "E", "symbols": ["B", "A"]},
    )


def test_a_number_and_its_fraction_are_two_values_in_a_json_schema() -> None:
    assert not same("JSON", '{"minimum": 1}', '{"minimum": 1.0}')


PROTO = 'syntax = "proto3";\nmessage Order {\n  string id = 1; // the key\n  /* all of it */ int64 amount = 2;\n}\n'


@pytest.mark.parametrize(
    "other",
    [
        PROTO.replace("\n", "\r\n"),
        PROTO.replace("  ", "\t"),
        PROTO.rstrip(),
        "syntax='proto3' ;message Order{string id=1;int64 amount=2;}",
    ],
    ids=["line ends", "tabs", "no last line end", "comments"],
)
def test_space_and_comments_of_protobuf_make_no_difference(other: str) -> None:
    assert same("PROTOBUF", PROTO, other)


@pytest.mark.parametrize(
    "other",
    [
        PROTO.replace("amount = 2", "amount = 3"),
        PROTO.replace("string id", "bytes id"),
        PROTO.replace("Order", "order"),
        PROTO.replace("string id", "stringid"),
    ],
)
def test_every_word_of_protobuf_counts(other: str) -> None:
    assert not same("PROTOBUF", PROTO, other)


def test_what_stands_in_quotes_is_no_comment_and_keeps_its_space() -> None:
    assert not same("PROTOBUF", 'option a = "x // y";', 'option a = "x ";')
    assert not same("PROTOBUF", 'option a = "x  y";', 'option a = "x y";')
    assert not same("PROTOBUF", """option a = 'say "x"';""", """option a = "say "x"";""")


def test_the_type_of_a_text_is_no_part_of_its_digest_and_stands_beside_it() -> None:
    assert schema_digest("AVRO", '"string"') == schema_digest("JSON", '"string"')


@pytest.mark.parametrize("kind", ["AVRO", "JSON"])
@pytest.mark.parametrize(
    "text",
    ["", "record", "{", '{"a": 1, "a": 1}', "NaN", "[" * 100_000, '"\\ud800"'],
    ids=lambda text: text[:20] or "empty",
)
def test_what_is_no_json_is_refused_and_not_quoted(kind: str, text: str) -> None:
    with pytest.raises(SchemaTextError, match=r"^it is no JSON, or has a key twice$"):
        schema_digest(kind, text)


@pytest.mark.parametrize("kind", ["AVRO", "JSON", "PROTOBUF", "XML"])
@pytest.mark.parametrize(
    "text", ["", "record", "{", '{"type": 1}', '{"type": "record"}', '[["x"]]', "\ud800"]
)
def test_whatever_a_registry_has_has_a_digest(kind: str, text: str) -> None:
    assert registered_digest(kind, text).startswith("sha256:")
    assert registered_digest(kind, text) == registered_digest(kind, f"{text}\n")


def test_a_schema_that_is_nested_deeply_has_a_digest() -> None:
    text = '{"type": "array", "items": ' * 300 + '"int"' + "}" * 300

    assert schema_digest("AVRO", text).startswith("sha256:")


NAMES = st.sampled_from(["A", "B", "a.B", "string", "int", "record"])
SCHEMAS = st.recursive(
    NAMES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {"type": inner},
            optional={
                "name": NAMES,
                "namespace": NAMES,
                "items": inner,
                "fields": st.lists(st.fixed_dictionaries({"name": NAMES, "type": inner}), max_size=2),
            },
        )
    ),
    max_leaves=12,
)


@given(SCHEMAS)
def test_whatever_looks_like_avro_has_one_digest_in_every_spelling(schema: object) -> None:
    assert same("AVRO", json.dumps(schema), json.dumps(schema, indent=1, sort_keys=True))
