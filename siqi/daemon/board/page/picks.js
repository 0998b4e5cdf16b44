// What a pick of a point means: pure functions over a snapshot. The rules stay with the server, which lists the moves.

/** @typedef {import('./types.js').OnBoard} OnBoard */

/**
 * Return the points that can be picked next.
 * @param {OnBoard} shown
 * @param {string[]} chosen the points picked so far
 * @returns {Set<string>}
 */
export function targets(shown, chosen) {
  if (shown.setup.length) return new Set(chosen.length && Object.keys(shown.pieces).length ? shown.setup : []);
  if (!chosen.length) return new Set();
  const fitting = shown.choices.filter((choice) => chosen.every((point, i) => choice.points[i] === point));
  return new Set(fitting.map((choice) => choice.points[chosen.length]).filter(Boolean));
}

/**
 * Return the points that a move can begin with.
 * @param {OnBoard} shown
 * @returns {Set<string>}
 */
export function beginnings(shown) {
  if (shown.setup.length) return new Set(Object.keys(shown.pieces).length ? shown.setup : []);
  return new Set(shown.choices.map((choice) => choice.points[0]));
}

/**
 * Return what follows from a pick: the points that are chosen now, and the command to send, if there is one.
 * @param {OnBoard} shown
 * @param {string[]} chosen
 * @param {string} point
 * @returns {{chosen: string[], command?: object}}
 */
export function pick(shown, chosen, point) {
  if (shown.stones) {
    if (point in shown.pieces) return { chosen };
    if (chosen.includes(point)) return { chosen: chosen.filter((other) => other !== point) };
    const now = [...chosen, point];
    return now.length < shown.stones ? { chosen: now } : { chosen: [], command: { do: 'move', word: now.join('') } };
  }
  if (chosen.length && chosen[0] === point) return { chosen: [] };
  if (targets(shown, chosen).has(point)) {
    if (shown.setup.length) return { chosen: [], command: { do: 'swap', first: chosen[0], second: point } };
    const move = shown.choices.find((choice) => choice.points[0] === chosen[0] && choice.points[1] === point);
    if (move) return { chosen: [], command: { do: 'move', word: move.word } };
  }
  return { chosen: beginnings(shown).has(point) ? [point] : [] };
}
