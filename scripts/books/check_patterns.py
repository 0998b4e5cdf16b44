"""Check the pattern book of Xiangqi endings against tablebases and published endgames.

    python scripts/books/check_patterns.py --tables siqi/books/xiangqi-endings
    python scripts/books/check_patterns.py --endgames endgames.jsonl.zst

With tablebases, random quiet positions (no check, no capture) that fit an entry are drawn; the share that has the
entry's result is printed, by side to move. Entries that the tablebases do not confirm are marked. With endgames (JSON
lines: fen, result), the published results that differ from the book's are printed.

Data: tablebases are shipped; published endgames are not. A line is an object with `fen` and `result`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import msgspec

from scripts.common import script
from scripts.common.records import open_text

from siqi.games.contract import Game, silent
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.data.weights import KINDS
from siqi.games.xiangqi.game import create
from siqi.games.xiangqi.knowledge.knowledge import PATTERN_BOOK, TABLEBASE_FOLDER
from siqi.games.xiangqi.knowledge.numbering import MaterialSignature, places
from siqi.games.xiangqi.knowledge.patterns import DRAWN, PatternBook
from siqi.games.xiangqi.knowledge.probe import UNKNOWN
from siqi.games.xiangqi.knowledge.tablebase import SUFFIX, Tablebase
from siqi.games.xiangqi.rules.notation import square_text, write_fen

BORNE_OUT = 0.9
"""Share of the quiet positions, the pressing side to move, that must have the claimed result."""


def random_position(
    game: Game[XiangqiPosition], signature: MaterialSignature, rng: random.Random
) -> XiangqiPosition | None:
    """Return a random quiet position of an ending, its stronger side Red; None if the pieces drawn make none."""
    pieces: dict[str, str] = {}
    for side, letters in enumerate(signature):
        for letter in "K" + letters:
            square = rng.choice(places(KINDS.index(letter.lower()), side))
            pieces[square_text(square)] = letter if side == 0 else letter.lower()
    if len(pieces) < 2 + len(signature.strong + signature.weak):
        return None
    try:
        position = game.position(write_fen(pieces, rng.randrange(2)))
    except ValueError:
        return None
    board = position.record.board
    if position.is_check() or any(board[move >> 7] for move in position.legal_moves()):
        return None
    return position


def against_tables(book: PatternBook, folder: Path, sample: int) -> list[Counter[str]]:
    """Return the counts of each entry's results: `own win` .. with the pressing side to move, else `other win` .."""
    game = create(silent)
    tally: list[Counter[str]] = [Counter() for _ in book.patterns]
    claimed = {signature.ordered() for pattern in book.patterns for signature in pattern.materials()}
    known = {MaterialSignature.parse(path.name.removesuffix(SUFFIX)) for path in folder.glob(f"*{SUFFIX}")}
    for signature in script.progress(sorted(claimed & known), unit=" endings"):
        tables = Tablebase([folder], print)
        rng = random.Random(str(signature))
        for _ in range(sample):
            position = random_position(game, signature, rng)
            fit = None if position is None else book.find(position.record)
            if position is None or fit is None:
                continue
            code = tables.code_of(position.record)
            if code == UNKNOWN:  # a draw or a perpetual: the other side can attack
                code = 0
            mover_wins, is_decided = code & 1 == 0, code != 0
            winner = position.turn if mover_wins else 1 - position.turn
            result = "draw" if not is_decided else "win" if winner == fit.pressing else "loss"
            tally[fit.entry][f"{'own' if position.turn == fit.pressing else 'other'} {result}"] += 1
    return tally


def share(counts: Counter[str], mover: str, result: str) -> float:
    total = sum(counts[f"{mover} {each}"] for each in ("win", "draw", "loss"))
    return counts[f"{mover} {result}"] / total if total else float("nan")


def report_tables(book: PatternBook, folder: Path, sample: int) -> None:
    for pattern, counts in zip(book.patterns, against_tables(book, folder, sample), strict=True):
        if counts:
            own, other = (share(counts, mover, pattern.result_word) for mover in ("own", "other"))
            doubt = "" if own >= BORNE_OUT else "  NOT BORNE OUT"
            print(
                f"{pattern.claim:44} {pattern.name}: {counts.total()} positions, pressing side to move {own:.1%},"
                f" other {other:.1%}{doubt}"
            )


class Endgame(msgspec.Struct):
    fen: str
    result: str
    name: str = ""


def report_tablebases(book: PatternBook, path: Path) -> None:
    game = create(silent)
    agreed = differing = 0
    with open_text(path) as file:
        for line in file:
            endgame = msgspec.json.decode(line, type=Endgame)
            position = game.position(endgame.fen)
            fit = book.find(position.record)
            if fit is None:
                continue
            pattern = book.patterns[fit.entry]
            expected = "1/2-1/2" if pattern.result == DRAWN else ("1-0", "0-1")[fit.pressing]
            if endgame.result == expected:
                agreed += 1
            else:
                differing += 1
                print(f"{pattern.claim:44} but {endgame.result}: {endgame.fen} {endgame.name}")
    print(f"{agreed} published results agree, {differing} differ")


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--book", type=Path, default=PATTERN_BOOK)
    parser.add_argument("--tables", type=Path, nargs="?", const=TABLEBASE_FOLDER, help="folder")
    parser.add_argument("--endgames", type=Path, help="JSON lines, also .zst")
    parser.add_argument("--sample", type=int, default=20_000, help="positions drawn of each ending")
    options = parser.parse_args()
    book = PatternBook(options.book)
    print(
        f"{len(book.patterns)} entries, {len({p.other + '-' + p.pressing for p in book.patterns})} classes of material"
    )
    if options.tables is not None:
        report_tables(book, options.tables, options.sample)
    if options.endgames is not None:
        report_tablebases(book, options.endgames)
    return 0


if __name__ == "__main__":
    sys.exit(main())
