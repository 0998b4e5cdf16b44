"""Jobs as data, and `siqi analyse --cluster` over real processes of Dask, which are killed, stopped and refused."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import json
import os
import re
import shutil
import signal
import socket
import ssl
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dask_processes import DaskProcesses, child_of

from siqi import __version__
from siqi.daemon.analysis.remote import file_fault, files_of
from siqi.daemon.cluster import calls
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.cluster.identity import Identity, identity
from siqi.daemon.cluster.jobs import BatchSize, completed, in_graph, in_order
from siqi.daemon.cluster.node import pack, run_calls, unpack_results
from siqi.daemon.cluster.remote import Cluster, ClusterWorkers, check_address

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 200
POSITIONS = 120
MOVES = ("h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7", "b0c2", "c6c5")

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="Dask is not installed: pip install 'siqi[cluster]'",
)
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds processes by /proc")


# Calls as data


class Point(NamedTuple):
    x: int
    y: float


def move(by: Point, names: dict[str, Path], point: Point) -> tuple[Point, dict[str, Path]]:
    return Point(by.x + point.x, by.y * point.y), names


def twice(function: Callable[[int], int], value: int) -> int:
    return function(function(value))


def add(first: int, second: int) -> int:
    return first + second


def through_data(function: Callable[..., Any], *arguments: Any) -> Any:
    return calls.decode_result(function, calls.perform(calls.encode_call(function, *arguments)))


def test_calls_come_back_as_they_are_annotated() -> None:
    bound = functools.partial(move, Point(1, 2.0), {"a": Path("b")})
    assert through_data(bound, Point(3, 0.5)) == (Point(4, 1.0), {"a": Path("b")})
    assert through_data(functools.partial(twice, functools.partial(add, 5)), 1) == 11
    assert json.loads(calls.encode_call(add, 1, 2)) == [f"{__name__}:add", [1, 2]]


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(ValueError, match="no function of a module"):
        calls.encode_call(lambda: 1)
    with pytest.raises(TypeError, match="object is no data of a job"):
        calls.encode_call(add, object(), 1)


def test_calls_are_carried_out_in_order_and_an_error_ends_them() -> None:
    seconds, results = unpack_results(run_calls(pack([calls.encode_call(add, i, 1) for i in range(3)]), 0.0))
    assert results == [b"1", b"2", b"3"]
    assert 0 <= seconds < TIMEOUT_S
    with pytest.raises(TypeError):
        run_calls(pack([calls.encode_call(add, 1)]), 0.0)


def test_calls_that_take_too_long_end_their_process() -> None:
    code = (
        "import time; from siqi.daemon.cluster.calls import encode_call;"
        "from siqi.daemon.cluster.node import pack, run_calls;"
        "run_calls(pack([encode_call(time.sleep, 30)]), 0.2)"
    )
    sleep = "import typing, time; typing.get_type_hints = lambda f: {'secs': float, 'return': None};"
    signature = "import inspect; inspect.signature = lambda f: type('S', (), {'parameters': {'secs': 0}});"
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", sleep + signature + code], cwd=ROOT, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 70
    assert time.monotonic() - started < 25


def test_batches_grow_to_a_second_of_work_and_shrink_at_once() -> None:
    size, sizes = BatchSize(), []
    for _ in range(9):
        size.learn(size.calls, 0.01 * size.calls, 2)
        sizes.append(size.calls)
    assert sizes == [2, 4, 8, 16, 32, 64, 100, 100, 100]
    size.learn(100, 100 * 0.01, 1000)
    assert size.calls == 200  # on the way to ten seconds
    size.learn(200, 200 * 8.0, 2)
    assert size.calls == 1


def test_the_last_batches_become_shorter() -> None:
    size = BatchSize()
    for _ in range(9):
        size.learn(size.calls, 0.01 * size.calls, 2)
    assert size.calls_of(None, 2) == size.calls_of(1000, 2) == 100
    left, sizes = 300, []
    while left:
        sizes.append(min(left, size.calls_of(left - 1, 2)))
        left -= sizes[-1]
    assert sizes[:3] == [75, 57, 42] and sizes[-3:] == [10, 10, 9]
    few = BatchSize(most_calls=1)
    few.learn(1, 0.01, 2)
    assert few.calls == 1


def test_an_identity_says_in_what_another_differs() -> None:
    own = identity()
    assert own.version == __version__
    assert own.differences(own) == ""
    other = Identity("9.9", own.kernels, own.program, "x")
    assert other.differences(own) == f"version 9.9, not {__version__}, other books"
    assert other.digest != own.digest


def test_files_of_options_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "rules.book"
    path.write_bytes(b"one")
    options = (("Hash", "16"), ("RuleFile", str(path)), ("BookFile", ""), ("UseRules", "true"))
    files = files_of(options)
    assert [name for name, _ in files] == ["RuleFile"]
    assert file_fault(options, files) is None
    path.write_bytes(b"two")
    assert file_fault(options, files) == f"RuleFile: {path} is missing on a worker, or not the same there"
    path.unlink()
    assert file_fault(options, files) is not None


@pytest.mark.parametrize("address", ["local:0", "local:", "local:2x", "host:8786", "tcp:host", "", "file:///x"])
def test_bad_addresses_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match="local:N"):
        check_address(address)


# Jobs to answers


def half(number: int) -> int:
    time.sleep(0.02 * (number % 3))
    return number // 2


def halves(number: int) -> set[int]:
    return {number // 2} - {number}


def refuse(number: int) -> int:
    raise LookupError(f"refused {number}")


def test_processes_of_this_machine_answer_all_jobs() -> None:
    assert list(in_order(half, range(20), 2)) == [number // 2 for number in range(20)]
    order: list[int] = []
    for results in in_graph(half, range(1, 9), halves, 2):
        order.append(results)
    assert sorted(order) == sorted(number // 2 for number in range(1, 9))
    assert order[0] == 0  # of 1, which needs only 0, which is no task
    with pytest.raises(LookupError, match="refused 3"):
        list(completed(refuse, [3], 1))


def zeros(size: int) -> bytes:
    return bytes(size)


def test_a_worker_that_is_killed_as_it_sends_a_big_result_holds_nothing_up() -> None:
    def stop_early() -> None:
        for taken in range(2, 5):
            results = completed(zeros, itertools.repeat(3_000_000), 1)
            for _ in range(taken):
                assert all(len(result) == 3_000_000 for result in next(results))
            results.close()  # mostly while the worker sends the next

    thread = threading.Thread(target=stop_early, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


# The command


def queries(count: int = POSITIONS, nodes: int = 5000) -> list[dict[str, Any]]:
    """Return positions, each searched with a cleared hash, so that answers do not depend on the worker."""
    return [{"id": f"p{i}", "moves": MOVES[: i % 9], "nodes": nodes + i, "clear": True} for i in range(count)]


def lines_of(many: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(query).encode() + b"\n" for query in many)


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "siqi", "analyse", "--hash", "1", *map(str, arguments)]
    pipe = subprocess.PIPE
    # Unbuffered: `communicate` would not see what a buffer has read beyond a line.
    process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT)
    clock = threading.Timer(TIMEOUT_S, process.kill)  # else a test could wait for a line for ever
    clock.daemon = True
    clock.start()
    return process


def analyse(*arguments: object, given: bytes) -> tuple[int, bytes, str]:
    """Run to the end; return exit status, standard output, and standard error."""
    process = start(*arguments)
    out, err = process.communicate(given, timeout=TIMEOUT_S)
    return process.returncode, out, news(err)


def news(err: bytes) -> str:
    """Return standard error without the lines of a cold cache, and of workers that are still starting."""
    return re.sub(r"siqi analyse: (compil|no worker at .* yet).*\n", "", err.decode())


Answers = dict[tuple[str, int], dict[str, Any]]


def answers(out: bytes) -> Answers:
    """Return the answers without their times; each position has one."""
    answers: Answers = {}
    for line in out.splitlines():
        answer = json.loads(line)
        assert (answer["id"], answer["turn"]) not in answers, "answered twice"
        del answer["time"]
        answers[answer["id"], answer["turn"]] = answer
    return answers


@pytest.fixture(scope="module")
def expected() -> Answers:
    """Return the answers of a single process."""
    status, out, _ = analyse(given=lines_of(queries()))
    assert status == 0
    return answers(out)


@pytest.fixture(scope="module")
def dask_of_two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """Yield a scheduler and two workers with nannies, which tests leave usable."""
    with DaskProcesses(tmp_path_factory.mktemp("dask")) as dask:
        dask.start_worker()
        dask.start_worker()
        yield dask


def run_code(code: str, where: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program that ends by running Siqi's command line."""
    code += "from siqi.daemon.command_line import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "analyse", "--cluster", where]
    return subprocess.run(command, input=b"", capture_output=True, timeout=TIMEOUT_S, cwd=ROOT, check=False)


