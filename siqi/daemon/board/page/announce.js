// A move as the operator announces it: in the notation of the official record, and in words.

import { pieceText, text } from './texts.js';

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
