import errno
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import streamt_ol
from streamt_ol.ground.atomic_file import OutputFileError, preflight, write_atomically

OLD = b"old\n"
NEW = b'{"new":1}\n'

CAUSES = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT, errno.EROFS, errno.EXDEV, errno.EBUSY]

# The driver says `ready` in the middle of its writing, and waits there.
WAITING = """
import sys
from streamt_ol.ground.atomic_file import write_atomically

def chunks():
    yield b"half" * 100_000
    print("ready", flush=True)
    sys.stdin.read()

write_atomically(sys.argv[1], chunks())
"""

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="mounts and changes of owner take root")


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(OLD)
    return path


def driver(code, *arguments, **options):
    """Start a Python process of its own that can import the package under test."""
    environment = {**os.environ, "PYTHONPATH": str(Path(streamt_ol.__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def outcome(process):
    """Wait for the process; return its exit status, stdout and stderr."""
    out, err = process.communicate()
    return process.returncode, out, err


def names(folder="."):
    return sorted(path.name for path in Path(folder).iterdir())


def refusal(path, action=preflight):
    with pytest.raises(OutputFileError) as caught:
        action(path)
    assert caught.value.code == "E510_OUTPUT_FILE"
    assert caught.value.location == "output_file"
    return caught.value.message


def write_new(path):
    write_atomically(path, NEW)


def mounted(*arguments):
    done = subprocess.run(["mount", *map(str, arguments)], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this system does not let us mount: {done.stderr.strip()}")


@pytest.fixture
def unmounted():
    """Collect mount points; they are unmounted at the end."""
    points = []
    yield points
    for point in points:
        subprocess.run(["umount", str(point)], check=True)


# What is written


def test_a_new_file_holds_the_bytes_and_nothing_stays_beside_it(tmp_path):
    write_atomically(tmp_path / "out.jsonl", NEW)

    assert (tmp_path / "out.jsonl").read_bytes() == NEW
    assert names(tmp_path) == ["out.jsonl"]


def test_an_existing_file_is_replaced_by_the_chunks_in_order(old):
    write_atomically(str(old), iter([b"one\n", b"", b"two\n"]))

    assert old.read_bytes() == b"one\ntwo\n"
    assert names(old.parent) == ["out.jsonl"]


def test_no_data_makes_an_empty_file(old):
    write_atomically(old, b"")

    assert old.read_bytes() == b""


def test_a_relative_path_is_written_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_atomically("out.jsonl", NEW)

    assert (tmp_path / "out.jsonl").read_bytes() == NEW


def test_missing_parents_are_created(tmp_path):
    write_atomically(tmp_path / "a" / "b" / "out.jsonl", NEW)

    assert (tmp_path / "a" / "b" / "out.jsonl").read_bytes() == NEW


def test_a_linked_parent_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link" / "out.jsonl", NEW)

    assert (tmp_path / "real" / "out.jsonl").read_bytes() == NEW
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", ["x" * 255, "模" * 85, "😀" * 63, "-", ".hidden", " ", "a\nb", "\udcff"])
def test_any_name_that_a_file_can_have_works(tmp_path, name):
    write_atomically(f"{tmp_path}/{name}", NEW)

    assert names(tmp_path) == [name]


def test_the_path_to_the_file_may_be_thousands_of_bytes_long(tmp_path):
    path = Path(str(tmp_path) + "/d" * 1500, "out.jsonl")
    write_atomically(path, NEW)

    assert path.read_bytes() == NEW
    path.unlink()
    for folder in path.parents[:1500]:  # too deep for what pytest cleans up with
        folder.rmdir()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_gets_its_mode_from_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "out.jsonl", NEW)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640])
@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_a_file_gets_the_mode_that_is_asked_for_whatever_it_had(old, umask, mode):
    old.chmod(0o666)
    before = os.umask(umask)
    try:
        write_atomically(old, NEW, mode=mode)
        write_atomically(old.with_name("new.jsonl"), NEW, mode=mode)
    finally:
        os.umask(before)

    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in old.parent.iterdir()} == {
        "out.jsonl": mode,
        "new.jsonl": mode,
    }


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755, 0o444])
def test_an_existing_file_keeps_its_mode(old, mode):
    old.chmod(mode)
    write_atomically(old, NEW)

    assert stat.S_IMODE(old.stat().st_mode) == mode
    assert old.read_bytes() == NEW


