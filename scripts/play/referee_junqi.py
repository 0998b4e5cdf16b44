"""Referee Junqi by protocol v1.0 of the Chinese computer-games championships: two engines, or games in a log.

    python scripts/play/referee_junqi.py play --games 10 --log games.tsv .venv/bin/siqi "java -jar theirs.jar"
    python scripts/play/referee_junqi.py replay games.tsv

`play`: engines are commands that speak the protocol; they change sides from game to game. A game ends as the rules say,
judged in their order: an illegal move, no move left, the flag, the clock (`--clock` seconds a side), 31 plies without
contact. The log has a line a game, tab-separated: name, both players, both arrays, the moves with their results as one
digit, in the first side's frame, the winner (`first`, `second`, `draw`) and the reason; games are added to a log that
is there. `replay` plays every game of
such a log again, or of one whose end is in the referees' words, and says where rules and log differ.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import re
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, NamedTuple

from tqdm import tqdm

from scripts.lib import script

from games.files import open_lines, write_whole
from games.junqi.game import JunqiPosition
from games.junqi.notation import check_setup
from games.junqi.position import QUIET_LIMIT
from games.junqi.tables import ROWS

SIDES = ("first", "second")
START_S = 60.0
"""Seconds to answer INFO: kernels may have to be compiled."""

SETUP_S = 30.0
NO_FLAG = "00"
MARGIN_S = 0.05
"""Lag of the pipe that is forgiven."""

ENDS = {
    "先手胜利": ("first", "flag"),
    "后手胜利": ("second", "flag"),
    "平局": ("draw", "immobile"),
    "先手行棋错误 游戏无法进行": ("second", "illegal"),
    "后手行棋错误 游戏无法进行": ("first", "illegal"),
    "cut(31-rule)": ("", "quiet"),
}
"""Referees' words for winner and reason; who loses a game cut short is not told."""

FAULTS = ("illegal", "time", "crash")
"""Ends that do not show on the board: whoever is to move loses."""

REASONS = ("flag", "immobile", "quiet", *FAULTS)


class Lost(Exception):
    """An engine loses at once; the message is the reason."""


class Player:
    """An engine in a process of its own."""

    def __init__(self, command: str) -> None:
        self.name = command
        self._process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        assert self._process.stdout is not None
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line.strip())
        self._lines.put(None)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            raise Lost("crash") from None

    def ask(self, line: str, wanted: str, seconds: float) -> str:
        """The word after `wanted` in the answer; other lines are passed over."""
        self.tell(line)
        deadline = time.monotonic() + seconds
        while True:
            try:
                answer = self._lines.get(timeout=max(deadline - time.monotonic(), 0))
            except queue.Empty:
                raise Lost("time") from None
            if answer is None:
                raise Lost("crash")
            words = answer.split()
            if len(words) > 1 and words[0] == wanted:
                return words[1]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


class Result(NamedTuple):
    """A game as the log has it."""

    name: str
    players: tuple[str, str]
    arrays: tuple[str, str]
    moves: tuple[str, ...]  # `G2F21`: squares and result code
    winner: str  # first, second or draw
    reason: str

    def line(self) -> str:
        """The line of the log; `is_log` knows a log by the first."""
        return "\t".join([self.name, *self.players, *self.arrays, " ".join(self.moves), self.winner, self.reason])


def is_log(head: bytes) -> bool:
    """True if a file begins with a game as this script writes it."""
    return re.match(rb"game_\d+\t", head) is not None


def is_whole(line: bytes) -> bool:
    """True if a line of the log has its last field, the reason."""
    return line.rpartition(b"\t")[2].decode(errors="replace") in REASONS


def turned(squares: str, side: int) -> str:
    """Squares of a side's own frame in the first side's, and back; ValueError if they are none."""
    if len(squares) % 2 or any(row not in ROWS for row in squares[::2]) or any(c not in "01234" for c in squares[1::2]):
        raise ValueError(f"not squares: {squares}")
    if side == 0:
        return squares
    pairs = zip(squares[::2], squares[1::2], strict=True)
    return "".join(f"{ROWS[11 - ROWS.index(row)]}{4 - int(column)}" for row, column in pairs)


