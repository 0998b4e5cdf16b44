"""The clients of all protocols: against our own front ends in whole games, against engines of a few lines that break
rules, and against other authors' programs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock, call

import pytest
from forked_engines import engine, fork_engines
from junqi_games import RECORDS, announced_flag, turned

from siqi.daemon.clients import CLASSES, base, load_client, make_player
from siqi.daemon.clients.asked import AskedEngine
from siqi.daemon.clients.player import Choice, EngineSpec, Forfeit, Player, PlayerLimits, StartError, TimeLeft, Turn
from siqi.daemon.clients.process import Process
from siqi.daemon.command_line import run
from siqi.daemon.match.command import ENGINE_FAILED, MISUSED
from siqi.daemon.match.game_loop import Clock, Referee, parse_opening, play_moves
from siqi.games import registry
from siqi.games.junqi.board import JunqiPosition

PATH = f"{os.environ['PATH']}:/usr/games"


@pytest.fixture(autouse=True)
def forked_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    fork_engines(monkeypatch)


def play(folder: Path, game: str, *words: str) -> list[dict[str, Any]]:
    """Play a match of two games and return its records."""
    log = folder / "m.jsonl"
    assert run(["match", game, *words, "--log", str(log), "--games", "2", "--openings", "none"]) == 0
    return [json.loads(line) for line in log.read_text().splitlines()[1:]]


# Whole games, our client against our front end

QUICK = ("--option=MoveTime=30", "--option=Depth=1")
"""Limits on the command line, where the protocol has none for a move."""

PAIRINGS = {
    ("xiangqi", "xboard", "ucci"): ("depth=1", "depth=1"),
    ("connect6", "sau", "cloudict"): ("clock=60", "clock=60"),
    ("connect6", "ugi", "cloudict"): ("nodes=20", "depth=1"),
    ("ewn", "myai", "ugi"): ("clock=60", "nodes=20"),
    ("junqi", "junqi", "ugi"): ("clock=60", "clock=60"),
}


@pytest.mark.parametrize("pairing", PAIRINGS, ids="-".join)
def test_whole_games(pairing: tuple[str, str, str], tmp_path: Path) -> None:
    """Each engine plays both sides, and all moves are legal by the referee; so both clients say all that happens."""
    game, *protocols = pairing
    engines = [
        f"{protocol}={engine(*QUICK)} proto={protocol} {limit}"
        for protocol, limit in zip(protocols, PAIRINGS[pairing], strict=True)
    ]
    records = play(tmp_path, game, *engines, "--max-plies", "60")
    assert [record["players"] for record in records] == [protocols, protocols[::-1]]
    for record in records:
        assert record["cause"] in ("rules", "adjudicated"), record
        assert record["cause"] == "rules" or record["plies"] == 60, record


# What is said: dialogues with engines that answer by a table

ENGINE = """
import json, sys
table, heard = json.load(open(sys.argv[1])), open(sys.argv[2], "a")
heard.write("start\\n")
for line in sys.stdin:
    heard.write(line); heard.flush()
    answers = table.get(line.split()[0], table.get("", [""]))
    answer = answers.pop(0) if len(answers) > 1 else answers[0]
    if answer.endswith("DIE"):
        print(answer[:-3], flush=True)
        sys.exit(3)
    print(answer, flush=True)
