"""Project and rule tables to Graph. Every decision about a kind of model is asked of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.compiler.connectors import refuse_reserved_keys
from streamt_ol.compiler.errors import BlankNameError, RequirementError
from streamt_ol.compiler.exposures import refuse_exposure_cycles, refuse_model_cycles, refuse_name_clashes
from streamt_ol.compiler.facts import Candidate, Declaration, Realized, amount, presence
from streamt_ol.compiler.lifecycle import refuse_live_removals
from streamt_ol.compiler.names import Names, collect_names, from_calls, from_list
from streamt_ol.compiler.records import CompiledModel, Dependency, Graph
from streamt_ol.compiler.templates import Templates
from streamt_ol.compiler.tests import refuse_incomplete_tests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.engine.tables import Decision
    from streamt_ol.project.records import Model, Project

ENDPOINTS = ("runtime.kafka.bootstrap_servers", "runtime.conduktor.gateway.proxy_bootstrap")
"""The runtime values that leave the runtime: addresses that a namespace may be derived from."""


def compile_project(project: Project, rules: RuleSet) -> Graph:
    """Return the graph of a project; any CompileError or TemplateError says where and why not.

    Source: sections 3.6, 4 and 5 of the project language; the order of checks is that of section 4.
    """
    names = collect_names(project)
    rendered = _render(project, names)
    reads = {
        model.name: [dependency.name for dependency in dependencies]
        for model, (_sql, dependencies) in zip(project.models, rendered, strict=True)
    }
    refuse_model_cycles(reads, names)
    refuse_name_clashes(project.exposures, names)
    refuse_exposure_cycles(reads, project.exposures, names)
    models = _Models(project, rules).compile(rendered)
    refuse_reserved_keys(project, models, rules.catalogue("connectors"))
    refuse_live_removals(project, models)
    refuse_incomplete_tests(project.tests)
    return Graph(project, models, {path: _endpoint(project.runtime, path) for path in ENDPOINTS})


Rendering = tuple[str | None, tuple[Dependency, ...]]


def _render(project: Project, names: Names) -> list[Rendering]:
    """Return SQL and dependencies of every model; in name order, so that the first failure is stable."""
    templates = Templates(project.directory / "macros")
    renderings: list[Any] = [None] * len(project.models)
    for name in sorted(names.models):
        position = names.models[name]
        renderings[position] = _render_model(project.models[position], position, templates, names)
    return renderings


def _render_model(model: Model, position: int, templates: Templates, names: Names) -> Rendering:
    if model.macro is not None:
        rendered = templates.render_macro(
            model.macro, model.params, location=f"/models/{position}/macro", model=model.name
        )
    elif model.sql is not None:
        rendered = templates.render_sql(model.sql, location=f"/models/{position}/sql", model=model.name)
    else:
        return None, from_list(model.from_, model, position, names)
    if not rendered.text:
        return None, from_list(model.from_, model, position, names)
    return rendered.text, from_calls(rendered.calls, model, position, names)


class _Models:
    """The tables that decide about models, and what they decided so far."""

    def __init__(self, project: Project, rules: RuleSet) -> None:
        self._project = project
        self._shapes = rules.table("sql-shapes")
        self._materialization = rules.table("materialization")
        self._effective = rules.table("effective")
        self._consumed_names = rules.table("consumed-names")
        self._processes = rules.table("processes")
        self._requirements = rules.table("requirements")
        self._artifacts = rules.table("artifacts")
        gateway = (project.runtime.get("conduktor") or {}).get("gateway")
        self._gateway_runtime = presence(gateway)

    def compile(self, rendered: Sequence[Rendering]) -> tuple[CompiledModel, ...]:
        models = self._project.models
        candidates = [
            self._candidate(position, model, sql)
            for position, (model, (sql, _dependencies)) in enumerate(zip(models, rendered, strict=True))
        ]
        topic_names = [model.topic_name or model.name for model in models]
        virtual_names = [
            model.virtual_name or topic for model, topic in zip(models, topic_names, strict=True)
        ]
        consumed = [
            _named(self._consumed_names.decide(candidate), topic, virtual)
            for candidate, topic, virtual in zip(candidates, topic_names, virtual_names, strict=True)
        ]
        sources = [source.topic for source in self._project.sources]
        compiled: list[CompiledModel] = []
        for position, (model, candidate, (sql, dependencies)) in enumerate(
            zip(models, candidates, rendered, strict=True)
        ):
            facts = Realized(
                at=f"/models/{position}",
                name=model.name,
                effective=self._effective.decide(candidate)["effective"],
                sql=presence(sql),
                inputs=amount(len(dependencies)),
                sink_block=model.has_sink,
                topic_name=topic_names[position],
                virtual_name=virtual_names[position],
            )
            self._refuse_lacking(facts)
            process = self._processes.decide(facts)
            reads = [
                sources[dependency.position] if dependency.kind == "source" else consumed[dependency.position]
                for dependency in dependencies
            ]
            output_name = _named(process, facts.topic_name, facts.virtual_name)
            _refuse_blank_output(model, position, process, output_name)
            compiled.append(
                CompiledModel(
                    position=position,
                    declared=model,
                    sql=sql,
                    dependencies=dependencies,
                    materialized=candidate.materialized,
                    effective=facts.effective,
                    process=process["process"],
                    output=process["output"],
                    topic_name=facts.topic_name,
                    virtual_name=facts.virtual_name,
                    output_name=output_name,
                    input_names=_bound(process, reads),
                    artifacts={
                        made["kind"]: made["name"](facts) for made in self._artifacts.decide_all(facts)
                    },
                )
            )
        return tuple(compiled)

    def _candidate(self, position: int, model: Model, sql: str | None) -> Candidate:
        at = f"/models/{position}"
        facts = Declaration(
            at=at,
            name=model.name,
            executor=model.executor or "absent",
            declared=model.materialized or "absent",
            from_list="present" if model.from_ else "absent",
            sql=presence(sql),
            shape="none" if sql is None else self._shapes.match(sql.upper(), at)["shape"],
            virtual_block=model.has_virtual_block,
        )
        return Candidate(
            at=at,
            name=model.name,
            materialized=self._materialization.decide(facts)["materialized"],
            virtual_block=model.has_virtual_block,
            gateway_runtime=self._gateway_runtime,
        )

    def _refuse_lacking(self, facts: Realized) -> None:
        for requirement in self._requirements.decide_all(facts):
            raise RequirementError(
                requirement["code"], requirement["message"](facts), location=requirement["location"](facts)
            )


def _named(decision: Decision, topic_name: str, virtual_name: str) -> str:
    return {"topic_name": topic_name, "virtual_name": virtual_name, "none": ""}[decision["named"]]


def _bound(decision: Decision, reads: Sequence[str]) -> tuple[str, ...]:
    return {"nothing": (), "first_input": tuple(reads[:1]), "all_inputs": tuple(reads)}[decision["bound_to"]]


def _refuse_blank_output(model: Model, position: int, decision: Decision, output_name: str) -> None:
    if decision["named"] != "none" and not output_name.strip():
        block = (
            "gateway/virtual_topic" if decision["named"] == "virtual_name" and model.virtual_name else "topic"
        )
        raise BlankNameError(
            f"model '{model.name}': its physical name is blank", location=f"/models/{position}/{block}/name"
        )


def _endpoint(runtime: Mapping[str, Any], path: str) -> str | None:
    value: Any = {"runtime": runtime}
    for key in path.split("."):
        value = (value or {}).get(key)
    return value if isinstance(value, str) else None
