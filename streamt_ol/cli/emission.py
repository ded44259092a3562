"""The four options of commands that can send run events, and the run that they ask for."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.compiler.records import Graph
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.load import Loaded
    from streamt_ol.runs.lifecycle import CommandRun

PREFIX = "openlineage-"
"""What stands before the names of the namespace options, which other commands have without it."""

_OPTIONS = (
    click.option(
        "--emit-openlineage",
        is_flag=True,
        help="Send OpenLineage run events of this command through the transport that is configured.",
    ),
    click.option(
        f"--{PREFIX}job-namespace",
        "job_namespace",
        help="Namespace of the command's job; else OPENLINEAGE_NAMESPACE. Required to send run events.",
    ),
    click.option(
        f"--{PREFIX}kafka-namespace",
        "kafka_namespace",
        help="kafka://host:port of topics; else STREAMT_OPENLINEAGE_KAFKA_NAMESPACE, else the broker.",
    ),
    click.option(
        f"--{PREFIX}gateway-namespace",
        "gateway_namespace",
        help="kafka://host:port of the Gateway; else STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE. Checked only.",
    ),
)


class Emission(NamedTuple):
    """What the four options say."""

    wanted: bool
    namespaces: Mapping[str, str | None]
    """Option name (`job_namespace`) to its value; None where it was not given."""


def emission_options(command: Any) -> Any:
    """Add the four options to a command, which is given them as one argument: `emission`."""

    @wraps(command)
    def packed(*arguments: Any, emit_openlineage: bool, **options: Any) -> Any:
        names = ("job_namespace", "kafka_namespace", "gateway_namespace")
        emission = Emission(emit_openlineage, {name: options.pop(name) for name in names})
        return command(*arguments, emission=emission, **options)

    made: Any = packed
    for option in reversed(_OPTIONS):
        made = option(made)
    return made


def requested_run(
    emission: Emission,
    command: str,
    loaded: Loaded,
    graph: Graph,
    topics: Iterable[str],
    rules: RuleSet,
    *,
    run_id: str | None = None,
    started_at: str | None = None,
) -> CommandRun | None:
    """Return the prepared run of a command that consumes the topics; None where no run events are wanted.

    A command that keeps records of its own gives the run's identity and time.

    Without the flag nothing of the configuration of run events is looked at. Raises what `prepare_run`
    raises, and what damaged schemas or rules raise.
    """
    if not emission.wanted:
        return None
    from streamt_ol.lineage.namespaces import Candidates
    from streamt_ol.lineage.needs import require_pinned_facets
    from streamt_ol.lineage.schemas import OpenLineageSchemas
    from streamt_ol.runs.lifecycle import RunRequest, prepare_run

    schemas = OpenLineageSchemas.packaged()
    require_pinned_facets(rules, schemas)
    request = RunRequest(
        command=command,
        project=loaded.project.name,
        topics=tuple(topics),
        endpoints=graph.endpoints,
        candidates=Candidates(emission.namespaces, loaded.variables, PREFIX),
        run_id=run_id,
        started_at=started_at,
    )
    return prepare_run(request, rules, schemas)
