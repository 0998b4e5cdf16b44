"""Move generation: checks and pins, pseudo-legal and legal moves, perft."""

from __future__ import annotations

from siqi.games.kernel.control import poll
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, outlined, uint64
from siqi.games.xiangqi.rules.lookup import (
    BLOCKED,
    CAPTURED,
    FIRST_ADVISOR,
    FIRST_CANNON,
    FIRST_ELEPHANT,
    FIRST_HORSE,
    FIRST_PAWN,
    FIRST_ROOK,
    KING_SLOT,
    LOOKUP,
    SLOTS,
)
from siqi.games.xiangqi.rules.position import (
    POSITION,
    do_move,
    is_cannon,
    is_elephant,
    is_pawn,
    is_rook,
    make_move,
    origin_of,
    slot_of,
    target_of,
    undo_move,
)
from siqi.games.xiangqi.rules.work import MAX_PLY, WORK

IN_CHECK = 1 << 16
"""A bit of `checks_and_pins`: the king is in check."""

BARE_CANNON = 1 << 17
"""A bit of `checks_and_pins`: a cannon faces the king with nothing between, so any piece that steps between checks."""

ALL_MOVES, CAPTURES, QUIETS = 0, 1, 2
"""Kinds of moves to generate."""


@inner(int64(POSITION, LOOKUP, int64, int64), forceinline=True)
def is_attacked(pos: Record, lookup: Record, square: int, side: int) -> int:
    """1 if an enemy piece could capture the king of `side` on `square`; the enemy king does so along an open file."""
    enemy = 32 - 16 * side
    rank = int64(lookup.rank_of[square])
    file = int64(lookup.file_of[square])
    near = int64(lookup.rank_blockers[file << 9 | pos.rank_bits[rank]])
    row = rank * 9
    for _ in range(2):
        first = pos.board[row + (near & 15)] - enemy
        second = pos.board[row + (near >> 4 & 15)] - enemy
        if is_rook(first) or is_cannon(second):
            return 1
        near >>= 12
    near = int64(lookup.file_blockers[rank << 10 | pos.file_bits[file]])
    for _ in range(2):
        first = pos.board[(near & 15) * 9 + file] - enemy
        second = pos.board[(near >> 4 & 15) * 9 + file] - enemy
        if is_rook(first) or first == KING_SLOT or is_cannon(second):
            return 1
        near >>= 12
    for beside in (square - 1, square + 1, square + 9 - 18 * side):
        pawn = pos.board[beside] - enemy
        if is_pawn(pawn):
            return 1
    for slot in range(FIRST_HORSE, FIRST_ROOK):
        if pos.board[lookup.horse_leg[square * 91 + pos.square[enemy + slot]]] == 0:
            return 1
    return 0


