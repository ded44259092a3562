"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

project_dir = click.option(
    "--project-dir",
    "-p",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The folder of stream_project.yml; the current folder by default.",
)
environment = click.option(
    "--env", "-e", "environment", help="The environment to use, where the project has several."
)


def project_options(command: Any) -> Any:
    """Add `--project-dir` and `--env` to a command."""
    return project_dir(environment(command))


_NAMESPACES = (
    click.option(
        "--job-namespace", help="Namespace of all jobs; else OPENLINEAGE_NAMESPACE. Required, never inferred."
    ),
    click.option(
        "--kafka-namespace",
        help="kafka://host:port of Kafka datasets; else STREAMT_OPENLINEAGE_KAFKA_NAMESPACE, "
        "else the broker.",
    ),
    click.option(
        "--gateway-namespace",
        help="kafka://host:port of Gateway datasets; else STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE, "
        "else the proxy.",
    ),
)


def namespace_options(command: Any) -> Any:
    """Add `--job-namespace`, `--kafka-namespace` and `--gateway-namespace` to a command."""
    for option in reversed(_NAMESPACES):
        command = option(command)
    return command


def _use_rules(context: click.Context, _option: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        context.obj.rules = folder


rules_option = click.option(
    "--rules",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    expose_value=False,
    callback=_use_rules,
    help="Use the rule tables of this directory, as the global --rules does.",
)
"""`--rules` after a command that is about rules; it wins over the global option."""
