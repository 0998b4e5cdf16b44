"""The kept logs of the papers' experiments carry the figures that the papers' pages print, in both languages."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any

import pytest
from fixture_files import ROOT

from scripts.match.paired_games import Pairing, pairing_scores, read_games
from scripts.papers.connect6_roads.clocks import CountedGame, game_key, local_score, pairs_at
from scripts.papers.connect6_roads.experiments import MINUTES
from scripts.papers.connect6_roads.times import PAPER_SECONDS, PAPER_TURN
from scripts.papers.ewn_uct.conditions import uct_text
from scripts.papers.ewn_uct.experiments import paired_text, points_text
from scripts.papers.ewn_uct.threads import PLAYOUTS
from scripts.papers.junqi_cooperation.activation import ACTIVATIONS
from scripts.papers.junqi_cooperation.kinds import KINDS, kinds_of
from scripts.papers.junqi_cooperation.parameters import PLAYOUTS as CHANGE_PLAYOUTS
from scripts.papers.junqi_cooperation.parameters import STEPS, UCT_ALONE, paper_player
from scripts.papers.paper import proportion
from scripts.papers.xiangqi_endgames.known import BASE
from scripts.papers.xiangqi_endgames.solving import AGENTS, DRAWN, is_solved
from scripts.papers.xiangqi_rules.clock import against, score_of
from scripts.papers.xiangqi_rules.experiments import MATCHES

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import percent
from siqi.daemon.match.stats import read_match
from siqi.system.log import read_log

LOGS = ROOT / "scripts/results/papers"


def measured(name: str) -> dict[str, Any]:
    """Return the values of a log of `Bench.measure`, by the first words of their keys up to a comma."""
    values: dict[str, Any] = {}

    def read(line: bytes) -> None:
        entry = json.loads(line)
        values[entry["key"].partition(",")[0]] = entry["value"]

    read_log(LOGS / f"{name}.jsonl.zst", read)
    return values


def pages(number: int) -> list[str]:
    return [(ROOT / f"docs/results/paper-{number}{tail}.md").read_text(encoding="utf-8") for tail in ("", ".zh")]


def spaced(text: str) -> str:
    """Return `12.3% +- 4.5%` as the pages write it."""
    return text.replace("% +-", " % +-").removesuffix("%")


@pytest.mark.parametrize(("depth", "width", "openings"), [(3, 10, 50), (3, 15, 50), (3, 20, 50), (4, 10, 12)])
def test_local_s_scores_by_the_clock(depth: int, width: int, openings: int) -> None:
    values = measured("connect6_roads/clocks")
    games = {
        size: [CountedGame(**values[game_key(depth, size, opening)]) for opening in range(openings)]
        for size in (10, width)
    }
    at_9 = sum(pairs_at(games[10], PAPER_TURN)) / len(pairs_at(games[10], PAPER_TURN))
    seconds = [PAPER_SECONDS[depth][scan] / at_9 for scan in ("local", "global")]
    wins = [round(2 * openings * local_score(games[width], seconds, 60 * minutes).score.score) for minutes in MINUTES]
    for page in pages(3):
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {depth} | {width} | {2 * openings} |"))
        assert [cell.split()[0] for cell in row.split("|")[4:10]] == [f"{won}:{2 * openings - won}" for won in wins]


def test_learned_road_values_against_table_1() -> None:
    (score,) = pairing_scores(read_games(LOGS / "connect6_roads/learned-values.jsonl.zst")).values()
    assert all(spaced(percent(score.score)) in page for page in pages(3))


@pytest.mark.parametrize("reward", ["0..1", "-1..1"])
def test_regrets_of_figure_1(reward: str) -> None:
    values = measured("ewn_uct/figure-1")
    plain = values[uct_text((1, 1), reward=reward, hash_mb=64)]
    assert len(plain[0]["regrets"]) == 869
    assert values[uct_text((0.5, 0.5), reward=reward, hash_mb=64)] == plain
    for factors in ((0.4, 1), (0.5, 1), (0.1, 1), (1, 0.5), (1, 0.4), (1, 0.1)):
        steps = values[uct_text(factors, reward=reward, hash_mb=64)]
        regrets = " | ".join(points_text(step["regrets"]) for step in steps)
        paired = " | ".join(map(paired_text, steps, plain))
        assert all(f"| {regrets} |\n" in page and f"| {paired} |\n" in page for page in pages(1))


def test_games_of_figure_1_s_factors() -> None:
    scores = pairing_scores(read_games(LOGS / "ewn_uct/figure-1-games.jsonl.zst"))
    assert len(scores) == 2
    for score in scores.values():
        assert sum(map(int, score.counts)) == 300
        assert all(spaced(percent(score.score)) in page for page in pages(1))


def test_games_of_figures_4_and_5() -> None:
    """1,000 games of each pairing at 2,000 playouts: a row for each opponent, UCT before the improved UCT."""
    cells: dict[str, list[str]] = {}
    for name in ("figure-4", "figure-5"):
        games = read_games(LOGS / f"ewn_uct/{name}.jsonl.zst")
        limit = PlayerLimits(nodes=2_000).text
        for pairing, score in pairing_scores([game for game in games if game["limit"] == limit]).items():
            assert sum(map(int, score.counts)) == 1000
            cells.setdefault(pairing.b, []).append(spaced(percent(score.score)))
    assert [len(row) for row in cells.values()] == [2, 2, 2, 2, 1]
    assert all(" | ".join(row) in page for row in cells.values() for page in pages(1))


def test_three_times_the_playouts_against_one() -> None:
    games = read_games(LOGS / "ewn_uct/threefold.jsonl.zst")
    limits = [PlayerLimits(nodes=playouts).text for playouts in PLAYOUTS[:2]]
    assert {game["limit"] for game in games} == set(limits)
    scores = []
    for limit in limits:
        (score,) = pairing_scores([game for game in games if game["limit"] == limit]).values()
        assert sum(map(int, score.counts)) == 1000
        scores.append(spaced(percent(score.score)))
    assert all(any(all(score in line for score in scores) for line in page.splitlines()) for page in pages(1))


def test_rules_against_none_within_each_search() -> None:
    games = read_games(LOGS / "xiangqi_rules/searches.jsonl.zst")
    for search, depth, base, count in MATCHES:
        own = [game for game in games if game["limit"] == f"depth {depth}" and game["b"] == search]
        score = pairing_scores(own)[Pairing(f"{base}, {search}", search)]
        assert sum(map(int, score.counts)) == count
        assert all(spaced(percent(score.score)) in page for page in pages(2))


def test_rules_mined_with_and_without_an_order() -> None:
    values = measured("xiangqi_rules/table-3")
    assert len(values) == 3
    for value in values.values():
        counts = [(value["rules"][order], sum(value["found"][order])) for order in ("any order", "later")]
        cells = " | ".join(f"{rules:,} | {own} of 9" for rules, own in counts)
        assert f"| {value['counts'][0][0]:,} | {cells} |" in pages(2)[0]


@pytest.mark.parametrize(("name", "pairings"), [("parts", 2), ("figure-2", 3), ("engine", 3)])
def test_scores_of_the_cooperative_player(name: str, pairings: int) -> None:
    """Each pairing of a log is a row of paper 4's pages, with its games and its score."""
    scores = pairing_scores(read_games(LOGS / f"junqi_cooperation/{name}.jsonl.zst"))
    assert len(scores) == pairings
    for score in scores.values():
        cells = f"| {sum(map(int, score.counts))} | {spaced(percent(score.score))} |"
        assert all(cells in page for page in pages(4))


