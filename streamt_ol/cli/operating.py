"""A durable operation of a command: its run events, and what is shown of it while it is at work."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from streamt_ol.cli.action_lines import ActionLines
from streamt_ol.cli.emission import requested_run
from streamt_ol.deploy.applying.endings import Endings
from streamt_ol.deploy.applying.means import Means, NoRun
from streamt_ol.deploy.applying.operation import carry_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.cli.deployment import Deployment
    from streamt_ol.cli.emission import Emission
    from streamt_ol.deploy.applying.means import Run
    from streamt_ol.deploy.applying.records import Order, Report
    from streamt_ol.deploy.records import Provider
    from streamt_ol.deploy.state.records import Intent
    from streamt_ol.runs.lifecycle import CommandRun


def perform(
    deployment: Deployment, order: Order, providers: Mapping[str, Provider], emission: Emission | None
) -> Report:
    """Carry an order out under the deployment's lock; raises what `carry_out` raises.

    What run events warn of is the face's, however it ends. `emission` is None for a command without events.
    """

    @contextmanager
    def prepare(intent: Intent) -> Iterator[Run]:
        run = _requested(deployment, intent, emission)
        if run is None:
            yield NoRun()
            return
        try:
            with run:
                yield run
        finally:
            deployment.face.warnings.extend(run.warnings)

    with closing(ActionLines(deployment.face, len(order.actions))) as lines:
        means = Means(deployment.authority, providers, prepare, Endings(deployment.rules), lines.tell)
        return carry_out(order, means)


def _requested(deployment: Deployment, intent: Intent, emission: Emission | None) -> CommandRun | None:
    """Return the run of an intent; None where none is wanted: then not even a table is read for it."""
    if emission is None or not emission.wanted:
        return None
    from streamt_ol.runs.needs import RUN_NEEDS

    return requested_run(
        emission,
        intent.kind,
        deployment.loaded,
        deployment.graph,
        (),
        deployment.face.load_rules(RUN_NEEDS),
        run_id=intent.operation_id,
        started_at=intent.started_at,
    )
