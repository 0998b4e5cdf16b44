"""One game between two players: the referee, the clocks, and the loop that asks them in turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scripts.lib.players import NO_LIMITS, Forfeit, Limits, Player, Turn

from games.contract import FIRST, SECOND, Game, Position, Score, is_hidden_position, is_setup_position, set_dice


class Opening(NamedTuple):
    """Where a pair of games starts. `fen` None: the start position."""

    text: str = ""
    fen: str | None = None
    moves: Sequence[str] = ()


def parse_opening(text: str) -> Opening:
    """`m1 m2 ...`, `FEN`, or `FEN moves m1 m2 ...`; a FEN is known by its slashes."""
    if "/" not in text:
        return Opening(text, None, text.split())
    fen, _, moves = text.partition(" moves ")
    return Opening(text, fen, moves.split())


def words_for(game: Game[Position], position: Position, side: int, words: list[str]) -> list[str]:
    """The game so far as that side may know it: all of it, unless the opponent's pieces are hidden."""
    return position.view_moves(side) if is_hidden_position(position, game.info) else words


def judged_position(game: Game[Position], fen: str | None, rules: str) -> Position:
    """A position whose outcome is by the rules named."""
    if rules == "pyffish":
        from scripts.lib.pyffish_referee import PyffishPosition

        return PyffishPosition(fen) if fen else PyffishPosition()
    return game.position(fen)


class Referee:
    """Holds the full position, judges moves by the rules and throws the dice."""

    def __init__(self, game: Game[Position], opening: Opening, dice: Iterable[int] = (), rules: str = "siqi") -> None:
        if opening.fen and game.info.has_hidden:
            raise ValueError("a position has no history to know hidden pieces by: give moves from the start")
        self._game, self._dice, self._fen = game, iter(dice), opening.fen
        self.position = judged_position(game, opening.fen, rules)
        self.words: list[str] = []
        self.thrown: list[int] = []
        for word in opening.moves:
            self.play(word)

    def turn(self, go: str, budget_ms: float) -> Turn:
        """The question for the side to move, its dice thrown."""
        info, position = self._game.info, self.position
        deploying = is_setup_position(position, info) and not position.has_pieces
        if info.has_dice and not deploying:
            self.thrown.append(next(self._dice))
            set_dice(position, info, self.thrown[-1])
        start = f"fen {self._fen}" if self._fen else "startpos"
        words = words_for(self._game, position, position.turn, self.words)
        return Turn(position, start, words, deploying, self.thrown, go, budget_ms)

    def play(self, word: str) -> None:
        """Push the move; Forfeit if it is none."""
        try:
            move = self.position.parse_move(word)
        except ValueError as error:
            raise Forfeit("illegal", f"{word}: {error}") from error
        self.words.append(self.position.move_text(move))
        self.position.push(move)


class Clock:
    """One side's time in one game, measured from our side of the pipe."""

    def __init__(self, limits: Limits = NO_LIMITS, margin_ms: float = math.inf) -> None:
        self.limits, self._margin_ms = limits, margin_ms
        self.left_ms, self.used_ms, self.longest_ms = float(limits.clock_ms), 0.0, 0.0

    @property
    def budget_ms(self) -> float:
        """What the next move may take; infinite without a limit in time."""
        left_ms = self.left_ms if self.limits.clock_ms else math.inf
        return min(self.limits.movetime_ms or math.inf, left_ms)

    def spend(self, elapsed_ms: float) -> None:
        """Charge a move; Forfeit if it took more than budget and margin."""
        self.used_ms += elapsed_ms
        self.longest_ms = max(self.longest_ms, elapsed_ms)
        if elapsed_ms > self.budget_ms + self._margin_ms:
            raise Forfeit("time", f"{elapsed_ms:.0f} ms of {self.budget_ms:.0f}")
        self.left_ms = max(0.0, self.left_ms - elapsed_ms) + self.limits.increment_ms


def go_words(clocks: Sequence[Clock], side: int) -> str:
    """The `go` line for a side; `wtime` belongs to the side that moves first from the start position."""
    limits = clocks[side].limits
    words = ["go"]
    for letter, clock in zip("wb", clocks, strict=True):
        if limits.clock_ms and clock.limits.clock_ms:
            left_ms = max(1, round(clock.left_ms))  # many engines read 0 as "no clock"
            words += [f"{letter}time", str(left_ms), f"{letter}inc", str(clock.limits.increment_ms)]
    for name, value in (("movetime", limits.movetime_ms), ("nodes", limits.nodes), ("depth", limits.depth)):
        if value:
            words += [name, str(value)]
    return " ".join(words)


class Ending(NamedTuple):
    """How a game ended; the winner is a side."""

    winner: int | None
    cause: str  # rules | illegal | crash | time | adjudicated
    reason: str


class Agreement(NamedTuple):
    """A game is decided once scores of both sides have named the same winner for that many plies after the first."""

    cp: int  # a score beyond it names a winner, and so does a mate
    plies: int

    def winner(self, score: Score | None, side: int) -> int | None:
        """The side that a score from `side`'s view calls the winner."""
        if score is None or (score.mate is None and abs(score.cp) < self.cp):
            return None
        return side if (score.cp if score.mate is None else score.mate) > 0 else 1 - side


def play_moves(
    referee: Referee,
    seated: Sequence[Player],
    clocks: Sequence[Clock],
    seeds: Sequence[str],
    max_plies: int = 0,
    agreement: Agreement | None = None,
) -> Ending:
    """Greet both sides, then ask in turn until the rules, a limit or a fault ends the game.

    `max_plies`: a game so long is drawn; 0: no such limit.
    """
    ending = _play_moves(referee, seated, clocks, seeds, max_plies, agreement)
    for side, player in enumerate(seated):
        player.game_over(None if ending.winner is None else ending.winner == side)
    return ending


def _play_moves(
    referee: Referee,
    seated: Sequence[Player],
    clocks: Sequence[Clock],
    seeds: Sequence[str],
    max_plies: int,
    agreement: Agreement | None,
) -> Ending:
    side, leader, agreed = FIRST, None, 0
    try:
        for side in (FIRST, SECOND):
            seated[side].new_game(seeds[side])
        while (outcome := referee.position.outcome()) is None:
            if agreement and leader is not None and agreed >= agreement.plies:
                return Ending(leader, "adjudicated", f"scores agreed for {agreed} plies")
            if max_plies and len(referee.words) >= max_plies:
                return Ending(None, "adjudicated", f"{max_plies} plies")
            side = referee.position.turn
            choice = seated[side].choose(referee.turn(go_words(clocks, side), clocks[side].budget_ms))
            clocks[side].spend(choice.elapsed_ms)
            referee.play(choice.word)
            seated[side].played(referee.position)
            if agreement:
                winner = agreement.winner(choice.score, side)
                agreed = agreed + 1 if winner is not None and winner == leader else 0
                leader = winner
    except Forfeit as fault:
        return Ending(1 - side, fault.cause, fault.reason)
    return Ending(outcome.winner, "rules", outcome.reason)
