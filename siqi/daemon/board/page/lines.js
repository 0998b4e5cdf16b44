// The engine's lines as a list; before a throw each throw's best, with its chance as a bar.

import { moveText, percent, scoreText, spoken, text } from './texts.js';

/** @typedef {import('./types.js').AnalysisShown} AnalysisShown */
/** @typedef {import('./types.js').GameCard} GameCard */
/** @typedef {import('./types.js').LinesShown} LinesShown */
/** @typedef {import('./types.js').LineShown} LineShown */

export class LineList {
  /**
   * @param {HTMLElement} root
   * @param {(word: string) => void} add called with the first move of the line that the person picks
   */
  constructor(root, add) {
    this.root = root;
    this.line = '';
    root.addEventListener('click', (event) => {
      const row = event.target instanceof HTMLElement ? event.target.closest('[data-word]') : null;
      if (row instanceof HTMLElement) add(row.dataset.word ?? '');
    });
  }

  /**
   * @param {LinesShown | null} found
   * @param {AnalysisShown} now
   * @param {GameCard | undefined} card
   */
  show(found, now, card) {
    const line = JSON.stringify([found?.lines, now.lines, spoken()]);
    if (line === this.line) return;
    this.line = line;
    this.root.hidden = !now.lines || Boolean(now.ending) || now.needs_setup;
    const focus = document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement) ? document.activeElement.dataset.word : '';
    this.root.replaceChildren(...(found ? found.lines.map((one) => this.row(one, now, card)) : [waiting()]));
    if (focus) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-word="${focus}"]`))?.focus();
  }

  /**
   * @param {LineShown} one
   * @param {AnalysisShown} now
   * @param {GameCard | undefined} card
   */
  row(one, now, card) {
    const row = document.createElement(one.throw ? 'div' : 'button');
    row.className = 'line';
    if (row instanceof HTMLButtonElement) {
      row.type = 'button';
      row.dataset.word = one.moves[0].word;
    }
    const value = document.createElement('span');
    value.className = 'value';
    value.textContent = one.mate ? scoreText(one.mate, card) : percent(one.chance);
    const moves = document.createElement('span');
    moves.className = 'pv';
    moves.textContent = one.moves.map((move) => moveText(move, false)).join(' ');
    if (one.throw) {
      const thrown = document.createElement('span');
      thrown.className = 'thrown';
      thrown.textContent = text('thrown', { throw: one.throw });
      const bar = document.createElement('meter');
      Object.assign(bar, { min: 0, max: 1, value: now.turn ? 1 - one.chance : one.chance });
      row.append(thrown, bar);
    }
    row.append(value, moves);
    return row;
  }
}

function waiting() {
  const row = document.createElement('div');
  row.className = 'line faint';
  row.textContent = text('searching');
  return row;
}
