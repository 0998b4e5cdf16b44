"""Finished games are kept once, in a log (GameLog) and as records (RecordPath), and are read back as played."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import forked
import pytest
from client import START_TIMEOUT_S, Client
from junqi_games import flag_of, turned

from scripts.common.records import read_game_records

from siqi.daemon.engine.kept_games import KeptGames
from siqi.daemon.engine.played_game import PlayedGame
from siqi.daemon.engine.record_files import content, moves_of
from siqi.games import registry
from siqi.games.contract import Position, is_dice_position, set_dice
from siqi.games.game_record import GameRecord
from siqi.games.junqi.board import JunqiPosition
from siqi.system import files

MATE = "3k5/1R7/R8/9/9/9/9/9/9/4K4 w"

WHOLE = {
    name: line.split()
    for name, line in {
        "xiangqi": "h0g2 i9i8 h2h0 b7b8 h0h3 g9i7 i0i1 e6e5 e0e1 b8e8 b2c2 e5e4 c2b2 i7g5 h3h9",
        "connect6": "j10 a1a2 k10l10 a4a5 m10n10 a7a8 o10",
    }.items()
}
"""Games from the start position to their end by the rules."""

ARRAYS = ["diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld"]


def random_game(name: str, rng: random.Random) -> tuple[Position, list[str], list[int]]:
    """Return the last position of a game with random moves, its words and its throws after the set-ups."""
    game = registry.load(name)
    position, dice = game.position(), []
    for word in WHOLE.get(name, ARRAYS if name == "junqi" else ["123456", "615243"]):
        position.push(position.parse_move(word))
    while position.outcome() is None:
        if is_dice_position(position, game.info):
            dice.append(rng.randint(1, 6))
            position.set_dice(dice[-1])
        position.push(rng.choice(position.legal_moves()))
    return position, [position.move_text(move) for move in moves_of(position)], dice


def records_in(folder: Path) -> list[Path]:
    """Return the folder's files; all of them have names of records."""
    paths = sorted(folder.iterdir())
    assert [path.name for path in paths if not re.fullmatch(r"\w+-\d{8}-\d{6}-\d+\.(pgn|txt)", path.name)] == []
    return paths


def read(path: Path, name: str) -> GameRecord:
    records = registry.record_format(name)
    (record,) = records.load_stream().stream(io.StringIO(path.read_bytes().decode(records.encoding)))
    return record


def only_record(folder: Path, name: str) -> GameRecord:
    (path,) = records_in(folder)
    assert path.name.startswith(f"{name}-")
    return read(path, name)


# Games followed to their ends


class Keeper:
    """Games kept in a log, and the lines of warnings."""

    def __init__(self, path: Path) -> None:
        self.warnings: list[str] = []
        self.kept = KeptGames(self.warnings.append, lambda path: None)
        self.kept.log.open(str(path))
        self._path = path
        self._game = registry.load("xiangqi")

    def play(self, *moves: str, fen: str = "", **options: str) -> tuple[PlayedGame, Position]:
        """Return a game of Xiangqi, as `KeptGames` takes it."""
        position = self._game.position(fen or None)
        for word in moves:
            position.push(position.parse_move(word))
        return PlayedGame("xiangqi", fen, moves, options), position

    def set_up(self, *moves: str, fen: str = "") -> None:
        self.kept.set_up(*self.play(*moves, fen=fen))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._path.read_text().splitlines()]

    def ends(self) -> list[tuple[int, str, str]]:
        return [(len(line["moves"]), line["result"], line["end"]) for line in self.lines()]


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return Keeper(tmp_path / "learn.jsonl")


