"""What a transport is set up with: frozen values, and a type for secrets that does not print.

Paths, addresses and keys are left out of `repr`: none of them may reach a message, a log or a traceback.
Sources: section 6.3 of the runtime facts; "Runtime transport configuration" of the integration document.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, final

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN = "***"
"""What is shown of a secret."""


@final
class Secret:
    """A text that shows itself to nobody but who calls `reveal`.

    `repr`, `str` and every format give `***`. It has no length and no items, compares by identity, and
    refuses to be copied into a pickle.
    """

    __slots__ = ("_reveal",)

    def __init__(self, text: str) -> None:
        # In a closure, not in an attribute: tools that walk attributes find a function.
        self._reveal: Callable[[], str] = lambda: text

    def reveal(self) -> str:
        """Return the text."""
        return self._reveal()

    def __repr__(self) -> str:
        return SHOWN

    def __str__(self) -> str:
        return SHOWN

    def __format__(self, _spec: str) -> str:
        return SHOWN

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise TypeError("a secret is not pickled")


@dataclass(frozen=True, slots=True)
class FileSettings:
    """The File transport: append to one local file."""

    path: str = field(repr=False)
    """As it was written: relative to the working directory, or absolute."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """The HTTP transport: POST each event to one address."""

    url: str = field(repr=False)
    """The base address, as it was written."""
    endpoint: str = field(repr=False)
    """The path below it, relative."""
    timeout: float
    """Seconds of wall clock that one attempt may take."""
    retries: int
    """Attempts after the first one."""
    api_key: Secret | None = field(default=None, repr=False)
    ca_file: str | None = field(default=None, repr=False)
    """A PEM file with the certificate authorities to trust, instead of the public ones."""


Settings = FileSettings | HttpSettings
