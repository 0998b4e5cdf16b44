"""The suite that every game passes, written against the contract alone (siqi/games/contract.py).

After an intended change of rules or evaluation, or for a new game, `python tests/games/test_conformance.py [GAME ...]`
writes the golden playthroughs.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from siqi.daemon.engine.options import normalised
from siqi.games import registry
from siqi.games.contract import (
    HIDDEN,
    UNKNOWN_SETUP,
    DicePosition,
    Game,
    HiddenPosition,
    Outcome,
    SetupPosition,
    Task,
    set_dice,
)
from siqi.games.kernel.control import Control
from siqi.games.options import SHARED

GOLDEN = Path(__file__).parents[1] / "golden"
SETUPS = {
    "ewn": ["123456", "615243"],
    "junqi": ["diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld"],
}
CORNERS = {"xiangqi": ("a0", "i9"), "connect6": ("a1", "s19"), "ewn": ("a1", "e5"), "junqi": ("L0", "A4")}
"""The names of the points at the bottom left and at the top right."""

MAX_PLIES = 120


@pytest.fixture(params=registry.NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return registry.load(request.param)


def begun(game: Game) -> Any:
    """Return the first position with pieces to move."""
    position = game.position()
    for word in SETUPS.get(game.info.name, []):
        position.push(position.parse_move(word))
    return position


def any_move(position: Any, rng: random.Random) -> int:
    """Return a random legal move, without listing all of Connect6's."""
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
    """Return the positions of a random game: before each ply, and the last."""
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


def test_the_declared_options_are_those_that_can_be_set(game: Game) -> None:
    """Defaults are allowed by their declarations, and setting them changes nothing; no other option is known."""
    fen = begun(game).fen()
    for option in game.info.options:
        if option.kind != "string":
            assert normalised(option, option.default) == option.default
        game.set_option(option.name, option.default)
    for option in SHARED:
        if option not in game.info.options:
            with pytest.raises(KeyError):
                game.set_option(option.name, option.default)
    with pytest.raises(KeyError):
        game.set_option("Hash", "64")
    assert begun(game).fen() == fen


def test_positions_have_what_the_declaration_promises(game: Game) -> None:
    """A position has all members of a protocol if its game declares it, else none; the die is set or refused."""
    info, position = game.info, begun(game)
    for protocol, is_promised in (
        (DicePosition, info.has_dice),
        (SetupPosition, info.has_setup),
        (HiddenPosition, info.has_hidden),
    ):
        members = [name for name in vars(protocol) if not name.startswith("_")]
        assert members and [hasattr(position, name) for name in members] == [is_promised] * len(members)
    with pytest.raises(ValueError, match=r"^dice: "):
        set_dice(position, info, info.die_faces + 1)
    if info.has_dice:
        set_dice(position, info, info.die_faces)
        assert position.dice == info.die_faces and position.fen().endswith(f" {info.die_faces}")
    set_dice(position, info, 0)
    assert position.fen() == begun(game).fen()


@pytest.mark.parametrize("name", CORNERS)
def test_the_frame_is_as_documented(name: str) -> None:
    shape = registry.info(name).shape
    assert (shape.point_text(0, 0), shape.point_text(len(shape.columns) - 1, len(shape.rows) - 1)) == CORNERS[name]


def test_board_shape(game: Game) -> None:
    """Every point's name is read back, alone, in pairs and in capitals."""
    shape = game.info.shape
    width, height = len(shape.columns), len(shape.rows)
    last = width - 1, height - 1
    assert shape.turned(0, 0) == last and shape.turned(1, 2) == (width - 2, height - 3)
    points = list(itertools.product(range(width), range(height)))
    assert len({shape.point_text(*point) for point in points}) == width * height
    for point, other in zip(points, points[::-1], strict=True):
        text = shape.point_text(*point) + shape.point_text(*other)
        assert shape.points(text) == shape.points(text.upper()) == [point, other]
        assert shape.turned(*point) == other
    for point in ((-1, 0), (0, -1), (width, 0), (0, height)):
        with pytest.raises(ValueError, match="off the board"):
            shape.point_text(*point)
    corner = shape.point_text(0, 0)
    kelvin, long_s = "\u212a1", "\u017f1"  # equal to k and s if case is ignored
    broken = [f"{corner}{rest}" for rest in (" ", "\n", "=", "-", corner[0])]
    for text in ("", "?", "123456", "a20", "t1", kelvin, long_s, *broken):
        with pytest.raises(ValueError, match="not made of points"):
            shape.points(text)


@pytest.mark.parametrize("seed", range(3))
def test_pieces_and_fens_agree(game: Game, seed: int) -> None:
    """In random games `fen_of` reverses `pieces`, and a move's points are the squares that it changes."""
    info, rng = game.info, random.Random(seed)
    letters = [set(own) for own in info.pieces]
    for position in play(game, seed):
        pieces, turn = position.pieces(), position.turn
        fen = game.fen_of(pieces, turn)
        assert fen.split()[:2] == position.fen().split()[:2] and fen.split()[1] == info.sides[turn]
        again = game.position(fen)
        assert (again.pieces(), again.turn, again.fen()) == (pieces, turn, fen)
        assert set(pieces.values()) <= letters[0] | letters[1]
        if position.outcome() is not None or not position.count_legal():
            continue
        move = any_move(position, rng)
        text = position.move_text(move)
        points = [info.shape.point_text(*point) for point in info.shape.points(text)]
        if pieces.keys() & points:  # a piece moves
            assert len(points) == 2 and pieces[points[0]] in letters[turn]
            assert pieces.get(points[1]) not in letters[turn] or info.name == "ewn"
        else:
            assert len(points) <= info.stones_per_turn and "".join(points) == text
        position.push(move)
        after = position.pieces()
        changed = {point for point in pieces.keys() | after.keys() if pieces.get(point) != after.get(point)}
        assert points[0] in changed and changed <= set(points)


