"""Texts beside moves: signs for NAGs, marks of check, a Chinese keyboard's signs, and texts that are no move."""

from __future__ import annotations

import re
import unicodedata

from siqi.games.xiangqi.library.vietnamese import PATTERN

NAGS = {
    **{"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "‼": 3, "⁇": 4, "⁉": 5, "⁈": 6, "□": 7, "■": 7},
    **{"=": 10, "==": 10, "∞": 13, "~": 13, "⩲": 14, "+=": 14, "+/=": 14, "⩱": 15, "=+": 15, "=/+": 15, "±": 16},
    **{"+/-": 16, "+/−": 16, "∓": 17, "-/+": 17, "−/+": 17, "+-": 18, "+−": 18, "+--": 20, "-+": 19, "−+": 19},
    **{"--+": 21, "⊙": 22, "⨀": 22, "○": 26, "↑": 36, "→": 40, "=∞": 44, "=/∞": 44, "©": 44, "⇆": 132, "⇄": 132},
    **{"⊕": 138, "⨁": 138, "△": 140, "∆": 140, "⌓": 142, "RR": 145, "N": 146, "TN": 146, "D": 220},
}
"""The NAG of a sign, as books of chess and their programs use them."""

_CHECKS = frozenset({"+", "++", "#", "†", "‡"})
_SIGNED = re.compile(r"(.*[\d一二三四五六七八九])([^\w\s.．]{1,3}|T?N|D)", re.DOTALL)

KEYBOARD = str.maketrans(dict(zip("！？（）｛｝＄＊", "!?(){}$*", strict=True)) | dict.fromkeys("，,。", " "))
"""Signs of a Chinese keyboard, each as one of PGN's; what only separates moves is a blank."""

_PIECE, _NUMERAL, _STEP = (
    "[帅帥將将仕士相象马馬傌车車俥炮砲包兵卒前中后後]",
    "[0-9一二三四五六七八九]",
    "[进進退平上下]",
)
_VIETNAMESE = re.compile(PATTERN)
_LIKE_MOVE = re.compile(
    rf"(?=.*{_NUMERAL})(?:.*{_PIECE}|.*{_STEP})|.*\ufffd"  # Chinese; of another encoding
    r"|[+-]?[A-IK-Sa-ik-s][A-Za-z+.=-]{0,3}[0-9]|[-+1-9]{2}[-+.=][0-9]|--\Z",
    re.DOTALL,
)


def split_sign(text: str) -> tuple[str, str]:
    """Return a text without the sign behind its move, and the sign, '' if there is none or it only marks a check."""
    match = _SIGNED.fullmatch(text)
    if match is None or match[2] not in NAGS.keys() | _CHECKS:
        return text, ""
    return match[1], "" if match[2] in _CHECKS else match[2]


def is_like_move(text: str) -> bool:
    """True for a text that may be a move in any notation with a fault in it, or a move that is passed."""
    plain = unicodedata.normalize("NFKC", text)
    return any(pattern.match(plain) for pattern in (_LIKE_MOVE, _VIETNAMESE))
