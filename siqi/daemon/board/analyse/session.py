"""The session of Analyse, as plain calls: a tree of moves, what the engine finds, and what is read and written.

It is a mode of the page (siqi/daemon/board/mode.py). A fact is stored before it counts; where it cannot be stored,
nothing has changed.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from siqi.daemon.board.analyse import commands as asked
from siqi.daemon.board.analyse import exports, shown
from siqi.daemon.board.analyse.editor import Editor
from siqi.daemon.board.analyse.entries import (
    Added,
    AnyEntry,
    Begun,
    Commented,
    Marked,
    Promoted,
    Removed,
    Restored,
    Threw,
    Valued,
    Went,
)
from siqi.daemon.board.analyse.events import AnalysisShown, LinesShown, Saved, TreeShown
from siqi.daemon.board.analyse.moment import Shows, Trial, Wishes
from siqi.daemon.board.analyse.place import Place, tree_texts
from siqi.daemon.board.analyse.reader import Reader
from siqi.daemon.board.analyse.tree import ROOT, Tree, fold
from siqi.daemon.board.commands import OpenFile, Refusal
from siqi.daemon.board.drawings import Drawing
from siqi.daemon.board.events import Event, PlayedMove
from siqi.daemon.board.mode import (
    HINT_MS,
    JUDGE_MS,
    EngineRequest,
    Key,
    LoadRequest,
    Mode,
    SearchInfo,
    SearchRequest,
    utc,
)
from siqi.daemon.board.store import Store
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import MAX_SKILL
from siqi.games import registry
from siqi.games.contract import Game, Position

LINES, SET_UP, JUDGE = "lines", "analysis set-up", "judge"
"""The purposes of requests to the engine."""


class Analysis(Mode):
    """The analysis that is shown, from its store's last one on. Not for several threads."""

    name = "analyse"
    commands = asked.AnalyseCommand

    def __init__(
        self, store: Store[AnyEntry], today: Callable[[], str] = utc, numbering: Iterator[int] | None = None
    ) -> None:
        """Open the youngest analysis of the store. OSError if its file cannot be read."""
        super().__init__(store, numbering)
        self._today = today
        try:
            self.tree = fold(store.latest())
        except ValueError as error:
            raise OSError(errno.EIO, f"the last analysis's file is damaged: {error}") from None
        self.place: Place | None = None
        self._game: Game[Position] | None = None
        self._reader = Reader()
        self._editor: Editor | None = None
        self._wishes = Wishes()
        self._shows = Shows(self.next_number())

    # What the person asks

    def _done(self, command: Any) -> Sequence[Event]:
        if isinstance(command, asked.Save):
            return [self._saved(command.format)]
        self._do(command)
        return self._shown()

    def _do(self, command: Any) -> None:
        match command:
            case asked.Open(game=game):
                self._open(game)
            case asked.Read(text=text, game=game):
                self._reader.give("", text.encode(), game)
                self._read()
            case asked.ReadFile(name=name, data=data):
                self._reader.give_file(name, data, self.tree.begun.game if self.tree.begun else "")
                self._read()
            case OpenFile(name=name):
                self._open_file(name)
            case asked.Choose(number=number):
                self._begin(self._reader.choose(number, self._today()))
            case asked.GoTo(node=node):
                self._go(Went(at=self._today(), node=node))
            case asked.Add(word=word, result=result, flag=flag):
                self._add(self._require().observed(word, result, flag))
            case asked.Dice(throw=throw):
                self._throw(throw)
            case asked.SetUps():
                if self._require().has_pieces:
                    raise Refusal("the set-ups are over")
                self._wishes.wants_setup, self._wishes.nonce = True, self._wishes.nonce + 1
            case asked.Remove(node=node):
                self._go(Removed(at=self._today(), node=node))
            case asked.Restore():
                self._go(Restored(at=self._today()))
            case asked.Promote(node=node):
                self._store_fact(Promoted(at=self._today(), node=node))
            case asked.Comment(node=node, text=text):
                self._store_fact(Commented(at=self._today(), node=node, text=text))
            case asked.Mark(node=node, marks=marks):
                self._require().check_points(point for ends in marks for point in ends)
                self._store_fact(Marked(at=self._today(), node=node, marks=marks))
            case asked.Trial(step=step):
                self._try(step)
            case asked.Engine(lines=lines):
                self._keep_value()
                self._wishes.lines = lines
            case asked.Layer(name=name, is_shown=is_shown):
                self._layer(name, is_shown)
            case asked.View(side=side):
                if not self._require().is_referee:
                    raise Refusal("there are no other views")
                self._shows.view = side
                self._redraw()
            case asked.Judge():
                self._judge()
            case asked.Edit(is_empty=is_empty):
                self._editor = Editor(self._require().game, {} if is_empty else self._require().whole.pieces())
                self._redraw()
            case asked.Put(point=point, letter=letter):
                self._require_editor().put(point, letter)
                self._redraw()
            case asked.Shift(first=first, second=second):
                self._require_editor().shift(first, second)
                self._redraw()
            case asked.Deploy(side=side):
                self._require_editor().deploy(side)
                self._redraw()
            case asked.Edited(turn=turn, throw=throw):
                self._end_editing(turn, throw)

    def _open(self, game: str) -> None:
        if game not in registry.NAMES:
            raise Refusal(f"no game {game}")
        self._begin(Begun(at=self._today(), game=game, fen=registry.info(game).default_start))
        self._reader.keep(None)

    def _read(self) -> None:
        """Read what was given, if its game is loaded; else it is wanted first."""
        if self._game is not None and self._game.info.name == self._reader.game:
            entry, imported = self._reader.read(self._today())
            self._begin(entry)
            self._reader.keep(imported)

    def _begin(self, entry: Begun) -> None:
        """Begin an analysis; ValueError for a first position or moves against the rules."""
        tree = Tree().after(entry)
        placed = self._placed(tree)
        self._keep_value()
        self._store.begin(entry)
        self._take(tree, *placed)

    def _open_file(self, name: str) -> None:
        """Go on with another analysis; ValueError if there is none, or if its file breaks the rules."""
        self._keep_value()

        def read(entries: list[AnyEntry]) -> tuple[Tree, Place | None, dict[int, PlayedMove]]:
            tree = fold(entries)
            return tree, *self._placed(tree)

        self._take(*self._store.open(name, read))
        self._reader.keep(None)

    def _placed(self, tree: Tree) -> tuple[Place | None, dict[int, PlayedMove]]:
        """Return the current position of a tree and its moves as players write them, if its game is loaded.

        ValueError for a first position or moves against the rules.
        """
        known: dict[int, PlayedMove] = {}
        if self._game is None or tree.begun is None or self._game.info.name != tree.begun.game:
            return None, known
        place = self._checked(tree, self._game)
        tree_texts(tree, self._game, known)
        return place, known

    def _take(self, tree: Tree, place: Place | None, known: dict[int, PlayedMove]) -> None:
        """Show another analysis."""
        if place is None:
            self._game = None
        self.tree, self.place, self._shows.texts = tree, place, known
        self._shows.view, self._wishes.judging, self._wishes.wants_setup, self._editor = None, [], False, None
        self._shows.sent_tree, self._shows.trial = -1, None
        self._wishes.nonce += 1
        self._forget()
        self._take_throw()

    def _take_throw(self) -> None:
        """Take the throw that the FEN of a first position has."""
        if self.place is not None and self.place.first_throw and len(self.tree.nodes) == 1 and not self.tree.node.throw:
            self._go(Threw(at=self._today(), throw=self.place.first_throw))

    def _checked(self, tree: Tree, game: Game[Position]) -> Place:
        """Return the current position of a tree; ValueError if a main line's move is against the rules."""
        assert tree.begun is not None
        place = Place(game, tree.begun.fen)
        place.follow(tree)
        return place

    def _go(self, fact: AnyEntry) -> None:
        """Store a fact that may change the current position, and go there."""
        before, place = self.tree, self._require()
        after = before.after(fact)
        try:
            place.follow(after)
        except ValueError:
            place.follow(before)
            raise
        try:
            if after.current != before.current:
                self._keep_value()
            self._store_fact(fact)
        except OSError:
            place.follow(before)
            raise
        if self.tree.current != before.current or self.tree.node.throw != before.node.throw:
            self._forget()

    def _add(self, word: str) -> None:
        place = self._require()
        if place.whole.outcome() is not None:
            raise Refusal("the game is over")
        if self.has_throw and not self.tree.node.throw:
            raise Refusal("choose the throw first")
        checked, answered = place.checked(word), self.tree.node.throw
        text = place.texts([checked])[0]  # cheaper here than in a replay of the line
        self._go(Added(at=self._today(), word=checked))
        self._shows.texts.setdefault(self.tree.current, PlayedMove(text.word, text.chinese, answered))

    def _try(self, step: str) -> None:
        """Begin a trial, or end it: its moves are taken out of the tree, from where they can be put back, or stay."""
        if step == "begin":
            self._require()
            self._shows.trial = Trial(self.tree.current, len(self.tree.nodes))
        elif self._shows.trial is None:
            raise Refusal("nothing is being tried")
        else:
            node, first = self._shows.trial
            tried = [new for new in self.tree.walk() if self.tree.nodes[new].parent < first <= new]
            for new in tried if step == "drop" else ():
                self._go(Removed(at=self._today(), node=new))
            if step == "drop" and self.tree.is_known(node) and self.tree.current != node:
                self._go(Went(at=self._today(), node=node))
            self._shows.trial = None

    def _throw(self, throw: int) -> None:
        if not self.has_throw:
            raise Refusal("there is no throw here")
        self._go(Threw(at=self._today(), throw=throw))

    @property
    def has_throw(self) -> bool:
        """True if the side to move throws a die."""
        place = self.place
        return place is not None and place.info.has_dice and place.has_pieces and place.whole.outcome() is None

    def _layer(self, name: str, is_shown: bool) -> None:
        if name not in self._shows.layers:
            raise Refusal(f"no layer {name}")
        self._shows.layers[name] = is_shown
        self._redraw()

    def _judge(self) -> None:
        if self._wishes.judging:
            self._wishes.judging = []
            return
        self._require()
        self._keep_value()
        line = self.tree.shown_line()
        if self._place_at(line[-1]).whole.outcome() is not None:
            line.pop()
        setups = self._require().info.setups(self._require().fen)
        self._wishes.judging = [node for node in line[setups:] if self.tree.nodes[node].value is None]
        if not self._wishes.judging:
            raise Refusal("all positions of the line have been judged")

    def _end_editing(self, turn: int | None, throw: int) -> None:
        editor = self._require_editor()
        if turn is not None:
            fen = editor.fen(turn, throw)
            self._begin(Begun(at=self._today(), game=editor.game.info.name, fen=fen))
        self._editor = None
        self._redraw()

    def _require(self) -> Place:
        if self.tree.begun is None:
            raise Refusal("no analysis has begun")
        if self.place is None:
            raise Refusal("the game is being loaded")
        return self.place

    def _require_editor(self) -> Editor:
        if self._editor is None:
            raise Refusal("no pieces are being set up")
        return self._editor

    def _store_fact(self, fact: AnyEntry) -> None:
        after = self.tree.after(fact)
        self._store.add(fact)
        self.tree = after

    def _keep_value(self) -> None:
        """Store what the engine has found at the current position, if it is deeper than before."""
        value, before = self._wishes.value, self.tree.node.value
        if value is not None and value != before and (before is None or before.depth <= value.depth):
            self._store_fact(Valued(at=self._today(), node=self.tree.current, value=value))

    def _forget(self) -> None:
        """Leave what belongs to the position before."""
        self._wishes.value, self._wishes.report, self._wishes.wants_setup = None, None, False
        self._redraw()

    def _redraw(self) -> None:
        self._shows.picture = self.next_number()

    def left(self) -> None:
        """Keep what the engine has found: another mode is shown."""
        self._wishes.judging = []
        try:
            self._keep_value()
        except OSError:  # it is found again
            return

    # What the engine does

    def engine_request(self) -> EngineRequest | None:
        if self._reader.game:
            return LoadRequest(self._reader.game)
        if self.tree.begun is None:
            return None
        if self.place is None:
            return LoadRequest(self.tree.begun.game)
        if self._editor is not None:
            return None
        if self._wishes.wants_setup:
            return self._search_request(SET_UP, Limits(movetime=HINT_MS), 0)
        if self._wishes.judging:
            return self._judging_request(self._wishes.judging[0])
        if self._wishes.lines and self.place.has_pieces and self.place.whole.outcome() is None:
            return self._search_request(LINES, Limits(infinite=True), self._wishes.lines)
        return None

    def _search_request(self, purpose: str, limits: Limits, lines: int) -> SearchRequest:
        assert self.place is not None
        throw = self.tree.node.throw if self.has_throw else 0
        key = (purpose, self.tree.current, throw, 100 * self._wishes.nonce + lines)
        return self._request_at(key, self.place, throw, limits, lines)

    def _judging_request(self, node: int) -> SearchRequest:
        """Return the request to judge a position of a line."""
        key = (JUDGE, node, 0, self._wishes.nonce)
        return self._request_at(key, self._place_at(node), 0, Limits(movetime=JUDGE_MS), 1)

    def _place_at(self, node: int) -> Place:
        assert self.place is not None
        place = Place(self.place.game, self.place.fen)
        place.follow(self.tree.after(Went(at="", node=node)))
        return place

    def _request_at(self, key: Key, place: Place, throw: int, limits: Limits, lines: int) -> SearchRequest:
        words = tuple(place.words(place.whole.turn))
        name = place.info.name
        return SearchRequest(key, name, words, throw, limits, MAX_SKILL, False, False, place.fen, lines)

    def game_loaded(self, game: Game[Position]) -> Sequence[Event]:
        request = self.engine_request()
        if not isinstance(request, LoadRequest) or request.game != game.info.name:
            return []
        try:
            if self._reader.game:
                before, self._game = self._game, game
                try:
                    self._read()
                except ValueError:
                    self._game = before
                    raise
            else:
                self._load(game)
        except ValueError as error:
            return [self._refused(str(error)), self.snapshot()]
        except OSError as error:
            return self._not_stored(error)
        return [self.snapshot()]

    def _load(self, game: Game[Position]) -> None:
        self._forget()
        try:
            self.place = self._checked(self.tree, game)
            tree_texts(self.tree, game, self._shows.texts)
        except ValueError:  # the file was changed by hand
            self.tree, self.place = Tree(), None
            raise
        self._game = game
        self._take_throw()

    def engine_searched(self, info: SearchInfo) -> Sequence[Event]:
        request = self.engine_request()
        if not isinstance(request, SearchRequest) or request.key != info.key or self.place is None:
            return []
        if info.key[0] == LINES:
            self._wishes.value = shown.value_of(info, self.place.whole.turn)
            lines = shown.lines_of(self.next_number(), self.tree.current, info, self.place)
            self._wishes.report = lines
            return [lines]
        if info.key[0] == JUDGE:
            self._wishes.judged = info
        return []

    def _answered(self, key: Key, word: str) -> Sequence[Event]:
        try:
            if key[0] == SET_UP:
                self._add(word)
            elif key[0] == JUDGE:
                self._take_judgement(key[1])
            else:
                self._keep_value()
        except OSError:
            self._wishes.judging = []
            raise
        return self._shown()

    def _take_judgement(self, node: int) -> None:
        info = self._wishes.judged
        if info is not None and info.key[1] == node:
            value = shown.value_of(info, self._place_at(node).whole.turn)
            self._store_fact(Valued(at=self._today(), node=node, value=value))
        self._wishes.judging = self._wishes.judging[1:]

    def engine_failed(self, reason: str) -> Sequence[Event]:
        self._reader.drop()
        self._wishes.judging = []
        return super().engine_failed(reason)

    # What is shown

    def _shown(self) -> list[Event]:
        """Return the snapshot, with the tree if it has changed."""
        return [self._snapshot(self._shows.sent_tree != self.tree.version, None)]

    def snapshot(self) -> AnalysisShown:
        return self._snapshot(True, self._wishes.report)

    def _snapshot(self, has_tree: bool, report: LinesShown | None) -> AnalysisShown:
        number, tree, place = self.next_number(), self.tree, self.place
        begun = tree.begun
        if begun is None or place is None:
            is_loading = begun is not None or bool(self._reader.game)
            return AnalysisShown(number=number, picture=self._shows.picture, stage="loading" if is_loading else "start")
        self._shows.layers = shown.layers(place, self._shows.layers)
        return AnalysisShown(
            number=number,
            picture=self._shows.picture,
            stage="edit" if self._editor is not None else "loading" if self._reader.game else "analyse",
            game=begun.game,
            name=begun.name,
            file=self._store.stem,
            players=begun.players,
            result=begun.result,
            node=tree.current,
            last=place.points_of(tree.node.word) if tree.current != ROOT else [],
            throw=tree.node.throw if self.has_throw else 0,
            has_throw=self.has_throw,
            needs_answers=place.needs_answers,
            view=self._shows.view if place.is_referee else None,
            layers=dict(self._shows.layers),
            lines=self._wishes.lines,
            judging=len(self._wishes.judging),
            is_trial=self._shows.trial is not None,
            comment=tree.node.comment,
            marks=tree.node.marks,
            can_restore=bool(tree.removed),
            formats=exports.formats(begun.game),
            notes=self._reader.notes[:5],
            games=self._reader.choices(),
            tree=self._tree(place) if has_tree else None,
            report=report,
            **self._board(place),
        )

    def _tree(self, place: Place) -> TreeShown:
        tree_texts(self.tree, place.game, self._shows.texts)
        self._shows.sent_tree = self.tree.version
        return shown.tree_of(self.tree, place, self._shows.texts)

    def _board(self, place: Place) -> dict[str, Any]:
        if self._editor is not None:
            return self._editor.shown()
        return shown.board_of(place, self._shows.view, self.has_throw and not self.tree.node.throw)

    def drawing(self) -> Drawing | None:
        if self.place is None:
            return None
        if self._editor is not None:
            return self._editor.drawing()
        last = self.place.points_of(self.tree.node.word) if self.tree.current != ROOT else []
        return shown.drawing_of(self.place, self._shows.view, self._shows.layers, last)

    @property
    def positions(self) -> Place | None:
        """The current position, once the game is loaded; to be read."""
        return self.place

    def _saved(self, name: str) -> Saved:
        """Return the analysis in a format of its game; ValueError if that cannot hold it, or there is none."""
        exported = exports.export(self.tree, self._require().game, self._store.stem, name)
        return Saved(number=self.next_number(), name=exported.name, data=exported.data, losses=exported.losses)
