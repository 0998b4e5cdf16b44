"""The improved UCT for EWN (paper 1): UCTValue = Win * WINK + sqrt(log N / N_i) * UCTK.

A node of the tree is a position before the throw, a chance node. Its children are the moves of all throws, as a move's
value does not depend on the throw. A playout selects among the children that its throw allows; N counts the playouts
through these. A child is *proven* if its value is certain, by the end of the game, the tablebase or proven children. A
proven value stands, and no playout explores below it.

Threads work together in one of three modes. ROOT: each thread has a tree, merged for the report. TREE: one tree, in
which a visit counts as a loss until its result is known. CHILDREN, the paper's: one tree, whose threads take different
children of the root, at most three. The paper locks a thread while it backs up; here each addition is atomic, which
gives the same sums, and no thread waits for one that has no core.

The paper's UCT has neither proofs nor a tree kept from move to move, and adds children at a node's second visit: the
options UCTProofs, UCTReuseTree and UCTLeafVisits. It does not say what range its results have: the option UCTReward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from siqi.games.contract import Move, Task
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.knowledge.knowledge import Knowledge
from siqi.games.ewn.knowledge.numbering import MAX_PIECES
from siqi.games.ewn.knowledge.probe import UNKNOWN, probe_tablebase
from siqi.games.ewn.rules.lookup import LOOKUP, LOOKUP_RECORD, NOBODY
from siqi.games.ewn.rules.movegen import list_legal
from siqi.games.ewn.rules.position import (
    POSITION,
    POSITION_DTYPE,
    advance,
    copy_board,
    do_move,
    origin_of,
    target_of,
    undo_move,
)
from siqi.games.ewn.rules.work import WORK, WORK_DTYPE
from siqi.games.ewn.search.bounds import sum_over_throws
from siqi.games.ewn.search.playout import FINER_BITS, PLAYOUTS, WIN, playout
from siqi.games.ewn.search.root import RootMoves, Value
from siqi.games.kernel.intrinsics import fetch_add, fetch_add_32, load, pointer_to, popcount, store, swap_if_32
from siqi.games.kernel.jit import Record, entry, float64, inner, int64, new_record, record, record_type, void
from siqi.games.kernel.memory import address_of
from siqi.games.kernel.node import count_node
from siqi.games.kernel.random import below, next_state
from siqi.games.search.iteration import IterationResult
from siqi.games.search.sampling import SamplingAdapter

ROOT, TREE, CHILDREN = range(3)
PARALLEL_MODES = ("root", "tree", "children")
"""The values of the option UCTParallel, in the order of the modes."""

REWARDS = {"0..1": (0, 1), "-1..1": (-1, 1)}
"""The rewards of a loss and of a win in UCTValue, by the value of UCTReward."""

THREADS = {"paper": 3, "plain-uct": 1}
"""The threads of the players that have a number of their own, by the value of Algorithm."""

MAX_KEPT = 200_000
"""The most nodes kept from one search to the next; copying them takes 6 ms."""

SPLIT_CHILDREN = 3
"""The children of the root among which the paper's threads are split."""

NODE_DTYPE = record(
    [
        ("sum", "i8"),  # of its results for the player who moved here, 0 to WIN each
        ("visits", "i4"),  # playouts through it, including those under way
        ("first", "i4"),  # node number of its first child; 0: none yet; BUSY: a thread is adding them
        ("exact", "i4"),  # proven value for the player who moved here, 0 to WIN, or OPEN
        ("move", "u2"),  # the move that leads here
        ("ways", "u2"),  # numbers of children by piece 0-5, two bits each; children are in this order
    ]
)
NODE = record_type(NODE_DTYPE)
node_at = pointer_to(NODE)
SIZE = NODE_DTYPE.itemsize
"""The bytes of a node; node `n` of a tree is at the address `tree + SIZE * n`."""

_SUM, _VISITS, _FIRST = (int(NODE_DTYPE.fields[name][1]) for name in ("sum", "visits", "first"))  # type: ignore[index]

TOP = 1
"""The root's node number."""

BUSY = -1
"""Sentinel for a first child: another thread is adding the children."""

OPEN = -1
"""Sentinel for a proven value: the value is not proven."""

_UNVISITED = 1e9
"""The UCTValue of a child without visits, above all but a proven win."""

