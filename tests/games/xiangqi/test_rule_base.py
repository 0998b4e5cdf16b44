"""Rule books by identity, and the user's rule books: the paper's numbers, `RuleFile`, a base that grows during play."""

from __future__ import annotations

import codecs
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from client import Client
from fixture_files import FIXTURES
from forked import limit_files
from samples import sampled

from siqi.daemon.engine import game_log
from siqi.games import registry
from siqi.games.books.book import BookFileError, write_book
from siqi.games.contract import is_learning_game
from siqi.games.xiangqi.knowledge import mining, rule_miner, rulebook
from siqi.games.xiangqi.knowledge.items import BY_IDENTITY, BY_KIND, NO_PIECE, Item, histories, items_played
from siqi.games.xiangqi.knowledge.knowledge import RULE_BOOK
from siqi.games.xiangqi.knowledge.mining import LEARNED, Mark
from siqi.games.xiangqi.knowledge.rulebook import MinedRule, RuleBook
from siqi.games.xiangqi.rules.notation import parse_move
from siqi.system.files import append_json_line

ROOK_7, ROOK_8, HORSE_21, CANNON_10 = 7, 8, 21, 10
"""The paper's numbers: Red's rooks a0 and i0, Black's horse b9, Red's cannon h2."""

BLACK_HORSE = 11
"""Its kind."""

GAME = registry.load("xiangqi")

SHORT_GAME = "h0g2 h7e7 b0c2 c6c5 g3g4 a6a5 a0a1 g6g5 g4g5 i9i8 g2f4 i8a8 h2g2 e7e8 g2g9".split(" ")  # noqa: SIM905
"""Red mates."""

OPENINGS = [line.split()[1:] for line in (FIXTURES / "xiangqi_openings.txt").read_text().splitlines()]

MINING_S = 300.0
"""Longest wait for a mining process, whose first run compiles."""


def item(word: str, piece: int, captured: int = NO_PIECE) -> Item:
    move = parse_move(word)
    return Item(piece, captured, move & 127, move >> 7)


def position_after(*words: str, fen: str | None = None) -> Any:
    position = GAME.position(fen)
    for word in words:
        position.push(position.parse_move(word))
    return position


def rule(after: Item, answer: Item, confidence: float = 0.9) -> MinedRule:
    return MinedRule((after,), 0, answer, 0, 5, confidence, 1.0, 0.5)


def keep(path: Path, *games: list[str]) -> None:
    """Add games to a file as `GameLog` does."""
    for words in games:
        append_json_line(
            path, json.dumps({"game": "xiangqi", "moves": words, "result": "1-0", "end": "checkmate"}), bool
        )


def learn(games: Path, rules: Path) -> list[str]:
    return mining.learn(games, rules, threading.Lock())


def test_a_byte_order_mark_is_skipped_and_other_lines_are_named(tmp_path: Path) -> None:
    games, rules = tmp_path / "games", tmp_path / "rules"
    keep(games, *[["h2e2", "h9g7"]] * 3)
    games.write_bytes(codecs.BOM_UTF8 + games.read_bytes() + b'{"game": "xiangqi"}\n')
    assert learn(games, rules) == [f"{games}: line 4: not a game as GameLog writes it; left out"]
    assert RuleBook(rules).about["games"] == 3
    assert game_log.owns(games.read_bytes())


# Identities


def test_pieces_have_the_papers_numbers() -> None:
    """Moves are numbered as in tables 1 and 3: files 1..9 from the left, ranks 1..10 from the top."""
    for word, piece in {
        "h2e2": 10, "b9c7": 21, "b0c2": 5, "i9i8": 24, "c3c4": 12, "b7b5": 25, "h0g2": 6, "h7e7": 26,
        "i0i1": 8, "h9g7": 22, "i6i5": 31, "a0a1": 7, "a9a8": 23, "e0e1": 0, "e9e8": 16, "d9e8": 17, "a3a4": 11,
    }.items():  # fmt: skip
        side = int(piece >= 16)
        played = items_played(position_after(*(["e0e1"] if side else []), word).record, BY_IDENTITY)
        assert played is not None and played[-1] == item(word, piece), word
    assert [BY_IDENTITY.mirrored[n] for n in (0, 1, 3, 5, 7, 9, 11, 12, 13, 16, 23, 31, NO_PIECE)] == [
        0, 2, 4, 6, 8, 10, 15, 14, 13, 16, 24, 27, NO_PIECE,
    ]  # fmt: skip


