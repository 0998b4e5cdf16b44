// The page: it draws what the server says and sends what the person asks for.

import { BeginDialog } from './begin.js';
import { ClockFace, clockText } from './clocks.js';
import { Grid } from './grid.js';
import { connect } from './link.js';
import { beginnings, pick, targets } from './picks.js';
import { moveText, pieceText, reasonText, refusalText, speak, spoken, text } from './texts.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').Snapshot} Snapshot */
/** @typedef {import('./types.js').Board} Board */
/** @typedef {import('./types.js').GameCard} GameCard */

const LOOK_MS = 100;
const LOW_MS = 30000;
const SURE_MS = 4000;

const KEYS = [['← ↑ ↓ →', 'keyArrows'], ['Enter', 'keyEnter'], ['Esc', 'keyEsc'], ['Home, End', 'keyHome'], ['1 – 6', 'keyDie'], ['B', 'keyHint'], ['F', 'keyFlip'], ['?', 'keyHelp']];

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const address = new URLSearchParams(location.search);

/** @type {Snapshot | null} */
let shown = null;
/** @type {Board | null} */
let board = null;
/** @type {GameCard[]} */
let cards = [];
/** @type {string[]} */
let chosen = [];
let holds = true;
let tabs = 1;
let isOpen = true;
let isTurned = address.get('flip') === '1'; // against the side that the person plays
let progress = '';
let review = { text: '', address: '' };
let isSure = false;
let shownPicture = '';
let spokenMoves = -1;

const send = connect(hear, (open) => {
  isOpen = open;
  chosen = [];
  show();
});
const grid = new Grid(get('grid'), picked);
const dialog = new BeginDialog((command) => ask(command));
const clocks = new ClockFace((side, n) => say(text('secondsLeft', { side: sideName(side), n })));

/** @param {object} command */
function ask(command) {
  get('refusal').textContent = '';
  send(command);
}

/** @param {string} line for readers of the screen */
function say(line) {
  get('spoken').textContent = line;
}

/** @param {Event} event */
function hear(event) {
  switch (event.event) {
    case 'welcome':
      cards = event.games;
      dialog.cards = cards;
      dialog.game = event.usual;
      break;
    case 'board':
      board = event;
      lay();
      break;
    case 'snapshot':
      take(event);
      break;
    case 'loading':
      progress = event.text;
      break;
    case 'refused':
      get('refusal').textContent = refusalText(event.reason);
      break;
    case 'seat':
      holds = event.holds;
      tabs = event.tabs;
      break;
    case 'reviewing':
      review = { text: event.text, address: event.address };
      break;
  }
  show();
  if (event.event === 'snapshot' && event.stage === 'start' && holds) dialog.open(null);
}

/** @param {Snapshot} event */
function take(event) {
  const before = shown;
  if (!before || before.picture !== event.picture) chosen = [];
  if (before?.file !== event.file || event.stage !== 'over') review = { text: '', address: '' };
  if (event.stage !== 'loading') progress = '';
  if (before?.settings?.person !== event.settings?.person || before?.settings?.game !== event.settings?.game) {
    shown = event;
    lay();
  }
  shown = event;
  clocks.set(event.clocks);
  if (before && event.moves.length !== before.moves.length) get('refusal').textContent = '';
}

/** @returns {GameCard | undefined} */
function card() {
  return cards.find((one) => one.game === shown?.settings?.game);
}

/** @param {number} side */
function sideName(side) {
  return card()?.names[spoken()][1 + side] ?? '';
}

function isFlipped() {
  return (shown?.settings?.person === 1) !== isTurned;
}

function lay() {
  if (!board || board.game !== shown?.settings?.game) return;
  const view = board.views[isFlipped() ? 1 : 0];
  document.documentElement.style.setProperty('--ratio', String(view.size[0] / view.size[1]));
  grid.lay(view);
  shownPicture = '';
}

/** @param {string} point */
function picked(point) {
  if (!shown || !holds || !point) return;
  const before = chosen;
  const next = pick(shown, chosen, point);
  chosen = next.chosen;
  if (next.command) ask(next.command);
  if (before !== chosen) show();
}

