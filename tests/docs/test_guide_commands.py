"""The commands of the guide's pages on files, pictures and reviews run as they are printed there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import blocks, needs_shell, run_in_shell

from siqi.game_files import load_games, save_games
from siqi.games.xiangqi.library import Board, Game, Line

GUIDE = Path(__file__).parents[2] / "docs/guide"

MOVES = "炮二平五 马8进7 马二进三 车9平8 车一平二 炮8进4 兵三进一 炮2平5 马八进九 马2进3"

QUICK = ["--nodes", "20"]
"""Added to reviews in place of times, which would take minutes."""


def game_of(words: str) -> Game:
    board = Board()
    for word in words.split():
        board.push_san(word)
    return Game.from_board(board, Event="Club", Date="2006.07.03", Red="胡荣华", Black="柳大华")


def commands(page: str) -> list[str]:
    """Return the lines of a page's shell blocks."""
    return [line for block in blocks(f"guide/{page}", "sh") for line in block.splitlines()]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages name; commands run in it."""
    whole = game_of(MOVES)
    whole.comments[1] = "屏风马或顺炮"
    other = Board()
    other.push_san("炮二平五")
    whole.variations[1] = [Line([other.parse_san("炮8平5")])]
    short = [game_of("兵七进一 炮2平3 炮二平五 象3进5"), game_of("相三进五 炮8平4")]
    for name in ("cup/one", "cup/two"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "cup/notes.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    save_games(tmp_path / "game.xqf", [whole])
    save_games(tmp_path / "final.xqf", short[:1])
    save_games(tmp_path / "game.cbl", short)
    save_games(tmp_path / "old.pgn", short, notation="traditional", encoding="big5")
    save_games(tmp_path / "cup/one/a.xqf", [whole])
    save_games(tmp_path / "cup/one/b.pgn", short, notation="chinese", encoding="gb18030")
    save_games(tmp_path / "cup/two/c.cbl", short)
    save_games(tmp_path / "cup/final.pgn", short[:1])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line: str) -> str:
    """Run a line; reviews get few nodes per position."""
    if line.startswith("siqi review"):
        line = " ".join([re.sub(r" --movetime \d+", "", line), *QUICK])
    return run_in_shell(line)


@pytest.mark.long
@pytest.mark.parametrize("page", ["files.md", "pictures.md", "review.md"])
@needs_shell
def test_commands_run_as_printed(page: str, files: Path) -> None:
    """All run in one folder, so that no command's output is in the way of a later one."""
    lines = commands(page)
    assert lines
    if page == "pictures.md":
        save_games("all.pgn", [game_of(MOVES)] * 5)
    for line in lines:
        run(line)


def test_the_game_of_the_page_is_converted_to_the_text_it_shows(files: Path) -> None:
    text = (GUIDE / "files.md").read_text(encoding="utf-8")
    shown = re.search(r"^```text\n(1\. .*?)^```", text, re.DOTALL | re.MULTILINE)
    assert shown
    run(commands("files.md")[0])
    assert Path("game.pgn").read_text(encoding="utf-8").endswith(f"\n\n{shown[1]}")
    games, faults = load_games("game.pgn")
    assert not faults and games[0].moves == game_of(MOVES).moves


def test_the_board_of_the_page_is_the_one_that_is_printed(files: Path) -> None:
    text = (GUIDE / "pictures.md").read_text(encoding="utf-8")
    shown = re.search(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert shown
    assert run(f"PYTHONIOENCODING=utf-8 {commands('pictures.md')[0]}") == shown[1]
