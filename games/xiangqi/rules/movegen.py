"""Move generation: checks and pins, pseudo-legal and legal moves, perft."""

from __future__ import annotations

from games.kernel.control import poll
from games.kernel.intrinsics import trailing_zeros
from games.kernel.jit import Record, entry, inner, int64, outlined
from games.xiangqi.rules.lookup import BLOCKED, CAPTURED, LOOKUP
from games.xiangqi.rules.position import POSITION, do_move, undo_move
from games.xiangqi.rules.work import WORK

IN_CHECK = 1 << 16
BARE_CANNON = 1 << 17
"""A cannon faces the king with nothing between: any piece that steps in between gives check."""


@inner(int64(POSITION, LOOKUP, int64, int64), forceinline=True)
def is_attacked(pos: Record, lookup: Record, square: int, side: int) -> int:
    """1 if the king of `side`, standing on `square`, could be captured (facing kings included)."""
    enemy = 32 - 16 * side
    rank = int64(lookup.rank_of[square])
    file = int64(lookup.file_of[square])
    near = int64(lookup.rank_blockers[file << 9 | pos.rank_bits[rank]])
    row = rank * 9
    for _ in range(2):
        first = pos.board[row + (near & 15)] - enemy
        second = pos.board[row + (near >> 4 & 15)] - enemy
        if first == 7 or first == 8 or second == 9 or second == 10:
            return 1
        near >>= 12
    near = int64(lookup.file_blockers[rank << 10 | pos.file_bits[file]])
    for _ in range(2):
        first = pos.board[(near & 15) * 9 + file] - enemy
        second = pos.board[(near >> 4 & 15) * 9 + file] - enemy
        if first == 7 or first == 8 or first == 0 or second == 9 or second == 10:
            return 1
        near >>= 12
    for beside in (square - 1, square + 1, square + 9 - 18 * side):
        pawn = pos.board[beside] - enemy
        if pawn >= 11 and pawn < 16:
            return 1
    for slot in range(5, 7):
        if pos.board[lookup.horse_leg[square * 91 + pos.square[enemy + slot]]] == 0:
            return 1
    return 0


@inner(int64(POSITION, LOOKUP), forceinline=True)
def checks_and_pins(pos: Record, lookup: Record) -> int:
    """For the side to move: bits 0-15 its slots whose move may expose the king, IN_CHECK, BARE_CANNON."""
    side = pos.turn
    enemy = 32 - 16 * side
    own = 16 << side
    king = int64(pos.square[own])
    rank = int64(lookup.rank_of[king])
    file = int64(lookup.file_of[king])
    found = 0
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
            if attacker == 7 or attacker == 8:
                found |= IN_CHECK
            if attacker == 9 or attacker == 10:
                found |= BARE_CANNON
            attacker = second - enemy
            if attacker == 9 or attacker == 10:
                found |= IN_CHECK
            if (attacker == 7 or attacker == 8 or (attacker == 0 and line == 1)) and first & own:
                found |= 1 << (first & 15)
            attacker = third - enemy
            if attacker == 9 or attacker == 10:
                if first & own:
                    found |= 1 << (first & 15)
                if second & own:
                    found |= 1 << (second & 15)
    for beside in (king - 1, king + 1, king + 9 - 18 * side):
        pawn = pos.board[beside] - enemy
        if pawn >= 11 and pawn < 16:
            found |= IN_CHECK
    for slot in range(5, 7):
        leg = int64(pos.board[lookup.horse_leg[king * 91 + pos.square[enemy + slot]]])
        if leg == 0:
            found |= IN_CHECK
        elif leg & own:
            found |= 1 << (leg & 15)
    return found


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def is_safe(pos: Record, lookup: Record, move: int) -> int:
    """1 if a pseudo-legal move leaves the mover's king safe. Touches only what attacks look at."""
    side = pos.turn
    origin = move & 127
    target = move >> 7
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
    """1 if a legal move checks the enemy king, by the moved piece or by what it uncovers or screens."""
    enemy = pos.turn ^ 1
    king = int64(pos.square[16 << enemy])
    rank, file = lookup.rank_of[king], lookup.file_of[king]
    origin = move & 127
    target = move >> 7
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
    found = is_attacked(pos, lookup, king, enemy)
    undo_move(pos, lookup)
    return found


