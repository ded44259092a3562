"""Why a transport configuration is refused: told by the table `transport-faults`, never with a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet

TRANSPORT = "openlineage.transport"
"""The location of the transport; that of a key has the key behind a dot."""
FILE = "openlineage.config"
"""The location of the configuration file."""


class TransportConfigError(StreamtError):
    """The transport configuration is refused; nothing was opened and nothing was sent."""

    code: ClassVar[str] = "E506_OPENLINEAGE_INVALID"


class TransportFault(NamedTuple):
    """What the table is asked about: a fault, and the words that may be shown beside it."""

    fault: str
    at: str = TRANSPORT
    name: str = ""
    where: str = ""
    limit: str = ""
    near: str = ""


def refusal(fault: TransportFault, rules: RuleSet) -> TransportConfigError:
    """Return the error of a fault. Raise it outside of `except`, so that it keeps no cause and no context."""
    decision = rules.table("transport-faults").decide(fault)
    suggestion = decision.get("suggestion")
    return TransportConfigError(
        decision["message"](fault),
        location=decision["location"](fault),
        suggestion=suggestion and suggestion(fault),
    )


def key_refusal(fault: str, key: str, where: str, rules: RuleSet) -> TransportConfigError:
    """Return the error of a fault in the value of a key, with the bound of the key."""
    bound = key_bound(key, rules)
    limit = "" if bound is None else f"{bound:g}"
    return refusal(TransportFault(fault, f"{TRANSPORT}.{key}", key, where, limit), rules)


def key_bound(key: str, rules: RuleSet) -> float | None:
    """Return the greatest value that a key may have, times in seconds; None for a key without a bound."""
    name = rules.catalogue("transport-keys")[key].get("bound")
    return None if name is None else in_seconds(rules.catalogue("transport-bounds")[name], "limit")


def in_seconds(bound: Mapping[str, Any], field: str) -> float:
    """Return a field of a bound, milliseconds as seconds."""
    value: int = bound[field]
    return value / 1000 if bound["unit"] == "milliseconds" else value
