"""Generated projects: how many models, how they hang together, how wide they are, in how many files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Shape = Literal["chain", "fan-out", "fan-in", "layers"]
SHAPES: tuple[Shape, ...] = ("chain", "fan-out", "fan-in", "layers")
COLUMNS = 10
"""Of every model, unless a design says otherwise."""

LAYERS = 10
READS_PER_LAYER = 3
EVENT_TIME = "2026-01-02T03:04:05Z"
OPTIONS = ("--job-namespace", "jobs", "--event-time", EVENT_TIME)
"""How every project is exported."""

HEAD = """\
apiVersion: streamt.dev/v1alpha1
project: {name: generated, description: A generated project}
runtime:
  kafka: {bootstrap_servers: "broker.example:9092"}
  flink:
    default: main
    clusters:
      main: {sql_gateway_url: "http://flink.example:8083", rest_url: "http://flink.example:8081"}
sources:
  - name: raw
    topic: generated.raw
    columns: [{name: c0, type: STRING}]
"""
MACRO = """\
{% for upstream in upstreams.split() %}
SELECT c0, c1, c2
FROM {{ ref(upstream) }}
WHERE c0 IS NOT NULL
{% if not loop.last %}UNION ALL{% endif %}
{% endfor %}
"""


@dataclass(frozen=True, slots=True)
class Design:
    """What a generated project looks like. Every model gives a dataset and a job; one source is a dataset, too."""

    models: int
    shape: Shape = "layers"
    columns: int = COLUMNS
    files: Literal["one", "each"] = "one"
    """One file for all models, or one file for each model."""
    macros: bool = False
    """Whether every model but those that read the source has its SQL from a macro with parameters."""

    @property
    def variation(self) -> str:
        """What a table calls this design beside its number of models."""
        files = "one file" if self.files == "one" else "a file per model"
        wide = "" if self.columns == COLUMNS else f", {self.columns} columns"
        return f"{self.shape}, {files}{wide}{', macros' if self.macros else ''}"

    @property
    def events(self) -> int:
        """How many events its export has."""
        return 2 * self.models + 1

    def write(self, folder: Path) -> None:
        """Write the project into an empty folder, model by model: a large one never is in memory as a whole."""
        if self.macros:
            (folder / "macros").mkdir()
            (folder / "macros" / "pass_on.sql.j2").write_text(MACRO, "utf-8")
        with (folder / "stream_project.yml").open("w", encoding="utf-8") as main:
            main.write(HEAD)
            if self.files == "one":
                main.write("models:\n")
                main.writelines(self._model(number) for number in range(self.models))
        if self.files == "each":
            (folder / "models").mkdir()
            for number in range(self.models):
                file = folder / "models" / f"model_{number:05}.yml"
                file.write_text(f"models:\n{self._model(number)}", "utf-8")

    def reads(self, number: int) -> Iterable[int]:
        """Return the models that a model reads; one that reads none reads the source."""
        if self.shape == "chain":
            return range(max(number - 1, 0), number)
        if self.shape == "fan-out":
            return range(min(number, 1))
        if self.shape == "fan-in":
            return range(number if number == self.models - 1 else 0)
        width = max(self.models // LAYERS, 1)
        layer, place = divmod(number, width)
        first = (layer - 1) * width
        steps = range(min(READS_PER_LAYER, width) if layer else 0)
        return [first + (place + step) % width for step in steps]

    def _model(self, number: int) -> str:
        columns = "".join(
            f"        - name: c{column}\n          type: STRING\n          description: Column {column}\n"
            for column in range(self.columns)
        )
        return (
            f"  - name: model_{number}\n    description: Model number {number} of a generated project\n"
            f"    owner: team-{number % 7}\n    materialized: {'flink' if number % 2 else 'topic'}\n"
            f"{self._query([f'model_{read}' for read in self.reads(number)])}"
            f"    topic:\n      name: generated.{number}.v1\n      partitions: 6\n"
            f"    contract:\n      columns:\n{columns}"
        )

    def _query(self, upstreams: list[str]) -> str:
        if self.macros and upstreams:
            return f"    macro: pass_on\n    params: {{upstreams: {' '.join(upstreams)}}}\n"
        calls = [f'ref("{upstream}")' for upstream in upstreams] or ['source("raw")']
        parts = "\n      UNION ALL\n".join(
            f"      SELECT c0, c1, c2\n      FROM {{{{ {call} }}}}\n      WHERE c0 IS NOT NULL"
            for call in calls
        )
        return f"    sql: |\n{parts}\n"
