"""`rules.topics`: names and settings of the topics that models write, and names of source topics."""

from __future__ import annotations

import re
from operator import gt, lt
from typing import TYPE_CHECKING, Any

from streamt_ol.governance.facts import Breach
from streamt_ol.governance.models import declared_topic_models
from streamt_ol.governance.rule_block import rule_block
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamt_ol.governance.subject import Subject
    from streamt_ol.project.records import Raw

_BOUNDS: tuple[tuple[str, str, Callable[[int, int], bool]], ...] = (
    ("min_partitions", "partitions", lt),
    ("max_partitions", "partitions", gt),
    ("min_replication_factor", "replication_factor", lt),
    ("max_replication_factor", "replication_factor", gt),
)
"""Rule, the setting that it bounds, and how a setting breaks it."""

_RETENTION = "retention.ms"
_UNLIMITED = -1


def topic_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield topics that break a rule; a setting that a model does not write breaks no bound."""
    rules = rule_block(subject, "topics")
    pattern, invalid = _pattern(rules)
    yield from invalid
    for position, source in enumerate(subject.project.sources):
        if pattern is not None and not pattern.match(source.topic):
            yield Breach(f"/sources/{position}/topic", "topic_pattern", source.topic, wanted=pattern.pattern)
    for at, model, declared in declared_topic_models(subject):
        topic = declared.raw.get("topic") or {}
        named_at = f"{at}/topic/name" if declared.topic_name else f"{at}/name"
        yield from _names(model.topic_name, named_at, rules, pattern)
        yield from _settings(topic, model.topic_name, f"{at}/topic", rules)


def _pattern(rules: Raw) -> tuple[re.Pattern[str] | None, list[Breach]]:
    """Return the pattern of names, which is matched at their start.

    It is the project's own regular expression: one that backtracks without end is its author's to mend.
    """
    text = rules.get("naming_pattern")
    if text is None:
        return None, []
    try:
        return re.compile(text), []
    except (re.error, OverflowError, RecursionError):
        return None, [Breach("/rules/topics/naming_pattern", "pattern_invalid", text)]


def _names(name: str, at: str, rules: Raw, pattern: re.Pattern[str] | None) -> Iterator[Breach]:
    if pattern is not None and not pattern.match(name):
        yield Breach(at, "topic_pattern", name, wanted=pattern.pattern)
    for prefix in rules.get("forbidden_prefixes") or ():
        if name.startswith(prefix):
            yield Breach(at, "topic_prefix", name, prefix)
    for suffix in rules.get("forbidden_suffixes") or ():
        if name.endswith(suffix):
            yield Breach(at, "topic_suffix", name, suffix)


def _settings(topic: Raw, name: str, at: str, rules: Raw) -> Iterator[Breach]:
    for rule, setting, broken in _BOUNDS:
        bound, written = rules.get(rule), topic.get(setting)
        if bound is not None and written is not None and broken(as_int(written), as_int(bound)):
            yield Breach(f"{at}/{setting}", rule, name, str(as_int(written)), str(as_int(bound)))
    config: dict[str, Any] = topic.get("config") or {}
    longest = rules.get("max_retention_ms")
    if longest is not None and _exceeds(config.get(_RETENTION), as_int(longest)):
        yield Breach(f"{at}/config/{_RETENTION}", "max_retention_ms", name, wanted=str(as_int(longest)))
    for key in rules.get("required_config") or ():
        if key not in config:
            yield Breach(f"{at}/config", "required_config", name, key)


def _exceeds(written: object, longest: int) -> bool:
    """Return whether a retention is longer than allowed; text that is no number is for Kafka to refuse."""
    try:
        milliseconds = int(str(written))
    except ValueError:
        return False
    return milliseconds > longest or milliseconds == _UNLIMITED
