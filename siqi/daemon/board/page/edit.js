// The setting up of pieces: by picks, by dragging, by the pieces' letters on the keyboard.

import { button, toggle } from './parts.js';
import { pieceText, spoken, text } from './texts.js';

/** @typedef {import('./types.js').AnalysisShown} AnalysisShown */
/** @typedef {import('./types.js').GameCard} GameCard */
/** @typedef {import('./types.js').Shell} Shell */

export class PieceEditor {
  /** @param {Shell} shell */
  constructor(shell) {
    this.shell = shell;
    this.letter = ''; // what a pick puts; '': it clears
    this.throw = 0;
  }

  /**
   * @param {AnalysisShown} now
   * @param {string} point
   */
  picked(now, point) {
    this.put(point, now.pieces[point] === this.letter ? '' : this.letter);
  }

  /**
   * @param {string} point
   * @param {string} letter
   */
  put(point, letter) {
    if (point) this.shell.ask({ do: 'put', point, letter });
  }

  /**
   * Take a piece that was dragged; off the board it is gone.
   * @param {string} from
   * @param {string} to
   */
  carried(from, to) {
    if (to) this.shell.ask({ do: 'shift', first: from, second: to });
    else this.put(from, '');
  }

  /**
   * Take a key on a point; return false if it means nothing.
   * @param {GameCard} card
   * @param {string} key
   * @param {string} point
   */
  typed(card, key, point) {
    const letter = key === 'Delete' || key === 'Backspace' ? '' : letters(card).find((own) => own === key);
    if (letter === undefined) return false;
    this.put(point, letter);
    return true;
  }

  /**
   * Return the buttons for the whole board, for the throw, and for the pieces.
   * @param {GameCard} card
   * @returns {{board: HTMLElement[], throws: HTMLElement[], pieces: HTMLElement[]}}
   */
  buttons(card) {
    const { shell } = this;
    const name = (/** @type {number} */ side) => card.names[spoken()][1 + side];
    const ends = [0, 1].map((turn) =>
      button(`edited${turn}`, () => shell.ask({ do: 'edited', turn, throw: card.has_dice ? this.throw : 0 }), true, false, text('analyseTurn', { side: name(turn) })));
    const deploy = card.has_setup ? [0, 1].map((side) =>
      button(`deploy${side}`, () => shell.ask({ do: 'deploy', side }), false, false, text('deploy', { side: name(side) }))) : [];
    const throws = card.has_dice ? [1, 2, 3, 4, 5, 6, 0].map((n) => toggle(`edit-throw${n}`, this.throw === n, () => {
      this.throw = n;
      shell.show();
    }, n ? String(n) : text('anyThrow'))) : [];
    const pieces = [...letters(card), ''].map((letter) => toggle(`piece${letter}`, letter === this.letter, () => {
      this.letter = letter;
      shell.show();
    }, letter ? pieceText(card, letter) : text('clearPoint')));
    const empty = button('emptyBoard', () => shell.ask({ do: 'edit', is_empty: true }));
    return { board: [...ends, empty, ...deploy, button('cancel', () => shell.ask({ do: 'edited' }))], throws, pieces };
  }
}

/** @param {GameCard} card */
function letters(card) {
  return [...card.pieces[0], ...card.pieces[1], ...(card.has_hidden ? ['X', 'x'] : [])];
}
