"""A job as Flink explains it before anything is submitted; what it does not take, in terms of the project.

Flink counts lines of what it was sent: an `INSERT` whose first line nobody wrote, tables with a column in
each line. Who reads of it knows the SQL of a model, and the names of columns.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.flink.errors import StatementRefusedError
from streamt_ol.deploy.providers.flink.job_plans import EXPLAIN, job_plan
from streamt_ol.deploy.providers.flink.sql_gateway import opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.deploy.flink_sql.records import JobDefinition, Table
    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.flink.job_plans import JobPlan
    from streamt_ol.deploy.providers.flink.sql_gateway import Session
    from streamt_ol.deploy.providers.service_records import About
    from streamt_ol.engine.ruleset import RuleSet

UNASKED: Final = "unasked"
_REFUSED: Final = "refused"
_OTHER_SHAPE: Final = "other_shape"
_PLACE: Final = re.compile(r"line (\d+), column (\d+)")


def explained(
    session: Session, definition: JobDefinition, statements: Sequence[str], rules: RuleSet
) -> JobPlan:
    """Return the plan of a job from its statements: the tables, then its INSERT, which is not carried out.

    Raises StatementRefusedError for what Flink does not take, RequestRefusedError for what else goes wrong.
    """
    *tables, insert = statements
    for table, statement in zip(definition.tables, tables, strict=True):
        session.run(statement, f"the table of '{table.name}'", partial(_in_table, table, rules))
    told = partial(_in_query, definition, rules)
    operation = session.run(f"{EXPLAIN} {insert}", "the SQL", told)
    return job_plan(session.text_of(operation), definition, rules)


def judged(cluster: Cluster, definition: JobDefinition, shape: str | None, about: About) -> tuple[str, str]:
    """Return what Flink says of a job that is declared, and why: `refused`, or `other_shape` than what runs.

    `unasked` where there is nothing to say, or the gateway does not answer: then a submission tells. Nothing
    that a login needs is sent.
    """
    try:
        with opened(cluster, definition.name, about, definition.settings) as session:
            made = explained(session, definition, definition.statements, cluster.rules)
    except StatementRefusedError as error:
        return _REFUSED, error.message
    except RequestRefusedError:
        return UNASKED, ""
    known = shape is not None and made.shape is not None
    return (_OTHER_SHAPE if known and made.shape != shape else UNASKED), ""


def _in_table(table: Table, rules: RuleSet, reason: str) -> str:
    """Return a reason with the column of a table instead of its line."""

    def column(found: re.Match[str]) -> str:
        position = int(found[1]) - 2  # the first line is CREATE TABLE
        known = 0 <= position < len(table.columns)
        return f"column '{table.columns[position].name}'" if known else found[0]

    return _helped(_PLACE.sub(column, reason), table.name, rules)


def _in_query(definition: JobDefinition, rules: RuleSet, reason: str) -> str:
    """Return a reason with lines of the SQL that somebody wrote; of other SQL, without lines."""
    begins = definition.query_line

    def line(found: re.Match[str]) -> str:
        within = int(found[1]) - 2  # the first line is INSERT INTO
        if begins is None or within < 0:
            return "its INSERT"
        return f"line {begins + within}, column {found[2]}"

    return _helped(_PLACE.sub(line, reason), definition.name, rules)


def _helped(reason: str, name: str, rules: RuleSet) -> str:
    """Return a reason with what helps, where that is known."""
    helps = rules.table("flink-refusals").match(reason, name).get("helps")
    return f"{reason.removesuffix('.')}; {helps}" if helps else reason
