"""Which topic a sample test reads: one answer for the runner and for what is told about the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamt_ol.checks.records import Selected
    from streamt_ol.compiler.records import Graph


class Topics:
    """The Kafka topics of the models and sources of a compiled project.

    A model's is its configured topic, else the topic of its own name, whatever it is materialized as: a
    Gateway alias is no topic of the broker. A source's is its topic. Source: section 8 of the language.
    """

    def __init__(self, graph: Graph) -> None:
        self._topics = {source.name: source.topic for source in graph.sources}
        self._topics.update({model.declared.name: model.topic_name for model in graph.models})

    def of(self, name: str) -> str | None:
        """Return the topic of a model or source; None for a name that is neither."""
        return self._topics.get(name)

    def sampled(self, tests: Iterable[Selected]) -> tuple[str, ...]:
        """Return the topics that sample tests among the selected read, sorted, each once."""
        found = {self.of(test.model) for test in tests if test.type == "sample"}
        return tuple(sorted(topic for topic in found if topic is not None))
