"""Cut-offs on trees written out: the search of paper 5, that of its references, and the paper's example tree.

A tree is a number, the value of a leaf in the view of the player at the root, or a `Node`. The paper's procedure
`Veb(x, player, l, alpha, beta, value, best)` continues while `value < alpha`, and calls itself with `-value, -alpha`:
its alpha bounds from above and its beta from below, the reverse of the usual names. Then the first value must be
`beta`. The printed `value <- -beta` is wrong: below the root it is the bound from above, so no successor would be
searched. The text agrees: at C of figure 1 it has alpha = 0, beta = -infinity and value = 2 after one successor.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

MAX, MIN = 1, -1
"""The players; MAX is at the root."""

WHOLE, THREE_LEVELS, ALL_LEVELS = range(3)
"""Levels to which bounds pass: none, the grandchildren's (the paper's references), all (the paper)."""


class Node(NamedTuple):
    """An inner node; the name may be empty."""

    name: str
    children: tuple[Tree, ...]


Tree: TypeAlias = "Node | float"


class Visit(NamedTuple):
    """The record of a search: the number of leaves, and the names of the nodes that it cut, by player.

    A cut at a node of MIN is an alpha cut-off, one at a node of MAX a beta cut-off. A node is cut if some of its
    children are not searched.
    """

    leaves: list[float]
    alpha: list[str]
    beta: list[str]


def new_visit() -> Visit:
    return Visit([], [], [])


def veb(
    tree: Tree,
    player: int,
    alpha: float,
    beta: float,
    visit: Visit,
    windows: int = ALL_LEVELS,
    is_printed: bool = False,
) -> float:
    """Return the value of a tree for `player` by the paper's procedure, `alpha` from above and `beta` from below.

    `windows`: with THREE_LEVELS a node passes only its own value down, with WHOLE nothing. `is_printed`: as the paper
    prints it, with `value <- -beta`.
    """
    if not isinstance(tree, Node):
        visit.leaves.append(tree)
        return player * tree
    value = -beta if is_printed else beta
    for child in tree.children:
        if value >= alpha:
            (visit.beta if player == MAX else visit.alpha).append(tree.name)
            break
        above = math.inf if windows == WHOLE else -value
        below = -alpha if windows == ALL_LEVELS else -math.inf
        value = max(value, -veb(child, -player, above, below, visit, windows, is_printed))
    return value


def search(tree: Tree, windows: int, is_printed: bool = False) -> tuple[float, Visit]:
    """Search a whole tree for MAX; return its value and the record of the search."""
    visit = new_visit()
    return veb(tree, MAX, math.inf, -math.inf, visit, windows, is_printed), visit


def minimax(tree: Tree, player: int = MAX) -> float:
    """Return the value of a tree for MAX, by definition."""
    if not isinstance(tree, Node):
        return tree
    values = [minimax(child, -player) for child in tree.children]
    return max(values) if player == MAX else min(values)


def _node(*children: Tree, name: str = "") -> Node:
    return Node(name, children)


FIGURE_1 = _node(
    0,
    _node(-1, 9, name="A"),
    _node(5, _node(6, 9, name="B"), -1),
    _node(_node(_node(-2, 9, name="C"), 7), _node(8, 9, name="D"), -1),
    _node(_node(_node(-3, 9, name="E"), _node(-4, 9, name="F"))),
    _node(-1, 9, name="G"),
    _node(_node(3, _node(2, 9, name="H")), _node(_node(-1, 9, name="I"), 1), -1),
    _node(_node(_node(_node(_node(-1, 9, name="J"), 4), _node(5, 9, name="K"), -1), _node(0, 9, name="L"))),
    _node(_node(_node(-6, 9, name="M"), 2), -1),
)
"""A tree in which exactly the nodes of the paper's figure 1 are cut, as its text names them.

The figure itself, an image, is not available. By the text, bounds of three levels cut off at A, F, G, H (alpha; the
copy has "E", which it names again among the others) and at B, D, K (beta). Bounds of all levels also cut off at C, E,
I, J, L, M (alpha), and at C alpha is 0 and value 2.
"""


def ideal_leaves(branching: float, depth: int) -> float:
    """Return the paper's NED: the leaves of a uniform tree that a search in the best order visits."""
    if depth % 2 == 0:
        return float(2 * branching ** (depth // 2) - 1)
    return float(branching ** ((depth + 1) // 2) + branching ** ((depth - 1) // 2) - 1)
