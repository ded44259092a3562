"""Apache Kafka as one node, with listeners in the clear, with TLS, with client certificates and with logins.

`make test-services` puts its jars into `.services/kafka`, or where STREAMT_TEST_KAFKA_JARS says.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme
from brokers import Broker, await_answer
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from services import SERVICES, Service, free_ports, jars, java, service

JARS = Path(os.environ.get("STREAMT_TEST_KAFKA_JARS", SERVICES / "kafka"))
USERS = {"reader": "planted-reader-secret", "stranger": "planted-stranger-secret"}
"""Who can log in, and with which password; `stranger` may do nothing."""
KEY_PASSWORD = "planted-key-secret"


_LOGGING = """\
rootLogger.level = ERROR
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = CONSOLE
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss.SSS} %-5p %c{1} %m%n
logger.version.name = org.apache.kafka.common.utils.AppInfoParser
logger.version.level = INFO
"""


@dataclass(frozen=True)
class SecuredBroker(Broker):
    """A broker with more listeners; `files` has PEM files of its authority, of another, and of a client."""

    listeners: Mapping[str, str] = None  # type: ignore[assignment]
    files: Mapping[str, Path] = None  # type: ignore[assignment]
    service: Service = None  # type: ignore[assignment]


@contextmanager
def apache_broker(folder: Path) -> Iterator[SecuredBroker]:
    """Format a log directory, with the users, and run a broker on it that is its own controller."""
    logging = folder / "log4j2.properties"
    logging.write_text(_LOGGING, "utf-8")
    classes = [f"{jars(JARS, 'kafka_2.13-*.jar')}/*"]
    run = java(384, classes, f"-Dlog4j2.configurationFile={logging}")
    files = _certificates(folder)
    names = ("PLAINTEXT", "SSL", "MUTUAL", "SASL_SSL", "CONTROLLER")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    settings = folder / "server.properties"
    settings.write_text(_properties(ports, files, folder / "data"), "utf-8")
    users = [f"SCRAM-SHA-512=[name={name},password={password}]" for name, password in USERS.items()]
    formatting = ["format", "--cluster-id", "c3RyZWFtdC1vbC10ZXN0cw", "--config", str(settings)]
    adding = [argument for user in users for argument in ("--add-scram", user)]
    formatted = subprocess.run(
        [*run, "kafka.tools.StorageTool", *formatting, *adding], capture_output=True, timeout=300, check=False
    )
    assert formatted.returncode == 0, (formatted.stdout + formatted.stderr).decode("utf-8", "replace")
    with service("kafka", [*run, "kafka.Kafka", settings], folder) as running:
        listeners = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
        broker = SecuredBroker(listeners["PLAINTEXT"], running.process, {}, listeners, files, running)
        await_answer(broker, running.log, 300)
        yield broker


def _certificates(folder: Path) -> dict[str, Path]:
    ours, other = trustme.CA(), trustme.CA()
    files = {
        name: folder / f"{name}.pem"
        for name in ("authority", "other_authority", "server", "client", "client_key", "no_pem")
    }
    ours.cert_pem.write_to_path(str(files["authority"]))
    other.cert_pem.write_to_path(str(files["other_authority"]))
    server = ours.issue_cert("127.0.0.1")
    files["server"].write_bytes(_key(server) + _chain(server))
    client = ours.issue_cert("client@example.com")
    files["client"].write_bytes(_chain(client))
    files["client_key"].write_bytes(_key(client, KEY_PASSWORD))
    files["no_pem"].write_text("not a certificate\n", "utf-8")
    return files


def _key(certificate: trustme.LeafCert, password: str | None = None) -> bytes:
    key = load_pem_private_key(certificate.private_key_pem.bytes(), None)
    encryption = NoEncryption() if password is None else BestAvailableEncryption(password.encode())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


def _chain(certificate: trustme.LeafCert) -> bytes:
    return b"".join(part.bytes() for part in certificate.cert_chain_pems)


def _properties(ports: Mapping[str, int], files: Mapping[str, Path], data: Path) -> str:
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{ports['CONTROLLER']}",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items()),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
        "SSL:SSL,MUTUAL:SSL,SASL_SSL:SASL_SSL",
        "log.dirs": str(data),
        "auto.create.topics.enable": "true",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(files["server"]),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(files["authority"]),
        "listener.name.mutual.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": "org.apache.kafka.common.security.scram"
        ".ScramLoginModule required;",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        "allow.everyone.if.no.acl.found": "true",
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())
