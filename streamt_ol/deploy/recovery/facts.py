"""What the table `recoveries` is asked about, and what recovering reads of a rule set."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from streamt_ol.engine.ruleset import Needs

Evidence = Literal["as_before", "accounted", "moved", "redeclared"]
"""Words of the domain `recovery_evidence`."""


class RecoveryAttempt(NamedTuple):
    """A resolution, beside what is known of the operation and what is there."""

    at: str
    resolution: str
    progress: Literal["none", "some"]
    """Whether an action of the operation was started."""
    evidence: Evidence
    state: Literal["as_before", "written"]
    """Whether the state is the one that the operation began with."""
    names: str
    """What stands in the way: names of resources."""


RECOVERY_NEEDS: Final = Needs(
    tables={"recoveries": ["verdict", "code", "message", "suggestion"]},
    catalogues={},
    records={"recovery_attempt": RecoveryAttempt},
)
