"""What the value of a message says: JSON, or what a schema of a registry makes of it."""

from __future__ import annotations

import datetime as dt
import io
import json
import math
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from checked import packaged_rules
from registry_stand_in import RegistryStandIn, registry_stand_in

from streamt_ol.checks.sampling_errors import (
    RegistryAnswerError,
    SchemaNotSupportedError,
    SchemaUnknownError,
    ValueUnreadableError,
)
from streamt_ol.checks.shares import Record
from streamt_ol.checks.values import Values
from streamt_ol.services.deadlines import Deadline

WHERE = "the value at partition 3, offset 7 of topic 'orders'"
ORDER = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [{"name": "id", "type": "long"}, {"name": "note", "type": ["null", "string"], "default": None}],
}


@pytest.fixture
def registry() -> Iterator[RegistryStandIn]:
    with registry_stand_in() as stand_in:
        yield stand_in


@pytest.fixture
def values(registry: RegistryStandIn) -> Values:
    return Values({"schema_registry": {"url": registry.url}}, packaged_rules())


def read(values: Values, value: bytes) -> Any:
    return values.read("orders", Record(3, 7, value), Deadline(30))


def plain(value: bytes) -> Any:
    """Return a value by a runtime without a registry."""
    return read(Values({}, packaged_rules()), value)


def framed(number: int, payload: bytes) -> bytes:
    return b"\0" + number.to_bytes(4, "big") + payload


def avro(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


def test_a_json_object_is_itself() -> None:
    assert plain('{"a": [1, "ü", null], "b": {}}'.encode()) == {"a": [1, "ü", None], "b": {}}


def test_whole_numbers_keep_all_their_digits() -> None:
    assert plain(b'{"id": 123456789012345678901}') == {"id": 123456789012345678901}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"", "is no JSON"),
        (b"planted", "is no JSON"),
        (b'{"a": 1} {"b": 2}', "is no JSON"),
        (b'{"a": NaN}', "is no JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is no JSON"),
        (b'\xef\xbb\xbf{"a": 1}', "is no JSON"),
        (b'{"a": "\xff"}', "is not UTF-8 at byte 7"),
        (b"[1]", "is no object"),
        (b"null", "is no object"),
        (b'"planted"', "is no object"),
        (b'{"a":' * 100_000, "is nested too deeply"),
        (b"\0\0\0\0\1x", "is no JSON; it may be framed, and runtime.schema_registry is not configured"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_anything_else_is_refused_by_its_place_and_never_shown(value: bytes, reason: str) -> None:
    with pytest.raises(ValueUnreadableError) as caught:
        plain(value)

    assert (caught.value.code, caught.value.message) == ("E543_VALUE_UNREADABLE", f"{WHERE} {reason}")


def test_a_value_is_never_part_of_what_a_record_shows() -> None:
    assert repr(Record(3, 7, b"planted")) == "Record(partition=3, offset=7)"


def test_plain_json_is_read_beside_framed_values(values: Values, registry: RegistryStandIn) -> None:
    assert read(values, b'{"a": 1}') == {"a": 1}
    assert registry.asked == []


def test_an_avro_value_is_read_by_the_schema_it_names(values: Values, registry: RegistryStandIn) -> None:
    registry.register(70_000, ORDER)

    assert read(values, framed(70_000, avro(ORDER, {"id": 5}))) == {"id": 5, "note": None}
    assert read(values, framed(70_000, avro(ORDER, {"id": 6, "note": "x"}))) == {"id": 6, "note": "x"}
    assert registry.asked == ["/schemas/ids/70000"]


def test_schemas_that_build_on_others_are_read_with_them(values: Values, registry: RegistryStandIn) -> None:
    money = {
        "type": "record",
        "name": "Money",
        "namespace": "shop",
        "fields": [{"name": "cents", "type": "long"}],
    }
    line = {
        "type": "record",
        "name": "Line",
        "namespace": "shop",
        "fields": [{"name": "price", "type": "shop.Money"}, {"name": "count", "type": "int"}],
    }
    bill = {
        "type": "record",
        "name": "Bill",
        "namespace": "shop",
        "fields": [
            {"name": "lines", "type": {"type": "array", "items": "shop.Line"}},
            {"name": "total", "type": "shop.Money"},
        ],
    }
    to_money = {"name": "shop.Money", "subject": "shop/money value", "version": 2}
    to_line = {"name": "shop.Line", "subject": "shop.line", "version": 1}
    registry.register_version("shop/money value", 2, money)
    registry.register_version("shop.line", 1, line, [to_money])
    registry.register(9, bill, "AVRO", [to_line, to_money])
    whole = {
        **bill,
        "fields": [
            {
                "name": "lines",
                "type": {
                    "type": "array",
                    "items": {
                        **line,
                        "fields": [{"name": "price", "type": money}, {"name": "count", "type": "int"}],
                    },
                },
            },
            {"name": "total", "type": "shop.Money"},
        ],
    }
    value = {"lines": [{"price": {"cents": 5}, "count": 2}], "total": {"cents": 10}}

    assert read(values, framed(9, avro(whole, value))) == value
    assert registry.asked == [
        "/schemas/ids/9",
        "/subjects/shop.line/versions/1",
        "/subjects/shop%2Fmoney%20value/versions/2",
    ]


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ({"type": "int", "logicalType": "date"}, dt.date(2026, 1, 2), "2026-01-02"),
        (
            {"type": "long", "logicalType": "timestamp-millis"},
            dt.datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=dt.timezone.utc),
            "2026-01-02T03:04:05.678000Z",
        ),
        (
            {"type": "long", "logicalType": "local-timestamp-micros"},
            dt.datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001 - a local time has no zone
            "2026-01-02T03:04:05",
        ),
        ({"type": "int", "logicalType": "time-millis"}, dt.time(3, 4, 5), "03:04:05"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}, Decimal("1.10"), 1.1),
        ({"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}, Decimal("7.00"), 7),
        (
            {"type": "string", "logicalType": "uuid"},
            uuid.UUID("12345678-1234-4234-8234-123456789012"),
            "12345678-1234-4234-8234-123456789012",
        ),
        ("bytes", b"\0\1\2", "AAEC"),
        ({"type": "fixed", "name": "F", "size": 2}, b"ab", "YWI="),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B", "B"),
        ({"type": "map", "values": "bytes"}, {"k": b"a"}, {"k": "YQ=="}),
        (
            ["null", {"type": "array", "items": {"type": "int", "logicalType": "date"}}],
            [dt.date(2026, 1, 2)],
            ["2026-01-02"],
        ),
    ],
    ids=str,
)
def test_types_that_json_does_not_have_become_plain(
    values: Values, registry: RegistryStandIn, kind: Any, value: Any, told: Any
) -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": "v", "type": kind}]}
    registry.register(1, schema)

    found = read(values, framed(1, avro(schema, {"v": value})))["v"]

    assert (found, type(found)) == (told, type(told))


