// The clocks: what the server has said last, counted on by this page's own clock.

/** @typedef {import('./types.js').Clocks} Clocks */

/**
 * Return minutes and seconds.
 * @param {number} ms
 * @returns {string}
 */
export function clockText(ms) {
  if (ms <= -1000) return `−${clockText(-ms)}`;
  const seconds = Math.max(Math.ceil(ms / 1000), 0);
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

export class ClockFace {
  /**
   * @param {number[]} seconds left, at which `call` is called
   * @param {(side: number, seconds: number) => void} call
   * @param {number} least milliseconds that a clock shows
   */
  constructor(seconds, call, least = 0) {
    this.least = least;
    this.seconds = seconds;
    this.call = call;
    /** @type {Clocks | null} */
    this.clocks = null;
    this.since = 0;
    /** @type {number[]} */
    this.before = [Infinity, Infinity];
  }

  /** @param {Clocks | null} clocks */
  set(clocks) {
    this.clocks = clocks;
    this.since = performance.now();
    this.before = [0, 1].map((side) => this.left(side));
  }

  /**
   * Return the milliseconds that a side has left.
   * @param {number} side
   */
  left(side) {
    if (!this.clocks) return Infinity;
    const gone = this.clocks.running === side ? performance.now() - this.since : 0;
    return Math.max(this.clocks.left[side] - gone, this.least);
  }

  /** Call the seconds that have been passed since the last tick. */
  tick() {
    for (const side of [0, 1]) {
      const now = this.left(side);
      const passed = this.seconds.filter((seconds) => this.before[side] > seconds * 1000 && now <= seconds * 1000).pop();
      this.before[side] = now;
      if (passed !== undefined) this.call(side, passed);
    }
  }
}
