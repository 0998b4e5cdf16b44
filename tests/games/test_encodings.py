"""Encodings of game files: damaged UTF-8, what a file says of itself, and line ends."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from game_trees import random_game
from random_records import random_record

from siqi.daemon.command_line import run
from siqi.game_files import save_games
from siqi.games import registry
from siqi.games.formats import Format, recognised
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.system.encodings import detected, is_nearly_gb18030, is_nearly_utf8

TEXTS = {(game, form.name): form for game in registry.NAMES for form in registry.formats(game) if form.is_text}
HELD = [key for key, form in TEXTS.items() if form.tags != "0"]


def named(form: Format, key: tuple[str, str]) -> bytes:
    """Return a game between players with Chinese names, in UTF-8; the first name begins with a `~`."""
    if key[0] == "xiangqi":
        game = Game({"Red": "~张三丰", "Black": "李四光", "Result": "1-0"}, [Move.from_uci("h2e2")])
        return form.write([game]).data
    record = random_record(key[0], random.Random(1), 14)._replace(first="~张三丰", second="李四光")
    return form.write([record]).data.decode(form.encoding).encode()


def names_of(game: object) -> tuple[str, str]:
    headers = getattr(game, "headers", None)
    if headers is not None:
        return headers["Red"], headers["Black"]
    return game.first, game.second  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ("utf-8-sig", "utf-16", "utf-16-le"))
@pytest.mark.parametrize("key", [key for key in TEXTS if key[0] != "xiangqi"], ids="-".join)
def test_texts_of_records_are_recognised_in_utf16_and_behind_a_mark(key: tuple[str, str], encoding: str) -> None:
    form = TEXTS[key]
    written = form.write([random_record(key[0], random.Random(1), 14)]).data
    data = written.decode(form.encoding).encode(encoding)
    assert recognised(registry.formats(key[0]), data) == form
    assert form.read(data).games == form.read(written).games


@pytest.mark.parametrize("key", HELD, ids="-".join)
def test_a_bad_byte_spoils_only_itself(key: tuple[str, str]) -> None:
    form = TEXTS[key]
    for bad in (b"\xe9", b"\xff", b"\xe5\xbc", b"\xe9\xa1"):
        parsed = form.read(named(form, key).replace(b"~", bad))
        assert names_of(parsed.games[0]) == ("\ufffd张三丰", "李四光")
        assert parsed.faults == ["1 characters that are not utf-8"]


@pytest.mark.parametrize("key", HELD, ids="-".join)
def test_a_bad_byte_in_gb18030_spoils_only_itself(key: tuple[str, str]) -> None:
    form = TEXTS[key]
    text = named(form, key).decode()
    text = text.replace("李四光", "北京队李四光（先手胜）")
    for bad in (b"\xff", b"\x80"):
        parsed = form.read(text.encode("gb18030").replace(b"~", bad))
        assert names_of(parsed.games[0]) == ("\ufffd张三丰", "北京队李四光（先手胜）")
        assert parsed.faults == ["1 characters that are not gb18030"]


def test_texts_of_one_byte_a_character_are_not_gb18030() -> None:
    western = "Köln, André Müller, façade, À bientôt, «Señor» Ångström, naïve Übergröße, ½ £5, Ærø, Garçon où ça"
    words = ["Иванов", "белые", "ПОБЕДА", "Петров", "чёрных", "мат"]
    vietnamese = "Đặng Hữu Trang thắng Lý Lai Quần, cờ tướng Việt Nam"
    rng = random.Random(4)
    for _ in range(300):
        some = " ".join(rng.sample(western.split(), 5))
        for data in (
            some.encode("cp1252"),
            some.upper().encode("cp1252", "ignore"),
            some.encode("cp437", "ignore"),
            " ".join(rng.sample(words, 4)).encode("cp1251"),
            vietnamese.encode("cp1258", "ignore"),
            "".join(chr(rng.randint(0x4E00, 0x9FA5)) for _ in range(60)).encode("big5", "ignore") + b"\xff",
        ):
            assert not is_nearly_gb18030(data), data
    text = f'[Red "José"]\n[Black "Müller"]\n[Site "{western}"]\n\n1. C2.5 *\n'
    parsed = TEXTS["xiangqi", "pgn"].read(text.encode("cp1252"))
    assert names_of(parsed.games[0]) == ("José", "Müller") and not parsed.faults


@pytest.mark.parametrize("names", [("José", "Müller"), ("张", "A"), ("Đặng", "A"), ("Петров", "A")])
def test_a_bad_byte_among_a_few_characters(names: tuple[str, str]) -> None:
    text = f'[Red "{names[0]}"]\n[Black "{names[1]}"]\n[Site "Andr~"]\n\n1. C2.5 *\n'
    parsed = TEXTS["xiangqi", "pgn"].read(text.encode().replace(b"~", b"\xe9"))
    assert names_of(parsed.games[0]) == names and parsed.games[0].headers["Site"] == "Andr\ufffd"
    assert parsed.faults == ["1 characters that are not utf-8"]


def test_texts_in_other_encodings_are_not_utf_8() -> None:
    rng = random.Random(2)
    hanzi = [chr(code) for code in range(0x4E00, 0x9FA5)]
    for encoding in ("gb2312", "big5"):
        for size in (3, 6, 40):
            texts = ("".join(rng.sample(hanzi, 3 * size)).encode(encoding, "ignore")[: 2 * size] for _ in range(300))
            assert sum(map(is_nearly_utf8, texts)) <= 2
    assert detected("Köln, André, façade".encode("cp1252"), "utf-8") != "gb18030"


def test_xqf_with_texts_in_utf_8() -> None:
    xqf = next(form for form in registry.formats("xiangqi") if form.name == "xqf")
    data = bytearray(xqf.write([Game({}, [Move.from_uci("h2e2")], {1: "Zug" * 4})]).data)
    for at, text, name in (
        (0x50, "中炮对屏风马".encode(), "中炮对屏风马"),
        (0x130, "张三".encode(), "张三"),
        (0x140, "一二三四五六".encode()[:15] + b"\0", "一二三四五"),
    ):
        data[at : at + 1 + len(text)] = bytes([min(len(text), 15 if at > 0x50 else 63)]) + text
        game = xqf.read(bytes(data)).games[0]
        assert name in game.headers.values()
    data[0x140:0x14F] = b"\x0e" + "一二三四五".encode()[:14]  # cut within a character
    parsed = xqf.read(bytes(data))
    assert parsed.games[0].headers["Black"] == "一二三四\ufffd" and parsed.games[0].headers["Red"] == "张三"
    assert parsed.faults == ["1 characters that are not utf-8"]


def test_utf_16_of_ccbridge_is_counted() -> None:
    cbr = next(form for form in registry.formats("xiangqi") if form.name == "cbr")
    data = cbr.write([Game({"Red": "甲乙"}, [], {0: "丙"})]).data
    parsed = cbr.read(data.replace("甲".encode("utf-16-le"), b"\0\xd8").replace("丙".encode("utf-16-le"), b"\0\xdc"))
    assert parsed.games[0].headers["Red"] == "\ufffd乙" and parsed.games[0].comments == {0: "\ufffd"}
    assert parsed.faults == ["2 characters that are not utf-16-le"]


@pytest.mark.parametrize("name", ["idna", "punycode", "unicode_escape", "rot13", "hex", "what", "a\0b"])
def test_what_is_no_encoding_of_texts_is_refused(
    name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes('[Red "张三"]\n\n1. C2.5 *\n'.encode())
    for command, rest in (
        ("analyse", ()),
        ("convert", [str(tmp_path / "b.pgn")]),
        ("review", ["-o", str(tmp_path / "b.html")]),
    ):
        assert run([command, str(path), "--encoding", name, *rest]) == 2
        assert b": no such encoding: " in capfdbinary.readouterr()[1]
    with pytest.raises(LookupError, match="no such encoding"):
        TEXTS["xiangqi", "pgn"].read(path.read_bytes(), name)
    with pytest.raises(LookupError, match="no such encoding"):
        save_games(tmp_path / "b.pgn", [Game()], encoding=name)
    assert not (tmp_path / "b.pgn").exists()


CYRILLIC = "Иванов"


@pytest.mark.parametrize("name", ["windows-1251", "koi8-r", "ISO-8859-5", "utf-8"])
def test_a_file_s_own_word_on_its_encoding(name: str) -> None:
    sgf = TEXTS["connect6", "sgf"].read(f"(;FF[4] CA[{name}]PB[{CYRILLIC}];B[j10])".encode(name))
    assert sgf.games[0].first == CYRILLIC
    page = f"<html><meta http-equiv='Content-Type' content='text/html; charset={name}'>[DhtmlXQ_red]{CYRILLIC}"
    (game,) = TEXTS["xiangqi", "dhtmlxq"].read(f"{page}[/DhtmlXQ_red]</html>".encode(name)).games
    assert game.headers["Red"] == CYRILLIC
    (game,) = (
        TEXTS["xiangqi", "dhtmlxq"]
        .read(f'<meta charset="{name}">[DhtmlXQ_red]{CYRILLIC}[/DhtmlXQ_red]'.encode(name))
        .games
    )
    assert game.headers["Red"] == CYRILLIC
    xml = f'<?xml version="1.0" encoding="{name}"?><ChineseChessRecord><Head><Red>{CYRILLIC}</Red></Head><MoveList>'
    xml += '<Move value="77-47" end="1"/></MoveList></ChineseChessRecord>'
    (game,) = TEXTS["xiangqi", "cbf"].read(xml.encode(name)).games
    assert game.headers["Red"] == CYRILLIC


def test_a_false_word_on_the_encoding_does_not_count() -> None:
    """The text is not valid in it, it does not exist, or it cannot be that of ASCII."""
    for name in ("gb2312", "ascii", "ISO-8859-1", "utf-16", "utf-7", "unicode_escape", "idna", "none", "x" * 300):
        parsed = TEXTS["connect6", "sgf"].read(f"(;FF[4]CA[{name}]PB[张三\\u65e5丰1];B[j10])".encode())
        assert parsed.games[0].first == "张三u65e5丰1" and not parsed.faults
    text = "(;FF[4]CA[UTF-8]PB[张三丰];B[j10])"
    assert TEXTS["connect6", "sgf"].read(text.encode("gb18030")).games[0].first == "张三丰"
    assert (
        TEXTS["connect6", "sgf"].read(b"\xef\xbb\xbf" + text.replace("UTF-8", "gbk").encode()).games[0].first
        == "张三丰"
    )
    assert (
        TEXTS["connect6", "sgf"].read(text.replace("UTF-8", "gbk").encode("utf-8"), "utf-8").games[0].first == "张三丰"
    )


@pytest.mark.parametrize("key", TEXTS, ids="-".join)
def test_carriage_returns_end_lines(key: tuple[str, str]) -> None:
    form, rng = TEXTS[key], random.Random(3)
    games = [random_game(rng, from_fen=False) for _ in range(3)] if key[0] == "xiangqi" else []
    for game in games:
        game.moves = game.moves or [Move.from_uci("h2e2")]
    records = games or [random_record(key[0], rng, 14) for _ in range(3)]
    data = form.write(records if "games" in form.holds else records[:1]).data
    for end in (b"\r", b"\r\n"):
        again = data.replace(b"\n", end)
        assert recognised(registry.formats(key[0]), again) == recognised(registry.formats(key[0]), data)
        assert form.read(again) == form.read(data)


def test_old_line_ends_in_the_commands(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "old.pgn"
    path.write_bytes('% 注\r[Red "张三"]\r[Black "李四"]\r\r1. C2.5 H8+7\r; 好\r*\r'.encode())
    assert run(["convert", str(path), str(tmp_path / "new.pgn")]) == 0
    new = (tmp_path / "new.pgn").read_text("utf-8")
    assert '[Red "张三"]\n' in new and "{好} *" in new
    assert run(["analyse", str(path), "--output", "record", "--nodes", "50"]) == 0
    out = capfdbinary.readouterr()[0]
    assert out.count(b"{Siqi ") == 3 and b"\n" not in out
    path = tmp_path / "old.fens"
    path.write_bytes(b"# two\rstartpos\rstartpos moves h2e2\r")
    assert run(["analyse", str(path), "--nodes", "50"]) == 0
    assert capfdbinary.readouterr()[0].count(b"bestmove") == 2
