"""`siqi review`: judgements with known values, a page safe from texts of a game, interrupted runs."""

from __future__ import annotations

import json
import random
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from forked import ForkedProcess, limit_files
from game_trees import random_game
from pytest import CaptureFixture
from review_games import CONNECT6, XIANGQI, junqi, write_games

import siqi
from siqi.daemon.analysis.run import RunSettings
from siqi.daemon.command_line import run
from siqi.daemon.review import assess
from siqi.daemon.review.engine import HEAD, Chance, Finding, FoundLine, finding_of, lengthen
from siqi.daemon.review.games import ReviewedGame
from siqi.daemon.review.page import is_page, source
from siqi.daemon.review.pictures import differences
from siqi.daemon.review.standings import points_of
from siqi.game_files import save_games
from siqi.games import registry
from siqi.games.contract import TablebaseResult
from siqi.games.game_record import GameRecord
from siqi.games.xiangqi.knowledge import rulebook
from siqi.games.xiangqi.knowledge.intent import INTENTS
from siqi.games.xiangqi.knowledge.items import Item
from siqi.games.xiangqi.knowledge.openings import formations
from siqi.games.xiangqi.knowledge.rulebook import MinedRule

SETTINGS = RunSettings(nodes=100)
NODES = ("--nodes", "300")


def review(*arguments: object) -> int:
    return run(["review", *map(str, arguments)])


def data_of(page: Path) -> dict[str, Any]:
    """Return the data of a page."""
    text = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S
    )
    assert text is not None
    data: dict[str, Any] = json.loads(text[1])
    return data


def judged(game: ReviewedGame, findings: Sequence[dict[str, Any]]) -> tuple[list[assess.Ply], assess.GameCourse]:
    """Return the judgement of a game from findings by ply."""
    course = assess.course(game, registry.load(game.game))
    asked = assess.positions(game, course, SETTINGS)
    by_key = {request.key: Finding(request.key, **finding) for request, finding in zip(asked, findings, strict=False)}
    assert len({request.key for request in asked}) == len(asked)  # different positions have different keys
    return assess.assess(game, course, asked, by_key), course


def value(win: float, *moves: str, throw: int = 0) -> FoundLine:
    return FoundLine(Chance(win), moves, throw)


def finding(win: float, *lines: FoundLine) -> dict[str, Any]:
    return {"value": Chance(win), "lines": lines or (value(win, "a0a1"),)}


def test_lost_chances_and_their_grades() -> None:
    """A move is judged by the values before and after it; the engine's own move loses nothing."""
    game = ReviewedGame("xiangqi", GameRecord(("h2e2", "h9g7", "h0g2", "i9h9", "i0h0")), "moves")
    wins = [0.50, 0.55, 0.60, 0.50, 0.3001, 0.4]
    findings = [finding(win) for win in wins]
    findings[2] = finding(0.60, value(0.60, "h0g2"))  # the move played
    plies, course = judged(game, findings)
    assert [ply.before for ply in plies] == pytest.approx([0.50, 0.45, 0.60, 0.50, 0.3001, 0.6])
    assert [ply.lost for ply in plies] == pytest.approx([0, 0.05, 0.15, 0, 0, 0])
    assert [ply.grade for ply in plies] == [0, 1, 2, 0, 0, 0]
    first, second = assess.summaries(game, course, plies)
    assert (first.moves, first.grades) == (3, (1, 0, 0)) and first.lost == pytest.approx(0.05 / 3)
    assert (second.moves, second.grades) == (2, (0, 1, 0)) and second.lost == pytest.approx(0.075)


@pytest.mark.parametrize(
    ("lost", "shown", "grade"),
    [
        (0.0494, 0.049, 0), (0.0495, 0.05, 1), (0.0504, 0.05, 1),
        (0.0994, 0.099, 1), (0.0995, 0.1, 2), (0.1049, 0.1, 2), (0.105, 0.11, 2),
        (0.1949, 0.19, 2), (0.195, 0.2, 3), (0.1996, 0.2, 3), (0.2, 0.2, 3), (0.2049, 0.2, 3), (1, 1, 3),
    ],
)  # fmt: skip
def test_a_loss_has_the_grade_of_what_is_shown(lost: float, shown: float, grade: int) -> None:
    """A loss of 19.6 % is shown as 20 %, and has the same grade as one of 20.4 %."""
    game = ReviewedGame("connect6", GameRecord(("j10",)), "moves")
    plies, course = judged(game, [finding(1.0), finding(lost, value(lost, "i9i10"))])
    assert plies[1].lost == pytest.approx(lost) and plies[1].grade == grade
    assert assess.shown_loss(plies[1].lost) == shown
    grades = assess.summaries(game, course, plies)[0].grades
    assert grades == tuple(int(i == grade) for i in (1, 2, 3))


def test_the_end_on_the_board_is_worth_its_result() -> None:
    """The end of a game is not searched, whatever the search before it reported."""
    mate = ReviewedGame("xiangqi", GameRecord(("a7a9",), fen="3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1"), "moves")
    course = assess.course(mate, registry.load("xiangqi"))
    assert course.outcomes[-1] is not None
    assert len(assess.positions(mate, course, SETTINGS)) == 1
    plies, _ = judged(mate, [finding(0.6)])
    assert plies[-1].before == 1.0 and plies[-1].lost == 0


def test_a_game_that_is_over_is_worth_its_result_though_it_continued() -> None:
    """Whatever a search reports after the third occurrence, the game is drawn there."""
    again = ReviewedGame("xiangqi", GameRecord((*["h2e2", "h9g7", "e2h2", "g7h9"] * 2, "b0c2")), "moves")
    plies, course = judged(again, [finding(0.9 if ply % 2 == 0 else 0.1) for ply in range(10)])
    assert str(course.outcomes[8]) == "draw repetition"
    assert (plies[8].before, plies[8].line) == (0.5, None) and plies[9].lost == 0
    assert plies[8].grade == 0 and plies[7].before == 0.9


