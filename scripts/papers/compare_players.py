"""Games between players of the papers' experiments and searchers of the engine, in one process.

    python scripts/papers/compare_players.py ewn games.jsonl --games 1000 --jobs 2 --pairing uct random
    python scripts/papers/compare_players.py junqi games.jsonl --nodes 2000 --jobs 2 --pairing siqi "siqi Algorithm=uct"

Players are those of ewn_uct/players.py and junqi_cooperation/players.py, a name with options. Games come in pairs,
sides swapped: in EWN the same random set-ups and throws, in Junqi the same two deployments, drawn from the learned
weights.
Every game is a line of the log; the same command resumes an interrupted run.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from scripts.common import script
from scripts.common.plots import check_plot, save_plot
from scripts.match.paired_games import draw_scores, run_games, score_table

from siqi.daemon.clients.player import PlayerLimits

FOLDERS = {"ewn": "ewn_uct", "junqi": "junqi_cooperation"}
"""The folder of each game's players."""


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("game", choices=FOLDERS)
    parser.add_argument("log", type=Path, help="JSON lines; continued if it exists")
    parser.add_argument("--pairing", nargs=2, action="append", required=True, metavar=("A", "B"))
    parser.add_argument("--games", type=int, default=400, help="of each pairing")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--ms", type=int, default=50, help="for a move")
    limit.add_argument("--nodes", type=int, default=0, help="for a move, in place of a time: nodes or playouts")
    script.add_jobs(parser)
    parser.add_argument("--plot", type=Path, help="an SVG or PNG to draw")
    options = parser.parse_args()
    check_plot(options.plot)
    play = importlib.import_module(f"scripts.papers.{FOLDERS[options.game]}.players").play
    each = PlayerLimits(nodes=options.nodes) if options.nodes else PlayerLimits(options.ms)
    records = run_games(play, options.pairing, options.log, options.games, each, script.jobs(options))
    print(score_table(records).markdown())
    if options.plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 4), layout="constrained")
        draw_scores(figure, records)
        save_plot(figure, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
