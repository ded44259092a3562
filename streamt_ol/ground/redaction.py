"""The second line of defence: what looks like a secret is struck out of every diagnostic.

The first line is that messages never contain values. The rules are those of section 7 of the project
language: postgres DSNs, credentials in URLs, bearer and basic tokens, and values after a key that names a
secret. They rather take too much than too little.
"""

from __future__ import annotations

import re

_MARK = "***"

_WORD = re.compile(r"\S+")

# Quoted, bracketed or bare; a quotation or a bracket that is not closed takes the rest of the text.
_PIECE = r"""
    "(?:[^"\\]|\\.)*"? | '(?:[^'\\]|\\.)*'?
    | \\+"[^"]*"? | \\+'[^']*'? | \\+ | [\[{][^\]}]*[\]}]? | [^\s"'\[{\\]+
"""

# Nothing follows the repeated pieces that could fail, and the suffix of a key is bounded: linear time.
_KEYED = rf"""
    (?P<key>
        \b (?:bearer|basic) (?=\s)
      | (?:pass(?:word|wd|phrase)|secret|token|(?:api|access|private)[ _-]?key|authorization|credential)
        [\w.-]{{0,64}} [\\"'\]]{{0,4}} \s* [:=]+ >?
    )
    (?P<gap>\s*)
    (?: {_PIECE} )+
    (?: (?: (?<=[:=]) | (?<=bearer) | (?<=basic) ) \s+ (?: {_PIECE} )+ )*  # `credentials: password: x`
"""
_FLAGS = re.IGNORECASE | re.VERBOSE | re.DOTALL


def redact(text: str) -> str:
    """Return the text with `***` in place of what looks like a secret.

    Takes time proportional to the length of the text, and changes nothing in its own result.
    """
    # `re` compiles the pattern for the first text and keeps it: most runs have nothing to say.
    return re.sub(_KEYED, rf"\g<key>\g<gap>{_MARK}", _WORD.sub(_without_credentials, text), flags=_FLAGS)


def _without_credentials(word: re.Match[str]) -> str:
    head, scheme_end, tail = word[0].partition("://")
    if scheme_end and re.search(r"postgres(ql)?(\+\w+)?$", head, re.IGNORECASE):
        return f"{head}://{_MARK}"
    # Up to the last `@`: a password that should have been percent-encoded may hold `@`, `/` or `#`.
    _, at, host = tail.rpartition("@")
    return f"{head}://{_MARK}@{host}" if at else word[0]
