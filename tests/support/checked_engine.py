"""An engine of a few lines for `siqi match check`: `checked_engine.py PROTOCOL RULE` breaks the rule of this name.

It plays Xiangqi by uci, ugi, ucci or xboard, Connect6 by sau; its moves are always the same two.
"""

from __future__ import annotations

import os
import sys
import threading
import time

PROTOCOL, RULE = sys.argv[1:]
PREFIX = "" if PROTOCOL == "ucci" else "name "
OPTIONS = (
    f"option {PREFIX}Hash type spin default 16 min {32 if RULE == 'option-lines' else 1} max 64",
    f"option {PREFIX}Ponder type check default false",
    f"option {PREFIX}usemillisec type check default false",
    f"option {PREFIX}Log type string default <empty>",
)


def breaks(rule: str) -> bool:
    return rule == RULE


def fail_if(is_broken: bool) -> None:
    """End the process, as a crash does."""
    if is_broken:
        os._exit(7)


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


class Search:
    """One search, on a thread of its own, until its time is over or it is released."""

    def __init__(self, answer: list[str], seconds: float | None) -> None:
        self._released, self._answer, self._seconds = threading.Event(), answer, seconds
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._released.wait(self._seconds)
        say(*self._answer)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join(0.7)

    def release(self) -> None:
        self._released.set()
        self._thread.join()


