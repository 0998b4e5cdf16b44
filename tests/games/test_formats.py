"""File formats of Xiangqi: all that the table promises comes back, losses are reported; damage never crashes."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from game_trees import content, encrypted_xqf, paths, random_game, reduced
from samples import sampled

from siqi.game_files import load_games, save_games
from siqi.games.formats import Format, Losses, WriteStyle, recognised
from siqi.games.xiangqi.formats import ccbridge, portable, xqf
from siqi.games.xiangqi.formats.portable import record_of
from siqi.games.xiangqi.formats.table import FORMATS
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game, read_game
from siqi.games.xiangqi.library.tree import Line

BY_NAME = {form.name: form for form in FORMATS}
NAMES = list(BY_NAME)


def fitting_games(form: Format, rng: random.Random, wild: bool) -> list[Game]:
    """Return games that a format can hold at all."""
    count = rng.randint(1, 3) if "games" in form.holds else 1
    games = [random_game(rng, wild, None if "positions" in form.holds else False) for _ in range(count)]
    return games if form.name != "moves" else [game for game in games if game.moves] or [Game({}, [Move(25, 22)])]


def check_tame(form: Format, seed: int) -> None:
    """Check that all that the table promises comes back equal, and that losses are counted."""
    rng = random.Random(seed)
    games = fitting_games(form, rng, wild=False)
    notation = rng.choice([*form.notations, ""])
    encoding = rng.choice(["utf-8", "gb18030", "utf-16", "utf-8-sig"]) if form.is_text else ""
    written = form.write(games, WriteStyle(encoding, notation))
    assert recognised(FORMATS, written.data, f"x{form.suffixes[0]}") == form
    parsed = form.read(written.data, encoding or None)
    assert not parsed.faults
    expected = [reduced(game, form.holds, form.tags != "0") for game in games]
    assert [content(game) for game in parsed.games] == [content(game) for game in expected]
    is_whole = [content(game) for game in games] == [content(game) for game in expected]
    assert is_whole == (not written.losses)


def check_wild(form: Format, seed: int) -> None:
    """Check that the moves of any game come back, and all else unless a loss is counted."""
    rng = random.Random(seed)
    games = fitting_games(form, rng, wild=True)
    written = form.write(games)
    parsed = form.read(written.data)
    assert not parsed.faults
    assert [game.moves for game in parsed.games] == [game.moves for game in games]
    if "variations" in form.holds:
        assert [paths(game) for game in parsed.games] == [paths(game) for game in games]
    if not written.losses:
        assert [content(game) for game in parsed.games] == [content(plain(game)) for game in games]


def plain(game: Game) -> Game:
    """Return a game whose comments have the line ends and outer blanks that all formats keep."""
    for line in game.lines():
        texts = {place: text.replace("\r\n", "\n").replace("\r", "\n").strip() for place, text in line.comments.items()}
        line.comments = {place: text for place, text in texts.items() if text}
    return game


@pytest.mark.parametrize("name", NAMES)
@sampled("games", 5, 1000)
def test_round_trips(name: str, games: int) -> None:
    for seed in range(games):
        check_tame(BY_NAME[name], seed)
        check_wild(BY_NAME[name], seed)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a file with some bytes changed, missing, doubled or cut off."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at = rng.randrange(len(out) + 1) if rng.random() < 0.5 else rng.randrange(min(len(out), 3000) + 1)
        kind = rng.randrange(5)
        if kind == 0 and at < len(out):
            out[at] = rng.randrange(256)
        elif kind == 1:
            del out[at : at + rng.randint(1, 40)]
        elif kind == 2:
            out[at:at] = rng.randbytes(rng.randint(1, 40))
        elif kind == 3:
            out[at:at] = out[at : at + rng.randint(1, 200)]
        else:
            out[at:] = b""
        if not out:
            break
    return bytes(out)


def check_damage(form: Format, seed: int) -> None:
    rng = random.Random(seed)
    data = damaged(form.write(fitting_games(form, rng, wild=seed % 2 == 0)).data, rng)
    try:
        parsed = form.read(data)
    except ValueError as error:
        assert str(error) and "\n" not in str(error)
        return
    for game in parsed.games:
        assert not game.errors
        assert all(paths(game)) or not game.moves
    assert all(fault and "\n" not in fault for fault in parsed.faults)


@pytest.mark.parametrize("name", NAMES)
@sampled("files", 10, 3000)
def test_damaged_files_are_read_or_refused(name: str, files: int) -> None:
    for seed in range(files):
        check_damage(BY_NAME[name], seed)


@pytest.mark.parametrize("name", NAMES)
def test_any_bytes_are_read_or_refused(name: str) -> None:
    rng = random.Random(1)
    marks = [b"", b"XQ\x12", b"CCBridge Record\0", b"CCBridgeLibrary\0", b"[DhtmlXQ]", b'[Event "x"]\n', b"\xff\xfe"]
    for size in (0, 1, 3, 1024, 1027, 20_000):
        for mark in marks:
            try:
                parsed = BY_NAME[name].read(mark + rng.randbytes(size))
            except ValueError as error:
                assert str(error)
            else:
                assert parsed.faults or parsed.games


# Other programs' files


def test_xqf_as_its_description_shows_it() -> None:
    """The example in the description of format 1.0 is read: its steps and its head."""
    board = Board()
    for word in ["兵七进一", "马８进７", "兵三进一", "炮２平３", "相七进五", "马２进１", "马八进七", "车１平２"]:
        board.push_san(word)
    game = Game.from_board(board, Result="0-1", Title="仙人指路对起马局", Red="柳大华", Black="吕  钦")
    data = BY_NAME["xqf"].write([game]).data
    assert data[:16].hex(" ") == "58 51 0a" + " 00" * 13
    squares = ["50463c32281e140a00480c533f2b1703", "09131d27313b454f59114d061a2e4256"]
    for side, row in enumerate(squares):  # one program lists a side from the left, another from the right
        assert sorted(data[16 + 16 * side : 32 + 16 * side]) == sorted(bytes.fromhex(row))
    assert data[0x33] == 2 and data[0x50:0x61].hex() == "10cfc9c8cbd6b8c2b7b6d4c6f0c2edbed6"
    steps = (
        "18 20 f0 ff 2f 38 f0 00 67 63 f0 00 57 60 f0 00 29 3b f0 00 2c 4a f0 00 2b 27 f0 00 22 36 f0 00 21 33 00 00"
    )
    step_bytes = bytes.fromhex(steps)
    expected = b"".join(step_bytes[n : n + 4] + bytes(4) for n in range(0, len(step_bytes), 4))
    assert data[0x400:] == expected


def test_encrypted_xqf() -> None:
    rng = random.Random(7)
    for version in (11, 12, 15, 16, 18):
        for _ in range(4):
            game = random_game(rng)
            game.variations.setdefault(0, [Line([Move(25, 22)])]) if not game.variations and game.moves else None
            try:
                plain_file = BY_NAME["xqf"].write([game])
            except ValueError:
                continue
            if plain_file.data[2] != xqf.NEW:
                continue
            first = BY_NAME["xqf"].read(plain_file.data).games[0]
            data = encrypted_xqf(plain_file.data, version, rng.randbytes(13))
            assert data[1024:] != plain_file.data[1024:] or not game.moves
            assert content(BY_NAME["xqf"].read(data).games[0]) == content(first)


@sampled("count", 5, 50)
def test_cchess_reads_what_we_write_as_we_do(count: int, tmp_path: Path) -> None:
    cchess = pytest.importorskip("cchess", reason="cchess is not installed")
    rng = random.Random(11)
    games = []
    for number in range(count):
        game = random_game(rng)
        if not game.moves:
            continue
        games.append(game)
        for name in ("xqf", "cbr"):
            path = tmp_path / f"{number}.{name}"
            path.write_bytes(BY_NAME[name].write([game]).data)
            theirs = cchess.Game.read_from(str(path))
            assert sorted(map(tuple, theirs.dump_iccs_moves())) == paths(game)
            if name == "xqf":  # cchess 1.25 drops the comments of CBR
                assert (theirs.annote or "") == game.comments.get(0, "")
                comments = [(move.annote or "").strip() for move in theirs.iter_moves()]
                assert comments == [game.comments.get(place, "") for place in range(1, len(game.moves) + 1)]
            assert theirs.info["result"] == game.result
        path = tmp_path / f"{number}.xqf"
        data = BY_NAME["xqf"].write([game]).data
        if data[2] == xqf.NEW:
            path.write_bytes(encrypted_xqf(data, 18, rng.randbytes(13)))
            assert sorted(map(tuple, cchess.Game.read_from(str(path)).dump_iccs_moves())) == paths(game)
        if hasattr(cchess.Game, "from_ubb_dhtml"):  # since 1.26
            theirs = cchess.Game.from_ubb_dhtml(BY_NAME["dhtmlxq"].write([game]).data.decode())
            assert theirs.dump_iccs_moves() == [[move.uci() for move in game.moves]]
            assert theirs.init_board.to_fen().split()[0] == game.board().board_fen()
    path = tmp_path / "library.cbl"
    path.write_bytes(BY_NAME["cbl"].write(games).data)
    theirs = cchess.Game.read_from_lib(str(path))["games"]
    assert [sorted(map(tuple, game_read.dump_iccs_moves())) for game_read in theirs] == [paths(game) for game in games]


def test_dhtmlxq_as_the_site_writes_it() -> None:
    """Fields are read in any order, variations before their main line, comments of all lines, and moves in a script."""
    source = """<html><div>[DhtmlXQ_title]第01局[/DhtmlXQ_title]