THROWS = {throw: 0.3 + throw / 20 for throw in range(1, 7)}


def ewn_finding(shift: float, *played: str) -> dict[str, Any]:
    """Return a finding before the throw: its value is the mean over the throws."""
    lines = [value(chance + shift, *(played or ("a1a1",)), throw=throw) for throw, chance in THROWS.items()]
    return finding(sum(line.value.expected for line in lines) / 6, *lines)


def test_luck_and_skill_add_up() -> None:
    setups, moves = ("123456", "615243"), ("a4b4", "c1b2", "a3b2")
    game = ReviewedGame("ewn", GameRecord((*setups, *moves), (4, 5, 6)), "moves")
    findings = [ewn_finding(0.0), ewn_finding(0.1, "c1b2"), ewn_finding(-0.1), ewn_finding(0.0)]
    plies, course = judged(game, findings)
    mean = sum(THROWS.values()) / 6
    assert [ply.before for ply in plies] == pytest.approx([mean, 1 - mean - 0.1, mean - 0.1, 1 - mean])
    assert plies[0].after == pytest.approx(THROWS[4]) and plies[1].after == pytest.approx(1 - THROWS[5] - 0.1)
    assert plies[1].lost == pytest.approx(THROWS[4] - (1 - mean - 0.1))
    assert plies[2].lost == 0  # the engine's move, though the next search sees it otherwise
    first, second = assess.summaries(game, course, plies)
    assert first.luck == pytest.approx(THROWS[4] - mean + THROWS[6] - mean)
    assert second.luck == pytest.approx(THROWS[5] - mean)
    assert first.skill == pytest.approx(1 - mean - 0.1 - THROWS[4] + 1 - mean - (THROWS[6] - 0.1))
    change = 1 - mean - mean
    assert first.luck + first.skill - second.luck - second.skill == pytest.approx(change)


def test_a_throw_that_is_not_known_is_neither_luck_nor_skill() -> None:
    game = ReviewedGame("ewn", GameRecord(("123456", "615243", "a4b4", "c1b2"), (0, 5)), "moves")
    plies, course = judged(game, [ewn_finding(0.0), ewn_finding(0.1), ewn_finding(0.0)])
    first, second = assess.summaries(game, course, plies)
    assert (first.luck, first.skill) == (0, 0) and plies[1].lost == 0
    assert first.unknown - second.luck - second.skill == pytest.approx(plies[2].before - plies[0].before)  # type: ignore[operator]


def test_junqi_is_judged_from_the_mover_s_view() -> None:
    """The values of the best move and of the one played are of one search, since the next one knows other pieces."""
    words = junqi().split("\t")
    moves = tuple(f"{word[:4]}={word[4:]}" for word in words[5].split())
    game = ReviewedGame("junqi", GameRecord((words[3], words[4], *moves)), "log")
    course = assess.course(game, registry.load("junqi"))
    assert course.views is not None
    asked = assess.positions(game, course, SETTINGS)
    for ply, request in enumerate(asked):
        assert request.query.moves[ply % 2] == words[3 + ply % 2] and request.query.moves[1 - ply % 2] == "?"
        assert request.turn == ply + 2
    played = [finding(0.5, value(0.6, "A0A1"), value(0.45, "G2F2")), finding(0.9, value(0.9, "A0A1"))]
    plies, _ = judged(game, played)
    assert plies[1].lost == pytest.approx(0.15) and plies[1].grade == 2
    assert plies[1].before == pytest.approx(0.1) and plies[2].lost == 0


def test_chances_of_scores() -> None:
    answer = {
        "played": "G2F2=1",
        "lines": [
            {"score": {"cp": 1, "win": 0.5, "draw": 0.25, "expected": 0.625}, "pv": ["G0H1"]},
            {"score": {"mate": -3}, "pv": ["K4J3"]},
            {"score": {"mate": 2, "win": 0.7}, "pv": ["G2F2"]},
        ],
        "book": ["pattern x", "endgame win in 12 plies"],
        "ending": {"result": "win", "plies": 12},
    }
    finding = finding_of("key", answer)
    assert [line.value.expected for line in finding.lines] == [0.625, 1.0] and finding.value == finding.lines[0].value
    assert finding.lines[1].value.mate == 2
    assert finding.ending == TablebaseResult("win", 12)
    assert msgspec.json.decode(msgspec.json.encode(finding), type=Finding) == finding


