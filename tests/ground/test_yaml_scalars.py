"""What plain and tagged scalars are read as, held against PyYAML's safe loader."""

import datetime as dt
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.ground import yaml_scalars

CASES = {
    "no": False,
    "Yes": True,
    "ON": True,
    "off": False,
    "True": True,
    "y": "y",
    "nO": "nO",
    "017": 15,
    "08": "08",
    "0o17": "0o17",
    "0b101": 5,
    "-0x1F": -31,
    "1_000": 1000,
    "12:30:45": 45045,
    "190:20:30.15": 685230.15,
    "1.0": 1.0,
    "1.10": 1.1,
    "1e3": "1e3",
    "1.0e+3": 1000.0,
    "1.0.0": "1.0.0",
    "~": None,
    "": None,
    "null": None,
    "Null": None,
    "nULL": "nULL",
    "-": "-",
    "<": "<",
}
ALPHABET = "0123456789_.:+-eExXbBoOaAfFnN~=<yYsStTrRuUlLiI zZ"


@pytest.mark.parametrize("text", CASES)
def test_a_plain_scalar_is_read_as_yaml_1_1_says(text):
    value = yaml_scalars.plain(text)

    assert (type(value), value) == (type(CASES[text]), CASES[text])


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("2024-01-01", "a date or a time"),
        ("2024-01-01T10:00:00Z", "a date or a time"),
        (".inf", "infinity or not a number"),
        ("-.INF", "infinity or not a number"),
        (".NaN", "infinity or not a number"),
        ("1.0e+400", "infinity or not a number"),
        ("=", "the sign of a default value"),
        ("<<", "the sign of a merge"),
        ("0x_", "a number that it cannot hold"),
        ("1" + ":59" * 300 + ".0", "a number that it cannot hold"),
        ("1" * 1001, "a number of more than 1000 characters"),
    ],
)
def test_a_plain_scalar_no_field_can_take_is_refused_with_its_reading(text, reading):
    with pytest.raises(yaml_scalars.UnusableTextError) as refused:
        yaml_scalars.plain(text)

    assert str(refused.value) == reading


def test_every_readable_integer_can_be_printed():
    for text in ("9" * 1000, "0x" + "f" * 998, "0b" + "1" * 998, "5" + ":59" * 333):
        assert str(yaml_scalars.plain(text)).isdecimal()


@given(st.text(ALPHABET, max_size=12))
def test_a_plain_scalar_has_the_value_and_type_of_the_safe_loader(text):
    node = yaml.ScalarNode(yaml.SafeLoader("").resolve(yaml.ScalarNode, text, (True, False)), text)
    try:
        expected = yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError, OverflowError):
        expected = math.inf
    try:
        value = yaml_scalars.plain(text)
    except yaml_scalars.UnusableTextError:
        assert isinstance(expected, dt.date) or not math.isfinite(expected)
    else:
        assert (type(value), value) == (type(expected), expected)


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        (yaml_scalars.STR, "5", "5"),
        (yaml_scalars.STR, "2024-01-01", "2024-01-01"),
        (yaml_scalars.INT, "017", 15),
        (yaml_scalars.FLOAT, "5", 5.0),
        (yaml_scalars.BOOL, "on", True),
        (yaml_scalars.NULL, "", None),
    ],
)
def test_a_tag_chooses_the_reading(tag, text, value):
    read = yaml_scalars.tagged(tag, text)

    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("tag", "text"), [(yaml_scalars.INT, "five"), (yaml_scalars.INT, "1.5"), (yaml_scalars.BOOL, "1")]
)
def test_a_tag_that_does_not_fit_its_text_is_refused(tag, text):
    with pytest.raises(yaml_scalars.UnusableTextError, match="something else than the tag `!!"):
        yaml_scalars.tagged(tag, text)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (False, "the boolean false"),
        (5, "the integer 5"),
        (1.5, "the number 1.5"),
        (None, "null"),
        ("secret", "a string"),
        ({}, "a mapping"),
        ([], "a list"),
    ],
)
def test_a_value_is_described_for_messages(value, said):
    assert yaml_scalars.describe(value) == said