def test_without_dask_one_line_names_the_extra() -> None:
    code = "import sys; sys.modules['distributed'] = None;"
    done = run_code(code, "local:2")
    assert done.returncode == 2
    assert done.stderr.decode() == "siqi analyse: --cluster needs Dask: pip install 'siqi[cluster]'\n"


@needs_dask
def test_a_scheduler_that_is_not_there_is_one_line() -> None:
    code = "import sys, siqi.daemon.cluster.remote as r; r.CONNECT_S = 1;"
    done = run_code(code, "tcp://127.0.0.1:9")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("siqi analyse: no workers at tcp://127.0.0.1:9: ")


@pytest.mark.long
@needs_dask
@needs_proc
def test_a_worker_killed_in_mid_run_loses_nothing(dask_of_two: DaskProcesses, expected: Answers) -> None:
    lines = lines_of(queries()).splitlines(keepends=True)
    process = start("--cluster", dask_of_two.address)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"".join(lines[:80]))
    process.stdin.flush()
    early = b"".join(process.stdout.readline() for _ in range(10))
    os.kill(child_of(dask_of_two.workers[0]), signal.SIGKILL)
    out, err = process.communicate(b"".join(lines[80:]), timeout=TIMEOUT_S)
    assert (process.returncode, news(err)) == (0, "")
    assert answers(early + out) == expected


