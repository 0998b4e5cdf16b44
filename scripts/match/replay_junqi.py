"""Replay games of Junqi's referees: report where their logs differ from the rules.

    python scripts/match/replay_junqi.py games.tsv

A log has one line per game, tab-separated: name, both players, both arrays, the moves with their results as one digit,
in the first side's frame, the winner (`first`, `second`, `draw`) and the reason, or the referees' words for the end.
`siqi match junqi A B proto=junqi` plays games by their protocol.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from scripts.common import script

from siqi.games import game_record
from siqi.games.game_record import CutGameError, GameRecord
from siqi.games.junqi.rules.position import QUIET_LIMIT

SIDES = ("first", "second")

ENDS = {
    "先手胜利": ("first", "flag"),
    "后手胜利": ("second", "flag"),
    "平局": ("draw", "immobile"),
    "先手行棋错误 游戏无法进行": ("second", "illegal"),
    "后手行棋错误 游戏无法进行": ("first", "illegal"),
    "cut(31-rule)": ("", "quiet"),
}
"""Referees' words for winner and reason; they do not name the winner of a game cut short."""

FAULTS = ("illegal", "time", "crash")
"""Ends that the board does not show: the side to move loses."""


def replay(line: str) -> str | None:
    """Replay a line of a log; return its first difference from the rules, None if there is none."""
    name, _, _, first, second, words, *end = line.split("\t")
    game: Any = script.load_once("junqi")
    record = GameRecord((first, second, *(f"{word[:4]}={word[4]}" for word in words.split())))
    try:
        for ply, position in enumerate(game_record.replay(game, record), -1):
            if position.outcome() is not None and position.ply < len(record.moves):
                return f"{name}: over before ply {ply}: {position.outcome()}"
    except CutGameError as error:
        return f"{name}: ply {len(error.record.moves) - 1}: {error}"
    logged_winner, reason = ENDS[end[0]] if end[0] in ENDS else (end[0], end[1])
    outcome = position.outcome()
    if reason in FAULTS:
        agrees = outcome is None and logged_winner == SIDES[1 - position.turn]
    elif reason == "quiet" and not logged_winner:  # some referees end the game a ply early
        agrees = int(position.record.quiet) >= QUIET_LIMIT - 1
    else:
        winner = "none" if outcome is None else "draw" if outcome.winner is None else SIDES[outcome.winner]
        agrees = winner == logged_winner
    return None if agrees else f"{name}: {logged_winner or 'nobody'} by {reason} in the log, {outcome} by the rules"


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("log", type=Path)
    options = parser.parse_args()
    lines = [line for line in options.log.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    faults = [fault for line in lines if (fault := replay(line))]
    print("\n".join([*faults, f"{len(lines) - len(faults)} of {len(lines)} games agree"]))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
