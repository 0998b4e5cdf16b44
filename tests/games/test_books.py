"""Books: their common format, opening books, the rule book, the games that GameLog keeps; unsound files."""

from __future__ import annotations

import json
import random
import signal
from pathlib import Path
from typing import Any

import forked
import pytest
from client import ROOT, Client
from fixture_files import damaged

from scripts.books import build_opening_books
from scripts.common.records import read_game_records

from naive.connect6 import points_of
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.search_job import SearchJob, SearchRequest
from siqi.games import registry
from siqi.games.books import book, opening
from siqi.games.books.book import BookFileError
from siqi.games.contract import Task
from siqi.games.kernel.control import Control
from siqi.games.xiangqi.knowledge import rulebook
from siqi.games.xiangqi.knowledge.intent import INTENTS
from siqi.games.xiangqi.knowledge.items import Item
from siqi.games.xiangqi.knowledge.replay import collect
from siqi.games.xiangqi.knowledge.rulebook import MinedRule, RuleBook
from siqi.games.xiangqi.knowledge.situation import SITUATIONS
from siqi.system.pipes import now_ns

GAMES = [
    {"moves": ["h2e2", "h9g7", "h0g2", "i9h9"], "result": "1-0"},
    {"moves": ["h2e2", "h9g7", "b0c2"], "result": "1-0"},
    {"moves": ["b2e2", "b9c7", "b0c2", "a9b9"], "result": "1/2-1/2"},  # the first, mirrored
    {"moves": ["c3c4", "h7e7", "h2e2"], "result": "0-1"},
]


def write_games(path: Path) -> Path:
    path.write_text("".join(json.dumps(game) + "\n" for game in GAMES))
    return path


# The container


def test_a_book_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    for payload in (b"", b"x", bytes(range(256)) * 300):
        book.write_book(path, "test", 3, {"source": "马"}, payload)
        read = book.open_book(path, "test", 3)
        assert read.payload.tobytes() == payload and read.about["source"] == "马"
    assert [p.name for p in tmp_path.iterdir()] == ["a.book"]


def test_unsound_books_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    book.write_book(path, "test", 3, {"source": "x"}, bytes(range(200)))
    data = path.read_bytes()
    for kind, version in (("other", 3), ("test", 4)):
        with pytest.raises(BookFileError, match=r"a\.book: [^\n]+$"):
            book.open_book(path, kind, version)
    with pytest.raises(BookFileError, match=r"missing\.book: No such file"):
        book.open_book(tmp_path / "missing.book", "test", 3)
    with pytest.raises(BookFileError, match="is a folder"):
        book.open_book(tmp_path, "test", 3)
    rng = random.Random(1)
    for _ in range(500):
        path.write_bytes(damaged(data, rng))
        with pytest.raises(BookFileError, match=r"a\.book: [^\n]+$"):
            book.open_book(path, "test", 3)


# Openings


def build_book(tmp_path: Path, *options: str) -> Path:
    path = tmp_path / "openings.book"
    arguments = [str(write_games(tmp_path / "games.jsonl")), "--out", str(path), "--min-games", "1", *options]
    assert forked.run(*arguments, program=ROOT / "scripts/books/build_opening_books.py").returncode == 0
    return path


@pytest.fixture(scope="module")
def own_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_book(tmp_path_factory.mktemp("own"))


def asked(game: Any, *words: str) -> dict[str, opening.OpeningMove]:
    """Return the entries of the user's book, by move, after these moves."""
    position = game.position()
    for word in words:
        position.push(position.parse_move(word))
    return {position.move_text(entry.move): entry for entry in game.knowledge.openings.moves(position)}


REPERTOIRE = """# a comment
h2e2 h9g7 h0g2 i9h9, 30  # a line
h2e2 b9c7, 10
g3g4 g6g5,5
c3c4 g6g5, 3

i0i1
h2e2 h9h1, 7
a0a2, 12345
b0c2, x
"""


