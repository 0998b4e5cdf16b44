"""Files that belong to the user: their content before and after, whatever the options name."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from client import ROOT, Client
from forked import limit_files
from hostile import FOREIGN, fifo, folder, foreign, loop, null

from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.system import files


def ours(head: bytes) -> bool:
    return head.startswith(b"ours")


REFUSED = (fifo, folder, null, loop, foreign)


@pytest.mark.parametrize("make", REFUSED, ids=lambda make: str(make.__name__))
def test_nothing_is_written_over_what_is_not_ours(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "file"
    make(path)
    before = path.lstat()
    for write in (
        lambda: files.replace_file(path, [b"ours"], ours),
        lambda: files.append_json_line(path, "{}", ours),
        lambda: files.open_append(path, ours).close(),
        lambda: write_book(path, "kind", 1, {}, b"payload"),
    ):
        with pytest.raises(OSError) as caught:
            write()
        assert caught.value.strerror
    after = path.lstat()
    assert (before.st_mode, before.st_ino, before.st_size) == (after.st_mode, after.st_ino, after.st_size)
    assert [name.name for name in tmp_path.iterdir()] == ["file"]


def test_through_a_symlink_to_the_file_it_names(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to("target")
    files.replace_file(link, [b"ours ", b"1"], ours)  # the link's target did not exist
    assert link.is_symlink() and target.read_bytes() == b"ours 1"
    target.chmod(0o640)
    files.replace_file(link, [b"ours 2"], ours)
    assert link.is_symlink() and target.read_bytes() == b"ours 2"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_what_the_user_made_read_only_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"ours")
    path.chmod(0o444)
    with pytest.raises(OSError, match="read-only"):
        files.replace_file(path, [b"ours too"], ours)
    assert path.read_bytes() == b"ours"


def test_learn_takes_no_file_of_queries(tmp_path: Path) -> None:
    """GameLog refuses a file of queries of `siqi analyse`, although they begin like its games."""
    path = tmp_path / "queries.jsonl"
    path.write_text('{"game": "xiangqi", "moves": ["h2e2"], "depth": 3}\n{"game": "xiangqi", "moves": ["h2e2"], "id')
    before = path.read_bytes()
    with Client(f"setoption name GameLog value {path}") as client:
        client.answers("position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w moves a7a9", "ucinewgame")
        client.sync()
        assert any("option GameLog" in line for line in client.seen)
    assert path.read_bytes() == before


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"ours")

    def parts() -> list[bytes]:
        raise MemoryError

    with pytest.raises(MemoryError):
        files.replace_file(path, (part for _ in "x" for part in parts()), ours)
    assert path.read_bytes() == b"ours" and list(tmp_path.iterdir()) == [path]


def test_a_new_file_leaves_other_threads_their_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, path, meanwhile = os.umask, tmp_path / "file", tmp_path / "meanwhile"

    def umask(mask: int) -> int:
        before = real(mask)
        meanwhile.touch()  # as another thread can
        return before

    before = real(0o027)
    try:
        monkeypatch.setattr(os, "umask", umask)
        files.replace_file(path, [b"ours"], ours)
    finally:
        real(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not meanwhile.exists() or stat.S_IMODE(meanwhile.stat().st_mode) == 0o640


def test_names_that_cannot_be(tmp_path: Path) -> None:
    for name in ("x" * 5000, "a\0b", str(tmp_path / "none" / "file")):
        for use in (files.read_bytes, lambda name, _: files.replace_file(name, [b""], ours)):
            with pytest.raises(OSError):
                use(name, 10)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert files.read_bytes(path, 5) == b"12345"
    with pytest.raises(OSError, match="5 bytes, more than"):
        files.read_bytes(path, 4)
    with path.open("ab") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="more than"):
        files.read_bytes(path, 1 << 30)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b'{"c": 3}\n'),
        (b'{"a": 1}\n', b'{"a": 1}\n{"c": 3}\n'),
        (b'{"a": 1}\n{"b":', b'{"a": 1}\n{"c": 3}\n'),  # a process was killed while writing
        (b'{"a": 1}\n{"b": 2}', b'{"a": 1}\n{"b": 2}\n{"c": 3}\n'),  # an editor removed the last newline
        (b'{"a": 1}\n{"b": "' + b"x" * 200_000, b'{"a": 1}\n{"c": 3}\n'),
    ],
)
def test_the_last_line_is_mended(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(before)
    files.append_json_line(path, '{"c": 3}', lambda head: head.startswith(b'{"a"'))
    assert path.read_bytes() == after


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with files.open_json_lines(path, ours, exclusive=True):
        path.write_bytes(b"ours, half wri")
        with pytest.raises(OSError, match="another process"):
            files.open_json_lines(path, ours, exclusive=True)
        assert path.read_bytes() == b"ours, half wri"
    files.open_json_lines(path, ours, exclusive=True).close()
    assert path.read_bytes() == b""


def test_one_writer_at_a_time_without_fcntl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows another file is locked instead, so that readers are not kept out, and no file is cut."""
    monkeypatch.setattr(files, "fcntl", None)
    monkeypatch.setattr(files, "LOCK_WAIT_S", 0.1)
    test_one_writer_at_a_time(tmp_path)
    path = tmp_path / "file"
    with files.open_append(path, ours, exclusive=True):
        for write in (
            lambda: files.append_json_line(path, "{}", lambda head: True),
            lambda: files.open_append(path, ours, exclusive=True).close(),
        ):
            with pytest.raises(OSError, match="is being written by another process"):
                write()
        assert path.read_bytes() == b""  # readers are not kept out
    files.append_json_line(path, '{"a": 1}', lambda head: True)
    assert path.read_bytes() == b'{"a": 1}\n'


