"""What the pages show of commands that need servers is what the commands print; the Gateway is a stand-in."""

from __future__ import annotations

from pathlib import Path

import pytest
from brokers import noida_broker
from doc_examples import live_pages, mismatches, needs_services
from gateway_stand_in import gateway_stand_in
from postgres_server import PostgresServer

PAGES = [page for page in live_pages() if not needs_services(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_live_example_of_a_page_prints_what_the_page_shows(
    page: Path, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()

    with noida_broker(folder) as broker, gateway_stand_in() as gateway:
        gateway.login = None
        servers = {"KAFKA": broker.address, "GATEWAY": gateway.url, **database(postgres_server)}
        found = mismatches(page.read_text("utf-8"), tmp_path, servers)

        assert [str(mismatch) for mismatch in found] == []


def database(server: PostgresServer) -> dict[str, str]:
    """Return the variables of an empty database, and of a role that may do nothing in it yet."""
    owner, writer = server.new_database(), server.create_role()
    name = owner.rpartition("/")[2]
    return {
        "DATABASE": name,
        "OWNER_DSN": owner,
        "WRITER_DSN": server.dsn(name, writer),
        "WRITER_ROLE": writer.name,
    }


def test_pages_have_live_examples() -> None:
    assert {page.name for page in PAGES} >= {
        "deploying.md",
        "run-events.md",
        "state.md",
        "testing-streams.md",
    }
