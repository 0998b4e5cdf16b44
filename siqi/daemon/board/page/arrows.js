// The first moves of the engine's lines over the board: arrows, or rings where stones are placed, with their chances.

import { shape } from './parts.js';
import { percent } from './texts.js';

/** @typedef {import('./types.js').LinesShown} LinesShown */
/** @typedef {import('./types.js').Cell} Cell */

export class Arrows {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.line = '';
  }

  /**
   * @param {import('./board.js').BoardView} board
   * @param {LinesShown | null} report
   * @param {boolean} isOfStones
   * @param {string[][]} marks arrows that the person has drawn, each by its ends
   */
  show(board, report, isOfStones, marks) {
    const view = board.board?.views[board.isFlipped() ? 1 : 0];
    const lines = (report?.lines ?? []).filter((line) => line.points.length && !line.throw);
    const line = JSON.stringify([view?.size, board.isFlipped(), lines.map(({ points, chance }) => [points, chance]), marks]);
    if (line === this.line) return;
    this.line = line;
    this.root.replaceChildren();
    if (!view) return;
    this.root.setAttribute('viewBox', `0 0 ${view.size[0]} ${view.size[1]}`);
    const cells = new Map(view.rows.flat().map((cell) => [cell.point, cell]));
    const size = Math.min(...view.cell);
    /** @type {Map<string, Element>} */
    const labels = new Map(); // of the best line to each point
    [...lines.entries()].reverse().forEach(([rank, line]) => {
      const places = line.points.map((point) => cells.get(point)).filter((cell) => cell !== undefined);
      const isArrow = places.length === 2 && !isOfStones;
      const drawn = isArrow ? arrow(places[0], places[1], size) : rings(places, size);
      drawn.setAttribute('class', rank ? 'other' : 'best');
      const last = places[places.length - 1];
      this.root.append(drawn);
      labels.set(last.point, label(last, Math.min(size, view.size[0] / 12), size, percent(line.chance)));
    });
    this.root.append(...labels.values());
    for (const ends of marks) {
      const [from, to] = ends.map((point) => cells.get(point));
      if (!from || !to) continue;
      const drawn = from === to ? rings([from], size) : arrow(from, to, size);
      drawn.setAttribute('class', 'drawn');
      this.root.append(drawn);
    }
  }
}

/**
 * @param {Cell} from
 * @param {Cell} to
 * @param {number} size of a cell
 */
function arrow(from, to, size) {
  const group = shape('g', {});
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const [head, half, width] = [0.42 * size, 0.26 * size, 0.09 * size];
  const [tail, neck, tip] = [0.3 * size, length - head - 0.22 * size, length - 0.22 * size];
  const at = (/** @type {number} */ along, /** @type {number} */ aside) => `${(from.x + dx * along - dy * aside).toFixed(1)},${(from.y + dy * along + dx * aside).toFixed(1)}`;
  const points = [at(tail, width), at(neck, width), at(neck, half), at(tip, 0), at(neck, -half), at(neck, -width), at(tail, -width)];
  group.append(shape('polygon', { points: points.join(' ') }));
  return group;
}

/**
 * @param {Cell[]} places
 * @param {number} size
 */
function rings(places, size) {
  const group = shape('g', {});
  for (const place of places) group.append(shape('circle', { cx: place.x, cy: place.y, r: 0.36 * size, 'stroke-width': 0.09 * size }));
  return group;
}

/**
 * @param {Cell} place
 * @param {number} size of the label
 * @param {number} cell
 * @param {string} words
 */
function label(place, size, cell, words) {
  const group = shape('g', { class: 'chance' });
  const height = 0.34 * size;
  const y = place.y + 0.47 * cell - 0.5 * height;
  group.append(shape('rect', { x: place.x - 0.42 * size, y: y - 0.5 * height, width: 0.84 * size, height, rx: 0.1 * size }));
  const shown = shape('text', { x: place.x, y: y + 0.33 * height, 'font-size': 0.8 * height, 'text-anchor': 'middle' });
  shown.textContent = words;
  group.append(shown);
  return group;
}
