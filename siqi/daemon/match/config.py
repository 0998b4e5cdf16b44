"""A match's command line from a file: TOML whose keys are the options, with a table `[[engine]]` for each engine."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Sequence
from typing import Any, NamedTuple

from siqi.system.spelling import did_you_mean


class ConfiguredEngine(NamedTuple):
    """An engine of a file: its name or "", its argument, and its options and limits as words of a command line."""

    name: str
    argument: str
    words: dict[str, str]


class Config(argparse.Action):
    """Sets what a file says; options behind it on the command line replace that, and engines there are added.

    games = 200
    sprt = [0, 10]
    [[engine]]
    name = "new"
    command = "./engine --quiet"
    movetime = 100
    "Skill Level" = 5
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        path: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        try:
            with open(str(path), "rb") as file:
                content = tomllib.load(file)
            engines = content.pop("engine", [])
            namespace.configured = [_engine(table) for table in (engines if isinstance(engines, list) else [engines])]
        except OSError as error:
            raise argparse.ArgumentError(self, f"{path}: {error.strerror}") from None
        except (TypeError, ValueError) as error:
            raise argparse.ArgumentError(self, f"{path}: {error}") from None
        options = {name: action for action in parser._actions for name in action.option_strings}
        for name, value in content.items():
            action = options.get(f"--{name}")
            if action is None or action is self or action.dest == "help":
                names = [option[2:] for option in options if option.startswith("--")]
                raise argparse.ArgumentError(self, f"{path}: no option {name}{did_you_mean(name, names)}")
            self._apply(parser, namespace, action, value, f"{path}: {name}")

    def _apply(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        action: argparse.Action,
        value: Any,
        what: str,
    ) -> None:
        """Set an option as its words on the command line would."""
        if action.nargs == 0:
            if not isinstance(value, bool):
                raise argparse.ArgumentError(self, f"{what}: true or false")
            if value:
                action(parser, namespace, [], None)
            return
        if isinstance(value, list) and isinstance(action, argparse._AppendAction):
            for each in value:
                self._apply(parser, namespace, action, each, what)
            return
        words = [_word(each) for each in (value if isinstance(value, list) else [value])]
        if len(words) != (action.nargs or 1):
            raise argparse.ArgumentError(self, f"{what}: {action.nargs or 1} values are needed")
        values = [parser._get_value(action, word) for word in words]
        for each in values:
            parser._check_value(action, each)
        action(parser, namespace, values if action.nargs else values[0], None)


def _engine(table: Any) -> ConfiguredEngine:
    """Return an engine of a table; ValueError if it has no command."""
    if not isinstance(table, dict) or not isinstance(table.get("command"), str):
        raise ValueError("[[engine]] needs a command")
    words = {name: _word(value) for name, value in table.items() if name not in ("name", "command")}
    return ConfiguredEngine(str(table.get("name", "")), table["command"], words)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
