// The words that the page of a review and the board's page share: why games end, mined rules.

/**
 * Why games end.
 * @type {{[language in 'en' | 'zh']: {[reason: string]: string}}}
 */
export const REASONS = {
  en: {
    checkmate: 'by checkmate', stalemate: 'by stalemate', perpetual: 'by perpetual check or chase', repetition: 'by repetition', 'sixty-moves': 'by sixty moves without a capture',
    'no-attackers': 'no piece can attack', six: 'by six in a row', 'full-board': 'the board is full', corner: 'by reaching the corner', 'captured-all': 'all pieces are taken',
    flag: 'the flag is taken', immobile: 'no move is left', quiet: 'too long without contact', resignation: 'by resignation', time: 'on time',
    'headquarters-taken': 'a headquarters is taken',
  },
  zh: {
    checkmate: '将死', stalemate: '困毙', perpetual: '长将或长捉', repetition: '循环重复', 'sixty-moves': '六十回合无吃子', 'no-attackers': '双方均无进攻子力',
    six: '六子连线', 'full-board': '棋盘已满', corner: '到达角位', 'captured-all': '棋子被吃光', flag: '军旗被夺', immobile: '无棋可走', quiet: '长时间无碰子',
    resignation: '认输', time: '超时', 'headquarters-taken': '大本营被占',
  },
};

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
