"""`siqi show`: a position as text for the terminal, as SVG or as PNG."""

from __future__ import annotations

import argparse
import errno
import importlib.util
import io
import os
import shutil
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import TextIO

from daemon.frontends.words import parse_position
from daemon.pipes import printable
from games import registry
from games.compiling import announce_compiling, to_stderr
from games.contract import Game, GameRecord, Position, set_dice
from games.files import read_bytes, replace_file
from games.pictures.drawing import MARK, Drawing, PictureMaker
from games.pictures.look import THEMES, look
from games.pictures.terminal import Style

FAILED, MISUSED = 1, 2
"""Exit statuses: a file or an output failed; the words make no position."""

MOST_BYTES = 1 << 22
"""The largest input."""

MOST_PNG_PIXELS = 8192
"""The widest PNG: Cairo draws it in memory, with four bytes a pixel."""

HEAD_WORDS = ("startpos", "fen", "position")

EXTRAS = ("numbers", "threats", "heat", "beliefs")
FACES = ("traditional", "simplified", "characters", "letters")
"""All games' words; which a game has, its picture.py says."""

SOFTWARE = b"Software\0Siqi"
"""The PNG text that marks our files."""


def add_arguments(found: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi show` to a parser."""
    found.description = "Show a position: text for a terminal, SVG, or PNG (see protocol.md)."
    found.add_argument(
        "position",
        nargs="*",
        help="'startpos [moves ...]', 'fen FEN [moves ...]', a FEN, a file with one of these or a game's record, "
        "or - for standard input; default: the start position",
    )
    found.add_argument("--game", choices=registry.NAMES, default="xiangqi", help="the game (xiangqi)")
    output = found.add_mutually_exclusive_group()
    output.add_argument("--svg", metavar="FILE", help="write SVG; - for standard output")
    output.add_argument("--png", metavar="FILE", help="write PNG; needs the extra `pictures`")
    found.add_argument("--size", type=int, metavar="PIXELS", help="width of the picture (PNG: 800)")
    found.add_argument("--theme", choices=THEMES, default="auto", help="colours of the picture (PNG: light)")
    found.add_argument("--flip", action="store_true", help="the second side at the bottom")
    found.add_argument("--ply", type=int, metavar="N", help="the position after N moves, set-ups included")
    found.add_argument("--dice", type=int, default=0, metavar="N", help="EWN: the throw for the side to move")
    found.add_argument("--extra", action="append", choices=EXTRAS, default=[], help="what a picture adds, by game")
    found.add_argument("--faces", choices=FACES, help="faces of pieces, by game; `letters` for text, too")
    found.add_argument("--arrow", action="append", default=[], metavar="MOVE", help="an arrow from point to point")
    found.add_argument("--mark", action="append", default=[], metavar="POINT", help="a ring around a point")


def report(text: str) -> None:
    """Write a line for the user to standard error."""
    to_stderr(f"siqi show: {text}")


def show(options: argparse.Namespace) -> int:
    """Run `siqi show`; return the exit status, 0 if the position was shown."""
    if options.png is not None and importlib.util.find_spec("cairosvg") is None:
        report("--png needs cairosvg: pip install '.[pictures]'")
        return MISUSED
    try:
        with announce_compiling(report, options.game):
            game = registry.load(options.game, report)
            maker = registry.picture_maker(options.game)
        position = read_position(options, game)
        write(options, position, maker)
    except OSError as error:
        why = str(error.strerror or error).partition("\n")[0]  # without Cairo's library: a paragraph
        report(f"{error.filename}: {why}" if error.filename else why)
        return FAILED
    except ValueError as error:
        report(printable(str(error), 300))
        return MISUSED
    return 0


def read_position(options: argparse.Namespace, game: Game[Position]) -> Position:
    """Return the position that the words, a file or standard input give; OSError or ValueError if there is none."""
    text = " ".join(options.position) or "startpos"
    if options.position == ["-"]:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "standard input is closed")
        text = _decoded(sys.stdin.buffer.read(MOST_BYTES + 1), options.game)
    elif len(options.position) == 1 and text.split()[0] not in HEAD_WORDS and _may_be_file(text):
        text = _decoded(read_bytes(text, MOST_BYTES), options.game)
    fen, moves = _parse(text, options.game)
    if options.ply is not None:
        if not 0 <= options.ply <= len(moves):
            raise ValueError(f"--ply: 0 to {len(moves)}, not {options.ply}")
        moves = moves[: options.ply]
    position = game.position(fen)
    for move in moves:
        position.push(position.parse_move(move))
    if options.dice:  # a FEN has its own
        set_dice(position, game.info, options.dice)
    return position


def _may_be_file(text: str) -> bool:
    """True if an argument is rather a file's name than a FEN: it exists, or no FEN looks like it."""
    return os.path.exists(text) or "." in text or (text.count("/") < 4 and " " not in text)


def _decoded(data: bytes, game: str) -> str:
    """Return a file's text: UTF-8, the usual encoding of the game's records, or GB 18030. ValueError if it is none."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES} bytes of input")
    for encoding in ("utf-8-sig", registry.game_record_format(game).ENCODING):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("gb18030")


def _parse(text: str, game: str) -> tuple[str | None, list[str]]:
    """Return a FEN (None: the start) and moves; the text is a position's words, a FEN or a record."""
    lines = [line for line in text.splitlines() if line.strip()]
    words = lines[0].split() if lines else []
    if not words:
        raise ValueError("the input is empty")
    if words[0] == "position":
        words = words[1:]
    if words and words[0] in ("startpos", "fen"):
        return parse_position(words)
    if len(lines) == 1 and words[0].count("/") >= 4:
        return parse_position(["fen", *words])
    record = _first_record(text, game)
    return record.fen or None, list(record.moves)


def _first_record(text: str, game: str) -> GameRecord:
    try:
        return next(registry.game_record_format(game).read(io.StringIO(text)))
    except StopIteration:
        raise ValueError(f"neither a position nor a record of {game}: {text.split(maxsplit=1)[0]}") from None


def write(options: argparse.Namespace, position: Position, maker: PictureMaker) -> None:
    """Write the position in the form that the options name; ValueError for marks and extras that it cannot have."""
    if options.svg is None and options.png is None:
        _print_text(options, position, maker)
        return
    drawing = _drawing(options, position, maker)
    if options.png is None:
        data = (drawing.svg() + "\n").encode()
        if options.svg == "-":
            _put(data)
        else:
            replace_file(options.svg, [data], is_svg)
        return
    width = options.size or 800
    if width > MOST_PNG_PIXELS:
        raise ValueError(f"--size: at most {MOST_PNG_PIXELS} pixels for PNG, not {width}")
    import cairosvg

    data = marked_png(cairosvg.svg2png(bytestring=drawing.svg().encode(), output_width=width))
    if options.png == "-":
        _put(data)
    else:
        replace_file(options.png, [data], is_png)


def _drawing(options: argparse.Namespace, position: Position, maker: PictureMaker) -> Drawing:
    theme = "light" if options.png is not None and options.theme == "auto" else options.theme
    arrows = []
    for word in options.arrow:
        points = registry.info(options.game).board.points(word)
        if len(points) != 2:
            raise ValueError(f"--arrow: two points, not {word}")
        names = [registry.info(options.game).board.point_text(*point) for point in points]
        arrows.append((names[0], names[1]))
    for extra in options.extra:
        if extra not in maker.EXTRAS:
            raise ValueError(f"--extra: {options.game} has {', '.join(maker.EXTRAS) or 'none'}, not {extra}")
    more: dict[str, bool | str] = dict.fromkeys(options.extra, True)
    if options.faces is not None:
        if options.faces not in maker.FACES:
            raise ValueError(f"--faces: {options.game} has {', '.join(maker.FACES) or 'none'}, not {options.faces}")
        more["faces"] = options.faces
    shown = look(flipped=options.flip, size=options.size, theme=theme, arrows=arrows, squares=options.mark)
    return maker.draw(position, shown, **more)


def _put(data: bytes) -> None:
    """Write to standard output; a reader that has gone is no error. OSError if it is closed."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        os._exit(0)


def _print_text(options: argparse.Namespace, position: Position, maker: PictureMaker) -> None:
    if options.extra or options.arrow or options.mark or options.size or options.theme != "auto":
        raise ValueError("--extra, --arrow, --mark, --size and --theme need --svg or --png")
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    style = style_of(sys.stdout, os.environ.get, options.flip, options.faces == "letters")
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    _put("".join(f"{line}\n" for line in maker.text(position, style)).encode(encoding, "replace"))


def style_of(out: TextIO, environment: Callable[[str], str | None], flipped: bool, is_plain: bool) -> Style:
    """Return what an output can show: colours only on a terminal and without NO_COLOR, characters that it can encode.

    `is_plain`: letters even where characters could be shown.
    """
    is_terminal = out.isatty()
    term = environment("TERM") or ""
    try:
        "帥軍？".encode(getattr(out, "encoding", None) or "ascii")
        is_wide = not (is_terminal and term in ("linux", "dumb"))  # they lack Chinese fonts
    except (UnicodeEncodeError, LookupError):
        is_wide = False
    has_colour = is_terminal and not environment("NO_COLOR") and term != "dumb"
    columns = shutil.get_terminal_size().columns if is_terminal else 80
    return Style(is_wide and not is_plain, has_colour, flipped, columns)


def is_svg(head: bytes) -> bool:
    """True if a file begins as a picture of ours."""
    return head.startswith(b"<svg ") and MARK.encode() in head[:600]


def is_png(head: bytes) -> bool:
    """True if a file begins as a PNG of ours."""
    return head.startswith(b"\x89PNG") and SOFTWARE in head[:128]


def marked_png(data: bytes) -> bytes:
    """Return a PNG with our mark behind its header."""
    return b"".join([data[:33], *_text_chunk(), data[33:]])


def _text_chunk() -> Iterator[bytes]:
    yield struct.pack(">I", len(SOFTWARE))
    yield b"tEXt" + SOFTWARE
    yield struct.pack(">I", zlib.crc32(b"tEXt" + SOFTWARE))
