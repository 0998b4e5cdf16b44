"""A list of moves by which an operator restores a game from paper: a record in a format of its game, or bare moves."""

from __future__ import annotations

import re

from siqi.daemon.board.championship.entries import ListedMove
from siqi.daemon.board.commands import Refusal
from siqi.daemon.board.positions import Positions
from siqi.daemon.board.tree import Tree
from siqi.daemon.commands.game_files import GameSource, choose, record_of
from siqi.games.contract import Game, GameInfo, Position

_NUMBER = re.compile(r"(?<!\S)\d+\.+")
"""A move's number; a throw has a colon or none."""

_THROW = re.compile(r"(?<!\S)([1-6])(?::|(?!\S))")


def read(text: str, rules: Game[Position], viewer: int, setups: tuple[str, ...]) -> tuple[ListedMove, ...]:
    """Return the moves of a list from the start of the game, as its facts keep them.

    `setups`: those of the game so far, which the list may leave out. ValueError names the first move that is not legal,
    or that lacks its throw or the referee's answer.
    """
    info = rules.info
    listed = _listed(text, info)
    if not listed:
        raise Refusal("the list has no moves")
    positions, tree = Positions(rules, viewer, is_referee=False), Tree()
    if info.has_setup and positions.points_of(listed[0].word):
        if len(setups) < info.setups(None):
            raise Refusal("the set-ups come first")
        listed = [*map(ListedMove, setups), *listed]
    checked: list[ListedMove] = []
    for ply, move in enumerate(listed):
        try:
            tree = tree.thrown(move.throw) if move.throw else tree
            positions.follow(tree)
            if info.has_dice and positions.has_pieces and not move.throw:
                raise ValueError("its throw is missing")
            checked.append(ListedMove(positions.checked(move.word), move.throw))
        except ValueError as error:
            number = ply + 1 - info.setups(None)
            place = f"move {number}" if number > 0 else f"set-up {ply + 1}"
            raise Refusal(f"{place}, {move.word}: {error}") from None
        tree = tree.moved(checked[-1].word)
    return tuple(checked)


def _listed(text: str, info: GameInfo) -> list[ListedMove]:
    """Return the moves of a text as it has them."""
    data = text.encode()
    try:
        form = choose(GameSource("", data, info.name)).format
        if form.name == "moves":  # it has a game in each line
            data = " ".join(text.split()).encode()
        parsed = form.read(data, "utf-8")
    except ValueError:
        return _bare(text, info)
    if not parsed.games or parsed.faults:
        raise Refusal(parsed.faults[0] if parsed.faults else "the list has no moves")
    record = record_of(info.name, parsed.games[0])
    if record.fen:
        raise Refusal("the list does not begin at the start of the game")
    return [ListedMove(word, record.throw(info, ply)) for ply, word in enumerate(record.moves)]


def _bare(text: str, info: GameInfo) -> list[ListedMove]:
    """Return moves as words of the protocol, a throw before its move: `3:a5b4`, `3 a5b4`; numbers are left out."""
    text = _NUMBER.sub(" ", text)
    if info.stones_per_turn > 1:
        stones = re.findall(r"[a-z]\d+", text.lower())
        turns = [stones[:1], *(stones[at : at + info.stones_per_turn] for at in range(1, len(stones), 2))]
        return [ListedMove("".join(turn)) for turn in turns if turn]
    if info.has_dice:
        text = _THROW.sub(r" \1: ", text)
    moves, throw = [], 0
    for word in text.split():
        if word.endswith(":"):
            throw = int(word[:-1])
        else:
            moves.append(ListedMove(word, throw))
            throw = 0
    return moves
