"""The page of a review: one HTML file with its data, its style and its script, which loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from siqi.daemon.review.annotated import annotated
from siqi.daemon.review.assess import GRADES, Doubt, GameCourse, Ply, SideSummary, shown_loss, summaries
from siqi.daemon.review.engine import FoundLine
from siqi.daemon.review.games import ReviewedGame
from siqi.daemon.review.pictures import WAYS, Boards, differences, frames_of, views_of
from siqi.daemon.review.standings import Standing, standings
from siqi.games import registry
from siqi.games.contract import SIDES, Game, GameInfo, Position
from siqi.system.texts import as_script, escape, isolated
from siqi.version import __version__

MAX_BOOK_MOVES = 6
"""The moves of an opening book that are shown at a position."""

MARK = "<!-- Siqi review -->"
"""Follows the first line of each page."""

FIELD = "__SIQI_{}__"
"""A place in page.html that is filled in."""


def is_page(head: bytes) -> bool:
    """True if a file begins as a page of ours."""
    return head.startswith(b"<!doctype html>\n" + MARK.encode())


class Page:
    """A page under construction: games are added one by one."""

    def __init__(self) -> None:
        self._boards: dict[str, Boards] = {}
        self._first_frames: dict[str, list[int]] = {}
        self._words: dict[tuple[str, ...], int] = {}
        self._games: list[dict[str, Any]] = []
        self._results: list[tuple[ReviewedGame, GameCourse, tuple[SideSummary, SideSummary]]] = []

    def add(
        self,
        game: ReviewedGame,
        loaded: Game[Position],
        course: GameCourse,
        plies: Sequence[Ply],
        doubt: Doubt | None = None,
    ) -> None:
        """Add a game with its judgement, and the reasons to doubt it."""
        if game.game not in self._boards:
            self._boards[game.game] = Boards(game.game)
        boards = self._boards[game.game]
        record = game.record
        names = {"first": record.first, "second": record.second, "event": record.event, "occasion": record.occasion}
        entry: dict[str, Any] = {name: isolated(text) for name, text in names.items() if text not in ("", "?")}
        place = re.sub(r"[^/\\]+", lambda part: isolated(part[0]), game.place)  # the page takes it apart
        entry |= {"game": game.game, "place": place, "result": record.result, "views": list(views_of(game))}
        entry |= {"turn": course.turns[0], "setups": list(record.moves[: game.setups])}
        if game.info.has_hidden:
            entry["seen"] = "view" if course.views or course.is_view else "all"
        entry["parts"] = [name for name in boards.parts if name != "beliefs" or entry["seen"] == "view"]
        if course.is_set_up:
            entry["setUp"] = True
        if course.opening is not None:
            entry["opening"] = {"zh": course.opening.chinese, "en": course.opening.english, "ply": course.opening.ply}
        if doubt is not None:
            entry["doubt"] = doubt._asdict()
        if (notation := registry.notation(game.game)) is not None:
            entry["own"] = notation.own_notation(game.record.source)
        words = self._texts(game, "", record.moves[game.setups :])
        base: list[list[int]] = [[] for _ in entry["views"]]
        shown = []
        for ply, frames in enumerate(frames_of(game, loaded, plies, boards)):
            shown_ply = _judgement(game, course, plies, ply)
            if ply:
                shown_ply["w"] = words[ply - 1]
            if rule := course.rules[ply]:
                shown_ply["r"] = [round(rule.confidence, 4), rule.asked, int(rule.counts_positions), rule.intents]
            shown_ply["p"] = course.fens[ply]
            shown_ply["f"] = [next(differences([new], old)) for old, new in zip(base, frames.frames, strict=True)]
            base = frames.frames
            if ply < len(course.books):
                moves = sorted(course.books[ply], key=lambda move: -move.games)[:MAX_BOOK_MOVES]
                shown_ply["s"] = [
                    [self._texts(game, course.fens[ply], [move.word])[0], move.games, move.score] for move in moves
                ]
            if frames.line:
                texts = self._texts(game, course.fens[ply], [step.word for step in frames.line])
                views = zip(*(step.frames for step in frames.line), strict=True)
                chains = [list(differences(chain, start)) for chain, start in zip(views, base, strict=True)]
                shown_ply["b"] = {"w": texts, "f": chains}
            shown.append(shown_ply)
            self._first_frames.setdefault(game.game, frames.frames[0])
        entry["plies"] = shown
        if text := annotated(game, plies):
            entry["pgn"] = text
        sums = summaries(game, course, plies)
        entry["sums"] = [_sum(side, game.info.has_dice) for side in sums]
        self._games.append(entry)
        self._results.append((game, course, sums))

    def _texts(self, game: ReviewedGame, fen: str, words: Sequence[str]) -> list[int]:
        """Return the number of each move's texts: in the game's own notation, then in those to choose from."""
        notation = registry.notation(game.game)
        if notation is None:
            texts: Sequence[tuple[str, ...]] = [(word,) for word in words]
        else:
            texts = notation.texts(game.record.source, fen or game.record.fen, words)
        return [self._words.setdefault(text, len(self._words)) for text in texts]

    def html(self) -> str:
        """Return the page with the games added so far, one at least."""
        boards: dict[str, Any] = {}
        for name, board in self._boards.items():
            frames = board.frames
            boards[name] = {"shapes": [frames.shapes(way) for way in WAYS], "backgrounds": frames.backgrounds()}
            if numerals := frames.other_backgrounds():
                boards[name]["numerals"] = numerals
        notations = {name: list(notation.NOTATIONS) for name in self._boards if (notation := registry.notation(name))}
        data = {
            "version": __version__,
            "grades": GRADES,
            "boards": boards,
            "notations": notations,
            "names": {name: _names(registry.info(name)) for name in self._boards},
            "words": list(self._words),
            "games": self._games,
        }
        if len(self._games) > 1:
            data["players"] = [_standing(row) for row in standings(self._results)]
        pictures = "".join(
            f'<div class="picture" data-game="{name}"{" hidden" if number else ""}>'
            f"{board.frames.picture(self._first_frames[name])}</div>"
            for number, (name, board) in enumerate(self._boards.items())
        )
        script = source("words.js").replace("export ", "") + source("page.js")  # one script imports nothing
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        parts = {
            "MARK": MARK,
            "POLICY": f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
            "base-uri 'none'; form-action 'none'",
            "TITLE": escape(self._title()),
            "STYLE": source("shared.css") + source("page.css"),
            "PICTURES": pictures,
            "DATA": as_script(data),
            "SCRIPT": script,
        }
        html = source("page.html")
        pieces = []
        for name, text in parts.items():
            before, _, html = html.partition(FIELD.format(name))
            pieces += [before, text]
        return "".join([*pieces, html])

    def _title(self) -> str:
        first = self._games[0]
        names = " - ".join(first[side] for side in ("first", "second") if side in first) or "Siqi"
        more = f" (+{len(self._games) - 1})" if len(self._games) > 1 else ""
        return f"{names}{more}"


def _names(info: GameInfo) -> dict[str, Any]:
    """Return a game's data for the page: its names by language, and whether it has dice or hidden pieces."""
    names = {language: [of.game, *of.sides] for language, of in (("en", info.english), ("zh", info.chinese))}
    return names | {"dice": info.has_dice, "hidden": info.has_hidden}


