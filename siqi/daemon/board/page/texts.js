// The words of the page in both languages.

import { REASONS } from './words.js';

/** @typedef {'en' | 'zh'} Language */

/** @type {{[language in Language]: {[key: string]: string}}} */
const TEXTS = {
  en: {
    language: 'Language', board: 'Board', moves: 'Moves', newGame: 'New game', game: 'Game', yourSide: 'You play', level: 'Level', clock: 'Clock of each side',
    increment: 'Increment', movetime: 'Engine’s time for a move', die: 'The die', dieByPage: 'thrown by the page', dieByHand: 'entered by hand', teaches: 'Bad moves are taken back', judging: 'The engine looks at your move', taughtBack: '{move} loses {lost} of your chances and was taken back. Try another move; played again, it stands.',
    faces: 'Pieces', faces_traditional: '帥 traditional', faces_simplified: '帅 simplified', faces_letters: 'K letters', faces_characters: '司 characters', keepLayout: 'Keep as…', keepLayoutHow: 'A set-up is kept under a name in the games’ folder, for later games.', layoutName: 'Name', forgetLayout: 'Forget…', earlier: 'Earlier…', noFiles: 'The folder has none yet.', start: 'Start', cancel: 'Cancel', close: 'Close', keys: 'Keys', enterThrow: 'Enter the throw', enter: 'Play', typeMove: 'Move', typeSetUp: 'Set-up', noSuchMove: 'There is no such move: {word}',
    rules_xiangqi: 'Checkmate the king, or leave the other side without a move. Dots show where a piece can go.',
    rules_connect6: 'Six stones in a row win. Black begins with one stone; from then on each turn has two.',
    rules_ewn: 'Move the piece of the number thrown (the next one below or above if it is gone) a step towards the opposite corner. Reach it, or take all pieces, to win.',
    rules_junqi: 'Take the flag. You do not see their pieces: the higher rank wins a battle, equal ranks and bombs take both, only engineers clear mines.',
    noClock: 'none', minutes: '{n} min', seconds: '{n} s', none: 'none', levelElo: '{n}, Elo {elo}', full: '{n}, full strength',
    you: '{side}, you', engine: '{side}, the engine, level {level}', play: 'Play', championship: 'Championship', analyse: 'Analyse',
    yourTurn: 'Your turn', yourTurnThrow: 'Your turn: you threw a {throw}', thinking: 'The engine thinks', thinkingThrow: 'The engine threw a {throw} and thinks',
    throwYours: 'Your throw: enter it', throwTheirs: 'The engine’s throw: enter it', setUp: 'Set up your pieces', waitSetUp: 'The engine proposes a set-up',
    setUpHow: 'Pick two pieces to exchange them, or drag one onto the other. Then press Ready.', stonesHow: 'Place {n} stones.', stoneHow: 'Place 1 stone.', stoneMore: 'Place 1 more stone.',
    enginePlayed: 'The engine played {move}.', engineSetUp: 'The engine has set up its pieces.', hintIs: 'The engine would play {move}.', hintComing: 'The engine looks for the best move.',
    loading: 'The game is being loaded', loadingHow: 'The first time it is compiled, which takes some seconds.', connecting: 'The server does not answer. Run “siqi board” again to go on; nothing is lost.',
    asks: 'Go on with the game?', asksHow: '{game}, {n} moves', paused: 'Paused', won: 'You have won', lost: 'The engine has won', draw: 'A draw',
    welcome: 'Choose a game', goOn: 'Go on', ready: 'Ready', propose: 'Another proposal', hint: 'Best move', takeBack: 'Take back', pause: 'Pause', resume: 'Go on', resign: 'Resign',
    resignSure: 'Resign: sure?', moveNow: 'Move now', flip: 'Turn the board', review: 'Review of the game', reviewing: 'The review is being written', openReview: 'Open the review',
    watching: 'Another tab holds the board: this one watches.', takeBoard: 'Play here', setUpWord: 'set-up', beginNote: 'The game before stays in the games’ folder.',
    modes: 'Modes', keyModes: 'to another mode',
    secondsLeft: '{side}: {n} seconds left', empty: 'empty', chosen: 'chosen', target: 'can be reached', stones: 'stone', hidden: 'unknown piece', comma: ', ',
    dies: 'attacker falls', wins: 'attacker wins', both: 'both fall',
    welcomeAnalysis: 'Analyse a game or a position', open: 'Open…', openTitle: 'Analyse', openStart: 'From the start of', openPaste: 'A FEN, moves, or games in any format', openFile: 'Or a file',
    read: 'Read', tooLarge: 'It is larger than 3 MB: convert a part of it by siqi convert.', toSetUp: '{side} is to set up', toMove: '{side} to move', toMoveThrow: '{side} to move, threw a {throw}', toThrow: '{side} to throw',
    wonBy: '{side} has won', chanceOf: '{side} {chance}', depth: 'depth {depth}, {speed} nodes/s', engineOff: 'Engine off', linesOf: '{n} lines', engineLines: 'The engine’s lines', searching: 'The engine looks…',
    thrown: 'on {throw}', anyThrow: 'any', graph: 'Chances along the line', noMoves: 'Move a piece to begin.', book: 'Books', gamesPlayed: '{n} games', comment: 'Comment', saveAs: 'Save as…', losses: 'This format cannot store: {list}',
    toStart: 'To the start', back: 'Back', forth: 'On', toEnd: 'To the end', engineSets: 'Have the engine set up', judge: 'Judge the line', judgeStop: 'Stop judging: {n}', promote: 'Variation up', remove: 'Remove from here',
    restore: 'Put back', threats: 'Threats', heat: 'Heat', beliefs: 'Beliefs', viewAll: 'All pieces', edit: 'Set up pieces', editing: 'Set up pieces', editingHow: 'Choose a piece below, then points of the board; a second pick clears a point. Drag pieces, off the board to remove them; or go to a point by the arrows and type the piece’s letter, Delete clears.', deploy: 'Deploy {side}', unmark: 'Remove the drawing', trial_begin: 'Try moves', trial_drop: 'End: drop them', trial_keep: 'End: keep them', trying: 'Trying moves', tryingHow: 'What you play now is taken out at the end, unless you keep it.', keyMistake: 'to the next mistake that was judged, to the one before', keyTrial: 'try moves; again: drop them', keyLayers: 'the engine’s arrows, your drawing, threats, heat, beliefs',
    clearPoint: 'clear', analyseTurn: 'Analyse, {side} to move', emptyBoard: 'Empty the board', gamesRead: 'Games of the file', matesIn: '{side} wins in {n}',
    lookBack: 'An earlier position', lookBackHow: 'The game goes on meanwhile.', lookOn: 'Back to the game', keyLook: 'off the board: look back through the moves',
    keyStep: 'one move back, on', keyBranch: 'to another variation here', keyEnds: 'to the start, to the end', keyThrow: 'the throw; 0: any', keyBest: 'play the engine’s best move', keyEngine: 'engine on, off', keyPaste: 'read what was copied',
    keyArrows: 'to another point of the board', keyEnter: 'pick a piece, then its target', keyEsc: 'leave the choice', keyHome: 'ends of a row', keyDie: 'enter a throw', keyHint: 'show the best move', keyFlip: 'turn the board', keyHelp: 'this list',
    ok: 'Set', show: 'Show', clocks: 'Clocks', answer: 'The referee’s answer', newContest: 'New contest', beginContest: 'Begin the contest', change: 'Change',
    check: 'Check the machine', noContest: 'No contest yet', noContestHow: 'A contest is all games against one team. It begins with a check of this machine.',
    preflight: 'Check before the contest', READY: 'READY', NOTREADY: 'NOT READY', check_engine: 'engine loaded and warm', check_disk: 'disk can be written, free',
    check_clock: 'date and time', check_folder: 'folder of the day', ourTeam: 'Our team', theirTeam: 'Their team', firstInOne: 'Moves first in game 1',
    games: 'Games', minutesASide: 'Minutes a side', event: 'Event', site: 'Place', ourPlayer: 'We are played by', theirPlayer: 'They are played by',
    byEngine: 'the engine', byHand: 'a hand', endsOnTime: 'A clock at 0 ends the game', ponders: 'Think in their time', hides: 'Hide the evaluation', note: 'Note',
    asksContest: 'Last saved at {at}. Check the clocks against the referee’s before you go on.', startHow: 'Start the clocks when the referee says so', pausedHow: 'The clocks stand',
    startClocks: 'Start the clocks', sideOf: 'To move: {team}, {side}', threw: 'Throw: {throw}', enterThrowOf: 'Enter the throw of {team}',
    throwForMe: 'Throw for me', announce: 'Announce and play our move, then Enter', announced: 'Announced and played',
    announceSetUp: 'Announce our set-up, then Enter', setUpAnnounced: 'Announced and set up', enterMoveOf: 'Enter the move of {team}',
    enterSetUpOf: 'Enter the set-up of {team}', setUpHowCard: 'Pick two pieces to exchange them, or type the set-up.', setUpDone: 'Set up',
    confirmTheirs: 'The move of {team}: right? Then Enter', confirm: 'Confirm', dropDraft: 'Not this one',
    askReferee: 'Only the referee knows how the game stands', gameOver: 'Game {n} is over', teamWins: '{team} wins', adjourned: 'Adjourned',
    end_resignation: 'by resignation', end_time: 'on time', end_referee: 'by the referee’s decision', lastMove: '{team} played {move}.', nextGame: 'Next game',
    preset: 'As before: {word}', answer0: '0: attacker dies', answer1: '1: attacker wins', answer2: '2: both die', answer3: '3: no battle', flag: 'Flag announced',
    flagPick: 'Pick the flag’s square', flagAt: 'Flag at {point}', minutesLeft: '{side}: {n} minutes left', first: 'first', second: 'second',
    evaluation: '{score}, depth {depth}: {line}', takesPiece: 'takes {piece}', meetsPiece: 'against {piece}', pieceMoves: '{piece} {from} to {to}', gameOf: 'game {n} of {games}',
    decided: 'the contest is decided', nextFirst: 'first in the next game: {team}', record: 'Record: {name}', saveRecord: 'Save the record', gameNumber: 'game {n}',
    undo: 'Undo', endGame: 'End the game', setClocks: 'Correct the clocks', setScore: 'Correct the score', setFirst: 'Who begins', setPlayers: 'Engine or hand',
    options: 'Options', corrections: 'Corrections', log: 'Log of corrections', log_back: 'back to the position', log_clocks: 'clocks', log_score: 'score', log_first: 'first in the next game:',
    log_players: 'players:', log_throw: 'throw', backTo: 'Back to the position {place}?', atStart: 'at the start', afterSetUp: 'after the set-up of {team}', afterMove: 'after move {n} of {team}',
    backHow: 'The clocks keep what was used. The moves stay in the list: you can go forward again.', goBack: 'Go there', openGame: 'Go on with game {n}?',
    openHow: 'Its end no longer counts until it ends again. The other games stay as they are.', how: 'How', resigns: '{team} resigns',
    lostOnTime: 'Referee: {team} has lost on time', refereeWin: 'Referee: {team} has won', refereeDraw: 'Referee: a draw', adjourn: 'Adjourned',
    endHow: 'An end can be undone: open the game again.', clocksHow: 'What each side has left, in minutes and seconds.', firstNext: 'First in the next game',
    firstHow: 'By the rules A, who is first in game 1, is also first in games 4 and 5.', keyConfirm: 'confirm what the card shows',
    enterMoves: 'Enter a list of moves', enterMovesHow: 'All moves from the start of the game: a record, or words such as h2e2; in EinStein with throws, 3:a5b4, in Junqi with answers, G0F0=2. The clocks stand until you start them.', log_entered: 'moves entered:',
    keyAnswer: 'the referee’s answer in Junqi', keyBoard: 'to the board', keyType: 'type a move', keyPause: 'stop the clocks', keyMoveNow: 'have the engine move now',
  },
  zh: {
    language: '语言', board: '棋盘', moves: '着法', newGame: '新对局', game: '棋种', yourSide: '执', level: '级别', clock: '每方用时',
    increment: '每步加时', movetime: '引擎每步用时', die: '骰子', dieByPage: '由页面掷', dieByHand: '手工输入', teaches: '收回坏着', judging: '引擎在看你的着法', taughtBack: '{move} 使你的胜率减少 {lost}，已收回。请换一着；再走一次则不再收回。',
    faces: '棋子', faces_traditional: '繁体', faces_simplified: '简体', faces_letters: '字母', faces_characters: '汉字', keepLayout: '保存布阵…', keepLayoutHow: '布阵以名称保存在对局文件夹中，供以后的对局使用。', layoutName: '名称', forgetLayout: '删除布阵…', earlier: '以前的…', noFiles: '文件夹中还没有。', start: '开始', cancel: '取消', close: '关闭', keys: '快捷键', enterThrow: '输入点数', enter: '走', typeMove: '着法', typeSetUp: '布阵', noSuchMove: '没有这样的着法：{word}',
    rules_xiangqi: '将死或困毙对方即胜。圆点表示棋子可到达的点。',
    rules_connect6: '六子连成一线即胜。黑方先下一子，此后双方每次下两子。',
    rules_ewn: '走编号等于点数的棋子（已不在则走编号相邻的），向对角走一步。到达对角或吃光对方即胜。',
    rules_junqi: '夺取对方军旗即胜。看不到对方棋子：碰子时级别高者胜，同级或遇炸弹同归于尽，只有工兵能挖地雷。',
    noClock: '不计时', minutes: '{n} 分钟', seconds: '{n} 秒', none: '无', levelElo: '{n}，Elo {elo}', full: '{n}，最强',
    you: '{side}（你）', engine: '{side}（引擎，{level} 级）', play: '对弈', championship: '比赛', analyse: '分析',
    yourTurn: '轮到你', yourTurnThrow: '轮到你：掷出 {throw}', thinking: '引擎思考中', thinkingThrow: '引擎掷出 {throw}，思考中',
    throwYours: '你的点数：请输入', throwTheirs: '引擎的点数：请输入', setUp: '请布阵', waitSetUp: '引擎正在建议布阵',
    setUpHow: '先后点两枚棋子即可互换，也可拖动。完成后按“就绪”。', stonesHow: '请落 {n} 子。', stoneHow: '请落 1 子。', stoneMore: '请再落 1 子。',
    enginePlayed: '引擎走了 {move}。', engineSetUp: '引擎已布阵。', hintIs: '引擎会走 {move}。', hintComing: '引擎正在寻找最佳着法。',
    loading: '正在载入', loadingHow: '第一次需要编译，要几秒钟。', connecting: '服务器没有应答。请重新运行 siqi board 继续；对局不会丢失。',
    asks: '继续这一局吗？', asksHow: '{game}，已走 {n} 着', paused: '暂停', won: '你赢了', lost: '引擎获胜', draw: '和棋',
    welcome: '请选择棋种', goOn: '继续', ready: '就绪', propose: '换一个布阵', hint: '最佳着法', takeBack: '悔棋', pause: '暂停', resume: '继续', resign: '认输',
    resignSure: '确定认输？', moveNow: '立即走', flip: '翻转棋盘', review: '复盘', reviewing: '正在写复盘', openReview: '打开复盘',
    watching: '棋盘由另一个标签页操作，本页旁观。', takeBoard: '在此操作', setUpWord: '布阵', beginNote: '之前的对局保存在对局文件夹中。',
    modes: '模式', keyModes: '切换模式',
    secondsLeft: '{side}还剩 {n} 秒', empty: '空', chosen: '已选', target: '可到达', stones: '子', hidden: '未知棋子', comma: '，',
    dies: '攻方阵亡', wins: '攻方胜', both: '同归于尽',
    welcomeAnalysis: '分析一局棋或一个局面', open: '打开…', openTitle: '分析', openStart: '从初始局面开始', openPaste: 'FEN、着法或任何格式的棋谱', openFile: '或选择文件',
    read: '读取', tooLarge: '超过 3 MB：请先用 siqi convert 转换其中一部分。', toSetUp: '{side}布阵', toMove: '{side}走', toMoveThrow: '{side}走，点数 {throw}', toThrow: '{side}掷骰',
    wonBy: '{side}胜', chanceOf: '{side} {chance}', depth: '深度 {depth}，每秒 {speed} 节点', engineOff: '引擎关闭', linesOf: '{n} 条变化', engineLines: '引擎的变化', searching: '引擎搜索中…',
    thrown: '点数 {throw}', anyThrow: '任意', graph: '胜率曲线', noMoves: '走一着即可开始。', book: '库', gamesPlayed: '{n} 局', comment: '注释', saveAs: '另存为…', losses: '此格式无法保存：{list}',
    toStart: '到开局', back: '后退', forth: '前进', toEnd: '到末尾', engineSets: '由引擎布阵', judge: '评估全线', judgeStop: '停止评估：{n}', promote: '变化上移', remove: '删除此后着法',
    restore: '恢复', threats: '威胁', heat: '热度', beliefs: '推测', viewAll: '全部棋子', edit: '摆放棋子', editing: '摆放棋子', editingHow: '先在下方选棋子，再点棋盘；再点一次清空该点。棋子可拖动，拖出棋盘即移除；也可用方向键到某点后键入棋子字母，Delete 清空。', deploy: '{side}随机布阵', unmark: '清除所画', trial_begin: '试下', trial_drop: '结束：去掉', trial_keep: '结束：保留', trying: '试下', tryingHow: '现在走的着法在结束时去掉，除非选择保留。', keyMistake: '到下一个、上一个已评估的失误', keyTrial: '试下；再按：去掉', keyLayers: '引擎的箭头、自己所画、威胁、热度、推测',
    clearPoint: '清空', analyseTurn: '分析，{side}走', emptyBoard: '清空棋盘', gamesRead: '文件中的对局', matesIn: '{side} {n} 着胜',
    lookBack: '较早的局面', lookBackHow: '对局仍在进行。', lookOn: '回到对局', keyLook: '焦点不在棋盘上时：回看着法',
    keyStep: '后退、前进一着', keyBranch: '此处另一变化', keyEnds: '到开局、到末尾', keyThrow: '点数；0 为任意', keyBest: '走引擎的最佳着法', keyEngine: '引擎开、关', keyPaste: '读取剪贴板内容',
    keyArrows: '移到棋盘上另一点', keyEnter: '选棋子，再选目标', keyEsc: '取消选择', keyHome: '一行的两端', keyDie: '输入点数', keyHint: '显示最佳着法', keyFlip: '翻转棋盘', keyHelp: '本列表',
    ok: '确定', show: '显示', clocks: '棋钟', answer: '裁判判定', newContest: '新比赛', beginContest: '开始比赛', change: '修改', check: '赛前检查', noContest: '还没有比赛',
    noContestHow: '一场比赛包含与同一参赛队的全部对局，先做赛前检查。', preflight: '赛前检查', READY: '就绪', NOTREADY: '未就绪', check_engine: '引擎已载入并预热', check_disk: '磁盘可写，剩余',
    check_clock: '日期与时间', check_folder: '当日文件夹', ourTeam: '我方', theirTeam: '对方', firstInOne: '第 1 局先手', games: '局数', minutesASide: '每方分钟数', event: '赛事', site: '地点',
    ourPlayer: '我方由谁走棋', theirPlayer: '对方由谁走棋', byEngine: '引擎', byHand: '手工', endsOnTime: '时间用完即判负', ponders: '对方用时中继续思考', hides: '隐藏评估', note: '备注',
    asksContest: '最后保存于 {at}。继续之前，请与裁判核对棋钟。', startHow: '听裁判口令后启动棋钟', pausedHow: '棋钟已停', startClocks: '启动棋钟', sideOf: '行棋：{team}，{side}', threw: '点数：{throw}',
    enterThrowOf: '请输入 {team} 的点数', throwForMe: '代掷', announce: '宣布并走出我方着法，再按 Enter', announced: '已宣布并走出', announceSetUp: '宣布我方布阵，再按 Enter',
    setUpAnnounced: '已宣布并布好', enterMoveOf: '请输入 {team} 的着法', enterSetUpOf: '请输入 {team} 的布阵', setUpHowCard: '先后点两枚棋子即可互换，也可输入布阵。', setUpDone: '布阵完成',
    confirmTheirs: '{team} 的着法，核对后按 Enter', confirm: '确认', dropDraft: '不是这一着', askReferee: '局势只有裁判知道', gameOver: '第 {n} 局结束', teamWins: '{team} 胜', adjourned: '封盘',
    end_resignation: '认输', end_time: '超时', end_referee: '裁判判定', lastMove: '{team} 走了 {move}。', nextGame: '下一局', preset: '同前：{word}', answer0: '0：攻方阵亡',
    answer1: '1：攻方胜', answer2: '2：同归于尽', answer3: '3：无碰子', flag: '军旗公布', flagPick: '请点军旗位置', flagAt: '军旗在 {point}', minutesLeft: '{side}还剩 {n} 分钟', first: '先手',
    second: '后手', evaluation: '{score}，深度 {depth}：{line}', takesPiece: '吃{piece}', meetsPiece: '对{piece}', pieceMoves: '{piece} {from} 到 {to}', gameOf: '第 {n} 局，共 {games} 局',
    decided: '胜负已定', nextFirst: '下一局先手：{team}', record: '棋谱：{name}', saveRecord: '保存棋谱', gameNumber: '第 {n} 局', undo: '撤销', endGame: '结束本局', setClocks: '更正棋钟',
    setScore: '更正比分', setFirst: '谁先手', setPlayers: '引擎或手工', options: '选项', corrections: '更正', log: '更正记录', log_back: '回到', log_clocks: '棋钟', log_score: '比分', log_first: '下一局先手：',
    log_players: '走棋：', log_throw: '点数', backTo: '回到{place}？', atStart: '开局', afterSetUp: '{team} 布阵之后', afterMove: '{team} 第 {n} 着之后', backHow: '已用时间不变；着法仍在列表中，可以再前进。', goBack: '前往', openGame: '继续第 {n} 局？',
    openHow: '该局的结果暂不计入，直到再次结束；其他各局不变。', how: '方式', resigns: '{team} 认输', lostOnTime: '裁判：{team} 超时负', refereeWin: '裁判：{team} 胜', refereeDraw: '裁判：和棋',
    adjourn: '封盘', endHow: '结束可以撤销：重新打开该局即可。', clocksHow: '每方剩余的分和秒。', firstNext: '下一局先手', firstHow: '按规则，第 1 局先手的一方也在第 4、5 局先手。', keyConfirm: '确认卡片所示',
    enterMoves: '输入着法列表', enterMovesHow: '从开局起的全部着法：棋谱，或 h2e2 这样的着法；爱恩斯坦棋加点数，如 3:a5b4；军棋加裁判判定，如 G0F0=2。此后棋钟停着，直到你启动。', log_entered: '输入着法数：',
    keyAnswer: '军棋裁判判定', keyBoard: '到棋盘', keyType: '输入着法', keyPause: '停钟', keyMoveNow: '让引擎立即走',
  },
};

