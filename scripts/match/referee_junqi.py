"""Referee Junqi by protocol v1.0 of the Chinese computer-games championships: two engines, or games in a log.

    python scripts/match/referee_junqi.py play --games 10 --log games.tsv .venv/bin/siqi "java -jar theirs.jar"
    python scripts/match/referee_junqi.py replay games.tsv

`play`: engines are commands that speak the protocol; they change sides from game to game. A game ends as the rules say,
judged in their order: an illegal move, no move left, the flag, the clock (`--clock` seconds a side), 31 plies without
contact. The log has one line per game, tab-separated: name, both players, both arrays, the moves with their results as
one digit, in the first side's frame, the winner (`first`, `second`, `draw`) and the reason; games are added to an
existing log. `replay` replays every game of such a log, or of one with the referees' words for the end. It reports
where rules and log differ.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from scripts.common import script

from siqi.daemon.clients.base import EngineProcess
from siqi.daemon.clients.player import Choice, Forfeit, PlayerLimits, StartError, Turn
from siqi.daemon.match.game_loop import Clock, Opening, Referee, play_moves
from siqi.games import game_record
from siqi.games.contract import Position
from siqi.games.game_record import CutGameError, GameRecord
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.rules.lookup import ROWS
from siqi.games.junqi.rules.position import QUIET_LIMIT
from siqi.system.log import Log

SIDES = ("first", "second")
START_S = 60.0
"""Seconds that an engine has to answer INFO: kernels may have to be compiled."""

SETUP_S = 30.0
NO_FLAG = "00"
MARGIN_S = 0.05
"""Tolerance for the lag of the pipe, in seconds."""

ENDS = {
    "先手胜利": ("first", "flag"),
    "后手胜利": ("second", "flag"),
    "平局": ("draw", "immobile"),
    "先手行棋错误 游戏无法进行": ("second", "illegal"),
    "后手行棋错误 游戏无法进行": ("first", "illegal"),
    "cut(31-rule)": ("", "quiet"),
}
"""Referees' words for winner and reason; they do not name the winner of a game cut short."""

FAULTS = ("illegal", "time", "crash")
"""Ends that the board does not show: the side to move loses."""

REASONS = ("flag", "immobile", "quiet", *FAULTS)


class ProtocolEngine(EngineProcess):
    """An engine that speaks the protocol. Squares on its lines are in its own frame."""

    def __init__(self, command: str, clock_s: float) -> None:
        super().__init__(command, command)
        self._clock_s = clock_s

    def greet(self) -> None:
        self.name = self._ask("INFO 1.0", "NAME", START_S)[0]

    def choose(self, turn: Turn) -> Choice:
        position, side = referee_s(turn.position), turn.position.turn
        if turn.deploying:
            return Choice(self._ask(f"START {side} {self._clock_s:.0f} 31", "ARRAY", SETUP_S)[0], 0.0)
        asked = "GO 0000 0 00"
        if moves := position.moves():
            last = logged(position, moves[-1])
            asked = f"GO {turned(last[:4], side)} {last[4]} {flag_of(position, 1 - side, side)}"
        word, elapsed_s = self._ask(asked, "BESTMOVE", turn.budget_ms / 1000 + MARGIN_S)
        try:
            return Choice(turned(word, side), 1000 * elapsed_s)
        except ValueError as error:
            raise Forfeit("illegal", str(error)) from None

    def played(self, position: Position) -> None:
        position = referee_s(position)
        if moves := position.moves():
            side = 1 - position.turn
            self.send(f"RESULT {logged(position, moves[-1])[4]} {flag_of(position, 1 - side, side)}")

    def game_over(self, won: bool | None) -> None:
        with contextlib.suppress(Forfeit):
            self.send(f"END {2 if won is None else int(won)}")

    def _ask(self, line: str, wanted: str, seconds: float) -> tuple[str, float]:
        """Return the word after `wanted` in the answer, and the seconds it took; other lines are skipped."""
        asked = self.send(line)
        while True:
            arrived, answer = self.wait_for(wanted, timeout_s=asked + seconds - time.monotonic())
            if len(words := answer.split()) > 1:
                return words[1], arrived - asked


def referee_s(position: Position) -> JunqiPosition:
    assert isinstance(position, JunqiPosition)
    return position


def logged(position: JunqiPosition, move: int) -> str:
    """Return a move as in the log: squares in the first side's frame, and the result's code."""
    return position.move_text(move).replace("=", "")


def flag_of(position: JunqiPosition, side: int, viewer: int) -> str:
    """Return the square of a side's flag, in the viewer's frame; NO_FLAG until its commander's death reveals it."""
    square = position.announced_flag(side)
    return NO_FLAG if square is None else turned(square, viewer)