def test_a_full_folder_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is locked, as on a file system without locks."""
    monkeypatch.setattr(files, "fcntl", None)
    path = tmp_path / ("x" * 253)  # `.NAME.lock` is too long
    files.append_json_line(path, '{"a": 1}', lambda head: True)
    assert path.read_bytes() == b'{"a": 1}\n'


def test_a_file_that_is_open_elsewhere_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write waits a second: long enough for a virus scanner to close the file, but not for an editor."""
    path, refusals, replace = tmp_path / "file", [0], os.replace

    def busy(old: Path, new: Path) -> None:
        refusals[0] -= 1
        if refusals[0] >= 0:
            raise PermissionError(errno.EACCES, "Access is denied", str(old), None, str(new))
        replace(old, new)

    monkeypatch.setattr(os, "replace", busy)
    refusals[0] = 1
    with pytest.raises(PermissionError, match="Access is denied"):
        files.replace_file(path, [b"ours 0"], ours)
    monkeypatch.setattr(files, "_IS_WINDOWS", True)
    refusals[0] = 3
    files.replace_file(path, [b"ours 1"], ours)
    monkeypatch.setattr(files, "_REPLACE_WAIT_S", 0.05)
    refusals[0] = 10**6
    with pytest.raises(OSError, match="is open in another program"):
        files.replace_file(path, [b"ours 2"], ours)
    assert path.read_bytes() == b"ours 1"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_line_that_another_process_is_writing_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("ab", buffering=0) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write(b'{"a"')
        append = threading.Thread(target=files.append_json_line, args=(path, '{"b": 2}', lambda head: True))
        append.start()
        time.sleep(0.2)
        other.write(b": 1}\n")
    append.join()
    assert path.read_bytes() == b'{"a": 1}\n{"b": 2}\n'


@pytest.mark.parametrize("other", [b"", b"a line\n"], ids=["nothing", "a line"])
def test_a_full_disk_costs_no_line_of_another_process(tmp_path: Path, other: bytes) -> None:
    """A write cut short by the limit is undone, unless another process has written after it."""
    path, before = tmp_path / "file", resource.getrlimit(resource.RLIMIT_FSIZE)

    class Shared(io.FileIO):
        def write(self, data: Any, /) -> int:
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
            try:
                return super().write(data)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
                with path.open("ab") as file:
                    file.write(other)

    path.write_bytes(b"ours\n")
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Shared(path, "ab+") as file, pytest.raises(OSError, match="No space left"):
            files.write_whole(cast(BinaryIO, file), b"0123456789\n")
    finally:
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == (b"ours\n01234" + other if other else b"ours\n")


def test_a_book_replaces_only_a_book_of_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "some.book"
    write_book(path, "one", 1, {}, b"1")
    write_book(path, "one", 1, {}, b"2")
    with pytest.raises(OSError):
        write_book(path, "two", 1, {}, b"3")
    assert bytes(open_book(path, "one", 1).payload) == b"2"
    with pytest.raises(BookFileError):
        open_book(path, "two", 1)


OPTIONS = ("GameLog", "Debug Log File")


@pytest.mark.parametrize("make", REFUSED, ids=lambda make: str(make.__name__))
@pytest.mark.parametrize("option", OPTIONS)
def test_options_refuse_what_is_not_ours(tmp_path: Path, option: str, make: Callable[[Path], None]) -> None:
    path = tmp_path / "file"
    make(path)
    with Client(f"setoption name {option} value {path}") as client:
        errors = [line for line in client.sync() if "compil" not in line]
        assert len(errors) == 1 and errors[0].startswith(f"info string error option {option}: ")
        client.send("ucinewgame", "position startpos", "d", "quit")
        assert client.end() == 0
    if make is foreign:
        assert path.read_bytes() == FOREIGN
    assert [name.name for name in tmp_path.iterdir()] == ["file"]


