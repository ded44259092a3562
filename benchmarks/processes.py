"""What processes cost: each run is a new process, and runs to compare alternate."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
LAUNCHER = [sys.executable, "-I", "-S", str(ROOT / "benchmarks" / "launcher.py")]
PROGRAM = str(Path(sys.executable).with_name("streamt"))
"""The console script, as a user starts it."""


class Cost(NamedTuple):
    """What one run cost."""

    seconds: float
    cpu: float
    """Seconds of user and system time."""
    mebibytes: float
    """At the peak."""


@dataclass(frozen=True, slots=True)
class Command:
    """A process to measure."""

    arguments: Sequence[str]
    output: Path = Path(os.devnull)
    """Where its stdout goes."""
    deducts: bool = False
    """Whether it says on stderr how many wall and CPU seconds do not count."""


class CommandFailedError(Exception):
    """A measured command ended with another status than 0; the message has its stderr."""


@dataclass(frozen=True, slots=True)
class Runs:
    """The costs of commands that ran in turns, by name: the first run of each, the second of each, and so on."""

    costs: dict[str, list[Cost]]

    def seconds(self, name: str) -> float:
        """Return the median of the wall seconds."""
        return statistics.median(cost.seconds for cost in self.costs[name])

    def cpu(self, name: str) -> float:
        """Return the median of the CPU seconds."""
        return statistics.median(cost.cpu for cost in self.costs[name])

    def mebibytes(self, name: str) -> float:
        """Return the largest peak."""
        return max(cost.mebibytes for cost in self.costs[name])

    def ratio(self, name: str, base: str) -> float:
        """Return the median of the ratios of wall seconds, each of two runs that followed each other."""
        pairs = zip(self.costs[name], self.costs[base], strict=True)
        return statistics.median(one.seconds / other.seconds for one, other in pairs)


def run(command: Command) -> Cost:
    """Run a command to its end and return its cost.

    Its environment is bare, so that no setting of the caller changes what is measured; in particular, Python may
    write and use bytecode, as it does where a package is installed. Raises `CommandFailedError`.
    """
    done = subprocess.run(
        [*LAUNCHER, str(command.output), *command.arguments],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )
    if done.returncode:
        raise CommandFailedError(f"{command.arguments} did not start: {done.stderr}")
    seconds, cpu, kibibytes, status = map(float, done.stdout.split())
    if status:
        raise CommandFailedError(f"{command.arguments} ended with {status:.0f}: {done.stderr}")
    if command.deducts:
        wall_deducted, cpu_deducted = map(float, done.stderr.split())
        seconds, cpu = seconds - wall_deducted, cpu - cpu_deducted
    return Cost(round(seconds, 6), round(cpu, 6), round(kibibytes / 1024, 1))


def in_turns(commands: Mapping[str, Command], repeats: int) -> Runs:
    """Run all commands, then all again, and so on: what slows the machine for a while slows them alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _repeat in range(repeats):
        for name, command in commands.items():
            costs[name].append(run(command))
    return Runs(costs)
