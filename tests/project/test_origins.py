"""Locations of the merged project back to places in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamt_ol.ground.errors import Place

MODELS = """\
models:
  - name: a
    from_: x
    connector:
      type: c
      config: {k: v}
  - name: b
    from: x
    sql: |
      SELECT
        bad
    gateway: {virtual_topic: {name: v}}
    sink: {connector: d}
"""
FILES = {
    "models/one.yml": "models:\n  - name: c\n",
    "models/two.yml": "# nothing\n",
    "models/three.yaml": "models:\n\n  - name: d\n    sql: |-\n      S\n      T\n  - name: e\n",
}


@pytest.fixture
def place(load):
    """Return the place of a location in a project of several files, as text."""
    origins = load(MODELS, FILES).project.origins
    return lambda *args: str(origins.place(*args))


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/project/name", "stream_project.yml:2:17"),
        ("/runtime/kafka", "stream_project.yml:3:18"),
        ("/models/0", "stream_project.yml:5:5"),
        ("/models/0/from", "stream_project.yml:6:12"),
        ("/models/0/from/0/ref", "stream_project.yml:6:12"),
        ("/models/0/sink", "stream_project.yml:8:7"),
        ("/models/0/sink/connector", "stream_project.yml:8:13"),
        ("/models/0/sink/config/k", "stream_project.yml:9:19"),
        ("/models/0/connector/type", "stream_project.yml:8:13"),
        ("/models/1/from", "stream_project.yml:11:11"),
        ("/models/1/sink/connector", "stream_project.yml:16:23"),
        ("/models/1/gateway/virtual_topic/name", "stream_project.yml:15:37"),
        ("/models/2/name", "models/one.yml:2:11"),
        ("/models/3/name", "models/three.yaml:3:11"),
        ("/models/4/name", "models/three.yaml:7:11"),
        ("/models/4/dependencies", "models/three.yaml:7:5"),
        ("/models/1/materialized", "stream_project.yml:10:5"),
        ("/models", "stream_project.yml:5:3"),
        ("/nowhere/at/all", "stream_project.yml:1:1"),
        ("", "stream_project.yml:1:1"),
    ],
)
def test_a_location_is_found_or_its_nearest_parent(place, location, expected):
    assert place(location) == expected


def test_a_line_within_a_block_of_sql_is_found(place):
    assert place("/models/1/sql", 1, 2) == "stream_project.yml:14:9"
    assert place("/models/3/sql", 1) == "models/three.yaml:6:7"


def test_a_file_that_has_gone_has_no_places(load, tmp_path):
    origins = load(MODELS, FILES).project.origins
    Path(tmp_path / "models" / "one.yml").unlink()
    Path(tmp_path / "models" / "three.yaml").write_bytes(b"\xff")

    assert origins.place("/models/2/name") is None
    assert origins.place("/models/3/name") is None
    assert origins.place("/models/1/name") == Place("stream_project.yml", 10, 11)
