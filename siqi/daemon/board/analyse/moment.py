"""The requests and the display of an analysis at the moment: no facts, so a restart forgets them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from siqi.daemon.board.analyse.entries import Value
from siqi.daemon.board.analyse.events import LinesShown
from siqi.daemon.board.events import PlayedMove
from siqi.daemon.board.mode import SearchInfo

DEFAULT_LINES = 3


@dataclass
class Wishes:
    """What the engine is to do, and has done."""

    lines: int = DEFAULT_LINES  # to show of the current position; 0: none
    value: Value | None = None  # of the current position
    report: LinesShown | None = None  # of the current position
    wants_setup: bool = False  # of the side to move
    judging: list[int] = field(default_factory=list)  # nodes of a line
    judged: SearchInfo | None = None  # of the first of them
    nonce: int = 0  # rises where a request is to be made anew


class Trial(NamedTuple):
    """Moves that are tried out: they begin at a node, and are those that the tree gets from then on."""

    node: int
    first: int  # the number of the first new node


@dataclass
class Shows:
    """How the page shows the analysis."""

    picture: int
    view: int | None = None  # the side that sees the board, None: the referee
    layers: dict[str, bool] = field(default_factory=dict)
    trial: Trial | None = None
    sent_tree: int = -1  # the version of the tree that all tabs have
    texts: dict[int, PlayedMove] = field(default_factory=dict)  # the tree's moves as players write them, by node
