// The dialog that opens an earlier game, contest or analysis by its name in the games' folder.

import { button, get } from './parts.js';
import { spoken, text } from './texts.js';

/** @typedef {import('./types.js').Files} Files */
/** @typedef {import('./types.js').Shell} Shell */

export class FilesDialog {
  /** @param {Shell} shell */
  constructor(shell) {
    this.shell = shell;
    /** @type {HTMLDialogElement} */
    this.dialog = get('files');
    this.isAsking = false; // this tab waits for the list
    get('earlier').addEventListener('click', () => {
      this.isAsking = true;
      shell.ask({ do: 'files' });
    });
  }

  /** @param {Files} event */
  hear(event) {
    if (!this.isAsking) return;
    this.isAsking = false;
    const rows = event.files.map((file) => {
      const game = this.shell.cards.find((card) => card.game === file.game)?.names[spoken()][0] ?? file.game;
      const made = button('', () => {
        this.dialog.close();
        this.shell.ask({ do: 'open file', name: file.name });
      }, false, file.name === event.current, [file.at.slice(0, 16).replace('T', ' '), game, file.title].filter(Boolean).join(' · '));
      made.dataset.file = file.name;
      return made;
    });
    get('file-list').replaceChildren(...rows);
    get('files-note').textContent = rows.length ? '' : text('noFiles');
    this.dialog.showModal();
  }
}