@pytest.mark.parametrize(("name", "pairings"), [("players", 7), ("activate", 2)])
def test_scores_against_the_paper_s_opponents_and_of_one_piece(name: str, pairings: int) -> None:
    scores = pairing_scores(read_games(LOGS / f"junqi_cooperation/{name}.jsonl.zst"))
    assert len(scores) == pairings
    assert all(spaced(percent(score.score)) in page for score in scores.values() for page in pages(4))


def test_scores_by_alpha() -> None:
    scores = pairing_scores(read_games(LOGS / "junqi_cooperation/figures-3-7.jsonl.zst"))
    for alpha in STEPS:
        score = scores[Pairing(paper_player(alpha), UCT_ALONE)]
        row = f"| {alpha} | {sum(map(int, score.counts))} | {spaced(percent(score.score))} |"
        assert all(row in page for page in pages(4))


def test_moves_that_parameters_change() -> None:
    """Each row has the shares of 100 positions at three numbers of playouts."""
    moves: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key, move in measured("junqi_cooperation/changes").items():
        moves[tuple(word.split("=")[1] for word in key.split()[1:])].append(move)
    usual = ("0.4", "0.6", "1")
    variants = [(*usual[:at], str(value), *usual[at + 1 :]) for at in (0, 1) for value in STEPS]
    for variant in (*(each for each in variants if each != usual), ("0.4", "0.6", "2")):
        shares = []
        for playouts in map(str, CHANGE_PLAYOUTS):
            pairs = list(zip(moves[(*variant, playouts)], moves[(*usual, playouts)], strict=True))
            assert len(pairs) == 100
            shares.append(spaced(percent(proportion(a != b for a, b in pairs))).replace(" %", ""))
        assert all(f" | {' | '.join(shares)} |" in page for page in pages(4))


def test_the_cooperative_player_with_a_clock_and_plans_in_the_default_search() -> None:
    with_clock = read_match(LOGS / "junqi_cooperation/engine-clock.jsonl.zst").records
    (plans,) = pairing_scores(read_games(LOGS / "junqi_cooperation/plans.jsonl.zst")).values()
    assert not any(game.cause == "time" for game in with_clock)
    for score in (score_of(with_clock, "paper"), plans):
        assert all(spaced(percent(score.score)) in page for page in pages(4))