@inner(int64(POSITION, LOOKUP), forceinline=True)
def checks_and_pins(pos: Record, lookup: Record) -> int:
    """Return the `state` of the side to move, which `generate_legal` and `is_legal` take.

    Bits 0-15 are its slots whose moves may expose the king; the others are IN_CHECK and BARE_CANNON.
    """
    side = pos.turn
    enemy = 32 - 16 * side
    own = 16 << side
    king = int64(pos.square[own])
    rank = int64(lookup.rank_of[king])
    file = int64(lookup.file_of[king])
    state = 0
    for line in range(2):
        if line == 0:
            near = int64(lookup.rank_blockers[file << 9 | pos.rank_bits[rank]])
            base, step = rank * 9, 1
        else:
            near = int64(lookup.file_blockers[rank << 10 | pos.file_bits[file]])
            base, step = file, 9
        for _ in range(2):
            first = int64(pos.board[base + (near & 15) * step])
            second = int64(pos.board[base + (near >> 4 & 15) * step])
            third = int64(pos.board[base + (near >> 8 & 15) * step])
            near >>= 12
            attacker = first - enemy
            if is_rook(attacker):
                state |= IN_CHECK
            if is_cannon(attacker):
                state |= BARE_CANNON
            attacker = second - enemy
            if is_cannon(attacker):
                state |= IN_CHECK
            if (is_rook(attacker) or (attacker == KING_SLOT and line == 1)) and first & own:
                state |= 1 << slot_of(first)
            attacker = third - enemy
            if is_cannon(attacker):
                if first & own:
                    state |= 1 << slot_of(first)
                if second & own:
                    state |= 1 << slot_of(second)
    for beside in (king - 1, king + 1, king + 9 - 18 * side):
        pawn = pos.board[beside] - enemy
        if is_pawn(pawn):
            state |= IN_CHECK
    for slot in range(FIRST_HORSE, FIRST_ROOK):
        leg = int64(pos.board[lookup.horse_leg[king * 91 + pos.square[enemy + slot]]])
        if leg == 0:
            state |= IN_CHECK
        elif leg & own:
            state |= 1 << slot_of(leg)
    return state


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def is_safe(pos: Record, lookup: Record, move: int) -> int:
    """Return 1 if a pseudo-legal move leaves the mover's king safe, else 0; the position is the same afterwards."""
    side = pos.turn
    origin = origin_of(move)
    target = target_of(move)
    piece = int64(pos.board[origin])
    captured = int64(pos.board[target])
    rank, file = lookup.rank_of[origin], lookup.file_of[origin]
    to_rank, to_file = lookup.rank_of[target], lookup.file_of[target]
    pos.board[target] = piece
    pos.board[origin] = 0
    pos.square[piece] = target
    pos.rank_bits[rank] ^= 1 << file
    pos.file_bits[file] ^= 1 << rank
    if captured != 0:
        pos.square[captured] = CAPTURED
    else:
        pos.rank_bits[to_rank] ^= 1 << to_file
        pos.file_bits[to_file] ^= 1 << to_rank
    safe = 1 - is_attacked(pos, lookup, int64(pos.square[16 << side]), side)
    pos.rank_bits[rank] ^= 1 << file
    pos.file_bits[file] ^= 1 << rank
    if captured != 0:
        pos.square[captured] = target
    else:
        pos.rank_bits[to_rank] ^= 1 << to_file
        pos.file_bits[to_file] ^= 1 << to_rank
    pos.board[origin] = piece
    pos.board[target] = captured
    pos.square[piece] = origin
    return safe


@inner(int64(POSITION, LOOKUP, int64))
def gives_check(pos: Record, lookup: Record, move: int) -> int:
    """1 if a legal move gives check, by the moved piece or by one that it uncovers or screens."""
    enemy = pos.turn ^ 1
    king = int64(pos.square[16 << enemy])
    rank, file = lookup.rank_of[king], lookup.file_of[king]
    origin = origin_of(move)
    target = target_of(move)
    from_rank, from_file = lookup.rank_of[origin], lookup.file_of[origin]
    if not (
        lookup.rank_of[target] == rank
        or lookup.file_of[target] == file
        or from_rank == rank
        or from_file == file
        or (abs(from_rank - rank) == 1 and abs(from_file - file) == 1)  # the leg of a horse
        or lookup.horse_leg[king * 91 + target] != BLOCKED
    ):
        return 0
    do_move(pos, lookup, move)
    checks = is_attacked(pos, lookup, king, enemy)
    undo_move(pos, lookup)
    return checks


@inner(int64(int64, int64), forceinline=True)
def wants(wanted: int, occupant: int) -> int:
    """1 if a move to a square with this piece, 0 for none, is of the kind that is wanted."""
    return 1 if wanted == ALL_MOVES or (wanted == CAPTURES) == (occupant != 0) else 0