/** Draw everything. */
function show() {
  document.documentElement.lang = spoken() === 'zh' ? 'zh-CN' : 'en';
  for (const part of document.querySelectorAll('[data-text]')) part.textContent = text(/** @type {HTMLElement} */ (part).dataset.text ?? '');
  for (const part of document.querySelectorAll('[data-label]')) part.setAttribute('aria-label', text(/** @type {HTMLElement} */ (part).dataset.label ?? ''));
  const name = card()?.names[spoken()][0];
  get('title').textContent = name ?? 'Siqi';
  showStatus();
  showPlayers();
  showActions();
  showMoves();
  showBoard();
  const state = get('state').textContent;
  document.title = [state, name, 'Siqi'].filter(Boolean).join(' – ');
  get('seat').textContent = holds ? '' : text('watching');
}

/** @returns {[string, string]} */
function status() {
  if (!isOpen) return [text('connecting'), ''];
  if (!shown || shown.stage === 'start') return [text('welcome'), ''];
  const game = card()?.names[spoken()][0] ?? '';
  const played = shown.moves.length - (card()?.has_setup ? 2 : 0);
  switch (shown.stage) {
    case 'loading': return [text('loading'), progress || text('loadingHow')];
    case 'asks': return [text('asks'), text('asksHow', { game, n: Math.max(played, 0) })];
    case 'paused': return [text('paused'), ''];
    case 'over': {
      const winner = shown.ending?.winner;
      const result = winner === null ? 'draw' : winner === shown.settings?.person ? 'won' : 'lost';
      return [text(result), reasonText(shown.ending?.reason ?? '') + (review.text ? ` – ${text('reviewing')}: ${review.text}` : '')];
    }
  }
  const mine = shown.turn === shown.settings?.person;
  if (shown.needs_throw) return [text(mine ? 'throwYours' : 'throwTheirs'), engineMove()];
  if (shown.thinking) return [shown.throw ? text('thinkingThrow', { throw: shown.throw }) : text('thinking'), ''];
  if (shown.stage === 'set-up') return [text(Object.keys(shown.pieces).length ? 'setUp' : 'waitSetUp'), text('setUpHow')];
  const state = shown.throw ? text('yourTurnThrow', { throw: shown.throw }) : text('yourTurn');
  const stones = shown.stones > 1 && !chosen.length ? text('stonesHow', { n: shown.stones }) : text(chosen.length ? 'stoneMore' : 'stoneHow');
  const hint = shown.is_hint_coming ? text('hintComing') : shown.hint ? text('hintIs', { move: moveText(shown.hint, false) }) : engineMove();
  return [state, [hint, shown.stones ? stones : ''].filter(Boolean).join(' ')];
}

function engineMove() {
  if (!shown || !shown.settings) return '';
  const count = shown.moves.length;
  const by = (count + 1) % 2;
  if (!count || by === shown.settings.person) return '';
  const isSetUp = Boolean(card()?.has_setup) && count <= 2;
  return isSetUp ? text('engineSetUp') : text('enginePlayed', { move: moveText(shown.moves[count - 1], false) });
}

function showStatus() {
  const [state, detail] = status();
  if (get('state').textContent !== state) get('state').textContent = state;
  if (get('detail').textContent !== detail) get('detail').textContent = detail;
  if (shown && spokenMoves !== shown.moves.length) {
    if (spokenMoves >= 0 && shown.moves.length > spokenMoves) say(engineMove());
    spokenMoves = shown.moves.length;
  }
}

function showPlayers() {
  const settings = shown?.settings;
  for (const id of ['far', 'near']) {
    const part = get(id);
    const side = settings ? ((id === 'near') === isFlipped() ? 1 : 0) : 0;
    part.classList.toggle('moves', Boolean(shown && settings && shown.turn === side && (shown.stage === 'play' || shown.stage === 'set-up')));
    /** @type {HTMLElement} */ (part.querySelector('.who')).textContent = !settings ? '' : side === settings.person
      ? text('you', { side: sideName(side) }) : text('engine', { side: sideName(side), level: settings.skill });
    part.dataset.side = String(side);
  }
  showClocks();
}