def test_a_book_from_a_text_of_moves_and_weights(tmp_path: Path) -> None:
    text, path = tmp_path / "mine.txt", tmp_path / "mine.book"
    text.write_text(REPERTOIRE, encoding="utf-8")
    arguments = [str(text), "--out", str(path), "--min-games", "1"]
    done = forked.run(*arguments, program=ROOT / "scripts/books/build_opening_books.py")
    assert done.returncode == 0
    for fault in ("illegal move: h9h1", "mine.txt:9: not a weight from 1 to 10000: 12345", "mine.txt:10: not a weight"):
        assert fault in done.stderr.decode(), fault
    game = registry.load("xiangqi")
    game.set_option("BookFile", str(path))
    game.set_option("BookMinGames", "1")
    first = asked(game)
    assert {word: entry.games for word, entry in first.items()} == {"h2e2": 47, "g3g4": 8, "i0i1": 1}
    assert all(
        entry.weight == pytest.approx(entry.games / 56, abs=0.001) and entry.score == 0.5 for entry in first.values()
    )
    assert {word: entry.games for word, entry in asked(game, "h2e2").items()} == {"h9g7": 30, "b9c7": 10}
    assert {word: entry.games for word, entry in asked(game, "c3c4").items()} == {"g6g5": 3, "c6c5": 5}


def test_what_an_opening_book_says(own_book: Path) -> None:
    game = registry.load("xiangqi")
    game.set_option("BookFile", str(own_book))
    game.set_option("BookMinGames", "1")
    first = asked(game)
    assert set(first) == {"h2e2", "g3g4"}, "left and right are one, and the right stands for both"
    assert first["h2e2"].games == 3 and first["h2e2"].score == pytest.approx(2.5 / 3, abs=0.001)
    assert sum(entry.weight for entry in first.values()) == pytest.approx(1, abs=0.01)
    assert first["h2e2"].weight > 0.9
    assert asked(game, "h2e2")["h9g7"].games == 3
    assert asked(game, "b2e2")["b9c7"].games == 3, "the mirrored game has the mirrored answer"
    assert set(asked(game, "h2e2", "h9g7")) == {"h0g2", "b0c2"}
    game.set_option("BookMinGames", "2")
    assert set(asked(game)) == {"h2e2"}
    game.set_option("BookDepth", "1")
    assert asked(game) and not asked(game, "h2e2")


def test_weights_learn_from_the_best_replies() -> None:
    """A move with good results is not chosen once the book knows its refutation."""
    nodes = {key: build_opening_books.BookNode(()) for key in (1, 2, 3)}
    nodes[1].games, nodes[1].points, nodes[1].after = {10: 20, 11: 20}, {10: 14.0, 11: 11.0}, {10: 2, 11: 3}
    nodes[2].games, nodes[2].points, nodes[2].after = {20: 17, 21: 3}, {20: 3.5, 21: 3.0}, {20: 4, 21: 5}
    nodes[3].games, nodes[3].points, nodes[3].after = {30: 20}, {30: 9.0}, {30: 6}
    build_opening_books.learn(nodes)
    before = nodes[1].weights[10]
    assert before > 0.5
    nodes[2].games[21], nodes[2].points[21] = 300, 300.0
    build_opening_books.learn(nodes)
    assert nodes[1].weights[10] < 0.5 < nodes[1].weights[11]


def test_a_search_refuses_blunders() -> None:
    game = registry.load("xiangqi")
    position = game.position()
    line = []
    for word in ("h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7"):
        line.append(position.parse_move(word))
        position.push(line[-1])
    moves = [position.parse_move(word) for word in ("b0c2", "h0h7", "a0a1")]
    sound = build_opening_books.verify_position(build_opening_books.Work("xiangqi", tuple(line), moves, 3000, 120))
    assert moves[0] in sound and moves[1] not in sound, "h0h7 loses a rook for a cannon"


def test_choices_follow_the_weights_and_the_seed() -> None:
    moves = [opening.OpeningMove(move, 5, 0.5, weight) for move, weight in ((1, 0.7), (2, 0.3), (3, 0.0))]
    drawn = [opening.choose(moves, random.Random(seed)) for seed in range(400)]
    count = sum(entry is not None and entry.move == 1 for entry in drawn)
    assert 240 < count < 320
    assert all(entry is not None and entry.move != 3 for entry in drawn)
    assert opening.choose(moves[2:], random.Random(1)) is None
    assert opening.choose([], random.Random(1)) is None


