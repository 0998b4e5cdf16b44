"""The mode Championship: what the operator asks, what the engine should do, what is shown.

Nothing that the operator has not confirmed is played: the engine's move waits on a card until it was announced, the
opponent's move comes with its confirmation, and the engine starts then, never before.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from siqi.daemon.board.championship import lists, records, requests
from siqi.daemon.board.championship.commands import (
    AnyCommand,
    Arrange,
    BeginContest,
    CheckReady,
    Confirm,
    EndGame,
    EnterMoves,
    GoBack,
    LeaveCheck,
    NextGame,
    Play,
    SetClocks,
    SetFirst,
    SetOptions,
    SetPlayers,
    SetScore,
    ThrowForMe,
)
from siqi.daemon.board.championship.contest import ContestFacts
from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.championship.entries import (
    OURS,
    THEIRS,
    Begun,
    ClocksSet,
    Ended,
    Entered,
    FirstSet,
    OptionsSet,
    PlayersSet,
    Proposed,
    Recorded,
    ScoreSet,
    WentBack,
)
from siqi.daemon.board.championship.events import Evaluation, Table, Warning
from siqi.daemon.board.championship.preflight import Preflight
from siqi.daemon.board.championship.state import State
from siqi.daemon.board.championship.table import table
from siqi.daemon.board.commands import (
    ForgetLayout,
    LayoutCommand,
    MoveNow,
    OpenFile,
    Pause,
    Propose,
    Refusal,
    Resume,
    SaveLayout,
    SetUp,
    Swap,
    Throw,
    UseLayout,
)
from siqi.daemon.board.drawings import Drawing, drawing_of
from siqi.daemon.board.entries import Paused, Resumed, Thrown
from siqi.daemon.board.events import Event
from siqi.daemon.board.layouts import Layouts
from siqi.daemon.board.mode import EngineRequest, Key, LoadRequest, Mode, SearchInfo, monotonic_ms
from siqi.daemon.board.positions import Positions
from siqi.daemon.engine.played_game import FinishedGame, PlayedGame
from siqi.games import registry
from siqi.games.contract import Game, Position

EVERY_ORDER = "123456"


def local() -> str:
    """Return the local time, as facts have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S")