def test_a_game_is_kept_once_when_it_ends(keeper: Keeper) -> None:
    keeper.set_up(fen=MATE)
    keeper.set_up("a7a9", fen=MATE)
    keeper.set_up("a7a9", fen=MATE)
    keeper.kept.end(1)  # the rules' end stands
    keeper.kept.close()
    keeper.kept.move(*keeper.play("h2e2", UCI_Coordinates="1"), mate_for=1)
    keeper.set_up("a0a1")  # another game
    keeper.kept.close()
    first, second = keeper.lines()
    assert first == {"game": "xiangqi", "moves": ["a7a9"], "result": "1-0", "end": "checkmate", "fen": MATE}
    assert second.pop("options") == {"UCI_Coordinates": "1"}
    assert second == {"game": "xiangqi", "moves": ["h2e2"], "result": "0-1", "end": "mate seen"}
    assert keeper.warnings == []


def test_a_game_ends_by_the_client_s_word(keeper: Keeper) -> None:
    keeper.kept.end(0)  # no game
    keeper.set_up()
    keeper.kept.end(0)  # no moves
    keeper.set_up("h2e2")
    keeper.kept.end(None)
    keeper.set_up("h2e2", "h9g7")  # it continues nevertheless
    keeper.kept.end(0)
    keeper.kept.close()
    keeper.kept.move(*keeper.play("h2e2"), mate_for=0)
    keeper.kept.end(1)  # and not by the mate seen before
    keeper.kept.close()
    assert keeper.ends() == [(1, "1/2-1/2", "reported"), (1, "0-1", "reported")]


def test_a_move_that_is_only_expected_is_taken_back(keeper: Keeper) -> None:
    keeper.kept.move(*keeper.play("h2e2"), mate_for=0)
    for _ in range(2):
        keeper.set_up("h2e2", "h9g7")
        keeper.kept.search(keeper.play("h2e2", "h9g7")[0], 0, is_pondering=True)
    keeper.set_up("h2e2", "b9c7")  # the opponent's real move: the same game
    assert keeper.ends() == []
    keeper.kept.close()
    assert keeper.ends() == [(2, "1-0", "mate seen")]


# By UCI: every game reads back as it was played


def play_by_uci(client: Client, words: list[str], dice: list[int]) -> None:
    """Send a game move by move, with its throws."""
    setups = len(words) - len(dice)
    for count in range(len(words) + 1):
        client.send("position startpos" + (" moves " + " ".join(words[:count]) if count else ""))
        if dice and setups <= count < len(words):
            client.send(f"dice {dice[count - setups]}")
    assert [line for line in client.sync() if "compil" not in line] == []


@pytest.mark.parametrize("name", [*WHOLE, "ewn", "junqi"])
def test_a_game_reads_back_from_its_record_and_from_the_log(name: str, tmp_path: Path) -> None:
    folder, log = tmp_path / "records", tmp_path / "learn.jsonl"
    folder.mkdir()
    position, words, dice = random_game(name, random.Random(7))
    outcome = position.outcome()
    assert outcome is not None and outcome.winner is not None
    played = GameRecord(tuple(words), tuple(dice), ("1-0", "0-1")[outcome.winner])
    options = (f"UCI_Variant value {name}", f"RecordPath value {folder}", f"GameLog value {log}")
    with Client(*(f"setoption name {option}" for option in options)) as client:
        client.sync()
        play_by_uci(client, words, dice)
        assert client.seen[-1] == "readyok"
    record = only_record(folder, name)
    (kept,) = read_game_records(log, pytest.fail, name)
    records = registry.record_format(name).load_stream()
    (from_log,) = records.stream(io.StringIO(records.text(kept)))
    for read in (record, kept, from_log):
        assert (read.moves, read.dice, read.result, read.fen) == (played.moves, played.dice, played.result, "")
    game = registry.load(name)
    assert content(game, record) == content(game, played)
    assert (record.first, record.second) == ("?", "?")
    assert name == "junqi" or re.fullmatch(r"\d{4}\.\d\d\.\d\d \d\d:\d\d:\d\d", record.occasion)


