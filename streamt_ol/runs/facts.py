"""What tables are asked about runs of finite commands: the records of the same names in `rules/facts.yml`.

No record has room for results, errors, configuration or addresses, so none can reach an event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from streamt_ol.compiler.facts import Presence


class CommandFacts(NamedTuple):
    """The job of a finite command."""

    at: str
    command: str
    topics: Presence
    project: str
    entity: str = "job"
    event: str = "none"


class EndingFacts(NamedTuple):
    """How the work of a finite command ended."""

    at: str
    command: str
    outcome: str


class RunEventFacts(NamedTuple):
    """One RunEvent to be."""

    at: str
    command: str
    event: str
    entity: str = "run"
