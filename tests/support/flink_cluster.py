"""A Flink cluster: one JobManager, one TaskManager with eight slots, and a SQL Gateway that submits to them.

`make test-services` puts its jars into `.services/flink`, and those of the gateway and of the Kafka connector into
`.services/flink-jars`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from services import SERVICES, Service, free_ports, jars, java, service

FLINK = SERVICES / "flink" / "pyflink"
FLINK_JARS = SERVICES / "flink-jars"
SLOTS = 8
_OPENED = (
    *("java.io", "java.lang", "java.lang.reflect", "java.net", "java.nio", "java.text", "java.time"),
    *("java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks"),
    "sun.nio.ch",
)
"""The packages of Java 17 that Flink's own configuration opens to its serializers."""
_LOGGING = """\
rootLogger.level = INFO
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = CONSOLE
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss.SSS} %-5p %c{1} %m%n
logger.pekko.name = org.apache.pekko
logger.pekko.level = WARN
logger.kafka.name = org.apache.kafka
logger.kafka.level = WARN
"""


@dataclass(frozen=True)
class FlinkCluster:
    """A cluster that runs: its JobManager's REST, its SQL Gateway's REST, and the folder of its savepoints.

    A job checkpoints every second; it FAILED at its first failure, for nothing restarts it.
    """

    rest_url: str
    sql_gateway_url: str
    savepoints: Path
    services: Mapping[str, Service]
    """`jobmanager`, `taskmanager` and `sql-gateway`."""

    def log_tail(self) -> str:
        """Return the end of each log, under the name of its service."""
        return "\n".join(f"--- {name} ---\n{one.log_tail()}" for name, one in self.services.items())


@contextmanager
def flink_cluster(
    folder: Path, *, plugged: Sequence[Path] = (), options: Mapping[str, object] | None = None
) -> Iterator[FlinkCluster]:
    """Start the three programs, and wait until the gateway answers and all slots are there.

    `plugged` are more jars, on the class path of all three; `options` are more of Flink's options.
    """
    library = jars(FLINK / "lib", "flink-dist-*.jar")
    connector = next(
        jars(FLINK_JARS, "flink-sql-connector-kafka-*.jar").glob("flink-sql-connector-kafka-*.jar")
    )
    gateway = next(jars(FLINK_JARS, "flink-sql-gateway-*.jar").glob("flink-sql-gateway-*.jar"))
    for name in ("conf", "checkpoints", "savepoints", "tmp"):
        (folder / name).mkdir()
    rpc, rest, sql = free_ports(3)
    (folder / "conf" / "config.yaml").write_text(
        _configuration(folder, rpc, rest, sql, options or {}), "utf-8"
    )
    (folder / "conf" / "log4j.properties").write_text(_LOGGING, "utf-8")
    java_options = (
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
        f"-Djava.io.tmpdir={folder / 'tmp'}",
        f"-Dlog4j.configurationFile=file:{folder / 'conf' / 'log4j.properties'}",
    )
    classes = [f"{library}/*", connector, *plugged]
    configured = ["--configDir", folder / "conf"]
    commands = {
        "jobmanager": [
            *java(256, classes, *java_options),
            "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
            *configured,
        ],
        "taskmanager": [
            *java(512, classes, *java_options, "-XX:MaxMetaspaceSize=256m", "-XX:MaxDirectMemorySize=192m"),
            "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
            *configured,
        ],
        "sql-gateway": [
            *java(384, [*classes, gateway], *java_options),
            "org.apache.flink.table.gateway.SqlGateway",
        ],
    }
    environment = {"FLINK_CONF_DIR": str(folder / "conf"), "FLINK_LIB_DIR": str(library)}
    with ExitStack() as running:
        services = {
            name: running.enter_context(service(name, command, folder, environment=environment))
            for name, command in commands.items()
        }
        cluster = FlinkCluster(
            f"http://127.0.0.1:{rest}", f"http://127.0.0.1:{sql}", folder / "savepoints", services
        )
        _await(cluster)
        yield cluster


def _await(cluster: FlinkCluster) -> None:
    with httpx.Client(timeout=5, trust_env=False) as client:

        def slots() -> bool:
            return bool(client.get(f"{cluster.rest_url}/overview").json().get("slots-total") == SLOTS)

        def gateway() -> bool:
            return client.get(f"{cluster.sql_gateway_url}/info").status_code == httpx.codes.OK

        unready = (httpx.HTTPError, ValueError)  # the JobManager's page is no JSON before it leads
        cluster.services["jobmanager"].wait(
            lambda: client.get(f"{cluster.rest_url}/overview").status_code == httpx.codes.OK, *unready
        )
        cluster.services["taskmanager"].wait(slots, *unready)
        cluster.services["sql-gateway"].wait(gateway, *unready)


def _configuration(folder: Path, rpc: int, rest: int, sql: int, more: Mapping[str, object]) -> str:
    """Return a configuration. The memory of the TaskManager is told to the last part: no script computes it."""
    settings = {
        "jobmanager.rpc.address": "127.0.0.1",
        "jobmanager.rpc.port": rpc,
        "jobmanager.bind-host": "127.0.0.1",
        "jobmanager.memory.process.size": "700m",
        "rest.address": "127.0.0.1",
        "rest.bind-address": "127.0.0.1",
        "rest.port": rest,
        "rest.bind-port": rest,
        "web.refresh-interval": "100ms",  # the age of what GET /jobs/ID answers
        "taskmanager.host": "127.0.0.1",
        "taskmanager.bind-host": "127.0.0.1",
        "taskmanager.numberOfTaskSlots": SLOTS,
        "taskmanager.cpu.cores": f"{SLOTS}.0",
        "taskmanager.memory.framework.heap.size": "128mb",
        "taskmanager.memory.task.heap.size": "384mb",
        "taskmanager.memory.framework.off-heap.size": "64mb",
        "taskmanager.memory.task.off-heap.size": "0b",
        "taskmanager.memory.network.min": "64mb",
        "taskmanager.memory.network.max": "64mb",
        "taskmanager.memory.managed.size": "64mb",
        "taskmanager.memory.jvm-metaspace.size": "256mb",
        "taskmanager.memory.jvm-overhead.min": "128mb",
        "taskmanager.memory.jvm-overhead.max": "128mb",
        "cluster.registration.error-delay": "200ms",  # the three start at once: one waits for another
        "cluster.registration.refused-registration-delay": "200ms",
        "parallelism.default": 1,
        "restart-strategy.type": "none",
        "execution.checkpointing.interval": "1s",
        "execution.checkpointing.dir": (folder / "checkpoints").as_uri(),
        "execution.checkpointing.savepoint-dir": (folder / "savepoints").as_uri(),
        "io.tmp.dirs": folder / "tmp",
        "sql-gateway.endpoint.rest.address": "127.0.0.1",
        "sql-gateway.endpoint.rest.bind-address": "127.0.0.1",
        "sql-gateway.endpoint.rest.port": sql,
        "sql-gateway.endpoint.rest.bind-port": sql,  # or it takes rest.bind-port
        **more,
    }
    return "".join(f"{key}: {value}\n" for key, value in settings.items())
