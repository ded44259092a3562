"""JSON pointers (RFC 6901) as locations."""

from __future__ import annotations


def escape(token: str) -> str:
    """Return one reference token, escaped."""
    return token.replace("~", "~0").replace("/", "~1")


def pointer(*tokens: str | int) -> str:
    """Return the pointer made of the tokens: `pointer("models", 3, "sql")` is `/models/3/sql`."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def tokens(text: str) -> list[str]:
    """Return the unescaped tokens of a pointer; the empty pointer has none."""
    if not text:
        return []
    return [token.replace("~1", "/").replace("~0", "~") for token in text[1:].split("/")]
