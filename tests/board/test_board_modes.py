"""The modes of `siqi board`: one is active, each goes on where it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from board_games import Memory, Table

from siqi.daemon.board.commands import Play, Resume
from siqi.daemon.board.events import Loading
from siqi.daemon.board.modes import NAME, Modes
from siqi.daemon.board.session import Session


class Other(Session):
    name = "other"


def two(folder: Path) -> Modes:
    return Modes([Session(Memory()), Other(Memory())], folder)  # type: ignore[arg-type]


def test_the_next_server_begins_with_the_mode_that_was_active(tmp_path: Path) -> None:
    modes = two(tmp_path)
    assert modes.names == ["play", "other"] and modes.active.name == "play"
    modes.switch("other")
    assert modes.active is modes.every[1] and two(tmp_path).active.name == "other"
    with pytest.raises(KeyError):
        modes.switch("none")
    assert modes.active.name == "other"
    for odd in (b"none", b"\xff\xfe", b""):
        (tmp_path / NAME).write_bytes(odd)
        assert two(tmp_path).active.name == "play"


def test_a_file_of_another_program_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"mine")
    modes = two(tmp_path)
    modes.switch("other")
    assert modes.active.name == "other" and (tmp_path / NAME).read_bytes() == b"mine"


def test_a_folder_that_cannot_be_written_keeps_no_page_from_its_modes(tmp_path: Path) -> None:
    modes = two(tmp_path / "gone")
    modes.switch("other")
    assert modes.active.name == "other"


def test_progress_is_in_both_languages(tmp_path: Path) -> None:
    """The page has a language of its own: the process may have another one."""
    for text, chinese in (
        (
            "compiling ewn for the first time; later starts use the cache",
            "正在编译爱恩斯坦棋（首次；以后启动时用缓存）",
        ),
        ("compiling ewn: 3 kernels in 1.2 s", "正在编译爱恩斯坦棋：3 个内核，1.2 秒"),
    ):
        (event,) = two(tmp_path).active.loading(text)
        assert isinstance(event, Loading) and (event.text, event.chinese) == (text, chinese)


def test_a_clock_of_play_stands_while_another_mode_is_shown() -> None:
    table = Table()
    table.begin("xiangqi", clock_ms=60_000)
    table.now += 1000
    table.do(Play("h2e2"))
    table.answer()
    table.session.left()
    table.now += 30_000
    shown = table.shown()
    assert shown.stage == "asks" and shown.clocks is not None and shown.clocks.left == (59_000, 60_000)
    assert table.do(Resume()).stage == "play"


def test_a_game_without_a_clock_goes_on_when_its_mode_is_shown_again() -> None:
    table = Table()
    table.begin("xiangqi")
    table.session.left()
    assert table.shown().stage == "play"
