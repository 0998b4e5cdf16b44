// A move as the operator announces it: in the notation of the official record, and in words.

import { moveText, pieceText, text } from './texts.js';

/** @typedef {import('./types.js').GameCard} GameCard */

/**
 * Return a move in the record's notation.
 * @param {GameCard} card
 * @param {string} word of the protocol
 * @param {{[point: string]: string}} pieces before the move
 */
export function notation(card, word, pieces) {
  const points = pointsOf(word);
  if (!points.length) return word;
  if (card.pieces[0].length === 1) return points.map((point) => point.toUpperCase()).join(' ');
  const [from, to] = points;
  if (card.has_dice) {
    const letter = pieces[from] ?? '';
    const side = card.pieces[1].includes(letter) ? 1 : 0;
    return `(${'RB'[side]}${card.pieces[side].indexOf(letter) + 1},${to.toUpperCase()})`;
  }
  return `${from.toUpperCase()}-${to.toUpperCase()}`;
}

/**
 * Return a move that was played as a line says it: with its throw, in the record's notation, with the referee's answer.
 * @param {GameCard} card
 * @param {import('./types.js').PlayedMove} move
 * @param {{[point: string]: string}} pieces after the move
 */
export function played(card, move, pieces) {
  const [from, to] = pointsOf(move.word);
  const word = notation(card, move.word.split('=')[0], to ? { ...pieces, [from]: pieces[to] } : pieces);
  return moveText({ ...move, word: [word, ...move.word.split('=').slice(1)].join('=') }, false);
}

/**
 * Return the word of a move that was typed as a word or in the record's notation; '' if it is none of the choices.
 * Without choices a turn is made of stones, and the server knows the rules.
 * @param {GameCard} card
 * @param {string} typed
 * @param {import('./types.js').OnBoard} shown
 */
export function wordOf(card, typed, shown) {
  const bare = (/** @type {string} */ line) => line.split('=')[0].toLowerCase().replace(/[^a-z0-9]/g, '');
  if (!shown.choices.length) return bare(typed);
  const words = shown.choices.map((choice) => choice.word);
  const isSame = [(/** @type {string} */ word) => word === typed, (/** @type {string} */ word) => bare(notation(card, word, shown.pieces)) === bare(typed), (/** @type {string} */ word) => bare(word) === bare(typed)];
  return isSame.map((test) => words.find(test)).find(Boolean) ?? '';
}

/**
 * Return a set-up of numbers in words, a point each; '' where its pieces are too many to be announced.
 * @param {GameCard} card
 * @param {string} word
 * @param {string[]} points in the order of the word
 */
export function setUpInWords(card, word, points) {
  return card.has_dice && word ? points.map((point, i) => `${point.toUpperCase()} ${word[i]}`).join(text('comma')) : '';
}

/**
 * Return a move in words; '' where the notation says all.
 * @param {GameCard} card
 * @param {import('./types.js').PlayedMove} move
 * @param {{[point: string]: string}} pieces before the move
 */
export function inWords(card, move, pieces) {
  const points = pointsOf(move.word);
  if (!points.length || card.pieces[0].length === 1) return '';
  const [from, to] = points;
  const piece = pieces[from] ? pieceText(card, pieces[from]) : '';
  const taken = pieces[to] ? text(card.has_hidden ? 'meetsPiece' : 'takesPiece', { piece: pieceText(card, pieces[to]) }) : '';
  return [text('pieceMoves', { piece, from: from.toUpperCase(), to: to.toUpperCase() }), taken].filter(Boolean).join(text('comma'))
    + (move.chinese ? `${text('comma')}${move.chinese}` : '');
}

/**
 * Return the points of a move's word; none for a set-up.
 * @param {string} word
 */
export function pointsOf(word) {
  return /^([a-sA-S]\d+)+([=@].*)?$/.test(word) ? word.replace(/[=@].*/, '').match(/[a-sA-S]\d+/g) ?? [] : [];
}
