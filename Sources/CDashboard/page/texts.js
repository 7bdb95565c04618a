// @ts-check
// Headers and bodies of the loaded exchanges, for the filter: loaded once a filter needs them.
import { call } from './api.js';

/** @typedef {import('./entry.js').Entry & import('./entry.js').Messages} WholeEntry */

/** How many whole exchanges one call loads: with 8 KiB bodies at most some 2 MB. */
const CHUNK = 100;

export const texts = {
  /**
   * By number; of an exchange that was still under way, too.
   *
   * @type {Map<number, { headers: string, bodies: string, isWhole: boolean }>}
   */
  known: new Map(),
  isLoading: false,

  clear() {
    this.known.clear();
  },

  /**
   * Forgets those that are older.
   *
   * @param {number} low
   */
  forget(low) {
    for (const seq of this.known.keys()) if (seq < low) this.known.delete(seq);
  },

  /**
   * Loads what is missing, the newest first; calls `then` after each part.
   *
   * @param {string} session
   * @param {import('./entry.js').Entry[]} entries
   * @param {() => boolean} isWanted
   * @param {() => void} then
   */
  async load(session, entries, isWanted, then) {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      let missing = this.missing(entries);
      while (missing.length && isWanted()) {
        const before = missing[0] + 1;
        const since = Math.max(missing[missing.length - 1], before - CHUNK) - 1;
        const page = await call('GET /sessions/{s}/journal', { s: session }, { query: { since, before } });
        if (!isWanted()) return;
        // One that is gone meanwhile is not asked for again.
        for (const seq of missing) if (seq > since) this.known.set(seq, { headers: '', bodies: '', isWhole: true });
        for (const entry of page.entries) this.known.set(entry.seq, lowered(entry));
        missing = missing.filter((seq) => seq <= since);
        then();
      }
    } finally {
      this.isLoading = false;
    }
  },

  /**
   * The numbers of those whose texts are not loaded, or have changed; the newest first.
   *
   * @param {import('./entry.js').Entry[]} entries
   */
  missing(entries) {
    return entries.filter((entry) => {
      const known = this.known.get(entry.seq);
      return !known || (!known.isWhole && entry.duration_us !== null);
    }).map(({ seq }) => seq).sort((a, b) => b - a);
  },
};

/** @param {WholeEntry} entry */
function lowered(entry) {
  /** @type {(headers: [string, string][]) => string} */
  const lines = (headers) => headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return {
    headers: `${lines(entry.request_headers)}\n${lines(entry.reply_headers)}`.toLowerCase(),
    bodies: `${entry.request_body}\n${entry.reply_body}`.toLowerCase(),
    isWhole: entry.duration_us !== null,
  };
}
