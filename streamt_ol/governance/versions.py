"""Versions of a model: `orders_v1`, `orders_v2`, ... with `version` 1, 2, ... are versions of `orders`."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from streamt_ol.governance.facts import Breach
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.governance.subject import Subject

_SUFFIX = re.compile(r"_v[0-9]+\Z")


def version_breaches(subject: Subject) -> Iterator[Breach]:
    """Yield versions that two models of one family declare, and versions that a family leaves out."""
    families: dict[str, dict[int, int]] = {}
    for position, model in enumerate(subject.project.models):
        written = model.raw.get("version")
        if written is None:
            continue
        version, family = as_int(written), _SUFFIX.sub("", model.name)
        versions = families.setdefault(family, {})
        if version in versions:
            other = subject.project.models[versions[version]].name
            yield Breach(f"/models/{position}/version", "version_repeated", model.name, other, str(version))
        versions.setdefault(version, position)
    for family, versions in families.items():
        ordered = sorted(versions)
        for earlier, later in itertools.pairwise(ordered):
            if later != earlier + 1:
                at = f"/models/{versions[later]}/version"
                yield Breach(at, "version_gap", family, str(earlier), str(later))
