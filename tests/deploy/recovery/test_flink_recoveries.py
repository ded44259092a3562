"""What is written down of a Flink job whose update did not end: it runs, another runs, or none does."""

from __future__ import annotations

from typing import Any

import pytest

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.records import Desired, Live
from streamt_ol.deploy.recovery.errors import RecoveryRefusedError
from streamt_ol.deploy.recovery.facts import RECOVERY_NEEDS
from streamt_ol.deploy.recovery.resolving import require_allowed, resources_after
from streamt_ol.deploy.recovery.targets import Seen, look
from streamt_ol.deploy.state.records import Control, IntendedAction, Intent, Observed, Record, Snapshot
from streamt_ol.deploy.state.state_file import state_checksum
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder

RULES = load_rules(rules_folder(), only=set(RECOVERY_NEEDS.tables))
ID = "streamt://shop/default/flink_job/large"


def surface(fingerprint: str, state: str = "running") -> dict[str, Any]:
    return {"cluster": "mill", "state": state, "fingerprint": fingerprint}


OLD, NEW = surface("sha256:old"), surface("sha256:new")
RECORD = Record("large", "managed", f"sha256:{0:064}", "flink:v1:mill")
WANTED = Desired(
    ID, "flink_job", "large", "large", "managed", "/models/0", NEW, f"sha256:{1:064}", "flink:v1:mill"
)


class Cluster:
    """A provider that shows what it is given."""

    kind = "flink_job"

    def __init__(self, live: Live) -> None:
        self._live = live

    def observe(self, wanted: Any) -> dict[str, Live]:
        return {one.physical_name: self._live for one in wanted}

    def execute(self, _action: Any) -> None:
        raise AssertionError

    def undo(self, _action: Any) -> bool:
        raise AssertionError


def seen(
    there: dict[str, Any] | None, verdict: str = "unasked", before: dict[str, Any] | None = OLD
) -> tuple[Observed, Seen]:
    """Return a step about a job that did not end, and what is there of the job; before it there was `before`."""
    verb, prior = ("submit", None) if before is None else ("update", checksum(before))
    action = IntendedAction(0, ID, verb, "large", prior, checksum(NEW), "mill")
    state = Snapshot("shop", "default", 1, {ID: RECORD})
    intent = Intent("i", "apply", "now", "me", 1, state_checksum(state), None, (action,))
    observed = Observed(state, "r", Control("recovery_required", intent), "r")
    return observed, look(intent, {"flink_job": Cluster(Live("flink_job", "large", there, verdict))})


def refusal(resolution: str, there: dict[str, Any] | None) -> str:
    observed, what = seen(there)
    with pytest.raises(RecoveryRefusedError) as caught:
        require_allowed(resolution, observed, what, (WANTED,), RULES)
    return caught.value.message


@pytest.mark.parametrize("verdict", ["ended", "unasked"])
def test_a_job_that_was_stopped_and_not_followed_keeps_its_record(verdict: str) -> None:
    observed, what = seen(None, verdict)

    require_allowed("observed", observed, what, (WANTED,), RULES)

    assert [target.stands for target in what.targets] == ["gone"]
    assert resources_after(observed, what, (WANTED,)) == {ID: RECORD}


def test_a_job_that_was_lost_before_and_was_not_submitted_keeps_its_record() -> None:
    observed, what = seen(None, before=None)

    require_allowed("observed", observed, what, (WANTED,), RULES)

    assert [target.stands for target in what.targets] == ["prior"]
    assert resources_after(observed, what, (WANTED,)) == {ID: RECORD}


def test_a_job_that_is_gone_is_not_as_it_was() -> None:
    assert refusal("rolled_back", None) == "not as it was before the operation: flink_job:large"


def test_a_job_that_still_runs_is_as_it_was() -> None:
    observed, what = seen(OLD)

    require_allowed("rolled_back", observed, what, (WANTED,), RULES)
    assert resources_after(observed, what, (WANTED,)) == {ID: RECORD}


def test_of_a_job_that_runs_as_planned_a_commit_is_made_up_for() -> None:
    observed, what = seen(NEW)

    require_allowed("observed", observed, what, (WANTED,), RULES)
    assert resources_after(observed, what, (WANTED,)) == {
        ID: RECORD._replace(artifact_checksum=WANTED.checksum)
    }


@pytest.mark.parametrize(
    "there", [surface("sha256:other"), surface("sha256:new", "ending"), surface("", "several")]
)
def test_a_job_that_nobody_planned_is_in_the_way(there: dict[str, Any]) -> None:
    assert refusal("observed", there).startswith("neither as it was before the operation nor ")
