// The events of the server, as siqi/daemon/board/events.py declares them.

/** @typedef {{point: string, x: number, y: number}} Cell */
/** @typedef {{size: [number, number], cell: [number, number], rows: Cell[][]}} BoardView */
/** @typedef {{event: 'board', number: number, game: string, views: BoardView[], faces: string[]}} Board */
/** @typedef {{event: 'picture', number: number, picture: number, is_flipped: boolean, faces: string, svg: string}} Picture */
/** @typedef {{game: string, names: {[language: string]: string[]}, pieces: string[], elo: number[], has_dice: boolean, has_setup: boolean, has_hidden: boolean}} GameCard */
/** @typedef {{event: 'welcome', number: number, games: GameCard[], default_game: string, version: string}} Welcome */
/** @typedef {{word: string, chinese: string, throw: number}} PlayedMove */
/** @typedef {{word: string, points: string[]}} Choice */
/** @typedef {{left: [number, number], running: number | null}} Clocks */
/** @typedef {{game: string, person: number, skill: number, movetime_ms: number, clock_ms: number, increment_ms: number, dice: string, teaches: boolean}} Settings */
/** @typedef {{winner: number | null, reason: string}} GameEnd */
/**
 * @typedef {{event: 'snapshot', number: number,
 *   stage: 'start' | 'loading' | 'asks' | 'set-up' | 'play' | 'paused' | 'over',
 *   settings: Settings | null, turn: number, picture: number, pieces: {[point: string]: string}, moves: PlayedMove[],
 *   last: string[], shown_ply: number | null, choices: Choice[], stones: number, setup: string[], layouts: string[], throw: number, needs_throw: boolean,
 *   thinking: boolean, is_judging: boolean, taught: {move: PlayedMove, lost: number} | null, can_take_back: boolean, hint: PlayedMove | null, is_hint_coming: boolean, clocks: Clocks | null,
 *   game_end: GameEnd | null, file: string}} Snapshot
 */
/** @typedef {{event: 'files', number: number, files: {name: string, at: string, game: string, title: string}[], current: string}} Files */
/** @typedef {{event: 'loading', number: number, text: string, chinese: string}} Loading */
/** @typedef {{event: 'refused', number: number, reason: string}} Refused */
/** @typedef {{event: 'tab status', number: number, holds: boolean, tabs: number}} TabStatus */
/** @typedef {{event: 'reviewing', number: number, text: string, address: string}} Reviewing */
/** @typedef {{event: 'mode', number: number, mode: string, modes: string[]}} ActiveMode */
/** @typedef {{name: string, is_good: boolean | null, detail: string}} Check */
/** @typedef {{first: number, moves: number, winner: number | null, end: string, reason: string}} GameLine */
/** @typedef {{at: string, game: number, what: string, detail: string, note: string}} Correction */
/**
 * @typedef {{game: string, teams: [string, string], games: number, clock_ms: number, event: string, site: string,
 *   engine: [boolean, boolean], ends_on_time: boolean, ponders: boolean, hides: boolean, points: [number, number],
 *   is_decided: boolean, next_first: number, played: GameLine[], current: number}} Contest
 */
/**
 * @typedef {{event: 'championship', number: number, picture: number,
 *   stage: 'start' | 'loading' | 'asks' | 'set-up' | 'paused' | 'play' | 'over',
 *   press: 'nobody' | 'begin' | 'resume' | 'set-up' | 'throw' | 'announce' | 'opponent' | 'own' | 'referee' | 'next',
 *   checks: Check[], contest: Contest | null, first: number, turn: number, pieces: {[point: string]: string},
 *   moves: PlayedMove[], line: number[], ahead: number[], ahead_moves: PlayedMove[], choices: Choice[], stones: number,
 *   setup: string[], layouts: string[], presets: string[], word: string, throw: number, proposed: PlayedMove | null, answers: number[],
 *   clocks: Clocks | null, corrections: Correction[], record: string, saved_at: string}} Table
 */
/**
 * @typedef {{event: 'evaluation', number: number, depth: number, nodes: number, elapsed_ms: number, cp: number,
 *   mate: number | null, win: number | null, line: string[]}} Evaluation
 */
/** @typedef {{event: 'warning', number: number, reason: string}} Warning */
/** @typedef {{node: number, parent: number, move: PlayedMove, comment?: string, nags?: number[], chance?: number | null}} TreeNode */
/** @typedef {{nodes: TreeNode[], comment: string, chance: number | null, setups: number}} TreeShown */
/** @typedef {{move: PlayedMove, games: number, score: number}} BookMove */
/** @typedef {{moves: PlayedMove[], share: number, asked: number, counts_positions: boolean, intents: string[]}} Rule */
/**
 * @typedef {{event: 'analysis', number: number, stage: 'start' | 'loading' | 'analyse' | 'edit', picture: number,
 *   game: string, name: string, file: string, players: [string, string], result: string, node: number, turn: number,
 *   fen: string, pieces: {[point: string]: string}, last: string[], choices: Choice[], stones: number, throw: number,
 *   has_throw: boolean, needs_setup: boolean, needs_answers: boolean, view: number | null, has_views: boolean, layers: {[name: string]: boolean},
 *   lines: number, judging: number, book: BookMove[], rules: Rule[], known: string[], comment: string, is_trial: boolean, marks: [string, string][], game_end: GameEnd | null,
 *   can_restore: boolean, formats: string[], notes: string[], games: string[], tree: TreeShown | null,
 *   report: LinesShown | null}} AnalysisShown
 */
/** @typedef {{chance: number, moves: PlayedMove[], points: string[], cp: number, mate: number, throw: number}} LineShown */
/**
 * @typedef {{event: 'lines', number: number, node: number, depth: number, nodes: number, elapsed_ms: number,
 *   chance: number, mate: number, lines: LineShown[]}} LinesShown
 */
/** @typedef {{event: 'saved', number: number, name: string, data: string, losses: string[]}} Saved */
/** @typedef {Board | Picture | Welcome | ActiveMode | Table | Evaluation | Warning | Snapshot | AnalysisShown | LinesShown | Saved | Files | Loading | Refused | TabStatus | Reviewing} Event */

/**
 * What the board shows of a snapshot of any mode.
 * @typedef {{turn: number, picture: number, pieces: {[point: string]: string}, choices: Choice[], stones: number,
 *   setup: string[]}} OnBoard
 */
/**
 * What the page gives to its modes.
 * @typedef {{cards: GameCard[], defaultGame: string, holds: boolean, isOpen: boolean, board: import('./board.js').BoardView,
 *   ask: (command: object) => void, say: (line: string) => void, flip: () => void, show: () => void}} Shell
 */
/**
 * A mode's part of the page. `parts` are shown while it is active, `keys` are listed, `show` returns what the window's
 * title says, `tick` is called ten times a second; `drawn`, `typed` and `carried` are as the board's hands (grid.js).
 * @typedef {{parts: Element[], keys: string[][], forget: () => void, hear: (event: Event) => void,
 *   show: () => string[], tick: () => void, picked: (point: string) => void, drawn?: (from: string, to: string) => void,
 *   typed?: (key: string, point: string) => boolean, carried?: () => ((from: string, to: string) => void) | null, key: (event: KeyboardEvent) => void}} ModePage
 */

export {};
