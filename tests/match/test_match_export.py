"""Games of a log as records: what was played, where, by whom, and how it ended, in each game's formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from siqi.daemon.command_line import run
from siqi.daemon.match.command import FILE_FAILED, MISUSED
from siqi.games import registry
from siqi.games.game_record import GameRecord

CAUSES = ("rules", "time", "illegal", "crash", "resigned", "adjudicated")

Play = Callable[[str], Path]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """Return a function that plays twelve games of random movers, and gives each cause of an end to two of them."""
    folder = tmp_path_factory.mktemp("export")

    def log_of(game: str) -> Path:
        path = folder / f"{game}.jsonl"
        if not path.exists():
            words = ("match", game, "A=random", "B=random", "--games", "12", "--max-plies", "30", "--log", str(path))
            assert run(list(words)) == 0
            header, *lines = path.read_text().splitlines()
            games = [json.loads(line) for line in lines]
            for each in games:
                each["cause"], each["winner"] = CAUSES[each["game"] // 2], each["game"] % 2
                if each["cause"] == "adjudicated":
                    each["winner"] = None
            path.write_text("\n".join([header, *map(json.dumps, reversed(games))]) + "\n")
        return path

    return log_of


def export(log: Path, out: Path, *words: str) -> int:
    try:
        return run(["match", "export", str(log), "--out", str(out), *words])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code


def read(game: str, name: str, path: Path) -> list[GameRecord]:
    """Return the games of a file as records, which must have no fault."""
    form = next(form for form in registry.formats(game) if form.name == name)
    if form.is_stream:
        return list(form.load_stream().stream(io.StringIO(path.read_text(form.encoding))))
    parsed = form.read(path.read_bytes())
    assert not parsed.faults
    return parsed.games


@pytest.mark.parametrize("game", registry.NAMES)
def test_the_championships_records(game: str, play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games"
    words = (
        "--event",
        "2026 Cup",
        "--round",
        "3",
        "--site",
        "Chongqing",
        "--date",
        "2026.11.27",
        "--team",
        "A=Team One",
    )
    assert export(play(game), out, "--championship", *words) == 0
    records = read(game, registry.record_format(game).name, out)
    played = sorted(map(json.loads, play(game).read_text().splitlines()[1:]), key=lambda each: each["game"])
    assert len(records) == len(played) == 12
    for record, game_played in zip(records, played, strict=True):
        assert [word[:4] for word in record.moves] == [word[:4] for word in game_played["moves"]]
        won = "1-0" if game_played["winner"] == game_played["first"] else "0-1"
        assert record.result == ("1/2-1/2" if game_played["winner"] is None else won)
        assert record.event.startswith("2026 Cup")
    text = out.read_text(registry.record_format(game).encoding)
    assert text.count("Team One") == 12
    assert "3" in records[0].event.removeprefix("2026 Cup") or '[Round "3"]' in text
    assert "Chongqing" in text or game == "junqi"


ENDS = {
    "xiangqi": ("time forfeit", "rules infraction", "abandoned", "normal", "adjudication"),
    "connect6": ("超时", "违规", "故障", "认输", "判定"),
    "ewn": ("超时", "违规", "故障", "认输", "判定"),
    "junqi": ("(time)", "(illegal)", "(crash)", "(resigned)", "(adjudicated)"),
}


@pytest.mark.parametrize("game", registry.NAMES)
def test_the_cause_of_the_end_is_in_every_record(game: str, play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games"
    assert export(play(game), out) == 0
    text = out.read_text(registry.record_format(game).encoding)
    assert [text.count(end) for end in ENDS[game]] == [2] * 5


def test_pgn_has_the_tags_of_an_occasion(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    assert export(play("xiangqi"), out, "--pgn", "--event", "Cup", "--site", "Berlin", "--team", "B=Team") == 0
    first = out.read_text().split("\n\n")[0]
    for tag in ('[Event "Cup"]', '[Site "Berlin"]', '[Round "1"]', '[Red "A"]', '[Black "B"]', '[BlackTeam "Team"]'):
        assert tag in first
    assert "RedTeam" not in first and "Termination" not in first
    assert "Termination" in out.read_text()


def test_sgf_says_how_a_game_was_won(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.sgf"
    assert export(play("connect6"), out, "--sgf", "--site", "Berlin", "--date", "2026-11-27", "--team", "A=Team") == 0
    lines = out.read_text().splitlines()
    assert "RO[1]PB[A]BT[Team]PW[B]DT[2026-11-27]PC[Berlin]RE[B+]" in lines[0]
    ends = [line.partition("RE[")[2].partition("]")[0] for line in lines]
    assert ends == ["B+", "B+", *["B+Time"] * 2, *["B+Forfeit"] * 4, *["B+Resign"] * 2, "0", "0"]
    assert [game.result for game in read("connect6", "sgf", out)] == ["1-0"] * 10 + ["1/2-1/2"] * 2


def test_a_table(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.csv"
    assert export(play("ewn"), out, "--csv") == 0
    rows = list(csv.DictReader(out.open(encoding="utf-8", newline="")))
    assert [row["game"] for row in rows] == [str(number) for number in range(1, 13)]
    assert [row["cause"] for row in rows] == [cause for cause in CAUSES for _ in "12"]
    assert [row["first"] for row in rows[:3]] == ["A", "B", "A"]
    assert [row["winner"] for row in rows[:2]] == ["A", "B"] and rows[-1]["winner"] == ""
    assert [row["result"] for row in rows[:2]] == ["1-0", "1-0"] and rows[-1]["result"] == "1/2-1/2"
    assert len(rows[0]["moves"].split()) == int(rows[0]["plies"])
    assert len(rows[0]["dice"].split()) == int(rows[0]["plies"]) - 2


def test_standard_output_and_games_without_set_ups(
    play: Play, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    log = tmp_path / "cut.jsonl"
    header, line, *more = play("ewn").read_text().splitlines()
    log.write_text("\n".join([header, json.dumps(json.loads(line) | {"moves": ["123456"], "dice": []}), *more]) + "\n")
    assert run(["match", "export", str(log)]) == 0
    captured = capfdbinary.readouterr()
    assert captured.out.count(b"#[WTN]") == 11
    assert captured.err == b"siqi match export: left out, as a side had not set up: 1\n"


@pytest.mark.parametrize(
    ("words", "complaint", "status"),
    [
        (("--pgn",), "--pgn: ewn has the formats championship", MISUSED),
        (("--pgn", "--sgf"), "not together with", MISUSED),
        (("--team", "C=x"), "--team C=x: ENGINE=TEAM, with one of the engines A, B", MISUSED),
    ],
)
def test_what_cannot_be_exported(
    play: Play,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    complaint: str,
    status: int,
) -> None:
    assert export(play("ewn"), tmp_path / "out", *words) == status
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_files_are_kept(play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.write_text("mine")
    assert export(play("ewn"), out) == FILE_FAILED
    assert "--force replaces it" in capsys.readouterr().err and out.read_text() == "mine"
    assert export(play("ewn"), out, "--force") == 0 and out.read_bytes().startswith(b"#[WTN]")
    assert export(tmp_path / "none", out) == FILE_FAILED
    assert "No such file" in capsys.readouterr().err


def test_a_log_is_never_replaced_by_its_export(play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = play("ewn")
    before = log.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(log)
    for out in (log, link):
        assert run(["match", "export", str(log), "--out", str(out), "--force"]) == MISUSED
        assert "the log itself" in capsys.readouterr().err
    assert log.read_bytes() == before and link.is_symlink()


OFFICIAL = {
    "connect6": "C6-甲 B vs B W-先手胜-2026.11.27 重庆-2026 CCGC.txt",
    "ewn": "WTN-甲 vs B-先手胜-2026.11.27 重庆-2026 CCGC.txt",
    "xiangqi": "XQ-甲 R vs B B-先手胜-2026.11.27 重庆-2026 CCGC 1.pgn",
    "junqi": "JQ-甲 vs B-先手胜-2026.11.27 重庆-2026 CCGC.txt",
}
"""The name of the first pair's first game; PGN has a round."""


@pytest.mark.parametrize("game", OFFICIAL)
def test_each_game_in_a_file_of_its_official_name(
    game: str, play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names that would be the same are numbered; the same files are written again, others only with --force."""
    log, folder = play(game), tmp_path / "records"
    words = ["match", "export", str(log), "--split", str(folder), "--event", "2026 CCGC", "--site", "重庆"]
    words += ["--date", "2026.11.27", "--team", "A=甲"]
    assert run(words) == run(words) == 0
    whole = tmp_path / "whole"
    assert export(log, whole, *words[5:]) == 0
    name = registry.record_format(game).name
    files = sorted(folder.iterdir())
    assert len(files) == 12 and OFFICIAL[game] in {path.name for path in files}
    games = [each for path in files for each in read(game, name, path)]
    assert sorted(each.moves for each in games) == sorted(each.moves for each in read(game, name, whole))
    files[0].write_text("corrected", encoding="utf-8")
    assert run(words) == FILE_FAILED and "--force replaces it" in capsys.readouterr().err
    assert run([*words, "--force"]) == 0 and files[0].read_bytes() != b"corrected"
    assert run([*words, "--csv"]) == MISUSED