class Engine:
    def __init__(self) -> None:
        self.search: Search | None = None
        self.move = "h2e2"
        self.is_decided = False
        self.games = 0
        self.seconds = 0.05

    @property
    def is_searching(self) -> bool:
        return self.search is not None and self.search.is_running

    def think(self, seconds: float | None) -> None:
        if self.search is not None:
            self.search.release()
        if PROTOCOL == "xboard":
            self.search = Search([f"move {self.move}"], seconds)
            return
        if not self.move and breaks("no-move"):
            return
        score = "score 1" if PROTOCOL == "ucci" else "score cp 1"
        answer = f"bestmove {self.move or '(none)'}" + (" with pleasure" if breaks("answer-form") else "")
        info = [f"info depth 1 {score} nodes 1 time 1 pv {self.move}"] if not breaks("info-lines") else []
        self.search = Search([*info, answer, *([answer] if breaks("one-answer") else [])], seconds)

    # UCI and its relatives

    def position(self, words: list[str]) -> None:
        fail_if(breaks("position-in-search") and self.is_searching)
        fail_if(breaks("empty-moves") and words[-1] == "moves")
        if self.search is not None and breaks("no-waiting"):
            return
        fen = words[2:]
        fail_if(breaks("bad-positions") and words[1] == "fen" and "K" not in "".join(fen))
        fail_if(breaks("bad-moves") and "zz" in words)
        fail_if(breaks("fen-forms") and words[1] == "fen" and len(fen) == 2 and len(fen[0]) > 40)
        is_second = "b" in fen or (words[1] == "startpos" and words[-1] == "h2e2")
        self.move = "h9g7" if is_second else "h2e2"
        self.move = "" if words[1] == "fen" and fen[:1] == ["R2k5/1R7/9/9/9/9/9/9/9/4K4"] else self.move
        self.is_decided = "1R7" in " ".join(fen)

    def go(self, words: list[str]) -> None:
        late = 0.6 * (breaks("move-time") or breaks("short-clock"))
        if "ponder" in words:
            self.think(0.1 if breaks("ponder") else None)
        elif "infinite" in words:
            self.think(0.1 if breaks("endless-search") and self.is_decided else None)
        elif "movetime" in words:
            self.think(int(words[words.index("movetime") + 1]) / 1000 + late)
        else:
            self.think(0.05 + late * ("depth" not in words))

    def uci(self, line: str) -> None:
        words = line.split()
        if words == [PROTOCOL]:
            say("id name Fake", *OPTIONS, f"{PROTOCOL}ok" + " " * breaks("greeting-lines"))
        elif words == ["isready"]:
            if not (breaks("ready-in-search") and self.is_searching):
                say("readyok")
        elif words[0] == "setoption":
            fail_if(breaks("bad-options") and "many" in words)
            fail_if(breaks("options-echoed") and words[-1] == "16")
            if breaks("made-file") and "Log" in words:
                open(words[-1], "w").close()
            fail_if(breaks("new-game") and words[-1] == "newgame")
        elif words[0] == "position" and len(words) > 1:
            self.position(words)
        elif words[0] == "go":
            self.go(words)
        elif words[0] in ("stop", "ponderhit"):
            if self.search is not None:
                time.sleep(0.5 * breaks("stop"))
                self.search.release()
        elif words[0] in ("ucinewgame", "uginewgame"):
            fail_if(breaks("new-game"))
        else:
            fail_if(breaks("unknown-commands"))

    # CECP

    def xboard(self, line: str) -> None:
        words = line.split()
        if words[0] == "protover":
            say('feature ping=1 usermove=1 variants="xiangqi" option="Hash -spin 16 1 64"')
            say('feature option="Log -string <empty>" done=1')
        elif words[0] == "ping":
            say(f"pong {words[1]}")
        elif words[0] == "st":
            self.seconds = float(words[1]) + 0.6 * breaks("move-time")
        elif words[0] == "sd":
            self.seconds = 0.05
        elif words[0] == "time":
            self.seconds = 0.05 + 0.6 * breaks("short-clock")
        elif words[0] == "go":
            self.think(self.seconds)
        elif words[0] == "?":
            if self.search is not None:
                time.sleep(0.5 * breaks("stop"))
                self.search.release()
        elif words[0] == "usermove":
            fail_if(breaks("bad-moves"))
            if not breaks("illegal-move"):
                say(f"Illegal move: {words[1]}")
        elif words[0] == "option":
            fail_if(breaks("options-echoed") or words[1:] not in (["Hash=16"], ["Log=<empty>"]))
        elif words[0] == "new":
            self.games += 1
            fail_if(breaks("new-game") and self.games == 2)
        elif words[0] not in ("xboard", "variant", "easy", "nopost", "force", "undo", "setboard", "level", "otim"):
            fail_if(breaks("unknown-commands"))
            say(f"Error (unknown command): {words[0]}")

    # SAU

    def sau(self, line: str) -> None:
        if line == "name?":
            say("name Fake")
        elif line == "new black":
            say("move JJ@@")
        elif not line.startswith(("new", "move")):
            fail_if(breaks("unknown-commands"))
            say("ERROR unknown command")
        else:
            fail_if(breaks("bad-moves"))


def main() -> None:
    if breaks("greeting"):
        time.sleep(2)
    fail_if(breaks("bare-start") and os.getcwd() == "/")
    engine = Engine()
    handle = getattr(engine, PROTOCOL if PROTOCOL in ("xboard", "sau") else "uci")
    if breaks("standard-error"):
        sys.stderr.write("hello\n")
    first = b"\xef\xbb\xbf"
    for raw in sys.stdin.buffer:
        text = raw if breaks("byte-order-mark") else raw.removeprefix(first)
        first = b""
        fail_if(breaks("long-line") and len(text) > 50_000)
        fail_if(breaks("binary") and not text.isascii())
        line = text.decode(errors="replace").strip("\n" if breaks("carriage-returns") else None)
        if line == "quit":
            if breaks("quit-when-idle") or (breaks("quit-in-search") and engine.is_searching):
                time.sleep(3)
            return
        if line.strip() and not (line.endswith("\r") and breaks("carriage-returns")):
            handle(line)
        if breaks("idle") and engine.search is not None:
            while True:
                pass
    if breaks("end-of-input") or (breaks("end-of-input-in-search") and engine.is_searching):
        time.sleep(3)
    if engine.is_searching and engine.search is not None and not breaks("end-of-input-answers"):
        engine.search.wait()


main()
