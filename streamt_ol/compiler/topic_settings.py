"""Settings of a topic that the project creates: its own, else the defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from streamt_ol.project.records import Project, Raw


def topic_content(project: Project, topic: Raw) -> Raw:
    """Return partitions, replicas and configuration of a model's `topic` block.

    Zero counts as not written. `defaults.topic` wins as a whole over `defaults.models.topic`; what neither
    says is 1 (sections 3.1 and 5.3 of the project language).
    """
    defaults = project.document.get("defaults") or {}
    chosen = defaults.get("topic") or (defaults.get("models") or {}).get("topic") or {}
    settings = {
        key: as_int(topic.get(key) or 0) or as_int(chosen.get(key, 1))
        for key in ("partitions", "replication_factor")
    }
    return {**settings, "config": topic.get("config") or {}}
