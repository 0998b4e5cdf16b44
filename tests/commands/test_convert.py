"""`siqi convert`: formats are detected, losses and faults go to standard error, other files stay as they are."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import forked
import pytest
from game_trees import content, random_game
from pytest import CaptureFixture

from siqi.daemon.command_line import run
from siqi.daemon.commands import game_files
from siqi.game_files import load_games, save_games
from siqi.games import registry
from siqi.games.formats import FEATURES, MAX_BYTES

ROOT = Path(__file__).parents[2]

C6 = "{[C6][Alpha B][Beta W][先手胜][2017.07.29 14:00 重庆][2017 CCGC];B(J,10);W(I,11);W(K,9);B(J,11);B(J,12)}\n"
EWN = """#[WTN][A R][B B][先手胜][2017.07.29 14:00 重庆][2017 CCGC];
R:A5-1;B5-2;C5-3;A4-4;B4-5;A3-6
B:E1-6;D1-1;C1-5;E2-2;D2-4;E3-3
1:6;(R6,B2)
2:3;(B3,D4)
"""


def converted(*arguments: object) -> int:
    return run(["convert", *map(str, arguments)])


def test_xqf_to_pgn_and_back(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    game = random_game(random.Random(2), from_fen=True)
    game.headers["Date"] = "2006.07.03"
    save_games(tmp_path / "a.XQF", [game], "xqf")
    how = ["--notation", "chinese", "--output-encoding", "gb18030"]
    assert converted(tmp_path / "a.XQF", tmp_path / "a.pgn", *how) == 0
    assert capsys.readouterr().err == ""
    assert '[Format "Chinese"]' in (tmp_path / "a.pgn").read_text("gb18030")
    assert converted(tmp_path / "a.pgn", tmp_path / "b.xqf") == 0
    assert (tmp_path / "b.xqf").read_bytes() == (tmp_path / "a.XQF").read_bytes()
    assert content(load_games(tmp_path / "a.pgn").games[0]) == content(load_games(tmp_path / "b.xqf").games[0])


def test_what_is_lost_is_reported(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text('[Red "x"]\n\n1. C2.5 $1 {good} (1. C8.5) H8+7 1-0\n')
    assert converted(tmp_path / "a.pgn", tmp_path / "a.moves") == 0
    assert (tmp_path / "a.moves").read_text() == "1. H2-E2 H9-G7\n\n"
    assert capsys.readouterr().err.splitlines() == [
        f"siqi convert: moves cannot store {kind}: 1"
        for kind in ("NAGs", "comments", "results", "tags Red", "variations")
    ]


def test_what_is_damaged_is_named_and_the_rest_written(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text('[Red "x"]\n\n1. C2.5 C2.5 2. K5+9 *\n\n[Red "y"]\n\n1. C8.5 *\n')
    assert converted(tmp_path / "a.pgn", tmp_path / "b.pgn") == 1
    error = capsys.readouterr().err
    assert (
        error.startswith(f"siqi convert: {tmp_path / 'a.pgn'}: game 1: 2. illegal move: K5+9")
        and error.count("\n") == 1
    )
    assert [len(game.moves) for game in load_games(tmp_path / "b.pgn").games] == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["a.pgn", "b.what"], "no format of xiangqi has such a name"),
        (["a.pgn", "-"], "standard output has no name to show a format; name one by --to (--list)"),
        (["a.pgn", "old.pgn"], "exists; --force replaces it"),
        (["a.pgn", "no/b.pgn"], "no such folder"),
        (["a.pgn", "."], "is a folder"),
        (["a.pgn", "b.xqf"], "xqf holds one game"),
        (["a.pgn", "b.xqf", "--number", "3"], "there are 2 games"),
        (["a.pgn", "b.cbl", "--output-encoding", "utf-8"], "an encoding of its own"),
        (["a.pgn", "b.pgn", "--output-encoding", "nonsense"], "no such encoding"),
        (["a.pgn", "b.pgn", "--encoding", "nonsense"], "no such encoding"),
        (["a.pgn", "b.pgn", "--notation", "x"], "--notation x: pgn has wxf, chinese"),
        (["a.pgn", "b.pgn", "--from", "x"], "there is no such format"),
        (["a.pgn", "b.pgn", "--to", "sgf"], "xiangqi has the formats xqf, cbr"),
        (["a.pgn"], "IN and OUT are needed"),
        (["what", "b.pgn"], "not a format that is known"),
    ],
)
def test_refusals_change_nothing(
    arguments: list[str], line: str, tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    games = '[Red "x"]\n\n1. C2.5 *\n\n[Red "y"]\n\n1. C8.5 *\n'
    Path("a.pgn").write_text(games)
    Path("old.pgn").write_text("mine")
    Path("what").write_bytes(b"\1\2\3")
    assert converted(*arguments) == 2
    error = capsys.readouterr().err
    assert line in error and error.count("\n") == 1
    assert sorted(os.listdir()) == ["a.pgn", "old.pgn", "what"] and Path("old.pgn").read_text() == "mine"


def test_failures_are_one_line(tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pgn").write_text("1. C2.5 *")
    with (tmp_path / "big.pgn").open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # a file with a hole
    (tmp_path / "cut.cbl").write_bytes(b"CCBridgeLibrary\0")
    for name, line in (
        ("none.pgn", "No such file"),
        ("big.pgn", "bytes, more than the"),
        ("cut.cbl", "cut short: 16 bytes"),
    ):
        assert converted(tmp_path / name, tmp_path / "b.pgn") == 1
        error = capsys.readouterr().err
        assert line in error and error.count("\n") == 1
    assert not (tmp_path / "b.pgn").exists()


def test_existing_files(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. C2.5 *")
    (tmp_path / "b.fens").write_text("")
    assert converted(tmp_path / "a.pgn", tmp_path / "b.fens") == 0  # an empty file may be replaced
    before = (tmp_path / "b.fens").read_bytes()
    assert b"moves h2e2" in before and converted(tmp_path / "a.pgn", tmp_path / "b.fens") == 2
    (tmp_path / "a.pgn").write_text("1. C8.5 *")
    assert converted(tmp_path / "a.pgn", tmp_path / "b.fens", "--force") == 0
    assert b"moves b2e2" in (tmp_path / "b.fens").read_bytes()
    assert converted(tmp_path / "b.fens", tmp_path / "b.fens", "--force") == 0  # a file may replace itself
    assert sorted(os.listdir(tmp_path)) == ["a.pgn", "b.fens"]


@pytest.mark.parametrize("by", ["name", "symlink", "hard link", "link of the input"])
@pytest.mark.parametrize(
    ("text", "arguments", "line"),
    [
        ('[Red "x"]\n\n1. C2.5 C2.5 2. K5+9 *\n', [], "not all of it could be read"),
        ("1. C2.5 *\n\n1. Z9.9 H8+7 *\n", [], "not all of it could be read"),
        ('[Red "x"]\n[Red "y"]\n\n1. C2.5 *\n', [], "not all of it could be read"),
        ('[Red "x"]\n\n1. C2.5 {good} *\n', ["--to", "moves"], "moves cannot store comments, tags Red"),
        ("1. C2.5 *\n\n1. C8.5 *\n", ["--number", "2"], "its other games would be lost"),
    ],
)
def test_a_file_replaces_itself_only_whole(
    by: str, text: str, arguments: list[str], line: str, tmp_path: Path, capsys: CaptureFixture[str]
) -> None:
    source = output = tmp_path / "a.pgn"
    source.write_text(text)
    if by == "symlink":
        (output := tmp_path / "b.pgn").symlink_to(source)
    elif by == "hard link":
        (output := tmp_path / "b.pgn").hardlink_to(source)
    elif by == "link of the input":
        (source := tmp_path / "b.pgn").symlink_to(output)
    assert converted(source, output, "--force", *arguments) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert "not replaced, as " in error and line in error
    assert source.read_text() == output.read_text() == text


def test_standard_input_is_replaced_only_whole(tmp_path: Path) -> None:
    path, text = tmp_path / "a.pgn", "1. C2.5 Z9.9 *\n"
    path.write_text(text)
    command = [sys.executable, "-m", "siqi", "convert", "-", str(path), "--force"]
    with path.open("rb") as file:
        out = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False, cwd=ROOT)
    assert out.returncode == 1 and "not replaced" in out.stderr and path.read_text() == text


def test_standard_input_and_output() -> None:
    out = forked.run("convert", "-", "-", "--to", "moves", given="1. 炮二平五 马8进7 *".encode("gb18030"))
    assert out.returncode == 0 and out.stdout == b"1. H2-E2 H9-G7\n\n"


def test_many_files_into_one(tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Unreadable input is named in the end; nothing else is lost."""
    monkeypatch.chdir(tmp_path)
    Path("a.pgn").write_text('[Red "a"]\n\n1. C2.5 *\n\n[Red "b"]\n\n1. C8.5 *\n')
    assert converted("a.pgn", "c.xqf", "--number", "2") == 0
    Path("d.xqf").write_bytes(b"XQ")
    Path("e.txt").write_text(C6, "gb18030")
    capsys.readouterr()
    assert converted("a.pgn", "c.xqf", "d.xqf", "missing.pgn", "e.txt", "all.pgn") == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "siqi convert: d.xqf: cut short: 2 bytes, fewer than a head and a step",
        "siqi convert: missing.pgn: No such file or directory",
        "siqi convert: e.txt: all.pgn has games of xiangqi, not of connect6",
        "siqi convert: 5 files, 3 games; 3 could not be converted, or not whole: d.xqf, missing.pgn, e.txt",
    ]
    assert [game.headers["Red"] for game in load_games("all.pgn").games] == ["a", "b", "b"]
    whole = Path("all.pgn").read_bytes()
    for arguments, why in (
        (["a.pgn", "c.xqf", "all.pgn"], "all.pgn exists; --force replaces it"),
        (["a.pgn", "all.pgn", "all.pgn", "--force"], "all.pgn is an input, too"),
        (["a.pgn", "c.xqf", "new.xqf"], "xqf holds one game, not 2"),
        (["a.pgn", "c.xqf", "new.pgn", "--number", "1"], "--number is for one file"),
        (["a.pgn", "c.xqf", "new.what"], "no format of xiangqi has such a name"),
        (["a.pgn", "."], "is a folder; --split writes a file per game into a folder"),
    ):
        assert converted(*arguments) == 2
        error = capsys.readouterr().err
        assert why in error and error.count("\n") == 1
    assert sorted(os.listdir()) == ["a.pgn", "all.pgn", "c.xqf", "d.xqf", "e.txt"]
    assert Path("all.pgn").read_bytes() == whole