def test_a_view_of_junqi(tmp_path: Path) -> None:
    """An unknown set-up stays unknown; announced flags are kept."""
    for seed in range(20):
        position, _, _ = random_game("junqi", random.Random(seed))
        outcome = position.outcome()
        assert isinstance(position, JunqiPosition) and outcome is not None
        words = position.view_moves(1)
        if any("@" in word for word in words) and outcome.reason == "quiet":
            break
    with Client("setoption name UCI_Variant value junqi", f"setoption name RecordPath value {tmp_path}") as client:
        client.send("position startpos moves " + " ".join(words))
        assert [line for line in client.sync() if "compil" not in line] == []
    record = only_record(tmp_path, "junqi")
    assert record.moves == tuple(words) and record.moves[0] == "?" and any("@" in word for word in words)
    assert record.result == ("1-0", "0-1", "1/2-1/2")[2 if outcome.winner is None else outcome.winner]


def test_words_are_written_in_the_usual_notation(tmp_path: Path) -> None:
    """The usual notation is written whatever the client's coordinates and the order of stones."""
    xiangqi, connect6 = tmp_path / "xiangqi", tmp_path / "connect6"
    xiangqi.mkdir(), connect6.mkdir()
    shifted = [re.sub(r"\d", lambda digit: str(int(digit[0]) + 1), word) for word in WHOLE["xiangqi"]]
    swapped = [re.sub(r"(\D\d+)(\D\d+)", r"\2\1", word) for word in WHOLE["connect6"]]
    with Client("setoption name UCI_Coordinates value 1", f"setoption name RecordPath value {xiangqi}") as client:
        client.send("position startpos moves " + " ".join(shifted), f"setoption name RecordPath value {connect6}")
        client.send("setoption name UCI_Variant value connect6", "position startpos moves " + " ".join(swapped))
        assert [line for line in client.sync() if "compil" not in line] == []
    assert only_record(xiangqi, "xiangqi").moves == tuple(WHOLE["xiangqi"])
    assert only_record(connect6, "connect6").moves == tuple(WHOLE["connect6"])


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("connect6", "fen 19/19/19/19/19/19/19/19/19/9bbbbb5/19/19/19/19/19/19/19/19/19 b 2 moves o10", "cannot store"),
        ("ewn", "fen 5/5/5/3A1/a4 f 1 moves d2e1", "cannot store a position"),
        ("ewn", "fen ABE2/FC3/D3d/3cf/2eba s - moves {}", "cannot store a position"),
        ("junqi", "fen xxxxx/xxxxx/x1x1x/xx1xx/x1x1x/xxxxx/DIAHC/B1G1K/KF1IE/C1F1I/GJHED/JLJHG f f 30 moves {}", ""),
        ("ewn", "startpos moves 123456 615243 {}", "the throw of move 1 is not known"),
    ],
)
def test_what_a_format_cannot_hold_is_not_written(name: str, line: str, reason: str, tmp_path: Path) -> None:
    """One line reports it; GameLog has no such limit."""
    if "{}" in line:
        game, rng = registry.load(name), random.Random(1)
        fen = re.match(r"fen (.*) moves", line)
        position = game.position(fen[1] if fen else None)
        for word in [] if fen else line.split()[2:4]:
            position.push(position.parse_move(word))
        words = []
        while position.outcome() is None:
            quiet = [move for move in position.legal_moves() if name == "ewn" or is_plain(position, move)]
            words.append(position.move_text(rng.choice(quiet)))
            position.push(position.parse_move(words[-1]))
        line = line.format(" ".join(words))
    log, folder = tmp_path / "learn.jsonl", tmp_path / "records"
    folder.mkdir()
    options = (f"UCI_Variant value {name}", f"RecordPath value {folder}", f"GameLog value {log}")
    with Client(*(f"setoption name {option}" for option in options)) as client:
        client.sync()
        (warning,) = client.answers(f"position {line}", f"position {line}")
        assert warning.startswith(f"info string warning option RecordPath: a game of {name} has no record: ")
        assert reason in warning
    assert records_in(folder) == [] and len(log.read_text().splitlines()) == 1


def is_plain(position: Position, move: int) -> bool:
    """True if a move attacks nothing."""
    try:
        position.push(move)
    except ValueError:
        return False
    return not position.move_text(position.pop()).endswith(("=0", "=1", "=2"))


