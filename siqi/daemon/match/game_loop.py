"""One game between two players: the referee, the clocks, and the loop that asks them in turn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from siqi.daemon.clients.player import UNLIMITED, Choice, Forfeit, Player, PlayerLimits, TimeLeft, Turn
from siqi.games import registry
from siqi.games.contract import FIRST, SECOND, Game, Position, Score, has_pieces, is_hidden_position, set_dice

UNKNOWN_SETUP = "?"
"""The other side's set-up, in the moves that a side knows."""


class Opening(NamedTuple):
    """The start of a pair of games. `fen` None: the start position."""

    text: str = ""
    fen: str | None = None
    moves: Sequence[str] = ()


def parse_opening(text: str) -> Opening:
    """Parse `m1 m2 ...`, `FEN`, or `FEN moves m1 m2 ...`; a FEN has slashes. UCI's words before them are skipped."""
    words = re.sub(r"^(position )? *((startpos|fen)( |$))? *(moves( |$))?", "", text)
    if "/" not in words:
        return Opening(text, None, words.split())
    fen, _, moves = words.partition(" moves ")
    return Opening(text, fen, moves.split())


def words_for(game: Game[Position], position: Position, side: int, words: list[str]) -> list[str]:
    """Return the move words as a side knows them; they differ only if pieces are hidden."""
    return position.view_moves(side) if is_hidden_position(position, game.info) else words


def judged_position(game: Game[Position], fen: str | None, rules: str) -> Position:
    """Return a position that judges its outcome by the rules of `siqi` or `pyffish`."""
    return game.position(fen) if rules == "siqi" else registry.pyffish_position(game.info.name, fen)


class Referee:
    """The referee: holds the full position, judges moves by the rules and throws the dice.

    ValueError or Forfeit if the opening cannot be played.
    """

    def __init__(self, game: Game[Position], opening: Opening, dice: Iterable[int] = (), rules: str = "siqi") -> None:
        if opening.fen and game.info.has_hidden:
            raise ValueError("a position has no history to know hidden pieces by: give moves from the start")
        if game.info.has_hidden and UNKNOWN_SETUP in opening.moves[: game.info.setups("")]:
            raise ValueError("a set-up that the referee does not know")
        self._game, self._dice, self._fen = game, iter(dice), opening.fen
        self.position = judged_position(game, opening.fen, rules)
        self.words: list[str] = []
        self.choices: list[Choice] = []
        """The players' moves, those of the opening not included."""
        self.thrown: list[int] = []
        for word in opening.moves:
            self.play(word)

    def turn(self, clocks: Sequence[TimeLeft | None], budget_ms: float) -> Turn:
        """Throw the dice, if the game has any, and return the question for the side to move."""
        info, position = self._game.info, self.position
        deploying = not has_pieces(position, info)
        if info.has_dice and not deploying:
            self.thrown.append(next(self._dice))
            set_dice(position, info, self.thrown[-1])
        start = f"fen {self._fen}" if self._fen else "startpos"
        words = words_for(self._game, position, position.turn, self.words)
        return Turn(position, start, words, deploying, self.thrown, clocks, budget_ms)

    def play(self, word: str) -> None:
        """Push a move; Forfeit if the word is not a legal move."""
        try:
            move = self.position.parse_move(word)
        except ValueError as error:
            raise Forfeit("illegal", f"{word}: {error}") from error
        self.words.append(self.position.move_text(move))
        self.position.push(move)


