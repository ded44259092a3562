"""Schemas observed, judged, registered and taken back, in a stand-in for a Schema Registry."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from http_stand_in import Fault, Handler, answers, tell
from registry_paths import Request
from registry_stand_in import RegistryStandIn, registry_stand_in
from schema_plans import (
    BROKEN,
    ORDERS,
    V1,
    V2,
    optional,
    provider_of,
    record,
    registration,
    seen,
    surface,
    wanted,
)

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError
from streamt_ol.deploy.records import Live, Wanted

VERSIONS = f"/subjects/{ORDERS}/versions"
PROTO = 'syntax = "proto3";\n\nmessage Order {\n    string id = 1; // the key\n}\n'
UNSAID = "message Order { optional string id = 1; }"
"""A registry adds what it does not say: that its syntax is the older one."""
JSON_SCHEMA = json.dumps({"type": "object", "properties": {"password": {"type": "string"}}})


@pytest.fixture
def registry() -> Iterator[RegistryStandIn]:
    with registry_stand_in() as stand_in:
        yield stand_in


# observing


def test_a_subject_is_told_by_type_and_digest_of_its_latest(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    registry.put(ORDERS, V2)

    assert seen(registry, Wanted(ORDERS)) == Live("schema", ORDERS, surface(V2))


def test_a_subject_that_is_not_there_is_absent_and_not_made(registry: RegistryStandIn) -> None:
    assert seen(registry, wanted(V1)) == Live("schema", ORDERS, None)
    assert {request.method for request in registry.requests} == {"GET"}
    assert registry.subjects.versions == {}


def test_a_subject_that_was_deleted_is_absent(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    registry.subjects.delete(ORDERS, permanent=False)

    assert seen(registry, wanted(V1)).surface is None


def test_what_a_schema_builds_on_is_part_of_what_is_there(registry: RegistryStandIn) -> None:
    registry.put("money-value", record("currency", name="Money"))
    references = [{"name": "Money", "subject": "money-value", "version": 1}]
    registry.put(ORDERS, '{"type": "object"}', "JSON", references)

    assert seen(registry, Wanted(ORDERS)).surface == {
        **(surface('{"type": "object"}', "JSON") or {}),
        "references": references,
    }


def test_what_is_there_in_other_words_is_as_it_is_wanted(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, {"type": "string"})

    assert seen(registry, wanted('{"type":  "string"}')) == Live("schema", ORDERS, surface('"string"'))
    assert [request.method for request in registry.requests] == ["GET"]


def test_what_only_the_registry_takes_for_the_same_is_as_wanted(
    registry: RegistryStandIn,
) -> None:
    registry.put(ORDERS, "message Order {}", "PROTOBUF")
    registry.put(ORDERS, UNSAID, "PROTOBUF")

    assert seen(registry, Wanted(ORDERS)).surface == surface(f'syntax = "proto2";{UNSAID}', "PROTOBUF")
    assert seen(registry, wanted(UNSAID, "PROTOBUF")) == Live("schema", ORDERS, surface(UNSAID, "PROTOBUF"))


@pytest.mark.parametrize(
    ("kind", "text"),
    [("AVRO", V1), ("JSON", JSON_SCHEMA), ("PROTOBUF", PROTO)],
    ids=["avro", "json", "proto"],
)
def test_each_type_comes_back_as_it_was_registered(registry: RegistryStandIn, kind: str, text: str) -> None:
    provider_of(registry.url).execute(registration(text, None, kind))

    assert seen(registry, wanted(text, kind)) == Live("schema", ORDERS, surface(text, kind))
    assert registry.sent("POST", VERSIONS)[0].body == {"schema": text, "schemaType": kind}
    assert registry.sent("POST", f"/subjects/{ORDERS}") == []


@pytest.mark.parametrize(
    ("text", "level", "verdict"),
    [(V2, "BACKWARD", "compatible"), (BROKEN, "BACKWARD", "incompatible"), (BROKEN, "NONE", "compatible")],
)
def test_what_is_wanted_instead_is_judged_by_the_registry(
    registry: RegistryStandIn, text: str, level: str, verdict: str
) -> None:
    registry.put(ORDERS, V1)
    registry.subjects.levels[ORDERS] = level

    live = seen(registry, wanted(text))

    assert (live.surface, live.verdict) == (surface(V1), verdict)
    assert ("amount" in live.reason) is (verdict == "incompatible")
    assert registry.subjects.registered == 1


def test_the_judgement_is_also_about_older_versions(registry: RegistryStandIn) -> None:
    amount = {"name": "amount", "type": "string"}
    registry.put(ORDERS, record("id"))
    registry.put(ORDERS, record("id", {**amount, "default": "0"}))
    without_default = wanted(record("id", amount))

    by_the_latest = seen(registry, without_default)
    registry.subjects.level = "BACKWARD_TRANSITIVE"
    by_all = seen(registry, without_default)

    assert (by_the_latest.verdict, by_all.verdict) == ("compatible", "incompatible")
    assert by_all.reason == "READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: amount"


def test_an_older_registry_is_asked_about_the_latest_version(
    registry: RegistryStandIn,
) -> None:
    registry.put(ORDERS, V1)
    path = f"/compatibility/subjects/{ORDERS}/versions"
    registry.faults[f"POST {path}"] = Fault(
        answers(404, b'{"error_code": 404, "message": "HTTP 404 Not Found"}'), times=2
    )

    assert seen(registry, wanted(BROKEN)).verdict == "incompatible"
    assert seen(registry, wanted(V2)).verdict == "compatible"
    assert [one.path for one in registry.sent("POST")[-2:]] == [path, f"{path}/latest"]


def test_another_type_is_judged_like_any_other_schema(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)

    live = seen(registry, wanted(JSON_SCHEMA, "JSON"))

    assert (live.surface, live.verdict) == (surface(V1), "incompatible")


def test_a_schema_that_cannot_be_read_is_told_in_its_words(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)

    live = seen(registry, wanted('{"type": "recodr", "name": "Order", "fields": []}'))

    assert (live.surface, live.verdict) == (surface(V1), "invalid")
    assert live.reason.startswith("Invalid schema of type AVRO, details: ")


def test_a_schema_that_was_there_before_is_not_taken_for_a_new_one(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    registry.put(ORDERS, V2)

    live = seen(registry, wanted(V1))

    assert (live.surface, live.verdict) == (surface(V2), "superseded")
    assert live.reason == "it is version 1, and version 2 is the latest"


@pytest.mark.parametrize(("number", "text"), [(1, V1), (2, V2)])
def test_a_named_version_is_looked_at_instead_of_the_latest(
    registry: RegistryStandIn, number: int, text: str
) -> None:
    registry.put(ORDERS, V1)
    registry.put(ORDERS, V2)

    assert seen(registry, wanted(text, version=number)) == Live("schema", ORDERS, surface(text))


@pytest.mark.parametrize(("number", "text", "there"), [(1, V2, V1), (2, V1, V2)])
def test_a_version_that_is_another_schema_is_told(
    registry: RegistryStandIn, number: int, text: str, there: str
) -> None:
    registry.put(ORDERS, V1)
    registry.put(ORDERS, V2)

    live = seen(registry, wanted(text, version=number))

    assert live == Live(
        "schema", ORDERS, surface(there), "version_differs", f"version {number} is another schema"
    )


def test_a_version_that_is_missing_is_told_whatever_the_latest_is(
    registry: RegistryStandIn,
) -> None:
    nothing = seen(registry, wanted(V1, version=1))
    registry.put(ORDERS, V1)

    assert nothing == Live("schema", ORDERS, None, "version_missing", "version 1 is named, and there is none")
    assert seen(registry, wanted(V1, version=7)) == Live(
        "schema",
        ORDERS,
        {"type": "", "schema": None, "references": []},
        "version_missing",
        "version 7 is named, and the latest is version 1",
    )


def test_a_named_version_in_words_that_only_the_registry_knows_is_as_it_is_wanted(
    registry: RegistryStandIn,
) -> None:
    registry.put(ORDERS, UNSAID, "PROTOBUF")
    registry.put(ORDERS, "message Order {}", "PROTOBUF")

    assert seen(registry, wanted(UNSAID, "PROTOBUF", version=1)) == Live(
        "schema", ORDERS, surface(UNSAID, "PROTOBUF")
    )


# names


@pytest.mark.parametrize(
    "subject",
    [
        "a/b",
        "a%2Fb",
        "100%",
        "with space",
        "Größe-値",
        "..",
        ".",
        "a?b#c",
        "a+b&c=d",
        ":.ctx:orders-value",
        "a;b",
        "\\",
        "latest",
    ],
)
def test_a_subject_is_one_part_of_every_path_whatever_is_in_it(
    registry: RegistryStandIn, subject: str
) -> None:
    provider = provider_of(registry.url)
    first = registration(V1, subject=subject)

    provider.execute(first)
    provider.execute(registration(V2, V1, subject=subject))
    versions = [version.schema.text for version in registry.subjects.versions[subject]]
    live = provider.observe([wanted(BROKEN, subject=subject)])[subject]
    registry.subjects.versions[subject].pop()
    taken_back = provider.undo(first)

    assert versions == registry_forms(V1, V2)
    assert (live.surface, live.verdict) == (surface(V2), "incompatible")
    assert (taken_back, registry.subjects.names()) == (True, [])
    assert {part for request in registry.requests for part in request.path.split("/")} & {"..", "."} == set()


def registry_forms(*texts: str) -> list[str]:
    """Return texts as the stand-in writes them."""
    with registry_stand_in() as apart:
        return [apart.put(f"{number}", text).schema.text for number, text in enumerate(texts)]


# registering


def test_a_new_subject_is_registered_and_seen(registry: RegistryStandIn) -> None:
    provider_of(registry.url).execute(registration(V1))

    assert registry.texts(ORDERS) == registry_forms(V1)
    assert requests(registry) == [f"GET {VERSIONS}/latest", f"POST {VERSIONS}", f"GET {VERSIONS}/latest"]


def test_a_new_version_is_judged_again_then_registered_and_seen(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)

    provider_of(registry.url).execute(registration(V2, V1))

    assert registry.texts(ORDERS) == registry_forms(V1, V2)
    assert requests(registry) == [
        f"GET {VERSIONS}/latest",
        f"POST /compatibility{VERSIONS}",
        f"POST {VERSIONS}",
        f"GET {VERSIONS}/latest",
    ]


def requests(registry: RegistryStandIn) -> list[str]:
    return [f"{request.method} {request.path}" for request in registry.requests]


def test_a_schema_that_has_become_incompatible_is_not_sent(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).execute(registration(BROKEN, V1))

    assert (caught.value.code, caught.value.location) == (
        "E402_SCHEMA_INCOMPATIBLE",
        "/runtime/schema_registry",
    )
    assert caught.value.message == (
        f"the Schema Registry finds the schema incompatible with what is registered for subject '{ORDERS}': "
        "READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: amount"
    )
    assert registry.sent("POST", VERSIONS) == []


def test_a_registration_that_conflicts_is_told_in_its_words(
    registry: RegistryStandIn,
) -> None:
    registry.put(ORDERS, V1)
    registry.faults[f"POST /compatibility{VERSIONS}"] = Fault(answers(200, b'{"is_compatible": true}'))

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).execute(registration(BROKEN, V1))

    assert caught.value.code == "E402_SCHEMA_INCOMPATIBLE"
    assert caught.value.message.endswith(
        "Schema being registered is incompatible with an earlier schema; "
        "details: [READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: amount]"
    )
    assert registry.texts(ORDERS) == registry_forms(V1)
    assert len(registry.sent("POST", VERSIONS)) == 1


def test_a_whole_schema_in_the_reasons_is_left_out(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    told = {"is_compatible": False, "messages": ["{oldSchema: '{planted}'}", "a field is gone", 7]}
    registry.faults[f"POST /compatibility{VERSIONS}"] = Fault(answers(200, json.dumps(told).encode()))

    assert seen(registry, wanted(V2)).reason == "a field is gone"


def test_a_registry_that_gives_one_reason_is_told_in_that(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    told = {"is_compatible": False, "reason": "a field is gone"}
    registry.faults[f"POST /compatibility{VERSIONS}"] = Fault(answers(200, json.dumps(told).encode()))

    assert seen(registry, wanted(V2)).reason == "a field is gone"


def test_a_schema_that_the_registry_cannot_read_is_not_registered(registry: RegistryStandIn) -> None:
    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).execute(registration('{"type": "recodr", "name": "Order", "fields": []}'))

    assert caught.value.code == "E407_DEPLOY_ERROR"
    assert caught.value.message.startswith(
        f"the Schema Registry cannot read the schema for subject '{ORDERS}': Invalid schema of type AVRO, "
    )
    assert registry.subjects.versions == {}


def test_a_subject_that_takes_nothing_says_so(registry: RegistryStandIn) -> None:
    registry.subjects.read_only.add(ORDERS)

    with pytest.raises(RequestRefusedError) as caught:
        provider_of(registry.url).execute(registration(V1))

    assert caught.value.message == (
        f"the Schema Registry refuses to have schema '{ORDERS}' registered: "
        f"Subject {ORDERS} is in read-only mode"
    )


@pytest.mark.parametrize(
    ("there", "before", "fields", "reason"),
    [
        ([V1], None, ("existence",), "there is version 1 by now"),
        ([], V1, ("existence",), "the subject is gone"),
        ([V1, V2], V1, ("schema",), "version 2 is the latest by now"),
    ],
    ids=["made", "gone", "changed"],
)
def test_a_subject_that_moved_since_the_plan_is_left_alone(
    registry: RegistryStandIn, there: list[str], before: str | None, fields: tuple[str, ...], reason: str
) -> None:
    for text in there:
        registry.put(ORDERS, text)

    with pytest.raises(PreimageMovedError) as caught:
        provider_of(registry.url).execute(registration(record("id", optional("other")), before))

    assert caught.value.fields == fields
    assert caught.value.message == f"schema '{ORDERS}' is not as it was when this was planned: {reason}"
    assert registry.sent("POST") == []


def test_a_schema_that_does_not_become_the_latest_is_no_success(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V1)
    registry.put(ORDERS, V2)

    with pytest.raises(OutcomeUnknownError) as caught:
        provider_of(registry.url, seconds=2).execute(registration(V1, V2))

    assert caught.value.message == (
        f"it is not known whether schema '{ORDERS}' was registered by the Schema Registry: "
        "it does not show it as the latest version"
    )
    assert len(registry.sent("POST", VERSIONS)) == 1


def test_a_registry_that_shows_a_version_later_is_waited_for(registry: RegistryStandIn) -> None:
    late = json.dumps({"error_code": 40401, "message": "Subject not found."}).encode()
    looks: list[Request] = []

    def behind(handler: Handler) -> None:
        looks.append(registry.requests[-1])
        tell(handler, 404, late)

    registry.faults[f"GET {VERSIONS}/latest"] = Fault(behind, times=3)

    provider_of(registry.url).execute(registration(V1))

    assert len(looks) == 3
    assert len(registry.sent("POST", VERSIONS)) == 1


@pytest.mark.parametrize("lost", [False, True])
def test_a_schema_that_is_kept_in_other_words_is_found(registry: RegistryStandIn, *, lost: bool) -> None:
    provider, action = provider_of(registry.url), registration(UNSAID, None, "PROTOBUF")
    if lost:
        registry.faults[f"POST {VERSIONS}"] = Fault(answers(500, b""), carried_out=True)

    provider.execute(action)

    assert len(registry.sent("POST", VERSIONS)) == 1
    assert provider.undo(action) is True


# taking back


def test_a_subject_that_was_registered_is_taken_back(registry: RegistryStandIn) -> None:
    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)

    assert provider.undo(action) is True
    assert registry.subjects.names() == []
    assert [version.deleted for version in registry.subjects.versions[ORDERS]] == [True]
    assert registry.sent("DELETE") == [Request("DELETE", f"/subjects/{ORDERS}", "", None)]


def test_a_subject_in_which_there_is_more_by_now_is_kept(registry: RegistryStandIn) -> None:
    provider, action = provider_of(registry.url), registration(V1)
    provider.execute(action)
    registry.put(ORDERS, V2)

    assert provider.undo(action) is False
    assert registry.texts(ORDERS) == registry_forms(V1, V2)


def test_a_subject_that_had_a_version_before_is_kept(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V2)
    registry.put(ORDERS, V1)

    assert provider_of(registry.url).undo(registration(V1)) is False
    assert registry.sent("DELETE") == []


def test_a_subject_that_is_another_schema_by_now_is_kept(registry: RegistryStandIn) -> None:
    registry.put(ORDERS, V2)

    assert provider_of(registry.url).undo(registration(V1)) is False
    assert registry.sent("DELETE") == []


def test_a_subject_that_is_gone_is_not_said_to_be_taken_back(registry: RegistryStandIn) -> None:
    assert provider_of(registry.url).undo(registration(V1)) is False
    assert registry.sent("DELETE") == []


def test_a_new_version_is_not_taken_back(registry: RegistryStandIn) -> None:
    assert provider_of(registry.url).undo(registration(V2, V1)) is False
    assert registry.requests == []