def test_a_throw_that_does_not_allow_its_move_is_no_record(tmp_path: Path) -> None:
    rng = random.Random(7)
    _, words, dice = random_game("ewn", rng)
    dice[0] = next(number for number in range(1, 7) if not allows(words, number))
    with Client("setoption name UCI_Variant value ewn", f"setoption name RecordPath value {tmp_path}") as client:
        client.sync()
        for count in range(2, len(words) + 1):
            client.send(f"position startpos moves {' '.join(words[:count])}")
            if count < len(words):
                client.send(f"dice {dice[count - 2]}")
        (warning,) = client.sync()
        assert f"illegal move after a throw of {dice[0]}: {words[2]}" in warning
    assert records_in(tmp_path) == []


def allows(words: list[str], dice: int) -> bool:
    """True if the first move after the set-ups may be made with this throw."""
    game = registry.load("ewn")
    position = game.position()
    for word in words[:2]:
        position.push(position.parse_move(word))
    set_dice(position, game.info, dice)
    return words[2] in map(position.move_text, position.legal_moves())


def test_throws_of_another_line_are_forgotten(tmp_path: Path) -> None:
    log = tmp_path / "learn.jsonl"
    with Client("setoption name UCI_Variant value ewn", f"setoption name GameLog value {log}") as client:
        client.send("position fen ABE2/FC3/D3d/3cf/2eba f 4", "dice 1", "position fen ABE2/FC3/D3d/3cf/2eba f 4")
        start = "position fen 5/5/2A2/4B/a4 f 1 moves"
        client.send(f"{start} c3d2", "dice 1", f"{start} c3d2 a1a2", "dice 2", f"{start} c3c2", "dice 1")
        client.send(f"{start} c3c2 a1a2", f"{start} c3c2 a1a2 e2e1", "isready")
        client.expect("readyok", START_TIMEOUT_S)
    (kept,) = map(json.loads, log.read_text().splitlines())
    assert (kept["moves"], kept["dice"]) == (["c3c2", "a1a2", "e2e1"], [1, 1, None])


def test_a_throw_that_comes_while_pondering_is_known(tmp_path: Path) -> None:
    log = tmp_path / "learn.jsonl"
    with Client("setoption name UCI_Variant value ewn", f"setoption name GameLog value {log}") as client:
        client.sync()
        client.search("position fen 5/5/5/3A1/a4 f -", "go ponder movetime 50", "dice 1", "ponderhit")
        client.sync()
    (kept,) = map(json.loads, log.read_text().splitlines())
    assert (kept["moves"], kept["dice"], kept["end"]) == (["d2e1"], [1], "corner")


def test_a_pondering_search_that_is_stopped_has_played_nothing(tmp_path: Path) -> None:
    log = tmp_path / "learn.jsonl"
    with Client(f"setoption name GameLog value {log}") as client:
        client.sync()
        client.send(f"position fen {MATE}", "go ponder wtime 1000 btime 1000")
        client.search("stop")
        assert client.answers("ucinewgame") == [] and log.read_text() == ""


def test_a_reply_that_ends_the_game_is_not_offered_for_pondering() -> None:
    """No such reply is offered: a client that sent it as the next position would have the game kept as lost."""
    with Client() as client:
        client.sync()
        lines = client.search("position fen 3k5/1R7/R8/9/9/9/9/9/9/5K3 b", "go depth 4")
        assert "score mate -1 " in lines[-2] and lines[-2].split(" pv ")[1].split()[0] == "d9e9"
        assert lines[-1] == "bestmove d9e9"
        assert " ponder " in client.search("position startpos", "go depth 4")[-1]


def test_lines_without_throws_are_still_read_and_continued(tmp_path: Path) -> None:
    """Lines of a log made before throws were kept are read and continued."""
    log = tmp_path / "learn.jsonl"
    old = '{"game": "ewn", "moves": ["d2e1"], "result": "1-0", "end": "corner", "fen": "5/5/5/3A1/a4 f -"}\n'
    log.write_text(old)
    with Client("setoption name UCI_Variant value ewn", f"setoption name GameLog value {log}") as client:
        client.answers("position fen 5/5/5/3A1/a4 f 1 moves d2e1")
    assert log.read_text().startswith(old)
    assert [game.dice for game in read_game_records(log, pytest.fail, "ewn")] == [(), (1,)]