def test_the_staging_file_of_a_private_file_is_private(old):
    old.chmod(0o600)
    seen = []

    def chunks():
        (staging,) = set(names(old.parent)) - {"out.jsonl"}
        seen.append((staging, stat.S_IMODE((old.parent / staging).stat().st_mode)))
        yield NEW

    write_atomically(old, chunks())

    ((staging, mode),) = seen
    assert mode == 0o600
    assert re.fullmatch(r"\.out\.jsonl\.[0-9a-f]{16}\.tmp", staging)


@ROOT_ONLY
def test_an_existing_file_keeps_its_owner_where_that_is_permitted(old):
    os.chown(old, 12345, 54321)
    write_atomically(old, NEW)

    assert (old.stat().st_uid, old.stat().st_gid) == (12345, 54321)


# What is refused


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "the output file has an empty path"),
        ("-", "`-` is not an output file"),
        ("out/", "out/ names a directory, not a file"),
        ("new/.", "new/. names a directory, not a file"),
        ("..", ".. names a directory, not a file"),
        ("a\0b", "a\0b holds a character that no file name can have"),
        ("\ud800", "\ud800 holds a character that no file name can have"),
        ("x" * 256, f"{'x' * 256} cannot be written: File name too long"),
        ("folder", "folder is a directory, not a regular file"),
        ("pipe", "pipe is a named pipe, not a regular file"),
        ("socket", "socket is a socket, not a regular file"),
        ("link", "link is a symbolic link, not a regular file"),
        ("dangling", "dangling is a symbolic link, not a regular file"),
        ("loop", "loop is a symbolic link, not a regular file"),
        ("/dev/null", "/dev/null is a device, not a regular file"),
        ("/dev/stdout", "/dev/stdout is a symbolic link, not a regular file"),
        ("file/out", "file/out cannot be written: Not a directory"),
        ("dangling/out", "dangling/out cannot be written: dangling is not a directory"),
        ("dangling/more/out", "dangling/more/out cannot be written: dangling is not a directory"),
        ("loop/out", "loop/out cannot be written: Too many levels of symbolic links"),
    ],
)
@pytest.mark.parametrize("action", [preflight, write_new])
def test_a_path_that_is_no_regular_file_is_refused_and_left_alone(
    tmp_path, monkeypatch, path, message, action
):
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(OLD)
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("link").symlink_to("file")
    Path("dangling").symlink_to("nowhere")
    Path("loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        before = {name: os.lstat(name).st_ino for name in names()}

        assert refusal(path, action) == message

        assert {name: os.lstat(name).st_ino for name in names()} == before
    assert Path("file").read_bytes() == OLD
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_the_check_beforehand_creates_nothing(tmp_path):
    preflight(tmp_path / "a" / "b" / "out.jsonl")

    assert names(tmp_path) == []


@pytest.mark.parametrize("kind", ["symlink", "directory", "pipe"])
def test_a_target_that_changes_its_kind_during_the_writing_is_left_alone(old, kind):
    def chunks():
        old.unlink()
        {"symlink": lambda: old.symlink_to("x"), "directory": old.mkdir, "pipe": lambda: os.mkfifo(old)}[
            kind
        ]()
        yield NEW

    assert "not a regular file" in refusal(old, lambda path: write_atomically(path, chunks()))
    assert not old.is_file()
    assert names(old.parent) == ["out.jsonl"]


# What fails


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("step", ["open", "fdopen", "fchmod", "fsync", "replace"])
def test_a_failing_step_leaves_the_old_file_and_no_staging_file(old, monkeypatch, step, cause):
    real_open = os.open

    def fail(*_, **__):
        raise OSError(cause, os.strerror(cause))

    def fail_to_create(path, flags, *rest, **options):
        return fail() if flags & os.O_CREAT else real_open(path, flags, *rest, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, step, fail_to_create if step == "open" else fail)
        message = refusal(old, write_new)

    assert message == f"{old} was not written: {os.strerror(cause)}"
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["out.jsonl"]


@pytest.mark.parametrize("step", ["fchmod", "fsync", "replace"])
def test_an_interruption_leaves_the_old_file_and_no_staging_file(old, monkeypatch, step):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_atomically(old, NEW)

    assert old.read_bytes() == OLD
    assert names(old.parent) == ["out.jsonl"]


def test_what_the_chunks_raise_passes_through_and_leaves_the_old_file(old):
    def chunks():
        yield NEW
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_atomically(old, chunks())

    assert old.read_bytes() == OLD
    assert names(old.parent) == ["out.jsonl"]


def test_a_failure_to_sync_the_directory_says_that_the_new_file_is_in_place(old, monkeypatch):
    real_sync = os.fsync

    def sync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real_sync(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", sync)
        message = refusal(old, write_new)

    assert message == f"{old} was written, but may be lost when the machine crashes: Input/output error"
    assert old.read_bytes() == NEW
    assert names(old.parent) == ["out.jsonl"]


def test_a_file_system_that_cannot_sync_directories_is_no_failure(old, monkeypatch):
    real_sync = os.fsync

    def sync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real_sync(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    write_atomically(old, NEW)

    assert old.read_bytes() == NEW


def test_the_steps_come_in_the_order_that_a_crash_needs(tmp_path, monkeypatch):
    steps = []

    def watch(name, real):
        def call(*arguments, **options):
            is_directory = name == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode)
            steps.append("fsync directory" if is_directory else name)
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, call)

    watch("fsync", os.fsync)
    watch("replace", os.replace)
    write_atomically(tmp_path / "a" / "out.jsonl", NEW)

    assert steps == ["fsync directory", "fsync", "replace", "fsync directory"]


def test_a_staging_name_that_is_taken_is_not_touched(old, monkeypatch):
    monkeypatch.setattr("os.urandom", lambda size: b"\0" * size)
    taken = old.parent / f".out.jsonl.{'0' * 16}.tmp"
    taken.write_bytes(b"of somebody else")

    assert refusal(old, write_new) == f"{old} was not written: File exists"
    assert old.read_bytes() == OLD
    assert taken.read_bytes() == b"of somebody else"


def test_a_file_over_the_size_limit_leaves_the_old_file(old):
    code = """
import resource, sys
from streamt_ol.ground.atomic_file import OutputFileError, write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically(sys.argv[1], [b"x" * 600] * 40)
except OutputFileError as error:
    print(error.message)
"""

    assert outcome(driver(code, old)) == (0, f"{old} was not written: File too large\n", "")
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["out.jsonl"]


@ROOT_ONLY
@pytest.mark.parametrize("size", [2_000_000, 900_000])
def test_a_full_disk_leaves_the_old_file(tmp_path, unmounted, size):
    mounted("-t", "tmpfs", "-o", "size=1m", "none", tmp_path)
    unmounted.append(tmp_path)
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"o" * 500_000)

    assert refusal(path, lambda path: write_atomically(path, b"x" * size)) == (
        f"{path} was not written: No space left on device"
    )
    assert path.read_bytes() == b"o" * 500_000
    assert names(tmp_path) == ["out.jsonl"]