def test_a_double_that_is_no_number_stays_one(values: Values, registry: RegistryStandIn) -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": "v", "type": "double"}]}
    registry.register(1, schema)

    assert math.isnan(read(values, framed(1, avro(schema, {"v": math.nan})))["v"])


def test_a_json_schema_value_is_json_behind_its_frame(values: Values, registry: RegistryStandIn) -> None:
    registry.register(2, {"type": "object"}, "JSON")

    assert read(values, framed(2, b'{"a": 1}')) == {"a": 1}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"\0", "is no JSON, and as a framed value it ends within the number of its schema"),
        (b"\0\0\0\0", "is no JSON, and as a framed value it ends within the number of its schema"),
        (framed(1, b""), "does not fit schema 1"),
        (framed(1, avro(ORDER, {"id": 1}) + b"planted"), "does not fit schema 1"),
        (framed(1, b"\2\2\x14pla"), "does not fit schema 1"),
        (framed(2, b"planted"), "is no JSON"),
        (framed(2, b"[]"), "is no object"),
        (framed(3, avro("string", "planted")), "is no object"),
    ],
    ids=str,
)
def test_a_framed_value_that_does_not_fit_is_refused_by_its_place(
    values: Values, registry: RegistryStandIn, value: bytes, reason: str
) -> None:
    registry.register(1, ORDER)
    registry.register(2, {"type": "object"}, "JSON")
    registry.register(3, '"string"')

    with pytest.raises(ValueUnreadableError) as caught:
        read(values, value)

    assert (caught.value.code, caught.value.message) == ("E543_VALUE_UNREADABLE", f"{WHERE} {reason}")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("PROTOBUF", "schema 4 is a Protobuf schema: Protobuf values are not supported"),
        ("THRIFT", "schema 4 is of a type that is not supported"),
    ],
)
def test_other_types_of_schemas_are_not_supported_and_say_so(
    values: Values, registry: RegistryStandIn, kind: str, told: str
) -> None:
    registry.register(4, "syntax = ...", kind)

    with pytest.raises(SchemaNotSupportedError) as caught:
        read(values, framed(4, b"planted"))

    assert (caught.value.code, caught.value.message) == ("E543_VALUE_UNREADABLE", f"{WHERE}: {told}")


def test_a_schema_that_the_registry_does_not_know_is_an_error_of_the_registry(values: Values) -> None:
    with pytest.raises(SchemaUnknownError) as caught:
        read(values, framed(404, b"x"))

    assert caught.value.diagnostic().as_dict() == {
        "code": "E544_SCHEMA_REGISTRY",
        "message": "the registry does not know schema 404",
        "location": "/runtime/schema_registry",
    }


@pytest.mark.parametrize("schema", ["no json", '{"type": "strange"}', json.dumps({"type": "record"}), "[]["])
def test_a_text_that_is_no_avro_schema_is_an_error_of_the_registry(
    values: Values, registry: RegistryStandIn, schema: str
) -> None:
    registry.register(1, schema)

    with pytest.raises(RegistryAnswerError) as caught:
        read(values, framed(1, b"x"))

    assert caught.value.message == "what the registry tells as schema 1 is no Avro schema"


def test_schemas_in_a_circle_end(values: Values, registry: RegistryStandIn) -> None:
    there = {"name": "a", "subject": "a", "version": 1}
    registry.register_version("a", 1, ORDER, [there])
    registry.register(1, ORDER, "AVRO", [there])

    assert read(values, framed(1, avro(ORDER, {"id": 1}))) == {"id": 1, "note": None}
    assert registry.asked == ["/schemas/ids/1", "/subjects/a/versions/1"]


def test_a_schema_leads_to_no_more_others_than_the_bound(values: Values, registry: RegistryStandIn) -> None:
    for version in range(1, 120):
        registry.register_version(
            "a", version, ORDER, [{"name": "a", "subject": "a", "version": version + 1}]
        )
    registry.register(1, ORDER, "AVRO", [{"name": "a", "subject": "a", "version": 1}])

    with pytest.raises(RegistryAnswerError) as caught:
        read(values, framed(1, b"x"))

    assert caught.value.message == "a schema leads to more than 100 others"
