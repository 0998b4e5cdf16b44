"""The games' folder of `siqi board`: killed processes, torn lines, full disks, a folder that goes, two servers."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import sys
from pathlib import Path

import pytest
from board_games import Table, file_table, shown_until_killed

from siqi.daemon.board.commands import Play, Resign, Resume
from siqi.daemon.board.entries import AnyEntry, Begun, Thrown
from siqi.daemon.board.events import Refused
from siqi.daemon.board.running import Claim, Running, find
from siqi.daemon.board.store import SUFFIX, Store
from siqi.system import log


def begun(game: str = "ewn") -> Begun:
    return Begun(at="now", game=game, person=0, skill=20, movetime_ms=100)


def store_in(folder: Path) -> Store[AnyEntry]:
    return Store(folder, AnyEntry)


def only_file(folder: Path) -> Path:
    (path,) = folder.glob(f"*{SUFFIX}")
    return path


def test_games_are_numbered_and_the_youngest_goes_on(tmp_path: Path) -> None:
    store = store_in(tmp_path / "a" / "b")
    assert store.latest() == [] and store.stem == ""
    store.begin(begun())
    store.add(Thrown(at="now", throw=3, by="page"))
    store.begin(begun("xiangqi"))
    assert store.stem == "00002-xiangqi"
    store.close()
    again = store_in(tmp_path / "a" / "b")
    assert again.latest() == [begun("xiangqi")]
    again.close()
    os.utime(tmp_path / "a" / "b" / f"00001-ewn{SUFFIX}", (2**31, 2**31))  # a clock that was wrong changes nothing
    assert again.latest() == [begun("xiangqi")]
    again.close()


def test_a_fact_is_on_the_disk_before_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        fsync(descriptor)
        synced.append(only_file(tmp_path).read_text())

    table = file_table(tmp_path)
    monkeypatch.setattr(log.os, "fsync", noted)
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    assert len(synced) >= 2 and '"h2e2"' in synced[-1] and synced[-1].endswith("\n")


@pytest.mark.parametrize("cut", (1, 7, 30))
def test_a_torn_last_line_is_cut_off(cut: int, tmp_path: Path) -> None:
    table = file_table(tmp_path)
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    table.do(Play(table.shown().choices[0].word)) if table.shown().choices else table.answer()
    table.store.close()
    path = only_file(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    again = file_table(tmp_path)
    shown = again.shown()
    assert shown.stage == "asks" and len(shown.moves) == (2 if cut == 1 else 1)  # a line that lacks but its end counts
    again.do(Resume())
    again.play(4)
    again.store.close()
    assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.parametrize("length", (0, 1, 12, 60))
def test_a_game_torn_in_its_first_line_is_none(length: int, tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.begin(begun("xiangqi"))
    store.begin(begun())
    store.close()
    path = tmp_path / f"00002-ewn{SUFFIX}"
    path.write_bytes(path.read_bytes()[:length])
    assert store_in(tmp_path).latest() == [begun("xiangqi")] and not path.exists()


def test_a_damaged_file_is_left_as_it_is(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.begin(begun())
    store.close()
    path = only_file(tmp_path)
    for damage in (b'{"entry":"flown"}\n', b'{"entry":"begun"}\n' * 2, b"what\n{}\n"):
        path.write_bytes(b'{"entry":"begun",' + damage)
        before = path.read_bytes()
        with pytest.raises(OSError, match="damaged"):
            store_in(tmp_path).latest()
        assert path.read_bytes() == before


def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / f"00009-mine{SUFFIX}"
    path.write_text("my notes\n")
    with pytest.raises(OSError, match="another kind of file"):
        store_in(tmp_path).latest()
    assert path.read_text() == "my notes\n"


def test_a_folder_that_goes_is_made_anew_with_the_whole_game(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    table = file_table(folder)
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    path = only_file(folder)
    path.rename(tmp_path / "elsewhere")
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()
    table.answer()
    table.store.close()
    again = file_table(folder)
    assert len(again.shown().moves) == 2 and again.shown().file == "00001-xiangqi"


def test_a_folder_that_cannot_be_made_anew_is_said_and_tried_again(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    table = file_table(folder)
    table.begin("xiangqi")
    only_file(folder).unlink()
    folder.rmdir()
    folder.write_text("a file in its place")
    refused, shown = table.session.do(Play("h2e2"))
    assert isinstance(refused, Refused) and "not saved" in refused.reason
    assert shown.stage == "asks" and not shown.moves  # type: ignore[union-attr]
    folder.unlink()
    table.do(Resume())
    table.do(Play("h2e2"))
    assert '"h2e2"' in only_file(folder).read_text()


def test_a_disk_that_is_full_leaves_whole_lines(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    table = file_table(tmp_path)
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    path = only_file(tmp_path)
    before, size = resource.getrlimit(resource.RLIMIT_FSIZE), path.stat().st_size
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, before[1]))
    try:
        refused, shown = table.session.do(Resign())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert isinstance(refused, Refused) and shown.stage == "asks"  # type: ignore[union-attr]
    assert path.stat().st_size == size
    table.do(Resume())
    table.do(Resign())
    assert path.read_text().count("\n") == 3


def test_one_server_a_folder(tmp_path: Path) -> None:
    claim = Claim(tmp_path)
    with pytest.raises(OSError) as raised:
        Claim(tmp_path)
    assert raised.value.errno == errno.EBUSY and find(tmp_path) is None
    claim.publish(Running(7474, "token"))
    claim.publish(Running(7475, "other"))
    assert find(tmp_path) == Running(7475, "other")
    if os.name == "posix":
        assert (tmp_path / ".board.json").stat().st_mode & 0o777 == 0o600  # other users cannot read the token
    claim.release()
    assert find(tmp_path) is None
    Claim(tmp_path).release()


def test_a_game_has_one_writer(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.begin(begun())
    with pytest.raises(OSError, match="another process"):
        store_in(tmp_path).latest()
    store.close()


PLAYING = """
import sys
sys.path[:0] = ["tests/support"]
from pathlib import Path
from board_games import file_table
table = file_table(Path(sys.argv[1]), int(sys.argv[2]))
shown = table.shown()
if shown.stage in ("start", "over"):
    table.begin("ewn", clock_ms=60_000)
while True:
    shown = table.shown()
    print(shown.file, len(shown.moves), shown.throw, flush=True)
    if not table.step():
        table.begin("ewn", clock_ms=60_000)
"""


def test_a_session_that_is_killed_at_any_moment_has_all_that_it_showed(tmp_path: Path) -> None:
    rng = random.Random(4)
    command = (sys.executable, "-c", PLAYING, str(tmp_path))
    for seed in range(3):
        lines = shown_until_killed((*command, str(seed)), rng)
        last = lines[-1].split() if lines else None
        again: Table = file_table(tmp_path)
        shown = again.shown()
        assert shown.stage in ("asks", "over")
        if last is not None:
            at_least = (last[0], int(last[1]))
            assert (shown.file, len(shown.moves)) >= at_least
            if (shown.file, len(shown.moves)) == at_least and int(last[2]):
                assert shown.throw == int(last[2]) or shown.stage == "over"
        again.store.close()
