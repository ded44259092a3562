"""Places of values and keys, found by reading the file again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.ground import yaml_marks
from streamt_ol.ground.errors import Place

FILE = """\
defaults: &base
  topic: {partitions: 1}
  owner: &who team-a
models:
  - name: m0
    <<: *base
    sql: |

      SELECT 1
      FROM x
    note: >
      folded
    empty:
    quoted: 'it is'
    tagged: &t !!str
      |2-
          deep
  - *who
  - [a, b]
last: "two
  lines"
"""


def place(*tokens, at=(None, None)):
    found = yaml_marks.find(FILE.encode(), tokens, "p.yml", *at)
    return found.line, found.column


def key(*tokens):
    found = yaml_marks.find_key(FILE.encode(), tokens, "p.yml")
    return found.line, found.column


@pytest.mark.parametrize(
    ("tokens", "line", "column"),
    [
        ((), 1, 1),
        (("models",), 5, 3),
        (("models", "0"), 5, 5),
        (("models", "0", "name"), 5, 11),
        (("models", "0", "sql"), 7, 10),
        (("models", "0", "tagged"), 16, 7),
        (("models", "2", "1"), 19, 9),
        (("last",), 20, 7),
    ],
)
def test_a_value_is_placed_where_it_begins(tokens, line, column):
    assert place(*tokens) == (line, column)


def test_a_value_that_is_not_written_is_placed_at_its_key():
    assert place("models", "0", "empty") == (13, 5)


@pytest.mark.parametrize(
    ("tokens", "where"),
    [
        (("models", "0", "topic", "partitions"), (2, 23)),
        (("models", "0", "owner"), (3, 15)),
        (("models", "1"), (3, 15)),
    ],
)
def test_aliases_and_merges_lead_to_what_was_written(tokens, where):
    assert place(*tokens) == where


@pytest.mark.parametrize(
    ("tokens", "where"),
    [
        (("models", "0", "typo"), (5, 5)),
        (("models", "9", "name"), (5, 3)),
        (("models", "x"), (5, 3)),
        (("models", "9" * 5000), (5, 3)),
        (("models", "0", "name", "deeper"), (5, 11)),
        (("models", "0", "empty", "deeper"), (13, 5)),
        (("nothing",), (1, 1)),
    ],
)
def test_a_path_that_does_not_exist_is_placed_at_its_nearest_parent(tokens, where):
    assert place(*tokens) == where


@pytest.mark.parametrize(
    ("tokens", "at", "where"),
    [
        (("models", "0", "sql"), (0, 0), (8, 7)),
        (("models", "0", "sql"), (2, 5), (10, 12)),
        (("models", "0", "sql"), (1, None), (9, 7)),
        (("models", "0", "tagged"), (0, 1), (17, 8)),
        (("models", "0", "name"), (0, 1), (5, 12)),
        (("models", "0", "quoted"), (0, 3), (14, 17)),
        (("models", "0", "quoted"), (1, 0), (14, 13)),
        (("models", "0", "note"), (0, 2), (11, 11)),
        (("last",), (0, 3), (20, 7)),
        (("models", "0"), (1, 1), (5, 5)),
    ],
)
def test_a_line_within_a_scalar_is_placed_where_the_file_shows_it(tokens, at, where):
    assert place(*tokens, at=at) == where


def test_a_line_within_a_block_is_found_in_a_file_with_other_line_ends():
    found = yaml_marks.find(b"\xef\xbb\xbfsql: |\r\n  SELECT\r\n  FROM\r\n", ["sql"], "p.yml", 1, 2)

    assert found == Place("p.yml", 3, 5)


@pytest.mark.parametrize(
    ("tokens", "where"),
    [
        (("models",), (4, 1)),
        (("models", "0", "sql"), (7, 5)),
        (("models", "0", "empty"), (13, 5)),
        (("models", "0", "owner"), (3, 3)),
        (("models", "2", "1"), (19, 9)),
        (("models", "0", "typo"), (5, 5)),
    ],
)
def test_a_key_is_placed_where_it_is_written(tokens, where):
    assert key(*tokens) == where


def test_an_own_key_hides_a_merged_one_and_an_earlier_source_a_later_one():
    data = b"- &a {x: 1}\n- &b {x: 2, y: 3}\n- <<: [*a, *b]\n  y: 4\n"

    assert yaml_marks.find(data, ["2", "x"], "f") == Place("f", 1, 10)
    assert yaml_marks.find(data, ["2", "y"], "f") == Place("f", 4, 6)


@pytest.mark.parametrize("data", [b"", b"# c\n", b"---\n"])
def test_an_empty_file_is_placed_at_its_beginning(data):
    assert yaml_marks.find(data, ["a"], "f") == Place("f", 1, 1)


def test_what_stands_before_an_error_has_places():
    assert yaml_marks.find(b"a:\n  b: c\nd: @\n", ["a", "b"], "f") == Place("f", 2, 6)


def test_nodes_that_contain_themselves_are_walked_once():
    data = b"a: &a\n  <<: *a\n  b: *a\n"

    assert yaml_marks.find(data, ["a", "c"], "f") == Place("f", 1, 4)
    assert yaml_marks.find(data, ["a", "b", "b", "b"], "f") == Place("f", 1, 4)


def test_one_reading_answers_many_questions():
    marks = yaml_marks.Marks(b"a: 1\nb: 2\n", "f")

    assert [marks.find(["a"]), marks.find(["b"])] == [Place("f", 1, 4), Place("f", 2, 4)]


@given(
    st.text("ab:-{}[]&*!|>'\"<#\n ,\t", max_size=40),
    st.lists(st.sampled_from(["a", "b", "0", "1"]), max_size=4),
)
def test_any_text_and_any_path_give_a_place(text, tokens):
    found = yaml_marks.find(text.encode(), tokens, "f", 1, 1)

    assert found.line is not None
    assert found.line >= 1