def test_a_refused_file_leaves_the_one_in_force(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    bad.write_bytes(FOREIGN)
    for option in OPTIONS:
        good.unlink(missing_ok=True)
        with Client(f"setoption name {option} value {good}", f"setoption name {option} value {bad}") as client:
            client.answers("position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w moves a7a9", "ucinewgame")
            client.sync()
        assert good.stat().st_size > 0
    assert bad.read_bytes() == FOREIGN


def test_a_traffic_log_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for _ in range(2):
        with Client(f"setoption name Debug Log File value {path}", "uci", "quit") as client:
            assert client.end() == 0
    assert path.read_text().count("<< uciok") == 2


def test_a_traffic_log_on_a_full_disk(tmp_path: Path) -> None:
    """The log ends with one warning; the session continues."""
    path = tmp_path / "log"
    program = f"{limit_files(400)}from siqi.daemon.main import main; main()"
    with Client(f"setoption name Debug Log File value {path}", "uci", "help", "quit", program=program) as client:
        lines = client.rest()
        assert len([line for line in lines if line.startswith("info string warning Debug Log File: ")]) == 1
        assert "uciok" in lines and lines[-1].startswith("help quit")
    assert path.stat().st_size <= 400 and path.read_bytes().endswith(b"\n")


def test_cooperation_file_keeps_what_was_learned(tmp_path: Path) -> None:
    """The file is kept over two processes, through a link; on a full disk the old file stays."""
    link, path = tmp_path / "link", tmp_path / "learned.book"
    link.symlink_to(path.name)
    setup = (
        "setoption name UCI_Variant value junqi",
        "setoption name Algorithm value cooperation",
        f"setoption name CooperationFile value {link}",
    )
    sizes = []
    for limit in (1 << 40, 1 << 40, 500):
        program = f"{limit_files(limit)}from siqi.daemon.main import main; main()"
        with Client(*setup, program=program) as client:
            client.send("position startpos moves diahcbgkkfiecfigjhedjljhg ?")
            client.search("go nodes 3000", timeout_s=300)
            client.search("go nodes 3000")
            client.send("ucinewgame")
            client.sync()
            warned = [line for line in client.seen if "warning" in line and "link" in line]
            assert len(warned) == (limit == 500), warned
        sizes.append(path.stat().st_size)
    assert sizes[0] > 500 and sizes[2] == sizes[1] >= sizes[0] and link.is_symlink()
    assert sorted(name.name for name in tmp_path.iterdir()) == ["learned.book", "link"]


@pytest.mark.parametrize("make", (folder, null, loop, foreign), ids=lambda make: str(make.__name__))
def test_cooperation_file_keeps_what_is_no_book(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "file"
    make(path)
    setup = (
        "setoption name UCI_Variant value junqi",
        "setoption name Algorithm value cooperation",
        f"setoption name CooperationFile value {path}",
    )
    with Client(*setup) as client:
        client.send("position startpos moves diahcbgkkfiecfigjhedjljhg ?", "go nodes 2000")
        client.expect("bestmove", 300)
        for _ in range(2):
            client.send("ucinewgame")
            client.sync()
        assert any("warning" in line and str(path) in line for line in client.seen)
        client.send("quit")
        assert client.end() == 0
    assert path.is_symlink() == (make in (null, loop))
    if make is foreign:
        assert path.read_bytes() == FOREIGN
    assert [name.name for name in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("is_new", [True, False])
def test_what_a_killed_write_has_left_is_removed_by_the_next(is_new: bool, tmp_path: Path) -> None:
    """Nothing else is: neither what is being written nor files that only look alike."""
    write = "create_file(Path('a-1.txt'), b'x')" if is_new else "replace_file('a-1.txt', [b'x'], lambda head: True)"
    code = f"""
import time
from pathlib import Path
from siqi.system import files
from siqi.system.files import create_file, replace_file
def wait(*names):
    print("here", flush=True)
    time.sleep(100)
files._replace = files._rename_new = wait
{write}
"""
    others = {".a-1.txt.tmp", ".b-1.txt.0123456789abcdef.tmp", ".a-1.txt.0123456789abcde.tmp", "a-1.txt.tmp"}
    for name in others:
        (tmp_path / name).write_text("mine")
    command, environment = [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        files.create_file(tmp_path / "a-2.txt", b"y")
        (_,) = {path.name for path in tmp_path.iterdir()} - others - {"a-2.txt"}  # it is being written
        process.kill()
    assert len(list(tmp_path.iterdir())) == len(others) + 2
    if is_new:
        files.create_file(tmp_path / "a-3.txt", b"y")
    else:
        files.replace_file(tmp_path / "a-3.txt", [b"y"], lambda head: True)
    assert {path.name for path in tmp_path.iterdir()} == others | {"a-2.txt", "a-3.txt"}
