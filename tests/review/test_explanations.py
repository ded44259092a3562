"""`streamt rules explain` and `streamt explain`: which row decided what, and what a code means."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from commands import Invoked, invoke
from golden_cases import GOLDEN, ROOT

from streamt_ol.cli.explain import explain as explain_code
from streamt_ol.cli.exporting import ExportRequest, Progress, make_export
from streamt_ol.cli.face import Face
from streamt_ol.cli.rules_explain import explain
from streamt_ol.compiler.needs import COMPILER_NEEDS
from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.engine.tables import Question
from streamt_ol.lineage.exporting import Export
from streamt_ol.lineage.needs import LINEAGE_NEEDS
from streamt_ol.review.explaining.explanations import Explainer, Wanted
from streamt_ol.review.tables.contract import cited, read_statements, statements
from streamt_ol.review.tables.rule_files import RuleFiles

PROJECTS = [
    "campus",
    "choir-contracts",
    "clinic-texts",
    "ferry-gateway",
    "greenhouse",
    "observatory-sinks",
    "parcel-names",
    "payments",
    "press-review",
    "seed-registry",
    "tram-macros",
    "weather-shapes",
]


def project(case: str) -> Path:
    return GOLDEN / case / "project"


def ask(case: str, *arguments: str, face: Face | None = None, namespace: str = "jobs") -> Invoked:
    options = ["--project-dir", str(project(case)), "--job-namespace", namespace]
    return invoke(explain, *arguments, *options, face=face)


def explained(case: str, *arguments: str) -> dict[str, Any]:
    """Return the one explanation of a name."""
    done = ask(case, *arguments, "--format", "json")
    assert done.exit_status == 0, done.stderr
    (one,) = done.document["explained"]
    return one


def part(one: Mapping[str, Any], at: str) -> dict[str, Any]:
    """Return the one part of the events of an explanation that stands at a pointer."""
    (found,) = [part for event in one["events"] for part in event["parts"] if part["at"] == at]
    return found


def rows(part: Mapping[str, Any]) -> list[str]:
    return [f"{row['table']}/{row['row']}" for row in part["rows"]]


# Parts of events


def test_an_identity_is_explained_by_the_rows_of_its_namespace_and_name() -> None:
    one = explained("payments", "payments_clean")

    assert {key: one[key] for key in ("kind", "name", "at", "file", "line")} == {
        "kind": "model",
        "name": "payments_clean",
        "at": "/models/0",
        "file": "stream_project.yml",
        "line": 20,
    }
    assert [(event["line"], event["kind"], event["name"]) for event in one["events"]] == [
        (1, "DatasetEvent", "payments.clean.v1"),
        (3, "JobEvent", "streamt/payments-streams/models/payments_clean"),
    ]
    namespace = part(one, "/dataset/namespace")
    assert namespace["value"] == "kafka://broker.example:9092"
    assert rows(namespace) == ["datasets/model-in-kafka", "namespace-selection/derived"]
    assert rows(part(one, "/dataset/name")) == [
        "processes/topic-with-sql",
        "datasets/model-in-kafka",
        "texts/present",
    ]
    assert rows(part(one, "/job/namespace")) == ["namespace-selection/option"]
    assert rows(part(one, "/job/name")) == ["processes/topic-with-sql", "jobs/flink", "texts/present"]


def test_a_row_is_shown_with_its_file_line_and_the_sentences_it_cites() -> None:
    done = ask("payments", "payments_clean", "--format", "json").document

    (row,) = part(done["explained"][0], "/dataset/facets/datasetType/datasetType")["rows"]
    assert row == {
        "table": "facets",
        "row": "dataset-type",
        "file": "facets.yml",
        "line": 8,
        "cites": ["FAC-1"],
    }
    assert (ROOT / "rules" / "facets.yml").read_text("utf-8").splitlines()[7] == "  - id: dataset-type"
    assert done["statements"]["FAC-1"] == "Every dataset has the dataset type `TOPIC`."
    assert done["rules"] == str(ROOT / "rules")


def test_an_input_is_explained_by_the_job_and_by_whoever_declares_the_dataset() -> None:
    one = explained("observatory-sinks", "frames_lake")

    assert part(one, "/inputs/0")["value"]["name"] == "sky.frames.clean"
    assert rows(part(one, "/inputs/0")) == ["jobs/connect", "datasets/model-in-kafka"]


def test_a_sink_is_told_to_have_no_dataset_and_no_output_and_a_warning_says_so() -> None:
    one = explained("observatory-sinks", "frames_lake")

    (missing,) = one["left_out"]
    assert (missing["at"], missing["left_out"]) == ("/dataset", "it has no dataset")
    assert rows(missing) == ["processes/sink", "datasets/model-without-dataset"]
    assert part(one, "/outputs")["left_out"] == "it has no dataset"
    (warning,) = one["warnings"]
    assert (warning["code"], warning["location"]) == (
        "W111_OPENLINEAGE_SINK_OUTPUT_OMITTED",
        "/models/1/sink",
    )
    assert rows(warning) == ["warnings/sink-output-omitted"]


def test_a_topic_without_sql_is_told_to_have_no_job() -> None:
    (missing,) = explained("choir-contracts", "agreed")["left_out"]

    assert (missing["at"], missing["left_out"]) == ("/job", "it has no job")
    assert rows(missing) == ["processes/topic-declared", "jobs/no-process"]


def test_a_source_is_not_told_to_have_no_job() -> None:
    assert explained("payments", "payments_raw")["left_out"] == []


def test_a_facet_that_is_left_out_is_explained_by_the_row_that_would_give_it() -> None:
    one = explained("clinic-texts", "vitals")

    owner, description = (part(one, f"/dataset/facets/{name}") for name in ("ownership", "documentation"))
    assert owner["left_out"] == "owner_state is absent, the row needs present or unrendered"
    assert description["left_out"] == "description_state is empty, the row needs present or unrendered"
    assert rows(owner) == ["facets/dataset-ownership", "texts/optional-left-out"]
    schema = part(explained("choir-contracts", "agreed_on_nothing"), "/dataset/facets/schema")
    assert schema["left_out"] == "columns_state is empty, the row needs present"
    assert rows(schema) == ["facets/dataset-schema", "columns/model-with-contract"]


def test_a_field_is_explained_by_the_facet_the_choice_of_columns_and_its_text() -> None:
    one = explained("choir-contracts", "agreed")

    name = part(one, "/dataset/facets/schema/fields/0/name")
    assert name["value"] == "zither"
    assert rows(name) == ["facets/dataset-schema", "columns/model-with-contract", "texts/present"]
    assert part(one, "/dataset/facets/schema/fields/1/ordinal_position")["value"] == 2
    assert part(one, "/dataset/facets/schema/fields/1/description")["value"] == "Second of the four"


@pytest.mark.parametrize(("position", "state"), [(4, "blank"), (5, "empty"), (6, "absent")])
def test_a_type_that_is_left_out_says_what_was_written(position: int, state: str) -> None:
    kind = part(explained("choir-contracts", "nested"), f"/dataset/facets/schema/fields/{position}/type")

    assert kind["left_out"] == f"type is {state}"
    assert kind["rows"][0]["cites"] == ["FAC-5", "FAC-7"]


def test_warnings_about_the_whole_project_are_shown_with_those_of_the_loader() -> None:
    loader = ask("buoy-watch", "buoy_copy", "--format", "json").document["warnings"]
    shared = ask("press-review", "wires", namespace="kafka://news.example:9092")

    assert [(one["code"], one["rows"]) for one in loader] == [("W000_WARNING", [])]
    assert (
        "\nAbout the whole project\n"
        "  W131_OPENLINEAGE_NAMESPACE_SHARED at job_namespace: the job namespace equals the kafka dataset namespace: "
        "jobs and datasets are told apart by kind alone\n"
        "        reach/shared-namespace (reach.yml:8, WRN-4)\n"
    ) in shared.stdout


# Completeness


@dataclass(frozen=True)
class Exported:
    """A project exported with its tables watched."""

    export: Export
    progress: Progress
    questions: list[Question]
    rules: RuleSet

    def declarations(self) -> list[Wanted]:
        assert self.progress.project is not None
        return [
            *(
                Wanted("source", one.name, f"/sources/{n}")
                for n, one in enumerate(self.progress.project.sources)
            ),
            *(
                Wanted("model", one.name, f"/models/{n}")
                for n, one in enumerate(self.progress.project.models)
            ),
        ]

    def explanations(self) -> list[dict[str, Any]]:
        explainer = Explainer(self.questions, RuleFiles(self.rules), self.export)
        return [explainer.explain(wanted) for wanted in self.declarations()]


def exported(case: str) -> Exported:
    questions: list[Question] = []
    face, progress = Face(), Progress()
    rules = face.load_rules(COMPILER_NEEDS, LINEAGE_NEEDS, watch=questions.append)
    request = ExportRequest(
        directory=project(case),
        environment=None,
        process_environment={},
        namespaces={"job_namespace": "jobs"},
        output_file=None,
        event_time=None,
        now=datetime(2026, 1, 2, tzinfo=timezone.utc),
    )
    export = make_export(request, rules, face, progress)
    rules.watch(None)
    return Exported(export, progress, questions, rules)


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield everything that an event says of its own: not the envelope of event and facets."""
    if isinstance(value, dict) and not re.fullmatch(r"/(in|out)puts/\d+", at):
        for key, below in value.items():
            if key not in {"eventTime", "producer", "schemaURL", "_producer", "_schemaURL"}:
                yield from leaves(below, f"{at}/{key}")
    elif isinstance(value, list):
        for position, below in enumerate(value):
            yield from leaves(below, f"{at}/{position}")
    else:
        yield at, value