class Clock:
    """One side's clock in one game, in ms, measured on the referee's side of the pipe."""

    def __init__(self, limits: PlayerLimits = UNLIMITED, margin_ms: float = math.inf) -> None:
        self.limits, self._margin_ms = limits, margin_ms
        self.left_ms, self.used_ms, self.longest_ms = float(limits.clock_ms), 0.0, 0.0
        self.over_ms: list[float] = []
        """What each move took above a move's limit in time, negative if less; empty without such a limit."""

    @property
    def budget_ms(self) -> float:
        """Return the ms that the next move may take; infinite without a limit in time."""
        left_ms = self.left_ms if self.limits.clock_ms else math.inf
        return min(self.limits.movetime_ms or math.inf, left_ms)

    @property
    def time_left(self) -> TimeLeft | None:
        """Return what players are told of the clock; None without a clock for the game."""
        limits = self.limits
        # Many engines read 0 as "no clock".
        return TimeLeft(max(1, round(self.left_ms)), limits.increment_ms) if limits.clock_ms else None

    def spend(self, elapsed_ms: float) -> None:
        """Charge a move to the clock; Forfeit if it took more than budget and margin."""
        self.used_ms += elapsed_ms
        self.longest_ms = max(self.longest_ms, elapsed_ms)
        if self.limits.movetime_ms:
            self.over_ms.append(elapsed_ms - self.budget_ms)
        if elapsed_ms > self.budget_ms + self._margin_ms:
            raise Forfeit("time", f"{elapsed_ms:.0f} ms of {self.budget_ms:.0f}")
        self.left_ms = max(0.0, self.left_ms - elapsed_ms) + self.limits.increment_ms


class GameEnd(NamedTuple):
    """The end of a game."""

    winner: int | None  # a side
    cause: str  # rules | illegal | crash | time | resigned | adjudicated
    reason: str


class Agreement(NamedTuple):
    """The rule that decides a game when both sides' scores agree on its winner."""

    cp: int  # a score of at least this size names a winner, and so does a mate
    plies: int  # after the first score that names the winner

    def winner(self, score: Score | None, side: int) -> int | None:
        """Return the winner by a score from `side`'s view; None if it names none."""
        if score is None or (score.mate is None and abs(score.cp) < self.cp):
            return None
        return side if (score.cp if score.mate is None else score.mate) > 0 else 1 - side


class Adjudication(NamedTuple):
    """Conditions that end a game before the rules do."""

    max_plies: int = 0  # a game of this length is drawn; 0: no such limit
    agreement: Agreement | None = None
    tablebases: Callable[[Position], GameEnd | None] | None = None


BY_RULES = Adjudication()


def play_moves(
    referee: Referee,
    seated: Sequence[Player],
    clocks: Sequence[Clock],
    seeds: Sequence[str],
    adjudication: Adjudication = BY_RULES,
) -> GameEnd:
    """Greet both sides, then ask each in turn until the rules, an adjudication or a fault ends the game."""
    ending = _play_moves(referee, seated, clocks, seeds, adjudication)
    for side, player in enumerate(seated):
        player.game_over(None if ending.winner is None else ending.winner == side)
    return ending


def _play_moves(
    referee: Referee,
    seated: Sequence[Player],
    clocks: Sequence[Clock],
    seeds: Sequence[str],
    adjudication: Adjudication,
) -> GameEnd:
    max_plies, agreement, tablebases = adjudication
    side, leader, agreed = FIRST, None, 0
    try:
        for side in (FIRST, SECOND):
            seated[side].new_game(seeds[side])
        while (outcome := referee.position.outcome()) is None:
            if agreement and leader is not None and agreed >= agreement.plies:
                return GameEnd(leader, "adjudicated", f"scores agreed for {agreed} plies")
            if max_plies and len(referee.words) >= max_plies:
                return GameEnd(None, "adjudicated", f"{max_plies} plies")
            if tablebases and (ending := tablebases(referee.position)):
                return ending
            side = referee.position.turn
            choice = seated[side].choose(referee.turn([clock.time_left for clock in clocks], clocks[side].budget_ms))
            clocks[side].spend(choice.elapsed_ms)
            referee.play(choice.word)
            referee.choices.append(choice)
            seated[side].played(referee.position)
            if agreement:
                winner = agreement.winner(choice.score, side)
                agreed = agreed + 1 if winner is not None and winner == leader else 0
                leader = winner
    except Forfeit as fault:
        return GameEnd(1 - side, fault.cause, fault.reason)
    return GameEnd(outcome.winner, "rules", outcome.reason)
