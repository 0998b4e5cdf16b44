"""The options that several games honour, and the values of a game's options.

A game's declaration lists every option that it honours (`GameInfo.options`), and nothing else holds their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from siqi.games.contract import Option

if TYPE_CHECKING:
    from pathlib import Path


def combo(name: str, *choices: str, paper: int = 0) -> Option:
    """Return an option with these values, the default first."""
    return Option(name, "combo", choices[0], choices=choices, paper=paper)


OWN_BOOK = Option("OwnBook", "check", "false").explained(
    "under a clock, play from the opening book at random by weight (Xiangqi, Connect6), or choose one of the "
    "best set-ups (EWN)",
    "计时对局中按权重随机使用开局库（象棋、六子棋），或从最好的布阵中选一个（爱恩斯坦棋）",
)
BOOK_FILE = Option("BookFile", "string").explained(
    "the user's opening book, consulted before the shipped one; in Xiangqi also `.obk` and `.pfBook`",
    "用户的开局库，先于自带的开局库查找；象棋也可用 `.obk` 和 `.pfBook`",
)
BOOK_DEPTH = Option("BookDepth", "spin", "40", 0, 1000).explained(
    "the last ply at which opening books are consulted",
    "开局库最多查到第几步（半回合）",
)
BOOK_MIN_GAMES = Option("BookMinGames", "spin", "3", 1, 1000000).explained(
    "a book move is played if at least this number of games had it",
    "开局库中的着法至少有这么多局走过，才会走出",
)
USE_RULES = combo("UseRules", "true", "false", "checked", "paper").explained(
    "Xiangqi's mined rules: `true` guides searches; `checked` also plays answers that a short search confirms; "
    "`paper` plays them unsearched under any limit; `false`: unused",
    "象棋的挖掘规则：`true` 指导搜索；`checked` 还走出经短搜索认可的应着；`paper` 在任何限制下都不搜索就走；"
    "`false` 不用",
)
RULE_FILE = Option("RuleFile", "string").explained(
    "Xiangqi: the user's rule base, used in place of the shipped one",
    "象棋：用户的规则库，代替自带的规则库",
)
MINE_RULES = Option("MineRules", "check", "false").explained(
    "Xiangqi: during play, mine the games of `GameLog` into `RuleFile`",
    "象棋：对局进行的同时，从 `GameLog` 的对局中挖掘规则，写入 `RuleFile`",
)
USE_ENDGAMES = Option("UseEndgames", "check", "true").explained(
    "tablebases (Xiangqi, EWN); Xiangqi's take up to 128 MiB in addition to `Hash`",
    "残局库（象棋、爱恩斯坦棋）；象棋的残局库在 `Hash` 之外最多占 128 MiB",
)
ENDGAME_PATH = Option("EndgamePath", "string").explained(
    "more folders with tablebases, separated as in `$PATH`",
    "更多的残局库文件夹，分隔方式同 `$PATH`",
)

NETWORK_FILE = Option("NetworkFile", "string").explained(
    "the network of `Evaluation network`, used in place of the shipped one",
    "`Evaluation network` 用的网络，代替自带的网络",
)

OPENING_BOOK = (OWN_BOOK, BOOK_FILE, BOOK_DEPTH, BOOK_MIN_GAMES)
RULES = (USE_RULES, MINE_RULES, RULE_FILE)
ENDGAMES = (USE_ENDGAMES, ENDGAME_PATH)

SHARED = (*OPENING_BOOK, *RULES, *ENDGAMES)
"""The options for books and tablebases, which the daemon declares once for all games, in this order."""


S = TypeVar("S")

_TYPES: Mapping[str, Callable[[str], object]] = {"check": "true".__eq__, "spin": int, "number": float}
"""Conversions of values by the kind of their option; the other kinds have texts."""


class Values(Generic[S]):
    """The values of a game's options. `settings` has them as the game reads them, made anew at each change."""

    def __init__(
        self, options: Iterable[Option], kind: type[S], players: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    ) -> None:
        """Take the defaults. `kind`: a NamedTuple whose fields have the names of options in lower case, `_` or not.

        `players`: by the value of Algorithm, the options of a player that is selected whole; they hold in place of the
        user's, which hold again once another value is chosen.
        """
        self._options = {option.name: option for option in options}
        self._texts = {name: option.default for name, option in self._options.items()}
        self._players = players
        names = {_folded(name): name for name in self._options}
        self._kind, self._fields = kind, [names[_folded(field)] for field in kind.__annotations__]
        self.settings = self._read()

    def change(self, name: str, text: str) -> bool:
        """Set a value, which the caller has checked by the declaration; False if that changes no setting.

        Most values that are set when a game is loaded were. KeyError for an option that is not declared.
        """
        if self._texts[name] == text:
            return False
        self._texts[name] = text
        before, self.settings = self.settings, self._read()
        return self.settings != before

    def _read(self) -> S:
        texts = {**self._texts, **self._players.get(self._texts.get("Algorithm", ""), {})}
        return self._kind(*(_TYPES.get(self._options[name].kind, str)(texts[name]) for name in self._fields))


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def named_file(text: str) -> Path | None:
    """Return the file that the value of an option names, None if it names none."""
    from pathlib import Path  # late: it would delay the handshake by 5 ms

    return Path(text) if text else None


def changed(before: NamedTuple, after: NamedTuple) -> set[str]:
    """Return the names of the fields in which two settings of a game differ."""
    return {name for name, old, new in zip(after._fields, before, after, strict=True) if old != new}
