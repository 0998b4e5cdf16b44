"""Faults of the machine: full or read-only disks, vanishing files, signals, a flood of lines."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import forked
import pytest
from client import COMMAND, ROOT, START_TIMEOUT_S, Client

from siqi.games.kernel import jit
from siqi.games.kernel.cache import KernelFile, unsafe_step

EWN = "setoption name UCI_Variant value ewn"  # the quickest to compile
THROW = ("position startpos moves 123456 615243", "dice 2")
MATE_IN_ONE = "position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w"


def warnings(client: Client) -> list[str]:
    return [line for line in client.seen if line.startswith("info string warning")]


def limited(size: int) -> str:
    """Return the program of a daemon for which no file may grow beyond `size` bytes, as on a full disk."""
    return f"{forked.limit_files(size)}from siqi.daemon.main import main; main()"


def compiled(client: Client) -> int:
    """Return the number of kernels compiled before the game was ready."""
    lines = [re.match(r"info string compiled \w+: (\d+) kernels", line) for line in client.seen]
    return sum(int(line[1]) for line in lines if line)


# Kernels


@pytest.mark.parametrize("thread", [0, 1])
def test_a_fault_of_a_kernel_ends_its_search_alone(thread: int, tmp_path: Path) -> None:
    """The search answers with its best move, the place is logged or goes to standard error, and play continues."""
    command = (sys.executable, str(ROOT / "tests/support/faulty_daemon.py"), "9", str(thread))
    log = tmp_path / "log.txt"
    to_log = [f"setoption name Debug Log File value {log}"] if thread else []
    with Client(*to_log, "setoption name Threads value 2", command=command) as client:
        client.send("isready")
        client.expect("readyok", START_TIMEOUT_S)
        client.send("position startpos moves h2e2", "go infinite")
        lines = client.expect("bestmove")
        # The other thread may finish its iteration, and report it, after the error.
        assert "info string error internal: a kernel faulted; standard error or the debug log has the place" in lines
        assert lines[-1].split()[1] == next(line for line in lines[::-1] if " pv " in line).split(" pv ")[1].split()[0]
        client.send("isready", "position startpos", "go depth 12")
        after = client.expect("bestmove")
        assert after[0] == "readyok" and not [line for line in after if "internal" in line]
        client.send("quit")
        assert client.end() == 0
        place = log.read_text() if thread else client.errors
        assert "Segmentation fault" in place and "faulty_daemon.py" in place


@pytest.mark.parametrize("holds_gil", [False, True])
def test_a_fault_on_the_thread_that_answers_ends_the_process(holds_gil: bool) -> None:
    """The process ends: otherwise the thread would hang for ever, and with it the daemon."""
    code = f"""
import ctypes, threading
from siqi.system.faults import FaultGuard
from siqi.games.kernel.intrinsics import load
from siqi.games.kernel.jit import entry, int64

@entry(int64(int64))
def read(address):
    return load(address)

FaultGuard(lambda: None).start()
if {holds_gil}:
    thread = threading.Thread(target=ctypes.string_at, args=(8,))
    thread.start()
    thread.join()
read(8)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGSEGV
    assert b"Segmentation fault" in done.stderr


# Disks


@pytest.mark.long
def test_a_cache_on_a_full_disk(tmp_path: Path) -> None:
    """The first process compiles for itself only, with a warning, and leaves nothing that harms the next."""
    environment = {**os.environ, "SIQI_CACHE": str(tmp_path)}
    with Client(EWN, environment=environment, program=limited(20_000)) as client:
        client.sync()
        assert [line for line in warnings(client) if f"{tmp_path}" in line and "File too large" in line]
        client.search(*THROW, "go nodes 50")
        assert compiled(client) > 5
    for kernels in (True, False):
        with Client(EWN, environment=environment) as client:
            client.sync()
            assert warnings(client) == []
            assert (compiled(client) > 0) == kernels
            client.search(*THROW, "go nodes 50")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return a cache of its own with a copy of EWN's kernels."""
    with Client(EWN) as client:
        client.sync()
    assert jit.CACHE_FOLDER is not None
    being_written = shutil.ignore_patterns("*.tmp.*")  # of other tests: they vanish before they are copied
    shutil.copytree(jit.CACHE_FOLDER, tmp_path / jit.CACHE_FOLDER.name, ignore=being_written)
    newest: dict[str, Path] = {}  # of each function: others are of other versions of the sources, and not used
    for path in sorted(kernels(tmp_path), key=lambda path: path.stat().st_mtime):
        if other := newest.get(path.name.rpartition("-")[0]):
            other.unlink()
        newest[path.name.rpartition("-")[0]] = path
    return tmp_path