@pytest.mark.parametrize("case", PROJECTS)
def test_every_part_of_every_event_is_explained_once_and_with_rows(case: str) -> None:
    made = exported(case)
    told = {event["line"]: event["parts"] for one in made.explanations() for event in one["events"]}

    assert sorted(told) == list(range(1, len(made.export.described) + 1))
    for line, event in enumerate(map(json.loads, made.export.lines()), 1):
        said = [(part["at"], part["value"]) for part in told[line] if "value" in part]
        assert sorted(said, key=str) == sorted(leaves(event), key=str)
    assert [part for parts in told.values() for part in parts if not part["rows"]] == []


@pytest.mark.parametrize("case", PROJECTS)
def test_every_warning_about_a_declaration_is_explained(case: str) -> None:
    made = exported(case)
    told = {(one["code"], one["location"]) for each in made.explanations() for one in each["warnings"]}
    about = {
        (warning.code, warning.location)
        for warning in made.progress.warnings
        if re.match(r"/(sources|models)/", warning.location or "")
    }

    assert told == about


@pytest.mark.parametrize("case", PROJECTS)
def test_every_decision_about_a_declaration_is_listed_where_its_row_stands(case: str) -> None:
    made = exported(case)
    texts: dict[str, list[str]] = {}
    for one in made.explanations():
        heard = {
            (question.at, question.table, decision.row.id)
            for question in made.questions
            for decision in question.decisions
            if f"{question.at}/".startswith(f"{one['at']}/")
        }
        assert {(row["at"], row["table"], row["row"]) for row in one["decisions"]} == heard
        for row in one["decisions"]:
            if row["file"] not in texts:
                texts[row["file"]] = (ROOT / "rules" / row["file"]).read_text("utf-8").splitlines()
            assert re.match(rf"  - {{?id: {row['row']}\b", texts[row["file"]][row["line"] - 1])


