// The mode Analyse: any position, a tree of moves, the engine's lines, games from anywhere.

import { Arrows } from './arrows.js';
import { PieceEditor } from './edit.js';
import { Graph } from './graph.js';
import { LineList } from './lines.js';
import { OpenDialog, save } from './open.js';
import { button, element, fill, get, toggle, write } from './parts.js';
import { Battle } from './battle.js';
import { pick } from './picks.js';
import { ruleText } from './words.js';
import { moveText, percent, progressText, reasonText, spoken, text } from './texts.js';
import { TreeList } from './tree.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').AnalysisShown} AnalysisShown */
/** @typedef {import('./types.js').LinesShown} LinesShown */
/** @typedef {import('./types.js').Shell} Shell */

const MAX_LINES = 5;

export class AnalysePage {
  keys = [['← →', 'keyStep'], ['↑ ↓', 'keyBranch'], ['Home, End', 'keyEnds'], ['Enter', 'keyEnter'], ['Esc', 'keyEsc'], ['0 – 6', 'keyThrow'], ['B', 'keyBest'], ['N, Shift+N', 'keyMistake'], ['X', 'keyTrial'], ['Q W E R T', 'keyLayers'], ['Space', 'keyEngine'], ['F', 'keyFlip'], ['Ctrl+V', 'keyPaste'], ['Alt+1 – 3', 'keyModes'], ['?', 'keyHelp']];

  /** @param {Shell} shell */
  constructor(shell) {
    this.shell = shell;
    this.parts = [get('analyse'), get('arrows')];
    /** @type {AnalysisShown | null} */
    this.shown = null;
    /** @type {LinesShown | null} */
    this.lines = null;
    /** @type {string[]} */
    this.chosen = [];
    this.hidden = new Set(); // what is not drawn over the board: the engine's arrows, the person's
    this.linesBefore = 3;
    this.progress = '';
    this.isAsking = false; // this tab waits for a file
    this.tree = new TreeList(get('tree'), (node) => this.go(node));
    this.graph = new Graph(get('graph'), (node) => this.go(node));
    this.arrows = new Arrows(get('arrows'));
    this.editor = new PieceEditor(shell);
    this.battle = new Battle(get('battle'), (command) => shell.ask(command), () => shell.show());
    this.list = new LineList(get('lines'), (word) => this.add(word));
    this.dialog = new OpenDialog(shell, () => this.shown?.game ?? '');
    this.listen();
  }

  listen() {
    const { shell } = this;
    get('add').addEventListener('submit', (event) => {
      event.preventDefault();
      const input = /** @type {HTMLInputElement} */ (get('added'));
      if (input.value.trim()) this.add(input.value.trim());
      input.value = '';
    });
    get('comment').addEventListener('change', () => {
      const input = /** @type {HTMLInputElement} */ (get('comment'));
      if (this.shown) shell.ask({ do: 'comment', node: this.shown.node, text: input.value });
    });
    get('multi').addEventListener('change', () => shell.ask({ do: 'engine', lines: Number(/** @type {HTMLSelectElement} */ (get('multi')).value) }));
    get('format').addEventListener('change', () => {
      const select = /** @type {HTMLSelectElement} */ (get('format'));
      this.isAsking = true;
      if (select.value) shell.ask({ do: 'save', format: select.value });
      select.value = '';
    });
    get('gamelist').addEventListener('change', () => shell.ask({ do: 'choose', number: Number(/** @type {HTMLSelectElement} */ (get('gamelist')).value) }));
    get('fen').addEventListener('focus', () => /** @type {HTMLInputElement} */ (get('fen')).select());
  }

  forget() {
    this.chosen = [];
    this.lines = null;
    this.dialog.close();
  }

