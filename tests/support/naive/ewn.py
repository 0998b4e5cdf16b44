"""EinStein würfelt nicht! by the simplest means: a dict of pieces, and a scan of it for every question.

Source: rules/ewn.md and the protocol's EWN paragraph. Columns are a-e, rows 1-5 from the bottom; the first
side (0, `A`-`F` for its pieces 1-6) starts around a5 and heads for e1, the second (1, `a`-`f`) the other way.
"""

from __future__ import annotations

FIRST_TRIANGLE = ("a5", "b5", "c5", "a4", "b4", "a3")
SECOND_TRIANGLE = ("e1", "d1", "c1", "e2", "d2", "e3")
GOAL = ("e1", "a5")
STEPS = (((1, 0), (0, -1), (1, -1)), ((-1, 0), (0, 1), (-1, 1)))


def letter_of(side: int, number: int) -> str:
    return ("ABCDEF", "abcdef")[side][number - 1]


def owner_of(letter: str) -> int:
    return 0 if letter.isupper() else 1


def fen_of(board: dict[str, str], turn: int, die: int | None) -> str:
    lines = []
    for row in "54321":
        line = "".join(board.get(column + row, ".") for column in "abcde")
        for run in (5, 4, 3, 2, 1):
            line = line.replace("." * run, str(run))
        lines.append(line)
    return f"{'/'.join(lines)} {'fs'[turn]} {die or '-'}"


def setup_position(first_word: str, second_word: str) -> str:
    """Return the FEN after both set-ups, no die thrown. The k-th digit is the piece on the k-th triangle square."""
    board: dict[str, str] = {}
    for side, word, triangle in ((0, first_word, FIRST_TRIANGLE), (1, second_word, SECOND_TRIANGLE)):
        if sorted(word) != list("123456"):
            raise ValueError(f"not a set-up: {word}")
        for digit, square in zip(word, triangle, strict=True):
            board[square] = letter_of(side, int(digit))
    return fen_of(board, 0, None)


class Naive:
    """One position. `board` maps squares such as `a5` to letters; `die` is None while no throw is known."""

    def __init__(self, fen: str) -> None:
        fields = fen.split()
        self.board: dict[str, str] = {}
        for row, line in zip("54321", fields[0].split("/"), strict=True):
            squares = "".join("." * int(sign) if sign.isdigit() else sign for sign in line)
            for column, letter in zip("abcde", squares, strict=True):
                if letter != ".":
                    self.board[column + row] = letter
        self.turn = "fs".index(fields[1])
        self.die: int | None = int(fields[2]) if len(fields) > 2 and fields[2] != "-" else None

    def fen(self) -> str:
        return fen_of(self.board, self.turn, self.die)

    def movable(self, side: int, die: int) -> list[int]:
        """Return the thrown piece if it lives, else the next lower and the next higher living ones."""
        alive = [number for number in range(1, 7) if letter_of(side, number) in self.board.values()]
        if die in alive:
            return [die]
        lower = [number for number in alive if number < die]
        higher = [number for number in alive if number > die]
        return lower[-1:] + higher[:1]

    def winner(self) -> int | None:
        """Return the side that is in the far corner or has taken every enemy piece; None if there is none."""
        for side in (0, 1):
            if GOAL[side] in self.board and owner_of(self.board[GOAL[side]]) == side:
                return side
            if all(owner_of(letter) == side for letter in self.board.values()):
                return side
        return None

    def legal_moves(self) -> list[str]:
        """Return the sorted moves for the die, or for all six throws while none is known; none once the game is won."""
        if self.winner() is not None:
            return []
        moves: set[str] = set()
        for die in [self.die] if self.die is not None else range(1, 7):
            for number in self.movable(self.turn, die):
                letter = letter_of(self.turn, number)
                origin = next(square for square, piece in self.board.items() if piece == letter)
                for dc, dr in STEPS[self.turn]:
                    target = chr(ord(origin[0]) + dc) + chr(ord(origin[1]) + dr)
                    if target[0] in "abcde" and target[1] in "12345":
                        moves.add(origin + target)
        return sorted(moves)

    def push(self, text: str) -> None:
        """Play a move, which captures any piece on its target, own or enemy; the die is then unknown."""
        if text not in self.legal_moves():
            raise ValueError(f"illegal move {text}")
        self.board[text[2:]] = self.board.pop(text[:2])
        self.turn = 1 - self.turn
        self.die = None

    def perft(self, depth: int) -> int:
        """Return the number of sequences of distinct moves, without chance nodes; a won game has no continuation."""
        if depth == 0:
            return 1
        total = 0
        for text in self.legal_moves():
            child = Naive(self.fen())
            child.push(text)
            total += child.perft(depth - 1)
        return total
