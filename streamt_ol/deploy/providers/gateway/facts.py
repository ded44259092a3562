"""What the provider of Gateway rules reads of a rule set."""

from __future__ import annotations

from typing import Final

from streamt_ol.engine.ruleset import Needs

GATEWAY_NEEDS: Final = Needs(
    tables={},
    catalogues={"gateway-interceptors": ["plugin"], "gateway-bounds": ["limit"]},
    records={},
)
