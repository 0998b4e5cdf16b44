"""Other formats of input and output: FENs, game records, comma-separated values, annotated game records."""

from __future__ import annotations

import csv
import io
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TextIO

import msgspec

from siqi.daemon.analysis.query import Query
from siqi.games import registry
from siqi.games.contract import SIDES, Outcome
from siqi.games.game_record import GameRecord, Note, NoteLine, check_moves
from siqi.games.records.position_lines import read_line

COLUMNS = (
    *("id", "turn", "fen", "toMove", "played", "lost", "rank", "throw", "bestmove", "move", "cp", "mate", "win"),
    *("draw", "expected", "depth", "nodes", "time", "pv", "outcome", "error", "query"),
)
"""The columns of a CsvTable before those of the game's tags."""

OTHER_TAGS = "Tags"
"""The last column: tags without a column of their own, as JSON."""


def columns(game: str) -> tuple[str, ...]:
    """Return the columns of a CsvTable whose first input is of a game."""
    return (*COLUMNS, "Event", "Site", "Date", "Round", *registry.info(game).players, "Result", OTHER_TAGS)


def tags_of(game: str, record: GameRecord) -> dict[str, str]:
    """Return the tags of a game: those of its file where the format has tags, else those that its record gives."""
    if record.source is not None:
        return {**record.source.headers, "Result": record.result}
    first, second = registry.info(game).players
    found = {"Event": record.event, "Date": record.occasion, first: record.first, second: record.second}
    return {name: text for name, text in found.items() if text} | {"Result": record.result}


MATE_CP = 10_000
"""The centipawns of a proven win in the column `lost`."""

Answer = dict[str, Any]


def queries_of_fens(handle: Iterable[str], game: str, prefix: str = "") -> Iterator[Query]:
    """Yield the query of each line: a FEN, and `moves ...` if there are any. Its id ends with the number of the line.

    Comments and the operations of EPD are left out (siqi/games/records/position_lines.py).
    """
    for number, line in enumerate(handle, 1):
        if (parts := read_line(line)) is not None:
            fen = "" if parts.start == "startpos" else parts.start
            yield Query(f"{prefix}{number}", game, fen=fen, moves=parts.moves)


def records_of(
    handle: TextIO, game: str, skip: Callable[[str], None] = lambda text: None
) -> Iterator[GameRecord | ValueError]:
    """Yield the games of a file, and an error for each with a fault; `skip` as for `StreamModule.stream`.

    It is a CutGameError if its first moves can be played. UnicodeError if the text cannot be decoded; that ends the
    reading, a bad game does not.
    """
    games = registry.record_format(game).load_stream().stream(handle, skip)
    loaded = registry.load(game) if registry.wording(game) is None else None  # else the reader checks the moves itself
    while True:
        try:
            record = next(games)
            if loaded is not None:
                check_moves(loaded, record)
            yield record
        except StopIteration:
            return
        except UnicodeError:
            raise
        except ValueError as error:
            yield error


def query_of_record(name: str, game: str, record: GameRecord) -> Query:
    """Return the query for every position of a game."""
    turns = tuple(range(len(record.moves) + 1))
    return Query(
        name,
        game,
        fen=record.fen,
        moves=record.moves,
        dice=record.dice,
        analyseTurns=turns,
    )


def cell_of(text: str) -> str:
    """Return a text as the cell of a table: a spreadsheet would run one that begins with a sign of a formula."""
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_SIGNS) else text


def text_of(cell: str) -> str:
    """Return the text of a cell that `cell_of` has made."""
    return cell.removeprefix("'") if cell.lstrip("'").startswith(FORMULA_SIGNS) else cell


FORMULA_SIGNS = ("=", "+", "-", "@")


