// The tree of an analysis as a list: the main line runs on, variations are indented below the move they replace.

import { element } from './parts.js';
import { moveText, percent, spoken, text } from './texts.js';

/** @typedef {import('./types.js').TreeShown} TreeShown */
/** @typedef {import('./types.js').TreeNode} TreeNode */
/** @typedef {import('./types.js').AnalysisShown} AnalysisShown */

const SIGNS = /** @type {{[nag: number]: string}} */ ({ 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' });

const GRADES = [0.05, 0.1, 0.2]; // as in reviews: an inaccuracy, a mistake, a blunder

const LOSSES = ['', '?!', '?', '??'];

/** @param {number} loss */
function grade(loss) {
  return GRADES.filter((least) => Math.round(100 * loss) >= 100 * least).length;
}

export class TreeList {
  /**
   * @param {HTMLElement} root
   * @param {(node: number) => void} go called with the node of the move that the person picks
   */
  constructor(root, go) {
    this.root = root;
    /** @type {TreeShown} */
    this.tree = { nodes: [], comment: '', chance: null, setups: 0 };
    /** @type {Map<number, TreeNode>} */
    this.nodes = new Map();
    /** @type {Map<number, number[]>} */
    this.children = new Map();
    this.firstTurn = 0;
    this.drawn = '';
    root.addEventListener('click', (event) => {
      const move = event.target instanceof HTMLElement ? event.target.closest('[data-node]') : null;
      if (move instanceof HTMLElement) go(Number(move.dataset.node));
    });
  }

  /**
   * @param {TreeShown} tree
   * @param {AnalysisShown} shown
   */
  set(tree, shown) {
    this.tree = tree;
    this.nodes = new Map(tree.nodes.map((node) => [node.node, node]));
    this.children = new Map();
    for (const { node, parent } of tree.nodes) this.children.set(parent, [...(this.children.get(parent) ?? []), node]);
    this.firstTurn = (((shown.turn - this.line(shown.node).length + 1) % 2) + 2) % 2;
    this.drawn = '';
  }

  /** @param {number} node */
  move(node) {
    return this.nodes.get(node)?.move ?? null;
  }

  /**
   * Return the first side's chance at a node, null if it was not judged.
   * @param {number} node
   * @returns {number | null}
   */
  chance(node) {
    return (node ? this.nodes.get(node)?.chance : this.tree.chance) ?? null;
  }

  /**
   * Return the nodes from the root to a node, both included.
   * @param {number} node
   */
  line(node) {
    const line = [node];
    while (line[0]) line.unshift(this.before(line[0]));
    return line;
  }

  /**
   * Return the nodes of the line through a node, from the root to its last position.
   * @param {number} node
   */
  whole(node) {
    const line = this.line(node);
    for (let next = this.after(node); next !== line[line.length - 1]; next = this.after(next)) line.push(next);
    return line;
  }

  /** @param {number} node */
  before(node) {
    return this.nodes.get(node)?.parent ?? 0;
  }

  /** @param {number} node */
  after(node) {
    return this.children.get(node)?.[0] ?? node;
  }

  /** @param {number} node */
  end(node) {
    const line = this.whole(node);
    return line[line.length - 1];
  }

  /**
   * Return the node of another move from the same position.
   * @param {number} node
   * @param {number} step
   */
  beside(node, step) {
    const group = this.children.get(this.before(node)) ?? [];
    const at = group.indexOf(node);
    return at < 0 ? node : group[Math.min(Math.max(at + step, 0), group.length - 1)];
  }

  /**
   * Return the chance that a move lost, its player's view; 0 where that is not known.
   * @param {number} node
   */
  loss(node) {
    const before = this.chance(this.before(node));
    const after = this.chance(node);
    const turn = (this.firstTurn + this.line(node).length) % 2; // the player is the side to move before it
    return !node || before === null || after === null ? 0 : Math.max(turn ? after - before : before - after, 0);
  }

  /**
   * Return the node of the next move of the line that is a mistake, or the one before; the node itself if there is none.
   * @param {number} node
   * @param {number} step 1 or -1
   */
  mistake(node, step) {
    const line = this.whole(node);
    const at = line.indexOf(node);
    const others = step > 0 ? line.slice(at + 1) : line.slice(0, at).reverse();
    return others.find((other) => grade(this.loss(other)) > 1) ?? node;
  }

  /** @param {number} node */
  isMain(node) {
    return this.line(node).every((each) => !each || this.children.get(this.before(each))?.[0] === each);
  }

  /**
   * Draw the tree if it has changed, and mark the current move.
   * @param {number} current
   */
  show(current) {
    if (this.drawn !== spoken()) {
      this.drawn = spoken();
      this.root.replaceChildren();
      if (this.tree.comment) this.root.append(element('span', 'comment', this.tree.comment));
      this.draw(this.root, 0, 0, true);
      if (!this.tree.nodes.length) this.root.append(element('span', 'faint', text('noMoves')));
    }
    for (const part of this.root.querySelectorAll('.now')) part.classList.remove('now');
    const now = this.root.querySelector(`[data-node="${current}"]`);
    now?.classList.add('now');
    for (const part of this.root.querySelectorAll('[aria-current]')) part.removeAttribute('aria-current');
    now?.setAttribute('aria-current', 'true');
    if (now instanceof HTMLElement) this.reveal(now);
    else this.root.scrollTop = 0;
  }

  /** @param {HTMLElement} part */
  reveal(part) {
    const top = part.offsetTop - this.root.offsetTop;
    if (top < this.root.scrollTop || top + part.offsetHeight > this.root.scrollTop + this.root.clientHeight) {
      this.root.scrollTop = top - this.root.clientHeight / 2;
    }
  }

  /**
   * Draw the moves from a node on.
   * @param {HTMLElement} parent
   * @param {number} node
   * @param {number} depth of the node
   * @param {boolean} isBegun true if the next move needs its number
   */
  draw(parent, node, depth, isBegun) {
    for (let [at, ply] = [node, depth]; ; ply += 1) {
      const [first, ...others] = this.children.get(at) ?? [];
      if (first === undefined) return;
      this.number(parent, ply, isBegun);
      const isNoted = this.part(parent, first, ply);
      for (const other of others) {
        const branch = element('div', 'branch', '');
        this.number(branch, ply, true);
        const hasComment = this.part(branch, other, ply);
        this.draw(branch, other, ply + 1, hasComment);
        parent.append(branch);
      }
      isBegun = isNoted || others.length > 0;
      at = first;
    }
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} ply
   * @param {boolean} isBegun
   */
  number(parent, ply, isBegun) {
    const count = ply - this.tree.setups + this.firstTurn;
    if (ply < this.tree.setups || (count % 2 && !isBegun)) return;
    parent.append(element('span', 'number', `${(count >> 1) + 1}${count % 2 ? '…' : '.'}`));
  }

  /**
   * Draw a move with its comment; return true if it has one.
   * @param {HTMLElement} parent
   * @param {number} node
   * @param {number} ply
   */
  part(parent, node, ply) {
    const shown = this.nodes.get(node);
    if (!shown) return false;
    const worth = grade(this.loss(node));
    const signs = (shown.nags ?? []).map((nag) => SIGNS[nag] ?? '').join('') || LOSSES[worth];
    const move = element('button', worth ? `move loss${worth}` : 'move', moveText(shown.move, ply < this.tree.setups) + signs);
    move.dataset.node = String(node);
    if (shown.chance != null) move.title = percent(shown.chance);
    parent.append(move);
    if (shown.comment) parent.append(element('span', 'comment', shown.comment));
    return Boolean(shown.comment);
  }
}
