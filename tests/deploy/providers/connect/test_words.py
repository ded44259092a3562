"""What Kafka Connect says, without what it quotes; names that a connector can have; what states mean."""

from __future__ import annotations

from typing import Any

import pytest
from checked import packaged_rules

from streamt_ol.deploy.providers.connect.facts import Expected
from streamt_ol.deploy.providers.connect.keys import differing
from streamt_ol.deploy.providers.connect.names import is_usable
from streamt_ol.deploy.providers.connect.states import NO_STATUS, States, Verdict, read_status
from streamt_ol.deploy.providers.connect.words import first_and_cause, hidden_values, said
from streamt_ol.services.http_service import HttpService

DECIDED = {"name": "archive", "connector.class": "com.example.Sink", "topics": "shop.orders,shop.returns"}


def shown(message: str, **config: Any) -> str | None:
    """Return what is shown of a message about a connector with this configuration."""
    reason = said({"error_code": 400, "message": message})
    assert reason is not None
    return HttpService({}).without_secrets(reason, secrets=hidden_values({"config": {**DECIDED, **config}}))


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Connector configuration is invalid and contains the following 2 error(s):\n"
            "Invalid value planted-x for configuration tasks.max: Not a number of type INT\n"
            'Missing required configuration "file" which has no default value.\n'
            "You can also find the above list of errors at the endpoint `/connector-plugins/{x}/config/validate`",
            "Connector configuration is invalid and contains the following 2 error(s): "
            "Invalid value for configuration tasks.max: Not a number of type INT "
            'Missing required configuration "file" which has no default value.',
        ),
        (
            "Failed to find any class that implements Connector and which name matches no.such.Class, available "
            "connectors are: PluginDesc{klass=class org.example.One, name='org.example.One'}, PluginDesc{...}",
            "Failed to find any class that implements Connector and which name matches no.such.Class",
        ),
        (
            "Connector config {name=bad, pin=123, secret=planted, x={y}} contains no connector type",
            "Connector config {...} contains no connector type",
        ),
        ("Connector archive already exists", "Connector archive already exists"),
        ("com.example.Sink cannot read shop.returns", "com.example.Sink cannot read shop.returns"),
        (
            "Invalid value a for configuration planted for configuration k: no",
            "Invalid value for configuration k: no",
        ),
        ("Invalid value ab for configuration k", "Invalid value for configuration k"),
        (
            "org.apache.kafka.connect.errors.ConnectException: Failed to find any class of java.io.IOException: x",
            "Failed to find any class of java.io.IOException: x",
        ),
    ],
    ids=[
        "values",
        "plugins",
        "whole configuration",
        "exists",
        "public",
        "value like a sentence",
        "short value",
        "given again",
    ],
)
def test_what_is_quoted_is_left_out_of_what_connect_says(message: str, told: str) -> None:
    assert shown(message) == told


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("planted-value", "cannot log in with planted-value at the database"),
        ("first line\nplanted", "Invalid value first line\nplanted for configuration key: no PEM"),
        ("first line\nplanted", "the line planted is no PEM"),
        ("one,planted", "no such entry: planted"),
        ("jdbc:db://host?user=me&key=planted", "no property key=planted"),
        ('KEY a="x";planted', "expected a token, found planted"),
        (123456, "123456 is too much"),
    ],
    ids=["value", "lines", "one line", "one of a list", "part of an address", "part of a clause", "number"],
)
def test_no_value_of_a_configuration_is_told_whatever_its_key_is(value: Any, message: str) -> None:
    told = shown(message, harmless=value)

    assert told is not None
    assert "***" in told or "Invalid value" in told
    assert "planted" not in told
    assert "123456" not in told


def test_what_is_decided_or_says_nothing_stays_readable() -> None:
    config = {**DECIDED, "enabled": "true", "short": "abc", "same": "shop.orders", "long": "planted"}

    assert hidden_values({"config": config}, None) == ("planted",)


def test_values_of_both_sides_of_a_change_are_hidden() -> None:
    assert hidden_values({"config": {"a": "planted-1"}}, {"config": {"a": "planted-2"}}) == (
        "planted-1",
        "planted-2",
    )


@pytest.mark.parametrize(
    "key", ["key.converter", "value.converter", "header.converter", "transforms.t.type", "predicates.p.type"]
)
def test_a_class_that_is_not_there_is_named_where_one_belongs(key: str) -> None:
    message = f"Invalid value no.such.Part for configuration {key}: Class no.such.Part could not be found."

    assert shown(message, **{key: "no.such.Part"}) == (
        f"Invalid value for configuration {key}: Class no.such.Part could not be found."
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [("value.converter", "planted secret"), ("transforms.t.type", "planted"), ("t.type", "planted.secret")],
)
def test_what_is_no_class_or_stands_where_none_belongs_is_hidden(key: str, value: str) -> None:
    assert shown(f"Class {value} could not be found.", **{key: value}) == "Class *** could not be found."


