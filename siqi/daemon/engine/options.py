"""The engine's options: declared here and by the games, listed by `uci`, set by `setoption`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from siqi.games import registry
from siqi.games.contract import GameInfo, Names, Option
from siqi.games.options import SHARED
from siqi.system.spelling import did_you_mean

NO_FILE = "<empty>"
VARIANT = "UCI_Variant"
MAX_SKILL = 20

MAX_DIGITS = 12
"""The most digits of an option's whole number: Python converts no text of any length."""

_QUOTED = [f"`{name}`" for name in registry.NAMES]
_RATINGS = [elo for name in registry.NAMES for elo in registry.info(name).skill_elo]


def _ranges(names: Callable[[GameInfo], Names], separator: str) -> str:
    rated = [info for info in map(registry.info, registry.NAMES) if info.skill_elo]
    return separator.join(f"{names(info).game} {info.skill_elo[0]}..{info.skill_elo[-1]}" for info in rated)


CORE = (
    Option(VARIANT, "combo", registry.DEFAULT_GAME, choices=registry.NAMES).explained(
        f"the game: {', '.join(_QUOTED)}; the position becomes its start",
        f"棋种：{'、'.join(_QUOTED)}；局面变为该棋种的初始局面",
    ),
    Option("Hash", "spin", "64", 1, 16384).explained(
        "memory for the transposition table or the search tree, in MiB",
        "置换表或搜索树占用的内存，单位 MiB",
    ),
    Option("Threads", "spin", "1", 1, 64).explained(
        "search threads. They share the transposition table; in Junqi they divide moves and worlds, or merge trees",
        "搜索线程数。各线程共用置换表；军棋的各线程分担着法和抽样局面，或合并各自的树",
    ),
    Option("MultiPV", "spin", "1", 1, 256).explained(
        "number of best lines reported",
        "报告的主要变例数",
    ),
    Option("Ponder", "check", "false").explained(
        "the client will ponder; `go ponder` works either way",
        "客户端会用后台思考；不设也可以用 `go ponder`",
    ),
    *SHARED,
    Option("GameLog", "string").explained(
        "append every finished game to this file, a JSON object per line: a new file, or one that this option has made",
        "每局下完后追加到这个文件，每局一行 JSON；文件必须是新的，或由本选项建立",
    ),
    Option("RecordPath", "string").explained(
        "write every finished game to a new file in this folder, in the record format of its game",
        "每局下完后在这个文件夹里新建一个文件，用该棋种的棋谱格式",
    ),
    Option("Move Overhead", "spin", "10", 0, 5000).explained(
        "milliseconds kept back for each move, for the client's lag",
        "每步为客户端的延迟留出的毫秒数",
    ),
    Option("MoveTime", "spin", "0", 0, 3_600_000).explained(
        "the most milliseconds that a move under a clock may take; 0: as the clock allows (SAU and Cloudict: 9500)",
        "计时对局中每步最多用的毫秒数；0：由计时决定（SAU 和 Cloudict 为 9500）",
    ),
    Option("Seed", "spin", "0", 0, 2**31 - 1).explained(
        "seed of all random choices; 0: a new one for each game",
        "所有随机选择的种子；0：每局另取一个",
    ),
    Option("Skill Level", "spin", str(MAX_SKILL), 0, MAX_SKILL).explained(
        "20: full strength; below it the search is shortened and noise is added to its choice",
        "20 为全力；低于 20 时缩短搜索，并在选着时加入噪声",
    ),
    Option("UCI_LimitStrength", "check", "false").explained(
        "play at the strength `UCI_Elo`; `Skill Level` is ignored",
        "按 `UCI_Elo` 的等级分下棋，不理会 `Skill Level`",
    ),
    Option("UCI_Elo", "spin", "2000", min(_RATINGS), max(_RATINGS)).explained(
        f"a rating from games of the engine against itself: {_ranges(lambda info: info.english, ', ')}",
        f"等级分，由引擎自己的对局测得：{_ranges(lambda info: info.chinese, '、')}",
    ),
    Option("UCI_ShowWDL", "check", "false").explained(
        "Xiangqi, Connect6: add `wdl W D L`, per mille, to each score; EWN and Junqi always report it",
        "象棋、六子棋：每个分数之后给出 `wdl W D L`（胜、和、负的千分比）；爱恩斯坦棋和军棋总是给出",
    ),
    Option("UCI_AnalyseMode", "check", "false").explained(
        "true: search every move, even a book move or the only legal one",
        "true：每步都搜索，有开局库着法或只有一个合法着法时也不例外",
    ),
    Option("Clear Hash", "button").explained(
        "forget everything that searches have stored",
        "清除搜索保存的一切",
    ),
    Option("Debug Log File", "string").explained(
        "append every line received or sent to this file: a new file, or one that this option has made",
        "把收发的每一行追加到这个文件；文件必须是新的，或由本选项建立",
    ),
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


def value_range(option: Option) -> str:
    """Return an option's type for people, with the range of a number: `spin 1..64`."""
    return f"{option.kind} {option.low}..{option.high}" if option.kind in ("spin", "number") else option.kind


def normalised(option: Option, value: str) -> str:
    """Return a value in its canonical spelling; ValueError, with what is accepted, for a value that is not allowed."""
    if option.kind == "spin":
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise ValueError(f"option {option.name}: not a number: {value}")
        if len(digits) > MAX_DIGITS or not option.low <= int(value) <= option.high:
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
    settings: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator:
            raise ValueError(f"expected NAME=VALUE, not {word}")
        option, stored = options.set(name.strip(), value.strip())
        settings[option.name] = stored
    return settings


def _is_for_others(value: str, owner: str, owners: Mapping[str, Option]) -> bool:
    """True if a value is none of the choices of one game's option, but of another's of the same name."""
    takers = {game for game, option in owners.items() if value.lower() in map(str.lower, option.choices)}
    return bool(takers) and owner not in takers


class Options:
    """The options with their current values.

    Games may declare options of one name that differ in their choices and default, such as `Algorithm`: each game keeps
    its own value. The name stands for the current game's option; if that takes no such value, for those of all games
    that do.
    """

    def __init__(self) -> None:
        self._declared: dict[str, dict[str, Option]] = {}  # by the name in lower case, then by game, '': all games
        for option, owner in declared():
            self._declared.setdefault(option.name.lower(), {})[owner] = option
        self._values = {(option.name, owner): option.default for option, owner in declared()}
        self._initial = dict(self._values)
        self._are_files_fixed = False

    def fix_files(self) -> None:
        """Refuse from now on to change options that name files or folders: they give a client the user's rights."""
        self._are_files_fixed = True

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
        if owner in ("", self._values[VARIANT, ""]) and not _is_for_others(value, owner, owners):
            owners = {owner: owners[owner]}
        options = tuple(owners.values())
        choices = tuple(dict.fromkeys(choice for option in options for choice in option.choices))
        value = normalised(options[0]._replace(choices=choices), value)
        is_same = value.removeprefix(NO_FILE) == self._text((declared_name, owner))
        if self._are_files_fixed and options[0].kind == "string" and not is_same:
            raise ValueError(f"option {declared_name}: it names a file, and the engine runs with --no-files")
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
            names = (option.name for owners in self._declared.values() for option in owners.values())
            raise ValueError(f"unknown option: {name}{did_you_mean(name, names)} (siqi options lists all)")
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
