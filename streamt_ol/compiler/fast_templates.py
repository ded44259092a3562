"""SQL whose only template parts are plain `{{ source("x") }}` and `{{ ref("x") }}`, rendered without Jinja2.

Rule D2 of the language: this path must equal the Jinja2 path, which a property test holds it to. Whatever
could differ is not plain: a name that is blank or has an escape, brace or quote, white-space control, a
text that comes near a bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from streamt_ol.compiler.rendered import Rendered, identifier, rendered
from streamt_ol.compiler.template_bounds import OUTPUT_BYTES, STEP, WORK

if TYPE_CHECKING:
    from streamt_ol.compiler.rendered import Kind

_CALL = re.compile(r"""\{\{\s*(source|ref)\s*\(\s*(["'])([^"'\\{}]*)\2\s*\)\s*\}\}""")
_QUOTES = 2
_STEP = 1 + _CALL.groups  # `split` gives the text before a call, then the groups of the call

# A tag that is no plain call. It is looked for with a NUL where each call stood, as a brace right before a
# call makes another tag of it (`{{{`); a NUL of the text itself at worst costs the fast path.
_OTHER_TAG = re.compile(r"\{[{%#\0]")


def render_fast(text: str) -> Rendered | None:
    """Return what Jinja2 would make of the text, or None where it has to be asked."""
    # Jinja2 reads every line end as `\n` and drops one at the end of the text.
    pieces = _CALL.split(text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n"))
    texts, kinds, names = pieces[::_STEP], pieces[1::_STEP], pieces[3::_STEP]
    if _OTHER_TAG.search("\0".join(texts)) or not all(map(str.strip, names)):
        return None
    parts = [*texts, *names]
    parts[::2], parts[1::2] = texts, map(identifier, names)
    written = "".join(parts)
    if _comes_near_a_bound(written, names):
        return None
    return rendered(written, zip(cast("list[Kind]", kinds), names, strict=True))


def _comes_near_a_bound(written: str, names: list[str]) -> bool:
    # In the sandbox a call is a step that reads its name and prints an identifier: twice that is left free.
    work = sum(STEP + 2 * len(name) + _QUOTES for name in names)
    return 2 * work > WORK or len(written.encode("utf-8", "surrogatepass")) > OUTPUT_BYTES
