"""The knowledge that the settings select for Xiangqi: books, tablebases, the evaluation, known positions."""

from __future__ import annotations

import functools
import importlib
import math
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from siqi.games.books.book import BOOKS_FOLDER, BookFileError, folders
from siqi.games.books.opening import OpeningBooks, SymmetricPosition
from siqi.games.contract import BookLine, BookRule, Suggestion, TablebaseResult, Warn
from siqi.games.kernel.jit import Record
from siqi.games.options import changed, named_file
from siqi.games.xiangqi import Settings
from siqi.games.xiangqi.evaluation.choice import Evaluation, choose
from siqi.games.xiangqi.knowledge.numbering import ATTACKERS, letters_of
from siqi.games.xiangqi.knowledge.obk import open_obk
from siqi.games.xiangqi.knowledge.patterns import Pattern, PatternBook
from siqi.games.xiangqi.knowledge.probe import UNKNOWN
from siqi.games.xiangqi.knowledge.rule_miner import MiningJob, RuleMiner
from siqi.games.xiangqi.knowledge.rulebook import FittingRule, RuleBook, RulePosition, bit_names
from siqi.games.xiangqi.knowledge.situation import SITUATIONS
from siqi.games.xiangqi.knowledge.tablebase import Tablebase

if TYPE_CHECKING:
    from siqi.games.xiangqi.knowledge.known import KnownPositions

PATTERN_ATTACKERS = 8
"""The most rooks, horses, cannons and pawns of both sides together with which the pattern book is consulted."""

RULE_BOOK = BOOKS_FOLDER / "xiangqi-rules.book"

PATTERN_BOOK = BOOKS_FOLDER / "xiangqi-patterns.txt"
TABLEBASE_FOLDER = BOOKS_FOLDER / "xiangqi-endings"


shipped_rules, shipped_patterns = functools.cache(RuleBook), functools.cache(PatternBook)
"""Read a shipped book once a process: checking its entries takes most of the time in which a game is loaded."""


class BookPosition(SymmetricPosition, RulePosition, Protocol):
    """A position that all books accept."""


