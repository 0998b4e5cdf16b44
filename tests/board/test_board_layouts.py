"""Set-ups kept under names: in Play and in Championship, for either side, in a file of the games' folder."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from board_games import Memory, loaded
from championship_games import MemoryDays

from siqi.daemon.board.championship.commands import BeginContest
from siqi.daemon.board.championship.session import Championship
from siqi.daemon.board.commands import Begin, ForgetLayout, SaveLayout, SetUp, Swap, UseLayout
from siqi.daemon.board.events import Refused
from siqi.daemon.board.layouts import NAME, Layouts
from siqi.daemon.board.mode import LoadRequest, SearchRequest
from siqi.daemon.board.session import Session

WORDS = {"ewn": "615243", "junqi": "diahcbgkkfiecfigjhedjljhg"}
GAMES = pytest.mark.parametrize("game", WORDS)


def begun(mode: Any, game: str, command: Any) -> Any:
    """Begin a game whose set-up the person makes, from the engine's proposal."""
    mode.do(command)
    if isinstance(mode.engine_request(), LoadRequest):
        mode.game_loaded(loaded(game))
    for _ in range(2):  # the engine's own set-up, if it is the first side, then the proposal
        if isinstance(request := mode.engine_request(), SearchRequest):
            mode.engine_moved(request.key, WORDS[game])
    return mode.snapshot()


def did(mode: Any, command: Any) -> Any:
    events = mode.do(command)
    assert not [event for event in events if isinstance(event, Refused)], events
    return mode.snapshot()


@GAMES
@pytest.mark.parametrize("person", [0, 1])
def test_a_set_up_is_kept_and_taken_later_by_either_side(game: str, person: int, tmp_path: Path) -> None:
    mode = Session(Memory(), layouts=Layouts(tmp_path))  # type: ignore[arg-type]
    shown = begun(mode, game, Begin(game, 0, 20))
    assert shown.layouts == [] and shown.pieces
    did(mode, SaveLayout("mine"))
    first, second = shown.setup[0], shown.setup[1]
    changed = did(mode, Swap(first, second))
    assert changed.layouts == ["mine"]
    if game == "ewn":
        assert changed.pieces != shown.pieces
    assert did(mode, UseLayout("mine")).pieces == shown.pieces
    later = Session(Memory(), layouts=Layouts(tmp_path))  # type: ignore[arg-type]
    begun(later, game, Begin(game, person, 20))
    did(later, UseLayout("mine"))
    did(later, SetUp())
    assert later.state.path()[person].word == WORDS[game]
    other = next(name for name in WORDS if name != game)
    assert begun(later, other, Begin(other, 0, 20)).layouts == []  # each game has its own


@GAMES
def test_championship_has_the_same_set_ups(game: str, tmp_path: Path) -> None:
    layouts = Layouts(tmp_path)
    layouts.do(SaveLayout("Alpha"), game, WORDS[game])
    mode = Championship(MemoryDays(tmp_path), layouts=layouts)
    shown = begun(mode, game, BeginContest(game, ("A", "B"), 1, 0, 60_000))
    assert shown.layouts == ["Alpha"] and shown.press == "announce"
    did(mode, SaveLayout("Beta"))
    assert did(mode, UseLayout("Alpha")).word == WORDS[game]
    assert did(mode, ForgetLayout("Beta")).layouts == ["Alpha"]
    (event,) = mode.do(UseLayout("Beta"))
    assert isinstance(event, Refused) and event.reason == "there is no such set-up"


def test_a_file_that_is_not_ours_is_left_as_it_is(tmp_path: Path) -> None:
    layouts = Layouts(tmp_path)
    for content in (b"mine", b'{"layouts":', b'{"layouts":[]}'):
        (tmp_path / NAME).write_bytes(content)
        assert layouts.names("ewn") == []
        with pytest.raises(ValueError, match="cannot be read"):
            layouts.do(SaveLayout("x"), "ewn", "123456")
        assert (tmp_path / NAME).read_bytes() == content


def test_a_full_disk_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mode = Session(Memory(), layouts=Layouts(tmp_path))  # type: ignore[arg-type]
    begun(mode, "ewn", Begin("ewn", 0, 20))
    did(mode, SaveLayout("mine"))

    def full(*words: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("siqi.daemon.board.layouts.replace_file", full)
    event, _ = mode.do(SaveLayout("other"))
    assert isinstance(event, Refused) and "No space" in event.reason
    assert Layouts(tmp_path).names("ewn") == ["mine"]
