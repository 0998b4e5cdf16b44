"""`siqi show`: text in pipes and terminals, SVG, PNG, files left unchanged, and refusals of one line."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import forked
import pytest

from siqi.daemon.command_line import run
from siqi.daemon.commands import game_files, show
from siqi.games import registry
from siqi.games.formats import MAX_BYTES
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.pgn import Game
from siqi.system.columns import width_of

ROOT = Path(__file__).parents[2]
EWN = "startpos moves 123456 615243"
RECORD = '[Game "Chinese Chess"]\n[Red "甲"]\n[Black "乙"]\n[Result "*"]\n\n1. C2.5 H8+7 *\n'


class Done(NamedTuple):
    """The output of a command."""

    stdout: bytes
    stderr: bytes


def siqi_show(*words: str, status: int = 0, given: bytes = b"", encoding: str = "utf-8") -> Done:
    """Run `siqi show` in this process; `encoding`: of its outputs."""
    with pytest.MonkeyPatch.context() as patch:
        out, error = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", error)
        code = run(["show", *words])
        done = Done(*(stream.buffer.getvalue() for stream in (out, error)))  # type: ignore[attr-defined]
    assert code == status, done.stderr
    if status:
        assert done.stdout == b"" and len(done.stderr.splitlines()) == 1
    return done


def need_cairo() -> None:
    """Skip a test where PNG cannot be drawn: cairosvg installs everywhere, but needs Cairo's library."""
    try:
        import cairosvg  # noqa: F401
    except (ImportError, OSError) as error:
        pytest.skip(f"no cairosvg, or no Cairo for it: {str(error).splitlines()[0]}")


def lines_of(*words: str, given: bytes = b"", encoding: str = "utf-8") -> list[str]:
    return siqi_show(*words, given=given, encoding=encoding).stdout.decode(encoding).splitlines()


def test_a_pipe_gets_characters_without_colours() -> None:
    done = forked.run("show", "startpos moves h2e2", changes={"PYTHONIOENCODING": "utf-8"})
    lines = done.stdout.decode().splitlines()
    assert lines == lines_of("startpos moves h2e2")
    assert lines[0].split()[1:] == list("車馬象士將士象馬車") and lines[-1] == "Black to move"
    assert "\x1b" not in "".join(lines) and lines[7].count("<") == 2


def test_a_pipe_that_cannot_encode_them_gets_letters() -> None:
    for encoding in ("ascii", "latin-1"):
        assert lines_of("startpos", encoding=encoding)[0].split()[1:] == list("rnbakabnr")
    assert lines_of("--faces", "letters", "startpos")[0].split()[1:] == list("rnbakabnr")


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (["--game", "connect6", "startpos moves j10"], "White to move; x Black, o White"),
        (["--game", "ewn", "--dice", "3", EWN], "Red to move with a 3; [1] Red to e1, (1) Blue to a5"),
        (["--game", "ewn", "ABC2/DE3/F3f/3ed/2cba", "f", "3"], "Red to move with a 3; [1] Red to e1, (1) Blue to a5"),
        (["--game", "junqi"], "Red to set up; v: Blue's pieces, which head down"),
        (["position fen 3k5/9/9/3R5/9/9/9/9/9/5K3 b"], "Black to move, in check"),
        (["3k5/9/9/3R5/9/9/9/9/9/5K3 b - - 0 1"], "Black to move, in check"),
        (["3k5/9/9/3R5/9/9/9/9/9/4K4 b - - 0 1"], "win first checkmate"),
        (["3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 120 100"], "draw sixty-moves"),
        (["startpos", "moves", *["h2e2", "h9g7", "e2h2", "g7h9"] * 2], "draw repetition"),
        (["--ply", "1", "startpos moves h2e2 h9g7"], "Black to move"),
    ],
)
def test_positions_as_words(words: list[str], last: str) -> None:
    assert lines_of(*words)[-1] == last


