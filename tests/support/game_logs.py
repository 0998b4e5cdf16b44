"""Small files of games for scripts to learn from, made of the fixtures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from fixture_files import lines, vectors


def write(path: Path, records: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def xiangqi_games(path: Path) -> Path:
    rows = [line.split()[1:] for line in lines("xiangqi_openings.txt")[:40]]
    return write(path, ({"moves": row, "result": ("1-0", "0-1", "1/2-1/2")[i % 3]} for i, row in enumerate(rows)))


def connect6_games(path: Path) -> Path:
    results = {"B": "1-0", "W": "0-1"}
    return write(
        path,
        (
            {"game": "connect6", "moves": game["moves"], "result": results.get(game["result"], "1/2-1/2")}
            for game in vectors("connect6_games.jsonl")[:22]  # one opening of them is held out by the networks' trainer
        ),
    )


def connect6_scored(path: Path) -> Path:
    """Write the games with scores, as self_play.py does: rising ones, in the mover's view."""
    connect6_games(path)
    games = [json.loads(line) for line in path.read_text().splitlines()]
    for number, game in enumerate(games):
        sign = {"1-0": 1, "0-1": -1}.get(game["result"], 0)
        scores = [sign * (-1) ** ply * 20 * ply for ply in range(len(game["moves"]))]
        game |= {"number": number, "scores": scores}
    lines = [
        {"self_play": {}},
        *({key: game[key] for key in ("game", "number", "moves", "scores", "result")} for game in games),
    ]
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return path


def junqi_log(path: Path) -> Path:
    """Write games of referees as lines of a log of compare_players.py."""
    return write(
        path,
        (
            {"a": "siqi", "b": "siqi", "limit": "5 ms", "pair": number // 2, "first": number % 2}
            | {"winner": game["winner"], "words": " ".join([game["first"], game["second"], *game["moves"]])}
            for number, game in enumerate(vectors("junqi_games.jsonl"))
        ),
    )