/** @type {{[reason: string]: string}} */
const REFUSALS = {
  'the game is over': '对局已结束', 'the game is paused': '对局已暂停', 'it is the engine\'s turn': '轮到引擎', 'throw the die first': '请先掷骰',
  'there is no move to take back': '没有可悔的棋', 'another tab holds the board': '棋盘由另一个标签页操作', 'the game is being loaded': '正在载入',
  'there is no such position': '没有这个局面', 'choose the throw first': '请先选择点数', 'it is the main line': '已是主线', 'nothing was removed': '没有可恢复的着法',
  'all positions of the line have been judged': '全线已评估', 'neither a position nor a game in a format that is known': '既不是局面，也不是已知格式的棋谱',
  'no set-up is being made': '还没有布阵', 'the set-ups are over': '布阵已结束', 'no throw is to be entered': '现在不需要点数',
  'the set-ups come first': '请先布阵', 'no move waits to be announced': '没有待宣布的着法', 'the game goes on: end it first': '对局未结束，请先结束本局', 'no clock runs': '棋钟没有走',
  'there is no such set-up': '没有这个布阵', 'there is no such file': '没有这个文件', 'this is what is shown': '正在显示的就是它', 'the list has no moves': '列表中没有着法', 'the list does not begin at the start of the game': '列表不是从开局开始的',
  'the move is being judged': '正在评判着法', 'moves are taken back without clocks only': '计时的对局不收回坏着',
  'the clocks run already': '棋钟已在走', 'no such position': '没有这个局面', 'this screen only watches': '此屏幕仅供观看', 'the engine cannot play pieces that are not known': '引擎不能走未知的棋子',
};

