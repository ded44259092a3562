"""The rows that give facets: which entity can get which facet from which row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.engine.verifying import regions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamt_ol.engine.boxes import Box
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.engine.vocabulary import Vocabulary

TABLES = ("facets", "run-facets")
"""The tables that are asked for facets, of designs and of runs: they give `facet` and `body`."""
ENTITY = "entity"
"""The fact that says what a record is about, dataset, job or run; else the record is called after it."""


class FacetUse(NamedTuple):
    """A row that gives one kind of entity a facet."""

    table: Table
    row: Row
    record: str
    entity: str
    key: str
    box: Box
    """What is known of the records that the row matches: the values of each input."""


def facet_uses(rules: RuleSet) -> Iterator[FacetUse]:
    """Yield every use of a facet by a row; nothing for rows with conditions that cannot be read."""
    for name in TABLES:
        if name in rules.tables:
            yield from _uses(rules.tables[name], rules.vocabulary)


def _uses(table: Table, vocabulary: Vocabulary) -> Iterator[FacetUse]:
    for region in regions(table, vocabulary):
        fact = vocabulary.records[region.record].get(ENTITY)
        every = (region.record,) if fact is None else fact.domain or ()
        for row, box in region.matched:
            if row.whole and "facet" in row.then:
                for entity in sorted(map(str, box.get(ENTITY, every))):
                    yield FacetUse(table, row, region.record, entity, row.then["facet"], box)
