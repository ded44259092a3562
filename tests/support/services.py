"""Programs that tests start: on free ports of 127.0.0.1, with a log, ended by who started them and never later.

Every wait has an end that a loaded machine does not meet: it ends as soon as what it waits for is there.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVICES = Path(__file__).parents[2] / ".services"
"""Where `make test-services` puts what it downloads."""
_SMALL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_TETHERED = Path(__file__).with_name("tethered.py")
_LEAST_PORT = 15_000
"""Below are the ports that servers have by custom."""
_SYSTEM_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


@dataclass(frozen=True)
class Service:
    """A program that runs, and the file with all it printed."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def log_tail(self, size: int = 8000) -> str:
        return self.log.read_text("utf-8", "replace")[-size:]

    def wait(self, answers: Callable[[], bool], *expected: type[Exception], seconds: float = 300) -> None:
        """Wait until it answers; fail with the end of its log where it ends instead, or says nothing in time."""

        def alive() -> bool:
            ended = self.process.poll()
            assert ended is None, f"{self.name} ended with {ended} while it started"
            return answers()

        try:
            until(alive, *expected, seconds=seconds)
        except (AssertionError, *expected) as error:
            raise AssertionError(f"{self.name} does not start: {error}\n{self.log_tail()}") from error


_running: list[Service] = []
"""What was started, and is not ended yet by who started it."""
_given: set[int] = set()
"""The ports that were given out in this process."""


def ended_by_themselves() -> list[str]:
    """Tell of each program that ended while it is still needed, with the end of its log."""
    return [
        f"{one.name} ended with {one.process.returncode} while tests needed it\n{one.log_tail()}"
        for one in _running
        if one.process.poll() is not None
    ]


@contextmanager
def service(
    name: str,
    command: Sequence[str | Path],
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
    orphaned: signal.Signals = signal.SIGKILL,
) -> Iterator[Service]:
    """Run a program in a folder, with its log there, until the context ends, which sends it `stop`.

    It is sent `orphaned` where this process ends without that (Linux). `user` takes a process of root.
    """
    log = folder / f"{name}.log"
    tether = [sys.executable, "-I", _TETHERED, str(os.getpid()), str(int(orphaned)), user or "-"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*tether, *command],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C goes to the tests, which end it in their order
        )
    with ended(process, stop):
        running = Service(name, process, log)
        _running.append(running)
        try:
            yield running
        finally:
            _running.remove(running)


@contextmanager
def ended(process: subprocess.Popen[bytes], stop: signal.Signals = signal.SIGTERM) -> Iterator[None]:
    """End a process on the way out, gently first."""
    try:
        yield
    finally:
        process.send_signal(stop)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(60)


def java(memory: int, classpath: Sequence[str | Path], *options: str) -> list[str]:
    """Return the start of a command of Java, with a heap of `memory` MiB; fail where there is no Java."""
    found = shutil.which("java")
    assert found is not None, "there is no java on the PATH: install a Java runtime of version 17 or newer"
    return [found, f"-Xmx{memory}m", *_SMALL, *options, "-cp", os.pathsep.join(map(str, classpath))]


def jars(folder: Path, needed: str) -> Path:
    """Return the folder, which has the jar; fail with what brings it where it has not."""
    assert any(folder.glob(needed)), f"there is no {needed} in {folder}: make test-services"
    return folder


def until(reached: Callable[[], bool], *expected: type[Exception], seconds: float = 120) -> None:
    """Ask again until the answer is yes; fail after `seconds`, with the last of the expected exceptions."""
    end = time.monotonic() + seconds
    while True:
        try:
            if reached():
                return
        except expected:
            if time.monotonic() > end:
                raise
        assert time.monotonic() < end, f"not reached within {seconds} s"
        time.sleep(0.02)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nothing listens on now."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Return that many ports, no two the same and none that was given out before.

    None is of those that the system gives to connections and to servers that ask for any: it would give one
    away before the server that it is for has started.
    """
    with ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            probe = held.enter_context(socket.socket())
            with contextlib.suppress(OSError):  # somebody has it
                probe.bind(("127.0.0.1", _some_port()))
                port = probe.getsockname()[1]
                if port not in _given:
                    _given.add(port)
                    ports.append(port)
        return ports


def _some_port() -> int:
    """Return a port below those that the system gives out; 0, for one of those, where that is not known."""
    try:
        end = int(_SYSTEM_PORTS.read_text("ascii").split()[0])
    except OSError:  # only Linux tells
        return 0
    return random.SystemRandom().randrange(_LEAST_PORT, end) if end > 2 * _LEAST_PORT else 0
