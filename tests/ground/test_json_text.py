"""JSON texts are read strictly: no key twice, no number that is none."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from streamt_ol.ground.json_text import NoNumberError, RepeatedKeyError, once, read_json

SECRET = "planted-value"


def test_plain_values_are_read_as_they_are_written() -> None:
    text = '{"a": [1, -2.5, true, null, "\\u00e9"], "b": {"a": {}}}'

    assert read_json(text) == {"a": [1, -2.5, True, None, "é"], "b": {"a": {}}}
    assert list(read_json('{"b": 1, "a": 2}')) == ["b", "a"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", "utf-8-sig"])
def test_bytes_are_read_in_each_encoding_of_json(encoding: str) -> None:
    assert read_json('{"a": "é"}'.encode(encoding)) == {"a": "é"}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"a": 1, "a": "{SECRET}"}}',
        f'[{{"b": {{"{SECRET}": 1, "c": 2, "{SECRET}": 1}}}}]',
        f'{{"{SECRET}": 1, "\\u0070lanted-value": 1}}',
    ],
    ids=["at the root", "inside", "spelled in two ways"],
)
def test_a_key_that_stands_twice_is_refused_without_a_word_of_it(text: str) -> None:
    with pytest.raises(RepeatedKeyError) as caught:
        read_json(text)

    assert (caught.value.args, str(caught.value)) == ((), "")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_refused(number: str) -> None:
    with pytest.raises(NoNumberError) as caught:
        read_json(f'{{"a": [{number}]}}')

    assert caught.value.args == ()


@pytest.mark.parametrize("text", ["", "{", "[1,]", '{"a" 1}', "nan", "'a'", "[] []", b"\xff"])
def test_what_is_no_json_is_another_error(text: str | bytes) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - of which kind it is follows
        read_json(text)

    assert type(caught.value) in {json.JSONDecodeError, UnicodeDecodeError}


def test_a_nest_that_is_too_deep_is_an_error_of_its_own() -> None:
    depth = sys.getrecursionlimit() * 100

    with pytest.raises(RecursionError):
        read_json("[" * depth + "]" * depth)


def test_a_caller_may_make_its_own_objects() -> None:
    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {"keys": [key for key, _value in pairs]}

    assert read_json('[{"a": 1, "a": 2}]', as_object=as_object) == [{"keys": ["a", "a"]}]


def test_a_caller_may_take_the_last_of_two_values_but_no_number_that_is_none() -> None:
    assert read_json('{"a": 1, "a": 2}', as_object=None) == {"a": 2}
    with pytest.raises(NoNumberError):
        read_json('{"a": NaN}', as_object=None)


def test_members_make_an_object_once() -> None:
    assert once([("b", 1), ("a", 1)]) == {"b": 1, "a": 1}
    with pytest.raises(RepeatedKeyError):
        once([("b", 1), ("a", 1), ("b", 1)])
