"""The operations on text whose result can be much larger than what they are given, bounded."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any

from jinja2.filters import do_indent

from streamt_ol.compiler import template_work as limits
from streamt_ol.compiler.template_errors import TemplateLimitError, UnsafeTemplateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamt_ol.compiler.template_work import Work


class BoundedText:
    """Filters of Jinja2 and methods of `str`, under their own names; the size of a result is counted first.

    Parameters have the names that templates may use for them.
    """

    def __init__(self, work: Work) -> None:
        self._work = work

    def join(self, value: Iterable[Any], d: Any = "") -> str:
        """Join the texts of plain values, with `d` between them."""
        between = self._work.text(d)
        texts = [self._work.text(item) for item in value]
        self._work.spend(limits.STEP + len(between) * len(texts))
        return between.join(texts)

    def replace(self, s: Any, old: Any, new: Any, count: int | None = None) -> str:
        """Replace `old` by `new`, everywhere or so many times."""
        text, before, after = self._work.text(s), self._work.text(old), self._work.text(new)
        self._work.spend(limits.STEP + text.count(before) * len(after))
        return text.replace(before, after, -1 if count is None else count)

    def indent(self, s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002
        """Indent the lines, the first and blank ones only if asked to."""
        text = self._work.text(s)
        margin = len(width) if isinstance(width, str) else width
        self._work.spend(limits.STEP + (len(text.splitlines()) + 1) * max(margin, 0))
        return do_indent(text, width, first, blank)

    def format(self, text: str, /, *args: Any, **kwargs: Any) -> str:
        """Fill in the fields of a text."""
        return _Formatter(self._work).vformat(text, args, kwargs)


class _Formatter(string.Formatter):
    """`str.format` of plain values by number or name, without access to their attributes or items."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if "." in field_name or "[" in field_name:
            raise UnsafeTemplateError("`.format()` takes no attributes or items in its fields")
        return super().get_field(field_name, args, kwargs)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        self._work.text(value)
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if re.search(rf"\d{{{limits.FORMAT_DIGITS + 1}}}", format_spec):
            raise TemplateLimitError(f"a number in a format has more than {limits.FORMAT_DIGITS} digits")
        text: str = super().format_field(value, format_spec)
        self._work.spend(limits.STEP + len(text))
        return text
