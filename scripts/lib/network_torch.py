"""Learning Xiangqi's network by PyTorch on an accelerator; steps are those of network_learner.ProcessorLearner.

On a processor PyTorch is a sixth as fast as the kernels (network_kernels.py).
"""

from __future__ import annotations

import errno
from typing import Any

import numpy as np
import torch

from scripts.lib.network_kernels import compile_kernels, list_all_rows
from scripts.lib.network_learner import KEEP, KEEP_SQUARE, LARGEST, PARAMETERS, State, as_bytes
from scripts.lib.xiangqi_network import NO_ROW, PIECES, count_pieces
from scripts.lib.xiangqi_samples import Samples

from siqi.games.xiangqi.evaluation.network import KING_BUCKETS, material_bucket

_SMALL = 1e-8


def accelerator() -> str:
    """Return the name of the device that PyTorch can use besides the processor, empty if there is none."""
    return str(torch.accelerator.current_accelerator()) if torch.accelerator.is_available() else ""


def check_device(device: str) -> None:
    """Raise OSError unless PyTorch can compute on a device."""
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise OSError(errno.EINVAL, f"PyTorch cannot use it: {str(error).splitlines()[0]}", device) from None


class TorchLearner:
    """Learns on a device of PyTorch's."""

    def __init__(self, state: State, device: str) -> None:
        compile_kernels()
        self._device = torch.device(device)
        self._steps = int(state["steps"])
        self._state = {
            name: torch.from_numpy(np.array(values)).to(self._device)
            for name, values in state.items()
            if name != "steps"
        }

    def _logits(self, samples: Samples, rows: Any, factors: Any, biases: Any, *later: Any) -> Any:
        listed = np.empty((len(samples), 2, PIECES), np.int32)
        list_all_rows(as_bytes(samples), listed)
        inputs = torch.from_numpy(listed.reshape(-1, PIECES)).to(self._device)
        buckets = material_bucket(count_pieces(samples), len(later[0]))
        bucket = torch.from_numpy(np.asarray(buckets)).to(self._device)
        output, output_bias, hidden, hidden_biases, hidden_outputs = (values[bucket] for values in later)
        table = torch.cat([rows + factors.repeat(KING_BUCKETS, 1), torch.zeros_like(rows[:1])])
        sums = torch.nn.functional.embedding_bag(inputs, table, mode="sum", padding_idx=NO_ROW) + biases
        x = sums.reshape(len(samples), -1).clamp(0, 1)
        y = (torch.einsum("nhj,nj->nh", hidden, x) + hidden_biases).clamp(0, 1)
        return (x**2 * output).sum(1) + (y**2 * hidden_outputs).sum(1) + output_bias

    def step(self, samples: Samples, targets: Any, rate: float, row_decay: float = 0.0) -> float:
        parameters = [self._state[name].requires_grad_() for name in PARAMETERS]
        aims = torch.from_numpy(targets).to(self._device)
        error = ((torch.sigmoid(self._logits(samples, *parameters)) - aims) ** 2).mean()
        gradients = torch.autograd.grad(error, parameters)
        self._steps += 1
        by_mean, by_square = 1 / (1 - KEEP**self._steps), 1 / (1 - KEEP_SQUARE**self._steps)
        with torch.no_grad():
            for name, values, gradient in zip(PARAMETERS, parameters, gradients, strict=True):
                mean, square = self._state[f"{name}_mean"], self._state[f"{name}_square"]
                mean.lerp_(gradient, 1 - KEEP)
                square.lerp_(gradient**2, 1 - KEEP_SQUARE)
                values.sub_(rate * (mean * by_mean) / ((square * by_square).sqrt() + _SMALL))
            self._state["rows"].mul_(1 - rate * row_decay)
            for name, most in LARGEST.items():
                self._state[name].clamp_(-most, most)
        return float(error.detach())

    def values(self, samples: Samples) -> Any:
        with torch.no_grad():
            return self._logits(samples, *(self._state[name] for name in PARAMETERS)).cpu().numpy()

    def state(self) -> State:
        found = {name: np.array(values.detach().cpu().numpy()) for name, values in self._state.items()}
        return found | {"steps": np.array(self._steps, np.int64)}
