"""The shape of the code: imports go down only, each kernel has one specialisation, the package is ours."""

from __future__ import annotations

import ast
import re
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


DAEMON = (
    ("clock", "events", "game_log", "options", "output", "pipes", "skill", "warm"),
    ("limits", "scheduler"),
    ("bench",),
    ("load_job",),
    ("search_job",),
    ("engine", "frontends.words"),
    ("frontends.base",),
    ("frontends",),
    ("serve",),
    ("command",),
    ("main",),
    ("__main__",),
)
"""The daemon's files, lowest first; a file imports from those below only. Front ends and the analysis: see below."""

BELOW_FRONT_ENDS = {"engine", "events", "limits", "options", "output", "pipes", "scheduler"}
SHARED_BY_FRONT_ENDS = {"base", "letters", "move_by_move", "uci_family", "words"}
BELOW_ANALYSIS = {"events", "limits", "options", "pipes", "search_job", "frontends.words"}
RELATIVES = {
    "ugi": {"uci"},  # UGI is UCI with questions
    "named": {"cloudict", "myai"},  # one of these
}

PROTOCOL_WORDS = re.compile(
    r"\b(bestmove|info string|isready|ponderhit|readyok|searchmoves|setoption|ucinewgame|uciok)\b"
    r"|\bposition (fen|startpos)\b"
)

MOST_ATTRIBUTES = 12


def imported(path: Path, for_types: bool = True) -> set[str]:
    """Return the modules that a file imports, those of ours also where they are taken from their package.

    Without `for_types`, what only annotations need is left out.
    """
    tree = ast.parse(path.read_text())
    if not for_types:
        tree.body = [node for node in tree.body if not ast.unparse(node).startswith("if TYPE_CHECKING:")]
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in inner if (ROOT / name.replace(".", "/")).with_suffix(".py").is_file()}
            names |= modules
            if len(modules) < len(inner):
                names.add(node.module)
    return names


def of_daemon(path: Path) -> set[str]:
    """Return the modules of the daemon that a file imports, without `daemon.`."""
    return {name.removeprefix("daemon.") for name in imported(path) if name.startswith("daemon.")}


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


@pytest.mark.parametrize("path", sorted((ROOT / "daemon").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_daemon_s_imports_go_down(path: Path) -> None:
    parts = path.relative_to(ROOT / "daemon").with_suffix("").parts
    names, module = of_daemon(path), ".".join(parts).removesuffix(".__init__")
    layers = {name: i for i, layer in enumerate(DAEMON) for name in layer}
    if parts[0] == "analysis":
        assert {name for name in names if not name.startswith("analysis.")} <= BELOW_ANALYSIS
    elif module in layers:
        names -= {"analysis.command", "frontends.uci_family"} if module == "command" else set()
        assert all(layers[name] < layers[module] for name in names), "an import goes up"
    elif module != "__init__":
        assert parts[0] == "frontends"
        others = {name.removeprefix("frontends.") for name in names if name.startswith("frontends.")}
        assert others <= SHARED_BY_FRONT_ENDS | RELATIVES.get(parts[1], set()), "a front end imports another"
        assert names - {f"frontends.{name}" for name in others} <= BELOW_FRONT_ENDS


def test_the_library_knows_no_front_end() -> None:
    assert not {name for name in of_daemon(ROOT / "siqi.py") if name.startswith(("frontends", "serve", "output"))}


def test_only_front_ends_have_a_protocol_s_words() -> None:
    """And the analysis, whose answers are JSON; docstrings may name them."""
    found = []
    for path in [*(ROOT / "daemon").rglob("*.py"), ROOT / "siqi.py"]:
        if path.parent.name in ("frontends", "analysis") or path.name == "command.py":
            continue
        tree = ast.parse(path.read_text())
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{path.name}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
            if PROTOCOL_WORDS.search(node.value)
        ]
    assert found == []


def test_no_class_of_the_daemon_has_many_attributes() -> None:
    """Fields of tuples and dataclasses are data, and do not count."""
    found = {}
    for path in [*(ROOT / "daemon").rglob("*.py"), ROOT / "siqi.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                attributes = {
                    inner.attr
                    for inner in ast.walk(node)
                    if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
                    if isinstance(inner.value, ast.Name) and inner.value.id == "self"
                }
                found[f"{path.name}: {node.name}"] = len(attributes)
    assert {name: count for name, count in found.items() if count > MOST_ATTRIBUTES} == {}
    assert max(found.values()) > MOST_ATTRIBUTES // 2  # they are found


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


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("*/*.py")), ids=lambda path: str(path.stem))
def test_rooms_of_scripts_share_by_lib_alone(path: Path) -> None:
    rooms = {name.split(".")[1] for name in imported(path) if name.startswith("scripts.")}
    assert rooms <= {"lib"}