def test_identities_follow_the_pieces() -> None:
    """Identities in random games agree with a naive record of the pieces on each square."""
    for seed in range(5):
        rng, position = random.Random(seed), registry.load("xiangqi").position()
        start = items_played(position.record, BY_IDENTITY)
        assert start == []
        at = {square: BY_IDENTITY.number_of[position.record.board[square]] for square in range(90)}
        expected = []
        for _ in range(120):
            moves = position.legal_moves()
            if not moves:
                break
            move = rng.choice(moves)
            origin, target = move & 127, move >> 7
            expected.append(Item(at[origin], at[target], origin, target))
            at[target], at[origin] = at[origin], NO_PIECE
            position.push(move)
        assert items_played(position.record, BY_IDENTITY) == expected
        kinds = [Item(BY_IDENTITY.kinds[i.piece], BY_IDENTITY.kinds[i.captured], i.origin, i.target) for i in expected]
        assert items_played(position.record, BY_KIND) == kinds


def test_a_game_from_elsewhere_has_no_identities() -> None:
    position = position_after("i0i1", fen="rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w")
    assert items_played(position.record, BY_IDENTITY) is None
    assert list(histories(position.record, BY_IDENTITY)) == []
    assert items_played(position.record, BY_KIND) is not None


def test_rules_by_identity_tell_the_rooks_apart(tmp_path: Path) -> None:
    """Only a rule of the left rook answers for this rook when it stands on i0."""
    words = ["h0g2", "a9a8", "i0i1", "a8a9", "a0a1", "a9a8", "i1i2", "a8a9", "a1i1", "a9a8", "i1i0", "a8a9"]
    last = item("a8a9", 23)
    answers = [item("i0h0", ROOK_7), item("i0h0", ROOK_8)]
    rulebook.write(tmp_path / "a.book", {"items": "identity"}, [rule(last, answer) for answer in answers])
    book = RuleBook(tmp_path / "a.book")
    position = position_after(*words)  # the rook that began at a0 stands on i0
    assert [fit.rule.answer for fit in book.fitting(position)] == answers[:1]
    assert book.prepare(position) != 0
    rulebook.write(tmp_path / "b.book", {"items": "identity"}, [rule(last, answers[1])])
    assert RuleBook(tmp_path / "b.book").prepare(position) == 0
    rook = item("i0h0", 5, 0)
    rulebook.write(tmp_path / "c.book", {}, [rule(item("a8a9", 12, 0), rook)])
    assert [fit.rule.answer for fit in RuleBook(tmp_path / "c.book").fitting(position)] == [rook]