[DhtmlXQ_result]红胜[/DhtmlXQ_result][DhtmlXQ_comment1_3]一变&nbsp;三[/DhtmlXQ_comment1_3]
[DhtmlXQ_comment0]说明||第二行[/DhtmlXQ_comment0][DhtmlXQ_comment2]主二[/DhtmlXQ_comment2]
[DhtmlXQ_move_1_3_2]7967[/DhtmlXQ_move_1_3_2][DhtmlXQ_move_0_2_1]70627747[/DhtmlXQ_move_0_2_1]</div>
<script>var DhtmlXQ_movelist = '[0_1_0]774712427967[/0_1_0]';</script></html>"""
    (game,) = BY_NAME["dhtmlxq"].read(source.encode("gb18030")).games
    assert game.headers == {"Title": "第01局", "Result": "1-0"}
    assert [move.uci() for move in game.moves] == ["h2e2", "b7e7", "h0g2"]
    assert game.comments == {0: "说明\n第二行", 2: "主二"}
    (first,) = game.variations[1]
    assert [move.uci() for move in first.moves] == ["h9g7"]  # its second move is not legal
    bad = BY_NAME["dhtmlxq"].read(source.replace("7747[/DhtmlXQ_move_0", "7967[/DhtmlXQ_move_0").encode())
    (first,) = bad.games[0].variations[1]
    assert [move.uci() for move in first.moves] == ["h9g7", "h0g2"] and first.comments == {2: "一变\xa0三"}
    assert not bad.faults
    assert len(first.variations[1]) == 1


BLOCK = """[DhtmlXQ]
[DhtmlXQ_title]甲[/DhtmlXQ_title]<br>
[DhtmlXQ_movelist][/DhtmlXQ_movelist]<br>
[/DhtmlXQ]"""
SCRIPTED = "[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]"
SEGMENT = SCRIPTED.replace("77477062", "[0_1_0]77477062[/0_1_0]")
ESCAPED = BLOCK.replace("[", "&#91;").replace("]", "&#93;")
LINK = "view.asp?ubb=" + quote(BLOCK.replace("]<br>", "]").replace("[/DhtmlXQ]", f"{SCRIPTED}[/DhtmlXQ]"))


@pytest.mark.parametrize(
    "page",
    [
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = '{SCRIPTED}';</script></body>",
        f"<body><script>var DhtmlXQ_movelist = '{SCRIPTED}';</script>{BLOCK}</body>",
        f'<body>{BLOCK}<script>var DhtmlXQ_movelist="{SCRIPTED}";</script></body>',
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = '';\nDhtmlXQ_movelist = '77477062';</script></body>",
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = '[0_1_0]77477062[/0_1_0]';</script></body>",
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = ''+'[DhtmlXQ_move'+'list]7747'"
        "\n + \"7062[\\/DhtmlXQ_move\"+'list]';</script></body>",
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = '\\x5bDhtmlXQ_movelist\\x5d77477062\\x5b/DhtmlXQ_movelist\\x5d'"
        ";</script></body>",
        f"<body>{BLOCK}<form><input name='DhtmlXQ_movelist' value='77477062'></form></body>",
        f"<body>{BLOCK}<textarea>{BLOCK.replace('[/DhtmlXQ]', SCRIPTED + '[/DhtmlXQ]')}</textarea></body>",
        f"<body><textarea>{BLOCK.replace('[DhtmlXQ_movelist][/DhtmlXQ_movelist]', SCRIPTED)}</textarea>{BLOCK}"
        f"<script>var DhtmlXQ_movelist = '{SCRIPTED}';</script></body>",
        f"<body><textarea>{ESCAPED}</textarea><script>var DhtmlXQ_movelist = '{SCRIPTED}';</script></body>",
        f"<body>{ESCAPED.replace('&#91;/DhtmlXQ&#93;', SCRIPTED + '&lsqb;&sol;DhtmlXQ&rsqb;')}</body>",
        f"<body><iframe src='{LINK}'></iframe></body>",
        f"<body>{BLOCK}<iframe src='{LINK}'></iframe></body>",
        f"<body>{BLOCK}<script>const DhtmlXQ_movelist=`77477062`;</script></body>",
        f"<body>{BLOCK}<script>window['DhtmlXQ_movelist'] = \"7747\\\n7062\";</script></body>",
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = 77477062;</script></body>",
        f"<body>{BLOCK}<script>var DhtmlXQ_movelist = '{SEGMENT}';</script></body>",
        f"<body>{BLOCK}<input value='77477062' type=hidden id='DhtmlXQ_movelist'></body>",
        f"<body>{BLOCK}<textarea rows=1 name=DhtmlXQ_movelist>\n77477062</textarea></body>",
        f"<body>{BLOCK}<div id='DhtmlXQ_movelist' style='display:none'>{SCRIPTED}</div></body>",
        f"<body>{BLOCK.replace('_movelist][', '_movelist]<b>7747</b><br />&nbsp;7062[')}</body>",
        f"<body>{BLOCK.replace('DhtmlXQ', 'dhtmlxq')}<script>var dhtmlxq_movelist='{SCRIPTED.lower()}'</script></body>",
    ],
)
def test_pages_of_dpxq_have_their_moves_in_many_places(page: str) -> None:
    form = recognised(FORMATS, page.encode(), "view_m_1.html")
    assert form is not None
    for encoding in ("utf-8", "gb18030"):
        parsed = form.read(page.encode(encoding).replace(quote("甲").encode(), quote("甲", encoding=encoding).encode()))
        (game,) = parsed.games
        assert game.headers["Title"] == "甲" and not parsed.faults
        assert [move.uci() for move in game.moves] == ["h2e2", "h9g7"]


def test_scripts_of_several_games_on_a_page() -> None:
    scripts = [f"<script>var DhtmlXQ_movelist = '{moves}';</script>" for moves in ("7747", "1747")]
    blocks = [BLOCK, BLOCK.replace("甲", "乙")]
    whole = BLOCK.replace("[DhtmlXQ_movelist][/DhtmlXQ_movelist]", "[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]")
    for page in (
        blocks[0] + scripts[0] + blocks[1] + scripts[1],
        scripts[0] + blocks[0] + scripts[1] + blocks[1],
        whole + scripts[1] + blocks[1],
    ):
        parsed = BY_NAME["dhtmlxq"].read(page.encode())
        assert [game.headers["Title"] for game in parsed.games] == ["甲", "乙"] and not parsed.faults
        assert [[move.uci() for move in game.moves] for game in parsed.games] == [["h2e2"], ["b2e2"]]


def test_moves_that_a_page_hides_are_a_fault() -> None:
    for script in ("DhtmlXQ_movelist = unpack(77477062)", "dhtmlxq_movelist = ['7747'].join()", "movelist = '7747'"):
        hidden = f"{BLOCK}<script>var {script};</script>"
        assert "script that is not understood" in BY_NAME["dhtmlxq"].read(hidden.encode()).faults[0]
    others = BLOCK.replace("_movelist][", "_movelist]7747[") + "<script>var DhtmlXQ_movelist = '1747';</script>"
    assert "beside a game that has others" in BY_NAME["dhtmlxq"].read(others.encode()).faults[0]


def test_wxf_as_playok_and_xiexie_export_it() -> None:
    playok = """FORMAT  WXF\r\nRED     alpha ; 1137 ;;\r\nBLACK   beta;2 ; 1177 ;;\r\nRESULT  0-1\r