@pytest.mark.parametrize(
    ("game", "fen", "last"),
    [
        ("xiangqi", "3k5/9/9/3R5/9/4R4/9/9/7r1/5K2r w", "Red to move"),
        ("xiangqi", "RRRRRRRRR/PPPPPPPPP/9/9/9/kkkkkkkkk/9/9/9/9 b", "Black to move"),
        ("xiangqi", "9/9/9/9/9/9/9/9/9/9 w - - 0 1", "Red to move"),
        ("connect6", "/".join(["bbbbbbbwwwwwww5", *["19"] * 18]) + " w 2", "White to move; x Black, o White"),
        ("ewn", "AAAAA/5/5/5/aaaaa s 3", "Blue to move with a 3; [1] Red to e1, (1) Blue to a5"),
        ("junqi", "/".join(["LLLLL"] * 12) + " s", "Blue to move; v: Blue's pieces, which head down"),
    ],
)
def test_any_placement_is_drawn(game: str, fen: str, last: str) -> None:
    lines = (
        lines_of("--game", game, "--faces", "letters", fen)
        if game in ("xiangqi", "junqi")
        else lines_of("--game", game, fen)
    )
    assert lines[-1] == last
    picture = siqi_show("--game", game, "--svg", "-", fen).stdout.decode()
    assert ElementTree.fromstring(picture).tag.endswith("svg")


def test_a_placement_is_not_played(tmp_path: Path) -> None:
    fen = "3k5/9/9/3R5/9/4R4/9/9/7r1/5K2r w"
    assert b"the side not to move is in check" in siqi_show("fen", fen, "moves d6d7", status=2).stderr
    assert b"ranks" in siqi_show("9/9/9/9/9 w", status=2).stderr
    path = tmp_path / "study.pgn"
    path.write_text(f'[Game "Chinese Chess"]\n[FEN "{fen} - - 0 1"]\n\n*\n')
    assert lines_of(str(path)) == lines_of(fen)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_positions_in_files(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game.pgn"
    path.write_bytes(RECORD.encode(encoding))
    expected = lines_of("startpos moves h2e2 h9g7")
    assert lines_of(str(path)) == expected
    assert lines_of("-", given=path.read_bytes()) == expected
    assert lines_of("--ply", "0", str(path)) == lines_of("startpos")
    path.write_bytes("position startpos moves h2e2 h9g7\n".encode(encoding))
    assert lines_of(str(path)) == expected


@pytest.mark.parametrize("name", [form.name for form in registry.formats("xiangqi")])
def test_every_format_of_xiangqi_is_shown(tmp_path: Path, name: str) -> None:
    form = next(form for form in registry.formats("xiangqi") if form.name == name)
    boards = [Board(), Board()]
    for board, word in zip(boards, ("h2e2", "b2e2"), strict=True):
        board.push_uci(word)
        board.push_uci("h9g7")
    games = [Game.from_board(board) for board in boards]
    path = tmp_path / "game"  # its name shows no format
    path.write_bytes(form.write(games[: None if "games" in form.holds else 1]).data)
    assert lines_of(str(path)) == lines_of("startpos moves h2e2 h9g7")
    assert lines_of("--ply", "1", str(path)) == lines_of("startpos moves h2e2")
    assert lines_of("--from", name, "-", given=path.read_bytes()) == lines_of("startpos moves h2e2 h9g7")
    if "games" in form.holds:
        assert lines_of("--number", "2", str(path)) == lines_of("startpos moves b2e2 h9g7")
    assert b"--number 3: there " in siqi_show("--number", "3", str(path), status=2).stderr


def test_the_game_of_a_file_is_found(tmp_path: Path) -> None:
    files = {
        "(;FF[4];B[j10];W[i11k9])": ("connect6", "startpos moves j10 i11k9"),
        "{[C6][A B][B W][][][];B(J,10);W(I,11);W(K,9)}": ("connect6", "startpos moves j10 i11k9"),
        "\t\t\tdiahcbgkkfiecfigjhedjljhg\tbicgcakdgifgeekjfhjjihhld\t\t\n": (
            "junqi",
            "startpos moves diahcbgkkfiecfigjhedjljhg bicgcakdgifgeekjfhjjihhld",
        ),
    }
    for text, (game, words) in files.items():
        path = tmp_path / "file"
        path.write_text(text)
        assert lines_of(str(path)) == lines_of("--game", game, words)
    record = "#[WTN][A R][B B][][][];\nR:A5-1;B5-2;C5-3;A4-4;B4-5;A3-6\nB:E1-6;D1-1;C1-5;E2-2;D2-4;E3-3\n1:6;(R6,B2)\n"
    path.write_bytes(record.encode("gb18030"))
    assert lines_of("--ply", "2", str(path))[-1].startswith("Red to move with a 6")  # the record's throw
    assert lines_of("--ply", "2", "--dice", "3", str(path))[-1].startswith("Red to move with a 3")
    assert b"not a format that is known" in siqi_show("--game", "xiangqi", str(path), status=2).stderr


def test_a_game_is_shown_up_to_its_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("(;FF[4];B[j10];W[i11k9];B[j10a1])")
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr(show, "report", lines.append)
        assert run(["show", str(path), "--svg", str(tmp_path / "a.svg")]) == 1
    assert len(lines) == 1 and "game 1: move 3: " in lines[0]
    siqi_show("--game", "connect6", "--svg", str(tmp_path / "b.svg"), "startpos moves j10 i11k9")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "gb18030", "big5"])
