"""What providers read of a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.flink_sql.needs import FLINK_SQL_NEEDS
from streamt_ol.deploy.providers.connect.facts import CONNECT_NEEDS
from streamt_ol.deploy.providers.flink.facts import FLINK_NEEDS
from streamt_ol.deploy.providers.gateway.facts import GATEWAY_NEEDS
from streamt_ol.deploy.providers.schema_registry.facts import REGISTRY_NEEDS
from streamt_ol.deploy.providers.service_facts import SERVICE_NEEDS
from streamt_ol.deploy.providers.topic_facts import TOPIC_NEEDS

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import Needs

PROVIDER_NEEDS: Final[tuple[Needs, ...]] = (
    REGISTRY_NEEDS,
    TOPIC_NEEDS,
    SERVICE_NEEDS,
    FLINK_NEEDS,
    FLINK_SQL_NEEDS,
    CONNECT_NEEDS,
    GATEWAY_NEEDS,
)
