"""Games that the engine plays with itself: legal, ended as their result says, the same again with the same options,
and kept whatever kills the run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import self_play
import zstandard
from _gamelog import GameLog, read_frames
from _records import open_text, read_records
from conftest import ROOT
from self_play import Settings, play

from games import registry

PLAYED = Settings(game="xiangqi", nodes=100, random_plies=8, max_plies=14, seed=1)
OPTIONS = ("--nodes", "100", "--max-plies", "14", "--jobs", "2")


def settings(max_plies: int) -> Settings:
    return Settings(game="xiangqi", nodes=150, random_plies=6, max_plies=max_plies, seed=3)


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


def test_a_game_cut_off_is_a_draw() -> None:
    record = play(settings(7), 0)
    assert len(record["moves"]) == 7 and record["result"] == "1/2-1/2"


# The file


def start(path: Path, games: int) -> subprocess.Popen[str]:
    script = [sys.executable, str(ROOT / "scripts" / "self_play.py"), "xiangqi", str(path), *OPTIONS]
    script += ["--games", str(games)]
    return subprocess.Popen(script, cwd=path.parent, text=True, stderr=subprocess.PIPE)


def lines(path: Path) -> list[str]:
    with open_text(path) as file:
        return file.read().splitlines()


@pytest.mark.parametrize("name", ["games.jsonl.zst", "games.jsonl"])
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
    count = len(lines(path)) - 1 + 20
    half = b'{"game":"xiangqi","number":1,"mov'
    with path.open("ab") as file:  # as if killed in the middle of a write
        file.write(zstandard.ZstdCompressor().compress(half)[:-3] if path.suffix == ".zst" else half)
    process = start(path, count)
    assert process.communicate(timeout=300)[1] == "" and process.returncode == 0
    assert path.read_bytes().startswith(before)
    first, *games = lines(path)
    assert json.loads(first) == {"self_play": msgspec.to_builtins(PLAYED)}
    # The same games as a run that nothing breaks off has.
    whole = {msgspec.json.encode(play(PLAYED, number)).decode() for number in range(count)}
    assert len(games) == count and set(games) == whole
    assert [file.name for file in tmp_path.iterdir()] == [name]

    said: list[str] = []
    assert len(list(read_records(path, said.append))) == count and not said
    before = path.read_bytes()
    monkeypatch.setattr("sys.argv", ["self_play.py", "xiangqi", str(path), *OPTIONS, "--seed", "2"])
    with pytest.raises(SystemExit) as ended:
        self_play.main()
    assert ended.value.code == 2
    told = f"self_play.py: {path}: has games of other settings: seed was 1, now 2\n"
    assert capsys.readouterr().err == told
    assert path.read_bytes() == before


def test_games_of_connect6_are_read_as_such(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl.zst"
    log = GameLog(path, {})
    record = play(Settings(game="connect6", nodes=50, random_plies=1, max_plies=3, seed=1), 0)
    log.add([msgspec.json.encode(record)])
    log.close()
    said: list[str] = []
    assert [game.moves for game in read_records(path, said.append, "connect6")] == [record["moves"]] and not said
    assert not list(read_records(path, said.append, "xiangqi"))


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
        GameLog(path, {"seed": 1})
    assert path.read_bytes() == content


def test_names_of_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"ends in \.jsonl or \.zst"):
        GameLog(tmp_path / "games.pgn", {})
    assert not list(tmp_path.iterdir())


def test_torn_and_damaged_frames(tmp_path: Path) -> None:
    path = tmp_path / "games.zst"
    log = GameLog(path, {"seed": 1})
    sizes = [path.stat().st_size]
    for number in range(3):
        log.add([json.dumps({"number": 2 * number + i, "moves": ["x" * 300]}).encode() for i in range(2)])
        sizes.append(path.stat().st_size)
    log.close()
    whole = path.read_bytes()
    for end in range(sizes[0], len(whole)):
        path.write_bytes(whole[:end])
        log = GameLog(path, {"seed": 1})
        frames = sum(size <= end for size in sizes)
        assert log.numbers == set(range(2 * (frames - 1))) and path.stat().st_size == sizes[frames - 1]
        log.close()
    path.write_bytes(whole[:-5])
    assert [len(record.moves) for record in read_records(path, lambda line: None)] in ([1] * 4, [1] * 5)
    damaged = whole[: sizes[1] + 20] + bytes([whole[sizes[1] + 20] ^ 255]) + whole[sizes[1] + 21 :]
    path.write_bytes(damaged)
    with pytest.raises(OSError, match="damaged"):
        GameLog(path, {"seed": 1})
    assert path.read_bytes() == damaged


def test_frames_longer_than_a_read(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    texts = [bytes(f"{number} ", "ascii") * 40_000 + b"\n" for number in range(3)]
    path.write_bytes(b"".join(zstandard.ZstdCompressor(-5).compress(text) for text in texts))
    seen: list[bytes] = []
    with path.open("rb") as file:
        assert read_frames(file, seen.append) == path.stat().st_size
    assert seen == [text.rstrip(b"\n") for text in texts]
