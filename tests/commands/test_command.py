"""The command line, except the daemon itself."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import forked
import pytest

from siqi import __version__
from siqi.daemon.command_line import GROUPS, SHELLS, build_parser, run
from siqi.daemon.engine.bench import BenchJob
from siqi.daemon.engine.events import BenchDone
from siqi.games import registry

ROOT = Path(__file__).parents[2]


class Done(NamedTuple):
    """The output of a command."""

    stdout: str
    stderr: str


def siqi(*arguments: str, status: int = 0) -> Done:
    done = forked.run(*arguments)
    assert done.returncode == status, done.stderr
    return Done(done.stdout.decode(), done.stderr.decode())


def test_help_and_version() -> None:
    help_text = siqi("--help").stdout
    assert all(f"\n  {word} " in help_text for word in ("analyse", "bench", "warm", "completion"))
    assert siqi("--version").stdout == f"siqi {__version__}\n"
    assert "--resume" in siqi("analyse", "--help").stdout


def test_no_control_character_is_echoed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "x", "moves": ["\\u001b[31m"]}\n{"id": "y", "fen": "\\u009b1 w"}\n\x1b\n')
    for words in (
        ["analyse", "--nodes", "\x1b[2J"],
        ["analyse", "--\x9b"],
        ["convert", "a", "b", "--number", "\x1b]0;x\x07"],
        ["analyse", str(path), "--nodes", "9"],
        ["analyse", str(path), "--nodes", "9", "--output", "csv"],
    ):
        with contextlib.suppress(SystemExit):
            run(words)
        out, err = capfd.readouterr()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]|\\\\u00[01]", out + err)


def test_messages_are_in_our_words() -> None:
    """Neither argparse's phrases nor Python's quotes reach the user."""
    said = {
        "analyse --bogus": "unknown arguments: --bogus",
        "analyse --nodes": "argument --nodes: a value is missing",
        "show --theme x": "argument --theme: one of auto, light, dark, not x",
        "show --theme drak": "argument --theme: one of auto, light, dark, not drak, did you mean dark?",
        "bench chess": "argument game: one of xiangqi, connect6, ewn, junqi, not chess",
        "show --svg a.svg --png b.png": "argument --png: not together with --svg",
        "show --flip=1": "argument --flip: it takes no value, 1",
        "convert --form pgn a b": "unknown arguments: --form, did you mean --from?",
        "review --optoin Hash=3 a.pgn": "unknown arguments: --optoin, did you mean --option?",
        "--optoin Hash=3": "unknown arguments: --optoin, did you mean --option?",
        "analyse --out x --o y": "--o may stand for --output, --option",
        "--option": "argument --option: a value is missing",
        "play": "no command play, did you mean board?",
        "version": "no command version, did you mean --version?",
        "README.md": "README.md is a file; a command comes first, for example: siqi review README.md",
    }
    for words, message in said.items():
        assert re.fullmatch(rf"siqi( \w+)?: {re.escape(message)} \(see .*\)\n", siqi(*words.split(), status=2).stderr)


@pytest.mark.parametrize(
    "words",
    ["--", "dance", "analyse --workers 0", "analyse --resume x --output plot", "warm chess", "completion c", "convert"],
)
def test_what_it_does_not_know(words: str) -> None:
    done = siqi(*words.split(), status=2)
    assert done.stdout == "" and done.stderr.count("\n") == 1 and re.match(r"siqi( \w+)?: ", done.stderr)
    page = re.search(r"\(see siqi.* --help, siqi docs ?(.*)\)$", done.stderr)
    assert page is None or siqi("docs", *page[1].split()).stdout
    assert (page is None) == (words in ("analyse --resume x --output plot", "warm chess"))


def test_the_options_of_a_game_are_searched_by_a_second_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["options", "ewn", "Algorithm"]) == 0
    out = capsys.readouterr().out
    assert "plain-uct" in out and "roads" not in out and out.count("  Algorithm  ") == 1
    assert run(["options", "Skill", "Level"]) == 0  # one name of two words
    assert "  Skill Level  " in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, reason",
    [
        ("--option Hash", "expected NAME=VALUE, not Hash"),
        ("--option Hash=x", "option Hash: not a number: x"),
        (f"--option Hash={10**20}", f"option Hash: {10**20} is not within 1..16384"),
        ("--option Hash=8 --option Colour=blue", "unknown option: Colour (siqi options lists all)"),
        ("--option Hahs=8", "unknown option: Hahs, did you mean Hash? (siqi options lists all)"),
        ("options skul", "no option or game skul (siqi options lists all)"),
        ("options connect6 WINK", "no option or game WINK (siqi options lists all)"),
        ("options ewn winkk", "no option or game winkk, did you mean WINK? (siqi options lists all)"),
        ("options 'hash'", "no option or game 'hash', did you mean Hash? (siqi options lists all)"),
        ("review startpos", "siqi review: -o PAGE is missing: only a single file gives the page its name"),
        ("review {root}/README.md {root}/README.md", "siqi review: -o PAGE is missing"),
        ("review {folder}", "siqi review: -o PAGE is missing"),
        ("--option GameLog={folder} --option Hash=0", "option Hash: 0 is not within 1..16384"),
        ("--option GameLog={folder}/new --option UCI_Variant=chess", "option UCI_Variant: one of xiangqi"),
        ("--option GameLog={folder}", "option GameLog: is a folder: "),
        ("analyse --option Width=1", "option Width: 1 is not within 2..40"),
        ("--option Width=1 analyse", "option Width: 1 is not within 2..40"),
        ("analyse --option MultiPV=2", "option MultiPV: not for analyse"),
        ("analyse {root}/README.md --from record --option UCI_Coordinates=1", "records have ranks of their own"),
        ("review startpos -o {folder}/page.html --option Threads=many", "option Threads: not a number: many"),
        ("review startpos -o {folder}/page.html --option UCI_Coordinates=1", "games have ranks of their own"),
        ("bench ewn --option WINK=-1", "option WINK: -1 is not within 0..100"),
        ("--option Hash=8 show", "show takes no options of the engine"),
        ("--option Caf\u00e9=\x1b[2J", "unknown option: Caf\\xe9"),
    ],
)
def test_a_bad_option_is_one_line_before_anything_starts(
    words: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words.format(folder=tmp_path, root=ROOT).split(" ")) == 2
    out, err = capsys.readouterr()
    assert out == "" and reason in err and err.isascii() and err.count("\n") == 1 and err.endswith("\n")
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    "first, setting, answer",
    [
        (
            "uci",
            "UCI_Variant=ewn",
            "option name Algorithm type combo default expectimax var expectimax var uct var paper var plain-uct "
            "var minimax var alphabeta var montecarlo",
        ),
        ("uci", "hash=99", "option name Hash type spin default 99 min 1 max 16384"),
        ("uci", "usebook=1", ""),
        ("ucci", "Hash=99", "option hashsize type spin default 99 min 0 max 16384"),
        ("ucci", "UCI_Variant=ewn", "option Evaluation type combo default network var network var terms var paper"),
        ("d", "UCI_Variant=connect6", "Fen: 19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 b 1"),
        ("d", "UCI_Coordinates=1", " 1  R N B A K A B N R"),
        ("xboard\nnew\nsd 1\nusermove h2e2", "UCI_Coordinates=1", r"move [a-i]\d[a-i]\d"),
        ("name?\nnew black", "UCI_Variant=junqi", "move JJ@@"),
        ("xboard\nprotover 2", "OwnBook=true", 'feature .* option="OwnBook -check 1" .*'),
    ],
)
def test_options_of_the_command_line(first: str, setting: str, answer: str) -> None:
    """Options of the command line hold in every protocol, except those that it sets itself."""
    done = forked.run("--option", setting, given=f"{first}\nquit\n".encode())
    assert done.returncode == (0 if answer else 2)
    assert any(re.fullmatch(answer, line) for line in done.stdout.decode().splitlines()) == bool(answer), done


def test_options_of_an_analysis(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Options are defaults of queries; those of other games apply to queries of these games."""
    queries = (
        {"id": "a", "depth": 1},
        {"id": "b", "depth": 1, "options": {"Evaluation": "network"}},
        {"id": "c", "game": "ewn", "moves": ["123456", "615243"], "depth": 1},
    )
    path = tmp_path / "queries"
    path.write_text("".join(json.dumps(query) + "\n" for query in queries))

    def digests(*words: str) -> dict[str, str]:
        assert run([*words, str(path)]) == 0
        return {answer["id"]: answer["query"] for answer in map(json.loads, capfd.readouterr().out.splitlines())}

    usual = digests("analyse")
    changed = digests("--option", "Evaluation=paper", "analyse", "--option", "WINK=0.3", "--option", "evaluation=terms")
    assert {name for name in usual if usual[name] != changed[name]} == {"a", "c"}


