"""What run events read of a rule set, from the namespaces to the delivery."""

from __future__ import annotations

from streamt_ol.engine.ruleset import Needs
from streamt_ol.lineage.facts import ChoiceFacts, TextFacts
from streamt_ol.runs.config_needs import CONFIGURATION_NEEDS
from streamt_ol.runs.deliveries import DELIVERY_NEEDS
from streamt_ol.runs.facts import CommandFacts, EndingFacts, RunEventFacts

RUN_NEEDS = Needs(
    tables={
        "commands": ["name", "inputs"],
        "outcomes": ["event"],
        "run-facets": ["facet", "body"],
        "namespace-selection": ["take", "message"],
        "texts": ["verdict", "message"],
        **CONFIGURATION_NEEDS.tables,
        **DELIVERY_NEEDS.tables,
    },
    catalogues={
        "namespaces": ["option", "variable", "form", "required", "endpoint"],
        **CONFIGURATION_NEEDS.catalogues,
        **DELIVERY_NEEDS.catalogues,
    },
    records={
        "command": CommandFacts,
        "ending": EndingFacts,
        "run_event": RunEventFacts,
        "choice": ChoiceFacts,
        "text": TextFacts,
        **CONFIGURATION_NEEDS.records,
        **DELIVERY_NEEDS.records,
    },
)