# By every other protocol


@pytest.mark.parametrize("begin", ["ucci", "ugi"])
def test_by_a_relative_of_uci(begin: str, tmp_path: Path) -> None:
    option = "setoption RecordPath {}" if begin == "ucci" else "setoption name RecordPath value {}"
    with Client(begin, option.format(tmp_path), f"position fen {MATE}", "isready") as client:
        client.expect("readyok", START_TIMEOUT_S)
        move = client.search("go movetime 20")[-1].split()[1]
        assert client.sync() == []
    record = only_record(tmp_path, "xiangqi")
    assert record.moves == (move,) and record.result == "1-0" and record.fen.startswith(MATE)
    assert (record.first, record.second) == ("Siqi", "?")


def test_a_position_that_is_only_probed_ends_no_game(tmp_path: Path) -> None:
    line = " ".join(WHOLE["xiangqi"])
    with Client("ucci", f"setoption RecordPath {tmp_path}", "position startpos moves h2e2", "isready") as client:
        client.expect("readyok", START_TIMEOUT_S)
        client.ask(f"probe startpos moves {line}", until="pophash")
        client.sync()
        assert records_in(tmp_path) == []
        client.send(f"position startpos moves {line}")
        assert client.sync() == []
    assert only_record(tmp_path, "xiangqi").moves == tuple(WHOLE["xiangqi"])


@pytest.mark.parametrize("word, result", [("1-0", "1-0"), ("0-1", "0-1"), ("1/2-1/2", "1/2-1/2"), ("*", "")])
def test_xiangqi_by_xboard(word: str, result: str, tmp_path: Path) -> None:
    """XBoard's result counts for a game that its players end: by resignation, agreement, time."""
    with Client("xboard", "new", "variant xiangqi", f"option RecordPath={tmp_path}", "force") as client:
        client.send("usermove h2e2", "usermove h9g7", f"result {word} {{whatever}}", "ping 1")
        client.expect("pong", START_TIMEOUT_S)
        client.send("new", "force", *(f"usermove {move}" for move in WHOLE["xiangqi"]), "result 0-1 {no}", "ping 2")
        assert "1-0 {checkmate}" in client.expect("pong")
    records = [read(path, "xiangqi") for path in records_in(tmp_path)]
    assert sorted((record.moves, record.result) for record in records) == sorted(
        [*([(("h2e2", "h9g7"), result)] if result else []), (tuple(WHOLE["xiangqi"]), "1-0")]
    )


def test_a_search_that_xboard_cuts_short_has_played_nothing(tmp_path: Path) -> None:
    with Client("xboard", "variant xiangqi", f"option RecordPath={tmp_path}", "st 3600", "force") as client:
        client.send("setboard 3k5/1R7/9/R8/9/9/9/9/9/4K4 w 0 1", "go", "force", "ping 1")
        client.expect("pong", START_TIMEOUT_S)
        client.send("new", "force", "ping 2")
        client.expect("pong")
    assert records_in(tmp_path) == []


def test_ewn_by_xboard_against_a_person(tmp_path: Path) -> None:
    """All throws are kept, since the engine throws for both sides."""
    game, rng = registry.load("ewn"), random.Random(2)
    start = game.info.default_start
    position, words, dice = game.position(start), [], []
    with Client("xboard", "new", "variant einstein", f"option RecordPath={tmp_path}", "st 0.02") as client:
        while (outcome := position.outcome()) is None:
            timeout = START_TIMEOUT_S if not dice else 30
            dice.append(int(client.expect(lambda line: line.startswith("0 0 0 0 die"), timeout)[-1].split()[-1]))
            set_dice(position, game.info, dice[-1])
            if position.turn == 1:
                words.append(client.expect("move")[-1].split()[1])
            else:
                words.append(position.move_text(rng.choice(position.legal_moves())))
                client.send(f"usermove {words[-1]}")
            position.push(position.parse_move(words[-1]))
        result = ("1-0", "0-1")[outcome.winner or 0]
        client.expect(result)
        client.ask("ping 1", until="pong")
    record = only_record(tmp_path, "ewn")
    assert content(game, record) == content(game, GameRecord(tuple(words), tuple(dice), result, fen=start))
    assert (record.first, record.second, record.moves[2:]) == ("?", "Siqi", tuple(words))