def flip(path: Path) -> None:
    """Flip one bit of a file, in its digest or anywhere after it."""
    rng = random.Random(path.name)
    data = bytearray(path.read_bytes())
    data[rng.choice((rng.randrange(16), rng.randrange(len(data))))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def folder(path: Path) -> None:
    path.unlink()
    (path / "more").mkdir(parents=True)
    (path / "more" / "file").write_bytes(b"x")


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def lengthened(path: Path) -> None:
    with path.open("ab") as file:
        file.write(bytes(100))


def kernels(cache: Path) -> list[Path]:
    """Return the cache files that every start of EWN loads, sorted."""
    parts = (
        "evaluation.evaluate",
        "search.playout",
        "knowledge.probe",
        "rules.movegen",
        "rules.position",
        "search.proof",
        "search.search",
    )
    files = sorted(path for part in parts for path in cache.glob(f"*/siqi.games.ewn.{part}.*.kernel"))
    return [path for path in files if ".perft-" not in path.name]


def kernels_by_size(cache: Path) -> list[Path]:
    """Return the same files, those first that are compiled soonest."""
    return sorted(kernels(cache), key=lambda path: path.stat().st_size)


def test_a_kernel_declared_beside_a_load_waits_for_nothing() -> None:
    """A thread that loads a game must not build the kernels of a module that another one imports: building imports the
    module, which the other thread locks while it waits for the kernels."""
    actual = []

    def declare() -> None:
        @jit.entry(jit.int64(jit.int64))
        def twice(number: int) -> int:
            return number * 2

        actual.append((len(twice.overloads), twice(4)))

    with jit.together("none"):
        thread = threading.Thread(target=declare, daemon=True)
        thread.start()
        thread.join(100)
        assert actual == [(1, 8)]


@pytest.mark.long
def test_a_damaged_cache_heals(cache: Path) -> None:
    """After a power failure or a memory error, the first start compiles the kernels that are damaged, and later ones
    compile nothing."""
    harms = (flip, flip, cut, empty, folder, dangling, lengthened)
    environment = {**os.environ, "SIQI_CACHE": str(cache)}
    victims = kernels(cache)[:-1]
    assert len(victims) >= len(set(harms))
    for number, victim in enumerate(victims):
        harms[number % len(harms)](victim)
    with Client(EWN, environment=environment) as client:
        client.sync()
        assert compiled(client) == len(victims) and warnings(client) == []
        client.search(*THROW, "go nodes 50")
    assert all(victim.is_file() and not victim.is_symlink() for victim in victims)
    with Client(EWN, environment=environment) as client:
        client.sync()
        assert compiled(client) == 0 and warnings(client) == []
        client.search(*THROW, "go nodes 50")
    assert not list(cache.glob("*/*.tmp.*"))


def test_no_flipped_bit_of_a_cache_is_run(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel with any bit flipped is not loaded: it would be run as machine code."""
    (path, *_) = kernels(cache)
    sound = path.read_bytes()
    file = KernelFile([path.parent], kernels, None, None)
    monkeypatch.setattr(file, "_paths", [path])
    rng = random.Random(1)
    for bit in [*range(200), *(rng.randrange(8 * len(sound)) for _ in range(800))]:
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        assert file.read() is None
    path.write_bytes(sound)
    assert file.read() == sound[16:]


@pytest.mark.long
@pytest.mark.parametrize(
    ("edited", "loads"),
    [
        ("connect6/search/search.py", True),
        ("xiangqi/rules/movegen.py", True),
        ("ewn/picture.py", True),
        ("ewn/search/search.py", False),
        ("kernel/tt.py", False),
    ],
)
def test_an_edit_of_one_game_recompiles_that_game_only(edited: str, loads: bool, cache: Path, tmp_path: Path) -> None:
    """EWN's kernels are found again unless its sources changed, or those that all games share."""
    package = tmp_path / "copy/siqi"
    shutil.copytree(ROOT / "siqi", package, ignore=shutil.ignore_patterns("__pycache__", "*.ending", "*.network"))
    with (package / "games" / edited).open("a", encoding="utf-8") as file:
        file.write("# A comment.\n")
    environment = {**os.environ, "SIQI_CACHE": str(cache)}
    with Client(EWN, "isready", environment=environment, command=COMMAND, folder=package.parent) as client:
        lines = client.expect(lambda line: line == "readyok" or "compiling" in line, START_TIMEOUT_S)
        assert (lines[-1] == "readyok") == loads


def test_versions_of_a_kernel_that_nobody_uses_are_removed(tmp_path: Path) -> None:
    """Writing a kernel removes its versions unused for a month; reading one marks it as used."""
    versions = [KernelFile([tmp_path], kernels, version, None) for version in range(3)]
    other = KernelFile([tmp_path], warnings, 0, None)
    for file in (*versions[:2], other):
        file.write(b"code")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    assert versions[1].read() == b"code"
    versions[2].write(b"code")
    assert [file.read() for file in (*versions, other)] == [None, b"code", b"code", b"code"]


def check_two_processes(environment: dict[str, str]) -> None:
    """Check that two processes started together both play, and leave a cache in which a third finds all kernels."""
    with Client(EWN, "isready", environment=environment) as one, Client(EWN, "isready", environment=environment) as two:
        for client in (one, two):
            client.expect("readyok", START_TIMEOUT_S)
            assert warnings(client) == []
            client.search(*THROW, "go nodes 50")
    with Client(EWN, environment=environment) as third:
        third.sync()
        assert compiled(third) == 0 and warnings(third) == []
        third.search(*THROW, "go nodes 50")


@pytest.mark.long
def test_two_processes_heal_a_cache_at_once(cache: Path) -> None:
    environment = {**os.environ, "SIQI_CACHE": str(cache)}
    for victim in kernels_by_size(cache)[:2]:
        flip(victim)
    check_two_processes(environment)


@pytest.mark.long
def test_a_damaged_cache_that_cannot_be_written(cache: Path) -> None:
    """Undamaged kernels are used; the rest is compiled at each start, with a warning."""
    environment = {**os.environ, "SIQI_CACHE": str(cache)}
    flip(kernels(cache)[0])
    for _ in range(2):
        with Client(EWN, environment=environment, program=limited(0)) as client:
            client.sync()
            assert compiled(client) == 1
            assert [line for line in warnings(client) if f"{cache}" in line and "File too large" in line]
            client.search(*THROW, "go nodes 50")


NOBODY = 65534

READER = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"),
)
"""A user that may read all files, so that it can run this interpreter, but write none of root's."""

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="needs root and setpriv, to be two users",
)


