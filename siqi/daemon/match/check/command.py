"""`siqi match check ENGINE`: try the rules that clients rely on, and show the dialogue of each that is broken."""

from __future__ import annotations

import argparse
import re
import time

import msgspec

from siqi.daemon.clients import load_client
from siqi.daemon.clients.asked import AskedEngine
from siqi.daemon.clients.player import RANDOM, EngineSpec, PlayerLimits, StartError
from siqi.daemon.clients.process import complaint
from siqi.daemon.commands.arguments import FAILED, MISUSED, reporter
from siqi.daemon.match.check.checks import CHECKS, Check
from siqi.daemon.match.check.protocols import GAMES, PROTOCOLS, Uci, Unplayable
from siqi.daemon.match.check.session import Engine, Failure, Inapplicable
from siqi.daemon.match.engines import parse_engine
from siqi.daemon.match.match_log import UsageError
from siqi.games import registry
from siqi.system.interrupts import INTERRUPTED, raised
from siqi.system.messages import translated
from siqi.system.pipes import printable

NOT_STARTED = 3
"""The exit status if the engine cannot be used; FAILED: a rule is broken."""

report = reporter("siqi match check")

FIRST_GREETING_S, FIRST_LOAD_S = 20.0, 300.0
"""The longest waits at the first start, which may compile or read large files. No check counts it."""

SHOWN = 12
"""The lines of a dialogue that are shown."""

EXAMPLES = """\
examples:
  siqi match check ./engine
  siqi match check 'fairy-stockfish Hash=16' --game xiangqi
  siqi match check 'hoixiangqi --xboard' --proto xboard --only stop quit-when-idle
"""


class Result(msgspec.Struct, omit_defaults=True):
    """What a check has found, as `--json` prints it."""

    check: str
    result: str  # pass, fail, or skip: not for this engine or protocol
    ms: int
    reason: str = ""
    meaning: str = ""  # why the rule is one
    dialogue: list[str] = []


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `siqi match check`."""
    option = parser.add_argument
    option("engine", metavar="ENGINE", help="COMMAND [OPTION=VALUE ...] in one argument, or siqi, as for a match")
    option("--game", dest="played", choices=GAMES, help="what it plays; default: the protocol's usual game")
    option("--proto", choices=PROTOCOLS, help="the protocol; default: found by asking")
    option("--only", nargs="+", choices=CHECKS, default=[], metavar="NAME", help="these checks; default: all")
    option("--slow", type=factor, default=1.0, metavar="FACTOR", help="wait FACTOR times as long, on a busy machine")
    option("--json", action="store_true", help="print a line of JSON for each check")
    parser.epilog = f"checks: {', '.join(CHECKS)}\n\n{EXAMPLES}"
    parser.set_defaults(run=check_with)


def factor(text: str) -> float:
    """Return a number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"a number from 0.01 to 1000, not {printable(text)}")
    return value


def check_with(options: argparse.Namespace) -> int:
    """Run `siqi match check`; return 0 if no rule is broken, else one of the statuses above, or INTERRUPTED."""
    try:
        spec = parse_engine(options.engine, PlayerLimits())
        if spec.command == RANDOM:
            raise UsageError("random is no program")
        spec = msgspec.structs.replace(spec, protocol=options.proto or spec.protocol)
        if spec.protocol and options.played and options.played not in PROTOCOLS[spec.protocol].games:
            raise UsageError(f"{options.played} is not played by {spec.protocol}")
    except UsageError as error:
        report(printable(str(error), 300))
        return MISUSED
    try:
        with raised():
            engine = found_engine(spec, options.played or "", options.slow)
            if engine is None:
                return NOT_STARTED
            shown = show_json if options.json else show
            if not options.json:
                chosen = len(options.only or CHECKS)
                ranks = ", ranks from 1" if engine.ranks else ""
                what = f"{engine.game_name} by {engine.protocol.name}{ranks}; checks: {chosen}"
                print(f"{printable(spec.name)}: {translated(what)}")
            results = []
            for name in dict.fromkeys(options.only or CHECKS):
                results.append(tried(CHECKS[name], engine))
                shown(results[-1])
    except KeyboardInterrupt:
        return INTERRUPTED
    counts = [sum(result.result == kind for result in results) for kind in ("pass", "fail", "skip")]
    if not options.json:
        passed, failed, skipped = counts
        print(translated(f"{passed} passed, {failed} failed, {skipped} not for this engine"))
    return FAILED if counts[1] else 0