def test_an_unsound_opening_book_is_refused(own_book: Path, tmp_path: Path) -> None:
    data = own_book.read_bytes()
    path = tmp_path / "bad.book"
    rng = random.Random(2)
    for _ in range(200):
        path.write_bytes(damaged(data, rng))
        with pytest.raises(BookFileError, match=r"bad\.book: [^\n]+$"):
            opening.OpeningBook(path, "xiangqi")
    with pytest.raises(BookFileError, match="xiangqi-openings, not connect6-openings"):
        opening.OpeningBook(own_book, "connect6")


def test_the_daemon_plays_from_the_book_only_under_a_clock(own_book: Path) -> None:
    with Client("setoption name OwnBook value true", f"setoption name BookFile value {own_book}") as client:
        client.send("setoption name BookMinGames value 1", "position startpos moves b2e2")
        client.send("go wtime 60000 btime 60000")
        answered = client.expect("bestmove")
        assert answered[-1] == "bestmove b9c7" and answered[-2].startswith("info string book opening b9c7 games 3")
        for go in ("go depth 1", "go nodes 100", "go wtime 1000 btime 1000 searchmoves a9a8"):
            client.send(go)
            assert not any("string book" in line for line in client.expect("bestmove"))
        client.send("position startpos moves a0a1", "go wtime 60000 btime 60000 depth 1")
        assert not any("string book" in line for line in client.expect("bestmove")), "not in the book"


def laid(word: str, way: int) -> str:
    """Return a turn under one of the board's eight symmetries: flipped left to right, then rotated by quarters."""
    points = []
    for place, rank in points_of(word):
        column, row = (18 - place if way >= 4 else place), rank - 1
        for _ in range(way % 4):
            column, row = row, 18 - column
        points.append((column, row))
    return "".join(f"{chr(97 + column)}{row + 1}" for column, row in sorted(points))


@pytest.mark.parametrize("line", [["j10"], ["j10", "i9k9"], ["j10", "i9i11", "g9i10"]])
def test_a_connect6_board_may_lie_in_eight_ways(line: list[str]) -> None:
    game = registry.load("connect6")
    books, keys = [], set()
    for way in range(8):
        position = game.position()
        for word in line:
            position.push(position.parse_move(laid(word, way)))
        keys.add(opening.opening_key(position)[0])
        asked = game.knowledge.openings.moves(position)
        assert len(asked) > 3 and all(position.is_legal(entry.move) for entry in asked)
        for symmetry in range(8):
            move = asked[0].move
            assert position.turned_back(position.turned(move, symmetry), symmetry) == move
        books.append((position, asked))
    assert len(keys) == 1
    # The turn played in each is the same up to the symmetry, if only one symmetry maps the boards onto each other.
    first = books[0][0].move_text(books[0][1][0].move)
    alike = {laid(first, way) for way in range(8)}
    assert all(position.move_text(asked[0].move) in alike for position, asked in books)


def test_connect6_is_opened_by_the_book_on_request_only() -> None:
    with Client("setoption name UCI_Variant value connect6") as client:
        client.send("position startpos", "go wtime 900000 btime 900000")
        assert client.expect("bestmove")[-2:] == ["info string book first stone", "bestmove j10"]
        client.send("position startpos moves j10", "go wtime 1000 btime 1000")
        assert not any("string book" in line for line in client.expect("bestmove"))
        client.send("setoption name OwnBook value true", "go wtime 60000 btime 60000")
        assert client.expect("bestmove")[-2].startswith("info string book opening ")


def test_a_bad_book_is_reported_once_and_play_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "bad.book"
    path.write_bytes(b"SIQIBOOK but not more")
    with Client("setoption name OwnBook value true", f"setoption name BookFile value {path}") as client:
        warnings = []
        for _ in range(2):
            client.send("position startpos moves a0a1 a9a8 a1a0 a8a9 a3a4", "go wtime 60000 btime 60000 depth 1")
            warnings += [line for line in client.expect("bestmove") if "warning" in line]
        assert warnings.count(f"info string warning {path}: damaged header") == 1


