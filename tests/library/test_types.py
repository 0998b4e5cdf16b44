"""The types of the library, as a user's type checker reads them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

SCRIPT = """\
import siqi

board: siqi.Board = siqi.position("xiangqi")
with siqi.Engine("xiangqi", {"Threads": 2}) as engine:
    result = engine.play(board, siqi.Limit(depth=1))
    move: siqi.Move | None = result.move
    line: tuple[siqi.Move, ...] = engine.analyse(board, siqi.Limit(nodes=100), multipv=2)[0].pv
    for info in engine.analysis(board):
        first: siqi.Move = info.pv[0]
    word: str = result.move  # error: siqi.Move | None
    engine.play(siqi.position("ewn"), siqi.Limit(depth=1))  # error: another game's position
with siqi.Engine("ewn") as other:
    step: str | None = other.play(siqi.position("ewn"), siqi.Limit(depth=1)).move
siqi.Engine("chess")  # error: an unknown game
for name in siqi.GAMES:
    siqi.Engine(name).play(siqi.position(name), siqi.Limit(depth=1))


def best(engine: siqi.Engine, position: siqi.Position) -> object:
    return engine.play(position, siqi.Limit(time=1)).move


async def ponder(position: siqi.Position) -> str | None:
    async with siqi.AsyncEngine("junqi") as engine:
        async for info in engine.analysis(position):
            board.push(info.pv[0])  # error: a word
        return (await engine.play(position, siqi.Limit(time=1))).move
"""


def test_a_user_s_script_is_type_checked(tmp_path: Path) -> None:
    """The types of moves follow from the game; each line marked so, and no other, has an error."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--hide-error-context", "--no-pretty", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line}
    assert lines == {number for number, line in enumerate(SCRIPT.splitlines(), 1) if "# error" in line}, done.stdout
