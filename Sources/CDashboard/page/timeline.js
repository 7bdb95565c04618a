// @ts-check
// When exchanges began and how long they took, for bars and gaps. Times are of the machine's clock, in microseconds.

/** @typedef {import('./entry.js').Entry} Entry */

/** A pause this long begins another burst, whose bars have a scale of their own. */
const BURST_PAUSE = 5e6;

/** @param {Entry} entry */
const beginning = (entry) => entry.mono_ns / 1000;

/**
 * Where a bar is within its burst, in shares of the burst's time.
 *
 * @typedef {{ left: number, width: number, span: number, isFirst: boolean }} Bar
 */

/**
 * The bars of exchanges, by number. Exchanges without a longer pause between them are a burst, and share a scale.
 *
 * @param {Entry[]} entries in any order
 * @param {number} [pauseTime] in microseconds
 * @returns {Map<number, Bar>}
 */
export function bars(entries, pauseTime = BURST_PAUSE) {
  const sorted = [...entries].sort((a, b) => a.mono_ns - b.mono_ns || a.seq - b.seq);
  /** @type {Map<number, Bar>} */
  const found = new Map();
  /** @type {Entry[]} */
  let burst = [];
  let end = -Infinity;
  const close = () => {
    if (!burst.length) return;
    const start = beginning(burst[0]);
    const span = Math.max(end - start, 1);
    for (const entry of burst) {
      const left = (beginning(entry) - start) / span;
      found.set(entry.seq, { left, width: entry.duration_us === null ? 1 - left : entry.duration_us / span, span, isFirst: entry === burst[0] });
    }
  };
  for (const entry of sorted) {
    if (beginning(entry) - end > pauseTime) {
      close();
      burst = [];
      end = -Infinity;
    }
    burst.push(entry);
    end = Math.max(end, beginning(entry) + (entry.duration_us ?? 0));
  }
  close();
  return found;
}

/**
 * The time between the end of the attempt before, under the same key, and the beginning of this one: how long the client waited.
 *
 * @typedef {{ after: number, microseconds: number }} Gap `after` is the attempt before; negative microseconds: it was still under way
 */

/**
 * The gaps of all later attempts, by number.
 *
 * @param {Iterable<Entry>} entries
 * @returns {Map<number, Gap>}
 */
export function gaps(entries) {
  /** @type {Map<string, Entry>} */
  const last = new Map();
  /** @type {Map<number, Gap>} */
  const found = new Map();
  for (const entry of [...entries].filter(({ key }) => key !== null).sort((a, b) => a.seq - b.seq)) {
    const name = `${entry.operation} ${entry.key}`;
    const before = last.get(name);
    if (before) {
      // An attempt that is still under way has no end yet.
      const end = beginning(before) + (before.duration_us ?? Infinity);
      found.set(entry.seq, { after: before.seq, microseconds: Number.isFinite(end) ? Math.round(beginning(entry) - end) : -1 });
    }
    last.set(name, entry);
  }
  return found;
}
