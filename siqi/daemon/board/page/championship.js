// The mode Championship: the card with the next thing to do, the clocks, the contest. Nothing is played unconfirmed.

import { inWords, notation, played, pointsOf, setUpInWords, wordOf } from './announce.js';
import { ClockFace, clockText } from './clocks.js';
import { Corrections } from './corrections.js';
import { layoutButtons } from './layouts.js';
import { MoveList } from './moves.js';
import { button, dieButtons, element, fill, get, kept, write } from './parts.js';
import { pick } from './picks.js';
import { progressText, reasonText, refusalText, spoken, text } from './texts.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').Table} Table */
/** @typedef {import('./types.js').Shell} Shell */

const WARNED_S = [300, 120, 60, 30, 10];
const LOW_MS = 60000;
const WARNED_MS = 300000;
const SLIP_MS = 600; // a key that was meant for what was shown before confirms nothing

export class ChampionshipPage {
  keys = [['Enter', 'keyConfirm'], ['1 – 6', 'keyDie'], ['0 – 3', 'keyAnswer'], ['← ↑ ↓ →', 'keyArrows'], ['Esc', 'keyEsc'], ['G', 'keyBoard'], ['T', 'keyType'], ['P', 'keyPause'], ['M', 'keyMoveNow'], ['F', 'keyFlip'], ['Alt+1 – 3', 'keyModes'], ['?', 'keyHelp']];

  /** @param {Shell} shell */
  constructor(shell) {
    this.shell = shell;
    this.parts = [get('championship')];
    /** @type {Table | null} */
    this.shown = null;
    /** @type {string[]} */
    this.chosen = [];
    this.draft = ''; // the opponent's move, not confirmed
    this.isSent = false; // the draft was confirmed: a refusal drops it
    /** @type {number | null} */
    this.result = null; // the referee's answer
    this.flag = '';
    this.picksFlag = false;
    this.since = 0; // when what is to be confirmed was shown
    this.evaluation = '';
    this.progress = '';
    this.spokenCard = '';
    this.corrections = new Corrections(shell, () => this.shown);
    this.moves = new MoveList(get('c-moves'), (ply) => this.corrections.back(ply));
    this.clocks = new ClockFace(WARNED_S, (side, n) => shell.say(text(n < 60 ? 'secondsLeft' : 'minutesLeft', { side: this.team(side), n: n < 60 ? n : n / 60 })), -Infinity);
    document.body.classList.toggle('watch', kept('screen') === 'watch');
    get('c-typed').addEventListener('submit', (event) => {
      event.preventDefault();
      /** @type {HTMLInputElement} */
      const input = get('c-word');
      const word = input.value.trim();
      if (word && this.shown?.setup.length) shell.ask({ do: 'arrange', word });
      else if (word) this.enterMove(word);
      input.value = '';
    });
  }

  /** Leave what was begun, as the mode or the connection has gone. */
  forget() {
    this.drop();
    this.evaluation = '';
  }

  drop() {
    this.isSent = false;
    this.chosen = [];
    this.draft = '';
    this.result = null;
    this.flag = '';
    this.picksFlag = false;
  }

  /** @param {Event} event */
  hear(event) {
    if (event.event === 'championship') {
      const before = this.shown;
      if (before?.picture !== event.picture) {
        this.drop();
        this.since = performance.now();
        write('c-warning', '');
        write('refusal', '');
      }
      if (event.press !== 'nobody' && event.press !== 'announce') this.evaluation = '';
      if (event.stage !== 'loading') this.progress = '';
      this.shown = event;
      this.clocks.set(event.clocks);
      if (event.answers.length === 1) this.result = event.answers[0];
      if ((event.choices.length || event.stones) && document.activeElement === document.body) this.shell.board.focus();
      if (event.press === 'announce' && get('c-dice').contains(document.activeElement)) this.focusConfirm(); // or Enter throws again
    } else if (event.event === 'evaluation') {
      const score = event.mate ? `#${event.mate}` : event.win === null ? (event.cp / 100).toFixed(2) : `${Math.round(100 * event.win)} %`;
      this.evaluation = text('evaluation', { score, depth: event.depth, line: event.line.join(' ') });
    } else if (event.event === 'warning') write('c-warning', refusalText(event.reason));
    else if (event.event === 'loading') this.progress = progressText(event);
    else if (event.event === 'refused' && this.isSent) this.drop();
  }

  card() {
    return this.shell.cards.find((card) => card.game === this.shown?.contest?.game);
  }

  /**
   * Return the name of the team of a side.
   * @param {number} side
   */
  team(side) {
    return this.shown?.contest?.teams[side ^ (this.shown?.first ?? 0)] ?? '';
  }

  /** @param {number} side */
  sideName(side) {
    return this.card()?.names[spoken()][1 + side] ?? '';
  }

