"""The match runner from end to end: a toy game, and engines that are scripts of a few lines."""

from __future__ import annotations

import errno
import io
import itertools
import json
import random
import re
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import forked
import pytest
import zstandard
from fixture_files import ROOT
from match_command import match
from nim import engine_command, play_nim

from siqi.daemon.clients.random_mover import random_junqi_setup
from siqi.daemon.match.command import ENGINE_FAILED, FILE_FAILED, MISUSED
from siqi.daemon.match.match_log import Reader
from siqi.daemon.match.matches import tablebase_judge
from siqi.games import registry
from siqi.system import files
from siqi.system.log import Log, read_log


class Bench:
    """A folder for matches of the toy: plays them, and reads their logs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "match.jsonl"

    def engine(self, mode: str, letter: str) -> str:
        return mode if mode == "random" else engine_command(self.folder, mode, letter)

    def play(
        self, a: str, b: str, *options: str, game: str = "xiangqi", limits: str = "--nodes 5", words: str = ""
    ) -> int:
        """Play a match between modes; `words` belong to the engine A."""
        engines = (f"A={self.engine(a, 'a')} {words}", f"B={self.engine(b, 'b')}")
        return match(game, *engines, "--log", str(self.log), *limits.split(), *options)

    def opening(self, text: str) -> Path:
        """Return a file with one opening."""
        path = self.folder / "openings.txt"
        path.write_text(f"{text}\n")
        return path

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()[1:]]

    def heard(self, letter: str) -> list[str]:
        return (self.folder / f"{letter}.txt").read_text().splitlines()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    play_nim(monkeypatch)
    return Bench(tmp_path)


def test_a_match(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.play("wise", "one", "--games", "4", "--concurrency", "2", "--every", "2") == 0
    records = sorted(bench.records(), key=lambda record: record["game"])
    assert [(record["pair"], record["first"]) for record in records] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert all(record["winner"] == 0 and record["cause"] == "rules" for record in records)
    assert records[0]["moves"] == ["a2", "a1", "a3", "a1", "a3"]
    assert records[1]["players"] == ["B", "A"]
    printed = capsys.readouterr().out
    assert re.search(r"^2  W-D-L 2-0-0", printed, re.MULTILINE)
    assert "xiangqi: A against B, 4 games\nW-D-L 4-0-0  score 100.0%" in printed
    assert "pairs with 0, 1/2, 1, 3/2, 2 points: 0, 0, 0, 0, 2" in printed
    assert "no evidence: 2" in printed  # both pairs are the same two games


def test_the_dialogue(bench: Bench) -> None:
    bench.play("one", "one", "--games", "2", words="Strength=3", limits="--nodes 5 --depth 2")
    heard = bench.heard("a")
    assert heard[:7] == [
        "uci",
        "setoption name UCI_Variant value xiangqi",
        "isready",
        "setoption name Strength value 3",
        "isready",
        "ucinewgame",
        "isready",
    ]
    assert heard[7:11] == [
        "position startpos",
        "go nodes 5 depth 2",
        "position startpos moves a1 a1",
        "go nodes 5 depth 2",
    ]
    assert heard.count("uci") == 1  # one process for both games
    assert heard.count("ucinewgame") == 2
    assert heard[-1] == "quit"


@pytest.mark.parametrize(
    ("mode", "cause", "reason"),
    [
        ("illegal", "illegal", "a9: no such move"),
        ("resign", "illegal", "(none): no such move"),
        ("crash", "crash", "engine ended with status 7"),
        ("slow", "time", r"2\d\d ms of 40"),
        ("hang", "time", "hung: no bestmove within 1.04 s"),
    ],
)
def test_faults_are_charged(
    bench: Bench, capsys: pytest.CaptureFixture[str], mode: str, cause: str, reason: str
) -> None:
    assert bench.play("one", mode, "--games", "2", "--hang", "1", limits="--movetime 40") == 0
    for record in bench.records():
        assert (record["winner"], record["cause"]) == (0, cause)
        assert re.fullmatch(re.escape(reason) if "(" in reason else reason, record["reason"])
        assert mode != "slow" or 160 <= record["over_ms"][1][-1] < 260  # also of the move that was too late
    assert f"{cause} 2" in capsys.readouterr().out.partition("lost by B")[2]


def test_an_engine_that_does_not_start(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.play("one", "stillborn") == ENGINE_FAILED
    printed = capsys.readouterr()
    assert "B does not start: engine ended with status 3" in printed.err and not printed.out  # no result of 0 games
    assert not bench.log.exists()
    bench.log.touch()  # made by the user
    assert bench.play("one", "stillborn") == ENGINE_FAILED
    assert bench.log.read_bytes() == b""
    assert bench.play("one", "one", "--games", "2") == 0  # the corrected command


def test_a_match_that_is_whole_says_so(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.play("random", "random", "--games", "2") == 0
    assert capsys.readouterr().err.endswith("siqi match: all 2 games are played; more --games go on from here\n")
    assert bench.play("random", "random", "--games", "2") == 0
    printed = capsys.readouterr()
    assert printed.err.endswith(
        "all 2 games are played: they are those of the log, nothing was played now; more --games go on from here\n"
    )
    assert "A against B, 2 games" in printed.out


def test_clocks(bench: Bench) -> None:
    bench.play("one", "slow", "--games", "2", limits="--clock 0.5", words="clock=9+0.5")
    assert [record["cause"] for record in bench.records()] == ["time", "time"]
    first = next(line for line in bench.heard("a") if line.startswith("go"))
    assert first == "go wtime 9000 winc 500 btime 500 binc 0"
    asked = [line for line in bench.heard("b") if line.startswith("go")]
    left_ms = re.search(r"btime (\d+)", asked[1])
    assert left_ms and int(left_ms[1]) <= 300  # the first move took 250
    assert "go wtime 500 winc 0 btime 9000 binc 500" in asked  # the second game, B on the first side


def test_openings_and_ranks(bench: Bench, tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("# toy\na3 a1\n7/\n9/ moves a2  # last\n")
    bench.play("ranks", "one", "--games", "6", "--openings", str(openings), words="ranks=1")
    records = bench.records()
    assert [record["opening"] for record in records[::2]] == [record["opening"] for record in records[1::2]]
    assert {record["opening"] for record in records} == {"a3 a1", "7/", "9/ moves a2"}
    heard = bench.heard("a")
    assert "position startpos moves a4 a2" in heard  # this engine counts from 1
    assert "position fen 7/" in heard
    assert "position fen 9/ moves a3" in heard
    assert all(record["cause"] == "rules" for record in records)


def test_dice_are_the_same_in_both_games_of_a_pair(bench: Bench) -> None:
    bench.play("one", "one", "--games", "4", game="ewn")
    games = bench.records()
    assert all(record["cause"] == "rules" and len(record["dice"]) == 10 for record in games)
    assert games[0]["dice"] == games[1]["dice"] != games[2]["dice"] == games[3]["dice"]
    thrown = [int(line.split()[1]) for letter in "ab" for line in bench.heard(letter) if line.startswith("dice")]
    assert sorted(thrown) == sorted(itertools.chain.from_iterable(record["dice"] for record in games))


def test_no_side_sees_the_other_s_set_up(bench: Bench) -> None:
    bench.play("setup", "random", "--games", "2", "--max-plies", "4", game="junqi")
    assert all(record["cause"] == "adjudicated" and record["winner"] is None for record in bench.records())
    positions = [line for line in bench.heard("a") if line.startswith("position")]
    own = "abcdefghijklmnopqrstuvwxy"
    assert positions[0] == "position startpos"
    assert positions[1] == f"position startpos moves {own} ?"
    assert positions[2] == "position startpos moves ?"
    assert re.fullmatch(rf"position startpos moves \? {own} a\d=3", positions[3])


def test_random_movers_repeat_with_the_seed(bench: Bench) -> None:
    games = []
    for seed in "112":
        bench.play("random", "random", "--games", "4", "--seed", seed)
        games.append([record["moves"] for record in bench.records()])
        bench.log.unlink()
    assert games[0] == games[1] != games[2]


def test_random_junqi_set_ups_follow_the_rules() -> None:
    rng = random.Random(5)
    for _ in range(200):
        setup = random_junqi_setup(rng)
        assert sorted(setup) == sorted("abccddeeffggghhhiiijjjkkl")
        assert setup.index("l") in (21, 23)
        assert all(slot >= 15 for slot, letter in enumerate(setup) if letter == "j")
        assert "k" not in setup[:5]


def test_sprt_stops_early(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.play("wise", "random", "--games", "1000", "--sprt", "0", "200") == 0
    assert len(bench.records()) < 300
    assert re.search(r"SPRT normalized \[0, 200\] LLR [3-9]\.\d\d \(-2\.94, 2\.94\) H1", capsys.readouterr().out)


def test_a_log_of_a_logistic_sprt_goes_on_as_it_began(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--games", "4", "--sprt", "0", "200")
    assert bench.play("one", "random", *words) == 0
    assert '"sprt_model":"normalized"' in bench.log.read_text()
    header, *games = bench.log.read_text().splitlines()
    settings = json.loads(header)
    del settings["sprt_model"]  # as before this field
    bench.log.write_text("\n".join([json.dumps(settings, separators=(",", ":")), *games]) + "\n")
    capsys.readouterr()
    assert bench.play("one", "random", *words) == 0
    assert "SPRT logistic [0, 200]" in capsys.readouterr().out
    assert bench.play("one", "random", *words, "--model", "normalized") == MISUSED
    assert "sprt_model was logistic, now normalized" in capsys.readouterr().err


def test_resumes_after_a_kill(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.play("wise", "random", "--games", "6")
    whole = bench.log.read_bytes()
    lines = whole.splitlines(keepends=True)
    bench.log.write_bytes(b"".join([lines[0], lines[2], lines[3], lines[5][:40]]))
    assert bench.play("wise", "random", "--games", "8", "--concurrency", "2") == 0
    assert sorted(record["game"] for record in bench.records()) == list(range(8))
    assert bench.log.read_bytes().startswith(lines[0] + lines[2] + lines[3])
    assert "8 games" in capsys.readouterr().out
    again = {line for line in bench.log.read_bytes().splitlines() if b'"time_ms"' in line}
    replayed = [json.loads(line)["moves"] for line in sorted(again, key=lambda line: json.loads(line)["game"])]
    assert replayed[:6] == [json.loads(line)["moves"] for line in lines[1:]]


def test_a_header_cut_short_is_written_anew(bench: Bench) -> None:
    bench.play("random", "random", "--games", "2")
    whole = bench.log.read_bytes()
    bench.log.write_bytes(whole[:30])
    bench.play("random", "random", "--games", "2")
    assert bench.log.read_bytes() == whole


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"(\n.*)$", r"\1\1"),
        (r'"players":\["A"', '"players":["X"'),
        (r'"first":\d', '"first":7'),
        (r'"winner":\d', '"winner":2'),
    ],
)
def test_a_log_whose_games_cannot_be_is_left_alone(
    bench: Bench, capsys: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    """A game that is there twice is not counted twice."""
    bench.play("one", "random", "--games", "2")
    edited = re.sub(before, after, bench.log.read_text().rstrip("\n"), count=1) + "\n"
    bench.log.write_text(edited)
    capsys.readouterr()
    assert bench.play("one", "random", "--games", "4") == FILE_FAILED
    assert f"{bench.log}: is damaged at byte" in capsys.readouterr().err
    assert match("stats", bench.log) == FILE_FAILED
    assert f"{bench.log}: is damaged at byte" in capsys.readouterr().err
    assert bench.log.read_text() == edited


def test_a_full_disk_ends_a_match_with_what_was_played(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(file: BinaryIO, data: bytes) -> None:
        if bench.log.stat().st_size:
            raise OSError(errno.ENOSPC, "No space left on device")
        file.write(data)

    monkeypatch.setattr("siqi.system.log.write_whole", full)
    assert bench.play("one", "random", "--games", "4") == FILE_FAILED
    printed = capsys.readouterr()
    assert printed.err.endswith(f"siqi match: {bench.log}: No space left on device; the same command goes on\n")
    assert "A against B, 1 games" in printed.out and len(bench.records()) == 1


def test_the_log_of_another_match_is_left_torn(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.play("random", "random", "--games", "2")
    torn = bench.log.read_bytes()[:-20]
    bench.log.write_bytes(torn)
    assert bench.play("random", "random", "--games", "2", "--seed", "9") == MISUSED
    assert "is the log of another match: seed was" in capsys.readouterr().err
    assert bench.log.read_bytes() == torn


def test_ctrl_c_ends_with_the_report(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add: Callable[..., None] = Log.add

    def add_or_break_off(log: Log, lines: list[bytes]) -> None:
        if len(bench.log.read_text().splitlines()) == 3:
            raise KeyboardInterrupt
        add(log, lines)

    monkeypatch.setattr(Log, "add", add_or_break_off)
    assert bench.play("wise", "random", "--games", "50", "--concurrency", "2") == 130
    assert len(bench.records()) == 2
    assert "A against B, 2 games" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--games", "3"), "even"),
        (("--nodes", "many"), "--nodes: a whole number"),
        (("--sprt", "5", "0"), "ELO0 must be below"),
        (("--openings", "none.txt"), "none.txt"),
        (("--concurrency", "0"), "a whole number from 1"),
    ],
)
def test_usage_errors(
    bench: Bench, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], complaint: str
) -> None:
    assert bench.play("one", "one", *options) == (FILE_FAILED if "none.txt" in options else MISUSED)
    assert complaint in capsys.readouterr().err


def test_bad_openings_name_their_line(bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("a1\n\na1 a7\n")
    assert bench.play("one", "one", "--openings", str(openings)) == MISUSED
    assert f"{openings}:3: a7: no such move" in capsys.readouterr().err


def test_other_settings_do_not_mix_with_a_log(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.play("random", "random", "--games", "2")
    before = bench.log.read_bytes()
    assert bench.play("random", "random", "--games", "2", "--seed", "9") == MISUSED
    assert "log of another match: seed was 1, now 9" in capsys.readouterr().err
    assert bench.log.read_bytes() == before


@pytest.mark.parametrize("content", [b"notes\n", b"notes", b'{"game": "ewn", "moves": []}\n{"ga'])
def test_a_foreign_file_is_left_alone(bench: Bench, content: bytes) -> None:
    bench.log.write_bytes(content)
    assert bench.play("random", "random") == FILE_FAILED
    assert bench.log.read_bytes() == content


def test_best_of_seven(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.play("wise", "one", "--games", "2", "--best-of", "7", "--concurrency", "2") == 0
    records = sorted(bench.records(), key=lambda record: record["game"])
    assert [record["game"] for record in records] == [0, 1, 2, 3, 7, 8, 9, 10]  # four wins decide a series
    assert [record["first"] for record in records] == [0, 1, 1, 0, 1, 0, 0, 1]
    assert "series 2-0, 0 undecided" in capsys.readouterr().out


def test_a_series_goes_on_where_it_was_broken_off(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.play("wise", "one", "--games", "1", "--best-of", "5") == 0
    whole = bench.log.read_bytes().splitlines(keepends=True)
    bench.log.write_bytes(b"".join(whole[:3]))
    assert bench.play("wise", "one", "--games", "1", "--best-of", "5") == 0
    assert [record["game"] for record in bench.records()] == [0, 1, 2]
    assert "series 1-0, 0 undecided" in capsys.readouterr().out


def test_records_of_games_that_a_fault_ended(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    records = tmp_path / "records"
    bad.write_text(
        "import sys\n"
        "answers = {'uci': 'option name UCI_Variant type string\\nuciok', 'isready': 'readyok', 'go': 'bestmove zz'}\n"
        "for line in sys.stdin:\n"
        "    print(answers.get(line.split()[0], ''), flush=True)\n"
    )
    words = ("ewn", shlex.join([sys.executable, str(bad)]), "random", "--games", "2", "--movetime", "500")
    assert match(*words, "--log", str(tmp_path / "m.jsonl"), "--records", str(records)) == 0
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) == 3
    assert not list(records.iterdir())  # no side was set up


def play_ewn(tmp_path: Path, *options: str) -> int:
    words = ("ewn", "random", "random", "--log", str(tmp_path / "m.jsonl"), *options)
    return match(*words, "--records", str(tmp_path / "records"))


def test_records_are_completed_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "records"
    assert play_ewn(tmp_path, "--games", "2") == 0
    first = (records / "00001.txt").read_bytes()
    (records / "00001.txt").unlink()  # as if killed between log and record
    assert play_ewn(tmp_path, "--games", "2") == 0
    assert (records / "00001.txt").read_bytes() == first
    own = first.replace(b"random", b"theirs")
    for name in ("00003.txt", "00002.txt"):  # to be played, and logged
        kept = (records / name).read_bytes() if (records / name).exists() else None
        (records / name).write_bytes(own)
        log = (tmp_path / "m.jsonl").read_bytes()
        assert play_ewn(tmp_path, "--games", "4") == FILE_FAILED
        assert capsys.readouterr().err.endswith(
            f"{records / name}: is another kind of file, left as it is; the same command goes on\n"
        )
        assert (records / name).read_bytes() == own and (tmp_path / "m.jsonl").read_bytes() == log
        (records / name).write_bytes(kept) if kept else (records / name).unlink()
    assert play_ewn(tmp_path, "--games", "4") == 0
    assert sorted(path.name for path in records.iterdir()) == [f"0000{number}.txt" for number in (1, 2, 3, 4)]


def test_a_log_that_another_match_writes_is_refused(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.play("random", "random", "--games", "2")
    before = bench.log.read_bytes()
    with files.open_json_lines(bench.log, lambda head: True, exclusive=True):
        assert bench.play("random", "random", "--games", "4") == FILE_FAILED
        assert "is being written by another process" in capsys.readouterr().err
        assert bench.log.read_bytes() == before
    assert bench.play("random", "random", "--games", "4") == 0


def test_no_shipped_log_names_a_folder_of_a_machine() -> None:
    paths = [path for path in (ROOT / "scripts/results").rglob("*.jsonl*") if path.is_file()]
    for path in paths:
        head = path.read_bytes()
        if path.suffix == ".zst":
            head = zstandard.ZstdDecompressor().stream_reader(head).read(4096)
        assert re.search(rb'["\' ]/\w+/', head[:4096]) is None, path
    assert len(paths) > 100


def test_the_shipped_logs_are_read() -> None:
    """Shipped logs are read, whatever fields the format has gained since."""
    games = {}
    folder = ROOT / "scripts/results"
    logs = {*folder.glob("*.jsonl"), *folder.glob("ewn-*.jsonl.zst")} - {folder / "sprt-simulation.jsonl"}
    for path in sorted(logs):
        reader = Reader()
        read_log(path, reader.read)
        assert reader.settings is not None
        assert len(reader.records) == reader.settings.games * (len(reader.settings.engines) - 1)  # gauntlets, too
        games[path.name.partition(".")[0]] = len(reader.records)
    clocks = {f"clock-{game}-{clock}s": count for game in registry.NAMES for clock, count in ((1, 200), (10, 40))}
    assert games == clocks | {
        "connect6-5-openings": 200,
        "connect6-7-openings": 200,
        "connect6-cloudict": 40,
        "connect6-cloudict-4": 100,
        "connect6-cloudict-4-before": 100,
        "connect6-cloudict-4-equal": 100,
        "connect6-cloudict-4-faster": 100,
        "connect6-cloudict-4-third": 100,
        "connect6-cloudict-4-value": 100,
        "connect6-cloudict-5-equal": 100,
        "connect6-cloudict-6-equal": 50,
        "connect6-before-1s": 40,
        "connect6-before-200ms": 100,
        "connect6-qgdan": 50,
        "connect6-songzhg": 50,
        "connect6-network": 126,
        "connect6-policy-5": 200,
        "connect6-policy-7": 200,
        "connect6-third-5": 200,
        "connect6-third-63": 126,
        "connect6-third-7": 200,
        "connect6-values": 200,
        "connect6-values-2": 200,
        "connect6-cloudict-policy": 40,
        "connect6-cloudict-third": 40,
        "connect6-cloudict-third-equal": 40,
        "connect6-cloudict-values": 40,
        "ewn-meinstein": 4000,
        "ewn-meinstein-setups": 567,
        "ewn-tcg": 200,
        "connect6-book": 100,
        "junqi-before": 234,
        "junqi-before-2": 166,
        "junqi-fade": 60,
        "junqi-fade-2": 100,
        "junqi-fade-before": 60,
        "junqi-fade-contact": 60,
        "junqi-fade-habits": 60,
        "junqi-gaga": 31,
        "junqi-gaga-2": 100,
        "junqi-sgfirst": 100,
        "xiangqi-endgames": 400,
        "xiangqi-fairy-stockfish": 200,
        "xiangqi-network": 400,
        "xiangqi-openings": 200,
        "xiangqi-peers-clock": 120,
        "xiangqi-peers-clock-two-threads": 80,
        "xiangqi-peers-movetime": 120,
        "xiangqi-pikafish-hce-wheel": 40,
        "xiangqi-peers-movetime-two-threads": 80,
        "xiangqi-pikafish-hce": 200,
        "xiangqi-pikafish-hce-2": 200,
        "xiangqi-version-of-the-terms": 200,
    }


@pytest.mark.parametrize("name", registry.NAMES)
def test_records_of_every_game_are_read_again(name: str, tmp_path: Path) -> None:
    log, folder = tmp_path / "m.jsonl", tmp_path / "records"
    words = (name, "random", "random", "--games", "2", "--max-plies", "40", "--log", str(log))
    occasion = ("--event", "Cup", "--team", "random=Zhangsan")
    assert match(*words, "--records", str(folder), *occasion) == 0
    records = registry.record_format(name)
    assert all("Zhangsan" in path.read_text(records.encoding) for path in folder.iterdir())
    for path, line in zip(sorted(folder.iterdir()), log.read_text().splitlines()[1:], strict=True):
        (game,) = records.load_stream().stream(io.StringIO(path.read_text(records.encoding)))
        played = json.loads(line)
        assert [word[:4] for word in game.moves[2:]] == [word[:4] for word in played["moves"][2:]]
        assert name != "junqi" or all(re.fullmatch(r"....=[0-3]", word) for word in game.moves[2:])
        assert game.result == (
            "1/2-1/2" if played["winner"] is None else ("1-0", "0-1")[played["winner"] != played["first"]]
        )


def play_tournament(bench: Bench, kind: str, *modes: str, options: tuple[str, ...] = ()) -> int:
    engines = [f"{mode}={bench.engine(mode, mode)}" + " nodes=7" * (mode != "random") for mode in modes]
    return match("xiangqi", "--tournament", kind, *engines, "--log", str(bench.log), "--nodes", "5", *options)


def test_a_round_robin(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        play_tournament(bench, "round-robin", "one", "wise", "illegal", options=("--games", "4", "--faults", "0")) == 0
    )
    records = bench.records()
    assert sorted(record["game"] for record in records) == list(range(12))
    for k, names in enumerate((("one", "wise"), ("one", "illegal"), ("wise", "illegal"))):
        pairing = [record for record in records if record["pair"] % 3 == k]
        assert len(pairing) == 4 and all(set(record["players"]) == set(names) for record in pairing)
    assert "go nodes 7" in bench.heard("wise")
    printed = capsys.readouterr().out
    table = re.search(r"xiangqi: round-robin of 3 engines, 12 games\n.*\n(.*)\n(.*)\n(.*)\n", printed)
    assert table is not None
    best, middle, worst = (line.split() for line in table.groups())
    assert best[1] == "wise" and best[2:] == ["-", "-", "8", "-", "4/4", "4/4"]
    assert middle[1] == "one" and middle[2:] == ["-", "-", "4", "0/4", "-", "4/4"]
    assert worst[1:] == ["illegal", "-", "-", "0", "0/4", "0/4", "-"]
    assert "no Elo: one, wise: too few games, as those with rated engines went one way" in printed
    assert "no Elo: illegal lost every game by an illegal move" in printed and "99% ms" not in printed
    assert "lost by illegal to wise: illegal 4, crash 0, time 0" in printed


def test_a_tournament_shows_each_engines_latency(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("xiangqi", "random", "random", "random", "--movetime", "500", "--games", "2")
    assert match(*words, "--log", str(bench.log)) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[1].split()[-4:] == ["99%", "ms", "worst", "ms"]
    assert all(-500 <= float(line.split()[-2]) <= float(line.split()[-1]) < 0 for line in table[2:5])


def test_a_gauntlet_goes_on_where_it_was_broken_off(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """More games of each pairing may be added, other engines not."""
    assert play_tournament(bench, "gauntlet", "one", "wise", "random", options=("--games", "2")) == 0
    lines = bench.log.read_bytes().splitlines(keepends=True)
    bench.log.write_bytes(b"".join(lines[:4]) + lines[4][:30])
    assert play_tournament(bench, "gauntlet", "one", "wise", "random", options=("--games", "4")) == 0
    assert sorted(record["game"] for record in bench.records()) == list(range(8))
    assert all("one" in record["players"] for record in bench.records())
    assert bench.log.read_bytes().startswith(b"".join(lines[:4]))
    assert re.search(r"^ ?\d one +\+0    0 ", capsys.readouterr().out, re.MULTILINE)  # the scale's origin
    assert play_tournament(bench, "gauntlet", "one", "wise", options=("--games", "4")) == MISUSED
    assert "is the log of another match: engines were one, wise, random, now one, wise" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("random",), "two engines"),
        (("random Hash=1", "siqi"), "engine random: random has no options"),
        (("a='x", "siqi"), "engine a='x: No closing quotation"),
        (("x Hash=1 y", "siqi"), "WORD=VALUE is expected behind Hash=1"),
        (("c=x nodes=many", "random"), "engine c: a bad limit"),
        (("c=x ranks=2", "random"), "engine c: a bad limit, or ranks"),
        (("c=x ranks=1", "random"), "only Xiangqi's ranks"),
        (("random", "siqi", "random", "--sprt", "0", "5"), "--sprt is for a match of two engines"),
        (("random", "random", "--tablebases"), "only xiangqi and ewn"),
        (("random", "random", "--event", "Cup"), "--team are for --records"),
        (("random", "random", "--records", "x", "--team", "b=x"), "with one of the engines random, "),
        (("random", "random", "--records", "x", "--team", "random"), "--team: ENGINE=TEAM, not random"),
    ],
)
def test_engines_that_make_no_match(
    bench: Bench, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    assert match("connect6", "--log", str(bench.log), *words) == MISUSED
    assert complaint in capsys.readouterr().err
    assert not bench.log.exists()


def test_tablebases_decide_games_of_xiangqi(tmp_path: Path) -> None:
    """A game of Xiangqi ends as soon as the tablebases know the result."""
    openings, log = tmp_path / "openings.txt", tmp_path / "m.jsonl"
    openings.write_text("4k4/9/9/9/9/9/9/9/4R4/3K5 b\n3k5/9/9/9/9/9/9/9/9/C3K4 w\n")
    words = ("xiangqi", "random", "random", "--games", "4", "--openings", str(openings))
    assert match(*words, "--tablebases", "--log", str(log)) == 0
    for line in log.read_text().splitlines()[1:]:
        game = json.loads(line)
        assert game["cause"] == "adjudicated"
        if "R" in game["opening"]:
            assert game["plies"] == 0 and game["winner"] == game["first"]
            assert re.fullmatch(r"tablebase mate in \d+ plies", game["reason"])
        else:
            assert game["winner"] is None and game["reason"] == "tablebase draw"


def test_a_mate_after_the_sixty_move_rule_is_none() -> None:
    game = registry.load("xiangqi")
    judge, position = tablebase_judge(game), game.position("4k4/9/9/9/9/9/9/9/4R4/3K5 b")
    actual = judge(position)
    assert actual is not None and actual.winner == 0
    position.record.quiet = 119
    assert judge(position) is None


def test_tablebases_decide_games_of_ewn(tmp_path: Path) -> None:
    """An adjudicated game is the beginning of the same game by the rules, and has its winner."""
    games = []
    for options in ((), ("--tablebases",)):
        log = tmp_path / f"{len(options)}.jsonl"
        words = ("ewn", "random", "random", "--games", "60", *options, "--log", str(log))
        assert match(*words) == 0
        games.append([json.loads(line) for line in log.read_text().splitlines()[1:]])
    ended = 0
    for whole, part in zip(*games, strict=True):
        assert whole["moves"][: part["plies"]] == part["moves"] and whole["winner"] == part["winner"]
        assert (part["cause"] == "adjudicated") == (part["plies"] < whole["plies"])
        ended += part["cause"] == "adjudicated"
    assert ended > 3


def test_scores_that_agree_decide_a_game(bench: Bench) -> None:
    """A game ends after the first score that names the winner, and two more scores."""
    assert bench.play("sure", "doubt", "--games", "2", "--agree", "500", "2") == 0
    games = bench.records()
    assert [(game["winner"], game["cause"]) for game in games] == [(0, "adjudicated")] * 2
    assert all(game["plies"] == 3 for game in games)


def test_faults_in_a_row_end_a_match(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken engine needs its operator; each game begins with a new process."""
    assert bench.play("one", "illegal", "--games", "100") == ENGINE_FAILED
    assert len(bench.records()) == 3
    assert "B: 3 games in a row lost by faults, the last by illegal: a9: no such move" in capsys.readouterr().err
    assert bench.heard("b").count("uci") in (3, 4)  # the next game may have begun
    assert bench.heard("a").count("uci") in (1, 2)


