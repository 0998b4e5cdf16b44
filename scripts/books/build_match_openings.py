"""Build a list of balanced openings for matches of Xiangqi or Connect6.

    python scripts/books/build_match_openings.py xiangqi --log xiangqi-lines.jsonl --replace-shipped
    python scripts/books/build_match_openings.py connect6-5 --log five.jsonl --out five.openings --check check.jsonl

Lists: `xiangqi` (200 lines of 6 to 10 plies), `connect6-5` and `connect6-7` (100 lines of five and of seven stones). A
line is drawn, then judged. Moves of Xiangqi are from the opening book or near the best of a short search. Stones of
Connect6 are set at random near the centre; the last two of seven are such that a short search finds no side ahead.

A line stays if a search finds the side to move expected to score 45 to 55 %, and if games of the engine with itself
from there do not disagree: neither side has more than three of four points (Connect6: five of eight). No line leads to
the position of another or to its image under a symmetry of the board, and few begin alike.

Lines are drawn by their numbers, and `--log` keeps what was found of each: the same command resumes an interrupted run.
`--check FILE` then plays pairs of games over the list, `siqi match` with its log in FILE, and prints the score of the
first side.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from scripts.common import script
from scripts.match.agents import EngineAgent
from scripts.match.self_play import AGREEMENT, ScoringPlayer

from siqi.daemon.clients.player import EngineSpec, PlayerLimits
from siqi.daemon.cluster.jobs import Jobs, in_order
from siqi.daemon.match.game_loop import Adjudication, Clock, Opening, Referee, play_moves
from siqi.daemon.match.match_log import MatchSettings
from siqi.daemon.match.matches import run_match
from siqi.daemon.match.random_openings import random_moves
from siqi.daemon.match.statistics import PairedScore
from siqi.daemon.match.stats import read_match
from siqi.daemon.match.tally import Tally
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.books.opening import SymmetricPosition, opening_key
from siqi.games.contract import Game, Position, Task, exhaust
from siqi.games.game_record import GameRecord, position_after
from siqi.games.kernel.control import Control
from siqi.system.files import replace_file
from siqi.system.log import RunLog


class Kind(NamedTuple):
    """The rules by which the lines of a list are drawn and judged."""

    game: str
    lines: int
    plies: range
    random_plies: int  # the first ones, drawn without a search
    nodes: int  # of the search that judges
    games: int  # of the engine with itself, that judge
    game_nodes: int  # per move, in the first of them; each has a few more than the one before
    most_points: float  # of a side in these games
    check_nodes: int  # per move, in the match over the list


CONNECT6 = Kind("connect6", 100, range(3, 4), 3, 20_000, 8, 5_000, 5.0, 20_000)

KINDS = {
    "xiangqi": Kind("xiangqi", 200, range(6, 11), 0, 50_000, 4, 1_000, 3.0, 5_000),
    "connect6-5": CONNECT6,
    "connect6-7": CONNECT6._replace(plies=range(4, 5)),
}

BALANCE = 0.05
"""The largest distance of the expected score from one half."""

FIRST_BALANCE, FIRST_SHARE = 0.08, 50
"""The same in a first search of this share of the nodes, which refuses most lines of Connect6."""

DRAWING_NODES, DRAWING_LINES = 3_000, 12
"""The search that finds moves to draw: its nodes, and the moves that it compares."""

NEAR_BEST_CP = 60
"""The most centipawns by which a move of Xiangqi that is drawn may be worse than the best."""

MAX_PLIES = 200

ALIKE_PLIES, MAX_ALIKE = 2, 8
"""The most lines that may have one position, or its image, after this many plies."""

HASH_MB = "8"


class LineSettings(msgspec.Struct, frozen=True):
    """All on which the lines depend; the first line of the log."""

    kind: str
    seed: int
    nodes: int
    games: int


class Drawn(msgspec.Struct, frozen=True):
    """A line that was drawn; a line of the log."""

    number: int
    moves: list[str]
    expected: float = -1.0  # score of the side to move; -1: the first search refused the line
    points: float = -1.0  # of the first side in the games; -1: none were played

    def is_balanced(self, settings: LineSettings) -> bool:
        """True if neither the search nor the games found a side ahead."""
        kind = KINDS[settings.kind]
        most = kind.most_points * settings.games / kind.games
        return self.points >= 0 and max(self.points, settings.games - self.points) <= most


# ---------------------------------------------------------------- drawing


@functools.cache
def agent_of(name: str) -> EngineAgent:
    """Return the engine of a game, once per process."""
    return EngineAgent(script.load(name), {"Hash": HASH_MB})


def moves_to_draw(agent: EngineAgent, position: Position) -> list[str]:
    """Return the words of the moves near the best, of Connect6 those that leave no side ahead, by a short search."""
    agent.new_game(1)
    lines = exhaust(agent.searcher, Task(position, Control(DRAWING_NODES), multipv=DRAWING_LINES)).lines
    if agent.game.info.stones_per_turn > 1:
        fit = [line for line in lines if abs((line.score.expected or 0.0) - 0.5) < BALANCE]
    else:
        fit = [line for line in lines if line.score.cp >= lines[0].score.cp - NEAR_BEST_CP]
    return [position.move_text(line.pv[0]) for line in fit]


def draw(kind: Kind, rng: random.Random) -> list[str] | None:
    """Draw a line; None if it is none."""
    agent = agent_of(kind.game)
    game: Game[Position] = agent.game
    plies = rng.choice(kind.plies)
    words = random_moves(game, rng, kind.random_plies)
    if words is None:
        return None
    position = position_after(game, GameRecord(tuple(words)))
    while len(words) < plies:
        known = [line.move for line in game.consult(position) if line.move is not None]
        if known and rng.random() < 0.5:
            word = rng.choices(known, [move.games**0.5 for move in known])[0].word
        elif fit := moves_to_draw(agent, position):
            word = rng.choice(fit)
        else:
            return None
        words.append(word)
        position.push(position.parse_move(word))
        if position.outcome() is not None:
            return None
    return words


# ---------------------------------------------------------------- judging


def score_after(kind: Kind, moves: list[str], nodes: int) -> float:
    """Return the expected score of the side to move after moves, by a search; 0 or 1 if the game is decided."""
    agent = agent_of(kind.game)
    position: Position = position_after(agent.game, GameRecord(tuple(moves)))
    agent.new_game(1)
    score = exhaust(agent.searcher, Task(position, Control(nodes))).lines[0].score
    if score.mate is not None:
        return float(score.mate > 0)
    assert score.expected is not None
    return score.expected


def play_games(kind: Kind, moves: list[str], games: int) -> float:
    """Return the first side's points in games of the engine with itself."""
    points, agent = 0.0, agent_of(kind.game)
    for number in range(games):
        referee = Referee(agent.game, Opening(moves=moves))
        player = ScoringPlayer(agent, agent.game, PlayerLimits(nodes=kind.game_nodes + kind.game_nodes // 20 * number))
        game_end = play_moves(referee, [player] * 2, [Clock()] * 2, ["1"] * 2, Adjudication(MAX_PLIES, AGREEMENT))
        points += 0.5 if game_end.winner is None else 1.0 - game_end.winner
    return points


def judge(task: tuple[LineSettings, int]) -> bytes:
    """Draw the line of a number and judge it, until something is against it; return its line of the log."""
    settings, number = task
    kind = KINDS[settings.kind]
    words = draw(kind, random.Random(f"{settings.kind}/{settings.seed}/{number}"))
    drawn = Drawn(number, words or [])
    if words and abs(score_after(kind, words, settings.nodes // FIRST_SHARE) - 0.5) < FIRST_BALANCE:
        drawn = Drawn(number, words, round(score_after(kind, words, settings.nodes), 4))
        if abs(drawn.expected - 0.5) < BALANCE:
            drawn = msgspec.structs.replace(drawn, points=play_games(kind, words, settings.games))
    return msgspec.json.encode(drawn)


# ---------------------------------------------------------------- the list


class Chosen:
    """The lines of a list: balanced ones, all different and of different beginnings."""

    def __init__(self, game: Game[Position], settings: LineSettings) -> None:
        self._game, self._settings = game, settings
        self.lines: list[str] = []
        self.tried = self.judged = 0  # lines drawn, and those that were balanced by the searches
        self._keys: set[int] = set()
        self._beginnings: Counter[int] = Counter()

    def add(self, line: bytes) -> None:
        """Take a line of the log into account; lines come by their numbers."""
        drawn = msgspec.json.decode(line, type=Drawn)
        self.tried += 1
        self.judged += drawn.points >= 0
        if drawn.is_balanced(self._settings):
            keys = list(position_keys(self._game, drawn.moves))
            beginning = keys[ALIKE_PLIES - 1]
            if keys[-1] not in self._keys and self._beginnings[beginning] < MAX_ALIKE:
                self._keys.add(keys[-1])
                self._beginnings[beginning] += 1
                self.lines.append(" ".join(drawn.moves))


def position_keys(game: Game[Position], moves: list[str]) -> Iterator[int]:
    """Yield the key of the position after each move, which images of a position share."""
    position = game.position()
    assert isinstance(position, SymmetricPosition)
    for word in moves:
        position.push(position.parse_move(word))
        yield opening_key(position)[0]


def find_lines(settings: LineSettings, count: int, path: Path, jobs: Jobs) -> Chosen:
    """Draw and judge lines, into the log at `path`, until there are enough."""
    chosen = Chosen(script.load_once(KINDS[settings.kind].game), settings)
    log = RunLog(path, "match_openings", msgspec.to_builtins(settings), chosen.add)
    progress = script.progress(total=count, initial=len(chosen.lines), unit=" lines")
    tasks = ((settings, number) for number in itertools.count(len(log.numbers)))
    judged = in_order(judge, tasks, jobs)
    with contextlib.closing(log), progress, contextlib.closing(judged):
        while len(chosen.lines) < count:
            line = next(judged)
            before = len(chosen.lines)
            log.add([line])
            chosen.add(line)
            progress.update(len(chosen.lines) - before)
    del chosen.lines[count:]
    return chosen


def first_side_score(path: Path) -> str:
    """Return the first side's games and score in a match's log, as text."""
    score = PairedScore()
    for record in read_match(path).records:
        score.add(record.pair, record.score if record.first == 0 else 1 - record.score)
    return score.text


def check(kind: Kind, openings: str, content: bytes, path: Path, pairs: int) -> str:
    """Play pairs of games over the list in `siqi match`; return the first side's score.

    One engine has a twentieth more nodes, or both games of a pair would be the same.
    """
    engines = tuple(
        EngineSpec(name, "siqi", {}, PlayerLimits(nodes=nodes))
        for name, nodes in (("siqi", kind.check_nodes), ("more", kind.check_nodes + kind.check_nodes // 20))
    )
    settings = MatchSettings(
        kind.game, engines, 2 * pairs, openings=openings, openings_sha256=hashlib.sha256(content).hexdigest(),
        max_plies=MAX_PLIES, agreement=AGREEMENT,
    )  # fmt: skip
    run_match(settings, path, Tally(settings), every=sys.maxsize)
    return first_side_score(path)


MARK = "# Balanced openings for matches: "


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("list", choices=KINDS)
    option("--log", type=Path, required=True, metavar="FILE", help="lines that were drawn: .jsonl or .zst")
    script.add_output(parser, "the list")
    option("--count", type=int, default=0, metavar="N", help="lines; default: as many as the shipped list has")
    option("--nodes", type=int, default=0, metavar="N", help="of the searches that judge")
    option("--games", type=int, default=0, metavar="N", help="that judge a line")
    option("--seed", type=int, default=1, metavar="N")
    option("--check", type=Path, metavar="FILE", help="play pairs of games over the list; the log of the match")
    option("--pairs", type=int, default=100, metavar="N", help="of this match")
    script.add_jobs(parser)
    options = parser.parse_args()
    kind = KINDS[options.list]
    shipped = BOOKS_FOLDER / f"{options.list}.openings"
    out = script.output_file(options, shipped, script.begins_with(MARK))
    settings = LineSettings(options.list, options.seed, options.nodes or kind.nodes, options.games or kind.games)
    chosen = find_lines(settings, options.count or kind.lines, options.log, script.jobs(options))
    content = "".join(f"{line}\n" for line in (f"{MARK}{options.list}", *chosen.lines)).encode()
    replace_file(out, [content], script.begins_with(MARK))
    print(f"{len(chosen.lines)} lines of {chosen.tried} drawn, {chosen.judged} of them balanced by the searches")
    if options.check is not None:
        name = options.list if out == shipped else str(out)
        print(f"first side: {check(kind, name, content, options.check, options.pairs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
