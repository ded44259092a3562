"""Lenient scalars, the table of section 1."""

from __future__ import annotations

import pytest

from streamt_ol.project.coerce import as_bool, as_float, as_int
from streamt_ol.project.schema import schemas

TABLE = [
    ("int", as_int, 6, 6),
    ("int", as_int, "6", 6),
    ("int", as_int, 6.0, 6),
    ("int", as_int, "6.0", 6),
    ("int", as_int, "-6", -6),
    ("int", as_int, "+6", 6),
    ("int", as_int, True, 1),
    ("bool", as_bool, True, True),
    ("bool", as_bool, 0, False),
    ("bool", as_bool, 1, True),
    *(("bool", as_bool, word, True) for word in ("yes", "on", "y", "t", "true", "1", "YES", "On")),
    *(("bool", as_bool, word, False) for word in ("no", "off", "n", "f", "false", "0", "OFF")),
    ("optional_number", as_float, 1, 1.0),
    ("optional_number", as_float, "1.5", 1.5),
    ("optional_number", as_float, "-.5e-3", -0.0005),
    ("optional_number", as_float, "5.", 5.0),
]
REFUSED = [
    ("int", [6.5, "6.5", "six", "", " 6", "6\n", "1_000", "٣", None, [6], {}]),
    ("optional_int", [6.5, "null"]),
    ("bool", [2, -1, 0.5, "maybe", "", "yes\n", None]),
    ("optional_number", ["", "nan", "inf", "1e", "e5", ".", "1\n", True, []]),
    ("text", [5, True, None, 1.5, []]),
]


@pytest.fixture(scope="module")
def accepts():
    """Ask whether a scalar definition of the schema accepts a value."""
    from streamt_ol.ground.json_schema import Checker

    document = schemas(()).document
    return lambda name, value: Checker(
        {"$ref": f"{document['$id']}#/$defs/{name}"}, {document["$id"]: document}
    ).accepts(value)


@pytest.mark.parametrize(("name", "coerce", "value", "result"), TABLE)
def test_a_value_is_accepted_and_means(accepts, name, coerce, value, result):
    assert accepts(name, value)
    assert coerce(value) == result
    assert type(coerce(value)) is type(result)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in REFUSED for value in values])
def test_anything_else_is_refused(accepts, name, value):
    assert not accepts(name, value)


@pytest.mark.parametrize("name", ["optional_int", "optional_bool", "optional_number", "optional_text"])
def test_null_stands_for_absent_where_a_field_is_optional(accepts, name):
    assert accepts(name, None)
