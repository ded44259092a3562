"""Sample tests: some messages of a topic (section 8 of the project language)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from streamt_ol.checks.looked_at import LookedAt
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.checks.records import Message, Selected
    from streamt_ol.checks.topics import Topics


class Sampled(Protocol):
    """What came of reading a topic."""

    @property
    def messages(self) -> Sequence[Message]:
        """Return the messages in the order of reading."""


class Samples(Protocol):
    """Reads topics of the broker."""

    def sample(self, topic: str, size: int) -> Sampled:
        """Return at most `size` messages of a topic, the oldest first; raises a StreamtError."""


def look_at_sample(test: Selected, topics: Topics, samples: Samples, usual_size: int) -> LookedAt:
    """Read the messages that a sample test is about; raises what reading raises."""
    topic = topics.of(test.model)
    if topic is None:
        return LookedAt("unknown")
    size = sample_size(test, usual_size)
    if size < 0:
        return LookedAt("nothing_asked_for", topic)
    messages = samples.sample(topic, size).messages
    return LookedAt("there" if messages else "no_message", topic, messages=messages)


def sample_size(test: Selected, usual: int) -> int:
    """Return how many messages a test asks for: the usual number without `sample_size`, and with 0."""
    declared = test.raw.get("sample_size")
    return usual if declared is None else as_int(declared) or usual
