"""The parts of paper 2's experiments: games to mine, rule bases of each kind, the player by rules, the growing base."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scripts.common import script
from scripts.common.records import read_game_records
from scripts.match.agents import Agent, AgentPlayer, EngineAgent
from scripts.match.paired_games import PairJob, PaperGame, play_game

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.clients.process import Process
from siqi.daemon.cluster.jobs import Jobs, completed
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games import registry
from siqi.games.books.book import BookFileError, book_header
from siqi.games.contract import RESULTS, silent
from siqi.games.game_record import GameRecord, position_after
from siqi.games.xiangqi.knowledge import rulebook
from siqi.games.xiangqi.knowledge.items import NUMBERINGS, Item
from siqi.games.xiangqi.knowledge.mining import MiningRequest, move_rules
from siqi.games.xiangqi.knowledge.replay import Games, collect
from siqi.games.xiangqi.knowledge.rulebook import MinedRule, RuleBook
from siqi.system.log import Log

SELF_PLAY_DEPTH = 3
MAX_PLIES = 300
"""Plies after which a game is a draw."""

WANTED = MiningRequest(support=0.02, confidence=0.3, longest=1, least=3)
"""The rules of the experiments: one move after one move, as in the paper's table 3, the answer played later."""

PAPER_RULES = MiningRequest(support=0.2, confidence=0.25, longest=1, ordered=False)
"""The paper's own definition (section 2.1), which has no order of moves; thresholds at which its nine rules appear."""

START_TIMEOUT_S, MOVE_TIMEOUT_S, MINING_TIMEOUT_S = 300.0, 60.0, 300.0

# Games to mine


class OwnGame(NamedTuple):
    """A game of the engine against itself: its number, and an opening."""

    number: int
    opening: tuple[str, ...]


@functools.cache
def plain_engine() -> EngineAgent:
    return EngineAgent(registry.load("xiangqi"), {"UseRules": "false"})


def play_own(task: OwnGame) -> bytes:
    """Play a game of the engine, which sometimes makes a random move; return its line."""
    rng, agent = random.Random(task.number), plain_engine()
    agent.new_game(task.number + 1)
    words = list(task.opening)
    position = position_after(agent.game, GameRecord(tuple(words)))
    outcome = None
    while len(words) < MAX_PLIES and (outcome := position.outcome()) is None:
        is_random = len(words) < 20 and rng.random() < 0.2
        move = (
            rng.choice(position.legal_moves())
            if is_random
            else agent.choose(position, PlayerLimits(depth=SELF_PLAY_DEPTH))
        )
        words.append(position.move_text(move))
        position.push(move)
    winner = None if outcome is None else outcome.winner
    line = {"number": task.number, "moves": words, "result": RESULTS[winner]}
    return json.dumps(line).encode()


def is_own(head: bytes) -> bool:
    """True if a file begins with a game of `own_games`."""
    return re.match(rb'\{"number": \d+, "moves": \[', head) is not None


def own_games(path: Path, count: int, openings: Sequence[Sequence[str]], jobs: Jobs) -> None:
    """Add games of the engine against itself to a file until it has `count`."""
    known: set[int] = set()
    log = Log(path, is_own, lambda line: known.add(json.loads(line)["number"]))
    missing = [
        OwnGame(number, tuple(openings[number % len(openings)])) for number in range(count) if number not in known
    ]
    finished = completed(play_own, missing, jobs)
    with log, contextlib.closing(finished):
        for batch in script.progress(finished, unit=" batches"):
            if batch:
                log.add(batch)


def read_games(path: Path, numbering: str, plies: int, most: int = 0) -> Games:
    """Return the sound games of a file, the first `most` of them (0: all)."""
    records = [record for _, record in zip(range(most or sys.maxsize), read_game_records(path, silent), strict=False)]
    return collect(records, plies, silent, NUMBERINGS[numbering])


# Rule bases


class Base(NamedTuple):
    """A kind of rule base: the numbering of pieces, the plies that count (0: all), the least confidence."""

    items: str
    plies: int
    confidence: float

    @property
    def text(self) -> str:
        return f"{self.items}, {f'{self.plies} plies' if self.plies else 'whole games'}, {self.confidence:.1f}"

    def path(self, folder: Path) -> Path:
        return folder / f"{re.sub('[^a-z0-9.]+', '-', self.text)}.book"


def mine_bases(games: Path, folder: Path, bases: Sequence[Base]) -> None:
    """Write the rule bases that are missing in the folder, or are of other games."""
    source = f"{games.name}, {games.stat().st_size} bytes"
    missing = [base for base in bases if _source_of(base.path(folder)) != source]
    for items, plies in dict.fromkeys((base.items, base.plies) for base in missing):
        read = read_games(games, items, plies)
        rules = move_rules(read, WANTED)
        for base in missing:
            if (base.items, base.plies) == (items, plies):
                about = _about(source, read, items, plies, WANTED._replace(confidence=base.confidence))
                kept = [rule for rule in rules if rule.confidence >= base.confidence]
                rulebook.write(base.path(folder), about, kept)


