"""From written entries to records."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamt_ol.project.load import load_project
from streamt_ol.project.records import Column, Model, Reference, Source

EXAMPLES = Path(__file__).parents[3] / "shared" / "projects"


def one_model(load, rest: str) -> Model:
    return load(f"models: [{{name: m, {rest}}}]").project.models[0]


def one_source(load, rest: str) -> Source:
    return load(f"sources: [{{name: s, topic: t, {rest}}}]").project.sources[0]


def test_a_bare_model_has_nothing(load):
    assert load("models: [{name: m}]").project.models == (
        Model(
            name="m",
            description=None,
            owner=None,
            sql=None,
            from_=(),
            macro=None,
            params={},
            materialized=None,
            executor=None,
            topic_name=None,
            has_virtual_block=False,
            virtual_name=None,
            has_sink=False,
            columns=(),
            contract_columns=None,
            raw={"name": "m"},
        ),
    )


def test_a_full_model_keeps_what_was_written(load):
    model = one_model(
        load,
        "description: d, owner: o, sql: S, from: [{source: a}, {ref: b}, {}], materialized: flink,"
        " executor: flink, topic: {name: ''}, columns: [{name: c, type: T, description: x}],"
        " contract: {columns: [{name: k}]}",
    )

    assert (model.description, model.owner, model.sql, model.materialized) == ("d", "o", "S", "flink")
    assert (model.executor, model.topic_name) == ("flink", "")
    assert model.from_ == (Reference("a"), Reference(None, "b"), Reference())
    assert model.columns == (Column("c", "T", "x"),)
    assert model.contract_columns == (Column("k"),)
    assert model.raw["contract"] == {"columns": [{"name": "k"}]}


@pytest.mark.parametrize("empty", ["''", "null"])
def test_empty_sql_and_an_empty_macro_are_absent(load, empty):
    model = one_model(load, f"sql: {empty}, macro: {empty}")

    assert (model.sql, model.macro) == (None, None)


def test_sql_of_blanks_is_sql(load):
    assert one_model(load, "sql: ' '").sql == " "


def test_one_name_in_from_is_a_reference_to_a_model(load):
    model = one_model(load, "from: other")

    assert model.from_ == (Reference(ref="other"),)
    assert model.raw == {"name": "m", "from": [{"ref": "other"}]}


def test_other_spellings_are_read_as_the_public_ones(load):
    assert one_model(load, "from_: other").raw == {"name": "m", "from": [{"ref": "other"}]}
    assert one_source(load, "schema_: {fields: [{name: a}]}").raw["schema"] == {"fields": [{"name": "a"}]}
    project = load("exposures: [{name: e, type: api, contracts: {schema_: x}}]").project
    assert project.exposures[0]["contracts"] == {"schema": "x"}
    assert project.document["exposures"] == list(project.exposures)


def test_a_connector_replaces_the_sink(load):
    model = one_model(load, "connector: {type: c, config: {a: 1}}, sink: {connector: other}")

    assert model.has_sink
    assert model.raw == {"name": "m", "sink": {"connector": "c", "config": {"a": 1}}}


@pytest.mark.parametrize(
    ("block", "present"), [("sink: null", False), ("connector: null", False), ("sink: {connector: c}", True)]
)
def test_a_sink_that_is_null_is_absent(load, block, present):
    assert one_model(load, block).has_sink is present


@pytest.mark.parametrize(
    ("gateway", "present", "name"),
    [
        ("null", False, None),
        ("{}", False, None),
        ("{virtual_topic: null}", False, None),
        ("{virtual_topic: {}}", True, None),
        ("{virtual_topic: {name: ''}}", True, ""),
        ("{virtual_topic: {name: v}}", True, "v"),
    ],
)
def test_an_empty_virtual_topic_block_is_a_block(load, gateway, present, name):
    model = one_model(load, f"gateway: {gateway}")

    assert (model.has_virtual_block, model.virtual_name) == (present, name)


@pytest.mark.parametrize(
    ("contract", "columns"), [("null", None), ("{}", ()), ("{columns: [{name: a}]}", (Column("a"),))]
)
def test_an_empty_contract_is_a_contract(load, contract, columns):
    assert one_model(load, f"contract: {contract}").contract_columns == columns


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("schema: {fields: [{name: f}]}", ["f"]),
        ("schema: {fields: [{name: f}]}, columns: []", ["f"]),
        ("schema: {fields: [{name: f}]}, columns: [{name: c}]", ["c"]),
        ("schema: {fields: null}", []),
        ("schema: null", []),
    ],
)
def test_empty_columns_of_a_source_fall_back_to_the_fields_of_its_schema(load, rest, names):
    assert [column.name for column in one_source(load, rest).columns] == names


@pytest.mark.parametrize(
    ("owners", "owner"),
    [
        ("owners: [{email: x}, {name: a}, {name: b}]", "a"),
        ("owner: o, owners: [{name: a}]", "o"),
        ("owners: [{email: x}]", None),
        ("owners: null", None),
    ],
)
def test_the_first_named_owner_of_an_exposure_fills_its_owner(load, owners, owner):
    exposure = load(f"exposures: [{{name: e, type: api, {owners}}}]").project.exposures[0]

    assert exposure.get("owner") == owner


def test_entries_that_share_an_anchor_are_separate_records(load):
    project = load("sources:\n- &a {name: s, topic: t, tags: [x]}\n- {<<: *a, name: r}\n").project

    assert [(source.name, source.topic) for source in project.sources] == [("s", "t"), ("r", "t")]


def test_a_project_is_frozen(load):
    project = load("models: [{name: m}]").project

    with pytest.raises(AttributeError):
        project.models[0].name = "other"


@pytest.mark.parametrize("backend", ["auto", "pure"])
def test_the_yaml_backend_does_not_change_the_project(load, backend):
    text = "models: [{name: m, sql: 'x'}]"
    project, usual = load(text, yaml_backend=backend).project, load(text).project

    assert project == usual._replace(origins=project.origins)


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the example projects are not here")
@pytest.mark.parametrize(
    ("name", "environment", "sources", "models"),
    [
        ("aquarium-tests", None, 1, 2),
        ("buoy-watch", None, 1, 1),
        ("ferry-gateway", None, 1, 5),
        ("greenhouse", None, 2, 5),
        ("museum-views", None, 1, 2),
        ("observatory-sinks", None, 1, 5),
        ("tram-macros", None, 2, 2),
        ("vineyard-envs", "dev", 1, 1),
        ("vineyard-envs", "prod", 1, 1),
    ],
)
def test_the_example_projects_load(name, environment, sources, models):
    loaded = load_project(
        EXAMPLES / name,
        environment=environment,
        process_environment={},
        materializations=("topic", "virtual_topic", "flink", "sink"),
    )

    assert (len(loaded.project.sources), len(loaded.project.models)) == (sources, models)


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the example projects are not here")
@pytest.mark.parametrize(("environment", "namespace"), [("dev", "vineyard-dev"), ("prod", "vineyard-prod")])
def test_the_vineyard_takes_values_from_its_dotenv_files_and_only_in_runtime(environment, namespace):
    loaded = load_project(
        EXAMPLES / "vineyard-envs", environment=environment, process_environment={}, materializations=()
    )

    assert loaded.variables["OPENLINEAGE_NAMESPACE"] == namespace
    assert loaded.project.sources[0].topic == "${REGION}.harvest.raw"
    assert (
        loaded.project.runtime["kafka"]["bootstrap_servers"]
        == {
            "dev": "dev-broker.example:9092",
            "prod": "a.example:9092,b.example:9092",
        }[environment]
    )