class Knowledge:
    """The books in use. Rule book and pattern book are open from the start, the others from their first use."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        """Open the books that the settings name; `warn` gets a line for one that cannot be used, then or later."""
        self.settings = settings
        self.openings = OpeningBooks("xiangqi", settings, warn, open_obk)
        self.tablebase: Tablebase | None = None
        self._patterns: PatternBook | None = None
        self._warn = warn
        self._rules: RuleBook | None = None
        self._known: KnownPositions | None = None
        self._rule_miner = RuleMiner(warn)
        self._learn_path = ""
        self._seen = (0, 0)  # the last position for which rules were requested: its ply and key
        self._find_tablebases()
        self._find_rules()

    def use(self, settings: Settings) -> None:
        """Take other settings, and reopen the books that differ by them."""
        changes = changed(self.settings, settings)
        self.settings = settings
        self.openings.use(settings)
        if changes & {"use_endgames", "endgame_path"}:
            self._find_tablebases()
        if "evaluation" in changes or ("network_file" in changes and settings.evaluation == "network"):
            self.__dict__.pop("evaluation", None)  # it is chosen anew
        if changes & {"use_rules", "rule_file", "mine_rules"}:
            self._find_rules()
            self._learn()
            if settings.use_rules in ("checked", "paper"):
                importlib.import_module("siqi.games.xiangqi.knowledge.rule_lookup")  # compile it now, not under a clock

    def read_known_positions(self, path: str) -> None:
        """Read the user's known positions, again if the same file is named again; '': there are none."""
        self._known = self._read_known(path) if path else None

    @property
    def first_rank(self) -> int:
        """The number of the first rank in move texts, 0 or 1."""
        return int(self.settings.uci_coordinates)

    @property
    def known_positions(self) -> tuple[int, int]:
        """The addresses of the user's known positions and of the kernel that finds them; 0, 0 without any."""
        return (0, 0) if self._known is None else (self._known.address, self._known.kernel)

    @property
    def values(self) -> object:
        """A token of the options that change values of positions, for `DeepeningAdapter.values`."""
        return self.evaluation, self._known

    @functools.cached_property
    def evaluation(self) -> Evaluation:
        """The evaluation that the options name, chosen at its first use.

        Options come one by one, and only all together show whether a warning is due.
        """
        return choose(self.settings.evaluation, named_file(self.settings.network_file), self._warn)

    def _read_known(self, path: str) -> KnownPositions | None:
        # Late: few users have such a file, and the kernel that looks positions up need not be compiled for the others.
        from siqi.games.xiangqi.knowledge.known import KnownPositions

        try:
            return KnownPositions(Path(path), self._warn)
        except OSError as error:
            self._warn(f"cannot read {path}: {error.strerror}")
        except ValueError as error:
            self._warn(f"{path}: {error}")
        return None

    def _find_tablebases(self) -> None:
        self.tablebase = self._patterns = None
        if self.settings.use_endgames:
            try:
                self._patterns = shipped_patterns(PATTERN_BOOK)
            except BookFileError as error:
                self._warn(str(error))
            self.tablebase = Tablebase(folders(TABLEBASE_FOLDER, self.settings.endgame_path, self._warn), self._warn)

    def patterns_near(self, pos: Record) -> int:
        """Return the address of the pattern book if a search from a position may meet an entry, else 0."""
        attackers = sum(letters_of(pos, side).count(letter) for side in (0, 1) for letter in ATTACKERS)
        return self._patterns.address if self._patterns is not None and attackers <= PATTERN_ATTACKERS else 0

    def _find_rules(self) -> None:
        """Open the user's rule base, else the shipped one; a base that is yet to be learned has no rules."""
        self._rules = None
        if self.settings.use_rules == "false":
            return
        own = named_file(self.settings.rule_file)
        if own is not None and self.settings.mine_rules and is_missing(own):
            return
        for path in (own, RULE_BOOK):
            if path is not None:
                try:
                    self._rules = RuleBook(path) if path is own else shipped_rules(path).twin()
                    return
                except BookFileError as error:
                    self._warn(str(error))

    def learn_from(self, path: str) -> None:
        """Mine the games of a file into the rule base during play, if the options say so; '': there is no file."""
        self._learn_path = path
        if path and self.settings.mine_rules and not self.settings.rule_file:
            self._warn("option MineRules: RuleFile names no file for the rules")
        self._learn()

    def _learn(self) -> None:
        rules = self.settings.rule_file
        if self._learn_path and rules and self.settings.mine_rules:
            self._rule_miner.start(MiningJob(self._learn_path, rules))

    def begin_game(self) -> None:
        """Take the rule base that was learned meanwhile, if there is one. No search may run."""
        learned = self._rule_miner.take(self.settings.rule_file)
        if learned is not None and self.settings.use_rules != "false":
            self._rules = learned

    def _rules_for(self, position: BookPosition) -> RuleBook | None:
        """Return the rule base, None if it has no rules for a game of this length.

        A position that does not continue the last one begins another game, whether or not the client announces it.
        """
        pos = position.record
        ply, key = self._seen
        seen = self._seen = int(pos.height), int(pos.key)
        if seen[0] < ply or key != (pos.past_key[ply] if seen[0] > ply else seen[1]):
            self.begin_game()
        if self._rules is None or position.game_ply >= (self._rules.plies or math.inf):
            return None
        return self._rules

    def prepare_rules(self, position: BookPosition) -> int:
        """Return the address of the rules that a search from a position may use (rulebook.py), 0 if none fits."""
        rules = self._rules_for(position)
        return 0 if rules is None else rules.prepare(position)

    def fitting_rules(self, position: BookPosition) -> list[FittingRule]:
        """Return the rules that fit a position, by falling confidence."""
        rules = self._rules_for(position)
        return [] if rules is None else rules.fitting(position)

    def suggest(self, position: BookPosition, rng: random.Random) -> Suggestion | None:
        """Return a random move of the opening book (OwnBook), or a rule's answer (UseRules checked or paper).

        `checked` asks the book first. The paper tries its rules before all else, whatever the limits.
        """
        use = self.settings.use_rules
        if use == "paper":
            return self._suggest_by_rules(position, rng, use) or self.openings.suggest(position, rng)
        suggestion = self.openings.suggest(position, rng)
        if suggestion is None and use == "checked":
            return self._suggest_by_rules(position, rng, use)
        return suggestion

    def _suggest_by_rules(self, position: BookPosition, rng: random.Random, use: str) -> Suggestion | None:
        """Return the answer of one of the rules that fit; None if none does."""
        rules = self._rules_for(position)
        fits = [] if rules is None else rules.answers(position)
        if not fits:
            return None
        # The paper draws any rule that fits; for a rule that a search will check, confidence should count.
        weights = None if use == "paper" else [fit.rule.confidence for fit in fits]
        fit = rng.choices(fits, weights)[0]
        return Suggestion(fit.moves[0], rule_text(position, fit), use == "checked", use == "paper")

    def consult(self, position: BookPosition) -> list[BookLine]:
        """Return a line for each move of the opening book, each rule, the pattern and the tablebase's result."""
        lines = self.openings.consult(position)
        lines += [
            BookLine(rule_text(position, fit), rule=rule_of(position, fit)) for fit in self.fitting_rules(position)
        ]
        pattern = None if self._patterns is None else self._patterns.find(position.record)
        if self._patterns is not None and pattern is not None:
            lines.append(BookLine(pattern_text(self._patterns.patterns[pattern.entry], pattern.pressing)))
        verdict = self.tablebase_result(position.record)
        return lines if verdict is None else [*lines, BookLine(tablebase_text(verdict), ending=verdict)]

    def tablebase_code(self, pos: Record) -> int:
        """Return the tablebase's code (probe.py) of a position; UNKNOWN if it has none."""
        return UNKNOWN if self.tablebase is None else self.tablebase.code_of(pos)

    def tablebase_result(self, pos: Record) -> TablebaseResult | None:
        """Return the tablebase's verdict on a position, None if it has none."""
        code = self.tablebase_code(pos)
        if code == UNKNOWN:
            return None
        return TablebaseResult("loss" if code & 1 else "win", code - 1) if code else TablebaseResult("draw")


