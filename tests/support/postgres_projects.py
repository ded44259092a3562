"""Projects that share their state in PostgreSQL, and what is in it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from applied import topic, write_project
from postgres_server import PostgresServer, Role
from program import Done, run_streamt

__all__ = ["SharedState", "shared_state", "topic"]


class SharedState:
    """The state of the project `shop` in a schema of its own: made, registered, and written by a writer."""

    def __init__(self, server: PostgresServer, dsn: str, writer: Role) -> None:
        self.server = server
        self.dsn = dsn
        self.database = dsn.rpartition("/")[2]
        self.writer = writer
        self.schema = f"s_{uuid.uuid4().hex[:12]}"
        self.address = "streamt-state://postgres/team/shop/default"
        self.variables = {
            "STATE_DSN": dsn,
            "WRITER_DSN": server.dsn(self.database, writer),
            "WRITER_ROLE": writer.name,
        }

    @property
    def block(self) -> dict[str, Any]:
        """Return what a project says of it."""
        return {
            "backend": "postgres",
            "namespace": "team",
            "postgres": {
                "dsn_env": "STATE_DSN",
                "writer_dsn_env": "WRITER_DSN",
                "writer_role_env": "WRITER_ROLE",
                "schema": self.schema,
            },
        }

    def write(self, folder: Path, *models: Mapping[str, Any], **more: Any) -> Path:
        """Write a working copy of the project."""
        return write_project(folder, *models, **{"deployment_state": self.block, **more})

    def streamt(
        self,
        *arguments: str | Path,
        variables: Mapping[str, str] | None = None,
        mode: str = "json",
        **more: str,
    ) -> Done:
        """Run the program with the variables of the state, or with others."""
        environment = {**(self.variables if variables is None else variables), **more}
        return run_streamt("--output", mode, *arguments, environment=environment)

    def confirmations(self, **says: str) -> list[str]:
        confirmed = {"address": self.address, "schema": self.schema, "database": self.database, **says}
        return [part for name, text in confirmed.items() for part in (f"--confirm-{name}", text)]

    def init(self, folder: Path, *more: str, **says: str) -> Done:
        return self.streamt("state", "init", "-p", folder, *self.confirmations(**says), *more)

    def status(self, folder: Path) -> dict[str, Any]:
        done = self.streamt("state", "status", "-p", folder)
        assert done.exit_status == 0, done.stdout
        data: dict[str, Any] = json.loads(done.stdout)["data"]
        return data

    def names(self, folder: Path) -> list[str]:
        """Return the physical names of what the project owns."""
        return sorted(one["physical_name"] for one in self.status(folder)["resources"])

    def run(self, sql: str) -> str:
        return self.server.run(sql.replace("SCHEMA.", f"{self.schema}."), self.dsn)

    def events(self) -> list[str]:
        """Return the kinds of all events of the history, in their order."""
        return self.run(
            "SELECT event_kind FROM SCHEMA.operation_history ORDER BY recorded_at, event_index"
        ).split()


def shared_state(server: PostgresServer) -> SharedState:
    """Return a state that is not made yet, in a database of its own."""
    return SharedState(server, server.new_database(), server.create_role())
