"""`siqi warm`: compile every kernel of the games, including those that play compiles only at their first use."""

from __future__ import annotations

import importlib
import os
import re
import sys
import time
from pathlib import Path

from siqi.games import registry
from siqi.system.messages import translated
from siqi.system.pipes import to_stderr

_KERNEL = re.compile(r"^@(?:entry|outlined)\(", re.MULTILINE)


def warm(names: list[str], cache: str | None) -> int:
    """Compile all kernels of these games; return the exit status: 2 if nothing was started, 1 if nothing is kept.

    `cache`: the folder to compile into, which other users may read afterwards, whatever the umask; None: the user's.
    """
    for name in names:
        if name not in registry.NAMES:
            to_stderr(f"siqi warm: unknown game {name}; one of {' '.join(registry.NAMES)}")
            return 2
    if cache is not None:
        os.umask(0o022)
        os.environ["SIQI_CACHE"] = os.path.abspath(cache)
    from tqdm import tqdm

    from siqi.games.kernel import jit

    if cache is not None and (jit.CACHE_FOLDER is None or jit.CACHE_FOLDER.parent != Path(os.path.abspath(cache))):
        to_stderr(f"siqi warm: {jit.explicit_fault() or f'cache {cache}: cannot be written'}")
        return 2

    games = Path(registry.__file__).parent
    files = [path for name in ("kernel", *names) for path in sorted((games / name).rglob("*.py"))]
    started = time.monotonic()
    compiled = 0
    kernels = {path: len(_KERNEL.findall(path.read_text(encoding="utf-8"))) for path in files}
    total = sum(kernels.values())
    with tqdm(total=total, unit=translated(" kernels"), disable=not sys.stderr.isatty()) as bar:

        def count_kernel(kernel: str) -> None:
            nonlocal compiled
            compiled += 1
            bar.update()

        jit.on_compile = count_kernel
        with jit.together(""):
            for path, count in kernels.items():
                if count:  # files without kernels may need packages that the engine does not
                    importlib.import_module(".".join(("siqi.games", *path.relative_to(games).with_suffix("").parts)))
        for kernel in jit.rare:
            kernel.load()
        bar.update(total - bar.n)
    seconds = f"{time.monotonic() - started:.1f}"
    print(translated(f"{compiled} kernels compiled in {seconds} s, {max(total - compiled, 0)} were there"))
    if jit.cache_faults:
        to_stderr(f"siqi warm: nothing is kept; {jit.cache_faults[0]}")
        return 1
    return 0