@pytest.mark.parametrize("begin, is_from_top", [(("name?",), True), (("name", "depth 1"), False)])
def test_connect6_by_letters(begin: tuple[str, ...], is_from_top: bool, tmp_path: Path) -> None:
    """The engine wins against stones in the corners."""
    letters = "ABCDEFGHIJKLMNOPQRS"
    with Client(*begin, "setoption name Depth value 1", f"setoption name RecordPath value {tmp_path}") as client:
        client.expect("name", START_TIMEOUT_S)
        turns = [client.ask("new black", until="move", timeout_s=START_TIMEOUT_S)[-1].split()[1]]
        game = registry.load("connect6")
        position = game.position()
        while True:
            points = dict.fromkeys(turn for turn in (turns[-1][:2], turns[-1][2:]) if turn != "@@")
            rows = [letters.index(point[1]) for point in points]
            names = [f"{point[0].lower()}{19 - row if is_from_top else row + 1}" for point, row in zip(points, rows)]
            position.push(position.parse_move("".join(names)))
            if position.outcome() is not None:
                break
            if position.turn == 1:
                number = position.ply // 2
                turns.append(f"A{letters[2 * number]}S{letters[2 * number]}")
            else:
                turns.append(client.ask(f"move {turns[-1]}", until="move")[-1].split()[1])
        client.send("quit")
        client.rest()
    record = only_record(tmp_path, "connect6")
    assert record.moves == tuple(position.move_text(move) for move in moves_of(position))
    assert (record.result, record.first, record.second) == ("1-0", "Siqi", "?")


def botzone(name: str, word: str) -> dict[str, Any]:
    """Return a move as Botzone writes it."""
    if name == "xiangqi":
        return {"source": word[:2], "target": word[2:]}
    points = [*registry.info(name).shape.points(word), (-1, 19)]
    return {"x0": points[0][0], "y0": 18 - points[0][1], "x1": points[1][0], "y1": 18 - points[1][1]}


@pytest.mark.parametrize("name", ["xiangqi", "connect6"])
def test_by_botzone(name: str, tmp_path: Path) -> None:
    """A game is kept that comes in one line, and whose last move is the opponent's."""
    words = WHOLE[name]
    turns = [botzone(name, word) for word in words]
    nothing = dict.fromkeys(turns[0], -1)
    with Client(json.dumps({"requests": [nothing], "responses": []})) as client:
        client.expect(lambda line: line.startswith(">>>"), START_TIMEOUT_S)
        whole = json.dumps({"requests": turns[::2], "responses": turns[1::2]})
        client.ask(f"setoption name RecordPath value {tmp_path}", whole, until=lambda line: "error" in line)
        client.ask("setoption name RecordPath value nowhere/at/all", until=lambda line: "RecordPath" in line)
    record = only_record(tmp_path, name)
    assert record.moves == tuple(words) and record.result == "1-0"


