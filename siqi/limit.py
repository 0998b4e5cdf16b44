"""The limits of a search."""

from __future__ import annotations

from numbers import Integral, Real
from typing import NamedTuple, Self

from siqi.checks import check_type
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.limits import MAX_NUMBER, MAX_TIME_MS, Limits


class _Limit(NamedTuple):
    time: float | None
    depth: int | None
    nodes: int | None
    mate: int | None  # end at a proven win in at most this many own moves
    first_clock: float | None
    second_clock: float | None
    first_inc: float
    second_inc: float
    remaining_moves: int | None  # to the next time control


class Limit(_Limit):
    """The limits of a search, times in seconds. Without any, the search runs until it is stopped.

    `time`, `depth` (plies) and `nodes` bound the search itself. `mate` ends it at a proven win in at most this number
    of own moves.

    `first_clock` and `second_clock` are the time left of the side that moves first from the start (Red; Black in
    Connect6) and of the other, `first_inc` and `second_inc` what each move adds, and `remaining_moves` the moves to the
    next time control. Given a clock, the engine decides how long to think.

    `white_clock`, `black_clock`, `white_inc` and `black_inc` are python-chess's names for the same, White being the
    side that moves first. ValueError if both names of a value are given.
    """

    __slots__ = ()

    def __new__(
        cls,
        time: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        mate: int | None = None,
        first_clock: float | None = None,
        second_clock: float | None = None,
        first_inc: float | None = None,
        second_inc: float | None = None,
        remaining_moves: int | None = None,
        *,
        white_clock: float | None = None,
        black_clock: float | None = None,
        white_inc: float | None = None,
        black_inc: float | None = None,
    ) -> Self:
        own = {
            "first_clock": first_clock,
            "second_clock": second_clock,
            "first_inc": first_inc,
            "second_inc": second_inc,
        }
        for name, other, value in zip(
            own,
            ("white_clock", "black_clock", "white_inc", "black_inc"),
            (white_clock, black_clock, white_inc, black_inc),
        ):
            if value is not None and own[name] is not None:
                raise ValueError(f"limit {other}: {name} is given, too, and means the same")
            own[name] = value if own[name] is None else own[name]
        first, second = own["first_inc"] or 0.0, own["second_inc"] or 0.0
        clocks = own["first_clock"], own["second_clock"]
        return super().__new__(cls, time, depth, nodes, mate, *clocks, first, second, remaining_moves)

    @property
    def white_clock(self) -> float | None:
        """`first_clock` by python-chess's name."""
        return self.first_clock

    @property
    def black_clock(self) -> float | None:
        """`second_clock` by python-chess's name."""
        return self.second_clock

    @property
    def white_inc(self) -> float:
        """`first_inc` by python-chess's name."""
        return self.first_inc

    @property
    def black_inc(self) -> float:
        """`second_inc` by python-chess's name."""
        return self.second_inc


def engine_limits(limit: Limit) -> Limits:
    """Return the engine's form of limits, in milliseconds; Refusal for a limit out of range."""
    check_type("limit", limit, Limit, "a siqi.Limit, such as siqi.Limit(time=1.0),")
    for name in ("depth", "nodes", "mate", "remaining_moves"):
        count = getattr(limit, name)
        if count is not None:
            check_type(f"limit {name}", count, Real, "a whole number from 1")
            if not (isinstance(count, Integral) and 1 <= int(count) <= MAX_NUMBER):
                raise Refusal(Kind.LIMIT, f"limit {name}: a whole number from 1 to {MAX_NUMBER}, not {count}")
    for name in ("time", "first_clock", "second_clock", "first_inc", "second_inc"):
        seconds = getattr(limit, name)
        if seconds is not None:
            check_type(f"limit {name}", seconds, Real, "a number of seconds")
            if not 0 <= seconds <= MAX_TIME_MS / 1000:
                raise Refusal(Kind.LIMIT, f"limit {name}: seconds from 0 to {MAX_TIME_MS // 1000}, not {seconds}")

    def milliseconds(seconds: float | None) -> int | None:
        return None if seconds is None else max(round(1000 * seconds), 1)

    limits = Limits(
        wtime=milliseconds(limit.first_clock),
        btime=milliseconds(limit.second_clock),
        winc=round(1000 * limit.first_inc),
        binc=round(1000 * limit.second_inc),
        movestogo=int(limit.remaining_moves or 0),
        movetime=milliseconds(limit.time),
        nodes=int(limit.nodes or 0),
        depth=int(limit.depth or 0),
        mate=int(limit.mate or 0),
    )
    return limits if limits.is_bounded else limits._replace(infinite=True)


def check_is_bounded(limit: Limit) -> None:
    if engine_limits(limit).infinite:
        raise Refusal(Kind.LIMIT, "a limit is needed that ends the search; `analysis` takes none")
