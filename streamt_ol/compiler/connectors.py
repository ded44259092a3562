"""The configuration of a connector: the connection's, then the sink's over it, then what compile decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.compiler.errors import ReservedKeyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.records import CompiledModel
    from streamt_ol.engine.reading import Catalogue
    from streamt_ol.project.records import Project


def decided_keys(model: CompiledModel, classes: Catalogue) -> dict[str, str]:
    """Return the configuration keys that compile decides for a connector.

    A class that the catalogue of short names does not have is the class itself (section 5.3).
    """
    connector = model.declared.raw["sink"]["connector"]
    return {
        "name": model.artifacts["connectors"],
        "connector.class": classes.entries.get(connector, {}).get("class", connector),
        "topics": ",".join(model.input_names),
    }


def connection_config(project: Project, model: CompiledModel) -> Mapping[str, Any]:
    """Return the configuration of the connection that a sink names; empty where it names none."""
    connection = (project.document.get("connections") or {}).get(model.declared.raw["sink"].get("connection"))
    return (connection or {}).get("config") or {}


def refuse_reserved_keys(project: Project, models: Sequence[CompiledModel], classes: Catalogue) -> None:
    """Refuse a configuration that sets a decided key to another value; the value is not shown."""
    for model in models:
        if "connectors" not in model.artifacts:
            continue
        sink = model.declared.raw["sink"]
        places = (
            (sink.get("config") or {}, f"{model.at}/sink/config"),
            (connection_config(project, model), f"/connections/{sink.get('connection')}/config"),
        )
        for config, location in places:
            for key, decided in decided_keys(model, classes).items():
                if key in config and config[key] != decided:
                    raise ReservedKeyError(
                        f"model '{model.declared.name}': compile decides '{key}', it has another value here",
                        location=f"{location}/{key}",
                        suggestion="remove the key",
                    )
