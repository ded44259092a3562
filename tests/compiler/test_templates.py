"""What the SQL of a model renders to, which dependencies it has, and how it fails."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from streamt_ol.compiler.rendered import Call, identifier
from streamt_ol.compiler.template_errors import (
    DependencyCallError,
    ExpressionError,
    JinjaSyntaxError,
    TemplateError,
    UndefinedVariableError,
    UnknownHelperError,
    UnprintableValueError,
    UnsafeTemplateError,
)
from streamt_ol.compiler.templates import Templates


def render(text):
    return Templates(None).render_sql(text, location="/models/3/sql", model="orders")


def failure(text):
    with pytest.raises(TemplateError) as caught:
        render(text)
    return caught.value


def test_a_source_and_a_ref_become_their_names_and_are_the_dependencies():
    result = render('SELECT * FROM {{ source("raw") }} JOIN {{ ref("users") }} ON true\n')

    assert result.text == "SELECT * FROM raw JOIN users ON true"
    assert result.calls == (Call("source", "raw"), Call("ref", "users"))


def test_a_repeated_call_is_listed_once_where_it_was_first_made():
    result = render('{{ ref("b") }}{{ source("a") }}{{ ref("b") }}{{- ref("a") }}')

    assert result.text == "baba"
    assert result.calls == (Call("ref", "b"), Call("source", "a"), Call("ref", "a"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orders", "orders"),
        ("_Orders2", "_Orders2"),
        ("2orders", "`2orders`"),
        ("orders.v1", "`orders.v1`"),
        ("a b", "`a b`"),
        ("a`b``", "`a``b`````"),
        ("häuser", "`häuser`"),
        ("orders\n", "`orders\n`"),
    ],
)
def test_a_name_that_is_no_plain_identifier_is_quoted_with_backticks(name, text):
    assert identifier(name) == text
    assert render("{{ ref('" + name + "') }}").text == text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{% set r = ref %}{{ r("x") }}', ["x"]),
        ('{% for name in ["a", "b"] %}{{ ref(name) }} {% endfor %}', ["a", "b"]),
        ('{% if 1 > 2 %}{{ ref("x") }}{% else %}{{ ref("y") }}{% endif %}', ["y"]),
        ('{{ ref("x") if false }}', []),
        ('{{- ref("x") -}}', ["x"]),
        ('{{ "t_" ~ ref("x") }}', ["x"]),
        ('{{ ref("x") | upper }}', ["x"]),
        ('{% set _ = ref("x") %}', ["x"]),
        ('{% macro m(n) %}{{ ref(n) }}{% endmacro %}{{ m("x") }}', ["x"]),
        ("{% macro m(n) %}{{ ref(n) }}{% endmacro %}", []),
        ('{{ ["a", "b"] | map("upper") | map("lower") | join(ref("x")) }}', ["x"]),
        ('{{ ref(*["x"]) }}', ["x"]),
        ('{% call(n) ref("x") %}{% endcall %}', None),
        ('-- {{ ref("x") }}', ["x"]),
        ('/* {{ ref("x") }} */', ["x"]),
        ("SELECT '{{ ref(\"x\") }}'", ["x"]),
        ('{# {{ ref("x") }} #}', []),
        ('{% raw %}{{ ref("x") }}{% endraw %}', []),
    ],
)
def test_a_dependency_is_a_call_that_rendering_makes(text, names):
    if names is None:
        assert isinstance(failure(text), DependencyCallError)
    else:
        assert [call.name for call in render(text).calls] == names


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("SELECT 1\n\n", "SELECT 1\n"),
        ("{{ 1 }}\r\n2\r3\r\n", "1\n2\n3"),
        ("a\n{%- if true -%}\n b \n{%- endif %}", "ab"),
        (
            "{{ 1.5 }} {{ true }} {{ none }} {{ (1, 'a') }} {{ {'k': [2]} }}",
            "1.5 True None (1, 'a') {'k': [2]}",
        ),
        ("{% for i in range(3) %}{{ i }}{{ ', ' if not loop.last }}{% endfor %}", "0, 1, 2"),
        (
            "{% for i in [1, [2, [3]]] recursive %}{{ i if i is number else loop(i) }};{% endfor %}",
            "1;2;3;;;",
        ),
        ("{{ [3, 1, 2] | sort | join('-') }} {{ [1, 2] | sum }} {{ 2.345 | round(1) }}", "1-2-3 3 2.3"),
        ("{{ [{'n': 1}, {'n': 2}] | sum('n') }} {{ [{'n': 1}, {'n': 2}] | join('+', 'n') }}", "3 1+2"),
        (
            "{{ 'a-b' | replace('-', '_') }} {{ 'a-b'.replace('-', '+') }} {{ '/'.join(['a', 'b']) }}",
            "a_b a+b a/b",
        ),
        ("{{ '{:>4}|{k!r}'.format(7, k='x') }} {{ 'a\nb' | indent(2) }}", "   7|'x' a\n  b"),
        (
            "{{ 'abc'[1:] }} {{ 'b' in 'abc' }} {{ 2 ** 10 }} {{ 7 % 4 }} {{ [1] * 2 + [3] }}",
            "bc True 1024 3 [1, 1, 3]",
        ),
        (
            "{% set s = namespace(n=0) %}{% for i in [1, 2] %}{% set s.n = s.n + i %}{% endfor %}{{ s.n }}",
            "3",
        ),
        (
            "{% for g in [{'k': 1, 'v': 2}, {'k': 1, 'v': 3}] | groupby('k') %}"
            "{{ g.grouper }}{{ g.list | map(attribute='v') | list }}{% endfor %}",
            "1[2, 3]",
        ),
        (
            "{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %} {{ 'a,b'.split(',') }}",
            "a=1 ['a', 'b']",
        ),
        ("{{ [{'a': 1}, {'a': 2}] | selectattr('a', '==', 2) | list }}", "[{'a': 2}]"),
        ("{{ typo is defined }} {{ typo | default('x') }}", "False x"),
        ("{% autoescape false %}<{% endautoescape %}", None),
    ],
)
def test_everything_else_of_jinja2_renders_as_jinja2_does(text, rendered):
    if rendered is None:
        assert isinstance(failure(text), UnknownHelperError)
    else:
        assert render(text).text == rendered


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        '""',
        '" \\n"',
        "1",
        "none",
        '["x"]',
        '"x", "y"',
        'name="x"',
        '"x", strict=true',
        "ref",
        "range(3)",
        "*[]",
    ],
)
@pytest.mark.parametrize("function", ["source", "ref"])
def test_a_call_with_anything_but_one_name_is_refused(function, arguments):
    error = failure(f"SELECT *\nFROM {{{{ {function}({arguments}) }}}}")

    assert type(error) is DependencyCallError
    assert (
        error.message == f"model 'orders': `{function}` takes one name in quotes, not blank, and nothing else"
    )
    assert (error.code, error.location, error.line_within) == ("E112_TEMPLATE_ERROR", "/models/3/sql", 1)
    assert error.place is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('FROM {{ sourc("x") }}', "`sourc` is not defined"),
        ("{{ var_typo }}", "`var_typo` is not defined"),
        ("{{ a.b.c }}", "`a` is not defined"),
        ("{{ x|length }}", "`x` is not defined"),
        ("{{ ref(x) }}", "`x` is not defined"),
        ("{% if x %}{% endif %}", "`x` is not defined"),
        ("{% for a in x %}{% endfor %}", "`x` is not defined"),
        ('{{ "a" ~ x }}', "`x` is not defined"),
        ("{{ x == 1 }}", "`x` is not defined"),
        ("{{ now() }}", "`now` is not defined"),
        ("{{ lipsum() }}", "`lipsum` is not defined"),
    ],
)
def test_an_undefined_variable_is_named(text, message):
    error = failure(f"SELECT 1,\n\n{text}\n")

    assert type(error) is UndefinedVariableError
    assert error.message == f"model 'orders': {message}"
    assert (error.code, error.line_within) == ("E112_TEMPLATE_ERROR", 2)


@pytest.mark.parametrize("text", ['{{ {}["pa55word"] }}', "{{ {}.pa55word }}", '{{ "x"["pa55word"] }}'])
def test_an_undefined_key_is_refused_without_being_shown(text):
    error = failure(text)

    assert type(error) is UndefinedVariableError
    assert "pa55word" not in error.message


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a\n{% if x %}\nb\n", "the template ends before a block, an expression or a comment is closed", 1),
        ("a\n{{ 'pa55word", "the template is not valid Jinja2", 1),
        ("\n\n{{ pa55word ? }}", "the template is not valid Jinja2", 2),
        ("{{ ref('x') pa55word }}", "the template is not valid Jinja2", 0),
        ("{{ }}", "the template is not valid Jinja2", 0),
        ("{# pa55word", "the template ends before a block, an expression or a comment is closed", 0),
        ("{% raw %}pa55word", "the template ends before a block, an expression or a comment is closed", 0),
        ("{% do x %}", "there is no statement `do`, or it cannot stand here", 0),
        ("{% block a %}{% endblock %}\n{% block a %}{% endblock %}", "the template is not valid Jinja2", 1),
    ],
)
def test_a_syntax_error_has_its_line_and_quotes_nothing(text, message, line):
    error = failure(text)

    assert type(error) is JinjaSyntaxError
    assert error.code == "E105_JINJA_SYNTAX_ERROR"
    assert error.message == f"model 'orders': {message}"
    assert (error.location, error.line_within) == ("/models/3/sql", line)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ 1 | random }}", "there is no filter `random`"),
        ("{{ range(3)|shuffle }}", "there is no filter `shuffle`"),
        ("{{ {} | pprint }}", "there is no filter `pprint`"),
        ("{% if false %}{{ 1 | tojson }}{% endif %}", "there is no filter `tojson`"),
        ("{{ 1 is odder }}", "there is no test `odder`"),
        ('{{ ""|attr("format")("{0.__class__}") }}', "there is no filter `attr`"),
        ("{% filter center %}x{% endfilter %}", "there is no filter `center`"),
        ("{% autoescape true %}{% endautoescape %}", "there is no statement `autoescape`"),
    ],
)
def test_a_helper_that_is_not_offered_is_named(text, message):
    error = failure(f"\n{text}")

    assert type(error) is UnknownHelperError
    assert error.message == f"model 'orders': {message}"
    assert (error.code, error.line_within) == ("E112_TEMPLATE_ERROR", 1)


@pytest.mark.parametrize(
    "text",
    ['{% include "x" %}', '{% import "x" as x %}', '{% from "x" import y %}', '{% extends "x" %}'],
)
def test_the_sql_of_a_model_uses_no_other_template(text, tmp_path):
    (tmp_path / "x").write_text("1")
    with pytest.raises(UnknownHelperError) as caught:
        Templates(tmp_path).render_sql(text, location="/models/0/sql", model="m")

    assert (
        caught.value.message
        == "model 'm': the SQL of a model cannot include, import or extend another template"
    )
    assert caught.value.line_within == 0


@pytest.mark.parametrize(
    "text",
    [
        "{{ cycler.__init__.__globals__ }}",
        '{{ "".__class__ }}',
        '{{ ""["__class__"] }}',
        '{{ "{0.__class__}".format("") }}',
        '{{ "{a[b]}".format(a={}) }}',
        '{{ [""] | map(attribute="__class__") | join }}',
        "{{ ref.func }}",
        "{{ ref.keywords }}",
        "{{ dict.fromkeys }}",
        "{{ dict.mro() }}",
        "{{ [].append(1) }}",
        "{{ {}.update({}) }}",
        '{{ "a".center(9) }}',
        '{{ "a".encode() }}',
        '{{ "%s" % 1 }}',
        "{{ (1).to_bytes(9) }}",
        "{{ true.to_bytes(9) }}",
        "{% macro m() %}{% endmacro %}{{ m._func }}",
        "{% for i in [1] %}{{ loop._iterable }}{% endfor %}",
    ],
)
def test_the_sandbox_keeps_inner_things_in(text):
    error = failure(f"\n{text}")

    assert type(error) is UnsafeTemplateError
    assert (error.code, error.line_within) == ("E112_TEMPLATE_ERROR", 1)


@pytest.mark.parametrize(
    "value",
    [
        "ref",
        "source",
        "cycler",
        "cycler(1)",
        "range(3)",
        "dict",
        "namespace(a=ref)",
        '"x".upper',
        '"x".format',
        "[1, [ref]]",
        '{"k": ref}',
        "{ref: 1}",
        '["x"] | map("upper")',
        '{"a": 1}.keys()',
        "self",
        "joiner()",
    ],
)
@pytest.mark.parametrize(
    "form",
    ["{{ (%s) }}", '{{ "a" ~ (%s) }}', "{{ [%s] | join }}", "{{ (%s) | string }}", '{{ "{!r}".format(%s) }}'],
)
def test_a_value_whose_text_could_show_an_address_never_becomes_text(form, value):
    assert type(failure(form % value)) is UnprintableValueError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ 1 / 0 }}", "a number is divided by zero"),
        ("{{ 1[0:2] }}", "an operation or a call does not fit the kinds of its values"),
        ("{{ 'pa55word' + 1 }}", "an operation or a call does not fit the kinds of its values"),
        ("{{ 'pa55word'.index('x') }}", "an operation or a call does not fit its values"),
        ("{{ '{pa55word}'.format() }}", "an item does not exist"),
        (
            "{{ [['pa55word']] | sum(start=[]) }}",
            "an operation or a call does not fit the kinds of its values",
        ),
        ("{{ 'pa55word'() }}", "an operation or a call does not fit the kinds of its values"),
        (
            "{{ [1] | map('pa55word') | list }}",
            "a filter, a test, a block or an assignment is used in a wrong way",
        ),
    ],
)
def test_an_expression_that_fails_is_an_error_without_values(text, message):
    error = failure(f"\n\n{text}")

    assert type(error) is ExpressionError
    assert error.message == f"model 'orders': {message}"
    assert (error.code, error.line_within) == ("E112_TEMPLATE_ERROR", 2)


def test_nothing_of_the_template_is_chained_to_an_error():
    error = failure("{{ 'pa55word' + 1 }}")

    assert error.__cause__ is None
    assert error.__context__ is None


def test_the_result_does_not_depend_on_the_hash_seed():
    text = (
        "{{ ['b', 'a', 'c', 'a'] | unique | list }} {{ {'z': 1, 'a': 2} }} {{ {'z': 1, 'a': 2} | dictsort }}"
    )
    program = (
        "import sys; from streamt_ol.compiler.templates import Templates;"
        " print(Templates(None).render_sql(sys.argv[1], location='', model='m').text)"
    )

    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, text],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert outputs == {"['b', 'a', 'c'] {'z': 1, 'a': 2} [('a', 2), ('z', 1)]\n"}


def test_the_installed_jinja2_has_the_fixes_of_its_sandbox():
    assert tuple(int(part) for part in version("jinja2").split(".")[:3]) >= (3, 1, 6)