def test_fen_of_refuses_what_the_game_has_not(game: Game) -> None:
    info, position = game.info, begun(game)
    point, letter = info.shape.point_text(0, 0), info.pieces[0][0]
    for pieces, reason in (
        ({"z9": letter}, "point off the board: z9"),
        ({point: "?"}, "unknown piece ?"),
        ({point: "/"}, "unknown piece /"),
        ({point: letter * 2}, f"unknown piece {letter * 2}"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
            game.fen_of(pieces, 0)
    if game.info.has_dice:
        pieces = position.pieces()
        assert [game.fen_of(pieces, 1, die).split()[2] for die in range(game.info.die_faces + 1)] == list("-123456")
        with pytest.raises(ValueError, match=r"^dice: a number from 1 to 6, not 7$"):
            game.fen_of(pieces, 0, 7)
    else:
        with pytest.raises(ValueError, match=f"^dice: {game.info.name} has none$"):
            game.fen_of(position.pieces(), 0, 1)


def test_the_default_start(game: Game) -> None:
    if game.info.default_start:
        position = game.position(game.info.default_start)
        assert position.fen() == game.info.default_start and position.turn == 0 and position.outcome() is None
    assert bool(game.info.default_start) == (game.info.has_setup and not game.info.has_hidden)


def test_set_ups_stand_where_the_game_says(game: Game) -> None:
    if not game.info.has_setup:
        assert not hasattr(game.position(), "setup_points")
        return
    position = game.position()
    assert not position.has_pieces and not position.pieces()
    for side, word in enumerate(SETUPS[game.info.name]):
        position.push(position.parse_move(word))
        points = position.setup_points(side)
        assert len(points) == len(word) == len(set(points))
    assert position.has_pieces and list(position.words) == SETUPS[game.info.name]
    stands = {}
    for side, word in enumerate(SETUPS[game.info.name]):
        for point, sign in zip(position.setup_points(side), word, strict=True):
            order = int(sign) - 1 if sign.isdigit() else "abcdefghijkl".index(sign)
            stands[point] = game.info.pieces[side][order]
    assert position.pieces() == stands


def test_views_are_written_as_their_viewer_sees_them(game: Game) -> None:
    """Hidden pieces are X and x, the viewer follows from them, and a referee's results become words of a view."""
    if not game.info.has_hidden:
        assert not hasattr(game.position(), "observed")
        return
    for viewer, own in enumerate(SETUPS[game.info.name]):
        view = game.position()
        for word in (own, UNKNOWN_SETUP) if viewer == 0 else (UNKNOWN_SETUP, own):
            view.push(view.parse_move(word))
        pieces = view.pieces()
        assert [letter for letter in pieces.values() if letter in HIDDEN] == [HIDDEN[1 - viewer]] * 25
        fen = game.fen_of(pieces, 1)
        assert game.position(fen).viewer == view.viewer == viewer and game.position(fen).pieces() == pieces
    with pytest.raises(ValueError, match="both sides have hidden pieces"):
        game.fen_of({"A0": "x", "L0": "X"}, 0)
    assert view.observed("g0F0", 2) == "G0F0=2" and view.observed("G0F0", 3, "A1") == "G0F0=3@A1"
    assert game.info.shape.points("G0F0=3@A1") == [(0, 5), (0, 6)]
    for text, result, flag in (("G0F0", 4, ""), ("G0F0", -1, ""), ("G0", 1, ""), ("G0F0=1", 1, ""), ("G0F0", 1, "A5")):
        with pytest.raises(ValueError, match="not a move"):
            view.observed(text, result, flag)


@pytest.mark.parametrize("seed", range(3))
def test_random_games(game: Game, seed: int) -> None:
    """In random games FEN and key round trip, push and pop undo each other, and copies are independent."""
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
    """The first iteration has a legal move even if stopped; root moves are obeyed; lines of MultiPV are distinct."""
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
    best = report.lines[0].pv[0]
    assert position.parse_move(position.move_text(best)) == best
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
    """Return a playthrough as text: each position with its count of legal moves and its move, then the outcome."""
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
    """The playthrough is the expected one; `python tests/games/test_conformance.py` writes the expected files anew."""
    path = GOLDEN / f"{game.info.name}.txt"
    assert path.exists(), f"{game.info.name} has no golden playthrough"
    assert golden_lines(game) == path.read_text().splitlines()


def test_no_game_is_missing() -> None:
    folders = {path.parent.name for path in Path(registry.__file__).parent.glob("*/game.py")}
    assert folders == set(registry.NAMES) == {path.stem for path in GOLDEN.glob("*.txt")}


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in sys.argv[1:] or registry.NAMES:
        (GOLDEN / f"{name}.txt").write_text("\n".join(golden_lines(registry.load(name))) + "\n")