def test_times_by_kind_of_activation() -> None:
    """The means of all games that are long enough: joint actions, then milliseconds by kind."""
    games: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for key, value in measured("junqi_cooperation/figure-8").items():
        games[key.split()[0].partition("=")[2]].append(value)
    assert len({len(each) for each in games.values()}) == 1
    for at in (0, 3, 6, 8, 10, 12, 14, 16, 18):
        ms = [
            fmean(1000 * game["seconds"][at] for game in games[kind] if at < len(game["seconds"]))
            for kind in ACTIVATIONS
        ]
        actions = fmean(game["actions"][at] for game in games["none"] if at < len(game["actions"]))
        row = f"| {4 * at + 1} | {actions:,.0f} | {' | '.join(f'{mean:,.0f}' for mean in ms)} |"
        assert all(row in page for page in pages(4))


def test_training_of_the_cooperative_player() -> None:
    games = read_games(LOGS / "junqi_cooperation/figure-2-training.jsonl.zst")
    assert all(f"{len(games):,} {word}" in page for word, page in zip(("games", "局"), pages(4), strict=True))


@pytest.mark.long
def test_kinds_of_the_cooperative_player_s_moves() -> None:
    counts: dict[str, Counter[str]] = {"a": Counter(), "b": Counter()}
    for game in read_games(LOGS / "junqi_cooperation/parts.jsonl.zst")[:60]:
        for side, kind, meets in kinds_of(game["words"].split()):
            counts["ab"[side ^ game["first"]]].update([kind, "meets"] if meets else [kind])
    for row in counts.values():
        moves = sum(row[kind] for kind in KINDS)
        cells = " | ".join(f"{100 * row[kind] / moves:.1f}" for kind in (*KINDS, "meets"))
        assert all(f"| {moves:,} | {cells} |" in page for page in pages(4))


SOLVED = {"won": "胜局", "drawn": "和局"}


def solved_rates(name: str, kind: str, depth: str, solvers: Iterable[str]) -> str:
    """Return the cells with each solver's rate of endgames of a kind, at a depth ("0": none)."""
    hits: dict[str, list[bool]] = {solver: [] for solver in solvers}
    for key, game in measured(f"xiangqi_endgames/{name}").items():
        fen, winner, solver, *how = key.split("|")
        if solver in hits and how[2] == depth and (winner == DRAWN) == (kind == "drawn"):
            hits[solver].append(is_solved(winner, game["winner"], fen))
    return " | ".join(spaced(percent(proportion(each))) for each in hits.values())


@pytest.mark.parametrize("kind", SOLVED)
def test_endgames_solved_by_nodes(kind: str) -> None:
    rates = solved_rates("solved-by-nodes", kind, "0", AGENTS)
    for page, row in zip(pages(5), (f"20,000 nodes | {kind}", f"20,000 节点 | {SOLVED[kind]}"), strict=True):
        assert f"| {row} | {rates} |" in page


@pytest.mark.parametrize("kind", SOLVED)
@pytest.mark.parametrize("depth", ["2", "4", "6", "8"])
def test_endgames_solved_by_depth(depth: str, kind: str) -> None:
    rates = solved_rates("solved-by-depth", kind, depth, ("paper", "ours"))
    for page, word in zip(pages(5), (kind, SOLVED[kind]), strict=True):
        assert f"| {depth} | {word} | {rates} |" in page


def test_endgames_solved_in_a_second() -> None:
    for kind in SOLVED:
        rates = solved_rates("solved-in-a-second", kind, "0", ("paper", "ours")).split(" | ")
        assert all(rate in page for rate in rates for page in pages(5))


@pytest.mark.parametrize("base", ["", BASE])
@pytest.mark.parametrize("depth", ["2", "4", "6"])
def test_wins_seen_with_known_positions(depth: str, base: str) -> None:
    values = measured("xiangqi_endgames/known-positions")
    seen = [value for key, value in values.items() if key.split("|")[1:] == [depth, base]]
    assert len(seen) == 200
    cells = f"{sum(each['win'] for each in seen)} | {sum(each['nodes'] for each in seen) / 200:,.0f}"
    for page, word in zip(pages(5), ("known", "有") if base else ("none", "无"), strict=True):
        assert f"| {depth} | {word} | {cells} |" in page


@pytest.mark.parametrize(
    ("log", "player", "games"),
    [
        ("clock", "rules", 168),
        ("clock", "positions", 167),
        ("movetimes-100", "rules", 40),
        ("movetimes-1000", "rules", 14),
        ("experience", "rules", 400),
    ],
)
def test_scores_of_rules_by_time(log: str, player: str, games: int) -> None:
    played = against(read_match(LOGS / f"xiangqi_rules/{log}.jsonl.zst").records, player)
    text = spaced(percent(score_of(played, player).score))
    assert len(played) == games and all(f"| {text}" in page for page in pages(2))