@inner(int64(POSITION, WORK, LOOKUP, int64, int64), forceinline=True)
def generate_pieces(pos: Record, work: Record, lookup: Record, n: int, wanted: int) -> int:
    """Write the pseudo-legal moves of all pieces but the king to work.moves[n:]; return their end.

    `wanted`: ALL_MOVES, CAPTURES or QUIETS.
    """
    base = 16 << pos.turn
    for slot in range(FIRST_ADVISOR, FIRST_ELEPHANT):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = square * 5
            target = int64(lookup.advisor_steps[uint64(i)])
            while target >= 0:
                occupant = int64(pos.board[target])
                if occupant & base == 0 and wants(wanted, occupant) == 1:
                    work.moves[uint64(n)] = make_move(square, target)
                    n += 1
                i += 1
                target = int64(lookup.advisor_steps[uint64(i)])
    for slot in range(FIRST_ELEPHANT, FIRST_HORSE):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = square * 9
            target = int64(lookup.elephant_steps[uint64(i)])
            while target >= 0:
                if pos.board[lookup.elephant_steps[uint64(i + 1)]] == 0:
                    occupant = int64(pos.board[target])
                    if occupant & base == 0 and wants(wanted, occupant) == 1:
                        work.moves[uint64(n)] = make_move(square, target)
                        n += 1
                i += 2
                target = int64(lookup.elephant_steps[uint64(i)])
    for slot in range(FIRST_HORSE, FIRST_ROOK):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = square * 17
            target = int64(lookup.horse_steps[uint64(i)])
            while target >= 0:
                if pos.board[lookup.horse_steps[uint64(i + 1)]] == 0:
                    occupant = int64(pos.board[target])
                    if occupant & base == 0 and wants(wanted, occupant) == 1:
                        work.moves[uint64(n)] = make_move(square, target)
                        n += 1
                i += 2
                target = int64(lookup.horse_steps[uint64(i)])
    for slot in range(FIRST_ROOK, FIRST_PAWN):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            rank = int64(lookup.rank_of[square])
            file = int64(lookup.file_of[square])
            across = int64(lookup.rank_targets[file << 9 | pos.rank_bits[rank]])
            along = int64(lookup.file_targets[rank << 10 | pos.file_bits[file]])
            if wanted != CAPTURES:
                empty = (across & 511) | (along & 1023) << 9
                while empty:
                    target = int64(lookup.line_square[square * 20 + trailing_zeros(empty)])
                    work.moves[uint64(n)] = make_move(square, target)
                    n += 1
                    empty &= empty - 1
            if wanted == QUIETS:
                continue
            shift = 10 if slot < FIRST_CANNON else 20
            hits = (across >> shift & 511) | (along >> shift & 1023) << 9
            while hits:
                target = int64(lookup.line_square[square * 20 + trailing_zeros(hits)])
                if pos.board[target] & base == 0:
                    work.moves[uint64(n)] = make_move(square, target)
                    n += 1
                hits &= hits - 1
    for slot in range(FIRST_PAWN, SLOTS):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = (pos.turn * 90 + square) * 4
            target = int64(lookup.pawn_steps[uint64(i)])
            while target >= 0:
                occupant = int64(pos.board[target])
                if occupant & base == 0 and wants(wanted, occupant) == 1:
                    work.moves[uint64(n)] = make_move(square, target)
                    n += 1
                i += 1
                target = int64(lookup.pawn_steps[uint64(i)])
    return n


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def generate_legal(pos: Record, work: Record, lookup: Record, first: int, wanted: int, state: int) -> int:
    """Write the legal moves to work.moves[first:]; return their end.

    `wanted`: ALL_MOVES, CAPTURES or QUIETS; `state`: from checks_and_pins. Only moves of the king and of pieces that
    may be pinned are tested one by one, unless the king is in check or faces a bare cannon.
    """
    base = 16 << pos.turn
    end = generate_pieces(pos, work, lookup, first, wanted)
    if state != 0:
        everything = state >= IN_CHECK
        generated = end
        end = first
        for i in range(first, generated):
            move = int64(work.moves[uint64(i)])
            slot = slot_of(pos.board[origin_of(move)])
            if (not everything and state >> slot & 1 == 0) or is_safe(pos, lookup, move) == 1:
                work.moves[uint64(end)] = move
                end += 1
    king = int64(pos.square[base])
    i = king * 5
    target = int64(lookup.king_steps[uint64(i)])
    while target >= 0:
        occupant = int64(pos.board[target])
        if occupant & base == 0 and wants(wanted, occupant) == 1:
            move = make_move(king, target)
            if is_safe(pos, lookup, move) == 1:
                work.moves[uint64(end)] = move
                end += 1
        i += 1
        target = int64(lookup.king_steps[uint64(i)])
    return end


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def is_pseudo_legal(pos: Record, lookup: Record, move: int) -> int:
    """1 if the side to move has the move, the safety of its king left aside. Both squares must be on the board."""
    origin = origin_of(move)
    target = target_of(move)
    base = 16 << pos.turn
    slot = int64(pos.board[origin]) - base
    if slot < 0 or slot >= SLOTS or pos.board[target] & base:
        return 0
    if slot >= FIRST_HORSE and slot < FIRST_ROOK:
        return 1 if pos.board[lookup.horse_leg[target * 91 + origin]] == 0 else 0
    rank, file = int64(lookup.rank_of[origin]), int64(lookup.file_of[origin])
    if slot >= FIRST_ROOK and slot < FIRST_PAWN:
        shift = 0
        if pos.board[target] != 0:
            shift = 10 if slot < FIRST_CANNON else 20
        if lookup.rank_of[target] == rank:
            return int64(lookup.rank_targets[file << 9 | pos.rank_bits[rank]]) >> shift + lookup.file_of[target] & 1
        if lookup.file_of[target] == file:
            return int64(lookup.file_targets[rank << 10 | pos.file_bits[file]]) >> shift + lookup.rank_of[target] & 1
        return 0
    if slot >= FIRST_PAWN:
        i = (pos.turn * 90 + origin) * 4
        while lookup.pawn_steps[i] >= 0:
            if lookup.pawn_steps[i] == target:
                return 1
            i += 1
        return 0
    if is_elephant(slot):
        i = origin * 9
        while lookup.elephant_steps[i] >= 0:
            if lookup.elephant_steps[i] == target:
                return 1 if pos.board[lookup.elephant_steps[i + 1]] == 0 else 0
            i += 2
        return 0
    i = origin * 5
    for _ in range(4):
        if slot == KING_SLOT and lookup.king_steps[i] == target:
            return 1
        if slot != KING_SLOT and lookup.advisor_steps[i] == target:
            return 1
        i += 1
    return 0


