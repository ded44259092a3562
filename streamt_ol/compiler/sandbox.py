"""The Jinja2 environment of renderings: it has what templates are offered, and bounds their use of it."""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any, cast

from jinja2 import StrictUndefined, pass_context
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.filters import FILTERS, make_attrgetter
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.utils import missing

from streamt_ol.compiler import template_work as limits
from streamt_ol.compiler.bounded_text import BoundedText
from streamt_ol.compiler.rendered import identifier
from streamt_ol.compiler.template_errors import DependencyCallError, TemplateLimitError, UnsafeTemplateError
from streamt_ol.compiler.template_guard import LOOP_ITEMS, MEASURED
from streamt_ol.compiler.template_offer import COLLECTION_FILTERS, GLOBALS, METHODS, TEXT_FILTERS
from streamt_ol.compiler.template_work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jinja2 import BaseLoader

    from streamt_ol.compiler.rendered import Kind


class Missing(StrictUndefined):
    """An undefined value whose error names the variable, and never a key, which may be a value."""

    @property
    def _undefined_message(self) -> str:
        if self._undefined_obj is missing and self._undefined_name is not None:
            return f"`{self._undefined_name}` is not defined"
        return "a value that does not exist is used (an attribute, an item or an `else` that is not there)"


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment that collects the calls of `source` and `ref` of one rendering and counts its work.

    Between two renderings it `begin`s: templates cannot change anything else of it.
    """

    intercepted_binops = frozenset(SandboxedEnvironment.default_binop_table)

    def __init__(self, loader: BaseLoader | None) -> None:
        # Without the optimizer nothing is computed while a template is compiled, uncounted.
        super().__init__(undefined=Missing, autoescape=False, optimized=False, cache_size=0, loader=loader)
        self.work = Work()
        self.calls: list[tuple[Kind, str]] = []
        self.bounded = BoundedText(self.work)
        self._text_methods: Mapping[str, Callable[..., str]] = {
            "format": self.bounded.format,
            "join": lambda between, values: self.bounded.join(values, between),
            "replace": self.bounded.replace,
        }
        self.finalize = self._printed
        self.globals = {
            **{name: DEFAULT_NAMESPACE[name] for name in GLOBALS},
            "range": self._range,
            "source": partial(self._depend, "source"),
            "ref": partial(self._depend, "ref"),
        }
        self.tests = {name: self._measured(cast("Callable[..., Any]", test)) for name, test in TESTS.items()}
        self.filters = {
            **{name: self._measured(FILTERS[name]) for name in COLLECTION_FILTERS},
            **{name: partial(self._of_text, FILTERS[name]) for name in TEXT_FILTERS},
            "indent": self.bounded.indent,
            "join": self._join,
            "replace": self.bounded.replace,
            "round": self._round,
            "sum": self._sum,
            LOOP_ITEMS: self._loop_items,
            MEASURED: self._measured(_itself),
        }

    def begin(self) -> None:
        """Forget the calls and the work of the rendering before."""
        self.work.begin()
        self.calls = []

    # What Jinja2 asks its environment

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may use the attribute: for plain values only the known methods."""
        known = METHODS.get(type(obj))
        return super().is_safe_attribute(obj, attr, value) and (known is None or attr in known)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute; three methods of text are replaced by bounded ones."""
        method = self._bounded_method(obj, attribute)
        return super().getattr(obj, attribute) if method is None else method

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item, or an attribute as `getattr` does."""
        method = self._bounded_method(obj, argument)
        return super().getitem(obj, argument) if method is None else method

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call an object and count it; the items of a recursive loop are counted like those of the first."""
        self._count(*args, *kwargs.values())
        if isinstance(obj, LoopContext):
            args = tuple(self._loop_items(items) for items in args)
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute `left operator right` if its result is small enough."""
        self.work.spend(limits.STEP)
        for number in (left, right):
            if isinstance(number, int) and number.bit_length() > limits.INTEGER_BITS:
                raise TemplateLimitError("a number is too large to be computed with")
        if operator == "+" and isinstance(left, (str, list, tuple)) and isinstance(right, type(left)):
            self.work.spend(len(left) + len(right))
        elif operator == "*":
            for value, times in ((left, right), (right, left)):
                if isinstance(value, (str, list, tuple)) and isinstance(times, int):
                    self.work.spend(len(value) * max(times, 0))
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            if left.bit_length() * abs(right) > limits.INTEGER_BITS:
                raise TemplateLimitError("a power is too large")
        elif operator == "%" and isinstance(left, str):
            raise UnsafeTemplateError("`%` on text is not offered: join texts with `~` or use `.format()`")
        return super().call_binop(context, operator, left, right)

    def concat(self, parts: Iterable[str]) -> str:
        """Join what a macro, a block or a `set` block has written."""
        written = list(parts)
        self.work.spend(sum(map(len, written)))
        return "".join(written)

    # The functions, filters and methods that are not Jinja2's own

    @pass_context  # with a context, Jinja2 does not print constants while it compiles
    def _printed(self, _context: Context, value: Any) -> str:
        return self.work.text(value)

    def _depend(self, kind: Kind, /, *args: Any, **kwargs: Any) -> str:
        name = args[0] if len(args) == 1 and not kwargs else None
        if isinstance(name, Missing):
            return str(name)  # raises its own error
        if type(name) is not str or not name.strip():
            raise DependencyCallError(f"`{kind}` takes one name in quotes, not blank, and nothing else")
        self.calls.append((kind, name))
        return identifier(name)

    def _range(self, *args: int) -> range:
        items = range(*args)
        if len(items) > limits.RANGE_ITEMS:
            raise TemplateLimitError(f"a range has more than {limits.RANGE_ITEMS} items")
        return items

    def _count(self, *values: Any) -> None:
        self.work.spend(limits.STEP)
        for value in values:
            self.work.measure(value)

    def _measured(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)  # it also keeps Jinja2's mark of functions that take the context
        def measured(*args: Any, **kwargs: Any) -> Any:
            self._count(*args, *kwargs.values())
            return function(*args, **kwargs)

        return measured

    def _of_text(self, function: Callable[..., Any], value: Any, *args: Any) -> Any:
        self._count(*args)
        return function(self.work.text(value), *args)

    def _loop_items(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.work.spend(limits.STEP)
            yield item

    def _bounded_method(self, obj: Any, name: Any) -> Callable[..., Any] | None:
        if isinstance(obj, (str, list, tuple)) and isinstance(name, str):
            self.work.measure(obj)  # a method may read all of it
            if isinstance(obj, str) and name in self._text_methods:
                return partial(self._text_methods[name], obj)
        return None

    def _join(self, value: Iterable[Any], d: Any = "", attribute: str | int | None = None) -> str:
        return self.bounded.join(self._attributes(value, attribute), d)

    def _round(self, value: Any, precision: int = 0, method: str = "common") -> Any:
        if abs(precision) > limits.ROUND_DIGITS:
            raise TemplateLimitError(f"`round` takes at most {limits.ROUND_DIGITS} digits")
        return FILTERS["round"](value, precision, method)

    def _sum(self, iterable: Iterable[Any], attribute: str | int | None = None, start: float = 0) -> Any:
        self._count(iterable)
        # `0 +` lets only numbers pass: a sum of lists takes time that grows with the square.
        return sum(self._attributes(iterable, attribute), 0 + start)

    def _attributes(self, values: Iterable[Any], attribute: str | int | None) -> Iterable[Any]:
        return values if attribute is None else map(make_attrgetter(self, attribute), values)


def _itself(value: Any) -> Any:
    return value
