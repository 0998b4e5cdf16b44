"""`siqi rules`: rules mined from a few games, shown, and exported as the paper's tables."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest
import zstandard
from pages import blocks

from siqi import Board
from siqi.daemon.command_line import run
from siqi.game_files import save_games
from siqi.games import registry
from siqi.games.formats import RULE_ITEMS, RULE_PHASES
from siqi.games.xiangqi.knowledge.items import NUMBERINGS
from siqi.games.xiangqi.knowledge.knowledge import RULE_BOOK
from siqi.games.xiangqi.knowledge.rulebook import RuleBook
from siqi.games.xiangqi.knowledge.situation import SITUATIONS
from siqi.games.xiangqi.library import Game

GAMES = [
    {"moves": ["h2e2", "h9g7", "h0g2", "i9h9"], "result": "1-0"},
    {"moves": ["h2e2", "h9g7", "h0g2"], "result": "0-1"},
    {"moves": ["b2e2", "b9c7", "b0c2", "a9b9"], "result": "1/2-1/2"},  # the first, mirrored
    {"moves": ["c3c4", "h9g7", "h2e2", "b9c7"], "result": "0-1"},  # begins on the left
]

OPTIONS = ("--min-support", "0.5", "--min-games", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = "".join(json.dumps(game) + "\n" for game in GAMES)
    (tmp_path / "games.jsonl").write_text(text)
    return tmp_path


def mine(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """Return the rules that are printed."""
    assert run(["rules", "mine", "games.jsonl", *OPTIONS, *options]) == 0
    reported = capsys.readouterr()
    assert reported.err.splitlines()[-1].startswith("siqi rules: 4 games, ")  # kernels may be compiled before
    return reported.out.splitlines()


def table(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_words_of_the_command_are_the_games() -> None:
    assert [name for name in registry.NAMES if registry.info(name).has_rules] == ["xiangqi"]
    assert (*NUMBERINGS,) == RULE_ITEMS and SITUATIONS[:3] == RULE_PHASES
    with pytest.raises(ValueError, match="ewn has no rules to mine"):
        registry.rule_bases("ewn")


def test_rules_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    lines = mine(capsys)
    assert "炮二平五 => 马８进７  games 3  confidence 100.0%  lift 1.00  score 50.0%" in lines
    assert not any(line.startswith("马８进７ => 炮二平五") for line in lines), "an answer comes after"
    assert any(line.startswith("炮二平五 马８进７ => 马二进三  games 3") for line in lines)
    assert any(line.startswith("马８进７ => 炮二平五  games 3") for line in mine(capsys, "--any-order"))
    assert mine(capsys, "--plies", "1") == []
    assert not any("马二进三" in line for line in mine(capsys, "--plies", "2"))


def test_rules_of_situations(capsys: pytest.CaptureFixture[str]) -> None:
    lines = mine(capsys, "--kind", "situations", "--min-position-support", "0.1")
    assert "(central cannon) => 马８进７  positions 4  confidence 66.7%  lift 2.50  score 62.5%" in lines
    assert any(line.startswith("炮二平五 (") and "=> 马８进７  positions 3" in line for line in lines)
    assert any("=> [develop]" in line for line in lines)
    assert mine(capsys, "--kind", "situations", "--phase", "middle game") == []


def test_conditions_that_add_nothing_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    lines, fewer = mine(capsys), mine(capsys, "--min-improvement", "0.05")
    assert set(fewer) < set(lines)
    assert not any(line.startswith("炮二平五 马８进７ => 马二进三") for line in fewer), "surely so without 马８进７"


def test_answers_of_winners(capsys: pytest.CaptureFixture[str]) -> None:
    lines = mine(capsys, "--winners")
    assert "炮二平五 => 马８进７  games 1  confidence 33.3%  lift 0.33  score 100.0%" in lines


def test_a_base_is_written_whole_and_shown(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    lines = mine(capsys, "--kind", "both")
    assert mine(capsys, "--kind", "both", "-o", "my.rules", "--source", "four games") == []
    assert run(["rules", "show", "my.rules"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "# kind: xiangqi-rules" and "# source: four games" in shown
    assert [line for line in shown if not line.startswith("#")] == lines
    before = (folder / "my.rules").read_bytes()
    assert run(["rules", "mine", "games.jsonl", "-o", "my.rules"]) == 2
    assert capsys.readouterr().err == "siqi rules: my.rules exists; --force replaces a rule base\n"
    assert (folder / "my.rules").read_bytes() == before
    assert mine(capsys, "-o", "my.rules", "--force") == []
    assert (folder / "my.rules").read_bytes() != before
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_another_kind_of_file_is_refused_before_a_game_is_read(
    force: tuple[str, ...], capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "text").write_text("mine")
    assert run(["rules", "mine", "no-such.jsonl", "-o", "text", *force]) == 2
    assert capsys.readouterr().err == "siqi rules: text: is another kind of file, left as it is\n"
    assert (folder / "text").read_text() == "mine"


def test_the_shipped_base_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(not line.startswith("#") for line in lines) == len(RuleBook(RULE_BOOK).rules)


def test_any_format_is_mined(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    expected = mine(capsys)
    games = []
    for game in GAMES:
        board = Board()
        for word in game["moves"]:
            board.push_uci(word)
        games.append(Game.from_board(board, Result=str(game["result"])))
    (folder / "many").mkdir()
    save_games(folder / "many/a.pgn", games[:3])
    save_games(folder / "many/b.xqf", games[3:])
    packed = zstandard.ZstdCompressor().compress((folder / "games.jsonl").read_bytes())
    (folder / "games.zst").write_bytes(packed)
    for name in ("many", "games.zst"):
        assert run(["rules", "mine", name, *OPTIONS]) == 0
        assert sorted(capsys.readouterr().out.splitlines()) == sorted(expected), name


def test_faults_are_named_and_the_other_games_mined(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    with (folder / "games.jsonl").open("a") as file:
        file.write('{"moves": ["h2e2", "a0a9"]}\n{broken\n')
    assert run(["rules", "mine", "games.jsonl", *OPTIONS]) == 1
    reported = capsys.readouterr()
    assert "炮二平五 => 马８进７  games 3" in reported.out
    errors = reported.err.splitlines()
    assert "games.jsonl: line 6: " in errors[-3] + errors[-2] and "illegal move: a0a9" in errors[-3] + errors[-2]
    assert errors[-1].startswith("siqi rules: 4 games, ")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("mine", "missing.pgn"), 1, "missing.pgn: No such file or directory"),
        (("mine", "games.jsonl", "--plies", "100000"), 2, "--plies: 0 to "),
        (("mine", "games.jsonl", "-o", "no/my.rules"), 2, "no: No such file or directory"),
        (("show", "games.jsonl"), 2, "games.jsonl: not a book"),
        (("export", "games.jsonl"), 2, "games.jsonl: File exists"),
    ],
)
def test_errors_are_one_line(
    words: tuple[str, ...], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rules", *words]) == status
    reported = capsys.readouterr()
    assert reported.out == "" and reported.err.splitlines()[0].startswith(f"siqi rules: {message}")


def test_the_papers_tables(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Numbers, squares and headings are the paper's: 90 is 10, 32, (8, 8), (5, 8), and 26 is 21, 32, (2, 1), (3, 3)."""
    mine(capsys, "--items", "identity", "--plies", "0", "--longest", "1", "-o", "paper.rules")
    export = ["rules", "export", "tables", "--rules", "paper.rules", "--games", "games.jsonl"]
    assert run(export) == 0
    capsys.readouterr()
    knowledge, steps, rules = (table(f"tables/{name}.csv") for name in ("knowledge", "steptoname", "ruletable"))
    assert [row["move"] for row in knowledge if row["game"] == "3"] == ["炮二平五", "马８进７", "马二进三", "车９平８"]
    assert len(knowledge) == sum(len(game["moves"]) for game in GAMES)
    by_number = {row["number"]: row for row in steps}
    assert len(by_number) == len(steps)
    for row in knowledge:
        step = by_number[row["number"]]
        assert {name: row[name] for name in step} == step
    (cannon,) = (row for row in steps if row["move"] == "炮二平五")
    squares = ("piece", "captured", "from_x", "from_y", "to_x", "to_y")
    assert [cannon[name] for name in squares] == ["10", "32", "8", "8", "5", "8"]
    (horse,) = (row for row in steps if row["move"] == "马２进３")
    assert [horse[name] for name in squares] == ["21", "32", "2", "1", "3", "3"]
    book = RuleBook(folder / "paper.rules")
    assert len(rules) == len(book.rules) > 0
    for row, rule in zip(rules, book.rules, strict=True):
        assert by_number[row["IF"]]["piece"] == row["IF_piece"] == str(rule.after[0].piece)
        assert rule.answer is not None and row["THEN_piece"] == str(rule.answer.piece)
        assert float(row["confidence"]) == pytest.approx(rule.confidence, abs=1e-4)
        assert row["rule"] == f"{by_number[row['IF']]['move']} => {by_number[row['THEN']]['move']}"
    assert run([*export, "--language", "zh"]) == 1, "a table with other headings is left as it is"
    export[2] = "zh"
    assert run([*export, "--language", "zh"]) == 0
    heading = (folder / "zh/knowledge.csv").read_text(encoding="utf-8").splitlines()[0]
    assert heading == "棋局,棋步,走子,吃子,起点横标,起点纵标,目标点横标,目标点纵标,处理标志位,着法"
    assert run(export) == 1 and run([*export, "--language", "zh"]) == 0, "a table of ours is written anew"


def test_the_shipped_base_is_exported_without_games(folder: Path) -> None:
    assert run(["rules", "export", "shipped"]) == 0
    assert sorted(path.name for path in (folder / "shipped").iterdir()) == ["ruletable.csv", "steptoname.csv"]
    rows = table("shipped/ruletable.csv")
    assert len(rows) == len(RuleBook(RULE_BOOK).rules) and "IF2" in rows[0]
    assert any(row["when"] for row in rows) and any(row["intents"] and not row["THEN"] for row in rows)


def test_the_guide_s_commands_run_as_printed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "cup").mkdir()
    board = Board()
    for word in GAMES[0]["moves"]:
        board.push_uci(word)
    for name in ("games.pgn", "cup/a.pgn"):
        save_games(folder / name, 3 * [Game.from_board(board, Result="1/2-1/2")])
    printed = []
    for block in blocks("guide/rules.md", "sh"):
        for line in block.splitlines():
            assert run(shlex.split(line)[1:]) == 0, line
            printed.append(capsys.readouterr().out)
    assert blocks("guide/rules.md", "text")[0].strip() in printed[3].splitlines()
    assert blocks("guide/rules.md", "sh") == blocks("guide/rules.zh.md", "sh")