def test_a_folder_into_a_file_a_game(
    tmp_path: Path, capsys: CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new files have the names of the old ones, in folders of the same names; no file is overwritten."""
    monkeypatch.chdir(tmp_path)
    Path("games/inner").mkdir(parents=True)
    Path("games/a.pgn").write_text('[Red "a"]\n\n1. C2.5 *\n\n[Red "b"]\n\n1. C8.5 *\n')
    for name in ("games/b.xqf", "games/B.cbr", "games/inner/b.xqf"):
        assert converted("games/a.pgn", name, "--number", "1") == 0
    Path("games/notes.txt").write_text("no game")
    Path("games/.hidden.pgn").write_text("1. C2.5 *")
    capsys.readouterr()
    assert converted("games", "--split", "out", "--to", "moves") == 0
    assert capsys.readouterr().err.splitlines() == [
        "siqi convert: games: files of no known format, left out: 1",
        "siqi convert: moves cannot store tags Red: 5",
        "siqi convert: 4 files, 5 games",
    ]
    written = sorted(str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file())
    assert written == ["B.moves", "a-1.moves", "a-2.moves", "b-2.moves", "inner/b.moves"]
    Path("out/a-1.moves").write_text("mine")
    assert converted("games/a.pgn", "--split", "out", "--to", "moves") == 1
    assert "out/a-1.moves exists; --force replaces it (games that could not be written: 2)" in capsys.readouterr().err
    assert Path("out/a-1.moves").read_text() == "mine"
    before = Path("games/b.xqf").read_bytes()
    assert converted("games/a.pgn", "games/b.xqf", "--split", "games", "--to", "xqf", "--force") == 1
    assert "games/b.xqf is an input, too" in capsys.readouterr().err and Path("games/a-2.xqf").exists()
    assert Path("games/b.xqf").read_bytes() == before
    for arguments, why in (
        (["games", "--split", "out"], "--split needs --to FORMAT"),
        (["games", "--split", "out", "--to", "what"], "--to what: one of xqf, cbr"),
        (["games", "--split", "games/a.pgn", "--to", "xqf"], "is not a folder"),
        (["--split", "out", "--to", "xqf"], "IN and OUT are needed"),
        (["out2", "--split", "no/out", "--to", "xqf"], "No such file"),
    ):
        assert converted(*arguments) == 2
        error = capsys.readouterr().err
        assert why in error and error.count("\n") == 1


def test_connect6_between_its_formats(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text(C6, "gb18030")
    assert converted(tmp_path / "a.txt", tmp_path / "a.sgf") == 0
    sgf = (tmp_path / "a.sgf").read_text()
    assert sgf == "(;FF[4]EV[2017 CCGC]PB[Alpha]PW[Beta]DT[2017.07.29 14:00 重庆]RE[B+];B[j10];W[i11k9];B[j11j12])\n"
    assert converted(tmp_path / "a.sgf", tmp_path / "b.txt") == 0
    assert (tmp_path / "b.txt").read_text("gb18030") == C6
    head = "(;FF[4]EV[connect6.ch.26.1.1]PB[A]PW[B]SO[http://www.littlegolem.com]"
    (tmp_path / "golem.sgf").write_text(f"{head};B[j10];W[j9l11];B[k9l8];W[k10i11];B[resign])")
    assert converted(tmp_path / "golem.sgf", tmp_path / "golem.txt") == 0
    text = (tmp_path / "golem.txt").read_text("gb18030")
    assert "[后手胜]" in text and text.endswith(";B(J,10);W(J,9);W(L,11);B(K,9);B(L,8);W(K,10);W(I,11)}\n")
    (tmp_path / "points.sgf").write_text("(;FF[4];B[jj];W[ii];W[ki];B[aa];B[ss](;W[ab];W[ba])(;W[ac]))")
    assert converted(tmp_path / "points.sgf", "-", "--to", "championship") == 1
    captured = capsys.readouterr()
    assert "B(J,10);W(I,11);W(K,11);B(A,19);B(S,1);W(A,18);W(B,19)" in captured.out
    assert "game 1: variations are left out: 1" in captured.err
    (tmp_path / "bad.sgf").write_text("(;FF[4];B[j10];W[j10k10];B[a1a2])")
    assert converted(tmp_path / "bad.sgf", tmp_path / "bad.txt") == 1
    assert "game 1: move 2: " in capsys.readouterr().err
    assert (tmp_path / "bad.txt").read_text("gb18030").endswith(";B(J,10)}\n")


def test_ewn_and_junqi_records_are_read_and_checked(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text(EWN, "gb18030")
    assert converted(tmp_path / "a.txt", tmp_path / "c.txt") == 0
    assert [line.strip() for line in (tmp_path / "c.txt").read_text("gb18030").splitlines()] == EWN.splitlines()
    (tmp_path / "a.txt").write_text(EWN.replace("(R6,B2)", "(R6,C1)"), "gb18030")
    assert converted(tmp_path / "a.txt", tmp_path / "b.txt") == 1  # a piece that moves two squares
    assert "game 1: move 3: " in capsys.readouterr().err
    assert "1:6" not in (tmp_path / "b.txt").read_text("gb18030")
    records = registry.record_format("junqi").load_stream()
    from siqi.games.game_record import GameRecord

    setups = ("diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld")
    (tmp_path / "log").write_text(records.text(GameRecord(setups, (), "1-0", "A", "B", event="x")))
    assert converted(tmp_path / "log", tmp_path / "log.txt") == 0
    assert (tmp_path / "log.txt").read_text() == (tmp_path / "log").read_text()


def test_the_list_has_every_format(capsys: CaptureFixture[str]) -> None:
    assert run(["convert", "--list"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + sum(len(registry.formats(name)) for name in registry.NAMES)
    for name in registry.NAMES:
        for form in registry.formats(name):
            assert form.holds <= set(FEATURES) and form.suffixes and form.load().read and form.load().write
            assert form.tags == "all" or form.tags.isdigit()
    for name, module in (("xqf", "xqf"), ("cbl", "ccbridge")):
        form = next(form for form in registry.formats("xiangqi") if form.name == name)
        fields = __import__(f"siqi.games.xiangqi.formats.{module}", fromlist=["_FIELDS"])._FIELDS
        assert form.tags == str(len(fields))


STUDY = "3k5/9/9/3R5/9/4R4/9/9/7r1/5K2r w - - 0 1"


def test_studies_are_converted(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.fens").write_text(f"{STUDY} ; both kings in check\n")
    for name in ("a.pgn", "a.xqf", "a.cbr", "a.cbl", "a.ubb", "a.wxf", "a.cbf", "a.txt", "b.fens"):
        assert converted(tmp_path / "a.fens", tmp_path / name) == 0
        assert load_games(tmp_path / name).games[0].headers["FEN"] == STUDY
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["siqi convert: wxf cannot store comments: 1", "siqi convert: fens cannot store comments: 1"]


def test_unknown_values_and_what_is_left_out_are_reported(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    text = 'hello\n[Red "x"]\n[Result "红优"]\n[Date "Summer"]\n\n1. C2.5 H8+7\n% no\n*\n\nbye\n'
    (tmp_path / "a.pgn").write_text(text)
    assert converted(tmp_path / "a.pgn", tmp_path / "b.pgn") == 0
    lines = [line.partition("a.pgn: ")[2] for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "game 1: a result that is not known, kept as text: 红优",
        "game 1: a date that is not known, kept as text: Summer",
        "game 1: texts left out: 1, the first: % no",
        "lines between games left out: 2, the first: hello",
    ]
    written = (tmp_path / "b.pgn").read_text()
    assert '[ResultText "红优"]' in written and '[Date "Summer"]' in written and '[Result "*"]' in written
    (tmp_path / "c.pgn").write_text(
        '[Result "0.5-0.5"]\n[Variant "jieqi"]\n\n1. C2.5 *\n\n[Result "红先胜"]\n\n1. C2.5 *\n'
    )
    assert converted(tmp_path / "c.pgn", tmp_path / "c.xqf", "--number", "1") == 1
    assert "game 1: a game of another kind: Variant jieqi" in capsys.readouterr().err
    assert load_games(tmp_path / "c.xqf").games[0].result == "1-0"


def test_only_the_first_faults_are_listed(tmp_path: Path, capsys: CaptureFixture[str]) -> None:
    (tmp_path / "a.fens").write_text("startpos\n" + "9/9/9 w\n" * 50)
    assert converted(tmp_path / "a.fens", tmp_path / "b.fens", "--from", "fens") == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == game_files.MAX_LINES + 1 and lines[-1].endswith("30 more faults")