class Championship(Mode):
    """The contest that is operated, from its store's last one on; its clocks run on while another mode is shown.

    Not for several threads.
    """

    name = "championship"
    commands = AnyCommand

    def __init__(
        self,
        store: Days,
        clock: Callable[[], float] = monotonic_ms,
        today: Callable[[], str] = local,
        numbering: Iterator[int] | None = None,
        die: Callable[[int], int] = secrets.randbelow,
        layouts: Layouts | None = None,
    ) -> None:
        """Open the youngest contest of the store. OSError if its file cannot be read.

        `clock`: milliseconds that only rise. `die`: returns a number below its argument.
        """
        super().__init__(store, numbering)
        self._die, self._layouts = die, layouts or Layouts()
        self._facts = ContestFacts(store, clock, today)
        self._preflight = Preflight(store, clock)
        self._picture = 0
        self._nonce = 0
        self._arranged = ""  # the set-up that is made by hand
        self._is_urgent = False
        self._record = ""
        self._written: object = None  # what the record was written of
        self._warnings: list[Event] = []

    # What the operator asks

    def _done(self, command: AnyCommand) -> list[Event]:
        self._do(command)
        self._settle()
        return [*self._said(), self.snapshot()]

    def _do(self, command: AnyCommand) -> None:
        facts = self._facts
        at = facts.today()
        match command:
            case CheckReady(game):
                self._check(game)
            case LeaveCheck():
                self._preflight.leave()
            case BeginContest():
                self._begin(command)
            case OpenFile(name):
                facts.open(name)
                self._preflight.leave()
                self._forget()
            case NextGame():
                if facts.game.ended is None:
                    raise Refusal("the game goes on: end it first")
                facts.next_game()
                self._forget()
            case Resume():
                self._resume()
            case Pause():
                if not self._require_going_on().has_pieces:
                    raise Refusal("no clock runs")
                facts.add(Paused(at=at, used=facts.used()))
            case Throw(throw):
                self._throw(throw, "person")
            case ThrowForMe():
                self._throw(self._die(self._require_going_on().info.die_faces or 1) + 1, "page")
            case Play(word, result, flag):
                self._play(word, result, flag)
            case Confirm(result, flag):
                self._confirm(result, flag)
            case Arrange() | Swap() | Propose() | SetUp() | SaveLayout() | UseLayout() | ForgetLayout():
                self._set_up(command)
            case GoBack(game, node, note):
                self._go_back(game, node, note)
            case EnterMoves(text, note):
                self._enter(text, note)
            case MoveNow():
                self._require_going_on()
                self._is_urgent = True
            case EndGame(winner, end, note):
                if facts.game.ended is not None or facts.loaded is None:
                    raise Refusal("the game is over")
                facts.add(Ended(at=at, winner=winner, end=end, note=note, used=facts.used()))
                facts.is_held = False
                self._forget()
            case _:
                self._correct(command)

    def _correct(self, command: AnyCommand) -> None:
        """Carry out a correction by hand, or a change of the settings."""
        facts = self._facts
        at = facts.today()
        _ = facts.begun
        match command:
            case SetClocks(left, note):
                used = [facts.begun.clock_ms - left[facts.game.team(side)] for side in range(2)]
                facts.add(ClocksSet(at=at, used=(used[0], used[1]), note=note))
                self._nonce += 1  # the engine has another time
            case SetScore(points, note):
                facts.add(ScoreSet(at=at, points=points, note=note))
            case SetFirst(first):
                facts.add(FirstSet(at=at, first=first))
            case SetPlayers(engine):
                if engine[THEIRS] and registry.info(facts.begun.game).has_hidden:
                    raise Refusal("the engine cannot play pieces that are not known")
                facts.add(PlayersSet(at=at, engine=engine))
                self._forget()
            case SetOptions():
                facts.add(OptionsSet(at=at, **msgspec.structs.asdict(command)))

    def _check(self, game: str) -> None:
        if game not in registry.NAMES:
            raise Refusal(f"no game {game}")
        self._preflight.begin(game, self._facts.today())

    def _begin(self, command: BeginContest) -> None:
        info = registry.info(command.game) if command.game in registry.NAMES else None
        if info is None:
            raise Refusal(f"no game {command.game}")
        if command.engine[THEIRS] and info.has_hidden:
            raise Refusal("the engine cannot play pieces that are not known")
        self._facts.begin(Begun(at=self._facts.today(), **msgspec.structs.asdict(command)))
        self._preflight.leave()
        self._forget()

    def _resume(self) -> None:
        facts = self._facts
        game = facts.game
        if game.ended is not None or facts.loaded is None or not (facts.is_held or game.is_paused):
            raise Refusal("the clocks run already" if game.ended is None else "the game is over")
        was_held, facts.is_held = facts.is_held, False
        if game.is_paused and not was_held:
            if not facts.loaded.has_pieces:
                raise Refusal("the set-ups come first")
            facts.add(Resumed(at=facts.today()))
        self._nonce += 1

    def _throw(self, throw: int, by: str) -> None:
        positions = self._require_going_on()
        if not positions.info.has_dice or not positions.has_pieces:
            raise Refusal("no throw is to be entered")
        if throw == self._facts.game.throw:  # entered twice: it corrects nothing
            return
        self._facts.add(Thrown(at=self._facts.today(), throw=throw, by="page" if by == "page" else "person"))
        self._forget()

    def _play(self, word: str, result: int | None, flag: str) -> None:
        """Play a move that a hand has played."""
        positions = self._require_going_on()
        if self._facts.is_engines:
            raise Refusal("it is the engine's turn")
        if not positions.has_pieces:
            raise Refusal("the set-ups come first")
        if self._facts.needs_throw:
            raise Refusal("throw the die first")
        self._facts.play(self._checked_word(word, result, flag), "person")
        self._forget()

    def _confirm(self, result: int | None, flag: str) -> None:
        self._require_going_on()
        proposed = self._facts.game.proposed
        if not proposed:
            raise Refusal("no move waits to be announced")
        self._facts.play(self._checked_word(proposed, result, flag), "engine")
        self._forget()

    def _checked_word(self, word: str, result: int | None, flag: str) -> str:
        positions = self._facts.positions
        return positions.checked(positions.observed(word, result, flag))

    def _set_up(self, command: Arrange | Swap | Propose | SetUp | LayoutCommand) -> None:
        """Make a set-up, of the engine's side too: what is proposed there may be changed before it is announced."""
        positions = self._require_going_on()
        if positions.has_pieces:
            raise Refusal("the set-ups are over")
        word = self._facts.game.proposed or self._arranged
        if isinstance(command, Propose):
            self._nonce += 1
            self._arranged = ""
            if self._facts.is_engines:
                self._facts.add(Proposed(at=self._facts.today(), word="", used=self._facts.used()))
        elif isinstance(command, LayoutCommand):
            if (taken := self._layouts.do(command, positions.info.name, word)) != word:
                self._arrange(taken)
        elif not word and not isinstance(command, Arrange):
            raise Refusal("no set-up is being made")
        elif isinstance(command, SetUp):
            self._facts.play(word, "person")
            self._forget()
        elif isinstance(command, Swap):
            self._arrange(positions.swapped(word, positions.whole.turn, command.first, command.second))
        else:
            self._arrange(command.word)
        self._picture = self.next_number()

    def _arrange(self, word: str) -> None:
        checked = self._checked_word(word, None, "")
        if self._facts.is_engines:
            self._facts.add(Proposed(at=self._facts.today(), word=checked, used=self._facts.used()))
        else:
            self._arranged = checked

    def _go_back(self, game: int, node: int | None, note: str) -> None:
        facts = self._facts
        _ = facts.game, facts.positions
        games = facts.state.games
        if game >= len(games) or (node or 0) >= len(games[game].nodes):
            raise Refusal("no such position")
        node = games[game].current if node is None else node
        facts.add(WentBack(at=facts.today(), game=game, node=node, used=facts.used(), note=note))
        facts.is_held = False
        self._forget()

    def _enter(self, text: str, note: str) -> None:
        facts = self._facts
        _ = facts.positions
        if facts.game.ended is not None or facts.rules is None:
            raise Refusal("the game is over")
        path, setups = facts.game.path(), registry.info(facts.begun.game).setups(None)
        moves = lists.read(text, facts.rules, facts.game.team(OURS), tuple(node.word for node in path[:setups]))
        facts.add(Entered(at=facts.today(), moves=moves, used=facts.used(), note=note))
        facts.is_held = False
        self._forget()

    def _require_going_on(self) -> Positions:
        facts = self._facts
        _ = facts.game, facts.positions
        if facts.game.ended is not None:
            raise Refusal("the game is over")
        if not facts.goes_on:
            raise Refusal("the game is paused")
        return facts.positions

    def _forget(self) -> None:
        """Leave all that belongs to the position before."""
        self._picture = self.next_number()
        self._arranged = ""
        self._is_urgent = False
        self._nonce += 1

    def _settle(self) -> None:
        """Do what follows by itself, and save the record."""
        self._facts.settle()
        positions = self._facts.loaded
        if positions is not None and not self._arranged and self._facts.goes_on and not positions.has_pieces:
            if positions.info.has_dice and not self._facts.is_engines:
                self._arranged = EVERY_ORDER
        self._save()

    def _save(self) -> None:
        """Write the official record; a fault is shown, and the game goes on."""
        state = self._facts.state
        if self._facts.loaded is None or state.game is None:
            return
        written = (state.current, state.game.line(), state.game.ended, self._store.folder)
        if written == self._written:
            return
        try:
            record = records.record(self._store.folder, self._facts.begun, state.game)
            if record is not None and (record.name, record.digest) not in state.game.recorded:
                self._facts.add(Recorded(at=self._facts.today(), name=record.name, digest=record.digest))
            if record is not None:
                record.write(self._facts.game.recorded)
            self._record, self._written = record.name if record is not None else "", written
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            self._warnings.append(Warning(number=self.next_number(), reason=f"no record: {reason or error}"))

    def _said(self) -> list[Event]:
        said, self._warnings = self._warnings, []
        return said

    def _not_stored(self, error: OSError) -> list[Event]:
        self._facts.hold()
        return super()._not_stored(error)

    # What the engine does

    def engine_request(self) -> EngineRequest | None:
        facts = self._facts
        if game := self._preflight.game:
            return LoadRequest(game) if self._preflight.waits_for_engine else None
        return requests.engine_request(facts, self._arranged, self._nonce, self._is_urgent)

    def game_loaded(self, game: Game[Position]) -> list[Event]:
        facts = self._facts
        name = game.info.name
        is_checked = self._preflight.loaded(name, facts.today())
        if facts.state.begun is None or facts.begun.game != name or facts.rules is game:
            return [self.snapshot()] if is_checked else []
        self._forget()
        try:
            facts.load(game)
            self._settle()
        except ValueError as error:  # the file was changed by hand
            return [self._refused(f"the last contest cannot be read: {error}"), self.snapshot()]
        except OSError as error:
            return self._not_stored(error)
        return [*self._said(), self.snapshot()]

    def engine_failed(self, reason: str) -> Sequence[Event]:
        if self._preflight.failed(reason):
            return [self._refused(reason), self.snapshot()]
        return super().engine_failed(reason)

    def engine_searched(self, info: SearchInfo) -> list[Event]:
        """Show the operator what the engine thinks of its own position, unless that is hidden."""
        if self._facts.begun.hides or info.key[0] != "championship move":
            return []
        best = info.lines[0]
        return [
            Evaluation(
                number=self.next_number(),
                depth=info.depth,
                nodes=info.nodes,
                elapsed_ms=info.elapsed_ms,
                cp=best.score.cp,
                mate=best.score.mate,
                win=best.score.expected,
                line=list(best.words[:8]),
            )
        ]

    def _answered(self, key: Key, word: str) -> list[Event]:
        """Put the engine's move on the card; pondering has none."""
        facts = self._facts
        if key[0] == "championship pondering":
            return []
        if key[0] == "championship proposal":
            self._arranged = facts.positions.checked(word)
        else:
            facts.add(Proposed(at=facts.today(), word=self._legal(word), used=facts.used()))
        self._is_urgent = False
        self._picture = self.next_number()
        return [*self._said(), self.snapshot()]

    def _legal(self, word: str) -> str:
        """Return a legal move of the engine, whose result the referee has yet to say; ValueError for another."""
        whole = self._facts.positions.whole
        return whole.move_text(whole.parse_move(word))

    def tick(self) -> list[Event]:
        try:
            if not self._facts.tick():
                return []
        except OSError as error:
            return self._not_stored(error)
        self._forget()
        self._save()
        return [*self._said(), self.snapshot()]

    # What is shown

    def snapshot(self) -> Table:
        number = self.next_number()
        if self._preflight.game:
            return Table(number=number, stage="start", press="begin", checks=self._preflight.checks)
        shown = table(self._facts, number, self._picture, self._arranged, self._record)
        if not shown.setup:
            return shown
        return msgspec.structs.replace(shown, layouts=self._layouts.names(self._facts.begun.game))

    def record(self) -> tuple[str, bytes] | None:
        """Return the official record of the game that is shown, and its file name; None before both set-ups."""
        facts = self._facts
        if facts.loaded is None or not self._record:
            return None
        try:
            return self._record, records.data_of(facts.begun, facts.game)
        except ValueError:
            return None

    def drawing(self) -> Drawing | None:
        """Return the board, without the move to be announced: a second screen shows it; None until it is loaded."""
        facts = self._facts
        if facts.loaded is None:
            return None
        shown = table(facts, 0, 0, self._arranged, "")
        last = facts.loaded.points_of(facts.loaded.moves[-1].word) if facts.loaded.moves else []
        return drawing_of(facts.loaded, facts.loaded.whole, shown.pieces, last)

    @property
    def positions(self) -> Positions | None:
        return self._facts.loaded

    @property
    def state(self) -> State:
        """The state, to be read."""
        return self._facts.state

    @property
    def file(self) -> str:
        """The name of the contest's file in the games' folder, with the number of the game."""
        folder = self._store.folder
        return f"{folder.parent.name}/{folder.name}/{self._store.stem}-{self._facts.state.current + 1}"

    def finished(self) -> FinishedGame | None:
        facts = self._facts
        if facts.loaded is None or facts.game.ended is None:
            return None
        words = tuple(node.word for node in facts.game.path())
        played = PlayedGame(facts.begun.game, "", words, {}, facts.loaded.throws())
        own = frozenset(facts.game.team(team) for team in range(2) if facts.begun.engine[team])
        result, end = records.result_of(facts.game), facts.game.ended.reason or facts.game.ended.end
        return FinishedGame(played, facts.loaded.whole.copy(), result, end, own)