@pytest.mark.long
@needs_dask
def test_a_client_interrupted_and_one_killed_are_resumed(
    dask_of_two: DaskProcesses, expected: Answers, tmp_path: Path
) -> None:
    path, given = tmp_path / "answers.jsonl", lines_of(queries())
    counts = []
    for sent in (signal.SIGINT, signal.SIGKILL):
        process = start("--cluster", dask_of_two.address, "--resume", path)
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.flush()
        before = path.stat().st_size if path.exists() else 0
        DaskProcesses.wait_until(lambda before=before: path.exists() and path.stat().st_size > before)
        process.send_signal(sent)
        _, err = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == (130 if sent == signal.SIGINT else -signal.SIGKILL)
        assert news(err) == ""
        assert path.read_bytes().endswith(b"\n")
        counts.append(len(answers(path.read_bytes())))
    assert 0 < counts[0] < counts[1] < POSITIONS
    status, out, err = analyse("--cluster", dask_of_two.address, "--resume", path, given=given)
    assert (status, out, err) == (0, b"", "")
    assert answers(path.read_bytes()) == expected


@needs_dask
def test_actions_reach_the_workers(dask_of_two: DaskProcesses) -> None:
    """A long search ends with its result so far; a search that waits behind both ends without a result."""
    process = start("--cluster", dask_of_two.address)
    assert process.stdin is not None and process.stdout is not None
    long = [{"id": f"long{i}", "nodes": 10**12, "reportEvery": 0.01} for i in range(6)]
    process.stdin.write(lines_of(long))
    process.stdin.flush()
    seen = set()
    while len(seen) < 2:  # both workers search
        line = json.loads(process.stdout.readline())
        assert line["isDuringSearch"]
        seen.add(line["id"])
    action = {"id": "t", "action": "terminate_all"}
    out, err = process.communicate(lines_of([action]), timeout=TIMEOUT_S)
    lines = [json.loads(line) for line in out.splitlines()]
    assert (process.returncode, news(err)) == (0, "")
    assert action in lines
    finals = {line["id"]: line for line in lines if line.get("isDuringSearch") is False}
    assert set(finals) == {query["id"] for query in long}
    searched = {name for name, line in finals.items() if "noResults" not in line}
    assert searched >= seen
    assert all("query" not in line for line in finals.values())
    assert len(searched) < len(long)


