"""The engine's options: declared here and by the games, listed by `uci`, set by `setoption`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from siqi.games import registry
from siqi.games.contract import Option
from siqi.games.options import SHARED

NO_FILE = "<empty>"
MAX_SKILL = 20

_RATINGS = [elo for name in registry.NAMES for elo in registry.info(name).skill_elo]

CORE = (
    Option("UCI_Variant", "combo", registry.USUAL, choices=registry.NAMES),
    Option("Hash", "spin", "64", 1, 16384),
    Option("Threads", "spin", "1", 1, 64),
    Option("MultiPV", "spin", "1", 1, 256),
    Option("Ponder", "check", "false"),
    *SHARED,
    Option("Learn", "string"),
    Option("RecordPath", "string"),
    Option("Move Overhead", "spin", "10", 0, 5000),
    Option("MoveTime", "spin", "0", 0, 3_600_000),
    Option("Seed", "spin", "0", 0, 2**31 - 1),
    Option("Skill Level", "spin", str(MAX_SKILL), 0, MAX_SKILL),
    Option("UCI_LimitStrength", "check", "false"),
    Option("UCI_Elo", "spin", "2000", min(_RATINGS), max(_RATINGS)),
    Option("UCI_ShowWDL", "check", "false"),
    Option("UCI_AnalyseMode", "check", "false"),
    Option("Clear Hash", "button"),
    Option("Debug Log File", "string"),
)


SEARCHER_OPTIONS = ("Hash", "Threads", "Seed")
"""The options that are the arguments of `Searcher.configure`."""


def supports(game: str, option: Option) -> bool:
    """True if a game has this option, its own or a shared one."""
    return option in registry.info(game).options


def lacks_book(game: str, option: Option) -> bool:
    """True if an option is for a kind of book that a game does not have."""
    return option in SHARED and not supports(game, option)


def declared() -> Iterator[tuple[Option, str]]:
    """Yield every option with the game that it belongs to ('': all games)."""
    for option in CORE:
        yield option, ""
    for name in registry.NAMES:
        for option in registry.info(name).options:
            if option not in SHARED:
                yield option, name


def options_for_game(game: str) -> Iterator[Option]:
    """Yield the options that apply to this game."""
    for option, owner in declared():
        if owner in ("", game) and not lacks_book(game, option):
            yield option


def names_for_game(game: str) -> Iterator[str]:
    """Yield the names of the options that apply to this game."""
    return (option.name for option in options_for_game(game))


def normalised(option: Option, value: str) -> str:
    """Return a value in its canonical spelling; ValueError, with what is accepted, for a value that is not allowed."""
    if option.kind == "spin":
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 12):
            raise ValueError(f"option {option.name}: not a number: {value}")
        if not option.low <= int(value) <= option.high:
            raise ValueError(f"option {option.name}: {value} is not within {option.low}..{option.high}")
        return str(int(value))
    if option.kind == "number":
        try:
            number = float(value)
        except ValueError:
            raise ValueError(f"option {option.name}: not a number: {value}") from None
        if not option.low <= number <= option.high:
            raise ValueError(f"option {option.name}: {value} is not within {option.low}..{option.high}")
        return str(number)
    if option.kind == "check":
        if value.lower() not in ("true", "false"):
            raise ValueError(f"option {option.name}: true or false, not {value}")
        return value.lower()
    if option.kind == "combo":
        for choice in option.choices:
            if value.lower() == choice.lower():
                return choice
        raise ValueError(f"option {option.name}: one of {' '.join(option.choices)}, not {value}")
    return value


def is_search_option(name: str) -> bool:
    """True for an option of searchers or games; the others are about a client's session."""
    return name in SEARCHER_OPTIONS or any(supports(game, Options().find(name)[0]) for game in registry.NAMES)


def parse_settings(words: Iterable[str]) -> dict[str, str]:
    """Parse words `NAME=VALUE` of a command line; return the values by the names of the options, in their order.

    ValueError for a word without `=`, an unknown name or a value that is not allowed. Of several values the last holds.
    """
    options = Options()
    found: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator:
            raise ValueError(f"expected NAME=VALUE, not {word}")
        option, _ = options.set(name.strip(), value.strip())
        found[option.name] = options.text(option.name)
    return found


class Options:
    """The options with their current values."""

    def __init__(self) -> None:
        self._options = {option.name.lower(): (option, game) for option, game in declared()}
        self._values = {option.name: option.default for option, _ in self._options.values()}
        self._initial = dict(self._values)

    def become_defaults(self) -> None:
        """Declare the values now set as the defaults that clients are shown: many set every option to its default."""
        self._initial = dict(self._values)

    def default(self, name: str) -> str:
        """Return the value that clients are shown as an option's default."""
        return self._initial[name]

    def listed(self, game: str) -> Iterator[Option]:
        """Yield the options of a game as clients are shown them, the default of a combo first."""
        for option in options_for_game(game):
            default = self.default(option.name)
            choices = tuple(sorted(option.choices, key=lambda choice: choice != default))
            yield option._replace(default=default, choices=choices)

    def set(self, name: str, value: str) -> tuple[Option, str]:
        """Check and store a value; return the option and its game ('': all). After a ValueError nothing has changed."""
        option, game = self.find(name)
        self._values[option.name] = normalised(option, value)
        return option, game

    def __contains__(self, name: str) -> bool:
        """True if there is an option of this name, upper or lower case."""
        return name.lower() in self._options

    def find(self, name: str) -> tuple[Option, str]:
        """Return an option by its name, upper or lower case, and its game ('': all); ValueError if there is none."""
        if name not in self:
            raise ValueError(f"unknown option: {name}")
        return self._options[name.lower()]

    def text(self, name: str) -> str:
        """Return a value as text; '' for `<empty>`."""
        value = self._values[name]
        return "" if value == NO_FILE else value

    def number(self, name: str) -> int:
        return int(self._values[name])

    def is_on(self, name: str) -> bool:
        return self._values[name] == "true"

    def for_game(self, game: str) -> Iterator[tuple[str, str]]:
        """Yield (name, value) of the options that `Game.set_option` takes."""
        for option, _ in self._options.values():
            if supports(game, option):
                yield option.name, self.text(option.name)

    def changed(self, game: str) -> dict[str, str]:
        """Return a game's own options, without shared ones, that are not at their default."""
        own = ((option, self.text(option.name)) for option, owner in self._options.values() if owner == game)
        return {option.name: value for option, value in own if value != option.default}
