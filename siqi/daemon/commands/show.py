"""`siqi show`: a position as text for the terminal, as SVG or as PNG."""

from __future__ import annotations

import argparse
import errno
import importlib.util
import os
import shutil
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, TextIO

from siqi.daemon.commands import game_files
from siqi.daemon.commands.arguments import FAILED, MISUSED, name_fault, reporter, whole_number
from siqi.daemon.commands.game_files import (
    GameSource,
    InputOptions,
    check_number,
    choose,
    input_options,
    read_games,
    read_source,
    record_of,
)
from siqi.daemon.frontends.words import parse_position
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.contract import Position, set_dice
from siqi.games.game_record import GameRecord, position_after
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.drawing import MARK, Drawing
from siqi.games.pictures.maker import PictureMaker
from siqi.games.pictures.style import THEMES, picture_style
from siqi.games.pictures.terminal import TerminalStyle
from siqi.games.records.position_lines import HEAD_WORDS, LEAST_SLASHES, position_of
from siqi.system.encodings import decode, mark_of
from siqi.system.files import Owns, replace_file
from siqi.system.interrupts import held_back
from siqi.system.messages import translated
from siqi.system.pipes import printable

report = reporter("siqi show")

MAX_WORDS_BYTES = 1 << 20
"""The longest text of a position and moves; files of games may be longer."""

MAX_PNG_PIXELS = 8192
"""The widest PNG: Cairo draws it in memory, with four bytes per pixel."""

EXTRAS = ("numbers", "threats", "heat", "beliefs")
MARGINS = ("numerals",)
FACES = ("traditional", "simplified", "characters", "letters")
"""The values for all games together; each game's picture.py has its own."""

