"""A small golden folder in a repository of its own: one project, a run that exports and one that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from commands import Invoked, invoke
from golden_cases import ROOT

from streamt_ol.cli.face import Face
from streamt_ol.cli.golden import golden

PROJECT = """\
apiVersion: streamt.dev/v1alpha1
project: {name: harbour}
runtime:
  kafka: {bootstrap_servers: "quay.example:9092"}
sources:
  - name: ships
    topic: harbour.ships
    columns: [{name: ship, type: STRING}, {name: berth, type: INT}]
models:
  - name: arrivals
    materialized: topic
    sql: SELECT * FROM {{ source("ships") }}
    columns: [{name: ship, type: STRING}]
"""
CASE = """\
shows: ships that arrive
arguments: [docs, openlineage, --job-namespace, harbour]
runs:
  - name: export
    shows: two datasets and a job
  - name: unknown-source
    shows: a source that is not declared
    changes:
      - {file: stream_project.yml, replace: source("ships"), with: source("boats")}
    exit: 1
"""
IDENTITY = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]


class Suite:
    """The golden folder, and the commands about it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.golden = root / "golden"
        self.case = self.golden / "harbour"
        self.expected = self.case / "expected"
        self.project = self.case / "project" / "stream_project.yml"
        self.rules: Path | None = None

    def write(self) -> Suite:
        """Write the files, nothing approved yet."""
        self.project.parent.mkdir(parents=True)
        self.project.write_text(PROJECT, "utf-8")
        (self.case / "case.yml").write_text(CASE, "utf-8")
        return self

    def call(self, command: str, *arguments: str | Path, face: Face | None = None) -> Invoked:
        """Run a command of `streamt golden` on the folder."""
        chosen = face or Face(rules=self.rules)
        return invoke(golden, command, "--golden", self.golden, *arguments, face=chosen)

    def check(self, *arguments: str | Path) -> Invoked:
        """Check against what is approved alone."""
        return self.call("check", "--no-base", *arguments)

    def approve(self) -> None:
        """Accept whatever the program prints now."""
        assert self.call("run").exit_status == 0
        assert self.call("accept", self.golden).exit_status == 0

    def edit(self, old: str, new: str, path: Path | None = None) -> None:
        """Replace a text that stands once in a file, that of the project by default."""
        path = path or self.project
        text = path.read_text("utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), "utf-8")

    def approvals(self, text: str) -> None:
        """Write the approvals."""
        (self.golden / "approvals.yml").write_text(text, "utf-8")

    def own_rules(self) -> Path:
        """Use a copy of the rule tables that lies in the repository, and return it."""
        self.rules = self.root / "rules"
        shutil.copytree(ROOT / "rules", self.rules)
        return self.rules

    def files(self) -> dict[str, bytes]:
        """Return every file of the golden folder with its content."""
        found = sorted(path for path in self.golden.rglob("*") if path.is_file())
        return {path.relative_to(self.golden).as_posix(): path.read_bytes() for path in found}

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """Run git in the repository, and return what it prints."""
        done = subprocess.run(
            ["git", *IDENTITY, *arguments],
            cwd=cwd or self.root,
            env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, message: str = "A change") -> str:
        """Commit everything and return the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def found(self) -> Suite:
        """Make the folder a repository whose main branch has everything, and leave the branch for a new one."""
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("What is approved")
        self.git("switch", "--quiet", "--create", "change")
        return self
