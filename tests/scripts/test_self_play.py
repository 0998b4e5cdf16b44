"""Games of the engine against itself: legal, with the right result, repeatable, and kept if the run is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from fixture_files import ROOT
from game_logs import connect6_games

from scripts.common.records import SELF_PLAY, open_text, read_game_records
from scripts.match import self_play
from scripts.match.self_play import SelfPlaySettings, play

from siqi.games import registry
from siqi.system.log import RunLog, read_frames

PLAYED = SelfPlaySettings(game="xiangqi", nodes=100, random_plies=8, max_plies=14, seed=1)
OPTIONS = ("--nodes", "100", "--max-plies", "14", "--jobs", "2")


def settings(max_plies: int) -> SelfPlaySettings:
    return SelfPlaySettings(game="xiangqi", nodes=150, random_plies=6, max_plies=max_plies, seed=3)


def test_games_are_legal_and_repeatable() -> None:
    game = registry.load("xiangqi")
    for number in range(3):
        record = play(settings(60), number)
        position: Any = game.position()
        for word in record["moves"]:
            assert position.outcome() is None
            position.push(position.parse_move(word))
        assert json.dumps(play(settings(60), number)) == json.dumps(record)
    assert play(settings(60), 0)["moves"] != play(settings(60), 1)["moves"]


def fen_after(moves: list[str]) -> str:
    position: Any = registry.load("connect6").position()
    for word in moves:
        position.push(position.parse_move(word))
    return position.fen()  # type: ignore[no-any-return]


def test_games_begin_with_those_of_a_file_and_have_scores(tmp_path: Path) -> None:
    openings = connect6_games(tmp_path / "openings.jsonl")
    begun = [json.loads(line)["moves"] for line in openings.read_text().splitlines()]
    some = msgspec.structs.replace(
        settings(9), game="connect6", openings=str(openings), options={"Evaluation": "roads", "Width": "2"}
    )
    first, lengths = play(msgspec.structs.replace(some, options={}), 0), set()
    for number in range(6):
        record = play(some, number)
        length = len(record["moves"]) - len(record["scores"])
        lengths.add(length)
        assert 2 <= length <= 6
        assert fen_after(record["moves"][:length]) in {fen_after(moves[:length]) for moves in begun}
        assert all(type(score) is int for score in record["scores"])
    assert len(lengths) > 1
    assert play(some, 0) != first


def test_a_file_without_openings_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openings = connect6_games(tmp_path / "openings.jsonl")
    words = ["self_play.py", "xiangqi", str(tmp_path / "games.jsonl"), "--openings", str(openings)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        self_play.main()
    assert ended.value.code == 2 and not (tmp_path / "games.jsonl").exists()


def test_a_game_cut_off_is_a_draw() -> None:
    record = play(settings(7), 0)
    assert len(record["moves"]) == 7 and record["result"] == "1/2-1/2"


# The run and its file


def start(path: Path, games: int) -> subprocess.Popen[str]:
    script = [sys.executable, str(ROOT / "scripts/match/self_play.py"), "xiangqi", str(path), *OPTIONS]
    script += ["--games", str(games)]
    return subprocess.Popen(script, cwd=path.parent, text=True, stderr=subprocess.PIPE, start_new_session=True)


def children(process: subprocess.Popen[str]) -> list[int]:
    """Return the workers of a run."""
    pids = []
    for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text():
            pids.append(int(pid))
    return pids


@pytest.mark.parametrize(
    ("break_off", "status", "line"),
    [
        (lambda process: os.kill(children(process)[0], signal.SIGKILL), 1, "a worker process was killed"),
        (lambda process: os.killpg(process.pid, signal.SIGINT), 130, "interrupted"),
    ],
    ids=["a killed worker", "ctrl-c"],
)
def test_a_run_that_is_broken_off_keeps_its_games(
    tmp_path: Path, break_off: Callable[[subprocess.Popen[str]], None], status: int, line: str
) -> None:
    """An interrupted run ends with one line, and its games are kept."""
    path = tmp_path / "games.jsonl"
    process = start(path, 100_000)
    try:
        while not path.exists() or path.read_bytes().count(b"\n") < 6:
            assert process.poll() is None
            time.sleep(0.01)
        count = path.read_bytes().count(b"\n")
        workers = children(process)
        break_off(process)
        assert process.communicate(timeout=60)[1] == f"self_play.py: {line}\n"
        assert process.returncode == status
        for pid in workers:
            assert not Path(f"/proc/{pid}").exists()
    finally:
        os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
    log = RunLog(path, SELF_PLAY, msgspec.to_builtins(PLAYED))
    log.close()
    assert path.read_bytes().count(b"\n") - 1 == len(log.numbers) >= count - 1


def test_a_write_that_fails_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[list[bytes]] = []

    def add(log: RunLog, games: list[bytes]) -> None:
        batches.append(games)
        raise OSError(28, "No space left on device", "games.jsonl")

    monkeypatch.setattr(RunLog, "add", add)
    words = ["self_play.py", "xiangqi", str(tmp_path / "games.jsonl"), *OPTIONS, "--games", "4"]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setattr("scripts.common.runs.BATCH_S", 0.0)
    with pytest.raises(SystemExit):
        self_play.main()
    assert sum(1 for games in batches if games) == 1


def lines(path: Path) -> list[str]:
    with open_text(path) as file:
        return file.read().splitlines()


@pytest.mark.parametrize("name", ["games.jsonl.zst", pytest.param("games.jsonl", marks=pytest.mark.long)])
def test_a_run_that_is_killed_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / name
    process = start(path, 100_000)
    while not path.exists() or len(path.read_bytes()) < 1000:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)  # to the end of the workers, which have its standard error open too
    before = path.read_bytes()
    count = max(json.loads(line)["number"] for line in lines(path)[1:]) + 1 + 8  # games finish in any order
    half = b'{"game":"xiangqi","number":1,"mov'
    with path.open("ab") as file:  # as if killed in the middle of a write
        file.write(zstandard.ZstdCompressor().compress(half)[:-3] if path.suffix == ".zst" else half)
    process = start(path, count)
    assert process.communicate(timeout=300)[1] == "" and process.returncode == 0
    assert path.read_bytes().startswith(before)
    first, *games = lines(path)
    assert json.loads(first) == {"self_play": msgspec.to_builtins(PLAYED)}
    # The games equal those of an uninterrupted run.
    whole = {msgspec.json.encode(play(PLAYED, number)).decode() for number in range(count)}
    assert len(games) == count and set(games) == whole
    assert [file.name for file in tmp_path.iterdir()] == [name]

    reported: list[str] = []
    assert len(list(read_game_records(path, reported.append))) == count and not reported
    before = path.read_bytes()
    monkeypatch.setattr("sys.argv", ["self_play.py", "xiangqi", str(path), *OPTIONS, "--seed", "2"])
    with pytest.raises(SystemExit) as ended:
        self_play.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"self_play.py: {path}: has games of other settings: seed was 1, now 2\n"
    assert path.read_bytes() == before


def test_games_of_connect6_are_read_as_such(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl.zst"
    log = RunLog(path, SELF_PLAY, {})
    record = play(SelfPlaySettings(game="connect6", nodes=50, random_plies=1, max_plies=3, seed=1), 0)
    log.add([msgspec.json.encode(record)])
    log.close()
    reported: list[str] = []
    assert [list(game.moves) for game in read_game_records(path, reported.append, "connect6")] == [
        record["moves"]
    ] and not reported
    assert not list(read_game_records(path, reported.append, "xiangqi"))


FOREIGN = (
    b'[Event "mine"]\n\n1. C2.5 H8+7 *\n',
    b'{"moves": ["h2e2"], "result": "1-0"}\n{"mov',
    zstandard.ZstdCompressor().compress(b'{"moves":["h2e2"],"result":"1-0"}\n'),
)


@pytest.mark.parametrize("content", FOREIGN, ids=["pgn", "games", "compressed"])
@pytest.mark.parametrize("name", ["games.jsonl.zst", "games.jsonl"])
def test_what_is_not_ours_is_left_alone(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(OSError, match="another kind of file"):
        RunLog(path, SELF_PLAY, {"seed": 1})
    assert path.read_bytes() == content


def test_names_of_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"ends in \.jsonl or \.zst"):
        RunLog(tmp_path / "games.pgn", SELF_PLAY, {})
    assert not list(tmp_path.iterdir())


def test_torn_and_damaged_frames(tmp_path: Path) -> None:
    path = tmp_path / "games.zst"
    log = RunLog(path, SELF_PLAY, {"seed": 1})
    sizes = [path.stat().st_size]
    for number in range(3):
        log.add([json.dumps({"number": 2 * number + i, "moves": ["x" * 300]}).encode() for i in range(2)])
        sizes.append(path.stat().st_size)
    log.close()
    whole = path.read_bytes()
    for end in range(sizes[0], len(whole)):
        path.write_bytes(whole[:end])
        log = RunLog(path, SELF_PLAY, {"seed": 1})
        frames = sum(size <= end for size in sizes)
        assert log.numbers == set(range(2 * (frames - 1))) and path.stat().st_size == sizes[frames - 1]
        log.close()
    path.write_bytes(whole[:-5])
    assert [len(record.moves) for record in read_game_records(path, lambda line: None)] in ([1] * 4, [1] * 5)
    damaged = whole[: sizes[1] + 20] + bytes([whole[sizes[1] + 20] ^ 255]) + whole[sizes[1] + 21 :]
    path.write_bytes(damaged)
    with pytest.raises(OSError, match=f"is damaged at byte {sizes[1]}; left as it is"):
        RunLog(path, SELF_PLAY, {"seed": 1})
    assert path.read_bytes() == damaged


def test_a_damaged_frame_takes_no_later_one_with_it(tmp_path: Path) -> None:
    """A damaged byte in a frame's headers is reported; a frame that seems to exceed the file does not count as cut."""
    path = tmp_path / "games.zst"
    log = RunLog(path, SELF_PLAY, {"seed": 1})
    start = path.stat().st_size
    for number in range(3):
        log.add([json.dumps({"number": number, "moves": ["x" * 300]}).encode()])
    log.close()
    whole = path.read_bytes()
    for at in range(start, start + 12):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << bit
            path.write_bytes(damaged)
            try:
                log = RunLog(path, SELF_PLAY, {"seed": 1})
            except OSError as error:
                place = re.fullmatch(r"is damaged at byte (\d+); left as it is", error.strerror)
                assert place and int(place[1]) >= start  # later, where a frame only seems to end early
            else:  # a bit without meaning
                assert log.numbers == {0, 1, 2}
                log.close()
            assert path.read_bytes() == damaged