SOFTWARE = b"Software\0Siqi"
"""The PNG text that marks our files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi show` to a parser."""
    parser.description = "Show a position: text for a terminal, SVG, or PNG."
    parser.add_argument(
        "position",
        nargs="*",
        help="'startpos [moves ...]', 'fen FEN [moves ...]', a FEN, a file with one of these or with games in any "
        "format of `siqi convert`, or - for standard input; default: the start position",
    )
    game_files.add_arguments(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--svg", metavar="FILE", help="write SVG; - for standard output")
    output.add_argument("--png", metavar="FILE", help="write PNG; needs the extra `pictures`")
    parser.add_argument("--size", type=whole_number, metavar="PIXELS", help="width of the picture (PNG: 800)")
    parser.add_argument("--theme", choices=THEMES, default="auto", help="colours of the picture (PNG: light)")
    parser.add_argument("--flip", action="store_true", help="the second side at the bottom")
    parser.add_argument("--ply", type=whole_number, metavar="N", help="the position after N moves, set-ups included")
    parser.add_argument("--dice", type=whole_number, default=0, metavar="N", help="EWN: the throw for the side to move")
    parser.add_argument("--extra", action="append", choices=EXTRAS, default=[], help="what a picture adds, by game")
    parser.add_argument("--margin", choices=MARGINS, help="Xiangqi: the numbers of files in Chinese moves")
    parser.add_argument("--faces", choices=FACES, help="faces of pieces, by game; `letters` for text, too")
    parser.add_argument("--arrow", action="append", default=[], metavar="MOVE", help="an arrow from point to point")
    parser.add_argument("--mark", action="append", default=[], metavar="POINT", help="a ring around a point")


class Arguments(NamedTuple):
    """The arguments of a command line."""

    position: tuple[str, ...]  # its words, or the name of a file
    input: InputOptions
    ply: int | None  # None: after the last move
    dice: int  # 0: not given
    svg: str | None  # a file's name, - for standard output; None, as is png: text
    png: str | None
    size: int | None  # pixels; None: the picture's own
    theme: str
    is_flipped: bool
    extras: tuple[str, ...]
    margin: str | None
    faces: str | None
    arrows: tuple[str, ...]
    marks: tuple[str, ...]


def arguments_of(options: argparse.Namespace) -> Arguments:
    """Return the arguments that were parsed; ValueError for a file or picture that there cannot be."""
    for kind, name in (("svg", options.svg), ("png", options.png)):
        if name not in (None, "-") and (fault := name_fault(name, (f".{kind}",), "a picture")):
            raise ValueError(f"--{kind} {fault}")
    if options.png is not None and importlib.util.find_spec("cairosvg") is None:
        raise ValueError("--png needs cairosvg: pip install 'siqi[pictures]'")
    return Arguments(
        tuple(options.position),
        input_options(options),
        options.ply,
        options.dice,
        options.svg,
        options.png,
        options.size,
        options.theme,
        options.flip,
        tuple(options.extra),
        options.margin,
        options.faces,
        tuple(options.arrow),
        tuple(options.mark),
    )


def show(options: argparse.Namespace) -> int:
    """Run `siqi show`; return the exit status, 0 if the position was shown."""
    try:
        arguments = arguments_of(options)
        asked = find_game(arguments)
        with announce_compiling(report, asked.game):
            game = registry.load(asked.game, report)
            maker = registry.picture_maker(asked.game)
        plies = len(asked.record.moves)
        if arguments.ply is not None and not 0 <= arguments.ply <= plies:
            raise ValueError(f"--ply: 0 to {plies}, not {arguments.ply}")
        plies = plies if arguments.ply is None else arguments.ply
        position: Position | Diagram
        try:
            position = position_after(game, asked.record, plies)
        except ValueError:
            if not asked.record.fen or plies or arguments.dice or arguments.extras:
                raise
            position = maker.diagram(asked.record.fen)
        if arguments.dice and not isinstance(position, Diagram):  # a FEN has its own
            set_dice(position, game.info, arguments.dice)
        write(arguments, asked.game, position, maker)
    except OSError as error:
        why = str(error.strerror or error).partition("\n")[0]  # a whole paragraph if Cairo's library is missing
        report(f"{error.filename}: {why}" if error.filename else why)
        return FAILED
    except ValueError as error:
        report(printable(str(error), 300))
        return MISUSED
    return FAILED if asked.has_faults else 0


class ShowRequest(NamedTuple):
    """The game to be shown."""

    game: str
    record: GameRecord
    has_faults: bool = False  # parts of the file cannot be read, and were reported


def find_game(arguments: Arguments) -> ShowRequest:
    """Return the game that the words, a file or standard input give; OSError or ValueError if there is none."""
    described = arguments.input
    text = " ".join(arguments.position) or "startpos"
    if len(arguments.position) == 1 and text.strip() not in HEAD_WORDS and (text == "-" or _may_be_file(text)):
        source = read_source(text, described)
        if not (words := _words_of(source)):
            return _game_in(source, described.number)
        check_number(described.number, [words])
    elif described.format or described.encoding or described.number is not None:
        raise ValueError("--from, --encoding and --number are for files")
    else:
        words = _position_words(text) or ["fen", *text.split()]
    fen, moves = parse_position(words)
    return ShowRequest(described.game or registry.DEFAULT_GAME, GameRecord(tuple(moves), fen=fen or ""))


def _may_be_file(text: str) -> bool:
    """True if an argument is a file's name, not a FEN: it exists, or no FEN looks like it."""
    return os.path.exists(text) or "." in text or (text.count("/") < LEAST_SLASHES and " " not in text)


def _words_of(source: GameSource) -> list[str]:
    """Return the words of `position` if a file is one such line or one FEN; none if it has something else."""
    data = source.data
    if not data.strip():
        raise ValueError(f"{source.name}: the input is empty")
    is_marked = bool(mark_of(data)[0])
    if source.format or len(data) > MAX_WORDS_BYTES or not (is_marked or data.isascii()):
        return []
    lines = [line for line in decode(data, source.encoding or None, "ascii")[0].splitlines() if line.strip()]
    return _position_words(lines[0]) if len(lines) == 1 else []


def _position_words(text: str) -> list[str]:
    """Return the words `startpos|fen FEN [moves ...]` of a line of them or a FEN; none if it is neither."""
    if (parts := position_of(text)) is None:
        return []
    start = parts.start.split()
    return [
        *(start if start[:1] == ["startpos"] else ["fen", *start]),
        *(["moves", *parts.moves] if parts.moves else []),
    ]


def _game_in(source: GameSource, number: int | None) -> ShowRequest:
    """Return a game of a file, the first one if its number is None."""
    choice = choose(source)
    with announce_compiling(report, choice.game):
        parsed = read_games(source, choice, report)
    check_number(number, parsed.games)
    record = record_of(choice.game, parsed.games[(number or 1) - 1])
    return ShowRequest(choice.game, record, bool(parsed.faults))


def write(arguments: Arguments, game: str, position: Position | Diagram, maker: PictureMaker) -> None:
    """Write the position in the form that the arguments name; ValueError for marks and extras that it cannot have."""
    if arguments.svg is not None:
        drawing = _drawing(arguments, game, position, maker)
        _write_file(arguments.svg, (drawing.svg() + "\n").encode(), is_svg)
    elif arguments.png is not None:
        width = arguments.size or 800
        if width > MAX_PNG_PIXELS:
            raise ValueError(f"--size: at most {MAX_PNG_PIXELS} pixels for PNG, not {width}")
        drawing = _drawing(arguments, game, position, maker)
        import cairosvg

        data = marked_png(cairosvg.svg2png(bytestring=drawing.svg().encode(), output_width=width))
        _write_file(arguments.png, data, is_png)
    else:
        _print_text(arguments, position, maker)


def _write_file(path: str, data: bytes, owns: Owns) -> None:
    """Write a picture; `-` is standard output."""
    if path == "-":
        _put(data)
        return
    with held_back():
        replace_file(path, [data], owns)


def _drawing(arguments: Arguments, game: str, position: Position | Diagram, maker: PictureMaker) -> Drawing:
    theme = "light" if arguments.png is not None and arguments.theme == "auto" else arguments.theme
    arrows = []
    for word in arguments.arrows:
        points = registry.info(game).shape.points(word)
        if len(points) != 2:
            raise ValueError(f"--arrow: two points, not {word}")
        names = [registry.info(game).shape.point_text(*point) for point in points]
        arrows.append((names[0], names[1]))
    for extra in arguments.extras:
        if extra not in maker.EXTRAS:
            raise ValueError(f"--extra: {game} has {', '.join(maker.EXTRAS) or 'none'}, not {extra}")
    more: dict[str, bool | str] = dict.fromkeys(arguments.extras, True)
    if arguments.margin is not None:
        if arguments.margin not in maker.MARGINS:
            raise ValueError(f"--margin: {game} has {', '.join(maker.MARGINS) or 'coordinates only'}")
        more[arguments.margin] = True
    if arguments.faces is not None:
        if arguments.faces not in maker.FACES:
            raise ValueError(f"--faces: {game} has {', '.join(maker.FACES) or 'none'}, not {arguments.faces}")
        more["faces"] = arguments.faces
    shown = picture_style(
        flipped=arguments.is_flipped, size=arguments.size, theme=theme, arrows=arrows, squares=arguments.marks
    )
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


def _print_text(arguments: Arguments, position: Position | Diagram, maker: PictureMaker) -> None:
    if (
        arguments.extras
        or arguments.margin
        or arguments.arrows
        or arguments.marks
        or arguments.size
        or arguments.theme != "auto"
    ):
        raise ValueError("--extra, --margin, --arrow, --mark, --size and --theme need --svg or --png")
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    if sys.platform == "win32":
        import colorama

        colorama.just_fix_windows_console()  # which otherwise shows ANSI codes as text
    style = style_of(sys.stdout, os.environ.get, arguments.is_flipped, arguments.faces == "letters")
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    text = "".join(f"{translated(line)}\n" for line in maker.text(position, style))
    try:
        print(text.encode(encoding, "replace").decode(encoding), end="", flush=True)
    except BrokenPipeError:
        os._exit(0)


def style_of(out: TextIO, environment: Callable[[str], str | None], flipped: bool, is_plain: bool) -> TerminalStyle:
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
    return TerminalStyle(is_wide and not is_plain, has_colour, flipped, columns)


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
