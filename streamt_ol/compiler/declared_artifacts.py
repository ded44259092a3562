"""Artifacts that no model makes: schemas of sources, dead-letter topics and jobs of tests (section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.compiler.records import Graph
    from streamt_ol.project.records import Project, Raw


def schemas(project: Project) -> Iterator[tuple[int, str, Raw]]:
    """Yield position, subject and content of every source with a schema."""
    for position, source in enumerate(project.sources):
        schema = source.raw.get("schema")
        if schema is not None:
            yield (
                position,
                schema.get("subject") or f"{source.topic}-value",
                {
                    "topic": source.topic,
                    "format": (schema.get("format") or "").lower() or None,
                    "version": schema.get("version", "latest"),
                    "definition": schema.get("definition"),
                    "fields": schema.get("fields") or [],
                },
            )


def dead_letter_topics(project: Project) -> dict[str, int]:
    """Return the topics that failing records are sent to, each with the first test that names it."""
    topics: dict[str, int] = {}
    for position, test in enumerate(project.tests):
        for topic in letters_of(test):
            topics.setdefault(topic, position)
    return topics


def letters_of(test: Raw) -> tuple[str, ...]:
    """Return the topics that what breaks a test is sent to, each once."""
    topics: dict[str, None] = {}
    for action in (test.get("on_failure") or {}).get("actions") or ():
        letters = action["dlq"] if isinstance(action["dlq"], dict) else {}
        topics[letters.get("topic") or f"{test['model']}__dlq"] = None
    return tuple(topics)


def test_jobs(graph: Graph) -> Iterator[tuple[int, str, Raw]]:
    """Yield position, name and content of the Flink job of every continuous test."""
    project = graph.project
    defaults = (project.document.get("defaults") or {}).get("tests") or {}
    default = defaults.get("flink_cluster") or (project.runtime.get("flink") or {}).get("default")
    for position, test in enumerate(project.tests):
        if test["type"] == "continuous":
            yield (
                position,
                f"test_{test['name']}",
                {
                    "tests": test["model"],
                    "cluster": test.get("flink_cluster") or default,
                    "assertions": test.get("assertions") or [],
                },
            )
