"""The command line of `siqi board`."""

from __future__ import annotations

import argparse
import errno
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from siqi.daemon.commands.arguments import FAILED, MISUSED, number_to, reporter
from siqi.games import registry
from siqi.system.interrupts import INTERRUPTED, raised
from siqi.system.pipes import printable

if TYPE_CHECKING:
    from siqi.daemon.board.analyse.entries import AnyEntry as Fact
    from siqi.daemon.board.entries import AnyEntry
    from siqi.daemon.board.running import Claim
    from siqi.daemon.board.store import Store

report = reporter("siqi board")

ANALYSES = "analyses"
"""The folder of analyses in the folder of games."""

DEFAULT_PORT = 7474
"""The port where none is given, if it is free: a tab that stays open finds the server again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `siqi board`."""
    parser.description = "Play against the engine on a page in the browser. No request leaves this machine."
    parser.add_argument("--game", choices=registry.NAMES, default=registry.DEFAULT_GAME, help="the game proposed first")
    parser.add_argument("--port", type=number_to(65535), metavar="N", help=f"default: {DEFAULT_PORT}, or a free one")
    parser.add_argument("--no-browser", action="store_true", help="print the page's address, open no browser")
    parser.add_argument("--games", type=Path, metavar="DIR", help="the folder of games; default: the user's data")


def default_folder() -> Path:
    """Return the folder of games of this user."""
    import platformdirs

    return platformdirs.user_data_path("siqi", appauthor=False) / "games"


class Arguments(NamedTuple):
    """The arguments of a command line."""

    game: str
    port: int | None  # None: DEFAULT_PORT, or a free one
    opens_browser: bool
    folder: Path  # of the games
    settings: Mapping[str, str]  # options of the engine, by name


def arguments_of(options: argparse.Namespace) -> Arguments:
    """Return the arguments that were parsed; ValueError for an option of the engine that is not for the page."""
    if "UCI_Coordinates" in options.settings:
        raise ValueError("--option UCI_Coordinates: the page has ranks of its own")
    folder = options.games or default_folder()
    return Arguments(options.game, options.port, not options.no_browser, folder, options.settings)


def board_with(options: argparse.Namespace) -> int:
    """Run `siqi board` until Ctrl-C; return 0 if another one runs already, whose page is opened, or INTERRUPTED."""
    from siqi.daemon.board.analyse.entries import AnyEntry as Fact  # late: parsing a command line needs none of this
    from siqi.daemon.board.entries import AnyEntry
    from siqi.daemon.board.running import Claim, find
    from siqi.daemon.board.store import Store

    try:
        arguments = arguments_of(options)
    except ValueError as error:
        report(str(error))
        return MISUSED
    folder = arguments.folder
    try:
        store = Store[AnyEntry](folder, AnyEntry)
        analyses = Store[Fact](folder / ANALYSES, Fact)
        claim = Claim(folder)
    except OSError as error:
        if error.errno != errno.EBUSY:
            report(printable(f"{error.filename or folder}: {error.strerror or error}", 300))
            return FAILED
        running = find(folder)
        if running is None:
            report(printable(f"{folder}: another siqi board uses this folder, and does not answer", 300))
            return FAILED
        report("it runs already: its page is opened")
        _show(running.address, arguments.opens_browser)
        return 0
    import asyncio

    try:
        with raised():
            asyncio.run(_serve(store, analyses, claim, arguments))
    except KeyboardInterrupt:
        report("ended; the same command goes on with the game")
        return INTERRUPTED
    except OSError as error:
        report(printable(f"{error.filename or folder}: {error.strerror or error}", 300))
        return FAILED
    finally:
        claim.release()
        store.close()
        analyses.close()
    return 0


async def _serve(store: Store[AnyEntry], analyses: Store[Fact], claim: Claim, arguments: Arguments) -> None:
    import asyncio

    from siqi.daemon.board.analyse.session import Analysis
    from siqi.daemon.board.championship.days import Days
    from siqi.daemon.board.championship.session import Championship
    from siqi.daemon.board.hub import Hub
    from siqi.daemon.board.layouts import Layouts
    from siqi.daemon.board.mode import numbers
    from siqi.daemon.board.modes import Modes
    from siqi.daemon.board.reviews import Reviews
    from siqi.daemon.board.running import Running
    from siqi.daemon.board.server import BoardServer
    from siqi.daemon.board.session import Session

    numbering, layouts = numbers(), Layouts(store.folder)
    days = Days(store.folder / Championship.name)
    contests = Championship(days, numbering=numbering, layouts=layouts)
    analysis = Analysis(analyses, numbering=numbering)
    modes = Modes([Session(store, numbering=numbering, layouts=layouts), contests, analysis], store.folder)
    server = BoardServer(Hub(modes, Reviews(store.folder), numbering, arguments.game, arguments.settings))
    try:
        try:
            port = server.listen(arguments.port or DEFAULT_PORT)
        except OSError:
            if arguments.port:
                raise
            port = server.listen(0)
        running = Running(port, server.token)
        claim.publish(running)
        report(printable(f"games are kept in {store.folder}; Ctrl-C ends", 300))
        _show(running.address, arguments.opens_browser)
        await asyncio.Event().wait()
    finally:
        await server.close()
        days.close()


def _show(address: str, opens_browser: bool) -> None:
    """Open a page in the user's browser, or print its address where there is none."""
    if opens_browser:
        import webbrowser

        if webbrowser.open(address):
            return
    print(address, flush=True)