# Rules


def item(word: str, piece: int, captured: int = 0) -> Item:
    from siqi.games.xiangqi.rules.notation import parse_move

    move = parse_move(word)
    return Item(piece, captured, move & 127, move >> 7)


CANNON, RED_HORSE, BLACK_HORSE, BLACK_CANNON = 6, 4, 11, 13
RULES = [
    MinedRule((item("h2e2", CANNON),), 0, item("h9g7", BLACK_HORSE), 0, 900, 0.9, 1.2, 0.5),
    MinedRule((item("h2e2", CANNON),), 0, item("h7e7", BLACK_CANNON), 0, 100, 0.4, 1.1, 0.4),
    MinedRule((item("h2e2", CANNON), item("h9g7", BLACK_HORSE)), 0, item("h0g2", RED_HORSE), 0, 500, 0.7, 1.5, 0.6),
    MinedRule((), 1 << SITUATIONS.index("opening"), None, 1 << INTENTS.index("develop"), 50, 0.5, 2.0, 0.5),
]


def test_what_rules_fit(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    rulebook.write(path, {"source": "test"}, RULES)
    rules = RuleBook(path)
    assert rules.rules == RULES
    game = registry.load("xiangqi")

    def fitting(*words: str) -> list[set[str]]:
        position = game.position()
        for word in words:
            position.push(position.parse_move(word))
        return [set(map(position.move_text, fit.moves)) for fit in rules.fitting(position)]

    developing = {"b9a7", "b9c7", "h9g7", "h9i7", "a9a8", "a9a7", "i9i8", "i9i7"}
    assert fitting("h2e2") == [{"h9g7"}, developing, {"h7e7"}], "surest first"
    assert fitting("b2e2")[0] == {"b9c7"}, "mirrored"
    assert fitting("h2e2", "h9g7")[0] == {"h0g2"}
    assert fitting("a0a1", "h9g7", "h2e2", "a9a8") == [{"b0a2", "b0c2", "h0g2", "h0i2", "i0i1", "i0i2"}], (
        "no move of a rule came last"
    )
    position = game.position()
    assert rules.prepare(position) != 0


def test_experience_speaks_for_the_answers_of_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same search by terms scores the same move higher if a mined rule names it (the paper's t(n))."""
    path = tmp_path / "a.book"
    rulebook.write(path, {}, RULES)
    monkeypatch.setattr("siqi.games.xiangqi.knowledge.knowledge.RULE_BOOK", path)
    game = registry.load("xiangqi")
    game.set_option("Evaluation", "terms")
    game.set_option("TuneExperience", "20")
    position = game.position()
    position.push(position.parse_move("h2e2"))
    scores = []
    for value in ("true", "false"):
        game.set_option("UseRules", value)
        searcher = game.searcher()
        searcher.configure(1, 1, 1)
        searcher.start(Task(position, Control(), (position.parse_move("h9g7"),)))
        scores.append(searcher.iterate().lines[0].score.cp)
        searcher.finish()
    assert scores[0] > scores[1]


def test_an_unsound_rule_base_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.book"
    rulebook.write(path, {}, RULES)
    data = path.read_bytes()
    rng = random.Random(3)
    for _ in range(200):
        path.write_bytes(damaged(data, rng))
        with pytest.raises(BookFileError, match=r"bad\.book: [^\n]+$"):
            RuleBook(path)
    for payload in (b"", b"\xc1", b"\x93\x01\x02\x03"):
        book.write_book(path, rulebook.KIND, rulebook.VERSION, {}, payload)
        with pytest.raises(BookFileError, match=r"bad\.book: [^\n]+$"):
            RuleBook(path)
    for wrong in (Item(0, 0, 1, 2), Item(15, 0, 1, 2), Item(1, -1, 1, 2), Item(1, 0, 90, 2), Item(1, 0, 1, -1)):
        rulebook.write(path, {}, [MinedRule((wrong,), 0, item("h9g7", BLACK_HORSE), 0, 1, 1.0, 1.0, 1.0)])
        with pytest.raises(BookFileError, match="no such move"):
            RuleBook(path)


def test_rules_are_played_as_their_option_says() -> None:
    with Client("setoption name Seed value 1", "position startpos moves h2e2") as client:
        for value, plays in (("true", False), ("false", False), ("paper", True), ("checked", None)):
            client.send(f"setoption name UseRules value {value}", "go wtime 600000 btime 600000 depth 4")
            answered = client.expect("bestmove")
            said = any(line.startswith("info string book rule ") for line in answered)
            assert plays is None or said == plays, value
        client.send("setoption name UseRules value perhaps")
        assert "one of true false checked paper" in client.expect("info")[-1]


def test_a_bad_rule_is_not_played_when_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short search refutes the rule, which the paper's method would play and so lose a cannon."""
    path = tmp_path / "a.book"
    blunder = MinedRule((item("h2e2", CANNON),), 0, item("b7b0", BLACK_CANNON, 4), 0, 9, 1.0, 1.0, 0.5)
    rulebook.write(path, {}, [blunder])
    monkeypatch.setattr("siqi.games.xiangqi.knowledge.knowledge.RULE_BOOK", path)
    game = registry.load("xiangqi")
    searcher = game.searcher()
    searcher.configure(8, 1, 1)
    position = game.position()
    position.push(position.parse_move("h2e2"))
    for value in ("paper", "checked"):
        game.set_option("UseRules", value)
        limits = Limits(wtime=600_000, btime=600_000, depth=5)
        job = SearchJob(1, SearchRequest(game, searcher, position, (), limits), lambda event: None)
        job.begin(now_ns())
        answer = job.run()
        assert answer.move is not None
        assert (position.move_text(answer.move) == "b7b0") == (value == "paper")


def test_shipped_books_are_sound() -> None:
    """Each book is listed in siqi/books/README.md with its checksum."""
    import hashlib

    text = (ROOT / "siqi/books" / "README.md").read_text()
    shipped = [path for path in (ROOT / "siqi/books").rglob("*") if path.suffix in (".book", ".ending", ".network")]
    for path in shipped:
        if path.suffix in (".book", ".network"):
            assert hashlib.sha256(path.read_bytes()).hexdigest()[:16] in text, path.name
    total = sum(path.stat().st_size for path in shipped)
    assert total < 60 * 1_000_000


# Games kept


def test_a_kept_game_survives_a_kill_and_is_mined(tmp_path: Path) -> None:
    path = tmp_path / "learn.jsonl"
    with Client(f"setoption name GameLog value {path}", "setoption name UCI_Coordinates value 1") as client:
        client.send("position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w", "go movetime 20")
        best = client.expect("bestmove")[-1].split()[1]
        client.send(f"position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w moves {best}", "isready")
        client.expect("readyok")
        client.process.send_signal(signal.SIGKILL)
        client.process.wait(10)
    kept = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(kept) == 1 and kept[0]["moves"] == [best] and kept[0]["result"] == "1-0"
    games = collect(read_game_records(path, pytest.fail), 40, pytest.fail)
    assert len(games.plies) == 1 and games.winners.tolist() == [0]


def test_a_game_from_a_fen_is_kept_with_it_though_a_die_was_thrown(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Client("setoption name UCI_Variant value ewn", f"setoption name GameLog value {path}") as client:
        client.send("position fen 5/5/2e2/a4/3A1 f -", "dice 1", "go movetime 50")
        client.expect("bestmove")
        client.send("ucinewgame", "isready")
        client.expect("readyok")
    (kept,) = (json.loads(line) for line in path.read_text().splitlines())
    assert (kept["fen"], kept["moves"], kept["result"]) == ("5/5/2e2/a4/3A1 f -", ["d1e1"], "1-0")


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with Client() as client:
        client.send(f"setoption name GameLog value {tmp_path}")
        assert client.expect("info")[-1] == f"info string error option GameLog: is a folder: {tmp_path}"