def test_a_log_has_the_time_and_the_score_of_each_move(bench: Bench) -> None:
    bench.play("sure", "slow", "--games", "2", "--openings", str(bench.opening("a3 a1")), limits="--depth 1")
    for game in bench.records():
        times, scores = game["times_ms"], game["scores"]
        assert len(times) == len(scores) == game["plies"] - 2
        sure, slow = (slice(side, None, 2) for side in (game["first"], 1 - game["first"]))
        assert set(scores[sure]) == {"#3"} and set(scores[slow]) == {0}
        assert min(times[slow]) > 190 > max(times[sure])
        assert sum(times[slow]) == pytest.approx(game["time_ms"][1], abs=1)


CONFIG = """
games = 2
nodes = 7
sprt = [0, 20]
tablebases = {tablebases}
[[engine]]
name = "x"
command = '''{command}'''
Strength = 3
depth = 2
[[engine]]
command = "random"
"""


def test_a_match_from_a_file(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    path = bench.folder / "match.toml"
    path.write_text(CONFIG.format(command=bench.engine("one", "a"), tablebases="false"))
    assert match("xiangqi", "--config", str(path), "--games", "4", "--log", str(bench.log)) == 0
    assert len(bench.records()) == 4  # the command line comes after the file
    assert "go depth 2" in bench.heard("a") and "setoption name Strength value 3" in bench.heard("a")
    assert "xiangqi: x against random, 4 games" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gmaes = 2", "no option gmaes"),
        ("games = 'many'", "argument --games: a whole number"),
        ("sprt = 5", "sprt: 2 values are needed"),
        ("tablebases = 1", "tablebases: true or false"),
        ("referee = 'us'", "argument --referee: one of siqi, pyffish, not us"),
        ("games = ", "Invalid value"),
        ("[[engine]]\nname = 'x'", "[[engine]] needs a command"),
        ("engine = 5", "[[engine]] needs a command"),
        ('[[engine]]\ncommand = "\'x"', "engine 'x: No closing quotation"),
        ("config = 'other.toml'", "no option config"),
    ],
)
def test_files_with_faults(bench: Bench, capsys: pytest.CaptureFixture[str], text: str, complaint: str) -> None:
    path = bench.folder / "match.toml"
    path.write_text(text)
    assert match("xiangqi", "random", "random", "--config", str(path), "--log", str(bench.log)) == MISUSED
    assert complaint in capsys.readouterr().err
    assert not bench.log.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