def test_encodings_of_files_are_found(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game"
    moves = "1.炮二平五 馬８進７\n2.馬二進三 車９平８\n3.兵七進一 卒７進１\n4.車一進一\n"
    path.write_bytes(moves.encode(encoding))
    expected = lines_of("startpos moves h2e2 h9g7 h0g2 i9h9 c3c4 g6g5 i0i1")
    assert lines_of(str(path)) == lines_of("--encoding", encoding, str(path)) == expected
    path.write_bytes("position startpos moves h2e2\n".encode(encoding))
    assert lines_of(str(path)) == lines_of("startpos moves h2e2")


def test_svg_and_its_options(tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    options = ["--size", "300", "--theme", "dark", "--flip", "--arrow", "h0g2", "--mark", "e6", "--faces", "simplified"]
    assert siqi_show("--svg", str(path), *options, "startpos moves h2e2").stdout == b""
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    assert root.get("width") == "300"
    classes = [(element.get("class") or "").rpartition("-")[2] for element in root.iter()]
    assert classes.count("arrow") == classes.count("ring") == 1 and classes.count("last") == 2
    first = next(e for e in root if e.tag.endswith("use"))  # a0: Red is above
    assert float(first.get("y", "")) < 60 and float(first.get("x", "")) > 300
    siqi_show("--svg", str(path))  # ours may be replaced
    assert "300" not in path.read_text(encoding="utf-8")[:200]
    assert siqi_show("--svg", "-").stdout.startswith(b"<svg ")
    extras = ["--extra", "numbers", "--extra", "heat", "--svg", "-"]
    svg = siqi_show("--game", "connect6", *extras, "startpos moves j10").stdout
    assert b'class="siqi-c6-heat"' in svg and b'class="siqi-c6-onblack"' in svg


@pytest.mark.parametrize("output", ["--svg", "--png"])
def test_files_of_others_stay(tmp_path: Path, output: str) -> None:
    if output == "--png":
        need_cairo()
    path = tmp_path / f"notes.{output[2:]}"
    for foreign in (b"my notes", b'<svg xmlns="http://www.w3.org/2000/svg"></svg>', b"\x89PNG\r\n\x1a\n" + 200 * b"x"):
        path.write_bytes(foreign)
        done = siqi_show(output, str(path), status=1)
        assert done.stderr.decode() == f"siqi show: {path}: is another kind of file, left as it is\n"
        assert path.read_bytes() == foreign and list(tmp_path.iterdir()) == [path]
    assert b"No such file" in siqi_show(output, str(tmp_path / "no" / path.name), status=1).stderr


def test_png(tmp_path: Path) -> None:
    need_cairo()
    path = tmp_path / "board.png"
    for size in ("64", "96"):
        siqi_show("--game", "ewn", "--png", str(path), "--size", size, EWN)
        data = path.read_bytes()
        assert show.is_png(data[:200]) and int.from_bytes(data[16:20], "big") == int(size)
    assert b"at most 8192 pixels" in siqi_show("--png", str(path), "--size", "8193", status=2).stderr
    assert path.read_bytes() == data


def test_png_without_cairosvg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    done = siqi_show("--png", str(tmp_path / "x.png"), status=2)
    assert done.stderr == b"siqi show: --png needs cairosvg: pip install 'siqi[pictures]'\n"


def test_our_mark_is_a_chunk_of_png() -> None:
    import struct
    import zlib

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b"")]
    chunks = [struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in parts]
    marked = show.marked_png(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    at, seen = 8, []
    while at < len(marked):
        size = int.from_bytes(marked[at : at + 4], "big")
        check = marked[at + 8 + size : at + 12 + size]
        assert zlib.crc32(marked[at + 4 : at + 8 + size]) == int.from_bytes(check, "big")
        seen.append(marked[at + 4 : at + 8])
        at += 12 + size
    assert seen == [b"IHDR", b"tEXt", b"IDAT", b"IEND"] and show.is_png(marked)


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        (["startpos moves h2h8"], 2, "illegal move: h2h8"),
        (["startpos moves zz"], 2, "not a move: zz"),
        (["fen", "9/9", "w"], 2, "ranks, not 10"),
        (["startpos", "moves", "h2e2", "--ply", "3"], 2, "--ply: 0 to 1, not 3"),
        (["nowhere.pgn"], 1, "nowhere.pgn: No such file or directory"),
        (["-"], 2, "the input is empty"),
        (["--game", "ewn", "--dice", "9", EWN], 2, "dice: a number from 1 to 6, not 9"),
        (["--dice", "2"], 2, "dice: xiangqi has none"),
        (["--extra", "heat", "--svg", "-"], 2, "--extra: xiangqi has none, not heat"),
        (["--margin", "numerals", "--game", "connect6", "--svg", "-"], 2, "--margin: connect6 has coordinates only"),
        (["--margin", "numerals"], 2, "need --svg or --png"),
        (["--faces", "characters", "--svg", "-"], 2, "--faces: xiangqi has traditional, simplified, letters, not"),
        (["--arrow", "e0", "--svg", "-"], 2, "--arrow: two points, not e0"),
        (["--mark", "z0", "--svg", "-"], 2, "not made of points: z0"),
        (["--size", "0", "--svg", "-"], 2, "size: 1 to 100000 pixels, not 0"),
        (["--size", "x", "--svg", "-"], 2, "--size: a whole number, not x"),
        (["--svg", "startpos moves h2e2"], 2, "--svg startpos moves h2e2: a picture has a name that ends in .svg"),
        (["--svg", "board.png"], 2, "--svg board.png: a picture has a name that ends in .svg"),
        (["--png", "board.svg"], 2, "--png board.svg: a picture has a name that ends in .png"),
        (["--theme", "dark"], 2, "need --svg or --png"),
        (["--number", "1", "startpos"], 2, "--from, --encoding and --number are for files"),
        (["--from", "xqf", "startpos"], 2, "--from, --encoding and --number are for files"),
    ],
)
def test_refusals(words: list[str], status: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        done = siqi_show(*words, status=status)
    except SystemExit as refused:  # by the parser of the command line, after its lines on the usage
        assert refused.code == status
    else:
        assert done.stderr.decode().startswith("siqi show: ") and reason in done.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_a_closed_output_is_one_line() -> None:
    expected = "siqi show: standard output is closed\n"
    command = f"exec '{sys.executable}' -m siqi show >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert done.returncode == 1 and done.stderr.decode() == expected
    with pytest.MonkeyPatch.context() as patch:
        error = io.StringIO()
        patch.setattr(sys, "stdout", None)  # as Python has it in such a process
        patch.setattr(sys, "stderr", error)
        assert run(["show", "--svg", "-"]) == 1 and error.getvalue() == expected


def test_text_that_is_no_position(tmp_path: Path) -> None:
    path = tmp_path / "poem.txt"
    path.write_bytes("床前明月光\n".encode())
    assert f"{path}: no game".encode() in siqi_show(str(path), status=2).stderr  # `.txt` is the championships'
    path = path.rename(tmp_path / "poem")
    assert b"not a format that is known" in siqi_show(str(path), status=2).stderr
    path.write_bytes(b"\xff" * 100)
    siqi_show(str(path), status=2)
    assert b"no such format" in siqi_show("--from", "what", str(path), status=2).stderr
    assert b"no such encoding" in siqi_show("--encoding", "what", str(path), status=2).stderr
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # a file with a hole
    assert b"more than the" in siqi_show(str(path), status=1).stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_files, "MAX_BYTES", 10)
        assert b"more than 10 bytes" in siqi_show("-", given=b"x" * 11, status=2).stderr


