"""Checks of tests: what they are about must exist, and something must be able to run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.facts import presence
from streamt_ol.governance.facts import Breach, GovernedTest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.governance.subject import Subject


def governed_tests(subject: Subject) -> Iterator[GovernedTest]:
    """Yield the facts of every test against the project and the runtime."""
    flink = presence(subject.project.runtime.get("flink"))
    for position, test in enumerate(subject.project.tests):
        yield GovernedTest(
            at=f"/tests/{position}",
            name=test["name"],
            model=test["model"],
            type=test["type"],
            target="known" if _exists(test["model"], subject) else "unknown",
            flink_runtime=flink,
            sample_size=presence(test.get("sample_size")),
        )


def assertion_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield assertions and actions that name a model which is not declared."""
    for position, test in enumerate(subject.project.tests):
        at, name = f"/tests/{position}", test["name"]
        for index, assertion in enumerate(test.get("assertions") or ()):
            key = assertion.get("foreign_key")
            if key is not None and not _exists(key["ref_model"], subject):
                location = f"{at}/assertions/{index}/foreign_key/ref_model"
                yield Breach(location, "foreign_key_unknown", name, key["ref_model"])
        for index, action in enumerate((test.get("on_failure") or {}).get("actions") or ()):
            model = action["dlq"].get("model") if isinstance(action["dlq"], dict) else None
            if model is not None and model not in subject.names.models:
                yield Breach(f"{at}/on_failure/actions/{index}/dlq/model", "dlq_model_unknown", name, model)


def _exists(name: str, subject: Subject) -> bool:
    return name in subject.names.models or name in subject.names.sources
