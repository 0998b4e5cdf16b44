"""The session of Analyse, without a page: trees, what is read and written, restarts, the engine's answers."""

from __future__ import annotations

import base64
import errno
import random
import time
from queue import SimpleQueue
from typing import Any

import pytest
from board_games import Memory, loaded

from siqi.daemon.board.analyse import commands as ask
from siqi.daemon.board.analyse.entries import Added, AnyEntry, Threw, Valued
from siqi.daemon.board.analyse.events import AnalysisShown, LinesShown, Saved
from siqi.daemon.board.analyse.session import Analysis
from siqi.daemon.board.analyse.tree import Tree, fold
from siqi.daemon.board.events import Refused
from siqi.daemon.board.mode import LoadRequest, SearchInfo, SearchLine, SearchRequest
from siqi.daemon.board.thinker import Fault, Thinker
from siqi.daemon.clients.random_mover import random_junqi_setup
from siqi.games import registry
from siqi.games.contract import Score
from siqi.games.game_record import GameRecord, position_after

GAMES = pytest.mark.parametrize("game", registry.NAMES)

PGN = """[Game "Chinese Chess"]
[Event "A cup"]
[Red "A"]
[Black "B"]
[Annotator "C"]

{start} 1. C2=5 {good} $1 H8+7 (C8=5 2. H2+3 (2. H8+7 {x}) H8+7) (H2+3 {why}) 2. H2+3 R9=8 1-0
"""


class Study:
    """An analysis whose games are loaded at once."""

    def __init__(self, entries: list[AnyEntry] | None = None, seed: int = 1) -> None:
        self.store = Memory(entries or ())
        self.rng = random.Random(seed)
        self.analysis = Analysis(self.store, lambda: "today")  # type: ignore[arg-type]
        self.load()

    def load(self) -> list[Any]:
        events: list[Any] = []
        while isinstance(request := self.analysis.engine_request(), LoadRequest):
            events += self.analysis.game_loaded(loaded(request.game))
        return events

    def do(self, command: Any) -> AnalysisShown:
        """Carry out a command that must not be refused."""
        events = [*self.analysis.do(command), *self.load()]
        assert not [event for event in events if isinstance(event, Refused)], events
        return self.analysis.snapshot()

    def refused(self, command: Any) -> str:
        """Return why a command is refused; it must change nothing."""
        before, facts = self.analysis.tree, list(self.store.entries)
        events = [*self.analysis.do(command), *self.load()]
        reasons = [event.reason for event in events if isinstance(event, Refused)]
        assert len(reasons) == 1 and self.analysis.tree == before and self.store.entries == facts
        return str(reasons[0])

    def shown(self) -> AnalysisShown:
        return self.analysis.snapshot()

    def step(self) -> bool:
        """Play a random move at the current position; False if the game is over."""
        shown = self.shown()
        if shown.game_end is not None:
            return False
        if shown.needs_setup:
            self.do(ask.Add(random_junqi_setup(self.rng)))
        elif shown.has_throw and not shown.throw:
            self.do(ask.Dice(self.rng.randint(1, 6)))
        elif shown.stones:
            columns, rows = loaded(shown.game).info.shape.columns, loaded(shown.game).info.shape.rows
            empty = [f"{column}{row}" for column in columns for row in rows if f"{column}{row}" not in shown.pieces]
            self.do(ask.Add("".join(self.rng.sample(empty, shown.stones))))
        else:
            self.do(ask.Add(self.rng.choice(shown.choices).word))
        return True

    def wander(self, steps: int) -> None:
        """Play moves, go to other positions, remove and promote variations."""
        for _ in range(steps):
            nodes = list(self.analysis.tree.walk())
            kind = self.rng.random()
            if kind < 0.2:
                self.do(ask.GoTo(self.rng.choice(nodes)))
            elif kind < 0.25 and len(nodes) > 4:
                self.do(ask.Remove(self.rng.choice(nodes[3:])))
            elif kind < 0.3 and self.analysis.tree.removed:
                self.do(ask.Restore())
            elif kind < 0.35:
                self.analysis.do(ask.Promote(self.rng.choice(nodes)))
            elif kind < 0.4:
                self.do(ask.Comment(self.rng.choice(nodes), f"seen {len(nodes)}"))
            else:
                self.step()

    def answer(self, chance: float = 0.75, depth: int = 3) -> list[Any]:
        """Answer what the session wants of the engine with its first legal move."""
        request = self.analysis.engine_request()
        assert isinstance(request, SearchRequest)
        line = SearchLine(Score.from_expected(chance), ("h2e2",) if request.game == "xiangqi" else ("a1",), 0)
        return list(self.analysis.engine_searched(SearchInfo(request.key, depth, 100, 10, (line,))))