# A terminal


@contextlib.contextmanager
def terminal(columns: int = 80) -> Iterator[tuple[int, Callable[[], str]]]:
    """Open a pseudo terminal; its end for a program, which is to be closed, and a function that reads what came."""
    import fcntl
    import struct
    import termios

    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read() -> str:
        data = b""
        with contextlib.suppress(OSError):  # Linux: the other end is closed
            while part := os.read(outer, 4096):
                data += part
        return data.decode().replace("\r\n", "\n")

    yield inner, read
    os.close(outer)


TERMINAL = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}


def on_terminal(*words: str, columns: int = 80, **environment: str) -> str:
    """Return what `siqi show` writes to a pseudo terminal."""
    shown: list[str] = []
    with pytest.MonkeyPatch.context() as patch, terminal(columns) as (inner, read):
        for name in ("NO_COLOR", "COLUMNS"):
            patch.delenv(name, raising=False)
        for name, value in {**TERMINAL, **environment}.items():
            patch.setenv(name, value)
        reader = threading.Thread(target=lambda: shown.append(read()))  # a terminal holds 4 KiB
        reader.start()
        with open(inner, "w", encoding="utf-8") as out:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "__stdout__", out)  # whose size counts
            status = run(["show", *words])
        reader.join()
    assert status == 0
    return shown[0]


