"""One suite that every game passes, by the contract alone (games/contract.py)."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from games import registry
from games.contract import Game, Outcome, Task
from games.kernel.control import Control

GOLDEN = Path(__file__).parent / "golden"
SETUPS = {
    "ewn": ["123456", "615243"],
    "junqi": ["diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld"],
}
MAX_PLIES = 120


@pytest.fixture(params=registry.NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return registry.load(request.param)


def begun(game: Game) -> Any:
    """The first position with pieces to move."""
    position = game.position()
    for word in SETUPS.get(game.info.name, []):
        position.push(position.parse_move(word))
    return position


def any_move(position: Any, rng: random.Random) -> int:
    """A random legal move, without listing all of Connect6's."""
    if position.count_legal() < 3000:
        move: int = rng.choice(position.legal_moves())
        return move
    for attempt in itertools.count():
        reach = 2 + attempt // 4  # most stones near the middle, so that some games end
        word = "".join(
            f"{'abcdefghijklmnopqrs'[max(0, min(18, 9 + rng.randint(-reach, reach)))]}"
            f"{max(1, min(19, 10 + rng.randint(-reach, reach)))}"
            for _ in range(2)
        )
        try:
            return int(position.parse_move(word))
        except ValueError:
            continue
    raise AssertionError("unreachable")


def play(game: Game, seed: int) -> list[Any]:
    """A random game: the positions before each ply, and the last."""
    rng = random.Random(seed)
    position = begun(game)
    line = [position.copy()]
    while position.outcome() is None and position.count_legal() and position.ply < MAX_PLIES:
        if game.info.has_dice:
            position.set_dice(rng.randint(1, 6))
        position.push(any_move(position, rng))
        line.append(position.copy())
    return line


def test_declaration(game: Game) -> None:
    info = game.info
    assert info == registry.info(info.name)
    assert info.expected_turns > 0 and info.score_unit > 0 and info.stones_per_turn > 0
    assert info.has_setup == (info.name in SETUPS)
    assert len({option.name for option in info.options}) == len(info.options)


@pytest.mark.parametrize("seed", range(3))
def test_random_games(game: Game, seed: int) -> None:
    """Along random games: FEN and key round trip, push and pop undo each other, copies are independent."""
    rng = random.Random(seed)
    for position in play(game, seed):
        fen, key, turn, ply = position.fen(), position.key, position.turn, position.ply
        again = game.position(fen)
        assert again.fen() == fen and again.key == key and again.turn == turn
        if position.outcome() is not None or not position.count_legal():
            continue
        if game.info.has_dice:
            position.set_dice(rng.randint(1, 6))
            fen, key = position.fen(), position.key
        twin = position.copy()
        move = any_move(position, rng)
        assert position.parse_move(position.move_text(move)) == move
        position.push(move)
        assert position.ply == ply + 1 and twin.fen() == fen
        assert position.turn != turn
        popped = position.pop()
        assert position.move_text(popped).startswith(position.move_text(move))
        assert (position.fen(), position.key, position.turn, position.ply) == (fen, key, turn, ply)


def test_move_texts_are_distinct_and_sorted_lists_agree(game: Game) -> None:
    position = begun(game)
    if game.info.has_dice:
        position.set_dice(2)
    moves = position.legal_moves()
    texts = [position.move_text(move) for move in moves]
    assert len(set(texts)) == len(texts) == position.count_legal()
    assert sum(nodes for _, nodes in game.perft(position, 1, Control())) == len(moves)


def test_an_ended_game_has_an_outcome_and_no_moves(game: Game) -> None:
    ended = 0
    for seed in range(20):
        last = play(game, seed)[-1]
        outcome = last.outcome()
        if outcome is None:
            continue
        ended += 1
        assert isinstance(outcome, Outcome) and outcome.winner in (None, 0, 1)
        if outcome.winner is not None and outcome.reason not in ("perpetual", "quiet"):
            assert last.count_legal() == 0 or outcome.reason == "immobile"
        if ended == 3:
            return
    assert game.info.name in ("xiangqi", "connect6") or ended


