"""JSON data: the verdict and the explanation fit together."""

import datetime as dt
import decimal
import enum
import math
import types
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt_ol.ground.json_data import DEEPEST, Foreign, foreign, is_json


class Text(str):
    """A string by inheritance."""

    __slots__ = ()


class Word(enum.Enum):
    ONE = "one"
    FAR = 2**64


class TextWord(str, enum.Enum):
    ONE = "one"


def nested(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value


FOREIGN = {
    "NaN": (math.nan, "is no finite number"),
    "infinity": (-math.inf, "is no finite number"),
    "an integer too large": (2**64, "is an integer beyond 64 bits"),
    "an integer too small": (-(2**63) - 1, "is an integer beyond 64 bits"),
    "a lone surrogate": ("\ud800", "holds a lone surrogate"),
    "a date": (dt.date(2026, 1, 1), "is a Python date"),
    "a time": (dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc), "is a Python datetime"),
    "a decimal": (decimal.Decimal(1), "is a Python Decimal"),
    "a UUID": (uuid.UUID(int=1), "is a Python UUID"),
    "a member of an enumeration of such": (Word.FAR, "is an integer beyond 64 bits"),
    "bytes": (b"x", "is a Python bytes"),
    "a set": ({1}, "is a Python set"),
    "a proxy": (types.MappingProxyType({}), "is a Python mappingproxy"),
    "a kind of string": (Text("x"), "is a Python Text"),
}
UNWALKABLE = {
    "a number as key": ({1: 2}, (), "has a key that is no text"),
    "null as key": ({"a": {None: 2}}, ("a",), "has a key that is no text"),
    "a lone surrogate in a key": ({"\udfff": 2}, (), "has a key that is no text"),
    "a nest too deep": (nested(DEEPEST + 1), (0,) * DEEPEST, "is nested more than 254 deep"),
}
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=4)
    | st.sampled_from([value for value, _ in FOREIGN.values() if value.__hash__])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.just("\ud800"), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(("value", "reason"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_value_is_named_with_its_place(value, reason):
    whole = {"a": [0, value]}

    assert not is_json(whole)
    assert list(foreign(whole)) == [Foreign(("a", 1), reason)]


@pytest.mark.parametrize(("value", "path", "reason"), UNWALKABLE.values(), ids=UNWALKABLE)
def test_a_place_that_cannot_be_looked_into_is_marked(value, path, reason):
    assert not is_json(value)
    assert list(foreign(value)) == [Foreign(path, reason, walkable=False)]


def test_a_cycle_is_a_nest_that_is_too_deep():
    cycle = []
    cycle.append(cycle)

    assert not is_json(cycle)
    assert [part.reason for part in foreign(cycle)] == ["is nested more than 254 deep"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        Word.ONE,
        TextWord.ONE,
        2**64 - 1,
        -(2**63),
        1.5,
        "é😀\0",
        (1, [2]),
        {"": {}},
        nested(DEEPEST),
    ],
)
def test_plain_data_is_json_data(value):
    assert is_json(value)
    assert list(foreign(value)) == []


@settings(deadline=None, max_examples=500)
@given(VALUES)
def test_a_value_is_json_data_exactly_if_nothing_in_it_is_foreign(value):
    assert is_json(value) == (not list(foreign(value)))


def test_foreign_values_come_in_document_order():
    value = {"b": [math.nan, 1, {"c": b""}], "a": {2}}

    assert [part.path for part in foreign(value)] == [("b", 0), ("b", 2, "c"), ("a",)]
