"""The paths of the stand-in for a Schema Registry, and what is answered to each.

A subject is one segment of a path and is decoded once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote_to_bytes

from registry_schemas import RefusedError, schema_of
from registry_subjects import LEVELS, Subjects, Version


class Request(NamedTuple):
    """What it was asked."""

    method: str
    path: str
    """As it was sent, without what follows `?`."""
    query: str
    body: Any
    """Plain values; None for nothing."""


Route = Callable[[Subjects, Request, list[str]], Any]


def answered(subjects: Subjects, request: Request) -> Any:
    """Return what is told; raises RefusedError."""
    for form, route in _ROUTES.items():
        match = re.fullmatch(form, f"{request.method} {request.path}")
        if match is not None:
            return route(subjects, request, [_decoded(part) for part in match.groups()])
    raise RefusedError(404, 404, "HTTP 404 Not Found")


def _decoded(part: str) -> str:
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        raise RefusedError(400, 400, "HTTP 400 Bad Request") from None


def _asked(request: Request, key: str) -> bool:
    return parse_qs(request.query).get(key) == ["true"]


def _names(subjects: Subjects, _request: Request, _parts: list[str]) -> Any:
    return subjects.names()


def _numbers(subjects: Subjects, _request: Request, parts: list[str]) -> Any:
    return subjects.numbers(parts[0])


def _version(subjects: Subjects, _request: Request, parts: list[str]) -> Any:
    return _shown(parts[0], subjects.version(*parts))


def _registered(subjects: Subjects, request: Request, parts: list[str]) -> Any:
    return {"id": subjects.register(parts[0], schema_of(request.body)).id}


def _found(subjects: Subjects, request: Request, parts: list[str]) -> Any:
    return _shown(parts[0], subjects.lookup(parts[0], schema_of(request.body)))


def _deleted(subjects: Subjects, request: Request, parts: list[str]) -> Any:
    return subjects.delete(parts[0], permanent=_asked(request, "permanent"))


def _judged(subjects: Subjects, request: Request, parts: list[str]) -> Any:
    subject, *words = parts
    problems = subjects.problems(subject, schema_of(request.body), words[0] if words else None)
    verbose = {"messages": problems} if _asked(request, "verbose") else {}
    return {"is_compatible": not problems, **verbose}


def _level(subjects: Subjects, request: Request, parts: list[str]) -> Any:
    for subject in parts:
        if subject not in subjects.levels and not _asked(request, "defaultToGlobal"):
            message = f"Subject '{subject}' does not have subject-level compatibility configured"
            raise RefusedError(404, 40408, message)
        return {"compatibilityLevel": subjects.levels.get(subject, subjects.level)}
    return {"compatibilityLevel": subjects.level}


def _set_level(subjects: Subjects, request: Request, parts: list[str]) -> Any:
    level = request.body.get("compatibility")
    if level not in LEVELS:
        raise RefusedError(422, 42203, "Invalid compatibility level")
    for subject in parts:
        subjects.levels[subject] = level
    if not parts:
        subjects.level = level
    return {"compatibility": level}


def _shown(subject: str, version: Version) -> Mapping[str, Any]:
    return {"subject": subject, "version": version.number, "id": version.id, **version.schema.told()}


_ROUTES: dict[str, Route] = {
    "GET /subjects": _names,
    "GET /subjects/([^/]+)/versions": _numbers,
    "GET /subjects/([^/]+)/versions/([^/]+)": _version,
    "POST /subjects/([^/]+)/versions": _registered,
    "POST /subjects/([^/]+)": _found,
    "DELETE /subjects/([^/]+)": _deleted,
    "POST /compatibility/subjects/([^/]+)/versions": _judged,
    "POST /compatibility/subjects/([^/]+)/versions/([^/]+)": _judged,
    "GET /config": _level,
    "GET /config/([^/]+)": _level,
    "PUT /config": _set_level,
    "PUT /config/([^/]+)": _set_level,
}
