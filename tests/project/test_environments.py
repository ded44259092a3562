"""The choice of the environment, its file, and the warnings of the loader."""

from __future__ import annotations

import pytest

from streamt_ol.ground.errors import Place
from streamt_ol.project.environments import read_variables
from streamt_ol.project.records import Environment

HEAD = "apiVersion: streamt.dev/v1alpha1\nproject: {name: p}\n"


def runtime(broker: str) -> str:
    return f'runtime: {{kafka: {{bootstrap_servers: "{broker}"}}}}\n'


def broker(loaded) -> str:
    return loaded.project.runtime["kafka"]["bootstrap_servers"]


TWO = {"environments/dev.yml": runtime("dev:1"), "environments/prod.yaml": runtime("prod:1")}


def test_without_an_environments_folder_the_environment_is_called_default(load):
    assert load().project.environment == Environment(
        "default",
        safety={
            "confirm_apply": False,
            "allow_destructive": False,
            "require_reviewed_plan": False,
            "require_remote_state": False,
        },
    )


@pytest.mark.parametrize(
    ("option", "variables", "chosen"),
    [
        ("dev", {}, "dev"),
        ("prod", {}, "prod"),
        (None, {"STREAMT_ENV": "dev"}, "dev"),
        ("", {"STREAMT_ENV": "dev"}, "dev"),
        ("prod", {"STREAMT_ENV": "dev"}, "prod"),
    ],
)
def test_the_option_wins_over_the_variable(load, option, variables, chosen):
    loaded = load(files=TWO, main=HEAD, environment=option, variables=variables)

    assert (loaded.project.environment.name, broker(loaded)) == (chosen, f"{chosen}:1")


def test_the_environment_may_be_chosen_in_the_dotenv_file(load):
    loaded = load(files={**TWO, ".env": "STREAMT_ENV=dev\n"}, main=HEAD)

    assert loaded.project.environment.name == "dev"


def test_yml_is_preferred_where_an_environment_has_both_endings(load):
    files = {"environments/e.yaml": runtime("yaml:1"), "environments/e.yml": runtime("yml:1")}

    assert broker(load(files=files, main=HEAD, environment="e")) == "yml:1"


@pytest.mark.parametrize(
    ("files", "option", "cause"),
    [
        ({}, "dev", "EnvironmentUnexpectedError"),
        ({"environments/readme.txt": ""}, "dev", "NoEnvironmentsError"),
        ({"environments/readme.txt": ""}, None, "NoEnvironmentsError"),
        ({"environments/only.yml": runtime("b:1")}, None, "EnvironmentNotChosenError"),
        (TWO, "", "EnvironmentNotChosenError"),
        (TWO, "a_b", "EnvironmentNameError"),
        (TWO, "-a", "EnvironmentNameError"),
        (TWO, "../dev", "EnvironmentNameError"),
        (TWO, "dev\n", "EnvironmentNameError"),
        (TWO, "staging", "EnvironmentNotFoundError"),
    ],
)
def test_a_choice_that_cannot_be_is_an_environment_error(failure, files, option, cause):
    error = failure(files=files, environment=option)

    assert (type(error).__name__, error.code, error.location) == (
        cause,
        "E503_ENVIRONMENT_ERROR",
        "environment",
    )


def test_an_environment_that_is_not_found_names_those_that_are(failure):
    files = {**TWO, "environments/not_a_name.yml": "", "environments/z.txt": ""}

    assert failure(files=files, environment="staging").suggestion == "existing environments: dev, prod"


def test_only_the_chosen_environment_must_resolve(load):
    files = {**TWO, "environments/other.yml": runtime("${UNSET}"), "environments/broken.yml": "[["}

    assert broker(load(files=files, main=HEAD, environment="dev")) == "dev:1"