def test_a_log_of_other_settings_is_left_torn(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    log = RunLog(path, SELF_PLAY, {"seed": 1})
    log.add([b'{"number":0}'])
    log.close()
    torn = path.read_bytes() + b'{"number":1,"mo'
    path.write_bytes(torn)
    with pytest.raises(OSError, match="seed was 1, now 2"):
        RunLog(path, SELF_PLAY, {"seed": 2})
    assert path.read_bytes() == torn
    path.write_bytes(torn + b"\n")
    with pytest.raises(OSError, match=f"is damaged at byte {len(torn) - 15}; left as it is"):
        RunLog(path, SELF_PLAY, {"seed": 1})
    path.write_bytes(torn)
    log = RunLog(path, SELF_PLAY, {"seed": 1})
    assert log.numbers == {0} and path.read_bytes() == torn[:-15]
    log.close()


def test_frames_longer_than_a_read(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    texts = [bytes(f"{number} ", "ascii") * 40_000 + b"\n" for number in range(3)]
    packed = [zstandard.ZstdCompressor(-5).compress(text) for text in texts]
    path.write_bytes(b"".join(packed))
    with path.open("rb") as file:
        frames = list(read_frames(file))
    assert frames == [(sum(map(len, packed[: i + 1])), [text.rstrip(b"\n")]) for i, text in enumerate(texts)]
