"""References: every template rendered and every name looked up, so that one fault does not hide the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.compiler.errors import CompileError
from streamt_ol.compiler.names import Names, from_calls, from_list
from streamt_ol.compiler.template_errors import TemplateError
from streamt_ol.compiler.templates import Call, Templates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.ground.errors import StreamtError
    from streamt_ol.project.records import Model, Project


def reference_failures(project: Project, names: Names) -> Iterator[StreamtError]:
    """Yield every failure to render a model's SQL or to find what it reads, in the order of the models."""
    templates = Templates(project.directory / "macros")
    for position, model in enumerate(project.models):
        try:
            calls = _calls(model, position, templates)
        except TemplateError as error:  # noqa: PERF203 - one failure must not hide the next
            yield error
        else:
            yield from _unknown(calls, model, position, names)


def _calls(model: Model, position: int, templates: Templates) -> Sequence[Call] | None:
    """Return what the rendered SQL reads; None where there is no SQL."""
    at = f"/models/{position}"
    if model.macro is not None:
        rendered = templates.render_macro(model.macro, model.params, location=f"{at}/macro", model=model.name)
    elif model.sql is not None:
        rendered = templates.render_sql(model.sql, location=f"{at}/sql", model=model.name)
    else:
        return None
    return rendered.calls if rendered.text else None


def _unknown(
    calls: Sequence[Call] | None, model: Model, position: int, names: Names
) -> Iterator[StreamtError]:
    if calls is None:
        yield from _unknown_entries(model, position, names)
        return
    for call in calls:
        try:
            from_calls([call], model, position, names)
        except CompileError as error:  # noqa: PERF203 - the same
            yield error


def _unknown_entries(model: Model, position: int, names: Names) -> Iterator[StreamtError]:
    at = f"/models/{position}/from"
    for index, entry in enumerate(model.from_):
        try:
            from_list([entry], model, position, names)
        except CompileError as error:  # noqa: PERF203 - the same
            # looked up alone, every entry is the first
            error.location = f"{at}/{index}{(error.location or '').removeprefix(f'{at}/0')}"
            yield error
