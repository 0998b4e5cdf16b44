"""A progress bar with the workers of a cluster, or its figures as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

from tqdm import tqdm

from siqi.daemon.cluster.remote import workers_now
from siqi.system.messages import translated

JSON_EVERY_S = 1.0


class Bar(tqdm):  # type: ignore[misc]
    """tqdm's bar; with `as_json` a line of JSON per second instead, and one at the end.

    A line has `done`, `total` (null if not known), `rate` (per second), `left_s`, `workers` (null without a cluster)
    and, if the caller has set it, `reading`.
    """

    reading = ""
    """The input that is read."""

    def __init__(self, *arguments: Any, as_json: bool = False, **more: Any) -> None:
        self._as_json = as_json
        if as_json:
            more |= {"mininterval": JSON_EVERY_S, "maxinterval": JSON_EVERY_S, "disable": False}
        super().__init__(*arguments, dynamic_ncols=True, **more)

    @property
    def format_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().format_dict
        if (workers := workers_now()) is not None:
            own = fields["postfix"]
            fields["postfix"] = translated(f"{workers} workers") + (f", {own}" if own else "")
        return fields

    def display(self, msg: str | None = None, pos: int | None = None) -> Any:
        if not self._as_json:
            return super().display(msg, pos)
        fields = self.format_dict
        done, total = fields["n"], fields["total"]
        rate = fields["rate"] or ((done - fields["initial"]) / fields["elapsed"] if fields["elapsed"] else 0.0)
        left_s = round((total - done) / rate, 1) if rate and total is not None else None
        line = {"done": done, "total": total, "rate": round(rate, 2), "left_s": left_s, "workers": workers_now()}
        line |= {"reading": self.reading} if self.reading else {}
        self.fp.write(json.dumps(line) + "\n")
        self.fp.flush()
        return True

    def close(self) -> None:
        if self._as_json and not self.disable:
            self.display()
            self.sp = None  # tqdm then ends without a line of its own
        super().close()

    def clear(self, nolock: bool = False) -> None:
        if not self._as_json:
            super().clear(nolock=nolock)
