"""Other authors' programs drive the daemon in whole games: cchess, fairyfishnet's worker, CuteGames, the UCCI league's
referee, Sylvan, and a match with Fairy-Stockfish.

By default cchess plays one game; the other games are marked `long`.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from client import START_TIMEOUT_S, Client

from siqi.daemon.command_line import run
from siqi.games.shape import shift_ranks
from siqi.games.xiangqi.library.board import Board

ROOT = Path(__file__).parents[2]
PATH = f"{os.environ['PATH']}:/usr/games"
START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


@pytest.mark.parametrize("protocol", [pytest.param("Uci", marks=pytest.mark.long), "Ucci"])
def test_cchess(protocol: str, siqi: Path) -> None:
    """cchess sends CRLF, uses `setoption name N value V` even in UCCI, and reads a score from an earlier line."""
    cchess = pytest.importorskip("cchess.engine", reason="cchess is not installed")
    client = getattr(cchess, f"{protocol}Engine")()
    assert client.load(str(siqi))
    try:
        assert client.wait_for_ready()
        assert client.ids["name"].startswith("Siqi")
        assert any("Hash" in option for option in client.options)
        client.set_option("Hash", 16)
        board = Board()
        while board.outcome() is None:
            assert client.go_from(board.fen(), {"depth": 3})
            action = wait_for_move(client)
            assert action["action"] == "bestmove", action
            assert isinstance(action.get("score", action.get("mate")), int), action
            assert action["moves"][0] == action["move"]
            board.push_uci(action["move"])
        assert len(board.move_stack) > 10
        client.go_from("R3k4/R8/9/9/9/9/9/9/9/3K5 b - - 0 1", {"depth": 4})
        assert wait_for_move(client)["action"] == "dead"
    finally:
        client.quit()
    assert client.process.wait(10) == 0


def wait_for_move(client: Any) -> dict[str, Any]:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        action: dict[str, Any] | None = client.get_action()
        if action is not None and action["action"] in ("bestmove", "dead", "draw"):
            return action
        time.sleep(0.001)
    raise AssertionError("no move")


@pytest.fixture
def worker(siqi: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a worker of fairyfishnet with this engine for Fairy-Stockfish, without its check of chess positions."""
    module = pytest.importorskip("fairyfishnet.worker", reason="fairyfishnet is not installed")
    conf = configparser.ConfigParser()
    conf.read_dict({"Fishnet": {"EngineDir": str(siqi.parent), "Key": "none"}, "Stockfish": {"UCI_Coordinates": "1"}})
    monkeypatch.setattr(module, "get_stockfish_command", lambda conf, update: str(siqi))
    worker = module.Worker(conf, threads=1, memory=16, progress_reporter=None)
    worker.start_stockfish()
    yield worker
    worker.kill_stockfish()


def test_a_job_of_fairyfishnet_for_a_move(worker: Any) -> None:
    """The worker reads the position from `d` and its `Fen:`."""
    work = {"id": "1", "type": "move", "level": 3}
    job = {"work": work, "variant": "xiangqi", "position": START, "moves": "h3e3 h10g8"}
    answer = worker.bestmove(job)
    assert answer["stockfish"]["name"].startswith("Siqi")
    board = Board()
    for move in ("h2e2", "h9g7"):
        board.push_uci(move)
    assert answer["move"]["fen"].split()[:2] == board.fen().split()[:2]
    assert answer["move"]["bestmove"] in [shift_ranks(move.uci(), 1) for move in board.legal_moves]


@pytest.mark.long
def test_a_game_by_jobs_of_fairyfishnet(worker: Any) -> None:
    board = Board()
    moves: list[str] = []
    job = {"work": {"id": "3", "type": "move", "level": 3}, "variant": "xiangqi", "position": START}
    while board.outcome() is None:
        moves.append(worker.bestmove(job | {"moves": " ".join(moves)})["move"]["bestmove"])
        board.push_uci(shift_ranks(moves[-1], -1))
    assert len(moves) > 10