  /** @param {Event} event */
  hear(event) {
    switch (event.event) {
      case 'analysis':
        this.take(event);
        break;
      case 'lines':
        this.lines = event;
        break;
      case 'refused':
        get('open-note').textContent = this.dialog.dialog.open ? get('refusal').textContent : '';
        break;
      case 'loading':
        this.progress = progressText(event);
        break;
      case 'saved':
        if (this.isAsking) save(event.name, event.data);
        this.isAsking = false;
        if (event.losses.length) write('refusal', text('losses', { list: event.losses.join(', ') }));
        break;
    }
  }

  /** @param {AnalysisShown} event */
  take(event) {
    const before = this.shown;
    if (before?.picture !== event.picture && event.stage !== 'edit') {
      this.chosen = [];
      this.battle.drop();
    }
    if (before && (before.node !== event.node || before.file !== event.file || before.throw !== event.throw)) {
      this.lines = null;
      write('refusal', '');
      this.say(event);
    }
    if (event.stage !== 'loading') this.progress = '';
    if (event.stage !== 'start' && event.stage !== 'loading') this.dialog.close();
    if (event.tree) this.tree.set(event.tree, event);
    if (event.report) this.lines = event.report;
    if (event.lines) this.linesBefore = event.lines;
    this.shown = event;
  }

  /** @param {AnalysisShown} event */
  say(event) {
    const move = event.tree?.nodes.find((made) => made.node === event.node)?.move ?? this.tree.move(event.node);
    if (move) this.shell.say(moveText(move, false));
  }

  /** @param {number} node */
  go(node) {
    if (this.shown && this.shell.holds && node !== this.shown.node) this.shell.ask({ do: 'go to', node });
  }

  /** @param {string} word */
  add(word) {
    if (this.shell.holds) this.shell.ask({ do: 'add', word });
  }

  /** @param {string} point */
  picked(point) {
    const now = this.shown;
    if (!now || !this.shell.holds || !point) return;
    if (now.stage === 'edit') {
      this.editor.picked(now, point);
      return;
    }
    if (this.battle.picked(point)) return;
    const next = pick({ ...now, setup: [] }, this.chosen, point);
    const command = /** @type {{word: string} | undefined} */ (next.command);
    this.chosen = next.chosen;
    if (command && now.needs_answers && now.pieces[point]) this.battle.begin(command.word);
    else if (command) this.shell.ask({ do: 'add', word: command.word, ...(now.needs_answers ? { result: 3 } : {}) });
    this.shell.show();
  }

  /**
   * Draw an arrow, or a ring around one point; the same one again takes it away.
   * @param {string} from
   * @param {string} to
   */
  drawn(from, to) {
    const now = this.shown;
    if (!now || !this.shell.holds || now.stage !== 'analyse') return;
    const has = (/** @type {string[]} */ arrow) => arrow[0] === from && arrow[1] === to;
    this.mark(now, now.marks.some(has) ? now.marks.filter((arrow) => !has(arrow)) : [...now.marks, [from, to]]);
  }

  /**
   * @param {AnalysisShown} now
   * @param {string[][]} marks
   */
  mark(now, marks) {
    this.shell.ask({ do: 'mark', node: now.node, marks });
  }

  carried() {
    return this.shown?.stage === 'edit' && this.shell.holds ? this.editor.carried.bind(this.editor) : null;
  }

