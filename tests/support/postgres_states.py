"""States in PostgreSQL: each store is a schema of its own, with an owner and a writer."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from postgres_server import PostgresServer, Role
from states import ENVIRONMENT, PROJECT

from streamt_ol.deploy.state.postgres.backend import PostgresBackend
from streamt_ol.deploy.state.postgres.facts import POSTGRES_NEEDS
from streamt_ol.deploy.state.postgres.initializing import Prepared, Preparing
from streamt_ol.deploy.state.postgres.settings import PostgresSettings
from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.ground.resources import rules_folder

POSTGRES = {*POSTGRES_NEEDS.tables, *POSTGRES_NEEDS.catalogues}
RULES = load_rules(rules_folder(), only=POSTGRES)
NAMESPACE = "team"
OWNER, WRITER, ROLE = "OWNER_DSN", "WRITER_DSN", "WRITER_ROLE"


class SpelledStore:
    """A store as another process knows it."""

    place = f"postgres/{NAMESPACE}"

    def __init__(self, spelled: str) -> None:
        self.spelled = spelled
        self._settings = PostgresSettings(**json.loads(spelled))

    def open(self, environment: str = ENVIRONMENT) -> PostgresBackend:
        return PostgresBackend(self._settings._replace(environment=environment), RULES)


def store_like(spelled: str) -> SpelledStore:
    """Return the store that a text is about, which a `PostgresStore` says of itself."""
    return SpelledStore(spelled)


def bounded(**limits: int) -> RuleSet:
    """Return the rules with other bounds."""
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules"
        shutil.copytree(rules_folder(), rules)
        path = rules / "postgres-bounds.yml"
        text = path.read_text("utf-8")
        for name, limit in limits.items():
            text, count = re.subn(rf"({name}: {{limit: )\d+", rf"\g<1>{limit}", text)
            assert count == 1
        path.write_text(text, "utf-8")
        return load_rules(rules, only=POSTGRES)


class PostgresStore:
    """A store in a schema of its own; its writer is a role with no other right."""

    place = f"postgres/{NAMESPACE}"

    def __init__(
        self, server: PostgresServer, dsn: str, writer: Role | None, *, schema: str | None = None
    ) -> None:
        self.server = server
        self.dsn = dsn
        self.writer = writer
        self.schema = schema or f"s_{uuid.uuid4().hex[:12]}"
        self.variables = {OWNER: dsn}
        if writer is not None:
            self.variables |= {WRITER: self.dsn_of(writer), ROLE: writer.name}

    @property
    def spelled(self) -> str:
        return json.dumps({**self.settings()._asdict(), "variables": self.variables})

    def dsn_of(self, role: Role) -> str:
        """Return the connection string of a role for the database of the store."""
        return self.server.dsn(self.dsn.rpartition("/")[2], role)

    def settings(self, environment: str = ENVIRONMENT, **says: Any) -> PostgresSettings:
        plain = PostgresSettings(
            namespace=NAMESPACE,
            project=PROJECT,
            environment=environment,
            schema=self.schema,
            seconds=30,
            owner_variable=OWNER,
            writer_variable=None if self.writer is None else WRITER,
            role_variable=None if self.writer is None else ROLE,
            variables=self.variables,
        )
        return plain._replace(**says)

    def prepare(self, environment: str = ENVIRONMENT, **says: Any) -> Prepared:
        with closing(Preparing(self.settings(environment, **says), RULES)) as preparing:
            return preparing.prepare()

    def add_writer(self, **says: Any) -> Prepared:
        with closing(Preparing(self.settings(**says), RULES)) as preparing:
            return preparing.add_writer()

    def prepared(self) -> PostgresStore:
        for environment in (ENVIRONMENT, "prod"):
            self.prepare(environment)
        return self

    def open(self, environment: str = ENVIRONMENT, **says: Any) -> PostgresBackend:
        return PostgresBackend(self.settings(environment, **says), RULES)

    def through(self, dsn: str, **more: str) -> Mapping[str, str]:
        """Return the variables with which operations go to the store by another connection string."""
        return {**self.variables, OWNER if self.writer is None else WRITER: dsn, **more}

    def run(self, sql: str) -> str:
        """Run SQL as the owner; `SCHEMA.` stands for the schema of the store."""
        return self.server.run(sql.replace("SCHEMA.", f"{self.schema}."), self.dsn)
