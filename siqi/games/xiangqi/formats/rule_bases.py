"""Rule bases as `siqi rules` mines, shows and exports them: the three databases of Jiang, Chen, Tang 2004 (section 4).

Knowledge has the moves of the games, workspace a number for each different move (steptoname), rule the rules
(ruletable). Here they are tables with the paper's columns. Files count from 1 on Red's left, ranks from 1 on Black's
side. Pieces are numbered as the rule base numbers them (items.py). A game that begins on the left is mirrored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from siqi.games.books.book import BookFileError, book_kind
from siqi.games.formats import RuleSettings, RuleTable
from siqi.games.game_record import GameRecord
from siqi.games.shape import shift_ranks
from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.knowledge import intent, rulebook, situation
from siqi.games.xiangqi.knowledge.items import BY_KIND, NUMBERINGS, Item, Numbering
from siqi.games.xiangqi.knowledge.knowledge import RULE_BOOK
from siqi.games.xiangqi.knowledge.mining import MiningRequest, move_rules
from siqi.games.xiangqi.knowledge.replay import MAX_MOVES, Games, collect
from siqi.games.xiangqi.knowledge.rulebook import MinedRule, RuleBook
from siqi.games.xiangqi.knowledge.situation_rules import situation_rules, without_idle_conditions
from siqi.games.xiangqi.library.letters import text_of
from siqi.games.xiangqi.library.san import NAMES, Notation, Scene, write_san
from siqi.system.files import Owns

Report = Callable[[str], None]


class _LineGame(msgspec.Struct):
    """The fields that are read of a line of JSON, as `GameLog` and scripts write them."""

    moves: list[str]
    result: str = "*"
    game: str = INFO.name
    fen: str | None = None
    options: dict[str, str] = {}
    result_conflict: int = 0  # sources differ


def records_in_lines(data: bytes, report: Report) -> Iterator[GameRecord]:
    """Yield the games of Xiangqi in JSON lines; `report` gets a line for each that is no game."""
    for number, line in enumerate(data.splitlines(), 1):
        try:
            game = msgspec.json.decode(line, type=_LineGame)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            report(f"line {number}: {error}")
            continue
        if game.game == INFO.name:
            lowest_rank = int(game.options.get("UCI_Coordinates") == "1")
            moves = tuple(shift_ranks(word, -lowest_rank) for word in game.moves)
            yield GameRecord(moves, result="*" if game.result_conflict else game.result, fen=game.fen or "")


class MinedBase(NamedTuple):
    """Rules mined from games."""

    rules: list[MinedRule]
    games: int
    items: int  # different moves in the games
    settings: RuleSettings


def mine(records: Iterable[GameRecord], settings: RuleSettings, report: Report) -> MinedBase:
    """Return the rules of games; `report` gets a line for each game that is left out. ValueError for bad settings."""
    if not 0 <= settings.plies <= MAX_MOVES:
        raise ValueError(f"--plies: 0 to {MAX_MOVES}, not {settings.plies}")
    classifies = settings.kind != "moves" or bool(settings.phase)
    games = collect(records, settings.plies, report, NUMBERINGS[settings.items], classifies)
    phase = 1 << situation.SITUATIONS.index(settings.phase) if settings.phase else 0
    wanted = MiningRequest(
        settings.support,
        settings.confidence,
        settings.longest,
        settings.winners,
        phase,
        settings.least,
        settings.ordered,
    )
    rules = move_rules(games, wanted) if settings.kind != "situations" and games.plies else []
    if settings.kind != "moves" and games.plies:
        rules += situation_rules(games, wanted._replace(support=settings.position_support))
    if settings.improvement:
        rules = without_idle_conditions(rules, settings.improvement)
    return MinedBase(rules, len(games.plies), len(games.items), settings)


def is_base(head: bytes) -> bool:
    """True if a file that begins with these bytes is a rule base."""
    return book_kind(head) == rulebook.KIND


def write(path: Path, base: MinedBase, source: str, owns: Owns | None = None) -> None:
    """Write a rule base as a file for the option RuleFile, in one step; OSError as of `rulebook.write`."""
    settings, default = base.settings, RuleSettings()
    about = {
        "source": source,
        "games": base.games,
        **({} if settings.items == BY_KIND.name else {"items": settings.items}),
        "parameters": {
            "kind": settings.kind,
            "min_support": settings.support,
            "min_position_support": settings.position_support,
            "min_confidence": settings.confidence,
            "longest": settings.longest,
            "plies": settings.plies,
            "phase": settings.phase or None,
            "winners": settings.winners,
            **({} if settings.least == default.least else {"min_games": settings.least}),
            **({} if settings.ordered else {"any_order": True}),
        },
    }
    rulebook.write(path, about, base.rules, owns)


def read(path: Path | None) -> RuleBook:
    """Return the rule base of a file, the shipped one for None; ValueError if it cannot be used."""
    try:
        return RuleBook(path or RULE_BOOK)
    except BookFileError as error:
        raise ValueError(str(error)) from None


def lines(book: RuleBook, notation: Notation) -> Iterator[str]:
    """Yield the lines that show a rule base: its header, then its rules."""
    for name, value in book.about.items():
        yield f"# {name}: {value}"
    for rule in book.rules:
        yield rule_text(rule, notation, book.numbering)


def rule_lines(base: MinedBase, notation: Notation) -> Iterator[str]:
    """Yield a line for each mined rule."""
    for rule in base.rules:
        yield rule_text(rule, notation, NUMBERINGS[base.settings.items])


def item_text(item: Item, notation: Notation, numbering: Numbering = BY_KIND) -> str:
    """Return the move as players write it, the piece alone on the board; the captured piece in brackets."""
    side, piece, captured = numbering.side(item), numbering.kinds[item.piece], numbering.kinds[item.captured]
    letters = text_of({item.origin: INFO.pieces[side][(piece - 1) % 7]})
    text = write_san(Scene(letters, side), item.move, notation)
    if not captured:
        return text
    names = NAMES["traditional" if notation == "traditional" else "chinese"]
    return f"{text}({names[(captured - 1) // 7][(captured - 1) % 7]})"


def rule_text(rule: MinedRule, notation: Notation, numbering: Numbering = BY_KIND) -> str:
    """Return a rule as one line."""
    counted = "positions" if rule.when else "games"
    return (
        f"{_sides_text(rule, notation, numbering)}  {counted} {rule.games}"
        f"  confidence {rule.confidence:.1%}  lift {rule.lift:.2f}  score {rule.score:.1%}"
    )


def _sides_text(rule: MinedRule, notation: Notation, numbering: Numbering) -> str:
    """Return both sides of a rule."""
    after = [item_text(item, notation, numbering) for item in rule.after]
    when = rulebook.bit_names(situation.SITUATIONS, rule.when)
    answers = [f"[{name}]" for name in rulebook.bit_names(intent.INTENTS, rule.intents)]
    if rule.answer is not None:
        answers = [item_text(rule.answer, notation, numbering)]
    antecedent = " ".join([*after, *([f"({', '.join(when)})"] if when else [])])
    return f"{antecedent} => {' '.join(answers)}"


# The paper's tables

MOVE = ("piece", "captured", "from_x", "from_y", "to_x", "to_y")
KNOWLEDGE = ("game", "ply", *MOVE, "number", "move")
STEPTONAME = ("number", *MOVE, "move")
ABOUT_RULE = ("when", "intents", "games", "confidence", "lift", "score", "rule")

CHINESE = {
    "game": "棋局", "ply": "棋步", "piece": "走子", "captured": "吃子", "from_x": "起点横标", "from_y": "起点纵标",
    "to_x": "目标点横标", "to_y": "目标点纵标", "number": "物品标识", "move": "着法", "when": "局面", "intents": "意图",
    "games": "局数", "confidence": "可信度", "lift": "提升度", "score": "得分率", "rule": "规则",
}  # fmt: skip
"""The headings in Chinese, the paper's own where it has them."""

