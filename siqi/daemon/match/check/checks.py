"""The checks: each a rule that a client relies on, and why, in a sentence to the engine's author."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.match.check.dialogue import Line
from siqi.daemon.match.check.protocols import Cecp, Ucci, Uci
from siqi.daemon.match.check.session import END_S, STOP_S, Engine, Failure, Inapplicable, Session

FAMILY = ("uci", "ucci", "ugi")
SEARCHED = (*FAMILY, "xboard")
ALL = (*SEARCHED, "sau", "cloudict", "myai", "junqi")

TRIES = 3
"""A time is measured up to so often; the best counts, as other programs may have used the processor."""

DELAY_MS = 100
"""The milliseconds that pipes and clocks may add to the time of a move."""


class Check(NamedTuple):
    """A rule and how it is tried."""

    name: str
    why: str  # a sentence to the engine's author
    protocols: tuple[str, ...]
    run: Callable[[Engine], None]  # raises Failure, Inapplicable or OSError


CHECKS: dict[str, Check] = {}
"""All checks by name, in the order in which they are run."""


def check(why: str, protocols: tuple[str, ...] = ALL) -> Callable[[Callable[[Engine], None]], Callable[[Engine], None]]:
    """Add a function to the checks, under its own name."""

    def add(run: Callable[[Engine], None]) -> Callable[[Engine], None]:
        name = run.__name__.replace("_", "-")
        CHECKS[name] = Check(name, why, protocols, run)
        return run

    return add


def uci_of(session: Session) -> Uci:
    """Return the protocol of UCI's family that a session speaks."""
    assert isinstance(session.protocol, Uci)
    return session.protocol


# The greeting


@check("GUIs give up after 10 s, on a machine that may be half as fast: answer first, load what is large afterwards.")
def greeting(engine: Engine) -> None:
    engine.start().greet()


@check("Clients compare whole lines: a blank at its end hides the last one, and other letters than ASCII break many.")
def greeting_lines(engine: Engine) -> None:
    session = engine.start()
    session.greet()
    for line in session.greeted:
        if not line.text.isascii():
            raise Failure(f"not ASCII: {line.text!r}")
    last = session.greeted[-1].text
    if last != last.strip():
        raise Failure(f"blanks around {last!r}")
    if isinstance(session.protocol, Uci) and not any(line.words[:2] == ["id", "name"] for line in session.greeted):
        raise Failure("no `id name`")


@check("GUIs build their dialogs from these lines, and cut or refuse what they cannot read.", FAMILY)
def option_lines(engine: Engine) -> None:
    session = engine.start()
    session.greet()
    protocol = uci_of(session)
    for line in session.greeted:
        if line.word != "option":
            continue
        if len(line.text) >= 2000:
            raise Failure(f"{len(line.text)} characters: uci2wb stores at most 2047")
        options = protocol.options([line])
        if not options:
            raise Failure(f"not an option: {line.text!r}")
        ((name, kind, _),) = options
        default, low, high = options[0].default, options[0].number("min"), options[0].number("max")
        if kind not in ("check", "spin", "combo", "button", "string", "filename", "label"):
            raise Failure(f"option {name}: unknown type {kind}")
        if kind == "check" and default not in ("true", "false"):
            raise Failure(f"option {name}: its default is true or false, not {default!r}")
        if kind == "spin" and (default is None or not re.fullmatch(r"-?\d+", default) or low is None or high is None):
            raise Failure(f"option {name}: default, min and max must be numbers")
        if kind == "spin" and low is not None and high is not None and not low <= int(default or 0) <= high:
            raise Failure(f"option {name}: its default {default} is not within {low}..{high}")
        if kind == "combo" and default not in options[0].choices:
            raise Failure(f"option {name}: its default {default!r} is none of its values")