"""

Table = dict[str, list[str]]
"""The answers to lines by their first word, in turn, the last one again and again; those to "" answer other lines."""


class Fake:
    """An engine that answers by a table, and the player who asks it."""

    def __init__(self, folder: Path, table: Table, name: str = "E") -> None:
        self._heard = folder / f"{name}.heard"
        for path, text in ((folder / "engine.py", ENGINE), (folder / f"{name}.json", json.dumps(table))):
            path.write_text(text)
        self.name = name
        self.command = shlex.join(
            (sys.executable, "-ISu", str(folder / "engine.py"), str(folder / f"{name}.json"), str(self._heard))
        )

    def player(self, game: str, protocol: str, limits: PlayerLimits, hang_s: float = 10.0, **fields: Any) -> Player:
        spec = EngineSpec(self.name, self.command, limits=limits, protocol=protocol, **fields)
        return make_player(spec, registry.info(game), hang_s)

    def asked(self, game: str, greeting_s: float = 60.0, limits: PlayerLimits | None = None) -> AskedEngine:
        spec = EngineSpec(self.name, self.command, limits=limits or MINUTE)
        clients = [client for name in CLASSES if game in (client := load_client(name)).games]
        return AskedEngine(spec, registry.info(game), 1.0, clients, greeting_s)

    @property
    def heard(self) -> list[str]:
        """The lines that the engine has read; `start` for each start."""
        return self._heard.read_text().splitlines()


DEPTH, MINUTE = PlayerLimits(depth=1), PlayerLimits(clock_ms=60_000)
CLOCKS = (TimeLeft(60_000, 0), TimeLeft(30_000, 0))
UCCI: Table = {
    "ucci": ["option usemillisec type check default false\noption newgame type button\nucciok"],
    "isready": ["readyok"],
    "go": ["info depth 1 score 31 nodes 7 pv h2e2\nbestmove h2e2 ponder h9g7"],
}
CECP: Table = {
    "protover": ['feature variants="xiangqi" ping=1 setboard=1\nfeature usermove=1 memory=1 done=1'],
    "ping": ["pong 1", "pong 2", "pong 3"],
    "go": ["1 31 0 7 h2e2\nmove h2e2"],
    "usermove": ["move h0g2"],
    "xboard": [""],
}


def play_on(
    player: Player,
    game: str,
    opening: str = "",
    replies: str = "",
    dice: tuple[int, ...] = (),
    clocks: Sequence[TimeLeft | None] = CLOCKS,
) -> list[Choice]:
    """Let a player move from an opening on, and after each of the replies; return its choices. It begins no game."""
    referee = Referee(registry.load(game), parse_opening(opening), dice)
    choices = []
    for reply in ["", *replies.split()]:
        if reply:
            referee.play(reply)
        choices.append(player.choose(referee.turn(clocks, 60_000)))
        referee.play(choices[-1].word)
        player.played(referee.position)
    return choices


def dialogue(fake: Fake, game: str, protocol: str, limits: PlayerLimits, *words: Any, **fields: Any) -> list[str]:
    """Play a game by `play_on` and return the lines that the engine has read after its start."""
    player = fake.player(game, protocol, limits, **fields)
    try:
        player.new_game("")
        play_on(player, game, *words)
        player.game_over(True)
    finally:
        player.close()
    start, *heard, end = fake.heard
    assert (start, end) == ("start", "quit")
    return heard


def test_the_words_of_ucci(tmp_path: Path) -> None:
    fake = Fake(tmp_path, UCCI)
    begin = ["ucci", "setoption usemillisec true", "isready", "setoption newgame", "isready", "position startpos"]
    go = "go time 60000 increment 0 opptime 30000 oppincrement 0"
    assert dialogue(fake, "xiangqi", "ucci", MINUTE) == [*begin, go]
    choice = play_in(fake, "xiangqi", "ucci", PlayerLimits(movetime_ms=1500))
    assert fake.heard[-2] == "go time 1500 movestogo 1"
    assert (choice.word, choice.score and choice.score.cp, choice.nodes) == ("h2e2", 31, 7)


def play_in(fake: Fake, game: str, protocol: str, limits: PlayerLimits, opening: str = "", **fields: Any) -> Choice:
    """Return an engine's choice after an opening."""
    player = fake.player(game, protocol, limits, **fields)
    try:
        player.new_game("")
        return play_on(player, game, opening, clocks=CLOCKS if limits.clock_ms else (None, None))[0]
    finally:
        player.close()


def test_ucci_in_whole_seconds(tmp_path: Path) -> None:
    fake = Fake(tmp_path, UCCI | {"ucci": ["ucciok"]})
    play_in(fake, "xiangqi", "ucci", PlayerLimits(movetime_ms=2000))
    assert fake.heard[-2] == "go time 2 movestogo 1"
    with pytest.raises(StartError, match="E reads times in whole seconds: it has no option usemillisec"):
        play_in(fake, "xiangqi", "ucci", PlayerLimits(movetime_ms=1500))