DONE = "处理标志位"
"""The paper's heading for an item's number in a table of Knowledge."""


def tables(
    book: RuleBook, records: Iterable[GameRecord] | None, notation: Notation, language: str, report: Report
) -> Iterator[RuleTable]:
    """Yield the paper's tables of a rule base; `knowledge` only if games are given. Items are numbered from 1.

    `report` gets a line for each game that is left out.
    """
    items: dict[Item, int] = {}
    if records is not None:
        games = collect(records, book.plies, report, book.numbering)
        items = {item: number for number, item in enumerate(games.items, 1)}
        yield RuleTable("knowledge", _heading(KNOWLEDGE, language), _knowledge(games, notation))
    for rule in book.rules:
        for item in (*rule.after, rule.answer):
            if item is not None:
                items.setdefault(item, len(items) + 1)
    steps = ((number, *_cells(item), item_text(item, notation, book.numbering)) for item, number in items.items())
    yield RuleTable("steptoname", _heading(STEPTONAME, language), steps)
    longest = max((len(rule.after) for rule in book.rules), default=1)
    yield RuleTable("ruletable", _rule_heading(longest, language), _rule_rows(book, items, max(longest, 1), notation))


def _cells(item: Item) -> tuple[int, ...]:
    """Return an item as the paper writes it: pieces, then files from Red's left and ranks from Black's side."""
    points = [(square % 9 + 1, 10 - square // 9) for square in (item.origin, item.target)]
    return item.piece, item.captured, *points[0], *points[1]


def _heading(names: Sequence[str], language: str) -> tuple[str, ...]:
    """Return a table's headings in a language."""
    if language != "zh":
        return tuple(names)
    return tuple(DONE if name == "number" and "ply" in names else CHINESE[name] for name in names)


def _rule_heading(longest: int, language: str) -> tuple[str, ...]:
    """Return the headings of ruletable: a move of `after` each, the answer, and what more is known of a rule."""
    groups = ["IF", *(f"IF{number}" for number in range(2, longest + 1)), "THEN"]
    moves = _heading(MOVE, language)
    heads = [
        head
        for group in groups
        for head in (group, *(f"{group}{name}" if language == "zh" else f"{group}_{name}" for name in moves))
    ]
    return (*heads, *_heading(ABOUT_RULE, language))


def _knowledge(games: Games, notation: Notation) -> Iterator[tuple[Any, ...]]:
    texts = [item_text(item, notation, games.numbering) for item in games.items]
    for game, numbers in enumerate(games.numbers, 1):
        for ply, number in enumerate(numbers.tolist(), 1):
            yield game, ply, *_cells(games.items[number]), number + 1, texts[number]


def _rule_rows(book: RuleBook, items: dict[Item, int], longest: int, notation: Notation) -> Iterator[tuple[Any, ...]]:
    blank = ("",) * (1 + len(MOVE))
    for rule in book.rules:
        sides = [*rule.after, *[None] * (longest - len(rule.after)), rule.answer]
        row = [cell for item in sides for cell in (blank if item is None else (items[item], *_cells(item)))]
        yield (
            *row,
            ", ".join(rulebook.bit_names(situation.SITUATIONS, rule.when)),
            ", ".join(rulebook.bit_names(intent.INTENTS, rule.intents)),
            rule.games,
            f"{rule.confidence:.4f}",
            f"{rule.lift:.4f}",
            f"{rule.score:.4f}",
            _sides_text(rule, notation, book.numbering),
        )
