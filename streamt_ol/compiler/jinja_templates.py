"""Renders templates with Jinja2 and turns every failure into one of `template_errors`.

Only `templates.py` uses this module, and only for what the fast path leaves over: importing Jinja2 takes
longer than compiling a small project without it.
"""

from __future__ import annotations

import re
import traceback
from typing import TYPE_CHECKING, Any, cast

from jinja2 import BaseLoader, Environment, Template, TemplateNotFound, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError, TemplateRuntimeError

from streamt_ol.compiler import template_work as limits
from streamt_ol.compiler.macro_files import read_macro, shown
from streamt_ol.compiler.rendered import Rendered, rendered
from streamt_ol.compiler.sandbox import Sandbox
from streamt_ol.compiler.template_errors import (
    SQL,
    ExpressionError,
    JinjaSyntaxError,
    MacroNotFoundError,
    TemplateError,
    TemplateLimitError,
    UndefinedVariableError,
    UnsafeTemplateError,
)
from streamt_ol.compiler.template_guard import Guard
from streamt_ol.ground.errors import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, MutableMapping
    from pathlib import Path
    from types import CodeType

# What an exception of Jinja2 or Python means; the first that fits is taken. Their own messages are not
# shown, as they may quote the template or a value.
_MEANINGS: tuple[tuple[type[Exception], type[TemplateError], str], ...] = (
    (SecurityError, UnsafeTemplateError, "an attribute or a method is used that templates are not offered"),
    (TemplateNotFound, MacroNotFoundError, "a template that the macro uses is not in the folder `macros/`"),
    (
        TemplateRuntimeError,
        ExpressionError,
        "a filter, a test, a block or an assignment is used in a wrong way",
    ),
    (RecursionError, TemplateLimitError, "the template is nested too deeply, or uses itself without end"),
    (SyntaxError, TemplateLimitError, "the template is nested too deeply"),
    (MemoryError, TemplateLimitError, "the template makes too large values"),
    (OverflowError, TemplateLimitError, "a number is too large"),
    (ZeroDivisionError, ExpressionError, "a number is divided by zero"),
    (TypeError, ExpressionError, "an operation or a call does not fit the kinds of its values"),
    (LookupError, ExpressionError, "an item does not exist"),
    (ValueError, ExpressionError, "an operation or a call does not fit its values"),
    (Exception, ExpressionError, "an expression cannot be computed"),
)


class JinjaTemplates(BaseLoader):
    """Compiles each text once and renders it in a sandbox that has forgotten the rendering before.

    A sandbox is large and refers to itself: one for each rendering would stay in memory as long as the
    collector of cyclic garbage is paused.

    All `TemplateError`s raised here have a place; that of a model's SQL is in the file `SQL`.
    """

    def __init__(self, macros_folder: Path | None) -> None:
        self._folder = macros_folder
        self._of_sql = Sandbox(loader=None)
        self._of_macros = Sandbox(loader=self)
        self._sql: dict[str, CodeType] = {}
        self._macros: dict[str, CodeType] = {}

    def render_sql(self, text: str) -> Rendered:
        """Render the SQL of a model."""
        sandbox = self._of_sql

        def code() -> CodeType:
            if text not in self._sql:
                self._sql[text] = _compile(sandbox, text, SQL)
            return self._sql[text]

        return self._render(sandbox, SQL, code, {})

    def render_macro(self, name: str, params: Mapping[str, str]) -> Rendered:
        """Render the macro `macros/NAME.sql.j2`."""
        sandbox = self._of_macros
        template = f"{name}.sql.j2"
        return self._render(sandbox, shown(template), lambda: self._macro(sandbox, template), params)

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 - Jinja2 calls it so
    ) -> Template:
        """Return a template that another one includes, imports or extends, never one that has run before.

        A template that ran keeps what it set; a new one makes its calls anew.
        """
        sandbox = cast("Sandbox", environment)
        sandbox.work.spend(limits.LOADING)
        try:
            code = self._macro(sandbox, str(name))
        except MacroNotFoundError:
            raise TemplateNotFound(None) from None
        return Template.from_code(sandbox, code, sandbox.make_globals(globals))

    def _macro(self, sandbox: Sandbox, name: str) -> CodeType:
        file = shown(name)
        if file not in self._macros:
            self._macros[file] = _compile(sandbox, read_macro(self._folder, name), file)
        return self._macros[file]

    def _render(
        self, sandbox: Sandbox, file: str, code: Callable[[], CodeType], params: Mapping[str, str]
    ) -> Rendered:
        sandbox.begin()
        try:
            template = Template.from_code(sandbox, code(), sandbox.make_globals(None))
            return rendered(_text(template, params), sandbox.calls)
        except Exception as error:  # noqa: BLE001 - an expression in a template can raise any exception
            failure = _meaning(error)
            failure.place = failure.place or self._innermost(error) or Place(file)
        raise failure

    def _innermost(self, error: Exception) -> Place | None:
        """Return the last place in a template that the error came through: Jinja2 edits tracebacks so."""
        steps = ((frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__))
        places = [Place(file, line) for file, line in steps if file == SQL or file in self._macros]
        return places[-1] if places else None


def _compile(sandbox: Sandbox, text: str, file: str) -> CodeType:
    try:
        tree = sandbox.parse(text, file, file)
        guard = Guard(file, filters=sandbox.filters, tests=sandbox.tests, includes=sandbox.loader is not None)
        guard.visit(tree)
        return sandbox.compile(tree, file, file)
    except TemplateSyntaxError as error:
        failure = JinjaSyntaxError(_syntax(error.message or ""), place=Place(file, error.lineno))
    raise failure


def _syntax(message: str) -> str:
    """Return what is wrong in words of our own: Jinja2 quotes characters and tokens of the template."""
    unknown = re.match(r"Encountered unknown tag '(\w+)'", message)
    if unknown:
        return f"there is no statement `{unknown[1]}`, or it cannot stand here"
    if re.match(r"unexpected end of template|Missing end of", message, re.IGNORECASE):
        return "the template ends before a block, an expression or a comment is closed"
    return "the template is not valid Jinja2"


def _text(template: Template, params: Mapping[str, str]) -> str:
    # Jinja2 says iterator; it is a generator, and an error thrown into it gets the line that wrote too much.
    parts = cast("Generator[str, None, None]", template.generate(params))
    written: list[str] = []
    size = 0
    for part in parts:
        size += len(part.encode("utf-8", "surrogatepass"))
        if size > limits.OUTPUT_BYTES:
            parts.throw(TemplateLimitError(f"the rendered text is larger than {limits.OUTPUT_BYTES} bytes"))
        written.append(part)
    return "".join(written)


def _meaning(error: Exception) -> TemplateError:
    if isinstance(error, TemplateError):
        return error
    if isinstance(error, UndefinedError):
        return UndefinedVariableError(error.message or "")  # worded by `sandbox.Missing`
    return next(cause(message) for kind, cause, message in _MEANINGS if isinstance(error, kind))
