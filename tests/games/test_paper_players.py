"""The players of the papers that one value of Algorithm selects whole, in all four games."""

from __future__ import annotations

from typing import Any

import pytest
from fixture_files import FIXTURES

from scripts.papers.xiangqi_endgames.cutoffs import WHOLE
from scripts.papers.xiangqi_endgames.xiangqi_cutoffs import search_tree

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
from siqi.games.xiangqi.rules.notation import START_FEN

EWN_START = "ABC2/DE3/F3f/3ed/2cba f 3"
EWN_WIN = "5/1A3/2e2/3D1/2d2 f 4"
FLAG_FEN, TAKES_FLAG = "1l3/1A3/5/h4/5/5/5/5/5/5/H4/1L3 f - 4", "B1A1"
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

    def search(
        self, position: Any, depth: int, control: Control | None = None, moves: tuple[int, ...] = (), lines: int = 1
    ) -> Report:
        """Search to a depth, or until the control stops the search."""
        self.searcher.start(Task(position, control or Control(), moves, lines))
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
    knowledge = player.game.knowledge
    settings = knowledge.settings
    assert (settings.uct_proofs, settings.uct_reuse_tree, settings.uct_leaf_visits) == (False, False, 1)
    assert settings.uct_playout == "random" and len(player.works) == threads and knowledge.tablebase == 0
    assert (settings.uct_parallel, settings.wink) == (("children", 0.4) if threads == 3 else ("tree", 1.0))
    player.game.set_option("Algorithm", "uct")
    settings = knowledge.settings
    assert (settings.uct_proofs, settings.uct_leaf_visits) == (True, 50)
    assert (settings.uct_playout, settings.uct_parallel) == ("greedy", "tree") and knowledge.tablebase != 0


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
                position.move_text(actual.move),
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


@pytest.mark.parametrize(
    "fen",
    [
        START_FEN,
        "2bak4/4a4/4b4/9/4N4/9/9/9/4K4/3R5 w",
        "3k5/9/4P4/9/9/9/9/9/9/4K1R2 b",
        "2bak4/4a4/4b4/9/9/9/4R4/9/3r5/4K4 b",
    ],
)
def test_paper_5_s_search_finds_the_value_of_full_width(fen: str) -> None:
    player = Player("xiangqi", Algorithm="paper5")
    for depth in (1, 2, 3):
        line = player.search(player.game.position(fen), depth).lines[0]
        assert line.score == score_of(search_tree(fen, depth, WHOLE, "none", "paper").value)


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
    knowledge, start = player.game.knowledge, player.game.position()
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


def test_junqi_s_minimax_and_alpha_beta_agree() -> None:
    """The same worlds and values, with and without cuts: the same values of all moves; alpha-beta has fewer nodes."""
    reports = []
    for name in ("minimax", "alphabeta"):
        player = Player("junqi", Algorithm=name)
        reports.append(player.search(junqi_view(player), 3, lines=99))
    wins = [{line.pv[0]: line.score.win for line in report.lines} for report in reports]
    assert wins[0] == pytest.approx(wins[1]) and len(wins[0]) > 30
    assert reports[0].depth == reports[1].depth == 3 and reports[1].nodes < reports[0].nodes / 2


def test_junqi_s_minimax_is_full_width() -> None:
    """It has as many nodes as the positions that the moves lead to, in eight worlds."""
    player = Player("junqi", Algorithm="minimax")
    position = junqi_view(player)
    assert player.search(position, 1).nodes == 8 * len(position.legal_moves())


def test_junqi_s_monte_carlo_prefers_the_best_move() -> None:
    player = Player("junqi", 2, Algorithm="montecarlo")
    report = player.search(junqi_view(player), 9, lines=99)
    adapter = player.searcher._searcher._adapter
    visits = sum(arms["visits"] for arms in adapter._arms)
    assert int(visits.sum()) == report.nodes and visits.min() >= 2 * 4 and visits.max() > report.nodes / 4
    wins = [line.score.win or 0 for line in report.lines]
    assert len(wins) == len(visits) and wins == sorted(wins, reverse=True)


@pytest.mark.parametrize("name", ["paper", "plain-uct", "minimax", "alphabeta", "montecarlo"])
def test_junqi_s_players_take_a_flag_and_search_some_moves_only(name: str) -> None:
    player = Player("junqi", Algorithm=name)
    position = player.game.position(FLAG_FEN)
    assert position.move_text(player.search(position, 9, Control(3000)).lines[0].pv[0]).startswith(TAKES_FLAG)
    some = tuple(position.legal_moves()[:2])
    report = player.search(position, 9, Control(3000), some, 9)
    assert {line.pv[0] for line in report.lines} == {move & 0xFFF for move in some}


def junqi_view(player: Player) -> Any:
    """Return the first side's view of a game's beginning."""
    position = player.game.position()
    for word in (draw_deployment(3), "?"):
        position.push(position.parse_move(word))
    return position