@inner(int64(POSITION, LOOKUP, int64, int64))
def is_legal(pos: Record, lookup: Record, move: int, state: int) -> int:
    """1 if a move between any two squares is legal. `state`: from checks_and_pins."""
    if is_pseudo_legal(pos, lookup, move) == 0:
        return 0
    slot = slot_of(pos.board[origin_of(move)])
    if slot == KING_SLOT or state >= IN_CHECK or state >> slot & 1:
        return is_safe(pos, lookup, move)
    return 1


@entry(int64(POSITION, LOOKUP, int64))
def is_legal_here(pos: Record, lookup: Record, move: int) -> int:
    """1 if a move between any two squares is legal."""
    return is_legal(pos, lookup, move, checks_and_pins(pos, lookup))


@entry(int64(POSITION, WORK, LOOKUP))
def list_legal(pos: Record, work: Record, lookup: Record) -> int:
    """Write the legal moves of a position to work.moves; return their number."""
    return generate_legal(pos, work, lookup, int64(0), int64(ALL_MOVES), checks_and_pins(pos, lookup))


MAX_PERFT = MAX_PLY
"""The deepest perft, in plies: `work.moves` holds no more moves."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def perft_below(pos: Record, work: Record, lookup: Record, depth: int, first: int) -> int:
    """Return the number of leaves `depth` plies below, too low once work.stopped is 1.

    At the last ply legal moves are counted, not played. `first`: the first free place in work.moves.
    """
    end = generate_legal(pos, work, lookup, first, int64(ALL_MOVES), checks_and_pins(pos, lookup))
    if depth == 1:
        return end - first
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, int64(0), work.nodes)
        if work.poll_at < 0:
            work.stopped = 1
    total = 0
    for i in range(first, end):
        if work.stopped == 1:
            return total
        do_move(pos, lookup, int64(work.moves[i]))
        total += perft_below(pos, work, lookup, depth - 1, end)
        undo_move(pos, lookup)
    return total


@entry(int64(POSITION, WORK, LOOKUP, int64, int64), is_rare=True)
def perft(pos: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Return the number of leaves below one legal move, `depth` >= 1 plies in all; too low once work.stopped is 1."""
    if depth == 1:
        return 1
    do_move(pos, lookup, move)
    total = perft_below(pos, work, lookup, depth - 1, int64(0))
    undo_move(pos, lookup)
    return total
