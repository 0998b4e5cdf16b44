"""Check the perft counts of a file of Xiangqi positions, and report the speed.

    python scripts/measure/count_perft.py perft.jsonl --max-nodes 1000000000

Each line of the file (default: tests/support/fixtures/xiangqi_perft.jsonl) is a JSON object: {"id", "fen",
"nodes": {depth: count}}. Positions that are not legal are skipped. The exit status is 1 if any count is wrong, or if
nothing was counted.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from scripts.common import script

from siqi.games.kernel.control import Control

DEFAULT = Path(__file__).parents[2] / "tests" / "support" / "fixtures" / "xiangqi_perft.jsonl"


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--max-nodes", type=int, default=10**12, help="skip larger counts")
    options = parser.parse_args()
    game = script.load("xiangqi")
    wrong, skipped, counts, total, seconds = 0, 0, 0, 0, 0.0
    for line in script.progress(options.file.read_text().splitlines(), " positions"):
        case = json.loads(line)
        try:
            position = game.position(case["fen"])
        except ValueError as error:
            print(f"{case['id']} skipped: {error}")
            skipped += 1
            continue
        for depth, expected in case["nodes"].items():
            if expected > options.max_nodes:
                continue
            started = time.perf_counter()
            counted = sum(nodes for _, nodes in game.perft(position, int(depth), Control()))
            elapsed = time.perf_counter() - started
            counts += 1
            total += counted
            seconds += elapsed
            wrong += counted != expected
            verdict = "ok" if counted == expected else f"WRONG, expected {expected}"
            speed = counted / elapsed / 1e6
            print(f"{case['id']} depth {depth}: {counted} in {elapsed:.2f} s, {speed:.0f} M/s, {verdict}")
    speed = total / seconds / 1e6 if seconds else 0.0
    print(
        f"{total} nodes in {seconds:.1f} s, {speed:.0f} M/s; {counts} counts, {wrong} wrong;"
        f" {skipped} positions skipped"
    )
    return int(wrong > 0 or counts == 0)


if __name__ == "__main__":
    sys.exit(main())
