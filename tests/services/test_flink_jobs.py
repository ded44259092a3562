"""Flink jobs planned and applied on a real cluster: its JobManager, its SQL Gateway, and Apache Kafka behind them."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import httpx
from apache_kafka import USERS, SecuredBroker
from applied import codes, state, told
from brokers import until
from flink_bakery import LIVE, Bakery, blockers, message, recovered
from losing_proxy import losing_proxy
from secured_runtimes import login


def test_a_job_is_submitted_once_and_then_there_is_nothing_to_do(bakery: Bakery) -> None:
    bakery.applied()
    first = bakery.live()

    assert told(bakery.plan())["data"]["has_changes"] is False
    bakery.applied()
    assert bakery.live()["jid"] == first["jid"]
    config = bakery.client.get(f"/jobs/{first['jid']}/config").json()["execution-config"]["user-config"]
    assert config["streamt.resource"] == f"streamt://bakery/default/flink_job/{bakery.name}"
    assert state(bakery.folder)["resources"][config["streamt.resource"]]["backend"] == "flink:v1:mill"
    bakery.order("rye", "rye")
    assert bakery.counts("rye", 2) == [1, 2]


def test_sql_that_flink_does_not_take_is_told_in_its_words_and_leaves_no_job(bakery: Bakery) -> None:
    bakery.write(sql='SELECT id, COUNT(nowhere) AS orders FROM {{ source("orders") }} GROUP BY id')

    done = bakery.apply()

    (error,) = told(done)["errors"]
    assert error["code"] == "E417_SAFETY_BLOCKED"
    assert (
        "SqlValidatorException: Column 'nowhere' not found in any table (line 1, column 18)"
        in error["message"]
    )
    assert bakery.jobs() == []


def test_an_update_is_blocked_until_it_is_said_what_becomes_of_the_state(bakery: Bakery) -> None:
    bakery.applied()
    running = bakery.live()["jid"]
    bakery.write(flink={"checkpoint_interval_ms": 700})

    assert blockers(bakery.plan()) == ["flink_update_requires_savepoint"]
    assert codes(bakery.apply("--force")) == ["E417_SAFETY_BLOCKED"]
    assert blockers(bakery.plan("--flink-fresh", bakery.job)) == ["flink_update_requires_savepoint"]
    assert bakery.live()["jid"] == running


def test_a_running_job_is_untouched_by_sql_that_flink_does_not_take(bakery: Bakery) -> None:
    bakery.applied()
    running = bakery.live()["jid"]
    bakery.write(sql='SELECT id, COUNT(nowhere) AS orders FROM {{ source("orders") }} GROUP BY id')

    assert blockers(bakery.plan("--flink-savepoint")) == ["flink_sql_refused"]
    assert codes(bakery.apply("--flink-savepoint")) == ["E417_SAFETY_BLOCKED"]

    assert [job["jid"] for job in bakery.jobs()] == [running]
    assert bakery.live()["state"] == "RUNNING"


def test_a_job_goes_on_counting_after_an_update_with_a_reviewed_plan(bakery: Bakery, tmp_path: Path) -> None:
    bakery.applied()
    bakery.order("rye", "rye", "oat")
    assert bakery.counts("rye", 2) == [1, 2]
    old = bakery.live()["jid"]
    bakery.write(flink={"checkpoint_interval_ms": 700})
    plan = tmp_path / "update.plan"

    assert blockers(bakery.plan("--flink-savepoint", "--out", plan)) == []
    (action,) = json.loads(plan.read_text("utf-8"))["actions"]
    assert (action["action"], action["flink_evidence"]["restore"]) == ("update", "stopped")
    assert codes(bakery.apply("--plan", plan, "--flink-fresh", bakery.job)) == ["E408_PLAN_FILE_INVALID"]
    bakery.applied("--plan", plan)

    new = bakery.live()["jid"]
    restored = bakery.client.get(f"/jobs/{new}/checkpoints").json()["latest"]["restored"]
    assert (new != old, restored["is_savepoint"]) == (True, True)
    bakery.order("rye")
    assert bakery.counts("rye", 3) == [1, 2, 3]
    assert told(bakery.plan())["data"]["has_changes"] is False
    assert codes(bakery.apply("--plan", plan)) == ["E409_PLAN_STALE"]


def test_a_job_that_was_cancelled_by_hand_is_submitted_only_when_it_is_said_from_where(
    bakery: Bakery,
) -> None:
    bakery.applied()
    bakery.order("rye")
    assert bakery.counts("rye", 1) == [1]
    bakery.cancel()

    assert blockers(bakery.plan()) == ["flink_resubmit_requires_state_evidence"]
    assert codes(bakery.apply("--force", "--flink-savepoint")) == ["E417_SAFETY_BLOCKED"]
    assert codes(bakery.plan("--flink-fresh", "no-such-job")) == ["E501_PARSE_ERROR"]
    bakery.applied("--flink-fresh", bakery.job)

    assert bakery.counts("rye", 1)[-1] == 1  # from the beginning, for there is no state
    assert [job["state"] for job in bakery.jobs()].count("RUNNING") == 1


def test_a_savepoint_that_is_not_there_fails_the_submission_by_its_name(bakery: Bakery) -> None:
    bakery.applied()
    bakery.cancel()

    failure = message(bakery.apply("--flink-from", f"{bakery.job}=file:///no/such/savepoint"))

    assert "FileNotFoundException: Cannot find checkpoint or savepoint file/directory" in failure
    assert "/no/such/savepoint" in failure
    assert bakery.jobs(*LIVE) == []


def test_a_job_that_cannot_run_is_told_with_its_own_cause(bakery: Bakery) -> None:
    bakery.orders = f"no-such-topic-{uuid.uuid4().hex}"
    bakery.write()

    failure = message(bakery.apply())

    assert "did not get to run: UnknownTopicOrPartitionException: " in failure
    assert f"--flink-fresh {bakery.job}" in failure
    recovered(bakery, "rolled_back")
    assert blockers(bakery.plan()) == ["flink_resubmit_requires_state_evidence"]


def test_a_submission_whose_answer_is_lost_makes_exactly_one_job(bakery: Bakery) -> None:
    def loses(method: str, path: str, body: bytes) -> bool:
        return method == "POST" and path.endswith("/statements") and b'"INSERT INTO' in body

    with losing_proxy(bakery.flink.sql_gateway_url, loses) as proxy:
        bakery.runtime["flink"]["clusters"]["mill"]["sql_gateway_url"] = proxy.url
        bakery.write()
        bakery.applied()

    assert len(proxy.lost) == 1
    assert [job["state"] for job in bakery.jobs()] == ["RUNNING"]
    bakery.order("rye")
    assert bakery.counts("rye", 1) == [1]


def test_a_stop_whose_answer_is_lost_makes_exactly_one_savepoint(bakery: Bakery) -> None:
    bakery.applied()
    old = bakery.live()["jid"]
    seen: list[str] = []

    def loses(_method: str, path: str, _body: bytes) -> bool:
        seen.append(path)
        return path.endswith("/stop") and seen.count(path) == 1

    with losing_proxy(bakery.flink.rest_url, loses) as proxy:
        bakery.runtime["flink"]["clusters"]["mill"]["rest_url"] = proxy.url
        bakery.write(flink={"checkpoint_interval_ms": 700})
        bakery.applied("--flink-savepoint")

    assert (len(proxy.lost), seen.count(f"/jobs/{old}/stop")) == (1, 2)
    made = [
        path for path in bakery.flink.savepoints.iterdir() if path.name.startswith(f"savepoint-{old[:6]}-")
    ]
    assert len(made) == 1
    assert bakery.live()["jid"] != old


def test_a_job_that_does_not_say_what_it_was_made_of_is_not_taken_for_ones_own(bakery: Bakery) -> None:
    bakery.applied()
    bakery.cancel()
    submit_by_other_means(bakery)

    done = bakery.plan()

    assert blockers(done) == ["flink_update_requires_savepoint"]
    (change,) = [one for one in told(done)["data"]["changes"] if one["kind"] == "flink_job"]
    assert change["action"] == "update"


def test_of_two_jobs_of_one_name_none_is_chosen(bakery: Bakery) -> None:
    bakery.applied()
    submit_by_other_means(bakery)
    ids = sorted(job["jid"] for job in bakery.jobs(*LIVE))

    done = bakery.plan("--flink-savepoint")

    assert (blockers(done), len(ids)) == (["flink_job_ambiguous"], 2)
    (told_of,) = told(done)["data"]["safety_blockers"]
    assert [job for job in ids if job not in told_of["message"]] == []


def submit_by_other_means(bakery: Bakery) -> None:
    """Have a job of the same name that is none of this program's."""
    with httpx.Client(
        timeout=30, trust_env=False, base_url=f"{bakery.flink.sql_gateway_url}/v3/sessions"
    ) as client:
        session = client.post("", json={"properties": {"pipeline.name": bakery.job}}).json()["sessionHandle"]
        for statement in (
            "CREATE TEMPORARY TABLE `a` (`id` BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1')",
            "CREATE TEMPORARY TABLE `b` (`id` BIGINT) WITH ('connector' = 'blackhole')",
            "INSERT INTO `b` SELECT `id` FROM `a`",
        ):
            answer = client.post(f"/{session}/statements", json={"statement": statement}).json()
            status = f"/{session}/operations/{answer['operationHandle']}/status"
            until(lambda status=status: client.get(status).json()["status"] == "FINISHED")
        client.delete(f"/{session}")