@GAMES
def test_positions_of_a_tree_are_those_of_the_rules(game: str) -> None:
    study = Study(seed=3)
    study.do(ask.Open(game))
    study.wander(120)
    tree, place = study.analysis.tree, study.analysis.place
    assert place is not None and len(tree.nodes) > 20 and any(len(node.children) > 1 for node in tree.nodes)
    for node in list(tree.walk()):
        shown = study.do(ask.GoTo(node))
        position = loaded(game).position(tree.begun.fen or None)  # type: ignore[union-attr]
        for number in tree.line(node)[1:]:
            if tree.nodes[number].answered:
                position.set_dice(tree.nodes[number].answered)  # type: ignore[attr-defined]
            position.push(position.parse_move(tree.nodes[number].word))
        if shown.has_throw and shown.throw:
            position.set_dice(shown.throw)  # type: ignore[attr-defined]
        assert (shown.fen, shown.turn) == (position.fen(), position.turn)
        assert shown.node == node and shown.needs_setup == (not position.pieces() and game == "junqi")


@GAMES
def test_a_restart_at_every_fact_goes_on_with_the_same_analysis(game: str) -> None:
    study = Study(seed=5)
    study.do(ask.Open(game))
    study.wander(30)
    entries = study.store.entries
    assert len(entries) > 20
    tree = Tree()
    for count, entry in enumerate(entries, 1):
        tree = tree.after(entry)
        again = Study(entries[:count])
        assert again.analysis.tree == tree and again.shown().node == tree.current
    assert again.shown().pieces == study.shown().pieces and fold(entries) == study.analysis.tree


def test_a_move_played_again_leads_to_the_same_node() -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    first = study.do(ask.Add("h2e2")).node
    study.do(ask.GoTo(0))
    other = study.do(ask.Add("b2e2")).node
    study.do(ask.GoTo(0))
    assert study.do(ask.Add("h2e2")).node == first != other
    tree = study.shown().tree
    assert tree is not None and [node.move.word for node in tree.nodes] == ["h2e2", "b2e2"]
    assert study.refused(ask.Add("a0a9")) and study.refused(ask.GoTo(9)) and study.refused(ask.Remove(0))
    assert study.refused(ask.Promote(first)) == "it is the main line"
    study.do(ask.Promote(other))
    assert [node.move.word for node in study.shown().tree.nodes] == ["b2e2", "h2e2"]  # type: ignore[union-attr]


def test_what_is_removed_can_be_put_back() -> None:
    study = Study()
    study.do(ask.Read(PGN))
    before = study.analysis.tree
    assert study.refused(ask.Restore())
    study.do(ask.GoTo(4))
    shown = study.do(ask.Remove(2))
    assert shown.node == 1 and shown.can_restore and len(list(study.analysis.tree.walk())) == len(before.nodes) - 3
    assert "no node" in study.refused(ask.GoTo(4))
    shown = study.do(ask.Restore())
    assert shown.node == 4 and not shown.can_restore
    assert [node.children for node in study.analysis.tree.nodes] == [node.children for node in before.nodes]


