"""Tune numeric options of an engine by SPSA: games of the engine against itself, with slightly different options.

    python scripts/tune/tune_options.py ewn --log uct.jsonl --option Algorithm=uct --nodes 2000 --iterations 400 \\
        --parameter WINK:1:0:5:0.1:0.05 --parameter UCTK:3:0:10:0.3:0.05 --jobs 2 --plot uct.svg
    python scripts/tune/tune_options.py xiangqi --log tune.jsonl --engine "engine --uci" --movetime 100 \\
        --parameter Contempt:0:-100:100:10 --iterations 20000 --openings openings.txt --cluster tcp://host:8786

A parameter is NAME:START:MIN:MAX:C_END or NAME:START:MIN:MAX:C_END:R_END, NAME being an option of the engine: whole
numbers if the engine declares it as a `spin`, fractions if it declares a string that holds a number.

Simultaneous perturbation stochastic approximation: an iteration draws a sign for each parameter, and plays `--pairs`
pairs of games between the values plus sign times c_k and the values minus sign times c_k. The games of a pair have the
same opening and throws, and sides swapped. Each value then moves by a_k / c_k times its sign times (wins - losses) of
the first. Source: J. C. Spall, "Implementation of the Simultaneous Perturbation Algorithm for Stochastic Optimization",
IEEE Transactions on Aerospace and Electronic Systems 34(3), 1998. Its gains are c_k = c / k^0.101 and a_k = a / (A +
k)^0.602, A being `--stability` of the pairs. As in Stockfish's fishtest (its spsa_handler) k is 1 plus the pairs before
the iteration, C_END is the last c_k, and R_END the last a_k / c_k^2 (0.002); values stay within MIN and MAX. Whole
numbers are rounded up or down at random, as in OpenBench. C_END should change the strength by a few Elo. `reach` in the
report is the distance that a value moves if one side wins all games: a run much shorter than fishtest's needs a greater
R_END.

Every iteration is a line of the log; the same command with the same log resumes an interrupted run, even a killed one,
and only reports one that is done. Signs, gains, openings, throws and seeds of an iteration depend on its number alone,
and its step on them and its games, so iterations may end in any order. The values follow from the log's lines, applied
in their order. With one job and a limit of nodes or depth the same command gives the same log. Of several workers, each
has one iteration at work and one waiting; both begin from the values known when they were drawn.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import random
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from scripts.common import script
from scripts.common.plots import check_plot, save_plot

from siqi.daemon.clients.options import Option
from siqi.daemon.clients.player import EngineSpec, Forfeit, StartError
from siqi.daemon.clients.uci import UciEngine
from siqi.daemon.cluster.jobs import Jobs
from siqi.daemon.match.arguments import (
    add_conditions,
    add_limits,
    check_conditions,
    fields_from,
    limits_from,
    parse_option,
)
from siqi.daemon.match.game_loop import parse_opening
from siqi.daemon.match.match_log import MatchSettings, UsageError
from siqi.daemon.match.matches import CurrentMatch, play_game
from siqi.daemon.match.openings import load_openings
from siqi.daemon.match.schedule import Unit
from siqi.daemon.match.statistics import Z
from siqi.daemon.match.tally import FAULTS
from siqi.games import registry
from siqi.system.log import RunLog

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "spsa"
"""The kind of the log."""

ALPHA, GAMMA = 0.602, 0.101
"""Spall's exponents of the gains: the least for which convergence is proven."""

R_END = 0.002
"""The last a_k / c_k^2, fishtest's default."""

SIDES = ("plus", "minus")

COLUMNS = 3
"""Plots side by side."""


