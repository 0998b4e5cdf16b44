"""The engine's options: declared here and by the games, listed by `uci`, set by `setoption`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from siqi.games import registry
from siqi.games.contract import Option
from siqi.games.options import SHARED

NO_FILE = "<empty>"
VARIANT = "UCI_Variant"
MAX_SKILL = 20

_RATINGS = [elo for name in registry.NAMES for elo in registry.info(name).skill_elo]

CORE = (
    Option(VARIANT, "combo", registry.USUAL, choices=registry.NAMES),
    Option("Hash", "spin", "64", 1, 16384),
    Option("Threads", "spin", "1", 1, 64),
    Option("MultiPV", "spin", "1", 1, 256),
    Option("Ponder", "check", "false"),
    *SHARED,
    Option("GameLog", "string"),
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


ALIASES = {"learn": "GameLog"}
"""Names that are understood but not listed, in lower case."""

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


def options_for_game(game: str) -> Iterator[tuple[Option, str]]:
    """Yield the options that apply to this game, each with its owner, as `declared` does."""
    for option, owner in declared():
        if owner in ("", game) and not lacks_book(game, option):
            yield option, owner


def names_for_game(game: str) -> Iterator[str]:
    """Yield the names of the options that apply to this game."""
    return (option.name for option, _ in options_for_game(game))


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
    return name in SEARCHER_OPTIONS or any(supports(game, Options().find(name)) for game in registry.NAMES)


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
        option, stored = options.set(name.strip(), value.strip())
        found[option.name] = stored
    return found


class Options:
    """The options with their current values.

    Games may declare options of one name that differ in their choices and default, as `Algorithm`: each game keeps its
    own value. The name stands for the current game's option, or if it has none, for those of all games that take the
    value.
    """

    def __init__(self) -> None:
        self._declared: dict[str, dict[str, Option]] = {}  # by the name in lower case, then by game, '': all games
        for option, owner in declared():
            self._declared.setdefault(option.name.lower(), {})[owner] = option
        self._values = {(option.name, owner): option.default for option, owner in declared()}
        self._initial = dict(self._values)

    def become_defaults(self) -> None:
        """Declare the values now set as the defaults that clients are shown: many set every option to its default."""
        self._initial = dict(self._values)

    def default(self, name: str) -> str:
        """Return the value that clients are shown as an option's default."""
        return self._initial[self._key(name)]

    def listed(self, game: str) -> Iterator[Option]:
        """Yield the options of a game as clients are shown them, the default of a combo first."""
        for option, owner in options_for_game(game):
            default = self._initial[option.name, owner]
            choices = tuple(sorted(option.choices, key=lambda choice: choice != default))
            yield option._replace(default=default, choices=choices)

    def set(self, name: str, value: str) -> tuple[Option, str]:
        """Check and store a value; return the option and the value stored. After a ValueError nothing has changed."""
        declared_name, owner = self._key(name)
        owners = self._owners(name)
        if owner in ("", self._values[VARIANT, ""]):
            owners = {owner: owners[owner]}
        options = tuple(owners.values())
        choices = tuple(dict.fromkeys(choice for option in options for choice in option.choices))
        value = normalised(options[0]._replace(choices=choices), value)
        for game, option in owners.items():
            if not choices or value in option.choices:
                self._values[declared_name, game] = value
        return options[0], value

    def __contains__(self, name: str) -> bool:
        """True if there is an option of this name, upper or lower case."""
        return name.lower() in ALIASES or name.lower() in self._declared

    def find(self, name: str) -> Option:
        """Return an option by its name, upper or lower case; ValueError if there is none."""
        name, owner = self._key(name)
        return self._owners(name)[owner]

    def text(self, name: str) -> str:
        """Return a value as text; '' for `<empty>`."""
        return self._text(self._key(name))

    def number(self, name: str) -> int:
        return int(self._values[self._key(name)])

    def is_on(self, name: str) -> bool:
        return self._values[self._key(name)] == "true"

    def for_game(self, game: str) -> Iterator[tuple[str, str]]:
        """Yield (name, value) of the options that `Game.set_option` takes."""
        for option, owner in options_for_game(game):
            if supports(game, option):
                yield option.name, self._text((option.name, owner))

    def changed(self, game: str) -> dict[str, str]:
        """Return a game's own options, without shared ones, that are not at their default."""
        own = ((option, self._text((option.name, owner))) for option, owner in declared() if owner == game)
        return {option.name: value for option, value in own if value != option.default}

    def _owners(self, name: str) -> dict[str, Option]:
        """Return the options of a name, or of what it is an alias of, by game; ValueError if there is none."""
        known = ALIASES.get(name.lower(), name).lower()
        if known not in self._declared:
            raise ValueError(f"unknown option: {name}")
        return self._declared[known]

    def _key(self, name: str) -> tuple[str, str]:
        """Return the declared name and the game of the option that a name stands for; ValueError if there is none."""
        owners = self._owners(name)
        game = self._values[VARIANT, ""]
        owner = game if game in owners else next(iter(owners))
        return owners[owner].name, owner

    def _text(self, key: tuple[str, str]) -> str:
        value = self._values[key]
        return "" if value == NO_FILE else value
