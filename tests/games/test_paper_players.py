"""The players of the papers that one value of Algorithm selects whole, in all four games."""

from __future__ import annotations

from typing import Any

import pytest
from fixture_files import FIXTURES

from scripts.papers.plain_search import PlainSearch

from siqi.games import registry
from siqi.games.connect6.paper.roads import SCANS, Program
from siqi.games.contract import Report, Task
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.rules.position import NOT_OVER
from siqi.games.junqi.search.deployment import draw_deployment
from siqi.games.junqi.search.uct import PAPER
from siqi.games.kernel.control import Control
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.paper.negamax import score_of

EWN_START = "ABC2/DE3/F3f/3ed/2cba f 3"
EWN_WIN = "5/1A3/2e2/3D1/2d2 f 4"
TWO_ROOKS = "3k5/9/9/9/9/9/9/R8/1R7/4K4 w"
OPENINGS = [line.split() for line in (FIXTURES / "connect6_openings.txt").read_text(encoding="utf-8").splitlines()]


class Player:
    """A searcher of a game, with options."""

    def __init__(self, name: str, threads: int = 1, **options: str) -> None:
        self.game: Any = registry.load(name)
        for option, value in options.items():
            self.game.set_option(option, value)
        self.searcher: Any = self.game.searcher()
        self.searcher.configure(16, threads, 1)

    def search(self, position: Any, depth: int, control: Control | None = None, moves: tuple[int, ...] = ()) -> Report:
        """Search to a depth, or until the control stops the search."""
        self.searcher.start(Task(position, control or Control(), moves))
        report: Report = self.searcher.iterate()
        while report.complete and not report.finished and report.depth < depth:
            report = self.searcher.iterate()
        self.searcher.finish()
        return report

    @property
    def works(self) -> list[Any]:
        works: list[Any] = self.searcher._searcher._works
        return works


# EWN


@pytest.mark.parametrize(("name", "threads"), [("paper", 3), ("plain-uct", 1)])
def test_ewn_s_paper_players_are_bare_whatever_the_options_say(name: str, threads: int) -> None:
    options = {"UCTPlayout": "greedy", "UCTParallel": "tree", "UCTLeafVisits": "50", "UseEndgames": "true"}
    player = Player("ewn", 5, Algorithm=name, **options)
    known = player.game.knowledge
    assert (known.has_proofs, known.keeps_tree, known.leaf_visits, known.tablebase) == (False, False, 1, 0)
    assert known.playout == "random" and len(player.works) == threads
    assert (known.parallel, known.wink) == (("children", 0.4) if threads == 3 else ("tree", 1.0))
    player.game.set_option("Algorithm", "uct")
    assert (known.has_proofs, known.leaf_visits, known.playout, known.parallel) == (True, 50, "greedy", "tree")
    assert known.tablebase != 0


def test_ewn_s_minimax_and_alpha_beta_agree() -> None:
    """Expectiminimax by the same static values, with and without cuts: the same best value at each depth."""
    for fen in (EWN_START, "A1B2/2E2/C1F1f/2e2/1cb1a s 4"):
        for depth in (1, 2, 3):
            scores = [
                Player("ewn", Algorithm=name).search(EwnPosition(fen), depth).lines[0].score.win
                for name in ("minimax", "alphabeta")
            ]
            assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_ewn_s_monte_carlo_samples_each_move_alike() -> None:
    player = Player("ewn", 2, Algorithm="montecarlo")
    report = player.search(EwnPosition(EWN_START), 9)
    arms = player.searcher._searcher._adapter._arms
    assert arms["visits"].min() == arms["visits"].max() > 300 and int(arms["visits"].sum()) == report.nodes
    means = sorted((arms["sum"].sum(0) / arms["visits"].sum(0)).tolist(), reverse=True)
    assert means[0] > means[-1] and [line.score.win for line in report.lines] == sorted(
        (line.score.win or 0 for line in report.lines), reverse=True
    )


@pytest.mark.parametrize("name", ["paper", "plain-uct", "minimax", "alphabeta", "montecarlo"])
def test_ewn_s_players_take_a_win_and_answer_each_throw(name: str) -> None:
    player, position = Player("ewn", Algorithm=name), EwnPosition(EWN_WIN)
    best = player.search(position, 12, Control(5000)).lines[0].pv[0]
    position.push(best)
    assert position.record.winner != NOT_OVER
    unknown = EwnPosition(EWN_START.replace("f 3", "f -"))
    assert [line.throw for line in player.search(unknown, 4, Control(5000)).lines] == [1, 2, 3, 4, 5, 6]


# Connect6


@pytest.mark.parametrize("scan", SCANS)
def test_roads_chooses_as_the_paper_s_program(scan: str) -> None:
    player = Player("connect6", Algorithm="roads", Scan=scan, Width="10")
    program = Program(SCANS[scan], 10)
    for words in OPENINGS[:3]:
        position = player.game.position()
        for word in words:
            position.push(position.parse_move(word))
        for depth in (1, 2):
            line, actual = player.search(position, depth).lines[0], program.search(position, depth)
            assert actual is not None and (position.move_text(line.pv[0]), line.score.cp) == (
                position.move_text(actual.turn),
                actual.value,
            )


