"""Dotenv files: what python-dotenv reads, with the process environment on top."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from dotenv.main import DotEnv
from dotenv.parser import parse_stream
from hypothesis import assume, given
from hypothesis import strategies as st

from streamt_ol.ground.errors import Place
from streamt_ol.project.dotenv_files import LARGEST, read_dotenv
from streamt_ol.project.errors import FileUnreadableError


@pytest.fixture
def values(tmp_path: Path):
    """Read the content of a dotenv file."""

    def run(
        content: str | bytes, environment: dict[str, str] | None = None, earlier: dict[str, str] | None = None
    ):
        (tmp_path / ".env").write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_dotenv(tmp_path, ".env", earlier or {}, environment or {})

    return run


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("NS=https://x/#frag", {"NS": "https://x/#frag"}),
        ('NS="a # b"', {"NS": "a # b"}),
        ("NS=a #b", {"NS": "a"}),
        ("NS=#x", {"NS": "#x"}),
        ("KEY=pa$$word", {"KEY": "pa$$word"}),
        ("KEY='$HOME'", {"KEY": "$HOME"}),
        ("KEY=$HOME", {"KEY": "$HOME"}),
        ("KEY=${UNSET}", {"KEY": ""}),
        ("KEY=${UNSET:-d}", {"KEY": "d"}),
        ("KEY=${SET:-d}", {"KEY": "from process"}),
        ("A=1\nB=${A}2", {"A": "1", "B": "12"}),
        ("B=${A}\nA=1", {"A": "1", "B": ""}),
        ("A=1\nB=${A}\nA=2", {"A": "2", "B": "1"}),
        ("export A=1", {"A": "1"}),
        ("A=", {"A": ""}),
        ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("A = 1 ", {"A": "1"}),
        ("'A B'=1", {"A B": "1"}),
        ("A B=1\nC=2", {"C": "2"}),
        ("A=\"x\ny\"\nB='z'", {"A": "x\ny", "B": "z"}),
        ('A="unfinished\nB=2', {"B": "2"}),
        ("NAME\nA=1", {"A": "1"}),
        ("A=1\nA", {"A": "1"}),
        ("\ufeffA=1", {"A": "1"}),
        ("# only\n\n", {}),
        ("", {}),
    ],
)
def test_a_line_means_what_python_dotenv_reads(values, content, expected):
    assert values(content, {"SET": "from process"}) == expected


def test_a_dotenv_file_that_does_not_exist_is_empty(tmp_path):
    assert read_dotenv(tmp_path, ".env", {"A": "1"}, {}) == {"A": "1"}


def test_a_reference_looks_at_the_process_then_above_then_at_earlier_files(values):
    content = "P=file\nF=file\nA=${P}\nB=${F}\nC=${E}\n"
    read = values(content, {"P": "process"}, {"P": "early", "F": "early", "E": "early"})

    assert (read["A"], read["B"], read["C"]) == ("process", "file", "early")


def test_a_reference_to_an_empty_process_variable_is_empty(values):
    assert values("A=1\nB=${A}", {"A": ""})["B"] == ""


def test_the_process_environment_of_this_program_is_not_looked_at(values, monkeypatch):
    monkeypatch.setenv("STRAY", "x")

    assert values("A=${STRAY}") == {"A": ""}


def test_bytes_that_are_no_utf_8_are_refused_with_line_and_offset(values):
    with pytest.raises(FileUnreadableError, match="byte 6 ") as caught:
        values(b"A=1\nB=\xff\n")
    assert caught.value.location == "dotenv"
    assert caught.value.place == Place(".env", 2)


def test_a_file_larger_than_a_mebibyte_is_refused_unread(tmp_path):
    with (tmp_path / ".env").open("wb") as file:
        file.truncate(LARGEST + 1)

    with pytest.raises(FileUnreadableError, match="larger than 1048576 bytes"):
        read_dotenv(tmp_path, ".env", {}, {})


lines = st.lists(
    st.one_of(
        st.text(alphabet="AB=$#{}:-'\"\\ \t\r export", max_size=20),
        st.builds(
            "{}={}".format, st.sampled_from("ABC"), st.sampled_from(["${A}", "${B:-d}", "'x", '"y"', "z #c"])
        ),
    ),
    max_size=6,
)


@given(lines=lines, environment=st.dictionaries(st.sampled_from("AB"), st.sampled_from(["", "p"])))
def test_values_are_those_of_python_dotenv_without_override(lines, environment):
    content = "\n".join(lines)
    # a name without `=` unsets an earlier line there; here it is ignored
    assume(
        all(
            line.key is None or line.value is not None for line in parse_stream(StringIO(content, newline=""))
        )
    )
    with pytest.MonkeyPatch.context() as process:
        for name in "AB":
            process.delenv(name, raising=False)
        for name, value in environment.items():
            process.setenv(name, value)
        reference = DotEnv(None, StringIO(content, newline=""), override=False, verbose=False).dict()
    with TemporaryDirectory() as directory:
        (Path(directory) / ".env").write_text(content, newline="")
        read = read_dotenv(Path(directory), ".env", {}, environment)

    assert read == reference