  /**
   * @param {string} key
   * @param {string} point
   */
  typed(key, point) {
    const card = this.card();
    return Boolean(this.carried() && card && this.editor.typed(card, key, point));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const now = this.shown;
    if (!now || now.stage === 'edit' || event.defaultPrevented || !this.shell.holds) return;
    const steps = /** @type {{[key: string]: number}} */ ({
      ArrowLeft: this.tree.before(now.node), ArrowRight: this.tree.after(now.node), Home: 0, End: this.tree.end(now.node),
      ArrowUp: this.tree.beside(now.node, -1), ArrowDown: this.tree.beside(now.node, 1),
    });
    const isButton = event.target instanceof HTMLElement && event.target.closest('button, summary');
    if (event.key in steps) {
      event.preventDefault();
      this.go(steps[event.key]);
    } else if (event.key === 'Escape') {
      this.chosen = [];
      this.battle.drop();
      this.shell.show();
    } else if (event.key === 'b') this.playBest();
    else if (event.key === 'n' || event.key === 'N') this.go(this.tree.mistake(now.node, event.key === 'n' ? 1 : -1));
    else if (event.key === 'x') this.shell.ask({ do: 'trial', step: now.is_trial ? 'drop' : 'begin' });
    else if ('qwert'.includes(event.key)) this.layer(now, 'qwert'.indexOf(event.key));
    else if (event.key === ' ' && !isButton) {
      event.preventDefault();
      this.shell.ask({ do: 'engine', lines: now.lines ? 0 : this.linesBefore });
    } else if (/^[0-6]$/.test(event.key) && now.has_throw) this.shell.ask({ do: 'dice', throw: Number(event.key) });
  }

  /**
   * Show or hide a layer: the engine's arrows, the person's own, then what the game's pictures show.
   * @param {AnalysisShown} now
   * @param {number} number
   */
  layer(now, number) {
    const name = ['engine', 'drawn', 'threats', 'heat', 'beliefs'][number];
    if (number > 1) {
      if (name in now.layers) this.shell.ask({ do: 'layer', name, is_shown: !now.layers[name] });
      return;
    }
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.shell.show();
  }

  playBest() {
    const best = this.lines?.node === this.shown?.node ? this.lines?.lines[0] : null;
    if (best && !best.throw) this.add(best.moves[0].word);
  }

  tick() {}

  card() {
    return this.shell.cards.find((card) => card.game === this.shown?.game);
  }

  /** @param {number} side */
  sideName(side) {
    return this.card()?.names[spoken()][1 + side] ?? '';
  }

  /** Show the ways into an analysis before there is one. */
  showDialog() {
    const { dialog, shell, shown } = this;
    if (shown?.stage === 'start' && shell.holds && shell.isOpen) dialog.open(true);
    else if (shown?.stage !== 'loading') dialog.leave();
    dialog.write();
  }

  /** @returns {string[]} */
  show() {
    this.battle.show();
    this.showDialog();
    const now = this.shown;
    const isThere = Boolean(now && now.stage !== 'start' && now.stage !== 'loading');
    const [state, detail] = this.status();
    write('analysis-state', state);
    write('analysis-detail', detail);
    get('study').hidden = !isThere || now?.stage === 'edit';
    this.showActions();
    if (now && isThere) {
      this.showBoard(now);
      this.showStudy(now);
    } else {
      this.shell.board.hide();
    }
    return [now?.name || state, this.card()?.names[spoken()][0] ?? ''];
  }

  /** @returns {[string, string]} */
  status() {
    const now = this.shown;
    if (!this.shell.isOpen) return [text('connecting'), ''];
    if (!now || now.stage === 'start') return [text('welcomeAnalysis'), ''];
    if (now.stage === 'loading') return [text('loading'), this.progress || text('loadingHow')];
    if (now.stage === 'edit') return [text('editing'), text('editingHow')];
    if (now.is_trial && !now.game_end) return [text('trying'), text('tryingHow')];
    const players = now.players.every((name) => name !== '?') ? now.players.join(' – ') : '';
    const detail = [players, now.result !== '*' ? now.result : '', now.name].filter(Boolean).join(' · ');
    if (now.game_end) {
      const winner = now.game_end.winner;
      return [`${winner === null ? text('draw') : text('wonBy', { side: this.sideName(winner) })} (${reasonText(now.game_end.reason)})`, detail];
    }
    if (now.needs_setup) return [text('toSetUp', { side: this.sideName(now.turn) }), detail];
    const key = !now.has_throw ? 'toMove' : now.throw ? 'toMoveThrow' : 'toThrow';
    return [text(key, { side: this.sideName(now.turn), throw: now.throw }), detail];
  }

