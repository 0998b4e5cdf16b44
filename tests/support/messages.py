"""The messages of the commands, as the sources have them: what a catalogue of siqi/messages has to translate."""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

SIQI = Path(__file__).resolve().parents[2] / "siqi"

WHOLE = (
    "siqi/daemon/command_line.py",
    "siqi/daemon/main.py",
    "siqi/daemon/commands/*.py",
    "siqi/daemon/analysis/*.py",
    "siqi/daemon/review/command.py",
    "siqi/daemon/review/games.py",
    "siqi/daemon/match/*.py",
    "siqi/daemon/match/check/c*.py",
    "siqi/daemon/match/check/s*.py",
    "siqi/daemon/clients/*.py",
    "siqi/daemon/cluster/*.py",
    "siqi/daemon/board/command.py",
    "siqi/daemon/engine/record_files.py",
    "siqi/system/*.py",
    "siqi/games/[cfgrs]*.py",
    "siqi/games/records/*.py",
    "siqi/games/books/*.py",
    "siqi/games/kernel/cache.py",
    "siqi/games/pictures/plots.py",
    "siqi/games/*/formats/*.py",
    "siqi/games/*/picture.py",
    "siqi/games/*/rules/notation.py",
    "siqi/games/*/rules/setup.py",
    "siqi/games/xiangqi/library/pgn.py",
)
"""Sources whose texts are all messages, except those that NO_MESSAGE describes."""

ERRORS = (
    "siqi/daemon/engine/*.py",
    "siqi/daemon/serve.py",
    "siqi/daemon/match/check/protocols.py",
    "siqi/games/pictures/*.py",
    "siqi/games/*/board.py",
    "siqi/games/*/knowledge/inference.py",
    "siqi/games/*/evaluation/*.py",
    "siqi/games/xiangqi/library/san.py",
    "siqi/games/xiangqi/library/algebraic.py",
)
"""Sources of which only the texts of errors and of lines to standard error are messages."""

NO_MESSAGE = re.compile(
    r"siqi [^:]*|siqi|echo .*|examples:|--(?:option NAME|language (?:zh|en)).*|-h, --help.*"  # of examples and help
    r"|(?:Xiangqi|Connect6|EinStein würfelt nicht!|Junqi), \{\}|<.*|(?:M\{\}|#|\.[a-z]|translate).*"  # pictures
    r"|(?:die togo|goal |threat )\S+"
    r"|(?:setoption|position|go|info|st|sd|time|otim|level|new|usermove|variant|setboard|result|dice|depth|get|ini|end"
    r"|ping|protover|time_setting|board_setting|debug|xyzzy) (?!of|for|lost|limit|the|is|came)(?:\{|\w+|\(\?).*"
    r"|option (?:name|\(|\{\}=).*|fen \{\}|opening \{\} games .*|`?Illegal move`?"  # protocols
    r"|\S* \| None|.*\(\?:.*|(?:argument|ambiguous|unrecognized) .*\(\.\*\).*|the following .*|choose from"  # patterns
    r"|\{match\} .*|Traceback.*|Caused by:|(?:var|default|min) (?:0|1|\{\}).*|\{\} (?:GAME )?ENGINE .*"  # of engines
    r"|offset points|- at `\$|squared clipped;.*"  # of plots, msgspec and headers
    r"|rnbak.*|棋谱由.*|Siqi \{\}|Chinese Chess|rules infraction|time forfeit|.*\[\{\} \"Red\"\].*|.* %s: %s"  # files
    r"|.*%[a-z_]+ = .*|(?:@mark|br|declare|define|ret|store) .*"  # LLVM
)
"""Texts that are no messages: of examples, pictures, protocols and patterns."""

TRANSLATES = r"(?:translated|add_argument_group)"
"""Pattern of the functions whose first argument is translated, also a single word."""

OF_ARGPARSE = ("usage:", "positional arguments", "options", "show this help message and exit", "Options", "examples:")


