"""Reading JSON Lines strictly, one line at a time."""

from __future__ import annotations

import io
import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.review.events import event_files, strict_json
from streamt_ol.review.events.event_files import Line, read_lines
from streamt_ol.review.events.event_findings import Remark


def problems(data: bytes) -> list[tuple[tuple[str | int, ...], str, int | None]]:
    """Return path, message and column of what is wrong with a JSON text."""
    return [(remark.path, remark.message, remark.column) for remark in strict_json.parse(data).remarks]


def read(data: bytes, longest: int = event_files.LONGEST) -> list[Line]:
    return list(read_lines(io.BytesIO(data), longest))


def not_json(message: str, column: int | None = None) -> Remark:
    return Remark("E151_EVENT_NOT_JSON", (), message, column)


# JSON texts


@pytest.mark.parametrize(
    ("text", "column"),
    [('{"a":1,}', 8), ("{'a':1}", 2), ('{"a":1', 7), ('{"ä":x}', 6), ("1 2", 3), ('"a\tb"', 3), ("{", 2)],
)
def test_broken_syntax_is_told_with_its_column_in_characters(text: str, column: int) -> None:
    [(path, message, found)] = problems(text.encode())

    assert (path, message) == ((), "is no JSON text from this column on")
    assert found in {column, column - 1}  # decoders of different Pythons point at the comma or behind it


def test_bytes_that_are_no_utf_8_are_told_with_column_and_byte() -> None:
    assert strict_json.parse('{"ä":"'.encode() + b'\xff"}', 100).remarks == [
        not_json("is not UTF-8: byte 107 of the file, counted from 0", 7)
    ]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "7" * 5000])
def test_a_number_that_is_not_finite_is_refused_where_it_stands(number: str) -> None:
    assert problems(f'{{"a":[0,{number}]}}'.encode()) == [(("a", 1), "is no finite number", None)]


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**30])
def test_an_integer_beyond_64_bits_is_a_float_on_both_ways(number: int) -> None:
    plain = strict_json.parse(str(number).encode())
    slow = strict_json.parse(rf'["\u0022",{number}]'.encode())

    assert (plain, slow) == ((float(number), ()), (['"', float(number)], []))


@pytest.mark.parametrize("number", [2**64 - 1, -(2**63), 0])
def test_an_integer_of_64_bits_is_exact_on_both_ways(number: int) -> None:
    assert strict_json.parse(str(number).encode()).value == number
    assert strict_json.parse(rf'["\u0022",{number}]'.encode()).value[1] == number


def test_half_a_surrogate_pair_is_refused_where_it_stands() -> None:
    assert problems(rb'{"a":{"b":"\ud800"}}') == [(("a", "b"), "holds a lone surrogate", None)]
    assert problems(rb'{"a":{"\udc00":1}}') == [(("a",), "has a key that is no text", None)]


@pytest.mark.parametrize("depth", [255, 1000, 1023, 1025, 100_000])
@pytest.mark.parametrize("halves", [("[", "]"), ('{"a":', "}")])
def test_a_deep_nest_is_refused_whatever_its_depth(depth: int, halves: tuple[str, str]) -> None:
    opening, closing = halves
    [(_path, message, _column)] = problems(f"{opening * depth}1{closing * depth}".encode())

    assert message in {"is nested more than 254 deep", "is nested too deep"}


def test_a_nest_that_is_deep_and_broken_is_refused_too() -> None:
    assert len(problems(b"[" * 100_000)) == 1
    assert len(problems(b"[" * 300)) == 1


def test_a_nest_of_254_is_read() -> None:
    assert problems(b"[" * 254 + b"]" * 254) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (rb'{"a":1,"a":1}', [("a",)]),
        (rb'{"a":1,"\u0061":2}', [("a",)]),
        (rb'{"x":[{"a/b":{},"c":"","a/b":{"d":1,"d":2}}]}', [("x", 0, "a/b"), ("x", 0, "a/b", "d")]),
        (rb'{"a":"\u0022\u0022","b":1,"b":2}', [("b",)]),
        (rb'{"a":1,"a":2,"b":3,"a":4,"b":5}', [("a",), ("b",)]),
        (rb'{"":1,"":2}', [("",)]),
    ],
)
def test_a_key_that_stands_twice_is_refused_where_it_stands(text: bytes, paths: list[Any]) -> None:
    assert problems(text) == [(path, "the key stands twice in its object", None) for path in paths]


def test_equal_keys_of_different_objects_are_welcome() -> None:
    assert strict_json.parse(rb'[{"a":"\""},{"a":"\u0022"}]') == ([{"a": '"'}, {"a": '"'}], [])


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_every_json_value_is_read_as_it_was_written(value, escaped, indent) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent).encode()

    assert strict_json.parse(text) == (value, ())


@given(st.binary(max_size=12) | st.text('{}[]:,"\\u0a1e-+. \t', max_size=12).map(str.encode))
def test_any_bytes_give_a_value_or_a_remark_and_never_another_verdict_than_a_plain_decoder(
    data: bytes,
) -> None:
    reading = strict_json.parse(data)

    if not reading.remarks:
        assert reading.value == orjson.loads(data)
        assert reading.value == json.loads(data)


# Lines


def test_lines_are_numbered_and_may_end_with_crlf_or_nothing() -> None:
    assert read(b"1\r\n[2]\n3") == [
        Line(1, [], has_value=True, value=1),
        Line(2, [], has_value=True, value=[2]),
        Line(3, [], has_value=True, value=3),
    ]


@pytest.mark.parametrize("blank", [b"\n", b" \t\r\n", b"   "])
def test_a_blank_line_is_noted_and_counted(blank: bytes) -> None:
    lines = read(b"1\n" + blank)

    assert lines[1] == Line(2, [Remark("W150_EVENTS_BLANK_LINE", (), "the line is blank")], has_value=False)


def test_an_empty_file_has_no_lines() -> None:
    assert read(b"") == []


def test_a_byte_order_mark_is_skipped_with_a_warning_at_the_start_only() -> None:
    mark = Remark("W151_EVENTS_BYTE_ORDER_MARK", (), "the file starts with a byte order mark")

    first, second = read(b"\xef\xbb\xbf[1]\n\xef\xbb\xbf[1]\n")
    assert first == Line(1, [mark], has_value=True, value=[1])
    assert second == Line(2, [not_json("is no JSON text from this column on", 1)], has_value=False)


def test_the_byte_of_a_fault_counts_through_the_whole_file() -> None:
    lines = read(b'\xef\xbb\xbf1\n"' + b"x" * 20 + b'"\n"ab\xff"\n', longest=10)

    assert lines[2].remarks == [not_json("is not UTF-8: byte 31 of the file, counted from 0", 4)]


def test_a_byte_order_mark_counts_as_bytes_and_not_as_a_column() -> None:
    [line] = read(b'\xef\xbb\xbf"a\xff"')

    assert line.remarks[1] == not_json("is not UTF-8: byte 5 of the file, counted from 0", 3)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_that_is_too_long_is_skipped_and_the_next_one_read(end: bytes) -> None:
    too_long = not_json("is longer than 10 bytes, and was skipped")

    assert read(b'"' + b"x" * 9 + b'"\n1\n' + b"[" * 5_000_000 + end, longest=10) == [
        Line(1, [too_long], has_value=False),
        Line(2, [], has_value=True, value=1),
        Line(3, [too_long], has_value=False),
    ]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_of_exactly_the_longest_length_is_read(end: bytes) -> None:
    assert read(b'"' + b"x" * 8 + b'"' + end, longest=10) == [Line(1, [], has_value=True, value="x" * 8)]
