"""Mine Xiangqi games for rules of the form "if these moves were played, answer so" (Jiang, Chen, Tang 2004).

    python scripts/books/mine_rules.py games.jsonl.zst --min-support 0.02 --min-confidence 0.3
    python scripts/books/mine_rules.py games.jsonl.zst my-games.jsonl --kind both --out my-rules.book
    python scripts/books/mine_rules.py games.jsonl.zst --items identity --plies 0 --out paper-rules.book
    python scripts/books/mine_rules.py --dump siqi/books/xiangqi-rules.book

There are two kinds of rules. `moves` is the paper's: a game is a transaction, a move an item (piece, captured piece,
from, to; section 4.2). `situations` is what the paper proposes for the future: a move played is a transaction. Its
items are the classes of the position it was played in, the move before, the move itself and its intents
(`situation.py`, `intent.py`). Pieces are distinguished by kind, or by identity as in the paper, which numbers all 32
(`items.py`); then only games from the start position count. Games that begin on the left wing are mirrored.

Apriori finds the frequent item sets and the rules in them. A rule is kept if its consequent is an answer: one move of a
side, or its intents, after everything in the antecedent. The rules are printed, or written as a rule book: to `--out`,
or siqi/books/xiangqi-rules.book with `--replace-shipped`. The option `RuleFile` of the daemon plays by such a book.

Data: games as JSON lines (`moves`, `result`), PGN or CSV; siqi/books/README.md names those of the shipped books, which
are not shipped themselves. `python scripts/match/self_play.py xiangqi own.jsonl` makes some.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from scripts.common import script
from scripts.common.records import read_game_records

from siqi.games.books.book import BookFileError
from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.knowledge import apriori, intent, rulebook, situation
from siqi.games.xiangqi.knowledge.items import BY_KIND, NUMBERINGS, Item, Numbering
from siqi.games.xiangqi.knowledge.knowledge import RULE_BOOK
from siqi.games.xiangqi.knowledge.mining import MiningRequest, move_rules
from siqi.games.xiangqi.knowledge.replay import INTENTS, MOST_MOVES, SITUATIONS, Games, collect
from siqi.games.xiangqi.knowledge.rulebook import MinedRule, RuleBook
from siqi.games.xiangqi.library.letters import text_of
from siqi.games.xiangqi.library.san import NAMES, Notation, Scene, write_san

NO_ITEM = -1


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
    after = [item_text(item, notation, numbering) for item in rule.after]
    when = rulebook.bit_names(situation.SITUATIONS, rule.when)
    answers = [f"[{name}]" for name in rulebook.bit_names(intent.INTENTS, rule.intents)]
    if rule.answer is not None:
        answers = [item_text(rule.answer, notation, numbering)]
    antecedent = " ".join([*after, *([f"({', '.join(when)})"] if when else [])])
    return (
        f"{antecedent} => {' '.join(answers)}  {'positions' if when else 'games'} {rule.games}"
        f"  confidence {rule.confidence:.1%}  lift {rule.lift:.2f}  score {rule.score:.1%}"
    )


# Rules of situations


def situation_rules(games: Games, wanted: MiningRequest) -> list[MinedRule]:
    """Return rules from the move before and the position's classes to a move or its intents."""
    classes = np.concatenate([plies[:, SITUATIONS] for plies in games.plies])
    intents = np.concatenate([plies[:, INTENTS] for plies in games.plies])
    answer = np.concatenate(games.numbers)
    before = np.concatenate([np.append(NO_ITEM, numbers[:-1]) for numbers in games.numbers])
    lengths = [len(plies) for plies in games.plies]
    side = np.array([games.numbering.side(item) for item in games.items])[answer]
    winner = np.repeat(games.winners, lengths)
    kept = np.ones(len(answer), bool)
    if wanted.phase:
        kept &= classes & wanted.phase != 0
    if wanted.winners:
        kept &= winner == side
    classes, intents, answer, before, side, winner = (
        column[kept] for column in (classes, intents, answer, before, side, winner)
    )
    points = np.where(winner == side, 1.0, np.where(winner < 0, 0.5, 0.0))
    least = wanted.transactions(len(answer))
    # Items in four ranges: classes, the move before, intents, the move.
    kinds: list[tuple[str, int]] = []
    rows = []
    for kind, column, bits in (
        ("when", classes, len(situation.SITUATIONS)),
        ("intent", intents, len(intent.INTENTS)),
    ):
        for bit in range(bits):
            kinds.append((kind, bit))
            rows.append(column >> bit & 1 == 1)
    for kind, column in (("after", before), ("answer", answer)):
        counts = np.bincount(column[column >= 0], minlength=len(games.items))
        for number in np.flatnonzero(counts >= least):
            kinds.append((kind, int(number)))
            rows.append(column == number)
    levels = apriori.frequent(apriori.packed(rows), least, wanted.longest + 1)
    found = []
    for rule in apriori.rules(levels, len(answer), wanted.confidence):
        asked = [kinds[item] for item in rule.antecedent]
        given = [kinds[item] for item in rule.consequent]
        if {kind for kind, _ in asked} - {"when", "after"} or not any(kind == "when" for kind, _ in asked):
            continue
        if {kind for kind, _ in given} not in ({"answer"}, {"intent"}):
            continue
        fits = np.logical_and.reduce([rows[item] for item in (*rule.antecedent, *rule.consequent)])
        found.append(
            MinedRule(
                tuple(games.items[number] for kind, number in asked if kind == "after"),
                sum(1 << bit for kind, bit in asked if kind == "when"),
                games.items[given[0][1]] if given[0][0] == "answer" else None,
                sum(1 << bit for kind, bit in given if kind == "intent"),
                rule.support,
                rule.confidence,
                rule.lift,
                float(points[fits].mean()),
            )
        )
    return sorted(found, key=lambda rule: (len(rule.after), -rule.confidence))


