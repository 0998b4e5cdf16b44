// The list of a game's moves, two in a row.

import { element } from './parts.js';
import { moveText, spoken } from './texts.js';

/** @typedef {import('./types.js').PlayedMove} PlayedMove */

export class MoveList {
  /**
   * @param {HTMLElement} root
   * @param {(ply: number) => void} chosen called with the number of moves up to the one that is chosen
   */
  constructor(root, chosen) {
    this.root = root;
    this.chosen = chosen;
    this.line = '';
  }

  /**
   * Show moves, the current one marked.
   * @param {PlayedMove[]} moves
   * @param {number} setups how many of them are set-ups
   * @param {number} current the number of moves that lead to the position shown
   */
  show(moves, setups, current = moves.length) {
    const line = JSON.stringify([moves, current, spoken()]);
    if (this.line === line) return;
    this.line = line;
    this.root.hidden = !moves.length;
    this.root.replaceChildren();
    moves.forEach((move, i) => {
      if (i % 2 === 0) this.root.append(element('span', 'number', i < setups ? '' : `${(i - setups) / 2 + 1}.`));
      this.root.append(this.part(moveText(move, i < setups), i + 1, i + 1 === current ? 'now' : i < current ? '' : 'ahead'));
    });
    const now = this.root.querySelector('.now');
    if (now instanceof HTMLElement) this.root.scrollTop = now.offsetTop - this.root.offsetTop - this.root.clientHeight + 2 * now.offsetHeight;
  }

  /**
   * @param {string} words
   * @param {number} ply
   * @param {string} kind
   */
  part(words, ply, kind) {
    const part = element('button', kind, words);
    part.dataset.ply = String(ply);
    part.addEventListener('click', () => this.chosen(ply));
    return part;
  }
}
