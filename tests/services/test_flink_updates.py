"""SQL of running jobs that changes, on a real cluster: what goes on from its state, and what is not stopped."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from apache_kafka import SecuredBroker
from applied import control, state, told
from brokers import until
from checked import packaged_rules
from flink_bakery import LIVE, Bakery, blockers, message, recovered
from flink_cluster import FlinkCluster
from flink_jobs import LARGE, ORDERS, changed, graph_of, job_of
from gateway_session import GatewaySession, RefusedStatementError, gateway_session
from losing_proxy import losing_proxy

from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.deploy.providers.flink.job_plans import EXPLAIN, JobPlan, job_plan

COPY = 'SELECT id, loaves FROM {{ source("orders") }}'
COPYING = {
    "primary_key": [],
    "columns": [{"name": "id", "type": "STRING"}, {"name": "loaves", "type": "BIGINT"}],
    "sql": COPY,
}
NAMES = {"table.exec.uid.generation": "ALWAYS", "table.exec.uid.format": "<type>_<transformation>"}
STREAM = {
    **ORDERS,
    "event_time": {"column": "at"},
    "columns": [*ORDERS["columns"], {"name": "p", "proctime": True}],
}


# a project that is applied again and again


def test_a_copying_job_keeps_its_place_whatever_its_query_becomes(bakery: Bakery) -> None:
    bakery.write(**COPYING)
    bakery.applied()
    written: list[Any] = []

    def goes_on(order: str, *expected: dict[str, Any]) -> None:
        bakery.order("none", order)
        written.extend(expected)
        assert bakery.values(expected[-1]) == written

    goes_on("rye", {"id": "none", "loaves": 1}, {"id": "rye", "loaves": 1})
    ways = [
        (f"{COPY} WHERE id <> 'none'", "oat", {"id": "oat", "loaves": 1}),
        (
            "SELECT loaves + 1 AS loaves, UPPER(id) AS id FROM {{ source(\"orders\") }} WHERE id <> 'none'",
            "bun",
            {"id": "BUN", "loaves": 2},
        ),
        (f"{COPY} WHERE id <> 'none' AND loaves > 0", "pie", {"id": "pie", "loaves": 1}),
    ]
    for sql, order, expected in ways:
        old = bakery.live()["jid"]
        bakery.write(sql=sql)
        bakery.applied("--flink-savepoint")
        assert bakery.restored_from() == bakery.savepoint_of(old)
        goes_on(order, expected)
    bakery.write(sql=COPY)
    bakery.applied("--flink-savepoint")
    goes_on("roll", {"id": "none", "loaves": 1}, {"id": "roll", "loaves": 1})


def test_a_counting_job_goes_on_counting_behind_a_filter(bakery: Bakery) -> None:
    bakery.applied()
    bakery.order("rye", "rye", "oat")
    assert bakery.counts("rye", 2) == [1, 2]
    bakery.write(
        sql="SELECT id, COUNT(*) AS orders FROM {{ source(\"orders\") }} WHERE id <> 'oat' GROUP BY id"
    )

    bakery.applied("--flink-savepoint")

    bakery.order("oat", "rye")
    assert bakery.counts("rye", 3) == [1, 2, 3]
    assert bakery.counts("oat", 1) == [1]


COUNTED_TWICE = "SELECT id, COUNT(*) AS orders FROM {{ source(\"orders\") }} GROUP BY id HAVING COUNT(*) > 0 AND MAX(id) <> ''"
LARGEST = 'SELECT id, MAX(loaves) AS orders FROM {{ source("orders") }} GROUP BY id'


def test_a_running_job_is_not_stopped_for_sql_that_could_not_go_on_from_its_state(bakery: Bakery) -> None:
    bakery.applied()
    running = bakery.live()["jid"]
    bakery.write(sql=LARGEST)

    assert blockers(bakery.plan("--flink-savepoint")) == ["flink_state_differs"]
    (error,) = told(bakery.apply("--flink-savepoint"))["errors"]

    assert error["code"] == "E417_SAFETY_BLOCKED"
    assert f"keeps other state than Flink job '{bakery.job}' that runs" in error["message"]
    assert f"--flink-savepoint --flink-fresh {bakery.job} stops it" in error["suggestion"]
    assert ([job["jid"] for job in bakery.jobs()], bakery.live()["state"]) == ([running], "RUNNING")
    del bakery.declares["sql"]
    bakery.write()
    assert told(bakery.plan())["data"]["has_changes"] is False


def test_who_gives_the_state_up_has_the_job_begin_again_and_keeps_its_savepoint(bakery: Bakery) -> None:
    bakery.applied()
    bakery.order("rye", "rye")
    assert bakery.counts("rye", 2) == [1, 2]
    old = bakery.live()["jid"]
    bakery.write(sql=LARGEST)

    assert blockers(bakery.plan("--flink-savepoint", "--flink-fresh", bakery.job)) == []
    bakery.applied("--flink-savepoint", "--flink-fresh", bakery.job)

    assert bakery.restored_from() is None
    assert local(bakery.savepoint_of(old)).is_dir()
    bakery.order("oat")
    ends = {"id": "oat", "orders": 1}
    assert [value["orders"] for value in bakery.values(ends)] == [1, 2, 1, 1]  # read from the start


def local(location: str) -> Path:
    return Path(urlsplit(location).path)


def stopped(client: httpx.Client, job: str) -> str:
    """Stop a job by Flink's own means, and return its savepoint."""
    trigger = client.post(f"/jobs/{job}/stop", json={"drain": False}).json()["request-id"]
    path = f"/jobs/{job}/savepoints/{trigger}"
    until(lambda: client.get(path).json()["status"]["id"] == "COMPLETED")
    until(lambda: client.get(f"/jobs/{job}/status").json()["status"] == "FINISHED")
    return str(client.get(path).json()["operation"]["location"])