def test_the_words_of_cecp(tmp_path: Path) -> None:
    heard = dialogue(Fake(tmp_path, CECP), "xiangqi", "xboard", MINUTE, "", "h9g7", options={"Hash": "8"})
    begin = ["xboard", "protover 2", "memory 8", "ping 1"]
    game = ["new", "variant xiangqi", "force", "easy", "post", "level 0 1:00 0", "ping 2", "time 6000", "otim 3000"]
    reply = ["time 6000", "otim 3000", "usermove h9g7"]
    assert heard == [*begin, *game, "go", *reply, "force", "result 1-0 {the referee}"]


def test_positions_and_openings_of_cecp(tmp_path: Path) -> None:
    fen = "3k5/9/9/9/9/9/9/9/9/4K2R1 w - - 0 1"
    opening = f"{fen} moves h0h1 d9d8"
    fake = Fake(tmp_path, CECP | {"go": ["move h1h8"], "usermove": [""]})
    play_in(fake, "xiangqi", "xboard", DEPTH, opening)
    board = [f"setboard {fen}", "usermove h0h1", "usermove d9d8"]
    begin = ["force", "easy", "post", "st 3600", "sd 1", "ping 2"]
    assert fake.heard[6:-1] == [*begin, *board, "go"]
    simple = Fake(tmp_path, {"protover": ['feature variants="xiangqi" time=0 done=1'], "go": ["move h2e2"]}, "F")
    play_in(simple, "xiangqi", "xboard", DEPTH, "a3a4 a6a5")
    assert simple.heard[-4:-1] == ["a3a4", "a6a5", "go"]
    with pytest.raises(StartError, match="F cannot begin from a position: it lacks the feature setboard=1"):
        play_in(simple, "xiangqi", "xboard", DEPTH, opening)


def test_the_words_of_sau(tmp_path: Path) -> None:
    table: Table = {"name?": ["name E"], "new": ["move JJ@@", ""], "move": ["move AAAB"]}
    fake = Fake(tmp_path, table)
    assert dialogue(fake, "connect6", "sau", MINUTE, "", "j9k9") == ["name?", "new black", "move JKKK", "end win"]
    heard = dialogue(
        Fake(tmp_path, table | {"new": [""], "move": ["move AAAB", "move SSSR"]}, "F"),
        "connect6",
        "sau",
        MINUTE,
        "j10",
        "j9k9",
    )
    assert heard == ["name?", "new white", "move JJ@@", "move JKKK", "end win"]


CLOUDICT_HELP = """On help for GameEngine E
            name        - print the name of the Game Engine.
            next        - the engine will search the move for next step.
            move XXXX   - tell the engine that the opponent take the move XXXX,
"""


def test_the_words_of_cloudict(tmp_path: Path) -> None:
    """The help comes before the first answer, as from Cloudict itself."""
    fake = Fake(tmp_path, {"name": [f"{CLOUDICT_HELP}name E"], "next": ["move JJJJ", "move AAAB"]})
    limits = PlayerLimits(depth=3)
    begin = ["name", "depth 3", "new xxx"]
    assert dialogue(fake, "connect6", "cloudict", limits, "", "j9k9") == [*begin, "next", "white JIKI", "next"]
    opening = "j10 j9k9 a1b1"
    fake = Fake(tmp_path, {"name": ["name E"], "next": ["move SSSR"]}, "F")
    assert dialogue(fake, "connect6", "cloudict", limits, opening) == [
        *begin, "black JJ", "white JIKI", "black AABA", "next"
    ]  # fmt: skip


def test_the_words_of_myai(tmp_path: Path) -> None:
    table: Table = {
        "name": ["E"], "time_setting": ["1"], "board_setting": ["1"], "ini": ["A1 B1 C1 A2 B2 A3"], "get": ["A1 B2"]
    }  # fmt: skip
    begin = ["name", "time_setting 60", "board_setting 5 6", "ini R", "get R 1 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"]
    assert dialogue(Fake(tmp_path, table), "ewn", "myai", MINUTE, "", "123456", (1,)) == begin


class Scripted(Player):
    """A player of given moves."""

    def __init__(self, words: list[str]) -> None:
        self._words = iter(words)

    def choose(self, turn: Turn) -> Choice:
        return Choice(next(self._words), 0.0)


JUNQI = next(record for record in RECORDS if record["id"] == "log_05")