def write_paper_bases(games: Path, folder: Path, nine: Sequence[tuple[Item, Item]]) -> dict[str, int]:
    """Write the rule bases of PAPER_BASES: all rules of the paper's definition, and those of them in its table 3.

    Return the number of rules in each. Bases of the same games are kept.
    """
    source = f"{games.name}, {games.stat().st_size} bytes, in any order"
    paths = [folder / name for name in PAPER_BASES.values()]
    if any(_source_of(path) != source for path in paths):
        read = read_games(games, "identity", 0)
        rules = move_rules(read, PAPER_RULES)
        about = _about(source, read, "identity", 0, PAPER_RULES)
        own = [rule for rule in rules if any(same_rule(rule, *pair) for pair in nine)]
        for path, kept in zip(paths, (rules, own), strict=True):
            rulebook.write(path, about, kept)
    return {base: len(RuleBook(folder / name).rules) for base, name in PAPER_BASES.items()}


def write_moves_base(games: Path, path: Path, plies: int, wanted: MiningRequest, least_score: float) -> None:
    """Write a base of rules of the first plies whose answering side scores enough; one of these games is kept."""
    source = f"{games.name}, {games.stat().st_size} bytes"
    if _source_of(path) == source:
        return
    read = read_games(games, "identity", plies)
    about = _about(source, read, "identity", plies, wanted)
    rulebook.write(path, about, [rule for rule in move_rules(read, wanted) if rule.score >= least_score])


ALL, TABLE_3 = "all of the definition", "table 3"
PAPER_BASES = {ALL: "rules-any-order.book", TABLE_3: "rules-table-3.book"}
"""Rule bases by the paper's definition, and their files."""


def _about(source: str, read: Games, items: str, plies: int, wanted: MiningRequest) -> dict[str, Any]:
    """Return the header of a rule base."""
    parameters = {"plies": plies, "min_confidence": wanted.confidence, "min_support": wanted.support}
    return {"source": source, "games": len(read.plies), "items": items, "parameters": parameters}


def _source_of(path: Path) -> Any:
    try:
        return RuleBook(path).about.get("source")
    except BookFileError:
        return None


# The paper's table 3


def paper_item(piece: int, from_x: int, from_y: int, to_x: int, to_y: int) -> Item:
    """Return an item of the paper, which captures nothing: files are 1-9 from the left, ranks 1-10 from the top."""
    return Item(piece, 32, (10 - from_y) * 9 + from_x - 1, (10 - to_y) * 9 + to_x - 1)


class RuleCount(NamedTuple):
    """The number of games that have the moves of a rule."""

    games: int
    asked: int
    answered: int
    both: int
    in_order: int  # with the answer after the antecedent

    @property
    def confidence(self) -> float:
        return self.both / self.asked if self.asked else 0.0

    @property
    def confidence_in_order(self) -> float:
        return self.in_order / self.asked if self.asked else 0.0

    @property
    def lift(self) -> float:
        return self.confidence * self.games / self.answered if self.answered else 0.0


def count_rule(games: Games, asked: Item, answer: Item) -> RuleCount:
    """Count the games of a rule."""
    numbers = {item: number for number, item in enumerate(games.items)}
    a, b = numbers.get(asked, -1), numbers.get(answer, -1)
    counts = [0, 0, 0, 0]
    for moves in games.numbers:
        first_a, first_b = (_first(moves, number) for number in (a, b))
        counts[0] += first_a >= 0
        counts[1] += first_b >= 0
        counts[2] += first_a >= 0 and first_b >= 0
        counts[3] += 0 <= first_a < first_b
    return RuleCount(len(games.numbers), *counts)


def _first(moves: Any, number: int) -> int:
    plies = (moves == number).nonzero()[0]
    return int(plies[0]) if len(plies) else -1


def same_rule(rule: MinedRule, asked: Item, answer: Item) -> bool:
    return rule.after == (asked,) and rule.answer == answer


# Playing by rules


def paper_search() -> EngineAgent:
    """Return plain alpha-beta with paper 5's e(x): a search of the kind that the paper describes."""
    return EngineAgent(registry.load("xiangqi"), {"Algorithm": "paper5", "Hash": "1"})


SEARCHES: dict[str, Callable[[], Agent]] = {
    "network": plain_engine,
    "terms": lambda: EngineAgent(registry.load("xiangqi"), {"UseRules": "false", "Evaluation": "terms"}),
    "e(x)": paper_search,
}
"""The searches: the engine's with its network or its terms, and a plain one."""


