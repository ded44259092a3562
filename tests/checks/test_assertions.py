"""What a sample tells about each kind of assertion."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from checked import messages, packaged_rules

from streamt_ol.checks.asserting import Asserted, Assertions
from streamt_ol.checks.assertions import METHODS
from streamt_ol.checks.bounds import Bounds
from streamt_ol.checks.faults import shown
from streamt_ol.checks.records import Message, NotEvaluated, Problem, Selected

NAN = float("nan")


def look(assertion: dict[str, Any], *values: dict[str, Any], registry: bool = False) -> Asserted:
    """Return what a sample test with this one assertion finds in messages of these values."""
    return look_at(assertion, messages(*values), registry=registry)


def look_at(assertion: dict[str, Any], read: tuple[Message, ...], *, registry: bool = False) -> Asserted:
    test = Selected(0, "t", "orders", "sample", {"assertions": [assertion]})
    return Assertions(packaged_rules(), registry=registry).look(test, read)


def told(assertion: dict[str, Any], *values: dict[str, Any]) -> list[str]:
    return [problem.message for problem in look(assertion, *values).problems]


def offsets(assertion: dict[str, Any], *values: dict[str, Any]) -> list[list[int]]:
    """Return the offsets at fault of each problem."""
    return [
        [offset for _partition, offset in problem.positions] for problem in look(assertion, *values).problems
    ]


def test_every_method_of_the_tables_that_looks_at_values_exists_and_no_other() -> None:
    words = set(packaged_rules().vocabulary.domains["assertion_method"])

    assert words - {"declaration", "incomplete", "job", "nobody"} == set(METHODS)


# not_null


def test_null_and_a_missing_key_are_both_null() -> None:
    found = look({"not_null": {"columns": ["id"]}}, {"id": 1}, {"id": None}, {}, {"id": 0}, {"id": ""})

    assert found.problems == (
        Problem("not_null", "`id` is null or missing in 2 of 5 messages", ((0, 1), (0, 2)), ("null", "null")),
    )


def test_each_column_is_a_problem_of_its_own() -> None:
    assert told({"not_null": {"columns": ["a", "b", "c"]}}, {"b": 1}) == [
        "`a` is null or missing in 1 of 1 message",
        "`c` is null or missing in 1 of 1 message",
    ]


# accepted_values


def test_a_present_value_equals_one_of_the_list_and_a_missing_one_is_fine() -> None:
    asserted = {"accepted_values": {"column": "state", "values": ["new", "paid"]}}

    found = look(asserted, {"state": "new"}, {}, {"state": "lost"}, {"state": None}, {"state": "New"})

    assert found.problems == (
        Problem(
            "accepted_values",
            "`state` is none of the accepted values in 3 of 5 messages",
            ((0, 2), (0, 3), (0, 4)),
            ('"lost"', "null", '"New"'),
        ),
    )


@pytest.mark.parametrize("value", [1, 1.0, True])
@pytest.mark.parametrize("accepted", [1, 1.0, True])
def test_one_and_true_are_equal(value: object, accepted: object) -> None:
    assert told({"accepted_values": {"column": "n", "values": [accepted]}}, {"n": value}) == []


def test_lists_and_objects_are_compared_whole() -> None:
    asserted = {"accepted_values": {"column": "x", "values": [[1, 2], {"a": 1}]}}

    assert offsets(asserted, {"x": [1, 2]}, {"x": {"a": 1}}, {"x": [2, 1]}, {"x": {}}) == [[2, 3]]


# range


@pytest.mark.parametrize(
    ("bounds", "outside"),
    [
        ({"min": 1, "max": 3}, [0, 4]),
        ({"min": 1}, [0]),
        ({"max": 3}, [4]),
        ({"min": "1", "max": "3"}, [0, 4]),
        ({"min": "1.0", "max": "3e0"}, [0, 4]),
    ],
)
def test_bounds_are_inside_the_range(bounds: dict[str, Any], outside: list[int]) -> None:
    values = [{"n": number} for number in range(5)]

    assert offsets({"range": {"column": "n", **bounds}}, *values) == [outside]


def test_what_is_no_number_is_not_looked_at_and_a_boolean_is_one() -> None:
    asserted = {"range": {"column": "n", "min": 1}}
    values = [{}, {"n": None}, {"n": "0"}, {"n": [0]}, {"n": True}, {"n": False}]

    assert offsets(asserted, *values) == [[5]]


@pytest.mark.parametrize("value", [NAN, Decimal("NaN")], ids=["float", "decimal"])
def test_what_is_not_a_number_by_name_lies_in_no_range(value: object) -> None:
    assert told({"range": {"column": "n", "max": 3}}, {"n": value}) == [
        "`n` lies outside the range in 1 of 1 message"
    ]


@pytest.mark.parametrize("value", [NAN, Decimal("NaN")], ids=["float", "decimal"])
def test_it_does_not_lie_between_no_bounds_either(value: Any) -> None:
    assert not Bounds(None, None).hold(value)


@pytest.mark.parametrize("value", [0.1, Decimal("0.1"), 0.3, Decimal("0.3")])
def test_a_bound_is_the_number_that_is_written(value: object) -> None:
    bound = float(value)  # type: ignore[arg-type]

    assert told({"range": {"column": "n", "min": bound, "max": bound}}, {"n": value}) == []


def test_large_whole_numbers_are_compared_exactly() -> None:
    most = 2**53

    assert offsets({"range": {"column": "n", "max": str(most)}}, {"n": most}, {"n": most + 1}) == [[1]]


# unique_key


def test_a_key_that_stands_in_several_messages_is_found_where_it_repeats() -> None:
    found = look({"unique_key": {"key": "id"}}, {"id": "a"}, {"id": "b"}, {"id": "a"}, {"id": "a"})

    assert found.problems == (
        Problem(
            "unique_key", "1 value of `id` in more than one of 4 messages", ((0, 2), (0, 3)), ('"a"', '"a"')
        ),
    )


@pytest.mark.parametrize(("tolerance", "passes"), [(0.2, True), ("0.2", True), (0.19, False), (None, False)])
def test_the_tolerance_is_a_share_of_the_messages(tolerance: object, *, passes: bool) -> None:
    values = [{"id": number} for number in (1, 1, 2, 2, 3, 4, 5, 6, 7, 8)]

    assert (told({"unique_key": {"key": "id", "tolerance": tolerance}}, *values) == []) is passes


def test_null_is_a_key_like_others_and_a_missing_key_is_null() -> None:
    assert offsets({"unique_key": {"key": "id"}}, {"id": None}, {"id": 1}, {}) == [[2]]


def test_numbers_that_are_equal_are_one_key() -> None:
    assert offsets({"unique_key": {"key": "id"}}, {"id": 1}, {"id": 1.0}, {"id": "1"}) == [[1]]


def test_each_list_and_object_is_an_error_whatever_is_tolerated() -> None:
    asserted = {"unique_key": {"key": "id", "tolerance": 1}}

    found = look(asserted, {"id": [1]}, {"id": 1}, {"id": {"a": 1}})

    assert found.problems == (
        Problem(
            "unique_key",
            "`id` is a list or an object in 2 of 3 messages, which is no key",
            ((0, 0), (0, 2)),
            ("[1]", '{"a": 1}'),
        ),
    )


def test_a_window_is_said_not_to_be_looked_at_and_the_rest_is() -> None:
    found = look({"unique_key": {"key": "id", "window": "1 hour"}}, {"id": 1}, {"id": 1})

    assert [problem.message for problem in found.problems] == [
        "1 value of `id` in more than one of 2 messages"
    ]
    assert found.not_evaluated == (
        NotEvaluated("unique_key", "its window: keys count as repeated however far apart they are"),
    )
    assert found.looked_at == "something"


# accepted_types

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("declared", "accepted", "refused"),
    [
        ("STRING", ["", "a"], [1, True, [], {}]),
        ("varchar(20)", ["a"], [1]),
        ("INT", [1, 0, 1.0, Decimal(2)], [1.5, "1", True, NAN, float("inf")]),
        ("BIGINT NOT NULL", [2**63], ["1"]),
        ("DOUBLE", [1, 1.5, NAN, Decimal("1.5")], ["1.5", False]),
        ("DECIMAL(10, 2)", [1, 1.5, Decimal("1.50")], ["1.50"]),
        ("BOOLEAN", [True, False], [0, 1, "true"]),
        (
            "TIMESTAMP_LTZ(3)",
            ["2026-01-01 00:00:00Z", 1767225600000, NOW, NOW.date(), NOW.time()],
            [1.5, True],
        ),
        ("DATE", ["2026-01-01", NOW.date()], [False]),
        ("BYTES", [b"\x00", "AA=="], [1]),
        ("ARRAY<INT>", [[], [1]], [{}, "[]"]),
        ("INT ARRAY", [[1]], [1]),
        ("ROW<a INT>", [{}, {"a": 1}], [[], "{}"]),
        ("MAP<STRING, INT>", [{"a": 1}], [[["a", 1]]]),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_declared_type_accepts_what_messages_carry_it_as(
    declared: str, accepted: list[object], refused: list[object]
) -> None:
    asserted = {"accepted_types": {"types": {"c": declared}}}

    assert told(asserted, *({"c": value} for value in accepted), {"c": None}, {}) == []
    for value in refused:
        assert told(asserted, {"c": value}) == [f"`c` is not of type {declared} in 1 of 1 message"]


def test_an_unknown_type_is_not_evaluated_and_the_others_are() -> None:
    found = look({"accepted_types": {"types": {"a": "GEOMETRY", "b": "INT"}}}, {"a": 1, "b": "x"})

    assert [problem.message for problem in found.problems] == ["`b` is not of type INT in 1 of 1 message"]
    assert found.not_evaluated == (NotEvaluated("accepted_types", "the type of `a`, GEOMETRY, is not known"),)
    assert found.looked_at == "something"


def test_unknown_types_alone_are_nothing_looked_at() -> None:
    found = look({"accepted_types": {"types": {"a": "GEOMETRY"}}}, {"a": 1})

    assert (found.problems, found.looked_at) == ((), "nothing")


# distribution


def buckets(*declared: dict[str, Any]) -> dict[str, Any]:
    return {"distribution": {"column": "n", "buckets": list(declared)}}


def numbers(*values: object) -> list[dict[str, Any]]:
    return [{"n": value} for value in values]


def test_shares_are_compared_with_what_is_expected_give_or_take_the_tolerance() -> None:
    asserted = buckets(
        {"min": 0, "max": 10, "expected_ratio": 0.8, "tolerance": 0.1},
        {"min": 10, "max": 20, "expected_ratio": 0.2},
    )

    assert told(asserted, *numbers(1, 2, 3, 4, 5, 6, 7, 15, 15, 15)) == [
        "3 of 10 numbers of `n` lie from 10 to 20: a share of 0.3 where 0.2 is expected"
    ]
    assert told(asserted, *numbers(1, 2, 3, 4, 5, 6, 15, 15, 15, 15)) == [
        "6 of 10 numbers of `n` lie from 0 to 10: a share of 0.6 where 0.8 give or take 0.1 is expected",
        "4 of 10 numbers of `n` lie from 10 to 20: a share of 0.4 where 0.2 is expected",
    ]


def test_a_share_may_be_at_most_the_greatest() -> None:
    asserted = buckets({"max": 0, "max_ratio": 0.5})

    assert told(asserted, *numbers(-1, 1)) == []
    assert told(asserted, *numbers(-1, 0, 1)) == [
        "2 of 3 numbers of `n` lie to 0: a share of 0.6667 where at most 0.5 is accepted"
    ]


def test_both_bounds_belong_to_a_bucket_unless_another_one_starts_there() -> None:
    asserted = buckets(
        {"min": 0, "max": 10, "expected_ratio": 0.25}, {"min": 10, "max": 20, "expected_ratio": 0.75}
    )

    assert told(asserted, *numbers(0, 10, 15, 20)) == []


def test_shares_are_of_the_messages_with_a_number() -> None:
    asserted = buckets({"min": 0, "max": 9, "expected_ratio": 0.5})

    assert told(asserted, *numbers(1, 11, None, "2"), {}) == []


def test_without_any_number_there_is_nothing_to_compare() -> None:
    found = look(buckets({"min": 0, "expected_ratio": 1}), {"n": "1"}, {})

    assert found.not_evaluated == (NotEvaluated("distribution", "`n` is a number in none of 2 messages"),)
    assert (found.problems, found.looked_at) == ((), "nothing")


# what a sample does not tell


@pytest.mark.parametrize(
    "assertion",
    [
        {"not_null": {"columns": []}},
        {"accepted_types": {}},
        {"accepted_types": {"types": {}}},
        {"range": {"column": "n"}},
        buckets(),
        buckets({"min": 0, "max": 1, "tolerance": 0.5}),
    ],
    ids=str,
)
def test_an_assertion_that_names_nothing_to_check_is_not_evaluated(assertion: dict[str, Any]) -> None:
    (kind,) = assertion

    found = look(assertion, {"n": 1})

    assert found == Asserted((), (NotEvaluated(kind, "it names nothing to check"),), "nothing")


@pytest.mark.parametrize(
    ("assertion", "reason"),
    [
        ({"max_lag": {"column": "t", "max_seconds": 1}}, "a sample starts with the oldest messages"),
        ({"throughput": {"min_per_second": 1}}, "a sample is read as fast as it comes"),
        (
            {"foreign_key": {"column": "a", "ref_model": "orders", "ref_key": "id"}},
            "it needs all keys of another",
        ),
        ({"custom_sql": {"where": "n < 0"}}, "a sample is read without an SQL engine"),
    ],
    ids=lambda part: next(iter(part)) if isinstance(part, dict) else "",
)
def test_what_a_sample_cannot_answer_is_not_evaluated(assertion: dict[str, Any], reason: str) -> None:
    found = look(assertion, {"n": -1})

    ((kind, why),) = found.not_evaluated
    assert (found.problems, found.looked_at) == ((), "nothing")
    assert (kind, why[: len(reason)]) == (next(iter(assertion)), reason)


def test_one_assertion_that_was_looked_at_is_something() -> None:
    test = Selected(
        0,
        "t",
        "orders",
        "sample",
        {"assertions": [{"custom_sql": {"where": "x"}}, {"unique_key": {"key": "a"}}]},
    )

    assert Assertions(packaged_rules(), registry=False).look(test, messages({})).looked_at == "something"


def test_without_assertions_nothing_is_left_out() -> None:
    test = Selected(0, "t", "orders", "sample", {})

    assert Assertions(packaged_rules(), registry=False).look(test, messages({})) == Asserted(
        (), (), "something"
    )


# what is kept of messages at fault


def test_of_many_messages_at_fault_the_first_ten_are_named_and_the_others_counted() -> None:
    (problem,) = look({"not_null": {"columns": ["id"]}}, *[{}] * 1000).problems

    assert problem.positions == tuple((0, offset) for offset in range(10))
    assert (len(problem.values), problem.more) == (10, 990)
    assert problem.message == "`id` is null or missing in 1000 of 1000 messages"


def test_messages_of_several_partitions_keep_their_places() -> None:
    read = (*messages({"id": 1}, {}, partition=3), *messages({}, partition=7))

    (problem,) = look_at({"not_null": {"columns": ["id"]}}, read).problems

    assert problem.positions == ((3, 1), (7, 0))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("é", '"é"'),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        (b"\x00", "\"b'\\\\x00'\""),
        ("x" * 99, '"xxxxxx...'),
    ],
    ids=["text", "object", "bytes", "long"],
)
def test_a_value_is_shown_as_json_and_cut(value: object, text: str) -> None:
    assert shown(value, 10 if value == "x" * 99 else 80) == text


def test_neither_messages_nor_problems_show_what_messages_hold() -> None:
    planted = "planted-in-a-message"
    message = Message(0, 0, {"id": planted})

    found = look_at({"accepted_values": {"column": "id", "values": ["x"]}}, (message,))

    assert found.problems[0].values == (f'"{planted}"',)
    assert planted not in repr(found)
    assert planted not in repr(message)