DATE    2026-09-03 16:20:58\r\nEVENT   PlayOK Game ; 10m+0s\r\nSTART{\r
 1. C8.5 c2.5   2. H8+7 h2+3   3. R9.8 r1+1\r\n 4. P5+1 }END\r\n"""
    xiexie = """FORMAT  \tWXF\nGAME    \nRED     \t;;;\nBLACK   \t;;;\nDATE    \t2-8-2014
FEN  \t\trheakae1r/9/1c4hc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RHEAKAEHR b\n\nSTART{\n}END\n"""
    parsed = BY_NAME["wxf"].read((playok + xiexie).encode())
    first, second = parsed.games
    assert not parsed.faults and not parsed.notes
    assert " ".join(map(str, first.moves)) == "b2e2 b7e7 b0c2 b9c7 a0b0 a9a8 e3e4"
    assert first.headers == {
        **{"Red": "alpha", "RedElo": "1137", "Black": "beta;2", "BlackElo": "1177", "Result": "0-1"},
        **{"Date": "2026.09.03", "Time": "16:20:58", "Event": "PlayOK Game", "TimeControl": "10m+0s"},
    }
    assert second.headers["FEN"].startswith("rnbakab1r/9/1c4nc1/") and " b " in second.headers["FEN"]
    assert second.headers["Date"] == "2014.08.02" and "Red" not in second.headers
    text = BY_NAME["wxf"].write([first]).data.decode()
    assert "RED     alpha ; 1137 ;  ;\n" in text and "EVENT   PlayOK Game ; 10m+0s\n" in text


def test_wxf_with_other_letters_and_pieces_on_squares() -> None:
    def read(head: str, moves: str) -> tuple[list[str], list[str]]:
        parsed = BY_NAME["wxf"].read(f"{head}\nSTART{{\n{moves}\n}}END\n".encode())
        return [" ".join(map(str, game.moves)) for game in parsed.games], parsed.faults

    assert read("FORMAT AXF", "1. G4+5 N8+7 2. M3+5") == (["f0e1 h9g7 g0e2"], [])
    assert read("FORMAT AXF, K(K) R(C) N(H) C(P) G(A) M(E) P(S)", "1. P2=5 H8+7 2. C1+1") == (["h2e2 h9g7 i0i1"], [])
    games, faults = read("FORMAT AXF nonsense", "1. C2=5")
    assert not games and faults == ["game 1: letters of pieces that are not known: FORMAT AXF nonsense"]
    games, faults = read("FORMAT WXF\nVARIANT Jieqi", "1. C2.5")
    assert not games and faults == ["game 1: a game of another kind: Variant Jieqi"]
    setup = "FORMAT WXF\nSETUP{\n Ke0 Ra1\n kd9 MOVE 12 BLACK\n}"
    assert read(setup, "12... K4+1") == (["d9d8"], [])
    assert read("FORMAT WXF\nSETUP{ Zz9 }", "")[1] == ["game 1: SETUP: not a piece on a point: Zz9"]


def test_cbf_as_ccbridge_writes_it() -> None:
    head = "<Name>第一局</Name><URL /><Contest>杯</Contest><Red>甲</Red>"
    head += "<DateModified>2014-09-08</DateModified><ECCO>C03</ECCO>"
    text = f"""\ufeff<?xml version="1.0" encoding="UTF-8"?>
