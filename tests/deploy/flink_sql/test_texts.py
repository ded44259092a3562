"""Any text goes into a statement as itself: names, literals, options that are lists, and logins."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.deploy.flink_sql.texts import (
    as_login_text,
    can_be_quoted,
    interval,
    literal,
    option_list,
    quoted,
    value,
)
from streamt_ol.deploy.flink_sql.words import read_words

ODD = "\"'`\\;,=/*-#{}<>()\n\r\t\0 abnrt07\xfc"
"""Letters that begin, end or escape something in one of the languages around a text."""
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"])) | st.text(alphabet=ODD)
NAMES = TEXTS.filter(can_be_quoted)
ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@given(NAMES)
def test_any_name_without_a_line_break_is_read_back_as_one_name(name: str) -> None:
    (word,) = read_words(quoted(name)) or ()

    assert (word.kind, word.text) == ("quoted", name)


@given(TEXTS)
def test_any_text_is_read_back_as_one_literal(text: str) -> None:
    (word,) = read_words(literal(text)) or ()

    assert (word.kind, word.text) == ("text", text)


@given(st.lists(st.tuples(NAMES, TEXTS), min_size=1))
def test_texts_and_names_side_by_side_stay_apart(pairs: list[tuple[str, str]]) -> None:
    words = read_words(", ".join(f"{quoted(name)} = {literal(text)}" for name, text in pairs)) or ()

    assert [word.text for word in words if word.kind != "mark"] == [part for pair in pairs for part in pair]
    assert {word.text for word in words if word.kind == "mark"} <= {",", "="}


@pytest.mark.parametrize("name", ["", "a\nb", "\r"])
def test_an_empty_name_or_one_with_a_line_break_cannot_be_quoted(name: str) -> None:
    assert not can_be_quoted(name)


@given(TEXTS, TEXTS)
def test_a_login_is_read_back_as_it_was_given(user: str, password: str) -> None:
    entry = f"Module required username={as_login_text(user)} password={as_login_text(password)};"

    assert read_login(entry) == [user, password]


def read_login(entry: str) -> list[str]:
    """Read the quoted texts of a JAAS entry by the rules of java.io.StreamTokenizer, with which Kafka reads it."""
    texts, position = [], 0
    while (start := entry.find('"', position)) >= 0:
        text, position = "", start + 1
        while entry[position] != '"':
            assert entry[position] not in "\r\n", "a line break ends a text"
            letter = entry[position]
            if letter == "\\":
                position += 1
                letter = ESCAPES.get(entry[position], entry[position])
                assert not entry[position].isdigit(), "digits behind a backslash are an octal number"
            text, position = text + letter, position + 1
        texts.append(text)
        position += 1
    return texts


@given(st.lists(NAMES, min_size=1))
def test_a_list_of_an_option_is_read_back_as_its_items(items: list[str]) -> None:
    assert read_list(option_list(items)) == items


def read_list(text: str) -> list[str]:
    """Read a list as Flink reads one of its configuration: semicolons part it, but for those inside quotes."""
    items, quotes = [""], False
    for index, letter in enumerate(text):
        if letter == "'":
            quotes = not quotes
            if quotes and text[index - 1 : index] == "'":  # two of them inside a quoted item are one
                items[-1] += "'"
        elif letter == ";" and not quotes:
            items.append("")
        else:
            items[-1] += letter
    return items


@pytest.mark.parametrize(
    ("plain", "written"),
    [
        (True, "TRUE"),
        (0, "0"),
        (-7, "-7"),
        (10**30, "1" + "0" * 30),
        (1e22, "10000000000000000000000"),
        (1.5, "1.5"),
        (1e-9, "0.000000001"),
        ("it's", "'it''s'"),
        (float("inf"), None),
        (float("nan"), None),
        (None, None),
        ([1], None),
        ({}, None),
    ],
)
def test_a_plain_value_is_a_literal_of_its_own_type(plain: Any, written: str | None) -> None:
    assert value(plain) == written


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_exactly_and_without_an_exponent(number: float) -> None:
    written = value(number) or ""

    assert float(Decimal(written)) == number
    assert "e" not in written.lower()


@pytest.mark.parametrize(
    ("milliseconds", "written"),
    [
        (0, "0 00:00:00.000"),
        (1, "0 00:00:00.001"),
        (3_661_001, "0 01:01:01.001"),
        (86_400_000, "1 00:00:00.000"),
    ],
)
def test_milliseconds_are_days_hours_minutes_and_seconds(milliseconds: int, written: str) -> None:
    assert interval(milliseconds) == written
