"""What a sample tells about each kind of assertion: pure functions of messages.

A key that a message lacks is null. Source: sections 3.5 and 8 of the project language; where those are silent
(types, distributions, null keys), `docs/testing-streams.md` says what holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from streamt_ol.checks.bounds import bounds_of, is_number
from streamt_ol.checks.distributions import distribution
from streamt_ol.checks.faults import Faults, counted
from streamt_ol.checks.looking import Look, Seen, exactly
from streamt_ol.checks.records import NotEvaluated
from streamt_ol.checks.value_kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from streamt_ol.checks.records import Message, Problem
    from streamt_ol.project.records import Raw


def not_null(asserted: Raw, messages: Sequence[Message], look: Look) -> Seen:
    """Look for messages whose column is null or missing; a problem per column."""
    problems: list[Problem] = []
    for column in asserted["columns"]:
        faults = Faults(look.limits)
        for message in messages:
            if message.value.get(column) is None:
                faults.add(message, None)
        if faults.count:
            text = f"`{column}` is null or missing in {faults.among(len(messages))}"
            problems.append(faults.problem("not_null", text))
    return Seen(tuple(problems))


def accepted_values(asserted: Raw, messages: Sequence[Message], look: Look) -> Seen:
    """Look for values that equal none of the list (1, 1.0 and true are equal); missing ones are accepted."""
    column = asserted["column"]
    accepted = _Among(asserted["values"])
    faults = Faults(look.limits)
    for message in messages:
        if column in message.value and message.value[column] not in accepted:
            faults.add(message, message.value[column])
    text = f"`{column}` is none of the accepted values in {faults.among(len(messages))}"
    return Seen((faults.problem("accepted_values", text),) if faults.count else ())


def value_range(asserted: Raw, messages: Sequence[Message], look: Look) -> Seen:
    """Look for numbers outside the bounds, which are inside themselves; other values are not looked at."""
    column, bounds = asserted["column"], bounds_of(asserted)
    faults = Faults(look.limits)
    for message in messages:
        value = message.value.get(column)
        if is_number(value) and not bounds.hold(value):
            faults.add(message, value)
    text = f"`{column}` lies outside the range in {faults.among(len(messages))}"
    return Seen((faults.problem("range", text),) if faults.count else ())


def unique_key(asserted: Raw, messages: Sequence[Message], look: Look) -> Seen:
    """Look for keys that stand in several messages; null is a key like others, lists and objects are none.

    What is compared with the tolerance is the number of keys seen more than once per message read.
    """
    key = asserted["key"]
    tolerance = Fraction(0) if asserted.get("tolerance") is None else exactly(asserted["tolerance"])
    unfit, repeats = Faults(look.limits), Faults(look.limits)
    again: dict[Any, bool] = {}
    for message in messages:
        value = message.value.get(key)
        if isinstance(value, Mapping | list):
            unfit.add(message, value)
        elif value in again:
            again[value] = True
            repeats.add(message, value)
        else:
            again[value] = False
    problems: list[Problem] = []
    if unfit.count:
        text = f"`{key}` is a list or an object in {unfit.among(len(messages))}, which is no key"
        problems.append(unfit.problem("unique_key", text))
    repeated = sum(again.values())
    if Fraction(repeated, len(messages)) > tolerance:
        text = (
            f"{counted(repeated, 'value')} of `{key}` in more than one of {counted(len(messages), 'message')}"
        )
        problems.append(repeats.problem("unique_key", text))
    return Seen(tuple(problems))


def accepted_types(asserted: Raw, messages: Sequence[Message], look: Look) -> Seen:
    """Look for values that the declared type of their column does not accept; null always is accepted."""
    problems: list[Problem] = []
    unknown: list[NotEvaluated] = []
    for column, declared in asserted["types"].items():
        accepted = look.types.match(declared, look.at).get("looks")
        if accepted is None:
            reason = f"the type of `{column}`, {declared}, is not known"
            unknown.append(NotEvaluated("accepted_types", reason))
            continue
        faults = Faults(look.limits)
        for message in messages:
            value = message.value.get(column)
            if value is not None and kind_of(value) not in accepted:
                faults.add(message, value)
        if faults.count:
            text = f"`{column}` is not of type {declared} in {faults.among(len(messages))}"
            problems.append(faults.problem("accepted_types", text))
    return Seen(tuple(problems), tuple(unknown), evaluated=len(unknown) < len(asserted["types"]))


class _Among:
    """Membership by `==`, quickly where all values can be looked up."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._plain = frozenset(value for value in values if not isinstance(value, Mapping | list))
        self._nested = [value for value in values if isinstance(value, Mapping | list)]

    def __contains__(self, value: object) -> bool:
        if isinstance(value, Mapping | list):
            return value in self._nested
        return value in self._plain


Method = Callable[["Raw", "Sequence[Message]", Look], Seen]
METHODS: Mapping[str, Method] = {
    "not_null": not_null,
    "accepted_values": accepted_values,
    "range": value_range,
    "unique_key": unique_key,
    "accepted_types": accepted_types,
    "distribution": distribution,
}
"""Words of the domain `assertion_method` to what they do with messages, of which there is at least one."""
