"""Plans of Flink jobs: when one is submitted, replaced or left, and what blocks where state may be lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from checked import packaged_rules
from flink_jobs import LARGE, changed, graph_of
from planned import NOTHING

from streamt_ol.compiler.artifacts import build_artifacts
from streamt_ol.deploy.applying.errors import GateError
from streamt_ol.deploy.applying.gates import Gates
from streamt_ol.deploy.planning.desired import desired_resources, notes
from streamt_ol.deploy.planning.errors import PlanFileError, UnknownJobError
from streamt_ol.deploy.planning.observing import observe
from streamt_ol.deploy.planning.plan_shape import check_shape
from streamt_ol.deploy.planning.plan_text import plan_lines
from streamt_ol.deploy.planning.plan_values import resource_changes
from streamt_ol.deploy.planning.planning import plan
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.restores import NOTHING_SAID, Restores, restores_in
from streamt_ol.deploy.planning.reviewed import evidence_of
from streamt_ol.deploy.records import Desired, Live, Surface
from streamt_ol.deploy.state.records import Record, Snapshot
from streamt_ol.ground.errors import Failures

JOB = "large"
ID = f"streamt://shop/default/flink_job/{JOB}"
SAVEPOINT = "file:/savepoints/savepoint-1"
SAVE = Restores(savepoint=True)
FROM = Restores(named={JOB: SAVEPOINT})
FRESH = Restores(fresh=frozenset({JOB}))
DISCARD = Restores(savepoint=True, fresh=frozenset({JOB}))
ENDED = Live("flink_job", JOB, None, "ended", f"it is CANCELED, and its last savepoint is {SAVEPOINT}")
ABSENT = Live("flink_job", JOB, None)
UPDATE, RESUBMIT = "flink_update_requires_savepoint", "flink_resubmit_requires_state_evidence"


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> Desired:
    return job(tmp_path_factory.mktemp("project"))


def job(folder: Path, **model: Any) -> Desired:
    """Return the job of a project, declared otherwise."""
    graph = graph_of(folder, models=[changed(LARGE, **model)])
    found = desired_resources(graph, build_artifacts(graph, packaged_rules()), packaged_rules())
    (one,) = [one for one in found if one.kind == "flink_job"]
    return one


def owning(one: Desired) -> Snapshot:
    record = Record(one.physical_name, "managed", f"sha256:{0:064}", one.backend)
    return Snapshot("shop", "default", 1, {one.resource_id: record})


def planned(one: Desired, live: Live | None, said: Restores = NOTHING_SAID, *, owned: bool = True) -> Plan:
    found = None if live is None else {"flink_job": {JOB: live}}
    return plan([one], owning(one) if owned else NOTHING, found, packaged_rules(), (), said)


def runs(fingerprint: str | None, state: str = "running") -> Live:
    surface: Surface = {"cluster": "mill", "state": state, "fingerprint": fingerprint}
    return Live("flink_job", JOB, surface, reason="a is RUNNING, b is RUNNING" if state == "several" else "")


def deeds(made: Plan) -> list[tuple[str, str, str | None]]:
    """Return each action with the state that it goes on from."""
    restores = [(one.payload or {})["restore"] for one in made.actions]
    return [
        (one.action, restore["restore"], restore["savepoint"])
        for one, restore in zip(made.actions, restores, strict=True)
    ]


def blocked(made: Plan) -> list[str]:
    return [one.code for one in made.blockers]


def test_what_a_plan_compares_of_a_job_is_its_definition_and_that_it_runs(wanted: Desired) -> None:
    assert (wanted.resource_id, wanted.cluster, wanted.backend) == (ID, "mill", "flink:v1:mill")
    assert wanted.surface == {
        "cluster": "mill",
        "state": "running",
        "fingerprint": (wanted.payload or {})["definition"].fingerprint,
    }
    assert "SELECT" not in repr(wanted)


def test_a_job_that_runs_as_it_is_declared_is_left_as_it_is(wanted: Desired) -> None:
    made = planned(wanted, runs(wanted.surface["fingerprint"]), SAVE)

    assert (made.actions, made.unchanged, made.blockers) == ((), (ID,), ())


def test_a_job_that_nobody_has_deployed_is_submitted(wanted: Desired) -> None:
    made = planned(wanted, ABSENT, owned=False)

    assert deeds(made) == [("submit", "none", None)]
    assert (made.blockers, [one.risk_class for one in made.risks]) == ((), ["safe"])


def test_of_a_first_submission_nothing_is_left_behind_whatever_is_said(wanted: Desired) -> None:
    assert deeds(planned(wanted, ABSENT, FRESH, owned=False)) == [("submit", "none", None)]
    assert deeds(planned(wanted, ABSENT, FROM, owned=False)) == [("submit", "named", SAVEPOINT)]


@pytest.mark.parametrize("fingerprint", ["sha256:other", None])
def test_a_running_job_is_replaced_only_with_a_savepoint(wanted: Desired, fingerprint: str | None) -> None:
    undecided, decided = planned(wanted, runs(fingerprint)), planned(wanted, runs(fingerprint), SAVE)

    assert deeds(undecided) == [("update", "undecided", None)]
    assert (blocked(undecided), undecided.executable) == ([UPDATE], ())
    assert deeds(decided) == [("update", "stopped", None)]
    assert (blocked(decided), decided.executable) == ([], decided.actions)
    assert [(one.risk_class, one.flags) for one in decided.risks] == [
        ("state_migration_required", ("savepoint_required", "stateful_upgrade"))
    ]


@pytest.mark.parametrize("said", [NOTHING_SAID, FROM, FRESH])
def test_what_flink_does_not_take_is_never_submitted(wanted: Desired, said: Restores) -> None:
    refused = ABSENT._replace(verdict="refused", reason="Flink does not take the SQL of job 'large': no")

    for owned in (True, False):
        made = planned(wanted, refused, said, owned=owned)
        assert [(one.code, one.message) for one in made.blockers] == [("flink_sql_refused", refused.reason)]
    running = runs("sha256:other")._replace(verdict="refused", reason=refused.reason)
    assert blocked(planned(wanted, running, SAVE)) == ["flink_sql_refused"]
    assert blocked(planned(wanted, running)) == ["flink_sql_refused", UPDATE]


def test_a_job_is_not_stopped_for_one_that_keeps_other_state(wanted: Desired) -> None:
    running = runs("sha256:other")._replace(verdict="other_shape")

    for said in (NOTHING_SAID, SAVE, FRESH):
        (blocker,) = planned(wanted, running, said).blockers
        assert blocker.code == "flink_state_differs"
        assert "--flink-savepoint --flink-fresh large" in blocker.remedy
    assert blocked(planned(wanted, running, DISCARD)) == []


def test_who_gives_the_state_of_a_running_job_up_says_so_with_both_options(wanted: Desired) -> None:
    made = planned(wanted, runs("sha256:other"), DISCARD)

    assert (deeds(made), blocked(made)) == ([("update", "discarded", None)], [])
    assert [one.flags for one in made.risks] == [
        ("savepoint_required", "state_discarded", "stateful_upgrade")
    ]
    assert resource_changes(made)[0]["changes"][-1] == {
        "field": "from",
        "before": "its state",
        "after": "nothing: it is stopped with a savepoint, and not gone on from",
    }


@pytest.mark.parametrize("said", [FROM, FRESH])
def test_no_other_state_is_taken_for_that_of_a_job_that_runs(wanted: Desired, said: Restores) -> None:
    assert blocked(planned(wanted, runs("sha256:other"), said)) == [UPDATE]


@pytest.mark.parametrize("live", [ENDED, ABSENT], ids=["ended", "forgotten"])
def test_a_job_that_ran_is_submitted_only_when_it_is_said_from_where(wanted: Desired, live: Live) -> None:
    undecided = planned(wanted, live, SAVE)

    assert deeds(undecided) == [("submit", "undecided", None)]
    assert blocked(undecided) == [RESUBMIT]
    assert deeds(planned(wanted, live, FROM)) == [("submit", "named", SAVEPOINT)]
    assert deeds(planned(wanted, live, FRESH)) == [("submit", "fresh", None)]
    assert blocked(planned(wanted, live, FROM)) == blocked(planned(wanted, live, FRESH)) == []
    assert [one.flags for one in planned(wanted, live, FRESH).risks] == [
        ("savepoint_required", "state_discarded", "stateful_upgrade")
    ]


@pytest.mark.parametrize("elsewhere", [{"backend": "flink:v1:old"}, {"physical_name": "small"}])
def test_a_job_that_moves_to_another_cluster_leaves_no_state_behind_unasked(
    wanted: Desired, elsewhere: dict[str, str]
) -> None:
    known = owning(wanted._replace(**elsewhere))
    shown = {"flink_job": {JOB: ABSENT}}

    def moved(said: Restores) -> Plan:
        return plan([wanted], known, shown, packaged_rules(), (), said)

    assert blocked(moved(SAVE)) == [RESUBMIT]
    assert moved(SAVE).blockers[0].message == (
        "the state has Flink job 'large' under another name or on another cluster, where it may run on beside this one"
    )
    assert deeds(moved(FROM)) == [("submit", "named", SAVEPOINT)]
    assert deeds(moved(FRESH)) == [("submit", "fresh", None)]
    assert blocked(moved(FROM)) == blocked(moved(FRESH)) == []


def test_a_job_that_has_ended_is_nobodys_and_still_not_begun_again_unasked(wanted: Desired) -> None:
    made = planned(wanted, ENDED, owned=False)

    assert (made.requirements, blocked(made)) == ((), [RESUBMIT])
    assert made.blockers[0].message == (
        f"Flink job 'large' ran before: it is CANCELED, and its last savepoint is {SAVEPOINT}; nobody says from which "
        "state it is to go on"
    )


def test_a_running_job_without_a_record_is_somebody_elses(wanted: Desired) -> None:
    made = planned(wanted, runs(wanted.surface["fingerprint"]), SAVE, owned=False)

    assert [one.reason for one in made.requirements] == ["requires_adoption"]


@pytest.mark.parametrize(
    ("state", "code"), [("ending", "flink_job_ending"), ("several", "flink_job_ambiguous")]
)
def test_nothing_is_submitted_beside_a_job_that_is_not_settled(
    wanted: Desired, state: str, code: str
) -> None:
    assert blocked(planned(wanted, runs(None, state), Restores(savepoint=True, named={JOB: SAVEPOINT}))) == [
        code
    ]


def test_jobs_of_one_name_are_told_by_their_ids(wanted: Desired) -> None:
    assert planned(wanted, runs(None, "several")).blockers[0].message.endswith(": a is RUNNING, b is RUNNING")


def test_offline_everything_counts_as_new(wanted: Desired) -> None:
    made = plan([wanted], NOTHING, None, packaged_rules(), (), FRESH)

    assert (deeds(made), [one.risk_class for one in made.risks]) == ([("submit", "none", None)], ["unknown"])


def test_what_the_sql_cannot_say_blocks_and_what_has_no_effect_is_told(tmp_path: Path) -> None:
    lacking = job(tmp_path / "a", columns=None)
    strange = job(tmp_path / "b", flink={"resources": {"taskmanager_memory_mb": 512}})

    assert blocked(planned(lacking, ABSENT, owned=False)) == ["flink_columns_missing"]
    assert blocked(planned(strange, ABSENT, owned=False)) == []
    graph = graph_of(
        tmp_path / "b", models=[changed(LARGE, flink={"resources": {"taskmanager_memory_mb": 512}})]
    )
    (note,) = notes([strange], graph.project)
    assert (note.code, note.location) == (
        "W120_DECLARATION_UNUSED",
        "/models/0/flink/resources/taskmanager_memory_mb",
    )
    assert note.place is not None
    assert notes([strange._replace(ownership="external")], graph.project) == []


# how it is shown


def test_sql_that_is_not_one_query_closes_the_gate_at_its_line(tmp_path: Path) -> None:
    made = planned(job(tmp_path, sql="SELECT id\nFROM orders\n;\nSELECT 2"), ABSENT, owned=False)

    with pytest.raises(Failures) as caught:
        Gates(packaged_rules(), "default", "reviewed.plan").blocked(made)
    (error,) = caught.value.failures

    assert (error.code, error.location, error.line_within) == ("E417_SAFETY_BLOCKED", "/models/0/sql", 3)


def test_a_plan_shows_definitions_shortened_and_the_state_that_is_gone_on_from(wanted: Desired) -> None:
    new = wanted.surface["fingerprint"][:19]
    made = [
        planned(wanted, ABSENT, owned=False),
        planned(wanted, runs(f"sha256:{'a' * 64}"), SAVE),
        planned(wanted, ENDED, FROM),
        planned(wanted, ENDED, FRESH),
    ]

    assert [resource_changes(one)[0]["changes"] for one in made] == [
        [
            {"field": "cluster", "before": None, "after": "mill"},
            {"field": "definition", "before": None, "after": new},
        ],
        [
            {"field": "definition", "before": "sha256:aaaaaaaaaaaa", "after": new},
            {"field": "from", "before": "its state", "after": "the savepoint that it is stopped with"},
        ],
        [
            {"field": "cluster", "before": None, "after": "mill"},
            {"field": "definition", "before": None, "after": new},
            {"field": "from", "before": None, "after": SAVEPOINT},
        ],
        [
            {"field": "cluster", "before": None, "after": "mill"},
            {"field": "definition", "before": None, "after": new},
            {"field": "from", "before": None, "after": "nothing: without the state that it had"},
        ],
    ]
    shown = "\n".join(line.text for one in made for line in plan_lines(one))
    assert "SELECT" not in shown
    assert f"    from        {SAVEPOINT}" in shown


# what is kept in a reviewed plan


def test_what_was_said_of_the_state_is_part_of_a_reviewed_plan(wanted: Desired) -> None:
    other = runs("sha256:other")
    ways = ((SAVE, other), (DISCARD, other), (FROM, ENDED), (FRESH, ENDED), (NOTHING_SAID, ABSENT))
    for said, live in ways:
        (action,) = planned(wanted, live, said, owned=live is not ABSENT).actions
        kept = {"resource_id": action.resource_id, **evidence_of(action)}

        assert kept["flink_evidence"] is not None
        assert (kept["gateway_evidence"], kept["connector_evidence"]) == (None, None)
        assert restores_in([kept], [wanted]) == said


SHA = f"sha256:{1:064}"
GOOD = {"before": None, "after": SHA, "restore": "none", "savepoint": None}


def reviewed(evidence: Any, action: str = "submit") -> dict[str, Any]:
    texts = ("streamt_version", "environment_fingerprint", "manifest_checksum")
    empty: dict[str, type] = {
        "summary": dict,
        "resources": list,
        "impact": list,
        "change_risks": list,
        "risk_summary": dict,
        "ownership_requirements": list,
        "safety_blockers": list,
        "connector_removal_assessments": list,
        "gateway_removal_assessments": list,
    }
    return {
        **dict.fromkeys(texts, "x"),
        "project": "shop",
        "environment": "default",
        "offline": False,
        "selection": None,
        "state": {
            "backend": "local",
            "store_id": "x",
            "address": "streamt-state://local/shop/default",
            "serial": 0,
            "checksum": "x",
        },
        "plan": {name: kind() for name, kind in empty.items()},
        "actions": [
            {
                "index": 0,
                "resource_id": ID,
                "action": action,
                "gateway_evidence": None,
                "connector_evidence": None,
                "flink_evidence": evidence,
            }
        ],
    }


@pytest.mark.parametrize(
    "evidence",
    [
        GOOD,
        {**GOOD, "before": SHA, "restore": "stopped"},
        {**GOOD, "before": SHA, "restore": "discarded"},
        {**GOOD, "restore": "fresh"},
        {**GOOD, "restore": "named", "savepoint": SAVEPOINT},
    ],
)
def test_the_evidence_of_a_job_says_from_where_it_goes_on(evidence: dict[str, Any]) -> None:
    check_shape(reviewed(evidence))


@pytest.mark.parametrize(
    "evidence",
    [
        None,
        {},
        {"before": None, "after": SHA},
        {**GOOD, "restore": "undecided"},
        {**GOOD, "restore": "named"},
        {**GOOD, "restore": "named", "savepoint": ""},
        {**GOOD, "restore": "named", "savepoint": 1},
        {**GOOD, "savepoint": SAVEPOINT},
        {**GOOD, "after": None},
        {**GOOD, "after": "planted"},
        {**GOOD, "more": 1},
    ],
)
def test_a_plan_without_whole_evidence_of_a_job_is_none(evidence: Any) -> None:
    with pytest.raises(PlanFileError, match="actions/0/flink_evidence"):
        check_shape(reviewed(evidence))


# what is said


def test_what_is_said_of_unknown_jobs_is_refused(wanted: Desired) -> None:
    Restores(savepoint=True, named={JOB: SAVEPOINT}, fresh=frozenset({JOB})).require_known([wanted])

    for said in (Restores(named={"largo": SAVEPOINT}), Restores(fresh=frozenset({"largo"}))):
        with pytest.raises(UnknownJobError) as caught:
            said.require_known([wanted])
        assert caught.value.code == "E501_PARSE_ERROR"
        assert (
            caught.value.message == "--flink-from and --flink-fresh name no Flink job of the project: largo"
        )
        assert caught.value.suggestion == "it has: large"


@pytest.mark.parametrize(
    ("said", "reviewed", "beyond"),
    [
        (NOTHING_SAID, SAVE, None),
        (SAVE, SAVE, None),
        (FROM, FROM, None),
        (FRESH, FRESH, None),
        (SAVE, NOTHING_SAID, "--flink-savepoint"),
        (FROM, FRESH, f"--flink-from large={SAVEPOINT}"),
        (FROM, Restores(named={JOB: "file:/other"}), f"--flink-from large={SAVEPOINT}"),
        (FRESH, FROM, "--flink-fresh large"),
    ],
)
def test_a_reviewed_plan_needs_no_options_and_bears_none_that_it_does_not_say(
    said: Restores, reviewed: Restores, beyond: str | None
) -> None:
    assert said.beyond(reviewed) == beyond


def test_an_option_that_a_reviewed_plan_does_not_say_is_refused_at_its_gate() -> None:
    gates = Gates(packaged_rules(), "prod", "x.plan")

    with pytest.raises(GateError, match="does not say what --flink-savepoint says") as caught:
        gates.at("restores", "--flink-savepoint", restore_unreviewed=True)

    assert caught.value.code == "E408_PLAN_FILE_INVALID"


# whom is asked


class Cluster:
    """A provider that remembers what it was asked about."""

    kind = "flink_job"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def observe(self, wanted: Any) -> dict[str, Live]:
        self.asked += [one.physical_name for one in wanted]
        return {one.physical_name: Live("flink_job", one.physical_name, None) for one in wanted}

    def execute(self, action: Any) -> None:
        raise NotImplementedError

    def undo(self, action: Any) -> bool:
        raise NotImplementedError


def test_a_cluster_that_holds_external_jobs_alone_is_not_asked(wanted: Desired) -> None:
    elsewhere = wanted._replace(physical_name="theirs", cluster="cloud", ownership="external")
    beside = wanted._replace(physical_name="other", ownership="external")
    cluster = Cluster()

    live = observe([wanted, elsewhere, beside], {"flink_job": cluster})

    assert cluster.asked == ["large", "other"]
    assert "theirs" not in live["flink_job"]