def test_a_review_and_an_analysis_have_one_value_by_one_name(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    """The page's value is the answer's `expected`, and no text of the page calls it by the name of `win`."""
    assert review("startpos", "-o", tmp_path / "a.html", "--nodes", 2000, "--threads", 1, "--hash", 16) == 0
    shown = data_of(tmp_path / "a.html")["games"][0]["plies"][0]["v"]
    capsys.readouterr()
    (tmp_path / "a.fen").write_text("startpos\n")
    assert run(["analyse", str(tmp_path / "a.fen"), "--nodes", "2000"]) == 0
    score = json.loads(capsys.readouterr().out)["lines"][0]["score"]
    assert score["expected"] == shown != score["win"]
    texts = source("page.js").split("const TEXTS")[1].split("const SIGNS")[0]
    assert not re.search(r"chance to win(?! plus)|胜率(?!加上|恰为)", texts)


def test_a_line_keeps_the_moves_of_earlier_iterations() -> None:
    lines = [{"pv": ["a"]}, {"pv": ["b", "c"]}]
    lengthen(lines, [["a", "x", "y"], ["b", "d", "e"]])
    assert [line["pv"] for line in lines] == [["a", "x", "y"], ["b", "c"]]


def test_only_the_line_of_a_mate_is_kept_whole() -> None:
    pv = [f"a{i % 10}b{i % 10}" for i in range(30)]
    lines = [{"score": {"mate": 15}, "pv": pv}, {"score": {"cp": 1, "expected": 0.5}, "pv": pv}]
    actual = [finding_of("key", {"lines": [line]}).lines[0].moves for line in lines]
    assert [len(moves) for moves in actual] == [30, 10]


def test_a_verdict_that_the_next_search_takes_back_is_in_doubt() -> None:
    """A blunder is in doubt if the search after the engine's own answer finds that it was none."""
    game = ReviewedGame("xiangqi", GameRecord(("h2e2", "h9g7", "h0g2")), "moves")
    wins = [0.50, 0.75, 0.49, 0.5]  # the mover's view: the first move seems to lose 25 %, then nothing
    findings = [finding(win) for win in wins]
    findings[1] = finding(0.75, value(0.75, "h9g7"))
    plies, _ = judged(game, findings)
    assert plies[1].grade == 3 and plies[1].is_unsure
    assert assess.doubt_of(game, plies, 0) == (0, 1, 2000)
    findings[2] = finding(0.25)  # it is confirmed
    plies, _ = judged(game, findings)
    assert plies[1].grade == 3 and not plies[1].is_unsure and assess.doubt_of(game, plies, 500) is None
    findings[1] = finding(0.75, value(0.75, "b9c7"))  # another answer: not known
    findings[2] = finding(0.49)
    assert not judged(game, findings)[0][1].is_unsure


def test_shallow_searches_are_reported() -> None:
    game = ReviewedGame("xiangqi", GameRecord(("h2e2", "h9g7")), "moves")
    for depth in (2, 7, 8, 20):
        plies, _ = judged(game, [finding(0.5) | {"depth": depth} for _ in range(3)])
        assert assess.doubt_of(game, plies, 700) == (None if depth >= 8 else (depth, 0, 2800))
    proven = finding(1.0, FoundLine(Chance(1.0, 1), ("a0a1",))) | {"depth": 1}
    plies, _ = judged(game, [proven] * 3)
    assert assess.doubt_of(game, plies, 0) is None  # a mate in one needs no depth


def moves_of(words: str, fen: str = "") -> assess.GameCourse:
    game = ReviewedGame("xiangqi", GameRecord(tuple(words.split()), fen=fen), "moves")
    return assess.course(game, registry.load("xiangqi"))


SCREEN = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7"
MIRROR = str.maketrans("abcdefghi", "ihgfedcba")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("h2e2", "中炮局"),
        (SCREEN, "中炮对屏风马"),
        ("b0c2 b9c7 h2e2 h9g7", "中炮对屏风马"),  # by transposition
        (f"{SCREEN} c3c4 g6g5 h0h6", "中炮过河车对屏风马"),
        (f"{SCREEN} g3g4 c6c5 b0a2 a6a5 b2c2", "五七炮对屏风马"),
        ("h2e2 b9c7 h0g2 h7f7 i0h0 h9g7", "中炮对反宫马"),
        ("h2e2 h9g7 h0g2 i9h9 i0h0 h7i7", "中炮对左三步虎"),
        ("h2e2 h7e7", "顺炮局"),
        ("h2e2 h7e7 h0g2 h9g7 i0h0 i9i8", "顺炮直车对横车"),
        ("h2e2 b7e7", "列炮局"),
        ("c3c4", "仙人指路局"),
        ("c3c4 b7c7", "仙人指路对卒底炮"),
        ("c3c4 g6g5", "对兵局"),
        ("g0e2", "飞相局"),
        ("g0e2 g9e7", "顺相局"),
        ("g0e2 h7d7", "飞相对左过宫炮"),
        ("h2d2", "过宫炮局"),
        ("h2f2", "士角炮局"),
        ("h0g2", "起马局"),
    ],
)
def test_openings_have_names(words: str, name: str) -> None:
    for turned in (words, words.translate(MIRROR)):
        opening = moves_of(turned).opening
        assert opening is not None and opening.chinese == name and opening.english.isascii()
        assert opening.ply <= len(words.split())


def test_not_every_game_has_an_opening() -> None:
    start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
    assert moves_of("a3a4").opening is None and moves_of("").opening is None
    course = moves_of("h2e2", start)  # some files write the start position out
    assert course.opening is not None and not course.is_set_up
    course = moves_of("h2e2", start.replace("RNBAKABNR", "RNBAKAB1R"))  # an odds game
    assert course.opening is None and course.is_set_up
    late = moves_of("a0a1 a9a8 a1a0 a8a9 " * 2 + "h2e2")  # not an opening any more
    assert late.opening is None


def test_named_openings_are_those_of_the_first_moves() -> None:
    """Each piece of the table stands on its point at the start, and is of the named side."""
    board = siqi.Board()
    table = formations()
    assert len(table) > 60 and len({(formation.red, formation.black) for formation in table}) == len(table)
    for formation in table:
        for moves, side in ((formation.red, siqi.RED), (formation.black, siqi.BLACK)):
            pieces = [board.piece_at(siqi.parse_square(move[:2])) for move in moves]
            assert all(piece is not None and piece.color == side for piece in pieces), formation
        assert not re.search("[A-Za-z]", formation.chinese)


def test_frames_are_kept_as_their_differences() -> None:
    rng = random.Random(4)
    frames = [[rng.randrange(9) for _ in range(rng.randrange(12))] for _ in range(200)]
    old: list[int] = []
    for frame, changes in zip(frames, differences(frames), strict=True):
        new, done, at = [], 0, 0
        while at < len(changes):
            place, removed, count = changes[at : at + 3]
            new += [*old[done:place], *changes[at + 3 : at + 3 + count]]
            done, at = place + removed, at + 3 + count
        old = new + old[done:]
        assert old == frame


