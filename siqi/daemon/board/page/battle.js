// The referee's answer to a move of Junqi into a battle, where an analysis knows one side's pieces alone.

import { button, fill, toggle } from './parts.js';
import { text } from './texts.js';

export class Battle {
  /**
   * @param {HTMLElement} root the bar of its buttons
   * @param {(command: object) => void} ask called with the move and its answer
   * @param {() => void} changed called when the buttons have changed
   */
  constructor(root, ask, changed) {
    this.root = root;
    this.ask = ask;
    this.changed = changed;
    this.word = ''; // the move that waits for its answer
    this.flag = '';
    this.picksFlag = false;
  }

  /** @param {string} word */
  begin(word) {
    this.drop();
    this.word = word;
  }

  drop() {
    this.word = '';
    this.flag = '';
    this.picksFlag = false;
  }

  /**
   * Take a pick of the flag's square; return false if none is to be picked.
   * @param {string} point
   */
  picked(point) {
    if (!this.picksFlag) return false;
    this.flag = point;
    this.picksFlag = false;
    this.changed();
    return true;
  }

  show() {
    fill(this.root.id, this.word ? [...[0, 1, 2].map((n) => button(`answer${n}`, () => this.send(n), n === 0)), this.flagButton()] : []);
  }

  flagButton() {
    const words = this.picksFlag ? text('flagPick') : this.flag ? text('flagAt', { point: this.flag }) : text('flag');
    return toggle('flag', this.picksFlag, () => { this.picksFlag = !this.picksFlag; this.changed(); }, words);
  }

  /** @param {number} result */
  send(result) {
    const { word, flag } = this;
    this.drop();
    this.ask({ do: 'add', word, result, flag });
  }
}
