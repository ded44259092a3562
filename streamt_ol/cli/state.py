"""`streamt state`: what a project owns in an environment, and what is under way there."""

from __future__ import annotations

import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from streamt_ol.cli.lock_option import lock_timeout
from streamt_ol.cli.options import project_options

if TYPE_CHECKING:
    from streamt_ol.cli.face import Face
    from streamt_ol.cli.state_store import StoreRequest


@click.group("state")
def state() -> None:
    """Look at the state of the project, and recover what did not end."""


@state.command("status")
@project_options
@click.pass_obj
def status(face: Face, project_dir: Path, environment: str | None) -> None:
    """Say what the project owns, and whether an operation is under way or unfinished.

    Only reads: it takes no lock, contacts nobody but the store of the state and creates nothing, also while
    an operation is at work.
    """
    from streamt_ol.cli.state_status import tell_status

    variables = dict(os.environ)
    raise SystemExit(face.run("state status", lambda: tell_status(project_dir, environment, variables, face)))


@state.command("lock-status")
@project_options
@click.pass_obj
def lock_status(face: Face, project_dir: Path, environment: str | None) -> None:
    """Say whether somebody holds the lock of the state, and who.

    Takes no lock and reserves nothing: a moment later it may be another's.
    """
    from streamt_ol.cli.state_store import tell_lock_status

    variables = dict(os.environ)
    raise SystemExit(
        face.run("state lock-status", lambda: tell_lock_status(project_dir, environment, variables, face))
    )


def _store_change(command: Any) -> Any:
    """Make a command of a change of a shared store, which gets what is asked of it with its confirmations."""

    @click.pass_obj
    @wraps(command)
    def requested(
        face: Face,
        project_dir: Path,
        environment: str | None,
        confirm_database: str,
        confirm_schema: str,
        confirm_address: str,
    ) -> None:
        from streamt_ol.cli.state_store import StoreRequest
        from streamt_ol.deploy.state.preparing import StoreConfirmations

        confirmed = StoreConfirmations(confirm_database, confirm_schema, confirm_address)
        command(face, StoreRequest(project_dir, environment, dict(os.environ), confirmed))

    return project_options(_confirmations(requested))


def _confirmations(command: Any) -> Any:
    """Add what confirms a change of a shared store: where it is, exactly."""
    for name, metavar, words in (
        (
            "address",
            "URI",
            "The address of the state, streamt-state://postgres/NAMESPACE/PROJECT/ENVIRONMENT.",
        ),
        ("schema", "NAME", "The schema of its tables."),
        ("database", "NAME", "The database that the connection string leads to."),
    ):
        command = click.option(f"--confirm-{name}", required=True, metavar=metavar, help=words)(command)
    return command


@state.command("init")
@_store_change
def init(face: Face, request: StoreRequest) -> None:
    """Make the tables of a shared state where they are missing, and register this project's address.

    All three confirmations are needed. Done once for an environment, by a login that may create a schema or
    owns the tables; what is there already is left as it is.
    """
    from streamt_ol.cli.state_store import initialize

    raise SystemExit(face.run("state init", lambda: initialize(request, face)))


@state.command("migrate-postgres-v2")
@_store_change
def migrate_postgres_v2(face: Face, request: StoreRequest) -> None:
    """Give a shared state a writer: a role that writes operations, and cannot change what was written.

    The role is the one that `writer_role_env` names, and must exist. From then on operations are written by
    it alone; the login of the owner is for this command and `state init`.
    """
    from streamt_ol.cli.state_store import add_writer

    raise SystemExit(face.run("state migrate-postgres-v2", lambda: add_writer(request, face)))


@state.command("recovery-plan")
@project_options
@click.option(
    "--resolution",
    required=True,
    type=click.Choice(["observed", "rolled_back", "abandoned_before_mutation"]),
    help="What is to be said of the operation.",
)
@click.option("--out", required=True, metavar="FILE", help="Save the recovery plan to this new file.")
@lock_timeout
@click.pass_obj
def recovery_plan(
    face: Face,
    project_dir: Path,
    environment: str | None,
    resolution: str,
    out: str,
    lock_seconds: float | None,
) -> None:
    """Look at what an operation that did not end has left, and plan what the state will say of it.

    observed: what is there is written down, if each resource is exactly as it was or exactly as planned.
    rolled_back: all are exactly as they were. abandoned_before_mutation: no action was started, so nothing is
    looked at. Nothing is changed by the plan, nor any service by the recovery.
    """
    from streamt_ol.cli.recovering import RecoveryPlanRequest, plan_recovery

    request = RecoveryPlanRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        confirm=False,
        confirm_env=None,
        lock_seconds=lock_seconds,
        resolution=resolution,
        out=out,
    )
    raise SystemExit(face.run("state recovery-plan", lambda: plan_recovery(request, face)))


@state.command("recover")
@project_options
@click.option(
    "--plan",
    "plan_file",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file of `streamt state recovery-plan`.",
)
@click.option("--confirm-operation-id", required=True, metavar="UUID", help="The operation to recover.")
@click.option("--confirm-resolution", required=True, metavar="RESOLUTION", help="What is said of it.")
@click.option(
    "--confirm-evidence-checksum",
    required=True,
    metavar="sha256:HEX",
    help="The checksum of the plan: that it is the one that was read.",
)
@lock_timeout
@click.pass_obj
def recover(
    face: Face,
    project_dir: Path,
    environment: str | None,
    plan_file: Path,
    confirm_operation_id: str,
    confirm_resolution: str,
    confirm_evidence_checksum: str,
    lock_seconds: float | None,
) -> None:
    """Write down what a recovery plan says, if everything is as it was planned with; then others may begin.

    All three confirmations are needed; the plan tells them. Once it is done, the same command says so again
    and changes nothing. No service is ever changed.
    """
    from streamt_ol.cli.recovering import RecoverRequest
    from streamt_ol.cli.recovering import recover as carry_out
    from streamt_ol.deploy.recovery.confirming import Confirmations

    request = RecoverRequest(
        directory=project_dir,
        environment=environment,
        process_environment=dict(os.environ),
        confirm=False,
        confirm_env=None,
        lock_seconds=lock_seconds,
        plan_file=plan_file,
        confirmed=Confirmations(confirm_operation_id, confirm_resolution, confirm_evidence_checksum),
    )
    raise SystemExit(face.run("state recover", lambda: carry_out(request, face)))
