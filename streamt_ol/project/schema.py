"""The packaged schemas of the language, ready to check with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.resources import schemas_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT = "v1alpha1.schema.json"
ENVIRONMENT = "environment.schema.json"


class Schemas(NamedTuple):
    """The schema of a project with the materializations of the rule tables, and checkers made from it."""

    document: dict[str, Any]
    project: Checker
    environment: Checker

    def entry(self, section: str) -> Checker:
        """Return the checker of one entry of a list section."""
        reference = self.document["properties"][section]["items"]["$ref"]
        identity = self.document["$id"]
        return Checker({"$ref": f"{identity}{reference}"}, {identity: self.document})


def packaged(name: str) -> dict[str, Any]:
    """Return a schema of the language as it is packaged."""
    document: dict[str, Any] = orjson.loads((schemas_folder() / "project" / name).read_bytes())
    return document


def schemas(materializations: Sequence[str]) -> Schemas:
    """Return the schemas with exactly `materializations` as values of a model's `materialized`.

    The packaged schema lists the built-in ones, for editors; the rule tables decide.
    """
    document = packaged(PROJECT)
    document["$defs"]["materialized"]["enum"] = [*materializations, None]
    return Schemas(
        document=document,
        project=Checker(document),
        environment=Checker(packaged(ENVIRONMENT), {document["$id"]: document}),
    )
