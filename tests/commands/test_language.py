"""The commands in Chinese: help, errors and results for people; protocols, data and logs stay as they are."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest

from siqi.daemon.command_line import build_parser, run
from siqi.system import messages
from siqi.system.columns import width_of, wrapped

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def in_english_afterwards() -> Iterator[None]:
    yield
    messages.select("en")


def ended(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command line; return its exit status and what it has written."""
    try:
        status = run(list(words))
    except SystemExit as end:
        status = int(end.code or 0)
    return status, *capsys.readouterr()


def commands(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Yield the words of each command, those of `siqi match` too."""
    yield parser.prog.split()[1:]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in dict.fromkeys(action.choices.values()):
                yield from commands(each)


@pytest.mark.parametrize("words", list(commands(build_parser())), ids=" ".join)
def test_help_is_chinese_and_fits_the_terminal(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = ended(capsys, *words, "--help", "--language", "zh")
    assert status == 0 and out.startswith("用法： siqi")
    lines = [line for line in out.splitlines() if not line.startswith("检查项")]  # a list of names
    assert all(width_of(line) <= 80 or not CHINESE.search(line) for line in lines)
    # In a paragraph of help, no line is of English words alone.
    english = [line for line in lines if re.search(r"(?:^|\s)(?:[a-z]{2,} ){3}", line) and not CHINESE.search(line)]
    assert [line for line in english if not re.match(r" +(?:siqi|echo) ", line)] == []


@pytest.mark.parametrize(
    ("words", "chinese"),
    [
        (
            "match --helo",
            "siqi match: 未知的参数：--helo，是不是想写 --help？（见 siqi match --help、siqi docs match）\n",
        ),
        ("match sprt 1,2,3", None),
        ("bench ches", None),
        ("docs matsch", "siqi docs: 没有名为 matsch 的文档，是不是想写 match？（siqi docs 列出全部）\n"),
        ("--option Hash=x", "siqi: --option: 选项 Hash：不是数：x\n"),
        ("match ewn siqi", "siqi match: 比赛需要两个引擎；`random` 和 `siqi` 总是有的\n"),
        ("convert nosuch.xqf new.pgn", "siqi convert: nosuch.xqf: 没有这个文件或文件夹\n"),
    ],
)
def test_errors_are_chinese(words: str, chinese: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = ended(capsys, *words.split(), "--language", "zh")
    assert status and CHINESE.search(err)
    assert chinese is None or err == chinese


def test_the_locale_chooses_and_the_option_comes_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有名为" in ended(capsys, "docs", "nosuch")[2]
    assert "no page nosuch" in ended(capsys, "docs", "nosuch", "--language=en")[2]
    assert "no page nosuch" in ended(capsys, "--language", "en", "docs", "nosuch")[2]
    assert "没有名为" in ended(capsys, "docs", "nosuch", "--lang", "zh")[2], "an abbreviation is known once parsed"


def test_a_document_s_language_follows_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert CHINESE.search(ended(capsys, "--language", "zh", "docs", "match")[1].partition("\n")[0])
    assert not CHINESE.search(ended(capsys, "docs", "match", "--language", "en")[1].partition("\n")[0])


def test_tables_keep_their_columns(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ended(capsys, "convert", "--list", "--language", "zh")[1].splitlines()
    assert len({width_of(line[: line.index("标签" if not at else "  ")]) > 0 for at, line in enumerate(lines)}) == 1
    head = lines[0]
    start = width_of(head[: head.index("来源")])
    for line in lines[1:]:
        cut = next(at for at in range(len(line)) if width_of(line[:at]) == start)
        assert line[cut - 2 : cut] == "  " and line[cut] != " ", line


def test_the_protocol_stays_ascii_and_english() -> None:
    """In a Chinese locale each line of the daemon is what it is in an English one."""
    given = b"uci\nd x\nsetoption name Hsh value 3\nposition fen x\nquit\n"
    texts = [forked.run(given=given, changes={"LC_ALL": language}).stdout for language in ("zh_CN.UTF-8", "C.UTF-8")]
    assert texts[0] == texts[1] and texts[0].isascii() and b"did you mean" in texts[0]


def test_answers_and_logs_stay_english(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """What programs read is not translated: the answers of `siqi analyse`, the log of a match."""
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "fen": "x"}\n')
    run(["analyse", str(tmp_path / "bad.jsonl"), "--language", "zh"])
    answer = json.loads(capsysbinary.readouterr().out.splitlines()[0])
    assert answer["error"].isascii() and "board has" in answer["error"]
    log = tmp_path / "a.jsonl"
    run(["match", "ewn", "random", "other=random", "--games", "2", "--log", str(log), "--language", "zh"])
    assert "下" not in log.read_text() and "胜-和-负" in capsysbinary.readouterr().out.decode()


def test_english_reads_no_catalogue() -> None:
    code = "import sys; from siqi.daemon.command_line import build_parser; build_parser().format_help()"
    code += "\nfrom siqi.system import messages; sys.exit(len(messages._selected) + ('numpy' in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_long_texts_take_no_long_time() -> None:
    """The work grows with the text, not with the ways to part it."""
    text = "foo bar: b c; d e  " * 200
    assert messages.load("zh").translate(text) == text


def test_lines_break_between_chinese_characters() -> None:
    text = "每局用时，以及每步加时（例如 --clock 60+0.5）：不写时为每步 100 毫秒。"
    lines = wrapped(text, 20)
    assert max(map(width_of, lines)) <= 20 and "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert not any(line.startswith(("，", "）", "。", "：")) or line.endswith("（") for line in lines)
