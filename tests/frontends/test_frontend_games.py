"""Whole games by clients' protocols: each side is a process, the runner acts by a client's code or specification."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from client import START_TIMEOUT_S, Client

from naive.ewn import Naive, setup_position

MAX_PLIES = 400
"""More plies than any game here can have by the rules."""


@pytest.fixture
def start() -> Iterator[Callable[..., Client]]:
    """Yield a function that starts a process; all processes end with the test."""
    with ExitStack() as stack:
        yield lambda *lines: stack.enter_context(Client(*lines))


def answer(client: Client, line: str) -> str:
    """Send a line and return the next line written."""
    return client.ask(line, until=lambda text: True, timeout_s=START_TIMEOUT_S)[-1]


class Runner:
    """An engine as CuteGames drives it: it waits for lines of exactly two words and ignores all others."""

    def __init__(self, client: Client, options: dict[str, str]) -> None:
        self.client = client
        client.ask("ugi", until=lambda line: line == "ugiok")
        client.send(*(f"setoption name {name} value {value}" for name, value in options.items()))
        self.is_ready()

    def is_ready(self) -> None:
        self.client.ask("isready", until=lambda line: line == "readyok", timeout_s=START_TIMEOUT_S)

    def wait_for(self, line: str, word: str) -> str:
        lines = self.client.ask(line, until=lambda text: len(text.split()) == 2 and text.split()[0] == word)
        return lines[-1].split()[1]

    def position(self, moves: list[str]) -> None:
        self.client.send("position startpos" + (" moves " + " ".join(moves) if moves else ""))

    def query(self, question: str, moves: list[str]) -> str:
        self.position(moves)
        return self.wait_for(f"query {question}", "response")


@pytest.mark.parametrize(
    "game, go, longest", [("xiangqi", "go nodes 300", MAX_PLIES), ("connect6", "go p1time 1000 p2time 1000", 181)]
)
def test_a_game_by_ugi(game: str, go: str, longest: int, start: Callable[..., Client]) -> None:
    players = [Runner(start(), {"UCI_Variant": game, "Hash": "8"}) for _ in range(2)]
    for player in players:
        player.is_ready()
        player.client.send("uginewgame")
    moves: list[str] = []
    while True:
        first = players[0].query("p1turn", moves)
        assert first == ("true", "false")[len(moves) % 2]
        player = players[first == "false"]
        player.is_ready()
        over = [each.query("gameover", moves) for each in players]
        assert over[0] == over[1]
        if over[0] == "true":
            break
        player.position(moves)
        moves.append(player.wait_for(go, "bestmove"))
        assert len(moves) <= longest
    results = [each.query("result", moves) for each in players]
    assert results[0] == results[1]
    assert results[0] in ("p1win", "p2win", "draw")
    assert not [line for player in players for line in player.client.seen if line.startswith("info string error")]


def result_of(referee: Client, moves: list[str]) -> str:
    referee.send("position startpos" + (" moves " + " ".join(moves) if moves else ""))
    line = referee.ask("result", until="result", timeout_s=START_TIMEOUT_S)
    assert len(line) == 1, line  # no move was refused
    return line[0]


COLUMNS = "abcdefghijklmnopqrs"


@pytest.mark.parametrize("begin, is_from_top", [(("name?",), True), (("name", "depth 1"), False)])
def test_a_game_of_letters(begin: tuple[str, ...], is_from_top: bool, start: Callable[..., Client]) -> None:
    """A game ends by SAU's and by Cloudict's protocol; a third process, which gets the turns by UCI, is the referee."""
    referee = start("setoption name UCI_Variant value connect6")
    players = [start(*begin) for _ in range(2)]
    for player in players:
        player.expect("name", START_TIMEOUT_S)
        player.send("setoption name Depth value 1")
    players[1].send("new white")
    turn = answer(players[0], "new black").split()[1]
    moves: list[str] = []
    while True:
        points = sorted({turn[:2], turn[2:]} - {"@@"})
        rows = [ord(point[1]) - 64 for point in points]
        moves.append(
            "".join(f"{point[0].lower()}{20 - row if is_from_top else row}" for point, row in zip(points, rows))
        )
        if (result := result_of(referee, moves)) != "result none":
            break
        word, turn = answer(players[len(moves) % 2], f"move {turn}").split()
        assert word == "move"
        assert len(moves) <= 181
    assert result.split()[1] in ("win", "draw")


def test_a_game_by_myai(start: Callable[..., Client]) -> None:
    """Each command of MyAI is answered by one line, from the name to the last move."""
    players = [start() for _ in range(2)]
    setups = []
    for player, letter in zip(players, "RB"):
        assert answer(player, "name") and answer(player, "version")
        assert answer(player, "time_setting 2") == "1"
        assert answer(player, "board_setting 5 6") == "1"
        setups.append(answer(player, f"ini {letter}").split())
    corners = [["a5", "b5", "c5", "a4", "b4", "a3"], ["e1", "d1", "c1", "e2", "d2", "e3"]]
    words = [
        "".join(str(1 + [core_square(text) for text in setup].index(corner)) for corner in corners[side])
        for side, setup in enumerate(setups)
    ]
    naive = Naive(setup_position(*words))
    dice = random.Random(1)
    while naive.winner() is None:
        naive.die = dice.randint(1, 6)
        places = {piece: square for square, piece in naive.board.items()}
        squares = [core_square(places[piece]) if piece in places else "0" for piece in "abcdefABCDEF"]
        move = answer(players[naive.turn], f"get {'RB'[naive.turn]} {naive.die} {' '.join(squares)}")
        origin, target = (core_square(text) for text in move.split())
        assert origin + target in naive.legal_moves()
        naive.push(origin + target)
    for player in players:
        player.send("exit")
        assert player.rest() == []


def core_square(text: str) -> str:
    """Return the game's square for one of MyAI's, which is in capitals with ranks from the other end, or back."""
    return f"{text[0].swapcase()}{6 - int(text[1])}"
