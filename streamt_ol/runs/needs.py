"""What run events read of a rule set."""

from __future__ import annotations

from streamt_ol.engine.ruleset import Needs
from streamt_ol.lineage.facts import ChoiceFacts, TextFacts
from streamt_ol.runs.facts import CommandFacts, EndingFacts, RunEventFacts

RUN_NEEDS = Needs(
    tables={
        "commands": ["name", "inputs"],
        "outcomes": ["event"],
        "run-facets": ["facet", "body"],
        "namespace-selection": ["take", "message"],
        "texts": ["verdict", "message"],
    },
    catalogues={"namespaces": ["option", "variable", "form", "required", "endpoint"]},
    records={
        "command": CommandFacts,
        "ending": EndingFacts,
        "run_event": RunEventFacts,
        "choice": ChoiceFacts,
        "text": TextFacts,
    },
)
