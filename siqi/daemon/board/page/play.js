// The mode Play: a person against the engine.

import { BeginDialog } from './begin.js';
import { ClockFace, clockText } from './clocks.js';
import { layoutButtons } from './layouts.js';
import { MoveList } from './moves.js';
import { button, dieButtons, element, fill, get, write } from './parts.js';
import { pick } from './picks.js';
import { moveText, percent, progressText, reasonText, spoken, text } from './texts.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').Snapshot} Snapshot */
/** @typedef {import('./types.js').Shell} Shell */

const LOW_MS = 30000;
const SURE_MS = 4000;
const CALLED_S = [60, 30, 10];

export class PlayPage {
  keys = [['← ↑ ↓ →', 'keyArrows'], ['Enter', 'keyEnter'], ['Esc', 'keyEsc'], ['Home, End', 'keyHome'], ['← →, Home, End', 'keyLook'], ['1 – 6', 'keyDie'], ['B', 'keyHint'], ['F', 'keyFlip'], ['Alt+1 – 3', 'keyModes'], ['?', 'keyHelp']];

  /** @param {Shell} shell */
  constructor(shell) {
    this.shell = shell;
    this.parts = [get('play'), get('new'), get('far'), get('near')];
    /** @type {Snapshot | null} */
    this.shown = null;
    /** @type {string[]} */
    this.chosen = [];
    /** @type {Snapshot | null} */
    this.answered = null; // what a move was sent for: until the next one comes, a pick would be one too many
    this.progress = '';
    this.review = { text: '', address: '' };
    this.isSure = false;
    this.spokenMoves = -1;
    this.dialog = new BeginDialog((command) => shell.ask(command));
    this.moves = new MoveList(get('moves'), (ply) => this.showPly(ply));
    this.clocks = new ClockFace(CALLED_S, (side, n) => shell.say(text('secondsLeft', { side: this.sideName(side), n })));
    get('new').addEventListener('click', () => this.dialog.open(this.shown?.settings ?? null));
    get('typed').addEventListener('submit', (event) => {
      event.preventDefault();
      const input = /** @type {HTMLInputElement} */ (get('word'));
      if (input.value.trim()) shell.ask({ do: 'move', word: input.value.trim() });
      input.value = '';
    });
  }

  /** Leave what was begun, as the mode or the connection has gone. */
  forget() {
    this.chosen = [];
    this.answered = null;
    this.dialog.close();
  }

  /** @param {Event} event */
  hear(event) {
    switch (event.event) {
      case 'snapshot':
        this.take(event);
        break;
      case 'loading':
        this.progress = progressText(event);
        break;
      case 'refused':
        this.answered = null;
        break;
      case 'reviewing':
        this.review = { text: event.text, address: event.address };
        break;
    }
  }

  /** @param {Snapshot} event */
  take(event) {
    const before = this.shown;
    if (!before || before.picture !== event.picture) this.chosen = [];
    if (before?.file !== event.file || event.stage !== 'over') this.review = { text: '', address: '' };
    if (event.stage !== 'loading') this.progress = '';
    this.shown = event;
    this.clocks.set(event.clocks);
    if (before && event.moves.length !== before.moves.length) write('refusal', '');
  }

  card() {
    return this.shell.cards.find((card) => card.game === this.shown?.settings?.game);
  }

  /** @param {number} side */
  sideName(side) {
    return this.card()?.names[spoken()][1 + side] ?? '';
  }

  /** @param {string} point */
  picked(point) {
    if (!this.shown || !this.shell.holds || !point || this.answered === this.shown) return;
    const before = this.chosen;
    const next = pick(this.shown, this.chosen, point);
    this.chosen = next.chosen;
    if (next.command) {
      this.answered = this.shown;
      this.shell.ask(next.command);
    }
    if (before !== this.chosen) this.shell.show();
  }

  /**
   * Draw the mode's parts.
   * @returns {string[]} what the window's title says: the state, the game
   */
  show() {
    this.showDialog();
    this.showStatus();
    this.showPlayers();
    this.showActions();
    const setups = this.card()?.has_setup ? 2 : 0;
    this.moves.show(this.shown?.moves ?? [], setups, this.shown?.shown_ply ?? undefined);
    this.showBoard();
    return [get('state').textContent ?? '', this.card()?.names[spoken()][0] ?? ''];
  }

  /** Show the form for a game before there is one. */
  showDialog() {
    const { dialog, shell } = this;
    dialog.cards = shell.cards;
    dialog.game ||= shell.defaultGame;
    if (this.shown?.stage === 'start' && shell.holds && shell.isOpen) dialog.open(null);
    else dialog.leave();
    dialog.translate();
  }