function showClocks() {
  for (const id of ['far', 'near']) {
    const part = get(id);
    const clock = /** @type {HTMLElement} */ (part.querySelector('.clock'));
    const side = Number(part.dataset.side);
    const left = clocks.left(side);
    const line = clocks.clocks ? clockText(left) : '';
    if (clock.textContent !== line) clock.textContent = line;
    clock.classList.toggle('runs', clocks.clocks?.running === side);
    clock.classList.toggle('low', left < LOW_MS);
  }
}

/**
 * @param {string} key of the text
 * @param {() => void} act
 * @param {boolean} [isFirst] the usual next thing
 * @param {boolean} [isDisabled]
 */
function button(key, act, isFirst = false, isDisabled = false) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text(key);
  made.dataset.act = key;
  made.className = isFirst ? 'first' : '';
  made.disabled = isDisabled;
  made.addEventListener('click', act);
  return made;
}

/**
 * Put buttons into a bar; the focus stays on the one of the same name.
 * @param {string} id
 * @param {HTMLElement[]} parts
 */
function fill(id, parts) {
  const bar = get(id);
  const line = parts.map((part) => part.outerHTML).join('');
  if (bar.dataset.line === line) return;
  bar.dataset.line = line;
  const act = bar.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.act : '';
  bar.replaceChildren(...parts);
  if (act) /** @type {HTMLElement | null} */ (bar.querySelector(`[data-act="${act}"]`))?.focus();
}

function showActions() {
  const first = [];
  const more = [];
  const stage = shown?.stage ?? 'start';
  if (!isOpen) {
    // nothing can be asked for
  } else if (!holds) {
    first.push(button('takeBoard', () => ask({ do: 'take board' }), true));
  } else if (shown) {
    if (stage === 'asks' || stage === 'paused') first.push(button('goOn', () => ask({ do: 'resume' }), true));
    if (shown.setup.length) {
      const isEmpty = !Object.keys(shown.pieces).length;
      first.push(button('ready', () => ask({ do: 'set up' }), true, isEmpty), button('propose', () => ask({ do: 'propose' }), false, isEmpty));
    }
    if (stage === 'over') {
      if (review.address) {
        const link = document.createElement('a');
        Object.assign(link, { href: review.address, target: '_blank', rel: 'noopener', textContent: text('openReview'), className: 'first' });
        link.dataset.act = 'review';
        first.push(link);
      } else {
        first.push(button('review', () => ask({ do: 'review' }), true, Boolean(review.text)));
      }
    }
    if (stage === 'play') {
      const isMine = !shown.thinking;
      more.push(button('hint', hint, false, !isMine || shown.needs_throw));
      if (shown.thinking) more.push(button('moveNow', () => ask({ do: 'move now' })));
    }
    if (stage === 'play' || stage === 'set-up' || stage === 'over') more.push(button('takeBack', () => ask({ do: 'take back' }), false, !shown.can_take_back));
    if (stage === 'play' && shown.clocks) more.push(button('pause', () => ask({ do: 'pause' })));
    if (stage === 'play' || stage === 'set-up') more.push(button(isSure ? 'resignSure' : 'resign', resign));
  }
  if (shown && stage !== 'start' && stage !== 'loading') more.push(button('flip', flip));
  fill('main-actions', first);
  fill('actions', more);
  const dice = get('dice');
  dice.hidden = !(shown?.needs_throw && holds && isOpen);
  if (!dice.childElementCount) {
    for (let n = 1; n <= 6; n += 1) {
      const made = button('', () => ask({ do: 'throw', throw: n }));
      made.textContent = String(n);
      dice.append(made);
    }
  }
  get('typed').hidden = !(shown && holds && isOpen && (shown.choices.length || shown.stones || shown.setup.length));
}

function hint() {
  ask({ do: 'hint' });
}

function resign() {
  if (isSure) ask({ do: 'resign' });
  isSure = !isSure;
  show();
  if (isSure) setTimeout(() => { isSure = false; show(); }, SURE_MS);
}

function flip() {
  isTurned = !isTurned;
  keep('flip', isTurned ? '1' : '');
  lay();
  show();
}

/**
 * Keep a part of the state in the address.
 * @param {string} name
 * @param {string} value
 */
