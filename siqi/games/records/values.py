"""The values that game files choose from a list, results and dates, in the wordings of real files.

All formats read them here. What has no known meaning is never dropped: the caller keeps it as text and reports it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The first side won, the second side, a draw, not known."""

RESULT_TEXT = "ResultText"
"""The tag of a result's wording, where it differs from the result or adds to it."""

FIRST, SECOND, DRAW, OPEN = RESULTS

_SIMPLE = str.maketrans("紅勝負後贏輸敗認將帥藍無結時間", "红胜负后赢输败认将帅蓝无结时间")
_SIGNS = str.maketrans({**dict.fromkeys("‐‑‒–—−﹣", "-"), "⁄": "/", "∶": ":", "、": ","})
_QUOTES = "\"'“”‘’「」【】《》"
_EDGES = _QUOTES + ".。!！;；,，"

_OPEN = re.compile(
    r"|\?|\*|--?|n/?a|none|null|unknown|unfinished|notfinished|ongoing|inprogress|open|noresult|void|"
    "未知|不明|不详|无|无结果|未完|未完成|未结束|未终局|未定|进行中|没有结果|结果不明|未分胜负|暂无"
)
_DRAWS = re.compile(
    "=|1/2|0[.,]5|d|draw|drawn|drawngame|tied?|jigo|remis|hòa|hoà|huề|和|和棋|和局|和了|平|平局|平手|双方和|双方和棋|双和|议和|判和|作和|成和|"
    "协议和棋|(?:双方)?不变(?:作和|判和)?|[先后]手?和"
)
_FIRSTS, _SECONDS = re.compile("first"), re.compile("second")
"""The winner's place alone."""

_SIDES = {
    "red": "红|帅|red|white|đỏ",  # XBoard and its kin call the first side white in every game
    "black": "黑|将|black|đen",
    "white": "白|white|trắng",
    "blue": "蓝|blue|xanh",
}
"""The words of a side, by its English name."""

_POINTS = {"1": 2, "2": 4, "0": 0, "1/2": 1, "0.5": 1, ".5": 1, "0,5": 1, ",5": 1}
_MORE = r"(?P<more>(?:[(,;:]|by|on|due|after|because).*|)"
"""Text that may follow a result: why, and after how many moves."""

_NUMBERS = re.compile(r"(1/2|0?[.,]5|[012])[-:](1/2|0?[.,]5|[012])(?P<more>(?![0-9:/.-]).*)", re.DOTALL)
_WON = "获胜|得胜|取胜|胜利|胜|赢|wins?|won|winner|victory|thắng"
_LOST = (
    "thua|"
    "认输|认负|超时负|超时判负|超时|弃权|告负|败北|投降|负|败|输|"
    "resigns?|resigned|lost|loses|loss|forfeits?|forfeited|(?:was|is|isin)?(?:check|stale)?mated"
)
_DREW = "和棋|和局|和|平|hòa|hoà|huề"
_OWN_WIN = re.compile(r"(?:w(?=\W|\Z)|获胜|得胜|取胜|胜利|胜|赢|wins?|won|victory|thắng)" + _MORE, re.DOTALL)
_OWN_LOSS = re.compile(r"(?:l(?=\W|\Z)|告负|败北|负|败|输|lost|loses?|loss|thua)" + _MORE, re.DOTALL)
"""The first side's result without its name."""

_DRAWN = re.compile(rf"(?:drawn?|drawngame|和棋|和局){_MORE}", re.DOTALL)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"([0-9]{4}|\?{4})(?:[-./年]([0-9]{1,2}|\?\??)(?:[-./月]([0-9]{1,2}|\?\??))?)?[年月日号]?")
_YEAR_LAST = re.compile(r"([0-9]{1,2})[-./]([0-9]{1,2})[-./]([0-9]{4})")
_EIGHT_DIGITS = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_MONTH_NAMED = re.compile(
    r"(?:([0-9]{1,2})(?:st|nd|rd|th)?[-., ]*)?([a-z]{3})[a-z]*\.?[-, ]*(?:([0-9]{1,2})(?:st|nd|rd|th)?[, ]+)?([0-9]{4})"
)
_CLOCK = re.compile(r"(.*?)[T ]+([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?", re.DOTALL)


class ResultWording(NamedTuple):
    """A result, and its wording if that differs from it or adds to it, else ''."""

    result: str
    text: str = ""


class Date(NamedTuple):
    """A day as PGN writes it, `2006.07.13`, `??` for what is not known, and a time, '' if there is none."""

    day: str
    time: str = ""