def test_a_process_on_a_terminal_writes_the_same() -> None:
    given = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    with terminal() as (inner, read):
        command = [sys.executable, "-m", "siqi", "show", "startpos moves h2e2"]
        started = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=inner, stderr=subprocess.PIPE, cwd=ROOT, env={**given, **TERMINAL}
        )
        os.close(inner)
        assert read() == on_terminal("startpos moves h2e2")
        assert started.communicate() == (None, b"") and started.returncode == 0


def test_a_terminal_gets_colours_and_characters() -> None:
    text = on_terminal("startpos moves h2e2")
    for cell in ("\x1b[1;31m俥\x1b[0m", "\x1b[1m車\x1b[0m", "\x1b[1;31;7m炮\x1b[0m"):
        assert cell in text
    assert "<" not in text


def test_a_console_of_windows_is_asked_to_understand_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    console = types.SimpleNamespace(just_fix_windows_console=lambda: asked.append(1))
    monkeypatch.setitem(sys.modules, "colorama", console)
    assert siqi_show("startpos").stdout and not asked
    monkeypatch.setattr(sys, "platform", "win32")
    assert siqi_show("startpos").stdout and asked


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_that_wants_no_colours(name: str, value: str) -> None:
    assert "\x1b" not in on_terminal("startpos", **{name: value})


def test_a_console_without_such_fonts_gets_letters() -> None:
    text = on_terminal("startpos", TERM="linux")
    assert text.isascii() and "\x1b[1;31mR\x1b[0m" in text


@pytest.mark.parametrize("game", ["xiangqi", "connect6", "ewn", "junqi"])
def test_boards_fit_the_terminal(game: str) -> None:
    lines = on_terminal("--game", game, columns=26, NO_COLOR="1").splitlines()
    assert len(lines) <= 22 and max(map(width_of, lines[:-1])) <= 26
