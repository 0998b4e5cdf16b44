// The board that all modes share: the picture, the cells over it, and the side from which it is seen.

import { Grid } from './grid.js';
import { get, keep, kept } from './parts.js';
import { beginnings, targets } from './picks.js';
import { pieceText, text } from './texts.js';

/** @typedef {import('./types.js').Board} Board */
/** @typedef {import('./types.js').GameCard} GameCard */
/** @typedef {import('./types.js').OnBoard} OnBoard */

export class BoardView {
  /**
   * @param {import('./grid.js').Hands} hands
   * @param {(isFlipped: boolean, faces: string) => void} seen called when boards are seen in another way
   */
  constructor(hands, seen) {
    this.seen = seen;
    this.grid = new Grid(get('grid'), hands);
    /** @type {Board | null} */
    this.board = null;
    this.side = 0; // from which the board is seen, unless it is turned
    this.isTurned = kept('flip') === '1';
    this.laid = '';
    this.shownPicture = '';
    this.sight = ''; // how the server knows that boards are seen
    /** @type {Map<string, string>} */
    this.sent = new Map(); // the picture that came with the position, by its address
  }

  /** The connection is new: the server does not know how boards are seen. */
  forget() {
    this.sight = '';
  }

  /** @param {import('./types.js').Picture} event */
  take(event) {
    this.sent = new Map([[address(event.picture, event.is_flipped, event.faces), event.svg]]);
  }

  /** @param {Board} board */
  set(board) {
    this.board = board;
    this.laid = '';
  }

  isFlipped() {
    return (this.side === 1) !== this.isTurned;
  }

  turn() {
    this.isTurned = !this.isTurned;
    keep('flip', this.isTurned ? '1' : '');
  }

  /** Give the focus to the board, once it is drawn. */
  focus() {
    queueMicrotask(() => this.grid.rows.length && this.grid.cell().focus({ preventScroll: true }));
  }

  hide() {
    get('board').hidden = true;
  }

  /**
   * Draw a position; without its board nothing is shown.
   * @param {string} game
   * @param {number} side from which it is seen
   * @param {OnBoard} now
   * @param {string[]} chosen the points picked so far
   * @param {boolean} holds true if the person may pick
   * @param {GameCard | undefined} card
   */
  show(game, side, now, chosen, holds, card) {
    this.side = side;
    if (this.board?.game !== game) {
      this.hide();
      return;
    }
    this.lay(this.board);
    get('board').hidden = false;
    const reachable = holds ? targets(now, chosen) : new Set();
    const first = holds ? beginnings(now) : new Set();
    get('grid').classList.toggle('second', now.turn === 1);
    get('grid').setAttribute('aria-label', text('board'));
    for (const [point, cell] of this.grid.cells) {
      const letter = now.pieces[point];
      const isChosen = chosen.includes(point);
      cell.classList.toggle('mine', first.has(point) || (now.stones > 0 && !letter));
      cell.classList.toggle('target', reachable.has(point) && !now.setup.length);
      cell.classList.toggle('taken', Boolean(letter));
      cell.classList.toggle('chosen', isChosen && !now.stones);
      cell.classList.toggle('stone', isChosen && now.stones > 0);
      const parts = [point, letter && card ? pieceText(card, letter) : text('empty')];
      if (isChosen) parts.push(text('chosen'));
      if (reachable.has(point)) parts.push(text('target'));
      const label = parts.join(text('comma'));
      if (cell.getAttribute('aria-label') !== label) cell.setAttribute('aria-label', label);
    }
    const faces = this.board.faces.includes(kept('faces')) ? kept('faces') : '';
    this.showPicture(address(now.picture, this.isFlipped(), faces));
    const sight = `${this.isFlipped()} ${faces}`;
    if (sight !== this.sight) this.seen(this.isFlipped(), faces);
    this.sight = sight;
  }

  /** @param {Board} board */
  lay(board) {
    const laid = `${board.number} ${this.isFlipped()}`;
    if (this.laid === laid) return;
    this.laid = laid;
    const view = board.views[this.isFlipped() ? 1 : 0];
    document.documentElement.style.setProperty('--ratio', String(view.size[0] / view.size[1]));
    this.grid.lay(view);
    this.shownPicture = '';
  }

  /** @param {string} source */
  showPicture(source) {
    if (source === this.shownPicture) return;
    this.shownPicture = source;
    const image = new Image();
    image.alt = '';
    image.draggable = false;
    const svg = this.sent.get(source);
    image.src = svg ? `data:image/svg+xml,${encodeURIComponent(svg)}` : source;
    image.decode().then(() => {
      if (source !== this.shownPicture) return;
      get('picture').replaceChildren(image);
      get('picture').dataset.shown = source;
    }, () => {
      if (source === this.shownPicture) this.shownPicture = '';
    });
  }
}

/**
 * Return the address of a picture.
 * @param {number} picture
 * @param {boolean} isFlipped
 * @param {string} faces
 */
function address(picture, isFlipped, faces) {
  return `/picture/${picture}${isFlipped ? 'f' : ''}${faces && `-${faces}`}.svg`;
}