class Parameter(msgspec.Struct, frozen=True):
    """An option to be tuned."""

    name: str
    start: float
    low: float
    high: float
    c_end: float  # the last perturbation
    r_end: float = R_END
    is_whole: bool = False

    def clip(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def text(self, value: float) -> str:
        """Return a value as the engine gets it."""
        return str(round(value)) if self.is_whole else f"{value:.6g}"


class SpsaSettings(msgspec.Struct, frozen=True):
    """All settings of a run; the first line of its log."""

    match: MatchSettings  # its engines are the two sides, with the values of the start
    parameters: tuple[Parameter, ...]
    iterations: int
    pairs: int  # per iteration
    stability: float  # Spall's A, as a share of all pairs
    is_seeded: bool  # the engine has an option Seed, which is set for each game

    @property
    def all_pairs(self) -> int:
        return self.iterations * self.pairs


def plain(settings: SpsaSettings) -> dict[str, Any]:
    """Return the settings as the log has them: those of the match with the others, those of the engine once."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(settings))
    match: dict[str, Any] = fields.pop("match")
    engine = match.pop("engines")[0]
    return match | {name: engine[name] for name in ("command", "options", "limits")} | fields


class Iteration(msgspec.Struct, frozen=True):
    """An iteration that was played; a line of the log. Values are texts as the engine got them."""

    number: int
    values: dict[str, float]  # those that were perturbed
    plus: dict[str, str]
    minus: dict[str, str]
    points: list[float]  # points of `plus` by game
    faults: list[str]  # games that a side lost by a fault: `plus time`

    @property
    def result(self) -> float:
        """Return wins minus losses of `plus`."""
        return 2 * sum(self.points) - len(self.points)


class Trial(NamedTuple):
    """An iteration to be played."""

    settings: SpsaSettings
    openings: list[str]  # one per pair
    number: int
    values: dict[str, float]
    plus: dict[str, str]
    minus: dict[str, str]


# ---------------------------------------------------------------- arithmetic


def first_pair(settings: SpsaSettings, number: int) -> int:
    return number * settings.pairs


def perturbation(settings: SpsaSettings, parameter: Parameter, number: int) -> float:
    """Return c_k of an iteration: C_END at the last pair."""
    return parameter.c_end * math.pow(settings.all_pairs / (first_pair(settings, number) + 1), GAMMA)


def gain(settings: SpsaSettings, parameter: Parameter, number: int) -> float:
    """Return a_k / c_k of an iteration; a_k is R_END C_END^2 at the last pair."""
    stability, pairs = settings.stability * settings.all_pairs, settings.all_pairs
    a_end = parameter.r_end * parameter.c_end**2
    a_k = a_end * math.pow((stability + pairs) / (stability + first_pair(settings, number) + 1), ALPHA)
    return a_k / perturbation(settings, parameter, number)


def signs(settings: SpsaSettings, number: int) -> list[int]:
    """Return an iteration's sign for each parameter."""
    rng = random.Random(f"signs/{settings.match.seed}/{number}")
    return [rng.choice((-1, 1)) for _ in settings.parameters]


def perturbed(settings: SpsaSettings, number: int, values: Sequence[float], side: int) -> dict[str, str]:
    """Return the options of `plus` (side 1) or `minus` (-1) in an iteration.

    A whole number is the value plus a random fraction, the same for both sides, rounded down: on average
    it is the value itself.
    """
    rng = random.Random(f"fractions/{settings.match.seed}/{number}")
    texts = {}
    for parameter, value, sign in zip(settings.parameters, values, signs(settings, number), strict=True):
        fraction = rng.random()
        moved = parameter.clip(value + side * sign * perturbation(settings, parameter, number))
        texts[parameter.name] = parameter.text(
            parameter.clip(math.floor(moved + fraction)) if parameter.is_whole else moved
        )
    return texts


class Point(NamedTuple):
    """The values after an iteration, and the sum of squares of all steps to them."""

    values: list[float]
    squares: list[float]


class Trajectory:
    """The values of the parameters, which iterations move."""

    def __init__(self, settings: SpsaSettings) -> None:
        self.settings = settings
        parameters = settings.parameters
        self.points = [Point([parameter.start for parameter in parameters], [0.0] * len(parameters))]
        self.games = 0
        self.faults: Counter[str] = Counter()

    @property
    def values(self) -> list[float]:
        return self.points[-1].values

    @property
    def iterations(self) -> int:
        return len(self.points) - 1

    def take(self, iteration: Iteration) -> None:
        """Move each value by its iteration's step. Steps add up: their order matters only at the limits."""
        settings, (values, squares) = self.settings, self.points[-1]
        steps = [
            gain(settings, parameter, iteration.number) * sign * iteration.result
            for parameter, sign in zip(settings.parameters, signs(settings, iteration.number), strict=True)
        ]
        moved = [
            parameter.clip(value + step)
            for parameter, value, step in zip(settings.parameters, values, steps, strict=True)
        ]
        self.points.append(Point(moved, [square + step**2 for square, step in zip(squares, steps, strict=True)]))
        self.games += len(iteration.points)
        self.faults.update(iteration.faults)

    def standing(self) -> str:
        """Return the values in one line."""
        pairs = zip(self.settings.parameters, self.values, strict=True)
        return "  ".join(f"{parameter.name} {value:.4g}" for parameter, value in pairs)

    def report(self) -> str:
        """Return the values with their statistics in several lines."""
        settings = self.settings
        lines = [
            f"{settings.match.game}: {self.iterations} of {settings.iterations} iterations, {self.games} games",
            f"{'parameter':20} {'start':>10} {'value':>10} {'moved':>10} {'by chance +-':>13} {'reach':>10}",
        ]
        for parameter, value, square in zip(settings.parameters, *self.points[-1], strict=True):
            moved, chance = value - parameter.start, math.sqrt(square)
            numbers = (f"{number:10.4g}" for number in (parameter.start, value, moved))
            lines.append(f"{parameter.name:20} {' '.join(numbers)} {chance:13.4g} {reach(settings, parameter):10.4g}")
        lines.append(
            "by chance: the standard error of `moved`, were the option without effect. How far the value is from the"
            " best one, and what it gains, a match shows:"
        )
        values = zip(settings.parameters, self.values, strict=True)
        start = settings.match.engines[0]
        tuned = start.options | {parameter.name: parameter.text(value) for parameter, value in values}
        engines = (engine_word("tuned", start.command, tuned), engine_word("start", start.command, start.options))
        lines.append(shlex.join(["siqi", "match", settings.match.game, *engines]))
        if self.faults:
            lines.append("lost by faults: " + ", ".join(f"{fault} {count}" for fault, count in self.faults.items()))
        return "\n".join(lines)


def engine_word(name: str, command: str, options: Mapping[str, str]) -> str:
    """Return an engine with these options as `siqi match` names it (siqi/daemon/match/engines.py)."""
    return f"{name}={command} {shlex.join(f'{option}={value}' for option, value in options.items())}"


def reach(settings: SpsaSettings, parameter: Parameter) -> float:
    """Return the distance that a parameter moves if all its iterations have one sign and one side wins all games."""
    return sum(gain(settings, parameter, number) for number in range(settings.iterations)) * 2 * settings.pairs


# ---------------------------------------------------------------- games


def trial_of(settings: SpsaSettings, openings: Sequence[str], number: int, values: Sequence[float]) -> Trial:
    """Return an iteration that perturbs the given values."""
    pairs = range(first_pair(settings, number), first_pair(settings, number + 1))
    names = [parameter.name for parameter in settings.parameters]
    return Trial(
        settings,
        [openings[pair % len(openings)] for pair in pairs],
        number,
        dict(zip(names, values, strict=True)),
        perturbed(settings, number, values, 1),
        perturbed(settings, number, values, -1),
    )


def play_trial(trial: Trial) -> Iteration:
    """Play an iteration's games in this process; its engines stay for the next one."""
    settings = trial.settings
    match, players = CurrentMatch.of(settings.match)
    match = match._replace(openings=[parse_opening(text) for text in trial.openings])
    for player, options in zip(players, (trial.plus, trial.minus), strict=True):
        assert isinstance(player, UciEngine)
        player.set_options(options)
    points, faults = [], []
    for index in range(2 * first_pair(settings, trial.number), 2 * first_pair(settings, trial.number + 1)):
        if settings.is_seeded:
            rng = random.Random(f"seeds/{settings.match.seed}/{index}")
            for player in players:
                assert isinstance(player, UciEngine)
                player.set_options({"Seed": str(rng.randrange(1, 1 << 31))})
        record = play_game(match, Unit([index], (0, 1), index // 2), index, players)
        points.append(record.score)
        if record.cause in FAULTS and record.winner is not None:
            faults.append(f"{SIDES[1 - record.winner]} {record.cause}")
    return Iteration(trial.number, trial.values, trial.plus, trial.minus, points, faults)


def run(
    settings: SpsaSettings,
    openings: Sequence[str],
    path: Path,
    jobs: Jobs,
    trajectory: Trajectory,
    every: int,
    play: Callable[[Trial], Iteration] = play_trial,
) -> None:
    """Play the iterations that the log at `path` lacks; add them to `trajectory`. One job plays in this process."""
    log = RunLog(path, KIND, plain(settings), lambda line: trajectory.take(msgspec.json.decode(line, type=Iteration)))

    def trials() -> Iterator[Trial]:
        """Yield iterations with the values that are known when a worker requests one."""
        for number in range(settings.iterations):
            if number not in log.numbers:
                yield trial_of(settings, openings, number, trajectory.values)

    finished = script.finished(play, trials(), jobs, most_calls=1)
    bar = script.progress(total=settings.iterations, initial=trajectory.iterations, unit=" iterations")
    with log, bar, contextlib.closing(finished):
        for iterations in finished:
            log.add([msgspec.json.encode(iteration) for iteration in iterations])
            for iteration in iterations:
                trajectory.take(iteration)
                if not script.shows_progress() and trajectory.iterations % every == 0:
                    print(f"{trajectory.iterations}  {trajectory.standing()}", flush=True)
            bar.set_postfix_str(trajectory.standing(), refresh=False)
            bar.update(len(iterations))


def draw(figure: Figure, trajectory: Trajectory) -> None:
    """Draw each value by iterations, over the band that would hold it with 95 % chance if the option had no effect."""
    parameters = trajectory.settings.parameters
    rows = -(-len(parameters) // COLUMNS)
    axes = figure.subplots(rows, min(len(parameters), COLUMNS), squeeze=False, sharex=True).ravel()
    numbers = range(len(trajectory.points))
    for i, (axis, parameter) in enumerate(itertools.zip_longest(axes, parameters)):
        if parameter is None:
            axis.remove()
            continue
        bars = [Z * math.sqrt(point.squares[i]) for point in trajectory.points]
        low, high = ([parameter.clip(parameter.start + side * bar) for bar in bars] for side in (-1, 1))
        axis.fill_between(numbers, low, high, alpha=0.2, color="grey", linewidth=0, label="by chance, 95 %")
        axis.plot(numbers, [point.values[i] for point in trajectory.points])
        axis.set_title(f"{parameter.name}: {parameter.start:g} to {trajectory.values[i]:.4g}", fontsize="medium")
        axis.set_xlabel("iterations")
    axes[0].legend(loc="best", fontsize="small")


# ---------------------------------------------------------------- command line


def parse_parameter(text: str) -> Parameter:
    """Return a parameter from NAME:START:MIN:MAX:C_END[:R_END]; argparse's error for numbers that make no sense."""
    name, *words = text.split(":")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not numeric") from None
    if not name or len(numbers) not in (4, 5) or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(f"{text}: not NAME:START:MIN:MAX:C_END[:R_END]")
    start, low, high, c_end, r_end = (*numbers, R_END)[:5]
    parameter = Parameter(name, start, low, high, c_end, r_end)
    if not parameter.low <= parameter.start <= parameter.high or parameter.low == parameter.high:
        raise argparse.ArgumentTypeError(
            f"{name}: START {parameter.start:g} is not within {parameter.low:g}..{parameter.high:g}"
        )
    if parameter.c_end <= 0 or parameter.r_end <= 0:
        raise argparse.ArgumentTypeError(f"{name}: C_END and R_END must be above 0")
    return parameter


def declared_parameter(parameter: Parameter, option: Option) -> Parameter:
    """Return a parameter with its kind, by the engine's declaration of its option; UsageError if it is not numeric."""
    numbers = (parameter.start, parameter.low, parameter.high)
    if option.kind == "spin":
        if not all(number.is_integer() for number in numbers):
            raise UsageError(f"{parameter.name}: START, MIN and MAX must be whole numbers")
        least, most = option.number("min"), option.number("max")
        low, high = -math.inf if least is None else least, math.inf if most is None else most
        if parameter.low < low or parameter.high > high:
            raise UsageError(f"{parameter.name}: MIN and MAX must be within the engine's {low:.12g}..{high:.12g}")
        if parameter.c_end < 0.5:
            raise UsageError(
                f"{parameter.name}: C_END must be 0.5 or more: below, both sides often play the same number"
            )
        return msgspec.structs.replace(parameter, is_whole=True)
    try:
        float(option.default or "" if option.kind == "string" else "")
    except ValueError:
        raise UsageError(
            f"{parameter.name} is no numeric option of the engine: type {option.kind} {option.rest}"
        ) from None
    return parameter


def declared_parameters(
    spec: EngineSpec, parameters: Sequence[Parameter], game: str, hang_s: float
) -> tuple[tuple[Parameter, ...], bool]:
    """Return the parameters with their kinds, and whether the engine has an option Seed.

    StartError if the engine cannot be used or lacks an option; UsageError for a parameter that it cannot have.
    """
    engine = UciEngine(spec, registry.info(game), hang_s)
    try:
        engine.new_game("")
        if missing := [each.name for each in parameters if each.name.lower() not in engine.declared]:
            raise StartError(f"{spec.name} has no option {missing[0]}")
        declared = tuple(declared_parameter(each, engine.declared[each.name.lower()]) for each in parameters)
        for parameter, value in ((each, value) for each in declared for value in (each.low, each.high, each.start)):
            for line in engine.try_options({parameter.name: parameter.text(value)}):
                if parameter.name.lower() in line.lower():  # engines answer only to values that they refuse
                    raise UsageError(f"the engine answers {line}")
    except Forfeit as fault:
        raise StartError(f"{spec.name} cannot be used: {fault}") from fault
    finally:
        engine.close()
    return declared, "seed" in engine.declared and "seed" not in map(str.lower, spec.options)


def settings_from(arguments: dict[str, Any]) -> SpsaSettings:
    """Return the settings of a run; UsageError or StartError if they contradict each other or the engine."""
    parameters: list[Parameter] = arguments["parameter"]
    options = dict(arguments["option"])
    names = [parameter.name.lower() for parameter in parameters]
    if len({*names}) < len(names) or {*names} & {*map(str.lower, options)}:
        raise UsageError("an option is named twice")
    if any(arguments[name] < 1 for name in ("iterations", "pairs", "every")) or arguments["jobs"] < 1:
        raise UsageError("--iterations, --pairs, --every and --jobs must be at least 1")
    if not 0 <= arguments["stability"] < math.inf:
        raise UsageError("--stability must not be negative")
    limits = limits_from(arguments)
    engines = tuple(EngineSpec(side, arguments["engine"], options, limits, protocol="uci") for side in SIDES)
    games = 2 * arguments["iterations"] * arguments["pairs"]
    match = msgspec.convert(fields_from(arguments) | {"engines": engines, "games": games}, MatchSettings)
    check_conditions(match)
    probed = msgspec.structs.replace(engines[0], name="the engine")
    declared, is_seeded = declared_parameters(probed, parameters, match.game, match.hang_s)
    start = options | {parameter.name: parameter.text(parameter.start) for parameter in declared}
    match = msgspec.structs.replace(
        match, engines=tuple(msgspec.structs.replace(engine, options=start) for engine in engines)
    )
    return SpsaSettings(match, declared, arguments["iterations"], arguments["pairs"], arguments["stability"], is_seeded)


def build_parser() -> argparse.ArgumentParser:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("game", choices=registry.NAMES)
    option("--log", type=Path, required=True, help="JSON lines; continued if it exists")
    option("--parameter", type=parse_parameter, action="append", required=True, metavar="NAME:START:MIN:MAX:C_END")
    option("--engine", default=f"{sys.executable} -m siqi", metavar="COMMAND")
    option("--option", type=parse_option, action="append", default=[], metavar="NAME=VALUE", help="of both sides")
    option("--iterations", type=int, default=1000)
    option("--pairs", type=int, default=1, help="pairs of games per iteration")
    option("--stability", type=float, default=0.1, metavar="A", help="Spall's A, as a share of all pairs")
    script.add_jobs(parser, what="iterations at a time")
    option("--plot", type=Path, help="an SVG or PNG of the values' trajectory")
    option("--every", type=int, default=10, metavar="N", help="report every N iterations, off a terminal")
    add_conditions(parser)
    add_limits(parser.add_argument_group("limits of the engine"))
    return parser


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0 done, 1 the engine cannot be used, 2 wrong usage, 130 interrupted by Ctrl-C."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    check_plot(options.plot)
    status = 0
    try:
        settings = settings_from(vars(options))
        game = script.load(settings.match.game)  # compiled once, before there are several
        openings = [opening.text for opening in load_openings(game, settings.match)]
        trajectory = Trajectory(settings)
        try:
            run(settings, openings, options.log, script.jobs(options), trajectory, options.every)
        except KeyboardInterrupt:
            status = script.INTERRUPTED
        finally:
            CurrentMatch.dismiss()
    except UsageError as error:
        parser.error(str(error))
    except StartError as error:
        print(f"{script.program()}: {error}", file=sys.stderr)
        return script.FAILED
    print(trajectory.report())
    if options.plot is not None:
        from matplotlib.figure import Figure

        rows = -(-len(settings.parameters) // COLUMNS)
        figure = Figure(figsize=(8, 3 * rows + 1), layout="constrained")
        draw(figure, trajectory)
        save_plot(figure, options.plot)
    return status


if __name__ == "__main__":
    sys.exit(main())
