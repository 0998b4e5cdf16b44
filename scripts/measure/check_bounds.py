"""Play and search at the limits of every kernel with array bounds and addresses checked.

    NUMBA_BOUNDSCHECK=1 python scripts/measure/check_bounds.py xiangqi --seconds 600
    NUMBA_BOUNDSCHECK=1 python scripts/measure/check_bounds.py xiangqi --games --nodes 2e9 --log soak.txt

A round depends only on its game and seed. It draws options and a position (of a game, near the limits of a FEN, or of a
FEN with faults), then makes every query of the daemon about it, and searches. An access outside an array, an illegal
move, or a FEN that raises anything but ValueError ends the run with status 1 and the round's seed. KEEP rounds share a
searcher: `--first SEED --rounds KEEP` with a multiple of KEEP repeats them.

With `--games` a round is a whole game of the engine against itself, MOVE_MS per move, one to four threads on a small
transposition table: faults that need long games, in which threads and depths overwrite each other's entries. A run
resumes from its log.
"""

from __future__ import annotations

import faulthandler
import random
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.common import script

from siqi.daemon.clients.random_mover import random_ewn_setup, random_junqi_setup
from siqi.games import registry
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.contract import (
    Game,
    Position,
    Report,
    Searcher,
    Task,
    exhaust,
    has_pieces,
    is_dice_position,
    is_hidden_position,
    set_dice,
)
from siqi.games.game_record import GameRecord, position_after
from siqi.games.kernel.control import Control
from siqi.games.kernel.memory import CHECKED

Draw = random.Random

KEEP = 8
"""Rounds for which a searcher keeps its memory."""

SHUFFLE = 0.3
"""Share of a game's moves that repeat the mover's last one backwards."""

LONG, LONGEST = 1000, 8064
"""Plies of a long game, and the most plies of a game that Xiangqi's history holds."""

BOOKS = {
    "OwnBook": ("true", "false"),
    "BookDepth": ("0", "40", "1000"),
    "BookMinGames": ("1", "3", "1000000"),
    "UseRules": ("true", "true", "false", "checked", "paper"),
    "UseEndgames": ("true", "true", "true", "false"),
    "EndgamePath": ("", str(BOOKS_FOLDER)),
}
"""Values of the options for books, the likely ones more than once."""

NODES = (1, 2, 20, 130, 500, 2000)

MOVE_MS = 200
"""Milliseconds per move of a whole game."""

GAME_PLIES = 400
"""Plies after which a whole game is stopped."""


class FaultError(Exception):
    """A wrong answer."""


# Positions of each game


def xiangqi_fen(draw: Draw) -> str:
    """Return a FEN with few, many or all pieces, each where the rules let it stand."""
    board = {}
    wealth = draw.choice((0.1, 0.3, 0.6, 0.9, 1.0))

    def put(letter: str, squares: Sequence[int]) -> None:
        own = [square if letter.isupper() else 89 - square for square in squares]
        free = [square for square in own if square not in board]
        if free:
            board[draw.choice(free)] = letter

    palace = [9 * rank + file for rank in range(3) for file in (3, 4, 5)]
    pawns = [9 * rank + file for rank in (3, 4) for file in range(0, 9, 2)] + [*range(45, 90)]
    crossed = draw.random() < 0.5
    for case in (str.upper, str.lower):
        put(case("k"), palace)
        for letter, count, squares in (
            ("a", 2, [3, 5, 13, 21, 23]),
            ("b", 2, [2, 6, 18, 22, 26, 38, 42]),
            ("p", 5, pawns[10:] if crossed else pawns),
            ("n", 2, range(90)),
            ("r", 2, range(90)),
            ("c", 2, range(90)),
        ):
            for _ in range(count):
                if draw.random() < wealth:
                    put(case(letter), squares)
    rows = ["".join(board.get(9 * rank + file, "1") for file in range(9)) for rank in range(9, -1, -1)]
    quiet = draw.choice((0, 0, 0, 60, 117, 119, 120, 99999))
    return f"{'/'.join(rows)} {draw.choice('wb')} - - {quiet} {draw.choice((0, 1, 99999))}"


