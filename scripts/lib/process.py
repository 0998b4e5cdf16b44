"""What the system tells of a running process."""

from __future__ import annotations

from pathlib import Path


def status(pid: int, field: str) -> int:
    """A number of /proc/PID/status: `VmRSS` in KiB, `Threads`."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise ValueError(f"process {pid} has no {field}")
