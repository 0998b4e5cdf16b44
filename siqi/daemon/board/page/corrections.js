// The contest under the clocks: its score and games, all corrections by hand, and their log.

import { clockText } from './clocks.js';
import { askFor, clockMs } from './form.js';
import { button, element, fill, get, write } from './parts.js';
import { spoken, text } from './texts.js';

/** @typedef {import('./types.js').Table} Table */
/** @typedef {import('./types.js').GameCard} GameCard */
/** @typedef {import('./types.js').Shell} Shell */
/** @typedef {import('./form.js').Field} Field */

const MINUTES = /** @type {{[game: string]: number}} */ ({ xiangqi: 45, connect6: 15, ewn: 4, junqi: 30 });

export class Corrections {
  /**
   * @param {Shell} shell
   * @param {() => Table | null} table
   */
  constructor(shell, table) {
    this.shell = shell;
    this.table = table;
    /** @type {object | null} */
    this.pending = null; // the contest that begins when the checks are good
  }

  /** @param {GameCard | undefined} card */
  show(card) {
    const shown = this.table();
    const contest = shown?.contest;
    const can = this.shell.holds && this.shell.isOpen;
    get('c-rest').hidden = !contest;
    if (!shown || !contest) return;
    const [ours, theirs] = contest.points;
    write('c-score', `${contest.teams[0]} ${ours} : ${theirs} ${contest.teams[1]}`);
    write('c-about', [card?.names[spoken()][0], text('gameOf', { n: contest.current + 1, games: contest.games }), contest.is_decided ? text('decided') : text('nextFirst', { team: contest.teams[contest.next_first] }), contest.event, contest.site].filter(Boolean).join(' · '));
    write('c-record', shown.record ? text('record', { name: shown.record }) : '');
    const isOver = shown.stage === 'over';
    fill('c-actions', !can ? [] : [
      button('pause', () => this.shell.ask({ do: 'pause' }), false, shown.stage !== 'play'),
      button('undo', () => this.back(shown.moves.length - 1), false, !shown.moves.length),
      button('endGame', () => this.end(), false, isOver || shown.stage === 'loading'),
    ]);
    fill('c-more', !can ? [] : [
      button('enterMoves', () => this.enter(), false, isOver),
      button('setClocks', () => this.clocks()),
      button('setScore', () => this.score()),
      button('setFirst', () => this.first()),
      button('setPlayers', () => this.players()),
      button('options', () => this.options()),
      button('newContest', () => this.begin()),
      ...(shown.record ? [this.download()] : []),
      ...(isOver ? [button('review', () => this.shell.ask({ do: 'review' }))] : []),
    ]);
    this.showGames(shown);
    get('c-log').replaceChildren(...shown.corrections.map((correction) =>
      element('li', '', `${correction.at.slice(11)} ${text('gameNumber', { n: correction.game })}: ${text(`log_${correction.what}`)} ${this.detail(correction)} ${correction.note}`)));
    get('c-log-title').hidden = !shown.corrections.length;
  }

  setups() {
    const game = this.table()?.contest?.game;
    return this.shell.cards.find((card) => card.game === game)?.has_setup ? 2 : 0;
  }

  /**
   * Return in words after which move of a game a position comes.
   * @param {number} ply its number of moves, set-ups included
   * @param {number} first the team that moves first
   */
  place(ply, first) {
    if (!ply) return text('atStart');
    const team = this.table()?.contest?.teams[first ^ ((ply - 1) % 2)] ?? '';
    const n = Math.ceil((ply - this.setups()) / 2);
    return n > 0 ? text('afterMove', { n, team }) : text('afterSetUp', { team });
  }

  /** @param {import('./types.js').Correction} correction */
  detail({ what, detail, game }) {
    const teams = this.table()?.contest?.teams;
    if (what === 'back') return this.place(Number(detail), this.table()?.contest?.played[game - 1]?.first ?? 0);
    if (what === 'entered') return String(Math.max(Number(detail) - this.setups(), 0));
    if (what === 'first') return teams?.[Number(detail)] ?? detail;
    if (what === 'players') return detail.split(' ').map((player, team) => `${teams?.[team]}: ${text(player === '1' ? 'byEngine' : 'byHand')}`).join(text('comma'));
    return detail;
  }

