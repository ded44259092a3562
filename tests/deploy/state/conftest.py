"""The stores that keep the contract of a state: every test that asks for `store` runs with each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from states import LocalStore, Store


@pytest.fixture(params=["local"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return {"local": LocalStore}[request.param](tmp_path)
