"""Game records of every game: they are read back as written, and replayed to the same games."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import random_record
from samples import sampled

from siqi.games import registry
from siqi.games.formats import Format, ParsedFile, recognised
from siqi.games.game_record import GameRecord, Note, NoteLine
from siqi.games.records import official
from siqi.games.records.record_format import TEXTS
from siqi.games.records.values import read_date, read_result
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game, read_game
from siqi.games.xiangqi.library.style import style_of

C6 = "{[C6][Alpha B][Beta W][先手胜][2017.07.29 14:00 重庆][2017 CCGC];B(J,10);W(I,11);W(K,9);B(J,11);B(J,12)}\n"


@pytest.mark.parametrize("name", [name for name in registry.NAMES if registry.formats(name)])
def test_what_is_written_is_read(name: str) -> None:
    kept = registry.record_format(name)
    records, rng = kept.load_stream(), random.Random(3)
    games = [random_record(name, rng) for _ in range(4)]
    if kept.tags == "0":
        games = [game._replace(first="?", second="?") for game in games]
    text = "".join(records.text(game) for game in games)
    assert text.encode(kept.encoding)
    read = list(records.stream(io.StringIO(text)))
    assert [game.moves for game in read] == [game.moves for game in games]
    assert [(game.dice, game.result, game.first, game.second) for game in read] == [
        (game.dice, game.result, game.first, game.second) for game in games
    ]


FORMATS = [(name, form) for name in registry.NAMES[1:] for form in registry.formats(name)]
SIGNS = "Ab 象?Θ-.,:'\"!&<>()=+/*$%"
WILD = SIGNS + "[]{}#;\\\t\n\r\u2028\0"


def check_round_trip(name: str, form: Format, seed: int) -> None:
    """Check that all that a record format holds comes back equal, and that losses are counted."""
    rng = random.Random(seed)
    signs = WILD if seed % 2 else SIGNS
    count = rng.randint(1, 3)
    games = []
    for _ in range(count):
        texts = [" ".join("".join(rng.choices(signs, k=rng.randint(0, 12))).split()) for _ in range(4)]
        game = random_record(name, rng, rng.choice([4, 20, 60]))
        games.append(game._replace(first=texts[0], second=texts[1], occasion=texts[2], event=texts[3]))
        if name == "junqi":  # a log has no occasion
            games[-1] = games[-1]._replace(occasion="")
        if form.tags == "0" and not seed % 2:
            games[-1] = games[-1]._replace(first="", second="", occasion="", event="")
    written = form.write(games)
    assert recognised(registry.formats(name), written.data, f"x{form.suffixes[0]}") == form
    parsed = form.read(written.data)
    assert not parsed.faults
    assert [plain(game, ()) for game in parsed.games] == [plain(game, ()) for game in games]
    is_whole = [plain(game, TEXTS) for game in parsed.games] == [plain(game, TEXTS) for game in games]
    assert is_whole == (not written.losses)
    assert is_whole or seed % 2


def plain(game: GameRecord, texts: Iterable[str]) -> tuple[object, ...]:
    """Return the content of a record, with the named texts only; `?` is no text."""
    return game.moves, game.dice, game.result, *(getattr(game, text).replace("?", "") for text in texts)


@sampled("files", 5, 1000)
@pytest.mark.parametrize(("name", "form"), FORMATS, ids=lambda value: value if isinstance(value, str) else value.name)
def test_formats_of_records_come_back(name: str, form: Format, files: int) -> None:
    for seed in range(files):
        check_round_trip(name, form, seed)


def test_connect6_as_the_championships_keep_it() -> None:
    (game,) = registry.record_format("connect6").load_stream().stream(io.StringIO(C6))
    assert game == GameRecord(
        ("j10", "i11k9", "j11j12"), (), "1-0", "Alpha", "Beta", "2017.07.29 14:00 重庆", "2017 CCGC"
    )
    assert registry.record_format("connect6").load_stream().text(game) == C6
    for wrong in (C6.replace("W(K", "B(K"), C6.replace("C6", "WTN", 1), "{}"):
        with pytest.raises(ValueError, match=r"wrong side|not a record"):
            list(registry.record_format("connect6").load_stream().stream(io.StringIO(wrong)))


BAD = {"xiangqi": "1. C2.5 H8+7 2. C2.5 *\n", "connect6": "{[C7]}\n", "ewn": "#[C7]\n", "junqi": "nonsense\n"}
"""A game that cannot be read, by game."""


@pytest.mark.parametrize("name", BAD)
def test_reading_goes_on_behind_what_cannot_be_read(name: str) -> None:
    records, rng = registry.record_format(name).load_stream(), random.Random(5)
    games = [random_record(name, rng) for _ in range(2)]
    stream = records.stream(io.StringIO(records.text(games[0]) + BAD[name] + records.text(games[1])))
    assert next(stream).moves == games[0].moves
    with pytest.raises(ValueError):
        next(stream)
    assert next(stream).moves == games[1].moves
    assert next(stream, None) is None


# Values and what is left out


@pytest.mark.parametrize(
    ("result", "wordings"),
    [
        (
            "1-0",
            "1-0|1:0|１－０|红胜|紅勝|红方胜|红先胜|先胜|先手勝|黑负|黑方負|黑认输|后负|Red wins|red won|White wins|R+|"
            "W|w|Win|won|胜|勝|赢|红|紅|红方|Red|R|White|RED_WIN|Thắng|Đỏ thắng|Bên đỏ thắng|Đen thua|Tiên thắng|đỏ|"
            "Thắng",
        ),
        (
            "0-1",
            "0-1|黑胜|黑方勝|红负|红先负|红方超时负|先负|后胜|黑先胜|红先黑胜|Black wins|Red lost|B+|"
            "L|Loss|lose|lost|负|負|输|黑|黑方|Black|B|black_win|Thua|Đen thắng|Đỏ thua|Hậu thắng|Đen",
        ),
        (
            "1/2-1/2",
            "1/2-1/2|1/2|½-½|½|0.5-0.5|.5-.5|0,5-0,5|和|和棋|和局|先和|红先和|不变|双方不变作和|平局|Draw|drawn|1-1|"
            "D|0.5|Hòa|hoà|huề",
        ),
        ("*", "*|?||-|未知|未完|unknown"),
    ],
)
def test_results_in_any_wording(result: str, wordings: str) -> None:
    for wording in wordings.split("|"):
        assert read_result(wording) == (result, ""), wording


def test_results_that_say_more_or_nothing() -> None:
    assert read_result("Red wins on time") == ("1-0", "Red wins on time")
    assert read_result("红胜（黑超时）") == ("1-0", "红胜（黑超时）")
    for wording in ("红优", "0-0", "1-0-0", "红胜势", "红先", "超时", "winner", "w/o", "乱" * 1000):
        assert read_result(wording) == ("*", wording)
    assert [read_result(word, "black", "white").result for word in ("黑胜", "白方胜", "B+R", "W+2")] == [
        "1-0",
        "0-1",
    ] * 2
    assert [read_result(word, "black", "white").result for word in ["W", "B", "White", "黑", "D"]] == [
        *("0-1", "1-0", "0-1", "1-0", "1/2-1/2")
    ]
    assert (
        read_result("Tha\u0306\u0301ng") == ("1-0", "")
        and read_result("W (time)") == ("1-0", "W (time)")
        and read_result("胜，黑认输").result == "1-0"
    )
    assert [read_result(word, "blue", "red").result for word in ("蓝方胜", "红胜", "后手胜")] == ["1-0", "0-1", "0-1"]


def test_a_result_that_no_reader_understands_keeps_its_text() -> None:
    (pgn,) = (form for form in registry.formats("xiangqi") if form.name == "pgn")
    (game,) = pgn.read('[Result "红优"]\n\n1. C2.5 红 H8+7 和棋\n'.encode()).games
    assert game.headers["ResultText"] == "红优" and game.result == "1/2-1/2", "that behind the moves is known"
    (game,) = pgn.read('[Result "红优"]\n\n1. C2.5 *\n'.encode()).games
    for form in registry.formats("xiangqi"):
        written = form.write([game])
        (back,) = form.read(written.data).games
        assert back.headers.get("ResultText") == "红优" or "tags ResultText" in written.losses, form.name
    for name, form in FORMATS:
        record = random_record(name, random.Random(4), 14)._replace(result="*", result_text="红优?")
        written = form.write([record])
        (back,) = form.read(written.data).games
        assert (back.result, back.result_text) == ("*", "红优?") or "some characters in results" in written.losses


def test_dates_in_any_wording() -> None:
    for wording in (
        "2006.07.03",
        "2006-7-3",
        "2006/7/3",
        "2006年7月3日",
        "20060703",
        "Jul 3, 2006",
        "3 July 2006",
        "２００６．７．３",
    ):
        assert read_date(wording) == ("2006.07.03", ""), wording
    assert read_date("2020-02-02 02:02:02") == ("2020.02.02", "02:02:02")
    assert read_date("2006年") == read_date("2006") == ("2006.??.??", "") and read_date("1999年12月") == (
        "1999.12.??",
        "",
    )
    assert read_date("2-8-2014", True) == ("2014.08.02", "") and read_date("13-8-2014") == ("2014.08.13", "")
    for wording in ("2-8-2014", "2006.13.1", "2004年夏", "2006.7.13-15", "x"):
        assert read_date(wording) is None


def test_championship_records_report_what_they_leave_out() -> None:
    def read(game: str, text: str) -> ParsedFile:
        return registry.formats(game)[0].read(text.encode("gb18030"))

    parsed = read("connect6", f"before {C6.replace('先手胜', '黑方小胜')} behind {C6.replace('}', ';x(1)}')}")
    assert (
        parsed.games[0].result == "*" and parsed.games[0].result_text == "黑方小胜" and parsed.games[1].result == "1-0"
    )
    assert parsed.notes == [
        "game 1: a result that is not known, kept as text: 黑方小胜",
        "texts left out: 3, the first: before",
    ]
    assert "[黑方小胜]" in registry.record_format("connect6").load_stream().text(parsed.games[0])
    assert read("connect6", C6.replace("先手胜", "白胜")).games[0].result == "0-1"
    assert "not a stone on the board" in read("connect6", C6.replace("W(K", "W(Z")).faults[0]
    marked = read("connect6", C6.replace("W(K,9)", "W(K,9)MARK[1]"))
    assert marked.games[0].moves == ("j10", "i11k9", "j11j12") and marked.notes == [
        "texts left out: 1, the first: MARK[1]"
    ]


ALPHA = GameRecord(("j10", "i11k9", "j11j12"), (), "1-0", "Alpha", "Beta", "2017.07.29 14:00 重庆", "2017 CCGC")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("{{C6}[Alpha B][Beta W][先手胜][2017.07.29 14:00 重庆][2017 CCGC]", ALPHA),
        ("{{C5}[Alpha B][Beta W][先手胜][2017.07.29 14:00 重庆][2017 CCGC]", ALPHA),
        ("{[C6][Alpha][Beta][BlackWin][2017.07.29 14:00][重庆][2017 CCGC]", ALPHA),
        ("{[C6][黑方:Alpha][白方:Beta][先手胜][2017.07.29 14:00 重庆][2017 CCGC]", ALPHA),
        (
            "{[C6][Beta W][Alpha B][后手胜][2024-05-01 12:00:00][]",
            ALPHA._replace(result="0-1", occasion="2024-05-01 12:00:00", event=""),
        ),
        ("{[C6][Alpha B][Beta W][平局][][]", ALPHA._replace(result="1/2-1/2", occasion="", event="")),
        ("{[C6][Alpha B][Beta W][流局][][]", ALPHA._replace(result="*", result_text="流局", occasion="", event="")),
    ],
)
def test_heads_of_connect6_that_programs_write(head: str, expected: GameRecord) -> None:
    """Two braces and the name C5 as in the official sample, seven fields, players without a letter, other results."""
    for end in ("}", "}}\n"):
        data = (head + C6[C6.index(";") :].rstrip("}\n") + end).encode("gb18030")
        form = recognised(registry.formats("connect6"), data)
        assert form is not None and form.name == "championship"
        parsed = form.read(data)
        assert parsed.games == [expected] and not parsed.faults
        assert parsed.notes == ["game 1: a result that is not known, kept as text: 流局"] * bool(expected.result_text)


LINES = """# Little Golem's games
1. j10 2. i9k11 3. i10k10 1-0