@pytest.mark.parametrize("side", [0, 1])
def test_the_words_of_junqi(side: int, tmp_path: Path) -> None:
    """A referee's recorded game: squares, results and flags as the engine of a side hears them."""
    words = [word.partition("=")[0] for word in JUNQI["moves"]]
    arrays = [JUNQI["first"], JUNQI["second"]]
    answers = [f"BESTMOVE {turned(word, side)}" for word in words[side::2]]
    fake = Fake(tmp_path, {"INFO": ["NAME E"], "START": [f"ARRAY {arrays[side]}"], "GO": answers})
    player = fake.player("junqi", "junqi", MINUTE)
    seated = [player, Scripted([arrays[1 - side], *words[1 - side :: 2]])]
    clocks = [Clock(MINUTE), Clock(MINUTE)]
    game = registry.load("junqi")
    game_end = play_moves(Referee(game, parse_opening("")), seated[:: 1 - 2 * side], clocks, ("", ""))
    player.close()
    assert (game_end.winner, game_end.cause) == (JUNQI["winner"], "rules")

    expected = ["INFO 1.0", f"START {side} 60 31"]
    position, last, flag = cast(JunqiPosition, game.position()), "0000 0 00", "00"
    for word in [*arrays, *JUNQI["moves"]]:
        mover, is_move = position.turn, position.has_pieces
        position.push(position.parse_move(word[:4] if is_move else word))
        if is_move and (square := announced_flag(position, 1 - side)):
            flag = turned(square, side)
        if is_move and mover == side:
            expected += [f"GO {last}", f"RESULT {word[5]} {flag}"]
        elif is_move:
            last = f"{turned(word[:4], side)} {word[5]} {flag}"
    assert fake.heard == ["start", *expected, f"END {int(side == JUNQI['winner'])}", "quit"]


def test_an_engine_of_junqi_that_ends_at_the_end_of_a_game_starts_again(tmp_path: Path) -> None:
    """It may end only while the next START is written: that is no crash, but an end at the first START is."""
    turn = Referee(registry.load("junqi"), parse_opening("")).turn(CLOCKS, 60_000)
    fake = Fake(tmp_path, {"INFO": ["NAME E"], "START": [f"ARRAY {JUNQI['first']}", "DIE"]})
    with contextlib.closing(fake.player("junqi", "junqi", MINUTE)) as player:
        for _ in range(3):
            player.new_game("")
            assert player.choose(turn).word == JUNQI["first"]
            player.game_over(True)
    start = ["start", "INFO 1.0", "START 0 60 31"]
    assert fake.heard == [*start, "END 1", "START 0 60 31", *start, "END 1", "START 0 60 31", *start, "END 1", "quit"]

    fake = Fake(tmp_path, {"INFO": ["NAME E"], "START": ["DIE"]}, "F")
    with contextlib.closing(fake.player("junqi", "junqi", MINUTE)) as player:
        player.new_game("")
        with pytest.raises(Forfeit, match="engine ended with status 3"):
            player.choose(turn)
    assert fake.heard == start


# Asking for the protocol

ANSWERS: dict[str, Table] = {
    "uci": {"uci": ["uciok"], "isready": ["readyok"]},
    "ucci": UCCI,
    "xboard": CECP,
    "sau": {"name?": ["name E"]},
    "cloudict": {"name": ["name E"]},
    "myai": {"name": ["E"], "time_setting": ["1"], "board_setting": ["1"]},
    "junqi": {"INFO": ["NAME E"]},
    "ugi": {"ugi": ["option name UCI_Variant type combo default ewn var ewn\nugiok"], "isready": ["readyok"]},
}
FIRST_LINES = {
    "uci": "uci", "ucci": "ucci", "xboard": "xboard", "sau": "name?", "cloudict": "name", "myai": "name",
    "junqi": "INFO 1.0", "ugi": "ugi",
}  # fmt: skip
GAMES = {"cloudict": "connect6", "junqi": "junqi", "myai": "ewn", "sau": "connect6", "ugi": "ewn"}


def before(protocol: str, game: str) -> list[str]:
    """Return the first lines of the protocols that are asked for before one."""
    names = list(CLASSES)[: list(CLASSES).index(protocol)]
    return [FIRST_LINES[name] for name in names if game in load_client(name).games]


