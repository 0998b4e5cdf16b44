"""Play games of the engine against itself with few nodes per move, to tune on.

    python scripts/match/self_play.py xiangqi own.jsonl.zst --games 5000 --nodes 3000 --jobs 2
    python scripts/match/self_play.py connect6 own.jsonl.zst --openings games.jsonl.zst --nodes 4000 --jobs 2

A game starts with random moves, or with the first moves of one of `--openings`. It ends by the rules, by the ply limit
(a draw), or when both sides' scores have agreed on the winner for some plies. Games are added to the file as they
finish, one JSON object per line (`game`, `number`, `moves`, `scores`, `result`) after one with the settings. `scores`
are those of the searches, one for each move after the opening, in the mover's view. The name ends in `.zst`
(zstd-compressed) or `.jsonl`. The same options make the same games, in whatever order they finish. The same command
resumes an interrupted run, even a killed one; with more `--games` it adds games. A file with games of other settings is
left unchanged.
"""

from __future__ import annotations

import contextlib
import functools
import random
import sys
from pathlib import Path
from typing import Any

import msgspec

from scripts.common import script
from scripts.common.records import SELF_PLAY, read_game_records
from scripts.common.runs import add_finished
from scripts.match.agents import AgentPlayer, EngineAgent

from siqi.daemon.clients.player import Choice, PlayerLimits, Turn
from siqi.daemon.match.arguments import parse_option
from siqi.daemon.match.game_loop import Adjudication, Agreement, Clock, Opening, Referee, play_moves
from siqi.games.contract import RESULTS, Game, Position
from siqi.games.game_record import CutGameError, GameRecord, replay
from siqi.system.log import RunLog

GAMES = ("xiangqi", "connect6")
"""The games without dice and hidden pieces."""

AGREEMENT = Agreement(1000, 6)

HASH_MB = "8"


class SelfPlaySettings(msgspec.Struct, frozen=True):
    game: str
    nodes: int
    random_plies: int
    max_plies: int
    seed: int
    openings: str = ""  # a file of games
    options: dict[str, str] = {}  # of the engine, by name


class ScoringPlayer(AgentPlayer):
    """A player that keeps the scores of the searches, in the mover's view."""

    scores: list[int]

    def new_game(self, seed: str) -> None:
        super().new_game(seed)
        self.scores = []

    def choose(self, turn: Turn) -> Choice:
        choice = super().choose(turn)
        assert choice.score is not None  # of an EngineAgent
        self.scores.append(choice.score.cp)
        return choice


def random_moves(game: Game[Position], rng: random.Random, plies: int) -> list[str]:
    """Return the words of random moves from the start."""
    position, words = game.position(), list[str]()
    while len(words) < plies and position.outcome() is None:
        move = rng.choice(position.legal_moves())
        words.append(position.move_text(move))
        position.push(move)
    return words


@functools.cache
def opening_games(path: str, name: str) -> list[tuple[str, ...]]:
    """Return the moves of a file's games from the start position."""
    return [record.moves for record in read_game_records(Path(path), print, name) if record.moves and not record.fen]


def opening_moves(settings: SelfPlaySettings, rng: random.Random, game: Game[Position]) -> list[str]:
    """Return the moves that a game starts with; those of a file's game stop before one that is illegal or ends it."""
    most = min(settings.random_plies, settings.max_plies)
    if not settings.openings:
        return random_moves(game, rng, most)
    moves = rng.choice(opening_games(settings.openings, settings.game))
    opening, plies = GameRecord(moves[: rng.randint(min(2, most), most)]), 0
    with contextlib.suppress(CutGameError):
        for plies, position in enumerate(replay(game, opening)):
            if position.outcome() is not None:
                return list(moves[: plies - 1])
    return list(moves[:plies])


def play(settings: SelfPlaySettings, number: int) -> dict[str, Any]:
    """Play the game of a number; return its line."""
    game = script.load_once(settings.game)
    opening = opening_moves(settings, random.Random(f"{settings.seed}/{number}"), game)
    referee = Referee(game, Opening(moves=opening))
    options = {"Hash": HASH_MB, **settings.options}
    player = ScoringPlayer(EngineAgent(game, options), game, PlayerLimits(nodes=settings.nodes))
    seed = str(settings.seed)
    ending = play_moves(referee, [player] * 2, [Clock()] * 2, [seed] * 2, Adjudication(settings.max_plies, AGREEMENT))
    return {
        "game": settings.game,
        "number": number,
        "moves": referee.words,
        "scores": player.scores,
        "result": RESULTS[ending.winner],
    }


def _work(task: tuple[SelfPlaySettings, int]) -> bytes:
    return msgspec.json.encode(play(*task))


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("file", type=Path, help="games are added to it: JSON lines, .zst or .jsonl")
    parser.add_argument("--games", type=int, default=1000, help="total number, those in the file included")
    parser.add_argument("--nodes", type=int, default=3000, help="a move")
    parser.add_argument("--openings", default="", help="games whose first moves begin games")
    parser.add_argument("--random-plies", type=int, default=8, help="random moves, or the most of --openings")
    parser.add_argument(
        "--option", action="append", type=parse_option, default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    parser.add_argument("--max-plies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    script.add_jobs(parser)
    options = parser.parse_args()
    settings = SelfPlaySettings(
        options.game, options.nodes, options.random_plies, options.max_plies, options.seed, options.openings,
        dict(options.option),
    )  # fmt: skip
    if options.games < 1 or options.jobs < 1:
        parser.error("--games and --jobs must be at least 1")
    if options.openings and not opening_games(options.openings, options.game):
        parser.error(f"--openings: {options.openings} has no games of {options.game}")
    log = RunLog(options.file, SELF_PLAY, msgspec.to_builtins(settings))
    tasks = [(settings, number) for number in range(options.games) if number not in log.numbers]
    script.load_once(options.game)  # compile once, before there are several
    progress = script.progress(total=options.games, initial=options.games - len(tasks))
    add_finished(log, _work, tasks, script.jobs(options), progress)
    return 0


if __name__ == "__main__":
    sys.exit(main())
