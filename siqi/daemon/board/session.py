"""The mode Play: a person's games against the engine.

Where a fact cannot be stored, nothing has changed, and the game waits for the person to say go on.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from siqi.daemon.board.commands import (
    AnyCommand,
    Begin,
    ForgetLayout,
    Hint,
    MoveNow,
    OpenFile,
    Pause,
    Play,
    Propose,
    Refusal,
    Resign,
    Resume,
    SaveLayout,
    SetUp,
    ShowPly,
    Swap,
    TakeBack,
    Throw,
    UseLayout,
)
from siqi.daemon.board.drawings import Drawing, drawing_of
from siqi.daemon.board.entries import AnyEntry, Begun, Ended, Paused, Resumed, Thrown, WentBack
from siqi.daemon.board.events import Event, Settings, Snapshot, Stage, Taught
from siqi.daemon.board.layouts import Layouts
from siqi.daemon.board.mode import (
    HINT_MS,
    EngineRequest,
    Key,
    LoadRequest,
    Mode,
    SearchInfo,
    SearchRequest,
    monotonic_ms,
    utc,
)
from siqi.daemon.board.played import Played
from siqi.daemon.board.positions import Positions
from siqi.daemon.board.state import State
from siqi.daemon.board.store import Store
from siqi.daemon.board.teaching import BEST, PLAYED, Teaching
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import MAX_SKILL
from siqi.daemon.engine.played_game import FinishedGame
from siqi.games import registry
from siqi.games.contract import Game, Position


class Session(Mode):
    """The game that is being played, from its store's last one on. Not for several threads."""

    name = "play"
    commands = AnyCommand

    def __init__(
        self,
        store: Store[AnyEntry],
        clock: Callable[[], float] = monotonic_ms,
        today: Callable[[], str] = utc,
        seed: int = 0,
        numbering: Iterator[int] | None = None,
        layouts: Layouts | None = None,
    ) -> None:
        """Open the youngest game of the store. OSError if its file cannot be read.

        `clock`: milliseconds that only rise. `seed`: of the page's throws in games that begin; 0: a random one a game.
        """
        super().__init__(store, numbering)
        self._seed, self._layouts = seed, layouts or Layouts()
        self._played = Played(store, clock, today)
        self._picture = 0
        self._nonce = 0
        self._arranged = ""  # the set-up that the person makes
        self._hint = ""
        self._shown_ply: int | None = None  # the number of moves before the earlier position that is shown
        self._wants_hint = False
        self._is_urgent = False
        self._teaching = Teaching(self._played)
        self._taught: Taught | None = None

    def left(self) -> None:
        """Let a running clock stand until the person says go on."""
        if self._played.clock_runs:
            self._played.hold()

    # What the person asks

    def _done(self, command: AnyCommand) -> list[Event]:
        self._do(command)
        self._settle()
        return [self.snapshot()]

    def _settle(self) -> None:
        self._played.settle(waits=self._teaching.is_judging)

    def _do(self, command: AnyCommand) -> None:
        played = self._played
        at = played.today()
        match command:
            case Begin():
                self._begin(command)
            case OpenFile(name):
                played.open(name)
                self._teaching.forget()
                self._nonce += 1
                self._forget()
            case Resume():
                self._resume()
            case Pause():
                self._require_going_on()
                played.add(Paused(at=at, used=played.used()))
                self._forget()
            case Play(word):
                self._play(word)
            case SetUp():
                if not self._arranged:
                    raise Refusal("no set-up is being made")
                self._play(self._arranged)
            case Swap(first, second):
                positions, side = self._require_setting_up(), played.begun.person
                self._arrange(positions.swapped(self._arranged, side, first, second))
            case Propose():
                self._require_setting_up()
                self._nonce += 1
                self._arranged = ""
                self._picture = self.next_number()
            case SaveLayout() | UseLayout() | ForgetLayout():
                name = self._require_setting_up().info.name
                self._arrange(self._layouts.do(command, name, self._arranged))
            case Throw(throw):
                self._throw(throw)
            case TakeBack():
                self._take_back()
            case Hint():
                self._require_turn()
                self._nonce += 1
                self._wants_hint = True
            case ShowPly(ply):
                self._show_ply(ply)
            case MoveNow():
                self._require_going_on()
                self._is_urgent = True
            case Resign():
                self._require_going_on()
                winner = 1 - played.begun.person
                played.add(Ended(at=at, winner=winner, reason="resignation", used=played.used()))
                self._forget()

    def _begin(self, command: Begin) -> None:
        if command.game not in registry.NAMES:
            raise Refusal(f"no game {command.game}")
        if command.teaches and command.clock_ms:
            raise Refusal("moves are taken back without clocks only")
        seed = self._seed or secrets.randbelow(2**31) + 1
        self._played.begin(Begun(at=self._played.today(), seed=seed, **msgspec.structs.asdict(command)))
        self._nonce += 1
        self._teaching.forget()
        self._forget()

    def _resume(self) -> None:
        played = self._played
        if not played.is_held and not played.state.is_paused:
            raise Refusal("the game is not paused")
        if played.state.is_paused:
            played.add(Resumed(at=played.today()))
        played.is_held = False
        self._nonce += 1

    def _play(self, word: str) -> None:
        """Play a move of the person."""
        positions = self._require_turn()
        if self._played.needs_throw:
            raise Refusal("throw the die first")
        self._played.play(positions.checked(word), "person")
        self._forget()

    def _arrange(self, word: str) -> None:
        """Make a set-up of its word, '' for none."""
        self._arranged = self._require_setting_up().checked(word) if word else ""
        self._picture = self.next_number()

    def _throw(self, throw: int) -> None:
        positions = self._require_going_on()
        if not positions.info.has_dice or not positions.has_pieces or self._played.begun.dice != "person":
            raise Refusal("no throw is to be entered")
        if self._teaching.is_judging:
            raise Refusal("the move is being judged")
        self._played.add(Thrown(at=self._played.today(), throw=throw, by="person"))
        self._forget()

    def _take_back(self) -> None:
        played = self._played
        _ = played.begun, played.positions
        if played.is_held or played.state.is_paused:
            raise Refusal("the game is paused")
        target = played.node_before()
        if target is None:
            raise Refusal("there is no move to take back")
        played.add(WentBack(at=played.today(), node=target, used=played.used()))
        self._forget()

    def _show_ply(self, ply: int | None) -> None:
        """Show an earlier position."""
        positions = self._played.positions
        last, setups = len(positions.moves), positions.info.setups("")
        if ply is not None and not setups <= ply <= last:
            raise Refusal("there is no such position")
        self._shown_ply = None if ply == last else ply
        self._picture = self.next_number()

    def _require_going_on(self) -> Positions:
        played = self._played
        _ = played.begun, played.positions
        if not played.goes_on:
            raise Refusal("the game is over" if played.game_end() is not None else "the game is paused")
        return played.positions

    def _require_turn(self) -> Positions:
        positions = self._require_going_on()
        if positions.whole.turn != self._played.begun.person:
            raise Refusal("it is the engine's turn")
        return positions

    def _require_setting_up(self) -> Positions:
        positions = self._require_turn()
        if positions.has_pieces:
            raise Refusal("the set-ups are over")
        return positions

    def _forget(self) -> None:
        """Leave all that belongs to the position before."""
        self._picture = self.next_number()
        self._arranged = self._hint = ""
        self._wants_hint = self._is_urgent = False
        self._shown_ply = None
        self._taught = None

    def _not_stored(self, error: OSError) -> list[Event]:
        self._played.hold()
        return super()._not_stored(error)

    # What the engine does

    def engine_request(self) -> EngineRequest | None:
        played = self._played
        if played.state.begun is None:
            return None
        if played.loaded is None:
            return LoadRequest(played.begun.game)
        if not played.goes_on:
            return None
        if self._teaching.is_judging:
            return self._teaching.search_request(self._nonce, self._is_urgent)
        if played.needs_throw:
            return None
        if played.loaded.whole.turn != played.begun.person:
            return self._search_request("move", played.begun.skill, self._limits())
        if self._is_proposal_coming:
            return self._search_request("set-up", MAX_SKILL, Limits(movetime=HINT_MS))
        if self._wants_hint:
            return self._search_request("hint", MAX_SKILL, Limits(movetime=HINT_MS))
        return self._teaching.search_request(self._nonce, False)

    @property
    def _is_proposal_coming(self) -> bool:
        """True if the person is to set up pieces and has no set-up to begin with."""
        played = self._played
        is_mine = played.goes_on and played.positions.whole.turn == played.begun.person
        return is_mine and not played.positions.has_pieces and not self._arranged

    def _search_request(self, purpose: str, skill: int, limits: Limits) -> SearchRequest:
        state, positions = self._played.state, self._played.positions
        key = (purpose, state.current, state.throw, self._nonce)
        words = tuple(positions.words(positions.whole.turn))
        name, is_new = positions.info.name, len(words) <= 1
        return SearchRequest(key, name, words, state.throw, limits, skill, is_new, self._is_urgent)

    def _limits(self) -> Limits:
        played, begun = self._played, self._played.begun
        if not begun.clock_ms or not played.positions.has_pieces:
            return Limits(movetime=begun.movetime_ms)
        left = [max(round(played.left(side)), 1) for side in range(2)]
        return Limits(wtime=left[0], btime=left[1], winc=begun.increment_ms, binc=begun.increment_ms)

    def game_loaded(self, game: Game[Position]) -> list[Event]:
        played = self._played
        if played.state.begun is None or played.begun.game != game.info.name or played.loaded is not None:
            return []
        self._forget()
        try:
            played.load(game)
            self._settle()
        except ValueError as error:  # the file was changed by hand
            return [self._refused(f"the last game cannot be read: {error}"), self.snapshot()]
        except OSError as error:
            return self._not_stored(error)
        return [self.snapshot()]

    def engine_searched(self, info: SearchInfo) -> list[Event]:
        """Show nothing: the engine plays."""
        if info.key[0] in (BEST, PLAYED):
            self._teaching.take(info)
        return []

    def _answered(self, key: Key, word: str) -> list[Event]:
        if key[0] in (BEST, PLAYED):
            return self._judged(key, word)
        checked = self._played.positions.checked(word)
        if key[0] == "move":
            self._played.play(checked, "engine")
            self._forget()
        elif key[0] == "hint":
            self._hint, self._wants_hint = checked, False
        else:
            self._arranged = checked
        self._picture = self.next_number()
        self._settle()
        return [self.snapshot()]

    def _judged(self, key: Key, word: str) -> list[Event]:
        """Take a value of the engine, for which a bad move is taken back."""
        was_judging = self._teaching.is_judging
        taught = self._teaching.answered(key, word)
        if self._teaching.is_judging or not was_judging:
            return []
        if taught is not None:
            self._forget()
            self._taught = taught
        self._settle()
        return [self.snapshot()]

    def tick(self) -> list[Event]:
        try:
            if not self._played.tick():
                return []
        except OSError as error:
            return self._not_stored(error)
        self._forget()
        return [self.snapshot()]

    # What is shown

    def _stage(self) -> Stage:
        played = self._played
        if played.state.begun is None:
            return "start"
        if played.loaded is None:
            return "loading"
        if played.game_end() is not None:
            return "over"
        if played.is_held:
            return "asks"
        if played.state.is_paused:
            return "paused"
        return "play" if played.loaded.has_pieces else "set-up"

    def snapshot(self) -> Snapshot:
        number, stage, played = self.next_number(), self._stage(), self._played
        if played.state.begun is None:
            return Snapshot(number=number, stage=stage)
        begun, positions = played.begun, played.loaded
        settings = msgspec.convert(begun, Settings, from_attributes=True)
        if positions is None:
            return Snapshot(number=number, stage=stage, settings=settings, file=self._store.stem)
        is_mine, is_judging = positions.whole.turn == begun.person and played.goes_on, self._teaching.is_judging
        needs_throw = played.goes_on and played.needs_throw and not is_judging
        return Snapshot(
            number=number,
            stage=stage,
            settings=settings,
            turn=positions.whole.turn,
            picture=self._picture,
            pieces=self.pieces(),
            moves=positions.moves,
            last=self.last_points(),
            shown_ply=self._shown_ply,
            throw=played.state.throw,
            needs_throw=needs_throw,
            thinking=played.goes_on and not is_mine and not needs_throw,
            is_judging=is_judging,
            taught=self._taught,
            can_take_back=stage in ("play", "set-up", "over") and played.node_before() is not None,
            hint=positions.worded(self._hint) if self._hint else None,
            is_hint_coming=self._wants_hint or self._is_proposal_coming,
            clocks=played.clocks(),
            game_end=played.game_end(),
            file=self._store.stem,
            **(self._offers(positions) if is_mine and self._shown_ply is None else {}),
        )

    def _offers(self, positions: Positions) -> dict[str, Any]:
        """Return the parts of a snapshot that say what the person may do on the board."""
        if not positions.has_pieces:
            points = list(positions.setup_points(self._played.begun.person))
            return {"setup": points, "layouts": self._layouts.names(positions.info.name)}
        return {} if self._played.needs_throw else positions.choices()

    def drawing(self) -> Drawing | None:
        """Return the board as the person sees it, with the hint; None until the game is loaded."""
        if (positions := self._played.loaded) is None:
            return None
        hint = self._hint if self._shown_ply is None else ""
        return drawing_of(positions, self.shown(), self.pieces(), self.last_points(), hint)

    def pieces(self) -> dict[str, str]:
        """Return the pieces that the person sees, by point."""
        positions, side = self._played.positions, self._played.begun.person
        if positions.has_pieces:
            return self.shown().pieces()
        is_made = len(positions.moves) > side
        word = positions.moves[side].word if is_made else self._arranged
        return positions.set_up(side, word) if word else {}

    def shown(self) -> Position:
        """Return the position that is drawn: the person's view, at the end all, or an earlier one that is looked at."""
        positions = self._played.positions
        last = positions.view if self._played.game_end() is None else positions.whole
        return last if self._shown_ply is None else positions.before(last, self._shown_ply)

    def last_points(self) -> list[str]:
        """Return the points of the last move."""
        positions = self._played.positions
        moves = positions.moves[: self._shown_ply]
        return positions.points_of(moves[-1].word) if moves else []

    @property
    def positions(self) -> Positions | None:
        return self._played.loaded

    @property
    def state(self) -> State:
        """The state, to be read."""
        return self._played.state

    def finished(self) -> FinishedGame | None:
        return self._played.finished()