function keep(name, value) {
  if (value) address.set(name, value);
  else address.delete(name);
  const query = address.toString();
  history.replaceState(null, '', location.pathname + (query ? `?${query}` : ''));
}

function showMoves() {
  const list = get('moves');
  const moves = shown?.moves ?? [];
  const setups = card()?.has_setup ? 2 : 0;
  const line = JSON.stringify([moves, spoken()]);
  if (list.dataset.line === line) return;
  list.dataset.line = line;
  list.hidden = !moves.length;
  list.replaceChildren();
  moves.forEach((move, i) => {
    if (i % 2 === 0) {
      const number = document.createElement('span');
      number.className = 'number';
      number.textContent = i < setups ? '' : `${(i - setups) / 2 + 1}.`;
      list.append(number);
    }
    const part = document.createElement('span');
    part.textContent = moveText(move, i < setups);
    if (i === moves.length - 1) part.className = 'now';
    list.append(part);
  });
  list.scrollTop = list.scrollHeight;
}

function showBoard() {
  const now = shown;
  if (!now || !board || board.game !== now.settings?.game || now.stage === 'loading' || now.stage === 'start') {
    get('board').hidden = true;
    return;
  }
  get('board').hidden = false;
  const about = card();
  const reachable = holds ? targets(now, chosen) : new Set();
  const first = holds ? beginnings(now) : new Set();
  get('grid').classList.toggle('second', now.turn === 1);
  get('grid').setAttribute('aria-label', text('board'));
  for (const [point, cell] of grid.cells) {
    const letter = now.pieces[point];
    const isChosen = chosen.includes(point);
    cell.classList.toggle('mine', first.has(point) || (now.stones > 0 && !letter));
    cell.classList.toggle('target', reachable.has(point) && !now.setup.length);
    cell.classList.toggle('taken', Boolean(letter));
    cell.classList.toggle('chosen', isChosen && !now.stones);
    cell.classList.toggle('stone', isChosen && now.stones > 0);
    const parts = [point, letter && about ? pieceText(about, letter) : text('empty')];
    if (isChosen) parts.push(text('chosen'));
    if (reachable.has(point)) parts.push(text('target'));
    const label = parts.join(text('comma'));
    if (cell.getAttribute('aria-label') !== label) cell.setAttribute('aria-label', label);
  }
  showPicture(`/picture/${now.picture}${isFlipped() ? 'f' : ''}.svg`);
}

/** @param {string} source */
function showPicture(source) {
  if (source === shownPicture) return;
  shownPicture = source;
  const image = new Image();
  image.alt = '';
  image.draggable = false;
  image.src = source;
  image.decode().then(() => {
    if (source !== shownPicture) return;
    get('picture').replaceChildren(image);
    get('picture').dataset.shown = source;
  }, () => {
    if (source === shownPicture) shownPicture = '';
  });
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  if (event.key === 'Escape') {
    chosen = [];
    show();
  } else if (event.key === '?') openKeys();
  else if (event.key === 'f') flip();
  else if (event.key === 'b') hint();
  else if (/^[1-6]$/.test(event.key) && shown?.needs_throw) ask({ do: 'throw', throw: Number(event.key) });
});

function openKeys() {
  get('key-list').replaceChildren(...KEYS.flatMap(([keys, about]) => {
    const term = document.createElement('dt');
    const meaning = document.createElement('dd');
    term.textContent = keys;
    meaning.textContent = text(about);
    return [term, meaning];
  }));
  /** @type {HTMLDialogElement} */ (get('keys')).showModal();
}

get('help').addEventListener('click', openKeys);
get('new').addEventListener('click', () => dialog.open(shown?.settings ?? null));
get('typed').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (get('word'));
  if (input.value.trim()) ask({ do: 'move', word: input.value.trim() });
  input.value = '';
});

const language = /** @type {HTMLSelectElement} */ (get('language'));
language.addEventListener('change', () => {
  keep('lang', language.value);
  speak(language.value);
  show();
});
speak(address.get('lang') ?? '');
language.value = spoken();
setInterval(() => {
  clocks.look();
  showClocks();
}, LOOK_MS);
show();
