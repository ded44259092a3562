"""A replica of the PostgreSQL server of the tests, which takes no changes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postgres_server import SUPERUSER, SUPERUSER_PASSWORD, PostgresServer, Role
from services import free_port, service

_NOBODY = "nobody"


@contextmanager
def standby(server: PostgresServer) -> Iterator[PostgresServer]:
    """Copy a server, and run the copy as its replica until the block ends."""
    user = _NOBODY if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="standby-"))
    try:
        data, port = folder / "data", free_port()
        superuser = Role(SUPERUSER, SUPERUSER_PASSWORD)
        copying = [
            server.programs / "pg_basebackup",
            "-D",
            data,
            "-R",
            "-d",
            server.dsn("postgres", superuser),
        ]
        copied = subprocess.run(
            [*copying, "-c", "fast"], capture_output=True, text=True, timeout=300, check=False
        )
        assert copied.returncode == 0, copied.stderr
        if user is not None:
            for path in (folder, data, *data.rglob("*")):
                shutil.chown(path, user)
        # As the first server was started, with its programs: who runs it may not read those of root.
        command = [str(part) for part in server.service.process.args]  # type: ignore[union-attr]
        program = next(part for part in command if part.endswith("/postgres"))
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "port": str(port),
            "max_connections": "50",
            "shared_buffers": "16MB",
            "fsync": "off",
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        stops = {"stop": signal.SIGINT, "orphaned": signal.SIGQUIT}
        with service("standby", [program, "-D", data, *options], folder, user=user, **stops) as running:
            ready = [server.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
            running.wait(lambda: subprocess.run(ready, check=False, timeout=30).returncode == 0)
            yield PostgresServer(port, running, server.programs)
    finally:
        shutil.rmtree(folder)
