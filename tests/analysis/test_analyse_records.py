"""`siqi analyse`: games that come out as they went in, with notes."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from analyse_command import (
    C6,
    PGN,
    siqi,
)

from siqi.games.xiangqi.library.pgn import read_games


@pytest.mark.parametrize("game", ["connect6", "ewn", "junqi"])
def test_records_that_cannot_store_comments_are_refused_at_once(game: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(C6)
    status, out, err = siqi(tmp_path / "games.txt", "--from", "record", "--output", "record", "--game", game)
    assert (status, out) == (2, b"")
    assert err == f"siqi analyse: --output record: records of {game} cannot store comments\n"


ANNOTATED_PGN = """[Game "Chinese Chess"]
[Event "杯赛 \\"A\\""]
[Odd "kept"]
[Red "胡荣华"]
[Result "1-0"]
[Date "1999.01.01"]

{开局} 1. 炮二平五 {the usual
move} 马8进7 (1... 炮８平５ 2. 马二进三 (2. 炮五进四 {a } 士４进５)) 2.马二进三! $14 ; to the end ) } {
% an escape
车9平8
3. 车一平二 1-0
{behind the game}
====== between games

[Event "broken"]

1. 炮二平五 马8进7 2. 炮二平五 {lost?} 0-1

[Event "traditional"]
[Result "*"]

1. 炮二平五 馬８進７ 2. 馬二進三 *

[Event "a rook up"]
[FEN "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 0 1"]

1... K4+1 2. R9+3 *

[Event "coordinates"]
[Format "ICCS"]

1. H2-E2 H9-G7 2. h0g2 {} *
behind all
"""


def own_notes(text: str) -> list[str]:
    return re.findall(r"\{(Siqi [^}]*)\}", text)


def without_notes(data: bytes, encoding: str) -> bytes:
    text = data.decode(encoding)
    return re.sub(r'\n\{Siqi [^}]*\}|\[SiqiScoreSide "Red"\]\n', "", text).encode(encoding)


@pytest.mark.parametrize(("encoding", "newline"), [("utf-8", "\n"), ("gb18030", "\r\n"), ("utf-8-sig", "\n")])
def test_records_come_out_as_they_went_in_with_notes(encoding: str, newline: str, tmp_path: Path) -> None:
    source = ANNOTATED_PGN.replace("\n", newline)
    path, again = tmp_path / "games.pgn", tmp_path / "again.pgn"
    path.write_bytes(source.encode(encoding))
    arguments = ("--format", "record", "--output", "record", "--depth", "3")  # the earlier name of --from
    status, out, err = siqi(path, *arguments, "--workers", "2")
    assert status == 1 and err.startswith("siqi analyse: game 2: 2. ") and err.count("\n") == 2
    text = out.decode(encoding)

    def without_notes(annotated: str) -> str:
        return re.sub(r"\r?\n\{Siqi [^}]*\}", "", annotated).replace(f'[SiqiScoreSide "Red"]{newline}', "")

    assert without_notes(text) == source
    assert text.count('[SiqiScoreSide "Red"]') == 4
    notes = own_notes(text)
    assert len(notes) == 6 + 4 + 3 + 4
    assert all(re.match(r"Siqi [+-]\d+\.\d\d/\d+ \S{4}|Siqi \+M\d+/", note) for note in notes)
    games = list(read_games(io.StringIO(text), report=lambda game: None))
    assert [len(game.moves) for game in games] == [5, 3, 2, 3]
    assert re.search(r" [炮马车兵相仕帅]", notes[0]) and re.search(r" [马炮车][1-9][进平][1-9]", notes[1])
    assert re.search(r"[馬車進]", "".join(notes[6:10])) and not re.search(r"[马车进]", "".join(notes[6:10]))
    rook_up = notes[10:13]
    assert all(note.startswith("Siqi +") for note in rook_up), "the side to move changes, Red is ahead"
    assert re.search(r" [KRA]\S{3}", rook_up[0])
    assert re.search(r" [A-I]\d-[A-I]\d", notes[13])
    again.write_bytes(out)
    text = siqi(again, *arguments, "--depth", "2")[1].decode(encoding)
    assert without_notes(text) == source and len(own_notes(text)) == len(notes)
    assert "/3 " not in "".join(own_notes(text)), "the notes of the first run are gone"


def test_traditional_characters_in_big5_and_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    text = '[Event "棋賽"]\n[Red "楊官璘"]\n\n1. 炮二平五 {好棋} 馬８進７ 2. 馬二進三 車９平８ *\n'
    path.write_bytes(text.encode("big5"))
    status, out, err = siqi(path, "--from", "record", "--output", "record", "--nodes", "300", "--multipv", "2")
    assert (status, err) == (0, "")
    assert "{好棋} 馬８進７" in out.decode("big5")
    assert all(note.count(" | ") == 1 for note in own_notes(out.decode("big5")))


def test_text_in_no_encoding_is_kept_and_a_hint_given(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    data = '[Event "棋"]\n\n1. C2.5 {马} *\n'.encode() + '[Event "杨"]\n\n1. C2.5 *\n'.encode("gb18030")
    path.write_bytes(data)
    arguments = (path, "--from", "record", "--nodes", "100", "--encoding", "utf-8")
    hint = "siqi analyse: 2 characters of the input are not utf-8; --encoding gb18030 may read them\n"
    status, out, err = siqi(*arguments, "--output", "record")
    assert (status, err) == (0, hint)
    assert re.sub(rb'\n\{Siqi [^}]*\}|\[SiqiScoreSide "Red"\]\n', b"", out) == data
    assert siqi(*arguments)[2] == hint


@pytest.mark.parametrize(
    ("encoding", "source", "moves"),
    [
        (
            "big5",
            '[Event "棋賽"]\n[Red "楊官璘"]\n\n1. 炮二平五 *\n',
            r"[炮砲馬車兵卒相仕象士帥將][一二三四五六七八九１-９][進退平]",
        ),
        ("big5", '[Event "棋賽"]\n[Red "楊官璘"]\n\n*\n', r"[炮馬車兵相仕帥][一二三四五六七八九][進退平]"),
        ("cp1252", '[Event "Köln"]\n[Red "Müller"]\n\n*\n', r"[A-Z]\d[.+-]\d"),
        ("cp1252", '[Event "Köln"]\n[Format "ICCS"]\n\n*\n', r"[A-I]\d-[A-I]\d"),
        ("gb2312", '[Event "杨"]\n\n*\n', r"[炮马车兵相仕帅][一二三四五六七八九][进退平]"),
    ],
)
def test_notes_are_written_as_the_encoding_allows(encoding: str, source: str, moves: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(source.encode(encoding))
    arguments = ("--from", "record", "--output", "record", "--encoding", encoding, "--nodes", "300")
    status, out, err = siqi(path, *arguments)
    assert (status, err) == (0, "")
    assert without_notes(out, encoding) == source.encode(encoding)
    notes = own_notes(out.decode(encoding))
    assert len(notes) == source.count("炮二平五") + 1
    assert all(re.search(moves, note) for note in notes)


TRUNCATED = PGN.encode("utf-16") + b" "

UNPAIRED = PGN.replace("A", "\ud800").encode("utf-16", "surrogatepass")
"""A surrogate without its other half."""


@pytest.mark.parametrize("data", [TRUNCATED, TRUNCATED[:-1] + b"\xe9", UNPAIRED])
def test_broken_utf_16_is_not_annotated(data: bytes, tmp_path: Path) -> None:
    """A file with a fault is refused; from a pipe, the games before the fault are written."""
    path = tmp_path / "games.pgn"
    path.write_bytes(data)
    arguments = ("--from", "record", "--output", "record", "--nodes", "100")
    status, out, err = siqi(path, *arguments)
    assert (status, out) == (2, b"")
    assert re.fullmatch(r"siqi analyse: the input is not utf-16-le: .*\n", err)
    status, out, again = siqi(*arguments, given=data)
    assert (status, again) == (1, err)
    assert without_notes(out, "utf-16-le") == (b"" if data == UNPAIRED else data[:-1])


@pytest.mark.parametrize("data", [TRUNCATED, UNPAIRED])
def test_broken_utf_16_is_analysed(data: bytes, tmp_path: Path) -> None:
    """Each fault in UTF-16 becomes U+FFFD."""
    status, out, err = siqi("--from", "record", "--nodes", "100", given=data)
    assert (status, out.count(b"\n")) == (0, 4)
    assert re.fullmatch(r"siqi analyse: \d characters of the input are not utf-16; .*\n", err)


@pytest.mark.parametrize(
    ("mark", "encoding", "arguments"),
    [
        ("\ufeff", "utf-16-be", ()),
        ("\ufeff", "utf-16-le", ()),
        ("\ufeff", "utf-16-le", ("--encoding", "utf-16-le")),
        ("\ufeff", "utf-32-be", ()),
        ("", "utf-8", ("--encoding", "utf-8-sig")),
    ],
)
def test_byte_order_marks_stay_as_they_are(mark: str, encoding: str, arguments: tuple[str, ...]) -> None:
    source = (mark + PGN).encode(encoding)
    status, out, err = siqi("--from", "record", "--output", "record", "--nodes", "100", *arguments, given=source)
    assert (status, err) == (0, "")
    assert without_notes(out, encoding) == source and own_notes(out.decode(encoding))
