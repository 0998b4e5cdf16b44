"""The user's known positions (option PositionFile): read, matched at the nodes of a search, refused in one line."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from client import Client

from siqi.games import registry
from siqi.games.contract import Report, Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import code_address, entry, int64, new_record
from siqi.games.xiangqi.knowledge import known
from siqi.games.xiangqi.knowledge.known import KNOWN_WIN, MAX_BYTES, KnownPositions, find_known, parse_line
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION
from siqi.games.xiangqi.rules.work import NO_SCORE, WORK, WORK_DTYPE

ROOT_FEN = "3ak4/4a4/9/9/9/4P4/9/9/4N4/4K4 w"
"""Horse and pawn against two advisors: an ending without a tablebase."""


@entry(int64(POSITION, WORK, LOOKUP))
def find(pos: Any, work: Any, lookup: Any) -> int:
    return find_known(pos, work, lookup)


def value_of(base: KnownPositions, position: Any) -> int | None:
    work = new_record(WORK_DTYPE)
    work.known_positions = base.address
    value = int(find(position.record, work, LOOKUP_RECORD))
    assert int(work.tbhits) == (value != NO_SCORE)
    return None if value == NO_SCORE else value


def mirrored(fen: str) -> str:
    board, *rest = fen.split()
    return " ".join(["/".join(row[::-1] for row in board.split("/")), *rest])


def after(fen: str, word: str) -> Any:
    position: Any = registry.load("xiangqi").position(fen)
    position.push(position.parse_move(word))
    return position


def search(game: Any, fen: str, depth: int) -> Report:
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    searcher.start(Task(game.position(fen), Control(200_000)))
    for _ in range(depth):
        report: Report = searcher.iterate()
    searcher.finish()
    return report


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_position_and_its_mirror_image_is_found_and_no_other(tmp_path: Path) -> None:
    rng, game = random.Random(1), registry.load("xiangqi")
    position: Any = game.position()
    fens = set()
    while len(fens) < 300:
        moves = position.legal_moves()
        if not moves or position.ply > 150:
            position = game.position()
            continue
        position.push(rng.choice(moves))
        fens.add(" ".join(position.fen().split()[:2]))
    chosen, others = sorted(fens)[:200], sorted(fens)[200:]
    values = {fen: rng.randrange(-10_000, 10_001) for fen in chosen}
    base = KnownPositions(write(tmp_path / "p.txt", *(f"{fen}, {value}" for fen, value in values.items())), pytest.fail)
    assert len(values) < base.count <= 2 * len(values)
    for fen, value in values.items():
        assert value_of(base, game.position(fen)) == value_of(base, game.position(mirrored(fen))) == value
    images = {*chosen, *map(mirrored, chosen)}
    strangers = [fen for fen in others if fen not in images]
    assert len(strangers) > 50 and {value_of(base, game.position(fen)) for fen in strangers} == {None}


def test_the_side_to_move_and_the_whole_board_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A position with the same key but another board is another position."""
    game = registry.load("xiangqi")
    base = KnownPositions(write(tmp_path / "p.txt", f"{ROOT_FEN}, 77"), pytest.fail)
    assert value_of(base, game.position(ROOT_FEN)) == 77
    assert value_of(base, game.position(ROOT_FEN.replace(" w", " b"))) is None
    impostor: Any = game.position("3ak4/4a4/9/9/9/4P4/9/9/3N5/4K4 w")
    impostor.record.key = game.position(ROOT_FEN).key
    assert value_of(base, impostor) is None
    impostor = game.position(ROOT_FEN.replace(" w", " b"))
    impostor.record.key = game.position(ROOT_FEN).key
    assert value_of(base, impostor) is None


def test_a_matched_node_has_the_value_of_the_file(tmp_path: Path) -> None:
    game: Any = registry.load("xiangqi")
    game.set_option("UseEndgames", "false")
    plain = search(game, ROOT_FEN, 4)
    assert plain.tbhits == 0
    word = "e1g2"
    target = " ".join(after(ROOT_FEN, word).fen().split()[:2])
    for text, score in (("loss", KNOWN_WIN), ("-1234", 1234), ("LOSS", KNOWN_WIN)):
        for fen in (target, mirrored(target)):
            game.set_option("PositionFile", str(write(tmp_path / "p.txt", "# known", "", f"{fen}, {text}  # so")))
            report = search(game, ROOT_FEN, 4)
            line = report.lines[0]
            assert (game.position(ROOT_FEN).move_text(line.pv[0]), line.score.cp) == (word, score)
            assert report.tbhits > 0 and len(line.pv) == 1
    game.set_option("PositionFile", "")
    again = search(game, ROOT_FEN, 4)
    assert (again.nodes, again.lines[0].score, again.tbhits) == (plain.nodes, plain.lines[0].score, 0)


