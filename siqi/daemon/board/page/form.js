// A dialog that asks for some values: one form for all corrections and settings.

import { button, element, get } from './parts.js';
import { text } from './texts.js';

/**
 * @typedef {{name: string, label: string, kind: 'text' | 'lines' | 'number' | 'choice' | 'check' | 'clock', value: string,
 *   options?: [string, string][]}} Field
 */

/**
 * Open the dialog.
 * @param {string} title
 * @param {Field[]} fields
 * @param {(values: {[name: string]: string}) => void} done called with the values when the form is sent
 * @param {{act?: string, about?: string, changed?: (name: string, set: (name: string, value: string) => void) => void}} [more]
 *   `act`: the text of the button; `about`: a line under the title; `changed`: called when a value was changed
 */
export function askFor(title, fields, done, more = {}) {
  /** @type {HTMLDialogElement} */
  const dialog = get('form');
  const form = element('form');
  form.method = 'dialog';
  const heading = element('h2', '', title);
  heading.id = 'form-title';
  const about = element('p', 'faint', more.about);
  about.hidden = !more.about;
  const list = element('div', 'fields');
  const inputs = new Map(fields.map((field) => [field.name, input(field)]));
  for (const field of fields) {
    const label = element('label', '', field.label);
    label.htmlFor = `form-${field.name}`;
    list.append(label, /** @type {HTMLElement} */ (inputs.get(field.name)));
  }
  form.append(heading, about, list, bar(dialog, more.act ?? text('ok')));
  form.addEventListener('change', (event) => {
    const name = /** @type {HTMLElement} */ (event.target).id.replace('form-', '');
    more.changed?.(name, (other, value) => { const input = inputs.get(other); if (input) input.value = value; });
  });
  form.addEventListener('submit', () => done(Object.fromEntries([...inputs].map(([name, input]) => [name, read(input)]))));
  dialog.replaceChildren(form);
  dialog.showModal();
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} act
 */
function bar(dialog, act) {
  const made = element('div', 'bar');
  const send = element('button', 'first', act);
  send.type = 'submit';
  send.dataset.act = 'send';
  made.append(send, button('cancel', () => dialog.close()));
  return made;
}

/**
 * @param {Field} field
 * @returns {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement}
 */
function input(field) {
  if (field.kind === 'choice') {
    const select = element('select');
    select.append(...(field.options ?? []).map(([value, label]) => new Option(label, value, false, value === field.value)));
    select.id = `form-${field.name}`;
    return select;
  }
  if (field.kind === 'lines') {
    const lines = element('textarea');
    Object.assign(lines, { id: `form-${field.name}`, rows: 8, maxLength: 20000, spellcheck: false, required: true });
    return lines;
  }
  const made = element('input');
  made.id = `form-${field.name}`;
  made.maxLength = 80;
  if (field.kind === 'check') {
    made.type = 'checkbox';
    made.checked = field.value === '1';
  } else {
    made.value = field.value;
    if (field.kind === 'number') made.inputMode = 'decimal';
    if (field.kind === 'clock') made.pattern = '-?[0-9]{1,3}:[0-5][0-9]';
    made.required = field.kind !== 'text';
  }
  return made;
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input */
function read(input) {
  if (input instanceof HTMLInputElement && input.type === 'checkbox') return input.checked ? '1' : '';
  return input.value.trim();
}

/**
 * Return the milliseconds of a text such as 3:45.
 * @param {string} line
 */
export function clockMs(line) {
  const [minutes, seconds] = line.replace('-', '').split(':').map(Number);
  return (line.startsWith('-') ? -1 : 1) * 1000 * (60 * minutes + seconds);
}
