"""The file formats of Xiangqi."""

from __future__ import annotations

import re

from siqi.games.formats import FEATURES, Format, ascii_of, begins

ALL = frozenset(FEATURES)
TREE = ALL - {"NAGs", "games"}
NOTATIONS = ("wxf", "chinese", "traditional", "vietnamese", "iccs", "xboard", "fairy")

_TAG = re.compile(rb'(?:\A|[\r\n])[ \t]*\[\s*\w+\s+"')
_PLACEMENT = rb"(?:[KABNRCPHEkabnrcphe1-9]{1,9}/){9}[KABNRCPHEkabnrcphe1-9]{1,9}\s"
_FEN = rb"(?:\s|#[^\r\n]*[\r\n])*(?:position\s+)?(?:startpos\b|(?:fen\s+)?" + _PLACEMENT + rb")"
_VIETNAMESE = rb"(?:[Tt][Gg]|[STVXMPBCstvxmpbc][tgsTGS]?)[1-9]?(?:[-./]|\xe2\x80[\x90-\x94]|\xe2\x88\x92)[1-9]"
_MOVES = re.compile(
    rb"\s*(?:\d+\s*\.\s*)?(?:[a-iA-I][0-9]-?[a-iA-I][0-9]|[KAEBHNRCPM+-][1-9+-][-+.=][1-9]|[KAEHNRC]?[a-i]?x?[a-i][0-9]|"
    + _VIETNAMESE
    + rb")(?![0-9])"
)
_CHINESE = re.compile(
    r"\s*(?:\d+\s*[.．、]\s*)?[前中后後一二三四五]?[帅帥將将仕士相象马馬傌车車俥炮砲包兵卒]\S{1,2}[平进進退]"
)
_DPXQ = re.compile(
    r"\s*(?:(?:[标標][题題]|分[类類]|[赛賽]事|[轮輪]次|[红紅]方|黑方|[结結]果|初始局面)[ \t]*[:：]|【主[变變])"
)
_DHTMLXQ = re.compile(rb"(?:\[|&#91;|&#[xX]5[bB];|&lbrack;|&lsqb;|%5[bB])DhtmlXQ", re.IGNORECASE)


def _begins_in_chinese(head: bytes, beginning: re.Pattern[str]) -> bool:
    """True if a text begins with a pattern in one of the encodings of Chinese."""
    encodings = ("utf-8-sig", "gb18030", "big5", "utf-16")
    return any(beginning.match(head[:400].decode(encoding, "ignore")) for encoding in encodings)


def _is_dhtmlxq(head: bytes) -> bool:
    return bool(_DHTMLXQ.search(ascii_of(head)))


FORMATS = (
    Format(
        name="xqf",
        about="XQStudio (象棋演播室)",
        suffixes=(".xqf",),
        holds=TREE,
        tags="11",
        recognises=lambda head: head[:2] == b"XQ" and len(head) >= 1024 and 0 < head[2] < 32,
        module="siqi.games.xiangqi.formats.xqf",
        is_text=False,
    ),
    Format(
        name="cbr",
        about="CCBridge (象棋桥), a game",
        suffixes=(".cbr",),
        holds=TREE,
        tags="29",
        recognises=lambda head: head.startswith(b"CCBridge Record"),
        module="siqi.games.xiangqi.formats.ccbridge",
        is_text=False,
    ),
    Format(
        name="cbl",
        about="CCBridge (象棋桥), a library",
        suffixes=(".cbl",),
        holds=TREE | {"games"},
        tags="29",
        recognises=lambda head: head.startswith(b"CCBridgeLibrary"),
        module="siqi.games.xiangqi.formats.ccbridge",
        is_text=False,
    ),
    Format(
        name="ubb",
        about="dpxq.com (东萍象棋网), for forums",
        suffixes=(".ubb",),
        holds=TREE | {"games"},
        tags="all",
        recognises=_is_dhtmlxq,
        module="siqi.games.xiangqi.formats.dhtmlxq",
    ),
    Format(
        name="dhtmlxq",
        about="dpxq.com (东萍象棋网), for web pages",
        suffixes=(".dhtmlxq", ".html", ".htm"),
        holds=TREE | {"games"},
        tags="all",
        recognises=_is_dhtmlxq,
        module="siqi.games.xiangqi.formats.dhtmlxq",
    ),
    Format(
        name="wxf",
        about="the World Xiangqi Federation, PlayOK, XieXie",
        suffixes=(".wxf",),
        holds=frozenset({"games", "results", "positions"}),
        tags="19",
        recognises=begins(rb"(?:\s*[\r\n])?[ \t]*FORMAT[ \t]+\w"),
        module="siqi.games.xiangqi.formats.wxf",
    ),
    Format(
        name="cbf",
        about="CCBridge (象棋桥), XML",
        suffixes=(".cbf",),
        holds=frozenset({"comments", "results", "positions"}),
        tags="30",
        recognises=begins(rb"(?s)\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)?<ChineseChessRecord\b"),
        module="siqi.games.xiangqi.formats.cbf",
    ),
    Format(
        name="dpxq",
        about="dpxq.com (东萍象棋网), plain text",
        suffixes=(".txt",),
        holds=TREE | {"games"},
        tags="all",
        recognises=lambda head: _begins_in_chinese(head, _DPXQ),
        module="siqi.games.xiangqi.formats.dpxq",
    ),
    Format(
        name="pgn",
        about="XQBase, XBoard and many others",
        suffixes=(".pgn",),
        holds=ALL,
        tags="all",
        recognises=lambda head: bool(_TAG.search(ascii_of(head))),
        module="siqi.games.xiangqi.formats.portable",
        is_stream=True,
        kind="XQ",
        sides="RB",
        notations=NOTATIONS,
    ),
    Format(
        name="fens",
        about="a FEN or `startpos` a line, and `moves ...`",
        suffixes=(".fen", ".fens", ".epd"),
        holds=frozenset({"games", "positions"}),
        tags="0",
        recognises=begins(_FEN),
        module="siqi.games.xiangqi.formats.lists",
    ),
    Format(
        name="moves",
        about="a game a paragraph: its moves",
        suffixes=(".moves",),
        holds=frozenset({"games"}),
        tags="0",
        recognises=lambda head: bool(_MOVES.match(ascii_of(head))) or _begins_in_chinese(head, _CHINESE),
        module="siqi.games.xiangqi.formats.lists",
        notations=("iccs", *NOTATIONS[:4], "xboard"),  # a short list in Fairy-Stockfish's ranks may be read as XBoard's
    ),
)
"""In the order in which a file's content is tried."""