# What is asked for


def test_a_dataset_or_job_of_the_export_is_explained_alone() -> None:
    by_dataset = explained("payments", "payments.clean.v1")
    by_job = explained("payments", "streamt/payments-streams/models/payments_clean")

    assert [event["line"] for event in by_dataset["events"]] == [1]
    assert [event["line"] for event in by_job["events"]] == [3]
    assert by_dataset["left_out"] == []


def test_a_line_of_the_export_is_explained_alone() -> None:
    one = explained("payments", "--event", "2")

    assert (one["kind"], one["name"]) == ("source", "payments_raw")
    assert [event["line"] for event in one["events"]] == [2]


def test_a_name_that_is_not_there_is_an_error_with_the_nearest() -> None:
    done = ask("payments", "payment_clean")

    assert (done.exit_status, done.stdout) == (1, "")
    assert done.stderr == (
        "ERROR: E146_EXPLAINED_NOT_FOUND at name: the project has no source or model 'payment_clean', "
        "and the export no dataset or job of that name\n  did you mean 'payments_clean'?\n"
    )


def test_a_line_that_is_not_there_is_an_error() -> None:
    done = ask("payments", "--event", "4")

    assert done.exit_status == 1
    assert done.stderr == "ERROR: E146_EXPLAINED_NOT_FOUND at event: the export has no line 4, it has 3\n"


@pytest.mark.parametrize("arguments", [[], ["payments_clean", "--event", "1"]])
def test_exactly_one_of_a_name_and_a_line_is_asked_for(arguments: list[str]) -> None:
    done = ask("payments", *arguments)

    assert done.exit_status == 2
    assert "give either NAME or --event" in done.stderr


