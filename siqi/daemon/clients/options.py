"""Options as engines declare them, and the values that they can have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from siqi.daemon.clients.player import OptionError
from siqi.system.spelling import did_you_mean

UCI_LINE, UCCI_LINE = r"option\s+name\s+(.+?)\s+type\s+(\w+)\s*(.*)", r"option\s+(\S+)\s+type\s+(\w+)\s*(.*)"

CUTECHESS = "option."
"""The prefix of an option's name in other match runners."""

MAX_SHOWN = 20
"""The most values of a combo that are named."""


class Option(NamedTuple):
    """An option as an engine declares it, in UCI's words."""

    name: str
    kind: str
    rest: str  # default and range

    @property
    def default(self) -> str | None:
        """Its default, None if it has none."""
        match = re.search(r"\bdefault ?(.*?)(?= (?:min|max|var) |$)", self.rest)
        return match[1] if match else None

    def number(self, word: str) -> int | None:
        match = re.search(rf"\b{word} (-?\d+)", self.rest)
        return int(match[1]) if match else None

    @property
    def choices(self) -> list[str]:
        return re.findall(r"\bvar (.+?)(?= var |$)", self.rest)

    def fault(self, value: str) -> str:
        """Return what the option's values are if this is none of them, else ""; texts are not judged."""
        if self.kind == "check" and value.lower() not in (self.choices or ("true", "false")):
            return "true or false"
        if self.kind == "combo" and self.choices and value.lower() not in map(str.lower, self.choices):
            more = ", ..." if len(self.choices) > MAX_SHOWN else ""
            return f"one of {', '.join(self.choices[:MAX_SHOWN])}{more}"
        if self.kind == "spin":
            low, high = self.number("min"), self.number("max")
            number = int(value) if re.fullmatch("-?[0-9]{1,18}", value) else None
            if number is None or (low is not None and number < low) or (high is not None and number > high):
                least, most = ("" if bound is None else str(bound) for bound in (low, high))
                return f"a whole number{f' from {least}' if least else ''}{f' to {most}' if most else ''}"
        return ""


def declared_options(pattern: str, lines: Sequence[str]) -> list[Option]:
    """Return the options that lines of a greeting declare, by UCI_LINE or UCCI_LINE."""
    matches = (re.fullmatch(pattern, line.strip()) for line in lines)
    return [Option(*match.groups()) for match in matches if match]


def by_name(options: Sequence[Option]) -> dict[str, Option]:
    """Return options by their names in lower case."""
    return {option.name.lower(): option for option in options}


def chosen(engine: str, settings: Mapping[str, str], declared: Mapping[str, Option]) -> Iterator[tuple[Option, str]]:
    """Yield the options that settings name, with the values to set; OptionError for what an engine would ignore."""
    for name, value in settings.items():
        option = declared.get(name.lower())
        if option is None:
            known = [each.name for each in declared.values()]
            spaced = next((each for each in known if each.lower().endswith(f" {name.lower()}")), None)
            if spaced:
                raise OptionError(f'{engine} has no option {name}; in quotes of its own: "{spaced}={value}"')
            raise OptionError(f"{engine} has no option {name}{did_you_mean(name.removeprefix(CUTECHESS), known)}")
        if fault := option.fault(value):
            raise OptionError(f"{engine}: {option.name} is {fault}, not {value or 'empty'}")
        yield option, value
