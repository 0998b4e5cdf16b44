"""Transcripts of front ends: the bytes that a client sends, and the daemon's answers.

A transcript is a text file, `tests/golden/transcripts/<front end>/<name>.txt`. The first word of a line gives its kind:

    #   a remark; `# nodes N` is the node limit of every search (see fixed_daemon.py), `# status N` the exit status
    >   a line sent
    >!  bytes sent as they are, with Python's escapes (`\\r`, `\\x00`), the end of the line included
    >*  `>* N start|text` is a line of N bytes: the start, which may be missing, and the text repeated
    >.  the input is closed
    <   a line of standard output
    !   a line of standard error, which is compared only if there is such a line; `!-` stands for no output
    =   `= name`: a file in the process's folder after the process has ended; the lines after it are its content
    |   a line of that file

Successive `>` lines are one block, sent in one write. Its `<` lines are read before the next block is sent. After the
last block the input is closed: the process must end by itself, without further output.

Times, speeds, versions and the list of the games are masked by `*`; lines that report the compiling of kernels are left
out. In UCI and its relatives the results of searches are masked too, since `siqi bench` pins them: numbers, variations
and the best move.
Of successive lines that are then equal only the first is kept, except at the end of a block, where their number shows
when the search has ended. Options are listed only in the transcripts called `handshake`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from client import ROOT, Client, ClientError
from hostile import FOREIGN

from siqi.games import registry

TRANSCRIPTS = ROOT / "tests/golden/transcripts"
LAUNCHER = ROOT / "tests/support/fixed_daemon.py"
TIMEOUT_S = 60.0
"""Longest wait for a line: less is needed to compile ten kernels, after which a line comes."""

COMPILING = re.compile(r"((info (string|message)|#) )?compil(ing|ed) \w+(:| for the first time| *$)")

MASKS = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        (r"\b(time|nps) \d+", r"\1 *"),
        (r"time used \d+\.\d+ ms", "time used * ms"),
        (r"\b\d+\.\d+\.\d+\b", "*"),
        (r"^\d+\.\d{3} (>>|<<) ", r"* \1 "),
        (re.escape(str(ROOT)), "ROOT"),
        (f" var {' var '.join(registry.NAMES)}$", " var *"),
        (f"one of {' '.join(registry.NAMES)},", "one of *,"),
    )
)
UCI_FAMILY = ("uci", "ucci", "ugi")
SEARCHED = re.compile(r"(.*\binfo (?:throw \d+ )?depth \d+ .*\bpv) .*")
UCI_MASKS = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        (r"\bbestmove [a-zA-Z0-9].*", "bestmove *"),
        (r"\bprobe depth .*", "probe depth *"),
        (r"\binfo string worlds .*", "info string worlds *"),
    )
)
CECP_MASKS = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in ((r"^(\d+ -?\d+) \d+ (\d+ [a-z])", r"\1 * \2"), (r"^stat01: \d+", "stat01: *"))
)


class Block(NamedTuple):
    """The `>` lines sent in one write, and the lines of output before the next block."""

    sent: tuple[str, ...]
    expected: tuple[str, ...]  # without `< `
    line: int = 0  # number of its first line in the file, from 1


class Transcript(NamedTuple):
    """The traffic of one process, from its start to its end."""

    front_end: str
    name: str
    about: tuple[str, ...] = ()
    nodes: int = 0
    status: int = 0
    blocks: tuple[Block, ...] = ()
    errors: tuple[str, ...] | None = None  # standard error; None: not compared
    files: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def path(self) -> Path:
        return TRANSCRIPTS / self.front_end / f"{self.name}.txt"


class Difference(AssertionError):
    """The daemon's output differs from the transcript."""


def mask(line: str, front_end: str) -> str:
    """Return a line with `*` for all that differs from run to run, or from search to search."""
    more = CECP_MASKS if front_end == "cecp" else UCI_MASKS if front_end in UCI_FAMILY else ()
    for pattern, text in MASKS + more:
        line = pattern.sub(text, line)
    if front_end in UCI_FAMILY and (searched := SEARCHED.fullmatch(line)):
        # A mate and tablebase hits depend on the search, as does the throw to which a line belongs.
        line = re.sub(r" throw \d+| tbhits \d+|(?<= score) (?:cp|mate)\b", "", searched[1])
        line = re.sub(r"(?<!\S)-?\d+(?!\S)", "*", line) + " *"
    return line