@pytest.mark.parametrize("protocol", CLASSES)
def test_the_protocol_is_found(protocol: str, tmp_path: Path) -> None:
    """Each question has a process of its own: an engine that ends at a word that it does not know is found too."""
    game = GAMES.get(protocol, "xiangqi")
    fake = Fake(tmp_path, {line.split()[0]: ["unknown\nDIE"] for line in FIRST_LINES.values()} | ANSWERS[protocol])
    player = fake.asked(game)
    with contextlib.closing(player):
        player.new_game("")
    asked = [line for first in before(protocol, game) for line in ("start", first)]
    assert fake.heard[: len(asked) + 2] == [*asked, "start", FIRST_LINES[protocol]]
    assert fake.heard.count("start") == len(asked) // 2 + 1  # the process that answered is the one that plays


def test_the_protocol_of_a_patient_engine_is_found(tmp_path: Path) -> None:
    fake = Fake(tmp_path, UCCI | {"": ["ERROR unknown command"]})
    player = fake.asked("xiangqi", greeting_s=6)
    with contextlib.closing(player):
        player.new_game("")
        play_on(player, "xiangqi")
    assert fake.heard[:4] == ["start", "uci", "start", "ucci"]


@pytest.mark.parametrize(
    ("greeting_s", "table", "why"),
    [
        (
            1.2,
            {},
            r"answers in no protocol \(uci, ucci, xboard, ugi\) within 1.2 s: give it proto=",
        ),
        (6, {"": ["garbage"]}, r"if it is slow; its last line: garbage"),
        (60, {"": ["no licence\nDIE"]}, "does not start: engine ended with status 3; its last line: no licence"),
        (60, {"uci": ["id name E\noption name Hash type spin\nno memory\nDIE"]}, "3; its last line: no memory"),
        (6, {"uci": ["id name E"]}, r"does not start: hung: no uciok within \d.* s; its last line: id name E"),
    ],
)
def test_engines_that_do_not_answer(
    greeting_s: float, table: Table, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = Mock(wraps=Process)
    monkeypatch.setattr(base, "Process", started)
    fake = Fake(tmp_path, table)
    player = fake.asked("xiangqi", greeting_s)
    with contextlib.closing(player), pytest.raises(StartError, match=f"E {why}" if why[0] in "ad" else why):
        player.new_game("")
    assert started.call_args_list == [call(fake.command)] * (1 if "uci" in table else 4)


def test_a_command_that_is_no_program(tmp_path: Path) -> None:
    player = make_player(EngineSpec("E", str(tmp_path / "none"), limits=DEPTH), registry.info("xiangqi"), 1.0)
    with pytest.raises(StartError, match=r"E does not start: .*No such file"):
        player.new_game("")


def test_a_long_wait_is_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(base, "NOTICE_S", 0.05)
    monkeypatch.setattr(base, "START_TIMEOUT_S", 0.4)
    player = Fake(tmp_path, {"uci": ["uciok"]}).player("xiangqi", "uci", DEPTH)
    with contextlib.closing(player), pytest.raises(StartError, match=r"hung: no readyok within 0\.4 s"):
        player.new_game("")
    assert "siqi match: waiting for readyok (it may be compiling) from E" in capsys.readouterr().err


# Refusals and faults


@pytest.mark.parametrize(
    ("protocol", "table", "cause", "reason"),
    [
        ("ucci", {"go": ["bestmove h2e2 resign"]}, "resigned", "bestmove h2e2 resign"),
        ("ucci", {"go": ["nobestmove"]}, "illegal", "nobestmove"),
        ("ucci", {"go": ["DIE"]}, "crash", "engine ended with status 3"),
        ("ucci", {"go": ["garbage"]}, "time", "hung: no bestmove within 3.001 s"),
        ("xboard", {"go": ["resign"]}, "resigned", "resign"),
        ("xboard", {"go": ["0-1 {White resigns}"]}, "resigned", "0-1 {White resigns}"),
        ("xboard", {"go": ["1-0 {mate}"]}, "illegal", "claims a result that the rules do not: 1-0 {mate}"),
        ("xboard", {"go": ["1/2-1/2 {bored}"]}, "illegal", "claims a result that the rules do not: 1/2-1/2 {bored}"),
        ("xboard", {"go": ["Illegal move: a3a4"]}, "illegal", "refuses a legal move: Illegal move: a3a4"),
        ("xboard", {"go": ["move"]}, "illegal", ": "),
        ("sau", {"new": ["move JJJ"]}, "illegal", "not a turn: move JJJ"),
        ("sau", {"new": ["ERROR no"]}, "illegal", "not a turn: ERROR no"),
        ("cloudict", {"next": ["move JJT1"]}, "illegal", "not a turn: move JJT1"),
        ("myai", {"ini": ["A1 B1 C1 A2 B2 E5"]}, "illegal", "no set-up: A1 B1 C1 A2 B2 E5"),
        ("myai", {"ini": ["ERROR no"]}, "illegal", "not squares: ERROR no"),
        ("junqi", {"START": ["ERROR no"]}, "illegal", "ERROR no"),
        ("junqi", {"START": ["ARRAY abc"]}, "illegal", "abc: "),
    ],
)
def test_faults_in_a_game(protocol: str, table: Table, cause: str, reason: str, tmp_path: Path) -> None:
    fake = Fake(tmp_path, ANSWERS[protocol] | table)
    player = fake.player(GAMES.get(protocol, "xiangqi"), protocol, MINUTE, hang_s=3)
    game = registry.load(GAMES.get(protocol, "xiangqi"))
    players = [player, Scripted([])]
    clocks = [Clock(PlayerLimits(clock_ms=1)), Clock()]
    game_end = play_moves(Referee(game, parse_opening("")), players, clocks, ("", ""))
    player.close()
    assert (game_end.winner, game_end.cause) == (1, cause)
    assert game_end.reason.startswith(reason)


@pytest.mark.parametrize(
    ("game", "words", "why"),
    [
        ("connect6", "proto=ucci depth=1", "the protocol ucci has no connect6"),
        ("ewn", "proto=xboard depth=1", "the protocol xboard has no ewn"),
        ("xiangqi", "proto=junqi depth=1", "the protocol junqi has no xiangqi"),
        ("xiangqi", "proto=xboard nodes=9", "the protocol xboard has no nodes, only movetime, depth, clock, increment"),
        ("xiangqi", "proto=xboard", "movetime is whole seconds in the protocol xboard, not 100 ms"),
        ("xiangqi", "proto=ucci nodes=9 depth=1", "the protocol ucci has one limit for a search"),
        ("connect6", "proto=sau", "the protocol sau has no movetime, only clock, increment"),
        ("connect6", "proto=cloudict nodes=9", "the protocol cloudict has no nodes, only depth, clock, increment"),
        ("connect6", "proto=sau Hash=9 clock=9", "the protocol sau has no options: give them to its command"),
        ("ewn", "proto=myai clock=9+1", "the protocol myai has no increment, only clock"),
        ("ewn", "proto=myai clock=1.5", "the clock is whole seconds in the protocol myai, not 1500 ms"),
        ("junqi", "proto=junqi clock=0.5", "the clock is whole seconds in the protocol junqi, not 500 ms"),
        ("junqi", "proto=usi", "proto is one of uci, ucci, xboard, sau, cloudict, myai, junqi, ugi, not usi"),
    ],
)
def test_what_a_protocol_cannot_say_is_refused(
    game: str, words: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["match", game, f"E=none {words}", "random", "--log", str(tmp_path / "m.jsonl")]) == MISUSED
    assert re.fullmatch(rf"siqi match: (engine )?E: {re.escape(why)}.*\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("game", "protocol", "table", "opening", "why"),
    [
        ("ewn", "uci", {"uci": ["uciok"]}, "", "E does not play ewn: it has no option UCI_Variant"),
        (
            "ewn",
            "ugi",
            {"ugi": ["option name UCI_Variant type combo var go\nugiok"]},
            "",
            "its UCI_Variant does not list",
        ),
        ("xiangqi", "xboard", {"protover": ["feature done=1"]}, "", "E does not play xiangqi: its variants are normal"),
        ("xiangqi", "xboard", {"go": ["tellusererror Illegal position"]}, "", "E refuses the position"),
        ("connect6", "sau", {}, "j10 j9k9", "E: the protocol sau has no openings: give --openings none"),
        ("junqi", "junqi", {}, f"{JUNQI['first']} {JUNQI['second']}", "E: the protocol junqi has no openings"),
        (
            "xiangqi",
            "uci",
            {"go": ["bestmove h3e3"]},
            "",
            "E plays h3e3, legal only with ranks from 1: give it ranks=1",
        ),
        ("xiangqi", "ucci", {"go": ["bestmove h10g8"]}, "h2e2", "E plays h10g8, legal only with ranks from 1"),
        # It could play none of the opening's moves.
        ("xiangqi", "uci", {"go": ["bestmove h3e3"]}, "h2e2 h9g7", "E plays h3e3, legal only with ranks from 1"),
    ],
)
def test_engines_that_are_set_up_wrongly(
    game: str, protocol: str, table: Table, opening: str, why: str, tmp_path: Path
) -> None:
    """A match stops, as their losses would show nothing."""
    fake = Fake(tmp_path, ANSWERS[protocol] | table)
    with pytest.raises(StartError, match=re.escape(why)):
        play_in(fake, game, protocol, MINUTE, opening)


def test_ranks_of_an_engine_that_counts_from_1(tmp_path: Path) -> None:
    """Once a move has shown how an engine counts, an illegal move is its own fault."""
    fake = Fake(tmp_path, ANSWERS["uci"] | {"go": ["bestmove h3e3", "bestmove h0g2"]})
    with pytest.raises(Forfeit, match=r"h-1g1"):
        player = fake.player("xiangqi", "uci", MINUTE, ranks=1)
        with contextlib.closing(player):
            player.new_game("")
            play_on(player, "xiangqi", "", "h9g7")
    wrong = Fake(tmp_path, ANSWERS["uci"] | {"go": ["bestmove h2e2"]}, "F")
    with pytest.raises(StartError, match="F plays h2e2, legal only with ranks from 0: give it ranks=0"):
        play_in(wrong, "xiangqi", "uci", MINUTE, ranks=1)


def test_an_engine_that_is_no_longer_asked_stops_the_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake = Fake(tmp_path, ANSWERS["uci"] | {"go": ["bestmove h3e3"]})
    log = tmp_path / "m.jsonl"
    assert (
        run(["match", "xiangqi", f"E={fake.command}", "random", "--openings", "none", "--log", str(log)])
        == ENGINE_FAILED
    )
    assert "E plays h3e3" in capsys.readouterr().err
    assert not log.exists()


# Other authors' programs


def program(name: str) -> str:
    """Return the path of a program, or skip the test."""
    path = shutil.which(name, path=PATH)
    if path is None:
        pytest.skip(f"not installed: {name} (scripts/clients.sh)")
    return path


PEERS = {
    "fairy-stockfish": "ranks=1 depth=1",
    "maxqi": "depth=1",
    "hoixiangqi": "depth=1",
    "uci2wb": "-var xiangqi {siqi} depth=1",
    "uci2wb -x": "{siqi} clock=60",
}
"""Their commands' programs, and the words behind them."""
CASES = [pytest.param(name, marks=() if name == "fairy-stockfish" else pytest.mark.long) for name in PEERS]


@pytest.mark.parametrize("peer", CASES)
def test_games_with_peers(peer: str, siqi: Path, tmp_path: Path) -> None:
    """Their protocols are found by asking, and they play both sides without a fault."""
    name, *words = peer.split()
    command = " ".join([program(name), *words, PEERS[peer].format(siqi=siqi)])
    records = play(tmp_path, "xiangqi", f"peer={command}", f"siqi={engine()} proto=ucci depth=1", "--max-plies", "40")
    assert {record["cause"] for record in records} <= {"rules", "adjudicated"}, records
    assert {record["players"][0] for record in records} == {"peer", "siqi"}


@pytest.mark.parametrize(("game", "why"), [("connect6", "does not play connect6"), ("xiangqi", "give it ranks=1")])
def test_fairy_stockfish_is_refused(game: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (f"F={program('fairy-stockfish')}", "random", "--depth", "1")
    assert run(["match", game, *words, "--log", str(tmp_path / "m.jsonl")]) == ENGINE_FAILED
    assert why in capsys.readouterr().err
