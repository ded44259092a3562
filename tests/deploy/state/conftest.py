"""The stores that keep the contract of a state: every test that asks for `store` runs with each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from postgres_server import PostgresServer, Role
from postgres_states import PostgresStore
from states import LocalStore, Store


@pytest.fixture(scope="session")
def state_database(postgres_server: PostgresServer) -> str:
    return postgres_server.new_database()


@pytest.fixture(scope="session")
def state_writer(postgres_server: PostgresServer) -> Role:
    return postgres_server.create_role()


@pytest.fixture
def postgres_store(postgres_server: PostgresServer, state_database: str, state_writer: Role) -> PostgresStore:
    return PostgresStore(postgres_server, state_database, state_writer).prepared()


@pytest.fixture(params=["local", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "local":
        return LocalStore(tmp_path)
    prepared: Store = request.getfixturevalue("postgres_store")
    return prepared
