"""Mine Xiangqi games for rules of the form "if these moves were played, answer so" (Jiang, Chen, Tang 2004).

    python scripts/mine_rules.py games.jsonl.zst --min-support 0.02 --min-confidence 0.3

A game is a transaction, a move an item: piece, captured piece, from, to (section 4.2 of the paper). Games that begin
on the left wing are mirrored. Apriori finds the item sets that at least so many games share, and the rules in them;
of these the ones that answer are kept: one move of a side, played after all moves of the antecedent.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import _apriori
import numpy as np
from _records import GameRecord, read_records
from tqdm import tqdm

from games import registry
from games.xiangqi.san import NAMES, Notation, Scene, write_san
from games.xiangqi.tables import CAPTURED, KIND_OF_SLOT, TABLES_RECORD

NEVER = 255
"""In place of a ply: not played within the plies looked at."""

Array = np.ndarray[Any, Any]


class Item(NamedTuple):
    """A move as the paper names it. Kinds as in pos.board's tables: 0 none, 1-7 Red's, 8-14 Black's."""

    piece: int
    captured: int
    origin: int
    target: int

    @property
    def side(self) -> int:
        return (self.piece - 1) // 7

    def text(self, notation: Notation) -> str:
        """As players write it, alone on the board; the captured piece in brackets."""
        squares = [CAPTURED] * 48
        squares[(16 << self.side) + KIND_OF_SLOT.index((self.piece - 1) % 7)] = self.origin
        move = self.origin | self.target << 7
        text = write_san(Scene(squares, self.side, (move,)), move, notation)
        if not self.captured:
            return text
        names = NAMES["traditional" if notation == "traditional" else "chinese"]
        return f"{text}({names[(self.captured - 1) // 7][(self.captured - 1) % 7]})"


class Games(NamedTuple):
    """All transactions. Items are numbered in the order of their first appearance."""

    items: list[Item]
    plies: list[dict[int, int]]  # of each game: item number -> ply of its first appearance, from 0
    winners: Array  # [game]: side, or -1


class Answer(NamedTuple):
    """A rule that answers, with what the games say of it."""

    antecedent: tuple[Item, ...]
    consequent: Item
    games: int  # in which the answer came after the antecedent
    confidence: float  # share of them among the games with the antecedent
    lift: float
    score: float  # points of the answering side in them, a draw counts half


def replay(game: Any, record: GameRecord, longest: int) -> list[Item]:
    """The items of a game's first plies, mirrored if it begins on the left; ValueError if a move is illegal."""
    position = game.position(record.fen)
    kinds, items = TABLES_RECORD.kind_of, []
    for word in record.moves[:longest]:
        move = position.parse_move(word)
        origin, target = move & 127, move >> 7
        board = position.record.board
        items.append(Item(int(kinds[board[origin]]), int(kinds[board[target]]), origin, target))
        position.push(move)
    return [mirrored(item) for item in items] if is_left(items) else items


def is_left(items: Sequence[Item]) -> bool:
    """Whether the first square off the middle file is on the left."""
    squares = (square for item in items for square in (item.origin, item.target))
    return next((square % 9 < 4 for square in squares if square % 9 != 4), False)


def mirrored(item: Item) -> Item:
    def flip(square: int) -> int:
        return square + 8 - 2 * (square % 9)

    return item._replace(origin=flip(item.origin), target=flip(item.target))


def collect(records: Iterator[GameRecord], longest: int, report: Callable[[str], None]) -> Games:
    """The transactions of all sound games; the others are told to `report`."""
    game = registry.load("xiangqi")
    numbers: dict[Item, int] = {}
    plies, winners = [], []
    for place, record in enumerate(tqdm(records, unit=" games", disable=not sys.stderr.isatty()), 1):
        try:
            items = replay(game, record, longest)
        except ValueError as error:
            report(f"game {place}: {error}")
            continue
        first: dict[int, int] = {}
        for ply, item in enumerate(items):
            first.setdefault(numbers.setdefault(item, len(numbers)), ply)
        plies.append(first)
        winners.append({"1-0": 0, "0-1": 1}.get(record.result, -1))
    return Games(list(numbers), plies, np.array(winners, np.int8))