def test_a_record_is_read_with_its_variations_and_written_as_it_was() -> None:
    study = Study()
    shown = study.do(ask.ReadFile("a.pgn", base64.b64encode(PGN.encode()).decode()))
    assert (shown.game, shown.name, shown.players, shown.result) == ("xiangqi", "a.pgn", ("A", "B"), "1-0")
    tree = shown.tree
    assert tree is not None and tree.comment == "start" and len(tree.nodes) == 9
    assert tree.nodes[0].nags == (1,) and tree.nodes[0].move.chinese == "炮二平五"
    for name in shown.formats:
        (saved,) = study.analysis.do(ask.Save(name))
        assert isinstance(saved, Saved), (name, saved)
        again = Study()
        back = again.do(ask.ReadFile(saved.name, base64.b64encode(saved.data).decode()))
        assert back.game == "xiangqi" and back.tree is not None
        assert len(back.tree.nodes) == (9 if name not in ("wxf", "cbf", "fens", "moves") else 4), name
        assert any("variation" in loss for loss in saved.losses) == (len(back.tree.nodes) < 9), (name, saved.losses)
    (saved,) = study.analysis.do(ask.Save("pgn"))
    assert isinstance(saved, Saved)
    assert "{good} 1... H8+7 (1... C8.5 2. H2+3 (2. H8+7 {x})" in saved.data.decode()
    assert '[Annotator "C"]' in saved.data.decode()
    assert study.refused(ask.Save("none")) == "no format none"


@pytest.mark.parametrize("game", ["connect6", "ewn", "junqi"])
def test_games_are_written_and_read_back(game: str) -> None:
    study = Study(seed=2)
    study.do(ask.Open(game))
    for _ in range(24):
        study.step()
    for name in study.shown().formats:
        (saved,) = study.analysis.do(ask.Save(name))
        if isinstance(saved, Refused):  # the championships' format cannot store a first position
            assert game == "ewn", saved
            continue
        assert isinstance(saved, Saved)
        again = Study()
        again.do(ask.ReadFile(saved.name, base64.b64encode(saved.data).decode()))
        again.do(ask.GoTo(again.analysis.tree.main_line()[-1]))
        study.do(ask.GoTo(study.analysis.tree.main_line()[-1]))
        assert again.shown().pieces == study.shown().pieces


@pytest.mark.parametrize(
    ("text", "game", "count"),
    [
        ("4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1", "xiangqi", 0),
        ("position startpos moves h2e2 h9g7", "xiangqi", 2),
        ("fen 4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1 moves a1a2", "xiangqi", 1),
        ("ABE2/FC3/D3d/3cf/2eba f 3", "ewn", 0),
        ("1. 炮二平五 马8进7 2. 马二进三", "xiangqi", 3),
        ("j10 i9i10", "connect6", 2),
    ],
)
def test_texts_are_read(text: str, game: str, count: int) -> None:
    study = Study()
    study.do(ask.Open(game))
    shown = study.do(ask.Read(text, game))
    assert shown.game == game and shown.tree is not None and len(shown.tree.nodes) == count
    if text.endswith(" f 3"):
        assert shown.throw == 3 and shown.choices


@pytest.mark.parametrize("text", ["", "hello", "4k4/9/9 w", "rnbakabnr/9/9/9/9/9/9/9/9/9 w - - 0 1", "h2e9"])
def test_texts_that_are_nothing_are_refused(text: str) -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    study.do(ask.Add("h2e2"))
    if text == "h2e9":  # a game without moves is what stands before its first fault
        assert study.do(ask.Read(text, "xiangqi")).notes
    else:
        assert study.refused(ask.Read(text, "xiangqi"))


def test_rules_are_shown_as_data_and_other_lines_of_books_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("siqi.daemon.board.analyse.shown.MAX_RULES", 99)
    study = Study()
    study.do(ask.Read("startpos moves h2e2", "xiangqi"))
    shown = study.do(ask.GoTo(1))
    lines = loaded("xiangqi").consult(position_after(loaded("xiangqi"), GameRecord(("h2e2",))))
    rules = [line.rule for line in lines if line.rule is not None]
    assert {bool(rule.word) for rule in rules} == {True, False}  # one move, or all of an intent
    for rule, known in zip(shown.rules, rules, strict=True):
        assert (rule.asked, rule.share, rule.counts_positions, rule.intents) == known[1:5]
        assert tuple(move.word for move in rule.moves) == (known.moves or (known.word,))
        assert all(move.chinese for move in rule.moves) and (known.word or known.intents)
    assert not any(text.startswith("rule ") for text in shown.known)
    endgame = Study().do(ask.Read("fen 4k4/9/9/9/9/9/9/9/4A4/R3K4 w", "xiangqi"))
    assert not endgame.rules and endgame.known[0].startswith("pattern ")