@pytest.mark.long
@needs_dask
def test_a_review_on_a_cluster_has_the_same_values(dask_of_two: DaskProcesses, tmp_path: Path) -> None:
    """Values are equal; better lines may be shorter, since reports during a search may come after its answer."""
    games = []
    for name, *where in (("alone.html",), ("cluster.html", "--cluster", dask_of_two.address)):
        command = [sys.executable, "-m", "siqi", "review", f"startpos moves {' '.join(MOVES)}", "--nodes", "3000"]
        command += ["-o", str(tmp_path / name), *where]
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        data = re.search(r'id="data">(.*?)</script>', (tmp_path / name).read_text(encoding="utf-8"), re.S)
        assert data is not None
        plies = json.loads(data[1])["games"][0]["plies"]
        assert len(plies) == len(MOVES) + 1
        games.append([{name: value for name, value in ply.items() if name != "b"} for ply in plies])
    assert games[0] == games[1]


@pytest.mark.long
def test_a_worker_of_another_version_is_refused(dask_of_two: DaskProcesses, tmp_path: Path) -> None:
    package = tmp_path / "old"
    shutil.copytree(ROOT / "siqi/daemon", package / "siqi/daemon")
    for name in ("games", "books"):
        (package / "siqi" / name).symlink_to(ROOT / "siqi" / name)
    (package / "siqi/__init__.py").touch()
    (package / "siqi/version.py").write_text('__version__ = "0.0.1"\n')
    with DaskProcesses(tmp_path) as dask:
        dask.start_worker(package=package, nanny=False)
        status, out, err = analyse("--cluster", dask.address, given=lines_of(queries(1)))
        assert (status, out) == (2, b"")
        first, *rest = err.splitlines()
        assert re.fullmatch(
            rf"siqi analyse: refused worker tcp://127.0.0.1:\d+: version 0.0.1, not {re.escape(__version__)}, .*", first
        )
        assert "program" in first
        assert rest == [f"siqi analyse: all workers at {dask.address} are refused"]


# A cluster on this machine is closed to other users


class Listening(NamedTuple):
    """A listening TCP socket of this process or its descendants."""

    address: str
    port: int


def listening() -> set[Listening]:
    inodes = set()
    for pid in (os.getpid(), *descendants(os.getpid())):
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                inodes.add(path.readlink().name)
    sockets = set()
    for table, size in (("tcp", 4), ("tcp6", 16)):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                host, port = fields[1].split(":")
                words = [int(host[i : i + 8], 16) for i in range(0, 2 * size, 8)]
                address = socket.inet_ntop(
                    socket.AF_INET if size == 4 else socket.AF_INET6, struct.pack(f"={len(words)}I", *words)
                )
                sockets.add(Listening(address, int(port, 16)))
    return sockets


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started, except Dask's own commands (the scheduler of other tests)."""
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            if b"\0dask\0" not in Path(f"/proc/{child}/cmdline").read_bytes():
                yield child
                yield from descendants(child)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for temporary files in which another user has made Dask's folder, with a module in it."""
    folder = tmp_path_factory.mktemp("planted")
    folder.chmod(0o1777)
    (folder / "dask-scratch-space").mkdir()
    (folder / "dask-scratch-space").chmod(0o777)
    (folder / "dask-scratch-space/planted.py").write_text("")
    return folder