/** @type {{[language in Language]: {[game: string]: {[letter: string]: string}}}} */
const PIECES = {
  en: {
    xiangqi: { k: 'king', a: 'advisor', e: 'elephant', b: 'elephant', h: 'horse', n: 'horse', r: 'chariot', c: 'cannon', p: 'pawn' },
    junqi: { a: 'field marshal', b: 'general', c: 'major general', d: 'brigadier', e: 'colonel', f: 'major', g: 'captain', h: 'lieutenant', i: 'engineer', j: 'mine', k: 'bomb', l: 'flag' },
  },
  zh: {
    xiangqi: { k: '将', a: '士', e: '象', b: '象', h: '马', n: '马', r: '车', c: '炮', p: '兵' },
    junqi: { a: '司令', b: '军长', c: '师长', d: '旅长', e: '团长', f: '营长', g: '连长', h: '排长', i: '工兵', j: '地雷', k: '炸弹', l: '军旗' },
  },
};

/** @type {Language} */
let language = 'en';

/**
 * Choose the language.
 * @param {string} wanted one of the languages, or anything for the browser's first
 */
export function speak(wanted) {
  const own = navigator.languages?.[0] ?? navigator.language ?? 'en';
  language = wanted === 'en' || wanted === 'zh' ? wanted : own.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** @returns {Language} */
export function spoken() {
  return language;
}

/**
 * Return a text with its places filled in.
 * @param {string} key
 * @param {{[name: string]: string | number}} [values]
 */
export function text(key, values = {}) {
  return (TEXTS[language][key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** @param {string} reason why a game has ended */
export function reasonText(reason) {
  return REASONS[language][reason] ?? reason;
}

/** @param {import('./types.js').Loading} event a line of progress */
export function progressText(event) {
  return language === 'zh' ? event.chinese : event.text;
}

/** @param {string} reason of a refusal, as the server has it */
export function refusalText(reason) {
  return language === 'zh' ? REFUSALS[reason] ?? reason : reason.charAt(0).toUpperCase() + reason.slice(1);
}

/**
 * Return the name of a piece.
 * @param {import('./types.js').GameCard} card
 * @param {string} letter of the FEN
 */
export function pieceText(card, letter) {
  const second = card.pieces[1].includes(letter) || letter === 'x';
  const side = card.names[language][second ? 2 : 1];
  const space = language === 'zh' ? '' : ' ';
  if (letter.toLowerCase() === 'x' && card.has_hidden) return `${side}${space}${text('hidden')}`;
  if (card.pieces[0].length === 1) return `${side}${space}${text('stones')}`;
  const name = PIECES[language][card.game]?.[letter.toLowerCase()];
  const number = String(card.pieces[second ? 1 : 0].indexOf(letter) + 1);
  return `${side}${space}${name ?? number}`;
}

/**
 * Return a chance as text.
 * @param {number} chance 0..1
 */
export function percent(chance) {
  return `${Math.round(100 * chance)}%`;
}

/**
 * Return a proven win as text.
 * @param {number} mate the winner's turns, negative if the second side wins
 * @param {import('./types.js').GameCard} [card]
 */
export function scoreText(mate, card) {
  return text('matesIn', { side: card?.names[language][mate > 0 ? 1 : 2] ?? '', n: Math.abs(mate) });
}

const SIGNS = /** @type {{[code: string]: string}} */ ({ 0: 'dies', 1: 'wins', 2: 'both' });

/**
 * Return a move as the list and the announcements have it.
 * @param {import('./types.js').PlayedMove} move
 * @param {boolean} isSetUp
 */
export function moveText(move, isSetUp) {
  if (isSetUp) return text('setUpWord');
  const [word, result] = move.word.split('=');
  const shown = language === 'zh' && move.chinese ? move.chinese : word.split('@')[0];
  const sign = SIGNS[(result ?? '')[0]];
  const dice = move.throw ? `${move.throw}: ` : '';
  return dice + shown + (sign ? ` (${text(sign)})` : '');
}
