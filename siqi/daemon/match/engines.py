"""Engines as a command line names them: one argument each, `[NAME=]COMMAND [WORD=VALUE ...]`."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from siqi.daemon.clients import CLASSES
from siqi.daemon.clients.player import OWN, RANDOM, EngineSpec, PlayerLimits
from siqi.daemon.match.arguments import LIMITS, limits_from
from siqi.daemon.match.config import ConfiguredEngine
from siqi.daemon.match.match_log import UsageError

RANKS, PROTOCOL = "ranks", "proto"

QUOTES = "an engine and its options are one argument, in quotes"


class EngineParts(NamedTuple):
    """An engine as its argument names it."""

    name: str
    command: str
    words: dict[str, str]


def parse_engine(text: str, common: PlayerLimits) -> EngineSpec:
    """Return the engine that an argument describes; UsageError for one that cannot be read."""
    return engine_of(*parts_of(text), common)


def parts_of(text: str) -> EngineParts:
    """Return the parts of an argument that describes an engine; UsageError for one that cannot be read.

    A command is a program with its arguments, `random`, or `siqi`: this program, as `siqi@OPTION=VALUE,...` with
    options. A word `WORD=VALUE` behind it is a limit of this engine alone (movetime, nodes, depth, clock), `ranks`
    (the number of Xiangqi's lowest rank in its move words), `proto` (its protocol; without it the engine is asked), or
    one of its options. Without a name of its own an engine
    is named after its program.
    """
    name, command = re.fullmatch(r"(?:([^=\s'\"@/]+)=)?(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    if command.partition("@")[0] == OWN:
        words = [OWN, *filter(None, command.partition("@")[2].split(","))]
        if bare := next((word for word in words[1:] if "=" not in word), ""):
            raise UsageError(f"engine {text}: OPTION=VALUE is expected, not {bare}; {QUOTES}: '{OWN}@Skill Level=5'")
        name = name or command
    else:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"engine {text}: {error}") from None
    settings = [index for index, word in enumerate(words) if index and re.match(r"[^-/=][^=/]*=", word)]
    is_word = name in (*LIMITS, RANKS, PROTOCOL) or re.fullmatch("[0-9.]+|true|false", command)
    if name and not settings and is_word and shutil.which(command) is None:
        raise UsageError(f"engine {text}: {command} is no program; {QUOTES}: './engine {text}'")
    first = settings[0] if settings else len(words)
    if not words:
        raise UsageError(f"engine {text}: a command is missing")
    if settings != list(range(first, len(words))):
        raise UsageError(f"engine {text}: WORD=VALUE is expected behind {words[first]}")
    name = name or os.path.splitext(os.path.basename(words[0]))[0]
    return EngineParts(name, shlex.join(words[:first]), dict(word.split("=", 1) for word in words[first:]))


def configured_engine(configured: ConfiguredEngine, common: PlayerLimits) -> EngineSpec:
    """Return an engine of a file, which may have a name and words beside its argument; UsageError as above."""
    parts = parts_of(configured.argument)
    return engine_of(configured.name or configured.argument, parts.command, parts.words | configured.words, common)


def engine_of(name: str, command: str, words: Mapping[str, str], common: PlayerLimits) -> EngineSpec:
    """Return an engine of its parts; a limit of its own replaces all common ones. UsageError for a bad word."""
    options = dict(words)
    try:
        own = limits_from({word: LIMITS[word][0](options.pop(word)) for word in LIMITS if word in options})
        ranks = {"0": 0, "1": 1}[options.pop(RANKS, "0")]
    except (argparse.ArgumentTypeError, KeyError) as error:
        raise UsageError(f"engine {name}: a bad limit, or ranks other than 0 and 1: {error}") from None
    protocol = options.pop(PROTOCOL, "")
    if protocol and protocol not in CLASSES:
        raise UsageError(f"engine {name}: proto is one of {', '.join(CLASSES)}, not {protocol}")
    if command == RANDOM and (options or protocol):
        raise UsageError(f"engine {name}: random has no options")
    return EngineSpec(name, command, options, common if own == PlayerLimits() else own, ranks, protocol)


def distinct(specs: Sequence[EngineSpec]) -> tuple[EngineSpec, ...]:
    """Return engines with different names: of several with one name, all but the first get a number."""
    renamed: list[EngineSpec] = []
    for spec in specs:
        names = {other.name for other in renamed}
        name, number = spec.name, 1
        while name in names:
            number += 1
            name = f"{spec.name} {number}"
        renamed.append(msgspec.structs.replace(spec, name=name))
    return tuple(renamed)
