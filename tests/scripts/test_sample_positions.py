"""Positions from games of the engine against itself: legal, with the right result, the same after an interruption."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest
from fixture_files import ROOT

from scripts.network import sample_positions
from scripts.network.sample_positions import GameTask, SampleSettings, play, read_openings
from scripts.network.samples import SampleFile, Samples, read_samples, read_settings
from scripts.network.sampling import MAX_SCORE, Search, label_static, set_up_sample

from siqi.daemon.match.game_loop import GameEnd, Opening, Referee
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.evaluation.choice import choose
from siqi.games.xiangqi.evaluation.network import NETWORK_BOOK
from siqi.games.xiangqi.rules.work import MAX_PLY

SETTINGS = SampleSettings(
    labels="leaves",
    nodes=200,
    every=20,
    label_nodes=100,
    openings="",
    opening_plies=8,
    random_plies=4,
    level=200,
    decided=1200,
    max_plies=200,
    seed=1,
)


def settings(**changes: Any) -> SampleSettings:
    return msgspec.structs.replace(SETTINGS, **changes)


class Played(NamedTuple):
    """A game that was played."""

    game_end: GameEnd
    words: list[str]
    start: int
    """Plies of its opening."""

    @property
    def result(self) -> int:
        return {None: 0, 0: 1, 1: -1}[self.game_end.winner]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Played]:
    """Return a list that receives each game played."""
    games: list[Played] = []
    play_moves = sample_positions.play_moves

    def watch(referee: Referee, *rest: Any) -> GameEnd:
        start = len(referee.words)
        games.append(Played(play_moves(referee, *rest), referee.words, start))
        return games[-1].game_end

    monkeypatch.setattr(sample_positions, "play_moves", watch)
    return games


# Games


@pytest.mark.long
def test_roots_are_the_quiet_positions_of_a_game(played: list[Played]) -> None:
    """Samples have the game's result; the first has the score of a search with empty tables."""
    search = Search(choose("terms"))
    for number in range(5):
        samples = play(GameTask(settings(labels="roots", label_nodes=0, seed=2), number, None))
        game = played[number]
        assert (samples["result"] == game.result).all() and (abs(samples["score"]) < MAX_SCORE).all()
        by_ply = {int(sample["ply"]): sample for sample in samples}
        assert len(by_ply) == len(samples) > 10
        position, quiet = XiangqiPosition(), set()
        for ply, word in enumerate(game.words):
            move = position.parse_move(word)
            if ply >= game.start and not position.is_check() and position.record.board[move >> 7] == 0:
                quiet.add(ply)
            if ply == game.start:
                search.clear()
                first = search.score(position.record, SETTINGS.nodes)
                assert search.best_move == move and (ply not in by_ply or by_ply[ply]["score"] == first)
            if ply in by_ply:
                assert by_ply[ply]["square"].tobytes() == position.record.square[16:48].tobytes()
                assert by_ply[ply]["turn"] == position.turn
            position.push(move)
        assert set(by_ply) <= quiet and len(by_ply) > 0.8 * len(quiet)  # the rest have scores of at least MAX_SCORE
    assert len({game.result for game in played}) > 1


def test_leaves_are_legal_and_have_their_games_result(played: list[Played]) -> None:
    for number in range(2):
        samples = play(GameTask(SETTINGS, number, None))
        game = played[number]
        assert len(samples) > 50 and (abs(samples["score"]) < MAX_SCORE).all()
        assert (samples["result"] == game.result).all()
        assert game.start < samples["ply"].min() and samples["ply"].max() <= len(game.words) + MAX_PLY
        for index in range(0, len(samples), 14):
            position = XiangqiPosition()
            set_up_sample(position.record, samples, index)
            assert not position.is_check() and XiangqiPosition(position.fen()).count_legal() > 0


def test_without_label_nodes_the_score_is_the_static_evaluation() -> None:
    samples = play(GameTask(settings(label_nodes=0), 0, None))
    assert len(samples) > len(play(GameTask(SETTINGS, 0, None)))
    assert samples["score"].tolist() == label_static(samples).tolist()


