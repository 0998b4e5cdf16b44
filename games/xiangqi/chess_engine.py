"""Xiangqi through python-chess's `chess.engine`, with this engine or any other that speaks UCI.

    from games.xiangqi import Board
    from games.xiangqi.chess_engine import EngineBoard, popen_uci

    with popen_uci("siqi") as engine:
        result = engine.play(EngineBoard(Board()), chess.engine.Limit(time=0.1))
        result.move  # a games.xiangqi.Move

python-chess (the extra `chess`) knows the protocol, clocks and processes; what it does not know is a board of nine by
ten. `EngineBoard` shows it as much of a Board as it looks at, and its pattern of a move is widened.
"""

from __future__ import annotations

import re
from typing import Any

import chess.engine

from games.xiangqi.board import Board
from games.xiangqi.move import Move

MOVE = re.compile(r"[a-i](?:10|[0-9])[a-i](?:10|[0-9])\Z|0000\Z")


class EngineBoard:
    """What `chess.engine` asks of a board."""

    uci_variant = "xiangqi"
    chess960 = False

    def __init__(self, board: Board) -> None:
        self.board = board

    @property
    def turn(self) -> bool:
        return self.board.turn

    @property
    def move_stack(self) -> list[Move]:
        return self.board.move_stack

    def fen(self, **habits: Any) -> str:
        """python-chess's habits (castling, en passant) have no meaning here."""
        return self.board.fen()

    def root(self) -> EngineBoard:
        return EngineBoard(self.board.root())

    def copy(self, *, stack: bool = True) -> EngineBoard:
        return EngineBoard(self.board.copy(stack=stack))

    def parse_uci(self, text: str) -> Move:
        return self.board.parse_uci(text)

    def push_uci(self, text: str) -> Move:
        return self.board.push_uci(text)

    def push(self, move: Move) -> None:
        self.board.push(move)

    def pop(self) -> Move:
        return self.board.pop()


def popen_uci(command: str | list[str], **settings: Any) -> chess.engine.SimpleEngine:
    """`SimpleEngine.popen_uci`, after which `chess.engine` reads moves of Xiangqi beside those of chess."""
    old = chess.engine.UCI_REGEX
    if not old.match("h9g7"):
        chess.engine.UCI_REGEX = re.compile(f"{MOVE.pattern}|{old.pattern}")
    return chess.engine.SimpleEngine.popen_uci(command, **settings)