def mine(games: Games, support: float, confidence: float, longest: int) -> list[_apriori.Rule]:
    """The rules of Apriori as they are: antecedents of at most `longest` moves, one move each to answer."""
    transactions = len(games.plies)
    bits = _apriori.columns([list(first) for first in games.plies], len(games.items))
    levels = _apriori.frequent(bits, max(1, int(np.ceil(support * transactions))), longest + 1)
    found = _apriori.rules(levels, transactions, confidence)
    return [rule for rule in found if len(rule.consequent) == 1]


def answers(games: Games, found: list[_apriori.Rule], confidence: float, winners_only: bool) -> list[Answer]:
    """The rules whose consequent comes last, and still surely enough when only such games are counted.

    With `winners_only` a game counts only if the answering side won it.
    """
    used = sorted({item for rule in found for item in (*rule.antecedent, *rule.consequent)})
    row = {item: place for place, item in enumerate(used)}
    when = np.full((len(used), len(games.plies)), NEVER, np.uint8)
    for number, first in enumerate(games.plies):
        for item, ply in first.items():
            if item in row:
                when[row[item], number] = ply
    kept = []
    for rule in found:
        (last,) = rule.consequent
        side = games.items[last].side
        asked = np.max(when[[row[item] for item in rule.antecedent]], axis=0)
        answered = when[row[last]]
        is_answered = (asked < answered) & (answered != NEVER)
        if winners_only:
            is_answered &= games.winners == side
        count = int(is_answered.sum())
        sure = count / max(int((asked != NEVER).sum()), 1)
        if sure < confidence:
            continue
        points = np.where(games.winners == side, 1.0, np.where(games.winners < 0, 0.5, 0.0))
        antecedent = tuple(games.items[item] for item in sorted(rule.antecedent))
        share = float((answered != NEVER).mean())
        kept.append(Answer(antecedent, games.items[last], count, sure, sure / share, float(points[is_answered].mean())))
    return sorted(kept, key=lambda answer: (len(answer.antecedent), -answer.games))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", help="JSON lines or PGN, also .zst")
    parser.add_argument("--min-support", type=float, default=0.02, help="share of the games")
    parser.add_argument("--min-confidence", type=float, default=0.3)
    parser.add_argument("--longest", type=int, default=2, help="moves of an antecedent, at most")
    parser.add_argument("--plies", type=int, default=40, help="of each game looked at (at most 254)")
    parser.add_argument("--winners", action="store_true", help="count only answers of the side that won")
    parser.add_argument("--notation", choices=("chinese", "traditional", "wxf"), default="chinese")
    options = parser.parse_args()
    if not 1 <= options.plies < NEVER:
        parser.error(f"--plies: 1 to {NEVER - 1}")
    skipped: list[str] = []
    started = time.perf_counter()
    records = (record for path in options.files for record in read_records(path, skipped.append))
    games = collect(records, options.plies, skipped.append)
    replayed = time.perf_counter()
    found = mine(games, options.min_support, options.min_confidence, options.longest)
    mined = time.perf_counter()
    kept = answers(games, found, options.min_confidence, options.winners)
    for answer in kept:
        moves = " ".join(item.text(options.notation) for item in answer.antecedent)
        print(
            f"{moves} => {answer.consequent.text(options.notation)}  games {answer.games}"
            f"  confidence {answer.confidence:.1%}  lift {answer.lift:.2f}  score {answer.score:.1%}"
        )
    for line in skipped:
        print(f"skipped: {line}", file=sys.stderr)
    print(
        f"{len(games.plies)} games, {len(games.items)} items, {len(found)} rules, {len(kept)} of them answer;"
        f" replayed in {replayed - started:.1f} s, mined in {mined - replayed:.1f} s",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