  /** @param {string} point */
  picked(point) {
    const { shown } = this;
    if (!shown || !this.shell.holds || !point) return;
    if (this.picksFlag) {
      this.flag = point;
      this.picksFlag = false;
      this.focusConfirm();
    } else {
      const next = pick(shown, this.chosen, point);
      const command = /** @type {{do: string, word: string} | undefined} */ (next.command);
      this.draft = '';
      this.chosen = next.chosen;
      if (command?.do === 'move') this.setDraft(command.word);
      else if (command) this.shell.ask(command);
    }
    this.shell.show();
  }

  /**
   * Show a move that was typed, if there is such a one.
   * @param {string} line
   */
  enterMove(line) {
    const card = this.card();
    const word = this.shown && card ? wordOf(card, line, this.shown) : '';
    if (word) this.setDraft(word);
    else write('refusal', text('noSuchMove', { word: line }));
  }

  /**
   * Show a move that waits for its confirmation.
   * @param {string} word
   */
  setDraft(word) {
    write('refusal', '');
    this.draft = word;
    this.result = null;
    this.chosen = word.match(/[a-sA-S]\d+/g) ?? [];
    if (this.card()?.has_hidden && !this.shown?.pieces[this.chosen[1]]) this.result = 3;
    this.since = 0;
    this.shell.show();
    this.focusConfirm();
  }

  /** Give the focus to the button that confirms, after the grid has taken it; there Enter would pick a point. */
  focusConfirm() {
    queueMicrotask(() => /** @type {HTMLElement | null} */ (get('c-main').querySelector('.first'))?.focus());
  }

  /**
   * Take the referee's answer.
   * @param {number} result
   */
  setResult(result) {
    this.result = result;
    this.shell.show();
    this.focusConfirm();
  }

  /** Return the referee's answers that the operator may enter now. */
  answers() {
    const { shown } = this;
    if (!shown || !this.card()?.has_hidden) return [];
    if (shown.press === 'announce') return shown.answers;
    return this.draft ? (this.shown?.pieces[this.chosen[1]] ? [0, 1, 2] : [3]) : [];
  }

  canConfirm() {
    const { shown } = this;
    if (!shown) return false;
    const isMove = shown.press === 'announce' || Boolean(this.draft);
    return isMove && (!this.answers().length || this.result !== null);
  }

  confirm() {
    const { shown } = this;
    if (!shown || !this.canConfirm() || performance.now() - this.since < SLIP_MS) return;
    const answer = this.answers().length ? { result: this.result, flag: this.flag } : {};
    if (this.draft) {
      this.isSent = !this.card()?.has_hidden; // there the referee's answer may be what is wrong
      this.shell.ask({ do: 'move', word: this.draft, ...answer });
    } else if (shown.setup.length) this.shell.ask({ do: 'set up' });
    else this.shell.ask({ do: 'confirm', ...answer });
  }

  /**
   * Draw the mode's parts.
   * @returns {string[]} what the window's title says
   */
  show() {
    const { shown } = this;
    const setups = this.card()?.has_setup ? 2 : 0;
    this.showCard();
    this.showActions();
    this.showClocks();
    this.corrections.show(this.card());
    this.moves.show(shown ? [...shown.moves, ...shown.ahead_moves] : [], setups, shown?.moves.length);
    write('c-evaluation', shown?.contest?.hides ? '' : this.evaluation);
    const isSecret = this.isWatching() && this.card()?.has_hidden; // the other team may see that screen
    if (!shown?.contest || shown.stage === 'loading' || shown.stage === 'start' || isSecret) this.shell.board.hide();
    else this.shell.board.show(shown.contest.game, shown.first, shown, this.marked(shown), this.shell.holds && !this.isWatching(), this.card());
    return [get('c-press').textContent ?? '', this.card()?.names[spoken()][0] ?? ''];
  }

  /**
   * Return the points that are marked for the operator: those picked, or those of the move to be announced.
   * @param {Table} shown
   */
  marked(shown) {
    const isAnnounced = shown.press === 'announce' && shown.proposed && !shown.setup.length && !this.isWatching();
    return isAnnounced && shown.proposed ? pointsOf(shown.proposed.word) : this.chosen;
  }

  isWatching() {
    return document.body.classList.contains('watch');
  }

