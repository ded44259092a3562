"""SQL with nothing but plain calls is rendered without Jinja2, and comes out the same."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamt_ol.compiler.fast_templates import render_fast
from streamt_ol.compiler.rendered import Call, Rendered
from streamt_ol.compiler.template_bounds import OUTPUT_BYTES, STEP, WORK
from streamt_ol.compiler.template_errors import TemplateError
from streamt_ol.compiler.templates import Templates

FRAGMENTS = st.sampled_from(
    [
        *(
            '{{ source("x") }}',
            "{{ ref('y') }}",
            "{{ref('a-b')}}",
            '{{\n source (\r\n"x" )\r}}',
            '{{ ref("") }}',
        ),
        *("{{", "}}", "{%", "%}", "{#", "#}", "{", "}", "-", "+", "-}}", "{{-", "{{+", "%", "#"),
        *(
            "source",
            "ref",
            "(",
            ")",
            "\\",
            "`",
            '"',
            "'",
            '"x"',
            "'x'",
            '"',
            "x",
            "a b",
            ",",
            "|",
            "upper",
            "1",
        ),
        *(
            "\n",
            "\r",
            "\r\n",
            " ",
            "\t",
            "\x0b",
            "\x85",
            "\u2028",
            "\0",
            "\xa0",
            "é",
            "\U0001f600",
            "\ud83d",
            "\ude00",
        ),
        *("{{ source(", '("', '") }}', "{% raw %}", "{% endraw %}", "SELECT * FROM ", "-- ", "/* "),
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=12).map("".join)
NAMES = st.lists(FRAGMENTS, max_size=4).map("".join)


def outcome(text, *, fast):
    try:
        result = Templates(None, fast=fast).render_sql(text, location="/models/0/sql", model="m")
    except TemplateError as error:
        return type(error), error.diagnostic(), error.line_within
    return result.text, result.calls


@given(TEXTS)
@example('{{{ source("x") }}')
@example('{{ source("x") }}}')
@example('{{{{ source("x") }}}}')
@example('{\0{{ source("x") }}')
@example('{{ source("x") }}\r\n')
@example('{{ source("x") }}\n\r')
@example("{{ source(\"x') }}")
@example('{{ source("x\\"y") }}')
@example('\n{{ source("\x85") }}')
@example("{{ ref('a\r\nb') }}")
@example('{{ ref("a}}b") }}{{ ref("a{%b") }}')
@example('{{ source("x" "y") }}')
@example('{{ source("x")-}} \n a')
def test_the_fast_path_equals_jinja2(text):
    assert outcome(text, fast=True) == outcome(text, fast=False)


@given(TEXTS, st.sampled_from(["source", "ref"]), NAMES, st.sampled_from("\"'"), TEXTS)
def test_the_fast_path_equals_jinja2_around_a_call(before, function, name, quote, after):
    text = f"{before}{{{{ {function}({quote}{name}{quote}) }}}}{after}"

    assert outcome(text, fast=True) == outcome(text, fast=False)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("SELECT 1\n", Rendered("SELECT 1", ())),
        ("", Rendered("", ())),
        ('{{ source("x") }}', Rendered("x", (Call("source", "x"),))),
        ("{{ ref('a.b') }};\r\n\r\n", Rendered("`a.b`;\n", (Call("ref", "a.b"),))),
        ('}} {{ref( "a b" )}} {', Rendered("}} `a b` {", (Call("ref", "a b"),))),
    ],
)
def test_plain_sql_takes_the_fast_path(text, result):
    assert render_fast(text) == result


@pytest.mark.parametrize(
    "text",
    [
        "{{ x }}",
        '{{- ref("x") }}',
        '{{ ref(" ") }}',
        '{{ ref("a\\n") }}',
        '{{ ref("it\'s") }}',
        '{{{ ref("x") }}',
        '{# a #}{{ ref("x") }}',
        '{{ ref("x") }}{{',
        " " * (OUTPUT_BYTES + 1),
        "é" * (OUTPUT_BYTES // 2 + 1),
        '{{ ref("x") }}' * (WORK // (2 * (STEP + 2 + 2)) + 1),
    ],
)
def test_all_other_sql_is_left_to_jinja2(text):
    assert render_fast(text) is None


def test_large_plain_sql_takes_the_fast_path_and_comes_out_as_of_jinja2():
    text = '{{ ref("x") }}' * 3000 + "-- " + "é" * (2 * 1024 * 1024)

    assert render_fast(text) == Templates(None, fast=False).render_sql(text, location="", model="m")


def test_plain_sql_does_not_import_jinja2():
    program = (
        "import sys; from streamt_ol.compiler.templates import Templates; t = Templates(None);"
        " print(t.render_sql('{{ ref(\"x\") }}', location='', model='m').text, 'jinja2' in sys.modules);"
        " print(t.render_sql('{{ 1 }}', location='', model='m').text, 'jinja2' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )

    assert run.stdout == "x False\n1 True\n"
