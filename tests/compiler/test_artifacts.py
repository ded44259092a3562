"""`streamt compile`: artifacts, their files, and what is shown of them."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import run_streamt

from streamt_ol.compiler.artifact_files import artifact_file, write_artifacts
from streamt_ol.compiler.artifacts import Artifact, ArtifactCollisionError, build_artifacts
from streamt_ol.compiler.compiling import compile_project
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.project.load import load_project

PROJECT = """\
apiVersion: streamt.dev/v1alpha1
project: {name: harbour}
runtime:
  kafka: {bootstrap_servers: "broker.example:9092", sasl_username: u, sasl_password: runtime-secret}
  flink: {default: f, clusters: {f: {rest_url: "http://flink.example:8081"}, g: {}}}
  connect: {default: c, clusters: {c: {rest_url: "http://connect.example:8083"}, d: {rest_url: "http://d"}}}
  conduktor: {gateway: {proxy_bootstrap: "gate.example:6969"}}
defaults:
  topic: {partitions: 3}
  models: {topic: {partitions: 9, replication_factor: 9}}
connections:
  lake: {type: s3, config: {s3.bucket: shared, secret.key: connection-secret}}
sources:
  - name: ships
    topic: harbour.ships
    schema: {format: AVRO, definition: '{"doc": "definition-secret"}'}
  - {name: cranes, topic: harbour.cranes, schema: {subject: cranes, version: 2}}
models:
  - name: heavy
    materialized: topic
    sql: SELECT id FROM {{ source("ships") }} WHERE token = 'sql-secret'
    topic: {name: harbour/heavy, partitions: "6", replication_factor: 0, config: {cleanup.policy: topic-secret}}
    flink: {parallelism: 2}
  - {name: joined, materialized: flink, flink_cluster: g, from: [{source: ships}, {ref: heavy}]}
  - name: masked
    from: [{source: ships}]
    materialized: virtual_topic
    gateway: {virtual_topic: {name: harbour.masked, compression: gzip}}
    security:
      policies: [{allow: {roles: [a]}}, {mask: {column: id, method: hash, for_roles: [b]}}]
  - name: archive
    from: [{ref: heavy}, {ref: masked}]
    connect_cluster: d
    sink: {connector: s3-sink, connection: lake, config: {s3.bucket: own, password: sink-secret}}
tests:
  - name: watched
    model: heavy
    type: continuous
    assertions: [{custom_sql: {where: "k = 'test-secret'"}}]
    on_failure: {actions: [{dlq: true}, {dlq: {topic: letters}}]}
  - {name: sampled, model: heavy, type: sample, on_failure: {actions: [{dlq: true}]}}