@pytest.fixture(scope="module")
def workers(planted: Path) -> Iterator[ClusterWorkers]:
    """Yield an open cluster `local:1` of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(planted))
        with ClusterWorkers(Cluster("local:1"), lambda line: None) as workers:
            yield workers
    assert [path.name for path in planted.iterdir()] == ["dask-scratch-space"]


@needs_dask
@needs_proc
def test_a_cluster_of_this_machine_listens_on_the_loopback_by_tls_alone(workers: ClusterWorkers) -> None:
    sockets = listening()
    assert len(sockets) == 3  # the scheduler, a worker, its nanny; no HTTP server
    assert {listener.address for listener in sockets} == {"127.0.0.1"}
    for listener in sockets:
        assert listener.port != 8787
        with socket.create_connection((listener.address, listener.port), timeout=10) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert b"HTTP" not in received(plain)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection((listener.address, listener.port), timeout=10) as raw,
            pytest.raises(ssl.SSLError),
        ):
            # The server requests a certificate; in TLS 1.3 the first answer shows it.
            context.wrap_socket(raw).recv(100)


def received(connection: socket.socket) -> bytes:
    data = b""
    with contextlib.suppress(OSError):
        while part := connection.recv(1000):
            data += part
    return data


@needs_dask
@pytest.mark.parametrize("kind", ["plain", "another certificate", "trusting any"])
def test_nobody_without_its_certificate_runs_anything(workers: ClusterWorkers, tmp_path: Path, kind: str) -> None:
    from distributed import Client, Security

    address = workers._client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    security = Security.temporary()
    if kind == "plain":
        address, security = address.replace("tls://", "tcp://"), Security()
    elif kind == "trusting any":
        host, port = address.removeprefix("tls://").split(":")
        security.tls_ca_file = ssl.get_server_certificate((host, int(port)))
    with pytest.raises(OSError), Client(address, timeout=2, security=security, set_as_default=False) as client:
        client.run_on_scheduler(os.mkdir, str(tmp_path / "done"))
    assert not (tmp_path / "done").exists()
    assert workers.count() == 1


def own_path() -> list[str]:
    return sys.path


@needs_dask
def test_certificates_that_are_missing_are_asked_for() -> None:
    with pytest.raises(ClusterError, match="needs certificates in Dask's configuration"):
        ClusterWorkers(Cluster("tls://127.0.0.1:9"), print)


@needs_dask
def test_modules_of_other_users_are_out_of_reach(workers: ClusterWorkers) -> None:
    """Workers import nothing from Dask's folder (default: /tmp/dask-scratch-space), which Dask adds to the path."""
    _, (outcome,) = workers.outcome(workers.send([calls.encode_call(own_path)]))
    folders = calls.decode_result(own_path, outcome)
    for path in (sys.path, folders):
        added = [Path(folder) for folder in path if "dask-scratch-space" in folder]
        assert added
        for folder in added:
            assert any(stat.S_IMODE(upper.stat().st_mode) == 0o700 for upper in folder.parents[:2])
    assert importlib.util.find_spec("planted") is None


# Longer ones


@needs_dask
@pytest.mark.long
def test_a_lost_scheduler_ends_the_run_with_one_line(expected: Answers, tmp_path: Path) -> None:
    path, given = tmp_path / "answers.jsonl", lines_of(queries())
    with DaskProcesses(tmp_path) as dask:
        dask.start_worker()
        process = start("--cluster", dask.address, "--resume", path)
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.flush()  # and no end of input: the reader waits for more
        DaskProcesses.wait_until(lambda: path.exists() and path.stat().st_size > 0)
        dask.scheduler.kill()
        assert process.wait(TIMEOUT_S) == 1
        assert process.stderr is not None
        assert news(process.stderr.read()) == (
            f"siqi analyse: the scheduler at {dask.address} was lost; the same command goes on where it stopped\n"
        )
        process.stdin.close()
        assert path.read_bytes().endswith(b"\n")
        assert len(answers(path.read_bytes())) < POSITIONS
        dask.start_scheduler()
        dask.start_worker()
        assert analyse("--cluster", dask.address, "--resume", path, given=given) == (0, b"", "")
    assert answers(path.read_bytes()) == expected


@needs_dask
@needs_proc
@pytest.mark.long
def test_the_work_of_a_worker_that_hangs_goes_to_one_that_joins_late(expected: Answers, tmp_path: Path) -> None:
    """A stopped worker keeps its batches until Dask drops it; its nanny then restarts it."""
    lines = lines_of(queries()).splitlines(keepends=True)
    with DaskProcesses(tmp_path, heartbeat_s=5) as dask:
        dask.start_worker()
        process = start("--cluster", dask.address)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"".join(lines[:80]))
        process.stdin.flush()
        early = b"".join(process.stdout.readline() for _ in range(3))
        stopped = child_of(dask.workers[0])
        os.kill(stopped, signal.SIGSTOP)
        dask.start_worker()
        out, err = process.communicate(b"".join(lines[80:]), timeout=TIMEOUT_S)
        assert (process.returncode, news(err)) == (0, "")
        assert not Path(f"/proc/{stopped}").exists()
    assert answers(early + out) == expected