  /**
   * Show an earlier position, or the last one again.
   * @param {number} ply
   */
  showPly(ply) {
    const { shown } = this;
    if (!shown || !this.shell.holds) return;
    const most = shown.moves.length;
    const goal = Math.min(Math.max(ply, this.card()?.has_setup ? 2 : 0), most);
    if (most && goal !== (shown.shown_ply ?? most)) this.shell.ask({ do: 'show ply', ply: goal });
  }

  /** @returns {[string, string]} */
  status() {
    const shown = this.shown;
    if (!this.shell.isOpen) return [text('connecting'), ''];
    if (!shown || shown.stage === 'start') return [text('welcome'), ''];
    const game = this.card()?.names[spoken()][0] ?? '';
    const played = shown.moves.length - (this.card()?.has_setup ? 2 : 0);
    switch (shown.stage) {
      case 'loading': return [text('loading'), this.progress || text('loadingHow')];
      case 'asks': return [text('asks'), text('asksHow', { game, n: Math.max(played, 0) })];
      case 'paused': return [text('paused'), ''];
      case 'over': {
        const winner = shown.game_end?.winner;
        const result = winner === null ? 'draw' : winner === shown.settings?.person ? 'won' : 'lost';
        return [text(result), reasonText(shown.game_end?.reason ?? '') + (this.review.text ? ` – ${text('reviewing')}: ${this.review.text}` : '')];
      }
    }
    if (shown.shown_ply !== null) return [text('lookBack'), text('lookBackHow')];
    const mine = shown.turn === shown.settings?.person;
    if (shown.needs_throw) return [text(mine ? 'throwYours' : 'throwTheirs'), this.engineMove()];
    if (shown.is_judging) return [text('judging'), ''];
    if (shown.thinking) return [shown.throw ? text('thinkingThrow', { throw: shown.throw }) : text('thinking'), ''];
    if (shown.stage === 'set-up') return [text(Object.keys(shown.pieces).length ? 'setUp' : 'waitSetUp'), text('setUpHow')];
    const state = shown.throw ? text('yourTurnThrow', { throw: shown.throw }) : text('yourTurn');
    const stones = shown.stones > 1 && !this.chosen.length ? text('stonesHow', { n: shown.stones }) : text(this.chosen.length ? 'stoneMore' : 'stoneHow');
    const hint = shown.is_hint_coming ? text('hintComing') : shown.hint ? text('hintIs', { move: moveText(shown.hint, false) }) : shown.taught ? this.taught(shown.taught) : this.engineMove();
    return [state, [hint, shown.stones ? stones : ''].filter(Boolean).join(' ')];
  }

  /** @param {{move: import('./types.js').PlayedMove, lost: number}} taught */
  taught({ move, lost }) {
    return text('taughtBack', { move: moveText(move, false), lost: percent(lost) });
  }

  engineMove() {
    const shown = this.shown;
    if (!shown || !shown.settings) return '';
    const count = shown.moves.length;
    const by = (count + 1) % 2;
    if (!count || by === shown.settings.person) return '';
    const isSetUp = Boolean(this.card()?.has_setup) && count <= 2;
    return isSetUp ? text('engineSetUp') : text('enginePlayed', { move: moveText(shown.moves[count - 1], false) });
  }

  showStatus() {
    const [state, detail] = this.status();
    write('state', state);
    write('detail', detail);
    if (this.shown && this.spokenMoves !== this.shown.moves.length) {
      if (this.spokenMoves >= 0 && this.shown.moves.length > this.spokenMoves) this.shell.say(this.engineMove());
      this.spokenMoves = this.shown.moves.length;
    }
  }

  showPlayers() {
    const shown = this.shown;
    const settings = shown?.settings;
    if (settings) this.shell.board.side = settings.person;
    for (const id of ['far', 'near']) {
      const part = get(id);
      const side = settings ? ((id === 'near') === this.shell.board.isFlipped() ? 1 : 0) : 0;
      part.classList.toggle('to-move', Boolean(shown && settings && shown.turn === side && (shown.stage === 'play' || shown.stage === 'set-up')));
      /** @type {HTMLElement} */ (part.querySelector('.who')).textContent = !settings ? '' : side === settings.person
        ? text('you', { side: this.sideName(side) }) : text('engine', { side: this.sideName(side), level: settings.skill });
      part.dataset.side = String(side);
    }
    this.showClocks();
  }