# Pages


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a game of each kind."""
    folder = tmp_path_factory.mktemp("page")
    files = write_games(folder)
    assert review(*files.values(), "-o", folder / "review.html", *NODES) == 0
    assert not list(folder.glob("*.partial"))
    return folder / "review.html"


def test_a_page_has_all_games_and_their_moves(page: Path) -> None:
    data = data_of(page)
    assert [game["game"] for game in data["games"]] == list(registry.NAMES)
    xiangqi, connect6, ewn, _ = data["games"]
    assert xiangqi["first"] == "胡" and xiangqi["event"] == "Cup </script><b>" and xiangqi["result"] == "0-1"
    assert [data["words"][ply["w"]] for ply in xiangqi["plies"][1:3]] == [
        ["炮二平五", "炮二平五", "C2.5", "H2-E2"],
        ["马８进７", "马８进７", "H8+7", "H9-G7"],
    ]
    assert xiangqi["plies"][17]["c"] == "坏棋"
    assert len(connect6["plies"]) == 13 and connect6["plies"][-1]["o"] == ["second", "six"]
    assert [ply["t"] for ply in ewn["plies"][1:4]] == [4, 5, 6] and ewn["plies"][-1]["v"] == 1
    for game in data["games"]:
        assert all(0 <= ply["v"] <= 1 for ply in game["plies"])


def test_a_page_has_the_position_of_each_ply(page: Path) -> None:
    for game in data_of(page)["games"]:
        rules = registry.load(game["game"])
        fens = [ply["p"] for ply in game["plies"]]
        assert len(set(fens)) == len(fens) and all(rules.position(fen).fen() == fen for fen in fens)


def test_the_verdicts_of_a_page_are_in_its_pgn(tmp_path: Path) -> None:
    """The file's comments stay; notes of an earlier review are replaced."""
    path = tmp_path / "a.pgn"
    path.write_text('[Event "x"]\n\n1. C2.5 H8+7 {mine} 2. C5+4 H7+5 3. H2+3 P3+1 *\n', encoding="utf-8")
    texts = []
    for _ in range(2):
        assert review(path, "--nodes", "3000") == 0
        (game,) = data_of(tmp_path / "a.html")["games"]
        texts.append(game["pgn"])
        path.write_text(game["pgn"], encoding="utf-8")
    assert texts[0] == texts[1] and "{mine}" in texts[0]
    grades = {1: "inaccuracy", 2: "mistake", 3: "blunder"}
    wanted = [f"{{Siqi {grades[ply['k']]} -{100 * ply['l']:.0f}%" for ply in game["plies"] if "k" in ply]
    actual = [text for text in re.findall(r"\{[^|}]*", texts[0]) if "%/" not in text and text != "{mine"]
    assert actual == wanted != []
    assert len(re.findall(r"\d+%/\d+ [CHRAEKP+-]", texts[0])) == len(wanted)
    assert "pgn" not in data_of(page_of_ewn(tmp_path))["games"][0]


def page_of_ewn(folder: Path) -> Path:
    assert review("startpos moves 123456 615243", "--game", "ewn", "-o", folder / "ewn.html", *NODES) == 0
    return folder / "ewn.html"


def test_luck_and_skill_of_a_page_add_up(page: Path) -> None:
    ewn = data_of(page)["games"][2]
    first, second = ewn["sums"]
    change = ewn["plies"][-1]["v"] - ewn["plies"][0]["v"]
    parts = [sum(side[name] for name in ("luck", "skill", "unknown")) for side in (first, second)]
    assert parts[0] - parts[1] == pytest.approx(change, abs=0.0005)
    assert abs(first["luck"]) + abs(second["luck"]) > 0.01


def test_the_pictures_of_a_page_are_those_of_the_positions(page: Path) -> None:
    """Frames, combined as by the page, are the pictures of the positions, from both sides of the board."""
    data = data_of(page)
    shapes = data["boards"]["xiangqi"]["shapes"]
    board, frame = siqi.Board(), []
    for ply in data["games"][0]["plies"]:
        if "w" in ply:
            board.push_san(data["words"][ply["w"]][1])
        (changes,) = ply["f"]
        new, done, at = [], 0, 0
        while at < len(changes):
            new += [*frame[done : changes[at]], *changes[at + 3 : at + 3 + changes[at + 2]]]
            done, at = changes[at] + changes[at + 1], at + 3 + changes[at + 2]
        frame = new + frame[done:]
        arrows = {"arrows": ()}
        for way, flipped in enumerate((False, True)):
            drawn = siqi.picture(board, flipped=flipped, **arrows)  # type: ignore[arg-type]
            live = [shapes[way][number] for number in frame if "arrow" not in shapes[way][number]]
            assert "".join(live) in drawn
    assert len(frame) > 20


def test_junqi_s_views_hide_what_they_should(page: Path) -> None:
    data = data_of(page)
    game = data["games"][3]
    assert game["views"] == ["all", "first", "second"] and game["seen"] == "view"
    shapes = data["boards"]["junqi"]["shapes"][0]
    known = []
    for view in range(3):
        (changes,) = [game["plies"][0]["f"][view]]
        text = "".join(shapes[number] for number in changes[3:])
        known.append([len(re.findall(rf'href="#siqi-jq-{side}c[a-l]"', text)) for side in "rb"])
    assert known == [[25, 25], [25, 0], [0, 25]]