@ROOT_ONLY
def test_a_bind_mounted_file_is_not_replaced(old, unmounted):
    other = old.parent / "other"
    other.write_bytes(b"other")
    mounted("--bind", other, old)
    unmounted.append(old)

    assert refusal(old, write_new) == f"{old} was not written: Device or resource busy"
    assert old.read_bytes() == b"other"
    assert names(old.parent) == ["other", "out.jsonl"]


@ROOT_ONLY
def test_a_read_only_file_system_leaves_the_old_file(tmp_path, unmounted):
    mounted("-t", "tmpfs", "-o", "size=1m", "none", tmp_path)
    unmounted.append(tmp_path)
    (tmp_path / "out.jsonl").write_bytes(OLD)
    mounted("-o", "remount,ro", tmp_path)

    assert refusal(tmp_path / "out.jsonl", write_new) == (
        f"{tmp_path}/out.jsonl was not written: Read-only file system"
    )
    assert refusal(tmp_path / "a" / "out.jsonl", write_new) == (
        f"{tmp_path}/a/out.jsonl was not written: Read-only file system"
    )
    assert (tmp_path / "out.jsonl").read_bytes() == OLD
    assert names(tmp_path) == ["out.jsonl"]


def test_a_directory_without_write_permission_leaves_the_old_file():
    code = """
import os, sys
from streamt_ol.ground.atomic_file import OutputFileError, write_atomically
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for path in sys.argv[1:]:
    try:
        write_atomically(path, b"new")
    except OutputFileError as error:
        print(error.message)
"""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own directory is closed to other users
        path = Path(folder, "out.jsonl")
        path.write_bytes(OLD)
        path.chmod(0o666)
        Path(folder).chmod(0o555)
        below = Path(folder, "a", "out.jsonl")
        try:
            assert outcome(driver(code, path, below)) == (
                0,
                f"{path} was not written: Permission denied\n{below} was not written: Permission denied\n",
                "",
            )
            assert path.read_bytes() == OLD
            assert names(folder) == ["out.jsonl"]
        finally:
            Path(folder).chmod(0o755)