class LoggedGame(NamedTuple):
    """A game as in the log."""

    name: str
    players: tuple[str, str]
    arrays: tuple[str, str]
    moves: tuple[str, ...]  # `G2F21`: squares and result code
    winner: str  # first, second or draw
    reason: str

    def line(self) -> str:
        """Return the line of the log; `is_log` recognises a log by its first line."""
        return "\t".join([self.name, *self.players, *self.arrays, " ".join(self.moves), self.winner, self.reason])


def is_log(head: bytes) -> bool:
    """True if a file begins with a game as this script writes it."""
    return re.match(rb"game_\d+\t", head) is not None


def is_whole(line: bytes) -> bool:
    """True if a line of the log has its last field, the reason."""
    return line.rpartition(b"\t")[2].decode(errors="replace") in REASONS


def turned(squares: str, side: int) -> str:
    """Convert squares of a side's own frame to the first side's, or back; ValueError for other text."""
    if len(squares) % 2 or any(row not in ROWS for row in squares[::2]) or any(c not in "01234" for c in squares[1::2]):
        raise ValueError(f"not squares: {squares}")
    if side == 0:
        return squares
    pairs = zip(squares[::2], squares[1::2], strict=True)
    return "".join(f"{ROWS[11 - ROWS.index(row)]}{4 - int(column)}" for row, column in pairs)


def play_game(name: str, seated: tuple[ProtocolEngine, ProtocolEngine], clock_s: float) -> LoggedGame:
    """Play a game, its players by side."""
    referee = Referee(script.load_once("junqi"), Opening())
    clocks = [Clock(PlayerLimits(clock_ms=round(1000 * clock_s)), 1000 * MARGIN_S) for _ in SIDES]
    ending = play_moves(referee, seated, clocks, ("", ""))
    position = referee_s(referee.position)
    first, second, *_ = *position.words, "", ""
    return LoggedGame(
        name,
        (seated[0].name, seated[1].name),
        (first, second),
        tuple(logged(position, move) for move in position.moves()),
        "draw" if ending.winner is None else SIDES[ending.winner],
        ending.reason if ending.cause == "rules" else ending.cause,
    )


def replay(line: str) -> str | None:
    """Replay a line of a log; return its first difference from the rules, None if there is none."""
    name, _, _, first, second, words, *end = line.split("\t")
    game: Any = script.load_once("junqi")
    record = GameRecord((first, second, *(f"{word[:4]}={word[4]}" for word in words.split())))
    try:
        for ply, position in enumerate(game_record.replay(game, record), -1):
            if position.outcome() is not None and position.ply < len(record.moves):
                return f"{name}: over before ply {ply}: {position.outcome()}"
    except CutGameError as error:
        return f"{name}: ply {len(error.record.moves) - 1}: {error}"
    logged_winner, reason = ENDS[end[0]] if end[0] in ENDS else (end[0], end[1])
    outcome = position.outcome()
    if reason in FAULTS:
        agrees = outcome is None and logged_winner == SIDES[1 - position.turn]
    elif reason == "quiet" and not logged_winner:  # some referees end the game a ply early
        agrees = int(position.record.quiet) >= QUIET_LIMIT - 1
    else:
        winner = "none" if outcome is None else "draw" if outcome.winner is None else SIDES[outcome.winner]
        agrees = winner == logged_winner
    return None if agrees else f"{name}: {logged_winner or 'nobody'} by {reason} in the log, {outcome} by the rules"


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play")
    play.add_argument("engines", nargs=2)
    play.add_argument("--games", type=int, default=2)
    play.add_argument("--clock", type=float, default=1800, metavar="S")
    play.add_argument("--log", type=Path, required=True, help="games are added to it")
    again = commands.add_parser("replay")
    again.add_argument("log", type=Path)
    options = parser.parse_args()
    if options.command == "replay":
        lines = [line for line in options.log.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        faults = [fault for line in lines if (fault := replay(line))]
        print("\n".join([*faults, f"{len(lines) - len(faults)} of {len(lines)} games agree"]))
        return int(bool(faults))
    log = Log(options.log, is_log, bytes, is_whole)
    players = [ProtocolEngine(command, options.clock) for command in options.engines]
    try:
        with log:
            for number in script.progress(range(options.games), unit=" games"):
                pair = (players[0], players[1]) if number % 2 == 0 else (players[1], players[0])
                result = play_game(f"game_{number + 1}", pair, options.clock)
                log.add([result.line().encode()])
                print(f"{result.name}: {result.players[0]} - {result.players[1]}: {result.winner} ({result.reason})")
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        for player in players:
            player.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
