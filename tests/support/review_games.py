"""A game of each kind as files, for tests of `siqi review`."""

from __future__ import annotations

from pathlib import Path

XIANGQI = """[Game "Chinese Chess"]
[Event "Cup </script><b>"]
[Red "胡"]
[Black "许"]
[Result "0-1"]
[Format "Chinese"]

1. 炮二平五 {<img src=x onerror=alert(1)> <!-- <script> \u2028 } 马８进７ 2. 马二进三 车９平８
3. 车一平二 炮８进４ 4. 兵三进一 炮２平５ 5. 马八进九 马２进３ 6. 车二进一 车１平２
7. 车二平七 车２进６ 8. 兵九进一 车２平３ 9. 帅五进一 {坏棋} 炮５进４ 0-1
"""

CONNECT6 = """{[C6][Alpha B][Beta W][后手胜][2017.07.29 14:00 重庆][2017 CCGC];B(J,10);W(H,10);W(I,9);B(J,8);B(J,9);\
W(I,10);W(I,11);B(H,7);B(I,8);W(G,6);W(J,12);B(F,17);B(N,16);W(G,9);W(I,13);B(F,8);B(G,8);W(B,3);W(L,19);B(F,4);\
B(Q,8);W(I,12);W(I,14)}
"""

EWN = """#[WTN][Alpha R][Beta B][先手胜][2017.07.29 14:00 重庆][2017 CCGC];
R:A5-1;B5-2;C5-3;A4-4;B4-5;A3-6
B:E1-6;D1-1;C1-5;E2-2;D2-4;E3-3
1:4;(R4,B4)
2:5;(B5,B2)
3:6;(R6,B2)
4:3;(B3,D4)
5:4;(R4,C3)
6:1;(B1,D2)
7:4;(R4,C2)
8:1;(B1,C3)
9:2;(R2,C5)
10:2;(B2,D2)
11:3;(R4,D1)
12:2;(B2,C3)
13:6;(R6,C2)
14:2;(B2,B4)
15:6;(R6,D2)
16:4;(B6,D1)
17:3;(R6,E1)
"""


SETUP = "diahcbgkkfiecfigjhedjljhg"
JUNQI = "G2F22 F3G12 I0H13 D4E33 I4H33 B2C33 K4J33 E3D23 K2J13 D3E33 J2I23 B0C13 G4F41 F1F40 I1I03 E4F41 J3K43 F4F23"


def junqi() -> str:
    """Return a line of the referee's log."""
    return "\t".join(["Cup", "Alpha", "Beta", SETUP, SETUP, JUNQI, "", ""]) + "\n"


def write_games(folder: Path) -> dict[str, Path]:
    """Write a file for each game; return their paths by game."""
    texts = {"xiangqi.pgn": XIANGQI, "connect6.txt": CONNECT6, "ewn.txt": EWN, "junqi.txt": junqi()}
    paths = {}
    for name, text in texts.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        paths[path.stem] = path
    return paths
