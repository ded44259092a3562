"""What tables see of a virtual topic; what plans read of a rule set for it.

No record has room for SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.facts import Presence

Values = Literal["plain", "framed"]
Reads = Literal["topic", "alias", "several"]
Registry = Literal["unneeded", "open", "absent", "secured"]


class GatewayQuery(NamedTuple):
    """Facts of the record `gateway_query` (rules/facts.yml)."""

    at: str
    name: str
    shape: str
    values: Values


class GatewayMask(NamedTuple):
    """Facts of the record `gateway_mask`."""

    at: str
    name: str
    column: str
    method: str


class GatewayAlias(NamedTuple):
    """Facts of the record `gateway_alias`."""

    at: str
    name: str
    topic: str
    names: Literal["sound", "unsound"]
    reads: Reads
    compression: Presence
    registry: Registry


GATEWAY_TABLES: Final[Mapping[str, Sequence[str]]] = {
    "gateway-queries": ["interceptor", "problem", "message", "remedy"],
    "gateway-masks": ["rule", "problem", "message", "remedy"],
    "gateway-aliases": ["problem", "message", "remedy", "where"],
}
GATEWAY_CATALOGUES: Final[Mapping[str, Sequence[str]]] = {
    "gateway-interceptors": ["plugin"],
    "gateway-bounds": ["limit"],
}
GATEWAY_RECORDS: Final[Mapping[str, type]] = {
    "gateway_query": GatewayQuery,
    "gateway_mask": GatewayMask,
    "gateway_alias": GatewayAlias,
}
