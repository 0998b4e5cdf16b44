"""The evaluations that the option `Evaluation` names.

The search calls the default's kernel by name; that of another evaluation, compiled when it is chosen, by its address
(work.evaluator). An evaluation is a module of its name beside this file, with `evaluator`, an outlined kernel
`int64(POSITION, WORK, LOOKUP)` like evaluate.evaluate, and `explain`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple

from games.kernel.jit import Record, code_address
from games.xiangqi.evaluation import evaluate


class Evaluation(NamedTuple):
    """An evaluation in force."""

    name: str
    address: int
    """Of the kernel, for work.evaluator; 0: evaluate.evaluate."""
    explain: Callable[[Record], list[str]]
    """Returns a line for each term, the total last."""


TUNED = Evaluation("tuned", 0, evaluate.explain)
"""The default: evaluate.py with the weights of tuned.py."""


def choose(name: str) -> Evaluation:
    """Return an evaluation by its name, compiled."""
    if name == TUNED.name:
        return TUNED
    module = importlib.import_module(f"games.xiangqi.evaluation.{name}")
    return Evaluation(name, code_address(module.evaluator), module.explain)
