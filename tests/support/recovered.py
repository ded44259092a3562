"""Operations that did not end, and their recovery through the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from program import Done, run_streamt
from states import begin, started

from streamt_ol.deploy.state.local import LocalBackend
from streamt_ol.deploy.state.records import Intent, Record
from streamt_ol.deploy.state.state_file import state_checksum

STATE = ".streamt/state"


def backend(folder: Path) -> LocalBackend:
    return LocalBackend(folder, "shop", "default")


def resource(name: str) -> str:
    return f"streamt://shop/default/topic/{name}"


def leave(folder: Path, *names: str, begun: int = 0) -> str:
    """Leave an operation that was to create topics, of which so many actions were begun; return its id."""
    resources = [resource(name) for name in names]
    with backend(folder).authority(0) as authority:
        intent = begin(authority, *resources)
        for position in range(begun):
            authority.progress(started(position, resources[position]))
        return intent.operation_id


def leave_adoption(folder: Path, name: str) -> None:
    """Leave an adoption that wrote the state and did not end."""
    with backend(folder).authority(0) as authority:
        observed = authority.observe()
        checksum = state_checksum(observed.snapshot)
        now = "2026-03-01T10:00:00.000000Z"
        operation = "11111111-1111-4111-8111-111111111111"
        authority.begin(Intent(operation, "adopt", now, "local-cli", 0, checksum, None, ()), observed)
        marked = (folder / STATE / "default.control.json").read_bytes()
        authority.commit({resource(name): Record(name, "adopted", f"sha256:{'a' * 64}", "direct-kafka")})
    (folder / STATE / "default.control.json").write_bytes(marked)


def recovery_plan(
    folder: Path, resolution: str, out: Path, *more: str, mode: tuple[str, ...] = ("--output", "json")
) -> Done:
    asked = ("--resolution", resolution, "--out", out)
    return run_streamt(*mode, "state", "recovery-plan", "-p", folder, *asked, *more)


def confirmations(plan: Mapping[str, Any], **says: str) -> list[str]:
    """Return the three confirmations of a plan, except for what is said."""
    confirmed = {
        "operation_id": plan["blocked_operation_id"],
        "resolution": plan["resolution"],
        "evidence_checksum": plan["evidence_checksum"],
        **says,
    }
    return [
        part for name, text in confirmed.items() for part in (f"--confirm-{name.replace('_', '-')}", text)
    ]


def recover(folder: Path, plan: Path, *, mode: tuple[str, ...] = ("--output", "json"), **says: str) -> Done:
    content = json.loads(plan.read_text("utf-8"))
    return run_streamt(
        *mode, "state", "recover", "-p", folder, "--plan", plan, *confirmations(content, **says)
    )


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a state that say something, by name."""
    return {path.name: path.read_bytes() for path in (folder / STATE).glob("*.json")}


def history(folder: Path) -> list[dict[str, Any]]:
    path = folder / STATE / "default.recovery-history.json"
    events: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["events"]
    return events
