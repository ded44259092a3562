"""Renders the SQL of models and macros (rules D1 and D2, section 4 of the language).

    templates = Templates(folder / "macros")
    templates.render_sql(model.sql, location="/models/3/sql", model="orders")

A dependency is a call of `source` or `ref` that rendering makes, whatever its white-space control, alias,
loop or branch. Calls in SQL comments and literals are made, those in Jinja2 comments and `raw` are not.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from streamt_ol.compiler.fast_templates import render_fast
from streamt_ol.compiler.rendered import Call, Rendered
from streamt_ol.compiler.template_errors import MacroParameterError, TemplateError, placed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamt_ol.compiler.jinja_templates import JinjaTemplates

__all__ = ["Call", "Rendered", "Templates"]

_GIVEN = ("source", "ref")


class Templates:
    """The templates of one compilation; each text is compiled once.

    `macros_folder` need not exist. `fast=False` renders everything with Jinja2: the result is the same.
    """

    def __init__(self, macros_folder: Path | None, *, fast: bool = True) -> None:
        self._folder = macros_folder
        self._fast = fast

    def render_sql(self, text: str, *, location: str, model: str) -> Rendered:
        """Render the SQL of a model, with `source` and `ref`.

        Raises `TemplateError` with the location and, where known, the line within the text.
        """
        fast = render_fast(text) if self._fast else None
        if fast is not None:
            return fast
        return _placed(lambda: self._jinja.render_sql(text), location, model)

    def render_macro(self, name: str, params: Mapping[str, str], *, location: str, model: str) -> Rendered:
        """Render `macros/NAME.sql.j2` with the parameters, `source` and `ref`; location is `/models/3/macro`.

        Raises `TemplateError` with the location and the place in the template that fails, which may be one
        that the macro uses; a parameter that hides `source` or `ref` has a location of its own.
        """
        for param in params:
            if param in _GIVEN:
                raise MacroParameterError(
                    f"model {model!r}: a parameter of a macro cannot be called `{param}`",
                    location=f"{location.rpartition('/')[0]}/params/{param}",
                    suggestion=f"rename it: every macro is given the function `{param}`",
                )
        return _placed(lambda: self._jinja.render_macro(name, params), location, model)

    @cached_property
    def _jinja(self) -> JinjaTemplates:
        from streamt_ol.compiler.jinja_templates import JinjaTemplates

        return JinjaTemplates(self._folder)


def _placed(render: Callable[[], Rendered], location: str, model: str) -> Rendered:
    try:
        return render()
    except TemplateError as error:
        failure = placed(error, location=location, model=model)
    raise failure  # outside the handler: what Python chains to an exception may show values