  showClocks() {
    for (const id of ['far', 'near']) {
      const part = get(id);
      const clock = /** @type {HTMLElement} */ (part.querySelector('.clock'));
      const side = Number(part.dataset.side);
      const left = this.clocks.left(side);
      const line = this.clocks.clocks ? clockText(left) : '';
      if (clock.textContent !== line) clock.textContent = line;
      clock.classList.toggle('runs', this.clocks.clocks?.running === side);
      clock.classList.toggle('low', left < LOW_MS);
    }
  }

  /** Look at the clocks, ten times a second. */
  tick() {
    this.clocks.tick();
    this.showClocks();
  }

  showActions() {
    const first = [];
    const more = [];
    const { shown, shell } = this;
    const stage = shown?.stage ?? 'start';
    if (!shell.isOpen) {
      // nothing can be asked for
    } else if (!shell.holds) {
      first.push(button('takeBoard', () => shell.ask({ do: 'take board' }), true));
    } else if (shown) {
      if (stage === 'asks' || stage === 'paused') first.push(button('goOn', () => shell.ask({ do: 'resume' }), true));
      if (shown.setup.length) {
        const isEmpty = !Object.keys(shown.pieces).length;
        first.push(button('ready', () => shell.ask({ do: 'set up' }), true, isEmpty), button('propose', () => shell.ask({ do: 'propose' }), false, isEmpty));
        if (!isEmpty) more.push(...layoutButtons(shell, shown.layouts));
      }
      if (stage === 'over') first.push(this.reviewButton());
      if (shown.shown_ply !== null) first.push(button('lookOn', () => this.showPly(shown.moves.length), true));
      if (stage === 'play') {
        const isMine = !shown.thinking;
        more.push(button('hint', () => this.hint(), false, !isMine || shown.needs_throw));
        if (shown.thinking) more.push(button('moveNow', () => shell.ask({ do: 'move now' })));
      }
      if (stage === 'play' || stage === 'set-up' || stage === 'over') more.push(button('takeBack', () => shell.ask({ do: 'take back' }), false, !shown.can_take_back));
      if (stage === 'play' && shown.clocks) more.push(button('pause', () => shell.ask({ do: 'pause' })));
      if (stage === 'play' || stage === 'set-up') more.push(button(this.isSure ? 'resignSure' : 'resign', () => this.resign()));
    }
    if (shown && stage !== 'start' && stage !== 'loading') more.push(button('flip', () => shell.flip()));
    fill('main-actions', first);
    fill('actions', more);
    const dice = get('dice');
    dice.hidden = !(shown?.needs_throw && shell.holds && shell.isOpen);
    if (!dice.childElementCount) dice.append(...dieButtons(shell));
    get('typed').hidden = !(shown && shell.holds && shell.isOpen && (shown.choices.length || shown.stones || shown.setup.length));
  }

  /** @returns {HTMLElement} */
  reviewButton() {
    const { review } = this;
    if (!review.address) return button('review', () => this.shell.ask({ do: 'review' }), true, Boolean(review.text));
    const link = element('a', 'first', text('openReview'));
    Object.assign(link, { href: review.address, target: '_blank', rel: 'noopener' });
    link.dataset.act = 'review';
    return link;
  }

  hint() {
    this.shell.ask({ do: 'hint' });
  }

  resign() {
    if (this.isSure) this.shell.ask({ do: 'resign' });
    this.isSure = !this.isSure;
    this.shell.show();
    if (this.isSure) setTimeout(() => { this.isSure = false; this.shell.show(); }, SURE_MS);
  }

  showBoard() {
    const now = this.shown;
    if (!now?.settings || now.stage === 'loading' || now.stage === 'start') this.shell.board.hide();
    else this.shell.board.show(now.settings.game, now.settings.person, now, this.chosen, this.shell.holds, this.card());
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { shown } = this;
    const at = shown ? shown.shown_ply ?? shown.moves.length : 0;
    const steps = /** @type {{[key: string]: number}} */ ({ ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity });
    if (event.defaultPrevented) return;
    if (event.key in steps) {
      event.preventDefault();
      this.showPly(steps[event.key]);
    } else if (event.key === 'Escape') {
      this.showPly(Infinity);
      this.chosen = [];
      this.shell.show();
    } else if (event.key === 'b') this.hint();
    else if (/^[1-6]$/.test(event.key) && this.shown?.needs_throw) this.shell.ask({ do: 'throw', throw: Number(event.key) });
  }
}
