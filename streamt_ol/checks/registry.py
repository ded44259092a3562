"""Schemas of a Schema Registry, by the interface that it documents; each is asked for once."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from streamt_ol.checks.sampling_errors import (
    REGISTRY,
    RegistryAnswerError,
    RegistryLoginError,
    SchemaUnknownError,
)
from streamt_ol.checks.sampling_facts import bound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.checks.registry_wire import RegistryWire
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.deadlines import Deadline

_UNTYPED: Final = "AVRO"
"""What a schema is of which the registry tells no type."""
_LOGIN_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Reference(NamedTuple):
    """A schema that another one builds on."""

    subject: str
    version: int


class RegisteredSchema(NamedTuple):
    """A schema as it was registered."""

    type: str
    """`AVRO`, `JSON`, `PROTOBUF`, or what else the registry says."""
    text: str
    references: tuple[Reference, ...]


class Registry:
    """The registry of a runtime; nothing is connected before the first question."""

    def __init__(self, settings: Mapping[str, Any], rules: RuleSet) -> None:
        self._settings = settings
        self._rules = rules
        self._seconds = bound(rules, "registry_seconds")
        self._bytes = bound(rules, "registry_bytes")
        self._most = bound(rules, "registry_references")
        self._told: dict[str, RegisteredSchema] = {}
        self._wire: RegistryWire | None = None

    def schema(self, number: int, deadline: Deadline) -> RegisteredSchema:
        """Return a schema by its number; raises RegistryError, SslFileError, or DeadlinePassedError."""
        return self._get(f"schemas/ids/{number}", f"schema {number}", deadline)

    def family(self, schema: RegisteredSchema, deadline: Deadline) -> list[str]:
        """Return the texts of all that a schema builds on, each before what builds on it; itself last."""
        texts: dict[Reference, str] = {}
        self._collect(schema, texts, set(), deadline)
        return [*texts.values(), schema.text]

    def _collect(
        self,
        schema: RegisteredSchema,
        texts: dict[Reference, str],
        seen: set[Reference],
        deadline: Deadline,
    ) -> None:
        for reference in schema.references:
            if reference in seen:  # a circle ends here, too
                continue
            seen.add(reference)
            if len(seen) > self._most:
                raise RegistryAnswerError(
                    f"a schema leads to more than {self._most} others", location=REGISTRY
                )
            subject = quote(reference.subject, safe="")
            told = self._get(
                f"subjects/{subject}/versions/{reference.version}",
                "a schema that another refers to",
                deadline,
            )
            self._collect(told, texts, seen, deadline)
            texts[reference] = told.text

    def _get(self, path: str, what: str, deadline: Deadline) -> RegisteredSchema:
        if path not in self._told:
            status, body = self._connected().get(path, min(self._seconds, deadline.left()), self._bytes)
            if status in _LOGIN_REFUSED:
                raise RegistryLoginError(
                    f"the registry refuses the login with status {status}", location=REGISTRY
                )
            if status == HTTPStatus.NOT_FOUND:
                raise SchemaUnknownError(f"the registry does not know {what}", location=REGISTRY)
            if status != HTTPStatus.OK:
                raise RegistryAnswerError(f"the registry answers with status {status}", location=REGISTRY)
            self._told[path] = _schema(body, what)
        return self._told[path]

    def _connected(self) -> RegistryWire:
        if self._wire is None:
            from streamt_ol.checks.registry_wire import RegistryWire

            self._wire = RegistryWire(self._settings, self._rules)
        return self._wire


def _schema(body: bytes, what: str) -> RegisteredSchema:
    try:
        told = json.loads(body)
        references = tuple(
            Reference(str(reference["subject"]), int(reference["version"]))
            for reference in told.get("references") or ()
        )
        text = told["schema"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        text = None
    if not isinstance(text, str):
        raise RegistryAnswerError(f"what the registry answers about {what} is no schema", location=REGISTRY)
    return RegisteredSchema(str(told.get("schemaType") or _UNTYPED), text, references)