def test_state_that_flink_cannot_give_to_the_job_leads_back_to_the_former_sql(bakery: Bakery) -> None:
    """The savepoint is made into one of another plan on its way: no change that is let through is known to fail."""
    bakery.write(sql=COUNTED_TWICE)
    bakery.applied()
    other = local(stopped(bakery.client, bakery.live()["jid"]))
    bakery.write(sql='SELECT id, COUNT(*) AS orders FROM {{ source("orders") }} GROUP BY id')
    bakery.applied("--flink-fresh", bakery.job)
    bakery.order("rye", "rye")
    assert bakery.counts("rye", 2) == [1, 2]
    old = bakery.live()["jid"]
    kept: list[Path] = []

    def exchanges(_method: str, path: str, _body: bytes) -> bool:
        if path == f"/jobs/{old}/status" and not bakery.jobs(*LIVE) and not kept:
            place = local(bakery.savepoint_of(old))
            kept.append(place.rename(place.with_name(f"{place.name}-kept")))
            shutil.copytree(other, place)
        return False

    with losing_proxy(bakery.flink.rest_url, exchanges) as proxy:
        bakery.runtime["flink"]["clusters"]["mill"]["rest_url"] = proxy.url
        bakery.write(flink={"checkpoint_interval_ms": 700})
        failure = message(bakery.apply("--flink-savepoint"))
    bakery.runtime["flink"]["clusters"]["mill"]["rest_url"] = bakery.flink.rest_url
    bakery.write()
    location = bakery.savepoint_of(old)

    assert "Cannot map checkpoint/savepoint state" in failure
    assert f"done before that: stopped with savepoint {location}; Flink cannot give the state at" in failure
    assert (
        f"put back the SQL that the state was made with, and once nothing of that name runs, `--flink-from {bakery.job}={location}`"
        in failure
    )
    assert f"or `--flink-fresh {bakery.job}` submits this SQL without the state" in failure
    assert (bakery.jobs(*LIVE), control(bakery.folder)["status"]) == ([], "recovery_required")

    shutil.rmtree(local(location))
    kept[0].rename(local(location))
    recovered(bakery, "observed")
    assert f"streamt://bakery/default/flink_job/{bakery.name}" in state(bakery.folder)["resources"]
    del bakery.declares["flink"]
    bakery.write()
    assert blockers(bakery.plan()) == ["flink_resubmit_requires_state_evidence"]
    bakery.applied("--flink-from", f"{bakery.job}={location}")
    bakery.order("rye")
    assert bakery.counts("rye", 3) == [1, 2, 3]