def test_games_depend_on_number_and_settings_alone() -> None:
    first = play(GameTask(SETTINGS, 0, None)).tobytes()
    others = [
        play(GameTask(SETTINGS, 1, None)),
        play(GameTask(settings(seed=2), 0, None)),
        play(GameTask(SETTINGS, 0, None)),
    ]
    assert others[2].tobytes() == first and first not in (others[0].tobytes(), others[1].tobytes())


def test_a_game_ends_by_the_tablebase(played: list[Played]) -> None:
    """A rook against a bare king wins by the tablebase at once, before scores could decide; so no move is played."""
    for fen, result in (("3k5/9/9/9/9/9/9/9/R8/4K4 b", 1), ("3k5/r8/9/9/9/9/9/9/9/4K4 w", -1)):
        samples = play(GameTask(settings(level=30_000, random_plies=0), 0, Opening("", fen)))
        game = played.pop()
        end = game.game_end
        assert (end.cause, end.reason[:14], game.result) == ("adjudicated", "tablebase mate", result)
        assert not game.words and len(samples) == 0


def test_the_ply_limit_makes_a_draw_and_a_clear_score_a_win(played: list[Played]) -> None:
    samples = play(GameTask(settings(labels="roots", label_nodes=0, max_plies=20), 0, None))
    assert played[0].game_end == GameEnd(None, "adjudicated", "20 plies") and len(played[0].words) == 20
    assert len(samples) > 0 and (samples["result"] == 0).all()
    play(GameTask(settings(decided=1), 0, None))
    assert played[1].game_end.reason == "scores agreed for 6 plies" and played[1].game_end.winner is not None


# Openings


def test_games_begin_as_the_openings_do(played: list[Played]) -> None:
    moves = ["h2e2", "h9g7", "h0g2", "i9h9"]
    for number in range(6):
        play(GameTask(settings(random_plies=0, opening_plies=4, max_plies=6), number, Opening("", None, moves)))
    assert all(game.words[: game.start] == moves[: game.start] for game in played)
    starts = {game.start for game in played}
    assert len(starts) > 2 and max(starts) <= 4
    broken = Opening("", None, [*moves[:2], "a0a9"])  # ends where it is illegal
    for number in range(4):
        play(GameTask(settings(random_plies=0, opening_plies=4, max_plies=6), number, broken))
        assert played[-1].start <= 2 and played[-1].words[: played[-1].start] == moves[: played[-1].start]
    play(GameTask(settings(random_plies=3, opening_plies=0, max_plies=6), 0, Opening("", None, moves)))
    assert 1 <= played[-1].start <= 3