  /**
   * Return what the card says: who is to press, the move, the move in words.
   * @returns {[string, string, string]}
   */
  say() {
    const { shown } = this;
    const card = this.card();
    if (!this.shell.isOpen) return [text('connecting'), '', ''];
    if (!shown || shown.stage === 'start') return this.sayChecks();
    if (shown.stage === 'loading' || !card) return [text('loading'), '', this.progress || text('loadingHow')];
    const mover = text('sideOf', { team: this.team(shown.turn), side: this.sideName(shown.turn) });
    const throws = shown.throw ? text('threw', { throw: shown.throw }) : '';
    if (this.draft) return [text('confirmTheirs', { team: this.team(shown.turn) }), notation(card, this.draft, shown.pieces), inWords(card, { word: this.draft, chinese: '', throw: 0 }, shown.pieces)];
    switch (shown.press) {
      case 'resume': return shown.stage === 'asks' ? [text('asks'), '', text('asksContest', { at: shown.saved_at.slice(11) })] : [text(shown.moves.length > (card.has_setup ? 2 : 0) ? 'pausedHow' : 'startHow'), '', mover];
      case 'throw': return [text('enterThrowOf', { team: this.team(shown.turn) }), '', this.lastMove()];
      case 'announce': {
        const move = shown.proposed;
        if (!move) break;
        if (shown.setup.length) return [text('announceSetUp'), move.word, this.sayPieces(card)];
        return [text('announce'), notation(card, move.word, shown.pieces), inWords(card, move, shown.pieces)];
      }
      case 'opponent': case 'own': return [text('enterMoveOf', { team: this.team(shown.turn) }), throws, this.lastMove()];
      case 'set-up': return [text('enterSetUpOf', { team: this.team(shown.turn) }), shown.word, this.sayPieces(card)];
      case 'referee': return [text('askReferee'), '', ''];
      case 'next': return this.sayEnd();
    }
    return [text(shown.setup.length ? 'waitSetUp' : 'thinking'), throws, this.lastMove()];
  }

  /**
   * Return a set-up's pieces by point, and how it is changed.
   * @param {import('./types.js').GameCard} card
   */
  sayPieces(card) {
    const { word = '', proposed, setup = [] } = this.shown ?? {};
    return [setUpInWords(card, proposed?.word ?? word, setup), text('setUpHowCard')].filter(Boolean).join('. ');
  }

  /** @returns {[string, string, string]} */
  sayChecks() {
    const checks = this.shown?.checks ?? [];
    if (!checks.length) return [text('noContest'), '', text('noContestHow')];
    const isReady = checks.every((check) => check.is_good);
    const isBad = checks.some((check) => check.is_good === false);
    return [text('preflight'), text(isReady ? 'READY' : isBad ? 'NOTREADY' : 'loading'), this.progress];
  }

  /** @returns {[string, string, string]} */
  sayEnd() {
    const played = this.shown?.contest?.played[this.shown.contest.current];
    const contest = this.shown?.contest;
    if (!played || !contest) return ['', '', ''];
    const result = played.end === 'adjourned' ? text('adjourned') : played.winner === null ? text('draw') : text('teamWins', { team: contest.teams[played.winner] });
    const reason = played.end === 'rules' ? reasonText(played.reason) : played.end === 'adjourned' ? '' : text(`end_${played.end}`);
    return [text('gameOver', { n: contest.current + 1 }), result, reason];
  }

  lastMove() {
    const { shown } = this;
    const card = this.card();
    const move = shown?.moves.at(-1);
    if (!shown || !card || !move || (card.has_setup && shown.moves.length <= 2)) return '';
    return text('lastMove', { team: this.team(1 - shown.turn), move: played(card, move, shown.pieces) });
  }

  showCard() {
    const [press, move, words] = this.say();
    write('c-press', press);
    write('c-move', this.isWatching() ? '' : move);
    write('c-words', this.isWatching() ? '' : words);
    get('c-card').dataset.press = this.draft ? 'confirm' : this.shown?.press ?? '';
    const line = [press, move, words].filter(Boolean).join('. ');
    if (line !== this.spokenCard && !this.isWatching()) this.shell.say(line);
    this.spokenCard = line;
    const checks = this.shown?.checks ?? [];
    get('c-checks').hidden = !checks.length;
    get('c-checks').replaceChildren(...checks.map((check) => {
      const sign = check.is_good === null ? '…' : check.is_good ? '✓' : '✗';
      return element('li', check.is_good === false ? 'bad' : '', `${sign} ${text(`check_${check.name}`)}${check.detail ? `: ${check.detail}` : ''}`);
    }));
  }

