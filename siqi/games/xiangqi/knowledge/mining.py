"""Mining rules of moves with Apriori, and the rule base that grows with the games that `GameLog` keeps.

`move_rules` is the paper's mining (Jiang, Chen, Tang 2004, section 2): a game is a transaction, a move an item. `learn`
is its loop (section 3): after each game the rule base is mined again. The daemon runs it as a process of its own
(learner.py), so this module is imported there and in scripts only, and its kernels are compiled there.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec
import numpy as np

from siqi.games.books.book import BookFileError, book_header
from siqi.games.game_record import GameRecord
from siqi.games.xiangqi.knowledge import apriori, rulebook
from siqi.games.xiangqi.knowledge.items import BY_IDENTITY
from siqi.games.xiangqi.knowledge.replay import Games, collect, first_plies
from siqi.games.xiangqi.knowledge.rulebook import MinedRule, RuleBook
from siqi.games.xiangqi.rules.notation import START_FEN, move_text, parse_move
from siqi.system.files import open_to_replace, read_bytes

NEVER = np.iinfo(np.uint16).max
"""The ply of a move that was not played within the plies looked at."""

MAX_LEARN_BYTES = 1 << 28
"""The most bytes of a file of `GameLog`: half a million games."""

MAX_LEARNED_RULES = 20_000
"""Most rules of a learned rule base; those of most games are kept. A rule has some 60 bytes."""

_STILL_WRITTEN_S = 0.2
"""The time in which a last line without its end is expected to get it: another process may be writing it."""


class MiningRequest(NamedTuple):
    """The rules to look for."""

    support: float  # share of the transactions
    confidence: float
    longest: int  # items of an antecedent, at most
    winners: bool = False  # count only answers of the side that won
    phase: int = 0  # only moves played in this situation (a bit of the first three), 0: in any
    least: int = 1  # transactions, whatever the support says
    ordered: bool = True  # the answer comes last; False: in any order, as the paper defines a rule

    def transactions(self, count: int) -> int:
        """Return the least number of `count` transactions that hold a frequent item set."""
        return max(self.least, int(np.ceil(self.support * count)))


LEARNED = MiningRequest(support=0.02, confidence=0.3, longest=1, least=3)
"""The rules of a learned base: one move after one move, as in the paper's rule base (table 3), seen in three games."""


def mine(firsts: list[dict[int, int]], items: int, wanted: MiningRequest) -> Iterator[apriori.Rule]:
    """Yield Apriori's rules with antecedents of at most `longest` moves and one move as the answer."""
    bits = apriori.columns([list(plies) for plies in firsts], items)
    levels = apriori.frequent(bits, wanted.transactions(len(firsts)), wanted.longest + 1)
    for rule in apriori.rules(levels, len(firsts), wanted.confidence):
        if len(rule.consequent) == 1:
            yield rule


def move_rules(games: Games, wanted: MiningRequest) -> list[MinedRule]:
    """Return the rules whose confidence is high enough in games where the answer comes last, or in all (`ordered`)."""
    if not games.items:
        return []
    firsts = first_plies(games, wanted.phase)
    candidates = list(mine(firsts, len(games.items), wanted))
    used = sorted({item for rule in candidates for item in (*rule.antecedent, *rule.consequent)})
    row = {item: place for place, item in enumerate(used)}
    when = np.full((len(used), len(firsts)), NEVER, np.uint16)
    for number, first in enumerate(firsts):
        for item, ply in first.items():
            if item in row:
                when[row[item], number] = ply
    kept = []
    for rule in candidates:
        (last,) = rule.consequent
        side = games.numbering.side(games.items[last])
        asked = np.max(when[[row[item] for item in rule.antecedent]], axis=0)
        answered = when[row[last]]
        is_answered = (asked != NEVER) & (answered != NEVER)
        if wanted.ordered:
            is_answered &= asked < answered
        if wanted.winners:
            is_answered &= games.winners == side
        count = int(is_answered.sum())
        sure = count / max(int((asked != NEVER).sum()), 1)
        if sure < wanted.confidence or count < wanted.least:
            continue
        points = np.where(games.winners == side, 1.0, np.where(games.winners < 0, 0.5, 0.0))
        after = tuple(games.items[item] for item in sorted(rule.antecedent))
        share = float((answered != NEVER).mean())
        score = float(points[is_answered].mean())
        kept.append(MinedRule(after, 0, games.items[last], 0, count, sure, sure / share, score))
    return sorted(kept, key=lambda rule: (len(rule.after), -rule.games))


# The rule base of the user's games


class _KeptGame(msgspec.Struct):
    """The fields of a line of `GameLog` that are read (siqi/daemon/engine/game_log.py)."""

    moves: tuple[str, ...]
    game: str
    result: str
    fen: str = ""
    options: dict[str, str] = {}

    @property
    def has_identities(self) -> bool:
        """True if the game began at the start position: in others no piece has an identity."""
        return self.fen.split()[:1] in ([], START_FEN.split()[:1])

    def record(self) -> GameRecord:
        """Return the game with ranks counted from 0; ValueError if a word is no move."""
        ranks = int(self.options.get("UCI_Coordinates") == "1")
        moves = tuple(move_text(parse_move(word, ranks)) for word in self.moves) if ranks else self.moves
        return GameRecord(moves, result=self.result, fen=self.fen)


