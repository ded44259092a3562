"""The stand-in for a Schema Registry keeps to what the interface documents; so what is shown on it counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
from registry_stand_in import MEDIA_TYPE, RegistryStandIn, registry_stand_in
from schema_plans import BROKEN, V1, V2

FORM = {"Content-Type": MEDIA_TYPE}


@pytest.fixture
def registry() -> Iterator[RegistryStandIn]:
    with registry_stand_in() as stand_in:
        yield stand_in


def ask(registry: RegistryStandIn, line: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    method, path = line.split(" ")
    connection = HTTPConnection(registry.url.removeprefix("http://"), timeout=20)
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(
            method, path, sent, {**FORM, **{key.replace("_", "-"): headers[key] for key in headers}}
        )
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def refusal(registry: RegistryStandIn, line: str, body: Any = None) -> tuple[int, int]:
    status, told = ask(registry, line, body)
    assert set(told) == {"error_code", "message"}
    return status, told["error_code"]


def test_a_subject_goes_its_way_from_the_first_version_to_its_deletion(registry: RegistryStandIn) -> None:
    assert ask(registry, "POST /subjects/a/versions", {"schema": V1}) == (200, {"id": 1})
    assert ask(registry, "POST /subjects/a/versions", {"schema": V2}) == (200, {"id": 2})
    assert ask(registry, "POST /subjects/a/versions", {"schema": V1}) == (200, {"id": 1})
    assert ask(registry, "POST /subjects/b/versions", {"schema": V2}) == (200, {"id": 2})
    assert ask(registry, "GET /subjects") == (200, ["a", "b"])
    assert ask(registry, "GET /subjects/a/versions") == (200, [1, 2])
    status, latest = ask(registry, "GET /subjects/a/versions/latest")
    assert (status, latest["subject"], latest["version"], latest["id"]) == (200, "a", 2, 2)
    assert set(latest) == {"subject", "version", "id", "schema"}
    assert ask(registry, "POST /subjects/a", {"schema": V1})[1]["version"] == 1
    assert refusal(registry, "DELETE /subjects/a?permanent=true") == (404, 40405)
    assert ask(registry, "DELETE /subjects/a") == (200, [1, 2])
    assert refusal(registry, "DELETE /subjects/a") == (404, 40404)
    assert ask(registry, "POST /subjects/a/versions", {"schema": V1}) == (200, {"id": 1})
    assert ask(registry, "GET /subjects/a/versions") == (200, [3])
    assert ask(registry, "DELETE /subjects/a") == (200, [3])
    assert ask(registry, "DELETE /subjects/a?permanent=true") == (200, [1, 2, 3])
    assert refusal(registry, "DELETE /subjects/a") == (404, 40401)


def test_what_is_not_there_or_cannot_be_read_has_its_code(registry: RegistryStandIn) -> None:
    registry.put("a", V1)

    assert refusal(registry, "GET /subjects/b/versions/latest") == (404, 40401)
    assert refusal(registry, "GET /subjects/a/versions/2") == (404, 40402)
    assert refusal(registry, "GET /subjects/a/versions/first") == (422, 42202)
    assert refusal(registry, "POST /subjects/a", {"schema": V2}) == (404, 40403)
    assert refusal(registry, "POST /subjects/a/versions", {"schema": "{"}) == (422, 42201)
    assert refusal(registry, "POST /subjects/a/versions", {"schema": V1, "schemaType": "XML"}) == (422, 42201)
    assert refusal(registry, "POST /subjects/a/versions", {"schema": BROKEN}) == (409, 409)
    assert refusal(registry, "PUT /config/a", {"compatibility": "SOME"}) == (422, 42203)
    assert refusal(registry, "GET /config/a") == (404, 40408)
    assert refusal(registry, "GET /elsewhere") == (404, 404)


def test_who_does_not_encode_a_subject_is_told_that_there_is_nothing(registry: RegistryStandIn) -> None:
    registry.put("a/b", V1)

    assert refusal(registry, "GET /subjects/a/b/versions/latest") == (404, 404)
    assert refusal(registry, "GET /subjects/a%252Fb/versions/latest") == (404, 40401)
    assert ask(registry, "GET /subjects/a%2Fb/versions/latest")[0] == 200


def test_schemas_are_judged_by_the_level_of_their_subject(registry: RegistryStandIn) -> None:
    registry.put("a", V1)
    asked = "POST /compatibility/subjects/a/versions/latest"

    assert ask(registry, asked, {"schema": V2}) == (200, {"is_compatible": True})
    assert ask(registry, f"{asked}?verbose=true", {"schema": BROKEN}) == (
        200,
        {
            "is_compatible": False,
            "messages": ["READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: amount"],
        },
    )
    assert ask(registry, "PUT /config/a", {"compatibility": "FORWARD"}) == (200, {"compatibility": "FORWARD"})
    assert ask(registry, "GET /config/a") == (200, {"compatibilityLevel": "FORWARD"})
    assert ask(registry, asked, {"schema": BROKEN}) == (200, {"is_compatible": True})
    assert ask(registry, "GET /config") == (200, {"compatibilityLevel": "BACKWARD"})
    assert ask(registry, "GET /config/b?defaultToGlobal=true") == (200, {"compatibilityLevel": "BACKWARD"})


def test_a_login_a_right_and_a_form_can_be_missing(registry: RegistryStandIn) -> None:
    registry.login = "ada:secret"
    registry.forbidden["GET /subjects/a/versions"] = "denied"

    assert ask(registry, "GET /subjects")[0] == 401
    assert ask(registry, "GET /subjects", Authorization="Basic YWRhOnNlY3JldA==") == (200, [])
    assert ask(registry, "GET /subjects/a/versions", Authorization="Basic YWRhOnNlY3JldA==")[0] == 403
    registry.login = None
    assert ask(registry, "POST /subjects/a", {"schema": V1}, Content_Type="text/plain")[0] == 415