def test_all_moves_lost_or_drawn(tmp_path: Path) -> None:
    """If every successor is known, the score is the best of them at any depth."""
    game: Any = registry.load("xiangqi")
    position = game.position(ROOT_FEN)
    lines = []
    for move in position.legal_moves():
        position.push(move)
        lines.append(f"{position.fen()}, {'draw' if len(lines) == 3 else 'win'}")
        position.pop()
    best = position.move_text(position.legal_moves()[3])
    game.set_option("PositionFile", str(write(tmp_path / "p.txt", *lines)))
    report = search(game, ROOT_FEN, 9)
    assert (position.move_text(report.lines[0].pv[0]), report.lines[0].score.cp) == (best, 0)


def test_repetition_goes_before_a_known_value(tmp_path: Path) -> None:
    """A known win that is repeated for the third time is a draw by repetition, as without the file."""
    game: Any = registry.load("xiangqi")
    game.set_option("UseEndgames", "false")
    fen = "3k5/9/9/9/9/9/9/9/9/R3K4 w"
    position = game.position(fen)
    for word in ("a0a1", "d9d8", "a1a0", "d8d9") * 2:
        position.push(position.parse_move(word))
    last = position.copy()
    last.pop()  # Black to move may repeat the first position
    game.set_option("PositionFile", str(write(tmp_path / "p.txt", f"{fen}, loss")))
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    searcher.start(Task(last, Control(100_000), (last.parse_move("d8d9"),)))
    for _ in range(3):
        report = searcher.iterate()
    searcher.finish()
    assert report.lines[0].score.cp == 0


@pytest.mark.parametrize(
    "line, reason",
    [
        (ROOT_FEN, "not `FEN, value`"),
        (f"{ROOT_FEN}, ", "not a value: "),
        (f"{ROOT_FEN}, won", "not a value: won"),
        (f"{ROOT_FEN}, --3", "not a value: --3"),
        (f"{ROOT_FEN}, 1e3", "not a value: 1e3"),
        (f"{ROOT_FEN}, 10001", "10001 is not within -10000..10000"),
        (f"{ROOT_FEN}, ٣", "not a value: ٣"),
        ("9/9/9/9/9/9/9/9/9/4K4 w, win", "black has no king"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w, draw", "the side not to move is in check, or the kings face each other"),
        (f"{mirrored(ROOT_FEN)}, 4", "known before with another value"),
    ],
)
def test_bad_lines_are_one_warning_and_the_others_count(line: str, reason: str, tmp_path: Path) -> None:
    warned: list[str] = []
    game: Any = registry.load("xiangqi", warned.append)
    path = write(tmp_path / "p.txt", f"{ROOT_FEN}, 3", line)
    game.set_option("PositionFile", str(path))
    assert warned == [f"{path}: line 2: {reason}"]
    path = write(tmp_path / "p.txt", line.replace(", 4", ", 3"), "nonsense", f"{ROOT_FEN}, 3")
    warned.clear()
    game.set_option("PositionFile", str(path))
    assert len(warned) == 1 and (len(warned[0].splitlines()), "lines left out" in warned[0]) == (
        1,
        "another" not in reason,
    )
    assert search(game, after(ROOT_FEN, "e1g2").fen(), 2).depth == 2


def test_values_are_read_alike(tmp_path: Path) -> None:
    assert [parse_line(f"{ROOT_FEN},{text}")[1] for text in ("win", "Draw", " LOSS ", "+5", "-10000")] == [
        KNOWN_WIN,
        0,
        -KNOWN_WIN,
        5,
        -10_000,
    ]


def test_a_file_beyond_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("#" * (MAX_BYTES + 1))
    with Client() as client:
        client.sync()
        answers = client.answers(f"setoption name PositionFile value {path}")
        assert len(answers) == 1 and f"more than the {MAX_BYTES} it may have" in answers[0]
        path.write_bytes(b"\xff\xff")
        assert client.answers(f"setoption name PositionFile value {path}") == [
            f"info string warning {path}: line 1: not UTF-8, in which such a file is written"
        ]
        assert client.search("position startpos", "go depth 2")[-1].startswith("bestmove ")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_skipped(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text(f"{ROOT_FEN}, win\n", encoding)
    warnings: list[str] = []
    assert KnownPositions(path, warnings.append).count and not warnings


def test_an_empty_file_and_a_full_table(tmp_path: Path) -> None:
    game = registry.load("xiangqi")
    base = KnownPositions(write(tmp_path / "p.txt", "# nothing"), pytest.fail)
    assert base.count == 0 and value_of(base, game.position()) is None
    rows = known._table({(turn, key, *[0] * 6): 1 for turn in (0, 1) for key in range(-500, 500)})
    used = np.count_nonzero(rows[1:, 1])
    assert used == 2000 and len(rows) - 1 >= 2 * used


def test_only_outlined_kernels_have_an_address() -> None:
    assert code_address(find_known) > 0
    with pytest.raises(AssertionError, match="find is not outlined"):
        code_address(find)