class Game:
    """One game between two players, the first of them moving first."""

    def __init__(self, players: tuple[Player, Player], clock_s: float) -> None:
        self._players = players
        self._left = [clock_s, clock_s]
        self._clock_s = clock_s
        self._position = JunqiPosition()
        self._arrays = ["", ""]
        self._moves: list[str] = []

    def play(self, name: str) -> Result:
        """Play to the end, and tell both players of it."""
        winner, reason = "draw", ""
        try:
            for side in range(2):
                self._deploy(side)
            while (outcome := self._position.outcome()) is None:
                self._move(self._position.turn)
            if outcome.winner is not None:
                winner = SIDES[outcome.winner]
            reason = outcome.reason
        except Lost as lost:
            side = len(self._position.words) if not self._position.has_pieces else self._position.turn
            winner, reason = SIDES[1 - side], str(lost)
        for side, player in enumerate(self._players):
            self._say_end(player, "2" if winner == "draw" else str(int(winner == SIDES[side])))
        names = self._players[0].name, self._players[1].name
        return Result(name, names, (self._arrays[0], self._arrays[1]), tuple(self._moves), winner, reason)

    def _say_end(self, player: Player, code: str) -> None:
        with contextlib.suppress(Lost):
            player.tell(f"END {code}")

    def _deploy(self, side: int) -> None:
        array = self._players[side].ask(f"START {side} {self._clock_s:.0f} 31", "ARRAY", SETUP_S)
        try:
            check_setup(array)
        except ValueError:
            raise Lost("illegal") from None
        self._arrays[side] = array
        self._position.push(self._position.parse_move(array))

    def _move(self, side: int) -> None:
        """Ask a side for its move, and tell it the result."""
        asked = "GO 0000 0 00"
        if self._moves:
            last = self._moves[-1]
            asked = f"GO {turned(last[:4], side)} {last[4]} {self._flag_of(1 - side, side)}"
        started = time.monotonic()
        word = self._players[side].ask(asked, "BESTMOVE", self._left[side] + MARGIN_S)
        self._left[side] -= time.monotonic() - started
        try:
            self._position.push(self._position.parse_move(turned(word, side)))
        except ValueError:
            raise Lost("illegal") from None
        code = str((self._position.moves()[-1] >> 12 & 7) - 1)
        self._moves.append(turned(word, side) + code)
        self._players[side].tell(f"RESULT {code} {self._flag_of(1 - side, side)}")

    def _flag_of(self, side: int, viewer: int) -> str:
        """Where a side's flag stands, in the viewer's frame, if that is told: its commander has died."""
        square = self._position.flag_told(side)
        return NO_FLAG if square is None else turned(square, viewer)


def replay(line: str) -> str | None:
    """What is wrong with a game of a log, if anything."""
    name, _, _, first, second, words, *end = line.split("\t")
    position = JunqiPosition()
    for array in (first, second):
        position.push(position.parse_move(array))
    for ply, word in enumerate(words.split(), 1):
        if position.outcome() is not None:
            return f"{name}: over before ply {ply}: {position.outcome()}"
        try:
            position.push(position.parse_move(f"{word[:4]}={word[4]}"))
        except ValueError as error:
            return f"{name}: ply {ply}: {error}"
    told, reason = ENDS[end[0]] if end[0] in ENDS else (end[0], end[1])
    outcome = position.outcome()
    if reason in FAULTS:
        agrees = outcome is None and told == SIDES[1 - position.turn]
    elif reason == "quiet" and not told:  # some referees end the game a ply early
        agrees = int(position.record.quiet) >= QUIET_LIMIT - 1
    else:
        winner = "none" if outcome is None else "draw" if outcome.winner is None else SIDES[outcome.winner]
        agrees = winner == told
    return None if agrees else f"{name}: {told or 'nobody'} by {reason} in the log, {outcome} by the rules"


@script.command
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    log = open_lines(options.log, is_log, is_whole, exclusive=True)
    players = [Player(command) for command in options.engines]
    try:
        for player in players:
            player.name = player.ask("INFO 1.0", "NAME", START_S)
        with log:
            for number in tqdm(range(options.games), unit=" games", disable=not sys.stderr.isatty()):
                pair = (players[0], players[1]) if number % 2 == 0 else (players[1], players[0])
                result = Game(pair, options.clock).play(f"game_{number + 1}")
                write_whole(log, result.line().encode() + b"\n")
                os.fsync(log.fileno())
                print(f"{result.name}: {result.players[0]} - {result.players[1]}: {result.winner} ({result.reason})")
    except Lost as lost:
        print(f"no answer to INFO: {lost}", file=sys.stderr)
        return 1
    finally:
        for player in players:
            player.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