@inner(int64(POSITION, WORK, LOOKUP, int64, int64), forceinline=True)
def generate_pieces(pos: Record, work: Record, lookup: Record, n: int, captures: int) -> int:
    """Append the pseudo-legal moves of all but the king to work.moves[n:]; returns the new end.

    `captures`: 1 for captures only.
    """
    base = 16 << pos.turn
    for slot in range(1, 3):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = square * 5
            target = int64(lookup.advisor_steps[i])
            while target >= 0:
                occupant = int64(pos.board[target])
                if occupant & base == 0 and (captures == 0 or occupant != 0):
                    work.moves[n] = square | target << 7
                    n += 1
                i += 1
                target = int64(lookup.advisor_steps[i])
    for slot in range(3, 5):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = square * 9
            target = int64(lookup.elephant_steps[i])
            while target >= 0:
                if pos.board[lookup.elephant_steps[i + 1]] == 0:
                    occupant = int64(pos.board[target])
                    if occupant & base == 0 and (captures == 0 or occupant != 0):
                        work.moves[n] = square | target << 7
                        n += 1
                i += 2
                target = int64(lookup.elephant_steps[i])
    for slot in range(5, 7):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = square * 17
            target = int64(lookup.horse_steps[i])
            while target >= 0:
                if pos.board[lookup.horse_steps[i + 1]] == 0:
                    occupant = int64(pos.board[target])
                    if occupant & base == 0 and (captures == 0 or occupant != 0):
                        work.moves[n] = square | target << 7
                        n += 1
                i += 2
                target = int64(lookup.horse_steps[i])
    for slot in range(7, 11):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            rank = int64(lookup.rank_of[square])
            file = int64(lookup.file_of[square])
            across = int64(lookup.rank_targets[file << 9 | pos.rank_bits[rank]])
            along = int64(lookup.file_targets[rank << 10 | pos.file_bits[file]])
            if captures == 0:
                empty = (across & 511) | (along & 1023) << 9
                while empty:
                    target = int64(lookup.line_square[square * 20 + trailing_zeros(empty)])
                    work.moves[n] = square | target << 7
                    n += 1
                    empty &= empty - 1
            shift = 10 if slot < 9 else 20
            hits = (across >> shift & 511) | (along >> shift & 1023) << 9
            while hits:
                target = int64(lookup.line_square[square * 20 + trailing_zeros(hits)])
                if pos.board[target] & base == 0:
                    work.moves[n] = square | target << 7
                    n += 1
                hits &= hits - 1
    for slot in range(11, 16):
        square = int64(pos.square[base + slot])
        if square < CAPTURED:
            i = (pos.turn * 90 + square) * 4
            target = int64(lookup.pawn_steps[i])
            while target >= 0:
                occupant = int64(pos.board[target])
                if occupant & base == 0 and (captures == 0 or occupant != 0):
                    work.moves[n] = square | target << 7
                    n += 1
                i += 1
                target = int64(lookup.pawn_steps[i])
    return n


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def generate_legal(pos: Record, work: Record, lookup: Record, first: int, captures: int, state: int) -> int:
    """Write the legal moves to work.moves[first:] and return their end. `state`: from checks_and_pins.

    Only pieces that may be pinned are tested one by one, unless the king is in check or faces a bare cannon.
    """
    base = 16 << pos.turn
    end = generate_pieces(pos, work, lookup, first, captures)
    if state != 0:
        everything = state >= IN_CHECK
        generated = end
        end = first
        for i in range(first, generated):
            move = int64(work.moves[i])
            slot = pos.board[move & 127] & 15
            if (not everything and state >> slot & 1 == 0) or is_safe(pos, lookup, move) == 1:
                work.moves[end] = move
                end += 1
    king = int64(pos.square[base])
    i = king * 5
    target = int64(lookup.king_steps[i])
    while target >= 0:
        occupant = int64(pos.board[target])
        if occupant & base == 0 and (captures == 0 or occupant != 0):
            move = king | target << 7
            if is_safe(pos, lookup, move) == 1:
                work.moves[end] = move
                end += 1
        i += 1
        target = int64(lookup.king_steps[i])
    return end


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def is_pseudo_legal(pos: Record, lookup: Record, move: int) -> int:
    """1 if `generate_pieces`, or a step of the king, has the move."""
    origin = move & 127
    target = move >> 7
    base = 16 << pos.turn
    piece = int64(pos.board[origin]) - base
    if piece < 0 or piece > 15 or pos.board[target] & base:
        return 0
    if piece == 5 or piece == 6:
        return 1 if pos.board[lookup.horse_leg[target * 91 + origin]] == 0 else 0
    rank, file = int64(lookup.rank_of[origin]), int64(lookup.file_of[origin])
    if piece >= 7 and piece <= 10:
        shift = 0
        if pos.board[target] != 0:
            shift = 10 if piece < 9 else 20
        if lookup.rank_of[target] == rank:
            return int64(lookup.rank_targets[file << 9 | pos.rank_bits[rank]]) >> shift + lookup.file_of[target] & 1
        if lookup.file_of[target] == file:
            return int64(lookup.file_targets[rank << 10 | pos.file_bits[file]]) >> shift + lookup.rank_of[target] & 1
        return 0
    if piece >= 11:
        i = (pos.turn * 90 + origin) * 4
        while lookup.pawn_steps[i] >= 0:
            if lookup.pawn_steps[i] == target:
                return 1
            i += 1
        return 0
    if piece == 3 or piece == 4:
        i = origin * 9
        while lookup.elephant_steps[i] >= 0:
            if lookup.elephant_steps[i] == target:
                return 1 if pos.board[lookup.elephant_steps[i + 1]] == 0 else 0
            i += 2
        return 0
    i = origin * 5
    for _ in range(4):
        if piece == 0 and lookup.king_steps[i] == target:
            return 1
        if piece != 0 and lookup.advisor_steps[i] == target:
            return 1
        i += 1
    return 0


