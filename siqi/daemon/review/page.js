'use strict';
(function () {
  const TEXTS = {
    en: {
      game: 'Game', view: 'View', notation: 'Moves', language: 'Language', board: 'Board', first: 'First position',
      back: 'Back', next: 'Next', last: 'Last position', earlier: 'Mistake before', later: 'Next mistake', flip: 'Turn the board',
      bestMove: 'Best move', threats: 'threats', heat: 'expected stones', beliefs: 'beliefs', move: 'Move', judgement: 'Judgement', graph: 'Expected results', moves: 'Moves of the game',
      summary: 'Summary', start: 'Start', setUp: 'Set-up position', own: 'as in the file', chinese: 'Chinese', wxf: 'WXF', iccs: 'ICCS',
      hint: 'Keys: ← → a move, ↑ ↓ a mistake, Home and End, B the better line, Esc back to the game, F turns the board.',
      toMove: '{side} to move', toMoveThrow: '{side} to move with a {throw}', chance: '{side}’s expected result {chance}', comma: ', ', colon: ': ', and: ', ', file: 'standard input',
      afterThrow: '{side}’s expected result {chance} after the throw', beforeThrow: '{chance} before it',
      grade1: 'Inaccuracy', grade2: 'Mistake', grade3: 'Blunder', lost: '{grade}: loses {lost} of the expected result',
      better: 'Better:', best: 'Best now:', leave: 'Back to the game', inLine: 'Engine’s line, not the game',
      mateFor: '{side} wins in {moves}', depth: 'depth {n}', endWin: 'Tablebase: {side} wins in {moves}',
      oneMove: '1 move', someMoves: '{n} moves',
      endDraw: 'Tablebase: draw', endChance: 'Tablebase: {side}’s exact chance {chance} before the throw',
      over: '{result}: {reason}', ruleOver: 'By the rules the game is over: {result}, {reason}', winFirst: '{first} wins', winSecond: '{second} wins',
      draw: 'Draw', unknown: 'Not known to this side', error: 'Not analysed: {text}', noValue: 'Not analysed',
      countMoves: 'Moves', inaccuracies: 'Inaccuracies', mistakes: 'Mistakes', blunders: 'Blunders',
      meanLost: 'Mean loss of a move', luck: 'Luck', skill: 'Skill', luckNote: 'Luck: sum of the changes by throws. Skill: sum of the changes by moves. Both, the other side’s with the opposite sign, add up to the change of the expected result from {from} to {to}{unknown}.',
      luckUnknown: '; {n} come from moves without a known throw',
      gradeNote: 'Inaccuracy, mistake, blunder: a move that loses {a}, {b}, {c} of the expected result, or more, rounded as shown. The expected result is the chance to win plus half the chance of a draw.',
      unsure: 'The next search takes this back: the verdict is in doubt.',
      shallow: 'Shallow searches (median depth {depth}): much of this may be an error of theirs. Better: {option}.',
      takenBack: 'Verdicts that the next search takes back: {n}. More time per position may settle them: {option}.',
      opening: 'Opening: {name}', inBook: 'In the opening book up to move {n}',
      book: 'Opening book', bookGames: 'Games', bookScore: 'Score of {side}',
      overview: '{n} games', player: 'Player', playedGames: 'Games', score: 'Score', loss: 'Mean loss', noName: '{side}, no name',
      junqiView: 'Each value is that of the side to move, from what this side can know. In a side’s view, a piece that it does not know shows its likeliest type, the bar its probability.', junqiAll: 'The values know all pieces.',
      fen: 'FEN', copy: 'Copy', copied: 'Copied', save: 'Save the PGN with these verdicts',
      all: 'Referee', viewOf: 'As {side} sees it', setups: 'Set-ups: {words}',
      wins: 'the attacker wins', dies: 'the attacker falls', both: 'both fall', graphTitle: '{side}’s expected result by move, %', graphLabel: '{side}’s expected result by move; now {chance}'
    },
    zh: {
      game: '对局', view: '视角', notation: '着法', language: '语言', board: '棋盘', first: '初始局面',
      back: '后退', next: '前进', last: '最后局面', earlier: '上一处失误', later: '下一处失误', flip: '翻转棋盘',
      bestMove: '最佳着法', threats: '威胁', heat: '预期落点', beliefs: '推测', move: '着法', judgement: '评判', graph: '期望得分', moves: '对局着法',
      summary: '总结', start: '开局', setUp: '初始局面', own: '同文件', chinese: '中文', wxf: 'WXF', iccs: 'ICCS',
      hint: '快捷键：← → 逐着，↑ ↓ 失误，Home 与 End 首尾，B 走更好的变化，Esc 回到对局，F 翻转棋盘。',
      toMove: '轮到{side}走', toMoveThrow: '{side}掷出 {throw}，轮到{side}走', chance: '{side}期望得分 {chance}', comma: '，', colon: '：', and: '、', file: '标准输入',
      afterThrow: '掷骰后{side}期望得分 {chance}', beforeThrow: '掷骰前 {chance}',
      grade1: '缓着', grade2: '失误', grade3: '败着', lost: '{grade}：期望得分损失 {lost}',
      better: '更好：', best: '此时最佳：', leave: '回到对局', inLine: '引擎的变化，不是对局',
      mateFor: '{side} {moves}内必胜', depth: '深度 {n}', endWin: '残局库：{side} {moves}内胜',
      oneMove: '1 回合', someMoves: '{n} 回合',
      endDraw: '残局库：和棋', endChance: '残局库：掷骰前{side}胜率恰为 {chance}',
      over: '{result}：{reason}', ruleOver: '按规则对局已结束：{result}，{reason}', winFirst: '{first}胜', winSecond: '{second}胜',
      draw: '和棋', unknown: '该方无从得知', error: '未分析：{text}', noValue: '未分析',
      countMoves: '着数', inaccuracies: '缓着', mistakes: '失误', blunders: '败着',
      meanLost: '平均每步损失', luck: '运气', skill: '技术', luckNote: '运气：掷骰引起的期望得分变化之和。技术：走子引起的变化之和。两者相加（对方取相反数）等于期望得分从 {from} 到 {to} 的变化{unknown}。',
      luckUnknown: '；其中 {n} 来自点数不明的着法',
      gradeNote: '缓着、失误、败着：期望得分损失不少于 {a}、{b}、{c} 的着法，以所示的取整值为准。期望得分等于胜率加上和棋概率的一半。',
      unsure: '下一次搜索推翻了这一评判，仅供参考。',
      shallow: '搜索较浅（深度中位数 {depth}），评判可能有误。延长时间可更准确：{option}。',
      takenBack: '有 {n} 处评判被下一次搜索推翻。延长每个局面的时间可更准确：{option}。',
      opening: '开局：{name}', inBook: '至第 {n} 回合仍在开局库中',
      book: '开局库', bookGames: '局数', bookScore: '{side}得分率',
      overview: '共 {n} 局', player: '棋手', playedGames: '对局', score: '得分', loss: '平均损失', noName: '{side}（未署名）',
      junqiView: '各数值属于走子方，只依据该方所知。在一方所见中，未知棋子显示最可能的兵种，横条为其概率。', junqiAll: '数值知道所有棋子。',
      fen: 'FEN', copy: '复制', copied: '已复制', save: '保存带评判的 PGN',
      all: '裁判', viewOf: '{side}所见', setups: '布阵：{words}',
      wins: '攻方胜', dies: '攻方阵亡', both: '同归于尽', graphTitle: '{side}逐着期望得分（%）', graphLabel: '{side}逐着期望得分；现在 {chance}'
    }
  };
  const SIGNS = ['', '?!', '?', '??'];

  const data = JSON.parse(document.getElementById('data').textContent);
  const at = {game: 0, ply: 0, view: 0, notation: 0, flipped: false, line: null, language: 'en'};
  const decoded = new Map();
  const byId = (id) => document.getElementById(id);

  // Words

  function say(key, parts) {
    return TEXTS[at.language][key].replace(/\{(\w+)\}/g, (whole, name) => (parts && name in parts ? parts[name] : whole));
  }
  const game = () => data.games[at.game];
  const about = () => data.names[game().game];
  const nameOfGame = (name) => data.names[name][at.language][0];
  const sidesOf = (name) => data.names[name][at.language].slice(1);
  const side = (number) => sidesOf(game().game)[number];
  const counted = (moves) => say(moves === 1 ? 'oneMove' : 'someMoves', {n: moves});
  const percent = (chance) => (100 * chance).toFixed(chance > 0 && chance < 0.1 ? 1 : 0) + '\u00a0%';
  const signed = (change) => (change < 0 ? '−' : '+') + (100 * Math.abs(change)).toFixed(1) + '\u00a0%';
  const startText = () => say(game().setUp ? 'setUp' : 'start');
  const turnAt = (ply) => (game().turn + ply) % 2;
  const mover = (ply) => side(turnAt(ply));

  function word(number) {
    const texts = data.words[number];
    const text = texts[Math.min(at.notation, texts.length - 1)];
    if (!about().hidden) return text;
    const end = text.indexOf('=');
    return end < 0 ? text : text.slice(0, end) + {0: '†', 1: '×', 2: '=', 3: ''}[text[end + 1]] + (text.split('@')[1] ? ' ⚑' : '');
  }

  function isChinese() {
    const names = [game().own, ...(data.notations[game().game] || [])];
    return names[at.notation] === 'chinese';
  }

  function battle(number) {
    const code = about().hidden ? data.words[number][0].split('=')[1] : undefined;
    const key = code === undefined ? undefined : {0: 'dies', 1: 'wins', 2: 'both'}[code[0]];
    return key ? ' (' + say(key) + ')' : '';
  }

  function moveText(ply) {
    const entry = game().plies[ply];
    return (entry.t ? '(' + entry.t + ') ' : '') + word(entry.w);
  }

  const moveNumber = (ply) => Math.floor((ply + game().turn + 1) / 2);

  function numbered(ply) {
    return moveNumber(ply) + (turnAt(ply - 1) ? '… ' : '. ') + moveText(ply);
  }

  function chanceText(value, turn) {
    return say('chance', {side: side(turn), chance: percent(turn ? 1 - value : value)});
  }

  const isOver = (entry) => Boolean(entry.o) && entry.o[0] !== 'unknown';

  function outcomeText(ply) {
    const [winner, reason] = game().plies[ply].o;
    const names = {first: side(0), second: side(1)};
    const result = {first: say('winFirst', names), second: say('winSecond', names), draw: say('draw'), unknown: say('unknown')}[winner];
    const why = REASONS[at.language][reason] || reason;
    return say(ply === game().plies.length - 1 ? 'over' : 'ruleOver', {result: result, reason: why});
  }

  // Frames

  function changed(old, changes) {
    const frame = [];
    let done = 0;
    for (let i = 0; i < changes.length; i += 3 + changes[i + 2]) {
      frame.push(...old.slice(done, changes[i]), ...changes.slice(i + 3, i + 3 + changes[i + 2]));
      done = changes[i] + changes[i + 1];
    }
    return frame.concat(old.slice(done));
  }

  function frames(view) {
    const key = at.game + ' ' + view;
    if (!decoded.has(key)) {
      const decodedFrames = [];
      let frame = [];
      for (const ply of game().plies) decodedFrames.push((frame = changed(frame, ply.f[view])));
      decoded.set(key, decodedFrames);
    }
    return decoded.get(key);
  }

  function currentFrame() {
    const view = at.view;
    if (at.line === null) return frames(view)[at.ply];
    let frame = frames(view)[at.line.ply];
    for (let i = 0; i <= at.line.step; i++) frame = changed(frame, game().plies[at.line.ply].b.f[view][i]);
    return frame;
  }

  // Elements. Texts of games are only ever set as text.

  function make(tag, values, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(values || {})) {
      if (name === 'text') element.textContent = value;
      else if (name === 'click') element.addEventListener('click', value);
      else if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function shape(tag, values, text) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function choices(select, texts, chosen) {
    select.replaceChildren(...texts.map((text, i) => make('option', {value: i, text: text})));
    select.value = chosen;
  }

  // The parts of the page

  function showBoard() {
    const board = data.boards[game().game], kind = isChinese() && board.numerals ? 'numerals' : 'backgrounds';
    for (const box of document.querySelectorAll('.picture')) {
      const isShown = box.dataset.game === game().game;
      box.hidden = !isShown;
      if (!isShown) continue;
      const svg = box.querySelector('svg'), way = at.flipped ? 1 : 0;
      if (box.dataset.drawn !== kind + way) {
        const [background, viewBox] = board[kind][way];
        svg.querySelectorAll(':scope > title, :scope > desc').forEach((text) => text.remove());
        svg.querySelector('.siqi-background').innerHTML = background; // shapes of our own, as below
        svg.setAttribute('viewBox', viewBox);
        box.dataset.drawn = kind + way;
      }
      svg.querySelector('.siqi-foreground').innerHTML = currentFrame().map((number) => board.shapes[way][number]).join('');
      svg.setAttribute('aria-label', nameOfGame(game().game) + ', ' + positionText());
    }
  }

  function positionText() {
    if (at.line !== null) {
      const step = at.line.step;
      return say('inLine') + ': ' + word(game().plies[at.line.ply].b.w[step]);
    }
    const entry = game().plies[at.ply], last = at.ply === game().plies.length - 1;
    const parts = [at.ply ? numbered(at.ply) + battle(entry.w) : startText()];
    if (entry.k) parts.push(say('grade' + entry.k));
    if (entry.o) parts.push(outcomeText(at.ply));
    if (!(entry.o && last)) {
      const thrown = last ? 0 : game().plies[at.ply + 1].t;
      parts.push(say(thrown ? 'toMoveThrow' : 'toMove', {side: mover(at.ply), throw: thrown}));
    }
    if (entry.v !== undefined && !isOver(entry)) parts.push(chanceText(entry.v, 0));
    return parts.join(' · ');
  }

  function ruleOf(ply) {
    const [share, asked, isOfPositions, intents] = game().plies[ply].r;
    const rule = {moves: [word(game().plies[ply].w)], share: percent(share), asked, isOfPositions, intents};
    return make('p', {class: 'rule', text: ruleText(at.language, rule)});
  }

  function lineOf(ply, key) {
    const best = game().plies[ply].b;
    if (!best) return null;
    const buttons = best.w.map((number, step) =>
      make('button', {
        type: 'button', text: word(number), click: () => enterLine(ply, step),
        'aria-current': at.line !== null && at.line.ply === ply && at.line.step === step ? 'true' : null
      }));
    return make('div', {class: 'line'}, make('strong', {text: say(key)}), ...buttons);
  }

  function bookOf(ply) {
    const heads = [say('book'), say('bookGames'), say('bookScore', {side: mover(ply)})];
    const next = game().plies[ply + 1];
    const rows = game().plies[ply].s.map(([number, games, score]) =>
      make('tr', {class: next && next.w === number ? 'played' : null}, make('th', {scope: 'row', text: word(number)}),
        make('td', {text: games.toLocaleString(at.language)}), make('td', {text: (100 * score).toFixed(0) + '\u00a0%'})));
    return make('table', {class: 'book'}, make('thead', {}, make('tr', {}, ...heads.map((text) => make('th', {scope: 'col', text: text})))),
      make('tbody', {}, ...rows));
  }

  function showJudgement() {
    const ply = at.line === null ? at.ply : at.home, entry = game().plies[ply], parts = [];
    const heading = make('h2', {text: ply ? numbered(ply) : startText()});
    if (entry.k) heading.append(' ', make('span', {class: 'grade' + entry.k, text: SIGNS[entry.k]}));
    parts.push(heading);
    if (at.line !== null) {
      parts.push(make('p', {}, make('span', {class: 'faint', text: say('inLine') + ' '}),
        make('button', {type: 'button', class: 'back', text: say('leave'), click: leaveLine})));
    }
    if (entry.k) parts.push(make('p', {class: 'grade' + entry.k, text: say('lost', {grade: say('grade' + entry.k), lost: percent(entry.l)})}));
    if (entry.u) parts.push(make('p', {class: 'doubt', text: say('unsure')}));
    if (entry.k) parts.push(lineOf(ply - 1, 'better'));
    if (entry.r) parts.push(ruleOf(ply));
    if (entry.c) parts.push(make('p', {class: 'comment', text: entry.c}));
    if (entry.o) parts.push(make('p', {text: outcomeText(ply)}));
    const turn = turnAt(ply);
    if (entry.e) {
      const [result, more] = entry.e;
      const text = result === 'draw' ? say('endDraw')
        : result === 'chance' ? say('endChance', {side: side(turn), chance: (100 * more).toFixed(2) + '\u00a0%'})
          : say('endWin', {side: side(result === 'win' ? turn : 1 - turn), moves: counted(Math.ceil(more / 2))});
      parts.push(make('p', {text: text}));
    }
    if (entry.x) parts.push(make('p', {text: say('error', {text: entry.x})}));
    else if (entry.v === undefined) parts.push(make('p', {text: say('noValue')}));
    else if (entry.d) {
      const value = entry.a === undefined ? entry.v : entry.a;
      const thrown = entry.a !== undefined && entry.a !== entry.v;
      const text = thrown ? say('afterThrow', {side: side(turn), chance: percent(turn ? 1 - value : value)}) +
        say('comma') + say('beforeThrow', {chance: percent(turn ? 1 - entry.v : entry.v)}) : chanceText(value, turn);
      const more = [text];
      if (entry.m) more.push(say('mateFor', {side: side(entry.m > 0 ? turn : 1 - turn), moves: counted(Math.abs(entry.m))}));
      more.push(say('depth', {n: entry.d}));
      parts.push(make('p', {class: 'faint', text: more.join(' · ')}));
    }
    parts.push(lineOf(ply, 'best'));
    if (entry.s) parts.push(bookOf(ply));
    byId('judgement').replaceChildren(...parts.filter((part) => part !== null));
  }

  function showMoves() {
    const box = byId('moves'), plies = game().plies;
    const cells = [make('button', {type: 'button', class: 'start', text: startText(), 'data-ply': 0})];
    if (plies[0].c) cells[0].classList.add('note');
    for (let ply = 1; ply < plies.length; ply++) {
      const isSecond = turnAt(ply - 1) === 1;
      if (!isSecond || ply === 1) {
        cells.push(make('span', {class: 'number', text: moveNumber(ply) + '.'}));
        if (isSecond) cells.push(make('span', {text: '…'}));
      }
      const entry = plies[ply];
      const button = make('button', {type: 'button', 'data-ply': ply}, moveText(ply));
      if (entry.k) button.append(' ', make('span', {class: 'grade grade' + entry.k, text: SIGNS[entry.k], title: say('grade' + entry.k)}));
      if (entry.c) button.classList.add('note');
      cells.push(button);
    }
    box.replaceChildren(...cells);
  }

  function markMove() {
    const box = byId('moves');
    for (const button of box.querySelectorAll('[aria-current]')) button.removeAttribute('aria-current');
    const button = box.querySelector('[data-ply="' + at.ply + '"]');
    if (!button) return;
    button.setAttribute('aria-current', 'true');
    const above = button.offsetTop, below = above + button.offsetHeight;
    if (above < box.scrollTop + 30 || below > box.scrollTop + box.clientHeight - 30) box.scrollTop = above - box.clientHeight / 2;
  }

  function points() {
    const curve = [];
    game().plies.forEach((entry, ply) => {
      if (entry.v !== undefined) curve.push([ply, entry.v]);
      if (entry.a !== undefined && entry.a !== entry.v) curve.push([ply + 0.4, entry.a]);
    });
    return curve;
  }

  const LEFT = 34, RIGHT = 8, TOP = 8, BOTTOM = 8;

  function showGraph() {
    const svg = byId('graph'), width = Math.max(svg.clientWidth, 120), height = Math.max(svg.clientHeight, 80);
    const last = Math.max(game().plies.length - 1, 1);
    const x = (ply) => LEFT + (width - LEFT - RIGHT) * Math.min(ply, last) / last;
    const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - value);
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    const parts = [shape('rect', {class: 'above', x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM})];
    const curve = points().map(([ply, value]) => x(ply).toFixed(1) + ',' + y(value).toFixed(1));
    if (curve.length) {
      const from = curve[0].split(',')[0], to = curve[curve.length - 1].split(',')[0];
      parts.push(shape('polygon', {class: 'area', points: [from + ',' + y(0), ...curve, to + ',' + y(0)].join(' ')}));
      parts.push(shape('polyline', {class: 'curve', points: curve.join(' ')}));
    }
    parts.push(shape('line', {class: 'half', x1: LEFT, x2: width - RIGHT, y1: y(0.5), y2: y(0.5)}));
    for (const [value, text] of [[1, '100'], [0.5, '50'], [0, '0']]) {
      parts.push(shape('text', {x: LEFT - 5, y: y(value) + 4, 'text-anchor': 'end'}, text));
    }
    game().plies.forEach((entry, ply) => {
      if (entry.k && entry.v !== undefined) parts.push(shape('circle', {class: 'dot' + entry.k, cx: x(ply), cy: y(entry.v), r: 3.5}));
    });
    parts.push(shape('line', {class: 'here', x1: x(at.ply), x2: x(at.ply), y1: TOP, y2: height - BOTTOM}));
    svg.replaceChildren(...parts);
    byId('graph-title').textContent = say('graphTitle', {side: side(0)});
    const value = game().plies[at.ply].v;
    svg.setAttribute('aria-label', say('graphLabel', {side: side(0), chance: value === undefined ? say('noValue') : percent(value)}));
  }

  function showSummary() {
    const hasDice = about().dice, first = game().sums[0];
    const rows = [
      ['countMoves', (sum) => sum.moves], ['inaccuracies', (sum) => sum.grades[0]], ['mistakes', (sum) => sum.grades[1]],
      ['blunders', (sum) => sum.grades[2]], ['meanLost', (sum) => percent(sum.lost)]
    ].concat(hasDice ? [['luck', (sum) => signed(sum.luck)], ['skill', (sum) => signed(sum.skill)]] : []);
    const heads = [0, 1].map((number) => {
      const name = game()[number ? 'second' : 'first'];
      return make('th', {scope: 'col', text: side(number) + (name ? ' (' + name + ')' : '')});
    });
    const opening = game().opening, inBook = game().plies.filter((entry) => entry.s).length - 1; // the last ply that is
    const notes = [];
    if (opening) notes.push(say('opening', {name: opening[at.language]}));
    if (inBook > 0) notes.push(say('inBook', {n: moveNumber(inBook)}));
    const parts = notes.length ? [make('p', {class: 'opening', text: notes.join(' · ')})] : [];
    const doubt = game().doubt;
    if (doubt) {
      const [before, after] = say(doubt.depth ? 'shallow' : 'takenBack', {depth: doubt.depth, n: doubt.unsure, option: '\0'}).split('\0');
      parts.push(make('p', {class: 'doubt', text: before}, make('code', {text: '--movetime ' + doubt.movetime}), after));
    }
    parts.push(make('table', {}, make('thead', {}, make('tr', {}, make('td'), ...heads)), make('tbody', {}, ...rows.map(([key, count]) =>
      make('tr', {}, make('th', {scope: 'row', text: say(key)}), ...game().sums.map((sum) => make('td', {text: count(sum)})))))));
    const known = game().plies.filter((entry) => entry.v !== undefined);
    if (hasDice && known.length) {
      const unknown = first.unknown - game().sums[1].unknown;
      parts.push(make('p', {text: say('luckNote', {from: percent(known[0].v), to: percent(known[known.length - 1].v),
        unknown: unknown ? say('luckUnknown', {n: signed(unknown)}) : ''})}));
    }
    if (game().seen) parts.push(make('p', {text: say(game().seen === 'view' ? 'junqiView' : 'junqiAll')}));
    const [a, b, c] = data.grades.map((least) => (100 * least).toFixed(0) + '\u00a0%');
    parts.push(make('p', {text: say('gradeNote', {a: a, b: b, c: c})}));
    if (!about().hidden && game().setups.length) parts.push(make('p', {text: say('setups', {words: game().setups.join(' ')})}));
    byId('summary').replaceChildren(...parts);
  }

  function titleOf(number) {
    const shown = data.games[number], names = sidesOf(shown.game);
    const players = (shown.first || names[0]) + ' – ' + (shown.second || names[1]);
    const place = shown.first || shown.second ? '' : placeOf(shown.place);
    return [players, shown.result === '*' ? '' : shown.result, place, shown.event || '', shown.occasion || ''].filter((text) => text).join(say('comma'));
  }

  function placeOf(place) {
    const name = place.split(/[\\/]/).pop();
    return name === 'moves' ? '' : name.replace(/^standard input/, say('file'));
  }

  // The first table: the players, and a link to each game.

  function showPlayers() {
    byId('overview').hidden = !data.players;
    if (!data.players) return;
    const link = (number, text) => make('a', {href: '#' + addressOf(number, 0), text: text, 'aria-current': number === at.game ? 'true' : null});
    const kinds = new Set(data.players.map((row) => row.game));
    const nameOf = (row) => (row.name || say('noName', {side: sidesOf(row.game)[row.side]})) +
      (kinds.size > 1 ? ' (' + nameOfGame(row.game) + ')' : '');
    const heads = ['player', 'playedGames', 'score', 'loss', 'blunders', 'mistakes'];
    const rows = data.players.map((row) => make('tr', {}, make('th', {scope: 'row', text: nameOf(row)}), ...[
      row.games.length, row.scored ? row.points + ' / ' + row.scored : '–', row.moves ? percent(row.lost) : '–', row.grades[2], row.grades[1]
    ].map((text) => make('td', {text: text}))));
    const games = data.games.map((shown, number) => make('li', {}, link(number, titleOf(number)),
      shown.opening ? make('span', {class: 'faint', text: ' · ' + shown.opening[at.language]}) : null));
    byId('overview-title').textContent = say('overview', {n: data.games.length});
    byId('tables').replaceChildren(
      make('div', {}, make('table', {}, make('thead', {}, make('tr', {}, ...heads.map((key) => make('th', {scope: 'col', text: say(key)})))),
        make('tbody', {}, ...rows))),
      make('ol', {}, ...games));
  }

  function showFrame() {
    document.documentElement.lang = at.language === 'zh' ? 'zh-CN' : 'en';
    document.querySelectorAll('[data-text]').forEach((element) => { element.textContent = say(element.dataset.text); });
    document.querySelectorAll('[data-label]').forEach((element) => {
      element.setAttribute('aria-label', say(element.dataset.label));
      if (element.tagName === 'BUTTON') element.title = say(element.dataset.label);
    });
    document.title = byId('title').textContent = nameOfGame(game().game) + say('colon') + titleOf(at.game);
    byId('marks-text').textContent = ['bestMove', ...game().parts].map((key) => say(key)).join(say('and'));
    byId('language').value = at.language;
    byId('choose').hidden = data.games.length < 2;
    choices(byId('games'), data.games.map((shown, number) => number + 1 + '. ' + titleOf(number)), at.game);
    byId('views').hidden = game().views.length < 2;
    choices(byId('view'), [say('all'), ...[0, 1].map((number) => say('viewOf', {side: side(number)}))], at.view);
    const notations = data.notations[game().game] || [];
    byId('notations').hidden = !notations.length;
    choices(byId('notation'), [say('own'), ...notations.map((name) => say(name))], at.notation);
    byId('slider').max = game().plies.length - 1;
    byId('saving').hidden = !game().pgn;
    showPlayers();
    showMoves();
    showSummary();
    show();
  }

  function show() {
    showBoard();
    showJudgement();
    showGraph();
    markMove();
    const text = positionText(), slider = byId('slider');
    byId('state').textContent = text;
    byId('fen').value = game().plies[at.ply].p;
    byId('fen').parentElement.hidden = at.line !== null;
    byId('copy').textContent = say('copy');
    slider.value = at.ply;
    slider.setAttribute('aria-valuetext', text);
    remember();
  }

  // Moving

  function go(ply) {
    at.line = null;
    at.ply = Math.max(0, Math.min(game().plies.length - 1, ply));
    show();
  }

  function enterLine(ply, step) {
    if (at.line === null) at.home = at.ply;
    at.line = {ply: ply, step: step};
    show();
  }

  function leaveLine() {
    at.line = null;
    show();
  }

  function step(by) {
    if (at.line === null) return go(at.ply + by);
    const next = at.line.step + by;
    if (next < 0) return leaveLine();
    if (next < game().plies[at.line.ply].b.w.length) enterLine(at.line.ply, next);
  }

  function mistake(by) {
    for (let ply = at.ply + by; ply > 0 && ply < game().plies.length; ply += by) {
      if (game().plies[ply].k) return go(ply);
    }
  }

  function better() {
    const ply = game().plies[at.ply].k ? at.ply - 1 : at.ply;
    if (at.line === null && game().plies[ply].b) enterLine(ply, 0);
  }

  function flip() {
    at.flipped = !at.flipped;
    show();
  }

  // What leaves the page

  async function copy() {
    const field = byId('fen');
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch (error) {
      document.execCommand('copy'); // a page within another, or an older browser
    }
    byId('copy').textContent = say('copied');
  }

  function save() {
    const name = placeOf(game().place).replace(/^[\u2066-\u2069]|[\u2066-\u2069]$/g, '').replace(/\.[^.]*$/, '') || 'game';
    const link = make('a', {href: URL.createObjectURL(new Blob([game().pgn], {type: 'application/x-chess-pgn'})), download: name + '-siqi.pgn'});
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const ACTIONS = {
    first: () => go(0), back: () => step(-1), next: () => step(1), last: () => go(game().plies.length - 1),
    earlier: () => mistake(-1), later: () => mistake(1), flip: flip
  };
  const KEYS = {
    ArrowLeft: ACTIONS.back, ArrowRight: ACTIONS.next, Home: ACTIONS.first, End: ACTIONS.last,
    ArrowUp: ACTIONS.earlier, ArrowDown: ACTIONS.later, Escape: leaveLine, b: better, B: better, f: flip, F: flip
  };

  // The address keeps the place, so that it can be sent to others.

  function addressOf(number, ply) {
    return new URLSearchParams({game: number + 1, ply: ply, lang: at.language}).toString();
  }

  function remember() {
    const text = '#' + addressOf(at.game, at.ply);
    try {
      if (location.hash !== text) history.replaceState(null, '', text);
    } catch (error) {
      // A page within another may not change its address.
    }
  }

  function recall() {
    const address = new URLSearchParams(location.hash.slice(1));
    const number = (name, most) => Math.max(0, Math.min(most, parseInt(address.get(name), 10) || 0));
    at.language = TEXTS[address.get('lang')] ? address.get('lang') : (navigator.language || '').toLowerCase().startsWith('zh') ? 'zh' : 'en';
    Object.assign(at, {game: Math.max(number('game', data.games.length) - 1, 0), view: 0, line: null});
    at.ply = number('ply', game().plies.length - 1);
  }

  document.querySelectorAll('[data-go]').forEach((button) => button.addEventListener('click', ACTIONS[button.dataset.go]));
  byId('copy').addEventListener('click', copy);
  byId('save').addEventListener('click', save);
  byId('slider').addEventListener('input', () => go(Number(byId('slider').value)));
  byId('language').addEventListener('change', () => { at.language = byId('language').value; showFrame(); });
  byId('games').addEventListener('change', () => {
    Object.assign(at, {game: Number(byId('games').value), ply: 0, view: 0, line: null});
    showFrame();
  });
  byId('view').addEventListener('change', () => { at.view = Number(byId('view').value); show(); });
  byId('notation').addEventListener('change', () => { at.notation = Number(byId('notation').value); showFrame(); });
  byId('marks').addEventListener('change', () => byId('pictures').classList.toggle('plain', !byId('marks').checked));
  byId('moves').addEventListener('click', (event) => {
    const button = event.target.closest('[data-ply]');
    if (button) go(Number(button.dataset.ply));
  });
  byId('graph').addEventListener('click', (event) => {
    const box = byId('graph').getBoundingClientRect(), last = game().plies.length - 1;
    go(Math.round((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT) * last));
  });
  document.addEventListener('keydown', (event) => {
    const action = KEYS[event.key];
    const isTaken = event.target.closest('select, #fen') || (event.target.id === 'slider' && /^(Arrow|Home|End)/.test(event.key));
    if (!action || isTaken || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  });
  window.addEventListener('hashchange', () => { recall(); showFrame(); });
  new ResizeObserver(showGraph).observe(byId('graph'));
  recall();
  showFrame();
})();
