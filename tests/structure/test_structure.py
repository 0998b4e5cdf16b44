"""The structure of the code: imports go down only, each kernel has one specialisation, there is one package."""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from lowest import requirements
from packaging.requirements import Requirement

from scripts.papers.paper import Paper, reference

import siqi.daemon
from siqi.games import registry
from siqi.system.messages import load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LIBRARY = tuple(sorted((ROOT / "siqi").glob("*.py")))
SOURCES = sorted([*(ROOT / "siqi/daemon").rglob("*.py"), *(ROOT / "siqi/games").rglob("*.py")])

PROTOCOL_WORDS = re.compile(
    r"\b(bestmove|info string|isready|ponderhit|readyok|searchmoves|setoption|ucinewgame|uciok)\b"
    r"|\bposition (fen|startpos)\b"
)

MAX_ATTRIBUTES = 12

CHINESE = load("zh")

HEAD = re.compile("(pass|fail|skip)  | +Elo ")
"""The beginning of a line that a command prints in columns, each of which is translated by itself."""

in_a_checkout = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")


def test_imports_go_down() -> None:
    """The contracts of pyproject.toml hold: folders are layers, games know no daemon and no other game, no cycles.

    In a process of its own: it disables the loggers that other tests read.
    """
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "kept" in done.stdout, done.stdout


