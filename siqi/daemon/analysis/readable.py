"""Answers as lines for people: the best move, and the lines with their scores."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Sequence

from siqi.daemon.analysis.annotated import for_terminal, pawns_text
from siqi.daemon.analysis.answers import Answer, place_of
from siqi.daemon.analysis.inputs import InputKind
from siqi.daemon.analysis.outputs import Output, put
from siqi.daemon.analysis.scores import outcome_of
from siqi.games import registry
from siqi.games.contract import SIDES
from siqi.system.columns import width_of
from siqi.system.messages import is_english, translated
from siqi.system.texts import visible

LINE_START = 15
"""Columns before the moves of a line: its score and expected result."""


class TextOutput(Output):
    """Final answers as lines for people, in their language; scores are the mover's view."""

    def __init__(self, is_alone: bool, has_bar: bool) -> None:
        """`is_alone`: there is one position, so that its answer needs no name.

        `has_bar`: a progress bar may be on the terminal.
        """
        self._is_alone = is_alone
        self._has_bar = has_bar
        self._id_name = "{}"

    def begin(self, kind: InputKind, are_many: bool) -> None:
        self._id_name = "{}" if are_many else kind.id_name

    def write(self, answer: Answer) -> None:
        """Take an answer; those during a search and those to actions are left out."""
        if answer.get("isDuringSearch") or "action" in answer:
            return
        place = "" if self._is_alone else f"{place_of(answer, self._id_name)}: "
        if "error" in answer:
            self._write(f"{place}{answer['error']}")
        elif "warning" in answer:
            self._write(f"{place}{answer['warning']}: {answer['field']}")
        elif answer.get("lines"):
            self._write_lines(place, answer)
        elif (outcome := outcome_of(answer)) is not None:
            self._write(place + f"the game is over: {outcome.result}, {outcome.reason}")
        else:
            self._write(place + "not searched")

    def _write(self, text: str) -> None:
        self._write_line(translated(text))

    def _write_line(self, line: str) -> None:
        with contextlib.ExitStack() as stack:
            if self._has_bar and sys.stdout.isatty():
                from tqdm import tqdm

                stack.enter_context(tqdm.external_write_mode(file=sys.stdout))
            put(for_terminal(f"{visible(line)}\n"))

    def _write_lines(self, place: str, answer: Answer) -> None:
        info = registry.info(answer["game"])
        side = (info.english if is_english() else info.chinese).sides[SIDES.index(answer["toMove"])]
        played, best = answer.get("played", ""), answer.get("bestmove", "")
        head = f"best for {side}: {_name(answer, best)}" if best else f"{side} before the throw"
        if played not in ("", best):
            head = "; ".join((head, f"played {_name(answer, played)}"))
        self._write(place + head)
        width = shutil.get_terminal_size().columns - LINE_START
        for line in answer["lines"]:
            score = line["score"]
            expected = f"{score['expected']:.0%}" if "expected" in score else ""
            start = f"  {pawns_text(score, 1):>6} {expected:>4}  "
            thrown = [f"{line['throw']}:"] if "throw" in line else []
            for part in _rows([*thrown, *_moves(answer, line["pv"])], width):
                self._write_line(f"{start:<{LINE_START}}{part}")
                start = ""
        depth, nodes, seconds = answer["depth"], f"{answer['nodes']:,}", f"{answer['time'] / 1000:.1f}"
        self._write(f"  searched {nodes} nodes to depth {depth} in {seconds} s; score and expected result for {side}")


def _moves(answer: Answer, words: Sequence[str]) -> list[str]:
    """Return moves from an answer's position as its reader writes them: in Chinese where the game's players do."""
    notation = None if is_english() else registry.notation(answer["game"])
    try:
        return list(words) if notation is None else [own for own, *_ in notation.texts(None, answer["fen"], words)]
    except ValueError:  # ranks from 1
        return list(words)


def _name(answer: Answer, word: str) -> str:
    """Return a move as its reader writes it, and its word where that is another one."""
    (name,) = _moves(answer, [word])
    return name if name == word else f"{name} ({word})"


def _rows(texts: Sequence[str], width: int) -> list[str]:
    """Return texts in lines of at most a width in columns; each text stays whole."""
    rows = [texts[0]]
    for text in texts[1:]:
        if width_of(f"{rows[-1]} {text}") <= width:
            rows[-1] += f" {text}"
        else:
            rows.append(text)
    return rows
