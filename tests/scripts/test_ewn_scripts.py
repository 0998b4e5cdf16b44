"""EWN's long jobs in small: learning, repeated and resumed; set-ups and their book."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.books import build_ewn_setups
from scripts.tune import train_ewn

from naive.ewn import Naive, setup_position
from siqi.games import registry
from siqi.games.books.book import BookFileError
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.evaluation import evaluate
from siqi.games.ewn.evaluation.evaluate import WEIGHTS
from siqi.games.ewn.game import Ewn
from siqi.games.ewn.knowledge import knowledge
from siqi.games.ewn.knowledge.knowledge import SETUP_BOOK
from siqi.games.ewn.knowledge.setupbook import SetupBook
from siqi.games.ewn.rules.setup import FIRST_SETUPS, SECOND_SETUPS, SETUPS, canonical, mirrored, reversed_numbers


def run(monkeypatch: pytest.MonkeyPatch, module: Any, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", ["script", *map(str, words)])
    assert module.main() == 0


# Learning


def test_learning_is_repeated_exactly_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole.book", tmp_path / "parts.book"
    run(monkeypatch, train_ewn, "--games", 600, "--every", 200, "--out", whole)

    save = train_ewn.save

    def save_and_interrupt(part: Path, fields: dict[str, Any]) -> None:
        save(part, fields)
        if fields["done"] == 400:
            raise KeyboardInterrupt

    monkeypatch.setattr(train_ewn, "save", save_and_interrupt)
    with pytest.raises(SystemExit):
        run(monkeypatch, train_ewn, "--games", 600, "--every", 200, "--out", parts)
    monkeypatch.setattr(train_ewn, "save", save)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts.part.npz", "whole.book"]
    run(monkeypatch, train_ewn, "--games", 600, "--every", 200, "--out", parts)
    assert parts.read_bytes() == whole.read_bytes()
    assert not parts.with_suffix(".part.npz").exists()


def test_learning_lessens_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    run(monkeypatch, train_ewn, "--games", 12000, "--every", 4000, "--out", tmp_path / "a.book")
    errors = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.1


def test_the_evaluation_sees_a_position_and_its_turned_image_alike() -> None:
    known, game, rng = Ewn(pytest.fail).knowledge, registry.load("ewn"), random.Random(2)
    for _ in range(50):
        position = Naive(setup_position(*("".join(rng.sample("123456", 6)) for _ in range(2))))
        for _ in range(rng.randint(0, 12)):
            if position.winner() is None:
                position.die = rng.randint(1, 6)
                position.push(rng.choice(position.legal_moves()))
        if position.winner() is None:
            board, side, _ = position.fen().split()
            turned = "/".join(row[::-1] for row in board.split("/")[::-1]).swapcase()
            values = [
                known.estimate(game.position(fen).record)
                for fen in (f"{board} {side} -", f"{turned} {'s' if side == 'f' else 'f'} -")
            ]
            assert values[0] == values[1]


def test_without_its_book_the_evaluation_counts_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "BOOK", tmp_path / "none.book")
    reported: list[str] = []
    known = Ewn(reported.append).knowledge
    assert len(reported) == 1
    assert "evaluating by steps alone" in reported[0]
    game = registry.load("ewn")
    ahead = known.estimate(game.position("5/5/2AB1/2CD1/3fe f").record)
    behind = known.estimate(game.position("AB3/1f3/2e2/5/5 f").record)
    assert ahead > 0.6
    assert behind < 0.4
    assert len(evaluate.step_weights()) == WEIGHTS


# Set-ups


def test_alike_setups() -> None:
    assert (len(SETUPS), len(FIRST_SETUPS), len(SECOND_SETUPS)) == (720, 180, 360)
    for setup in SETUPS:
        assert canonical(mirrored(setup)) == canonical(reversed_numbers(setup)) == canonical(setup)
        assert mirrored(mirrored(setup)) == reversed_numbers(reversed_numbers(setup)) == setup
    position = EwnPosition()
    position.push(position.parse_move("123456"))
    position.push(position.parse_move("123456"))
    other = EwnPosition()
    other.push(other.parse_move(mirrored("123456")))
    other.push(other.parse_move(mirrored("123456")))
    rows = [list(row.replace("2", "11").replace("3", "111")) for row in position.fen().split()[0].split("/")]
    assert [list(column) for column in zip(*rows, strict=True)] == [
        list(row.replace("2", "11").replace("3", "111")) for row in other.fen().split()[0].split("/")
    ]


def test_the_book_of_setups() -> None:
    book = SetupBook(SETUP_BOOK)
    best = max(entry.against_best for entry in book.entries.values())
    rng = random.Random(3)
    chosen = {book.choose(None, rng) for _ in range(60)}
    assert len(chosen) > 3
    for setup, chance in chosen:
        assert sorted(setup) == list("123456")
        assert best - 0.003 < chance <= best
        answers = {book.choose(setup, rng) for _ in range(20)}
        assert all(abs(answer_chance - (1 - chance)) < 0.01 for _, answer_chance in answers)
    for entry in book.entries.values():
        assert entry.against_best < entry.against_all
        assert entry.against_best == min(entry.answers.values())
    # An answer to the mirror image is the answer's mirror image.
    for setup in FIRST_SETUPS[:20]:
        assert [(mirrored(answer), chance) for answer, chance in book.answers(setup)] == book.answers(mirrored(setup))


def test_a_damaged_book_of_setups_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.book").write_bytes(SETUP_BOOK.read_bytes()[:-7])
    with pytest.raises(BookFileError):
        SetupBook(tmp_path / "bad.book")
    monkeypatch.setattr(knowledge, "SETUP_BOOK", tmp_path / "bad.book")
    reported: list[str] = []
    game = Ewn(reported.append)
    game.set_option("OwnBook", "true")
    assert game.knowledge.suggest([], random.Random(1)) is None
    assert game.knowledge.suggest([], random.Random(1)) is None
    assert len(reported) == 1


@pytest.mark.long
def test_valuing_setups_goes_on_where_it_was_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_ewn_setups, "ROUND", 360)  # one game each
    monkeypatch.setattr(build_ewn_setups, "FIRST_SETUPS", FIRST_SETUPS[:4])
    monkeypatch.setattr(build_ewn_setups, "LAST_GAMES", 2)
    words = ["--log", tmp_path / "log.jsonl", "--out", tmp_path / "setups.book"]
    run(monkeypatch, build_ewn_setups, *words)
    log = (tmp_path / "log.jsonl").read_text().splitlines(keepends=True)
    first = (tmp_path / "setups.book").read_bytes()
    (tmp_path / "log.jsonl").write_text("".join(log[:3]) + log[3][:20])
    run(monkeypatch, build_ewn_setups, *words, "--jobs", 2)
    assert (tmp_path / "setups.book").read_bytes() == first
    assert (tmp_path / "log.jsonl").read_text().splitlines(keepends=True) == log
    with pytest.raises(BookFileError):  # a book needs all set-ups
        SetupBook(tmp_path / "setups.book")