def test_sql_that_cannot_go_on_from_a_named_savepoint_leads_back_to_the_former_sql(bakery: Bakery) -> None:
    bakery.applied()
    bakery.order("rye", "rye")
    assert bakery.counts("rye", 2) == [1, 2]
    location = stopped(bakery.client, bakery.live()["jid"])
    former = ("--flink-from", f"{bakery.job}={location}")
    bakery.write(sql=COUNTED_TWICE)

    failure = message(bakery.apply(*former))

    assert "Cannot map checkpoint/savepoint state" in failure
    assert bakery.jobs(*LIVE) == []
    recovered(bakery, "rolled_back")
    del bakery.declares["sql"]
    bakery.write()
    bakery.applied(*former)
    bakery.order("rye")
    assert bakery.counts("rye", 3) == [1, 2, 3]


# plans of Flink


class Made(NamedTuple):
    definition: JobDefinition
    plan: JobPlan


class Mill:
    """Topics with records, and jobs of any SQL between them."""

    def __init__(self, folder: Path, kafka: SecuredBroker, flink: FlinkCluster, client: httpx.Client) -> None:
        self.folder, self.kafka, self.flink, self.client = folder, kafka, flink, client
        self.topics = [kafka.new_topic() for _ in range(4)]
        self.submitted: list[str] = []

    def definition(self, sql: str, **model: Any) -> JobDefinition:
        first, second, target, counts = self.topics
        lines = changed(STREAM, name="lines", topic=second)
        source = changed(
            STREAM, topic=model.pop("reads", first), columns=model.pop("typed", STREAM["columns"])
        )
        large = changed(LARGE, sql=sql, topic={"name": target}, **model)
        counted = changed(
            LARGE,
            name="counted",
            topic={"name": counts},
            primary_key=["id"],
            sql="SELECT id, SUM(loaves) AS loaves FROM {{ source('orders') }} GROUP BY id",
        )
        runtime = {"kafka": {"bootstrap_servers": self.kafka.address}}
        return job_of(
            graph_of(self.folder, sources=[source, lines], models=[counted, large], runtime=runtime)
        )

    @contextmanager
    def session(self, definition: JobDefinition) -> Iterator[GatewaySession]:
        with gateway_session(self.flink, **definition.settings) as session:
            for table in definition.statements[:-1]:
                session.run(table)
            yield session

    def made(self, sql: str, **model: Any) -> Made:
        """Return a job with the plan that Flink explains."""
        definition = self.definition(sql, **model)
        with self.session(definition) as session:
            told = session.run(f"{EXPLAIN} {definition.insert}")
        return Made(
            definition, job_plan(told["results"]["data"][0]["fields"][0], definition, packaged_rules())
        )

    def submit(self, definition: JobDefinition, options: Mapping[str, str], path: str | None = None) -> str:
        """Submit a job, see that all of its tasks run, and return its id."""
        with self.session(definition) as session:
            given = {**options, **({"execution.state-recovery.path": path} if path else {})}
            for name, value in given.items():
                session.run(f"SET '{name}' = '{value}'")
            job: str = session.run(definition.insert)["jobID"]
        self.submitted.append(job)
        until(lambda: self._state(job) != "waiting")
        return job

    def _state(self, job: str) -> str:
        (told,) = [one for one in self.client.get("/jobs/overview").json()["jobs"] if one["jid"] == job]
        if told["state"] == "RUNNING" and told["tasks"]["running"] == told["tasks"]["total"] > 0:
            return "runs"
        return "failed" if told["state"] in ("FAILED", "FINISHED", "CANCELED") else "waiting"

    def runs(self, job: str) -> bool:
        return self._state(job) == "runs"

    def restored(self, job: str) -> str | None:
        told = self.client.get(f"/jobs/{job}/checkpoints").json()["latest"]["restored"]
        return told and str(told["external_path"])

    def end(self) -> None:
        for job in self.submitted:
            self.client.patch(f"/jobs/{job}")
        until(lambda: all(self._state(job) == "failed" for job in self.submitted))