# Other processes


def test_a_killed_writer_leaves_the_old_file_and_a_staging_file_of_the_documented_pattern(old):
    writer = driver(WAITING, old)
    assert writer.stdout.readline() == "ready\n"
    writer.kill()

    assert outcome(writer)[0] == -signal.SIGKILL
    assert old.read_bytes() == OLD
    (staging,) = set(names(old.parent)) - {"out.jsonl"}
    assert re.fullmatch(r"\.out\.jsonl\.[0-9a-f]{16}\.tmp", staging)

    write_atomically(old, NEW)
    assert old.read_bytes() == NEW


def test_an_interrupted_writer_leaves_the_old_file_and_no_staging_file(old):
    writer = driver(WAITING, old)
    assert writer.stdout.readline() == "ready\n"
    writer.send_signal(signal.SIGINT)

    assert outcome(writer)[0] == -signal.SIGINT
    assert old.read_bytes() == OLD
    assert names(old.parent) == ["out.jsonl"]


def test_of_two_writers_the_last_to_complete_wins(old):
    first = driver(WAITING, old)
    assert first.stdout.readline() == "ready\n"
    write_atomically(old, NEW)
    assert old.read_bytes() == NEW

    assert outcome(first) == (0, "", "")
    assert old.read_bytes() == b"half" * 100_000
    assert names(old.parent) == ["out.jsonl"]


def test_a_reader_never_sees_the_bytes_of_two_writers_mixed(old):
    code = """
import sys
from streamt_ol.ground.atomic_file import write_atomically
for _ in range(40):
    write_atomically(sys.argv[1], [sys.argv[2].encode()] * 200_000)
"""
    old.write_bytes(b"a" * 200_000)
    writers = [driver(code, old, letter) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add(old.read_bytes())

    assert [outcome(writer) for writer in writers] == [(0, "", "")] * 2
    assert seen <= {b"a" * 200_000, b"b" * 200_000}
    assert names(old.parent) == ["out.jsonl"]