@pytest.mark.parametrize(
    ("kind", "stops"),
    [
        ("match", 5),
        pytest.param("match", 20, marks=pytest.mark.long),
        pytest.param("swiss", 20, marks=pytest.mark.long),
    ],
)
def test_a_match_killed_at_any_moment_ends_as_an_undisturbed_one(kind: str, stops: int, tmp_path: Path) -> None:
    """After a number of kills the table is the same, the log has each game once, and the records are whole."""
    engines = ["random", "b=random"] if kind == "match" else ["random", "b=random", "c=random", "d=random", "e=random"]
    words = [
        "match",
        "ewn",
        *engines,
        "--games",
        str(6 * stops),
        "--concurrency",
        "2",
        "--every",
        "1000",
        "--log",
        "m.jsonl",
    ]
    words += ["--records", "records"] if kind == "match" else ["--tournament", "swiss"]
    tables, games, records = [], [], []
    for kills in (0, stops):
        folder = tmp_path / str(kills)
        folder.mkdir()
        log, rng = folder / "m.jsonl", random.Random(kind)
        for number in range(kills):
            process = forked.ForkedProcess(folder, *words)
            goal = (log.stat().st_size if log.exists() else 0) + rng.randrange(8_000 if number else 1)
            while (log.stat().st_size if log.exists() else 0) < goal and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        done = forked.run(*words, folder=folder)
        assert done.returncode == 0
        tables.append(done.stdout.decode().partition("\n")[2])
        games.append(sorted(json.loads(line)["game"] for line in log.read_bytes().splitlines()[1:]))
        records.append({path.name: path.read_bytes() for path in folder.glob("records/*")})
    assert tables[0] == tables[1]
    assert games[0] == games[1] == list(range(len(games[0])))
    assert records[0] == records[1] and len(records[0]) == (6 * stops if kind == "match" else 0)


