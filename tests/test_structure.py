"""The shape of the code: imports go down only, each kernel has one specialisation, the package is ours."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import daemon
from games import registry

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "daemon").rglob("*.py"), *(ROOT / "games").rglob("*.py")])

LAYERS = (
    ("tables", "weights", "deployments", "advantages", "habits", "tuned", "endings"),
    ("position",),
    ("work",),
    ("movegen", "belief", "numbering"),
    (
        "rules",
        "evaluate",
        "exchange",
        "notation",
        "probe",
        "tablebase",
        "patterns",
        "attacks",
        "candidates",
        "symmetry",
        "setupbook",
        "worlds",
        "behaviour",
    ),
    ("playout",),
    ("threats", "bench", "situation", "intent", "bounds"),
    ("rulebook", "proof"),
    ("history", "knowledge"),
    ("setup", "root"),
    ("search", "uct", "flat"),
    ("cooperation",),
    ("game",),
    ("move",),
    ("san", "outcome", "placement", "svg"),
    ("status",),
    ("board", "chess_engine", "listing", "style"),
    ("pgn",),
    ("record",),
)
"""A game's files, lowest first; a file may import from its own layer and those below."""


def imported(path: Path, for_types: bool = True) -> set[str]:
    """Return the modules that a file imports, with or without what only annotations need."""
    tree = ast.parse(path.read_text())
    if not for_types:
        tree.body = [node for node in tree.body if not ast.unparse(node).startswith("if TYPE_CHECKING:")]
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def layer(module: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if module in names)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    names = imported(path)
    if parts[0] == "daemon":
        games = {name for name in names if name.startswith("games.")}
        shared = {"games.contract", "games.compiling", "games.files", "games.options", "games.registry", "games.shape"}
        assert games <= shared | {name for name in games if name.startswith("games.kernel")}
        return
    assert not {name for name in names if name.split(".")[0] == "daemon"}
    if parts[1] in ("kernel", "search"):
        below = ("games.kernel", *(("games.search", "games.contract") if parts[1] == "search" else ()))
        assert not {name for name in names if name.startswith("games.") and not name.startswith(below)}
    elif len(parts) == 3:
        others = {name for name in names if name.startswith(tuple(f"games.{n}" for n in registry.NAMES))}
        assert all(name.split(".")[1] == parts[1] for name in others), "a game imports another"
        own = {name.split(".")[2] for name in others & imported(path, for_types=False) if name.count(".") == 2}
        if parts[2] != "__init__":
            assert all(layer(name) <= layer(parts[2]) for name in own), "an import goes up"
    if "kernel" not in parts and path.name in ("position.py", "movegen.py", "search.py", "rules.py"):
        assert not names & {"msgspec", "logging"}


def test_the_handshake_needs_no_numba() -> None:
    """Nothing heavy is imported before a game is needed."""
    code = (
        "import sys, daemon.serve, daemon.options as o; list(o.declared());"
        "print(sorted({'numba', 'numpy', 'msgspec'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_the_packages_are_ours() -> None:
    """Other distributions have a top-level `daemon` too."""
    assert Path(daemon.__file__).resolve().parent == ROOT / "daemon"


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_kernel_has_one_specialisation(name: str) -> None:
    """A read-only, strided or 32-bit input would silently compile another."""
    import gc

    from numba.core.registry import CPUDispatcher

    from daemon.bench import set_up
    from games.contract import Task
    from games.kernel.control import Control

    game = registry.load(name)
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    for item in game.bench[:2]:
        position = set_up(game, item)
        searcher.start(Task(position, Control(1000)))
        searcher.iterate()
        searcher.finish()
        game.evaluate(position)
        position.outcome()
    kernels = [o for o in gc.get_objects() if isinstance(o, CPUDispatcher) and o.__module__.startswith(f"games.{name}")]
    assert kernels
    assert [k.__name__ for k in kernels if len(k.signatures) != 1] == []


def test_every_game_folder_reads_alike() -> None:
    common = {"__init__", "bench", "evaluate", "game", "movegen", "notation", "position", "search", "tables", "work"}
    for name in registry.NAMES:
        files = {path.stem for path in (ROOT / "games" / name).glob("*.py")}
        assert common <= files, f"{name} lacks {common - files}"
