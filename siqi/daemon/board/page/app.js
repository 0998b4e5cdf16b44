// The page: the connection, the tabs of the modes, what they share. Each mode draws its own part.

import { AnalysePage } from './analyse.js';
import { BoardView } from './board.js';
import { ChampionshipPage } from './championship.js';
import { FilesDialog } from './files.js';
import { connect } from './link.js';
import { button, element, fill, get, keep, kept } from './parts.js';
import { PlayPage } from './play.js';
import { refusalText, speak, spoken, text } from './texts.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').GameCard} GameCard */
/** @typedef {import('./types.js').Shell} Shell */
/** @typedef {import('./types.js').ModePage} ModePage */

const TICK_MS = 100;

/** @type {Shell} */
const shell = {
  cards: [],
  defaultGame: '',
  holds: true,
  isOpen: true,
  board: new BoardView({
    picked: (point) => active?.picked(point),
    drawn: (from, to) => active?.drawn?.(from, to),
    typed: (key, point) => active?.typed?.(key, point) ?? false,
    carried: () => active?.carried?.() ?? null,
  }, (isFlipped, faces) => send({ do: 'see', is_flipped: isFlipped, faces })),
  ask(command) {
    get('refusal').textContent = '';
    send(command);
  },
  say(line) {
    get('spoken').textContent = line;
  },
  flip() {
    shell.board.turn();
    show();
  },
  show,
};

/** @type {{[mode: string]: ModePage}} */
const pages = { play: new PlayPage(shell), championship: new ChampionshipPage(shell), analyse: new AnalysePage(shell) };
/** @type {string[]} */
let modes = [];
/** @type {ModePage | null} */
let active = null;
const files = new FilesDialog(shell);
let mode = '';
let wanted = kept('screen') ? '' : kept('mode');

const send = connect(hear, (open) => {
  shell.isOpen = open;
  if (!open) active?.forget();
  shell.board.forget();
  show();
});

/** @param {Event} event */
function hear(event) {
  switch (event.event) {
    case 'welcome':
      shell.cards = event.games;
      shell.defaultGame = event.default_game;
      break;
    case 'mode':
      enter(event.mode, event.modes);
      break;
    case 'picture':
      shell.board.take(event);
      return;
    case 'board':
      shell.board.set(event);
      break;
    case 'files':
      files.hear(event);
      break;
    case 'refused':
      get('refusal').textContent = refusalText(event.reason);
      active?.hear(event);
      break;
    case 'tab status':
      shell.holds = event.holds;
      break;
    default:
      active?.hear(event);
  }
  show();
}

/**
 * Show a mode, or ask for the one that the address has.
 * @param {string} name
 * @param {string[]} names
 */
function enter(name, names) {
  modes = names.filter((name) => name in pages);
  mode = name;
  active?.forget();
  active = pages[name] ?? null;
  if (wanted && wanted !== name && modes.includes(wanted) && shell.holds) send({ do: 'mode', mode: wanted });
  else keep('mode', name);
  wanted = '';
}

/** Draw everything. */
function show() {
  document.documentElement.lang = spoken() === 'zh' ? 'zh-CN' : 'en';
  for (const part of document.querySelectorAll('[data-text]')) part.textContent = text(/** @type {HTMLElement} */ (part).dataset.text ?? '');
  for (const part of document.querySelectorAll('[data-label]')) part.setAttribute('aria-label', text(/** @type {HTMLElement} */ (part).dataset.label ?? ''));
  showTabs();
  for (const [name, page] of Object.entries(pages)) for (const part of page.parts) part.toggleAttribute('hidden', name !== mode);
  const title = active?.show() ?? ['', ''];
  get('title').textContent = title[1] || 'Siqi';
  document.title = [...title, 'Siqi'].filter(Boolean).join(' – ');
  showFaces();
  get('earlier').hidden = !shell.holds || !shell.isOpen;
  get('tab-status').textContent = shell.holds ? '' : text('watching');
}

function showTabs() {
  get('tabs').hidden = modes.length < 2;
  fill('tabs', modes.map((name) => {
    const tab = button(name, () => choose(name), false, !shell.holds && name !== mode);
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-selected', String(name === mode));
    tab.tabIndex = name === mode ? 0 : -1;
    return tab;
  }));
}

/** Let choose the faces of the pieces, where the game has several. */
function showFaces() {
  const faces = shell.board.board?.faces ?? [];
  const select = /** @type {HTMLSelectElement} */ (get('faces'));
  select.hidden = faces.length < 2;
  const options = faces.map((face) => new Option(text(`faces_${face}`), face));
  if (options.map((option) => option.outerHTML).join() !== [...select.options].map((option) => option.outerHTML).join()) select.replaceChildren(...options);
  select.value = faces.includes(kept('faces')) ? kept('faces') : faces[0] ?? '';
}

get('faces').addEventListener('change', () => {
  keep('faces', /** @type {HTMLSelectElement} */ (get('faces')).value);
  show();
});

/** @param {string} name */
function choose(name) {
  if (name !== mode && modes.includes(name) && shell.holds) shell.ask({ do: 'mode', mode: name });
}

get('tabs').addEventListener('keydown', (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || event.altKey) return;
  event.preventDefault();
  const next = modes[(modes.indexOf(mode) + step + modes.length) % modes.length];
  choose(next);
  /** @type {HTMLElement | null} */ (get('tabs').querySelector(`[data-act="${next}"]`))?.focus();
});

document.addEventListener('keydown', (event) => {
  if (event.altKey && !event.ctrlKey && /^Digit[1-3]$/.test(event.code)) {
    event.preventDefault();
    choose(modes[Number(event.code.slice(-1)) - 1] ?? mode);
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog:modal')) return;
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement) return;
  if (event.key === '?') openKeys();
  else if (event.key === 'f') shell.flip();
  else active?.key(event);
});

function openKeys() {
  get('key-list').replaceChildren(...(active?.keys ?? []).flatMap(([keys, about]) => [element('dt', '', keys), element('dd', '', text(about))]));
  /** @type {HTMLDialogElement} */ (get('keys')).showModal();
}

get('help').addEventListener('click', openKeys);

const language = /** @type {HTMLSelectElement} */ (get('language'));
language.addEventListener('change', () => {
  keep('lang', language.value);
  speak(language.value);
  show();
});
speak(kept('lang'));
language.value = spoken();
setInterval(() => active?.tick(), TICK_MS);
show();