def is_news(line: str) -> bool:
    """True if a line reports that kernels are compiled."""
    return COMPILING.match(line) is not None


class Shown:
    """Chooses and masks the lines of output that a transcript has."""

    def __init__(self, front_end: str, name: str) -> None:
        self._front_end, self._has_options = front_end, name == "handshake"

    def line(self, line: str) -> str | None:
        """Return a line as in the transcript; None if it is left out."""
        if is_news(line) or (not self._has_options and re.match(r"option |feature option=", line)):
            return None
        return mask(line, self._front_end)

    def lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Return those of a block's lines that the transcript has."""
        shown = [line for line in map(self.line, lines) if line is not None]
        return tuple(
            line
            for number, line in enumerate(shown)
            if not is_repeated(line, shown[number - 1 : number]) or set(shown[number:]) == {line}
        )


def is_repeated(line: str, before: list[str]) -> bool:
    """True if a line of a search equals the line before it."""
    return before[-1:] == [line] and line.endswith(" pv *")


def text_of(transcript: Transcript) -> str:
    """Return the text of a transcript's file."""
    lines = [f"# {line}" for line in transcript.about]
    lines += [f"# nodes {transcript.nodes}"]
    lines += [f"# status {transcript.status}"] if transcript.status else []
    for block in transcript.blocks:
        lines += block.sent
        lines += [f"< {line}" for line in block.expected]
    if transcript.errors is not None:
        lines += [f"! {line}" for line in transcript.errors] or ["!-"]
    for name, content in transcript.files:
        lines += [f"= {name}", *(f"| {line}" for line in content)]
    return "".join(f"{line}\n" for line in lines)


def read_transcript(path: Path) -> Transcript:
    """Read a transcript's file; ValueError for a line of an unknown kind."""
    about: list[str] = []
    settings = {"nodes": 0, "status": 0}
    blocks: list[tuple[list[str], list[str], int]] = []
    errors: list[str] | None = None
    files: list[tuple[str, list[str]]] = []
    last = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")[:-1], 1):
        kind, _, text = line.partition(" ")
        if kind == "#":
            setting = re.fullmatch(r"(nodes|status) (\d+)", text)
            if setting:
                settings[setting[1]] = int(setting[2])
            else:
                about.append(text)
        elif kind in (">", ">!", ">*", ">."):
            if not last.startswith(">"):
                blocks.append(([], [], number))
            blocks[-1][0].append(line)
        elif kind == "<":
            blocks[-1][1].append(text)
        elif kind in ("!", "!-"):
            errors = (errors or []) + ([text] if kind == "!" else [])
        elif kind == "=":
            files.append((text, []))
        elif kind == "|":
            files[-1][1].append(text)
        else:
            raise ValueError(f"{path}:{number}: no line of a transcript: {line[:60]}")
        last = kind
    return Transcript(
        path.parent.name,
        path.stem,
        tuple(about),
        settings["nodes"],
        settings["status"],
        tuple(Block(tuple(sent), tuple(expected), line) for sent, expected, line in blocks),
        None if errors is None else tuple(errors),
        tuple((name, tuple(content)) for name, content in files),
    )