def contracts() -> list[dict[str, Any]]:
    """Return the contracts of imports."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared: list[dict[str, Any]] = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return declared


def test_the_documents_name_the_layers_of_the_contracts() -> None:
    text = " ".join((ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8").split())
    lines = [contract["name"].partition(": ")[2] for contract in contracts() if contract["name"].count(" < ") > 1]
    assert len(lines) == 2 and all(line.partition(";")[0] in text for line in lines)


def test_only_front_ends_have_a_protocol_s_words() -> None:
    """Only front ends, clients, checks, and the analysis, whose answers are JSON, have words of protocols."""
    lines = []
    for path in [*(ROOT / "siqi/daemon").rglob("*.py"), *LIBRARY]:
        if path.parent.name in ("frontends", "clients", "check", "analysis") or path.name == "command_line.py":
            continue
        tree = ast.parse(path.read_text())
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        lines += [
            f"{path.name}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            if PROTOCOL_WORDS.search(node.value)
        ]
    assert lines == []


def test_no_class_of_the_daemon_has_many_attributes() -> None:
    """No class has many attributes; fields of tuples and dataclasses are data and do not count."""
    counts = {}
    for path in [*(ROOT / "siqi/daemon").rglob("*.py"), *LIBRARY]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                attributes = {
                    inner.attr
                    for inner in ast.walk(node)
                    if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
                    if isinstance(inner.value, ast.Name) and inner.value.id == "self"
                }
                counts[f"{path.name}: {node.name}"] = len(attributes)
    assert {name: count for name, count in counts.items() if count > MAX_ATTRIBUTES} == {}
    assert max(counts.values()) > MAX_ATTRIBUTES // 2  # the search finds attributes


def test_the_handshake_needs_no_numba() -> None:
    """Nothing heavy is imported before a game is needed; dataclasses, html and pathlib took 22 ms of 81."""
    heavy = {"dataclasses", "html", "inspect", "json", "msgspec", "numba", "numpy", "pathlib", "random"}
    code = (
        "import sys; sys.modules.pop('pathlib', None); import siqi.daemon.serve, siqi.daemon.engine.options as o;"
        f"list(o.declared()); print(sorted({heavy} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_a_command_line_is_parsed_without_numba() -> None:
    """Help, errors and `siqi warm --cache`, which says where kernels are compiled, come before numba is imported."""
    code = (
        "import sys; import siqi.daemon.command_line as c; c.build_parser(); print({'numba', 'numpy'} & {*sys.modules})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout == "set()\n"


def test_a_load_compiles_no_evaluation_that_is_not_in_force() -> None:
    """Only the selected evaluation is compiled, since each takes a second of the first load."""
    code = (
        "import sys; from siqi.games import registry; game = registry.load('xiangqi')\n"
        "p = 'siqi.games.xiangqi.evaluation.'; paper = 'siqi.games.xiangqi.paper.evaluation'\n"
        "print(sorted({p + 'terms', paper, p + 'accumulator'} & set(sys.modules)))\n"
        "game.set_option('Evaluation', 'terms'); game.searcher().configure(1, 1, 0); print(p + 'terms' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.split("\n")[:2] == ["['siqi.games.xiangqi.evaluation.accumulator']", "True"]


def test_the_package_is_one() -> None:
    """Nothing is top-level but `siqi`: others have a `daemon` too, and a module under two names would be two."""
    assert Path(siqi.daemon.__file__).resolve().parent == ROOT / "siqi/daemon"
    folders = [ROOT / name for name in ("scripts", "siqi", "tests")]
    sources = [path for folder in folders for path in folder.rglob("*.py")]
    for path in [*sources, *documents()]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (daemon|games)[\s.,]", text, re.MULTILINE), path


def documents() -> list[Path]:
    return [
        *ROOT.glob("*.md"),
        *(path for name in ("siqi/books", "docs", "scripts") for path in ROOT.glob(f"{name}/**/*.md")),
    ]


@in_a_checkout
def test_ci_installs_versions_that_are_admitted() -> None:
    """A version of each dependency: a new release of one then breaks no commit but the one that takes it."""
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    versions = {requirement.name.lower(): requirement.specifier for requirement in map(Requirement, lines[1:])}
    for required in requirements():
        if required.marker is None or required.marker.evaluate():
            (version,) = versions[required.name.lower()]
            assert version.operator == "==" and version.version in required.specifier, required


def test_every_dependency_has_one_lowest_version() -> None:
    """scripts/lowest.sh installs it."""
    for required in requirements():
        assert sum(bound.operator == ">=" for bound in required.specifier) == 1, required


def test_numba_is_bounded_by_the_newest_that_passed() -> None:
    """The kernels use private members of numba, which any minor version may change."""
    (numba,) = (required for required in requirements() if required.name == "numba")
    assert "0.68.1" in numba.specifier and "0.69.0" not in numba.specifier and "1.0" not in numba.specifier


@in_a_checkout
def test_the_checks_before_a_commit_are_the_tests_own() -> None:
    hooks = re.findall(r"^ +entry: (.+)$", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"), re.M)
    checks = re.findall(r"^(\.venv/bin/(?:ruff|mypy)[^&\n]*?)(?: &)?$", (ROOT / "scripts/test.sh").read_text(), re.M)
    assert hooks == checks and len(hooks) == 3


@in_a_checkout
def test_quick_checks_before_anything_is_installed_name_what_comes_first(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/test.sh", tmp_path / "scripts")
    done = subprocess.run(
        ["bash", "scripts/test.sh", "--quick"], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "nothing is installed yet: run scripts/test.sh without --quick once\n"


@in_a_checkout
def test_a_checkout_where_lines_end_otherwise_has_the_same_bytes(tmp_path: Path) -> None:
    """Git for Windows writes texts with CRLF if it is not told otherwise; transcripts would differ then."""
    git = ("git", "-c", "core.autocrlf=true", "-c", "core.symlinks=false")
    listed = subprocess.run([*git, "ls-files", "-s", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    subprocess.run([*git, "checkout-index", "-a", f"--prefix={tmp_path}/"], cwd=ROOT, check=True)
    for entry in listed.stdout.split("\0")[:-1]:
        _, blob, _, name = re.split(r"[ \t]", entry, maxsplit=3)
        content = (tmp_path / name).read_bytes()
        assert hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest() == blob, name


@pytest.mark.parametrize("name", [name for name in registry.NAMES if (ROOT / "siqi/games" / name / "rules").exists()])
def test_every_kernel_has_one_specialisation(name: str) -> None:
    """No kernel is compiled twice, as a read-only, strided or 32-bit input would do silently."""
    import gc

    from numba.core.registry import CPUDispatcher

    from siqi.daemon.engine.bench import set_up
    from siqi.games.contract import Task
    from siqi.games.kernel.control import Control

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
    gc.unfreeze()  # an engine in this process may have exempted what was imported
    dispatchers = [
        o for o in gc.get_objects() if issubclass(type(o), CPUDispatcher)
    ]  # `isinstance` would ask dead proxies
    kernels = [o for o in dispatchers if o.__module__.startswith(f"siqi.games.{name}")]
    assert any(k.signatures for k in kernels)  # kernels that only kernels call have no code of their own
    assert [k.__name__ for k in kernels if len(k.signatures) > 1] == []


FILES_OF_GAMES = {
    "": ("__init__", "board", "game", "search/search"),
    "data": ("data/bench",),
    "evaluation": ("evaluation/evaluate",),
    "formats": ("formats/table",),
    "rules": ("rules/lookup", "rules/movegen", "rules/notation", "rules/position", "rules/work"),
}
"""The files that every game has, and those that it has if it has the folder."""


def test_every_game_folder_reads_alike() -> None:
    """All that is in it is a layer of the contract, since the contract itself knows no layers but its own."""
    (layers,) = (contract["layers"] for contract in contracts() if contract.get("containers") == ["siqi.games.*"])
    names = {"__init__", *re.findall(r"\w+", " ".join(layers))}
    for name in registry.NAMES:
        folder = ROOT / "siqi/games" / name
        files = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.py")}
        present = {file.partition("/")[0] for file in files}
        assert present <= names, f"{name}: no layers: {present - names}"
        expected = {file for part, own in FILES_OF_GAMES.items() if part in {"", *present} for file in own}
        assert expected <= files, f"{name} lacks {expected - files}"


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, including our modules that it imports from their package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_folders_of_scripts_are_layers() -> None:
    """Folders are layers in the order of scripts/README.md; no folder imports another of its own layer."""
    (line,) = re.findall(r"^`common` < .*$", (ROOT / "scripts/README.md").read_text(encoding="utf-8"), re.MULTILINE)
    layers = {folder: i for i, part in enumerate(line.split(" < ")) for folder in re.findall(r"`([\w/]+)`", part)}
    upward = []
    for path in (ROOT / "scripts").glob("*/**/*.py"):
        own = path.relative_to(ROOT / "scripts").parent
        for name in imported(path):
            folder = folder_of(name) if name.startswith("scripts.") else own
            if folder != own and not layers[layer_name(folder)] < layers[layer_name(own)]:
                upward.append(f"{path.relative_to(ROOT)} imports {name}")
    assert upward == []


def layer_name(folder: Path) -> str:
    """Return a folder's name in that line."""
    return "papers/NAME" if folder.parent.name == "papers" else folder.as_posix()