def found_engine(spec: EngineSpec, game: str, slow: float) -> Engine | None:
    """Return the engine, which has started and moved in its protocol; None, after a report, if it does not."""
    try:
        protocol = PROTOCOLS[spec.protocol or asked_protocol(spec, game, slow)]
        with Engine(spec.program, protocol, game or protocol.games[0], spec.options, slow) as engine:
            try:
                first_start(engine)
            except Failure as failure:
                session = engine.sessions[-1]
                said = complaint(session.errors.splitlines()) or "".join(line.text for line in session.received()[-1:])
                last = f"; its last line: {said}" if said and not session.greeted else ""
                raise Failure(f"{failure}{last} ({protocol.name}, {engine.game_name})") from failure
            return engine
    except OSError as error:
        failed = f"{spec.name}: cannot be started: {error.strerror}: {error.filename}"
    except (Failure, Unplayable) as error:
        failed = f"{spec.name}: {error}"
    except StartError as error:
        failed = str(error)
    report(printable(failed, 300))
    return None


def asked_protocol(spec: EngineSpec, game: str, slow: float) -> str:
    """Return the protocol in which an engine answers, of those that play the game, if one is named; StartError."""
    clients = [load_client(name) for name, protocol in PROTOCOLS.items() if not game or game in protocol.games]
    info = registry.info(clients[0].games[0])  # no greeting names the game
    asked = AskedEngine(spec, info, FIRST_LOAD_S, clients, slow * FIRST_GREETING_S)
    try:
        asked.find()
        return asked.protocol
    finally:
        asked.close()


def first_start(engine: Engine) -> None:
    """Start the engine, and let it move. Failure, Unplayable or OSError if it does not, or plays another game."""
    session = engine.start()
    session.greet(FIRST_GREETING_S)
    session.select(FIRST_LOAD_S)
    move = session.protocol.move_of(session.search()) or "no move"
    if not isinstance(session.protocol, Uci):
        return
    if engine.game_name == "xiangqi" and not re.fullmatch(engine.game.reply, move):
        engine.ranks = 1  # the move before it was illegal, if that is the reason
        move = session.protocol.move_of(session.search()) or "no move"
    if not re.fullmatch(engine.game.reply, move):
        raise Unplayable(f"it does not play {engine.game_name}: {move} after {engine.game.moves}; --game names another")


def tried(check: Check, engine: Engine) -> Result:
    """Return what a check finds; every program that it has started is ended."""
    if engine.protocol.name not in check.protocols:
        return Result(check.name, "skip", 0, f"not for {engine.protocol.name}")
    started = time.monotonic()
    kind, reason, dialogue = "pass", "", []
    with engine:
        try:
            check.run(engine)
        except Inapplicable as error:
            kind, reason = "skip", str(error)
        except (Failure, Unplayable, OSError) as error:
            kind, reason = "fail", str(error)
            session = engine.sessions[-1] if engine.sessions else None
            if session is not None:
                session.close()
                dialogue = session.last(SHOWN)
    ms = round(1000 * (time.monotonic() - started))
    return Result(check.name, kind, ms, printable(reason, 300), check.why if kind == "fail" else "", dialogue)


def show_json(result: Result) -> None:
    print(msgspec.json.encode(result).decode(), flush=True)


def show(result: Result) -> None:
    """Print a line for a check, and for a broken rule the sentence and the end of the dialogue."""
    why = f"  {translated(result.reason)}" if result.reason else ""
    print(f"{translated(result.result)}  {result.check}{why}", flush=True)
    if result.result == "fail":
        print("\n".join(f"      {line}" for line in (translated(result.meaning), *result.dialogue)), flush=True)