  /** @param {AnalysisShown} now */
  showBoard(now) {
    const side = now.view ?? 0;
    this.shell.board.show(now.game, side, { ...now, setup: [] }, this.chosen, this.shell.holds && now.stage !== 'edit', this.card());
    const isDrawn = (/** @type {string} */ name) => now.stage === 'analyse' && !this.hidden.has(name);
    const lines = this.lines?.node === now.node && isDrawn('engine') ? this.lines : null;
    this.arrows.show(this.shell.board, lines, this.card()?.pieces[0].length === 1, isDrawn('drawn') ? now.marks : []);
  }

  /** @param {AnalysisShown} now */
  showStudy(now) {
    const lines = this.lines?.node === now.node ? this.lines : null;
    const known = this.tree.chance(now.node);
    const chance = lines ? lines.chance : known;
    const first = this.sideName(0);
    const bar = get('chance');
    bar.hidden = chance === null;
    get('chance-first').style.width = `${100 * (chance ?? 0.5)}%`;
    bar.setAttribute('aria-label', text('chanceOf', { side: first, chance: percent(chance ?? 0.5) }));
    write('chance-text', chance === null ? '' : text('chanceOf', { side: first, chance: percent(chance) }));
    write('depth', lines ? text('depth', { depth: lines.depth, speed: speedText(lines) }) : '');
    this.list.show(lines, now, this.card());
    this.tree.show(now.node);
    this.graph.show(this.tree, now.node, lines);
    this.showBook(now);
    this.showSelects(now);
    const comment = /** @type {HTMLInputElement} */ (get('comment'));
    if (document.activeElement !== comment) comment.value = now.comment;
    const fen = /** @type {HTMLInputElement} */ (get('fen'));
    if (document.activeElement !== fen) fen.value = now.fen;
    get('add').hidden = !this.shell.holds || Boolean(now.game_end);
  }

  /** @param {AnalysisShown} now */
  showSelects(now) {
    const multi = /** @type {HTMLSelectElement} */ (get('multi'));
    const counts = [0, ...Array(MAX_LINES).keys()].map((_, n) => n);
    choices(multi, counts.map((n) => [String(n), n ? text('linesOf', { n }) : text('engineOff')]), String(now.lines));
    choices(get('format'), [['', text('saveAs')], ...now.formats.map((name) => [name, name])], '');
    get('gamelist').hidden = !now.games.length;
    choices(get('gamelist'), now.games.map((line, n) => [String(n), line]), null);
    write('notes', now.notes.join(' · '));
  }

  /** @param {AnalysisShown} now */
  showBook(now) {
    const book = get('book');
    const line = JSON.stringify([now.book, now.rules, now.known, spoken()]);
    book.hidden = !now.book.length && !now.rules.length && !now.known.length;
    if (book.dataset.line === line) return;
    book.dataset.line = line;
    const rows = now.book.map((known) => {
      const row = button('', () => this.add(known.move.word));
      row.replaceChildren(element('b', '', moveText(known.move, false)), element('span', '', text('gamesPlayed', { n: known.games })), element('span', '', percent(known.score)));
      return row;
    });
    const rules = now.rules.map(({ moves, share, asked, counts_positions, intents }) =>
      ruleText(spoken(), { moves: moves.map((move) => moveText(move, false)), share: percent(share), asked, isOfPositions: counts_positions, intents }));
    get('bookmoves').replaceChildren(...rows, ...[...rules, ...now.known].map((words) => element('p', '', words)));
  }

