// The words of mined rules, for the page of a review and the board's page.

/** @type {{[language in 'en' | 'zh']: {[key: string]: string}}} */
const RULES = {
  en: {
    games: 'Rule: {share} of {n} games answer {moves}', positions: 'Rule: {share} of {n} positions of this kind answer {moves}',
    intent: '; intent: {intents}', comma: ', ',
  },
  zh: {
    games: '规则：{n} 局中 {share} 应以 {moves}', positions: '规则：{n} 个同类局面中 {share} 应以 {moves}',
    intent: '；意图：{intents}', comma: '，',
  },
};

/** @type {{[intent: string]: string}} */
const INTENTS = {
  capture: '吃子', retake: '反吃', check: '将军', 'attack rook': '攻车', 'attack horse or cannon': '攻马炮', 'attack pawn': '攻兵卒',
  escape: '逃离', develop: '出子', 'cross river': '过河', 'central cannon': '架中炮', 'rook to open file': '车占通路',
};

/**
 * Return a mined rule in words; `asked`: the games, or positions, with all that it asks for, `share`: those with its answer.
 * @param {'en' | 'zh'} language
 * @param {{moves: string[], share: string, asked: number, isOfPositions: boolean, intents: string[]}} rule
 */
export function ruleText(language, { moves, share, asked, isOfPositions, intents }) {
  const words = RULES[language];
  const names = intents.map((name) => (language === 'zh' ? INTENTS[name] : name));
  /** @type {{[name: string]: string}} */
  const values = { moves: moves.join(words.comma), share, n: asked.toLocaleString(language), intents: names.join(words.comma) };
  const text = words[isOfPositions ? 'positions' : 'games'] + (names.length ? words.intent : '');
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
