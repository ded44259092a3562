"""What the pages show of commands that need a broker is what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from brokers import noida_broker
from doc_examples import examples, mismatches
from golden_cases import ROOT

PAGES = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if any(example.kind == "live" for example in examples(page.read_text("utf-8")))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_live_example_of_a_page_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()

    with noida_broker(folder) as broker:
        found = mismatches(page.read_text("utf-8"), tmp_path, {"KAFKA": broker.address})

        assert [str(mismatch) for mismatch in found] == []


def test_pages_have_live_examples() -> None:
    assert {page.name for page in PAGES} >= {
        "deploying.md",
        "run-events.md",
        "state.md",
        "testing-streams.md",
    }