def test_a_file_of_games_lets_choose() -> None:
    study = Study()
    shown = study.do(ask.Read(PGN + "\n" + PGN.replace('"A"', '"D"')))
    assert shown.games == ["1. A - B · A cup · 1-0", "2. D - B · A cup · 1-0"]
    assert study.do(ask.Choose(1)).players == ("D", "B")
    assert study.refused(ask.Choose(2)) == "no such game was read"


def test_pieces_are_set_up() -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    study.do(ask.Edit(is_empty=True))
    for point, letter in (("e9", "k"), ("d0", "K"), ("a1", "R"), ("a2", "R"), ("a2", "")):
        shown = study.do(ask.Put(point, letter))
    assert shown.stage == "edit" and shown.pieces == {"e9": "k", "d0": "K", "a1": "R"}
    assert study.refused(ask.Put("z9", "k")) and study.refused(ask.Put("a1", "z"))
    shown = study.do(ask.Edited(1))
    assert shown.stage == "analyse" and shown.fen.startswith("4k4/9/9/9/9/9/9/9/R8/3K5 b")
    study.do(ask.Edit())
    study.do(ask.Put("e9", ""))
    assert study.refused(ask.Edited(0)) and study.shown().stage == "edit"
    assert study.do(ask.Edited()).pieces == {"e9": "k", "d0": "K", "a1": "R"}


def test_pieces_are_moved_and_deployed_and_a_die_is_set() -> None:
    study = Study()
    study.do(ask.Open("ewn"))
    assert study.refused(ask.Shift("a1", "b1"))
    study.do(ask.Edit())
    for side, letters in enumerate(("ABCDEF", "abcdef")):
        shown = study.do(ask.Deploy(side))
        assert set(letters) <= set(shown.pieces.values())
    first, second = next(
        (one, other) for one in shown.pieces for other in shown.pieces if shown.pieces[one] == "A" != other
    )
    before = shown.pieces
    shown = study.do(ask.Shift(first, second))
    assert (shown.pieces.get(first), shown.pieces[second]) == (before.get(second), "A")
    shown = study.do(ask.Shift(second, "c3"))
    assert shown.pieces["c3"] == "A" and second not in shown.pieces
    assert study.refused(ask.Shift("c3", "z9")) and study.shown().pieces == shown.pieces
    shown = study.do(ask.Edited(1, 4))
    assert (shown.turn, shown.throw, shown.pieces["c3"]) == (1, 4, "A") and shown.choices
    study.do(ask.Open("junqi"))
    study.do(ask.Edit())
    study.do(ask.Deploy(0))
    shown = study.do(ask.Deploy(1))
    assert len(shown.pieces) == 50
    assert study.do(ask.Edited(0)).choices
    study.do(ask.Open("xiangqi"))
    study.do(ask.Edit())
    assert study.refused(ask.Deploy(0)) and study.refused(ask.Edited(0, 3))


def test_drawn_arrows_stay_with_their_position() -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    study.do(ask.Mark(0, (("h2", "e2"), ("e9", "e9"))))
    assert study.refused(ask.Mark(0, (("h2", "z2"),))) and study.refused(ask.Mark(7, ()))
    assert study.do(ask.Add("h2e2")).marks == ()
    study = Study(list(study.store.entries))
    assert study.do(ask.GoTo(0)).marks == (("h2", "e2"), ("e9", "e9"))
    assert study.do(ask.Mark(0, ())).marks == ()


def test_moves_are_tried_out_and_leave_no_trace_but_can_be_put_back() -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    study.do(ask.Add("h2e2"))
    before = study.analysis.tree
    assert study.refused(ask.Trial("drop"))
    assert study.do(ask.Trial("begin")).is_trial
    for word in ("h9g7", "h0g2"):
        study.do(ask.Add(word))
    study.do(ask.GoTo(0))
    study.do(ask.Add("b2e2"))
    shown = study.do(ask.Trial("drop"))
    assert not shown.is_trial and shown.node == 1
    assert list(study.analysis.tree.walk()) == list(before.walk())
    assert shown.can_restore and len(list(study.do(ask.Restore()).tree.nodes)) > 1
    study.do(ask.Trial("begin"))
    study.do(ask.GoTo(1))
    kept = study.do(ask.Add("b9c7")).node
    assert not study.do(ask.Trial("keep")).is_trial and study.analysis.tree.is_known(kept)


