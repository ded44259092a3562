"""What a record shows of itself."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from streamt_ol.compiler.records import CompiledModel
from streamt_ol.compiler.rendered import Rendered
from streamt_ol.ground.records import shown_without
from streamt_ol.lineage.namespaces import Candidates
from streamt_ol.project.environments import Selection
from streamt_ol.project.load import Loaded
from streamt_ol.project.records import Model, Project, Source


class Login(NamedTuple):
    user: str
    password: str
    port: int = 5432

    def __repr__(self) -> str:
        return shown_without(self, "password")


def test_a_record_shows_itself_without_its_hidden_fields() -> None:
    assert repr(Login("ada", "hunter2")) == "Login(user='ada', port=5432)"
    assert f"{Login('ada', 'hunter2')} {[Login('ada', 'hunter2')]}".count("hunter2") == 0


@pytest.mark.parametrize(
    ("record", "hidden"),
    [
        (Source, {"raw"}),
        (Model, {"sql", "params", "raw"}),
        (CompiledModel, {"sql"}),
        (Rendered, {"text"}),
        (Project, {"tests", "exposures", "document", "runtime", "origins"}),
        (Selection, {"variables"}),
        (Loaded, {"variables"}),
        (Candidates, {"options", "variables"}),
    ],
)
def test_records_hide_what_may_hold_secrets(record: type[tuple[str, ...]], hidden: set[str]) -> None:
    names: tuple[str, ...] = record._fields
    shown = repr(record(*[f"value of {name}" for name in names]))

    assert {name for name in names if f"value of {name}'" not in shown} == hidden
