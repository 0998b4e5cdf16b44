// Small parts that all modes of the page are made of.

import { text } from './texts.js';

/**
 * Return the element of an id, which is there.
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
export const get = (id) => /** @type {T} */ (document.getElementById(id));

/**
 * Change an element's text if it differs: readers of the screen hear each change.
 * @param {string} id
 * @param {string} line
 */
export function write(id, line) {
  const part = get(id);
  if (part.textContent !== line) part.textContent = line;
}

/**
 * Return a new element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [className]
 * @param {string} [words]
 */
export function element(tag, className = '', words = '') {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = words;
  if (made instanceof HTMLButtonElement) made.type = 'button';
  return made;
}

/**
 * Return a new element of a picture.
 * @param {string} tag
 * @param {{[name: string]: string | number}} values of its attributes
 */
export function shape(tag, values) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(values)) made.setAttribute(name, String(value));
  return made;
}

/**
 * Return a button.
 * @param {string} key of the text
 * @param {() => void} act
 * @param {boolean} [isFirst] the usual next thing
 * @param {boolean} [isDisabled]
 * @param {string} [words] in place of the key's text
 */
export function button(key, act, isFirst = false, isDisabled = false, words = text(key)) {
  const made = element('button', isFirst ? 'first' : '', words);
  made.dataset.act = key;
  made.disabled = isDisabled;
  made.addEventListener('click', act);
  return made;
}

/**
 * Return a button that is on or off.
 * @param {string} key
 * @param {boolean} isOn
 * @param {() => void} act
 * @param {string} [words]
 */
export function toggle(key, isOn, act, words = text(key)) {
  const made = button(key, act, false, false, words);
  made.setAttribute('aria-pressed', String(isOn));
  return made;
}

/**
 * Return the buttons by which the throw of a die is entered.
 * @param {import('./types.js').Shell} shell
 */
export function dieButtons(shell) {
  return [1, 2, 3, 4, 5, 6].map((n) => button('', () => shell.ask({ do: 'throw', throw: n }), false, false, String(n)));
}

/**
 * Put buttons into a bar; the focus stays on the one of the same name.
 * @param {string} id
 * @param {HTMLElement[]} parts
 */
export function fill(id, parts) {
  const bar = get(id);
  const line = parts.map((part) => part.outerHTML).join('');
  if (bar.dataset.line === line) return;
  bar.dataset.line = line;
  const act = bar.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.act : '';
  bar.replaceChildren(...parts);
  if (act) /** @type {HTMLElement | null} */ (bar.querySelector(`[data-act="${act}"]`))?.focus();
}

const address = new URLSearchParams(location.search);

/**
 * Return a part of the state from the address, '' if it is not there.
 * @param {string} name
 */
export function kept(name) {
  return address.get(name) ?? '';
}

/**
 * Keep a part of the state in the address.
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  if (value) address.set(name, value);
  else address.delete(name);
  const query = address.toString();
  history.replaceState(null, '', location.pathname + (query ? `?${query}` : ''));
}