@pytest.fixture
def mill(tmp_path: Path, apache_kafka: SecuredBroker, flink_cluster: FlinkCluster) -> Iterator[Mill]:
    with httpx.Client(timeout=30, trust_env=False, base_url=flink_cluster.rest_url) as client:
        made = Mill(tmp_path / "mill", apache_kafka, flink_cluster, client)
        try:
            yield made
        finally:
            made.end()


A, B, K = "{{ source('orders') }}", "{{ source('lines') }}", "{{ ref('counted') }}"
GROUP, UPSERT = "SELECT id, COUNT(*) AS loaves FROM {} GROUP BY id", {"primary_key": ["id"]}
TUMBLE = f"TABLE(TUMBLE(TABLE {A}, DESCRIPTOR(`at`), INTERVAL '1' MINUTE))"
WINDOW = f"SELECT id, COUNT(*) AS loaves FROM {TUMBLE} GROUP BY id, window_start, window_end"
JOIN = f"SELECT a.id, b.loaves FROM {A} a JOIN {B} b ON a.id = b.id"
BETWEEN = f"SELECT a.id, b.loaves FROM {A} a, {B} b WHERE a.id = b.id AND a.`at` BETWEEN b.`at` - INTERVAL '1' HOUR AND b.`at`"
UNION = f"SELECT id, loaves FROM {A} UNION ALL SELECT id, loaves FROM {B}"
FIRST = f"SELECT id, loaves FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY p) AS r FROM {A}) WHERE r = 1"
LAST = f"SELECT id, loaves FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY loaves DESC) AS r FROM {A}) WHERE r <= 1"
OVER = f"SELECT id, SUM(loaves) OVER (PARTITION BY id ORDER BY `at`) AS loaves FROM {A}"
MATCH = (
    f"SELECT id, loaves FROM {A} MATCH_RECOGNIZE (PARTITION BY id ORDER BY `at` MEASURES LAST(X.loaves) AS loaves "
    "PATTERN (X Y) DEFINE X AS X.loaves > 1, Y AS Y.loaves < 1)"
)

SHAPES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "copy": (f"SELECT id, loaves FROM {A}", {}, True),
    "filter": (f"SELECT id, loaves FROM {A} WHERE loaves > 1", {}, True),
    "expressions": (
        f"SELECT UPPER(id) AS id, CASE WHEN loaves > 1 THEN 1 ELSE loaves END AS loaves FROM {A}",
        {},
        True,
    ),
    "processing time": (f"SELECT id, loaves FROM {A} WHERE p > TIMESTAMP '2020-01-01 00:00:00'", {}, True),
    "upsert": (f"SELECT id, loaves FROM {A} WHERE loaves IN (1, 2, 3)", UPSERT, True),
    "never null": (
        f"SELECT id, loaves FROM {A}",
        {"contract": {"columns": [{"name": "id", "nullable": False}, {"name": "loaves"}]}},
        True,
    ),
    "with": (
        f"WITH w AS (SELECT id, loaves FROM {A} WHERE loaves > 1) SELECT id, loaves FROM w WHERE loaves < 9",
        {},
        True,
    ),
    "unnest": (
        f"SELECT id, x AS loaves FROM {A} CROSS JOIN UNNEST(ARRAY[loaves, loaves + 1]) AS u(x)",
        {},
        False,
    ),
    "group": (GROUP.format(A), UPSERT, True),
    "group of all columns": (f"SELECT DISTINCT id, loaves FROM {A}", UPSERT, True),
    "having": (f"{GROUP.format(A)} HAVING COUNT(*) > 1", UPSERT, False),
    "changes": (f"SELECT id, loaves FROM {K}", UPSERT, True),
    "changes filtered": (f"SELECT id, loaves FROM {K} WHERE loaves > 1", UPSERT, True),
    "group of changes": (GROUP.format(K), UPSERT, True),
    "window": (WINDOW, {}, False),
    "over": (OVER, {}, True),
    "first": (FIRST, {}, False),
    "last": (LAST, UPSERT, True),
    "largest three": (f"SELECT id, loaves FROM {A} ORDER BY loaves DESC LIMIT 3", UPSERT, True),
    "sorted by time": (f"SELECT id, loaves FROM {A} ORDER BY `at`", {}, True),
    "pattern": (MATCH, {}, True),
    "union": (UNION, {}, False),
    "join": (JOIN, {}, False),
    "interval join": (BETWEEN, {}, False),
    "of those": (f"SELECT id, loaves FROM {A} WHERE id IN (SELECT id FROM {B})", {}, False),
}
"""SQL, what else its model declares, and whether each kind of operator is in its plan once."""


