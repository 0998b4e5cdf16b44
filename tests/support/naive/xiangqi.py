"""Xiangqi by the simplest means: a dict of pieces, and every move tried on a copy of it.

Source: the game's published rules as rules/xiangqi.md words them (flying general, horse's leg, elephant's eye
and river, palace, cannon, stalemate loses) and, for repetition, the articles listed in
siqi/games/xiangqi/rules/repetition.py. The move-count draws are not judged here.
Files are 0-8 from red's left (`a`-`i`), ranks 0-9 from red's side; upper case is red.
"""

from __future__ import annotations

Square = tuple[int, int]
Board = dict[Square, str]

ORTHOGONAL = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def side_of(letter: str) -> int:
    """Return 0 for a red piece, 1 for a black one."""
    return 0 if letter.isupper() else 1


def on_board(square: Square) -> bool:
    return 0 <= square[0] <= 8 and 0 <= square[1] <= 9


def in_palace(square: Square, side: int) -> bool:
    ranks = (0, 1, 2) if side == 0 else (7, 8, 9)
    return square[0] in (3, 4, 5) and square[1] in ranks


def beyond_river(square: Square, side: int) -> bool:
    """True if a square is on the opponent's half."""
    return square[1] >= 5 if side == 0 else square[1] <= 4


def text_of(origin: Square, target: Square) -> str:
    return "".join(f"{'abcdefghi'[file]}{rank}" for file, rank in (origin, target))


def reach(board: Board, origin: Square) -> list[Square]:
    """Return the squares that the piece on `origin` reaches, even if that exposes its king; facing kings may take."""
    letter = board[origin]
    side, kind = side_of(letter), letter.lower()
    file, rank = origin
    squares: list[Square] = []
    if kind == "k":
        squares = [(file + df, rank + dr) for df, dr in ORTHOGONAL if in_palace((file + df, rank + dr), side)]
        for step in (1, -1):  # the flying general: an open file between the kings
            square = (file, rank + step)
            while on_board(square) and square not in board:
                square = (file, square[1] + step)
            if board.get(square, "").lower() == "k":
                squares.append(square)
    elif kind == "a":
        squares = [(file + df, rank + dr) for df, dr in DIAGONAL if in_palace((file + df, rank + dr), side)]
    elif kind == "b":
        for df, dr in DIAGONAL:
            target = (file + 2 * df, rank + 2 * dr)
            if (file + df, rank + dr) not in board and not beyond_river(target, side):
                squares.append(target)
    elif kind == "n":
        for df, dr in ORTHOGONAL:
            if (file + df, rank + dr) not in board:  # the leg is free
                for sideways in (1, -1):
                    squares.append((file + 2 * df + sideways * abs(dr), rank + 2 * dr + sideways * abs(df)))
    elif kind == "r":
        for df, dr in ORTHOGONAL:
            square = (file + df, rank + dr)
            while on_board(square) and square not in board:
                squares.append(square)
                square = (square[0] + df, square[1] + dr)
            squares.append(square)
    elif kind == "c":
        for df, dr in ORTHOGONAL:
            square = (file + df, rank + dr)
            while on_board(square) and square not in board:
                squares.append(square)
                square = (square[0] + df, square[1] + dr)
            square = (square[0] + df, square[1] + dr)  # beyond the screen
            while on_board(square) and square not in board:
                square = (square[0] + df, square[1] + dr)
            if square in board:
                squares.append(square)
    elif kind == "p":
        squares.append((file, rank + (1 if side == 0 else -1)))
        if beyond_river(origin, side):
            squares += [(file + 1, rank), (file - 1, rank)]
    return [s for s in squares if on_board(s) and (s not in board or side_of(board[s]) != side)]


def king_falls(board: Board, side: int) -> bool:
    """True if `side`'s king is gone, or if the opponent could take it now."""
    king = "K" if side == 0 else "k"
    if king not in board.values():
        return True
    (at,) = (square for square, letter in board.items() if letter == king)
    attackers = [square for square, letter in board.items() if side_of(letter) != side and is_near(letter, square, at)]
    return any(target == at for square in attackers for target in reach(board, square))


def is_near(letter: str, origin: Square, target: Square) -> bool:
    """True if a piece could reach a square on some board, a quick test that excludes most pieces."""
    files, ranks = abs(origin[0] - target[0]), abs(origin[1] - target[1])
    return 0 in (files, ranks) if letter in "KkRrCc" else max(files, ranks) <= 2


def moved(board: Board, origin: Square, target: Square) -> Board:
    copy = dict(board)
    copy[target] = copy.pop(origin)
    return copy