def test_all_warnings_come_in_their_order(load):
    sql = {f"models/{name}.sql": "" for name in "gfedcba"}
    single = load(
        main="environments: {x: 1}\n" + runtime("b:1") + "project: {name: p}\n",
        files=sql,
        variables={"STREAMT_ENV": "x"},
    )
    multi = load(
        main="environments:\n" + runtime("${UNSET}") + "project: {name: p}\n", files=TWO, environment="dev"
    )

    assert [warning.as_dict() for warning in single.project.warnings] == [
        {"code": "W000_WARNING", "message": message}
        for message in (
            "STREAMT_ENV is ignored: the project has no environments folder",
            "stream_project.yml has no apiVersion: it is read as streamt.dev/v1alpha1",
            "`environments` in stream_project.yml is ignored: environments are files in environments/",
            "SQL files in models/ are not read: a.sql, b.sql, c.sql, d.sql, e.sql and 2 more",
        )
    ]
    assert [warning.message for warning in multi.project.warnings[:3]] == [
        "stream_project.yml has no apiVersion: it is read as streamt.dev/v1alpha1",
        "`runtime` in stream_project.yml is ignored: it comes from the file of the environment",
        "`environments` in stream_project.yml is ignored: environments are files in environments/",
    ]
    assert "environments" not in single.project.document
    assert "runtime" not in single.project.document


def test_the_runtime_of_the_main_file_is_not_checked_where_environments_exist(load):
    assert broker(load(files=TWO, main=HEAD + "runtime: [nonsense]\n", environment="dev")) == "dev:1"


def test_the_runtime_is_required_where_no_environments_exist(failure):
    error = failure(main=HEAD)

    assert (error.message, error.location) == ("the file lacks the key `runtime`", "/runtime")
    assert error.place == Place("stream_project.yml", 1, 1)


def test_an_environment_file_is_read_in_full(load):
    content = (
        "environment: {name: e, description: Live, protected: true}\n"
        "safety: {require_reviewed_plan: true}\n"
        "deployment_state: {backend: postgres, namespace: n, postgres: {dsn_env: DSN}}\n"
    )
    main = HEAD + "deployment_state: {backend: local}\n"
    project = load(files={"environments/e.yml": content + runtime("b:1")}, main=main, environment="e").project

    assert project.environment == Environment(
        "e",
        "Live",
        protected=True,
        safety={
            "confirm_apply": True,
            "allow_destructive": False,
            "require_reviewed_plan": True,
            "require_remote_state": False,
        },
    )
    assert project.document["deployment_state"]["backend"] == "postgres"
    assert project.origins.place("/deployment_state/namespace") == Place("environments/e.yml", 3, 50)
    assert project.origins.place("/runtime/kafka") == Place("environments/e.yml", 4, 18)
    assert project.origins.place("/project/name") == Place("stream_project.yml", 2, 17)


@pytest.mark.parametrize(
    ("content", "location"),
    [
        ("environment: {name: other}\n", "/environment/name"),
        ("environment: {protected: yes-please}\n", "/environment/protected"),
        ("environment: {protected: 1}\n", "/environment/protected"),
        ("environment: {nmae: e}\n", "/environment/nmae"),
        ("safety: {confirm_apply: 'true'}\n", "/safety/confirm_apply"),
        ("safety: {force: true}\n", "/safety/force"),
        ("deployment_state: {backend: s3, bucket: b}\n", "/deployment_state/backend"),
        ("project: {name: p}\n", "/project"),
    ],
)
def test_an_environment_file_is_strict_and_errors_point_into_it(failure, content, location):
    error = failure(files={"environments/e.yml": runtime("b:1") + content}, main=HEAD, environment="e")

    assert (error.code, error.location) == ("E501_PARSE_ERROR", location)
    assert (error.place.file, error.place.line) == ("environments/e.yml", 2)


@pytest.mark.parametrize(("content", "location"), [("", "/runtime"), ("runtime: {}", "/runtime/kafka")])
def test_an_environment_file_needs_a_runtime(failure, content, location):
    assert failure(files={"environments/e.yml": content}, main=HEAD, environment="e").location == location


def test_variables_are_there_before_the_project_can_be_read(folder):
    directory = folder(
        {
            "stream_project.yml": "[ broken",
            "environments/e.yml": "[ broken",
            ".env": "A=1\nB=1\nC=1\n",
            ".env.e": "B=2\nC=2\n",
            ".env.f": "A=9\n",
        }
    )
    variables = read_variables(directory, "e", {"C": "3", "D": "4"})

    assert dict(variables) == {"A": "1", "B": "2", "C": "3", "D": "4"}
    with pytest.raises(TypeError):
        variables["A"] = "changed"


def test_the_given_environment_is_not_changed(load):
    given = {"X": "1"}
    loaded = load(files={".env": "Y=hunter2\n"}, variables=given)

    assert given == {"X": "1"}
    assert dict(loaded.variables) == {"X": "1", "Y": "hunter2"}
    assert "hunter2" not in repr(loaded)