def test_a_mirrored_game_exchanges_identities(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    rulebook.write(path, {"items": "identity"}, [rule(item("h2e2", CANNON_10), item("b9c7", HORSE_21))])
    book = RuleBook(path)
    for words, answer in ((("h2e2",), "b9c7"), (("b2e2",), "h9g7")):
        position = position_after(*words)
        (fit,) = book.fitting(position)
        assert position.move_text(fit.moves[0]) == answer
        assert book.prepare(position) != 0
        key = parse_move(words[0]) | fit.moves[0] << 14 | BLACK_HORSE << 28  # by kind, as the search asks
        assert key in book._record["key"][0].tolist()


@pytest.mark.parametrize(
    "about",
    [
        {"items": "colour"},
        {"items": ["kind"]},
        {"parameters": {"plies": -1}},
        {"parameters": {"plies": "x"}},
        {"parameters": 3},
    ],
)
def test_headers_that_cannot_be(about: dict[str, object], tmp_path: Path) -> None:
    rulebook.write(tmp_path / "a.book", about, [])
    with pytest.raises(BookFileError, match="damaged header"):
        RuleBook(tmp_path / "a.book")


def test_numbers_of_the_other_numbering_are_refused(tmp_path: Path) -> None:
    rulebook.write(tmp_path / "a.book", {}, [rule(item("h2e2", CANNON_10), item("b9c7", HORSE_21))])
    with pytest.raises(BookFileError, match="no such move"):
        RuleBook(tmp_path / "a.book")


# UseRules paper, RuleFile


def test_the_paper_draws_uniformly_among_the_rules_that_fit(tmp_path: Path) -> None:
    answers = {"h9g7": (22, 0.95), "b9c7": (21, 0.5), "h7e7": (26, 0.31)}
    rules = [rule(item("h2e2", CANNON_10), item(word, piece), sure) for word, (piece, sure) in answers.items()]
    rulebook.write(tmp_path / "a.book", {"items": "identity"}, rules)
    game, rng = registry.load("xiangqi"), random.Random(1)
    game.set_option("RuleFile", str(tmp_path / "a.book"))
    position = position_after("h2e2")
    drawn = {}
    for use in ("paper", "checked"):
        game.set_option("UseRules", use)
        suggested = [game.suggest(position, rng) for _ in range(3000)]
        drawn[use] = Counter(position.move_text(s.move) for s in suggested if s)
    assert all(abs(drawn["paper"][word] - 1000) < 120 for word in answers), drawn  # 4.6 standard deviations
    assert drawn["checked"]["h9g7"] > 1500, "by confidence"


def test_a_rule_file_is_used_in_place_of_the_shipped_book(tmp_path: Path) -> None:
    path = tmp_path / "own.book"
    rulebook.write(
        path, {"items": "identity", "parameters": {"plies": 0}}, [rule(item("h2e2", CANNON_10), item("b9c7", HORSE_21))]
    )
    warnings: list[str] = []
    game = registry.load("xiangqi", warnings.append)
    position = position_after("h2e2")
    shipped = game.consult(position)
    game.set_option("RuleFile", str(path))
    assert [line.text for line in game.consult(position) if line.text.startswith("rule")] == [
        "rule b9c7 games 5 confidence 90.0% lift 1.00 score 50.0% after h2e2"
    ]
    game.set_option("RuleFile", "")
    assert game.consult(position) == shipped and warnings == []
    for content in (b"nothing", RULE_BOOK.read_bytes()[:-1]):
        path.write_bytes(content)
        game.set_option("RuleFile", str(path))
        assert len(warnings) == 1 and warnings.pop().startswith(f"{path}: ")
        assert game.consult(position) == shipped, "the shipped book stays in use"
        assert path.read_bytes() == content
        game.set_option("RuleFile", "")


def test_games_share_the_shipped_rules_and_not_what_a_search_prepares() -> None:
    books = [registry.load("xiangqi").knowledge._rules for _ in range(2)]  # type: ignore[attr-defined]
    assert books[0].rules is books[1].rules and books[0]._lookup is not books[1]._lookup
    addresses = {book.prepare(position_after("h2e2")) for book in books}
    assert len(addresses) == 2 and 0 not in addresses


def test_rules_of_whole_games_answer_late(tmp_path: Path) -> None:
    shuffle = ["a0a1", "a9a8", "a1a0", "a8a9"]
    position = position_after(*["i3i4", "i6i5", "a3a4", "a6a5"], *shuffle[:2])
    for _ in range(11):
        for word in ("a1a2", "a8a7", "a2a1", "a7a8"):
            position.push(position.parse_move(word))
    rules = [rule(item("a7a8", 23), item("a1a2", ROOK_7))]
    game = registry.load("xiangqi")
    for plies, fits in ((0, True), (40, False), (60, True)):
        rulebook.write(tmp_path / f"{plies}.book", {"items": "identity", "parameters": {"plies": plies}}, rules)
        game.set_option("RuleFile", str(tmp_path / f"{plies}.book"))
        assert any(line.text.startswith("rule a1a2") for line in game.consult(position)) == fits, plies


# The rule base that grows


def test_a_learned_rule_counts_games_as_the_formulas_say(tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    keep(games, *OPENINGS[:40])
    assert learn(games, rules) == []
    book = RuleBook(rules)
    assert book.numbering is BY_IDENTITY and book.plies == 0 and book.about["games"] == 40
    sequences = []
    for words in OPENINGS[:40]:
        position = position_after(*words)
        ((past, _), *_) = histories(position.record, BY_IDENTITY)
        sequences.append(past)
    assert len(book.rules) > 20
    for rule in book.rules:
        (before,), answer = rule.after, rule.answer
        assert answer is not None
        both = sum(before in past and answer in past[past.index(before) + 1 :] for past in sequences)
        asked = sum(before in past for past in sequences)
        share = sum(answer in past for past in sequences) / 40
        assert rule.games == both >= LEARNED.least
        assert rule.confidence == pytest.approx(both / asked) and rule.confidence >= LEARNED.confidence
        assert rule.lift == pytest.approx(both / asked / share) and rule.score == 1.0 - rule.answer.piece // 16


def test_no_game_counts_twice_and_none_is_lost(tmp_path: Path) -> None:
    games, rules, at_once = tmp_path / "games.jsonl", tmp_path / "rules.book", tmp_path / "all.book"
    for number in range(0, 30, 10):
        keep(games, *OPENINGS[number : number + 10])
        before = games.read_bytes()
        for _ in range(2):
            assert learn(games, rules) == []
        written = rules.stat()
        assert learn(games, rules) == [] and rules.stat() == written, "nothing is new"
        assert games.read_bytes() == before
    learn(games, at_once)
    assert rules.read_bytes() == at_once.read_bytes()
    assert RuleBook(rules).about["learned"]["games"] == 30


def test_lines_of_no_use_are_named_once(tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    keep(games, *OPENINGS[:3], ["h2e2", "a0a9"], OPENINGS[3])
    fen = {
        "game": "xiangqi",
        "moves": ["a7a9"],
        "result": "1-0",
        "end": "checkmate",
        "fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w",
    }
    other = {"game": "ewn", "moves": ["123456"], "result": "1-0", "end": "goal"}
    ranks = {"game": "xiangqi", "moves": ["h3e3"], "result": "1-0", "end": "x", "options": {"UCI_Coordinates": "1"}}
    with games.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in (fen, other, ranks)) + "{broken\n")
        file.write('{"game": "xiangqi", "moves": ["h2e2"')
    lines = learn(games, rules)
    assert lines == [
        f"{games}: line 4: game 4: illegal move: a0a9; left out (2 games in all)",
        f"{games}: the last line is cut short; its game is left out",
    ]
    assert RuleBook(rules).about["games"] == 5
    assert learn(games, rules) == lines[1:]
    keep(games, OPENINGS[4])  # mends the last line
    assert learn(games, rules) == [] and RuleBook(rules).about["games"] == 6


def test_only_a_learned_base_is_rewritten(tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    keep(games, *OPENINGS[:5])
    mined = tmp_path / "mined.book"
    rulebook.write(mined, {"items": "identity"}, [])
    forged = tmp_path / "forged.book"
    write_book(forged, "xiangqi-openings", 1, {"learned": {}}, b"")
    for foreign, content in ((rules, b"a text\n"), (mined, None), (forged, None)):
        if content is not None:
            foreign.write_bytes(content)
        before = foreign.read_bytes()
        with pytest.raises(OSError, match="is another kind of file, left as it is"):
            learn(games, foreign)
        assert foreign.read_bytes() == before
    rules.unlink()
    learn(games, rules)
    before = rules.read_bytes()
    other = tmp_path / "other.jsonl"
    keep(other, *OPENINGS[5:12])
    with pytest.raises(BookFileError, match="was mined from other games than those in"):
        learn(other, rules)
    rules.write_bytes(before[:-1])
    with pytest.raises(BookFileError, match="truncated"):
        learn(games, rules)
    assert rules.read_bytes() == before[:-1]


def test_two_processes_do_not_mine_at_once(tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    keep(games, *OPENINGS[:5])
    with mining.open_to_replace(rules, mining.is_learned):
        with pytest.raises(OSError, match="is being written by another process"):
            learn(games, rules)
        (line,) = rule_miner.mine(rule_miner.MiningJob(str(games), str(rules)), nice=0)
        assert line == f"{rules}: is being written by another process"
    assert learn(games, rules) == []


@pytest.mark.long
@sampled("kills", 3, 7)
def test_a_kill_at_any_point_loses_nothing(tmp_path: Path, kills: int) -> None:
    games, rules, expected = tmp_path / "games.jsonl", tmp_path / "rules.book", tmp_path / "expected.book"
    keep(games, *OPENINGS * 20)
    kept = games.read_bytes()
    learn(games, expected)  # compiles
    code = rule_miner._CODE.format(nice=0, path=sys.path)
    started = time.monotonic()
    rule_miner.mine(rule_miner.MiningJob(str(games), str(tmp_path / "timed.book")), nice=0)
    whole_s = time.monotonic() - started
    killed = 0
    for step in range(kills):
        process = subprocess.Popen([sys.executable, "-c", code, str(games), str(rules)], stdin=subprocess.PIPE)
        time.sleep(whole_s * step / (kills - 1))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert games.read_bytes() == kept
        if rules.exists() and rules.stat().st_size:
            assert rules.read_bytes() == expected.read_bytes(), "whole or not at all"
    assert killed >= kills // 2
    assert rule_miner.mine(rule_miner.MiningJob(str(games), str(rules)), nice=0) == []
    assert rules.read_bytes() == expected.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
@pytest.mark.parametrize("is_new", [False, True])
def test_on_a_full_disk_the_rules_stay_as_they_were(
    is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules stay if the mining process cannot write more than a few bytes."""
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    keep(games, *OPENINGS[:5])
    if not is_new:
        learn(games, rules)
    before = rules.read_bytes() if rules.exists() else b""
    keep(games, *OPENINGS[5:10])
    with monkeypatch.context() as patched:
        patched.setattr(rule_miner, "_CODE", limit_files(100) + rule_miner._CODE)
        (line,) = rule_miner.mine(rule_miner.MiningJob(str(games), str(rules)), nice=0)
    assert line.startswith(f"{rules}") and "File too large" in line
    assert (rules.read_bytes() if rules.exists() else b"") == before
    assert {path.name for path in tmp_path.iterdir()} <= {games.name, rules.name}
    assert learn(games, rules) == [] and RuleBook(rules).about["games"] == 10


def test_mining_ends_with_the_daemon(tmp_path: Path) -> None:
    """A process whose standard input ends stops, and leaves no file behind."""
    games = tmp_path / "games.jsonl"
    keep(games, *OPENINGS)
    code = rule_miner._CODE.format(nice=0, path=sys.path)
    process = subprocess.Popen([sys.executable, "-c", code, str(games), str(tmp_path / "r")], stdin=subprocess.DEVNULL)
    assert process.wait(MINING_S) in (0, 1)
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_mark_is_of_a_prefix() -> None:
    import zlib

    mark = Mark(3, zlib.crc32(b"abc"), 1)
    assert mark.fits(b"abc") and mark.fits(b"abcd") and not mark.fits(b"ab") and not mark.fits(b"abd")


# The loop in the daemon

AT_NORMAL_PRIORITY = (
    "from siqi.games.xiangqi.knowledge import rule_miner; rule_miner.mine.__defaults__ = (0,);"
    "from siqi.daemon.main import main; main()"
)
"""The program, with mining that does not wait until the other tests leave a core idle."""


def base_of(path: Path) -> dict[str, object]:
    """Return the mark of a rule base, {} if there is none yet."""
    try:
        return dict(RuleBook(path).about["learned"])
    except BookFileError:
        return {}


def wait_for_games(path: Path, games: int) -> None:
    deadline = time.monotonic() + MINING_S
    while base_of(path).get("games") != games:
        assert time.monotonic() < deadline, base_of(path)
        time.sleep(0.05)


def is_rule(line: str) -> bool:
    return line.startswith("book rule ")


def options_for(games: Path, rules: Path) -> tuple[str, ...]:
    return (
        "setoption name MineRules value true",
        f"setoption name RuleFile value {rules}",
        f"setoption name GameLog value {games}",
    )


@pytest.mark.long
def test_a_game_played_is_mined_and_its_rules_are_played(tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    setup = (*options_for(games, rules), "setoption name UseRules value paper")
    with Client(*setup, program=AT_NORMAL_PRIORITY) as client:
        client.sync()
        for number in range(1, 4):
            client.send("ucinewgame", f"position startpos moves {' '.join(SHORT_GAME)}")
            client.sync()
            wait_for_games(rules, number)
        time.sleep(1.0)  # the daemon reads it after the process has ended
        client.send("ucinewgame", "position startpos moves h0g2")
        lines = client.ask("book", until=is_rule)
        assert lines[-1] == "book rule h7e7 games 3 confidence 100.0% lift 1.00 score 0.0% after h0g2"
        answered = client.ask("go wtime 60000 btime 60000", until="bestmove")
        assert any(line.startswith("info string book rule ") and " games 3 " in line for line in answered)
        assert not any("warning" in line for line in client.seen), client.seen
    kept = games.read_bytes()
    assert kept.count(b"\n") == 3
    with Client(f"setoption name RuleFile value {rules}", "position startpos moves h0g2") as client:
        assert "games 3" in client.ask("book", until=is_rule)[-1], "a later start reads the file"
    assert games.read_bytes() == kept


def test_games_of_a_daemon_that_was_killed_are_mined_by_the_next(tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    with Client(*options_for(games, rules), program=AT_NORMAL_PRIORITY) as client:
        client.sync()
        wait_for_games(rules, 0)
        client.send(f"position startpos moves {' '.join(SHORT_GAME)}", "isready")
        client.expect("readyok")
        client.process.send_signal(signal.SIGKILL)
        client.process.wait(10)
    assert games.read_bytes().count(b"\n") == 1
    with Client(*options_for(games, rules), program=AT_NORMAL_PRIORITY) as client:
        client.sync()
        wait_for_games(rules, 1)


@pytest.mark.long
def test_no_move_waits_for_the_mining(tmp_path: Path) -> None:
    """Moves stay fast while hundreds of games are mined; the bound is coarse, since the machine may be busy."""
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    lines = [json.dumps({"game": "xiangqi", "moves": words, "result": "1-0", "end": "x"}) for words in OPENINGS * 30]
    games.write_text("\n".join(lines) + "\n")
    with Client(*options_for(games, rules)) as client:
        client.sync()
        slowest = beside = 0.0
        for number in range(60):
            is_mining = base_of(rules).get("games") != len(lines)
            if number >= 5 and not is_mining:
                break
            started = time.monotonic()
            client.search("position startpos", "go movetime 100")
            if is_mining:
                beside += 1
                slowest = max(slowest, time.monotonic() - started)
        assert beside > 0 and slowest < 2, (beside, slowest)
        wait_for_games(rules, len(lines))


@pytest.mark.parametrize("fault", ["foreign", "folder", "other games", "unnamed"])
def test_a_fault_of_the_loop_is_one_line(fault: str, tmp_path: Path) -> None:
    games, rules = tmp_path / "games.jsonl", tmp_path / "rules.book"
    expected = {
        "foreign": f"{rules}: is another kind of file, left as it is",
        "folder": f"{rules}: is a folder",
        "other games": f"{rules}: was mined from other games than those in {games}, left as it is",
        "unnamed": "option MineRules: RuleFile names no file for the rules",
    }[fault]
    if fault == "foreign":
        rulebook.write(rules, {}, [])
    elif fault == "folder":
        rules.mkdir()
    elif fault == "other games":
        keep(tmp_path / "other.jsonl", *OPENINGS[:5])
        learn(tmp_path / "other.jsonl", rules)
    before = rules.read_bytes() if rules.is_file() else b""
    options = [line for line in options_for(games, rules) if fault != "unnamed" or "RuleFile" not in line]
    with Client(*options, program=AT_NORMAL_PRIORITY) as client:
        client.sync()
        for _ in range(2):
            client.send(f"position startpos moves {' '.join(SHORT_GAME)}", "ucinewgame")
            client.sync()
        wanted = f"info string warning {expected}"
        if wanted not in client.seen:
            client.expect(lambda line: line == wanted, MINING_S)
        time.sleep(0.5)
        client.sync()
        warnings = [line for line in client.seen if "warning" in line and "kernels" not in line]
        # A folder is refused as rules to play by and as rules to write; a missing name at each game.
        assert set(warnings) == {wanted} and len(warnings) <= {"folder": 2, "unnamed": 3}.get(fault, 1)
    assert games.read_bytes().count(b"\n") == 2
    assert (rules.read_bytes() if rules.is_file() else b"") == before


def test_only_xiangqi_learns() -> None:
    assert [name for name in registry.NAMES if registry.info(name).learns] == ["xiangqi"]
    assert is_learning_game(registry.load("xiangqi"))
