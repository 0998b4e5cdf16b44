// The form for a new game: a part of the page before the first one, afterwards a dialog.

import { element, get } from './parts.js';
import { spoken, text } from './texts.js';

/** @typedef {import('./types.js').GameCard} GameCard */
/** @typedef {import('./types.js').Settings} Settings */

const MINUTES = [0, 1, 3, 4, 5, 10, 15, 30, 45];
const INCREMENTS = [0, 1, 2, 5, 10, 30];
const MOVETIMES = [0.1, 0.5, 1, 3, 10, 30];
const DEFAULT_LEVEL = 5;

/**
 * @param {HTMLSelectElement} select
 * @param {[number, string][]} options
 * @param {number} chosen
 */
function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, label]) => new Option(label, String(value), false, value === chosen)));
}

/**
 * @param {HTMLElement} set
 * @param {string} name
 * @param {[string, string][]} options
 * @param {string} chosen
 */
function radios(set, name, options, chosen) {
  const legend = set.querySelector('legend');
  set.replaceChildren(...(legend ? [legend] : []), ...options.map(([value, label]) => {
    const choice = element('label', 'choice');
    const input = element('input');
    Object.assign(input, { type: 'radio', name, value, checked: value === chosen });
    choice.append(input, label);
    return choice;
  }));
}

export class BeginDialog {
  /** @param {(command: object) => void} send */
  constructor(send) {
    /** @type {HTMLDialogElement} */
    this.dialog = get('begin');
    /** @type {GameCard[]} */
    this.cards = [];
    /** @type {Settings | null} */
    this.last = null;
    this.game = '';
    this.language = '';
    get('games').addEventListener('change', () => this.choose(this.value('game')));
    get('cancel').addEventListener('click', () => this.dialog.close());
    this.dialog.querySelector('form')?.addEventListener('submit', () => send({ do: 'begin', ...this.settings() }));
    get('clock').addEventListener('change', () => this.adapt());
  }

  /** @param {string} name */
  value(name) {
    const checked = this.dialog.querySelector(`input[name=${name}]:checked`);
    return checked instanceof HTMLInputElement ? checked.value : '';
  }

  /** @param {string} id */
  number(id) {
    return Number(/** @type {HTMLSelectElement} */ (get(id)).value);
  }

  /** @param {Settings | null} last the settings of the game before; without one the tabs stay within reach */
  open(last) {
    if (this.dialog.open) return;
    this.last = last;
    get('begin-note').textContent = last ? text('beginNote') : '';
    this.write(last?.game ?? this.game);
    if (last) this.dialog.showModal();
    else this.dialog.show();
    get('start').focus();
  }

  close() {
    this.dialog.close();
  }

  /** Close the form that stands for the first game. */
  leave() {
    if (!this.dialog.matches(':modal')) this.close();
  }

  /** Write an open form anew if the language of the page has changed. */
  translate() {
    if (!this.dialog.open || this.language === spoken()) return;
    this.last = this.settings();
    this.write(this.game);
  }

  /**
   * Write the form in the language of the page.
   * @param {string} game
   */
  write(game) {
    this.language = spoken();
    const last = this.last;
    radios(get('games'), 'game', this.cards.map((card) => [card.game, card.names[spoken()][0]]), game);
    fill(get('clock'), MINUTES.map((n) => [n, n ? text('minutes', { n }) : text('noClock')]), (last?.clock_ms ?? 0) / 60000);
    fill(get('increment'), INCREMENTS.map((n) => [n, n ? text('seconds', { n }) : text('none')]), (last?.increment_ms ?? 0) / 1000);
    fill(get('movetime'), MOVETIMES.map((n) => [n, text('seconds', { n })]), (last?.movetime_ms ?? 1000) / 1000);
    /** @type {HTMLSelectElement} */ (get('thrower')).value = last?.dice ?? 'page';
    /** @type {HTMLInputElement} */ (get('teaches')).checked = last?.teaches ?? false;
    this.choose(game);
  }

  /** @param {string} game */
  choose(game) {
    const card = this.cards.find((card) => card.game === game) ?? this.cards[0];
    this.game = card.game;
    const [, first, second] = card.names[spoken()];
    get('begin-rules').textContent = text(`rules_${card.game}`);
    radios(get('sides'), 'side', [['0', first], ['1', second]], String(this.last?.person ?? 0));
    const levels = card.elo.map((elo, n) => /** @type {[number, string]} */ ([n, text('levelElo', { n, elo })]));
    levels.push([card.elo.length, text('full', { n: card.elo.length })]);
    fill(get('skill'), levels, this.last?.skill ?? DEFAULT_LEVEL);
    for (const part of [get('thrower'), this.dialog.querySelector('label[for=thrower]')]) {
      if (part instanceof HTMLElement) part.hidden = !card.has_dice;
    }
    this.adapt();
  }

  /** Show what the clock leaves to choose. */
  adapt() {
    const hasClock = this.number('clock') > 0;
    for (const [id, isShown] of /** @type {[string, boolean][]} */ ([['increment', hasClock], ['movetime', !hasClock], ['teaches', !hasClock]])) {
      get(id).hidden = !isShown;
      /** @type {HTMLElement} */ (this.dialog.querySelector(`label[for=${id}]`)).hidden = !isShown;
    }
  }

  /** @returns {Settings} */
  settings() {
    return {
      game: this.game, person: Number(this.value('side')), skill: this.number('skill'),
      movetime_ms: 1000 * this.number('movetime'), clock_ms: 60000 * this.number('clock'),
      increment_ms: 1000 * this.number('increment'), dice: /** @type {HTMLSelectElement} */ (get('thrower')).value,
      teaches: /** @type {HTMLInputElement} */ (get('teaches')).checked && !this.number('clock'),
    };
  }
}