  showActions() {
    const { shown, shell } = this;
    const first = [];
    /** @type {HTMLElement[]} */
    let answers = [];
    const can = Boolean(shown && shell.holds && shell.isOpen && !this.isWatching());
    if (shown && can) {
      if (shown.press === 'announce' || this.draft) first.push(button(this.draft ? 'confirm' : shown.setup.length ? 'setUpAnnounced' : 'announced', () => this.confirm(), true, !this.canConfirm()));
      if (this.draft) first.push(button('dropDraft', () => { this.drop(); shell.show(); }));
      if (shown.press === 'resume') first.push(button(shown.stage === 'asks' ? 'goOn' : 'startClocks', () => shell.ask({ do: 'resume' }), true));
      if (shown.press === 'throw') first.push(button('throwForMe', () => shell.ask({ do: 'throw for me' })));
      if (shown.press === 'nobody' && shown.stage === 'play') first.push(button('moveNow', () => shell.ask({ do: 'move now' })));
      if (shown.press === 'set-up') first.push(button('setUpDone', () => shell.ask({ do: 'set up' }), true, !shown.word));
      if (shown.setup.length) {
        if (shown.press === 'announce' || shown.turn === shown.first) first.push(button('propose', () => shell.ask({ do: 'propose' })));
        for (const word of shown.presets) first.push(button(`preset ${word}`, () => shell.ask({ do: 'arrange', word }), false, false, text('preset', { word })));
        first.push(...layoutButtons(shell, shown.layouts));
      }
      if (shown.press === 'next') first.push(button('nextGame', () => shell.ask({ do: 'next game' }), !shown.contest?.is_decided));
      if (shown.stage === 'start') first.push(...this.corrections.beginning());
      if (this.answers().some((answer) => answer < 3)) answers = this.answerButtons();
    } else if (shown && shell.isOpen && !this.isWatching()) first.push(button('takeBoard', () => shell.ask({ do: 'take board' }), true));
    fill('c-main', first);
    fill('c-answers', answers);
    this.showDice(can);
    write('c-word-label', text(shown?.setup.length ? 'typeSetUp' : 'typeMove'));
    get('c-typed').hidden = !(shown && can && (shown.choices.length || shown.stones || shown.setup.length));
  }

  answerButtons() {
    const made = this.answers().map((answer) => {
      const each = button(`answer${answer}`, () => this.setResult(answer), this.result === answer);
      each.setAttribute('aria-pressed', String(this.result === answer));
      return each;
    });
    const words = this.picksFlag ? text('flagPick') : this.flag ? text('flagAt', { point: this.flag }) : text('flag');
    return [...made, button('flag', () => { this.picksFlag = !this.picksFlag; this.shell.show(); }, this.picksFlag, false, words)];
  }

  /** @param {boolean} can */
  showDice(can) {
    const { shown } = this;
    const dice = get('c-dice');
    const stands = Boolean(shown?.throw && shown.stage === 'play' && !this.draft); // a wrong one is corrected before its move
    dice.hidden = !(can && this.card()?.has_dice && (shown?.press === 'throw' || stands));
    dice.classList.toggle('corrects', stands);
    if (!dice.childElementCount) dice.append(...dieButtons(this.shell));
    [...dice.children].forEach((each, i) => each.setAttribute('aria-pressed', String(shown?.throw === i + 1)));
  }

  showClocks() {
    const { shown } = this;
    get('c-clocks').hidden = !shown?.clocks;
    if (!shown?.contest) return;
    for (const team of [0, 1]) {
      const side = team ^ shown.first;
      const part = get(`c-clock-${team}`);
      const left = this.clocks.left(side);
      write(`c-time-${team}`, clockText(left));
      write(`c-team-${team}`, shown.contest.teams[team]);
      write(`c-side-${team}`, [this.sideName(side), text(side ? 'second' : 'first'), text(shown.contest.engine[team] ? 'byEngine' : 'byHand')].join(text('comma')));
      part.classList.toggle('runs', shown.clocks?.running === side);
      part.classList.toggle('warned', left < (shown.contest.clock_ms > WARNED_MS ? WARNED_MS : 2 * LOW_MS) && left >= LOW_MS);
      part.classList.toggle('low', left < LOW_MS);
    }
  }

  /** Look at the clocks, ten times a second. */
  tick() {
    this.clocks.tick();
    this.showClocks();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { shown, shell } = this;
    if (!shown || event.repeat || this.isWatching() || !shell.holds) return;
    const answers = this.answers();
    const isOnCell = event.target instanceof HTMLElement && event.target.getAttribute('role') === 'gridcell';
    if (event.key === 'Escape') {
      this.drop();
      shell.show();
    } else if (event.key === 'Enter') {
      if (event.target instanceof HTMLButtonElement || (isOnCell && this.draft)) return; // the key has picked the move
      if (this.canConfirm()) this.confirm();
    } else if (/^[0-2]$/.test(event.key) && answers.includes(Number(event.key))) {
      this.setResult(Number(event.key));
    } else if (/^[1-6]$/.test(event.key) && shown.press === 'throw') shell.ask({ do: 'throw', throw: Number(event.key) });
    else if (event.key === 'g') this.shell.board.focus();
    else if (event.key === 't' && !get('c-typed').hidden) {
      event.preventDefault();
      get('c-word').focus();
    } else if (event.key === 'p' && shown.stage === 'play') shell.ask({ do: 'pause' });
    else if (event.key === 'm' && shown.press === 'nobody') shell.ask({ do: 'move now' });
  }
}