def test_garbage_is_refused_in_one_line(game: Game) -> None:
    position = begun(game)
    for text in ("", "x", "zz99", "a0a0a0", "\x00", "啊", "j10" * 50, "G0F0=9", "-1"):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            position.parse_move(text)
    for fen in ("", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "9/9 w", "////////// w", "啊 w", "1 " * 40):
        if fen.strip():
            with pytest.raises(ValueError, match=r"^[^\n]+$"):
                game.position(fen)


@pytest.mark.parametrize("threads", [1, 2])
def test_search_contract(game: Game, threads: int) -> None:
    """A legal move from the first iteration on, stop flag or not; root moves respected; MultiPV distinct."""
    searcher = game.searcher()
    searcher.configure(8, threads, 5)
    position = begun(game)
    if game.info.has_dice:
        position.set_dice(1)
    fen = position.fen()
    stopped = Control()
    stopped.stop()
    searcher.start(Task(position, stopped))
    report = searcher.iterate()
    searcher.finish()
    assert position.parse_move(position.move_text(report.lines[0].pv[0]))
    allowed = tuple(any_move(position, random.Random(i)) for i in range(2))
    control = Control(3000)
    searcher.start(Task(position, control, allowed, 2))
    report = searcher.iterate()
    while report.complete and not report.finished:
        report = searcher.iterate()
    searcher.finish()
    firsts = [line.pv[0] for line in report.lines]
    assert set(firsts) <= set(allowed) and len(set(firsts)) == len(firsts) == len(set(allowed))
    assert report.nodes >= 1 and position.fen() == fen


def test_search_is_reproducible(game: Game) -> None:
    searcher = game.searcher()
    searcher.configure(8, 1, 7)
    position = begun(game)
    if game.info.has_dice:
        position.set_dice(4)

    def run() -> list[Any]:
        searcher.clear()
        searcher.start(Task(position, Control(5000)))
        reports = [searcher.iterate()]
        while reports[-1].complete and not reports[-1].finished:
            reports.append(searcher.iterate())
        searcher.finish()
        return reports

    assert run() == run()


def test_perft_stops(game: Game) -> None:
    control = Control()
    control.stop()
    position = begun(game)
    first = next(iter(game.perft(position, 4, control)))
    assert first[1] >= 0
    assert position.fen() == begun(game).fen()


def golden_lines(game: Game) -> list[str]:
    """A playthrough in text: each position, its legal moves' number, the move, and the outcome."""
    rng = random.Random(2024)
    position = begun(game)
    lines = []
    for _ in range(40):
        if position.outcome() is not None or not position.count_legal():
            break
        if game.info.has_dice:
            position.set_dice(rng.randint(1, 6))
        move = any_move(position, rng)
        lines.append(
            f"{position.fen()} | key {position.key & (1 << 64) - 1:016X} | legal {position.count_legal()}"
            f" | {game.evaluate(position)[-1]} | {position.move_text(move)}"
        )
        position.push(move)
    return [*lines, f"{position.fen()} | {position.outcome()}"]


def test_golden_playthrough(game: Game) -> None:
    """Write the expected files anew with `python tests/test_conformance.py` after a change that is meant."""
    path = GOLDEN / f"{game.info.name}.txt"
    assert path.exists(), f"{game.info.name} has no golden playthrough"
    assert golden_lines(game) == path.read_text().splitlines()


def test_no_game_is_missing() -> None:
    folders = {path.parent.name for path in Path(registry.__file__).parent.glob("*/game.py")}
    assert folders == set(registry.NAMES) == {path.stem for path in GOLDEN.glob("*.txt")}


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in registry.NAMES:
        (GOLDEN / f"{name}.txt").write_text("\n".join(golden_lines(registry.load(name))) + "\n")