def tablebase_text(verdict: TablebaseResult) -> str:
    """Return the line that shows a verdict to the user."""
    return "endgame draw" if verdict.result == "draw" else f"endgame {verdict.result} in {verdict.plies} plies"


def is_missing(path: Path) -> bool:
    """True if a rule base is yet to be learned: there is no file, or an empty one."""
    try:
        return os.path.getsize(path) == 0
    except (OSError, ValueError):
        return True


def rule_text(position: BookPosition, fit: FittingRule) -> str:
    """Return the line of `consult` for a rule."""
    from siqi.games.xiangqi.knowledge.intent import INTENTS

    rule = fit.rule
    moves = " ".join(map(position.move_text, fit.moves))
    after = " ".join(position.move_text(item.move) for item in rule.after)
    counted = "positions" if rule.when else "games"
    text = f"rule {moves} {counted} {rule.games} confidence {rule.confidence:.1%}"
    text += f" lift {rule.lift:.2f} score {rule.score:.1%}"
    text += f" after {after}" if after else ""
    text += f" when {', '.join(bit_names(SITUATIONS, rule.when))}" if rule.when else ""
    return text + (f" intent {', '.join(bit_names(INTENTS, rule.intents))}" if rule.intents else "")


def rule_of(position: BookPosition, fit: FittingRule) -> BookRule:
    """Return a rule as data."""
    from siqi.games.xiangqi.knowledge.intent import INTENTS, intents_of

    rule = fit.rule
    asked, moves = round(rule.games / rule.confidence), tuple(map(position.move_text, fit.moves))
    if rule.answer is None:
        names = tuple(bit_names(INTENTS, rule.intents))
        return BookRule("", asked, rule.confidence, bool(rule.when), names, moves)
    names = tuple(bit_names(INTENTS, intents_of(position.record, fit.moves[0])))
    return BookRule(moves[0], asked, rule.confidence, bool(rule.when), names)


def pattern_text(pattern: Pattern, pressing: int) -> str:
    """Return the line of `consult` for a pattern."""
    return f"pattern {pattern.claim} pressing {('first', 'second')[pressing]} name {pattern.name}"
