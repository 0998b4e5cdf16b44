"""Junqi for two by the simplest means, refereed with full information.

Source: rules/junqi.md (the championship's referee protocol v1.0 of 2012 and its logs of 2018-2019).
Squares are `A0`..`L4` in the first side's frame: rows A-L from the top, the first side (0) at the bottom.
A piece is (side, letter) with letters a (commander) .. i (engineer), j mine, k bomb, l flag.
"""

from __future__ import annotations

Piece = tuple[int, str]

ROWS = "ABCDEFGHIJKL"
SQUARES = [row + column for row in ROWS for column in "01234"]
CAMPS = {"C1", "C3", "D2", "E1", "E3", "H1", "H3", "I2", "J1", "J3"}
HEADQUARTERS = {"A1", "A3", "L1", "L3"}
SLOTS = [square for square in SQUARES if square[0] >= "G" and square not in CAMPS]
COUNTS = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2, "f": 2, "g": 3, "h": 3, "i": 3, "j": 3, "k": 2, "l": 1}
QUIET_LIMIT = 31


def step(square: str, down: int, right: int) -> str | None:
    """Return the square `down` rows below and `right` columns to the right, None beyond the board."""
    row, column = ROWS.index(square[0]) + down, int(square[1]) + right
    return ROWS[row] + str(column) if 0 <= row < 12 and 0 <= column < 5 else None


def rotated(square: str) -> str:
    """Return the other player's name of a square."""
    return SQUARES[59 - SQUARES.index(square)]


def is_road(here: str, there: str) -> bool:
    """True for neighbours in a row or column except across the mountains, and for diagonal neighbours if one is a
    camp."""
    rows = abs(ROWS.index(here[0]) - ROWS.index(there[0]))
    columns = abs(int(here[1]) - int(there[1]))
    if rows + columns == 1:
        return {here, there} not in ({"F1", "G1"}, {"F3", "G3"})
    return rows == 1 and columns == 1 and (here in CAMPS or there in CAMPS)


def is_rail(here: str, there: str) -> bool:
    """True for neighbouring stations: along rows B F G K, along columns 0 and 4 from B to K, and F2-G2."""
    rows = abs(ROWS.index(here[0]) - ROWS.index(there[0]))
    columns = abs(int(here[1]) - int(there[1]))
    if (rows, columns) == (0, 1):
        return here[0] in "BFGK"
    if (rows, columns) == (1, 0):
        outer = here[1] in "04" and here[0] not in "AL" and there[0] not in "AL"
        return outer or {here, there} == {"F2", "G2"}
    return False


ROADS = {here: [there for there in SQUARES if is_road(here, there)] for here in SQUARES}
RAILS = {here: [there for there in SQUARES if is_rail(here, there)] for here in SQUARES}


def battle(attacker: str, defender: str) -> int:
    """Return the result code: 0 the attacker dies, 1 it wins, 2 both die."""
    if "k" in (attacker, defender):
        return 2
    if defender == "l":
        return 1
    if defender == "j":
        return 1 if attacker == "i" else 0
    if attacker == defender:
        return 2
    return 1 if attacker < defender else 0


def legal_setup(word: str) -> bool:
    """True for 25 letters, on rows G-L, of all pieces: the flag in a headquarters, mines in rows K L, no bomb in row
    G."""
    if len(word) != 25 or any(word.count(letter) != count for letter, count in COUNTS.items()):
        return False
    for letter, square in zip(word, SLOTS, strict=True):
        if letter == "l" and square not in HEADQUARTERS:
            return False
        if letter == "j" and square[0] not in "KL":
            return False
        if letter == "k" and square[0] == "G":
            return False
    return True