def test_ewn_by_botzone_has_a_log_but_no_record(tmp_path: Path) -> None:
    """There is no record, since the opponent's throws are unknown."""
    log, folder = tmp_path / "learn.jsonl", tmp_path / "records"
    folder.mkdir()
    setups = [{"setup": "123456"}, {"setup": "615243"}]
    nothing = {"setup": -1}
    with Client(json.dumps({"requests": [nothing], "responses": []})) as client:
        client.expect(lambda line: line.startswith(">>>"), START_TIMEOUT_S)
        client.send(f"setoption name RecordPath value {folder}", f"setoption name GameLog value {log}")
        moves = ["c5d4", "e3e4", "d4d3", "e4e5", "d3d2", "e2e3"]
        turns = [*setups, *({"source": move[:2], "target": move[2:]} for move in moves)]
        requests = [nothing, *({**turn, "dice": 1} for turn in turns[1::2])]
        requests[-1]["dice"] = 3
        line = json.dumps({"requests": requests, "responses": turns[::2], "time_limit": "0.1"})
        client.ask(line, until=lambda line: line.startswith(">>>"))
        client.close_input()
        client.rest()
        client.end()
        assert client.errors.count("option RecordPath: a game of ewn has no record: the throw of move 1") == 1
    (kept,) = map(json.loads, log.read_text().splitlines())
    assert kept["moves"][:-1] == ["123456", "615243", *moves] and kept["dice"] == [None] * 6 + [3]
    assert kept["end"] == "corner" and records_in(folder) == []


def test_ewn_by_myai_has_no_record(tmp_path: Path) -> None:
    """There is no record, since requests have a position and a throw, but not the moves between them."""
    with Client("name", "version", f"setoption name RecordPath value {tmp_path}") as client:
        client.ask("get R 1 A5 0 0 0 0 0 D4 0 0 0 0 0", until="D4", timeout_s=START_TIMEOUT_S)
        client.send("exit")
        client.rest()
        client.end()
        assert client.errors.count("option RecordPath: a game of ewn has no record: ") == 1
    assert records_in(tmp_path) == []


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("end", ["0", "1", "2"])
def test_junqi_by_its_referee(side: int, end: str, tmp_path: Path) -> None:
    """The referee's result counts, as no side sees the opponent's flag fall."""
    rng = random.Random(side)
    game = registry.load("junqi")
    position = game.position()
    assert isinstance(position, JunqiPosition)
    with Client("INFO 1.0", f"setoption name RecordPath value {tmp_path}", f"START {side} 1 31") as client:
        array = client.expect("ARRAY", START_TIMEOUT_S)[-1].split()[1]
        for word in (array, ARRAYS[1]) if side == 0 else (ARRAYS[0], array):
            position.push(position.parse_move(word))
        last = "0000 0 00"
        while position.outcome() is None and position.ply < 14:  # a flag is unlikely to fall so early
            if position.turn == side:
                word = turned(client.ask(f"GO {last}", until="BESTMOVE")[-1].split()[1], side)
                position.push(position.parse_move(word))
                client.send(f"RESULT {position.move_text(position.moves()[-1])[5]} {flag_of(position, 1 - side, side)}")
            else:
                position.push(rng.choice(position.legal_moves()))
                text = position.move_text(position.moves()[-1])
                last = f"{turned(text[:4], side)} {text[5]} {flag_of(position, 1 - side, side)}"
        client.send(f"END {end}", "END 1", "HELLO")
        client.expect("ERROR")
    outcome = position.outcome()
    assert outcome is None
    (path,) = records_in(tmp_path)
    record = read(path, "junqi")
    words = position.view_moves(side)
    if position.turn == side:  # the opponent's last move is not reported
        words.pop()
    flags = [word for word in record.moves if "@" in word]  # the referee repeats the flag's square in every line
    assert tuple(word if word in flags[:1] else word.partition("@")[0] for word in record.moves) == tuple(words)
    winner = 1 - side if end == "0" else side  # a 2 has no winner: the second END is the first that has one
    assert record.result == ("1-0", "0-1")[winner]
    assert (record.first, record.second) == (("Siqi", "?") if side == 0 else ("?", "Siqi"))


# Faults


def refused(make: Callable[[Path], object]) -> Any:
    return pytest.param(make, id=make.__name__)


def missing(path: Path) -> None:
    """Make no file."""


def fifo(path: Path) -> None:
    os.mkfifo(path)


def a_file(path: Path) -> None:
    path.write_text("mine")


