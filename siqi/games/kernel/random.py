"""Random numbers for playouts: xorshift64 (Marsaglia 2003). The state is an int64, never 0."""

from __future__ import annotations

from siqi.games.kernel.jit import inner, int64


def seed_state(seed: int, stream: int = 0) -> int:
    """Return a state, well mixed and not 0, for a seed and the number of a stream (thread); by splitmix64."""
    mask = (1 << 64) - 1
    z = (seed * 0x9E3779B97F4A7C15 + (stream + 1) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
    z = (z ^ z >> 31) & (mask >> 1)
    return z or 1


@inner(int64(int64), forceinline=True)
def next_state(state: int) -> int:
    """Return the state after `state`."""
    state ^= state << 13
    state ^= (state >> 7) & 0x01FFFFFFFFFFFFFF
    state ^= state << 17
    return state


@inner(int64(int64, int64), forceinline=True)
def below(state: int, n: int) -> int:
    """Return a number in 0..n-1 (n < 2**31), from a state's upper bits."""
    return (((state >> 32) & 0x7FFFFFFF) * n) >> 31