def test_options_of_a_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, tuple[int, ...]]] = []

    class Bench(BenchJob):
        def run(self) -> BenchDone:
            made.append((self._game.knowledge.settings.algorithm, self._config))
            return BenchDone(None)

    monkeypatch.setattr("siqi.daemon.engine.bench.BenchJob", Bench)
    assert run(["bench", "ewn"]) == 0
    assert run(["--option", "Algorithm=uct", "bench", "ewn", "--option", "hash=32", "--option", "Width=3"]) == 0
    assert made == [("expectimax", (16, 1, 1)), ("uct", (32, 1, 1))]


def test_an_input_that_is_not_there() -> None:
    assert "No such file" in siqi("analyse", "nowhere.jsonl", status=1).stderr


def test_warm_compiles_what_is_missing_and_only_that() -> None:
    siqi("warm", "junqi")
    again = siqi("warm", "junqi").stdout
    match = re.fullmatch(r"(\d+) kernels compiled in [\d.]+ s, (\d+) were there\n", again)
    assert match and int(match[1]) == 0 and int(match[2]) > 10


@pytest.mark.parametrize("shell", SHELLS)
def test_completion(shell: str, tmp_path: Path) -> None:
    script = siqi("completion", shell).stdout
    assert all(word in script for word in ("analyse", "completion", "workers"))
    if shell == "bash":
        path = tmp_path / "siqi.bash"
        path.write_text(script)
        subprocess.run(["bash", "-n", path], check=True)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp932"])