def read_only(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    path.mkdir(mode=0o555)


@pytest.mark.parametrize("make", [refused(make) for make in (missing, fifo, a_file, read_only)])
def test_what_is_no_folder_is_refused(make: Callable[[Path], object], tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.mkdir()
    make(bad)
    with Client(f"setoption name RecordPath value {good}") as client:
        client.sync()
        (line,) = client.answers(f"setoption name RecordPath value {bad}")
        assert line.startswith("info string error option RecordPath: ") and line.endswith(f": {bad}")
        assert client.answers(f"position fen {MATE} moves a7a9") == []  # the earlier folder stays in use
    assert only_record(good, "xiangqi").moves == ("a7a9",)
    assert not bad.is_dir() or records_in(bad) == []


def test_a_folder_that_vanishes(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    with Client(f"setoption name RecordPath value {folder}") as client:
        client.sync()
        folder.rmdir()
        (line,) = client.answers(f"position fen {MATE} moves a7a9", "ucinewgame")
        assert line == f"info string warning option RecordPath: No such file or directory: {folder}"
        assert client.search(f"position fen {MATE}", "go depth 2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    program = f"{forked.limit_files(100)}from siqi.daemon.main import main; main()"
    with Client(f"setoption name RecordPath value {tmp_path}", program=program) as client:
        client.sync()
        (line,) = client.answers(f"position fen {MATE} moves a7a9", "ucinewgame")
        assert re.fullmatch(
            rf"info string warning option RecordPath: (File too large|No space left on device): {tmp_path}", line
        )
        assert client.search(f"position fen {MATE}", "go depth 2")
    assert list(tmp_path.iterdir()) == []


def test_two_daemons_write_into_one_folder(tmp_path: Path) -> None:
    """No file is replaced, whichever daemon comes first; files of other programs stay."""
    (tmp_path / "xiangqi-20200101-000000-1.pgn").write_text("mine")
    games = [f"position fen {MATE} moves a7a9", "ucinewgame"] * 10
    with (
        Client(f"setoption name RecordPath value {tmp_path}") as one,
        Client(f"setoption name RecordPath value {tmp_path}") as other,
    ):
        for client in (one, other):
            client.sync()
        for client in (one, other):
            client.send(*games, "isready")
        for client in (one, other):
            assert client.expect("readyok") == ["readyok"]
    paths = [path for path in records_in(tmp_path) if path.read_text() != "mine"]
    assert len(paths) == 20 and {read(path, "xiangqi").moves for path in paths} == {("a7a9",)}


def test_a_record_survives_a_kill(tmp_path: Path) -> None:
    with Client(f"setoption name RecordPath value {tmp_path}") as client:
        client.answers(f"position fen {MATE} moves a7a9")
        client.process.send_signal(signal.SIGKILL)
        client.process.wait(10)
    assert only_record(tmp_path, "xiangqi").result == "1-0"


def test_a_game_left_after_a_proven_mate(tmp_path: Path) -> None:
    with Client(f"setoption name RecordPath value {tmp_path}") as client:
        client.sync()
        client.search("position fen 4k4/9/1R7/R8/9/9/9/9/9/3K5 w", "go movetime 2000")
        assert any("score mate 2" in line for line in client.seen)
        client.send("quit")
        client.rest()
    record = only_record(tmp_path, "xiangqi")
    assert record.result == "1-0" and len(record.moves) == 1 and record.first == "Siqi"


def test_a_new_file_on_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(old: Path, new: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    path = tmp_path / "new"
    files.create_file(path, b"one")
    with pytest.raises(FileExistsError):
        files.create_file(path, b"two")
    assert path.read_bytes() == b"one" and list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_kept_games_are_analysed(tmp_path: Path) -> None:
    """Records are read by `siqi analyse`."""
    with Client("setoption name UCI_Variant value connect6", f"setoption name RecordPath value {tmp_path}") as client:
        client.answers("position startpos moves " + " ".join(WHOLE["connect6"]))
    (path,) = records_in(tmp_path)
    done = forked.run("analyse", "--from", "record", "--game", "connect6", "--nodes", "10", str(path))
    assert done.returncode == 0 and len(done.stdout.splitlines()) == len(WHOLE["connect6"]) + 1
