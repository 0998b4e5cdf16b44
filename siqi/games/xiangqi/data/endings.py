"""Scale factors of drawish endings: the share of an advantage that the forces left can turn into a win.

They follow the general results of endgame manuals (a rook does not beat a full defence, a lone horse does not beat two
advisors, cannons need screens). The evaluation multiplies its value by the factor of the material.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

WHOLE = 16
"""The factor that leaves a value as it is; factors are in sixteenths."""

ATTACKS = 3 * 3 * 3 * 6
"""Number of codes of the attackers: horses, rooks, cannons (0-2 each) and pawns (0-5), mixed radix in this order."""

RESISTANCES = 3 * 3 * 3
"""Number of codes of the other side: its attackers (0, 1, more), advisors, elephants (0-2 each), mixed radix too."""


def scale_of(horses: int, rooks: int, cannons: int, pawns: int, counter: int, advisors: int, elephants: int) -> int:
    """Return the sixteenths of an advantage that are left for the better side's attackers against the other side.

    `counter`: attackers of the other side; advisors and elephants are the other side's too.
    """
    attackers = horses + rooks + cannons + pawns
    defenders = advisors + elephants
    if attackers == 0:
        return 0
    if attackers == 1 and counter == 0:
        if rooks:
            return 2 if defenders == 4 else WHOLE
        if horses:
            return WHOLE if defenders == 0 or (defenders, advisors) == (1, 1) else 3
        return 3 if cannons or defenders else 10
    if attackers == 1 and counter == 1:
        return 4 if defenders >= 2 else 8
    if attackers == 2 and rooks == 0 and counter <= 1:
        # Two horses and a horse with a cannon break a full defence; other pairs do not.
        if defenders == 4:
            return 14 if horses and not pawns and counter == 0 else 6
        if pawns == 2 and defenders == 3:
            return 6
    return WHOLE


def scale_factors() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return `scale_of` by `attack code * RESISTANCES + resistance code`."""
    attacks = itertools.product(range(3), range(3), range(3), range(6))
    resistances = list(itertools.product(range(3), range(3), range(3)))
    return np.array([scale_of(*attack, *held) for attack in attacks for held in resistances], np.uint8)