class Naive:
    """The referee's board; `turn` is 0 or 1, `quiet` counts plies since the last contact."""

    def __init__(self, first_setup: str, second_setup: str) -> None:
        self.board: dict[str, Piece] = {}
        for side, word in ((0, first_setup), (1, second_setup)):
            if not legal_setup(word):
                raise ValueError(f"not a set-up: {word}")
            for letter, square in zip(word, SLOTS, strict=True):
                self.board[square if side == 0 else rotated(square)] = (side, letter)
        self.turn = 0
        self.quiet = 0

    @staticmethod
    def legal_setup(word: str) -> bool:
        return legal_setup(word)

    def targets(self, origin: str) -> set[str]:
        """Return the squares to which the piece on `origin` may move."""
        side, letter = self.board[origin]
        if letter in "jl" or origin in HEADQUARTERS:
            return set()
        targets = set(ROADS[origin])
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):  # straight on by rail, over empty stations
            here, there = origin, step(origin, down, right)
            while there is not None and there in RAILS[here]:
                targets.add(there)
                if there in self.board:
                    break
                here, there = there, step(there, down, right)
        if letter == "i":  # an engineer goes round corners: every station that empty stations lead to
            queue, seen = [origin], {origin}
            while queue:
                for there in RAILS[queue.pop(0)]:
                    if there not in seen:
                        seen.add(there)
                        targets.add(there)
                        if there not in self.board:
                            queue.append(there)
        return {square for square in targets if self.may_enter(side, square)}

    def may_enter(self, side: int, square: str) -> bool:
        """True for an empty square, or one with an enemy that does not sit in a camp."""
        return square not in self.board or (self.board[square][0] != side and square not in CAMPS)

    def moves_of(self, side: int) -> list[str]:
        """Return the sorted moves of a side as if it were its turn, even if the game is over."""
        origins = [square for square, piece in self.board.items() if piece[0] == side]
        return sorted(origin + target for origin in origins for target in self.targets(origin))

    def legal_moves(self) -> list[str]:
        """Return the sorted moves of the side to move; none once the game is over."""
        return self.moves_of(self.turn) if self.outcome() is None else []

    def push(self, text: str) -> int:
        """Play a move and return its result code: 0-2 as in `battle`, 3 for a plain move."""
        if text not in self.legal_moves():
            raise ValueError(f"illegal move {text}")
        origin, target = text[:2], text[2:]
        piece = self.board.pop(origin)
        code = 3 if target not in self.board else battle(piece[1], self.board[target][1])
        if code == 2:
            del self.board[target]
        elif code != 0:
            self.board[target] = piece
        self.turn = 1 - self.turn
        self.quiet = self.quiet + 1 if code == 3 else 0
        return code

    def flag_known(self, side: int) -> bool:
        """True once this side's commander is dead: its flag's square is announced to the opponent."""
        return (side, "a") not in self.board.values()

    def flag_square(self, side: int) -> str | None:
        return next((square for square, piece in self.board.items() if piece == (side, "l")), None)

    def outcome(self) -> tuple[int | None, str] | None:
        """Return the winner (None: a draw) and the reason that comes first in the rules; None while the game runs.

        Reasons: `immobile` (judged for the side to move only: it loses, or draws if the other cannot move
        either), `flag` (taken or bombed), `quiet` (the side that made the 31st ply without contact loses).
        """
        # The order of the first two matters in only one case: the flag falls and neither side can move any more. Then
        # the game is a draw; in the other order the taker would win.
        for judge in (self._immobile, self._flag, self._quiet):
            verdict = judge()
            if verdict is not None:
                return verdict
        return None

    def _immobile(self) -> tuple[int | None, str] | None:
        if self.moves_of(self.turn):
            return None
        return (1 - self.turn if self.moves_of(1 - self.turn) else None), "immobile"

    def _flag(self) -> tuple[int | None, str] | None:
        for side in (0, 1):
            if self.flag_square(side) is None:
                return 1 - side, "flag"
        return None

    def _quiet(self) -> tuple[int | None, str] | None:
        return (self.turn, "quiet") if self.quiet >= QUIET_LIMIT else None