def test_no_text_of_a_game_can_leave_its_place(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert html.count("<script") == 2 and html.count("</script") == 2
    assert "<b>" not in html and "<img" not in html and "\u2028" not in html
    assert html.count("http") == html.count("http://www.w3.org/2000/svg") + html.count("http-equiv")
    assert "default-src 'none'" in html and "SIQI_" not in html
    comment = data_of(page)["games"][0]["plies"][1]["c"]
    assert comment.startswith("<img src=x onerror=alert(1)> <!-- <script>")


def test_names_that_turn_the_line_round_are_isolated(tmp_path: Path) -> None:
    """Names, events, comments and names of files close all that they open; other texts are unchanged."""
    games = '[Red "\u202eder"]\n[Black "\u2069\u202cx"]\n[Event "\u05d0\u05d1"]\n\n1. C2.5 {\u2067c} *\n'
    path = tmp_path / "\u202eelif.pgn"
    path.write_text(games + games.replace("\u202eder", "Ann"), encoding="utf-8")
    assert review(path, "-o", tmp_path / "a.html", *NODES) == 0
    data = data_of(tmp_path / "a.html")
    first, second = data["games"]
    assert (first["first"], first["second"]) == ("\u2068\u202eder\u202c\u2069", "\u2068x\u2069")
    assert first["event"] == "\u2068\u05d0\u05d1\u2069" and second["first"] == "Ann"
    assert first["plies"][1]["c"] == "\u2068\u2067c\u2069\u2069" and "\u2068\u202eelif.pgn" in first["place"]
    assert {row["name"] for row in data["players"]} == {"Ann", "\u2068x\u2069", "\u2068\u202eder\u202c\u2069"}
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>\u2068\u202eder\u202c\u2069 - \u2068x\u2069 (+1)</title>" in html


def test_a_tag_cannot_fill_in_a_part_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text('[Red "__SIQI_DATA__</title>"]\n[Black "__SIQI_SCRIPT__"]\n\n1. C2.5 *\n')
    assert review(tmp_path / "a.pgn", "-o", tmp_path / "a.html", *NODES) == 0
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>__SIQI_DATA__&lt;/title&gt; - __SIQI_SCRIPT__</title>" in html
    assert data_of(tmp_path / "a.html")["games"][0]["first"] == "__SIQI_DATA__</title>"


def test_the_line_of_a_tablebase_goes_to_the_end(tmp_path: Path) -> None:
    """All moves to the end are shown, the number in the verdict: with the winner to move, and then the loser."""
    moves = ""
    for verdict in (["win", 25], ["loss", 24]):
        fen = "4ka3/P4C3/9/9/9/9/9/9/9/5K3 w"
        assert review(f"fen {fen}{moves}", "-o", tmp_path / "a.html", *NODES) == 0
        data = data_of(tmp_path / "a.html")
        last = data["games"][0]["plies"][-1]
        assert last["e"] == verdict and verdict[1] == len(last["b"]["w"]) == len(last["b"]["f"][0])
        board = siqi.Board(fen)
        for move in moves.split()[1:]:
            board.push_uci(move)
        words = [data["words"][number] for number in last["b"]["w"]]
        moves = f" moves {words[0][3].replace('-', '').lower()}"
        for word in words:
            board.push_san(word[1])
        assert board.is_checkmate() or board.is_stalemate()


def test_opening_books_are_counted(page: Path) -> None:
    data = data_of(page)
    xiangqi, connect6, ewn, junqi_game = data["games"]
    first = xiangqi["plies"][0]["s"]
    game = registry.load("xiangqi")
    moves = [line.move for line in game.consult(game.position()) if line.move is not None]
    shown = {(games, f"{score:.1%}") for _, games, score in first}
    assert {(move.games, f"{move.score:.1%}") for move in moves} >= shown
    assert first[0][1] == max(move.games for move in moves) and len(first) > 2
    assert [games for _, games, _ in first] == sorted((games for _, games, _ in first), reverse=True)
    in_book = ["s" in ply for ply in xiangqi["plies"]]
    assert in_book == sorted(in_book, reverse=True) and 2 < sum(in_book) < len(in_book)
    assert data["words"][first[0][0]][1] == "炮二平五"
    assert "s" in connect6["plies"][0]
    assert not any("s" in ply for game in (ewn, junqi_game) for ply in game["plies"])
    assert xiangqi["opening"] == {"zh": "中炮对左炮封车转列炮", "en": xiangqi["opening"]["en"], "ply": 8}
    assert not any("opening" in game for game in (connect6, ewn, junqi_game))


def test_a_rule_of_the_base_explains_a_move(page: Path, tmp_path: Path) -> None:
    plies = data_of(page)["games"][0]["plies"]
    assert "r" not in plies[0] and 3 < sum("r" in ply for ply in plies) < len(plies)
    share, count, is_of_positions, intents = plies[2]["r"]  # the shipped base, 马8进7
    assert share > 0.3 and count > 1000 and is_of_positions in (0, 1) and "develop" in intents
    for words, answers in (("h2e2 b9c7", True), ("b2e2 h9g7", True), ("h2e2 h9g7", False), ("h2e2", False)):
        rule = MinedRule((Item(10, 32, 25, 22),), 0, Item(21, 32, 82, 65), 0, 930, 0.93, 1.1, 0.5)
        rulebook.write(tmp_path / "own.rules", {"items": "identity"}, [rule])
        own = ("--option", f"RuleFile={tmp_path / 'own.rules'}", "-o", tmp_path / "a.html", *NODES)
        assert review(f"startpos moves {words}", *own) == 0
        last = data_of(tmp_path / "a.html")["games"][0]["plies"][-1]
        assert last.get("r") == ([0.93, 1000, 0, ["develop"]] if answers else None), words
    names = source("words.js").split("const INTENTS = {")[1].split("};")[0]
    assert re.findall(r"'?([a-z][a-z ]*)'?: '", names) == [*INTENTS]
    assert not any("r" in ply for game in data_of(page)["games"][1:] for ply in game["plies"])


def test_parts_that_a_game_has_not_have_no_names(page: Path, tmp_path: Path) -> None:
    games = data_of(page)["games"]
    assert [game["parts"] for game in games] == [[], ["threats", "heat"], [], ["beliefs"]]
    words = junqi().split("\t")
    assert review(f"startpos moves {words[3]} ?", "--game", "junqi", "-o", tmp_path / "a.html", *NODES) == 0
    view = data_of(tmp_path / "a.html")["games"][0]
    assert (view["seen"], view["parts"], view["views"]) == ("view", ["beliefs"], ["all"])
    position = registry.load("junqi").position()
    for word in words[3:5]:
        position.push(position.parse_move(word))
    assert review(f"fen {position.fen()}", "--game", "junqi", "-o", tmp_path / "a.html", *NODES) == 0
    whole = data_of(tmp_path / "a.html")["games"][0]
    assert (whole["seen"], whole["parts"], whole["setUp"]) == ("all", [], True)


def test_the_margin_has_the_files_of_chinese_moves(page: Path, tmp_path: Path) -> None:
    data = data_of(page)
    assert data["games"][0]["own"] == "chinese" and "own" not in data["games"][1]
    board = data["boards"]["xiangqi"]
    for way in range(2):
        plain, numerals = board["backgrounds"][way][0], board["numerals"][way][0]
        used = [re.findall(r'href="#siqi-([0-9a-f]+)"', part) for part in (plain, numerals)]
        letters, numbers = (
            [chr(int(code, 16)) for code in part if chr(int(code, 16)) not in "楚河漢界"] for part in used
        )
        assert letters == [*"abcdefghi", *"0123456789"]
        assert numbers == [*"九八七六五四三二一", *"123456789"]
    html = page.read_text(encoding="utf-8")
    assert all(f'id="siqi-{ord(sign):x}"' in html for sign in "九八七六五四三二一a0")
    (tmp_path / "a.pgn").write_text('[Game "Chinese Chess"]\n[Format "ICCS"]\n\n1. H2-E2 *\n')
    assert review(tmp_path / "a.pgn", "-o", tmp_path / "a.html", *NODES) == 0
    assert data_of(tmp_path / "a.html")["games"][0]["own"] == "iccs"


def test_several_games_have_a_table_of_players(tmp_path: Path) -> None:
    names = [("A", "B", "1-0"), ("B", "A", "1/2-1/2"), ("A", "", "*"), ("?", "C", "0-1")]
    text = "\n".join(
        f'[Red "{red}"]\n[Black "{black}"]\n[Result "{result}"]\n\n1. C2.5 h8+7 {result}\n'
        for red, black, result in names
    )
    (tmp_path / "a.pgn").write_text(text)
    assert review(tmp_path / "a.pgn", "-o", tmp_path / "a.html", *NODES) == 0
    data = data_of(tmp_path / "a.html")
    rows = {(row["name"], row["side"]): row for row in data["players"]}
    assert [(row["name"], row["side"]) for row in data["players"]] == [("C", 0), ("A", 0), ("B", 0), ("", 0), ("", 1)]
    assert {key: (row["games"], row["points"], row["scored"], row["moves"]) for key, row in rows.items()} == {
        ("A", 0): ([0, 1, 2], 1.5, 2, 3),
        ("B", 0): ([0, 1], 0.5, 2, 2),
        ("C", 0): ([3], 1, 1, 1),
        ("", 0): ([3], 0, 1, 1),
        ("", 1): ([2], 0, 0, 1),
    }
    for side in (0, 1):
        played = [game["sums"][side] for game in data["games"]]
        assert sum(side["grades"][2] for side in played) <= sum(row["grades"][2] for row in rows.values())
    a = [data["games"][number]["sums"][side] for number, side in ((0, 0), (1, 1), (2, 0))]
    assert rows["A", 0]["lost"] == pytest.approx(sum(side["lost"] for side in a) / 3, abs=1e-4)
    assert rows["A", 0]["grades"] == [sum(side["grades"][i] for side in a) for i in range(3)]
    assert review(tmp_path / "a.pgn", "-o", tmp_path / "a.html", *NODES, "--number", "1") == 0
    assert "players" not in data_of(tmp_path / "a.html")


def test_the_result_of_a_game_may_be_on_the_board() -> None:
    mate = ReviewedGame("xiangqi", GameRecord(("a7a9",), fen="3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1"), "moves")
    course = assess.course(mate, registry.load("xiangqi"))
    assert points_of(mate, course) == 1
    drawn = mate._replace(record=mate.record._replace(result="1/2-1/2"))
    assert points_of(drawn, course) == 0.5


def test_verdicts_of_tablebases_and_rules(tmp_path: Path) -> None:
    """Verdicts are Xiangqi's distance to mate, EWN's exact chances, and a repetition although the game continued."""
    rook = "fen 3k5/9/9/9/9/9/9/9/9/R3K4 w moves a0a9"
    assert review(rook, "-o", tmp_path / "a.html", *NODES) == 0
    win, loss = data_of(tmp_path / "a.html")["games"][0]["plies"]
    assert win["e"] == ["win", 1] and loss["e"] == ["loss", 4] and win["v"] == 1
    few = "fen A4/1B3/5/3b1/4c f - moves a5b5 d2c3"
    assert review(few, "--game", "ewn", "-o", tmp_path / "a.html", *NODES) == 0
    game = data_of(tmp_path / "a.html")["games"][0]
    exact = [(ply, shown["e"]) for ply, shown in enumerate(game["plies"]) if "e" in shown]
    assert len(exact) == 3
    for ply, (kind, chance) in exact:
        mover = (game["turn"] + ply) % 2
        assert kind == "chance" and abs(game["plies"][ply]["v"] - abs(mover - chance)) < 0.0002
    again = "startpos moves" + " h2e2 h9g7 e2h2 g7h9" * 2 + " b0c2"
    assert review(again, "-o", tmp_path / "a.html", *NODES) == 0
    plies = data_of(tmp_path / "a.html")["games"][0]["plies"]
    assert plies[8]["o"] == ["draw", "repetition"] and "o" not in plies[7] and plies[-1]["d"] > 0
    assert plies[8]["v"] == 0.5 and not {"b", "e"} & plies[8].keys()  # its result, and no search's value or line


def test_a_composition_with_pawns_behind_their_start_rank_is_reviewed(tmp_path: Path) -> None:
    words = "fen 3k1p3/4P4/9/9/6CCR/3n4c/2Pn5/8B/5p3/4K4 w - - 0 1 moves g5g9 f9f8 h5h9"
    assert review(words, "-o", tmp_path / "a.html", "--nodes", "1000") == 0  # the mate is found with 400
    plies = data_of(tmp_path / "a.html")["games"][0]["plies"]
    assert [shown["v"] for shown in plies] == [1, 1, 1, 1] and plies[0]["m"] == 2
    assert plies[-1]["o"] == ["first", "checkmate"] and not any("k" in shown for shown in plies)


def test_an_xqf_file_and_the_words_of_a_position(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    save_games(tmp_path / "a.XQF", [random_game(random.Random(2), from_fen=True)], "xqf")
    start = "startpos moves h2e2 h9g7 h0g2"
    assert review(tmp_path / "a.XQF", start, "-o", tmp_path / "a.html", *NODES, "--threads", "1") == 0
    data = data_of(tmp_path / "a.html")
    assert [game["place"] for game in data["games"]] == [str(tmp_path / "a.XQF"), "moves"]
    assert [data["words"][ply["w"]][0] for ply in data["games"][1]["plies"][1:]] == ["炮二平五", "马８进７", "马二进三"]
    assert "2 games" in capsys.readouterr().err
    assert review(tmp_path / "a.XQF", start, "-o", tmp_path / "a.html", *NODES, "--number", 2) == 0
    assert len(data_of(tmp_path / "a.html")["games"]) == 1
    assert review("3k5/1R7/R8/9/9/9/9/9/9/4K4 w moves a7a8", "-o", tmp_path / "a.html", *NODES) == 0
    assert len(data_of(tmp_path / "a.html")["games"][0]["plies"]) == 2


def test_a_folder_stands_for_its_games(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "cup/final").mkdir(parents=True)
    for name in ("a.pgn", "final/b.pgn"):
        (tmp_path / "cup" / name).write_text("1. C2.5 *\n")
    (tmp_path / "cup/notes.md").write_text("no game")
    assert review(tmp_path / "cup", "-o", tmp_path / "a.html", *NODES) == 0
    assert len(data_of(tmp_path / "a.html")["games"]) == 2
    assert "left out: 1" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert review(tmp_path / "empty", "-o", tmp_path / "b.html", *NODES) == 2


def test_a_fault_in_a_game_is_reported_and_the_rest_shown(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "c6.txt").write_text(CONNECT6.replace("B(J,8);B(J,9)", "B(J,10);B(J,9)"), encoding="utf-8")
    assert review(tmp_path / "c6.txt", "-o", tmp_path / "a.html", *NODES) == 1
    assert "game 1: move 3" in capsys.readouterr().err
    assert len(data_of(tmp_path / "a.html")["games"][0]["plies"]) == 3


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (["b.pgn", "-o", "a.html"], 1, "No such file"),
        (["a.pgn", "-o", "x/a.html"], 2, "No such file"),
        (["a.pgn", "-o", "a.pgn"], 2, "is another kind of file"),
        (["a.pgn", "-o", "b.html"], 1, "b.html.partial: is another kind of file"),
        (["a.pgn", "-o", "startpos moves h2e2"], 2, "a page has a name that ends in .html or .htm"),
        (["a.pgn", "-o", "a.html", "--number", "2"], 2, "there is 1 game"),
        (["a.pgn", "-o", "a.html", "--encoding", "x"], 2, "no such encoding"),
        (["a.pgn", "-o", "a.html", "--from", "x"], 2, "no such format"),
        (["startpos moves h2h2", "-o", "a.html"], 1, "illegal move"),
        (["startpos x", "-o", "a.html"], 1, "unexpected x"),
        (["empty", "-o", "a.html"], 2, "not a format"),
        (["not there.pgn"], 1, "siqi review: not there.pgn: No such file or directory"),
    ],
)
def test_refusals_change_nothing(
    arguments: list[str], status: int, line: str, tmp_path: Path, capsys: CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    contents = {"a.pgn": XIANGQI.encode(), "empty": b"", "b.html.partial": b'{"siqi":"else"}\n'}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    returned = review(*arguments, *NODES)
    if line == "illegal move":  # a fault: what comes before it is shown
        assert returned == 1 and line in capsys.readouterr().err
        return
    error = capsys.readouterr().err
    assert returned == status and line in error and len(error.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == contents


def test_a_refused_cluster_leaves_nothing(
    tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier run has found stays."""
    from siqi.daemon.cluster.errors import ClusterError

    def refuse(*arguments: object) -> None:
        raise ClusterError("no workers")

    monkeypatch.setattr("siqi.daemon.review.command.find", refuse)
    (tmp_path / "a.pgn").write_text(XIANGQI, encoding="utf-8")
    command = [tmp_path / "a.pgn", "-o", tmp_path / "a.html", "--cluster", "tcp://127.0.0.1:1"]
    assert review(*command, *NODES) == 2 and capsys.readouterr().err == "siqi review: no workers\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.pgn"]
    partial = tmp_path / "a.html.partial"
    content = HEAD + b'{"key":"1234"}\n'
    partial.write_bytes(content)
    assert review(*command, *NODES) == 2 and partial.read_bytes() == content


def test_a_page_is_replaced_only_if_it_is_ours(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(XIANGQI, encoding="utf-8")
    page = tmp_path / "a.html"
    page.write_text("<!doctype html>\n<p>mine")
    assert review(tmp_path / "a.pgn", "-o", page, *NODES) == 2
    assert page.read_text() == "<!doctype html>\n<p>mine" and len(list(tmp_path.iterdir())) == 2
    page.unlink()
    for _ in range(2):
        assert review(tmp_path / "a.pgn", "-o", page, *NODES) == 0
        assert is_page(page.read_bytes())


def test_a_single_file_gives_the_page_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.b.pgn").write_text(XIANGQI, encoding="utf-8")
    assert review(tmp_path / "a.b.pgn", *NODES) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.b.html", "a.b.pgn"]
    (tmp_path / "a.b.html").write_text("mine")
    assert review(tmp_path / "a.b.pgn", *NODES) == 2
    assert (tmp_path / "a.b.html").read_text() == "mine"


def test_both_languages_have_every_text() -> None:
    script = source("page.js")
    table = script.split("const TEXTS = {")[1].split("\n  };")[0]
    english, chinese = (re.sub(r"'[^']*'", "''", part) for part in table.split("zh: {"))
    keys = [re.findall(r"([\w-]+|''): ?['\[]", part.partition("en: {")[2] or part) for part in (english, chinese)]
    assert keys[0] == keys[1] and len(keys[0]) > 3
    texts = set(re.findall(r"(\w+): '", table))
    used = set(re.findall(r"say\('(\w+)'", script)) | set(
        re.findall(r'data-(?:text|label)="(\w+)"', source("page.html"))
    )
    assert used <= texts | {"grade"} and len(used) > 40


# Interrupted runs


def started(folder: Path, *more: str, limit: int = 0) -> ForkedProcess:
    """Start a review in its own process; `limit`: most bytes of a file, as on a full disk."""
    code = "from siqi.daemon.main import main; main()"
    if limit:
        code = limit_files(limit) + code
    return ForkedProcess(folder, "review", "a.pgn", "-o", "a.html", *more, program=code)


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    nodes = ("--nodes", "20000")
    (tmp_path / "a.pgn").write_text(XIANGQI, encoding="utf-8")
    whole = tmp_path / "whole.html"
    assert review(tmp_path / "a.pgn", "-o", whole, *nodes) == 0
    partial = tmp_path / "a.html.partial"
    process = started(tmp_path, *nodes)
    deadline = time.monotonic() + 60
    while not (partial.exists() and partial.read_bytes().count(b"\n") > 4):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    done = partial.read_bytes().count(b"\n") - 1
    assert 3 < done < 19 and not (tmp_path / "a.html").exists()
    partial.write_bytes(partial.read_bytes() + b'{"key":"12')  # killed within a line
    process = started(tmp_path, *nodes)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0 and not partial.exists()
    assert (
        f"that an earlier run has analysed: {done}".encode() in error and f"of {19 - done} positions".encode() in error
    )
    pages = [path.read_text(encoding="utf-8").replace(str(tmp_path) + "/", "") for path in (whole, tmp_path / "a.html")]
    assert pages[0] == pages[1]


def test_findings_of_other_settings_are_not_used(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text(XIANGQI, encoding="utf-8")
    partial = tmp_path / "a.html.partial"
    game = ReviewedGame("xiangqi", GameRecord(("h2e2",)), "")
    course = assess.course(game, registry.load("xiangqi"))
    keys = [
        assess.positions(game, course, settings)[0].key
        for settings in (
            SETTINGS,
            SETTINGS._replace(nodes=101),
            SETTINGS._replace(nodes=0, depth=3),
            SETTINGS._replace(threads=2),
            SETTINGS._replace(hash_mb=32),
        )
    ]
    assert len(set(keys)) == 5
    wrong = b'{"key":"%s","value":{"expected":0.123}}\n' % keys[1].encode()
    partial.write_bytes(HEAD + wrong)
    assert review(tmp_path / "a.pgn", "-o", tmp_path / "a.html", *NODES) == 0
    assert "earlier run" not in capsys.readouterr().err
    assert all(ply.get("v") != 0.123 for ply in data_of(tmp_path / "a.html")["games"][0]["plies"])


@pytest.mark.parametrize(("limit", "line"), [(200, b"No space left on device"), (6000, b"a.html: File too large")])
def test_a_full_disk_ends_the_run_with_one_line(limit: int, line: bytes, tmp_path: Path) -> None:
    """The disk is full when findings or the page are written; the next run uses the findings that were written."""
    (tmp_path / "a.pgn").write_text(XIANGQI, encoding="utf-8")
    process = started(tmp_path, *NODES, limit=limit)
    _, error = process.communicate(timeout=60)
    last = error.splitlines()[-1]
    assert process.returncode == 1 and last.startswith(b"siqi review: ") and last.endswith(line)
    assert not (tmp_path / "a.html").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"a.pgn", "a.html.partial"}
    # The process ends at once, so another thread may have begun a line: the next run cuts it off.
    lines = (tmp_path / "a.html.partial").read_bytes().split(b"\n")[:-1]
    assert all(json.loads(line) for line in lines)
    process = started(tmp_path, *NODES)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0 and (b"earlier run" in error) == (len(lines) > 1)
    assert len(data_of(tmp_path / "a.html")["games"][0]["plies"]) == 19


def test_ctrl_c_keeps_what_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(XIANGQI, encoding="utf-8")
    partial = tmp_path / "a.html.partial"
    process = started(tmp_path, "--movetime", "500")
    deadline = time.monotonic() + 60
    while not (partial.exists() and partial.read_bytes().count(b"\n") > 2):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130 and error.splitlines()[-1].startswith(b"siqi review: stopped; the same command")
    assert partial.read_bytes().startswith(HEAD) and partial.read_bytes().endswith(b"\n")


def test_games_of_one_opening_share_its_analysis(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    game = XIANGQI.replace("炮５进４ 0-1", "0-1")
    (tmp_path / "a.pgn").write_text(XIANGQI + "\n" + game, encoding="utf-8")
    assert review(tmp_path / "a.pgn", "-o", tmp_path / "a.html", *NODES) == 0
    assert "of 19 positions" in capsys.readouterr().err
    first, second = data_of(tmp_path / "a.html")["games"]
    assert [ply["v"] for ply in second["plies"]] == [ply["v"] for ply in first["plies"][:-1]]