@needs_dask
@pytest.mark.long
@pytest.mark.parametrize("game", ["connect6", "ewn", "junqi"])
def test_other_games_have_the_same_answers(game: str, dask_of_two: DaskProcesses) -> None:
    moves = {"connect6": ["j10"], "ewn": ["123456", "654321"], "junqi": ["diahcbgkkfiecfigjhedjljhg", "?"]}[game]
    given = lines_of(
        {
            "id": f"p{i}",
            "game": game,
            "moves": moves,
            "dice": 3 * (game == "ewn"),
            "nodes": 500 + 100 * i,
            "clear": True,
        }
        for i in range(30)
    )
    status, out, _ = analyse(given=given)
    assert status == 0
    assert (status, answers(out)) == (0, answers(analyse("--cluster", dask_of_two.address, given=given)[1]))


@needs_dask
@pytest.mark.long
def test_a_position_that_ends_its_workers_is_an_error_alone(tmp_path: Path) -> None:
    """Dask gives up a position that kills each worker; the other positions of its batch are answered."""
    package = tmp_path / "package"
    shutil.copytree(ROOT / "siqi", package / "siqi", ignore=shutil.ignore_patterns("games", "books"))
    for name in ("games", "books"):
        (package / "siqi" / name).symlink_to(ROOT / "siqi" / name)
    path = package / "siqi/daemon/analysis/remote.py"
    fault = '    import os\n    os._exit(1) if job.query.id == "p30" else None\n'
    path.write_text(
        path.read_text().replace(
            "    return _remote_analyst().answer(job)", f"{fault}    return _remote_analyst().answer(job)"
        )
    )
    given = lines_of(queries(40))
    code = "import sys; from siqi.daemon.command_line import run; sys.exit(run(sys.argv[1:]))"
    with DaskProcesses(tmp_path) as dask:
        for _ in range(2):
            dask.start_worker(package=package)
        command = [sys.executable, "-c", code, "analyse", "--hash", "1", "--cluster", dask.address]
        environment = os.environ | {"PYTHONPATH": str(package)}
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=2 * TIMEOUT_S, cwd=package, env=environment, check=False
        )
    assert done.returncode == 1
    assert news(done.stderr) == "siqi analyse: 1 of the answers is an error\n"
    answered = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answered) == sorted(query["id"] for query in queries(40))
    assert [answer for answer in answered if "error" in answer] == [
        {"id": "p30", "turn": 30 % 9, "error": "a job ended every worker that carried it out"}
    ]


@needs_dask
@pytest.mark.long
def test_scripts_have_the_same_games_on_a_cluster(tmp_path: Path) -> None:
    def run(*arguments: object) -> None:
        command = [sys.executable, *map(str, arguments)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=2 * TIMEOUT_S)

    results = []
    for where in (("--jobs", "2"), ("--cluster", "local:2")):
        own = tmp_path / f"own{where[0]}.jsonl"
        run("scripts/match/self_play.py", "xiangqi", own, "--games", 10, "--nodes", 200, "--max-plies", 40, *where)
        results.append(sorted(own.read_text().splitlines()))
    assert len(results[0]) == 11
    assert results[0] == results[1]
    results = []
    for where in (("--concurrency", "2"), ("--cluster", "local:2")):
        log = tmp_path / f"match{where[0]}.jsonl"
        run("-m", "siqi", "match", "ewn", "random", "random", "--games", 10, "--log", log, *where)
        games = [json.loads(line) for line in log.read_text().splitlines()[1:]]
        results.append(sorted((game["game"], game["moves"], game["dice"], game["winner"]) for game in games))
    assert len(results[0]) == 10
    assert results[0] == results[1]
    log = tmp_path / "tune.jsonl"
    words = ("ewn", "--log", log, "--nodes", 20, "--option", "Algorithm=uct", "--parameter", "UCTK:3:0:10:0.5")
    run("scripts/tune/tune_options.py", *words, "--iterations", 12, "--cluster", "local:2")
    assert sorted(json.loads(line)["number"] for line in log.read_text().splitlines()[1:]) == list(range(12))
