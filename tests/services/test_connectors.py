"""Connectors on a real Kafka Connect worker: created, changed, held, failed, lost, and taken back."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from apache_kafka import SecuredBroker
from applied import codes, told
from checked import packaged_rules
from connect_worker import ConnectWorker, connect_worker
from losing_proxy import losing_proxy
from program import Done, run_streamt
from services import until

from streamt_ol.deploy.providers.connect.provider import Connectors
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError
from streamt_ol.deploy.records import Action, Surface, Wanted

FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
STRINGS = "org.apache.kafka.connect.storage.StringConverter"
RUNS = "RUNNING, 1 task RUNNING"
PLANTED = "planted-secret"
MAIN = "Kafka Connect cluster 'main'"


class Rest:
    """The worker as somebody else uses it, with nothing of the program."""

    def __init__(self, worker: ConnectWorker) -> None:
        self.ask = worker.ask

    def names(self) -> set[str]:
        return set(self.ask("GET", "/connectors").json())

    def config(self, name: str) -> dict[str, str] | None:
        answer = self.ask("GET", f"/connectors/{name}")
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        assert answer.is_success, (answer.status_code, answer.text)
        config: dict[str, str] = answer.json()["config"]
        return config

    def state(self, name: str) -> tuple[str, list[str]]:
        status = self.ask("GET", f"/connectors/{name}/status").json()
        return status["connector"]["state"], [task["state"] for task in status["tasks"]]

    def put(self, name: str, **config: str) -> None:
        """Change settings by hand; `__` stands for the dots of a key."""
        changed = {**(self.config(name) or {}), **{key.replace("__", "."): config[key] for key in config}}
        answer = self.ask("PUT", f"/connectors/{name}/config", changed)
        assert answer.is_success, answer.text
        until(lambda: self.config(name) == {"name": name, **changed})

    def hold(self, name: str, verb: str, state: str, tasks: list[str]) -> None:
        assert self.ask("PUT", f"/connectors/{name}/{verb}").is_success
        until(lambda: self.state(name) == (state, tasks))


@dataclass
class Shop:
    """A project with a sink per connector, on real servers."""

    folder: Path
    kafka: SecuredBroker
    worker: ConnectWorker
    topic: str
    rest: Rest

    def write(self, mode: str = "managed", **sinks: dict[str, Any]) -> None:
        """Write the project; each sink by the name of its connector, with its class or what is usual."""
        models = [
            {
                "name": name,
                "from": [{"source": "orders"}],
                "ownership": {"mode": mode},
                "sink": {"connector": config.pop("class", FILE_SINK), "config": config},
            }
            for name, config in ((name, dict(config)) for name, config in sinks.items())
        ]
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "shop"},
            "runtime": {
                "kafka": {"bootstrap_servers": self.kafka.address},
                "connect": {"default": "main", "clusters": {"main": {"rest_url": self.worker.rest_url}}},
            },
            "sources": [{"name": "orders", "topic": self.topic}],
            "models": models,
        }
        (self.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def file(self, name: str) -> Path:
        return self.worker.folder / f"{name}.txt"

    def sink(self, name: str, **more: Any) -> dict[str, Any]:
        """Return the settings of a sink into a file; `__` stands for the dots of a key."""
        settings = {"file": str(self.file(name)), "value.converter": STRINGS}
        return {**settings, **{key.replace("__", "."): value for key, value in more.items()}}

    def run(self, *arguments: str | Path) -> Done:
        return run_streamt("--output", "json", *arguments, "-p", self.folder)

    def apply(self, *arguments: str | Path) -> dict[str, Any]:
        """Apply, which has to succeed; return the data."""
        done = self.run("apply", *arguments)
        assert done.exit_status == 0, done.stdout + done.stderr
        data: dict[str, Any] = told(done)["data"]
        return data

    def fail(self, code: str, *arguments: str | Path) -> tuple[str, dict[str, Any]]:
        """Apply, which has to fail with one error; return its message and the data."""
        done = self.run("apply", *arguments)
        assert (done.exit_status, codes(done)) == (1, [code]), done.stdout
        kept = "".join(path.read_text("utf-8") for path in self.folder.glob(".streamt/**/*.json"))
        assert PLANTED not in done.stdout + done.stderr + kept
        envelope = told(done)
        return envelope["errors"][0]["message"], envelope["data"]


@pytest.fixture
def name() -> str:
    return f"sink-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def shop(apache_kafka: SecuredBroker, connect_worker: ConnectWorker, tmp_path: Path) -> Iterator[Shop]:
    rest = Rest(connect_worker)
    before = rest.names()
    yield Shop(tmp_path, apache_kafka, connect_worker, apache_kafka.new_topic(), rest)
    for name in rest.names() - before:
        rest.ask("DELETE", f"/connectors/{name}")


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


def test_a_sink_is_created_and_records_flow_into_its_file(shop: Shop, name: str) -> None:
    shop.kafka.produce(shop.topic, [b"one", b"two"])
    shop.write(**{name: shop.sink(name, tasks__max=1)})

    data = shop.apply()

    assert (data["created"], data["committed"]) == ([f"connector:{name}"], True)
    assert data["seen"] == {f"connector:{name}": RUNS}
    assert shop.rest.config(name) == {
        "name": name,
        "connector.class": FILE_SINK,
        "topics": shop.topic,
        "file": str(shop.file(name)),
        "value.converter": STRINGS,
        "tasks.max": "1",
    }
    until(lambda: lines(shop.file(name)) == ["one", "two"])


def test_people_read_what_a_connector_does_after_an_apply(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name)})

    done = run_streamt("apply", "-p", shop.folder)

    assert done.exit_status == 0, done.stdout + done.stderr
    assert f"create    connector:{name}  done: {RUNS}" in done.stdout.splitlines()


def test_a_second_apply_does_nothing(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name, tasks__max=1, enabled=True)})
    shop.apply()

    data = shop.apply()

    assert (data["created"], data["updated"]) == ([], [])
    assert data["unchanged"] == [f"connector:{name}"]


def test_a_change_replaces_the_configuration_and_the_connector_goes_on_with_it(shop: Shop, name: str) -> None:
    shop.kafka.produce(shop.topic, [b"one"])
    shop.write(**{name: shop.sink(name, gone="x")})
    shop.apply()
    until(lambda: lines(shop.file(name)) == ["one"])
    shop.write(**{name: shop.sink(f"{name}-2", tasks__max="1")})

    data = shop.apply()
    shop.kafka.produce(shop.topic, [b"two"])

    assert (data["updated"], data["seen"]) == ([f"connector:{name}"], {f"connector:{name}": RUNS})
    config = shop.rest.config(name)
    assert config is not None
    assert (config["file"], "gone" in config) == (str(shop.file(f"{name}-2")), False)
    until(lambda: lines(shop.file(f"{name}-2")) == ["two"])


@pytest.mark.parametrize(
    ("verb", "state", "tasks"), [("pause", "PAUSED", ["PAUSED"]), ("stop", "STOPPED", [])]
)
def test_what_somebody_holds_is_changed_and_stays_held(
    shop: Shop, name: str, verb: str, state: str, tasks: list[str]
) -> None:
    shop.write(**{name: shop.sink(name)})
    shop.apply()
    shop.rest.hold(name, verb, state, tasks)
    shop.write(**{name: shop.sink(name, tasks__max=1)})

    data = shop.apply()

    counted = f"1 task {state}" if tasks else "no task"
    assert data["seen"] == {f"connector:{name}": f"{state}, {counted}, as before"}
    assert shop.rest.state(name) == (state, tasks)
    assert shop.apply()["unchanged"] == [f"connector:{name}"]


def test_a_setting_that_was_changed_by_hand_is_shown_by_its_key_and_put_back(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name, password=PLANTED)})
    shop.apply()
    shop.rest.put(name, password="planted-by-hand", tasks__max="1")

    plan = told(shop.run("plan"))["data"]

    assert plan["changes"][0]["changes"] == [
        {"field": "config.password", "before": True, "after": True},
        {"field": "config.tasks.max", "before": True, "after": False},
    ]
    assert shop.apply()["updated"] == [f"connector:{name}"]
    config = shop.rest.config(name)
    assert config is not None
    assert (config["password"], "tasks.max" in config) == (PLANTED, False)


def test_a_value_that_is_changed_by_hand_after_the_review_makes_the_plan_stale(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name)})
    shop.apply()
    shop.write(**{name: shop.sink(name, tasks__max=1)})
    shop.rest.put(name, tasks__max="2")
    file = shop.folder / "plan.json"
    assert shop.run("plan", "--out", file).exit_status == 0
    shop.rest.put(name, tasks__max="3")

    shop.fail("E409_PLAN_STALE", "--plan", file)

    config = shop.rest.config(name)
    assert config is not None
    assert config["tasks.max"] == "3"


def test_an_unknown_class_is_named_and_no_other_is(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name, **{"class": "no.such.Sink", "password": PLANTED})})

    message, data = shop.fail("E407_DEPLOY_ERROR")

    assert message == (
        f"connector:{name}: create failed: {MAIN} refuses to have connector '{name}' created: Failed to find any "
        "class that implements Connector and which name matches no.such.Sink"
    )
    assert (data["created"], data["operation_status"]) == ([], "recovery_required")
    assert shop.rest.config(name) is None


def test_a_value_that_is_refused_is_not_told(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name, tasks__max=PLANTED)})

    message, _data = shop.fail("E407_DEPLOY_ERROR")

    assert "Invalid value for configuration tasks.max: Not a number of type INT" in message
    assert shop.rest.config(name) is None


def test_a_task_that_fails_is_told_with_its_reason(shop: Shop, name: str) -> None:
    settings = shop.sink(name)
    shop.write(**{name: {**settings, "file": f"/no/{PLANTED}/folder"}})

    message, data = shop.fail("E407_DEPLOY_ERROR")

    assert message == (
        f"connector:{name}: create failed: connector '{name}' was created, and its task 0 failed: "
        "org.apache.kafka.connect.errors.ConnectException: Couldn't find or create file '***' for "
        "FileStreamSinkTask; caused by java.nio.file.NoSuchFileException: ***"
    )
    assert data["failed"] == f"connector:{name}"
    assert shop.rest.state(name) == ("RUNNING", ["FAILED"])


def test_a_task_that_failed_is_mended_by_a_change(shop: Shop, name: str) -> None:
    shop.write(**{name: shop.sink(name)})
    shop.apply()
    shop.rest.put(name, file="/no/such/folder")
    until(lambda: shop.rest.state(name) == ("RUNNING", ["FAILED"]))

    assert shop.apply()["seen"] == {f"connector:{name}": RUNS}


def test_a_connector_that_is_there_and_nobodys_is_left_alone(shop: Shop, name: str) -> None:
    shop.rest.put(name, connector__class=FILE_SINK, topics=shop.topic, file=str(shop.file(name)))
    there = shop.rest.config(name)
    shop.write(**{name: shop.sink(name)})

    shop.fail("E410_OWNERSHIP_REQUIRED")

    assert shop.rest.config(name) == there


def test_a_connector_that_is_adopted_is_shown_by_its_keys_and_then_changed(shop: Shop, name: str) -> None:
    secret = f"{PLANTED}-there"
    settings = {"topics": shop.topic, "file": str(shop.file(name)), "password": secret}
    shop.rest.put(name, connector__class=FILE_SINK, **settings)
    shop.write(mode="adopted", **{name: shop.sink(name, tasks__max=1)})
    asked = ("adopt", f"connector:{name}", "-p", shop.folder)

    people = run_streamt(*asked, "--confirm")
    data = shop.apply()

    assert people.exit_status == 0, people.stdout + people.stderr
    assert people.stdout.splitlines()[:6] == [
        f"connector {name}, as it is",
        "    config.connector.class  set (values are not shown)",
        "    config.file             set (values are not shown)",
        "    config.name             set (values are not shown)",
        "    config.password         set (values are not shown)",
        "    config.topics           set (values are not shown)",
    ]
    assert secret not in people.stdout + people.stderr + json.dumps(data)
    assert data["updated"] == [f"connector:{name}"]
    config = shop.rest.config(name)
    assert config is not None
    assert ("password" in config, config["tasks.max"]) == (False, "1")


def test_a_connector_whose_task_failed_is_recovered_as_it_was_observed(shop: Shop, name: str) -> None:
    shop.write(**{name: {**shop.sink(name), "file": "/no/such/folder/file"}})
    shop.fail("E407_DEPLOY_ERROR")
    plan = shop.folder / "recovery.json"

    made = shop.run("state", "recovery-plan", "--resolution", "observed", "--out", plan)
    assert made.exit_status == 0, made.stdout + made.stderr
    kept = json.loads(plan.read_text("utf-8"))
    done = shop.run(
        *("state", "recover", "--plan", plan),
        *("--confirm-operation-id", kept["blocked_operation_id"], "--confirm-resolution", "observed"),
        *("--confirm-evidence-checksum", kept["evidence_checksum"]),
    )
    assert done.exit_status == 0, done.stdout + done.stderr
    shop.write(**{name: shop.sink(name)})

    assert shop.apply()["updated"] == [f"connector:{name}"]
    assert shop.rest.state(name) == ("RUNNING", ["RUNNING"])


def test_a_failure_takes_back_what_was_created_and_nothing_else(shop: Shop, name: str) -> None:
    kept, made, bad, other = (f"{letter}-{name}" for letter in "abcd")
    shop.write(**{kept: shop.sink(kept)})
    shop.apply()
    shop.rest.put(other, connector__class=FILE_SINK, topics=shop.topic, file=str(shop.file(other)))
    shop.write(
        **{
            kept: shop.sink(kept, tasks__max=1),
            made: shop.sink(made),
            bad: shop.sink(
                bad, **{"class": "no.such.OtherSink"}
            ),  # of a class looked for again it tells otherwise
        }
    )

    _message, data = shop.fail("E407_DEPLOY_ERROR")

    assert data["rolled_back"] == [f"connector:{made}"]
    assert data["not_rolled_back"] == [f"connector:{kept}"]
    assert {kept, other} <= shop.rest.names()
    assert not {made, bad} & shop.rest.names()


# The provider alone, where the way to the worker is not as it should be


def connectors(url: str, seconds: float | None = None) -> Connectors:
    return Connectors(
        {"connect": {"clusters": {"main": {"rest_url": url}}}}, packaged_rules(), seconds=seconds
    )


def surface(shop: Shop, name: str, **more: str) -> Surface:
    settings = {"name": name, "connector.class": FILE_SINK, "topics": shop.topic, **shop.sink(name, **more)}
    return {"config": settings}


def action(verb: str, name: str, before: Surface | None, after: Surface | None) -> Action:
    return Action(
        0, f"streamt://shop/default/connector/{name}", "connector", verb, name, before, after, "main"
    )


def test_a_lost_answer_of_a_creation_leaves_one_connector_and_is_a_success(shop: Shop, name: str) -> None:
    wanted = surface(shop, name)
    with losing_proxy(shop.worker.rest_url, lambda method, _path, _body: method == "POST") as proxy:
        seen = connectors(proxy.url).execute(action("create", name, None, wanted))

    assert (seen, proxy.lost) == (RUNS, [("POST", "/connectors")])
    assert shop.rest.config(name) == wanted["config"]


def test_a_lost_answer_of_a_change_is_sent_again_and_a_success(shop: Shop, name: str) -> None:
    before, after = surface(shop, name), surface(shop, name, tasks__max="1")
    connectors(shop.worker.rest_url).execute(action("create", name, None, before))
    first = iter([True])

    def lose_once(method: str, _path: str, _body: bytes) -> bool:
        return method == "PUT" and next(first, False)

    with losing_proxy(shop.worker.rest_url, lose_once) as proxy:
        seen = connectors(proxy.url).execute(action("update", name, before, after))

    assert (seen, proxy.lost) == (RUNS, [("PUT", f"/connectors/{name}/config")])
    assert shop.rest.config(name) == after["config"]


def test_a_lost_answer_of_a_deletion_is_a_success(shop: Shop, name: str) -> None:
    made = surface(shop, name)
    connectors(shop.worker.rest_url).execute(action("create", name, None, made))
    first = iter([True])

    def lose_once(method: str, _path: str, _body: bytes) -> bool:
        return method == "DELETE" and next(first, False)

    with losing_proxy(shop.worker.rest_url, lose_once) as proxy:
        connectors(proxy.url).execute(action("delete", name, made, None))

    assert (shop.rest.config(name), proxy.lost) == (None, [("DELETE", f"/connectors/{name}")])


def test_a_connector_that_moved_is_neither_changed_nor_deleted(shop: Shop, name: str) -> None:
    planned, after = surface(shop, name), surface(shop, name, tasks__max="1")
    provider = connectors(shop.worker.rest_url)
    provider.execute(action("create", name, None, planned))
    shop.rest.put(name, tasks__max="2")

    for verb, before, wanted in (
        ("create", None, planned),
        ("update", planned, after),
        ("delete", planned, None),
    ):
        with pytest.raises(PreimageMovedError):
            provider.execute(action(verb, name, before, wanted))

    assert provider.undo(action("create", name, None, planned)) is False
    config = shop.rest.config(name)
    assert config is not None
    assert config["tasks.max"] == "2"


def test_what_was_created_is_taken_back_by_a_deletion(shop: Shop, name: str) -> None:
    made = action("create", name, None, surface(shop, name))
    provider = connectors(shop.worker.rest_url)
    provider.execute(made)

    assert provider.undo(made) is True
    assert shop.rest.config(name) is None
    assert provider.undo(made) is False


@pytest.mark.parametrize("odd", ["a b", "käse", "a?b#c", "a;b", "a&b+c", "..."])
def test_whatever_a_name_has_in_it_leads_to_its_connector(shop: Shop, name: str, odd: str) -> None:
    named = f"{odd}{name}" if odd != "..." else odd
    made = action("create", named, None, surface(shop, named, file=str(shop.file(name))))
    provider = connectors(shop.worker.rest_url)

    assert provider.execute(made) == RUNS
    assert provider.observe([Wanted(named, "main")])[named].surface == made.after
    provider.execute(made._replace(action="delete", before=made.after, after=None))

    assert named not in shop.rest.names()


def test_a_worker_that_dies_leaves_a_doubt_that_a_look_settles(
    shop: Shop, apache_kafka: SecuredBroker, tmp_path: Path, name: str
) -> None:
    group = f"workers-of-{name}"
    wanted = action("create", name, None, surface(shop, name))
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    with connect_worker(tmp_path / "first", apache_kafka.address, group) as dying:

        def die(method: str, _path: str, _body: bytes) -> bool:
            if method == "POST":
                dying.service.process.kill()
                dying.service.process.wait(30)
            return method == "POST"

        with losing_proxy(dying.rest_url, die) as proxy, pytest.raises(OutcomeUnknownError) as caught:
            connectors(proxy.url, 10).execute(wanted)

        with pytest.raises(RequestRefusedError) as refused:
            connectors(dying.rest_url, 10).execute(wanted)
    assert caught.value.message == (
        f"it is not known whether connector '{name}' was created by {MAIN}: the connection broke off"
    )
    assert refused.value.code == "E406_CONNECTION_REFUSED"
    with connect_worker(tmp_path / "second", apache_kafka.address, group) as again:
        looking = connectors(again.rest_url)
        until(lambda: looking.observe([Wanted(name, "main")])[name].surface == wanted.after)
