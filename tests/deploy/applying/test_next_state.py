"""What the state says of resources after a plan."""

from __future__ import annotations

from checked import packaged_rules

from streamt_ol.deploy.applying.next_state import next_resources
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.records import Desired, Live, Surface
from streamt_ol.deploy.state.records import Record, Snapshot

RULES = packaged_rules()
ONE: Surface = {"partitions": 1, "replication_factor": 1, "config": {}}
TWO: Surface = {**ONE, "partitions": 2}
NEW, OLD = f"sha256:{'1' * 64}", f"sha256:{'0' * 64}"


def wanted(name: str, ownership: str = "managed", surface: Surface = ONE) -> Desired:
    return Desired(
        f"streamt://shop/default/topic/{name}",
        "topic",
        name,
        name,
        ownership,
        "/models/0",
        surface,
        NEW,
        "direct-kafka",
    )


def record(name: str, ownership: str = "managed", checksum: str = OLD) -> Record:
    return Record(name, ownership, checksum, "direct-kafka")


def after(
    desired: list[Desired], prior: dict[str, Record], live: dict[str, Surface | None]
) -> dict[str, Record]:
    names = {one.physical_name: live.get(one.physical_name) for one in desired}
    shown = {"topic": {name: Live("topic", name, surface) for name, surface in names.items()}}
    made = plan(desired, Snapshot("shop", "default", 1, prior), shown, RULES)
    return next_resources(prior, desired, made)


def key(name: str) -> str:
    return f"streamt://shop/default/topic/{name}"


def test_what_is_created_gets_a_record() -> None:
    assert after([wanted("a")], {}, {"a": None}) == {key("a"): record("a", checksum=NEW)}


def test_what_is_changed_or_unchanged_gets_its_record() -> None:
    prior = {key("a"): record("a"), key("b"): record("b")}
    desired = [wanted("a", surface=TWO), wanted("b")]

    assert after(desired, prior, {"a": ONE, "b": ONE}) == {
        key("a"): record("a", checksum=NEW),
        key("b"): record("b", checksum=NEW),
    }


def test_what_the_project_does_not_declare_any_more_stays() -> None:
    assert after([], {key("gone"): record("gone")}, {}) == {key("gone"): record("gone")}


def test_what_is_external_is_not_claimed() -> None:
    assert after([wanted("a", "external")], {}, {"a": ONE}) == {}


def test_what_nobody_has_decided_about_is_not_claimed() -> None:
    assert after([wanted("a"), wanted("b", "adopted")], {}, {"a": ONE, "b": ONE}) == {}
