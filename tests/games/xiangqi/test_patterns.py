"""The pattern book: its source, patterns that fit positions mirrored and in either colour, unreadable sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from siqi.games import registry
from siqi.games.books.book import BookFileError
from siqi.games.xiangqi.knowledge.knowledge import PATTERN_BOOK
from siqi.games.xiangqi.knowledge.patterns import DRAWN, WON, Pattern, PatternBook, parse, parse_line

BOOK = """\
# a comment
N* - A = win | one | here
R - AABB; some a.side == 0, k.rank == 9 = draw | two | there
R - AABB; k.rank <= 8 = win | three | there
PP - BB*; P.rank <= 7, some P.side >= 3 = win | four | everywhere
"""


@pytest.fixture(scope="module")
def game() -> Any:
    return registry.load("xiangqi")


@pytest.fixture
def book(tmp_path: Path) -> PatternBook:
    path = tmp_path / "patterns.txt"
    path.write_text(BOOK)
    return PatternBook(path)


def variants(fen: str) -> list[tuple[str, int]]:
    """Return a FEN, its mirror image and both with colours exchanged; each with the new colour of Red's pieces."""
    rows, turn = fen.split()[:2]
    mirrored = "/".join(row[::-1] for row in rows.split("/"))
    other = "b" if turn == "w" else "w"
    return [
        (f"{rows} {turn}", 0),
        (f"{mirrored} {turn}", 0),
        (f"{rows[::-1].swapcase()} {other}", 1),
        (f"{mirrored[::-1].swapcase()} {other}", 1),
    ]


@pytest.mark.parametrize(
    ("fen", "name"),
    [
        ("3k1a3/9/9/9/9/9/9/9/9/3NK4 w", "one"),
        ("3k1a3/9/9/9/9/9/9/4B4/9/3NK1B2 b", "one"),  # with elephants of its own
        ("3k5/9/9/9/9/9/9/9/9/3NK4 w", None),
        ("3k1a3/9/b8/9/9/9/9/9/9/3NK4 w", None),
        ("2bk1ab2/4a4/9/9/9/9/9/9/9/3RK4 b", "two"),
        ("2b2ab2/4k4/5a3/9/9/9/9/9/9/3R1K3 w", "three"),
        ("2bk1ab2/9/5a3/9/9/9/9/9/9/4K2R1 w", None),  # neither advisor on the middle file, the king at home
        ("2bk5/9/2P3P2/9/6b2/9/9/9/9/4K4 w", None),  # no pawn three files off the middle
        ("2bk5/9/1P4P2/9/6b2/9/9/9/9/4K4 w", "four"),
        ("2bk1a3/9/1P4P2/9/6b2/9/9/9/9/4K4 w", "four"),  # the other side can have advisors too
        ("2bk5/1P7/6P2/9/6b2/9/9/9/9/4K4 w", None),
    ],
)
def test_what_fits(game: Any, book: PatternBook, fen: str, name: str | None) -> None:
    for text, pressing in variants(fen):
        fit = book.find(game.position(text).record)
        assert (None if fit is None else book.patterns[fit.entry].name) == name, text
        assert fit is None or fit.pressing == pressing


def test_the_shipped_book_is_large_and_has_sources() -> None:
    patterns = parse(PATTERN_BOOK)
    assert len({(pattern.pressing, pattern.other) for pattern in patterns}) >= 60
    assert all(pattern.name and pattern.source for pattern in patterns)
    assert {pattern.result for pattern in patterns} == {DRAWN, WON}
    PatternBook(PATTERN_BOOK)


def test_letters_that_stand_for_more() -> None:
    pattern: Pattern = parse_line("NA* - B = win | x | y")
    assert {str(ending) for ending in pattern.materials()} == {"NA-B", "NAA-B", "NAB-B", "NAAB-B", "NABB-B", "NAABB-B"}


@pytest.mark.parametrize(
    "line",
    [
        "N - A",
        "N - A = win",
        "N - A = win | x",
        "N - A = loss | x | y",
        "N A = win | x | y",
        "AN - B = win | x | y",
        "Q - A = win | x | y",
        "N - AAA = win | x | y",
        "N - A; N.rank = 3 = win | x | y",
        "N - A; N.height <= 3 = win | x | y",
        "N - A; Z.rank <= 3 = win | x | y",
        "N - A; all N.rank <= 3 = win | x | y",
        "N*N - A = win | x | y",
    ],
)
def test_lines_that_cannot_be_read(line: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        parse_line(line)
    path = tmp_path / "patterns.txt"
    path.write_text(f"# first\n{line}\n")
    with pytest.raises(BookFileError, match=r"patterns\.txt:2: [^\n]+$"):
        PatternBook(path)


def test_an_unreadable_book_is_reported_and_play_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "patterns.txt"
    warnings: list[str] = []
    for data, reason in ((b"\xff\x80", "not UTF-8"), (b"N - A = won | x | y\n", ":1: not"), (None, "No such file")):
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        monkeypatch.setattr("siqi.games.xiangqi.knowledge.knowledge.PATTERN_BOOK", path)
        game = registry.load("xiangqi", warnings.append)
        assert reason in warnings[-1] and "\n" not in warnings[-1]
        assert game.position().legal_moves()
    assert len(warnings) == 3


def test_a_drawn_pattern_lowers_the_score(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from siqi.games.contract import Task
    from siqi.games.kernel.control import Control

    def score(fen: str) -> int:
        searcher = game.searcher()
        searcher.configure(1, 1, 1)
        searcher.start(Task(game.position(fen), Control()))
        report = searcher.iterate()
        searcher.finish()
        return int(report.lines[0].score.cp)

    drawn = "2bakab2/9/9/9/6r2/9/9/9/5R3/1R1K5 w"  # 双车难胜车士象全
    monkeypatch.setattr(game.knowledge, "tablebase", None)
    with_book = score(drawn)
    monkeypatch.setattr(game.knowledge, "_patterns", None)
    without = score(drawn)
    assert 0 < with_book <= 2 * without // 3