<ChineseChessRecord Version="1.0"><Head>{head}<RecordType>1</RecordType><RecordResult>{{}}</RecordResult>
<FEN>rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1</FEN></Head><MoveList>
<Move value="00-00"><![CDATA[说明 <1>]]></Move><Move value="77-47" /><Move value="70-62"><![CDATA[好]]></Move>
<Move value="79-67" end="1" />{{}}</MoveList></ChineseChessRecord>"""
    parsed = BY_NAME["cbf"].read(text.format(4, "").encode())
    (game,) = parsed.games
    assert not parsed.faults and [str(move) for move in game.moves] == ["h2e2", "h9g7", "h0g2"]
    assert game.comments == {0: "说明 <1>", 2: "好"}
    assert game.headers == {
        **{"Title": "第一局", "Event": "杯", "Red": "甲", "Modified": "2014-09-08", "ECCO": "C03"},
        "Result": "1/2-1/2",
    }
    parsed = BY_NAME["cbf"].read(text.format(9, '<Move value="77-67" note="1"/>').encode())
    assert parsed.faults == ["moves behind the end, variations perhaps, are left out: 1"]
    assert parsed.games[0].headers["ResultText"] == "9" and len(parsed.notes) == 2
    for bad in ("<!DOCTYPE x [<!ENTITY a 'b'>]>" + text, "<ChineseChessRecord/>"):
        with pytest.raises(ValueError):
            BY_NAME["cbf"].read(bad.encode())
    cut = BY_NAME["cbf"].read(text.format(1, "").encode()[:-60])
    assert len(cut.games[0].moves) == 2 and cut.games[0].result == "1-0" and "not XML" in cut.faults[0]


DPXQ = """标题: 南方 甲 胜 北方 乙
分类: 其他赛事
红方: 南方 甲
黑方: 北方 乙
结果: 红方胜
日期: 2005年11月12日
记时规则: 30分包干
红方姓名: 甲
浏览次数: 7883
未知项: 值