def templates(node: ast.AST) -> list[str]:
    """Return the messages of a literal, with `{}` for each value; one for each choice between literals in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [re.sub(r"\{\d\}", "{}", node.value)]
    if isinstance(node, ast.IfExp):
        return [*templates(node.body), *templates(node.orelse)]
    if not isinstance(node, ast.JoinedStr):
        return ["{}"]
    values = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
    parts = (templates(value) if isinstance(value, ast.Constant | ast.IfExp) else ["{}"] for value in values)
    return ["".join(words) for words in itertools.product(*parts)]


def literals(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts of a source: no docstrings, no patterns, no texts that have their Chinese beside them."""
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(node.value)
        if isinstance(node, ast.Call) and re.match(r"re\.|Help\b|.*\.explained$", ast.unparse(node.func), re.DOTALL):
            inner.update(part for argument in node.args for part in ast.walk(argument))
        if isinstance(node, ast.JoinedStr):
            inner.update(node.values)
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    inner.update([part.format_spec] if part.format_spec is not None else [])
                    if isinstance(part.value, ast.IfExp):
                        inner.update(ast.walk(part.value))
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        if is_text and node not in inner:
            yield node


def bare(text: str) -> str:
    """Return a text without the names of options and commands."""
    return re.sub(r"--[a-z-]+|siqi [a-z ]+|pip .*|`.*`|Debug Log File|Skill Level", "", text)


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, besides the names of options and commands."""
    return re.findall(r"(?<![\w@])[a-z]{2,}(?!\w)", bare(text), re.ASCII)


def is_message(text: str) -> bool:
    """True for a text with words and a blank that is not for programs."""
    has_words = re.search(r"[a-z]{2,}|W-D-L", bare(text)) is not None
    return has_words and " " in text and text.isprintable() and NO_MESSAGE.fullmatch(text) is None


def parts_of(path: Path, only_errors: bool) -> Iterator[ast.AST]:
    """Yield the parts of a source whose texts are messages, and the arguments of `translated` in all of it."""
    for node in ast.walk(tree := ast.parse(path.read_text(encoding="utf-8"))):
        if not only_errors:
            yield tree
            return
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Raise) or called in ("to_stderr", "report", "warn"):
            yield node


def single_words() -> Iterator[tuple[str, str]]:
    """Yield the single words that sources have translated, each with its place."""
    for path in sorted(SIQI.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not re.search(rf"{TRANSLATES}\(", source):  # to walk through all takes seconds
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and re.search(rf"{TRANSLATES}$", ast.unparse(node.func)):
                for part in node.args[:1]:
                    if isinstance(part, ast.Constant):
                        yield part.value.strip(" "), f"{path.relative_to(SIQI.parent).as_posix()}:{node.lineno}"


@functools.cache
def messages() -> dict[str, str]:
    """Return the messages, each with the place of its source."""
    messages = dict.fromkeys(OF_ARGPARSE, "siqi/daemon/commands/parser.py") | dict(single_words())
    for patterns, only_errors in ((WHOLE, False), (ERRORS, True)):
        for path in sorted({path for pattern in patterns for path in SIQI.parent.glob(pattern)}):
            for part in parts_of(path, only_errors):
                for node in literals(part):
                    place = f"{path.relative_to(SIQI.parent).as_posix()}:{node.lineno}"
                    lines = (line.strip(" ") for text in templates(node) for line in text.split("\n"))
                    messages |= {line: place for line in lines if is_message(line) and line not in messages}
    return messages


def file_of(place: str) -> str:
    """Return the name of the catalogue's file for the messages of a source: its folder's."""
    folders = place.split("/")[1:-1]
    if not folders or folders == ["daemon"]:
        return "command_line"
    return "check" if folders[-1] == "check" else folders[1] if folders[0] == "daemon" else folders[0]


def sentences(text: str) -> Iterator[str]:
    """Yield the parts of a message between its marks (`: `, `; `, blanks), and what neighbours make together."""
    parts = re.split(r"(: |; |  +)", text)
    for at in range(0, len(parts), 2):
        yield from ("".join(parts[at : end + 1]) for end in range(at, len(parts), 2))