@inner(int64(POSITION, LOOKUP, int64, int64))
def is_legal(pos: Record, lookup: Record, move: int, state: int) -> int:
    """1 if the word is a legal move. `state`: from checks_and_pins."""
    if is_pseudo_legal(pos, lookup, move) == 0:
        return 0
    slot = int64(pos.board[move & 127]) & 15
    if slot == 0 or state >= IN_CHECK or state >> slot & 1:
        return is_safe(pos, lookup, move)
    return 1


@entry(int64(POSITION, LOOKUP, int64))
def is_legal_here(pos: Record, lookup: Record, move: int) -> int:
    """1 if a move between any two squares is legal."""
    return is_legal(pos, lookup, move, checks_and_pins(pos, lookup))


@entry(int64(POSITION, WORK, LOOKUP))
def list_legal(pos: Record, work: Record, lookup: Record) -> int:
    """The legal moves of a position to work.moves; returns their number."""
    return generate_legal(pos, work, lookup, int64(0), int64(0), checks_and_pins(pos, lookup))


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def perft_below(pos: Record, work: Record, lookup: Record, depth: int, first: int) -> int:
    """Leaves `depth` plies below; legal moves are counted, not made, at the last ply."""
    end = generate_legal(pos, work, lookup, first, int64(0), checks_and_pins(pos, lookup))
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
    """Leaves below one legal move, `depth` plies in all (depth >= 1)."""
    if depth == 1:
        return 1
    do_move(pos, lookup, move)
    total = perft_below(pos, work, lookup, depth - 1, int64(0))
    undo_move(pos, lookup)
    return total