"""


def owner(kind: str, name: str) -> dict[str, str]:
    return {"kind": kind, "name": name}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "stream_project.yml").write_text(PROJECT, "utf-8")
    return folder


def built(folder: Path) -> dict[str, list[Artifact]]:
    rules = load_rules(rules_folder())
    kinds = [str(kind) for kind in rules.vocabulary.domains["materialization"]]
    loaded = load_project(folder, environment=None, process_environment={}, materializations=kinds)
    return build_artifacts(compile_project(loaded.project, rules), rules)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_every_kind_of_artifact_says_what_it_deploys(project: Path) -> None:
    assert {kind: [one.document() for one in of_kind] for kind, of_kind in built(project).items()} == {
        "schemas": [
            {
                "name": "cranes",
                "owner": owner("source", "cranes"),
                "topic": "harbour.cranes",
                "format": None,
                "version": 2,
                "definition": None,
                "fields": [],
            },
            {
                "name": "harbour.ships-value",
                "owner": owner("source", "ships"),
                "topic": "harbour.ships",
                "format": "avro",
                "version": "latest",
                "definition": '{"doc": "definition-secret"}',
                "fields": [],
            },
        ],
        "topics": [
            {
                "name": "harbour/heavy",
                "owner": owner("model", "heavy"),
                "partitions": 6,
                "replication_factor": 1,
                "config": {"cleanup.policy": "topic-secret"},
            },
            {
                "name": "heavy__dlq",
                "owner": owner("test", "watched"),
                "partitions": 3,
                "replication_factor": 1,
                "config": {},
            },
            {
                "name": "joined",
                "owner": owner("model", "joined"),
                "partitions": 3,
                "replication_factor": 1,
                "config": {},
            },
            {
                "name": "letters",
                "owner": owner("test", "watched"),
                "partitions": 3,
                "replication_factor": 1,
                "config": {},
            },
        ],
        "flink_jobs": [
            {
                "name": "heavy_processor",
                "owner": owner("model", "heavy"),
                "sql": "SELECT id FROM ships WHERE token = 'sql-secret'",
                "cluster": "f",
                "inputs": ["ships"],
                "output_topic": "harbour/heavy",
                "options": {"parallelism": 2},
            },
            {
                "name": "joined",
                "owner": owner("model", "joined"),
                "sql": None,
                "cluster": "g",
                "inputs": ["ships", "heavy"],
                "output_topic": "joined",
                "options": {},
            },
            {
                "name": "test_watched",
                "owner": owner("test", "watched"),
                "tests": "heavy",
                "cluster": "f",
                "assertions": [{"custom_sql": {"where": "k = 'test-secret'"}}],
            },
        ],
        "connectors": [
            {
                "name": "archive",
                "owner": owner("model", "archive"),
                "class": "io.confluent.connect.s3.S3SinkConnector",
                "topics": ["harbour/heavy", "harbour.masked"],
                "cluster": "d",
                "config": {
                    "s3.bucket": "own",
                    "secret.key": "connection-secret",
                    "password": "sink-secret",
                    "name": "archive",
                    "connector.class": "io.confluent.connect.s3.S3SinkConnector",
                    "topics": "harbour/heavy,harbour.masked",
                },
            }
        ],
        "gateway_rules": [
            {
                "name": "harbour.masked",
                "owner": owner("model", "masked"),
                "virtual_topic": "harbour.masked",
                "physical_topic": "harbour.ships",
                "sql": None,
                "compression": "gzip",
                "interceptors": [
                    {
                        "name": "harbour.masked_mask_0",
                        "type": "mask",
                        "column": "id",
                        "method": "hash",
                        "for_roles": ["b"],
                    }
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("defaults", "expected"),
    [
        ("null", (1, 1)),
        ("{topic: {replication_factor: 5}, models: {topic: {partitions: 9}}}", (1, 5)),
        ("{models: {topic: {partitions: '9'}}}", (9, 1)),
    ],
)
def test_topic_defaults_win_as_a_whole(tmp_path: Path, defaults: str, expected: tuple[int, int]) -> None:
    (tmp_path / "stream_project.yml").write_text(
        "project: {name: p}\nruntime: {kafka: {bootstrap_servers: 'b:9092'}}\n"
        f"defaults: {defaults}\nmodels: [{{name: m}}]\n"
    )

    [topic] = built(tmp_path)["topics"]

    assert (topic.content["partitions"], topic.content["replication_factor"]) == expected


@pytest.mark.parametrize(
    ("added", "location", "message"),
    [
        (
            "  - {name: harbour/heavy}\n",
            "/models/4",
            "model 'harbour/heavy' compiles to the same 'harbour/heavy' (topics) as model 'heavy'",
        ),
        (
            "  - {name: test_watched, materialized: flink, from: [{source: ships}]}\n",
            "/tests/0",
            "test 'watched' compiles to the same 'test_watched' (flink_jobs) as model 'test_watched'",
        ),
    ],
)
def test_two_artifacts_of_one_name_are_refused(
    project: Path, added: str, location: str, message: str
) -> None:
    (project / "stream_project.yml").write_text(PROJECT.replace("tests:\n", f"{added}tests:\n"), "utf-8")

    with pytest.raises(ArtifactCollisionError) as refused:
        built(project)

    assert (refused.value.location, refused.value.message) == (location, message)


def test_a_dead_letter_topic_that_a_model_writes_is_that_topic(project: Path) -> None:
    text = PROJECT.replace("{topic: letters}", "{topic: joined}")
    (project / "stream_project.yml").write_text(text, "utf-8")

    assert [(topic.name, topic.owner_kind) for topic in built(project)["topics"]] == [
        ("harbour/heavy", "model"),
        ("heavy__dlq", "test"),
        ("joined", "model"),
    ]


def test_compile_writes_a_manifest_and_one_file_per_artifact(project: Path) -> None:
    done = run_streamt("compile", "-p", project)

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout == (
        "schemas             2\n"
        "topics              4\n"
        "flink_jobs          3\n"
        "connectors          1\n"
        "gateway_rules       1\n"
        "total              11\n"
        "3 of 3 Flink jobs cannot be submitted as they are declared:\n"
        "  heavy_processor: flink_columns_missing, flink_registry_missing\n"
        "  joined: flink_columns_missing, flink_sql_missing, flink_registry_missing\n"
        "  test_watched: flink_columns_missing, flink_letters_several\n"
        f"Written to {project}/generated\n"
    )
    generated = project / "generated"
    assert files(generated) == {
        "manifest.json",
        "schemas/cranes.json",
        "schemas/harbour.ships-value.json",
        "topics/harbour%2Fheavy.json",
        "topics/heavy__dlq.json",
        "topics/joined.json",
        "topics/letters.json",
        "flink_jobs/heavy_processor.json",
        "flink_jobs/heavy_processor.sql",
        "flink_jobs/joined.json",
        "flink_jobs/joined.sql",
        "flink_jobs/test_watched.json",
        "flink_jobs/test_watched.sql",
        "connectors/archive.json",
        "gateway_rules/harbour.masked.json",
    }
    assert (
        json.loads((generated / "connectors" / "archive.json").read_text())["config"]["password"]
        == "sink-secret"
    )
    manifest = json.loads((generated / "manifest.json").read_text())
    assert (manifest["format"], manifest["version"]) == ("streamt.manifest", 1)
    assert (manifest["project"], manifest["environment"]) == ("harbour", "default")
    assert manifest["artifacts"]["connectors"] == [
        {"name": "archive", "owner": owner("model", "archive"), "file": "connectors/archive.json"}
    ]


def test_files_that_may_hold_secrets_are_for_their_owner_only(project: Path) -> None:
    connector = project / "generated" / "connectors" / "archive.json"
    connector.parent.mkdir(parents=True)
    connector.write_text("{}")
    connector.chmod(0o644)

    run_streamt("compile", "-p", project)

    modes = {
        file: stat.S_IMODE((project / "generated" / file).stat().st_mode)
        for file in files(project / "generated")
    }
    del modes["manifest.json"]
    assert set(modes.values()) == {0o600}
    assert "secret" not in (project / "generated" / "manifest.json").read_text()


def test_the_envelope_shows_keys_and_no_values_that_may_be_secret(project: Path) -> None:
    done = run_streamt("-o", "json", "compile", "-p", project)

    assert done.exit_status == 0
    assert "-secret" not in done.stdout + done.stderr
    data = json.loads(done.stdout)["data"]
    assert data["dry_run"] is False
    assert data["output_dir"] == f"{project}/generated"
    assert data["counts"] == {
        "schemas": 2,
        "topics": 4,
        "flink_jobs": 3,
        "connectors": 1,
        "gateway_rules": 1,
        "total": 11,
    }
    [connector] = data["artifacts"]["connectors"]
    assert connector["class"] == "io.confluent.connect.s3.S3SinkConnector"
    assert connector["config"] == dict.fromkeys(
        ["s3.bucket", "secret.key", "password", "name", "connector.class", "topics"], "***"
    )
    heavy, joined, watched = data["artifacts"]["flink_jobs"]
    assert (heavy["sql"], joined["sql"], watched["assertions"]) == ("***", None, [{"custom_sql": "***"}])


def test_a_dry_run_writes_nothing_and_shows_the_same(project: Path, tmp_path: Path) -> None:
    dry = json.loads(run_streamt("-o", "json", "compile", "--dry-run", "-p", project).stdout)["data"]
    text = run_streamt("compile", "--dry-run", "-p", project)

    assert files(project) == {"stream_project.yml"}
    assert text.stdout.splitlines()[-1] == f"Nothing was written to {project}/generated"
    wet = json.loads(
        run_streamt("-o", "json", "compile", "--output-dir", tmp_path / "out", "-p", project).stdout
    )["data"]
    assert dry["dry_run"] is True
    assert (dry["artifacts"], dry["counts"]) == (wet["artifacts"], wet["counts"])
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert not (project / "generated").exists()


def test_compiling_again_changes_no_byte_and_touches_no_file(project: Path) -> None:
    run_streamt("compile", "-p", project)
    generated = project / "generated"
    before = {
        file: ((generated / file).read_bytes(), (generated / file).stat().st_ino) for file in files(generated)
    }

    run_streamt("compile", "-p", project)

    assert before == {
        file: ((generated / file).read_bytes(), (generated / file).stat().st_ino) for file in files(generated)
    }


def test_only_files_that_the_manifest_lists_are_removed(project: Path) -> None:
    run_streamt("compile", "-p", project)
    generated = project / "generated"
    (generated / "topics" / "mine.json").write_text("{}")
    (project / "stream_project.yml").write_text(PROJECT.replace("{topic: letters}", "true"), "utf-8")

    run_streamt("compile", "-p", project)

    assert {file for file in files(generated) if file.startswith("topics/")} == {
        "topics/harbour%2Fheavy.json",
        "topics/heavy__dlq.json",
        "topics/joined.json",
        "topics/mine.json",
    }


@pytest.mark.parametrize(
    "artifacts",
    [
        {"..": [{"name": "victim"}]},
        {"": [{"name": "victim"}]},
        {"topics": [{"name": "../../victim", "file": "../victim.json"}]},
        {"../topics/..": [{"name": "victim"}]},
    ],
)
def test_a_manifest_that_was_tampered_with_removes_nothing_outside(tmp_path: Path, artifacts: object) -> None:
    victim = tmp_path / "victim.json"
    victim.write_text("{}")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"format": "streamt.manifest", "artifacts": artifacts}))

    write_artifacts(folder, "p", "default", {})

    assert victim.read_text() == "{}"


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"format": "other"}', '{"format": "streamt.manifest"}', "[" * 9999]
)
def test_a_manifest_of_something_else_is_not_replaced(project: Path, content: str) -> None:
    (project / "generated").mkdir()
    (project / "generated" / "manifest.json").write_text(content)

    done = run_streamt("compile", "-p", project)

    assert done.exit_status == 1
    assert done.stderr.startswith("ERROR: E137_OUTPUT_DIR_FOREIGN at output_dir: ")
    assert files(project / "generated") == {"manifest.json"}
    assert (project / "generated" / "manifest.json").read_text() == content


def test_a_link_in_place_of_an_artifact_is_not_followed(project: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (project / "generated" / "connectors").mkdir(parents=True)
    (project / "generated" / "connectors" / "archive.json").symlink_to(victim)

    done = run_streamt("compile", "-p", project)

    assert done.exit_status == 1
    assert done.stderr.startswith("ERROR: E510_OUTPUT_FILE")
    assert victim.read_text() == "untouched"


def test_failures_to_compile_keep_their_codes_and_places(project: Path) -> None:
    (project / "stream_project.yml").write_text(
        PROJECT.replace('source("ships")', 'source("boats")'), "utf-8"
    )

    done = run_streamt("compile", "-p", project)

    assert done.exit_status == 1
    assert done.stdout == ""
    assert done.stderr == (
        "ERROR: E101_SOURCE_NOT_FOUND at /models/0/sql (stream_project.yml:21:28): "
        "model 'heavy' reads source 'boats', which is not declared\n"
    )
    assert not (project / "generated").exists()


@pytest.mark.parametrize(
    ("kind", "file"),
    [("", "_/x.json"), ("..", "__/x.json"), ("/etc", "%2Fetc/x.json"), ("a b", "a%20b/x.json")],
)
def test_no_kind_names_a_folder_elsewhere(kind: str, file: str) -> None:
    assert artifact_file(kind, "x") == file


@given(st.text(), st.text(min_size=1))
def test_no_name_leaves_the_folder_of_its_kind_and_none_gives_the_file_of_another(
    name: str, other: str
) -> None:
    name, other = (text.encode("utf-8", "replace").decode() for text in (name, other))
    folder, _slash, file = artifact_file("topics", name).partition("/")

    assert folder == "topics"
    assert file.isascii()
    assert not {"/", "\\", "\0"} & set(file)
    assert file not in (".", "..")
    assert unquote(file.removesuffix(".json")) == name
    assert (artifact_file("topics", other) == artifact_file("topics", name)) == (other == name)
