"""Hundreds of thousands of lines, hundreds of games: no process grows, slows down, or loses on time.

Run by hand: `pytest -m long tests/engine/test_endurance.py`. docs/history/daemon.md has its results.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from client import START_TIMEOUT_S, Client
from test_fuzz import ALL_LINES, CLIENTS, client_line, mutate, random_line

from naive.ewn import Naive, setup_position
from siqi.daemon.clients.junqi import JunqiEngine
from siqi.daemon.clients.player import EngineSpec, PlayerLimits
from siqi.daemon.clients.process import status
from siqi.daemon.clients.random_mover import RandomMover, random_ewn_setup
from siqi.daemon.match import game_loop
from siqi.games import registry

pytestmark = pytest.mark.long

LINES = 200_000
"""Lines of the fuzz, over all clients and games."""

GAMES = 300
"""Games of the soak, over all clients and games."""

SMALL = ("setoption name Hash value 8", "setoption name Move Overhead value 20")


def settle(client: Client) -> None:
    """Wait until the process is idle: it has handled all lines, and loads no game."""
    before, deadline = -1, time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        with open(f"/proc/{client.process.pid}/stat") as stat:
            ticks = sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
        if ticks == before:
            return
        before = ticks
        time.sleep(0.3)
    raise AssertionError("it does not come to rest")


class Growth:
    """Memory and threads in the second half of a run compared with the first; the first fifth is left out.

    The maxima of memory are compared, and the minima of threads, since some threads live only for a moment.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._seen: list[tuple[int, int]] = []

    def see(self) -> None:
        pid = self._client.process.pid
        self._seen.append((status(pid, "VmRSS"), status(pid, "Threads")))

    def check(self, name: str) -> None:
        seen = self._seen[len(self._seen) // 5 :]
        kib, count = zip(*seen, strict=True)
        half = len(seen) // 2
        before, after = max(kib[:half]), max(kib[half:])
        growth = f"at most {before} KiB, then {after} ({after / before - 1:+.1%})"
        print(f"{name}: {growth}; threads {min(count)} to {max(count)}")
        assert after < 1.05 * before
        assert min(count[half:]) <= min(count[:half])


# Fuzz

SESSIONS = [*registry.NAMES, *CLIENTS]


GAME_AFTER: dict[str, tuple[tuple[str, ...], str]] = {
    "ucci": (("position startpos", "go depth 1"), "bestmove "),
    "ugi": (("uginewgame", "position startpos", "go depth 1"), "bestmove "),
    "xboard": (("new", "variant xiangqi", "sd 1", "go"), "move "),
    "name?": (("new white", "move JJ@@"), "move "),
    "name": (("new white", "move JJJJ"), "move "),
    "myai": (("get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3",), "C1 "),
    "INFO": (("START 0 1 31",), "ARRAY "),
    "botzone": ((CLIENTS["botzone"][0],), '{"response"'),
}
"""The lines that begin a game of each client, and the beginning of its answer with a move."""


def count(lines: list[str], word: str) -> int:
    return sum(line.split()[:1] == [word] for line in lines)


def core_line(game: str, draw: random.Random) -> bytes:
    """Return a line of the core protocol, or in one of five cases of another client's."""
    if draw.random() < 0.8:
        return random_line(game, draw)
    line = draw.choice(ALL_LINES)
    if draw.random() < 0.5:
        line = mutate(line, draw).replace("\n", "")
    words = line.split()
    if words[:1] == ["go"]:
        return f"{line} nodes 20".encode()
    is_kept = words[:1] not in (["quit"], ["setoption"]) and "infinite" not in words and "ponder" not in words
    return line.encode() if is_kept else b"d"


@pytest.mark.parametrize("name", SESSIONS)
def test_fuzz(name: str) -> None:
    """The process answers after each thousand lines, and a search has one best move."""
    draw = random.Random(f"endurance {name}")
    is_core = name in registry.NAMES
    total = LINES // len(SESSIONS) // 1000 + 1
    first = [f"setoption name UCI_Variant value {name}", *SMALL] if is_core else CLIENTS[name][0].split("|")
    with Client(*first) as client:
        growth = Growth(client)
        for number in range(total):
            lines = [core_line(name, draw) if is_core else client_line(name, draw) for _ in range(1000)]
            last = f"unknown{number}"
            closing = ["stop", "ucinewgame", f"setoption name {last}"] if is_core else [last]
            client.send_bytes(b"\n".join([*lines, *(b"force", b"exit") * (name == "xboard"), b""]))
            client.send(*closing)
            awaited = "JSONDecodeError" if name == "botzone" else last
            answers = client.expect(lambda line, awaited=awaited: awaited in line, 600)
            if is_core:
                texts = [line.decode(errors="replace") for line in lines]
                searches = count([text for text in texts if "perft" not in text.lower().split()], "go")
                assert count(answers, "bestmove") == searches
                client.search("position startpos", "go nodes 20")
                assert count(client.sync(), "bestmove") == 0
            assert not [line for line in client.seen if "internal" in line]
            client.seen.clear()
            settle(client)
            growth.see()
            if not is_core:
                begin, move = GAME_AFTER[name]
                client.ask(last, until=lambda line, awaited=awaited: awaited in line)
                client.ask(*begin, until=lambda line, move=move: line.startswith(move))
                rest = client.ask(last, until=lambda line, awaited=awaited: awaited in line)
                assert not [line for line in rest if line.startswith(move)]
        growth.check(name)
        client.close_input()
        client.rest(60)
        assert client.end() == 0 and client.errors == ""


# Soak: each function plays one game to its end, by the engine against itself or against random moves


class Clock:
    """A clock of half a second per game and some milliseconds per move, measured by the client."""

    def __init__(self, increment_ms: int = 20) -> None:
        self.left = [500.0, 500.0]
        self._increment = increment_ms
        self._since = 0.0

    def words(self, first: str = "wtime", second: str = "btime") -> str:
        self._since = time.monotonic()
        return f"{first} {self.left[0]:.0f} {second} {self.left[1]:.0f}"

    def spend(self, side: int) -> None:
        self.left[side] -= 1000 * (time.monotonic() - self._since)
        assert self.left[side] > 0, "lost on time"
        self.left[side] += self._increment


def push(position: Any, word: str) -> str:
    """Play a move and return its word in the core protocol; ValueError if it is illegal."""
    move = position.parse_move(word)
    text: str = position.move_text(move)
    position.push(move)
    return text


def drawn(position: Any, draw: random.Random) -> str:
    mover = RandomMover(registry.load("xiangqi").info)  # the game matters for set-ups alone
    mover.new_game(str(draw.random()))
    return mover.move(position)


def play_core(client: Client, draw: random.Random, name: str) -> None:
    game = registry.load(name)
    position: Any = game.position()
    words: list[str] = []
    clock = Clock()
    client.send(f"setoption name UCI_Variant value {name}", "ucinewgame")
    client.sync()
    while position.outcome() is None and len(words) < 300:
        side = position.turn
        seen = position.view_moves(side) if game.info.has_hidden else words
        lines = [f"position startpos moves {' '.join(seen)}"]
        if game.info.has_dice and len(words) > 1:
            die = draw.randint(1, 6)
            position.set_dice(die)
            lines.append(f"dice {die}")
        answer = client.search(*lines, f"go {clock.words()} winc 20 binc 20")[-1].split()[1]
        clock.spend(side)
        words.append(push(position, answer))


def play_by_position(client: Client, draw: random.Random, is_ucci: bool) -> None:
    """Play a game against random moves."""
    position: Any = registry.load("xiangqi").position()
    words: list[str] = []
    clock = Clock()
    engine = draw.randrange(2)
    client.send(*(() if is_ucci else ("uginewgame",)))
    while position.outcome() is None and len(words) < 300:
        if position.turn != engine:
            words.append(push(position, drawn(position, draw)))
            continue
        client.send(f"position startpos moves {' '.join(words)}")
        go = clock.words("p1time", "p2time") + " p1inc 20 p2inc 20"
        if is_ucci:
            go = f"time {clock.left[engine]:.0f} increment 20 opptime 500 oppincrement 20"
        answer = client.search(f"go {go}")[-1].split()[1]
        clock.spend(engine)
        words.append(push(position, answer))
    if not is_ucci:
        client.send(f"position startpos moves {' '.join(words)}", "query gameover")
        assert client.expect("response")[-1].split()[1] == str(position.outcome() is not None).lower()


def play_xboard(client: Client, draw: random.Random, variant: str) -> None:
    game = {"einstein": "ewn"}.get(variant, variant)
    fen = "ABE2/FC3/D3d/3cf/2eba f -" if variant == "einstein" else None
    position: Any = registry.load(game).position(fen)
    clock = Clock(0)
    client.send("new", f"variant {variant}", "computer", "level 0 0:01 0", "easy", "post", "ping 1")
    client.expect("pong", START_TIMEOUT_S)
    engine = draw.randrange(2)
    if engine == 0:
        clock.words()
        client.send("time 50", "otim 50", "go")
        push(position, client.expect("move")[-1].split()[1])
        clock.spend(0)
    while position.outcome() is None and position.ply < 200:
        move = drawn(position, draw)
        push(position, move)
        client.send(f"time {clock.left[engine] / 10:.0f}", "otim 50", f"usermove {move}")
        clock.words()
        if position.outcome() is None:
            push(position, client.expect("move")[-1].split()[1])
            clock.left[engine] += 20
            clock.spend(engine)
    client.send("result *", "ping 2")
    client.expect("pong")


LETTERS = "ABCDEFGHIJKLMNOPQRS"


def play_letters(client: Client, draw: random.Random, is_sau: bool) -> None:
    """Play a game in letters; SAU counts rows from the top, Cloudict from the bottom."""
    position: Any = registry.load("connect6").position()

    def letters(turn: str) -> str:
        stones = re.findall(r"([a-s])(\d+)", turn)
        texts = [c.upper() + LETTERS[(19 - int(r)) if is_sau else int(r) - 1] for c, r in stones]
        return "".join(texts if len(texts) == 2 else [*texts, "@@" if is_sau else texts[0]])

    def turn_of(text: str) -> str:
        stones = dict.fromkeys(text[i : i + 2] for i in (0, 2) if text[i : i + 2] != "@@")
        rows = [LETTERS.index(stone[1]) for stone in stones]
        return "".join(f"{s[0].lower()}{19 - row if is_sau else row + 1}" for s, row in zip(stones, rows, strict=True))

    engine = draw.randrange(2)
    client.send(f"new {('black', 'white')[engine]}")
    while position.outcome() is None and position.ply < 200:
        if position.turn != engine:
            move = drawn(position, draw)
            push(position, move)
            if position.outcome() is not None:
                break
            client.send(f"move {letters(move)}")
        push(position, turn_of(client.expect("move")[-1].split()[1]))
    client.send(*(("end win",) if is_sau else ()))


def play_myai(client: Client, draw: random.Random) -> None:
    engine = draw.randrange(2)
    client.send("time_setting 1", f"ini {'RB'[engine]}")
    places = client.expect(lambda line: len(line.split()) == 6, START_TIMEOUT_S)[-1].split()
    corner = (["A1", "B1", "C1", "A2", "B2", "A3"], ["E5", "D5", "C5", "E4", "D4", "E3"])[engine]
    own = "".join(str(places.index(place) + 1) for place in corner)
    other = random_ewn_setup(draw)
    naive = Naive(setup_position(*((own, other) if engine == 0 else (other, own))))
    clock = Clock(0)
    clock.left[engine] = 1000.0
    while naive.winner() is None:
        naive.die = draw.randint(1, 6)
        if naive.turn != engine:
            naive.push(draw.choice(naive.legal_moves()))
            continue
        at = {letter: f"{square[0].upper()}{6 - int(square[1])}" for square, letter in naive.board.items()}
        squares = " ".join(at.get(letter, "0") for letter in "abcdefABCDEF")
        clock.words()
        client.send(f"get {'RB'[engine]} {naive.die} {squares}")
        origin, target = client.expect(lambda line: True)[-1].split()
        clock.spend(engine)
        naive.push("".join(f"{square[0].lower()}{6 - int(square[1])}" for square in (origin, target)))


class Asked(JunqiEngine):
    """The daemon as a player of the Junqi referee."""

    def __init__(self, client: Client, limits: PlayerLimits) -> None:
        super().__init__(EngineSpec("siqi", "siqi", limits=limits), registry.info("junqi"), 0.05)
        self._client = client

    def new_game(self, seed: str) -> None:
        """Do nothing: the process runs already."""
        self._has_set_up = False

    def notify(self, *lines: str) -> None:
        self.send(*lines)

    def send(self, *lines: str) -> float:
        self._client.send(*lines)
        return time.monotonic()

    def wait_for(self, *wanted: str, timeout_s: float, info: list[str] | None = None) -> tuple[float, str]:
        line = self._client.expect(wanted[-1], max(timeout_s, 0.01))[-1]
        return time.monotonic(), line


def play_junqi(client: Client, draw: random.Random) -> None:
    game = registry.load("junqi")
    limits = PlayerLimits(clock_ms=2000)
    players = [Asked(client, limits), RandomMover(game.info)]
    draw.shuffle(players)
    clocks = [game_loop.Clock(limits, 50) for _ in players]
    referee = game_loop.Referee(game, game_loop.Opening())
    game_end = game_loop.play_moves(referee, players, clocks, [str(draw.random()) for _ in players])
    assert game_end.cause == "rules", game_end


def play_botzone(client: Client, draw: random.Random) -> None:
    position: Any = registry.load("xiangqi").position()
    request: dict[str, Any] = {"source": "-1", "target": "-1"}
    if draw.randrange(2):
        move = drawn(position, draw)
        push(position, move)
        request = {"source": move[:2], "target": move[2:]}
    line: dict[str, Any] = {"requests": [request], "responses": [], "time_limit": "0.05"}
    while position.outcome() is None and position.ply < 200:
        started = time.monotonic()
        client.send(json.dumps(line))
        response = json.loads(client.expect(lambda line: line.startswith("{"), START_TIMEOUT_S)[-1])["response"]
        assert position.ply < 2 or time.monotonic() - started < 0.05
        push(position, response["source"] + response["target"])
        if position.outcome() is None:
            move = drawn(position, draw)
            push(position, move)
            line = {"source": move[:2], "target": move[2:]}


XIANGQI, *OTHERS = (partial(play_core, name=name) for name in registry.NAMES)
"""Games of the core protocol. Xiangqi's leave up to 128 MiB of unpacked tables, at random; the next load frees them."""

SOAKS: dict[str, tuple[tuple[str, ...], tuple[Callable[[Client, random.Random], None], ...]]] = {
    "core": (("uci", *SMALL), (XIANGQI, *OTHERS)),
    "ucci": (
        ("ucci", "setoption usemillisec true", "setoption hashsize 8"),
        (partial(play_by_position, is_ucci=True),),
    ),
    "ugi": (("ugi", *SMALL), (partial(play_by_position, is_ucci=False),)),
    "xboard": (
        ("xboard", "protover 2", "memory 8"),
        (partial(play_xboard, variant="xiangqi"), partial(play_xboard, variant="einstein")),
    ),
    "sau": (("name?", *SMALL, "setoption name Depth value 1"), (partial(play_letters, is_sau=True),)),
    "cloudict": (("name", "depth 1", *SMALL), (partial(play_letters, is_sau=False),)),
    "myai": (("name", "time_setting 1", *SMALL), (play_myai,)),
    "junqi": (("INFO 1.0", *SMALL), (play_junqi,)),
    "botzone": (('{"requests": [{"source": "-1", "target": "-1"}], "responses": []}',), (play_botzone,)),
}
"""The first lines of each session, and the games that it plays in turn."""

SHARES = {"core": 12, "xboard": 2}
"""Weights of the sessions in the number of games, where not 1."""


@pytest.mark.parametrize("name", SOAKS)
def test_soak(name: str) -> None:
    first, players = SOAKS[name]
    draw = random.Random(f"soak {name}")
    total = -(-GAMES * SHARES.get(name, 1) // (len(SOAKS) - len(SHARES) + sum(SHARES.values())))
    with Client(*first) as client:
        client.send(*(("isready",) if name in ("core", "ucci", "ugi") else ()))
        if name in ("core", "ucci", "ugi"):
            client.expect("readyok", START_TIMEOUT_S)
        elif name == "botzone":
            client.expect(lambda line: line.startswith(">>>"), START_TIMEOUT_S)
        growth = Growth(client)
        for number in range(total):
            play = players[number % len(players)]
            play(client, draw)
            assert not [line for line in client.seen if "internal" in line]
            if play is not XIANGQI:
                growth.see()
        growth.check(f"{name}, {total} games")
        client.close_input()
        client.rest(60)
        assert client.end() == 0 and client.errors == ""