class RuleAgent:
    """The answers of a rule base (`UseRules paper`), and a search; `answered` and `asked` count a game's moves."""

    def __init__(self, rules: Path, search: Agent) -> None:
        self._game = registry.load("xiangqi")
        self._game.set_option("UseRules", "paper")
        self._game.set_option("RuleFile", str(rules))
        self._search, self._random = search, random.Random(0)
        self.answered = self.asked = 0

    def new_game(self, seed: int) -> None:
        self._search.new_game(seed)
        self._random.seed(seed)
        self.answered = self.asked = 0

    def choose(self, position: Any, limit: PlayerLimits) -> int:
        self.asked += 1
        suggestion = self._game.suggest(position, self._random)
        if suggestion is None:
            return self._search.choose(position, limit)
        self.answered += 1
        return int(suggestion.move)


@functools.cache
def search_agent(search: str, side: int) -> Agent:
    """Return a search, kept by the process for each side."""
    return SEARCHES[search]()


@functools.cache
def rule_agent(rules: Path, search: str) -> RuleAgent:
    return RuleAgent(rules, search_agent(search, 0))


def play_by_rules(
    folder: Path, bases: dict[str, str], openings: Sequence[Sequence[str]], search: str, job: PairJob, first: int
) -> PaperGame:
    """Play a game of A, a search with a rule base (a file of the folder), against the search alone."""
    rules, game = rule_agent(folder / bases[job.pairing.a], search), registry.load("xiangqi")
    agents = [rules, search_agent(search, 1)] if first == 0 else [search_agent(search, 1), rules]
    referee = Referee(game, Opening(moves=openings[job.pair % len(openings)]))
    record = play_game(job, first, referee, [AgentPlayer(agent, game, job.limit) for agent in agents], MAX_PLIES)
    moves = [len(range(side, record["plies"], 2)) for side in (0, 1)]
    return record | {"answered": rules.answered, "asked": rules.asked, "moves": moves[1 - first]}


# The base that grows


class Growing:
    """A process, started when needed, of the engine against itself with `GameLog`, `MineRules`, `UseRules paper`."""

    def __init__(self, folder: Path, openings: Sequence[Sequence[str]], depth: int) -> None:
        self._games, self._rules = folder / "loop-games.jsonl", folder / "loop-rules.book"
        self._openings, self._depth = openings, depth
        self._process: Process | None = None

    def close(self) -> None:
        if self._process is not None:
            self._process.close()

    def _engine(self) -> Process:
        if self._process is None:
            self._process = Process(f"{sys.executable} -m siqi")
            self._process.send(
                "uci",
                "setoption name UseRules value paper",
                "setoption name MineRules value true",
                f"setoption name RuleFile value {self._rules.resolve()}",
                f"setoption name GameLog value {self._games.resolve()}",
                "isready",
            )
            self._process.wait_for("readyok", timeout_s=START_TIMEOUT_S)
            self._wait_for_rules()
        return self._process

    def _wait_for_rules(self) -> float:
        """Wait until all games kept are mined; return the seconds."""
        started = time.monotonic()
        while True:
            head = self._rules.read_bytes() if self._rules.exists() else b""
            mark = book_header(head).get("learned", {})
            if self._games.exists() and mark.get("size") == self._games.stat().st_size:
                return time.monotonic() - started
            if time.monotonic() - started > MINING_TIMEOUT_S:
                raise OSError(0, "the rules were not mined", str(self._rules))
            time.sleep(0.05)

    def play(self, key: str) -> dict[str, Any]:
        """Play the game of a key, which ends in its number; return figures of the game, and of the base after it."""
        engine, number = self._engine(), int(key.rsplit(maxsplit=1)[-1])
        opening = self._openings[number % len(self._openings)]
        position = position_after(script.load_once("xiangqi"), GameRecord(tuple(opening)))
        words = list(opening)
        engine.send("ucinewgame", "isready")
        engine.wait_for("readyok", timeout_s=MOVE_TIMEOUT_S)
        answered = asked = 0
        spent_ms = [0.0, 0.0]  # of searches, of rules
        while position.outcome() is None and len(words) < MAX_PLIES:
            seen: list[str] = []
            started = engine.send(
                f"position startpos moves {' '.join(words)}", f"go wtime 3600000 btime 3600000 depth {self._depth}"
            )
            arrived, line = engine.wait_for("bestmove", timeout_s=MOVE_TIMEOUT_S, passing=seen.append)
            by_rule = any(text.startswith("info string book rule") for text in seen)
            asked += 1
            answered += by_rule
            spent_ms[by_rule] += 1000 * (arrived - started)
            words.append(line.split()[1])
            position.push(position.parse_move(words[-1]))
        engine.send(f"position startpos moves {' '.join(words)}", "isready")  # GameLog writes it, if it has ended
        engine.wait_for("readyok", timeout_s=MOVE_TIMEOUT_S)
        mining_s = self._wait_for_rules()
        book = RuleBook(self._rules)
        return {
            "plies": len(words),
            "asked": asked,
            "answered": answered,
            "search_ms": round(spent_ms[0], 1),
            "rule_ms": round(spent_ms[1], 1),
            "mining_s": round(mining_s, 2),
            "games": book.about["games"],
            "rules": len(book.rules),
        }
