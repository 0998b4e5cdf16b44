// The engine's lines as a list; before a throw each throw's best, with its chance as a bar.

import { element } from './parts.js';
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
    this.key = '';
    root.addEventListener('click', (event) => {
      const row = event.target instanceof HTMLElement ? event.target.closest('[data-word]') : null;
      if (row instanceof HTMLElement) add(row.dataset.word ?? '');
    });
  }

  /**
   * @param {LinesShown | null} report
   * @param {AnalysisShown} now
   * @param {GameCard | undefined} card
   */
  show(report, now, card) {
    const key = JSON.stringify([report?.lines, now.lines, spoken()]);
    if (key === this.key) return;
    this.key = key;
    this.root.hidden = !now.lines || Boolean(now.game_end) || now.needs_setup;
    const focus = document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement) ? document.activeElement.dataset.word : '';
    this.root.replaceChildren(...(report ? report.lines.map((line) => this.row(line, now, card)) : [element('div', 'line faint', text('searching'))]));
    if (focus) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-word="${focus}"]`))?.focus();
  }

  /**
   * @param {LineShown} line
   * @param {AnalysisShown} now
   * @param {GameCard | undefined} card
   */
  row(line, now, card) {
    const row = element(line.throw ? 'div' : 'button', 'line');
    if (line.throw) {
      const bar = element('meter');
      Object.assign(bar, { min: 0, max: 1, value: now.turn ? 1 - line.chance : line.chance });
      row.append(element('span', 'thrown', text('thrown', { throw: line.throw })), bar);
    } else row.dataset.word = line.moves[0].word;
    const moves = line.moves.map((move) => moveText(move, false)).join(' ');
    row.append(element('span', 'value', line.mate ? scoreText(line.mate, card) : percent(line.chance)), element('span', 'pv', moves));
    return row;
  }
}