@pytest.mark.parametrize(
    "words", [["--help"], ["convert", "--list"], ["completion", "powershell"], ["show"], ["show", "junqi.txt"]]
)
def test_an_output_that_cannot_show_all_characters(encoding: str, words: list[str], tmp_path: Path) -> None:
    """A board is written in letters where the code page lacks Chinese or umlauts."""
    (tmp_path / "junqi.txt").write_text("startpos")
    program = f"import sys; sys.stdout.reconfigure(encoding={encoding!r}); from siqi.daemon.main import main; main()"
    done = forked.run(*words, program=program, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.decode(encoding).splitlines()) > 5


def test_both_spellings_of_analyse() -> None:
    done = forked.run("analyze", given=b'{"id": "v", "action": "query_version"}\n')
    assert done.returncode == 0 and f'"version":"{__version__}"' in done.stdout.decode()
    assert "analyze" in siqi("completion", "bash").stdout
    assert siqi("analyze", "--hash", "0", status=2).stderr.startswith("siqi analyse: argument --hash: a whole")
    assert siqi("show", "--ply", "9" * 5000, status=2).stderr.startswith("siqi show: argument --ply: too large: 9")


@pytest.mark.parametrize("words", ["options --language zh", "completion bash", "convert --list"])
def test_a_reader_that_has_gone_ends_a_command(words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as out:
        command = [sys.executable, "-m", "siqi", *words.split()]
        done = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_bench_of_an_unknown_game() -> None:
    done = forked.run("bench", "go")
    assert done.returncode == 2 and b"argument game: one of xiangqi, connect6, ewn, junqi, not go " in done.stderr


def test_help_is_a_command_too() -> None:
    assert siqi("help").stdout == siqi("--help").stdout
    assert siqi("help", "match", "stats").stdout == siqi("match", "stats", "--help").stdout
    assert "not optoins, did you mean options? (see siqi --help" in siqi("help", "optoins", status=2).stderr


def test_options_by_a_part_of_their_names() -> None:
    out = siqi("options", "skill").stdout
    assert re.findall(r"^  (\S.*?)  ", out, re.MULTILINE) == ["Skill Level"] and out.startswith("All games:\n")
    assert re.findall(r"^  (\S.*?)  ", siqi("options", "HASH").stdout, re.MULTILINE) == ["Hash", "Clear Hash"]


@pytest.mark.parametrize("word", ["paper", "论文"])
def test_options_by_a_word_of_their_meanings(word: str) -> None:
    """A researcher who knows no name finds each game's paper player."""
    out = siqi("options", word).stdout
    assert re.findall(r"^  (\S.*?)  ", out, re.MULTILINE).count("Algorithm") == len(registry.NAMES)
    assert not re.search(r"^  Hash ", out, re.MULTILINE)
    assert re.findall(r"^  (\S.*?)  ", siqi("options", "hash").stdout, re.MULTILINE) == ["Hash", "Clear Hash"]
    assert "no option or game eight" in siqi("options", "eight", status=2).stderr  # a part of "weight"


def at_a_terminal(*words: str, keys: bytes) -> tuple[int, str]:
    """Run `siqi` with a terminal as standard input; return the exit status and standard error."""
    outer, inner = pty.openpty()
    try:
        command = [sys.executable, "-m", "siqi", *words]
        process = subprocess.Popen(command, stdin=inner, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
        os.write(outer, keys)
        error = process.communicate(timeout=60)[1].decode()
        return process.returncode, error
    finally:
        os.close(outer)
        os.close(inner)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_the_daemon_greets_a_person() -> None:
    names = "Xiangqi, Connect6, EWN and Junqi"
    line = f"Siqi {__version__}, an engine for {names}. Commands: help, d, go, quit\n"
    assert at_a_terminal(keys=b"quit\n") == (0, line)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("keys", [b"startpos\n\x04", b"\x04"])
def test_analyse_says_what_it_waits_for(keys: bytes) -> None:
    status, error = at_a_terminal("analyse", "--nodes", "50", keys=keys)
    assert status == 0
    assert error.startswith("siqi analyse: waiting for FENs, queries in JSON or a game; Ctrl-D ends the input\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_person_hears_how_many_answers_are_there(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "siqi", "analyse", "--resume", str(tmp_path / "a.jsonl"), "--nodes", "50"]
    for line in (b"", f"siqi analyse: --resume {tmp_path}/a.jsonl: 1 answer is there".encode()):
        outer, inner = pty.openpty()
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, outer)
            with os.fdopen(inner, "wb") as error:
                subprocess.run(words, input=b"startpos\n", stderr=error, cwd=ROOT, check=True)
            assert line in os.read(outer, 10_000)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_comments_are_read_at_a_terminal_and_kept_in_a_file(tmp_path: Path) -> None:
    """A terminal shows its own encoding, whatever the game's file has."""
    path = tmp_path / "a.pgn"
    path.write_text('[Red "胡荣华"]\n\n1. 炮二平五 *\n', encoding="gb18030")
    words = [sys.executable, "-m", "siqi", "analyse", str(path), "--nodes", "50", "--output", "record"]
    assert "胡荣华" in subprocess.run(words, stdout=subprocess.PIPE, cwd=ROOT, check=True).stdout.decode("gb18030")
    outer, inner = pty.openpty()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, outer)
        with os.fdopen(inner, "wb") as output:
            subprocess.run(words, stdout=output, cwd=ROOT, env=os.environ | {"PYTHONIOENCODING": "utf-8"}, check=True)
        assert "胡荣华" in os.read(outer, 10_000).decode()


def test_the_help_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24 and all(len(line) < 80 for line in lines)


@pytest.mark.parametrize("name", sorted(name for group in GROUPS.values() for name in group))
def test_every_help_ends_with_examples_that_parse(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run([name, "--help"])
    *_, title, first, second, blank, more = capsys.readouterr().out.splitlines()
    assert (title, blank) == ("examples:", "")
    assert siqi(*more.removeprefix("more: siqi ").split()).stdout.startswith("# ")
    for example in (first, second):
        words = shlex.split(re.sub(r" >.*|.*\| ", "", example))
        assert words[:2] == ["siqi", name] and build_parser().parse_args(words[1:]).command == name


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
@pytest.mark.parametrize("words", ["options", "completion bash", "--version", "--help", "show", "convert --list"])
def test_a_full_disk_is_one_line(words: str) -> None:
    command = [sys.executable, "-m", "siqi", *words.split()]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=usual, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "No space left on device" in done.stderr


@pytest.mark.parametrize("words", ["convert -- -x.pgn -y.pgn", "convert --to pgn -- -x.pgn -y.pgn"])
def test_words_behind_two_hyphens_are_files(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-x.pgn").write_text('[Red "x"]\n\n1. C2.5 *\n')
    assert run(words.split()) == 0 and "C2.5" in Path("-y.pgn").read_text()
    assert run(["convert", "--", "-x.pgn", "--force"]) == 2 and not Path("--force").exists()


@pytest.mark.parametrize("name", ["rot13", "hex", "base64", "zlib", "nonsense", "a\0b", "\x1b[2J"])
@pytest.mark.parametrize("words", ["convert a.pgn b.pgn", "analyse a.pgn", "review a.pgn -o b.html", "show a.pgn"])
def test_what_is_no_encoding_of_texts(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.pgn").write_text('[Red "x"]\n\n1. C2.5 *\n')
    assert run([*words.split(), "--encoding", name]) == 2
    output = capsys.readouterr()
    assert not output.out and output.err.count("\n") == 1 and "no such encoding: " in output.err
    assert os.listdir() == ["a.pgn"]


def test_an_encoding_is_refused_once_for_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        Path(f"{number}.pgn").write_text('[Red "x"]\n\n1. C2.5 *\n')
    assert run(["convert", "0.pgn", "1.pgn", "2.pgn", "all.pgn", "--encoding", "hex"]) == 2
    assert capsys.readouterr().err == "siqi convert: no such encoding: hex\n"