def folder_of(module: str) -> Path:
    """Return the folder of a module of `scripts`, or of a name in one."""
    parts = module.split(".")[1:]
    while not (ROOT / "scripts").joinpath(*parts).is_dir():
        parts.pop()
    return Path(*parts)


PAGES = [path for path in documents() if path.with_suffix(".zh.md").exists()]
"""The pages in English that have a Chinese one."""

MAX_WORDS = 900


def names(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_readme_is_of_one_screen_and_has_both_languages() -> None:
    assert {names(page) for page in PAGES} >= {"README.md", "protocol.md", "docs/index.md"}
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= MAX_WORDS


@functools.cache
def in_chinese(line: str) -> str:
    """Return a line that a command prints as it does so in Chinese."""
    return CHINESE.translate(line)


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_both_languages_show_the_same_commands(page: Path) -> None:
    blocks, words = r"^```\w*\n(.*?)^```$", r"`([^`]+)`"
    english, chinese = (path.read_text(encoding="utf-8") for path in (page, page.with_suffix(".zh.md")))
    shown = ["\n".join(re.findall(blocks, text, re.DOTALL | re.MULTILINE)) for text in (english, chinese)]
    for line, translation in zip(*(text.split("\n") for text in shown), strict=True):
        assert translation in (line, in_chinese(line)) or HEAD.match(line)
    rest = [re.sub(blocks, "", text, flags=re.DOTALL | re.MULTILINE) for text in (english, chinese)]
    inline = [{" ".join(word.split()) for word in re.findall(words, text)} for text in rest]
    assert {word for word in inline[0] - inline[1] if in_chinese(word) not in inline[1]} == set()
    assert inline[1] - inline[0] <= set(map(in_chinese, inline[0]))


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_both_languages_have_the_same_sections_and_tables(page: Path) -> None:
    """Headings are of the same levels, tables have as many rows and columns; escaped bars are text."""
    blocks, shape = r"^```.*?^```$", r"^(#+) |^\|(.*)\|$"
    shapes = []
    for path in (page, page.with_suffix(".zh.md")):
        text = re.sub(blocks, "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        found = re.findall(shape, text.replace(r"\|", ""), re.MULTILINE)
        shapes.append([heading or row.count("|") for heading, row in found])
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_chinese_pages_lead_to_chinese_pages(page: Path) -> None:
    """Only the link at the top leads from a Chinese page to an English one that has a Chinese version."""
    chinese = page.with_suffix(".zh.md")
    links = re.findall(r"\]\(([^)#\s]+\.md)[)#]", chinese.read_text(encoding="utf-8"))
    assert [link for link in links if (chinese.parent / link).resolve() in PAGES] == [page.name]


@pytest.mark.parametrize("page", sorted(documents()), ids=names)
def test_links_lead_somewhere(page: Path) -> None:
    """Links to files of the repository, and to headings in them, have a target."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, heading = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}, link


def test_the_tests_of_an_area_are_there() -> None:
    """Each file, folder and pattern of tests in CONTRIBUTING.md, and each folder that changes, exists."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^## Which tests to run$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for _, changed, run, _ in rows:
        for name in re.findall(r"`([^`]+)`", run):
            assert list(ROOT.glob(re.sub("<[^>]+>", "*", name))), name
        for name in re.findall(r"`(siqi/[^`]+)`", changed):
            assert list(ROOT.glob(name)), name


@pytest.mark.parametrize("number", range(1, 6))
def test_a_paper_is_cited_as_its_command_does(number: int) -> None:
    """Each paper has a page with the reference and the command of one of the papers' folders."""
    page = DOCS / f"results/paper-{number}.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    (name,) = set(re.findall(r"python -m scripts\.papers\.(\w+)", text))
    experiments = (ROOT / "scripts/papers" / name / "experiments.py").read_text(encoding="utf-8")
    calls = (node for node in ast.walk(ast.parse(experiments)) if isinstance(node, ast.Call))
    call = next(node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "Paper")
    assert reference(Paper(*map(ast.literal_eval, call.args))) in text
    chinese = page.with_suffix(".zh.md").read_text(encoding="utf-8")
    assert f"scripts.papers.{name}" in chinese and re.search(r"[\u4e00-\u9fff]．?.*(19|20)\d\d", chinese)


POSIX_ONLY = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")

WITHOUT_POSIX = """
import io, sys
sys.modules.update(dict.fromkeys({names}))
import siqi
board = siqi.Board()
board.push_uci("h2e2")
from siqi.daemon.cluster import jobs
from siqi.daemon.command_line import run
assert run(["show", "startpos moves h2e2", "--svg", "board.svg"]) == 0
assert run(["analyse", "positions.jsonl", "--resume", "answers.jsonl"]) == 0
sys.argv = ["siqi"]
sys.stdin = io.TextIOWrapper(io.BytesIO(b"uci\\nposition startpos\\ngo nodes 100\\nquit\\n"))
from siqi.daemon.main import main
main()
"""


def test_no_module_that_only_posix_has_is_needed(tmp_path: Path) -> None:
    """The library, the daemon and the commands that write files run without the modules that Windows lacks."""
    (tmp_path / "positions.jsonl").write_text('{"id": "a", "nodes": 100}\n')
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX.format(names=POSIX_ONLY)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("bestmove ")
    assert (tmp_path / "answers.jsonl").read_text().startswith('{"id":"a"')
