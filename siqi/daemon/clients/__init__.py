"""Engines of other programs as players: one file for each protocol, the mirror of the front ends.

A client knows its protocol's lines and the games' contract. The word `proto=` selects it, or the engine is asked.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from siqi.daemon.clients.player import OWN, RANDOM, EngineSpec, Player
from siqi.daemon.clients.random_mover import RandomMover
from siqi.games.contract import GameInfo

if TYPE_CHECKING:
    from siqi.daemon.clients.base import EngineProcess

CLASSES = {
    "uci": "uci.UciEngine",
    "ucci": "ucci.UcciEngine",
    "xboard": "cecp.CecpEngine",
    "sau": "sau.SauEngine",
    "cloudict": "cloudict.CloudictEngine",
    "myai": "myai.MyAiEngine",
    "junqi": "junqi.JunqiEngine",
    "ugi": "ugi.UgiEngine",
}
"""The clients by the word of `proto=`, in the order in which engines are asked; each is imported when it is needed."""


def load_client(protocol: str) -> type[EngineProcess]:
    """Import the client of a protocol; KeyError for an unknown one."""
    module, name = CLASSES[protocol].split(".")
    client: type[EngineProcess] = getattr(importlib.import_module(f"siqi.daemon.clients.{module}"), name)
    return client


def unfit(spec: EngineSpec, info: GameInfo) -> str:
    """Return why an engine cannot be asked for such games in the protocol that it was given, "" if it can."""
    return load_client(spec.protocol).unfit(spec, info) if spec.protocol else ""


def make_player(spec: EngineSpec, info: GameInfo, hang_s: float) -> Player:
    """Return the player that a command line describes; its program starts with its first game."""
    if spec.command == RANDOM:
        return RandomMover(info)
    protocol = spec.protocol or ("uci" if spec.command == OWN else "")
    if protocol:
        return load_client(protocol)(spec, info, hang_s)
    from siqi.daemon.clients.asked import AskedEngine

    clients = [load_client(name) for name in CLASSES]
    return AskedEngine(spec, info, hang_s, [client for client in clients if info.name in client.games])
