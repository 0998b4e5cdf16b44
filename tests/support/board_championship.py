"""Championship in the browser, as an operator uses it."""

from __future__ import annotations

import random
import time
from typing import Any

from board_browser import SLOW_MS, by_keys, until
from board_play import picks
from board_server import RunningServer
from championship_games import refer

from siqi.daemon.board.championship.events import Table
from siqi.games import registry
from siqi.games.contract import Position


def shown(served: RunningServer) -> Table:
    snapshot: Table = served.call(served.contests.snapshot)
    return snapshot


def waited(page: Any, served: RunningServer, *press: str) -> Table:
    """Wait until the page shows that one of these is to be pressed."""
    deadline = time.monotonic() + SLOW_MS / 1000
    while time.monotonic() < deadline:
        now = shown(served)
        drawn = page.evaluate(
            "[document.getElementById('picture').dataset.shown, document.getElementById('c-card').dataset.press]"
        )
        if now.press in press and drawn[1] in (now.press, "confirm"):
            if not now.pieces or (drawn[0] or "").removeprefix("/picture/").rstrip("f.svg") == str(now.picture):
                return now
        page.wait_for_timeout(20)
    raise AssertionError(f"the page does not follow: {now}, {page.text_content('#refusal')}")


def begin(page: Any, game: str, **values: str) -> None:
    """Fill in the form of a new contest, check the machine, and begin."""
    page.click("[data-act=newContest]")
    page.select_option("#form-game", game)
    for name, value in {"ours": "Alpha", "theirs": "Beta", "minutes": "0.1"}.items():
        page.fill(f"#form-{name}", values.pop(name, value))
    for name, value in values.items():
        page.fill(f"#form-{name}", value)
    page.click("#form [data-act=send]")
    page.wait_for_selector("#c-move:text-is('READY')")
    page.click("[data-act=beginContest]")


def confirm(page: Any) -> None:
    """Press Enter on the card, once it has been shown for long enough."""
    page.wait_for_timeout(650)
    page.keyboard.press("Enter")


def next_points(now: Table, rng: random.Random, whole: Position | None) -> list[str]:
    """Return the points of a random move of the opponent, who knows the own pieces."""
    if whole is not None:
        shape, move = registry.info("junqi").shape, whole.move_text(rng.choice(whole.legal_moves()))
        return [shape.point_text(*point) for point in shape.points(move)]
    return picks(now, rng)


def answer(page: Any, result: int | None, flag: str) -> None:
    """Enter what Junqi's referee says."""
    if result is not None and result < 3:
        page.keyboard.press(str(result))
    if flag:
        page.click("#c-answers [data-act=flag]")
        page.click(f"#grid [data-point={flag}]")
        page.wait_for_selector(f"#c-answers [data-act=flag]:has-text('{flag}')")
        page.evaluate("document.activeElement.blur()")


def end_by_referee(page: Any, winner: int | None) -> None:
    """End the game as the referee says: `winner` is the team, None for a draw."""
    page.click("[data-act=endGame]")
    page.select_option("#form-how", f"{'-' if winner is None else winner} referee")
    page.click("#form [data-act=send]")


def step(page: Any, served: RunningServer, rng: random.Random, whole: Position | None = None) -> bool:
    """Press what the card says, by the keyboard alone; False once the game is over.

    `whole`: the board of Junqi's referee, who says where a flag stands, and that a game is over which looks open from
    our side: that is clicked.
    """
    now = waited(page, served, "resume", "set-up", "throw", "announce", "opponent", "next")
    outcome = whole.outcome() if whole is not None and now.press in ("announce", "opponent") else None
    match now.press:
        case _ if outcome is not None:
            end_by_referee(page, None if outcome.winner is None else outcome.winner ^ now.first)
        case "resume" | "set-up":
            page.wait_for_selector("#c-main .first:enabled")
            page.locator("#c-main .first").focus()
            page.keyboard.press("Enter")
        case "throw":
            page.keyboard.press(str(rng.randint(1, 6)))
        case "announce":
            if whole is not None and now.proposed is not None:
                answer(page, *refer(whole, now.proposed.word, now.first, rng))
            confirm(page)
        case "opponent":
            page.keyboard.press("g")
            page.wait_for_selector("#grid :focus", state="attached")
            points = next_points(now, rng, whole)
            by_keys(page, points)
            page.wait_for_selector("[data-press=confirm]")
            assert shown(served).moves == now.moves  # the key that picked the target confirms nothing
            if whole is not None:
                answer(page, *refer(whole, "".join(points), now.first, rng))
            page.keyboard.press("Enter")
        case "next":
            return False
    deadline = time.monotonic() + SLOW_MS / 1000
    while shown(served).picture == now.picture and shown(served).press == now.press:
        assert time.monotonic() < deadline and not page.text_content("#refusal"), page.text_content("#refusal")
        page.wait_for_timeout(10)
    return True


def operate(page: Any, rng: random.Random, last: str) -> None:
    """Do what the card asks of an operator who sees the page alone, until its first line begins with some words."""
    card = page.locator("#c-card")
    while not (said := card.inner_text()).startswith(last):
        match said.split(maxsplit=3)[:3]:
            case ["Announce", *_] | ["The", "move", "of"]:
                confirm(page)
            case ["Enter", "the", "throw"]:
                page.keyboard.press(str(rng.randint(1, 6)))
            case ["Enter", "the", "move"]:
                for kind in ("mine", "target"):
                    cells = page.locator(f"#grid .{kind}")
                    cells.nth(rng.randrange(cells.count())).click()
            case ["The", "engine", _]:
                page.keyboard.press("m")
            case _:  # a set-up, clocks that stand
                page.click("#c-main .first")
        until(page, lambda said=said: card.inner_text() != said)
