"""What every table of one job is made with: where the topics are, and who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from streamt_ol.deploy.flink_sql.troubles import Troubles
from streamt_ol.engine.templates import segment
from streamt_ol.services.errors import KAFKA, KafkaSettingsError
from streamt_ol.services.kafka_settings import security_protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet

_OPEN, _UNKNOWN = "plaintext", "sasl_ssl"


class Setting(NamedTuple):
    """The environment of a job."""

    project: str
    """Encoded as a part of a path, as the next two."""
    environment: str
    job: str
    brokers: str
    proxy: str | None
    registry: str | None
    """Its address, without user and password."""
    registry_files: bool
    """Whether it is trusted, or asked, by files of this machine."""
    protocol: str
    rules: RuleSet
    troubles: Troubles

    @property
    def login(self) -> bool:
        """Return whether Kafka asks for more than an address."""
        return self.protocol != _OPEN


class RegistryLogin(NamedTuple):
    """Where a Schema Registry is, and as whom it is asked; `user` is None where it asks nobody."""

    url: str
    user: str | None
    password: str


def setting_of(graph: Graph, job: str, rules: RuleSet) -> Setting:
    """Return the environment of one job; what a login lacks is noted as a problem."""
    project = graph.project
    kafka = project.runtime["kafka"]
    registry = project.runtime.get("schema_registry")
    troubles = Troubles(rules)
    gateway = (project.runtime.get("conduktor") or {}).get("gateway") or {}
    try:
        protocol = security_protocol(kafka, rules)
    except KafkaSettingsError:
        mechanism = kafka.get("sasl_mechanism") or ""
        troubles.add("login_unsupported", "", f"{KAFKA}/sasl_mechanism", mechanism)
        protocol = _UNKNOWN
    return Setting(
        project=segment(project.name),
        environment=segment(project.environment.name),
        job=segment(job),
        brokers=(kafka.get("bootstrap_servers_internal") or kafka["bootstrap_servers"]).strip(),
        proxy=(gateway.get("proxy_bootstrap") or "").strip() or None,
        registry=registry_login(registry).url if registry else None,
        registry_files=any((registry or {}).get(f"ssl_{key}_location") for key in ("ca", "certificate")),
        protocol=protocol,
        rules=rules,
        troubles=troubles,
    )


def registry_login(registry: Mapping[str, Any]) -> RegistryLogin:
    """Return the address of a Schema Registry apart from the user and password that may stand in it."""
    split = urlsplit(registry["url"])
    host = split.netloc.rpartition("@")[2]
    user = registry.get("username") or (unquote(split.username) if split.username else None)
    password = registry.get("password") or (unquote(split.password) if split.password else "")
    return RegistryLogin(split._replace(netloc=host).geturl(), user, password)
