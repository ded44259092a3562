"""`rules.models`, `rules.sources`, `rules.security` and `rules.data_residency`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.governance.facts import Breach
from streamt_ol.governance.rule_block import asks_for, rule_block
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.governance.subject import Subject
    from streamt_ol.project.records import Model, Raw, Source

SENSITIVE = frozenset({"sensitive", "highly_sensitive"})


def model_rule_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield models without description, owner or test where the rules ask for one, and too many inputs."""
    rules = rule_block(subject, "models")
    tested = {test["model"] for test in subject.project.tests}
    owners = rules.get("valid_owners") or ()
    for position, model in enumerate(subject.project.models):
        at = f"/models/{position}"
        if asks_for(rules, "require_description") and _is_blank(model.description):
            yield Breach(f"{at}/description", "require_description", model.name)
        if asks_for(rules, "require_owner") and _is_blank(model.owner):
            yield Breach(f"{at}/owner", "require_owner", model.name)
        if owners and model.owner and model.owner not in owners:
            yield Breach(f"{at}/owner", "valid_owners", model.name, model.owner)
        if asks_for(rules, "require_tests") and model.name not in tested:
            yield Breach(at, "require_tests", model.name)
    most = rules.get("max_dependencies")
    for compiled in subject.models if most is not None else ():
        count = len(compiled.dependencies)
        if count > as_int(most):
            yield Breach(
                compiled.at, "max_dependencies", compiled.declared.name, str(count), str(as_int(most))
            )


def source_rule_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield sources that describe no fields, or no freshness, where the rules ask for it."""
    rules = rule_block(subject, "sources")
    for position, source in enumerate(subject.project.sources):
        at = f"/sources/{position}"
        if asks_for(rules, "require_schema") and not source.raw.get("schema") and not source.columns:
            yield Breach(f"{at}/schema", "require_schema", source.name)
        if asks_for(rules, "require_freshness") and not source.raw.get("freshness"):
            yield Breach(f"{at}/freshness", "require_freshness", source.name)


def security_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield columns without a classification, and sensitive ones that no policy masks."""
    rules = rule_block(subject, "security")
    classify = asks_for(rules, "require_classification")
    for position, source in enumerate(subject.project.sources):
        key = "columns" if source.raw.get("columns") else "schema/fields"
        for index, column in enumerate(_entries(source.raw)):
            if classify and not column.get("classification"):
                at = f"/sources/{position}/{key}/{index}"
                yield Breach(at, "require_classification", f"source '{source.name}'", column["name"])
    for position, model in enumerate(subject.project.models):
        levels, masked = _levels(model), _masked(model)
        for index, column in enumerate(model.raw.get("columns") or ()):
            at, label = f"/models/{position}/columns/{index}", f"model '{model.name}'"
            if classify and column["name"] not in levels:
                yield Breach(at, "require_classification", label, column["name"])
        if asks_for(rules, "sensitive_columns_require_masking"):
            for name in sorted(
                name for name, level in levels.items() if level in SENSITIVE and name not in masked
            ):
                yield Breach(f"/models/{position}/security/policies", "require_masking", model.name, name)


def residency_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield sources and models that name a region outside of the allowed ones."""
    allowed = rule_block(subject, "data_residency").get("allowed_regions") or ()
    sources: list[Source | Model] = [*subject.project.sources]
    for section, kind, entries in (
        ("sources", "source", sources),
        ("models", "model", [*subject.project.models]),
    ):
        for position, entry in enumerate(entries):
            region = entry.raw.get("region")
            if allowed and region and region not in allowed:
                at = f"/{section}/{position}/region"
                yield Breach(at, "allowed_regions", f"{kind} '{entry.name}'", region)


def _is_blank(text: str | None) -> bool:
    return not (text or "").strip()


def _entries(raw: Raw) -> list[Mapping[str, Any]]:
    return raw.get("columns") or (raw.get("schema") or {}).get("fields") or []


def _levels(model: Model) -> dict[str, str]:
    """Return the classification of every column that has one; `security.classification` wins."""
    columns = model.raw.get("columns") or ()
    own = {column["name"]: column["classification"] for column in columns if column.get("classification")}
    return {**own, **((model.raw.get("security") or {}).get("classification") or {})}


def _masked(model: Model) -> set[str]:
    policies = (model.raw.get("security") or {}).get("policies") or ()
    return {policy["mask"]["column"] for policy in policies if "mask" in policy}