@pytest.mark.parametrize("body", [None, [], {}, {"message": None}, {"message": 1}, "text"])
def test_an_answer_without_a_message_gives_no_reason(body: Any) -> None:
    assert said(body) is None


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        ("", ""),
        (
            "org.example.ConnectException: no file\n\tat org.example.Sink.start(Sink.java:1)\n",
            "org.example.ConnectException: no file",
        ),
        (
            "org.example.ConnectException: Exiting\n\tat a.B.c(B.java:1)\nCaused by: x.Y: middle\n\tat a.B\n"
            "Caused by: java.io.IOException: disk full\n\t... 9 more\n",
            "org.example.ConnectException: Exiting; caused by java.io.IOException: disk full",
        ),
        ("x.Y: java.io.IOException: a\nCaused by: java.io.IOException: a\n", "x.Y: java.io.IOException: a"),
    ],
    ids=["nothing", "one", "causes", "cause said before"],
)
def test_of_a_trace_the_first_line_and_the_root_cause_are_told(trace: str, told: str) -> None:
    assert first_and_cause(trace) == told


@pytest.mark.parametrize(
    "name", ["archive", "a b", "a;b", "a?b#c", "käse", "a:b&c+d", "...", '"', "\U0001f600", "x" * 256]
)
def test_a_name_that_leads_back_to_its_connector_can_be_used(name: str) -> None:
    assert is_usable(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "a\\b", "a%2Fb", " a", "a ", "a\tb", "a\x00", "\x7f", "a\x85b", "\ud800"]
)
def test_a_name_that_leads_elsewhere_or_nowhere_cannot(name: str) -> None:
    assert not is_usable(name)


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        (None, None, ()),
        (None, {}, ("existence",)),
        ({}, None, ("existence",)),
        ({"a": "1"}, {"a": "1"}, ()),
        ({"a": "1", "b": "x"}, {"a": "2", "c": "x"}, ("config.a", "config.b", "config.c")),
        ({"a": 1}, {"a": "1"}, ("config.a",)),
        ({"a": 1}, {"a": True}, ("config.a",)),
        ({"a": 0}, {"a": False}, ("config.a",)),
        ({"a": 1}, {"a": 1.0}, ("config.a",)),
        ({"a b": "1"}, {"a b": "2"}, ("config.(unusual key 1)",)),
    ],
)
def test_configurations_differ_by_key_type_and_value(
    before: Any, after: Any, fields: tuple[str, ...]
) -> None:
    sides = [None if side is None else {"config": side} for side in (before, after)]

    assert differing(*sides) == fields


def status(connector: str, *tasks: str) -> Any:
    told = [{"id": number, "state": state} for number, state in enumerate(tasks)]
    return {"name": "x", "connector": {"state": connector}, "tasks": told}


@pytest.mark.parametrize(
    ("told", "expected", "verdict", "words"),
    [
        (status("RUNNING", "RUNNING"), "RUNNING", "reached", "RUNNING, 1 task RUNNING"),
        (status("RUNNING", "RUNNING", "RUNNING"), "RUNNING", "reached", "RUNNING, 2 tasks RUNNING"),
        (
            status("RUNNING", "FAILED", "RUNNING"),
            "RUNNING",
            "failed",
            "RUNNING, 1 task FAILED, 1 task RUNNING",
        ),
        (status("FAILED"), "RUNNING", "failed", "FAILED, no task"),
        (status("PAUSED", "FAILED"), "PAUSED", "failed", "PAUSED, 1 task FAILED"),
        (status("RUNNING", "UNASSIGNED"), "RUNNING", "awaited", "RUNNING, 1 task UNASSIGNED"),
        (
            status("RUNNING", "RUNNING", "RESTARTING"),
            "RUNNING",
            "awaited",
            "RUNNING, 1 task RESTARTING, 1 task RUNNING",
        ),
        (status("UNASSIGNED"), "RUNNING", "awaited", "UNASSIGNED, no task"),
        (status("RUNNING"), "RUNNING", "idle", "RUNNING, no task"),
        (status("PAUSED", "PAUSED"), "PAUSED", "reached", "PAUSED, 1 task PAUSED"),
        (status("PAUSED"), "PAUSED", "reached", "PAUSED, no task"),
        (status("STOPPED"), "STOPPED", "reached", "STOPPED, no task"),
        (status("PAUSED", "PAUSED"), "RUNNING", "awaited", "PAUSED, 1 task PAUSED"),
        (status("RUNNING", "RUNNING"), "PAUSED", "awaited", "RUNNING, 1 task RUNNING"),
        (status("STOPPED"), "PAUSED", "awaited", "STOPPED, no task"),
        (status("DESTROYED"), "RUNNING", "awaited", "DESTROYED, no task"),
    ],
)
def test_states_mean_that_a_change_has_come_to_its_end_or_not(
    told: Any, expected: Expected, verdict: Verdict, words: str
) -> None:
    read = read_status(told)

    assert (States(packaged_rules()).verdict(read, expected), read.told) == (verdict, words)


def test_a_connector_without_a_status_is_waited_for() -> None:
    assert States(packaged_rules()).verdict(NO_STATUS, "RUNNING") == "awaited"
    assert NO_STATUS.told == "no state yet"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (status("RUNNING", "RUNNING"), "RUNNING"),
        (status("FAILED"), "RUNNING"),
        (status("PAUSED", "PAUSED"), "PAUSED"),
        (status("STOPPED"), "STOPPED"),
    ],
)
def test_what_was_held_is_to_be_held_and_everything_else_to_run(told: Any, expected: Expected) -> None:
    assert read_status(told).expected == expected


def test_a_part_of_a_status_does_not_show_why_it_failed() -> None:
    failed = {"connector": {"state": "FAILED", "trace": "planted"}, "tasks": []}

    assert "planted" not in repr(read_status(failed))