@pytest.fixture
def shared(cache: Path) -> Iterator[Path]:
    """Yield a cache of root's in its own folder, whose parents other users cannot change."""
    with tempfile.TemporaryDirectory(prefix="siqi-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(cache, folder / "cache")
        yield folder / "cache"


def as_reader(folder: Path, own: Path) -> Client:
    environment = {**os.environ, "SIQI_CACHE": str(folder), "XDG_CACHE_HOME": str(own)}
    return Client(EWN, environment=environment, command=(*READER, *COMMAND))


@pytest.mark.long
@needs_root
def test_a_cache_of_root_is_used_by_others(shared: Path) -> None:
    own = shared.parent / "own"
    own.mkdir()
    os.chown(own, NOBODY, NOBODY)
    with as_reader(shared, own) as client:
        client.sync()
        assert compiled(client) == 0 and warnings(client) == []
        client.search(*THROW, "go nodes 50")
    missing = kernels_by_size(shared)[0]
    missing.unlink()
    for count in (1, 0):
        with as_reader(shared, own) as client:
            client.sync()
            assert compiled(client) == count and warnings(client) == []
    assert not missing.exists() and [path.name for path in own.rglob("*.kernel")] == [missing.name]


@needs_root
def test_a_whole_cache_needs_no_folder_that_can_be_written(shared: Path) -> None:
    prepared = "import tempfile; tempfile.gettempdir = lambda: '/proc/nowhere'; import sys; sys.path.insert(0, {!r})"
    code = f"{prepared.format(str(ROOT))}; from siqi.daemon.main import main; main()"
    environment = {**os.environ, "SIQI_CACHE": str(shared), "XDG_CACHE_HOME": "/proc/nowhere"}
    with Client(EWN, environment=environment, command=(*READER, sys.executable, "-c", code)) as client:
        client.sync()
        assert compiled(client) == 0 and warnings(client) == []


def writable_file(cache: Path) -> Path:
    kernels(cache)[0].chmod(0o666)
    return cache


def file_of_another(cache: Path) -> Path:
    os.chown(kernels(cache)[0], NOBODY, NOBODY)
    return cache


@pytest.mark.long
@needs_root
@pytest.mark.parametrize("harm", [writable_file, file_of_another])
def test_a_kernel_that_others_could_write_is_compiled_anew(cache: Path, harm: Callable[[Path], Path]) -> None:
    with Client(EWN, environment={**os.environ, "SIQI_CACHE": str(harm(cache))}) as client:
        client.sync()
        assert compiled(client) == 1 and warnings(client) == []
    status = kernels(cache)[0].stat()
    assert status.st_uid == os.geteuid() and not status.st_mode & 0o022


def test_a_folder_that_others_can_change_is_no_cache(tmp_path: Path) -> None:
    folder = tmp_path / "upper" / "cache"
    folder.mkdir(parents=True)
    assert unsafe_step(folder) is None
    assert unsafe_step(folder / "missing" / "too") is None
    for mode in (0o775, 0o777, 0o1777):
        folder.chmod(mode)
        assert unsafe_step(folder) == folder
    folder.chmod(0o755)
    folder.parent.chmod(0o1777)  # like /tmp
    assert unsafe_step(folder) is None
    folder.parent.chmod(0o777)
    assert unsafe_step(folder) == unsafe_step(folder / "..") == folder.parent
    (tmp_path / "second").symlink_to(folder)
    (tmp_path / "first").symlink_to("second")
    assert unsafe_step(tmp_path / "first") == folder.parent
    (folder.parent / "out").symlink_to(tmp_path)  # others could redirect it
    assert unsafe_step(folder.parent / "out") == folder.parent
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError):
        unsafe_step(tmp_path / "loop")


