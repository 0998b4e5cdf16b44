"""Inference: what follows from a move and its result, from one state of knowledge to the next.

A state is a value: neither it nor its arrays change, so that a move is taken back by restoring the state before it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from siqi.games.contract import UNKNOWN_SETUP
from siqi.games.junqi.knowledge.behaviour import no_counts, note_move
from siqi.games.junqi.knowledge.belief import check_possible, compatible_types, narrow_by_counts
from siqi.games.junqi.knowledge.belief_models import BeliefModel, Showing
from siqi.games.junqi.knowledge.worlds import Belief
from siqi.games.junqi.rules import movegen, notation
from siqi.games.junqi.rules.lookup import (
    ANY,
    ATTACKER_DIES,
    BOTH_DIE,
    COMMANDER,
    ENGINEER,
    FLAG,
    HEADQUARTERS,
    LOOKUP_RECORD,
    MOBILE,
    NOWHERE,
    PIECES,
    PLAIN,
)
from siqi.games.junqi.rules.position import POSITION_DTYPE, do_move, origin_of, target_of
from siqi.games.junqi.rules.setup import deploy, set_up, slot_types, square_types
from siqi.games.kernel.jit import Record, new_record

NO_PIECE = -1

NO_FLAG, NO_COMMANDER = ANY & ~(1 << FLAG), ANY & ~(1 << COMMANDER)
"""Sets of types."""


class State(NamedTuple):
    """A position as its viewer knows it. Of a referee's full position everything is known."""

    record: Record  # of POSITION; its sets of types are the viewer's
    viewer: int | None  # None: a referee
    public: Any  # uint16 [piece 0-49]: sets of types possible to an observer who sees neither side's pieces
    counts: Any  # int64 [piece 0-49, trait and history] (behaviour.py)
    announced: tuple[bool, bool] = (False, False)  # by side: its flag square has been announced
    taken: int = NO_PIECE  # piece that fell in its headquarters and may have been the flag
    is_deployed: bool = False  # by deployments: piece numbers are slots
    is_narrow: bool = False  # the sets agree with the counts of types; those of a FEN stay as given until a move
    showings: tuple[Showing, ...] = ()  # of the unseen side's pieces


def empty_state() -> State:
    """Return the state before both deployments: no pieces."""
    return State(new_record(POSITION_DTYPE), None, np.full(2 * PIECES, ANY, np.uint16), no_counts())


def deployed(words: list[str]) -> State:
    """Return the state after both deployments; the viewer is the side whose word is known alone."""
    state = empty_state()
    deploy(state.record, words)
    state.public[:] = [slot_types(slot) for _ in range(2) for slot in range(PIECES)]
    viewer = 1 - words.index(UNKNOWN_SETUP) if UNKNOWN_SETUP in words else None
    return state._replace(viewer=viewer, is_deployed=True)


