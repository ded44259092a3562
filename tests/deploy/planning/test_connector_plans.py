"""Connectors as plans have them: texts, keys, and no value anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from planned import Compiled, known, planned, wanted

from streamt_ol.deploy.planning.bindings import backend_of
from streamt_ol.deploy.planning.errors import StalePlanError
from streamt_ol.deploy.planning.plan_file import parse_plan, plan_bytes
from streamt_ol.deploy.planning.plan_text import plan_lines
from streamt_ol.deploy.planning.plan_values import resource_changes
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.reviewed import ReviewedPlan, reviewed_plan
from streamt_ol.deploy.planning.staleness import require_current
from streamt_ol.deploy.planning.surfaces.connectors import ConnectorSettingError
from streamt_ol.deploy.records import Live, Surface
from streamt_ol.deploy.state.records import Record, Snapshot

CONNECT = {"default": "main", "clusters": {"main": {"rest_url": "http://connect.example:8083"}}}
RUNTIME = {"kafka": {"bootstrap_servers": "broker.example:9092"}, "connect": CONNECT}
DECIDED = {"name": "archive", "connector.class": "com.example.Sink", "topics": "shop.orders"}
RESOURCE = "streamt://shop/default/connector/archive"


def project(folder: Path, config: dict[str, Any], connection: dict[str, Any] | None = None) -> Compiled:
    sink: dict[str, Any] = {"connector": "com.example.Sink", "config": config}
    more: dict[str, Any] = {}
    if connection is not None:
        sink["connection"] = "lake"
        more["connections"] = {"lake": {"type": "lake", "config": connection}}
    model = {"name": "archive", "from": [{"source": "orders"}], "sink": sink}
    return wanted(folder, runtime=RUNTIME, models=[model], **more)


def described(folder: Path, config: dict[str, Any], connection: dict[str, Any] | None = None) -> Surface:
    (one,) = project(folder, config, connection).desired
    assert (one.kind, one.cluster, one.payload, one.problems) == ("connector", "main", None, ())
    return one.surface


def live(**config: Any) -> Surface:
    """Return what the cluster shows; `__` stands for the dots of a key."""
    return {"config": {**DECIDED, **{key.replace("__", "."): value for key, value in config.items()}}}


def owning() -> Snapshot:
    backend = backend_of("kafka-connect", "main", RUNTIME)
    return Snapshot(
        "shop", "default", 1, {RESOURCE: Record("archive", "managed", f"sha256:{0:064}", backend)}
    )


def plan_of(compiled: Compiled, there: Surface | None, snapshot: Snapshot | None = None) -> Plan:
    shown = {"connector": {"archive": Live("connector", "archive", there)}}
    return planned(compiled.desired, owning() if snapshot is None else snapshot, shown)


def kept(compiled: Compiled, there: Surface | None) -> ReviewedPlan:
    return reviewed_plan(compiled.context(), plan_of(compiled, there))


def changes(plan: Plan) -> list[tuple[str, Any, Any]]:
    (resource,) = resource_changes(plan)
    return [(change["field"], change["before"], change["after"]) for change in resource["changes"]]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("planted", "planted"),
        ("", ""),
        (" x ", " x "),
        (True, "true"),
        (False, "false"),
        (1, "1"),
        (-5, "-5"),
        (2**63 - 1, "9223372036854775807"),
        (1.5, "1.5"),
        (6.048e8, "604800000"),
        (1e300, "1e+300"),
        (["a", "b"], "a,b"),
        ([1, True, "x"], "1,true,x"),
        ([], ""),
    ],
    ids=repr,
)
def test_a_setting_is_the_text_that_kafka_connect_keeps(tmp_path: Path, value: Any, text: str) -> None:
    assert described(tmp_path, {"key": value}) == {"config": {**DECIDED, "key": text}}


def test_a_key_without_a_value_is_left_out_of_both_places(tmp_path: Path) -> None:
    surface = described(tmp_path, {"a": None, "b": None}, {"b": "planted", "c": 1})

    assert surface == {"config": {**DECIDED, "c": "1"}}


@pytest.mark.parametrize("value", [{"planted": 1}, ["planted", ["x"]], ["a,b"], [{"a": 1}], [None]], ids=repr)
def test_what_kafka_connect_cannot_be_told_is_refused_in_place(tmp_path: Path, value: Any) -> None:
    for number, (at, args) in enumerate(
        [
            ("/models/0/sink/config/odd~1key", ({"odd/key": value}, {})),
            ("/connections/lake/config/odd~1key", ({}, {"odd/key": value})),
            ("/models/0/sink/config/odd~1key", ({"odd/key": value}, None)),
        ]
    ):
        with pytest.raises(ConnectorSettingError) as caught:
            described(tmp_path / str(number), *args)

        assert caught.value.diagnostic().as_dict() == {
            "code": "E501_PARSE_ERROR",
            "message": "a setting of a connector must be text, a number, true, false or a list of these "
            "without commas",
            "location": at,
            "suggestion": "write it as text, the way the documentation of the connector has it",
        }


@pytest.mark.parametrize("name", ["a/b", "a%b", "a\\b", " a", "..", "a\nb"])
def test_a_connector_that_could_not_be_found_again_is_refused(tmp_path: Path, name: str) -> None:
    model = {"name": name, "from": [{"source": "orders"}], "sink": {"connector": "s3-sink"}}

    with pytest.raises(ConnectorSettingError, match="would not find it again") as caught:
        wanted(tmp_path, runtime=RUNTIME, models=[model])

    assert caught.value.location == "/models/0"


def test_a_new_connector_shows_its_keys(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, {"password": "planted", "tasks.max": 2}), None)

    assert changes(plan) == [
        ("config.connector.class", False, True),
        ("config.name", False, True),
        ("config.password", False, True),
        ("config.tasks.max", False, True),
        ("config.topics", False, True),
    ]
    assert [line.text for line in plan_lines(plan)][2:8] == [
        "+ connector archive",
        "    config.connector.class  set (values are not shown)",
        "    config.name             set (values are not shown)",
        "    config.password         set (values are not shown)",
        "    config.tasks.max        set (values are not shown)",
        "    config.topics           set (values are not shown)",
    ]


def test_a_changed_connector_shows_what_becomes_of_its_keys(tmp_path: Path) -> None:
    compiled = project(tmp_path, {"added": "planted-1", "password": "planted-2", "tasks.max": 2, "same": "s"})
    plan = plan_of(compiled, live(password="planted-3", tasks__max="1", gone="planted-4", same="s"))

    assert changes(plan) == [
        ("config.added", False, True),
        ("config.gone", True, False),
        ("config.password", True, True),
        ("config.tasks.max", True, True),
    ]
    text = [line.text for line in plan_lines(plan)]
    assert text[2:8] == [
        "~ connector archive",
        "    config.added      added",
        "    config.gone       removed",
        "    config.password   changed (values are not shown)",
        "    config.tasks.max  changed (values are not shown)",
        "    risk: risky (destructive, impact unverified)",
    ]
    saved = plan_bytes(kept(compiled, live(password="planted-3", gone="planted-4"))).decode()
    assert "planted" not in saved + "".join(text) + repr(plan) + repr(plan.actions)


def test_a_change_that_takes_nothing_away_is_less_risky(tmp_path: Path) -> None:
    (risk,) = plan_of(project(tmp_path, {"key": "b"}), live(key="a")).risks

    assert (risk.risk_class, risk.flags, risk.evidence.status) == ("risky", ("impact_unverified",), "partial")


@pytest.mark.parametrize("key", ["postgres://me:planted@db", "a b", "", "-x", "k" * 129, "käse", "a\nb"])
def test_a_key_that_does_not_look_like_one_is_counted_and_not_shown(tmp_path: Path, key: str) -> None:
    plan = plan_of(project(tmp_path, {}), live(**{key: "1", "!": "2"}))

    assert [field for field, _before, _after in changes(plan)] == [
        "config.(unusual key 1)",
        "config.(unusual key 2)",
    ]


def test_what_is_there_as_it_is_wanted_is_left_alone(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, {"tasks.max": 1, "on": True}), live(tasks__max="1", on="true"))

    assert (plan.actions, plan.unchanged) == ((), (RESOURCE,))


@pytest.mark.parametrize("shown", [1, 1.0, True, "1.0", "01", " 1"])
def test_a_value_is_compared_with_its_type_and_its_spelling(tmp_path: Path, shown: Any) -> None:
    plan = plan_of(project(tmp_path, {"tasks.max": 1}), live(tasks__max=shown))

    assert changes(plan) == [("config.tasks.max", True, True)]


@pytest.mark.parametrize("shown", ["TASKS.MAX", "tasks.max "])
def test_keys_are_compared_exactly(tmp_path: Path, shown: str) -> None:
    plan = plan_of(project(tmp_path, {"tasks.max": 1}), live(**{shown.replace(".", "__"): "1"}))

    assert len(changes(plan)) == 2


def test_a_saved_plan_knows_its_connectors_by_checksums(tmp_path: Path) -> None:
    compiled = project(tmp_path, {"key": "b"})
    document = parse_plan(plan_bytes(kept(compiled, live(key="a")))).document
    (action,) = document["actions"]

    assert action["connector_evidence"].keys() == {"before", "after"}
    assert all(part.startswith("sha256:") for part in action["connector_evidence"].values())
    assert kept(compiled, None).document["actions"][0]["connector_evidence"]["before"] is None


def test_a_value_that_was_changed_after_the_review_is_noticed(tmp_path: Path) -> None:
    compiled = project(tmp_path, {"key": "c"})

    with pytest.raises(StalePlanError) as caught:
        require_current(kept(compiled, live(key="a")), kept(compiled, live(key="b")))

    assert "connector/archive" in caught.value.message
    require_current(kept(compiled, live(key="a")), kept(compiled, live(key="a")))


def test_a_key_that_changed_otherwise_by_now_is_named_in_words(tmp_path: Path) -> None:
    compiled = project(tmp_path, {"key": "c"})

    with pytest.raises(StalePlanError) as caught:
        require_current(kept(compiled, live(key="a")), kept(compiled, live(other="x")))

    assert (
        "connector archive: config.key was to be changed, and it would be added now; "
        "connector archive: config.other was to be left as it is, and it would be removed now"
    ) in caught.value.message


def test_of_another_cluster_nothing_is_this_connector(tmp_path: Path) -> None:
    compiled = project(tmp_path, {})
    moved = owning()
    record = moved.resources[RESOURCE]._replace(backend=f"kafka-connect:v1:other:sha256:{0:064}")
    plan = plan_of(compiled, live(), moved._replace(resources={RESOURCE: record}))

    assert [one.reason for one in plan.requirements] == ["state_mismatch"]


def test_a_name_in_the_state_says_which_cluster_it_is_of(tmp_path: Path) -> None:
    (one,) = project(tmp_path, {}).desired

    assert one.backend.startswith("kafka-connect:v1:main:sha256:")
    assert packaged_rules().catalogue("resource-kinds")["connector"]["backend"] == "kafka-connect"


def test_programs_are_told_presence_as_truth_values(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, {"password": "planted"}), live())

    assert json.loads(json.dumps(resource_changes(plan)))[0]["changes"] == [
        {"field": "config.password", "before": False, "after": True}
    ]


def test_nothing_is_owned_that_was_not_claimed(tmp_path: Path) -> None:
    plan = plan_of(project(tmp_path, {}), live(), known(serial=0))

    assert [one.reason for one in plan.requirements] == ["requires_adoption"]