class Mark(msgspec.Struct):
    """The games that a rule base was mined from: the field `learned` of its header."""

    size: int  # bytes of the file of `GameLog`, from its start
    crc: int  # CRC-32 of these bytes
    games: int

    def fits(self, data: bytes) -> bool:
        """True if a file of `GameLog` begins with the bytes that were mined."""
        return len(data) >= self.size and zlib.crc32(data[: self.size]) == self.crc


def is_learned(head: bytes) -> bool:
    """True if a file that begins with these bytes is a rule base that `learn` made."""
    about = book_header(head)
    return about.get("kind") == rulebook.KIND and isinstance(about.get("learned"), dict)


class _KeptGames:
    """The games of Xiangqi from the start position in lines of `GameLog`, and the faults of the other lines."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.removeprefix(codecs.BOM_UTF8).splitlines()  # an editor may have put a mark there
        self._number = 0
        self.faults: list[tuple[int, str]] = []
        """Numbers of lines, and why their games are left out."""

    def __iter__(self) -> Iterator[GameRecord]:
        for number, line in enumerate(self._lines, 1):
            self._number = number
            try:
                game = msgspec.json.decode(line, type=_KeptGame)
                if game.game == "xiangqi" and game.has_identities:
                    yield game.record()
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                self.report("not a game as GameLog writes it")
            except ValueError as error:
                self.report(str(error))

    def report(self, text: str) -> None:
        """Note a fault of the game that was read last."""
        self.faults.append((self._number, text))


def learn(games: Path, rules: Path, writing: contextlib.AbstractContextManager[Any]) -> list[str]:
    """Mine the file that `GameLog` writes into the rule base `rules`, a new file or one that this function made.

    All games are mined again, so a rule's counts are those of the whole file, and no game counts twice. Rules and mark
    change in one step (`replace_file`), within `writing`. Return lines for the user on games that were left out.
    OSError or BookFileError if a file cannot be used or is not ours, or another process mines: nothing has changed.
    """
    with open_to_replace(rules, is_learned) as file:  # locked against other processes
        size = file.seek(0, os.SEEK_END)
        mark = _mark_of(rules) if size else Mark(0, zlib.crc32(b""), 0)
        data, is_torn = _whole_lines(games)
        torn = [f"{games}: the last line is cut short; its game is left out"] if is_torn else []
        if not mark.fits(data):
            raise BookFileError(f"{rules}: was mined from other games than those in {games}, left as it is")
        if len(data) == mark.size and size:
            return torn
        kept = _KeptGames(data)
        collected = collect(kept, 0, kept.report, BY_IDENTITY)
        learned = sorted(move_rules(collected, LEARNED), key=lambda rule: -rule.games)[:MAX_LEARNED_RULES]
        new = Mark(len(data), zlib.crc32(data), len(collected.plies))
        about = {
            "source": "games that GameLog kept",
            "games": new.games,
            "items": BY_IDENTITY.name,
            "parameters": {
                "kind": "moves",
                "least": LEARNED.least,
                "min_support": LEARNED.support,
                "min_confidence": LEARNED.confidence,
                "longest": LEARNED.longest,
                "plies": 0,
            },
            "learned": msgspec.to_builtins(new),
        }
        with writing:
            rulebook.write(rules, about, learned, is_learned)
        known = data[: mark.size].count(b"\n")
    new_faults = [f"line {number}: {text}" for number, text in kept.faults if number > known]
    more = f" ({len(new_faults)} games in all)" if len(new_faults) > 1 else ""
    return [*(f"{games}: {fault}; left out{more}" for fault in new_faults[:1]), *torn]


def _mark_of(rules: Path) -> Mark:
    """Return the mark of a rule base; BookFileError if it is damaged."""
    try:
        return msgspec.convert(RuleBook(rules).about["learned"], Mark)
    except (msgspec.ValidationError, KeyError):
        raise BookFileError(f"{rules}: damaged header") from None


def _whole_lines(games: Path) -> tuple[bytes, bool]:
    """Return a file's content up to the end of its last whole line, and True if there is more."""
    deadline = time.monotonic() + _STILL_WRITTEN_S
    while True:
        data = read_bytes(games, MAX_LEARN_BYTES)
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) == len(data) or time.monotonic() >= deadline:
            return whole, len(whole) < len(data)
        time.sleep(_STILL_WRITTEN_S / 10)


def main(games: str, rules: str) -> NoReturn:
    """Mine as `learn` does; print the lines for the user. The process ends with its standard input."""
    writing = threading.Lock()

    def end_with_input() -> None:
        sys.stdin.read()
        with writing:  # not within the write: it would leave a temporary file
            os._exit(1)

    threading.Thread(target=end_with_input, daemon=True).start()
    try:
        lines = learn(Path(games), Path(rules), writing)
    except BookFileError as error:
        lines = [str(error)]
    except OSError as error:
        lines = [f"{error.filename or rules}: {error.strerror or error}"]
    except MemoryError:
        lines = [f"{games}: no memory to mine it"]
    for line in lines:
        print(line)
    sys.stdout.flush()
    os._exit(0)