def test_a_start_that_is_not_level_is_not_played(played: list[Played]) -> None:
    rook_up = Opening("", "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABNR w")
    assert len(play(GameTask(settings(random_plies=0), 0, rook_up))) == 0 and not played
    assert len(play(GameTask(settings(random_plies=0, level=30_000), 0, rook_up))) > 0


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "utf-16"])
@pytest.mark.parametrize("suffix", [".pgn", ".pgn.gz"])
def test_openings_come_from_a_pgn_in_the_encodings_of_gui_s(encoding: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"games{suffix}"
    event = "全国象棋个人赛第一轮胡荣华先胜杨官璘中炮对屏风马局评选" * 3  # enough text to detect its encoding
    text = f'[Event "{event}"]\n[Result "*"]\n\n1. 炮二平五 马8进7 2. 马二进三 *\n'
    path.write_bytes(gzip.compress(text.encode(encoding)) if suffix.endswith("gz") else text.encode(encoding))
    (opening,) = read_openings(path, 9)
    assert list(opening.moves) == ["h2e2", "h9g7", "h0g2"]


def test_openings_are_read_once_each_and_bad_ones_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    games: list[dict[str, Any]] = [
        {"moves": ["h2e2", "h9g7", "h0g2"]},
        {"moves": ["h2e2", "h9g7", "i0h0"]},
        {"moves": ["b2e2"]},
        {"moves": ["a0a9"]},
        {"moves": [], "fen": "no position"},
    ]
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    assert [tuple(opening.moves) for opening in read_openings(path, 2)] == [("h2e2", "h9g7"), ("b2e2",)]
    assert capsys.readouterr().err == f"{path}: 2 games left out: their position or first move is illegal\n"
    path.write_text('{"moves": [], "fen": "no position"}\n')
    with pytest.raises(OSError, match="has no games of Xiangqi"):
        read_openings(path, 2)


# The run


STATIC = ("--label-nodes", "0", "--every", "1", "--nodes", "400", "--max-plies", "60")


def start(path: Path, positions: int, jobs: int, *wrapper: str) -> subprocess.Popen[str]:
    script = [sys.executable, str(ROOT / "scripts/network/sample_positions.py"), str(path), *STATIC]
    script += ["--positions", str(positions), "--jobs", str(jobs)]
    return subprocess.Popen([*wrapper, *script], cwd=path.parent, text=True, stderr=subprocess.PIPE)


def has_samples(path: Path) -> bool:
    """True once the first block of samples is whole."""
    try:
        return next(read_samples(path), None) is not None
    except OSError:
        return False  # the settings are not yet written


def samples_in(path: Path) -> Samples:
    return np.concatenate(list(read_samples(path)))


@pytest.mark.long
def test_a_run_that_is_killed_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.samples"
    process = start(path, 100_000_000, 2)
    while not has_samples(path):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)  # to the end of the workers, which have its standard error open too
    before, count = path.read_bytes(), len(samples_in(path))
    with path.open("ab") as file:  # as if killed in the middle of a write
        file.write(before[:100])
    process = start(path, count + 4_000, 1)
    assert process.communicate(timeout=120)[1] == "" and process.returncode == 0
    samples = samples_in(path)
    assert path.read_bytes().startswith(before) and len(samples) >= count + 4_000
    with SampleFile(path, read_settings(path)) as file:
        games = file.games
    # The samples equal those of an uninterrupted run, to the game that reaches the goal.
    same = msgspec.convert(read_settings(path), SampleSettings)
    assert same.evaluation not in ("terms", "")
    parts = [play(GameTask(same, number, None, NETWORK_BOOK)) for number in range(games)]
    assert np.concatenate(parts).tobytes() == samples.tobytes()
    assert len(samples) - len(parts[-1]) < count + 4_000

    before = path.read_bytes()
    monkeypatch.setattr("sys.argv", ["sample_positions.py", str(path), *STATIC, "--seed", "2"])
    with pytest.raises(SystemExit) as ended:
        sample_positions.main()
    assert ended.value.code == 2
    expected = f"sample_positions.py: {path}: has positions of other settings: seed was 1, now 2\n"
    assert capsys.readouterr().err == expected and path.read_bytes() == before
    monkeypatch.setattr("sys.argv", ["sample_positions.py", str(path), *STATIC, "--positions", "5"])
    assert sample_positions.main() == 0 and path.read_bytes() == before  # it has as many


@pytest.mark.long
def test_a_full_disk_ends_the_run_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.samples"
    process = start(path, 30_000, 1, "sh", "-c", 'ulimit -f 2; exec "$@"', "sh")  # 1 or 2 KiB: no block fits
    assert process.communicate(timeout=120)[1] == f"sample_positions.py: {path}: No space left on device\n"
    assert process.returncode == 2 and not list(read_samples(path))
    monkeypatch.setattr("sys.argv", ["sample_positions.py", str(path), *STATIC, "--positions", "30000"])
    assert sample_positions.main() == 0 and len(samples_in(path)) >= 30_000


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--labels roots --every 3", "--every and --label-nodes are for leaves"),
        ("--every 0", "must be at least 1"),
        ("--label-nodes -1", "must be at least 0"),
        ("--openings none.jsonl", "none.jsonl: No such file or directory"),
        ("--network none.network", "none.network: No such file or directory"),
        (f"--network {NETWORK_BOOK.with_name('ewn-setups.book')}", "ewn-setups.book: "),
    ],
)
def test_wrong_words_change_nothing(
    words: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["sample_positions.py", "a.samples", *words.split()])
    with pytest.raises(SystemExit) as ended:
        sample_positions.main()
    assert ended.value.code == 2 and line in capsys.readouterr().err
    assert not os.listdir(tmp_path)


def test_games_without_positions_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sample_positions, "EMPTY_GAMES", 3)
    path, empty = tmp_path / "a.samples", np.empty(0, sample_positions.SAMPLE_DTYPE)
    with SampleFile(path, {}) as file, pytest.raises(OSError, match="3 games in a row gave no position"):
        sample_positions.fill(file, path, iter([empty] * 9), 10)
