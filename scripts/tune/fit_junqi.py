"""Fit the weights of Junqi's evaluation to the results of games, by logistic regression.

    python scripts/papers/compare_players.py junqi own.jsonl --games 2000 --ms 5 \\
        --pairing siqi "siqi Algorithm=uct"
    python scripts/tune/fit_junqi.py own.jsonl --out weights.py

Each game is replayed as the referee sees it, and gives the counts of the evaluation's terms every `--every` plies. The
evaluation is linear in its weights (siqi/games/junqi/evaluation/terms.py), so the fit is convex. A ridge holds the
weights near the present ones where games give little evidence. The values of pieces that judge attacks are fitted
separately, to the numbers of pieces alone. Writes a source file to `--out`, or siqi/games/junqi/data/weights.py with
`--replace-shipped`; the same games and options give the same weights. The loss is that of every tenth game, held out.

Data: a log that `python scripts/papers/compare_players.py junqi own.jsonl --pairing siqi siqi` makes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from scripts.common import script
from scripts.common.logistic import Array, fit, loss
from scripts.match.paired_games import read_games

from siqi.games.game_record import GameRecord, replay
from siqi.games.junqi.data import weights
from siqi.games.junqi.evaluation.terms import count_terms_here
from siqi.games.junqi.rules.lookup import FLAG, LOOKUP_RECORD
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.kernel.jit import new_record
from siqi.system.files import replace_file

HELD_OUT = 10

HEADER = '"""Weights of the evaluation, in hundredths of the natural logarithm of the odds ('
OWNS = script.begins_with(HEADER)
NOTE = '''"""The worth of pieces, commander to bomb, if nothing except material counts."""
'''


def samples(path: Path, every: int) -> tuple[Array, Array, Array]:
    """Return (counts, results of the first side, game numbers) of positions of the games of a log."""
    rows, results, numbers = [], [], []
    work = new_record(WORK_DTYPE)
    game: Any = script.load_once("junqi")
    for number, record in enumerate(script.progress(read_games(path))):
        result = 0.5 if record["winner"] is None else float(record["winner"] == record["first"])
        for ply, position in enumerate(replay(game, GameRecord(tuple(record["words"].split()))), -1):
            if ply < 2 or position.outcome() is not None:
                continue
            if ply % every == 0:
                count_terms_here(position.record, work, LOOKUP_RECORD)
                rows.append(work.terms.astype(np.float64))
                results.append(result)
                numbers.append(number)
    return np.array(rows), np.array(results), np.array(numbers)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--every", type=int, default=3, help="plies between positions")
    parser.add_argument("--ridge", type=float, default=0.002)
    script.add_output(parser, "weights.py")
    options = parser.parse_args()
    out = script.output_file(options, Path(weights.__file__), OWNS)
    parts = [samples(path, options.every) for path in options.games]
    rows, results, numbers = (np.concatenate(part) for part in zip(*parts, strict=True))
    held = numbers % HELD_OUT == 0
    start = np.array(list(weights.TERMS.values()), np.float64)
    values = fit(rows[~held], results[~held], start, options.ridge)
    print(
        f"{len(rows):,} positions; held out: {loss(rows[held], results[held], start):.4f} before, "
        f"{loss(rows[held], results[held], values):.4f} after"
    )
    pieces = fit(rows[~held][:, :FLAG], results[~held], np.array(weights.WORTH), options.ridge)
    lines = "".join(f'    "{name}": {round(value, 1)},\n' for name, value in zip(weights.TERMS, values, strict=True))
    worth = ", ".join(str(round(value, 1)) for value in pieces)
    title = f'{HEADER}scripts/tune/fit_junqi.py)."""'
    replace_file(out, [f"{title}\n\nTERMS = {{\n{lines}}}\n\nWORTH = ({worth})\n{NOTE}".encode()], OWNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
