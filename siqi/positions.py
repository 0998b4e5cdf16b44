"""Positions of four games with their histories, and their pictures."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from inspect import Parameter, signature
from numbers import Integral
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, overload

from siqi.checks import check_type, is_of
from siqi.daemon.clients.random_mover import random_setup, random_word
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.played_game import moves_of
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.contract import (
    Game,
    HiddenPosition,
    Outcome,
    has_pieces,
    is_dice_position,
    is_hidden_position,
    set_dice,
)
from siqi.games.contract import Position as GamePosition
from siqi.games.game_record import GameRecord
from siqi.games.pictures.drawing import Drawing, Picture
from siqi.games.pictures.replay import page
from siqi.games.pictures.style import PictureStyle, picture_style
from siqi.games.records.values import RESULTS
from siqi.system.pipes import to_stderr

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from siqi.games.xiangqi.library.board import Board

    M = TypeVar("M", default=Any)
else:
    from typing import TypeVar

    M = TypeVar("M")

GameName = Literal["xiangqi", "connect6", "ewn", "junqi"]

GAMES = cast(tuple[GameName, ...], registry.NAMES)


class PositionOf(Protocol[M]):
    """What types say of a position: that its moves are `Move` objects, as a `Board`'s, or words, as a `Position`'s."""

    move_stack: list[M]

    def is_game_over(self) -> bool: ...


class Position:
    """A position of Connect6, EWN or Junqi with the moves that led to it; the verbs are python-chess's.

    Moves are words of the protocol, such as `j10k11`. `siqi.position` makes a position.
    """

    def __init__(self, game: str, fen: str | None = None) -> None:
        """Set up a FEN, None for the start position. ValueError for an unknown game or a bad FEN."""
        check_type("fen", fen, (str, type(None)), "a text")
        self.game: GameName = check_game(game)
        self._start = fen
        self._inner: GamePosition = load(game).position(fen)
        self.move_stack: list[str] = []
        """The moves that led here, set-ups included."""
        self._throws: list[int] = []
        """The throw that each of them answers, 0 if there is none."""

    @property
    def turn(self) -> int:
        """The side to move: 0 is the one that moves first from the start, 1 the other."""
        return self._inner.turn

    @property
    def ply(self) -> int:
        """The number of moves played from the first position, set-ups included."""
        return self._inner.ply

    @property
    def dice(self) -> int:
        """The die thrown for the side to move; 0 if none is thrown, or in a game without dice."""
        return self._inner.dice if is_dice_position(self._inner, registry.info(self.game)) else 0

    def set_dice(self, dice: int) -> None:
        """Set the die thrown for the side to move; ValueError if the game or the position has no such throw."""
        check_type("dice", dice, Integral, "a whole number")
        set_dice(self._inner, registry.info(self.game), dice)

    @property
    def legal_moves(self) -> Sequence[str]:
        """The legal moves, sorted: a list, in Connect6 a sequence that lists its some 65,000 moves when it must.

        Its length, and whether a move is in it, need no list. ValueError before the set-ups of Junqi, which are too
        many to list.
        """
        if registry.info(self.game).stones_per_turn > 1:
            return LegalMoves(self._inner.copy())
        return _words(self._inner)

    def random_move(self, rng: random.Random) -> str:
        """Return a legal move drawn at random, a set-up before the set-ups; ValueError if there is none.

        All moves have the same chance. In Connect6, while many points are free, a turn that needs one stone to win
        is not drawn.
        """
        check_type("rng", rng, random.Random, "a random.Random")
        if not has_pieces(self._inner, registry.info(self.game)):
            return random_setup(registry.info(self.game), rng)
        if not self._inner.count_legal():
            raise ValueError("there is no legal move")
        return random_word(self._inner, rng)

    def is_legal(self, move: str) -> bool:
        """Return True if a move can be played."""
        try:
            self._parsed(move)
        except ValueError:
            return False
        return True

    def push(self, move: str) -> None:
        """Play a move; ValueError, with the reason, if it is not legal."""
        parsed, throw = self._parsed(move), self.dice
        self._inner.push(parsed)
        self.move_stack.append(move)
        self._throws.append(throw)

    def _parsed(self, move: str) -> int:
        check_type("move", move, str, 'a word such as "a1b1"')
        return self._inner.parse_move(move)

    def pop(self) -> str:
        """Take the last move back and return it; IndexError if there is none."""
        if not self.move_stack:
            raise IndexError("pop from the first position")
        self._inner.pop()
        self._throws.pop()
        return self.move_stack.pop()

    def peek(self) -> str:
        """Return the last move; IndexError if there is none."""
        return self.move_stack[-1]

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, None while it goes on."""
        return self._inner.outcome()

    def is_game_over(self) -> bool:
        """Return True if the game has ended and the viewer of the position can know how."""
        outcome = self.outcome()
        return outcome is not None and not outcome.unknown

    def result(self) -> str:
        """Return `1-0` (the first side has won), `0-1`, `1/2-1/2` or `*`."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result

    def fen(self) -> str:
        """Return the FEN; before the set-ups of EWN and Junqi, `startpos` and the set-ups that are played."""
        return self._inner.fen()

    def view(self, side: int) -> Position:
        """Return a referee's position of Junqi as a side sees it, with the moves as it hears them.

        ValueError for a position that shows no whole game: a view, or one from a FEN; and in a game that hides nothing.
        """
        seen = Position(self.game)
        for word in self.view_moves(side):
            seen.push(word)
        return seen

    def view_moves(self, side: int) -> list[str]:
        """Return the moves of a referee's game of Junqi as a side hears them, errors as of `view`.

        They have the results of attacks (`=1`), the square of the opponent's flag once it is announced (`@A1`), and `?`
        for the opponent's set-up. Pushed to a view, the last one brings it up to date.
        """
        check_type("side", side, Integral, "0 or 1")
        if side not in (0, 1):
            raise ValueError(f"side: 0 or 1, not {side}")
        inner = self._hidden()
        if inner.viewer is not None or self._start is not None:
            raise ValueError("only a referee's game from the start, with both set-ups, has views")
        return inner.view_moves(int(side))

    def beliefs(self) -> dict[str, dict[str, float]]:
        """Return the chance of each type (`a` to `l`) by square, for the pieces that the viewer of a view cannot see.

        They are the engine's: learned from deployments, and from what each piece has done. Empty in a referee's
        position. ValueError in a game that hides nothing.
        """
        return self._hidden().beliefs()

    def record(self, first: str = "?", second: str = "?", **texts: Any) -> GameRecord:
        """Return the game that led here as a record, with the players' names.

        `texts` are other fields of `GameRecord`, such as `event`; without `result` it is that of the position.
        TypeError for a name that is no such field, ValueError for a result that is none.
        """
        if unknown := texts.keys() - set(GameRecord._fields):
            raise TypeError(f"no field of a record: {', '.join(sorted(unknown))}")
        if texts.get("result", "*") not in RESULTS:
            raise ValueError(f"result: {', '.join(RESULTS)}, not {texts['result']!r}")
        info = registry.info(self.game)
        fen = "" if self._start is None else self.root().fen()
        moves = tuple(map(self._inner.move_text, moves_of(self._inner)))
        dice = tuple(self._throws[info.setups(fen) :]) if info.has_dice else ()
        return GameRecord(moves, dice, self.result(), first, second, fen=fen)._replace(**texts)

    @classmethod
    def from_record(cls, game: str, record: GameRecord) -> Position:
        """Return the position at the end of a game's record; ValueError for the first throw or move against the rules.

        Take its moves back, or read its `move_stack`, for those before it.
        """
        position = cls(game, record.fen or None)
        for ply, word in enumerate(record.moves):
            if throw := record.throw(registry.info(game), ply):
                position.set_dice(throw)
            position.push(word)
        return position

    def _hidden(self) -> HiddenPosition:
        if is_hidden_position(self._inner, registry.info(self.game)):
            return self._inner
        raise ValueError(f"nothing is hidden in {self.game}")

    def root(self) -> Position:
        """Return the position before the first move."""
        return Position(self.game, self._start)

    def copy(self) -> Position:
        """Return an independent position with the same moves."""
        twin = object.__new__(Position)
        twin.__dict__ |= self.__dict__
        twin._inner, twin.move_stack, twin._throws = self._inner.copy(), self.move_stack.copy(), self._throws.copy()
        return twin

    __copy__ = copy

    __hash__ = None  # type: ignore[assignment]  # it changes with each move

    def __eq__(self, other: object) -> bool:
        """True for positions of one game with the same FEN."""
        return isinstance(other, Position) and (self.game, self.fen()) == (other.game, other.fen())

    def __str__(self) -> str:
        return self._inner.board()

    def _repr_svg_(self) -> str:
        return str(picture(self))

    def __repr__(self) -> str:
        if self.fen().startswith("startpos"):
            return f"<siqi.Position {self.game} {self.fen()}>"
        return f"siqi.position({self.game!r}, {self.fen()!r})"


class LegalMoves(Sequence[str]):
    """The sorted legal moves of a position as it was; they are listed when one is read by its place or in order."""

    def __init__(self, inner: GamePosition) -> None:
        """`inner` is kept, and must not change."""
        self._inner = inner

    @cached_property
    def _list(self) -> list[str]:
        return _words(self._inner)

    def __len__(self) -> int:
        return self._inner.count_legal()

    def __contains__(self, move: object) -> bool:
        try:
            return isinstance(move, str) and self._inner.move_text(self._inner.parse_move(move)) == move
        except ValueError:
            return False

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._list[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._list)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and self._list == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list has none

    def __repr__(self) -> str:
        return f"<{len(self)} legal moves>"


def _words(inner: GamePosition) -> list[str]:
    return sorted(map(inner.move_text, inner.legal_moves()))


@overload
def position(game: Literal["xiangqi"], fen: str | None = None) -> Board: ...
@overload
def position(game: Literal["connect6", "ewn", "junqi"], fen: str | None = None) -> Position: ...
@overload
def position(game: str, fen: str | None = None) -> Position | Board: ...
def position(game: str, fen: str | None = None) -> Position | Board:
    """Return the position of a FEN, or the start position without one.

    It is a `Board` for Xiangqi, a `Position` for `connect6`, `ewn` and `junqi`. A Junqi position from the start is a
    referee's if both set-ups are pushed, and one side's view if the other set-up is `?`. ValueError for an unknown game
    or a bad FEN.
    """
    check_game(game)
    if game == "xiangqi":
        from siqi.games.xiangqi.library.board import Board

        return Board() if fen is None else Board(fen)
    return Position(game, fen)


def picture(
    position: Position | Board,
    *,
    flipped: bool = False,
    coordinates: bool = True,
    size: int | None = None,
    theme: str = "auto",
    colors: Mapping[str, str] = {},
    lastmove: Collection[str] | None = None,
    arrows: Collection[tuple[str, str] | tuple[str, str, str]] = (),
    squares: Collection[str] = (),
    fill: Mapping[str, str] = {},
    **more: Any,
) -> Picture:
    """Return a position's picture, an SVG document that needs no font and no other file; notebooks show it.

    Points are named as in moves.

    - `flipped`: the second side is at the bottom.
    - `coordinates`: the names of files and ranks are on the margin.
    - `size`: the width in pixels; without it the picture fills its container.
    - `theme`: `auto` (the reader's), `light` or `dark`.
    - `colors`: colours by name, such as `board` or `arrow`; a page may set them as CSS variables, `--siqi-board`.
    - `lastmove`: its points; without it those of the last move.
    - `arrows`: (from, to) or (from, to, colour), drawn below the pieces.
    - `squares`: points with a ring.
    - `fill`: colours by point.

    `more` depends on the game. Xiangqi: `faces` (`traditional`, `simplified`, `letters`), `numerals` (the numbers of
    files in Chinese moves, in place of coordinates). Connect6: `numbers` of turns, `threats`, `heat` (True, or values
    by point). EWN: `chances` by throw. Junqi: `beliefs` (True, or chances by point and type), `faces` (`characters`,
    `letters`).

    ValueError for a point, colour or value that does not exist, TypeError for an unknown name or a wrong type.
    """
    shown = picture_style(
        flipped=flipped,
        coordinates=coordinates,
        size=size,
        theme=theme,
        colors=colors,
        lastmove=lastmove,
        arrows=arrows,
        squares=squares,
        fill=fill,
    )
    return _drawing(position, shown, more).svg()


class Replay:
    """A game that a reader steps through by buttons, keys or its list of moves; notebooks show it."""

    def __init__(self, html: str) -> None:
        self.html = html
        """The part of a web page that shows the game; it needs no server and no other file."""

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.html


def replay(
    position: Position | Board,
    *,
    words: Sequence[str] | None = None,
    flipped: bool = False,
    theme: str = "auto",
    **more: Any,
) -> Replay:
    """Return the game that led to a position, from the first position with a board.

    `words` are the moves as they are shown, None for those of the protocol. If they are Chinese, the margin of
    Xiangqi's board has the numbers of files. `flipped`, `theme` and `more` are as of `picture`.
    """
    check_is_position(position)
    shown = picture_style(flipped=flipped, theme=theme)
    if words is not None:
        check_type("words", words, Sequence, "a list of texts")
    if words is not None and not isinstance(position, Position):
        from siqi.games.xiangqi.picture import are_chinese

        more = {"numerals": are_chinese(words), **more}
    back = position.copy()
    drawings = [_drawing(back, shown, more)]
    while back.move_stack:
        back.pop()
        if isinstance(back, Position) and not has_pieces(back._inner, registry.info(back.game)):
            break  # before the set-ups
        drawings.append(_drawing(back, shown, more))
    moves = list(map(str, position.move_stack[len(position.move_stack) - len(drawings) + 1 :]))
    if words is not None and len(words) != len(moves):
        raise ValueError(f"{len(words)} words for {len(moves)} moves")
    return Replay(page(drawings[::-1], moves if words is None else words))


def _drawing(position: Position | Board, shown: PictureStyle, more: Mapping[str, Any]) -> Drawing:
    check_is_position(position)
    if isinstance(position, Position):
        draw = registry.picture_maker(position.game).draw
        _check_more(position.game, draw, more)
        return draw(position._inner, shown, **more)
    from siqi.games.xiangqi.library import svg

    _check_more("xiangqi", svg.draw, more)
    return svg.draw(position, shown, **more)


def _check_more(game: str, draw: Callable[..., Drawing], more: Mapping[str, Any]) -> None:
    """Raise TypeError for an argument that a game's pictures have not, or a value of a wrong type."""
    known = [
        parameter.name for parameter in signature(draw).parameters.values() if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    for name, value in more.items():
        if name not in known:
            raise TypeError(f"{name}: pictures of {game} have no such argument, but {', '.join(known)}")
        if name in ("heat", "beliefs"):
            check_type(name, value, (bool, Mapping), "True, False or a mapping from points")
        elif name == "chances":
            check_type(name, value, (Mapping, NoneType), "a mapping from throws to chances")


def check_game(game: str) -> GameName:
    """Return the name of a game; ValueError for another text."""
    check_type("game", game, str, "its name")
    if game not in GAMES:
        raise ValueError(f"unknown game {game!r}; one of {', '.join(GAMES)}")
    return game


def check_is_position(position: object) -> Position | Board:
    """Return a position; TypeError for anything else."""
    if isinstance(position, Position):
        return position
    if not is_of("siqi.games.xiangqi.library.board", "Board", position):
        raise TypeError(f"position: a siqi.Position or siqi.Board is needed, not {type(position).__name__}")
    return cast("Board", position)


def check_is_thrown(position: object) -> None:
    """Raise Refusal for a position in which no move can be chosen before a die is thrown."""
    if not isinstance(position, Position):
        return
    info = registry.info(position.game)
    if info.has_dice and not position.dice and has_pieces(position._inner, info) and not position.is_game_over():
        raise Refusal(Kind.DICE, "no die is thrown: set_dice sets it; `analyse` answers each throw")


def decompose(position: object) -> tuple[str, str | None, list[str], int]:
    """Return a position's game, the FEN before the first move (None: the start), the moves as words, and the die."""
    known = check_is_position(position)
    if isinstance(known, Position):
        return known.game, known._start, known.move_stack, known.dice
    return "xiangqi", known.root().fen(), [move.uci(0) for move in known.move_stack], 0


@cache
def load(game: str) -> Game[GamePosition]:
    """Return a game, loaded once per process, because some games open their books when loaded."""
    with announce_compiling(to_stderr, game):
        return registry.load(game, warn)


def warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)