startpos moves j10, i9k11; I
j10 k11i9
19/19/19/19/19/19/19/19/19/4bbbbb10/19/19/19/19/19/19/19/19/19 b 2 moves j10 1-0
"""


def test_lines_of_moves() -> None:
    """Numbers, commas and remarks are no moves; a line with a word that is none is a fault, and the next is read."""
    form = recognised(registry.formats("connect6"), LINES.encode())
    assert form is not None and form.name == "moves"
    parsed = form.read(LINES.encode())
    assert parsed.games == [
        GameRecord(("j10", "i9k11", "i10k10"), result="1-0"),
        GameRecord(("j10", "k11i9")),
        GameRecord(("j10",), result="1-0", fen="19/" * 9 + "4bbbbb10" + "/19" * 9 + " b 2"),
    ]
    assert parsed.faults == ["game 2: not a move: I"]
    assert parsed.notes == ["texts left out: 1, the first: Little Golem's games"]
    assert form.read(form.write(parsed.games).data).games == parsed.games


GOLEM = b"""1.j10 2.i9l10 3.j8l8 4.k8m7 5.i11j12 6.k9j9
7.l9l7 8.k10k7 9.k11k6 10.g9j5

1.j10 2.i9k11 3.resign
2.j10 k11i9
"""


def test_lists_of_little_golem_take_several_lines() -> None:
    """A line that begins with the number of the next move goes on; any other is another game, numbered or not."""
    form = recognised(registry.formats("connect6"), GOLEM)
    assert form is not None and form.name == "moves"
    parsed = form.read(GOLEM)
    assert not parsed.faults and not parsed.notes
    first, second, third = parsed.games
    assert len(first.moves) == 10 and first.moves[5:7] == ("k9j9", "l9l7") and first.result == "*"
    assert (second.moves, second.result) == (("j10", "i9k11"), "0-1")
    assert third.moves == ("j10", "k11i9")
    assert form.read(form.write(parsed.games).data).games == parsed.games


def test_lines_of_moves_have_throws() -> None:
    (form,) = (form for form in registry.formats("ewn") if form.name == "moves")
    data = b"123456 615243 6 a3b3 e3d4 2 b3c3\n"
    (game,) = form.read(data).games
    assert game.moves == ("123456", "615243", "a3b3", "e3d4", "b3c3") and game.dice == (6, 0, 2)
    assert recognised(registry.formats("ewn"), data) == form and form.write([game]).data == data
    assert form.read(b"123456 615243 7 a3b3\n").faults == ["game 1: not a move: 7"]
    with pytest.raises(ValueError, match="game 1: a game without moves"):
        form.write([GameRecord(())])


def test_official_names_of_files() -> None:
    """They fit into the name of a file whatever the texts; nobody's name is the side's."""
    form = registry.record_format("connect6")
    assert official.file_name(form, ALPHA) == "C6-Alpha B vs Beta W-先手胜-2017.07.29 14.00 重庆-2017 CCGC.txt"
    assert official.file_name(form, ALPHA._replace(first="?", teams=("", "乙/丙"), result="*"), 2) == (
        "C6-先手 B vs 乙 丙 W-未完-2017.07.29 14.00 重庆-2017 CCGC 2.txt"
    )
    long = ALPHA._replace(first="四" * 99, second="棋" * 99, event="赛" * 99, site="渝" * 99)
    names = official.file_names(form, long)
    assert all(200 < len(name.encode()) < 250 for name in names.values()) and len(set(names.values())) == 4
    assert official.data(form, ALPHA).decode("gb18030") == C6


def sgf(text: str) -> ParsedFile:
    form = next(form for form in registry.formats("connect6") if form.name == "sgf")
    return form.read(text.encode())


@pytest.mark.parametrize(
    ("tags", "fault"),
    [
        ("SZ[15]", "a board of another size: SZ[15]"),
        ("GM[2]", "a game of another kind: GM[2]"),
        ("HA[2]", "handicap stones that are not set: HA[2]"),
        ("AB[a1:c3]", "AB: not a point of the board: a1:c3"),
        ("SZ[19]GM[4]HA[0]", ""),
    ],
)
def test_sgf_of_other_games_is_refused(tags: str, fault: str) -> None:
    parsed = sgf(f"(;FF[4]{tags};B[j10];W[i9l10])")
    assert parsed.faults == [f"game 1: {fault}"] * bool(fault) and len(parsed.games) == (not fault)


def test_sgf_with_stones_before_the_first_move() -> None:
    parsed = sgf("(;FF[4]HA[2]AB[j10][j11]AW[a1]PL[W];W[i9l10];B[k9k10])")
    (game,) = parsed.games
    assert not parsed.faults and not parsed.notes and game.moves == ("i9l10", "k9k10")
    position = registry.load("connect6").position(game.fen)
    assert position.pieces() == {"j10": "b", "j11": "b", "a1": "w"} and position.turn == 1
    form = next(form for form in registry.formats("connect6") if form.name == "sgf")
    assert form.read(form.write([game]).data).games == [game]
    late = sgf("(;FF[4];B[j10];AB[a1];W[i9l10])")
    assert late.games[0].moves == ("j10",) and "stones are set on the board by AB" in late.faults[0]


def test_sgf_reports_what_it_leaves_out() -> None:
    parsed = sgf("x (;FF[4]C[hi]SO[net]RE[Black wins by 2];B[j10]C[one];W[i9l10];B[resign];W[a1a2]) y")
    assert parsed.games[0].result == "1-0" and parsed.games[0].result_text == "Black wins by 2"
    assert parsed.notes == [
        "game 1: properties left out: C 2, SO 1, W behind the end 1",
        "texts left out: 2, the first: x",
    ]


# Notes in PGN


def notes_of(game: Game, text: str = "+0.13/5") -> dict[int, Note]:
    """Return notes for every position: a line of up to two moves and a line of one."""
    notes: dict[int, Note] = {}
    board = game.board()
    for place in range(len(game.moves) + 1):
        words, twin = [], board.copy()
        for _ in range(2):
            if move := next(iter(twin.legal_moves), None):
                words.append(move.uci())
                twin.push(move)
        notes[place] = (NoteLine(text, tuple(words)), NoteLine("-M3/7", tuple(words[:1])))
        if place < len(game.moves):
            board.push(game.moves[place])
    return notes


SCRAPS = (
    *("1.", "2. ", "1... ", "炮二平五", "马8进7", "!", "$14", " $1", "*", "1-0", " ", "\n", "\r\n"),
    *("{note}", "{", "}", "(", ")", "(1. 马二进三)", "; to the end\n", "\n% no\n", "\n["),
    *("{Siqi +0.13/5 炮二平五}", "\n{Siqi 1-0 checkmate}", "{Siqi says}"),
)


@settings(deadline=None)
@given(st.booleans(), st.lists(st.sampled_from(SCRAPS), max_size=12))
def test_notes_change_nothing_else(has_tags: bool, scraps: list[str]) -> None:
    text = '[Event "x"]\n' if has_tags else "1. "
    text += "".join(scraps)
    game = read_game(io.StringIO(text, newline=""))
    assert game
    if game.errors:
        return
    source = game.source.text
    assert text.startswith(source)
    noted = game.annotated(notes_of(game))
    own = r"(\r?\n)?\{Siqi (?!says)[^}]*\}"
    tag = r'\[SiqiScoreSide "Red"\]\r?\n'
    assert re.sub(rf"\s|{own}|{tag}", "", noted) == re.sub(rf"\s|{own}|{tag}", "", source)
    again = read_game(io.StringIO(noted, newline=""))
    assert again and not again.errors and again.moves == game.moves and again.result == game.result
    assert again.nags == game.nags and len(again.source.notes) == len(game.moves) + 1
    assert again.annotated(notes_of(game)) == noted
    other = again.annotated(notes_of(game, "-0.50/6"))
    assert other.count("-0.50/6") == len(game.moves) + 1


@pytest.mark.parametrize(
    ("words", "tag", "expected"),
    [
        ("炮二平五 马8进7", "", "马8进7"),
        ("炮二平五 马８进７", "", "马８进７"),
        ("炮二平五 馬８進７", "", "馬８進７"),
        ("炮二平五", "", "马８进７"),
        ("C2.5 H8+7", "", "H8+7"),
        ("c2=5 h8+7", "", "h8+7"),
        ("Ｃ２．５", "", "H8+7"),
        ("H2-E2", "", "H9-G7"),
        ("Che2 Hg7", "", "Hg7"),
        ("h2e2 h9g7", "", "h9g7"),
        ("H2E2", "WXF", "H9G7"),
        ("", "ICCS", "H9-G7"),
        ("", "WXF", "H8+7"),
        ("", "", "马８进７"),
    ],
)
def test_moves_are_written_as_the_game_has_them(words: str, tag: str, expected: str) -> None:
    board = Board()
    board.push_uci("h2e2")
    assert style_of(words.split(), tag).write(board, Move.from_uci("h9g7")) == expected
    board.pop()
    if words.startswith("c2=5"):
        assert style_of(words.split(), tag).write(board, Move.from_uci("h2e2")) == "c2=5"


@pytest.mark.parametrize(
    ("words", "encoding", "expected"),
    [
        ("炮二平五 马8进7", "utf-8", "马8进7"),
        ("炮二平五", "big5", "馬８進７"),
        ("炮二平五 馬８進７", "gb2312", "马８进７"),
        ("", "cp1252", "H8+7"),
        ("", "ascii", "H8+7"),
        ("h2e2", "ascii", "h9g7"),
    ],
)
def test_a_style_fits_its_encoding(words: str, encoding: str, expected: str) -> None:
    board = Board()
    board.push_uci("h2e2")
    assert style_of(words.split()).fitted(encoding).write(board, Move.from_uci("h9g7")) == expected


def test_comments_that_only_look_like_ours_stay() -> None:
    text = '[Event "x"]\n\n1. C2.5 {Siqi is strong} {Siqi +0.13/14 is what it says} H8+7 {Siqi: 1-0} *\n'
    game = read_game(io.StringIO(text))
    assert game and game.source.notes == [] and game.annotated({}).count("{") == 3