  showActions() {
    const { shell, shown: now } = this;
    const first = [];
    const more = [];
    const card = this.card();
    const editing = now?.stage === 'edit' && card && shell.holds ? this.editor.buttons(card) : null;
    if (!shell.isOpen) {
      // nothing can be asked for
    } else if (!shell.holds) {
      first.push(button('takeBoard', () => shell.ask({ do: 'take board' }), true));
    } else if (!now) {
      // it is not known yet what is shown
    } else if (now.stage === 'edit') {
      first.push(...(editing?.board ?? []));
    } else if (now.stage === 'analyse') {
      first.push(...this.stepButtons(now));
      first.push(...(now.is_trial ? ['drop', 'keep'] : ['begin']).map((step) => button(`trial_${step}`, () => shell.ask({ do: 'trial', step }))));
      if (now.needs_setup) first.push(button('engineSets', () => shell.ask({ do: 'set-ups' }), true));
      more.push(...this.studyButtons(now));
    }
    fill('analysis-first', first);
    fill('analysis-more', more);
    fill('throws', now?.stage === 'analyse' && now.has_throw && shell.holds ? this.throwButtons(now) : editing?.throws ?? []);
    fill('pieces', editing?.pieces ?? []);
  }

  /** @param {AnalysisShown} now */
  stepButtons(now) {
    const steps = /** @type {[string, string, number][]} */ ([['|◀', 'toStart', 0], ['◀', 'back', this.tree.before(now.node)], ['▶', 'forth', this.tree.after(now.node)], ['▶|', 'toEnd', this.tree.end(now.node)]]);
    return steps.map(([sign, key, node]) => {
      const made = button(key, () => this.go(node), false, node === now.node, sign);
      made.setAttribute('aria-label', text(key));
      made.title = text(key);
      return made;
    });
  }

  /** @param {AnalysisShown} now */
  throwButtons(now) {
    return [1, 2, 3, 4, 5, 6, 0].map((n) =>
      toggle(`throw${n}`, now.throw === n, () => this.shell.ask({ do: 'dice', throw: n }), n ? String(n) : text('anyThrow')));
  }

  /** @param {AnalysisShown} now */
  studyButtons(now) {
    const { shell } = this;
    const made = [button('open', () => this.dialog.open(false))];
    const key = now.judging ? 'judgeStop' : 'judge';
    made.push(button(key, () => shell.ask({ do: 'judge' }), false, false, text(key, { n: now.judging })));
    made.push(button('promote', () => shell.ask({ do: 'promote', node: now.node }), false, this.tree.isMain(now.node)));
    made.push(button('remove', () => shell.ask({ do: 'remove', node: now.node }), false, !now.node));
    if (now.can_restore) made.push(button('restore', () => shell.ask({ do: 'restore' })));
    for (const [name, isOn] of Object.entries(now.layers)) made.push(toggle(name, isOn, () => shell.ask({ do: 'layer', name, is_shown: !isOn })));
    if (now.has_views) {
      const views = /** @type {[string, number | null][]} */ ([[text('viewAll'), null], [this.sideName(0), 0], [this.sideName(1), 1]]);
      for (const [words, side] of views) made.push(toggle(`view${side}`, now.view === side, () => shell.ask({ do: 'view', side }), words));
    }
    made.push(button('edit', () => shell.ask({ do: 'edit' })));
    if (now.marks.length) made.push(button('unmark', () => this.mark(now, [])));
    made.push(button('flip', () => shell.flip()));
    return made;
  }
}

/** @param {LinesShown} lines */
function speedText(lines) {
  const speed = (1000 * lines.nodes) / Math.max(lines.elapsed_ms, 1);
  return speed >= 1e6 ? `${(speed / 1e6).toFixed(1)} M` : speed >= 1e3 ? `${Math.round(speed / 1e3)} k` : String(Math.round(speed));
}

/**
 * Fill a select, unless it shows the same.
 * @param {HTMLSelectElement} select
 * @param {string[][]} options
 * @param {string | null} chosen null: leave it to the person
 */
function choices(select, options, chosen) {
  const line = JSON.stringify(options);
  if (select.dataset.line !== line) {
    select.dataset.line = line;
    select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
  }
  if (chosen !== null && document.activeElement !== select) select.value = chosen;
}