def test_the_engine_is_asked_once_for_a_position_and_its_value_is_kept() -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    request = study.analysis.engine_request()
    assert isinstance(request, SearchRequest) and request.limits.infinite and request.lines == 3
    study.do(ask.Comment(0, "a comment changes no position"))
    assert study.analysis.engine_request() == request
    (lines,) = study.answer(0.75)
    assert isinstance(lines, LinesShown) and lines.chance == 0.75 and lines.lines[0].moves[0].chinese == "炮二平五"
    assert study.analysis.engine_request() == request
    study.do(ask.Add("h2e2"))
    assert study.analysis.tree.nodes[0].value is not None and study.analysis.tree.nodes[0].value.chance == 0.75
    stale = SearchInfo(request.key, 9, 1, 1, (SearchLine(Score.from_expected(0.1), ("h2e2",), 0),))
    assert study.analysis.engine_searched(stale) == []
    assert study.shown().report is None
    (lines,) = study.answer(0.25)
    assert lines.chance == 0.75  # Black's view is turned
    assert study.shown().report == lines  # a tab that is opened now is shown it
    study.do(ask.GoTo(0))
    assert study.shown().report is None
    study.answer(0.6, depth=2)
    study.do(ask.GoTo(1))
    assert study.analysis.tree.nodes[0].value.chance == 0.75  # the deeper one stays
    assert study.do(ask.Engine(0)).lines == 0 and study.analysis.engine_request() is None
    assert [type(entry) for entry in study.store.entries].count(Valued) == 2


@pytest.mark.parametrize("game", ["xiangqi", "junqi"])
def test_a_line_is_judged_position_by_position(game: str) -> None:
    study = Study()
    study.do(ask.Open(game))
    for _ in range(6):
        study.step()
    count = study.do(ask.Judge()).judging
    assert count == (7 if game == "xiangqi" else 5)
    for left in range(count, 0, -1):
        request = study.analysis.engine_request()
        assert isinstance(request, SearchRequest) and request.limits.movetime and study.shown().judging == left
        study.answer(0.8)
        study.analysis.engine_moved(request.key, "a0a1")
    assert study.shown().judging == 0 and study.shown().tree is not None
    chances = [node.chance for node in study.shown().tree.nodes][-count + 1 :]  # type: ignore[union-attr]
    assert set(chances) == {0.2, 0.8} and chances[0] != chances[1]
    assert "have been judged" in study.refused(ask.Judge())


def test_throws_are_chosen_freely() -> None:
    study = Study()
    shown = study.do(ask.Open("ewn"))
    assert shown.has_throw and not shown.choices
    request = study.analysis.engine_request()
    assert isinstance(request, SearchRequest) and request.throw == 0 and request.fen
    assert study.refused(ask.Add("a5b5")) == "choose the throw first"
    moves = {throw: {choice.word for choice in study.do(ask.Dice(throw)).choices} for throw in range(1, 7)}
    assert len(set(map(frozenset, moves.values()))) == 6
    again = study.analysis.engine_request()
    assert isinstance(again, SearchRequest) and again.throw == 6 and again.key != request.key
    word = min(moves[6])
    study.do(ask.Add(word))
    study.do(ask.GoTo(0))
    assert study.do(ask.Dice(0)).throw == 0
    study.do(ask.Dice(6))
    assert study.do(ask.Add(word)).node == 1 and isinstance(study.store.entries[1], Threw)


def test_views_of_hidden_pieces() -> None:
    study = Study()
    study.do(ask.Open("junqi"))
    assert study.refused(ask.Layer("heat", True)) == "no layer heat"
    for _ in range(4):
        study.step()
    every = study.shown()
    assert every.has_views and "x" not in every.pieces.values()
    first, second = (study.do(ask.View(side)).pieces for side in range(2))
    assert "x" in first.values() and "X" in second.values() and set(first) == set(every.pieces)
    drawing = study.analysis.drawing()
    assert drawing is not None and drawing.extras == {"beliefs": True}
    study.do(ask.View(None))
    assert study.analysis.drawing().extras == {}  # type: ignore[union-attr]
    request = study.analysis.engine_request()
    assert isinstance(request, SearchRequest) and request.words[1 - study.shown().turn] == "?"