def test_a_job_of_fairyfishnet_for_an_analysis(worker: Any) -> None:
    work = {"id": "2", "type": "analysis"}
    job = {"work": work, "variant": "xiangqi", "position": START, "moves": "h3e3 h10g8 h1g3", "nodes": 20_000}
    rows = worker.analysis(job | {"skipPositions": [1]})["analysis"]
    assert len(rows) == 4
    assert rows[1] == {"skipped": True}
    for row in (rows[0], rows[2], rows[3]):
        assert row["nodes"] <= 21_000 and row["depth"] > 3 and row["nps"] > 0
        assert isinstance(row["score"]["cp"], int)
        assert row["pv"].split()[0] == row["bestmove"]


@pytest.mark.skipif(shutil.which("fairy-stockfish", path=PATH) is None, reason="not installed: fairy-stockfish")
@pytest.mark.parametrize("ranks", [0, 1])
@pytest.mark.long
def test_twenty_games_against_fairy_stockfish(ranks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten games have ranks from 0, ten from 1; another library is the referee, and any difference in legal moves ends
    the match."""
    pytest.importorskip("pyffish", reason="pyffish is not installed")
    monkeypatch.setenv("PATH", PATH)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    openings = tmp_path / "openings.txt"
    openings.write_text("h2e2 h9g7\nb0c2 c6c5\nc3c4 g6g5\nh0g2 b9c7\ng3g4 b7e7\n")
    log = tmp_path / "log.jsonl"
    engines = (f"siqi@UCI_Coordinates={ranks},ranks={ranks}", "fairy-stockfish ranks=1")
    conditions = f"--depth 3 --games 10 --max-plies 160 --openings {openings} --referee pyffish --log {log}"
    assert run(["match", "xiangqi", *engines, *conditions.split()]) == 0
    games = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    assert len(games) == 10
    assert {game["cause"] for game in games} <= {"rules", "adjudicated"}, games


def test_the_dialogue_of_liground() -> None:
    """LiGround sets options that are not listed. It shows a line by its rank, and only if its first move is legal with
    ranks from 1; a line with the word `error` would appear in its console."""
    pyffish = pytest.importorskip("pyffish", reason="pyffish is not installed")
    options = (
        "UCI_Variant value xiangqi", "UCI_Chess960 value false", "MultiPV value 1", "UCI_Coordinates value 1",
        "UCI_AnalyseMode value true", "Analysis Contempt value Off",
    )  # fmt: skip
    with Client("uci") as client:
        client.expect("uciok")
        client.sync()
        client.send(*(f"setoption name {option}" for option in options))
        fen = START
        for _ in range(4):
            client.ask(f"position fen {fen}", "go infinite", until=lambda line: " depth 3 " in line)
            lines = client.ask("stop", until="bestmove")
            legal = pyffish.legal_moves("xiangqi", fen, [])
            matches = [re.fullmatch(r"info .* multipv 1 .* pv (\S+).*", line) for line in lines[:-1]]
            assert all(match is not None and match[1] in legal for match in matches), lines
            fen = pyffish.get_fen("xiangqi", fen, [lines[-1].split()[1]])
        assert not any("error" in line or "option ignored" in line for line in client.seen)


CUTEGAMES = os.environ.get("CUTEGAMES") or shutil.which("cutegames")


@pytest.mark.skipif(CUTEGAMES is None, reason="not installed: cutegames (or its path in CUTEGAMES)")
@pytest.mark.parametrize("game", ["xiangqi", "connect6"])
@pytest.mark.long
def test_games_by_cutegames(game: str, siqi: Path, tmp_path: Path) -> None:
    """In two games with colours reversed the engines agree on both ends, and no game is forfeited."""
    assert CUTEGAMES is not None
    (tmp_path / "openings.txt").write_text("startpos\n")
    settings = {
        "games": 2,
        "game": "generic",
        "protocol": {"askturn": True, "gameover": "both"},
        "openings": {"path": str(tmp_path / "openings.txt"), "repeat": True},
        "timecontrol": {"type": "clock", "time": 1500, "increment": 10},
        "options": {"UCI_Variant": game, "Hash": "16"},
        "pgn": {"enabled": True, "path": str(tmp_path / "games.pgn")},
        "engines": [{"name": name, "path": str(siqi), "protocol": "UGI"} for name in ("A", "B")],
    }
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    command = [CUTEGAMES, "--settings", str(tmp_path / "settings.json")]
    subprocess.run(command, check=True, capture_output=True, timeout=START_TIMEOUT_S)
    games = (tmp_path / "games.pgn").read_text()
    assert len(re.findall(r'\[Result "(?:1-0|0-1|1/2-1/2)"\]', games)) == 2, games
    assert "Adjudicated" not in games


@pytest.fixture
def warm_siqi(siqi: Path) -> Path:
    """Return the engine command, with all kernels of Xiangqi compiled: these clients wait for some seconds only."""
    with Client("position startpos") as client:
        client.sync()
    return siqi


UCCILEAG = os.environ.get("UCCILEAG") or shutil.which("uccileag")


@pytest.mark.skipif(UCCILEAG is None, reason="not installed: uccileag (or its path in UCCILEAG)")
@pytest.mark.long
def test_games_by_the_ucci_league_s_referee(warm_siqi: Path, tmp_path: Path) -> None:
    """Two games with colours reversed end properly; the referee sends no `isready`, and `nobestmove` would resign."""
    assert UCCILEAG is not None
    referee = shutil.copy(UCCILEAG, tmp_path)  # it reads its settings from its own folder
    (tmp_path / "options.txt").write_text("setoption Skill_Level 5\nsetoption hashsize 0\n")
    teams = "".join(f"Team={name},{name},2000,20,{warm_siqi},options.txt\n" for name in ("AAA", "BBB"))
    league = "[League]\nInitialTime=1\nIncrementalTime=0\nStoppingTime=200\nStandardCpuTime=500\n"
    (tmp_path / "UCCILEAG.INI").write_text(f"{league}[Teams]\n{teams}")
    subprocess.run([referee], check=True, capture_output=True, timeout=START_TIMEOUT_S, cwd=tmp_path)
    for name in ("AAA-BBB0", "BBB-AAA0"):
        game = (tmp_path / f"{name}.PGN").read_text(encoding="gb18030")
        assert re.search(r'\[Result "(?:1-0|0-1|1/2-1/2)"\]', game)
        assert not re.search("超时|违例|认输", game), game  # out of time, illegal, resigned
        log = (tmp_path / f"{name}.LOG").read_text(encoding="gb18030")
        assert log.count(":ucciok\n") == log.count(":bye\n") == 2
        assert "info message" not in log


SYLVAN = os.environ.get("SYLVAN_CLI") or shutil.which("sylvan-cli")


@pytest.mark.skipif(SYLVAN is None, reason="not installed: sylvan-cli (or its path in SYLVAN_CLI)")
@pytest.mark.parametrize("ponder", [[], ["ponder"]])
@pytest.mark.long
def test_games_by_sylvan(ponder: list[str], warm_siqi: Path, tmp_path: Path) -> None:
    """Two games of UCCI against UCI, with colours reversed, end properly."""
    assert SYLVAN is not None
    engines = [f"-engine name={name} cmd={warm_siqi} proto={name.lower()}".split() for name in ("UCCI", "UCI")]
    each = ["-each", "tc=60+1", "depth=4", *ponder]
    command = [SYLVAN, *engines[0], *engines[1], *each, "-games", "2", "-debug"]
    played = subprocess.run(command, check=True, capture_output=True, timeout=START_TIMEOUT_S, cwd=tmp_path, text=True)
    ends = re.findall(r"^Finished game \d \(.*\): (1-0|0-1|1/2-1/2) \{(.*)\}$", played.stdout, re.MULTILINE)
    assert len(ends) == 2, played.stdout[-2000:]
    assert not [why for _, why in ends if re.search("Timeout|llegal|disconnect|stall|crash", why)]
    assert not re.search("<UCCI.*info message|<UCI.*info string error", played.stdout)
    # "Illegal PV move" is a line in which a check is repeated: Sylvan forbids that earlier than the rules do.
    assert not re.search("Unexpected move|Illegal ponder|Premature|Invalid", played.stderr), played.stderr[-2000:]
