"""What plans read of a rule set."""

from __future__ import annotations

from streamt_ol.deploy.flink_sql.needs import FLINK_SQL_NEEDS
from streamt_ol.deploy.planning.facts import EnvironmentPolicy, FlinkDecision, OwnedResource, PlannedChange
from streamt_ol.deploy.planning.plan_demands import PlanDemand
from streamt_ol.deploy.planning.removal_facts import DeclaredRemoval
from streamt_ol.deploy.planning.surfaces.gateway_facts import (
    GATEWAY_CATALOGUES,
    GATEWAY_RECORDS,
    GATEWAY_TABLES,
)
from streamt_ol.deploy.planning.surfaces.schema_facts import SCHEMA_NEEDS
from streamt_ol.engine.ruleset import Needs

PLANNING_NEEDS = Needs(
    tables={
        "ownership": ["reason", "blocks", "message", "remedy"],
        "safety-blockers": ["blocks", "message", "remedy"],
        "risk": ["class", "flags", "evidence", "reasons"],
        "policies": ["demanded"],
        "plan-demands": ["message"],
        "removals": ["verdict", "message", "blocks", "remedy"],
        "flink-restores": ["restore"],
        **FLINK_SQL_NEEDS.tables,
        **GATEWAY_TABLES,
        **SCHEMA_NEEDS.tables,
    },
    catalogues={
        "resource-kinds": ["artifacts", "creates", "deletes", "backend", "undeclared"],
        "resource-owners": ["ownership", "named"],
        **FLINK_SQL_NEEDS.catalogues,
        **GATEWAY_CATALOGUES,
    },
    records={
        "owned_resource": OwnedResource,
        "planned_change": PlannedChange,
        "environment_policy": EnvironmentPolicy,
        "plan_demand": PlanDemand,
        "declared_removal": DeclaredRemoval,
        "flink_decision": FlinkDecision,
        **FLINK_SQL_NEEDS.records,
        **GATEWAY_RECORDS,
        **SCHEMA_NEEDS.records,
    },
)