def without_idle_conditions(rules: list[MinedRule], improvement: float) -> list[MinedRule]:
    """Return rules whose confidence is `improvement` above that of rules with the same answer and fewer conditions."""

    def parts(rule: MinedRule) -> frozenset[Item | int]:
        return frozenset(rule.after) | {bit for bit in range(len(situation.SITUATIONS)) if rule.when >> bit & 1}

    by_answer: dict[tuple[Item | None, int], list[tuple[frozenset[Item | int], float]]] = {}
    for rule in rules:
        by_answer.setdefault((rule.answer, rule.intents), []).append((parts(rule), rule.confidence))
    return [
        rule
        for rule in rules
        if not any(
            asked < parts(rule) and confidence > rule.confidence - improvement
            for asked, confidence in by_answer[rule.answer, rule.intents]
        )
    ]


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="JSON lines or PGN, also .zst")
    parser.add_argument("--kind", choices=("moves", "situations", "both"), default="moves")
    parser.add_argument("--min-support", type=float, default=0.02, help="least share of the games")
    parser.add_argument("--min-position-support", type=float, default=0.001, help="least share of positions")
    parser.add_argument("--min-confidence", type=float, default=0.3)
    parser.add_argument("--longest", type=int, default=2, help="most items of an antecedent")
    parser.add_argument("--min-improvement", type=float, default=0.0, help="least gain of confidence by a condition")
    parser.add_argument("--items", choices=NUMBERINGS, default=BY_KIND.name, help="how pieces are distinguished")
    parser.add_argument("--plies", type=int, default=40, help="plies of each game that count; 0: whole games")
    parser.add_argument("--phase", choices=situation.SITUATIONS[:3], help="count only moves played in this phase")
    parser.add_argument("--winners", action="store_true", help="count only answers of the side that won")
    parser.add_argument("--notation", choices=("chinese", "traditional", "wxf"), default="chinese")
    script.add_output(parser, "the rule book", required=False)
    parser.add_argument("--source", default="", help="source of the games, for the header")
    parser.add_argument("--dump", type=Path, help="print a rule book")
    options = parser.parse_args()
    if options.dump is not None:
        return dump(options.dump, options.notation)
    if not options.files:
        parser.error("no games")
    if not 0 <= options.plies <= MOST_MOVES:
        parser.error(f"--plies: 0 to {MOST_MOVES}")
    numbering = NUMBERINGS[options.items]
    out = None
    if options.out is not None or options.replace_shipped:
        out = script.output_file(options, RULE_BOOK, script.is_book(rulebook.KIND))
    skipped: list[str] = []
    started = time.perf_counter()
    records = (record for path in options.files for record in read_game_records(path, skipped.append))
    classifies = options.kind != "moves" or options.phase is not None
    records = script.progress(records, unit=" games")
    games = collect(records, options.plies, skipped.append, numbering, classifies)
    replayed = time.perf_counter()
    phase = 1 << situation.SITUATIONS.index(options.phase) if options.phase else 0
    wanted = MiningRequest(options.min_support, options.min_confidence, options.longest, options.winners, phase)
    rules = move_rules(games, wanted) if options.kind != "situations" else []
    if options.kind != "moves":
        rules += situation_rules(games, wanted._replace(support=options.min_position_support))
    if options.min_improvement:
        rules = without_idle_conditions(rules, options.min_improvement)
    mined = time.perf_counter()
    if out is not None:
        names = (
            "kind",
            "min_support",
            "min_position_support",
            "min_confidence",
            "longest",
            "plies",
            "phase",
            "winners",
        )
        about = {
            "source": options.source or ", ".join(path.name for path in options.files),
            "games": len(games.plies),
            **({} if numbering is BY_KIND else {"items": numbering.name}),
            "parameters": {name: getattr(options, name) for name in names},
        }
        rulebook.write(out, about, rules)
    else:
        for rule in rules:
            print(rule_text(rule, options.notation, numbering))
    for line in skipped:
        print(f"skipped: {line}", file=sys.stderr)
    print(
        f"{len(games.plies)} games, {len(games.items)} items, {len(rules)} rules;"
        f" replayed in {replayed - started:.1f} s, mined in {mined - replayed:.1f} s",
        file=sys.stderr,
    )
    return 0


def dump(path: Path, notation: Notation) -> int:
    """Print a rule book's header and its rules; return the exit status."""
    try:
        book = RuleBook(path)
    except BookFileError as error:
        print(error, file=sys.stderr)
        return 1
    for name, value in book.about.items():
        print(f"# {name}: {value}")
    for rule in book.rules:
        print(rule_text(rule, notation, book.numbering))
    return 0


if __name__ == "__main__":
    sys.exit(main())
