"""A missing row that is pasted fills its gap and nothing else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import findings_of

from streamt_ol.engine.checks.check import Finding

BASE = Path(__file__).parent / "base"
ANIMALS = st.lists(st.sampled_from(["cat", "dog", "fish"]), min_size=1, unique=True)
WET = st.sampled_from([[True], [False]])
ENTITIES = st.sampled_from([["dataset"], ["job"]])


@st.composite
def tables(draw) -> dict[str, Any]:
    """Draw a table with conditions at will, about one or two kinds of records whose values overlap or not."""
    about, other, values = draw(
        st.sampled_from(
            [
                (["pet"], "wet", WET),
                (["visitor", "pet"], "wet", WET),
                (["dataset", "job"], "entity", ENTITIES),
            ]
        )
    )
    conditions = st.fixed_dictionaries({}, optional={"animal": ANIMALS, other: values})
    whens = draw(st.lists(conditions, min_size=1, max_size=4))
    return {
        "table": "generated",
        "decides": "what is drawn",
        "about": about,
        "hit": draw(st.sampled_from(["unique", "first"])),
        "inputs": ["animal", other],
        "outputs": {},
        "rows": [{"id": f"row-{number}", "when": when} for number, when in enumerate(whens)],
    }


@given(tables())
@settings(deadline=None, max_examples=60)
def test_pasting_the_missing_rows_leaves_no_gap_and_makes_no_overlap(table: dict[str, Any]) -> None:
    before = found(table)
    missing = [finding for finding in before if finding.check == "gap"]
    pasted = [row for finding in missing for row in yaml.safe_load(str(finding.remedy).partition("\n")[2])]

    after = found({**table, "rows": [*table["rows"], *pasted]})

    assert ids(after) == [id_ for id_ in ids(before) if "/gap/" not in id_]
    assert len({row["id"] for row in pasted}) == len(pasted)


def ids(findings: list[Finding]) -> list[str]:
    """Return the ids of what is found, without inputs that no row looks at: a missing row may be the first."""
    return [finding.id for finding in findings if finding.check != "idle-input"]


def found(table: dict[str, Any]) -> list[Finding]:
    with TemporaryDirectory() as folder:
        text = yaml.safe_dump(table, sort_keys=False)
        return findings_of({"files": {"table.yml": text}}, BASE, Path(folder))
