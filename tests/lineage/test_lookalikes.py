"""Names that may be taken for one are pointed out, with the code points that differ."""

from __future__ import annotations

import pytest

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.lineage.lookalikes import look_alikes

RULES = load_rules(rules_folder())


def warnings(kind: str, *names: str) -> list[tuple[str | None, str]]:
    located = [(name, f"/{position}") for position, name in enumerate(names)]
    return [(warning.location, warning.message) for warning in look_alikes(kind, located, RULES)]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            "Orders",
            "orders",
            "'Orders' and 'orders' differ only by case (U+004F against U+006F): some catalogues fold them into one dataset",
        ),
        (
            "a b",
            "a\u00a0b",
            "'a b' and 'a\u00a0b' differ only by Unicode normalization (U+0020 against U+00A0)",
        ),
        ("a b", "ab", "'a b' and 'ab' differ only by white space (U+0020 against nothing)"),
        (
            "caf\u00e9",
            "cafe\u0301",
            "'caf\u00e9' and 'cafe\u0301' differ only by Unicode normalization (U+00E9 against U+0065 U+0301)",
        ),
        (
            "A.b",
            "a_B",
            "'A.b' and 'a_B' differ only by case, white space, punctuation or Unicode normalization "
            "(U+0041 U+002E U+0062 against U+0061 U+005F U+0042)",
        ),
        (
            "orders.v1",
            "orders_v1",
            "'orders.v1' and 'orders_v1' differ only by '.' against '_': "
            "their metric names collide in Kafka, and some catalogues fold them",
        ),
    ],
)
def test_a_pair_is_pointed_out_at_the_later_name(first: str, second: str, message: str) -> None:
    assert warnings("dataset", first, second) == [("/1", message)]


def test_names_that_differ_otherwise_are_no_pair() -> None:
    assert warnings("dataset", "orders", "orders2", "order-s", "ordérs") == []


def test_points_and_underscores_tell_fields_apart() -> None:
    assert warnings("field", "a.b", "a_b") == []


def test_three_look_alikes_give_two_warnings() -> None:
    assert [location for location, _message in warnings("field", "id", "ID", "Id")] == ["/1", "/2"]
