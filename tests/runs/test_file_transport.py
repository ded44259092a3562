"""The File transport on real files: what is appended, what is mended, what is refused, and in which words."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_events import EXAMPLES, lines
from transport_configs import packaged_rules

from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.runs.config_errors import TransportConfigError
from streamt_ol.runs.deliveries import DeliveryError
from streamt_ol.runs.line_appending import is_torn
from streamt_ol.runs.settings import FileSettings
from streamt_ol.runs.transports import Transport, open_transport

LINE = '{"eventType":"START","name":"größer"}\n'.encode()
NEXT = b'{"eventType":"COMPLETE"}\n'
WRITE = "streamt_ol.runs.line_appending.os.write"
SYNC = "streamt_ol.runs.line_appending._sync"
LOCATION = "openlineage.transport.log_file_path"
NOBODY = 65534


def transport_to(path: Path, rules: RuleSet | None = None) -> Transport:
    return open_transport(FileSettings(str(path)), rules or packaged_rules())


def send(path: Path, *sent: bytes) -> None:
    transport = transport_to(path)
    for line in sent:
        transport.send(line)
    transport.close()


def failure(transport: Transport, line: bytes = LINE) -> str:
    """Return the text of a delivery that fails; nothing is behind it."""
    with pytest.raises(DeliveryError) as caught:
        transport.send(line)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value.message


def refusal(path: Path) -> str:
    """Return why a transport to a path is not even made; nothing is behind it."""
    with pytest.raises(TransportConfigError) as caught:
        transport_to(path)
    error = caught.value
    assert (error.code, error.location) == ("E506_OPENLINEAGE_INVALID", LOCATION)
    assert (error.__cause__, error.__context__) == (None, None)
    assert str(path) not in error.message
    return error.message


# What is appended


def test_events_are_appended_in_order_as_the_bytes_that_they_are(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"old":1}\n')
    send(path, LINE, NEXT)
    send(path, LINE)

    assert path.read_bytes() == b'{"old":1}\n' + LINE + NEXT + LINE


def test_a_new_file_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    before = os.umask(0)
    try:
        send(path, LINE)
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.touch()
    path.chmod(0o640)
    send(path, LINE)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_transport_that_sends_nothing_creates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    send(path)

    assert not path.exists()


def test_a_relative_path_begins_where_the_transport_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    transport = transport_to(Path("events.jsonl"))
    monkeypatch.chdir("elsewhere")
    transport.send(LINE)
    transport.close()

    assert (tmp_path / "events.jsonl").read_bytes() == LINE


def test_each_event_is_brought_to_the_disk_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "events.jsonl"
    sizes: list[int] = []

    def sync(descriptor: int) -> None:
        os.fsync(descriptor)
        sizes.append(path.stat().st_size)

    monkeypatch.setattr(SYNC, sync)
    send(path, LINE, NEXT)

    assert sizes == [len(LINE), len(LINE + NEXT)]


def write_at_most(most: int, then: Callable[[int], None] = lambda _descriptor: None) -> Callable[..., int]:
    """Return a `write` that takes a few bytes, and after the first time does something."""
    real, written = os.write, False

    def write(descriptor: int, data: Any) -> int:
        nonlocal written
        if written:
            then(descriptor)
        written = True
        return real(descriptor, data[:most])

    return write


def test_a_write_that_takes_a_part_is_followed_by_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    monkeypatch.setattr(WRITE, write_at_most(7))
    send(path, LINE, NEXT)

    assert path.read_bytes() == LINE + NEXT


# What fails leaves nothing behind


def fail(number: int) -> Callable[[int], None]:
    def then(_descriptor: int) -> None:
        raise OSError(number, "secret reason")

    return then


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "the log file cannot grow: the disk is full, or a limit is reached"),
        (errno.EDQUOT, "the log file cannot grow: the disk is full, or a limit is reached"),
        (errno.EIO, "the log file cannot be written"),
    ],
)
def test_a_line_that_cannot_be_written_whole_is_taken_back(
    number: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(NEXT)
    transport = transport_to(path)
    with monkeypatch.context() as broken:
        broken.setattr(WRITE, write_at_most(7, fail(number)))
        assert failure(transport) == message
        assert path.read_bytes() == NEXT
    transport.send(LINE)
    transport.close()

    assert path.read_bytes() == NEXT + LINE


def test_a_write_that_takes_nothing_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    monkeypatch.setattr(WRITE, lambda _descriptor, _data: 0)

    assert failure(transport) == "the log file cannot be written"
    assert path.read_bytes() == b""
    transport.close()


def test_a_line_that_cannot_be_brought_to_the_disk_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    transport.send(NEXT)
    with monkeypatch.context() as broken:
        broken.setattr(SYNC, fail(errno.EIO))
        assert failure(transport) == "the event could not be brought to the disk"
    transport.close()

    assert path.read_bytes() == NEXT


def test_an_interruption_in_the_middle_of_a_line_takes_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"

    def interrupt(_descriptor: int) -> None:
        raise KeyboardInterrupt

    transport = transport_to(path)
    monkeypatch.setattr(WRITE, write_at_most(7, interrupt))
    with pytest.raises(KeyboardInterrupt):
        transport.send(LINE)
    transport.close()

    assert path.read_bytes() == b""


def test_what_others_wrote_behind_a_torn_line_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"

    def then(_descriptor: int) -> None:
        with path.open("ab") as other:
            other.write(b"of another program\n")
        raise OSError(errno.ENOSPC, "full")

    transport = transport_to(path)
    monkeypatch.setattr(WRITE, write_at_most(7, then))
    failure(transport)
    transport.close()

    assert path.read_bytes() == LINE[:7] + b"of another program\n"


# What somebody left who was killed


@pytest.mark.parametrize("cut", [1, 2, 10, len(LINE) - 8, len(LINE) - 2])
def test_the_beginning_of_an_event_is_cut_off_by_the_next_to_append(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(NEXT + LINE[:cut])
    send(path, NEXT)

    assert path.read_bytes() == NEXT + NEXT


def test_a_file_that_holds_only_the_beginning_of_an_event_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"filler":"' + b"x" * 300_000)
    send(path, NEXT)

    assert path.read_bytes() == NEXT


def test_a_long_beginning_is_cut_off_and_no_line_before_it(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(LINE + b'{"filler":"' + b"x" * 1_000_000)
    send(path, NEXT)

    assert path.read_bytes() == LINE + NEXT


def test_an_event_that_lacks_only_its_line_feed_is_given_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(NEXT + LINE[:-1])
    send(path, NEXT)

    assert path.read_bytes() == NEXT + LINE + NEXT


@pytest.mark.parametrize("foreign", [b"a note", b"}", b"{a: 1}", b"[1, 2", b'{"a": 1} and more', b"{\xff"])
def test_any_other_text_is_kept_and_ends_with_a_line_feed(foreign: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(foreign)
    send(path, LINE, NEXT)

    assert path.read_bytes() == foreign + b"\n" + LINE + NEXT


@pytest.mark.parametrize(
    "tail", [b'{"filler":"' + b"x" * 100, b"y" * 50 + b'{"filler":"' + b"x" * 53], ids=["event", "inside"]
)
def test_what_is_longer_than_any_event_is_kept(tail: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(tail)
    transport = transport_to(
        path, bounded(tmp_path, "tail_bytes: {limit: 67108864", "tail_bytes: {limit: 64")
    )
    transport.send(LINE)
    transport.close()

    assert path.read_bytes() == tail + b"\n" + LINE


def test_an_event_that_is_torn_while_the_transport_is_open_is_mended_too(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    transport.send(LINE)
    with path.open("ab") as other:
        other.write(LINE[:9])
    transport.send(NEXT)
    transport.close()

    assert path.read_bytes() == LINE + NEXT


@pytest.mark.parametrize("event", lines(EXAMPLES).split(b"\n")[:-1], ids=range(len(EXAMPLES)))
def test_every_beginning_of_an_event_is_known_as_one_and_the_event_is_not(event: bytes) -> None:
    assert [cut for cut in range(1, len(event)) if not is_torn(event[:cut])] == []
    assert not is_torn(event)


@given(
    st.dictionaries(st.text(), st.recursive(st.text() | st.integers(-(2**63), 2**63), st.lists, max_leaves=5))
)
def test_every_beginning_of_any_object_is_known_as_one(value: dict[str, Any]) -> None:
    event = orjson.dumps(value)

    assert [cut for cut in range(1, len(event)) if not is_torn(event[:cut])] == []
    assert not is_torn(event)


# The lock


def bounded(folder: Path, old: str, new: str) -> RuleSet:
    """Return the packaged rules with another bound."""
    rules = folder / "rules"
    shutil.copytree(rules_folder(), rules)
    text = (rules / "delivery-bounds.yml").read_text("utf-8")
    assert old in text
    (rules / "delivery-bounds.yml").write_text(text.replace(old, new), "utf-8")
    return load_rules(rules)


def test_a_lock_that_is_kept_is_not_waited_for_without_end(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(NEXT)
    transport = transport_to(path, bounded(tmp_path, "lock_seconds: {limit: 10", "lock_seconds: {limit: 0"))
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert failure(transport) == "other processes kept the lock of the log file for too long"
        assert path.read_bytes() == NEXT
    transport.send(LINE)
    transport.close()

    assert path.read_bytes() == NEXT + LINE


def test_the_lock_is_given_back_after_each_event_and_after_each_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    transport.send(LINE)
    monkeypatch.setattr(WRITE, write_at_most(7, fail(errno.EIO)))
    failure(transport)

    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    transport.close()


# What no log file can be, found before any work


@pytest.mark.parametrize("kind", ["folder", "link", "dangling", "fifo", "socket", "device"])
def test_what_is_no_regular_file_is_refused_untouched(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with special(path, kind) as place:
        before = place.lstat()
        message = (
            "the log file is a folder, a symbolic link, a FIFO or something else that is no regular file"
        )
        assert refusal(place) == message
        assert place.lstat() == before

    assert not (tmp_path / "target").exists()


@contextmanager
def special(path: Path, kind: str) -> Iterator[Path]:
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(__file__)
    elif kind == "dangling":
        path.symlink_to(path.parent / "target")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            yield path
            return
    yield Path("/dev/null") if kind == "device" else path


@pytest.mark.parametrize("folder", ["missing", "missing/deeper", "file"])
def test_a_folder_that_does_not_exist_is_refused_and_not_created(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert refusal(tmp_path / folder / "events.jsonl") == "the folder of the log file does not exist"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Drop what root may do; any other user stays."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder
        folder.chmod(0o777)


def test_a_folder_that_nothing_may_be_created_in_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    with as_nobody():
        message = refusal(open_folder / "events.jsonl")

    assert message == "the log file does not exist, and this user may not create it"
    assert list(open_folder.iterdir()) == []


def test_a_folder_that_may_not_be_looked_into_is_refused(open_folder: Path) -> None:
    (open_folder / "events.jsonl").touch()
    open_folder.chmod(0o000)
    with as_nobody():
        message = refusal(open_folder / "events.jsonl")

    assert message == "the log file does not exist, and this user may not create it"


def test_a_file_of_the_user_in_a_folder_of_another_is_appended_to(open_folder: Path) -> None:
    path = open_folder / "events.jsonl"
    path.touch()
    path.chmod(0o666)
    open_folder.chmod(0o555)
    with as_nobody():
        send(path, LINE)

    assert path.read_bytes() == LINE


# What changes after that


@pytest.mark.parametrize("mode", [0o444, 0o222, 0o000], ids=["read-only", "write-only", "closed"])
def test_a_file_that_may_not_be_read_and_written_fails_with_each_event(mode: int, open_folder: Path) -> None:
    path = open_folder / "events.jsonl"
    path.write_bytes(NEXT)
    path.chmod(mode)
    with as_nobody():
        transport = transport_to(path)
        message = "the log file may not be created, or not be read and written, by this user"
        assert [failure(transport), failure(transport)] == [message, message]
        transport.close()

    path.chmod(0o600)
    assert path.read_bytes() == NEXT


def test_a_folder_that_goes_away_fails_with_each_event(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    transport = transport_to(folder / "events.jsonl")
    folder.rmdir()

    assert failure(transport) == "the folder of the log file does not exist"
    folder.mkdir()
    transport.send(LINE)
    transport.close()
    assert (folder / "events.jsonl").read_bytes() == LINE


@pytest.mark.parametrize("kind", ["folder", "link", "dangling", "fifo", "socket"])
def test_what_takes_the_place_of_the_file_is_not_written_and_holds_nobody_up(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    with special(path, kind):
        assert failure(transport) == "the log file is not a regular file"
    transport.close()

    assert not (tmp_path / "target").exists()


# The end


def test_closing_twice_is_fine_and_nothing_is_written_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    transport.send(LINE)
    transport.close()
    transport.close()

    assert failure(transport) == "the transport is closed already"
    assert path.read_bytes() == LINE


def test_a_failure_to_close_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    transport = transport_to(path)
    transport.send(LINE)
    (descriptor,) = [int(link.name) for link in Path("/proc/self/fd").iterdir() if is_open(link, path)]
    os.close(descriptor)

    with pytest.raises(DeliveryError, match="could not be closed") as caught:
        transport.close()
    transport.close()
    assert caught.value.message == "the log file could not be closed"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def is_open(link: Path, path: Path) -> bool:
    try:
        return link.readlink() == path
    except FileNotFoundError:  # that of the listing itself
        return False


# Settings and secrets


@pytest.mark.parametrize(
    "path", ["", " a", "file:///tmp/a", "s3://bucket/a", "//host/a", "a\nb", "~/a", "a/"]
)
def test_settings_that_no_configuration_could_give_are_refused(path: str) -> None:
    with pytest.raises(TransportConfigError) as caught:
        open_transport(FileSettings(path), packaged_rules())

    assert caught.value.location == LOCATION
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_a_path_is_in_no_error(tmp_path: Path) -> None:
    folder = tmp_path / "s3cret"
    folder.mkdir()
    transport = transport_to(folder / "events.jsonl")
    folder.rmdir()
    with pytest.raises(DeliveryError) as caught:
        transport.send(LINE)

    assert "s3cret" not in repr(caught.value) + str(caught.value)
    assert caught.value.code == "W112_OPENLINEAGE_EMIT_FAILED"
