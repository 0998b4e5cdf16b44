// The ways into an analysis: a start position, a pasted text, a file; and files out of it.

import { button, fill, get } from './parts.js';
import { spoken, text } from './texts.js';

/** @typedef {import('./types.js').Shell} Shell */

const MAX_BYTES = 3 << 20;

export class OpenDialog {
  /**
   * @param {Shell} shell
   * @param {() => string} game returns the game that is shown, for moves alone
   */
  constructor(shell, game) {
    this.shell = shell;
    this.game = game;
    /** @type {HTMLDialogElement} */
    this.dialog = get('open');
    get('open-cancel').addEventListener('click', () => this.close());
    get('open-read').addEventListener('click', () => this.read(/** @type {HTMLTextAreaElement} */ (get('pasted')).value));
    get('open-file').addEventListener('change', () => this.readFile(/** @type {HTMLInputElement} */ (get('open-file')).files?.[0]));
    const isHere = () => !get('analyse').hidden && shell.holds;
    document.addEventListener('dragover', (event) => isHere() && event.preventDefault());
    document.addEventListener('drop', (event) => {
      if (!isHere()) return;
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) this.readFile(file);
      else this.read(event.dataTransfer?.getData('text/plain') ?? '');
    });
    document.addEventListener('paste', (event) => {
      const { target } = event;
      if (!isHere() || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
      const file = event.clipboardData?.files[0];
      if (file) this.readFile(file);
      else this.read(event.clipboardData?.getData('text/plain') ?? '');
    });
  }

  /** @param {boolean} isFirst true if no analysis is shown: the tabs stay within reach */
  open(isFirst) {
    if (this.dialog.open) return;
    get('open-note').textContent = '';
    this.write();
    if (isFirst) this.dialog.show();
    else this.dialog.showModal();
  }

  /** Write the games in the language of the page. */
  write() {
    fill('open-games', this.shell.cards.map((card) => {
      const made = button(card.game, () => this.shell.ask({ do: 'open', game: card.game }), false, false, card.names[spoken()][0]);
      made.dataset.game = card.game;
      return made;
    }));
  }

  close() {
    this.dialog.close();
  }

  /** Close what stands for the first analysis. */
  leave() {
    if (!this.dialog.matches(':modal')) this.close();
  }

  /** @param {string} pasted */
  read(pasted) {
    if (!pasted.trim()) return;
    if (pasted.length > MAX_BYTES) this.note(text('tooLarge'));
    else this.shell.ask({ do: 'read', text: pasted, game: this.game() });
  }

  /** @param {File | undefined} file */
  async readFile(file) {
    if (!file) return;
    if (file.size > MAX_BYTES) {
      this.note(text('tooLarge'));
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = '';
    for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
    this.shell.ask({ do: 'read file', name: file.name.slice(0, 300), data: btoa(binary) });
    /** @type {HTMLInputElement} */ (get('open-file')).value = '';
  }

  /** @param {string} words */
  note(words) {
    get('open-note').textContent = words;
    get('refusal').textContent = words;
  }
}

/**
 * Save a file.
 * @param {string} name
 * @param {string} data base64
 */
export function save(name, data) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