class Naive:
    """One position; `push` changes it."""

    def __init__(self, fen: str) -> None:
        fields = fen.split()
        self.board: Board = {}
        for row, line in enumerate(fields[0].split("/")):
            file = 0
            for sign in line:
                if sign.isdigit():
                    file += int(sign)
                else:
                    plain = {"h": "n", "e": "b"}.get(sign.lower(), sign.lower())
                    self.board[(file, 9 - row)] = plain.upper() if sign.isupper() else plain
                    file += 1
        self.turn: int = 1 if fields[1] == "b" else 0

    def legal_moves(self) -> list[str]:
        """Return the sorted moves of the side to move; none if it is mated or stalemated."""
        return sorted(
            text_of(origin, target)
            for origin, letter in self.board.items()
            if side_of(letter) == self.turn
            for target in reach(self.board, origin)
            if not king_falls(moved(self.board, origin, target), self.turn)
        )

    def push(self, text: str) -> None:
        if text not in self.legal_moves():
            raise ValueError(f"illegal move {text}")
        self._play(text)

    def _play(self, text: str) -> None:
        origin = ("abcdefghi".index(text[0]), int(text[1]))
        target = ("abcdefghi".index(text[2]), int(text[3]))
        self.board = moved(self.board, origin, target)
        self.turn = 1 - self.turn

    def in_check(self, side: int) -> bool:
        """True if a side is in check, which includes kings that face each other."""
        return king_falls(self.board, side)

    def fen_board(self) -> str:
        """Return the FEN's first field."""
        lines = []
        for rank in range(9, -1, -1):
            line = "".join(self.board.get((file, rank), ".") for file in range(9))
            for run in range(9, 0, -1):
                line = line.replace("." * run, str(run))
            lines.append(line)
        return "/".join(lines)

    def perft(self, depth: int) -> int:
        """Return the number of move sequences of `depth` plies (the last ply is counted without being played)."""
        if depth == 0:
            return 1
        moves = self.legal_moves()
        if depth == 1:
            return len(moves)
        total = 0
        board, turn = self.board, self.turn
        for text in moves:
            self._play(text)
            total += self.perft(depth - 1)
            self.board, self.turn = board, turn
        return total

    def outcome_of_moves(self) -> int | None:
        """Return the winner if the side to move has no legal move (mate or stalemate), else None."""
        return None if self.legal_moves() else 1 - self.turn


def enemies_reaching(board: Board, square: Square) -> set[Square]:
    """Return the squares of the enemies that attack the piece on a square, their king's safety ignored."""
    side = side_of(board[square])
    return {o for o, letter in board.items() if side_of(letter) != side and square in reach(board, o)}


def takers(board: Board, square: Square) -> set[Square]:
    """Return the squares of the enemies that can legally take the piece on `square`."""
    origins = enemies_reaching(board, square)
    return {o for o in origins if not king_falls(moved(board, o, square), side_of(board[o]))}


def is_pinned(board: Board, square: Square) -> bool:
    """True if more enemies would attack the king without this piece. A king counts as pinned."""
    letter = board[square]
    king = next(s for s, other in board.items() if other == ("K" if letter.isupper() else "k"))
    rest = {s: other for s, other in board.items() if s != square}
    return letter.lower() == "k" or not enemies_reaching(rest, king) <= enemies_reaching(board, king)


def protectors(board: Board, origin: Square, target: Square) -> set[Square]:
    """Return the squares of the pieces that retake after origin takes target; an earlier check prevents none."""
    after = moved(board, origin, target)
    retaking = takers(after, target)
    if king_falls(board, side_of(board[target])):
        retaking |= {o for o in enemies_reaching(after, target) if not is_pinned(after, o)}
    return retaking


def may_chase(board: Board, origin: Square, target: Square) -> bool:
    """True if the rules allow `origin`'s piece to threaten `target`'s for ever, whatever its protection."""
    attacker, victim = board[origin].lower(), board[target].lower()
    home = not beyond_river(target, side_of(board[target]))
    return attacker in "kp" or victim == "k" or (victim == "p" and home)


def is_chase(board: Board, origin: Square, target: Square, ignored: set[Square]) -> bool:
    """True if the threat to take is a chase, which may not continue for ever; `ignored` protectors do not count."""
    attacker, victim = board[origin].lower(), board[target].lower()
    if may_chase(board, origin, target):
        return False
    if victim in {"n": "r", "c": "r", "a": "rcn", "b": "rcn"}.get(attacker, ""):
        return True
    exchange = attacker == victim and target in takers(board, origin)
    return not exchange and not protectors(board, origin, target) - ignored


def newly_chased(before: Board, after: Board, side: int) -> set[Square]:
    """Return the squares (after the move) of the pieces that the move of `side` newly chases."""
    came = next(s for s, letter in after.items() if before.get(s) != letter)
    left = next(s for s in before if s not in after)
    victims = set()
    for target, letter in after.items():
        if side_of(letter) == side:
            continue
        for origin in takers(after, target):
            if is_chase(after, origin, target, set()):
                stood = left if origin == came else origin
                stands = target in before and stood in enemies_reaching(before, target)  # a check renews no threat
                if not stands or not is_chase(before, stood, target, takers(before, stood)):
                    victims.add(target)
    return victims


def verdict_of_cycle(fen: str, moves: list[str]) -> str:
    """Return win, loss or draw for the side to move, of moves without captures that lead back to the position `fen`."""
    game = Naive(fen)
    mover = game.turn
    checking = [True, True]
    names = [{s: s for s, letter in game.board.items() if side_of(letter) == side} for side in (0, 1)]
    chased = [set(names[1]), set(names[0])]  # by side: the pieces that all its moves chased, by first square
    for text in moves:
        side, before = game.turn, game.board
        game.push(text)
        origin = ("abcdefghi".index(text[0]), int(text[1]))
        target = ("abcdefghi".index(text[2]), int(text[3]))
        names[side][target] = names[side].pop(origin)
        checking[side] &= game.in_check(1 - side)
        chased[side] &= {names[1 - side][s] for s in newly_chased(before, game.board, side)}
    guilty = checking if any(checking) else [bool(victims) for victims in chased]
    if guilty[0] == guilty[1]:
        return "draw"
    return "loss" if guilty[mover] else "win"
