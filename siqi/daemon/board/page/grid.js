// The board as a grid of transparent cells over the picture: one tab stop, arrows move, Enter picks.

import { DragImage } from './drag.js';

/** @typedef {import('./types.js').BoardView} BoardView */

/**
 * What a person does on the board. `picked` is called with a point; `drawn` with the ends of an arrow drawn by the right
 * button; `typed` with a key and the point that has the focus, and returns true if the key means something.
 * `carried`, where there is one, with the point that a piece was dragged from and the one that it was dropped on, '' off
 * the board: a pick then counts at the pointer's release.
 * @typedef {{picked: (point: string) => void, drawn: (from: string, to: string) => void,
 *   typed: (key: string, point: string) => boolean, carried: () => ((from: string, to: string) => void) | null}} Hands
 */

const SMALL_PX = 30; // on smaller cells a first touch only shows which one is meant

const STEPS = /** @type {{[key: string]: [number, number]}} */ ({
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
});

export class Grid {
  /**
   * @param {HTMLElement} root
   * @param {Hands} hands
   */
  constructor(root, hands) {
    this.root = root;
    this.hands = hands;
    this.dragImage = new DragImage();
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
    this.isPressed = false; // by the pointer, whose click has not come yet
    root.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('pointerdown', () => {
      this.isPressed = false;
    }, true);
    root.addEventListener('pointerdown', (event) => this.press(event));
    document.addEventListener('click', (event) => this.click(event), true);
    document.addEventListener('pointermove', (event) => this.move(event));
    document.addEventListener('pointerup', (event) => this.release(event));
    document.addEventListener('pointercancel', () => this.drop());
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
    const place = this.find(point);
    if (!place) return;
    this.cell().tabIndex = -1;
    this.at = place;
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
    else if (event.key === 'Enter' || event.key === ' ') this.hands.picked(this.cell().dataset.point ?? '');
    else if (this.hands.typed(event.key, this.cell().dataset.point ?? '')) event.stopPropagation();
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
    const element = document.elementFromPoint(event.clientX, event.clientY);
    const cell = element instanceof HTMLElement ? element.closest('[role=gridcell]') : null;
    return cell instanceof HTMLElement && this.root.contains(cell) ? cell.dataset.point ?? '' : '';
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.down = '';
    this.from = event.button === 2 ? this.under(event) : '';
    const point = event.button ? '' : this.under(event);
    if (!point) return;
    event.preventDefault();
    this.isPressed = true;
    const isSmall = event.pointerType === 'touch' && this.cell().offsetWidth < SMALL_PX;
    const isShown = document.activeElement === this.cells.get(point);
    this.root.classList.toggle('touch', isSmall);
    this.focus(point);
    if (event.target instanceof HTMLElement) event.target.releasePointerCapture?.(event.pointerId);
    if (isSmall && !isShown) return;
    this.down = point;
    this.downAt = [event.clientX, event.clientY];
    if (!this.hands.carried()) this.hands.picked(point);
  }

  /**
   * Stop the click that ends a press on the board, if what the pick has shown came under the pointer.
   * @param {MouseEvent} event
   */
  click(event) {
    if (this.isPressed && event.detail && !this.root.contains(/** @type {Node} */ (event.target))) {
      event.stopPropagation();
      event.preventDefault();
    }
    this.isPressed = false;
  }

  /**
   * Return true if the pointer has left the place where it was pressed. A pick may show another button above the board,
   * which moves another cell under a pointer that stays where it is.
   * @param {PointerEvent} event
   */
  isDrag(event) {
    return Math.hypot(event.clientX - this.downAt[0], event.clientY - this.downAt[1]) > this.cell().offsetWidth / 3;
  }

  /** @param {PointerEvent} event */
  move(event) {
    const cell = this.cells.get(this.down);
    const isPiece = cell?.classList.contains('taken') && (this.hands.carried() || cell.classList.contains('mine'));
    if (cell && isPiece && (this.dragImage.part || this.isDrag(event))) this.dragImage.show(cell, event);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { down, from } = this;
    const isPiece = this.cells.get(down)?.classList.contains('taken');
    this.drop();
    const point = this.under(event);
    if (from && point && event.button === 2) this.hands.drawn(from, point);
    if (!down) return;
    const carried = this.hands.carried();
    const isDragged = this.isDrag(event) && point !== down;
    if (carried && isDragged && isPiece) carried(down, point);
    else if (carried ? point === down : isDragged && point) this.hands.picked(point);
  }

  /** Leave what the pointer has begun. */
  drop() {
    this.dragImage.hide();
    this.down = '';
    this.from = '';
  }
}