def read_result(text: str, first: str = "red", second: str = "black") -> ResultWording:
    """Return the result of a wording; `*` with the whole text for one that has no known meaning.

    `first` and `second` are the names of the sides, `red`, `black`, `white` or `blue`.
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS).translate(_SIMPLE).lower()
    plain = re.sub(r"[\s_]+", "", plain).lstrip(_QUOTES).rstrip(_EDGES)
    for words, result in ((_OPEN, OPEN), (_DRAWS, DRAW), (_FIRSTS, FIRST), (_SECONDS, SECOND)):
        if words.fullmatch(plain):
            return ResultWording(result)
    for result, more in (_by_numbers(plain), _by_words(plain, first, second)):
        if result:
            return ResultWording(result, text.strip() if more else "")
    return ResultWording(OPEN, text.strip())


def _by_numbers(plain: str) -> tuple[str, str]:
    """Return the result of both sides' points, '' if it is none, and the text after it."""
    match = _NUMBERS.fullmatch(plain)
    if match is None:
        return "", ""
    points = _POINTS[match[1]], _POINTS[match[2]]
    results = {(2, 0): FIRST, (4, 0): FIRST, (0, 2): SECOND, (0, 4): SECOND, (1, 1): DRAW, (2, 2): DRAW}
    return results.get(points, ""), match["more"]


def _by_words(plain: str, first: str, second: str) -> tuple[str, str]:
    """Return the result that a sentence states, '' if none, and the rest of the sentence."""
    colours = _SIDES[first], _SIDES[second]
    places = "先(?:手|方|行)?|first(?:side|player)?|tiên", "后(?:手|方|行)?|second(?:side|player)?|hậu"
    one, two = (
        f"(?:bên|quân)?(?:{names})(?:先|方|棋|side|player|tiên|hậu)*|{place}"
        for names, place in zip(colours, places, strict=True)
    )
    mover = f"(?:(?:{'|'.join(colours)})先(?:行|手|走)?,?)?"
    side = f"(?:(?P<first>{one})|(?P<second>{two}))"
    match = re.fullmatch(
        f"{mover}{side}(?:(?P<won>{_WON})|(?P<lost>{_LOST})|(?P<drew>{_DREW})){_MORE}", plain, re.DOTALL
    )
    if match is not None:
        if match["drew"]:
            return DRAW, match["more"]
        return (FIRST if bool(match["first"]) == bool(match["won"]) else SECOND), match["more"]
    for names, letter, result in ((colours[0], first[0], FIRST), (colours[1], second[0], SECOND)):
        if match := re.fullmatch(rf"(?:{names}|{letter})\+(?P<more>.*)", plain, re.DOTALL):  # as in SGF
            return result, match["more"]
    alone = (
        re.compile(rf"(?:(?:bên|quân)?(?:{names})(?:方|棋|side|player)?|{side[0]}(?=\W|\Z)){_MORE}", re.DOTALL)
        for names, side in zip(colours, (first, second), strict=True)
    )
    # A side alone has won; a result without a side is the first one's. W of Connect6 is White.
    for words, result in zip((*alone, _OWN_WIN, _OWN_LOSS, _DRAWN), (FIRST, SECOND, FIRST, SECOND, DRAW), strict=True):
        if match := words.fullmatch(plain):
            return result, match["more"]
    return "", ""


def read_date(text: str, has_day_first: bool = False) -> Date | None:
    """Return the date of a wording, None for one that has no known meaning.

    Where both numbers may be the month, as in `2-8-2014`, `has_day_first` says that the first one is the day.
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    clock = ""
    if match := _CLOCK.fullmatch(plain):
        plain, clock = match[1], match[2]
    day = _day_of(plain.lower() if plain.isascii() else plain.replace(" ", ""), has_day_first)
    return None if day is None else Date(day, clock)


def _day_of(plain: str, has_day_first: bool) -> str | None:
    if match := _YEAR_FIRST.fullmatch(plain) or _EIGHT_DIGITS.fullmatch(plain):
        return _day(match[1], match[2], match[3])
    if match := _YEAR_LAST.fullmatch(plain):
        one, two = int(match[1]), int(match[2])
        if two > 12:
            return _day(match[3], match[1], match[2])
        return _day(match[3], match[2], match[1]) if one > 12 or one == two or has_day_first else None
    match = _MONTH_NAMED.fullmatch(plain)
    if match is None or match[2] not in _MONTHS or (match[1] and match[3]):
        return None
    return _day(match[4], str(_MONTHS.index(match[2]) + 1), match[1] or match[3])


def _day(year: str, month: str | None, day: str | None) -> str | None:
    numbers = [text if text and text.isdigit() else "?" for text in (month, day)]
    for text, most in zip(numbers, (12, 31), strict=True):
        if text != "?" and not 1 <= int(text) <= most:
            return None
    return ".".join([year, *(text.rjust(2, "?" if text == "?" else "0") for text in numbers)])
