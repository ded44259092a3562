"""What holds for every server that tests start: its failure is told, and it never outlives the tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_server import PostgresServer, Role
from services import free_ports, jars, java, service, until

SUPPORT = Path(__file__).parents[1] / "support"
ROOT = Path(__file__).parents[2]
WAITING = [sys.executable, "-c", "print('started', flush=True); import time; time.sleep(1000)"]
STARTER = f"""
import sys
from pathlib import Path
from services import service
with service("program", {WAITING!r}, Path(sys.argv[1])) as running:
    print(running.process.pid, flush=True)
    sys.stdin.read()
"""


def runs(pid: int) -> bool:
    """Tell whether a process runs; one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_program_that_ends_while_it_starts_is_told_with_its_log(tmp_path: Path) -> None:
    failing = [sys.executable, "-c", "import sys; print('no such setting'); sys.exit(3)"]

    with service("program", failing, tmp_path) as running:
        with pytest.raises(AssertionError) as caught:
            running.wait(lambda: False)
        assert str(caught.value) == (
            "program does not start: program ended with 3 while it started\nno such setting\n"
        )


def test_a_program_that_never_answers_is_told_with_its_log(tmp_path: Path) -> None:
    with service("program", WAITING, tmp_path) as running:
        until(lambda: running.log_tail() == "started\n")
        with pytest.raises(AssertionError) as caught:
            running.wait(lambda: False, seconds=0)
        assert str(caught.value) == "program does not start: not reached within 0 s\nstarted\n"


def test_a_program_ends_with_its_context(tmp_path: Path) -> None:
    with service("program", WAITING, tmp_path) as running:
        assert running.process.poll() is None

    assert running.process.returncode == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a process to its parent")
def test_a_program_ends_with_tests_that_are_killed(tmp_path: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, tmp_path],
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        until(lambda: (tmp_path / "program.log").read_text("utf-8") == "started\n")
        starter.kill()

    until(lambda: not runs(pid))


SHARED = f"""
import pytest, sys
from services import service, until

@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with service("server", {WAITING!r}, tmp_path_factory.mktemp("server")) as running:
        until(lambda: running.log_tail() == "started\\n")
        yield running.process

@pytest.fixture(scope="session")
def missing():
    raise AssertionError("there is no such jar")

@pytest.mark.parametrize("number", range(3))
"""


def run_of_tests(folder: Path, text: str) -> tuple[int, str]:
    """Run tests with the fixtures and hooks of all tests; return the exit status and what is told."""
    (folder / "test_shared.py").write_text(SHARED + text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "test_shared.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SUPPORT), str(SUPPORT.parent)])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_server_that_ends_while_tests_need_it_ends_the_run_with_its_log(tmp_path: Path) -> None:
    status, told = run_of_tests(
        tmp_path, "def test_it(server, number):\n    server.kill()\n    server.wait()\n"
    )

    assert status == 1
    assert "server ended with -9 while tests needed it\nstarted\n" in told
    assert told.splitlines()[-1].startswith("1 passed in ")


def test_a_server_that_does_not_start_ends_the_run(tmp_path: Path) -> None:
    status, told = run_of_tests(tmp_path, "def test_it(missing, number):\n    pass\n")

    assert status == 1
    assert "AssertionError: there is no such jar" in told
    assert "no test can have missing" in told
    assert told.splitlines()[-1].startswith("1 error in ")


def test_no_port_is_given_out_twice_or_to_others_by_the_system() -> None:
    ports = [*free_ports(20), *free_ports(20)]

    assert len({*ports}) == 40
    if sys.platform == "linux":
        lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii").split()[0])
        assert all(port < lowest for port in ports)


def test_a_folder_without_its_jar_says_what_brings_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        jars(tmp_path, "kafka_2.13-*.jar")

    assert str(caught.value) == f"there is no kafka_2.13-*.jar in {tmp_path}: make test-services"


def test_a_machine_without_java_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(AssertionError) as caught:
        java(64, [tmp_path])

    assert str(caught.value) == "there is no java on the PATH: install a Java runtime of version 17 or newer"


@pytest.mark.parametrize(("there", "missing"), [([], "java"), (["java"], "mvn")])
def test_make_says_which_program_the_services_lack(tmp_path: Path, there: list[str], missing: str) -> None:
    for name in there:
        (tmp_path / name).write_text("#!/bin/sh\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    made = subprocess.run(
        # should it go on all the same, it finds no environment to run anything with
        [
            "make",
            "test-services",
            "PYTHON=false",
            f"VENV={tmp_path}/venv",
            f"SERVICES={tmp_path}",
            f"PATH={tmp_path}",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert made.returncode == 2
    assert made.stderr.splitlines()[0] == (
        f"make test-services needs Java 17 or newer and Maven: there is no {missing} on the PATH"
    )
    assert not (tmp_path / "venv").exists()


def test_postgres_is_of_release_18(postgres_server: PostgresServer) -> None:
    assert postgres_server.run("SHOW server_version").split(".")[0] == "18"


def test_a_new_database_is_empty_and_its_own(postgres_server: PostgresServer) -> None:
    first, second = postgres_server.new_database(), postgres_server.new_database()
    postgres_server.run("CREATE TABLE kept (id int)", first)
    own_tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"

    assert postgres_server.run(own_tables, first) == "kept"
    assert postgres_server.run(own_tables, second) == ""


def test_a_role_logs_in_with_its_password_and_with_no_other(postgres_server: PostgresServer) -> None:
    role = postgres_server.create_role()

    assert postgres_server.run("SELECT current_user", postgres_server.dsn(role=role)) == role.name
    with pytest.raises(AssertionError, match="password authentication failed for user"):
        postgres_server.run("SELECT 1", postgres_server.dsn(role=Role(role.name, "another")))
