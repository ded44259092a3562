"""Virtual topics from the command line: a broker, and a stand-in for Conduktor Gateway, which cannot be had."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from applied import JOBS, apply, codes, control, kinds, state, to_log, told
from brokers import Broker
from gateway_plans import GETS
from gateway_resources import alias, interceptor
from gateway_stand_in import GatewayStandIn, gateway_stand_in
from http_stand_in import answers, breaks_off
from program import Done, run_streamt

SECRET = "4000-1234"
FILTERED = "SELECT * FROM {{ ref('orders') }} WHERE card = '4000-1234'"


@pytest.fixture
def gateway() -> Iterator[GatewayStandIn]:
    with gateway_stand_in() as running:
        yield running


class Shop:
    """A project with one topic and a virtual topic that reads it, both of names that no other test has."""

    def __init__(self, folder: Path, broker: Broker, gateway: GatewayStandIn) -> None:
        self.folder = folder
        prefix = f"t{os.urandom(6).hex()}"
        self.topic, self.virtual = f"{prefix}.orders", f"{prefix}.eu"
        self.rule = f"gateway_rule:{self.virtual}"
        self._runtime = {"kafka": {"bootstrap_servers": broker.address}, **gateway.runtime()}

    def declares(self, sql: str = FILTERED, *masked: str, mode: str = "managed", **more: Any) -> None:
        policies = [{"mask": {"column": column, "method": "redact"}} for column in masked]
        model = {
            "name": "eu",
            "sql": sql,
            "materialized": "virtual_topic",
            "gateway": {"virtual_topic": {"name": self.virtual}},
            "ownership": {"mode": mode},
            **({"security": {"policies": policies}} if policies else {}),
            **more,
        }
        self._write(models=[model])

    def removes(self, *interceptors: str) -> None:
        """Declare that the rule is to go, and what it was."""
        prior = {
            "name": self.virtual,
            "virtualTopic": self.virtual,
            "physicalTopic": self.topic,
            "interceptors": interceptors,
        }
        removal = {"logical_owner": "eu", "prior_artifact": prior}
        self._write(models=[], lifecycle={"gateway_rule_removals": [removal]})

    def _write(self, models: list[dict[str, Any]], **more: Any) -> None:
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "shop"},
            "runtime": self._runtime,
            "models": [{"name": "orders", "topic": {"name": self.topic}}, *models],
            **more,
        }
        self.folder.mkdir(exist_ok=True)
        (self.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def runs(self, *arguments: str) -> Done:
        return run_streamt("--output", "json", *arguments, "-p", self.folder)


@pytest.fixture
def shop(tmp_path: Path, broker: Broker, gateway: GatewayStandIn) -> Iterator[Shop]:
    made = Shop(tmp_path / "shop", broker, gateway)
    yield made
    admin = broker.admin()
    if made.topic in broker.topics():
        for gone in admin.delete_topics([made.topic]).values():
            gone.result(30)


def test_a_virtual_topic_is_made_left_changed_and_told_in_run_events(
    shop: Shop, gateway: GatewayStandIn, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    shop.declares(FILTERED, "email")

    made = apply(shop.folder, *JOBS, environment=to_log(log))

    assert (made.exit_status, told(made)["data"]["created"]) == (0, [f"topic:{shop.topic}", shop.rule])
    assert gateway.told() == [
        *GETS,
        *GETS,
        f"PUT {shop.virtual}",
        f"PUT {shop.virtual}_filter_0",
        f"PUT {shop.virtual}_mask_0",
    ]
    assert gateway.aliases == {("passthrough", shop.virtual): alias(shop.virtual, shop.topic)}
    statement = f"SELECT * FROM \"{shop.topic}\" WHERE card = '{SECRET}'"
    filtering = gateway.interceptors[f"{shop.virtual}_filter_0", "passthrough", "", ""]
    assert filtering["spec"]["config"] == {"virtualTopic": shop.virtual, "statement": statement}
    records = state(shop.folder)["resources"]
    record = records["streamt://shop/default/gateway_rule/eu"]
    assert record["physical_name"] == shop.virtual
    assert record["backend"].startswith("conduktor-gateway:v1:p:sha256:")
    gateway.forget()

    again = apply(shop.folder, *JOBS, environment=to_log(log))

    assert (again.exit_status, told(again)["data"]["unchanged"]) == (0, [f"topic:{shop.topic}", shop.rule])
    assert gateway.told() == GETS
    gateway.forget()
    shop.declares("SELECT * FROM {{ ref('orders') }}", "email", "phone")

    changed = apply(shop.folder, *JOBS, environment=to_log(log))

    assert (changed.exit_status, told(changed)["data"]["updated"]) == (0, [shop.rule])
    assert gateway.writes() == [f"PUT {shop.virtual}_mask_1", f"DELETE {shop.virtual}_filter_0"]
    assert kinds(log) == ["START", "COMPLETE"] * 3
    for text in (made.stdout, changed.stdout, log.read_text("utf-8"), json.dumps(state(shop.folder))):
        assert SECRET not in text
        assert "conduktor@" not in text


def test_a_saved_plan_is_applied_as_it_was_reviewed_or_not_at_all(
    shop: Shop, gateway: GatewayStandIn, tmp_path: Path
) -> None:
    shop.declares()
    file = tmp_path / "plan.json"
    assert shop.runs("plan", "--out", str(file)).exit_status == 0
    assert SECRET not in file.read_text("utf-8")
    gateway.aliases["passthrough", shop.virtual] = alias(shop.virtual, "elsewhere")

    stale = shop.runs("apply", "--plan", str(file))
    gateway.aliases.clear()
    done = shop.runs("apply", "--plan", str(file))

    assert codes(stale) == ["E409_PLAN_STALE"]
    assert (done.exit_status, told(done)["data"]["created"]) == (0, [f"topic:{shop.topic}", shop.rule])


def test_a_foreign_alias_is_refused_then_adopted(shop: Shop, gateway: GatewayStandIn) -> None:
    gateway.aliases["passthrough", shop.virtual] = alias(shop.virtual, shop.topic)
    theirs = interceptor("audit", "EncryptPlugin", {"topic": f"^{shop.virtual}$"}, vCluster="passthrough")
    gateway.interceptors["audit", "passthrough", "", ""] = theirs
    shop.declares()

    refused = apply(shop.folder)
    shop.declares(mode="adopted")
    adopted = shop.runs("adopt", shop.rule, "--confirm")
    applied = apply(shop.folder)

    assert codes(refused) == ["E410_OWNERSHIP_REQUIRED"]
    assert (adopted.exit_status, told(adopted)["data"]["live"]) == (
        0,
        {
            "alias.vCluster": "passthrough",
            "alias.physicalCluster": "main",
            "alias.physicalName": shop.topic,
        },
    )
    assert (applied.exit_status, told(applied)["data"]["updated"]) == (0, [shop.rule])
    assert gateway.writes() == [f"PUT {shop.virtual}_filter_0"]
    assert gateway.interceptors["audit", "passthrough", "", ""] == theirs


def test_a_rule_that_lifecycle_removes_is_deleted_as_it_was_reviewed(
    shop: Shop, gateway: GatewayStandIn, tmp_path: Path
) -> None:
    file = tmp_path / "plan.json"
    shop.declares(FILTERED, "email")
    assert apply(shop.folder).exit_status == 0
    theirs = interceptor("audit", "EncryptPlugin", {"topic": f"^{shop.virtual}$"}, vCluster="passthrough")
    gateway.interceptors["audit", "passthrough", "", ""] = theirs
    gateway.forget()
    shop.removes("filter", "mask")

    planned = shop.runs("plan", "--out", str(file))
    done = shop.runs("apply", "--plan", str(file), "--force")

    assert (planned.exit_status, done.exit_status) == (0, 0)
    assert told(done)["data"]["deleted"] == [shop.rule]
    assert gateway.writes() == [
        f"DELETE {shop.virtual}_filter_0",
        f"DELETE {shop.virtual}_mask_0",
        f"DELETE {shop.virtual}",
    ]
    assert [*gateway.interceptors] == [("audit", "passthrough", "", "")]
    assert [*state(shop.folder)["resources"]] == ["streamt://shop/default/topic/orders"]


def test_what_the_gateway_refuses_takes_back_the_topic(
    shop: Shop, gateway: GatewayStandIn, broker: Broker, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    shop.declares()
    told_by_it = {"title": "The request is not valid", "msg": f"near '{SECRET}'"}
    gateway.fails(f"PUT {shop.virtual}_filter_0", answers(400, told_by_it))

    done = apply(shop.folder, *JOBS, environment=to_log(log))

    assert (done.exit_status, codes(done)) == (1, ["E407_DEPLOY_ERROR"])
    message = told(done)["errors"][0]["message"]
    assert "The request is not valid: near '***'; taken back: alias topic" in message
    assert told(done)["data"]["rolled_back"] == [f"topic:{shop.topic}"]
    assert gateway.aliases == gateway.interceptors == {}
    assert shop.topic not in broker.topics()
    assert control(shop.folder)["recovery"]["failure_code"] == "runtime_action_failed"
    assert kinds(log) == ["START", "FAIL"]
    assert SECRET not in done.stdout + log.read_text("utf-8")


def test_a_change_that_nobody_answered_must_be_recovered(
    shop: Shop, gateway: GatewayStandIn, tmp_path: Path
) -> None:
    shop.declares("SELECT * FROM {{ ref('orders') }}")
    gateway.fails(f"PUT {shop.virtual}", breaks_off)

    done = apply(shop.folder)
    file = tmp_path / "recovery.json"
    planned = shop.runs("state", "recovery-plan", "--resolution", "observed", "--out", str(file))

    assert (done.exit_status, codes(done)) == (1, ["E407_DEPLOY_ERROR"])
    assert (
        f"to be looked at, because nobody knows what is there: alias topic '{shop.virtual}'"
        in (told(done)["errors"][0]["message"])
    )
    assert gateway.writes() == [f"PUT {shop.virtual}"]
    assert planned.exit_status == 0


def test_what_the_gateway_cannot_do_blocks_the_plan(
    shop: Shop, gateway: GatewayStandIn, broker: Broker
) -> None:
    shop.declares("SELECT * FROM {{ ref('orders') }} WHERE a = 1 OR b = 2")

    done = apply(shop.folder)

    assert codes(done) == ["E417_SAFETY_BLOCKED"]
    assert [one["code"] for one in told(done)["data"]["safety_blockers"]] == ["gateway_sql_or"]
    assert gateway.writes() == []
    assert shop.topic not in broker.topics()


def test_a_gateway_that_refuses_the_login_is_told_before_anything_is_written(
    shop: Shop, gateway: GatewayStandIn, broker: Broker
) -> None:
    shop.declares()
    gateway.login = "admin:another"

    done = apply(shop.folder)

    assert (done.exit_status, codes(done)) == (1, ["E404_AUTH_FAILED"])
    assert told(done)["errors"][0]["location"] == "/runtime/conduktor/gateway"
    assert shop.topic not in broker.topics()