　　第3局
说明: 与众不同

【主变: 红胜】
　　1.炮二平五　　马８进７　
　　2.马二进三
红方跃马。如改走兵七进一，亦可
　　2. …………　　车９平８ ①
　　黑方出车
　　3.兵七进一　　卒７进１　

变①接主变第2回合

{ rnbakab1r / 9 / 1c4nc1 / p1p1p1p1p / 9 / 9 / P1P1P1P1P / 1C2C1N2 / 9 / RNBAKAB1R b}
\t2. …………　　炮８平９
3.车一平二
妙

变②接变①第3回合

3.兵七进一　车９平８

棋谱由 http://www.dpxq.com/ 生成

随便写
標題: 残局
結果: 未知的
初始局面:
　　　　　　　　 黑方　　　　　　　　
{}
　　　　　　　　 红方　　　　　　　　

1.车九进一 将４进１
"""


def test_dpxq_s_plain_text() -> None:
    rows = []
    for rank in range(10):
        points = ["┼"] * 9
        if rank == 0:
            points[3] = "[将]"
        if rank == 9:
            points[0], points[4] = "(车)", "(帅)"
        rows.append("─".join(points))
        rows.append("│　" * 9)
    parsed = BY_NAME["dpxq"].read(DPXQ.replace("{}", "\n".join(rows)).encode("gb18030"))
    assert not parsed.faults, parsed.faults
    first, second = parsed.games
    assert " ".join(map(str, first.moves)) == "h2e2 h9g7 h0g2 i9h9 c3c4 g6g5"
    assert first.comments == {0: "第3局\n说明: 与众不同", 3: "红方跃马。如改走兵七进一，亦可", 4: "黑方出车"}
    (variation,) = first.variations[3]
    assert [str(move) for move in variation.moves] == ["h7i7", "i0h0"] and variation.comments == {2: "妙"}
    assert [str(move) for move in variation.variations[1][0].moves] == ["c3c4", "i9h9"]
    assert first.headers["Red"] == "南方 甲" and first.headers["未知项"] == "值" and first.headers["Hits"] == "7883"
    assert (first.result, first.headers["Date"]) == ("1-0", "2005.11.12")
    assert second.headers["FEN"].startswith("3k5/9/9/9/9/9/9/9/9/R3K4 w") and len(second.moves) == 2
    assert second.headers["ResultText"] == "未知的"
    assert any("lines between games left out: 1, the first: 随便写" in note for note in parsed.notes)
    lost = BY_NAME["dpxq"].read("结果: 和棋\n\n1.炮二平五 马８进７\n\n【变1-0-9】\n9.车一平二\n".encode())
    assert lost.faults == ["game 1: variation 1: there is no such place in variation 0"]
    assert lost.games[0].result == "1/2-1/2"


def test_names_and_operations_beside_positions_are_kept() -> None:
    text = '# a collection\n3k5/9/9/9/9/9/9/9/9/R3K4 w - - bm R9+9; id "one";\nstartpos moves h2e2 ; two\n'
    parsed = BY_NAME["fens"].read(text.encode())
    assert not parsed.faults and parsed.notes == ["remarks left out: 1, the first: # a collection"]
    assert [game.comments for game in parsed.games] == [{0: 'bm R9+9; id "one";'}, {0: "two"}]
    parsed = BY_NAME["moves"].read(b"# x\nC2.5H8+7 1-0\n\nh2e2 *\n")
    assert [game.headers for game in parsed.games] == [{"Result": "1-0"}, {}]
    assert [len(game.moves) for game in parsed.games] == [2, 1] and parsed.notes


def test_numbers_without_meaning_are_kept_as_text() -> None:
    for name, place in (("xqf", 0x33), ("cbr", 2076)):
        data = bytearray(BY_NAME[name].write([Game({"Result": "1-0"}, [Move(25, 22)])]).data)
        data[place] = 77
        parsed = BY_NAME[name].read(bytes(data))
        assert parsed.games[0].headers == {"Result": "*", "ResultText": "number 77"}
        assert parsed.notes == ["a result that is not known, kept as text: number 77"]


PLACEMENTS = (
    "3k5/9/9/3R5/9/4R4/9/9/9/7r1/5K2r w",  # eleven ranks: no placement
    "3k5/9/9/3R5/9/4R4/9/9/7r1/5K2r w",
    "9/9/9/9/9/9/9/9/9/9 b",
    "4k4/9/9/9/9/9/9/9/9/4K4 w",
    "PAB6/9/9/9/9/9/9/9/9/pab6 w",
    "RRRRRRRRR/PPPPPPPPP/9/9/9/kkkkkkkkk/9/9/9/9 b",
)


@pytest.mark.parametrize("name", [form.name for form in FORMATS if "positions" in form.holds])
def test_a_composition_with_a_pawn_behind_its_start_rank_keeps_its_moves(name: str) -> None:
    board = Board("3k1p3/4P4/9/9/6CCR/3n4c/2Pn5/8B/5p3/4K4 w - - 0 1")
    for text in ("g5g9", "f9f8", "h5h9"):
        board.push_uci(text)
    parsed = BY_NAME[name].read(BY_NAME[name].write([Game.from_board(board)]).data)
    assert not parsed.faults and parsed.games[0].board().fen().split()[0] == "3k1p3/4P4/9/9/6CCR/3n4c/2Pn5/8B/5p3/4K4"
    assert parsed.games[0].moves == board.move_stack


@pytest.mark.parametrize("name", [form.name for form in FORMATS if "positions" in form.holds])
def test_any_placement_is_stored(name: str) -> None:
    for fen in PLACEMENTS[1:]:
        board = Board.empty()
        board.set_fen(fen)
        game = Game({"Result": "*", "FEN": board.fen()})
        if name == "cbl" and not board.piece_map():
            continue  # a heading
        if name == "xqf" and "RRR" in fen:
            with pytest.raises(ValueError, match="xqf cannot store"):
                BY_NAME[name].write([game])
            continue
        written = BY_NAME[name].write([game])
        (back,) = BY_NAME[name].read(written.data).games
        assert back.headers["FEN"] == board.fen() and not written.losses, fen
    parsed = BY_NAME["fens"].read(PLACEMENTS[0].encode())
    assert not parsed.games and parsed.faults == ["line 1: board has 11 ranks, not 10"]
    played = BY_NAME["fens"].read(f"{PLACEMENTS[1]} moves d6d7".encode())
    assert "illegal position" in played.faults[0] and not played.games[0].moves


def test_libraries_leave_out_headings_and_deleted_records() -> None:
    board = Board()
    board.push_san("C2.5")
    games = [Game.from_board(board, Title=f"g{number}") for number in range(3)]
    data = bytearray(BY_NAME["cbl"].write(games).data)
    first = ccbridge.INDEX_AT + 128 * ccbridge.INDEX_BYTES
    data[first + 2120 : first + 2210] = bytes(90)
    data[ccbridge.INDEX_AT + ccbridge.INDEX_BYTES] = 5
    parsed = BY_NAME["cbl"].read(bytes(data))
    assert [game.headers["Title"] for game in parsed.games] == ["g2"] and not parsed.faults
    assert parsed.notes == ["record 1 has no position: g0", "record 2 was deleted: g1"]


def test_big5_in_xqf() -> None:
    game = random_game(random.Random(1), from_fen=False)
    game.headers = {"Result": "*"}
    comment = "紅方第一步走中炮,黑方以屏風馬應對,這是最常見的佈局之一,變化繁多,雙方各有千秋,請讀者細細體會其中的奧妙。"
    game.comments, game.variations = {0: comment}, {}
    data = BY_NAME["xqf"].write([Game({}, [], game.comments)]).data
    head, text_bytes = data[:1028], comment.encode("big5")
    parsed = BY_NAME["xqf"].read(head + len(text_bytes).to_bytes(4, "little") + text_bytes)
    assert parsed.games[0].comments == {0: comment}
    forced = BY_NAME["xqf"].read(head + len(text_bytes).to_bytes(4, "little") + text_bytes, "gb18030")
    assert forced.games[0].comments != {0: comment}


# Notation


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16"])
def test_move_lists_in_any_notation(encoding: str) -> None:
    lists = {
        "C2.5 H8+7 H2+3 R9.8": "utf-8",
        "1. 炮二平五 马8进7 2. 马二进三 车9平8": "gb18030",
        "1.炮二平五 馬８進７\n2.馬二進三 車９平８": "big5",
        "1. H2-E2 H9-G7 2. H0-G2 I9-H9": "utf-16",
        "h2e2 h9g7 h0g2 i9h9": "utf-8",
        "h3e3 h10g8 h1g3 i10h10": "utf-8",
        "1. Che2 Hg7 2. Hg2 Rh9": "utf-8",
        "1. Che3 Hg8 2. Hg3 Rh10": "utf-8",
    }
    for words, other in lists.items():
        data = words.encode(encoding if words.isascii() else other)
        form = recognised(FORMATS, data)
        assert form is not None and form.name == "moves", words
        parsed = form.read(data)
        assert [[str(move) for move in game.moves] for game in parsed.games] == [["h2e2", "h9g7", "h0g2", "i9h9"]], (
            words
        )
        assert not parsed.faults


def test_move_lists_leave_out_what_is_no_move() -> None:
    for text in ("C2.5! += H8+7 xyz", "1．炮二平五！ 马8进7？，xyz；", "C2.5 H8+7± xyz"):
        parsed = BY_NAME["moves"].read(text.encode())
        assert [move.uci() for move in parsed.games[0].moves] == ["h2e2", "h9g7"] and not parsed.faults
        assert "xyz" in parsed.notes[0] or "2" in parsed.notes[0]
    assert BY_NAME["moves"].read(b"C2.5 R9..").faults == ["line 1: 1... not a move: R9.."]


@sampled("plies", 8, 30)
def test_san_is_fairy_stockfish_s(plies: int) -> None:
    pyffish = pytest.importorskip("pyffish", reason="pyffish is not installed")
    rng = random.Random(3)
    for fen in (None, "4k4/9/3P1P3/4P4/9/9/9/9/9/4K4 w - - 0 1", "3k5/9/9/9/9/9/2R6/4N1N2/2R6/4K4 w - - 0 1"):
        board = Board() if fen is None else Board(fen)
        while not board.is_game_over() and len(board.move_stack) < plies:
            for move in rng.sample(list(board.legal_moves), min(8, len(board.legal_moves))):
                theirs = pyffish.get_san("xiangqi", board.fen(), move.uci(1), False, pyffish.NOTATION_SAN)
                assert board.san(move, "fairy") == theirs
                assert board.parse_san(theirs, 1) == move
                assert board.parse_san(board.san(move, "xboard")) == move
                long = pyffish.get_san("xiangqi", board.fen(), move.uci(1), False, pyffish.NOTATION_LAN)
                assert board.parse_san(long, 1) == move
            board.push(rng.choice(list(board.legal_moves)))


# Limits


def nested(depth: int) -> Game:
    """Return a game whose variations are `depth` deep, each replacing the second move of the one before."""
    main = [("a0a1", "i0i1"), ("a9a8", "i9i8"), ("a1a0", "i0i1"), ("a8a9", "i9i8")]
    game = Game({"Result": "*"})
    line: Line = game
    for ply in range(depth):
        step, other = main[ply % 4], main[(ply + 1) % 4]
        line.moves = [Move.from_uci(step[0]), Move.from_uci(other[1])]
        line.comments[1] = str(ply)
        below = Line()
        line.variations[1] = [below]
        line = below
    line.moves = [Move.from_uci(main[depth % 4][0])]
    return game


@pytest.mark.parametrize("name", ["xqf", "cbr", "ubb", "pgn"])
def test_deep_trees_need_no_recursion(name: str) -> None:
    game = nested(4000)  # the longest game has 8,064 plies
    written = BY_NAME[name].write([game])
    parsed = BY_NAME[name].read(written.data)
    assert not parsed.faults and not written.losses
    assert parsed.games[0].count_moves() == game.count_moves() == 8001
    read = Game(game.headers, parsed.games[0].moves, parsed.games[0].comments, {}, parsed.games[0].variations)
    assert read == game


def test_open_parentheses_without_end() -> None:
    parsed = BY_NAME["pgn"].read(b'[Event "x"]\n\n1. C2.5 ' + b"(" * 100_000 + b" *")
    assert "variation without end" in parsed.faults[0]
    moves = b'[Event "x"]\n\n1. C2.5 ' + b"(C2.5 " * 10_000 + b")" * 10_000 + b" *"
    (game,) = BY_NAME["pgn"].read(moves).games
    assert len(game.variations[0]) == 10_000 and len(game.moves) == 1


def test_too_long_a_game_is_cut() -> None:
    words = " ".join(["a0a1 a9a8 a1a0 a8a9"] * 2500)
    parsed = BY_NAME["moves"].read(words.encode())
    assert len(parsed.games[0].moves) > 8000 and "game longer than" in parsed.faults[0]


# The library


def test_games_are_loaded_and_saved(tmp_path: Path) -> None:
    rng = random.Random(5)
    games = [random_game(rng) for _ in range(3)]
    assert save_games(tmp_path / "a.pgn", games, notation="chinese", encoding="gb18030") == {}
    loaded = load_games(tmp_path / "a.pgn")
    assert not loaded.faults and list(map(content, loaded.games)) == list(map(content, games))
    with pytest.raises(FileExistsError):
        save_games(tmp_path / "a.pgn", games)
    losses = save_games(tmp_path / "a.cbl", loaded.games)
    assert all(kind == "NAGs" for kind in losses)
    assert [paths(game) for game in load_games(tmp_path / "a.cbl").games] == [paths(game) for game in games]
    with pytest.raises(ValueError, match="holds one game"):
        save_games(tmp_path / "a.xqf", games)
    with pytest.raises(ValueError, match="no format"):
        save_games(tmp_path / "a.what", games)
    (tmp_path / "x").write_bytes(b"\0\1\2")
    with pytest.raises(ValueError, match="not a format"):
        load_games(tmp_path / "x")
    assert not (tmp_path / "a.xqf").exists()


def test_faults_name_their_place() -> None:
    text_of_game = (
        '[Event "x"]\n\n1. C2.5 H8+7 (1... C2.5 2. K5+9 H2+3) 2. H2+3 *\n\n[Event "y"]\n\n1. C2.5 C2.5 2. C5+9 *\n'
    )
    parsed = BY_NAME["pgn"].read(text_of_game.encode())
    assert len(parsed.faults) == 2
    assert parsed.faults[0].startswith("game 1: 2. illegal move: K5+9")
    assert parsed.faults[1].startswith("game 2: 2. illegal move: C5+9")
    assert [len(game.moves) for game in parsed.games] == [3, 2]
    assert len(parsed.games[0].variations[1][0].moves) == 1


@pytest.mark.parametrize(
    "text",
    [
        "1. C2.5 H8+7 2. R9.5 R9.8 $4 {bad} *",
        "1. C2.5 H8+7 2. R9.5 ?? {bad} *",
        "1. C2.5 H8+7 2. R9.5 R9.8 (2... H2+3 $1 {other}) *",
        "1. C2.5 H8+7 2. R9.5 $4 1-0 {behind the game}",
        "1. C2.5 H8+7 2. R9.5 ; a line\n$4 *",
    ],
)
def test_marks_and_comments_of_lost_moves_are_lost_too(text: str) -> None:
    parsed = BY_NAME["pgn"].read(text.encode())
    (game,) = parsed.games
    assert len(game.moves) == 2 and not game.comments and not game.nags and not game.variations
    assert parsed.notes == ["game 1: comments and NAGs of moves that are left out: 2"]
    before = BY_NAME["pgn"].read(text.replace(" 2. R9.5", " $1 {fine} 2. R9.5").encode()).games[0]
    assert before.comments == {2: "fine"} and before.nags == {2: [1]}
    wxf = BY_NAME["wxf"].read(f"FORMAT WXF\nSTART{{ {text.replace('1-0', '')} }}END".encode())
    assert not wxf.games[0].comments and not wxf.games[0].nags


def test_comments_of_lost_moves_in_every_format() -> None:
    """Those of a variation, too; the moves that stand elsewhere keep theirs."""
    game = Game({}, [Move.from_uci(word) for word in ("h2e2", "h9g7", "h0g2", "i9h9")], {2: "kept", 4: "lost"})
    game.variations[1] = [Line([Move.from_uci(word) for word in ("h7e7", "h0g2")], {2: "other"})]
    for name in ("xqf", "cbr", "cbl"):
        data = BY_NAME[name].write([game]).data
        step = {"xqf": b"^^", "cbr": bytes([88, 69]), "cbl": bytes([88, 69])}[name]  # h0g2
        worse = {"xqf": b"^_", "cbr": bytes([88, 60]), "cbl": bytes([88, 60])}[name]
        assert data.count(step) == 2
        parsed = BY_NAME[name].read(data.replace(step, worse))
        assert [len(line.moves) for line in parsed.games[0].lines()] == [2, 1]
        assert parsed.games[0].comments == {2: "kept"} and not parsed.games[0].variations[1][0].comments
        assert parsed.notes[-1].endswith("comments of moves that are left out: 2")
    game.variations.clear()
    cbf = BY_NAME["cbf"].write([game]).data.decode()
    for wrong in ("79-66", "no"):
        parsed = BY_NAME["cbf"].read(cbf.replace("79-67", wrong).encode())
        assert parsed.games[0].comments == {2: "kept"}
        assert parsed.notes == ["comments of moves that are left out: 1"]
    dpxq = BY_NAME["dpxq"].write([game]).data.decode()
    parsed = BY_NAME["dpxq"].read(dpxq.replace("马二进三", "马二进四").encode())
    assert parsed.games[0].comments == {2: "kept"}
    assert parsed.notes == ["game 1: lines of comments on moves that are left out: 1"]


def test_white_is_red_where_red_is_missing() -> None:
    tags = '[Variant "xiangqi"]\n[White "A"]\n[Black "B"]\n[WhiteElo "2500"]\n[WhiteTeam "C"]\n[WhiteTitle "GM"]\n'
    for red in ("", '[Red "?"]\n', '[Red ""]\n[RedElo "?"]\n'):
        (game,) = BY_NAME["pgn"].read(f"{red}{tags}\n1. C2.5 *\n".encode()).games
        assert {tag: game.headers[tag] for tag in ("Red", "Black", "RedElo", "RedTeam", "RedTitle")} == {
            **{"Red": "A", "Black": "B", "RedElo": "2500", "RedTeam": "C", "RedTitle": "GM"}
        }
        assert not any(tag.startswith("White") for tag in game.headers)
        assert BY_NAME["xqf"].read(BY_NAME["xqf"].write([game]).data).games[0].headers["Red"] == "A"
        assert "RED     A ; 2500 ; C ; GM" in BY_NAME["wxf"].write([game]).data.decode()
        assert record_of(game).first == "A"
    (game,) = BY_NAME["pgn"].read(f'[Red "D"]\n[Whites "E"]\n{tags}\n1. C2.5 *\n'.encode()).games
    assert (game.headers["Red"], game.headers["White"], game.headers["Whites"]) == ("D", "A", "E")
    assert game.headers["RedElo"] == "2500"
    (record,) = portable.stream(io.StringIO(f"{tags}\n1. C2.5 *\n"))
    assert (record.first, record.second) == ("A", "B")


@pytest.mark.parametrize("case", [str.lower, str.upper, str.swapcase])
def test_names_of_tags_have_any_case(case: Callable[[str], str]) -> None:
    start = "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1"
    tags = {"White": "A", "Black": "B", "WhiteElo": "2500", "Result": "1-0", "FEN": start, "Date": "2020-01-02"}
    text = "".join(f'[{case(name)} "{value}"]\n' for name, value in tags.items())
    (game,) = BY_NAME["pgn"].read(f'{text}[oddTag "x"]\n\n1. R9+1 *\n'.encode()).games
    expected = {"Red": "A", "Black": "B", "RedElo": "2500", "Result": "1-0", "FEN": start, "Date": "2020.01.02"}
    assert game.headers == {**expected, "oddTag": "x"} and len(game.moves) == 1
    parsed = BY_NAME["pgn"].read(f'[{case("Variant")} "shogi"]\n\n1. C2.5 *\n'.encode())
    assert not parsed.games and "another kind" in parsed.faults[0]


def test_losses_are_named() -> None:
    game = read_game_of("1. C2.5 $1 {fine} (1. C8.5 H2+3) H8+7 1-0")
    game.headers["Red"] = "胡"
    assert BY_NAME["moves"].write([game]).losses == Losses(
        {"NAGs": 1, "comments": 1, "variations": 1, "results": 1, "tags Red": 1}
    )
    assert BY_NAME["xqf"].write([game]).losses == {"NAGs": 1}
    latin = BY_NAME["pgn"].write([game], WriteStyle("latin-1", ""))
    assert latin.losses == {"different characters that latin-1 lacks": 1} and b'[Red "?"]' in latin.data


def read_game_of(movetext: str) -> Game:
    import io

    game = read_game(io.StringIO(movetext))
    assert game is not None and not game.errors
    return game