class CsvTable:
    """Final answers as comma-separated values, a row for each principal variation.

    The column `lost` needs the score of the next position, unless the move played is among the variations; its rows
    wait for that answer.
    """

    def __init__(self, write_text: Callable[[str], None], header: Sequence[str] = ()) -> None:
        """`write_text` is called with all rows of an answer, without the last one's line end.

        `header`: of a table that this one continues.
        """
        self._write_text = write_text
        self._header = tuple(header)
        self._tags: dict[str, dict[str, str]] = {}  # by id
        self._expected: dict[str, Counter[int]] = {}  # by id, the turns without an answer yet
        self._waiting: dict[str, dict[int, Answer]] = {}  # by id and turn, answers that wait for the next position's
        self._scores: dict[str, dict[int, int | None]] = {}  # by id and turn, centipawns, the mover's view

    def begin(self, game: str) -> None:
        """Write the header, unless that is done: the players' columns are named as in the game of the first input."""
        if not self._header:
            self._header = columns(game)
            self._write([self._header])

    def describe(self, name: str, tags: dict[str, str]) -> None:
        """Note the tags of the game with an id, whose positions come next."""
        self._tags[name] = tags

    def expect(self, name: str, turns: tuple[int, ...], known: Mapping[int, int | None] = MappingProxyType({})) -> None:
        """Note the turns of an id that will be answered, and the `known` scores of its turns that the table has."""
        if turns:
            self._expected.setdefault(name, Counter()).update(turns)
            self._scores.setdefault(name, {}).update(known)
        else:
            self._tags.pop(name, None)

    def _write(self, rows: Iterable[Sequence[Any]]) -> None:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        for row in rows:
            table.writerow([cell_of(" ".join(cell.split())) if isinstance(cell, str) else cell for cell in row])
        self._write_text(text.getvalue().removesuffix("\n"))

    def __call__(self, answer: Answer) -> None:
        """Take an answer, and write the rows that are now complete."""
        if answer.get("isDuringSearch") or "warning" in answer or "action" in answer:
            return
        name, turn = answer.get("id", ""), answer.get("turn", -1)
        expected = self._expected.get(name, Counter())
        if not expected[turn]:  # an error of the whole query
            self._write_rows(answer, None)
            return
        expected[turn] -= 1
        scores, waiting = self._scores.setdefault(name, {}), self._waiting.setdefault(name, {})
        scores[turn] = score_before(answer)
        if (earlier := waiting.pop(turn - 1, None)) is not None:
            self._write_rows(earlier, scores[turn])
        if expected[turn + 1] and needs_next_score(answer) and turn not in waiting:
            waiting[turn] = answer
        else:
            self._write_rows(answer, scores.get(turn + 1))
        if not +expected:
            for store in (self._expected, self._waiting, self._scores, self._tags):
                store.pop(name, None)

    def close(self) -> None:
        """Write the rows that still wait after the run was interrupted."""
        for waiting in self._waiting.values():
            for answer in waiting.values():
                self._write_rows(answer, None)

    def _write_rows(self, answer: Answer, next_score: int | None) -> None:
        """Write the rows of an answer. `next_score`: of the position after the move played, the opponent's view."""
        self.begin(answer.get("game", registry.DEFAULT_GAME))
        lost = loss(answer, next_score)
        tags = self._tag_cells(answer.get("id", ""))
        rows = []
        for rank, line in enumerate(answer.get("lines") or [{}], 1):
            cells = {**answer, **line, **line.get("score", {}), "pv": " ".join(line.get("pv", ()))}
            if line:
                cells["rank"] = 1 if "throw" in line else rank
            if lost is not None:
                cells["lost"] = lost
            rows.append([*(cells.get(column, "") for column in COLUMNS), *tags])
        self._write(rows)

    def _tag_cells(self, name: str) -> list[str]:
        """Return the cells of the tags' columns for an id."""
        tags = self._tags.get(name, {})
        own = self._header[len(COLUMNS) : -1]
        others = {tag: text for tag, text in tags.items() if tag not in own}
        return [*(tags.get(tag, "") for tag in own), msgspec.json.encode(others).decode() if others else ""]


def needs_next_score(answer: Answer) -> bool:
    """True if the loss by the move played follows only from the next position's score."""
    played, lines = answer.get("played"), answer.get("lines")
    return bool(played and lines and is_known_from_next(answer) and played not in [line["move"] for line in lines])


def is_known_from_next(answer: Answer) -> bool:
    """True if the next position's score is the move's: the game has neither dice nor hidden pieces."""
    info = registry.info(answer["game"])
    return not info.has_dice and not info.has_hidden