def test_the_login_of_kafka_is_nowhere_but_in_the_job(
    bakery: Bakery, apache_kafka: SecuredBroker, tmp_path: Path
) -> None:
    secret = USERS["reader"]
    bakery.runtime["kafka"] = login(apache_kafka)
    bakery.write()
    plan = tmp_path / "login.plan"
    done = [bakery.plan("--out", plan), bakery.apply("--plan", plan), bakery.plan()]
    assert [one.exit_status for one in done] == [0, 0, 0]
    bakery.order("rye")
    assert bakery.counts("rye", 1) == [1]
    running = bakery.live()["jid"]
    bakery.write(sql='SELECT id, COUNT(nowhere) AS orders FROM {{ source("orders") }} GROUP BY id')
    failed = bakery.apply("--flink-savepoint")
    assert "Column 'nowhere' not found" in told(failed)["errors"][0]["message"]

    kept = [path for path in (bakery.folder / ".streamt").rglob("*") if path.is_file()]
    shown = [one.stdout + one.stderr for one in (*done, failed)]
    shown += [path.read_text("utf-8", "replace") for path in (plan, *kept)]
    shown += [bakery.client.get(f"/jobs/{running}/{part}").text for part in ("config", "exceptions", "plan")]
    assert len(kept) > 1
    assert [text for text in shown if secret in text] == []