def source(name: str) -> str:
    """Return a part of the page's own source."""
    return files("siqi.daemon.review").joinpath(name).read_text(encoding="utf-8")


def _judgement(game: ReviewedGame, course: GameCourse, plies: Sequence[Ply], ply: int) -> dict[str, Any]:
    """Return the data of a position and of the move before it."""
    judged, finding = plies[ply], plies[ply].finding
    entry: dict[str, Any] = {}
    if judged.before is not None:
        entry["v"] = round(judged.before, 4)
    if game.info.has_dice:
        if judged.after is not None:
            entry["a"] = round(judged.after, 4)
        if ply and game.throw(ply - 1):
            entry["t"] = game.throw(ply - 1)
    if judged.lost:
        entry["l"] = shown_loss(judged.lost)
    if judged.grade:
        entry["k"] = judged.grade
    if judged.is_unsure:
        entry["u"] = True
    if finding is not None:
        entry |= _search_result(finding.depth, judged.line)
        ending = finding.ending
        if ending is not None:
            entry["e"] = [ending.result, ending.plies or ending.chance]
        if finding.error:
            entry["x"] = finding.error
    outcome = course.outcomes[ply]
    if outcome is not None:
        winner = "unknown" if outcome.unknown else "draw" if outcome.winner is None else SIDES[outcome.winner]
        entry["o"] = [winner, outcome.reason]
    if comment := game.comments.get(ply):
        entry["c"] = isolated(comment)
    return entry


def _search_result(depth: int, line: FoundLine | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"d": depth}
    if line is not None and line.value.mate:
        entry["m"] = line.value.mate
    return entry


def _sum(side: SideSummary, has_dice: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"moves": side.moves, "grades": side.grades, "lost": round(side.lost, 4)}
    if has_dice:
        entry |= {"luck": round(side.luck, 4), "skill": round(side.skill, 4), "unknown": round(side.unknown, 4)}
    return entry


def _standing(row: Standing) -> dict[str, Any]:
    return row._asdict() | {"name": isolated(row.name), "lost": round(row.lost, 4)}