@pytest.mark.parametrize("name", SHAPES)
def test_flink_takes_the_names_of_operators_wherever_they_are_given_and_nowhere_else(
    mill: Mill, name: str
) -> None:
    sql, model, once = SHAPES[name]
    made = mill.made(sql, **model)

    assert (made.plan.options, made.plan.shape is None) == (NAMES if once else {}, False)
    if once:
        mill.submit(made.definition, NAMES)
    else:
        with pytest.raises(RefusedStatementError, match="Hash collision on user-specified ID"):
            mill.submit(made.definition, NAMES)


def many(*names: str) -> list[bytes]:
    moments = [f"2026-01-01 00:0{number}:00" for number in range(len(names))]
    return [
        b'{"id": "%s", "loaves": %d, "at": "%s"}' % (name.encode(), number, at.encode())
        for number, (name, at) in enumerate(zip(names, moments, strict=True))
    ]


Change = tuple[tuple[str, dict[str, Any]], tuple[str, dict[str, Any]]]


def same(first: str, second: str, **model: Any) -> Change:
    return (first, model), (second, model)


GOING_ON: dict[str, Change] = {
    "a filter": same(SHAPES["copy"][0], SHAPES["filter"][0]),
    "no filter": same(SHAPES["filter"][0], SHAPES["copy"][0]),
    "other columns": same(SHAPES["copy"][0], SHAPES["expressions"][0]),
    "another type": (
        (SHAPES["copy"][0], {}),
        (
            SHAPES["copy"][0],
            {
                "typed": [
                    changed(one, type="INT" if one["name"] == "loaves" else one.get("type"))
                    for one in STREAM["columns"]
                ]
            },
        ),
    ),
    "upserts": ((SHAPES["copy"][0], {}), (SHAPES["copy"][0], UPSERT)),
    "a filter before a group": same(GROUP.format(A), GROUP.format(f"{A} WHERE loaves > 0"), **UPSERT),
    "another bound of HAVING": same(
        f"{GROUP.format(A)} HAVING COUNT(*) > 1", f"{GROUP.format(A)} HAVING COUNT(*) > 2", **UPSERT
    ),
    "another parallelism": (
        (GROUP.format(A), UPSERT),
        (GROUP.format(A), {**UPSERT, "flink": {"parallelism": 2}}),
    ),
    "state that expires": (
        (GROUP.format(A), UPSERT),
        (GROUP.format(A), {**UPSERT, "flink": {"state_ttl_ms": 86_400_000}}),
    ),
    "a filter before a window": same(WINDOW, WINDOW.replace(" GROUP BY", " WHERE loaves > 0 GROUP BY")),
    "a filter behind a window": same(WINDOW, f"{WINDOW} HAVING COUNT(*) > 1"),
    "an expression behind a window": same(WINDOW, WINDOW.replace("COUNT(*)", "COUNT(*) + 1")),
    "a filter before a join": same(JOIN, f"{JOIN} WHERE b.loaves > 0"),
    "an expression behind a join": same(JOIN, JOIN.replace("b.loaves", "b.loaves + 1 AS loaves", 1)),
    "a filter before a union": same(UNION, UNION.replace(" UNION", " WHERE loaves > 0 UNION")),
    "a filter before the first": same(FIRST, FIRST.replace(f"FROM {A}", f"FROM {A} WHERE loaves > 0")),
    "a filter before the last": same(LAST, LAST.replace(f"FROM {A}", f"FROM {A} WHERE loaves > 0"), **UPSERT),
    "an expression of changes": same(
        f"SELECT id, loaves FROM {K}", f"SELECT id, loaves + 1 AS loaves FROM {K}", **UPSERT
    ),
}