USED, CAPACITY = range(2)
"""Words that the threads of one tree share: nodes in use, capacity in nodes."""


@inner(int64(int64, int64), forceinline=True)
def children_before(ways: int, piece: int) -> int:
    """Return the number of a node's children that move a piece before this one; all children for piece 6."""
    ways &= (int64(1) << 2 * piece) - 1
    return popcount(ways & 0x555) + 2 * popcount(ways & 0xAAA)


@inner(void(int64, int64), forceinline=True)
def copy_node(node: int, copy: int) -> None:
    """Copy one node."""
    for word in range(SIZE // 8):
        store(copy + 8 * word, load(node + 8 * word))


@inner(int64(WORK, LOOKUP, int64, int64))
def proven_value(work: Record, lookup: Record, tree: int, node: int) -> int:
    """Return the value of a node for its player to move before the throw, 0 to WIN; OPEN unless its children prove it.

    The children need not all be proven: the value is proven once its lower and upper bounds (bounds.py) meet.
    """
    child = int64(node_at(tree + SIZE * node).first)
    ways = int64(node_at(tree + SIZE * node).ways)
    alive = int64(0)
    for piece in range(6):
        least = int64(0)
        most = int64(0)
        for _ in range(ways >> 2 * piece & 3):
            exact = int64(node_at(tree + SIZE * child).exact)
            alive |= int64(1) << piece
            least = max(least, exact)
            most = max(most, WIN if exact == OPEN else exact)
            child += 1
        work.bounds[piece] = least
        work.bounds[6 + piece] = most
    total = sum_over_throws(work, lookup, alive, int64(0))
    return (total + 3) // 6 if total == sum_over_throws(work, lookup, alive, int64(6)) else int64(OPEN)


@inner(int64(WORK, int64), forceinline=True)
def keep_allowed(work: Record, end: int) -> int:
    """Remove from work.moves[:end] the moves that are not allowed at the root; return the new end."""
    count = int64(0)
    for i in range(end):
        for j in range(work.allowed_count):
            if work.allowed[j] == work.moves[i]:
                work.moves[count] = work.moves[i]
                count += 1
                break
    return count


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def expand(pos: Record, work: Record, lookup: Record, tree: int, node: int) -> int:
    """Add a node's children, `pos` being its position; return 1 if the node has children now.

    0 if another thread is adding them or the tree is full. Children that end the game or are in the tablebase are
    proven from the start, if work.has_proofs.
    """
    first = int64(node_at(tree + SIZE * node).first)
    if first > 0:
        return int64(1)
    if first == BUSY or swap_if_32(tree + SIZE * node + _FIRST, int64(0), int64(BUSY)) == 0:
        return int64(0)
    end = list_legal(pos, work, lookup, int64(0), int64(0))
    if node == TOP and work.allowed_count > 0:
        end = keep_allowed(work, end)
    first = fetch_add(work.shared + 8 * USED, end)
    if first + end > load(work.shared + 8 * CAPACITY):
        swap_if_32(tree + SIZE * node + _FIRST, int64(BUSY), int64(0))
        return int64(0)
    ways = int64(0)
    enemy = 1 - pos.turn
    pieces = popcount(pos.alive[0]) + popcount(pos.alive[1])
    for i in range(end):
        move = int64(work.moves[i])
        ways += int64(1) << 2 * (int64(pos.board[origin_of(move)]) - 1 - 6 * pos.turn)
        child = node_at(tree + SIZE * (first + i))
        child.sum = 0
        child.visits = 0
        child.first = 0
        child.ways = 0
        child.exact = OPEN
        child.move = move
        if work.has_proofs == 0:
            continue
        square = target_of(move)
        captured = int64(pos.board[square])
        if square == 24 * enemy or (captured > 0 and pos.alive[enemy] == int64(1) << (captured - 1 - 6 * enemy)):
            child.exact = WIN
        elif pieces <= MAX_PIECES + int64(captured > 0):
            do_move(pos, lookup, move)
            exact = probe_tablebase(pos, work.tablebase)
            undo_move(pos)
            if exact != UNKNOWN:
                work.tbhits += 1
                child.exact = WIN - (exact << FINER_BITS)
    node_at(tree + SIZE * node).ways = ways
    swap_if_32(tree + SIZE * node + _FIRST, int64(BUSY), first)
    return int64(1)


@inner(float64(WORK, int64, int64, float64), forceinline=True)
def uct_value(work: Record, tree: int, child: int, logarithm: float) -> float:
    """Return the UCTValue of a child: infinite for a proven win, _UNVISITED without visits.

    Other proven values get no exploration term. The results count from 0: the reward of a loss in another range is
    the same for all children, and left out.
    """
    node = node_at(tree + SIZE * child)
    exact = int64(node.exact)
    if exact != OPEN:
        return math.inf if exact == WIN else work.wink * exact / WIN
    if node.visits == 0:
        return _UNVISITED
    share = 1.0 / node.visits  # one division; with three a playout took 1.08 times as long
    return work.wink / WIN * node.sum * share + work.uctk * math.sqrt(logarithm * share)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def select(pos: Record, work: Record, lookup: Record, tree: int, node: int, skip: int) -> int:
    """Return the child of the highest UCTValue among those that the throw pos.die allows, 0 if there is none.

    `skip`: the number of best children to pass over; where there are no more, it counts from the best one again. The
    node must have children.
    """
    first = int64(node_at(tree + SIZE * node).first)
    ways = int64(node_at(tree + SIZE * node).ways)
    pair = int64(lookup.movable[pos.alive[pos.turn] * 7 + pos.die])
    begin = first + children_before(ways, pair & 15)
    end = begin + (ways >> 2 * (pair & 15) & 3)
    other = begin
    other_end = begin
    if pair >> 4 != NOBODY:
        other = first + children_before(ways, pair >> 4)
        other_end = other + (ways >> 2 * (pair >> 4) & 3)
    total = int64(0)
    for child in range(begin, end):
        total += int64(node_at(tree + SIZE * child).visits)
    for child in range(other, other_end):
        total += int64(node_at(tree + SIZE * child).visits)
    logarithm = math.log(float64(max(total, 1)))
    best = int64(0)
    best_value = math.inf
    for _ in range(skip % max(end - begin + other_end - other, 1) + 1):
        last = best
        limit = best_value
        is_after = last == 0  # of children of equal values the first counts as better
        best = 0
        best_value = -1.0
        for child in range(begin, end):
            value = uct_value(work, tree, child, logarithm)
            if value > best_value and (value < limit or (value == limit and is_after)):
                best_value = value
                best = child
            is_after |= child == last
        for child in range(other, other_end):
            value = uct_value(work, tree, child, logarithm)
            if value > best_value and (value < limit or (value == limit and is_after)):
                best_value = value
                best = child
            is_after |= child == last
    return best


@entry(void(POSITION, POSITION, WORK, LOOKUP, int64, int64))
def grow(root: Record, pos: Record, work: Record, lookup: Record, tree: int, playouts: int) -> None:
    """Run `playouts` playouts from `root` and add their results to a tree; `pos` is scratch.

    Results are counted for the player who moved to each node. If the throw at the root is not known, the six throws
    are taken in turn. The control block is polled after each playout, so a stop leaves no playout half backed up.
    """
    for _ in range(playouts):
        # Step 1. Return to the root and its throw
        copy_board(pos, root)
        if root.die == 0:
            pos.die = 1 + work.nodes % 6
        node = int64(TOP)
        depth = 0
        result = int64(OPEN)  # of the first side
        is_proven = False

        # Step 2. Select down to a proven child, to the end of the game or to a child with too few visits for children
        while result == OPEN:
            if expand(pos, work, lookup, tree, node) == 0:
                break
            skip = int64(0)
            if node == TOP and work.parallel_mode == CHILDREN:
                skip = work.thread % SPLIT_CHILDREN
            child = select(pos, work, lookup, tree, node, skip)
            if child == 0:  # no move allowed at the root fits the throw
                break
            work.path[depth] = child
            depth += 1
            if work.parallel_mode == ROOT:
                visits = int64(node_at(tree + SIZE * child).visits)
                node_at(tree + SIZE * child).visits += 1
            else:
                visits = fetch_add_32(tree + SIZE * child + _VISITS, int64(1))
            exact = int64(node_at(tree + SIZE * child).exact)
            mover = pos.turn
            advance(pos, lookup, int64(node_at(tree + SIZE * child).move))
            if exact != OPEN:
                result = WIN - exact if mover else exact
                is_proven = True
            elif visits < work.leaf_visits or pos.winner >= 0:
                break
            else:
                node = child
                work.random = next_state(work.random)
                pos.die = 1 + below(work.random, int64(6))
        work.seldepth = max(work.seldepth, depth)

        # Step 3. Play out, unless the result is proven
        if result == OPEN:
            result = playout(pos, work, lookup) if depth > 0 else int64(0)

        # Step 4. Back up the result, and the proof as far as it proves the nodes above
        for i in range(depth - 1, -1, -1):
            child = int64(work.path[i])
            is_second = (root.turn ^ i) & 1
            share = WIN - result if is_second else result
            if work.parallel_mode == ROOT:
                node_at(tree + SIZE * child).sum += share
            else:
                fetch_add(tree + SIZE * child + _SUM, share)
            if is_proven and int64(node_at(tree + SIZE * child).exact) == OPEN:
                value = proven_value(work, lookup, tree, child)
                is_proven = value != OPEN
                if is_proven:
                    node_at(tree + SIZE * child).exact = WIN - value

        # Step 5. Count the playout and poll the control block
        count_node(work)
        if work.stopped == 1:
            return


@entry(int64(int64, int64, int64, int64))
def copy_subtree(source: int, copy: int, node: int, most: int) -> int:
    """Copy a node and its descendants to another tree, as its root (Cheney 1970); return the nodes in use there.

    At most `most` nodes are copied; those furthest from the root are left out.
    """
    copy_node(source + SIZE * node, copy + SIZE * TOP)
    end = int64(TOP + 1)
    at = int64(TOP)
    while at < end:
        first = int64(node_at(copy + SIZE * at).first)
        if first > 0:
            count = children_before(int64(node_at(copy + SIZE * at).ways), int64(6))
            node_at(copy + SIZE * at).first = end if end + count <= most else 0
            if end + count <= most:
                for i in range(count):
                    copy_node(source + SIZE * (first + i), copy + SIZE * end)
                    end += 1
        at += 1
    return end


class Forest:
    """The memory of a tree in two halves: one holds the tree, and the part that is kept is copied to the other."""

    def __init__(self, memory: Any) -> None:
        middle = len(memory) // 2
        self._halves = [memory[:middle], memory[middle:]]
        self.shared = np.zeros(8, np.int64)  # a cache line
        self.shared[CAPACITY] = middle

    @property
    def address(self) -> int:
        return address_of(self._halves[0])

    @property
    def hashfull(self) -> int:
        """The used share of the nodes, per mille."""
        return min(int(1000 * self.shared[USED] // self.shared[CAPACITY]), 1000)

    def children(self, node: int) -> Any:
        """Return the records of a node's children, none if it has no children."""
        tree = self._halves[0]
        first = int(tree[node]["first"])
        ways = int(tree[node]["ways"])
        return tree[first : first + sum(ways >> 2 * piece & 3 for piece in range(6))] if first > 0 else tree[:0]

    def keep(self, path: Sequence[Move] | None) -> None:
        """Keep the tree below the node that moves lead to from the root.

        Nothing is kept for None or a path that leaves the tree.
        """
        node = TOP
        for move in path or ():
            first, children = int(self._halves[0][node]["first"]), self.children(node)
            matching = np.flatnonzero(children["move"] == move)
            node = first + int(matching[0]) if len(matching) else 0
            if not node:
                break
        if path is None or not node:
            self._halves[0][TOP] = np.zeros(1, NODE_DTYPE)[0]
            self.shared[USED] = TOP + 1
        elif path:
            other = address_of(self._halves[1])
            self.shared[USED] = copy_subtree(self.address, other, node, min(MAX_KEPT, int(self.shared[CAPACITY])))
            self._halves.reverse()


def path_between(earlier: Record, later: Record) -> list[Move] | None:
    """Return the moves, at most two, that lead from one position to another for any throws; None if there are none."""
    lookup, work, pos = LOOKUP_RECORD, new_record(WORK_DTYPE), earlier.copy()

    def key(record: Record) -> int:
        return int(record.key) ^ int(lookup.zobrist_die[int(record.die)])

    wanted = key(later)
    if int((earlier.square != later.square).sum()) > 4:  # two that moved, two that were captured
        return None

    def find(moves_left: int) -> list[Move] | None:
        if key(pos) == wanted:
            return []
        if moves_left > 0:
            for move in work.moves[: int(list_legal(pos, work, lookup, 0, 0))].tolist():
                if later.square[pos.board[origin_of(move)]] == origin_of(move):
                    continue  # this piece has not moved
                do_move(pos, lookup, move)
                path = find(moves_left - 1)
                undo_move(pos)
                if path is not None:
                    return [move, *path]
        return None

    return find(2)


class UctAdapter(SamplingAdapter["EwnPosition"]):
    """EWN's half of the sampling searcher."""

    work_dtype = WORK_DTYPE
    position_dtype = POSITION_DTYPE
    node_dtype = NODE_DTYPE
    least_playouts = 6  # one for each throw

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._forests: list[Forest] = []
        self._grown: Record | None = None  # the root of the trees; None if they cannot be kept
        self._parallel_mode = ROOT
        self._has_proofs = True

    @property
    def threads(self) -> int:
        return THREADS.get(self._knowledge.settings.algorithm, 0)

    @property
    def shares_tree(self) -> bool:
        return self._knowledge.settings.uct_parallel != PARALLEL_MODES[ROOT]

    def forget(self) -> None:
        self._grown, self._forests = None, []

    def begin(self, task: Task[EwnPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        """Prepare each thread's memory; keep the part of the trees that the last search grew below this position."""
        known, settings = self._knowledge, self._knowledge.settings
        self._root, self._works = RootMoves(task), works
        mode = PARALLEL_MODES.index(settings.uct_parallel)
        if mode == ROOT and len(trees) < len(works):
            mode = TREE  # the option changed since the trees were made
        path = None
        is_alike = (self._parallel_mode, self._has_proofs) == (mode, settings.uct_proofs)
        if self._grown is not None and settings.uct_reuse_tree and is_alike and not task.moves:
            path = path_between(self._grown, self._root.record)
        self._parallel_mode, self._has_proofs = mode, settings.uct_proofs
        if path is None:
            self._forests = [Forest(tree) for tree in (trees if self._parallel_mode == ROOT else trees[:1])]
        for forest in self._forests:
            forest.keep(path)
        for thread, work in enumerate(works):
            shared = address_of(self._forest(thread).shared)
            work.tablebase, work.evaluation = known.tablebase, known.evaluation
            low, high = REWARDS[settings.uct_reward]
            work.wink, work.uctk = (high - low) * settings.wink, settings.uctk
            work.has_proofs, work.leaf_visits = settings.uct_proofs, settings.uct_leaf_visits
            work.parallel_mode, work.shared = self._parallel_mode, shared
            work.policy, work.playout_plies = PLAYOUTS[settings.uct_playout]
            work.seldepth = work.tbhits = 0
            work.allowed_count = len(task.moves)
            work.allowed[: len(task.moves)] = task.moves
        self._grown = None if task.moves else self._root.record

    def _forest(self, thread: int) -> Forest:
        """Return the tree of a thread."""
        return self._forests[thread if self._parallel_mode == ROOT else 0]

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        tree = self._forest(thread).address
        grow(self._root.record, scratch, self._works[thread], LOOKUP_RECORD, tree, playouts)

    def result(self) -> IterationResult:
        """Return the result, merged over the trees, with moves ordered by value as in the paper (2.1, step 7)."""
        sums: dict[Move, list[float]] = {move: [0.0, 0.0] for move in self._root.moves}
        exact: dict[Move, float] = {}
        for forest in self._forests:
            for node in forest.children(TOP):
                move = int(node["move"])
                if move not in sums:  # a move of another throw
                    continue
                sums[move][0] += float(node["sum"]) / WIN
                sums[move][1] += float(node["visits"])
                if node["exact"] != OPEN:
                    exact[move] = float(node["exact"]) / WIN
        values = {
            move: Value(exact[move], True) if move in exact else Value(total / visits if visits else 0.0)
            for move, (total, visits) in sums.items()
        }

        def rank(move: Move) -> tuple[float, bool]:
            value = values[move]
            return value.chance, value.is_exact and value.chance > 0  # a proven loss ranks with moves not proven

        return IterationResult(
            self._root.lines(values.__getitem__, rank, lambda move: 0),
            max(int(work.seldepth) for work in self._works),
            max(forest.hashfull for forest in self._forests),
            self._root.is_settled(values.__getitem__),
            sum(int(work.tbhits) for work in self._works),
            value=self._root.before_throw(values.__getitem__),
        )
