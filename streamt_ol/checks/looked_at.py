"""What a test is about, once somebody has looked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.checks.facts import Subject
    from streamt_ol.checks.records import Message
    from streamt_ol.ground.errors import Diagnostic


class LookedAt(NamedTuple):
    """The subject of a test; names are empty where it has none of them."""

    subject: Subject
    topic: str = ""
    job: str = ""
    cluster: str = ""
    state: str = ""
    messages: Sequence[Message] | None = None
    """None for what is not read at all."""
    error: Diagnostic | None = None
    """Why it is out of reach."""
