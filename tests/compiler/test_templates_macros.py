"""Macros: real Jinja2 with parameters, from the folder `macros/` and nowhere else."""

import os

import pytest

from streamt_ol.compiler.rendered import Call
from streamt_ol.compiler.template_errors import (
    JinjaSyntaxError,
    MacroFileError,
    MacroNotFoundError,
    MacroParameterError,
    TemplateError,
    TemplateLimitError,
    UndefinedVariableError,
)
from streamt_ol.compiler.templates import Templates
from streamt_ol.ground.errors import Place


@pytest.fixture
def folder(tmp_path):
    macros = tmp_path / "macros"
    macros.mkdir()
    return macros


@pytest.fixture
def write(folder):
    def write(name, text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def render(folder):
    templates = Templates(folder)
    return lambda name, **params: templates.render_macro(name, params, location="/models/2/macro", model="m")


@pytest.fixture
def failure(render):
    def failure(name, **params):
        with pytest.raises(TemplateError) as caught:
            render(name, **params)
        return caught.value

    return failure


def test_a_macro_is_rendered_with_its_parameters_and_its_calls_are_the_dependencies(write, render):
    write("dedup.sql.j2", "SELECT {{ key }} FROM {{ source(table) }}\nJOIN {{ ref('users') }}\n")

    result = render("dedup", key="id", table="raw.orders")

    assert result.text == "SELECT id FROM `raw.orders`\nJOIN users"
    assert result.calls == (Call("source", "raw.orders"), Call("ref", "users"))


@pytest.mark.parametrize(
    "name", ["a/b", "{bad}", "a b", "{{x}}", "%s", "käse", "'", "a\nb", "a\\b", ".hidden"]
)
def test_a_macro_can_have_any_name_and_lie_in_a_sub_folder(name, write, render, failure):
    write(f"{name}.sql.j2", "{{ p }}\n{{ q }}")

    assert render(name, p="1", q="2").text == "1\n2"
    assert failure(name, p="1").place == Place(f"macros/{name}.sql.j2", 2)


def test_calls_in_included_imported_and_extended_templates_are_dependencies(write, render):
    write("inc", "{{ p }}:{{ source('included') }}{% import 'lib' as lib %}{{ lib.t('nested') }}")
    write(
        "lib", "{% from 'deep' import u %}{% macro t(n) %}{{ u(n) }}{% endmacro %}{% set _ = ref('once') %}"
    )
    write("deep", "{% macro u(n) %}{{ ref(n) }}{% endmacro %}")
    write("base", "{% block b %}{{ ref('base') }}{% endblock %}")
    write("m.sql.j2", "{% extends 'base' %}{% block b %}{{ super() }} {% include 'inc' %}{% endblock %}")

    for _ in range(2):
        result = render("m", p="P")

        assert result.text == "base P:included" + "nested"
        assert [call.name for call in result.calls] == ["base", "included", "once", "nested"]


def test_what_one_model_renders_is_not_seen_by_the_next(write, folder):
    write("lib", "{% set t = ref('x') %}")
    write("m.sql.j2", "{% import 'lib' as lib %}{{ lib.t }}")
    templates = Templates(folder)

    results = [templates.render_macro("m", {}, location="", model=name) for name in ("a", "b")]

    assert [result.calls for result in results] == [(Call("ref", "x"),)] * 2


def test_a_macro_is_read_once(write, render):
    path = write("m.sql.j2", "old")
    assert render("m").text == "old"

    path.write_text("new")

    assert render("m").text == "old"


@pytest.mark.parametrize(("text", "rendered"), [("", ""), ("\n", ""), (" \n\n", " \n"), ("\ufeffa\r\n", "a")])
def test_a_macro_may_render_to_nothing_or_blanks(text, rendered, write, render):
    write("m.sql.j2", text)

    assert render("m").text == rendered


@pytest.mark.parametrize("param", ["source", "ref"])
def test_a_parameter_cannot_hide_a_function(param, write, failure):
    write("m.sql.j2", "")
    error = failure("m", **{"a": "", param: "pa55word"})

    assert type(error) is MacroParameterError
    assert error.message == f"model 'm': a parameter of a macro cannot be called `{param}`"
    assert (error.code, error.location) == ("E112_TEMPLATE_ERROR", f"/models/2/params/{param}")


def test_a_missing_macro_is_named_by_its_file(failure):
    error = failure("absent")

    assert type(error) is MacroNotFoundError
    assert error.message == "model 'm': the macro does not exist"
    assert (error.code, error.location) == ("E113_MACRO_NOT_FOUND", "/models/2/macro")
    assert error.place == Place("macros/absent.sql.j2")


@pytest.mark.parametrize("folder_name", [None, "absent", "file"])
def test_without_a_folder_there_are_no_macros(folder_name, tmp_path):
    (tmp_path / "file").write_text("")
    templates = Templates(folder_name and tmp_path / folder_name)

    with pytest.raises(MacroNotFoundError):
        templates.render_macro("m", {}, location="/models/2/macro", model="m")


@pytest.mark.parametrize(
    "name", ["../out", "a/../m", "./m", "/m", "a//m", "", "..", "m\0", "\ud800", "m" * 999]
)
def test_a_name_that_is_no_path_below_the_folder_is_a_missing_macro(name, write, tmp_path, failure):
    write("m.sql.j2", "")
    write("a/m.sql.j2", "")
    (tmp_path / "out.sql.j2").write_text("")

    assert failure(name).code in {"E113_MACRO_NOT_FOUND", "E112_TEMPLATE_ERROR"}
    if len(name) < 999:
        assert type(failure(name)) is MacroNotFoundError


def test_a_link_works_inside_the_folder_and_not_out_of_it(write, tmp_path, folder, render, failure):
    (tmp_path / "secret").write_text("pa55word")
    write("real", "real")
    (folder / "in.sql.j2").symlink_to(folder / "real")
    (folder / "out.sql.j2").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    (folder / "circle.sql.j2").symlink_to(folder / "circle.sql.j2")
    write("uses.sql.j2", "\n{% include 'up/secret' %}")

    assert render("in").text == "real"
    assert type(failure("out")) is type(failure("uses")) is type(failure("circle")) is MacroFileError
    assert failure("out").message == (
        "model 'm': the macro cannot be read: it is a link that leads out of the folder `macros/`"
    )
    assert failure("uses").place == Place("macros/up/secret")


def test_the_folder_itself_may_be_a_link(write, folder, tmp_path):
    write("m.sql.j2", "x")
    (tmp_path / "link").symlink_to(folder)

    assert Templates(tmp_path / "link").render_macro("m", {}, location="", model="m").text == "x"


def test_a_pipe_or_a_folder_is_refused_and_does_not_hang(folder, failure):
    os.mkfifo(folder / "pipe.sql.j2")
    (folder / "dir.sql.j2").mkdir()

    assert failure("pipe").message == "model 'm': the macro cannot be read: it is not a regular file"
    assert failure("dir").message == "model 'm': the macro cannot be read: Is a directory"
    assert failure("dir").place == Place("macros/dir.sql.j2")


def test_a_macro_that_is_not_utf_8_is_refused_with_the_offset(write, failure):
    write("m.sql.j2", b"SELECT '\xe9'")
    error = failure("m")

    assert type(error) is MacroFileError
    assert error.message == "model 'm': the macro cannot be read: it is not UTF-8 (the byte at offset 8)"
    assert (error.code, error.place) == ("E112_TEMPLATE_ERROR", Place("macros/m.sql.j2"))


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("a\n{{ nope }}", UndefinedVariableError, 2),
        ("a\n\n{{ 'pa55word' ? }}", JinjaSyntaxError, 3),
        ("{% include 'absent' %}", MacroNotFoundError, 1),
        ("\n{% include ['absent', 'gone'] %}", MacroNotFoundError, 2),
        ("\n{% include p %}", MacroNotFoundError, 2),
        ("\n{% include '../m.sql.j2' %}", MacroNotFoundError, 2),
        ("\n{% include nope %}", UndefinedVariableError, 2),
        ("\n{% include 'm.sql.j2' %}", TemplateLimitError, 2),
        ("{% extends 'm.sql.j2' %}", TemplateLimitError, 1),
        ("\n{% import 'm.sql.j2' as m %}", TemplateLimitError, 2),
        ("{% include ['absent', 'inc'] %}", UndefinedVariableError, None),
        ("{% import 'lib' as lib %}\n\n{{ lib.t() }}", UndefinedVariableError, None),
    ],
)
def test_an_error_has_the_place_where_a_template_fails(text, kind, line, write, failure):
    write("m.sql.j2", text)
    write("inc", "\n\n{{ nope }}")
    write("lib", "{% macro t() %}\n\n{{ nope }}{% endmacro %}")
    error = failure("m", p="pa55word")

    assert type(error) is kind
    assert error.location == "/models/2/macro"
    assert "pa55word" not in error.message
    inner = Place("macros/inc" if "inc'" in text else "macros/lib", 3)
    assert error.place == (inner if line is None else Place("macros/m.sql.j2", line))
    assert error.line_within is None


def test_a_syntax_error_in_an_included_template_is_placed_there(write, failure):
    write("m.sql.j2", "\n\n{% include 'inc' %}")
    write("inc", "\n{% if %}")
    error = failure("m")

    assert type(error) is JinjaSyntaxError
    assert error.place == Place("macros/inc", 2)


def test_a_missing_template_may_be_ignored_only_where_the_macro_says_so(write, render):
    write("m.sql.j2", "a{% include 'absent' ignore missing %}b")

    assert render("m").text == "ab"


def test_templates_that_include_each_other_twice_on_every_level_are_stopped(write, failure):
    for level in range(40):
        write(f"t{level}", f"{{% include 't{level + 1}' %}}" * 2)
    write("t40", "")
    write("m.sql.j2", "{% include 't0' %}")

    assert type(failure("m")) is TemplateLimitError
