"""What is checked: a project as declared, and as far as it compiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamt_ol.compiler.compiling import compile_project
from streamt_ol.compiler.errors import CompileError, UnknownModelError, UnknownSourceError
from streamt_ol.governance.names import known_names, name_breaches
from streamt_ol.governance.queries import Query, read_query
from streamt_ol.governance.references import reference_failures
from streamt_ol.governance.stand_ins import with_stand_ins
from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.names import Names
    from streamt_ol.compiler.records import CompiledModel, Dependency
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.governance.facts import Breach
    from streamt_ol.ground.errors import StreamtError
    from streamt_ol.project.records import Column, Project

ROUNDS = 100
"""How many failures of compiling are looked for beyond those of names, templates and references."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One project in one environment under review."""

    project: Project
    rules: RuleSet
    names: Names
    models: tuple[CompiledModel, ...]
    """Those that compile, in the order of their declaration."""
    queries: Mapping[int, Query] = field(repr=False)
    """What the SQL of the models with SQL says, by their position."""

    def columns(self, dependency: Dependency) -> Sequence[Column]:
        """Return the declared columns of what a model reads: its contract's, else its own."""
        if dependency.kind == "source":
            return self.project.sources[dependency.position].columns
        model = self.project.models[dependency.position]
        return model.columns if model.contract_columns is None else model.contract_columns


@dataclass(frozen=True, slots=True)
class Survey:
    """The subject of a review and why parts of it do not compile."""

    subject: Subject
    breaches: tuple[Breach, ...]
    failures: tuple[StreamtError, ...]


def survey(project: Project, rules: RuleSet) -> Survey:
    """Compile as much of a project as compiles, and tell why the rest does not."""
    names, breaches = known_names(project), tuple(name_breaches(project))
    failures = list(reference_failures(project, names))
    aside = [breach.at for breach in breaches] + [failure.location or "" for failure in failures]
    rest = with_stand_ins(project, aside)
    models: tuple[CompiledModel, ...] = ()
    for _round in range(ROUNDS):
        try:
            models = compile_project(rest, rules).models
        except CompileError as failure:  # noqa: PERF203 - what fails is set aside, and the rest tried again
            location = failure.location or ""
            aside.append(location)
            rest = with_stand_ins(rest, [location])
            # A name that a stand-in does not have any more was known: it is no failure of its own.
            if not isinstance(failure, UnknownSourceError | UnknownModelError):
                failures.append(failure)
        else:
            break
    absent = {int(path[1]) for path in map(tokens, aside) if path[0] == "models"}
    compiled = tuple(model for model in models if model.position not in absent)
    use = rules.catalogue("sql-names").entries
    queries = {model.position: read_query(model.sql, use) for model in compiled if model.sql is not None}
    return Survey(Subject(project, rules, names, compiled, queries), breaches, tuple(failures))