# Failures


def test_a_failed_export_is_explained_up_to_where_it_decided(tmp_path: Path) -> None:
    text = (project("payments") / "stream_project.yml").read_text("utf-8")
    blank = text.replace("description: Validated payment stream", 'description: " "')
    (tmp_path / "stream_project.yml").write_text(blank, "utf-8")
    options = ["--project-dir", str(tmp_path), "--job-namespace", "jobs"]
    done = invoke(explain, "payments_clean", *options, "--format", "json")

    assert done.exit_status == 1
    document = done.document
    assert document["complete"] is False
    (one,) = document["explained"]
    assert (one["events"], one["left_out"]) == ([], [])
    assert (one["decisions"][-1]["table"], one["decisions"][-1]["row"]) == ("texts", "only-white-space")
    last = document["decided_up_to"]
    assert (last["at"], last["table"], last["row"]) == ("/models/0/description", "texts", "only-white-space")
    (error,) = document["errors"]
    assert (error["code"], error["location"]) == ("E506_OPENLINEAGE_INVALID", "/models/0/description")
    assert done.stderr.startswith(
        "ERROR: E506_OPENLINEAGE_INVALID at /models/0/description (stream_project.yml:25:18)"
    )
    shown = invoke(explain, "payments_clean", *options).stdout
    assert (
        "\nThe export failed; the last decision was texts/only-white-space about /models/0/description\n"
    ) in shown


def test_a_project_that_cannot_be_read_is_explained_by_its_error_alone(tmp_path: Path) -> None:
    (tmp_path / "stream_project.yml").write_text("a: [", "utf-8")
    done = invoke(explain, "anything", "--project-dir", tmp_path)

    assert done.exit_status == 1
    assert done.stdout.startswith("The export failed before anything was decided\n")
    assert done.stderr.startswith("ERROR: E501_PARSE_ERROR ")


def test_json_mode_holds_explanation_and_errors() -> None:
    envelope = ask("payments", "payments_clean", face=Face(output="json"), namespace="").document

    assert (envelope["status"], envelope["command"]) == ("error", "rules explain")
    assert [error["location"] for error in envelope["errors"]] == ["job_namespace"]
    assert envelope["data"]["decided_up_to"]["row"] == "option"


def test_no_secret_of_a_project_is_shown(tmp_path: Path) -> None:
    vault = load_module(ROOT / "tests" / "test_secrets.py")
    for name, text in vault.FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    for name in ("raw", "plain", "copied", "archive"):
        for form in ("text", "json"):
            done = invoke(explain, name, "--project-dir", tmp_path, "--format", form)
            assert done.exit_status == 0, done.stderr
            assert vault.SECRET not in done.stdout + done.stderr


def load_module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The text


def test_the_text_tells_each_part_its_rows_and_at_the_end_the_sentences() -> None:
    shown = ask("observatory-sinks", "frames_lake").stdout

    assert shown.startswith(
        "model 'frames_lake' at /models/1 (stream_project.yml:20)\n"
        "\n"
        "  JobEvent, line 4 of the export\n"
        '    /job/namespace: "jobs"\n'
        "        namespace-selection/option (namespace-selection.yml:8, NS-1)\n"
    )
    assert (
        "    /outputs: left out: it has no dataset\n"
        "        processes/sink (processes.yml:28, JOB-1, DS-5)\n"
        "        datasets/model-without-dataset (datasets.yml:11, DS-5)\n"
    ) in shown
    assert "\n  No dataset event: it has no dataset\n        processes/sink " in shown
    assert "\n  W111_OPENLINEAGE_SINK_OUTPUT_OMITTED at /models/1/sink: Model frames_lake writes " in shown
    assert "\n  Decided on the way\n        materialization/list-without-sql (" in shown
    assert "\nCited\n" in shown
    assert "\n  DS-5: A sink has no dataset.\n" in shown
    assert shown.endswith(f"\nFiles of rows are in {ROOT / 'rules'}\n")