def test_layers_of_stones() -> None:
    study = Study()
    assert study.do(ask.Open("connect6")).layers == {"threats": True, "heat": False}
    before = study.shown().picture
    shown = study.do(ask.Layer("heat", True))
    assert shown.layers["heat"] and shown.picture > before
    assert study.analysis.drawing().extras == {"threats": True, "heat": True}  # type: ignore[union-attr]


def test_a_full_disk_changes_nothing() -> None:
    study = Study()
    study.do(ask.Open("xiangqi"))
    study.answer()
    study.store.fault = OSError(errno.ENOSPC, "No space left on device", "games")
    before = study.analysis.tree
    for command in (ask.Add("h2e2"), ask.Open("ewn"), ask.Read(PGN), ask.Comment(0, "x"), ask.Engine(0)):
        events = study.analysis.do(command)
        assert isinstance(events[0], Refused) and events[0].reason.startswith("not saved: No space left on device")
        assert study.analysis.tree == before and study.shown().node == 0
    study.store.fault = None
    assert study.do(ask.Add("h2e2")).node == 1 and isinstance(study.store.entries[-1], Added)


@pytest.mark.parametrize("game", ["ewn", "xiangqi"])
def test_lines_come_ten_times_a_second_at_most_and_a_new_question_stops_the_old_one(game: str) -> None:
    study, news = Study(), SimpleQueue[Any]()
    loaded(game)
    thinker = Thinker(news.put)
    try:
        study.do(ask.Open(game))
        first = study.analysis.engine_request()
        thinker.request(first)
        times: list[float] = []
        while len(times) < 5 or times[-1] - times[0] < 0.5:
            event = news.get(timeout=120)
            assert not isinstance(event, Fault)
            if isinstance(event, SearchInfo):
                assert (
                    isinstance(first, SearchRequest)
                    and event.key == first.key
                    and len(event.lines) == (6 if game == "ewn" else 3)
                )
                times.append(event.elapsed_ms / 1000)
        assert len(times) <= 2 + 10 * (times[-1] - times[0])
        study.do(ask.Dice(3) if game == "ewn" else ask.Add("h2e2"))
        second = study.analysis.engine_request()
        thinker.request(second)
        asked_at = time.monotonic()
        while not (
            isinstance(event := news.get(timeout=60), SearchInfo)
            and isinstance(second, SearchRequest)
            and event.key == second.key
        ):
            assert not isinstance(event, Fault)
        assert time.monotonic() - asked_at < 20
        (lines,) = study.analysis.engine_searched(event)
        assert isinstance(lines, LinesShown) and not lines.lines[0].throw and lines.lines[0].points
    finally:
        thinker.close()


def test_moves_of_a_view_have_the_referees_answer() -> None:
    study = Study()
    study.do(ask.Open("junqi"))
    study.do(ask.Add(random_junqi_setup(study.rng)))
    shown = study.do(ask.Add("?"))
    assert shown.needs_answers and not shown.has_views
    battle = next(choice for choice in shown.choices if choice.points[-1] in shown.pieces)
    quiet = next(choice for choice in shown.choices if choice.points[-1] not in shown.pieces)
    assert study.refused(ask.Add(battle.word))
    assert study.refused(ask.Add(battle.word, 3))
    flag = next(point for point, letter in shown.pieces.items() if letter == "x" and point in ("A1", "A3"))
    after = study.do(ask.Add(battle.word, 2, flag))
    assert not set(battle.points) & set(after.pieces)  # both have died
    assert study.analysis.tree.node.word == f"{battle.word}=2@{flag}"
    study.do(ask.GoTo(2))
    assert study.do(ask.Add(quiet.word, 3)).node == 4
    study.do(ask.Open("junqi"))
    for _ in range(2):
        study.do(ask.Add(random_junqi_setup(study.rng)))
    assert not study.shown().needs_answers and study.do(ask.Add(study.shown().choices[0].word)).node == 3