@needs_root
def test_a_folder_of_another_user_is_no_cache(tmp_path: Path) -> None:
    folder = tmp_path / "upper" / "cache"
    folder.mkdir(parents=True)
    os.chown(folder.parent, NOBODY, NOBODY)
    assert unsafe_step(folder) == folder.parent
    os.chown(folder.parent, 0, 0)
    link = tmp_path / "link"
    link.symlink_to(folder)
    os.lchown(link, NOBODY, NOBODY)
    assert unsafe_step(link) == link


def warm(folder: Path, status: int = 0) -> str:
    command = [*COMMAND, "warm", "ewn", "--cache", str(folder)]
    done = subprocess.run(
        ["sh", "-c", 'umask 077; exec "$@"', "sh", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.mark.long
def test_kernels_are_compiled_for_others_to_read(cache: Path) -> None:
    """Others may read the kernels whatever the umask; nothing is written outside the folder that was named."""
    (first, *_) = kernels(cache)
    first.unlink()
    warm(cache)
    assert first.stat().st_mode & 0o777 == 0o644
    cache.chmod(0o777)
    assert warm(cache, status=2) == f"siqi warm: cache {cache}: others can change {cache}\n"
    assert "cache /proc/nowhere: " in warm(Path("/proc/nowhere"), status=2)


def test_a_cache_that_is_not_used_is_named(cache: Path) -> None:
    (cache / "siqi").symlink_to(cache)
    kernels(cache)[0].unlink()
    unsafe = cache / "unsafe"
    unsafe.mkdir()
    unsafe.chmod(0o777)
    environment = {**os.environ, "SIQI_CACHE": str(unsafe), "XDG_CACHE_HOME": str(cache)}
    with Client(EWN, environment=environment) as client:
        client.sync()
        assert compiled(client) == 1
        assert f"info string cache {unsafe}: others can change {unsafe}" in client.seen


@needs_root
def test_a_user_without_a_home() -> None:
    code = "from siqi.games.kernel import cache; print(cache.CACHE_FOLDER.parent)"
    command = [word.replace(str(NOBODY), "12345") for word in (*READER, sys.executable, "-c", code)]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o1777)
        environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "TMPDIR": folder}
        done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)
        assert done.stdout == f"{folder}/siqi-12345\n", done.stderr