def connect6_fen(draw: Draw) -> str:
    """Return a FEN of a board empty to full: at random, in patterns without sixes, or of one colour and gaps."""
    share = draw.choice((0.02, 0.1, 0.3, 0.6, 0.9, 0.995, 1.0))
    kind = draw.randrange(4)
    rows = []
    for row in range(19):
        text = ""
        for column in range(19):
            stone = draw.choice("bw11") if share > 0.5 else draw.choice("bw")
            if kind == 1:  # no six anywhere
                stone = "bw"[(column + row * 2) // 2 % 2]
            elif kind == 2:  # threats on every line
                stone = "b" if (column + 3 * row) % 6 < draw.choice((3, 4, 5)) else "1"
            elif kind == 3:
                stone = "w" if (column // 3 + row // 3) % 2 else draw.choice("bw1")
            text += stone if draw.random() < share else "1"
        rows.append(re.sub("1+", lambda run: str(len(run[0])), text))
    return f"{'/'.join(rows)} {draw.choice('bw')} {draw.choice('12')}"


def ewn_fen(draw: Draw) -> str:
    squares = draw.sample(range(25), 25)
    cells = ["1"] * 25
    for letter in "ABCDEFabcdef":
        if draw.random() < draw.choice((0.1, 0.4, 1.0)):
            cells[squares.pop()] = letter
    rows = ["".join(cells[row : row + 5]) for row in range(0, 25, 5)]
    return f"{'/'.join(rows)} {draw.choice('fs')} {draw.choice('-123456')}"


def junqi_fen(draw: Draw) -> str:
    """Return a FEN of a view or a full position with some of the pieces, anywhere or as deployed."""
    cells = ["1"] * 60
    viewer = draw.choice("fs-")
    for side, case in enumerate((str.upper, str.lower)):
        survival = draw.choice((0.05, 0.3, 0.8, 1.0))
        shown = draw.choice((0.0, 0.3, 1.0)) if viewer == "sf"[side] else 1.0
        word = random_junqi_setup(draw)
        slots = [row * 5 + column for row in range(6, 12) for column in range(5)]
        camps = {36, 38, 42, 46, 48}
        for slot, letter in zip([square for square in slots if square + 5 not in {c + 5 for c in camps}], word):
            square = slot
            if letter not in "jl" and draw.random() < 0.4:
                square = draw.randrange(60)
            square = square if side == 0 else 59 - square
            if cells[square] == "1" and draw.random() < survival:
                cells[square] = case(letter if draw.random() < shown else "x")
    rows = ["".join(cells[row : row + 5]) for row in range(0, 60, 5)]
    quiet = draw.choice((0, 3, 29, 30, 31, 999))
    return f"{'/'.join(rows)} {draw.choice('fs')} {viewer} {quiet}"


FENS: dict[str, Callable[[Draw], str]] = {
    "xiangqi": xiangqi_fen,
    "connect6": connect6_fen,
    "ewn": ewn_fen,
    "junqi": junqi_fen,
}


def spoilt(fen: str, draw: Draw) -> str:
    """Return a FEN with up to four characters replaced by others of its own."""
    letters = list(fen)
    for _ in range(draw.randint(1, 4)):
        letters[draw.randrange(len(letters))] = draw.choice(fen)
    return "".join(letters)


def is_view(game: Game[Position], position: Position) -> bool:
    """True if a position hides pieces from its viewer."""
    return is_hidden_position(position, game.info) and position.viewer is not None


def play(game: Game[Position], position: Position, draw: Draw, plies: int) -> None:
    """Play random moves, many of them back to their origin, some taken back; long games continue when drawn."""
    last: dict[int, int] = {}
    for _ in range(plies):
        moves = _moves(game, position, draw)
        if not moves or (plies < LONG and position.outcome() is not None and draw.random() < 0.5):
            return
        if is_dice_position(position, game.info) and has_pieces(position, game.info) and draw.random() < 0.9:
            position.set_dice(draw.randint(1, 6))
            moves = position.legal_moves()
        move = draw.choice(moves)
        if game.info.name == "xiangqi":
            back = last.get(position.turn, 0)
            back = back >> 7 | (back & 127) << 7
            if back in moves and draw.random() < (0.98 if plies >= LONG else SHUFFLE):
                move = back
            last[position.turn] = move
            if position.ply >= LONGEST:
                return
        position.push(move)
        if draw.random() < 0.02:
            position.pop()


def _moves(game: Game[Position], position: Position, draw: Draw) -> list[int]:
    """Return the legal moves, or a sample where they are too many to list."""
    if not has_pieces(position, game.info):
        word = random_junqi_setup(draw) if game.info.name == "junqi" else random_ewn_setup(draw)
        return [position.parse_move(word)]
    if position.count_legal() < 3000:
        return position.legal_moves()
    from siqi.games.connect6.board import Connect6Position  # compiled only if wanted
    from siqi.games.connect6.rules.position import make_move

    assert isinstance(position, Connect6Position)
    empty = [point for point, stone in enumerate(position.record.stones.tolist()) if not stone]
    near = [point for point in empty if 138 <= point < 222]  # the middle: scattered stones make no threats
    moves: set[int] = set()
    while len(moves) < 20:
        first, second = sorted(draw.sample(near if len(near) > 9 and draw.random() < 0.5 else empty, 2))
        moves.add(make_move(first, second))
    return sorted(moves)


def draw_position(game: Game[Position], draw: Draw) -> Position | None:
    """Return a position with a history, None for a FEN that was refused."""
    name = game.info.name
    kind = draw.randrange(4)
    fen = FENS[name](draw)
    if kind == 0:
        fen = spoilt(fen, draw)
    try:
        position = game.position(None if kind == 1 else fen)
    except ValueError:
        return None
    if is_hidden_position(position, game.info) and kind == 1:  # a view of a referee's game
        play(game, position, draw, draw.choice((2, 3, 10, 40, 150)))
        viewer = draw.choice((0, 1, None))
        if viewer is not None:
            return position_after(game, GameRecord(tuple(position.view_moves(viewer))))
        return position
    if not is_view(game, position):
        plies = draw.choice((0, 0, 1, 5, 20, 60))
        if name == "xiangqi" and draw.random() < 0.02:
            plies = draw.choice((LONG, LONGEST))
        play(game, position, draw, plies)
    return position


# Queries about a position


def ask(game: Game[Position], position: Position, draw: Draw) -> None:
    """Make all of the daemon's queries about a position; FaultError if answers contradict each other."""
    fen = position.fen()
    key = position.key
    position.board()
    position.outcome()
    game.evaluate(position)
    game.consult(position)
    game.suggest(position, draw)
    if has_pieces(position, game.info):
        again = game.position(fen)
        if again.fen() != fen:
            raise FaultError(f"read back as {again.fen()}")
        if position.count_legal() < 200:
            moves = position.legal_moves()
            if len(moves) != position.count_legal():
                raise FaultError("count of legal moves")
            for move in moves:
                if position.parse_move(position.move_text(move)) & 0xFFF != move & 0xFFF:
                    raise FaultError(f"move text {position.move_text(move)}")
            depth = 1 if is_view(game, position) else draw.choice((1, 2))
            if len(moves) < 60:
                list(game.perft(position, depth, Control()))
    if position.fen() != fen or position.key != key:
        raise FaultError("asking changed the position")


def search(game: Game[Position], searcher: Searcher[Position], position: Position, draw: Draw, multipv: int) -> int:
    """Search as `go nodes` does; return the nodes. FaultError for a wrong line."""
    if not position.count_legal():
        return 0
    moves: tuple[int, ...] = ()
    if draw.random() < 0.3 and has_pieces(position, game.info):
        all_moves = _moves(game, position, draw)
        moves = tuple(draw.sample(all_moves, draw.randint(1, len(all_moves))))
    control = Control(draw.choice(NODES))
    control.set_deadline(time.monotonic_ns() + 3 * 10**9)
    report = checked_search(game, searcher, Task(position, control, moves, multipv))
    searcher.recall(position)
    return report.nodes


def checked_search(game: Game[Position], searcher: Searcher[Position], task: Task[Position]) -> Report:
    """Search until the control stops; return the report. FaultError for a line that cannot be played."""
    position, moves = task.position, task.moves
    report = exhaust(searcher, task)
    if not report.lines:
        raise FaultError("no lines")
    length = 1 if game.info.has_hidden or game.info.has_dice else None
    for line in report.lines:
        after = position.copy()
        if line.throw:
            set_dice(after, game.info, line.throw)
        if moves and line.pv[0] not in moves:
            raise FaultError(f"not among searchmoves: {position.move_text(line.pv[0])}")
        for move in line.pv[:length]:
            legal = after.parse_move(after.move_text(move))  # ValueError if it is not
            if length is None:
                after.push(legal)
    return report


def draw_options(game: Game[Position], draw: Draw) -> None:
    """Set the game's options to random values, often at their limits; those in BOOKS to one of the values there."""
    for option in game.info.options:
        value = draw.choice(BOOKS.get(option.name, (option.default,)))
        if option.name not in BOOKS and draw.random() < 0.4:
            if option.kind == "combo":
                value = draw.choice(option.choices)
            elif option.kind == "spin":
                value = str(draw.choice((option.low, option.high, draw.randint(option.low, option.high))))
            elif option.kind == "number":
                value = str(draw.choice((option.low, option.high, round(draw.uniform(option.low, option.high), 3))))
        game.set_option(option.name, value)


class Run:
    """The rounds of one game; KEEP rounds share a searcher, as the games of a daemon do."""

    def __init__(self, name: str, options: bool = True) -> None:
        """Load the game; if `options` is false, options keep their defaults, which need fewer kernels."""
        self.game: Game[Position] = script.load(name)
        self.positions = self.refused = self.searches = self.nodes = 0
        self._options = options
        self._thread_errors: list[BaseException] = []
        threading.excepthook = lambda args: self._thread_errors.append(args.exc_value or SystemExit())
        self._searcher = self.game.searcher()
        self._multipv = 1
        self._group = -1

    def round(self, seed: int) -> None:
        """Play the round of a seed; raise its first fault."""
        group = seed // KEEP
        if group != self._group:
            self._group = group
            draw = Draw(f"{self.game.info.name} options {group}")
            if self._options:
                draw_options(self.game, draw)
            self._searcher = self.game.searcher()
            self._searcher.configure(1, draw.choice((1, 1, 1, 2, 4)), draw.randrange(1 << 31))
            self._multipv = draw.choice((1, 1, 2, 256))
        draw = Draw(f"{self.game.info.name} {seed}")
        position = draw_position(self.game, draw)
        if position is None:
            self.refused += 1
            return
        self.positions += 1
        self._fen = position.fen()
        ask(self.game, position, draw)
        for _ in range(2):
            self.searches += 1
            self.nodes += search(self.game, self._searcher, position, draw, self._multipv)
            if self._thread_errors:
                raise self._thread_errors[0]
            if position.outcome() is not None or not position.count_legal():
                break
            if not is_view(self.game, position):
                position.push(draw.choice(_moves(self.game, position, draw)))

    def whole_game(self, seed: int) -> None:
        """Play a game of the engine against itself, from a few random moves (set-ups first); raise its first fault."""
        draw = Draw(f"{self.game.info.name} game {seed}")
        self._searcher.configure(draw.choice((1, 2, 8)), draw.choice((1, 1, 2, 4)), draw.randrange(1 << 31))
        position = self.game.position()
        play(self.game, position, draw, draw.randint(2, 8))
        while not has_pieces(position, self.game.info):  # a set-up was taken back
            play(self.game, position, draw, 1)
        self.positions += 1
        while position.outcome() is None and position.count_legal() and position.ply < GAME_PLIES:
            if is_dice_position(position, self.game.info):
                position.set_dice(draw.randint(1, 6))
            self._fen = position.fen()
            seen = position
            if is_hidden_position(position, self.game.info):  # the side to move sees its own pieces
                seen = position_after(self.game, GameRecord(tuple(position.view_moves(position.turn))))
            control = Control()
            control.set_deadline(time.monotonic_ns() + MOVE_MS * 10**6)
            report = checked_search(self.game, self._searcher, Task(seen, control))
            self.searches += 1
            self.nodes += report.nodes
            if self._thread_errors:
                raise self._thread_errors[0]
            position.push(position.parse_move(seen.move_text(report.lines[0].pv[0])))


def resume(run: Run, log: Path, first: int) -> int:
    """Add the nodes of the games in a log to a run; return the seed after the last, `first` without a log."""
    if not log.exists():
        return first
    rows = [line.split() for line in log.read_text().splitlines()]
    run.nodes += sum(int(nodes) for _, nodes in rows)
    return max((int(seed) + 1 for seed, _ in rows), default=first)


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    parser.add_argument("game", choices=registry.NAMES)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="first round's seed")
    parser.add_argument("--rounds", type=int, default=1 << 40)
    parser.add_argument("--games", action="store_true", help="play whole games, the options at their defaults")
    parser.add_argument("--nodes", type=float, default=float("inf"), help="begin no round after NODES nodes")
    parser.add_argument("--log", type=Path, help="append seed and nodes of each game; resume after the last")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no round after SECONDS seconds")
    parser.add_argument("--defaults", action="store_true", help="leave all options at their defaults")
    parser.add_argument("--keep-going", action="store_true", help="report faults, and continue")
    args = parser.parse_args(arguments)
    if not CHECKED:
        parser.error("set NUMBA_BOUNDSCHECK=1: nothing would be checked")
    faulthandler.enable()
    run = Run(args.game, not (args.defaults or args.games))
    end = time.monotonic() + args.seconds
    faults = 0
    first = seed = resume(run, args.log, args.first) if args.log else args.first
    play_round = run.whole_game if args.games else run.round
    bar = script.progress(unit=" rounds", desc=args.game)
    while seed < first + args.rounds and time.monotonic() < end and run.nodes < args.nodes:
        bar.update()
        before = run.nodes
        try:
            play_round(seed)
        except Exception:
            faults += 1
            print(f"\n{args.game} seed {seed}: fault in {getattr(run, '_fen', None)}")
            traceback.print_exc(file=sys.stdout)
            if not args.keep_going:
                break
        seed += 1
        if args.log:
            with args.log.open("a") as file:
                file.write(f"{seed - 1} {run.nodes - before}\n")
    print(
        f"\n{args.game}: seeds {first} to {seed - 1}, {run.positions} positions, {run.refused} FENs refused, "
        f"{run.searches} searches, {run.nodes} nodes, {faults} faults"
    )
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
