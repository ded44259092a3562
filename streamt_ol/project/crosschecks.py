"""What a schema cannot say: comparisons between values, and files that must exist."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.pointer import pointer
from streamt_ol.project.coerce import TRUE_WORDS
from streamt_ol.project.errors import ConflictError, SslFileMissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from streamt_ol.ground.errors import StreamtError

SSL_FILES = ("ssl_ca_location", "ssl_certificate_location", "ssl_key_location")
STRICT_SSL = "STREAMT_STRICT_SSL"
_IDENTITIES: Mapping[str, Mapping[str, Callable[[dict[str, Any]], Any]]] = {
    "gateway_rule_removals": {
        "rule": lambda removal: removal["prior_artifact"]["name"],
        "virtual topic": lambda removal: removal["prior_artifact"]["virtualTopic"],
    },
    "connector_removals": {
        "logical owner": lambda removal: removal["logical_owner"],
        "connector": lambda removal: (removal["cluster"], removal["name"]),
    },
}
"""What may occur once in each list of removals."""


def project_conflicts(document: Mapping[str, Any]) -> Iterator[StreamtError]:
    """Yield what contradicts itself in a validated project document."""
    yield from _state_conflicts(document.get("deployment_state") or {})
    yield from _repeated_removals(document.get("lifecycle") or {})
    for index, model in enumerate(document.get("models", ())):
        gateway, topic = model.get("gateway"), model.get("topic")
        if gateway and topic:
            virtual = (gateway.get("virtual_topic") or {}).get("name")
            if None not in (virtual, topic.get("name")) and virtual != topic["name"]:
                yield ConflictError(
                    "`gateway.virtual_topic.name` and `topic.name` are both given and differ",
                    location=pointer("models", index, "gateway", "virtual_topic", "name"),
                    suggestion="keep one of them",
                )


def runtime_conflicts(runtime: Mapping[str, Any], variables: Mapping[str, str]) -> Iterator[StreamtError]:
    """Yield an error for each missing SSL file if STREAMT_STRICT_SSL is true; else they are logged."""
    strict = variables.get(STRICT_SSL, "").lower() in TRUE_WORDS
    for path, name in _ssl_files(runtime, ("runtime",)):
        location = pointer(*path)
        if os.path.isfile(name):  # noqa: PTH113 - answers where Path.is_file raises: NUL, names too long
            continue
        if strict:
            yield SslFileMissingError(
                f"`{path[-1]}` names a file that does not exist",
                location=location,
                suggestion=f"add the file, or unset {STRICT_SSL}",
            )
        else:
            import logging  # for who asks for it: a command shows nothing of it

            logging.getLogger(__name__).info("%s names a file that does not exist", location)


def environment_conflicts(name: str, content: Mapping[str, Any]) -> Iterator[StreamtError]:
    """Yield what contradicts itself in the validated file of the environment `name`."""
    yield from _state_conflicts(content.get("deployment_state") or {})
    given = (content.get("environment") or {}).get("name", name)
    if given != name:
        yield ConflictError(
            f"`name` differs from the name of the file, `{name}`",
            location="/environment/name",
            suggestion="leave `name` out, or rename the file",
        )


def _ssl_files(part: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, value in part.items():
        if isinstance(value, dict):
            yield from _ssl_files(value, (*path, key))
        elif key in SSL_FILES and value:
            yield (*path, key), value


def _state_conflicts(state: Mapping[str, Any]) -> Iterator[StreamtError]:
    postgres = state.get("postgres", {})
    if postgres and postgres["dsn_env"] == postgres.get("writer_dsn_env"):
        yield ConflictError(
            "`writer_dsn_env` is the same as `dsn_env`",
            location="/deployment_state/postgres/writer_dsn_env",
            suggestion="leave it out, or name the variable of the writer's own connection string",
        )


def _repeated_removals(lifecycle: Mapping[str, Any]) -> Iterator[StreamtError]:
    for key, identities in _IDENTITIES.items():
        for what, identity in identities.items():
            seen: dict[Any, int] = {}
            for index, removal in enumerate(lifecycle.get(key, ())):
                first = seen.setdefault(identity(removal), index)
                if first != index:
                    yield ConflictError(
                        f"`{key}[{index}]` names the same {what} as `{key}[{first}]`",
                        location=pointer("lifecycle", key, index),
                        suggestion="remove one of them",
                    )