  /** @param {Table} shown */
  showGames(shown) {
    const contest = shown.contest;
    if (!contest) return;
    fill('c-games', contest.played.map((game, i) => {
      const result = !game.end ? '…' : game.end === 'adjourned' ? text('adjourned') : game.winner === null ? '½' : contest.teams[game.winner];
      const made = button(`game ${i}`, () => this.open(i), false, i === contest.current || !this.shell.holds, `${i + 1}: ${result}`);
      made.setAttribute('aria-pressed', String(i === contest.current));
      return made;
    }));
  }

  download() {
    const link = element('a', 'plain', text('saveRecord'));
    Object.assign(link, { href: '/record', download: '' });
    link.dataset.act = 'record';
    return link;
  }

  /** Return the buttons before a contest. */
  beginning() {
    const shown = this.table();
    if (!shown?.checks.length) return [button('newContest', () => this.begin(), true)];
    const isReady = shown.checks.every((check) => check.is_good);
    const { pending } = this;
    const go = button('beginContest', () => { if (pending) this.shell.ask(pending); else this.begin(); }, isReady, shown.checks[0].is_good !== true);
    return [go, button('change', () => this.begin()), button('cancel', () => this.shell.ask({ do: 'leave check' }))];
  }

  begin() {
    const last = this.table()?.contest;
    const cards = this.shell.cards;
    const game = last?.game ?? this.shell.defaultGame;
    const isEwn = (/** @type {string} */ name) => Boolean(cards.find((card) => card.game === name)?.has_dice);
    /** @type {Field[]} */
    const fields = [
      { name: 'game', label: text('game'), kind: 'choice', value: game, options: cards.map((card) => [card.game, card.names[spoken()][0]]) },
      { name: 'ours', label: text('ourTeam'), kind: 'text', value: last?.teams[0] ?? '' },
      { name: 'theirs', label: text('theirTeam'), kind: 'text', value: '' },
      { name: 'first', label: text('firstInOne'), kind: 'choice', value: '0', options: [['0', text('ourTeam')], ['1', text('theirTeam')]] },
      { name: 'games', label: text('games'), kind: 'number', value: String(last?.games ?? (isEwn(game) ? 7 : 2)) },
      { name: 'minutes', label: text('minutesASide'), kind: 'number', value: String(last ? last.clock_ms / 60000 : MINUTES[game] ?? 30) },
      { name: 'event', label: text('event'), kind: 'text', value: last?.event ?? '' },
      { name: 'site', label: text('site'), kind: 'text', value: last?.site ?? '' },
      this.player('engine0', text('ourPlayer'), true),
      this.player('engine1', text('theirPlayer'), false),
      ...this.optionFields({ ends_on_time: last?.ends_on_time ?? false, ponders: last?.ponders ?? false, hides: last?.hides ?? false }),
    ];
    askFor(text('newContest'), fields, (values) => {
      this.pending = {
        do: 'begin', game: values.game, teams: [values.ours || text('ourTeam'), values.theirs || text('theirTeam')],
        games: Math.max(Math.round(Number(values.games)) || 1, 1), first: Number(values.first),
        clock_ms: Math.max(Math.round(60000 * Number(values.minutes)) || 0, 1000), event: values.event, site: values.site,
        engine: [Boolean(Number(values.engine0)), Boolean(Number(values.engine1))], ...this.optionValues(values),
      };
      this.shell.ask({ do: 'check', game: values.game });
    }, {
      act: text('check'),
      changed: (name, set) => {
        if (name !== 'game') return;
        /** @type {HTMLSelectElement} */
        const select = get('form-game');
        set('minutes', String(MINUTES[select.value] ?? 30));
        set('games', isEwn(select.value) ? '7' : '2');
      },
    });
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {boolean} isEngine
   * @returns {Field}
   */
  player(name, label, isEngine) {
    return { name, label, kind: 'choice', value: isEngine ? '1' : '0', options: [['1', text('byEngine')], ['0', text('byHand')]] };
  }

  /**
   * @param {{ends_on_time: boolean, ponders: boolean, hides: boolean}} now
   * @returns {Field[]}
   */
  optionFields(now) {
    return [
      { name: 'ends_on_time', label: text('endsOnTime'), kind: 'check', value: now.ends_on_time ? '1' : '' },
      { name: 'ponders', label: text('ponders'), kind: 'check', value: now.ponders ? '1' : '' },
      { name: 'hides', label: text('hides'), kind: 'check', value: now.hides ? '1' : '' },
    ];
  }

  /** @param {{[name: string]: string}} values */
  optionValues(values) {
    return { ends_on_time: Boolean(values.ends_on_time), ponders: Boolean(values.ponders), hides: Boolean(values.hides) };
  }

  /** @returns {Field} */
  note() {
    return { name: 'note', label: text('note'), kind: 'text', value: '' };
  }

  /**
   * Ask whether to go back to the position after some moves.
   * @param {number} ply
   */
  back(ply) {
    const shown = this.table();
    if (!shown?.contest || !this.shell.holds || ply < 0) return;
    const node = [...shown.line, ...shown.ahead][ply];
    const game = shown.contest.current;
    askFor(text('backTo', { place: this.place(ply, shown.first) }), [this.note()], ({ note }) => this.shell.ask({ do: 'go back', game, node, note }), { act: text('goBack'), about: text('backHow') });
  }

  /** @param {number} game */
  open(game) {
    askFor(text('openGame', { n: game + 1 }), [this.note()], ({ note }) => this.shell.ask({ do: 'go back', game, note }), { act: text('goBack'), about: text('openHow') });
  }

  enter() {
    askFor(text('enterMoves'), [{ name: 'moves', label: text('moves'), kind: 'lines', value: '' }, this.note()], (values) => this.shell.ask({ do: 'enter moves', moves: values.moves, note: values.note }), { about: text('enterMovesHow') });
  }

  end() {
    const contest = this.table()?.contest;
    if (!contest) return;
    const [us, them] = contest.teams;
    /** @type {[string, string][]} */
    const options = [
      ['1 resignation', text('resigns', { team: us })], ['0 resignation', text('resigns', { team: them })],
      ['1 time', text('lostOnTime', { team: us })], ['0 time', text('lostOnTime', { team: them })],
      ['0 referee', text('refereeWin', { team: us })], ['1 referee', text('refereeWin', { team: them })],
      ['- referee', text('refereeDraw')], ['- adjourned', text('adjourn')],
    ];
    askFor(text('endGame'), [{ name: 'how', label: text('how'), kind: 'choice', value: '', options: [['', '…'], ...options] }, this.note()], ({ how, note }) => {
      if (!how) return;
      const [winner, end] = how.split(' ');
      this.shell.ask({ do: 'end', winner: winner === '-' ? null : Number(winner), end, note });
    }, { about: text('endHow') });
  }

  clocks() {
    const shown = this.table();
    if (!shown?.contest || !shown.clocks) return;
    const { contest, clocks, first } = shown;
    const fields = [0, 1].map((team) => /** @type {Field} */ ({ name: `team${team}`, label: contest.teams[team], kind: 'clock', value: clockText(clocks.left[team ^ first]).replace('−', '-') }));
    askFor(text('setClocks'), [...fields, this.note()], (values) => this.shell.ask({ do: 'set clocks', left: [clockMs(values.team0), clockMs(values.team1)], note: values.note }), { about: text('clocksHow') });
  }

  score() {
    const contest = this.table()?.contest;
    if (!contest) return;
    const fields = [0, 1].map((team) => /** @type {Field} */ ({ name: `team${team}`, label: contest.teams[team], kind: 'number', value: String(contest.points[team]) }));
    askFor(text('setScore'), [...fields, this.note()], (values) => this.shell.ask({ do: 'set score', points: [Number(values.team0) || 0, Number(values.team1) || 0], note: values.note }));
  }

  first() {
    const contest = this.table()?.contest;
    if (!contest) return;
    const options = contest.teams.map((team, i) => /** @type {[string, string]} */ ([String(i), team]));
    askFor(text('setFirst'), [{ name: 'first', label: text('firstNext'), kind: 'choice', value: String(contest.next_first), options }], ({ first }) => this.shell.ask({ do: 'set first', first: Number(first) }), { about: text('firstHow') });
  }

  players() {
    const contest = this.table()?.contest;
    if (!contest) return;
    const fields = [0, 1].map((team) => this.player(`engine${team}`, contest.teams[team], contest.engine[team]));
    askFor(text('setPlayers'), fields, (values) => this.shell.ask({ do: 'set players', engine: [Boolean(Number(values.engine0)), Boolean(Number(values.engine1))] }));
  }

  options() {
    const contest = this.table()?.contest;
    if (contest) askFor(text('options'), this.optionFields(contest), (values) => this.shell.ask({ do: 'set options', ...this.optionValues(values) }));
  }
}