def from_fen(fen: str) -> State:
    """Return the state that a FEN shows; ValueError, with the reason, if the rules cannot lead to it."""
    pieces, turn, viewer, quiet = notation.parse_fen(fen)
    state = empty_state()
    record = state.record
    set_up(record, pieces, turn, viewer, quiet)
    for side in range(2):
        check_possible(narrow_by_counts(sets_of(record, side)))
    for piece in range(2 * PIECES):
        square = int(record.where[piece])
        types = square_types(square, piece // PIECES)
        if square == NOWHERE:  # a fallen flag ends the game, so everybody knows it
            types = 1 << FLAG if record.may[piece] == 1 << FLAG else NO_FLAG
        state.public[piece] = types
    # A flag that the FEN shows may have been announced already: then nothing follows from a commander's death.
    known = 1 << FLAG in sets_of(record, 0), 1 << FLAG in sets_of(record, 1)
    return state._replace(viewer=viewer, announced=known)


def sets_of(record: Record, side: int) -> list[int]:
    """Return the sets of types of a side's 25 pieces."""
    sets: list[int] = record.may[side * PIECES : side * PIECES + PIECES].tolist()
    return sets


def after_move(before: State, move: int) -> tuple[int, State]:
    """Return a move with its result, and the state after it.

    ValueError if the move has no result code and several are possible, or if it contradicts what is known.
    """
    viewer, announced, taken = before.viewer, before.announced, NO_PIECE
    record, public, counts = before.record.copy(), before.public.copy(), before.counts.copy()
    may, target = record.may, target_of(move)
    mover, other = int(record.board[origin_of(move)]) - 1, int(record.board[target]) - 1
    if before.taken != NO_PIECE and may[before.taken] != 1 << FLAG:
        may[before.taken] &= NO_FLAG  # the game goes on
    is_turning = not movegen.reaches(record, LOOKUP_RECORD, move, MOBILE & ~(1 << ENGINEER))
    types = 1 << ENGINEER if is_turning else MOBILE
    may[mover] &= types
    public[mover] &= types
    code = _result(record, move, mover, other)
    fallen = [piece for piece in (mover, other) if _falls(piece, mover, code)]
    flag = notation.flag_square(move) if viewer is not None else -1
    if viewer is not None and other >= 0:
        public[mover], public[other] = compatible_types(int(public[mover]), int(public[other]), code)
        _publish(public, record, [piece for piece in fallen if piece // PIECES == viewer])
    if other >= 0:
        may[mover], may[other] = compatible_types(int(may[mover]), int(may[other]), code)
        if other in fallen and target in HEADQUARTERS and may[other] >> FLAG & 1:
            taken = other
    if viewer is not None:
        enemy = 1 - viewer
        _hear(record, enemy, flag, [piece for piece in fallen if piece // PIECES == enemy], announced[enemy])
        if flag >= 0:
            announced = (announced[0] or enemy == 0, announced[1] or enemy == 1)
        if not before.is_narrow or not np.array_equal(may, before.record.may):
            for side in range(2):
                known = narrow_by_counts(sets_of(record, side))
                check_possible(known)
                may[side * PIECES : side * PIECES + PIECES] = known
    after, bare = record.copy(), notation.without_result(move)
    do_move(after, bare, code)
    note_move(record, after, LOOKUP_RECORD, public, bare, code, counts)
    answered = notation.with_result(bare, code, flag if flag >= 0 else None)
    state = State(after, viewer, public, counts, announced, taken, before.is_deployed, is_narrow=True)
    return answered, state._replace(showings=before.showings + _showings(before, may, mover, other))


def _showings(before: State, may: Any, mover: int, other: int) -> tuple[Showing, ...]:
    """Return what a move showed of the unseen side's piece that made it or was struck; `may`: the sets after it."""
    if before.viewer is None:
        return ()
    side, sets = 1 - before.viewer, before.record.may
    return tuple(
        Showing(piece % PIECES, tuple(sets_of(before.record, side)), before.counts.tobytes(), int(may[piece]))
        for piece in (mover, other)
        if piece // PIECES == side and sets[piece] != may[piece]
    )


def _result(record: Record, move: int, mover: int, other: int) -> int:
    """Return the result code given with a move, or the only possible one; ValueError if impossible or needed."""
    given = notation.given_code(move)
    if other < 0:
        codes = [PLAIN]
    else:
        attackers, defenders = int(record.may[mover]), int(record.may[other])
        codes = [code for code in range(3) if all(compatible_types(attackers, defenders, code))]
    if given < 0 and len(codes) == 1:
        return codes[0]
    if given < 0:
        raise ValueError(f"a result code is needed (=0, =1 or =2): {notation.move_text(move)}")
    if given not in codes:
        raise ValueError(f"impossible result: {notation.move_text(move)}")
    return given


def _falls(piece: int, mover: int, code: int) -> bool:
    """True if a piece of a battle falls by its result code; False for -1."""
    if piece < 0 or code == PLAIN:
        return False
    return code == BOTH_DIE or (code == ATTACKER_DIES) == (piece == mover)


def _publish(public: Any, record: Record, fallen: list[int]) -> None:
    """Narrow `public` by the viewer's pieces that fell: the referee announces a commander's flag to the opponent."""
    for piece in fallen:
        if record.may[piece] == 1 << COMMANDER:
            first = piece // PIECES * PIECES
            flags = [flag for flag in range(first, first + PIECES) if record.may[flag] == 1 << FLAG]
            public[piece], public[flags] = 1 << COMMANDER, 1 << FLAG
        else:
            public[piece] &= NO_COMMANDER


def _hear(record: Record, enemy: int, flag: int, fallen: list[int], is_announced: bool) -> None:
    """Narrow the enemy's sets by an announced flag square (-1: none) and its pieces that fell.

    The referee announces the enemy's flag when its commander dies, and only then; `is_announced`: it has done so
    before. ValueError if the square cannot hold the flag, or the announcement is missing.
    """
    if flag >= 0:
        piece = int(record.board[flag]) - 1
        if piece // PIECES != enemy or piece < 0 or not record.may[piece] >> FLAG & 1:
            raise ValueError(f"no flag can stand on {notation.square_text(flag)}")
        record.may[piece] = 1 << FLAG
        if fallen and not is_announced and record.may[fallen[0]] >> COMMANDER & 1:
            record.may[fallen[0]] = 1 << COMMANDER
    elif not is_announced:
        for piece in fallen:
            if record.may[piece] == 1 << COMMANDER:
                raise ValueError("the commander fell, but its flag was not announced")
            record.may[piece] &= NO_COMMANDER


def believed(state: State, side: int, model: BeliefModel) -> Belief:
    """Return the other side's belief about a side's pieces, by a model."""
    pieces = slice(side * PIECES, side * PIECES + PIECES)
    may = narrow_by_counts(state.public[pieces].tolist() if side == state.viewer else sets_of(state.record, side))
    is_unseen = state.viewer == 1 - side
    return model.belief(may, state.counts, side, state.is_deployed, state.showings if is_unseen else None)
