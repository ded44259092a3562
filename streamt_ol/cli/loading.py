"""Loading the project that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.project.load import load_project

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.watching import Watch
    from streamt_ol.project.load import Loaded


def load(
    directory: Path,
    environment: str | None,
    variables: Mapping[str, str],
    rules: RuleSet,
    face: Face,
    watch: Watch,
) -> Loaded:
    """Return the project and its variables; which materializations it may declare is said by the rules.

    `variables` are those of the process. Raises what `load_project` raises.
    """
    return load_project(
        directory,
        environment=environment,
        process_environment=variables,
        materializations=[str(kind) for kind in rules.vocabulary.domains["materialization"]],
        yaml_backend=face.yaml_loader,
        watch=watch,
    )
