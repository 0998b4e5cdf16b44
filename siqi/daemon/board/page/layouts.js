// The set-ups that a person keeps under names, while one is made.

import { askFor } from './form.js';
import { button } from './parts.js';
import { text } from './texts.js';

/** @typedef {import('./types.js').Shell} Shell */

/**
 * Return the buttons for named set-ups.
 * @param {Shell} shell
 * @param {string[]} names of those that are kept
 * @returns {HTMLElement[]}
 */
export function layoutButtons(shell, names) {
  const taken = names.map((name, i) => button(`layout ${i}`, () => shell.ask({ do: 'use layout', name }), false, false, name));
  const keep = button('keepLayout', () => askFor(text('keepLayout'), [{ name: 'name', label: text('layoutName'), kind: 'text', value: '' }], ({ name }) => {
    if (name) shell.ask({ do: 'save layout', name });
  }, { about: text('keepLayoutHow') }));
  const options = names.map((name) => /** @type {[string, string]} */ ([name, name]));
  const forget = button('forgetLayout', () => askFor(text('forgetLayout'), [{ name: 'name', label: text('layoutName'), kind: 'choice', value: '', options }], ({ name }) => {
    shell.ask({ do: 'forget layout', name });
  }, { act: text('forgetLayout') }));
  return [...taken, keep, ...(names.length ? [forget] : [])];
}
