"""The Python examples of the pages docs/library/*.md run, and their comments have the values of their lines."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(page for page in (ROOT / "docs/library").glob("*.md") if page.stem.partition(".")[0] != "api")
FOR_EXAMPLE = "for example"


def blocks(page: Path) -> list[tuple[int, str]]:
    """Return the Python blocks of a page with the numbers of their first lines."""
    text = page.read_text(encoding="utf-8")
    matches = re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [(text[: block.start(1)].count("\n") + 1, block[1]) for block in matches]


def statements(code: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement of a block with the comment behind its last line, '' if there is none."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        assert node.end_lineno is not None and node.end_col_offset is not None
        rest = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
        yield node, rest.strip().removeprefix("#").strip()


def shown(value: Any, is_tuple: bool, printed: str) -> str:
    """Return what the comment behind an expression has to begin with."""
    if value is None and printed:
        return " ".join(printed.split("\n")).strip()
    return ", ".join(map(repr, value)) if is_tuple else repr(value)


@pytest.mark.parametrize("page", [page for page in PAGES if ".zh" not in page.name], ids=lambda page: page.stem)
def test_examples_run_and_have_the_values_in_their_comments(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page's blocks run in their order, in one namespace and an empty folder. A comment `for example` varies."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "page"}
    checked = 0
    assert blocks(page)
    for first_line, code in blocks(page):
        for node, comment in statements(code):
            place = f"{page.name}:{first_line + node.lineno - 1}"
            ast.increment_lineno(node, first_line - 1)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                if not isinstance(node, ast.Expr):
                    exec(compile(ast.Module([node], []), str(page), "exec"), scope)
                    value, is_tuple = None, False
                else:
                    value = eval(compile(ast.Expression(node.value), str(page), "eval"), scope)
                    is_tuple = isinstance(node.value, ast.Tuple)
            printed = output.getvalue().strip()
            has_value = isinstance(node, ast.Expr) or bool(printed)
            if comment and has_value and not comment.startswith(FOR_EXAMPLE):
                expected = shown(value, is_tuple, printed)
                rest = comment.removeprefix(expected)
                assert comment.startswith(expected) and (not rest or rest[0] in ":;"), (place, expected, comment)
                checked += 1
    assert checked


def test_both_languages_have_the_same_examples() -> None:
    english = [page for page in PAGES if ".zh" not in page.name]
    assert english
    for page in english:
        chinese = page.with_suffix(".zh.md")
        assert [code for _, code in blocks(page)] == [code for _, code in blocks(chinese)], page.name
