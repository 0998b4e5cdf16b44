"""The frame of a paper's command: every table and figure of the paper, made again into one folder.

    python -m scripts.papers.<name> --quick

A command is a `Paper`, the experiments in the paper's order, and `main`. Each experiment writes `<experiment>.md`, its
claim, conditions and tables, and, where matplotlib is installed, `<experiment>.svg`. `report.md` has all that are done.
Long measurements are kept in `<experiment>.jsonl`: the same command resumes from there, and a finished experiment is
only written again.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scripts.common import script
from scripts.common.plots import save_plot
from scripts.common.table import Table

from siqi.daemon.cluster.jobs import Jobs
from siqi.daemon.match.statistics import Estimate, estimate
from siqi.system.files import replace_file
from siqi.system.log import Log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXTRAS = {"matplotlib": "plots"}
"""Modules of the extra `scripts` that a paper's command can do without, and the outputs that need them."""

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "support" / "fixtures"


class Paper(NamedTuple):
    """A paper as its page, docs/results/paper-1.md and so on, cites it."""

    authors: str
    title: str
    journal: str
    year: int


class Result(NamedTuple):
    """The result of an experiment."""

    conditions: str
    """Sizes, limits, players and data, so that the tables can be understood without the code."""
    tables: Sequence[Table]
    draw: Callable[[Figure], None] | None = None


class Bench:
    """The resources of an experiment: its size, its files, its workers."""

    def __init__(self, experiment: str, options: argparse.Namespace) -> None:
        self.quick: bool = options.quick
        self.jobs: Jobs = script.jobs(options)
        self.log: Path = options.out / f"{experiment}.jsonl"
        """The experiment's log, for games (paired_games.run_games) or for `measure`; not for both."""
        self._options = options
        self._data: Path | None = options.data

    def size(self, quick: int, full: int) -> int:
        """Return the number that fits the size of this run."""
        return quick if self.quick else full

    def of(self, experiment: str) -> Bench:
        """Return a bench with another name: for a second log, or for one that several experiments share."""
        return Bench(experiment, self._options)

    def has_data(self, name: str) -> bool:
        """True if the user's folder of data has a file; if not, some experiments make their own data."""
        return self._data is not None and (self._data / name).exists()

    def data(self, name: str, fixture: str, source: str) -> Path:
        """Return the file `name` in the user's folder of data, else a fixture; report which on standard error.

        `source` describes the origin of the data. OSError if there is neither.
        """
        if self._data is not None and (self._data / name).exists():
            path = self._data / name
            _say(f"{path} ({source})")
        else:
            path = FIXTURES / fixture
            _say(f"no {name} in --data: {path.name} of the tests in its place ({name}: {source})")
        path.stat()
        return path

    def measure(self, keys: Iterable[str], function: Callable[[str], Any], jobs: Jobs | None = None) -> dict[str, Any]:
        """Return the value of `function`, a module's function, for each key, in the order of the keys.

        Values are of types that JSON has; they are kept in the log, so that each is measured once. A key contains all
        that its value depends on, sizes too. `jobs`: 1 where times are measured, in this process.
        """
        wanted, values = list(dict.fromkeys(keys)), {}

        def read(line: bytes) -> None:
            entry = json.loads(line)
            values[entry["key"]] = entry["value"]

        log = Log(self.log, is_measured, read)
        missing = [key for key in wanted if key not in values]
        with log:
            bar = script.progress(total=len(missing))
            for batch in script.finished(functools.partial(_measured, function), missing, jobs or self.jobs):
                log.add([json.dumps({"key": key, "value": value}).encode() for key, value in batch])
                values.update(batch)
                bar.update(len(batch))
        return {key: values[key] for key in wanted}


def proportion(hits: Iterable[bool]) -> Estimate:
    """Return the share of hits with its 95 % interval."""
    values = list(hits)
    return estimate((len(values) - sum(values), 0, 0, 0, sum(values)))


class Experiment(NamedTuple):
    """A table or figure of a paper."""

    name: str
    """The name of its files, and for `--only`: `figure-4`, `table-1`."""
    claim: str
    """The paper's claims, with its figures."""
    run: Callable[[Bench], Result]


def is_measured(head: bytes) -> bool:
    """True if a file begins with a line of `Bench.measure`."""
    return re.match(rb'\{"key": "[^"]*", "value": ', head) is not None


def _measured(function: Callable[[str], Any], key: str) -> tuple[str, Any]:
    return key, function(key)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def reference(paper: Paper) -> str:
    """Return the paper as a bibliography has it."""
    return f"{paper.authors}: {paper.title}. {paper.journal}, {paper.year}"


def run_paper(doc: str | None, paper: Paper, experiments: Sequence[Experiment]) -> int:
    """Run the command line of a paper: `--quick`, `--only`, `--out`, `--data`, `--jobs`, `--list`."""
    command = script.program().removesuffix(".py")
    by_name = {experiment.name: experiment for experiment in experiments}
    parser = script.parser(doc)
    parser.add_argument("--quick", action="store_true", help="small sizes, 20 seconds to three minutes in all")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=by_name, help=f"of {', '.join(by_name)}")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help=f"default: {command}, or {command}-quick")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="data that is not shipped (see above)")
    script.add_jobs(parser, os.cpu_count() or 1, "games at a time")
    parser.add_argument("--list", action="store_true", help="list the experiments with the paper's claims")
    options = parser.parse_args()
    if options.list:
        print(reference(paper))
        for experiment in experiments:
            print(f"\n{experiment.name}: {experiment.claim}")
        return 0
    if options.out is None:
        options.out = Path(f"{command}-quick" if options.quick else command)
    script.work_folder(options.out)
    for module, what in EXTRAS.items():
        if importlib.util.find_spec(module) is None:
            _say(f"no {what}: {module} is not installed (pip install -e '.[scripts]')")
    for name in options.only or by_name:
        _say(f"{name} ...")
        result = by_name[name].run(Bench(name, options))
        _write(options.out / f"{name}.md", page(paper, by_name[name], result, options.quick))
        if result.draw is not None and importlib.util.find_spec("matplotlib"):
            from matplotlib.figure import Figure

            figure = Figure(layout="constrained")
            result.draw(figure)
            save_plot(figure, options.out / f"{name}.svg")
        print(section(by_name[name], result), end="\n\n", flush=True)
        pages = [options.out / f"{other}.md" for other in by_name]
        texts = [path.read_text(encoding="utf-8").partition("\n\n")[2] for path in pages if path.exists()]
        _write(options.out / "report.md", "\n".join([_title(paper), "", *texts]))
    _say(f"written: {options.out / 'report.md'}")
    return 0


def _title(paper: Paper) -> str:
    return f"{MARK}{reference(paper)}"


MARK = "# The experiments of "
"""The text with which each page of a paper's command begins."""


def section(experiment: Experiment, result: Result) -> str:
    """Return an experiment's claim, conditions and tables as Markdown."""
    parts = [
        f"## {experiment.name}",
        f"Paper: {experiment.claim}",
        f"Here: {result.conditions}",
        *(table.markdown() for table in result.tables),
    ]
    return "\n\n".join(parts)


def page(paper: Paper, experiment: Experiment, result: Result, is_quick: bool) -> str:
    """Return an experiment's page."""
    quick = "\n\nA quick run: its figures show that the command works, and no more." if is_quick else ""
    return f"{_title(paper)}\n\n{section(experiment, result)}{quick}\n"


def _write(path: Path, text: str) -> None:
    replace_file(path, [text.encode()], script.begins_with(MARK))