@check("uci2wb and XBoard send every option back at its default: `<empty>` is no file.", SEARCHED)
def options_echoed(engine: Engine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = engine.begin(folder=folder)
        if not (lines := _settings_to_defaults(session)):
            raise Inapplicable("it has no options")
        session.send(*lines)
        session.alive("its options were set to their defaults", 30.0)
        session.search("after that")
        session.close()
        if made := sorted(os.listdir(folder)):
            raise Failure(f"it made the file {made[0]!r} in its folder")


def _settings_to_defaults(session: Session) -> list[str]:
    """Return the lines that set an engine's options, all but the game, to their defaults."""
    if isinstance(session.protocol, Cecp):
        text = "\n".join(line.text for line in session.greeted)
        named = re.findall(r'option="([^"]+?) -(?:check|spin|slider|string) ([^"]*)"', text)
        words = re.findall(r'option="([^"]+?) -(?:check|spin|slider) ([^"\s]*)', text)
        return [f"option {name}={value}" for name, value in (dict(named) | dict(words)).items()]
    protocol = uci_of(session)
    return [
        protocol.set_option.format(option.name, option.default or "")
        for option in protocol.options(session.greeted)
        if option.kind in ("check", "spin", "combo", "string") and option.name != "UCI_Variant"
    ]


@check(".NET clients write a UTF-8 byte order mark before their first line.")
def byte_order_mark(engine: Engine) -> None:
    engine.start().greet(mark=b"\xef\xbb\xbf")


@check("Clients of Windows end lines by CR and LF.")
def carriage_returns(engine: Engine) -> None:
    session = engine.start()
    session.greet(line_end="\r\n")
    session.select()
    lines = session.protocol.search(engine.game)
    session.send_bytes("".join(f"{line}\r\n" for line in lines).encode())
    session.move("move")


@check("GUIs start engines in a folder of their own, and some without any environment.")
def bare_start(engine: Engine) -> None:
    if sys.platform == "win32":
        raise Inapplicable("not on Windows")
    session = engine.start({}, "/")
    session.greet()
    session.select()
    session.search()


@check(
    "One GUI never reads standard error, so that a full pipe blocks the engine; a referee merges it into the answers."
)
def standard_error(engine: Engine) -> None:
    session = engine.begin()
    session.search()
    session.listen(0.1)
    if session.errors:
        raise Failure(f"it wrote {len(session.errors)} bytes there: {session.errors.splitlines()[0][:100]!r}")


@check("An engine that waits must leave the processor to its opponent.")
def idle(engine: Engine) -> None:
    session = engine.begin()
    session.search()
    session.listen(0.3)
    before = _wanted_s(session.pid)
    session.listen(1.0)
    if (wanted := _wanted_s(session.pid) - before) > 0.3:
        raise Failure(f"it wanted the processor for {wanted:.1f} s of 1 s")


def _wanted_s(pid: int) -> float:
    """Return the time for which a process has run or waited for a processor, in seconds. Inapplicable if unknown."""
    try:
        threads = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    except OSError:
        threads = []
    if not threads:
        raise Inapplicable("no schedstat in /proc here")
    return sum(sum(map(int, thread.split()[:2])) for thread in threads) / 1e9


# Bad input


GARBAGE = ("hello", "GO", "?!", "   ", "", "\t", "xyzzy 1 2 3", "debug maybe", "setoption", "level x")


@check("Other programs' words reach every engine some day: what is not understood is no reason to end.")
def unknown_commands(engine: Engine) -> None:
    session = engine.begin()
    for line in GARBAGE:
        session.send(line)
        session.alive(repr(line))
    session.search("after that")


@check("A pipe can carry anything; bytes that are no text must not end the engine.")
def binary(engine: Engine) -> None:
    session = engine.begin()
    for data in (b"\x00\x01\x02\xff\xfe\n", bytes(byte for byte in range(256) if byte not in b"\r\n") + b"\n"):
        session.send_bytes(data)
        session.alive("bytes that are no text")
    session.search("after that")


@check(
    "Long games make long lines: one that is longer than the engine's buffer must not be taken for several, or end it."
)
def long_line(engine: Engine) -> None:
    session = engine.begin()
    for line in ("x" * 200_000, "position startpos moves " + "a0a1 " * 20_000):
        session.send(line)
        session.alive(f"a line of {len(line)} characters", 5.0)
    session.search("after that")


@check(
    "Clients set every option that they know; one that is unknown, or out of range, must not end the engine.", FAMILY
)
def bad_options(engine: Engine) -> None:
    session = engine.begin()
    protocol = uci_of(session)
    settings = [("Nonsense", "1"), ("", ""), ("UCI_Chess960", "maybe")]
    for option in protocol.options(session.greeted):
        if option.kind == "spin":
            settings += [(option.name, "many"), (option.name, str((option.number("min") or 0) - 1))]
        elif option.kind in ("check", "combo") and option.name != "UCI_Variant":
            settings.append((option.name, "no such value"))
    for name, value in settings:
        line = protocol.set_option.format(name, value)
        session.send(line)
        session.alive(repr(line), 10.0)
    session.search("after that")


@check("GUIs send positions as users type them.", FAMILY)
def bad_positions(engine: Engine) -> None:
    session = engine.begin()
    for fen in ("", *engine.game.bad_fens):
        session.send(f"position fen {fen}".strip())
        session.alive(f"the position {fen!r}")
    session.search("after that")


@check("A move that the engine takes for illegal must not end it: client and engine may differ on a rule.")
def bad_moves(engine: Engine) -> None:
    session = engine.begin()
    if isinstance(session.protocol, Cecp):
        session.send("force")
    for line in session.protocol.bad_moves:
        text = line.format(move=engine.game.moves)
        if isinstance(session.protocol, Cecp) and line.startswith("usermove "):
            text = session.protocol.user_move(line.removeprefix("usermove "), session.greeted)
        session.send(text)
        session.alive(repr(text))
    if isinstance(session.protocol, Cecp):
        session.send("new")
        session.send(*session.protocol.selection(engine.game_name, {}, session.greeted))
    session.search("after that")


@check("XBoard shows the user by this answer that a move was refused, and takes it back.", ("xboard",))
def illegal_move(engine: Engine) -> None:
    session = engine.begin()
    assert isinstance(session.protocol, Cecp)
    session.send("force", session.protocol.user_move("a1a1", session.greeted))
    session.expect(lambda line: line.text.startswith("Illegal move"), 1.0, "`Illegal move`")


@check("uci2wb sends `moves` with nothing behind it.", FAMILY)
def empty_moves(engine: Engine) -> None:
    session = engine.begin()
    session.send("position startpos moves ", "go depth 1")
    _expect_move(session, session.move(), engine.game.first, "the start position")


@check("Clients differ in how much of a FEN they send, and in its letters.", FAMILY)
def fen_forms(engine: Engine) -> None:
    if not engine.game.fens:
        raise Inapplicable(f"{engine.game_name} has one form")
    session = engine.begin()
    for fen, is_second in engine.game.fens.items():
        session.send(f"position fen {fen}", "go depth 1")
        _expect_move(session, session.move(), engine.game.reply if is_second else engine.game.first, fen)


def _expect_move(session: Session, answer: Line, pattern: str, where: str) -> None:
    """Failure unless the move of an answer can be played in a position."""
    move = session.protocol.move_of(answer) or ""
    if not re.fullmatch(pattern, move):
        raise Failure(f"{answer.text!r} is no move in {where}")


# Searches


@check("A client that gets a second answer plays it in the next position.")
def one_answer(engine: Engine) -> None:
    session = engine.begin()
    session.search()
    session.silent(0.3, "after the answer")
    if isinstance(session.protocol, Uci):
        session.send("stop", "ponderhit")
        session.silent(0.3, "for a `stop` without a search")
    session.search("in a second search")


@check("An answer is `bestmove` and the move, and at most `ponder` and a second move: clients read no more.", FAMILY)
def answer_form(engine: Engine) -> None:
    session = engine.begin()
    words = session.search().words
    if len(words) not in (2, 4) or (
        len(words) == 4 and words[2] != "ponder" and not isinstance(session.protocol, Ucci)
    ):
        raise Failure(f"{' '.join(words)!r}")


NUMBERS = ("depth", "seldepth", "nodes", "nps", "time", "hashfull", "multipv", "tbhits")


@check("Match runners and GUIs read depth, score and time from the last `info` before the move.", FAMILY)
def info_lines(engine: Engine) -> None:
    session = engine.begin()
    answer = session.search()
    lines = [line for line in session.received() if line.word == "info" and line.ms <= answer.ms]
    reports = [line for line in lines if "string" not in line.words and "message" not in line.words]
    for line in reports:
        words = line.words[: line.words.index("pv")] if "pv" in line.words else line.words
        for word in NUMBERS:
            if words.count(word) > 1:
                raise Failure(f"`{word}` twice: {line.text!r}")
            if word in words and not line.at(words.index(word) + 1).isdecimal():
                raise Failure(f"`{word}` has no number: {line.text!r}")
    if not any("score" in line.words for line in reports):
        raise Failure("no `info` with a score before the move")


@check("GUIs ask in the midst of a search whether the engine still lives.", FAMILY)
def ready_in_search(engine: Engine) -> None:
    session = _searching(engine)
    before = session.alive("a search has begun")
    if session.moves_of(before):
        raise Failure("`isready` ended the search")
    session.send("stop")
    session.move("move after `stop`")


def _searching(engine: Engine) -> Session:
    """Return a session in a long search. Inapplicable if the engine answers at once, as from a book."""
    session = engine.begin()
    lines = session.protocol.long_search(engine.game)
    if not lines:
        raise Inapplicable("the protocol has no word for a long search")
    if session.protocol.name not in SEARCHED:
        session.search()  # the game is loaded once it has moved: no other answer says so
    session.send(*lines)
    if session.moves_of(session.listen(0.4)):
        if isinstance(session.protocol, Uci):
            raise Failure(f"it answers {lines[-1]!r} before `stop`")
        raise Inapplicable("it answers at once")
    return session


@check(
    "Clients wait a moment only, the UCCI league's referee 200 ms: a move that comes later is lost on time.", SEARCHED
)
def stop(engine: Engine) -> None:
    session = _searching(engine)
    took = []
    for number in range(TRIES):
        if number:
            session.send(*session.protocol.long_search(engine.game))
            if session.moves_of(session.listen(0.3)):
                raise Inapplicable("it answers at once")
        sent = session.send(session.protocol.stop)
        took.append(session.move(f"move after `{session.protocol.stop}`").ms - sent)
        if took[-1] <= 1000 * STOP_S * engine.slow:
            return
    raise Failure(f"it came after {min(took):.0f} ms")


@check("An analysis ends by `stop` alone: a GUI plays or drops a move that comes before.", FAMILY)
def endless_search(engine: Engine) -> None:
    if not engine.game.decided:
        raise Inapplicable(f"{engine.game_name} has no position that is decided soon enough")
    session = engine.begin()
    session.send(f"position fen {engine.game.decided}", "go infinite")
    session.silent(1.0, "before `stop`, as the position is decided")
    session.send("stop")
    session.move("move after `stop`")


@check("A ponder search ends by `ponderhit` or `stop` alone, and its time counts from there.", FAMILY)
def ponder(engine: Engine) -> None:
    session = engine.begin()
    protocol = uci_of(session)
    if protocol.name == "ugi" or not any(
        option.name.lower() == "ponder" for option in protocol.options(session.greeted)
    ):
        raise Inapplicable("it does not ponder")
    session.send(*protocol.after_moves(engine.game), protocol.clock(3000)[0].replace("go", "go ponder", 1))
    session.silent(0.7, "before `ponderhit`")
    session.send("ponderhit")
    session.move("move after `ponderhit`", 3.0)


@check(
    "Clients write `stop`, `position` and `go` at once: each `go` has its answer, the second in the new position.",
    FAMILY,
)
def no_waiting(engine: Engine) -> None:
    session = engine.begin()
    session.send("position startpos", "go infinite", "stop", *uci_of(session).search(engine.game))
    _expect_move(session, session.move("first move"), engine.game.first, "the start position")
    _expect_move(session, session.move("second move"), engine.game.reply, "the new position")


@check("GUIs set the next position while the last search still runs.", FAMILY)
def position_in_search(engine: Engine) -> None:
    session = _searching(engine)
    session.send("position startpos")
    session.alive("`position` in a search")
    session.send("stop")
    session.listen(0.5)
    session.send("position startpos", "go depth 1")
    _expect_move(session, session.move(), engine.game.first, "the start position")


@check(
    "Match runners count each millisecond beyond the time of a move, and some end the game.", ("uci", "ugi", "xboard")
)
def move_time(engine: Engine) -> None:
    given_ms = 1000 if isinstance(engine.protocol, Cecp) else 300
    if took := _too_long_ms(engine.begin(), engine.protocol.timed(given_ms), given_ms + DELAY_MS):
        raise Failure(f"{took:.0f} ms for a move of {given_ms}")


def _too_long_ms(session: Session, go: Sequence[str], most_ms: float) -> float:
    """Return the time of the fastest search that these lines start; 0 once one has not taken longer than `most_ms`."""
    engine, protocol, took = session.engine, session.protocol, list[float]()
    for _ in range(TRIES):
        if isinstance(protocol, Uci):
            session.send(*protocol.after_moves(engine.game))
            session.alive("the position")
        else:
            session.send(*protocol.selection(engine.game_name, {}, session.greeted))
            session.alive("a new game")
        sent = session.send(*go)
        took.append(session.move().ms - sent)
        if took[-1] <= most_ms * max(engine.slow, 1.0):
            return 0.0
    return min(took)


@check("With half a second left on its clock, an engine that thinks for longer has lost.", SEARCHED)
def short_clock(engine: Engine) -> None:
    session, given_ms = engine.begin(), 500
    if isinstance(session.protocol, Ucci) and not session.protocol.has_milliseconds(session.greeted):
        raise Inapplicable("its clock counts whole seconds")
    if took := _too_long_ms(session, session.protocol.clock(given_ms), given_ms):
        raise Failure(f"{took:.0f} ms with {given_ms} on the clock")


@check("A client waits for ever for the move of a position that has none.", FAMILY)
def no_move(engine: Engine) -> None:
    if not engine.game.finished:
        raise Inapplicable(f"{engine.game_name} has no such position here")
    session = engine.begin()
    session.send(f"position fen {engine.game.finished}", "go depth 1")
    answer = session.move("answer", 2.0)
    if session.protocol.move_of(answer):
        raise Failure(f"{answer.text!r} where there is no move")
    session.search("after that")


@check("One process plays many games.", SEARCHED)
def new_game(engine: Engine) -> None:
    session = engine.begin()
    session.search()
    session.send(session.protocol.begin, *session.protocol.selection(engine.game_name, {}, session.greeted))
    session.alive("a new game", 10.0)
    session.search("in a second game")


# The end


@check("Clients kill what does not end within a second of `quit`, and its files may be lost.")
def quit_when_idle(engine: Engine) -> None:
    session = engine.begin()
    if not session.protocol.end:
        raise Inapplicable("the protocol has no word for the end")
    session.search()
    session.send(session.protocol.end)
    session.must_end(f"`{session.protocol.end}`")


@check("Users close a GUI in the midst of a search.")
def quit_in_search(engine: Engine) -> None:
    session = _searching(engine)
    if not session.protocol.end:
        raise Inapplicable("the protocol has no word for the end")
    session.send(session.protocol.end)
    session.must_end(f"`{session.protocol.end}` in a search")


@check("A client that dies leaves a closed pipe: an engine that runs on is an orphan that uses the processor for days.")
def end_of_input(engine: Engine) -> None:
    session = engine.begin()
    session.close_input()
    session.must_end("the end of its input")


@check("A client that dies in the midst of an analysis must not leave a search that never ends.", SEARCHED)
def end_of_input_in_search(engine: Engine) -> None:
    session = _searching(engine)
    session.close_input()
    session.must_end("the end of its input in a search", END_S if isinstance(session.protocol, Uci) else 35.0)


@check(
    "Shell pipelines close the input behind their last line: a search with a limit still has its time and its answer.",
    ("uci", "ugi"),
)
def end_of_input_answers(engine: Engine) -> None:
    session = engine.begin()
    session.send(*uci_of(session).after_moves(engine.game), "go movetime 600")
    sent = session.close_input()
    answer = session.move("answer to the search before the end of the input", 3.0)
    if answer.ms - sent < 150:
        raise Failure(f"the search of 600 ms was cut short after {answer.ms - sent:.0f} ms")
    session.must_end("its last answer")