def test_a_fault_is_kept_with_its_dialogue(bench: Bench) -> None:
    bench.play("one", "crash", "--games", "2", "--faults", "0")
    for game in bench.records():
        assert game["cause"] == "crash" and game["versions"] == ["fake", "fake"]
        *_, position, go = game["dialogue"]
        assert re.fullmatch(r"> \d+ position startpos.*", position) and re.fullmatch(r"> \d+ go nodes 5", go)
        assert not any(line.endswith(" uci") for line in game["dialogue"])  # of this game alone
        assert game["start_ms"][1] >= 5  # a new process each time, and Python alone takes longer to start
    assert bench.records()[1]["start_ms"][0] == 0
    bench.log.unlink()
    bench.play("one", "loud", "--games", "2", "--faults", "0")
    assert all(game["dialogue"][-1] == "! nothing works" for game in bench.records())


def test_a_refused_engine_s_last_words_are_shown(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    program = bench.folder / "dumb.py"
    program.write_text("import sys, time\nsys.stderr.write('no licence\\n')\nsys.stderr.flush()\ntime.sleep(0.2)\n")
    engine = f"dumb={shlex.join((sys.executable, '-ISu', str(program)))} proto=uci"
    assert match("xiangqi", engine, "random", "--log", str(bench.log)) == ENGINE_FAILED
    assert re.search(r"dumb does not start: .*; on standard error: no licence", capsys.readouterr().err)


def test_a_log_of_other_settings_is_refused_in_words(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.play("one", "random", "--games", "2", limits="--movetime 40", words="Strength=3")
    capsys.readouterr()
    assert bench.play("one", "random", "--games", "2", "--max-plies", "9", limits="--movetime 50") == MISUSED
    words = "A: Strength was 3, now not given; A: movetime_ms was 40, now 50; B: movetime_ms was 40, now 50; "
    assert f"{words}max_plies was 0, now 9" in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "status"), [("swiss", MISUSED), ("round-robin", 0)])
def test_more_games_change_who_plays_whom_in_rounds(bench: Bench, kind: str, status: int) -> None:
    assert play_tournament(bench, kind, "one", "wise", "random", options=("--games", "2")) == 0
    assert play_tournament(bench, kind, "one", "wise", "random", options=("--games", "4")) == status
