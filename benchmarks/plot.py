"""The plot: seconds of exports and of their floors over the number of models, a panel for each kind of project."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.projects import COLUMNS
from benchmarks.results import EXPORT, FLOOR, PAUSED

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.results import Exported, Results

STYLES: dict[str, dict[str, Any]] = {
    FLOOR: {"color": "#b35900", "linestyle": "-", "marker": "s"},
    PAUSED: {"color": "#b35900", "linestyle": ":", "marker": "s", "markerfacecolor": "white"},
    EXPORT: {"color": "#00558c", "linestyle": "-", "marker": "o"},
}
LABELS = {
    EXPORT: "export; its ratio to the floor stands above",
    FLOOR: "floor: stock loader and writer",
    PAUSED: "floor with the collector paused",
}
ACROSS = 3


def draw(results: Results, file: Path) -> None:
    """Write the plot as SVG, the same bytes for the same results."""
    lines: dict[str, list[Exported]] = {}
    for one in results.exported:
        if one.design.columns == COLUMNS:
            lines.setdefault(replace(one.design, models=0).variation, []).append(one)
    down = -(-len(lines) // ACROSS)
    with mpl.rc_context({"svg.hashsalt": "streamt", "font.size": 9, "lines.markersize": 4}):
        figure = Figure(figsize=(9, 0.9 + 2.6 * down), layout="constrained")
        panels = figure.subplots(down, ACROSS, sharex=True, sharey=True, squeeze=False).flat
        for panel, (title, measured) in zip(panels, lines.items(), strict=False):
            _panel(panel, title, measured)
        for panel in list(panels)[len(lines) :]:
            panel.set_visible(False)
        figure.supxlabel("models")
        figure.supylabel("seconds")
        legend = [Line2D([], [], label=LABELS[name], **style) for name, style in STYLES.items()]
        figure.legend(handles=legend, loc="outside upper center", ncols=len(legend), frameon=False)
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})


def _panel(panel: Axes, title: str, measured: list[Exported]) -> None:
    models = [one.design.models for one in measured]
    for name, style in STYLES.items():
        if all(name in one.runs.costs for one in measured):
            seconds = [one.runs.seconds(name) for one in measured]
            panel.loglog(models, seconds, **style)
    for one in measured:
        panel.annotate(
            f"{one.runs.ratio(EXPORT, FLOOR):.2f}",
            (one.design.models, 0.92),
            xycoords=("data", "axes fraction"),
            ha="center",
            color=STYLES[EXPORT]["color"],
            bbox={"color": "white", "pad": 1},
        )
    panel.set_title(title, fontsize=9)
    panel.set_xticks(models, [f"{number:,}" for number in models])
    panel.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    panel.minorticks_off()
    panel.margins(x=0.12, y=0.15)
    panel.grid(visible=True, color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
