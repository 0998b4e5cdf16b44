"""Engines of other programs as players: one file a protocol, the mirror of the front ends."""

from siqi.daemon.clients.player import RANDOM, EngineSpec, Player
from siqi.daemon.clients.random_mover import RandomMover
from siqi.daemon.clients.uci import UciEngine
from siqi.games.contract import GameInfo


def make_player(spec: EngineSpec, info: GameInfo, hang_s: float) -> Player:
    """Return the player that a command line describes; its program starts with its first game."""
    return RandomMover(info) if spec.command == RANDOM else UciEngine(spec, info, hang_s)