def loss(answer: Answer, next_score: int | None) -> int | None:
    """Return the centipawns by which the move played is worse than the best, at least 0; None if not known."""
    lines, played = answer.get("lines"), answer.get("played")
    if not lines or not played or "throw" in lines[0]:
        return None
    same = [centipawns(line["score"]) for line in lines if line["move"] == played]
    if same:
        return max(0, centipawns(lines[0]["score"]) - same[0])
    if next_score is None or not is_known_from_next(answer):
        return None
    return max(0, centipawns(lines[0]["score"]) + next_score)


def outcome_of(answer: Answer) -> Outcome | None:
    """Return how the game of an answer has ended, None while it goes on; ValueError if no text of ours says so."""
    text = answer.get("outcome")
    return Outcome.parse(text) if text else None


def score_before(answer: Answer) -> int | None:
    """Return the score of a position in centipawns, the mover's view; None if the answer has none."""
    outcome = outcome_of(answer)
    if outcome is not None and not outcome.unknown:
        if outcome.winner is None:
            return 0
        return MATE_CP if SIDES[outcome.winner] == answer["toMove"] else -MATE_CP
    lines = answer.get("lines")
    return centipawns(lines[0]["score"]) if lines and "throw" not in lines[0] else None


def centipawns(score: dict[str, Any]) -> int:
    """Return a score in centipawns, within MATE_CP, which is a proven win."""
    if "mate" in score:
        return MATE_CP if score["mate"] > 0 else -MATE_CP
    return int(max(-MATE_CP, min(MATE_CP, score["cp"])))


class AnnotatedRecords:
    """The input text with a note for every position of each game."""

    def __init__(self, write_text: Callable[[str], None], game: str, encoding: str) -> None:
        """`write_text` is called with text, line ends included, that `encoding` can hold."""
        self._write_text = write_text
        self._encoding = encoding
        self._annotate = registry.record_format(game).load_stream().annotate
        self._games: dict[str, GameRecord] = {}
        self._notes: dict[str, dict[int, Note]] = {}
        self._left: dict[str, int] = {}  # by game, the number of positions without an answer
        self._parts: deque[str | tuple[str]] = deque()  # text, or (name,) of a game, in the order of the input
        self._has_games = False

    def add(self, name: str, record: GameRecord) -> None:
        """Add a game of the input, whose positions will be answered."""
        self._games[name], self._notes[name], self._left[name] = record, {}, len(record.moves) + 1
        self._parts.append((name,))
        self._has_games = True

    def skip(self, text: str) -> None:
        """Add text of the input that is in no readable game."""
        self._parts.append(text)
        self._flush()

    def __call__(self, answer: Answer) -> None:
        """Take an answer; write the text that is now complete."""
        if answer.get("isDuringSearch") or "turn" not in answer:
            return
        name = answer["id"]
        if note := note_of(answer):
            self._notes[name][answer["turn"]] = note
        self._left[name] -= 1
        self._flush()

    def _flush(self) -> None:
        """Write the complete parts in order; nothing until there is a game, as the input may be something else."""
        while self._parts and self._has_games:
            part = self._parts[0]
            if isinstance(part, str):
                self._write_text(part)
            elif self._left[part[0]]:
                return
            else:
                self._write_text(self._text(*part))
            self._parts.popleft()

    def _text(self, name: str) -> str:
        assert self._annotate is not None
        del self._left[name]
        return self._annotate(self._games.pop(name), self._notes.pop(name), self._encoding)


def note_of(answer: Answer) -> Note:
    """Return a note: `+0.13/14` (score from the first side's view, depth) and the moves of each variation, or the
    outcome, or nothing."""
    sign = 1 if answer.get("toMove") == "first" else -1
    if lines := answer.get("lines"):
        return tuple(
            NoteLine(f"{pawns_text(line['score'], sign)}/{line['depth']}", tuple(line["pv"])) for line in lines
        )
    outcome = outcome_of(answer)
    return () if outcome is None or outcome.unknown else (NoteLine(f"{outcome.result} {outcome.reason}"),)


def pawns_text(score: dict[str, Any], sign: int) -> str:
    """Return a score from the first side's view: `+0.13` in pawns, or `-M3`, the second side wins in three moves.

    `sign`: -1 turns a score of the second side's view.
    """
    if "mate" in score:
        return f"{'+' if sign * score['mate'] > 0 else '-'}M{abs(score['mate'])}"
    return f"{sign * score['cp'] / 100:+.2f}"
