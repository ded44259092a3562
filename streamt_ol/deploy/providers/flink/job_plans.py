"""What Flink makes of the SQL of a job: its operators, which keep state, and how they are named.

Without a name, an operator is known by its place in the plan: a filter that is added moves those behind it,
and Flink cannot give them their state. Where each kind of operator stands in a plan once, as in the commonest
jobs, they are named by their kinds (`flink-ids`). The shape of a plan is what of it must stay for a new job
to go on from the state of an old one; a job carries it, and it is compared before the old one is stopped.
Source: the JSON execution plan of `EXPLAIN`, and what a cluster of Flink 2.2 restores (FLK-21, FLK-22).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.providers.flink.facts import FlinkPlanFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.flink_sql.records import JobDefinition, Table
    from streamt_ol.engine.ruleset import RuleSet

EXPLAIN: Final = "EXPLAIN JSON_EXECUTION_PLAN"
_HEAD: Final = "\n== Physical Execution Plan ==\n"
_NUMBER: Final = re.compile(r"\[\d+\]")
"""Of an operator: it counts all that a gateway has ever planned."""
_NAME: Final = re.compile(r"(?<![\w$])[\w$]+(?![\w$])")
_RESULT: Final = re.compile(r" AS ([\w$]+)(?=[,\]])")
_GENERATED: Final = re.compile(r"EXPR\$\d+|\$f\d+")
_WINDOW: Final = "'w$"
"""The name of a window, which is no literal."""
_TIME_AS_VALUE: Final = re.compile(r"Reinterpret\((\w+)\) AS \1(?=[,\]])")
"""A time attribute that is no longer one: the same column."""
_FIELDS: Final = re.compile(r"fields=(\[.*\])\)$", re.DOTALL)
_SOURCE: Final = "Source: "
_SELECT: Final = "Calc(select="
_WHERE: Final = ", where=["


class JobPlan(NamedTuple):
    """What is known of the plan of a job before it is submitted."""

    options: Mapping[str, str]
    """Those of Flink that name its operators; none where they are known by their places."""
    shape: str | None
    """`sha256:` and the digest of what must stay; None where Flink's explanation cannot be read."""


class _Operator(NamedTuple):
    name: str
    """`Calc`, `Source: orders`, `out: Writer`; without a number."""
    kind: str
    """Its name; of a source and of a sink without that of the table."""
    part: str
    """What it is for the state of a job: a word of `flink-operators`."""
    contents: str
    inputs: tuple[tuple[int, str], ...]
    """The position of each operator before it, and how records are sent from there."""


def job_plan(explained: str | None, definition: JobDefinition, rules: RuleSet) -> JobPlan:
    """Return the plan of a job from Flink's explanation of it."""
    operators = _operators(explained, definition.name, rules)
    facts = FlinkPlanFacts(at=definition.name, operators=_distinct(operators))
    decisions = rules.table("flink-ids").decide_all(facts)
    options = {decision["option"]: decision["value"](facts) for decision in decisions}
    if not operators:
        return JobPlan(options, None)
    return JobPlan(options, checksum(_shape(operators, definition.tables, named=bool(options))))


def _operators(explained: str | None, job: str, rules: RuleSet) -> tuple[_Operator, ...]:
    """Return the operators in the order of records; none where the text is not as documented."""
    try:
        nodes = json.loads((explained or "").rpartition(_HEAD)[2])["nodes"]
        places = {node["id"]: position for position, node in enumerate(nodes)}
        return tuple(_operator(node, places, job, rules) for node in nodes)
    except (LookupError, TypeError, ValueError, AttributeError):
        return ()


def _operator(node: Mapping[str, Any], places: Mapping[Any, int], job: str, rules: RuleSet) -> _Operator:
    name = _NUMBER.sub("", node["type"])
    part = rules.table("flink-operators").match(name, job)["part"]
    before = node.get("predecessors", ())
    return _Operator(
        name=name,
        kind={"source": _SOURCE, "sink": name.rpartition(": ")[2]}.get(part, name),
        part=part,
        contents=_TIME_AS_VALUE.sub(r"\1", _NUMBER.sub("", node["contents"], count=1).removeprefix(":")),
        inputs=tuple((places[one["id"]], str(one["ship_strategy"])) for one in before),
    )


def _distinct(operators: Sequence[_Operator]) -> Any:
    if not operators or any(one.part == "unknown" for one in operators):
        return "unknown"
    return "distinct" if len({one.kind for one in operators}) == len(operators) else "repeated"


def _shape(operators: Sequence[_Operator], tables: Sequence[Table], *, named: bool) -> Mapping[str, Any]:
    """Return what must stay: operators with state, what goes into them, and the topics that are read.

    Where operators are known by their places, all of these too.
    """
    by_name = {table.name: table for table in tables}
    read = [by_name.get(one.name.removeprefix(_SOURCE)) for one in operators if one.part == "source"]
    keeping = [
        [one.contents, [_columns_before(operators, place) for place, _sent in one.inputs]]
        for one in operators
        if one.part in ("state", "unknown")
    ]
    used = _RESULT.sub("", json.dumps(keeping, ensure_ascii=False))
    return {
        "named": named,
        "read": [table and [table.options.get("connector"), table.options.get("topic")] for table in read],
        "keeping": _renamed(keeping),
        "types": [_types(table, used) for table in read if table],
        "places": None if named else [[one.kind, one.inputs] for one in operators],
    }


def _columns_before(operators: Sequence[_Operator], place: int) -> str:
    """Return what the operator at a place hands on: as expressions, or which operator with state it is."""
    one = operators[place]
    if one.part == "projection":
        # A literal may have the same letters: then nothing is left out.
        only = one.contents.partition(_WHERE)[0] if one.contents.count(_WHERE) == 1 else one.contents
        return only.removeprefix(_SELECT).removesuffix(")")
    if one.part == "source":
        fields = _FIELDS.search(one.contents)
        return fields[1] if fields else one.contents
    if one.part == "passing" and len(one.inputs) == 1:
        return _columns_before(operators, one.inputs[0][0])
    return one.kind


def _renamed(keeping: Sequence[Any]) -> Any:
    """Return it with results numbered instead of named: how those behind call them is of no matter.

    A literal may have the letters of a name: then only names that Flink makes up are numbered.
    """
    text = json.dumps(keeping)
    results = {name for contents, _before in keeping for name in _RESULT.findall(contents)}
    if "'" in text.replace(_WINDOW, ""):
        results = set()
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        name = found[0]
        known = name in results or _GENERATED.fullmatch(name)
        return numbers.setdefault(name, f"$result{len(numbers)}") if known else name

    return json.loads(_NAME.sub(number, text))


def _types(table: Table, text: str) -> Mapping[str, str]:
    """Return the types of the columns that are named where state is kept."""
    return {
        column.name: column.computed or column.type
        for column in table.columns
        if re.search(rf"(?<!\w){re.escape(column.name)}(?!\w)", text)
    }
