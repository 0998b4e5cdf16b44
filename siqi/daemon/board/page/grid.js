// The board as a grid of transparent cells over the picture: one tab stop, arrows move, Enter picks.

/** @typedef {import('./types.js').BoardView} BoardView */

const SMALL_PX = 30; // on smaller cells a first touch only shows which one is meant

const STEPS = /** @type {{[key: string]: [number, number]}} */ ({
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
});

export class Grid {
  /**
   * @param {HTMLElement} root
   * @param {(point: string) => void} picked called with the point that the person picks
   * @param {(from: string, to: string) => void} [drawn] called with the ends of an arrow drawn by the right button
   */
  constructor(root, picked, drawn = () => {}) {
    this.root = root;
    this.picked = picked;
    this.drawn = drawn;
    this.from = ''; // where the right button was pressed
    /** @type {HTMLElement[][]} */
    this.rows = [];
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map();
    /** @type {[number, number]} */
    this.at = [0, 0];
    this.down = '';
    /** @type {[number, number]} */
    this.downAt = [0, 0];
    root.addEventListener('keydown', (event) => this.key(event));
    root.addEventListener('pointerdown', (event) => this.press(event));
    root.addEventListener('pointerup', (event) => this.release(event));
    root.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /**
   * Lay the cells of a board.
   * @param {BoardView} view
   */
  lay(view) {
    const had = this.root.contains(document.activeElement);
    const point = this.rows[this.at[0]]?.[this.at[1]]?.dataset.point ?? '';
    this.cells.clear();
    this.rows = view.rows.map((row) => row.map((place) => {
      const cell = document.createElement('div');
      cell.setAttribute('role', 'gridcell');
      cell.tabIndex = -1;
      cell.dataset.point = place.point;
      cell.style.left = `${(100 * place.x) / view.size[0]}%`;
      cell.style.top = `${(100 * place.y) / view.size[1]}%`;
      cell.style.width = `${(100 * view.cell[0]) / view.size[0]}%`;
      cell.style.height = `${(100 * view.cell[1]) / view.size[1]}%`;
      this.cells.set(place.point, cell);
      return cell;
    }));
    this.root.replaceChildren(...this.rows.map((cells) => {
      const row = document.createElement('div');
      row.setAttribute('role', 'row');
      row.append(...cells);
      return row;
    }));
    const middle = /** @type {[number, number]} */ ([this.rows.length >> 1, (this.rows[0]?.length ?? 0) >> 1]);
    this.at = this.find(point) ?? middle;
    this.cell().tabIndex = 0;
    if (had) this.cell().focus();
  }

  /**
   * @param {string} point
   * @returns {[number, number] | null}
   */
  find(point) {
    for (const [i, row] of this.rows.entries()) {
      const j = row.findIndex((cell) => cell.dataset.point === point);
      if (j >= 0) return [i, j];
    }
    return null;
  }

  cell() {
    return this.rows[this.at[0]][this.at[1]];
  }

  /**
   * Give the focus to a point.
   * @param {string} point
   */
  focus(point) {
    const found = this.find(point);
    if (!found) return;
    this.cell().tabIndex = -1;
    this.at = found;
    this.cell().tabIndex = 0;
    this.cell().focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const [row, column] = this.at;
    const step = STEPS[event.key];
    let goal = this.at;
    if (step) goal = [row + step[0], column + step[1]];
    else if (event.key === 'Home') goal = [row, 0];
    else if (event.key === 'End') goal = [row, this.rows[row].length - 1];
    else if (event.key === 'Enter' || event.key === ' ') this.picked(this.cell().dataset.point ?? '');
    else return;
    event.preventDefault();
    this.root.classList.remove('touch');
    const cell = this.rows[goal[0]]?.[goal[1]];
    if (cell) this.focus(cell.dataset.point ?? '');
  }

  /**
   * @param {PointerEvent} event
   * @returns {string} the point under the pointer, '' for none
   */
  under(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY);
    const cell = found instanceof HTMLElement ? found.closest('[role=gridcell]') : null;
    return cell instanceof HTMLElement && this.root.contains(cell) ? cell.dataset.point ?? '' : '';
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.down = '';
    this.from = event.button === 2 ? this.under(event) : '';
    const point = event.button ? '' : this.under(event);
    if (!point) return;
    event.preventDefault();
    const isSmall = event.pointerType === 'touch' && this.cell().offsetWidth < SMALL_PX;
    const isShown = document.activeElement === this.cells.get(point);
    this.root.classList.toggle('touch', isSmall);
    this.focus(point);
    if (event.target instanceof HTMLElement) event.target.releasePointerCapture?.(event.pointerId);
    if (isSmall && !isShown) return;
    this.down = point;
    this.downAt = [event.clientX, event.clientY];
    this.picked(point);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const point = this.under(event);
    if (this.from && point && event.button === 2) this.drawn(this.from, point);
    this.from = '';
    // A pick may show another button above the board, which moves another cell under a pointer that stays where it is.
    const isDrag = Math.hypot(event.clientX - this.downAt[0], event.clientY - this.downAt[1]) > this.cell().offsetWidth / 3;
    if (this.down && isDrag && point && point !== this.down) this.picked(point); // a piece was dragged
    this.down = '';
  }
}