@pytest.mark.parametrize(
    ("platform", "folder"), [("darwin", "Library/Caches/siqi"), ("win32", "AppData/Local/siqi/Cache")]
)
def test_the_cache_of_other_systems(platform: str, folder: str, tmp_path: Path) -> None:
    code = f"""
import os, sys, numba
sys.platform = {platform!r}
if sys.platform == "win32":
    import platformdirs.windows as windows
    windows.get_win_folder = windows.get_win_folder_from_env_vars
    del os.geteuid
import siqi.games.kernel.cache as cache
print(cache.CACHE_FOLDER.parent.as_posix().replace(chr(92), "/"))
"""
    local = {"LOCALAPPDATA": f"{tmp_path}/AppData/Local", "USERPROFILE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], **local},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == f"{tmp_path}/{folder}", done.stderr


@pytest.mark.long
def test_nothing_can_be_written_anywhere() -> None:
    """The daemon plays without a home, with a read-only disk and no temporary folder."""
    nowhere = dict.fromkeys(("HOME", "SIQI_CACHE", "XDG_CACHE_HOME", "TMPDIR"), "/proc/nowhere")
    prepared = "import tempfile; tempfile.gettempdir = lambda: '/proc/nowhere'"
    command = (sys.executable, "-c", f"{prepared}; from siqi.daemon.main import main; main()")
    with Client(EWN, environment=nowhere, command=command, folder="/proc") as client:
        client.sync()
        assert warnings(client) == ["info string warning kernels are compiled at every start; no folder can be written"]
        client.search(*THROW, "go nodes 50")


def test_a_game_that_cannot_be_loaded() -> None:
    """Each line that needs the game is refused once."""
    command = (
        sys.executable,
        "-c",
        "import sys; sys.modules['numba'] = None; from siqi.daemon.main import main; main()",
    )
    with Client(command=command) as client:
        for _ in range(2):
            client.send("isready")
            lines = client.expect(lambda line: line.endswith("xiangqi could not be loaded: isready"))
            assert len(lines) == 2 and "ModuleNotFoundError" in lines[0] + lines[1]
        client.send("quit")
        assert client.rest() == [] and client.end() == 0


def test_a_fault_of_a_front_end_ends_one_line() -> None:
    """A fault while a line or an event is handled, or after it, leaves no search unanswered."""
    script = (
        "from siqi.daemon.frontends.uci import Uci; run_queued = Uci.run_queued\n"
        "def fault(*arguments): raise ZeroDivisionError('x')\n"
        "def fault_once(self): Uci.run_queued = run_queued; fault()\n"
        "Uci.score_text = fault; Uci.run_queued = fault_once\n"
        "from siqi.daemon.main import main; main()"
    )
    internal = "info string error internal: ZeroDivisionError: x"
    with Client("uci", program=script) as client:
        assert client.expect(lambda line: line == internal)[-2] == "uciok"
        client.sync()
        assert client.search("go depth 1") == [internal, client.seen[-1]] and client.seen[-1] != "bestmove (none)"
        assert client.answers("position fen 4k4/9/9/9/9/9/9/9/9/3K5 w", "d")[-1] == "Result: draw no-attackers"


@pytest.mark.long
def test_two_processes_compile_into_one_cache_at_once(tmp_path: Path) -> None:
    environment = {**os.environ, "SIQI_CACHE": str(tmp_path)}
    check_two_processes(environment)


@pytest.mark.long
def test_a_helper_that_is_killed(tmp_path: Path) -> None:
    """The process that it helps compiles the rest, and no process is left."""
    environment = {**os.environ, "SIQI_CACHE": str(tmp_path)}
    with Client(EWN, "isready", environment=environment) as client:
        client.expect(lambda line: "compiling" in line, START_TIMEOUT_S)
        tasks = Path(f"/proc/{client.process.pid}/task")
        helpers = [int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()]
        assert len(helpers) == min(len(os.sched_getaffinity(0)) - 1, 2)
        for helper in helpers:
            os.kill(helper, signal.SIGKILL)
        client.expect("readyok", START_TIMEOUT_S)
        assert warnings(client) == [] and not any(Path(f"/proc/{helper}").exists() for helper in helpers)
        client.search(*THROW, "go nodes 50")
    with Client(EWN, environment=environment) as client:
        client.sync()
        assert compiled(client) == 0 and warnings(client) == []


def test_learn_on_a_full_disk(tmp_path: Path) -> None:
    """A game is written completely or not at all."""
    path = tmp_path / "games.jsonl"
    path.write_text('{"game": "ewn", "moves": ["123456"], "result": "1-0", "end": "corner"}\n')
    before = path.read_text()
    with Client(f"setoption name GameLog value {path}", program=limited(len(before) + 30)) as client:
        client.answers(f"{MATE_IN_ONE} moves a7a9")
        client.send("ucinewgame")
        client.sync()
        assert [line for line in warnings(client) if "GameLog" in line and "No space left" in line]
        assert path.read_text() == before
        client.search(MATE_IN_ONE, "go depth 2")
    with Client(f"setoption name GameLog value {path}") as client:
        client.answers(f"{MATE_IN_ONE} moves a7a9", "ucinewgame")
        client.sync()
    assert [json.loads(line)["game"] for line in path.read_text().splitlines()] == ["ewn", "xiangqi"]


def test_books_that_vanish_while_they_are_open(tmp_path: Path) -> None:
    """Books in memory stay in use; a book opened later is missing, with a warning, and play continues."""
    endings, book = tmp_path / "endings", tmp_path / "openings.book"
    shutil.copytree(ROOT / "siqi/books/xiangqi-endings", endings)
    shutil.copy(ROOT / "siqi/books/xiangqi-openings.book", book)
    options = (f"EndgamePath value {endings}", f"BookFile value {book}", "OwnBook value true")
    with Client(*(f"setoption name {option}" for option in options)) as client:
        assert client.search("position startpos", "go depth 1")
        client.search("position fen 3k5/9/9/9/9/9/9/9/4R4/4K4 w", "go nodes 1000")
        shutil.rmtree(endings)
        book.unlink()
        for position in ("startpos", "fen 3k5/9/9/9/9/9/9/9/4R4/4K4 w", "fen 3k5/9/4b4/9/9/9/9/9/4C4/4KA3 w"):
            client.send("ucinewgame", f"position {position}", "book", "probe")
            client.search("go nodes 1000")
        assert not [line for line in client.seen if "internal" in line]


def test_answers_to_a_full_disk(tmp_path: Path) -> None:
    """`siqi analyse` ends with an error line, whatever input is left."""
    path = tmp_path / "many.fen"
    path.write_text("4k4/9/9/9/9/9/9/9/9/3K5 w\n" * 1500)
    command = [*COMMAND, "analyse", "--from", "fen", "--nodes", "10", str(path)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=START_TIMEOUT_S, text=True, check=False
        )
    assert done.returncode == 1
    assert re.sub(r"siqi analyse: compil.*\n", "", done.stderr) == "siqi analyse: the output: No space left on device\n"


def test_answers_to_a_file_on_a_full_disk(tmp_path: Path) -> None:
    """No answer stays half written, and a later run keeps the answers that were written."""
    path, fens = tmp_path / "out.jsonl", tmp_path / "many.fen"
    fens.write_text("4k4/9/9/9/9/9/9/9/9/3K5 w\n" * 50)
    arguments = ["analyse", "--from", "fen", "--nodes", "10", "--resume", str(path), str(fens)]
    done = forked.run(*arguments, program=limited(5000))
    assert done.returncode == 1
    assert done.stderr.endswith((b"No space left on device\n", b"File too large\n"))
    assert b"Traceback" not in done.stderr
    assert 4000 < path.stat().st_size <= 5000 and path.read_text().endswith("}\n")
    assert forked.run(*arguments).returncode == 0
    assert sorted(int(json.loads(line)["id"]) for line in path.read_text().splitlines()) == list(range(1, 51))


# Signals and pipes


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("go", ["go infinite", "isready"])
def test_terminated(go: str, tmp_path: Path) -> None:
    """A terminated process ends at once, in a search or idle; its game log is complete."""
    path = tmp_path / "games.jsonl"
    with Client(f"setoption name GameLog value {path}", f"{MATE_IN_ONE} moves a7a9", "position startpos") as client:
        client.sync()
        client.send(go)
        time.sleep(0.1)
        client.process.send_signal(signal.SIGTERM)
        client.rest()
        assert client.end() == -signal.SIGTERM and client.errors == ""
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["moves"] == ["a7a9"]


def test_a_flood_that_is_not_read() -> None:
    """No line is lost of twenty thousand sent before the first answer is read, and their order is kept."""
    with Client() as client:
        client.sync()
        client.send("go infinite")
        client.send(*(f"nonsense{i}" if i % 100 else "position startpos moves h2e2" for i in range(20_000)))
        client.send("stop", "d", "go nodes 50", "isready")
        lines = client.expect("bestmove") + client.expect("bestmove")
        numbers = [int(number) for line in lines for number in re.findall(r"nonsense(\d+)", line)]
        assert numbers == [i for i in range(20_000) if i % 100]
        assert any(line.startswith("Fen: ") and " b " in line for line in lines)


def test_output_closed_in_a_search() -> None:
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    with process:
        process.stdin.write(b"go infinite\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith(b"info depth"):
            pass
        process.stdout.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
