"""Variables in the configuration of a connector: nothing replaces them, and that is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from streamt_ol.governance.findings import Finding


def sink(config: dict[str, Any], **more: str) -> str:
    block = json.dumps({"connector": "jdbc-sink", "config": config, **more})
    return f"models:\n  - {{name: lake, from: [{{source: ships}}], sink: {block}}}\n"


def warned(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(one.location, one.message) for one in findings if one.code == "W122_VARIABLE_NOT_REPLACED"]


def test_a_variable_that_nothing_replaces_is_told_with_its_place(find: Callable[..., list[Finding]]) -> None:
    found = find(sink({"db.password": "${DB_PASSWORD}", "url": "jdbc://${HOST:-planted}/a"}))

    (first, second) = [one for one in found if one.code == "W122_VARIABLE_NOT_REPLACED"]
    assert first == Finding(
        "W122_VARIABLE_NOT_REPLACED",
        "'db.password' of the sink of model 'lake' has ${DB_PASSWORD}, and variables are replaced in `runtime` only: "
        "Kafka Connect gets it as it is written",
        "/models/0/sink/config/db.password",
        "write the value, or have the workers look it up with one of their config providers, "
        "as ${env:DB_PASSWORD}",
    )
    assert (second.location, second.suggestion) == (
        "/models/0/sink/config/url",
        "write the value, or have the workers look it up with one of their config providers, as ${env:HOST}",
    )
    assert "has ${HOST} with a default, and" in second.message
    assert "planted" not in f"{found!r}"


@pytest.mark.parametrize(
    "value",
    [
        "${file:/etc/lake.properties:password}",
        "${env:DB_PASSWORD}",
        "${directory:/run/secrets:DB_PASSWORD}",
        "${vault:KEY}",
        "kafka_${topic}",
        "$NAME",
        "${NAME-x}",
        "${1A}",
        "${A.B}",
        7,
        True,
        None,
    ],
)
def test_what_connect_or_a_connector_replaces_is_left_alone(
    find: Callable[..., list[Finding]], value: Any
) -> None:
    assert warned(find(sink({"key": value}))) == []


def test_each_text_of_a_list_is_looked_at(find: Callable[..., list[Finding]]) -> None:
    assert [at for at, _message in warned(find(sink({"hosts": ["a", "${HOST}", 7]})))] == [
        "/models/0/sink/config/hosts"
    ]


def test_a_connection_is_told_of_once_and_where_it_is_used(find: Callable[..., list[Finding]]) -> None:
    connections = (
        "connections:\n"
        "  db: {type: jdbc, config: {user: '${DB_USER}', password: '${DB_PASSWORD}'}}\n"
        "  unused: {type: jdbc, config: {user: '${DB_USER}'}}\n"
    )
    models = sink({"password": "x"}, connection="db").splitlines()
    second = models[1].replace("lake", "pond")

    found = warned(find("\n".join([*models, second, connections])))

    assert [at for at, _message in found] == ["/connections/db/config/user"]
    assert found[0][1].startswith("'user' of connection 'db' has ${DB_USER}, and")
