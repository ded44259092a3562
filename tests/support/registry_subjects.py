"""What the stand-in for a Schema Registry keeps: subjects with their versions, levels, and what it refuses.

Avro is judged by the rules of its specification, JSON Schema and Protobuf by what the test says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from avro_resolution import unreadable
from registry_schemas import RefusedError, Schema

LEVELS = {name + suffix for name in ("BACKWARD", "FORWARD", "FULL") for suffix in ("", "_TRANSITIVE")} | {
    "NONE"
}
Judge = Callable[[Schema, Schema], list[str]]
"""Says why a new schema is not compatible with one that is there: nothing where it is."""


@dataclass
class Version:
    """One version of a subject."""

    number: int
    id: int
    schema: Schema
    deleted: bool = False


@dataclass
class Subjects:
    """All subjects; `judge` decides about JSON Schema and Protobuf."""

    level: str = "BACKWARD"
    levels: dict[str, str] = field(default_factory=dict)
    versions: dict[str, list[Version]] = field(default_factory=dict)
    read_only: set[str] = field(default_factory=set)
    judge: Judge = lambda _new, _old: []
    registered: int = 0
    """How many versions were ever made."""

    def names(self) -> list[str]:
        return [name for name in sorted(self.versions) if list(self._there(name))]

    def register(self, subject: str, schema: Schema) -> Version:
        """Return the version of a schema, a new one if it is not there; raises RefusedError."""
        if subject in self.read_only:
            raise RefusedError(422, 42205, f"Subject {subject} is in read-only mode")
        for version in self._there(subject):
            if version.schema == schema:
                return version
        problems = self.problems(subject, schema, None)
        if problems:
            details = "; ".join(problems)
            raise RefusedError(
                409,
                409,
                f"Schema being registered is incompatible with an earlier schema; details: [{details}]",
            )
        versions = self.versions.setdefault(subject, [])
        number = max((version.number for version in versions), default=0) + 1
        versions.append(Version(number, self._id(schema), schema))
        self.registered += 1
        return versions[-1]

    def lookup(self, subject: str, schema: Schema) -> Version:
        """Return the version that a schema is under a subject; raises RefusedError."""
        self._require(subject)
        for version in self._there(subject):
            if version.schema == schema:
                return version
        raise RefusedError(404, 40403, "Schema not found")

    def version(self, subject: str, word: str) -> Version:
        """Return a version by its number or `latest`; raises RefusedError."""
        self._require(subject)
        there = list(self._there(subject))
        if word in {"latest", "-1"}:
            return there[-1]
        if not re.fullmatch(r"[1-9][0-9]{0,9}", word):
            raise RefusedError(422, 42202, f"The specified version '{word}' is not a valid version id")
        for version in there:
            if version.number == int(word):
                return version
        raise RefusedError(404, 40402, f"Version {word} not found.")

    def numbers(self, subject: str) -> list[int]:
        """Return the numbers of the versions that are there; raises RefusedError."""
        self._require(subject)
        return [version.number for version in self._there(subject)]

    def problems(self, subject: str, schema: Schema, word: str | None) -> list[str]:
        """Return why a schema is not compatible: with one version, or with all that a registration looks at."""
        level = self.levels.get(subject, self.level)
        if level == "NONE":
            return []
        there = list(self._there(subject)) if word is None else [self.version(subject, word)]
        if not level.endswith("_TRANSITIVE"):
            there = there[-1:]
        return [problem for version in there for problem in self._between(schema, version.schema, level)]

    def delete(self, subject: str, *, permanent: bool) -> list[int]:
        """Delete a subject, softly first; return the numbers of its versions. Raises RefusedError."""
        versions = self.versions.get(subject, [])
        there = list(self._there(subject))
        if permanent:
            if there:
                raise RefusedError(
                    404, 40405, f"Subject '{subject}' was not deleted first before being permanently deleted"
                )
            if not versions:
                raise _unknown(subject)
            del self.versions[subject]
            return [version.number for version in versions]
        if not there:
            if versions:
                raise RefusedError(
                    404,
                    40404,
                    f"Subject '{subject}' was soft deleted.Set permanent=true to delete permanently",
                )
            raise _unknown(subject)
        for version in there:
            version.deleted = True
        self.levels.pop(subject, None)
        return [version.number for version in there]

    def _between(self, new: Schema, old: Schema, level: str) -> Iterator[str]:
        if new.type != old.type:
            yield f"the schema is {new.type}, and the one that is there {old.type}"
        elif new.type != "AVRO":
            yield from self.judge(new, old)
        else:
            parts = json.loads(new.text), json.loads(old.text)
            if level.startswith(("BACKWARD", "FULL")):
                yield from unreadable(*parts)
            if level.startswith(("FORWARD", "FULL")):
                yield from unreadable(*reversed(parts))

    def _there(self, subject: str) -> Iterator[Version]:
        return (version for version in self.versions.get(subject, ()) if not version.deleted)

    def _require(self, subject: str) -> None:
        if not list(self._there(subject)):
            raise _unknown(subject)

    def _id(self, schema: Schema) -> int:
        """Return the id of a schema, which is the same under every subject."""
        known = {version.schema: version.id for of_one in self.versions.values() for version in of_one}
        return known.get(schema, max(known.values(), default=0) + 1)


def _unknown(subject: str) -> RefusedError:
    return RefusedError(404, 40401, f"Subject '{subject}' not found.")