def bytes_of(line: str) -> bytes:
    """Return the bytes that a `>` line of a transcript sends."""
    kind, _, text = line.partition(" ")
    if kind == ">!":
        return text.encode("latin-1").decode("unicode_escape").encode("latin-1")
    if kind == ">*":
        size, _, text = text.partition(" ")
        start, _, more = text.rpartition("|")
        return (start + more * (int(size) // len(more) + 1))[: int(size)].encode("latin-1") + b"\n"
    return text.encode() + b"\n" if kind == ">" else b""


def lay_out(folder: Path) -> None:
    """Write the files that transcripts name into a process's folder."""
    books = ROOT / "siqi/books"
    for game in ("xiangqi", "connect6"):
        shutil.copy(books / f"{game}-openings.book", folder / f"{game}.book")
    whole = (books / "xiangqi-openings.book").read_bytes()
    (folder / "cut.book").write_bytes(whole[:-1000])
    (folder / "flipped.book").write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    (folder / "foreign").write_bytes(FOREIGN)
    (folder / "empty").write_bytes(b"")
    (folder / "folder").mkdir()
    (folder / "tables").mkdir()
    (folder / "tables/R-A.ending").write_bytes(b"SIQIBOOK")
    (folder / "tables/nothing.ending").write_bytes(b"")
    os.mkfifo(folder / "fifo")
    words = (ROOT / "tests/support/fixtures/junqi_setups.txt").read_text().split()
    (folder / "layouts").write_text("".join(f"{word}\n" for word in ("# two deployments", *words[:2])))
    (folder / "wrong-layouts").write_text(f"{words[0]}\nabc\n")


class Process(Client):
    """A process of fixed_daemon.py in its own folder."""

    def __init__(self, front_end: str, name: str, nodes: int, folder: Path) -> None:
        lay_out(folder)
        self.shown = Shown(front_end, name)
        self._folder = folder
        super().__init__(folder=folder, program=LAUNCHER, arguments=(str(nodes),))

    def write(self, sent: tuple[str, ...]) -> None:
        """Send the `>` lines of a transcript in one write."""
        self.send_bytes(b"".join(map(bytes_of, sent)))
        if sent[-1] == ">.":
            self.close_input()

    def next(self, timeout_s: float = TIMEOUT_S) -> str:
        """Return the next line that is shown; ClientError if none comes."""
        while (line := self.shown.line(self.expect(lambda text: True, timeout_s)[0])) is None:
            pass
        return line

    def remaining(self) -> tuple[str, ...]:
        """Return the lines that are shown until the process ends by itself."""
        return self.shown.lines(self.rest())

    def silence(self) -> str:
        """Return the reason why no line has come."""
        if self.process.poll() is None:
            return f"nothing for {TIMEOUT_S:.0f} s"
        return f"nothing: the process has ended with status {self.process.returncode} {self.errors[-500:]}"

    def written_errors(self) -> tuple[str, ...]:
        """Return the lines of standard error that are shown, once the process has ended."""
        return self.shown.lines(self.errors.splitlines())

    def content(self, name: str) -> tuple[str, ...]:
        """Return the lines of a file in the process's folder that are shown; `(there is none)` if it does not exist."""
        path = self._folder / name
        if not path.is_file():
            return ("(there is none)",)
        return self.shown.lines(path.read_text(errors="backslashreplace").splitlines())


def replay(transcript: Transcript, folder: Path) -> None:
    """Run a transcript in an empty folder; Difference, with the first line that differs."""
    with Process(transcript.front_end, transcript.name, transcript.nodes, folder) as process:
        seen: list[str] = []
        read: list[str] = []  # the last line
        for block in transcript.blocks:
            process.write(block.sent)
            for number, expected in enumerate(block.expected, block.line + len(block.sent)):
                try:
                    while (line := process.next()) != expected and is_repeated(line, read):
                        pass
                except ClientError:
                    line = process.silence()
                read = [line]
                if line != expected:
                    after = [f"    {text}" for text in [*block.sent, *seen][-6:]]
                    raise Difference(
                        "\n".join([f"{transcript.path}:{number}", *after, f"expected: {expected}", f"got:      {line}"])
                    )
                seen.append(f"< {line}")
            seen = []
        if not process.process.stdin.closed:  # type: ignore[union-attr]
            process.close_input()
        compare(transcript, "more than expected at the end", (), process.remaining())
        compare(transcript, "exit status", (str(transcript.status),), (str(process.end()),))
        if transcript.errors is not None:
            compare(transcript, "standard error", transcript.errors, process.written_errors())
        for name, content in transcript.files:
            compare(transcript, name, content, process.content(name))


def compare(transcript: Transcript, what: str, expected: tuple[str, ...], got: tuple[str, ...]) -> None:
    """Raise Difference, with the first line that differs, if two texts are not equal."""
    if expected != got:
        at = next((i for i, pair in enumerate(zip(expected, got)) if pair[0] != pair[1]), min(len(expected), len(got)))
        lines = [repr(text[at]) if at < len(text) else "nothing" for text in (expected, got)]
        raise Difference(f"{transcript.path}: {what}, line {at + 1}\nexpected: {lines[0]}\ngot:      {lines[1]}")