def test_roads_wins_defends_and_begins_in_the_centre() -> None:
    player = Player("connect6", 2, Algorithm="roads", Depth="3")
    position = player.game.position()
    assert position.move_text(player.search(position, 9).lines[0].pv[0]) == "j10"
    for word in ("j10", "a1c1", "j9j8", "e1g1", "j7s19", "i1k1"):  # four of Black in a column, White's apart
        position.push(position.parse_move(word))
    won = player.search(position, 9)
    assert won.finished and won.lines[0].score.mate == 1
    position.push(won.lines[0].pv[0])
    assert position.outcome() is not None
    position.pop()
    (other,) = (position.parse_move(word) for word in ("a19b19",))
    report = player.search(position, 9, moves=(other,))
    assert report.depth == 3 and report.lines[0].pv == (other,) and report.lines[0].score.mate is None


def test_roads_stops_at_its_limits() -> None:
    player = Player("connect6", Algorithm="roads", Scan="global")
    position = player.game.position()
    position.push(position.parse_move("j10"))
    control = Control(30)
    report = player.search(position, 8, control)
    assert not report.complete and report.lines[0].depth >= 1 and control.stopped


# Xiangqi


@pytest.mark.parametrize("fen", [None, "2bak4/4a4/4b4/9/4N4/9/9/9/4K4/3R5 w", "3k5/9/4P4/9/9/9/9/9/9/4K1R2 b"])
def test_paper_5_s_search_finds_the_value_of_full_width(fen: str | None) -> None:
    player, plain = Player("xiangqi", Algorithm="paper5"), PlainSearch("paper")
    position = player.game.position(fen)
    for depth in (1, 2, 3):
        line = player.search(position, depth).lines[0]
        if line.score.mate is None:
            assert line.score.cp == plain.best_value(position, depth)
        else:
            assert line.score == score_of(plain.best_value(position, depth) + (1 if line.score.mate < 0 else -1))


def test_paper_5_s_search_mates_and_returns_a_single_reply_at_once() -> None:
    player = Player("xiangqi", 2, Algorithm="paper5")
    mate = player.search(XiangqiPosition(TWO_ROOKS), 9)
    assert mate.finished and mate.lines[0].score.mate == 1
    single = XiangqiPosition("3k5/9/9/9/9/9/9/9/4p4/r3K4 w")
    assert single.count_legal() == 1
    report = player.search(single, 9)
    assert report.finished and report.depth == 1


def test_paper_5_s_search_asks_the_known_positions(tmp_path: Any) -> None:
    position = XiangqiPosition("4k4/9/9/9/9/9/4P4/9/9/4K4 w")
    after = position.copy()
    after.push(after.parse_move("e3e4"))
    (tmp_path / "known.txt").write_text(f"{after.fen()}, -777\n")
    player = Player("xiangqi", Algorithm="paper5", PositionFile=str(tmp_path / "known.txt"))
    report = player.search(position, 3)
    assert position.move_text(report.lines[0].pv[0]) == "e3e4" and report.lines[0].score.cp == 777
    assert report.tbhits > 0


def test_papers_2_and_5_are_whole_and_give_the_options_back() -> None:
    player = Player("xiangqi", UseRules="checked", Evaluation="terms")
    knowledge, start = player.game._knowledge, player.game.position()
    start.push(start.parse_move("h2e2"))
    for name, has_rules in (("paper2", True), ("paper5", False)):
        player.game.set_option("Algorithm", name)
        assert knowledge.evaluation.name == "paper" and knowledge.tablebase is None
        assert bool(knowledge.fitting_rules(start)) == has_rules
    player.game.set_option("Algorithm", "pvs")
    assert knowledge.evaluation.name == "terms" and knowledge.tablebase is not None
    assert knowledge.fitting_rules(start)


# Junqi


def test_junqi_s_paper_player_is_whole_whatever_the_options_say() -> None:
    for name, threads, choice in (("paper", 1, "q"), ("cooperation", 2, "combined")):
        player = Player("junqi", 2, CooperationChoice="combined", Algorithm=name)
        assert type(player.searcher._searcher._adapter).__name__ == "CooperationAdapter"
        assert len(player.works) == threads and player.game.knowledge.settings.cooperation_choice == choice


def test_junqi_s_plain_uct_is_the_paper_player_s_uct_without_learning() -> None:
    """The same formula, k and visits of leaves; with a share of no playouts for learning the same search."""
    actual = []
    for name in ("plain-uct", "cooperation"):
        player = Player("junqi", 1, Algorithm=name)
        position = player.game.position()
        for word in (draw_deployment(3), "?"):
            position.push(position.parse_move(word))
        adapter = player.searcher._searcher._adapter
        adapter.learning_share = 0
        player.search(position, 9, Control(3000))
        actual.append((adapter.tree_settings, adapter.move_values()))
    assert actual[0] == actual[1] and actual[0][0][0] == PAPER
