"""What reading a transport configuration needs of a rule set."""

from __future__ import annotations

from streamt_ol.engine.ruleset import Needs
from streamt_ol.runs.config_errors import TransportFault

CONFIGURATION_NEEDS = Needs(
    tables={"transport-faults": ["location", "message", "suggestion"]},
    catalogues={
        "transport-keys": [
            "types",
            "form",
            "variable",
            "reading",
            "missing",
            "wrong",
            "bound",
            "https",
            "secret",
        ],
        "transport-variables": ["role", "instead"],
        "transport-bounds": ["limit", "unit", "default"],
    },
    records={"transport_fault": TransportFault},
)
