"""What a Gateway shows of rules: two questions for all of them, and what of its answers is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import trustme
from gateway_plans import FILTER, GETS, MASK, NAME, filtering, hold, masking, provider_of, rule
from gateway_resources import alias, interceptor
from gateway_stand_in import GatewayStandIn, gateway_stand_in
from http_stand_in import answers, breaks_off, drips, hangs
from scripted_servers import tls_of

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.records import Surface, Wanted


@pytest.fixture
def gateway() -> Iterator[GatewayStandIn]:
    with gateway_stand_in() as running:
        yield running


def seen(gateway: GatewayStandIn, *names: str, **settings: Any) -> dict[str, Surface | None]:
    live = provider_of(gateway, **settings).observe([Wanted(name) for name in names or (NAME,)])
    return {name: one.surface for name, one in live.items()}


def refused(gateway: GatewayStandIn, seconds: float | None = None, **settings: Any) -> RequestRefusedError:
    with pytest.raises(RequestRefusedError) as caught:
        provider_of(gateway, seconds, **settings).observe([Wanted(NAME)])
    return caught.value


def test_two_questions_are_asked_for_all_rules_together(gateway: GatewayStandIn) -> None:
    hold(gateway, rule(filtering(), masking()))

    assert seen(gateway, NAME, "not.there") == {NAME: rule(filtering(), masking()), "not.there": None}
    assert gateway.told() == GETS


def test_what_a_list_leaves_out_is_as_it_is_by_default(gateway: GatewayStandIn) -> None:
    hold(gateway, rule())
    hidden = seen(gateway)
    gateway.shows_defaults = True

    assert hidden == seen(gateway) == {NAME: rule()}


def test_null_is_nothing(gateway: GatewayStandIn) -> None:
    one = interceptor(FILTER, "VirtualSqlTopicPlugin", filtering()["config"], vCluster="passthrough")
    one["metadata"]["scope"] |= {"group": None, "username": None}
    one["spec"]["comment"] = None
    gateway.fails(GETS[1], answers(200, [one]))
    hold(gateway, rule())

    assert seen(gateway) == {NAME: rule(filtering())}


def test_a_rule_is_what_has_its_name_in_its_virtual_cluster(gateway: GatewayStandIn) -> None:
    hold(gateway, rule(filtering()))
    config = {"topic": "^orders\\.eu$"}
    for foreign, scope in [
        ("audit", {"vCluster": "passthrough"}),
        ("orders.eu_mask_0_mask_0", {"vCluster": "passthrough"}),
        ("orders.eu_mask_01", {"vCluster": "passthrough"}),
        ("orders.eu_other_0", {"vCluster": "passthrough"}),
        ("ordersXeu_mask_0", {"vCluster": "passthrough"}),
        (MASK, {"vCluster": "team"}),
        (MASK, {"vCluster": "passthrough", "username": "ann"}),
        (MASK, {}),
    ]:
        made = interceptor(foreign, "FieldLevelDataMaskingPlugin", config, **scope)
        gateway.interceptors[foreign, str(scope), "", ""] = made
    gateway.aliases["team", NAME] = alias(NAME, "elsewhere", "team")

    assert seen(gateway) == {NAME: rule(filtering())}
    assert seen(gateway, virtual_cluster="team")[NAME]["alias"] == {  # type: ignore[index]
        "vCluster": "team",
        "physicalName": "elsewhere",
        "physicalCluster": "main",
    }


def test_interceptors_stand_in_the_order_of_their_kinds_numbers_and_groups(gateway: GatewayStandIn) -> None:
    parts = [
        filtering(),
        masking(name="orders.eu_mask_2"),
        masking(name="orders.eu_mask_10", group="alpha"),
        masking(name="orders.eu_mask_10", group="beta"),
    ]
    hold(gateway, rule(*reversed(parts)))

    assert seen(gateway) == {NAME: rule(*parts)}


def test_interceptors_without_their_alias_are_a_rule_that_is_there_in_part(gateway: GatewayStandIn) -> None:
    hold(gateway, rule(filtering()))
    gateway.aliases.clear()

    assert seen(gateway) == {NAME: {"alias": None, "interceptors": [filtering()]}}


def test_what_is_not_known_here_is_kept_so_that_it_is_compared(gateway: GatewayStandIn) -> None:
    hold(gateway, rule(filtering()))
    one = next(iter(gateway.interceptors.values()))
    one["metadata"]["labels"] = {"team": "a"}
    one["spec"]["comment"] = "by hand"
    one["status"] = {"state": "on"}

    assert seen(gateway)[NAME]["interceptors"] == [  # type: ignore[index]
        {
            **filtering(),
            "comment": "by hand",
            "further metadata": {"labels": {"team": "a"}},
            "further parts": {"status": {"state": "on"}},
        }
    ]


def test_a_question_is_asked_again_where_that_may_help(gateway: GatewayStandIn) -> None:
    hold(gateway, rule())
    gateway.fails(GETS[0], answers(503, {"title": "starting"}), times=2)

    assert seen(gateway) == {NAME: rule()}
    assert gateway.told() == [GETS[0], *GETS[:1] * 2, GETS[1]]


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (answers(401, {"title": "no"}), "E404_AUTH_FAILED", "refuses the login (401): no"),
        (answers(403, {"title": "no"}), "E404_AUTH_FAILED", "(403): no"),
        (
            answers(500, {"title": "Oops", "msg": "disk", "cause": "full"}),
            "E548_SERVICE_ANSWER",
            "Oops: disk: full",
        ),
        (answers(302, b"", Location="http://elsewhere.example/"), "E548_SERVICE_ANSWER", "status 302"),
        (answers(200, b"<html>"), "E548_SERVICE_ANSWER", "the answer cannot be read"),
        (answers(200, b'[{"a": 1, "a": 2}]'), "E548_SERVICE_ANSWER", "the answer cannot be read"),
        (answers(200, b"[" + b" " * 20_000_000 + b"]"), "E548_SERVICE_ANSWER", "the answer cannot be read"),
        (answers(200, {"items": []}), "E548_SERVICE_ANSWER", "not what is documented: no list"),
        (answers(200, ["x"]), "E548_SERVICE_ANSWER", "no mapping"),
        (answers(200, [{}]), "E548_SERVICE_ANSWER", "no mapping"),
        (
            answers(200, [alias("a", "b") | {"kind": "Other"}]),
            "E548_SERVICE_ANSWER",
            "another kind of resource",
        ),
        (answers(200, [alias("a", "b")] * 2), "E548_SERVICE_ANSWER", "one resource stands twice"),
        (answers(200, [alias(7, "b")]), "E548_SERVICE_ANSWER", "a resource without a name"),  # type: ignore[arg-type]
        (answers(200, [alias("a", 7)]), "E548_SERVICE_ANSWER", "no alias topic"),  # type: ignore[arg-type]
        (breaks_off, "E406_CONNECTION_REFUSED", "the connection broke off"),
    ],
)
def test_an_answer_that_cannot_be_used_is_told_with_the_reason(
    gateway: GatewayStandIn, fault: Any, code: str, words: str
) -> None:
    gateway.fails(GETS[0], fault, times=3)

    error = refused(gateway)

    assert (error.code, error.location) == (code, "/runtime/conduktor/gateway")
    assert words in error.message
    assert GETS[1] not in gateway.told()


@pytest.mark.parametrize("one", [{"scope": {"vCluster": 1}}, {"scope": {"x": "y"}}])
def test_an_interceptor_with_another_scope_is_refused(gateway: GatewayStandIn, one: dict[str, Any]) -> None:
    odd = interceptor("a", "EncryptPlugin", {})
    odd["metadata"] |= one
    gateway.fails(GETS[1], answers(200, [odd]))

    assert "no scope of an interceptor" in refused(gateway).message


def test_an_interceptor_without_a_configuration_is_refused(gateway: GatewayStandIn) -> None:
    odd = interceptor("a", "EncryptPlugin", {})
    odd["spec"]["config"] = "none"
    gateway.fails(GETS[1], answers(200, [odd]))

    assert "no interceptor" in refused(gateway).message


@pytest.mark.parametrize("fault", [hangs, drips])
def test_a_gateway_that_does_not_come_to_an_end_is_left(gateway: GatewayStandIn, fault: Any) -> None:
    gateway.fails(GETS[0], fault, times=3)

    assert refused(gateway, 0.2).code == "E406_CONNECTION_REFUSED"


def test_a_redirect_is_not_followed(gateway: GatewayStandIn) -> None:
    with gateway_stand_in() as other:
        gateway.fails(GETS[0], answers(307, b"", Location=f"{other.url}/gateway/v2/alias-topic"))

        assert "status 307" in refused(gateway).message
        assert other.told() == []


def test_a_wrong_password_is_told_without_it(gateway: GatewayStandIn) -> None:
    error = refused(gateway, password="hunter2-hunter2")

    assert error.code == "E404_AUTH_FAILED"
    assert "hunter2" not in error.message
    assert len(gateway.told()) == 1


def test_a_runtime_without_a_gateway_or_without_its_address_is_told(gateway: GatewayStandIn) -> None:
    assert refused(gateway, admin_url=None).code == "E208_MISSING_CONFIG"
    assert refused(gateway, admin_url="ftp://x").code == "E208_MISSING_CONFIG"
    assert gateway.told() == []


def test_a_gateway_with_tls_is_one_whose_authority_the_runtime_trusts(
    authority: trustme.CA, ca_file: str
) -> None:
    with gateway_stand_in(tls_of(authority, "localhost")) as gateway:
        hold(gateway, rule())

        assert seen(gateway, ssl_ca_location=ca_file) == {NAME: rule()}
        assert refused(gateway).code == "E405_SSL_ERROR"


def test_nobody_listening_is_told() -> None:
    with gateway_stand_in() as gone:
        pass

    assert refused(gone).code == "E406_CONNECTION_REFUSED"
