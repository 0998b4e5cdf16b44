// The first side's chance along the line shown.

import { shape } from './parts.js';
import { moveText, percent, text } from './texts.js';

/** @typedef {import('./types.js').LinesShown} LinesShown */
/** @typedef {import('./tree.js').TreeList} TreeList */

const [WIDTH, HEIGHT, EDGE] = [300, 70, 3];

export class Graph {
  /**
   * @param {HTMLElement} root
   * @param {(node: number) => void} go called with the node that the person picks
   */
  constructor(root, go) {
    this.root = root;
    this.line = '';
    /** @type {number[]} */
    this.nodes = [];
    root.addEventListener('click', (event) => {
      const box = root.getBoundingClientRect();
      const at = Math.round(((event.clientX - box.left) / box.width) * (this.nodes.length - 1));
      if (this.nodes.length > 1) go(this.nodes[Math.min(Math.max(at, 0), this.nodes.length - 1)]);
    });
  }

  /**
   * @param {TreeList} tree
   * @param {number} current
   * @param {LinesShown | null} report at the current position
   */
  show(tree, current, report) {
    this.nodes = tree.whole(current);
    const chances = this.nodes.map((node) => (node === current && report ? report.chance : tree.chance(node)));
    const line = JSON.stringify([this.nodes, chances, current]);
    if (line === this.line) return;
    this.line = line;
    this.root.toggleAttribute('hidden', chances.filter((chance) => chance !== null).length < 2);
    const x = (/** @type {number} */ i) => EDGE + ((WIDTH - 2 * EDGE) * i) / Math.max(this.nodes.length - 1, 1);
    const y = (/** @type {number} */ chance) => EDGE + (HEIGHT - 2 * EDGE) * (1 - chance);
    const parts = [shape('line', { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: 'middle' })];
    const known = chances.flatMap((chance, i) => (chance === null ? [] : [[x(i), y(chance)]]));
    if (known.length > 1) {
      const path = known.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`);
      const [left, right] = [known[0][0], known[known.length - 1][0]];
      parts.push(shape('polygon', { points: `${left},${HEIGHT} ${path.join(' ')} ${right},${HEIGHT}`, class: 'area' }), shape('polyline', { points: path.join(' '), class: 'course' }));
    }
    const at = this.nodes.indexOf(current);
    parts.push(shape('line', { x1: x(at), x2: x(at), y1: 0, y2: HEIGHT, class: 'here' }));
    this.root.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    this.root.replaceChildren(...parts);
    const chance = chances[at];
    const move = tree.move(current);
    const words = [text('graph'), move ? moveText(move, false) : '', chance === null ? '' : percent(chance)];
    this.root.setAttribute('aria-label', words.filter(Boolean).join(text('comma')));
  }
}