def test_a_text_of_the_project_cannot_steer_the_terminal(tmp_path: Path) -> None:
    text = (project("payments") / "stream_project.yml").read_text("utf-8")
    changed = text.replace("owner: payments-platform", 'owner: "a\\e[31mb"')
    (tmp_path / "stream_project.yml").write_text(changed, "utf-8")
    done = invoke(explain, "payments_clean", "--project-dir", tmp_path, "--job-namespace", "jobs")

    assert done.exit_status == 0
    assert "\x1b" not in done.stdout
    assert '/dataset/facets/ownership/owners/0/name: "a\\u001b[31mb"\n' in done.stdout


# The contract


def test_a_statement_is_read_without_its_mark_and_proof() -> None:
    page = "- **AB-1.** Two\n  lines. Proof here.\n  Proof: `golden:a/b`\n- **AB-2.** One.\n  Proof: `x`\n"

    assert read_statements(page) == {"AB-1": "Two lines. Proof here.", "AB-2": "One."}


def test_every_citation_of_the_packaged_tables_has_its_sentence() -> None:
    numbers = {
        number
        for table in load_rules(ROOT / "rules").tables.values()
        for row in table.rows
        for number in row.cites
    }

    assert numbers
    assert numbers - statements().keys() == set()
    assert cited(["TXT-1", "MAT-2", "XX-9"]) == {
        "MAT-2": "A declared `materialized` is what the model is.",
        "TXT-1": "Names and texts are exported as written, not trimmed.",
    }


# Codes


def test_a_code_is_explained_with_its_cause_its_remedy_and_its_rows() -> None:
    done = invoke(explain_code, "W110_OPENLINEAGE_SCHEMA_INCOMPLETE")

    assert done.exit_status == 0
    assert done.stdout == (
        "W110_OPENLINEAGE_SCHEMA_INCOMPLETE (warning): A dataset without fields\n"
        "\n"
        "Meaning\n"
        "  A source or model declares no columns, so its dataset carries no schema facet.\n"
        "\n"
        "Typical cause\n"
        "  Columns are known to a Schema Registry only, or the model was written before its contract.\n"
        "\n"
        "What helps\n"
        "  Declare `columns`, or `contract.columns` where there is a contract.\n"
        "\n"
        "Given by\n"
        "  warnings/source-without-columns (warnings.yml:8, WRN-1)\n"
        "  warnings/model-without-columns (warnings.yml:15, WRN-1)\n"
        "  WRN-1: A dataset without columns: `W110_OPENLINEAGE_SCHEMA_INCOMPLETE`.\n"
    )


@pytest.mark.parametrize("asked", ["W110", "w110", "W110_OPEN", "E50X", "E59"])
def test_a_beginning_that_only_one_code_has_is_enough_whatever_its_case(asked: str) -> None:
    codes = [
        code
        for code in load_rules(ROOT / "rules").catalogue("diagnostics").entries
        if code.startswith(asked.upper())
    ]
    done = invoke(explain_code, asked, "--format", "json")

    assert (done.exit_status == 0) == (len(codes) == 1)
    assert done.exit_status != 0 or done.document["code"] == codes[0]


def test_a_beginning_of_several_codes_lists_them() -> None:
    done = invoke(explain_code, "E59")

    assert done.exit_status == 1
    assert done.stderr == (
        "ERROR: E147_CODE_NOT_FOUND at code: 2 codes begin with 'E59'\n  E590_INTERNAL\n  E591_INTERRUPTED\n"
    )


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        ("E52O", "did you mean 'E520'?"),
        ("E502_ENV_VARERROR", "did you mean 'E502_ENV_VAR_ERROR'?"),
        ("", "`streamt explain` lists them all"),
        ("quatsch", "`streamt explain` lists them all"),
    ],
)
def test_an_unknown_code_is_an_error_with_the_nearest(asked: str, remedy: str) -> None:
    done = invoke(explain_code, asked)

    assert (done.exit_status, done.stdout) == (1, "")
    assert done.stderr == f"ERROR: E147_CODE_NOT_FOUND at code: there is no code '{asked}'\n  {remedy}\n"


def test_without_a_code_all_are_listed() -> None:
    entries = load_rules(ROOT / "rules").catalogue("diagnostics").entries
    listed = invoke(explain_code, "--format", "json").document["codes"]

    assert [one["code"] for one in listed] == sorted(entries)
    assert re.search(r"^E590_INTERNAL +A bug in streamt$", invoke(explain_code).stdout, re.MULTILINE)


def test_every_code_has_a_typical_cause() -> None:
    entries = load_rules(ROOT / "rules").catalogue("diagnostics").entries

    assert [code for code, entry in entries.items() if "cause" not in entry] == []
