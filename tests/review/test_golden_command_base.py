"""`streamt golden check` and `report` against a revision, in real repositories."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from golden_suite import Suite

BREAK = (
    "columns: [{name: ship, type: STRING}, {name: berth, type: INT}]",
    "columns: [{name: ship, type: STRING}]",
)
"""What makes a field of a dataset disappear."""


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = Suite(tmp_path_factory.mktemp("approved")).write()
    suite.approve()
    return suite.found().root


@pytest.fixture
def suite(approved: Path, tmp_path: Path) -> Suite:
    shutil.copytree(approved, tmp_path / "repository")
    return Suite(tmp_path / "repository")


def broken(suite: Suite) -> str:
    """Make and accept the breaking change, and return its id."""
    suite.edit(*BREAK)
    suite.approve()
    found = suite.call("check", "--format", "json").document["breaking"]
    assert [change["message"] for change in found] == ["field berth of dataset harbour.ships is gone"]
    return str(found[0]["change"])


def approval(change: str, case: str = "harbour/export", reason: str = "nobody reads it") -> str:
    return f'- change: "{change}"\n  case: {case}\n  reason: {reason}\n  by: Ada\n'


# breaking changes


def test_a_breaking_change_is_refused_although_its_output_was_accepted(suite: Suite) -> None:
    change = broken(suite)

    done = suite.call("check")

    assert done.exit_status == 1
    assert done.stderr == (
        f"ERROR: E173_GOLDEN_BREAKING at {change}: harbour/export: field berth of dataset harbour.ships is gone\n"
        "  if that is wanted, add to approvals.yml, with a reason:\n"
        f'  - change: "{change}"\n'
        "    case: harbour/export\n"
        "    reason:\n"
        "    by:\n"
    )
    assert re.fullmatch(
        r"2 runs: all as approved; since the point where HEAD left main \([0-9a-f]{12}\): "
        r"1 breaking change, 1 not approved\n",
        done.stdout,
    )


def test_a_breaking_change_is_found_before_its_output_is_accepted(suite: Suite) -> None:
    suite.edit(*BREAK)

    done = suite.call("check", "--format", "json")

    assert done.exit_status == 1
    assert len(done.document["differing"]) == len(done.document["breaking"]) == 1


def test_the_entry_that_the_check_prints_needs_a_name_and_a_reason(suite: Suite) -> None:
    broken(suite)
    printed = suite.call("check").stderr.splitlines()[2:]
    suite.approvals("".join(f"{line[2:]}\n" for line in printed))

    done = suite.call("check")

    assert done.exit_status == 2
    assert done.stderr.startswith("ERROR: E163_GOLDEN_APPROVALS at /0/by (")
    suite.edit("reason:\n  by:", "reason: nobody reads it\n  by: Ada", suite.golden / "approvals.yml")
    assert suite.call("check").exit_status == 0


@pytest.mark.parametrize("case", ["harbour", "harbour/export"])
def test_an_approved_breaking_change_passes(suite: Suite, case: str) -> None:
    suite.approvals(approval(broken(suite), case))

    done = suite.call("check")

    assert (done.exit_status, done.stderr) == (0, "")
    assert done.stdout.endswith("1 breaking change, 0 not approved\n")


@pytest.mark.parametrize("case", ["harbour/unknown-source", "ferry"])
def test_an_approval_of_another_run_approves_nothing_and_is_stale(suite: Suite, case: str) -> None:
    change = broken(suite)
    suite.approvals(approval(change, case))

    done = suite.call("check", "--format", "json")

    assert done.exit_status == 1
    assert done.document["stale_approvals"] == [{"change": change, "case": case}]


def test_a_stale_approval_is_reported_with_its_place_and_fails_nothing(suite: Suite) -> None:
    suite.approvals("# wanted\n" + approval("123456789abc"))

    done = suite.call("check")

    assert done.exit_status == 0
    assert done.stderr == (
        f"WARNING: W160_GOLDEN_APPROVAL_STALE ({suite.golden / 'approvals.yml'}:2:3): the approval of 123456789abc "
        "in harbour/export matches no breaking change\n"
        "  delete the entry\n"
    )


def test_an_approval_of_a_case_that_is_not_looked_at_is_not_called_stale(suite: Suite) -> None:
    suite.approvals(approval("123456789abc"))

    assert suite.call("check", "harbour/unknown-source").stderr == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {change: x, case: a/b, reason: y}\n", "lacks 'by'"),
        ("- {change: x, case: a/b, reason: ' ', by: Ada}\n", "does not satisfy pattern"),
        ("change: x\n", "does not satisfy type"),
        ("- {change: x, change: y}\n", "The key `change` is written twice"),
    ],
    ids=["name", "reason", "list", "duplicate"],
)
def test_approvals_that_cannot_be_read_are_no_verdict(suite: Suite, text: str, said: str) -> None:
    suite.approvals(text)

    done = suite.call("check")

    assert done.exit_status == 2
    assert done.stderr.startswith("ERROR: E163_GOLDEN_APPROVALS")
    assert said in done.stderr


def test_a_run_that_is_gone_breaks_and_can_be_approved(suite: Suite) -> None:
    suite.edit("name: export", "name: arrivals", suite.case / "case.yml")
    for path in suite.expected.glob("export.*"):
        path.rename(path.with_name(path.name.replace("export", "arrivals")))

    assert suite.call("check").stderr.startswith(
        "ERROR: E173_GOLDEN_BREAKING at run-removed: harbour/export: the run is gone, with its events\n"
    )
    suite.approvals(approval("run-removed"))
    assert suite.call("check").exit_status == 0


def test_a_change_that_breaks_nobody_needs_no_approval(suite: Suite) -> None:
    suite.edit("{name: berth, type: INT}", "{name: berth, type: INT}, {name: flag, type: STRING}")
    suite.approve()

    done = suite.call("check", "--format", "json")

    assert done.exit_status == 0
    assert done.document["breaking"] == []


# the revision


def test_without_an_option_the_base_is_where_the_branch_began_not_where_main_is_now(suite: Suite) -> None:
    begin = suite.git("rev-parse", "main")
    suite.git("switch", "--quiet", "main")
    suite.edit("shows: ships that arrive", "shows: arrivals", suite.case / "case.yml")
    suite.commit()
    suite.git("switch", "--quiet", "change")

    assert suite.call("check", "--format", "json").document["base"] == {
        "name": "the point where HEAD left main",
        "commit": begin,
    }


def test_the_base_can_be_any_revision(suite: Suite) -> None:
    broken(suite)
    suite.commit()

    assert suite.call("check", "--base", "HEAD").exit_status == 0
    assert suite.call("check", "--base", "HEAD~1").exit_status == 1


def test_an_empty_base_has_no_approved_output_so_nothing_breaks(suite: Suite) -> None:
    empty = suite.git(
        "commit-tree", "-m", "Nothing", suite.git("hash-object", "-t", "tree", "-w", "/dev/null")
    )

    done = suite.call("report", "--base", empty, "--format", "json")

    assert done.document["changed"] == []
    assert done.document["new"] == ["harbour/export", "harbour/unknown-source"]


def not_a_repository(suite: Suite) -> list[str]:
    shutil.rmtree(suite.root / ".git")
    return []


def no_main_branch(suite: Suite) -> list[str]:
    suite.git("branch", "--quiet", "--move", "main", "trunk")
    return []


def unknown_revision(_suite: Suite) -> list[str]:
    return ["--base", "release"]


def an_option_as_revision(_suite: Suite) -> list[str]:
    return ["--base=--all"]


def unrelated_histories(suite: Suite) -> list[str]:
    suite.git("switch", "--quiet", "--orphan", "other")
    suite.git("checkout", "--quiet", "main", "--", ".")
    suite.commit()
    return []


def missing_objects(suite: Suite) -> list[str]:
    blob = suite.git("rev-parse", "main:golden/harbour/expected/export.events.jsonl")
    (suite.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return []


def shallow_clone(suite: Suite) -> list[str]:
    suite.commit() if suite.git("status", "--porcelain") else suite.git(
        "commit", "--quiet", "--allow-empty", "-m", "More"
    )
    clone = suite.root.with_name("clone")
    suite.git("clone", "--quiet", "--depth", "1", "--branch", "change", suite.root.as_uri(), str(clone))
    shutil.rmtree(suite.root)
    clone.rename(suite.root)
    return ["--base", "HEAD~1"]


@pytest.mark.parametrize(
    "trouble",
    [
        not_a_repository,
        no_main_branch,
        unknown_revision,
        an_option_as_revision,
        unrelated_histories,
        missing_objects,
        shallow_clone,
    ],
    ids=lambda trouble: trouble.__name__.replace("_", "-"),
)
@pytest.mark.parametrize("command", ["check", "report"])
def test_a_comparison_that_cannot_be_made_never_reads_as_no_changes(
    suite: Suite, command: str, trouble: object
) -> None:
    options = trouble(suite)  # type: ignore[operator]

    done = suite.call(command, *options)

    assert done.exit_status == 2
    assert done.stdout == ""
    assert done.stderr.startswith("ERROR: E162_GOLDEN_BASE at base: ")


def test_without_git_there_is_no_verdict(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert suite.call("check").exit_status == 2
    assert suite.call("check").stderr.startswith("ERROR: E162_GOLDEN_BASE at base: git cannot be run")
    assert suite.check().exit_status == 0


def test_in_a_git_hook_the_repository_of_the_folder_is_asked(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")

    assert suite.call("report").exit_status == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The project is valid\n", "stdout is an export on one side only"),
        ('{"dataset":{}}\n', "cannot be compared (line 1)"),
        ('{"run":{}}\n', "cannot be compared (line 1)"),
    ],
    ids=["sentence", "incomplete", "run-event"],
)
def test_output_that_cannot_be_compared_by_meaning_is_no_verdict(suite: Suite, text: str, said: str) -> None:
    (suite.expected / "export.events.jsonl").write_text(text, "utf-8")

    done = suite.call("report")

    assert done.exit_status == 2
    assert done.stderr.startswith("ERROR: E165_GOLDEN_NOT_COMPARABLE at harbour/export: ")
    assert said in done.stderr


# the report


def test_a_report_without_changes_says_what_was_compared(suite: Suite) -> None:
    commit = suite.git("rev-parse", "main")

    assert suite.call("report").stdout == (
        "# Golden review\n"
        "\n"
        f"No output of 2 runs changed since the point where HEAD left main ({commit[:12]}).\n"
        "\n"
        "The rule tables are not in this repository: their rows were not compared.\n"
    )


def test_a_changed_row_stands_beside_the_changes_that_it_caused(suite: Suite) -> None:
    rules = suite.own_rules()
    suite.git("switch", "--quiet", "main")
    suite.commit("The rules")
    suite.git("switch", "--quiet", "--create", "rules")
    suite.edit("jobType: MODEL", "jobType: TABLE", rules / "facets.yml")
    suite.edit("about: [realized]", "about: [realized] # of what was realized", rules / "processes.yml")
    suite.call("run")

    done = suite.call("report", "--format", "json")

    assert [(row["table"], row["row"], row["operation"]) for row in done.document["rows"]] == [
        ("facets", "job-type-model", "changed")
    ]
    (changed,) = done.document["changed"]
    (change,) = changed["events"]["changes"]
    assert (changed["run"], changed["pending"]) == ("harbour/export", True)
    assert changed["rows"] == [{"table": "facets", "row": "job-type-model", "changes": [change["id"]]}]

    lines = suite.call("report").stdout.splitlines()
    assert "| `facets/job-type-model` | changed | `harbour/export` |" in lines
    assert "<details><summary><b>notable</b>: harbour (1 notable)</summary>" in lines
    row = lines.index(f"Row `facets/job-type-model` of `facets.yml` changed: `{change['id']}`")
    assert "-  body: {processingType: STREAMING, integration: STREAMT, jobType: MODEL}" in lines[row:]
    assert "+  body: {processingType: STREAMING, integration: STREAMT, jobType: TABLE}" in lines[row:]
    assert "## `harbour/export` (pending)" in lines[row:]


def test_a_row_that_comes_and_goes_is_shown_with_what_it_decided(suite: Suite) -> None:
    rules = suite.own_rules()
    suite.git("switch", "--quiet", "main")
    suite.commit("The rules")
    suite.git("switch", "--quiet", "--create", "rules")
    suite.edit("id: job-type-model", "id: job-type", rules / "facets.yml")
    suite.call("run")

    document = suite.call("report", "--format", "json").document

    assert [(row["row"], row["operation"], row["old"] is None) for row in document["rows"]] == [
        ("job-type", "added", True),
        ("job-type-model", "removed", False),
    ]
    assert [row["row"] for row in document["changed"][0]["rows"]] == ["job-type", "job-type-model"]
    assert document["changed"][0]["parts"] == ["trace.jsonl"]


def test_rule_tables_that_cannot_be_read_at_the_base_are_no_verdict(suite: Suite) -> None:
    rules = suite.own_rules()
    good = (rules / "facets.yml").read_text("utf-8")
    (rules / "facets.yml").write_text("table: [", "utf-8")
    base = suite.commit()
    (rules / "facets.yml").write_text(good, "utf-8")

    done = suite.call("report", "--base", base)

    assert done.exit_status == 2
    assert done.stderr.startswith(
        "ERROR: E162_GOLDEN_BASE at rules (facets.yml:1:9): the rule tables cannot be compared"
    )


def test_the_most_severe_case_stands_first_and_equal_runs_together(suite: Suite) -> None:
    shutil.copytree(suite.case, suite.golden / "anchor")
    (suite.golden / "anchor" / "case.yml").write_text(
        "shows: x\narguments: [docs, openlineage, --job-namespace, harbour]\n"
        "runs:\n  - {name: one, shows: x}\n  - {name: two, shows: x}\n",
        "utf-8",
    )
    shutil.rmtree(suite.golden / "anchor" / "expected")
    suite.approve()
    suite.git("switch", "--quiet", "main")
    suite.commit()
    suite.git("switch", "--quiet", "--create", "both")
    suite.edit(*BREAK)
    suite.edit(
        "name: ships\n",
        "name: ships\n    description: ships\n",
        suite.golden / "anchor/project/stream_project.yml",
    )
    suite.call("run")

    report = suite.call("report").stdout

    assert re.findall(r"^<details><summary>.*$|^## .*$|^The case.*$", report, re.MULTILINE) == [
        "<details><summary><b>breaking</b>: harbour (1 breaking)</summary>",
        "The case itself changed: `golden/harbour/project/stream_project.yml`",
        "## `harbour/export` (pending)",
        "<details><summary>trace.jsonl: 2 lines</summary>",
        "<details><summary><b>cosmetic</b>: anchor (1 cosmetic)</summary>",
        "The case itself changed: `golden/anchor/project/stream_project.yml`",
        "## `anchor/one`, `anchor/two` (pending)",
        "<details><summary>trace.jsonl: 4 lines</summary>",
    ]
    assert report.count("<details>") == report.count("</details>")


def test_what_nobody_approved_is_said_at_the_top_and_what_was_approved_with_its_reason(suite: Suite) -> None:
    change = broken(suite)

    lines = suite.call("report").stdout.splitlines()

    assert (
        lines[4] == "**Not approved.** These changes break readers; each needs an entry in `approvals.yml`:"
    )
    assert lines[6] == f"- `{change}` in `harbour/export`: `field berth of dataset harbour.ships is gone`"
    suite.approvals(approval(change, reason="nobody *reads* it"))
    assert f"`{change}` is approved by Ada: nobody \\*reads\\* it" in suite.call("report").stdout.splitlines()


def test_messages_are_compared_as_text_and_cannot_end_their_block(suite: Suite) -> None:
    suite.edit('source("boats")', 'source("```")', suite.case / "case.yml")
    suite.call("run")

    report = suite.call("report").stdout

    assert "<details><summary><b>other output</b>: harbour (as text)</summary>" in report
    assert "<details><summary>diagnostics.txt: 2 lines</summary>\n\n````diff\n-ERROR" in report


def test_new_runs_and_stale_approvals_are_named(suite: Suite) -> None:
    suite.edit("runs:\n", "runs:\n  - {name: again, shows: more}\n", suite.case / "case.yml")
    suite.approvals(approval("123456789abc"))

    report = suite.call("report").stdout

    assert "**New runs:** `harbour/again`\n" in report
    assert "**Stale approval:** `123456789abc` in `harbour/export` matches no breaking change.\n" in report
