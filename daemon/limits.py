"""What `go` asks for: parsing its words, and the budget that follows from them."""

from __future__ import annotations

from typing import NamedTuple

from daemon import clock

_NUMBERS = (
    "wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate", "perft",
)  # fmt: skip
_AT_LEAST = dict(nodes=1, depth=1, mate=1, perft=1, movetime=1)
MAX_NUMBER = 10**15
MAX_TIME = 10**10
"""Milliseconds, some hundred days: what a deadline in nanoseconds can hold."""

_TIMES = ("wtime", "btime", "winc", "binc", "movetime")


class Limits(NamedTuple):
    """The words of `go`; times in milliseconds, None where not given."""

    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int = 0
    movetime: int | None = None
    nodes: int = 0
    depth: int = 0
    mate: int = 0
    perft: int = 0
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()

    @property
    def has_clock(self) -> bool:
        return self.wtime is not None or self.btime is not None

    @property
    def is_bounded(self) -> bool:
        """Whether the search ends by itself, once it does not ponder any more."""
        if self.infinite:
            return False
        return self.has_clock or bool(self.movetime or self.nodes or self.depth or self.mate)

    @property
    def answers_at_once(self) -> bool:
        """Whether a single reply is played without a search: only under a clock."""
        return (self.has_clock or self.movestogo > 0) and not self.infinite and not self.ponder

    def budget(
        self, side: int, turns_played: int, expected_turns: int, overhead: int, early_weight: float = 1.0
    ) -> clock.Budget | None:
        """Time for this move by clock and movetime; None without either."""
        budgets = []
        if self.has_clock:
            is_white = self.btime is None or (side == 0 and self.wtime is not None)
            left, increment = (self.wtime, self.winc) if is_white else (self.btime, self.binc)
            budgets.append(
                clock.allot(
                    max(left or 0, 1),
                    increment,
                    self.movestogo,
                    turns_played,
                    expected_turns,
                    overhead,
                    self.ponder,
                    early_weight,
                )
            )
        if self.movetime is not None:
            budgets.append(clock.fixed(self.movetime, overhead))
        return min(budgets, key=lambda budget: budget.hard) if budgets else None


def parse_number(word: str, text: str) -> int:
    """The number after a word of `go`; ValueError if it is none."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise ValueError(f"go {word}: not a number: {text}")
    number = min(int(text), MAX_NUMBER)
    if number < _AT_LEAST.get(word, -MAX_NUMBER):
        raise ValueError(f"go {word}: at least {_AT_LEAST[word]}, not {text}")
    return number


def parse_go(words: list[str]) -> tuple[Limits, list[str]]:
    """Limits from the words after `go`, and the words nobody knows. ValueError for a value that cannot be."""
    found: dict[str, object] = {}
    unknown = []
    i = 0
    while i < len(words):
        word = words[i].lower()
        i += 1
        if word in _NUMBERS:
            if i == len(words):
                raise ValueError(f"go {word}: no number follows")
            number = parse_number(word, words[i])
            number = min(number, MAX_TIME) if word in _TIMES else number
            found[word] = max(number, 0) if word in ("winc", "binc", "movestogo") else number
            i += 1
        elif word in ("infinite", "ponder"):
            found[word] = True
        elif word == "searchmoves":
            # Everything that is no word of `go` is a move.
            moves = []
            while i < len(words) and words[i].lower() not in (*_NUMBERS, "infinite", "ponder"):
                moves.append(words[i])
                i += 1
            if not moves:
                raise ValueError("go searchmoves: no move follows")
            found["searchmoves"] = tuple(moves)
        else:
            unknown.append(words[i - 1])
    return Limits(**found), unknown  # type: ignore[arg-type]
