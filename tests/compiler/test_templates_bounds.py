"""No template takes the program's memory or time: what is too much is an error, the same one everywhere."""

import pytest

from streamt_ol.compiler import template_work
from streamt_ol.compiler.template_errors import TemplateLimitError, UndefinedVariableError
from streamt_ol.compiler.templates import Templates

DOUBLING = "{%% set ns = namespace(v=%s) %%}{%% for i in range(90) %%}%s{%% endfor %%}"


def render(text):
    return Templates(None).render_sql(text, location="/models/3/sql", model="orders")


def failure(text):
    with pytest.raises(TemplateLimitError) as caught:
        render(text)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        '{{ "x" * 10**9 }}',
        '{{ 10**9 * "x" }}',
        "{{ [0] * 10**9 }}",
        "{{ 10 ** (10 ** 10) }}",
        "{{ 2 ** -(10 ** 10) }}",
        "{{ " + "*".join(["2 ** 1000"] * 3) + " }}",
        "{{ 0x" + "f" * 300 + " // 3 }}",
        '{{ "{:>1000000000}".format("a") }}',
        '{{ "{:{w}}".format("a", w=10**9) }}',
        '{{ "%s".replace("", "x" * 9999) | replace("", "x" * 99999) }}' % ("a" * 999),
        '{{ ("a" * 9999).replace("a", "b" * 9999) }}',
        '{{ ("b" * 99999).join("a" * 9999) }}',
        '{{ "a" | indent(10 ** 9) }}',
        '{{ ("a\\n" * 9999) | indent("b" * 9999) }}',
        "{{ 1.5 | round(10 ** 9, 'floor') }}",
        "{{ range(100001) }}",
        "{{ range(10 ** 30) }}",
        DOUBLING % ('"x"', "{% set ns.v = ns.v ~ ns.v %}"),
        DOUBLING % ('"x"', "{% set ns.v = ns.v + ns.v %}"),
        DOUBLING % ('"x"', "{% set ns.v %}{{ ns.v }}{{ ns.v }}{% endset %}"),
        DOUBLING % ('"x"', '{% set ns.v = "{0}{0}".format(ns.v) %}'),
        DOUBLING % ("[1]", "{% set ns.v = ns.v + ns.v %}"),
        DOUBLING % ("[1]", "{% set ns.v = [ns.v, ns.v] %}"),
        DOUBLING % ("(1,)", "{% set ns.v = (ns.v, ns.v) %}"),
        DOUBLING % ("{}", "{% set ns.v = {1: ns.v, 2: ns.v} %}"),
        DOUBLING % ("{}", "{% set ns.v = dict(a=ns.v, b=ns.v) %}"),
    ],
)
def test_a_value_that_would_grow_too_large_is_not_made(text):
    error = failure(f"\n{text}")

    assert (error.code, error.location) == ("E112_TEMPLATE_ERROR", "/models/3/sql")
    assert error.line_within == 1


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        '{% for a in "x" * 999999 %}{% endfor %}',
        "{% for a in [range(99999)] * 99 recursive %}{{ loop(a) if a is iterable }}{% endfor %}",
        "{% for a in ['x' * 600000] recursive %}{{ '' if loop.depth0 else loop(a) }}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
        '{% set t = "x" * 999999 %}{% for a in range(999) %}{% if "y" in t %}{% endif %}{% endfor %}',
        '{% set t = "x" * 999999 %}{% for a in range(999) %}{% if t < "y" %}{% endif %}{% endfor %}',
        '{% set t = "x" * 999999 %}{% for a in range(999) %}{% set u = t[1:] %}{% endfor %}',
        '{% set t = "x" * 999999 %}{% for a in range(999) %}{% set u = t.split("x") %}{% endfor %}',
        '{% set t = "x" * 999999 %}{% for a in range(999) %}{% set u = t | upper %}{% endfor %}',
        '{% set t = "x" * 999999 %}{% for a in range(999) %}{% set u = t is in [t] %}{% endfor %}',
    ],
)
def test_a_template_that_would_run_too_long_is_stopped(text):
    error = failure(text)

    assert error.message == "model 'orders': the template loops too often or makes too large values"
    assert error.line_within == 0


def test_the_output_ends_at_its_limit(monkeypatch):
    monkeypatch.setattr(template_work, "OUTPUT_BYTES", 20)
    text = "{%% for i in range(%d) %%}\né{{ i }}\n{%% endfor %%}"

    assert len(render(text % 4).text.encode()) == 20
    error = failure(text % 5)

    assert error.message == "model 'orders': the rendered text is larger than 20 bytes"
    assert error.line_within is not None


def test_the_limit_of_the_output_is_ten_mebibytes():
    text = "{%% for i in range(%d) %%}" + "x" * 1024 + "{%% endfor %%}"

    assert len(render(text % 10240).text) == 10485760
    assert failure(text % 10241).message == "model 'orders': the rendered text is larger than 10485760 bytes"


@pytest.mark.parametrize(
    "text",
    [
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "[" * 150 + "]" * 150 + " }}",
        "{{ 1" + "+1" * 5000 + " }}",
        "{{ " + "not " * 5000 + "1 }}",
        "{% if 1 %}" * 5000 + "{% endif %}" * 5000,
        "{% if 1 %}" * 150 + "{% endif %}" * 150,
        "{% for a in [1] %}" * 25 + "{% endfor %}" * 25,
    ],
)
def test_a_template_that_is_nested_too_deeply_is_refused(text):
    error = failure(text)

    assert error.message.startswith("model 'orders': the template is nested too deeply")


def test_work_is_counted_for_each_rendering_anew():
    templates = Templates(None)
    text = '{{ ("x" * 10000000) | length }}'

    assert [templates.render_sql(text, location="", model="m").text for _ in range(3)] == ["10000000"] * 3


def test_a_rendering_makes_its_own_calls_also_after_one_that_failed() -> None:
    templates = Templates(None)
    failing = '{% if 1 %}{{ ref("a") }}{{ nothing }}{% endif %}'
    with pytest.raises(UndefinedVariableError):
        templates.render_sql(failing, location="/models/3/sql", model="orders")

    rendered = templates.render_sql(
        '{% if 1 %}{{ ref("b") }}{% endif %}', location="/models/4/sql", model="b2"
    )

    assert [(call.kind, call.name) for call in rendered.calls] == [("ref", "b")]
