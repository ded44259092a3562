"""Lifecycle removals: what is to be removed must not be declared any more (section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.errors import RemovalConflictError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.compiler.records import CompiledModel
    from streamt_ol.project.records import Project, Raw


def refuse_live_removals(project: Project, models: Sequence[CompiledModel]) -> None:
    """Refuse a removal that names something which the project still compiles to."""
    lifecycle = project.document.get("lifecycle") or {}
    _refuse_live(
        "connector_removals",
        [removal["name"] for removal in lifecycle.get("connector_removals") or ()],
        {model.artifacts["connectors"] for model in models if "connectors" in model.artifacts},
    )
    rules: Sequence[Raw] = lifecycle.get("gateway_rule_removals") or ()
    _refuse_live(
        "gateway_rule_removals",
        [removal["prior_artifact"]["virtualTopic"] for removal in rules],
        {model.artifacts["gateway_rules"] for model in models if "gateway_rules" in model.artifacts},
    )


def _refuse_live(section: str, removed: Sequence[str], live: set[str]) -> None:
    for position, name in enumerate(removed):
        if name in live:
            raise RemovalConflictError(
                f"'{name}' is to be removed and is still declared",
                location=f"/lifecycle/{section}/{position}",
            )
