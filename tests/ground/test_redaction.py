from collections.abc import Iterator, Mapping

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.ground.redaction import redact
from streamt_ol.ground.resources import rules_folder

SIZE = 1_000_000

FRAGMENTS = st.sampled_from(
    [
        *("password", "PASSWD", "secret", "token", "api_key", "api-key", "authorization", "credentials"),
        *("bearer ", "Basic ", "postgres", "ql", "+asyncpg", "://", "@", ":", "=", ">", "***", "a", "B9"),
        *(" ", "\n", '"', "'", "\\", "[", "]", "{", "}", ",", ";", "-", "."),
    ]
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("at postgres://u:p@h/db now", "at postgres://*** now"),
        ("dsn=postgresql+asyncpg://h/db?sslkey=x", "dsn=postgresql+asyncpg://***"),
        ("POSTGRESQL://h", "POSTGRESQL://***"),
        ("see https://user:pass@host:1/path twice", "see https://***@host:1/path twice"),
        ("see https://user:p/a@s#s@host/path", "see https://***@host/path"),
        ("see https://ghp_abc@host/path", "see https://***@host/path"),
        ("sent Bearer abc.def-ghi here", "sent Bearer *** here"),
        ("sent basic dTpw here", "sent basic *** here"),
        ("Authorization: Bearer abc here", "Authorization: *** here"),
        ("password=hunter2 host=db", "password=*** host=db"),
        ("passwd: hunter2", "passwd: ***"),
        ("passphrase = x", "passphrase = ***"),
        ("secret => x y", "secret => *** y"),
        ("token:x", "token:***"),
        ("api_key=x, apikey=y, API-KEY=z", "api_key=*** apikey=*** API-KEY=***"),
        ("authorization=x", "authorization=***"),
        ("credential: x", "credential: ***"),
        ("PGPASSWORD=x", "PGPASSWORD=***"),
        ("AWS_SECRET_ACCESS_KEY=x", "AWS_SECRET_ACCESS_KEY=***"),
        ("ssl.keystore.password=x", "ssl.keystore.password=***"),
        ("password2: x", "password2: ***"),
        ('"password": "two words", "user": "u"', '"password": *** "user": "u"'),
        ("{'password': 'it\\'s two', 'user': 'u'}", "{'password': *** 'user': 'u'}"),
        (r"{\"password\": \"two words\"} rest", r"{\"password\": *** rest"),
        ('required password="p"; user', "required password=*** user"),
        ('password="never closed and more', "password=***"),
        ("secrets: [one, two] three", "secrets: *** three"),
        ("credentials: {user: u, key: k} rest", "credentials: *** rest"),
        ("credentials: password: hunter2 rest", "credentials: *** rest"),
        ("password:\n  hunter2", "password:\n  ***"),
    ],
)
def test_what_looks_like_a_secret_is_struck_out(text, shown):
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Model payments_clean has no columns",
        "kafka://broker.example:9092",
        "https://lineage.example/namespaces/prod",
        "unknown key `password`: remove it",
        "the model `basic` is not declared",
        "a token is missing",
        "/runtime/kafka/password",
        "owner@example.com",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert redact(text) == text


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for part in value.values() for text in texts(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in texts(part))


@pytest.mark.parametrize("table", sorted(rules_folder().glob("*.yml")), ids=lambda table: table.stem)
def test_no_text_of_a_packaged_table_looks_like_a_secret(table):
    # It would be shown with stars: an example of a connection string helps nobody then.
    written = [*texts(yaml.safe_load(table.read_text("utf-8")))]

    assert [redact(text) for text in written] == written


@given(st.lists(FRAGMENTS).map("".join) | st.text())
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text)

    assert redact(once) == once


@given(
    st.sampled_from(
        ["password=", "api_key: ", '"secret": "', "Bearer ", "authorization: Basic ", "https://u:"]
    ),
    st.from_regex(r"[A-Za-z0-9_+/.:=-]{1,20}Zq7", fullmatch=True),
)
def test_no_part_of_a_secret_is_left(before, secret):
    after = "@host" if "://" in before else ""

    assert "Zq7" not in redact(before + secret + after)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "://",
            " ://",
            "@",
            "secret",
            "secret ",
            "secret:",
            "secret: ",
            "secret_",
            "basic ",
            "basic  ",
        ),
        *("secret\"'\"'  ", 'secret="\\', "postgres", "postgres+", "api_", "[", '"', "'", "\\", " ", "="),
    ],
)
@pytest.mark.parametrize("before", ["", "secret=", "x://@"])
def test_a_megabyte_that_invites_backtracking_is_no_trouble(before, unit):
    text = before + unit * (SIZE // len(unit))

    assert len(redact(text)) <= 2 * len(text)  # a quadratic rule would not come this far in hours


def test_credentials_at_the_end_of_a_megabyte_are_found():
    assert redact("a" * SIZE + " postgres" * 9 + "+x://u:p@h") == "a" * SIZE + " postgres" * 9 + "+x://***"
