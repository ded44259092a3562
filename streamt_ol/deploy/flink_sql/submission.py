"""The statements of a job as they are submitted: with what its tables need to log in.

They hold passwords and keys: they are made right before they are sent, and kept nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.flink_sql.logins import login_options
from streamt_ol.deploy.flink_sql.rendering import create_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from streamt_ol.deploy.flink_sql.records import JobDefinition, Table
    from streamt_ol.engine.ruleset import RuleSet

_ASKED = "topic"
"""The option of every table that is a topic; one that only counts logs in nowhere."""


def statements_with_credentials(
    definition: JobDefinition, runtime: Mapping[str, Any], rules: RuleSet
) -> tuple[str, ...]:
    """Return the statements of a definition, in its order, with the logins of a runtime.

    Raises SslFileError for a certificate or key that cannot be read.
    """
    if not definition.statements:
        return ()

    def made(table: Table) -> str:
        asked = _ASKED in table.options
        return create_table(table, login_options(runtime, table.format, rules) if asked else None)

    return (*map(made, definition.tables), definition.insert)