@pytest.mark.parametrize("name", GOING_ON)
def test_what_keeps_its_shape_goes_on_from_its_state(mill: Mill, name: str) -> None:
    (first, declared), (second, redeclared) = GOING_ON[name]
    old, new = mill.made(first, **declared), mill.made(second, **redeclared)
    assert (old.plan.shape == new.plan.shape, old.plan.options) == (True, new.plan.options)
    for topic in mill.topics[:2]:
        mill.kafka.produce(topic, many("rye", "oat", "rye"))
    job = mill.submit(old.definition, old.plan.options)

    path = stopped(mill.client, job)
    after = mill.submit(new.definition, new.plan.options, path)

    assert (mill.runs(after), mill.restored(after)) == (True, path)


REFUSED: dict[str, Change] = {
    "a group": same(f"SELECT id, loaves FROM {A} WHERE loaves > 1", JOIN),
    "no group": ((GROUP.format(A), UPSERT), (SHAPES["copy"][0], UPSERT)),
    "HAVING": same(GROUP.format(A), f"{GROUP.format(A)} HAVING COUNT(*) > 1", **UPSERT),
    "one more aggregate": same(
        GROUP.format(A), GROUP.format(A).replace("COUNT(*)", "COUNT(*) + MAX(loaves)"), **UPSERT
    ),
    "another type in a group": same(
        f"SELECT id, SUM(CAST(loaves AS INT)) AS loaves FROM {A} GROUP BY id",
        f"SELECT id, SUM(CAST(loaves AS SMALLINT)) AS loaves FROM {A} GROUP BY id",
        **UPSERT,
    ),
    "a join of more": same(JOIN, JOIN.replace("b.loaves", "a.loaves + b.loaves AS loaves", 1)),
    "an outer join": ((JOIN, {}), (JOIN.replace(" JOIN", " LEFT JOIN"), UPSERT)),
    "a join with its sides exchanged": same(
        JOIN, f"SELECT a.id, b.loaves FROM {B} b JOIN {A} a ON a.id = b.id"
    ),
    "a filter beside an interval join": same(BETWEEN, f"{BETWEEN} AND b.loaves > 0"),
    "another aggregate of a window": same(WINDOW, WINDOW.replace("COUNT(*)", "SUM(loaves)")),
    "a filter before a sum over rows": same(OVER, f"{OVER} WHERE loaves > 0"),
}
MEANT_OTHERWISE: dict[str, Change] = {
    "another topic": ((SHAPES["copy"][0], {}), (SHAPES["copy"][0], {"reads": "-"})),
    "another aggregate": same(
        f"SELECT id, SUM(loaves) AS loaves FROM {A} GROUP BY id",
        f"SELECT id, MAX(loaves) AS loaves FROM {A} GROUP BY id",
        **UPSERT,
    ),
    "a group behind a copy": ((SHAPES["copy"][0], UPSERT), (GROUP.format(A), UPSERT)),
    "a longer window": same(WINDOW, WINDOW.replace("'1' MINUTE", "'2' MINUTE")),
    "a longer interval": same(BETWEEN, BETWEEN.replace("'1' HOUR", "'2' HOUR")),
    "the least for the largest": same(LAST, LAST.replace("DESC", "ASC"), **UPSERT),
}


@pytest.mark.parametrize("name", [*REFUSED, *MEANT_OTHERWISE])
def test_what_changes_its_shape_is_refused_by_flink_or_goes_on_from_what_it_does_not_mean(
    mill: Mill, name: str
) -> None:
    (first, declared), (second, redeclared) = {**REFUSED, **MEANT_OTHERWISE}[name]
    if redeclared.get("reads"):
        redeclared = {"reads": mill.kafka.new_topic()}
    old, new = mill.made(first, **declared), mill.made(second, **redeclared)
    assert old.plan.shape != new.plan.shape
    for topic in mill.topics[:2]:
        mill.kafka.produce(topic, many("rye", "oat", "rye"))
    path = stopped(mill.client, mill.submit(old.definition, old.plan.options))

    runs = False
    with contextlib.suppress(RefusedStatementError):
        runs = mill.runs(mill.submit(new.definition, new.plan.options, path))

    assert runs == (name in MEANT_OTHERWISE)
