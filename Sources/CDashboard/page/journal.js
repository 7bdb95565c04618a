// @ts-check
// The journal, newest first: followed while the page is visible, with as many rows as requested.
import { remember } from './address.js';
import { call, link, page, pause } from './api.js';
import { $, input, list, setText } from './base.js';
import { isError } from './entry.js';
import { fits, isDeep, parse } from './query.js';
import { drawBars, row } from './rows.js';
import { counted } from './text.js';
import { texts } from './texts.js';
import { gaps } from './timeline.js';
import { view } from './view.js';

/** @typedef {import('./entry.js').Entry} Entry */
/** @typedef {{ entries: Entry[], revision: number, oldest: number, dropped: number }} Page */

/** The number of rows at first, and the number that each click for older ones adds. */
const PAGE = matchMedia('(max-width: 760px)').matches ? 50 : 200;
/** The maximum number of rows in the page. */
const MOST = 2000;

export const journal = {
  /**
   * By number, without gaps: from `low` to `high`.
   *
   * @type {Map<number, Entry>}
   */
  entries: new Map(),
  low: 1,
  high: 0,
  oldest: 1,
  dropped: 0,
  /**
   * Null before the first response.
   *
   * @type {number | null}
   */
  revision: null,
  shown: PAGE,
  isPaused: false,
  pausedAt: 0,
  /**
   * Shown in place of rows if there are none.
   *
   * @type {() => void}
   */
  showEmpty: () => {},

  clear() {
    this.entries.clear();
    texts.clear();
    Object.assign(this, { low: 1, high: 0, oldest: 1, dropped: 0, revision: null, shown: PAGE, pausedAt: 0 });
    this.draw(true);
  },

  /** The number after which to load entries: reloads recent ones that are still under way. */
  get since() {
    for (let seq = Math.max(this.low, this.high - PAGE); seq <= this.high; seq++) {
      if (this.entries.get(seq)?.duration_us === null) return seq - 1;
    }
    return this.high;
  },

  /** @param {Page} loaded */
  take(loaded) {
    Object.assign(this, { revision: loaded.revision, oldest: loaded.oldest, dropped: loaded.dropped });
    for (const seq of this.entries.keys()) if (seq < loaded.oldest) this.entries.delete(seq);
    const first = loaded.entries[0]?.seq;
    // Too many arrived at once: the gap is loaded only on a click for older ones.
    if (first > this.high + 1) this.entries.clear();
    for (const entry of loaded.entries) this.entries.set(entry.seq, entry);
    this.settle();
    if (this.entries.size > MOST) {
      for (let seq = this.low; this.entries.size > MOST; seq++) this.entries.delete(seq);
      this.settle();
    }
    texts.forget(this.low);
    this.draw();
  },

  settle() {
    const numbers = [...this.entries.keys()];
    this.low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = numbers.reduce((a, b) => Math.max(a, b), 0);
    if (!numbers.length) Object.assign(this, { low: this.oldest, high: this.oldest - 1 });
  },

  /**
   * @param {string} session
   * @param {AbortSignal} signal
   */
  async follow(session, signal) {
    while (!signal.aborted) {
      const query = { brief: true, last: 2 * PAGE, since: this.revision === null ? 0 : this.since };
      if (this.revision !== null) Object.assign(query, { revision: this.revision, wait: '20s' });
      const loaded = await call('GET /sessions/{s}/journal', { s: session }, { query, signal });
      const isNew = loaded.revision !== this.revision;
      link.up();
      if (isNew) {
        this.take(loaded);
        page.refreshSoon();
      }
      // A busy bank is polled a few times a second, not for each exchange.
      await pause(200, signal);
    }
  },

  /** @param {string} session */
  async older(session) {
    if (this.low > this.oldest) {
      const loaded = await call('GET /sessions/{s}/journal', { s: session }, { query: { brief: true, last: PAGE, before: this.low } });
      for (const entry of loaded.entries) this.entries.set(entry.seq, entry);
      this.settle();
    }
    this.shown = Math.min(MOST, this.shown + PAGE);
    this.draw(true);
  },

  /** The loaded entries, newest first. */
  get newestFirst() {
    return [...this.entries.values()].sort((a, b) => b.seq - a.seq);
  },

  /** The entries that match the filter, newest first. */
  fitting() {
    const terms = parse(input('filter').value);
    const errorsOnly = input('errors-only').checked;
    return this.newestFirst.filter((entry) => (!errorsOnly || isError(entry)) && fits(terms, entry, texts.known.get(entry.seq) ?? null));
  },

  /** Loads headers and bodies if the filter needs them. */
  loadTexts() {
    const text = input('filter').value;
    const session = view.session;
    if (session === null || texts.isLoading || !parse(text).some(isDeep) || !texts.missing(this.newestFirst).length) return;
    const isWanted = () => view.session === session && !view.signal.aborted && parse(input('filter').value).some(isDeep);
    // A failure is that of the next call, too, and is shown there.
    texts.load(session, this.newestFirst, isWanted, () => this.draw(true)).then(() => this.draw(true), () => {});
  },

  draw(isAsked = false) {
    if (this.isPaused && !isAsked) {
      setText($('pause'), this.high > this.pausedAt ? `Resume (${this.high - this.pausedAt} new)` : 'Resume');
      return;
    }
    const fitting = this.fitting();
    const rows = fitting.slice(0, this.shown);
    const isEmpty = this.entries.size === 0;
    $('rows').hidden = rows.length === 0;
    // The hint and its token are removed together; before the first response it is unknown whether the hint is needed.
    if (!isEmpty || this.revision === null) $('empty').replaceChildren();
    else if (!$('empty').firstChild) this.showEmpty();
    $('empty').hidden = !$('empty').firstChild;
    const waits = gaps(this.entries.values());
    list($('row-body'), rows.map((entry) => ({ entry, gap: waits.get(entry.seq) ?? null })), ({ entry }) => entry.seq, row);
    drawBars(rows);
    this.drawCount(fitting.length, rows.length, isEmpty);
    this.loadTexts();
  },

  /**
   * @param {number} fitting
   * @param {number} rows
   * @param {boolean} isEmpty
   */
  drawCount(fitting, rows, isEmpty) {
    const parts = [];
    if (!isEmpty) parts.push(fitting === this.entries.size ? counted(this.high - this.oldest + 1, 'request') : `${fitting} of ${counted(this.entries.size, 'loaded request')} match`);
    if (this.dropped) parts.push(`${counted(this.dropped, 'older request')} dropped`);
    if (texts.isLoading) parts.push('searching headers and bodies …');
    setText($('journal-count'), parts.join('; '));
    $('no-match').hidden = isEmpty || fitting > 0;
    const more = fitting > rows || (!isEmpty && this.low > this.oldest && this.entries.size < MOST);
    $('older').hidden = !more || this.shown >= MOST;
    setText($('older'), `Show ${PAGE} older`);
  },
};

/** Draws what the filter has become, and keeps it in the address. */
export function filterChanged() {
  if (view.session !== null) remember({ session: view.session, filter: input('filter').value, errorsOnly: input('errors-only').checked });
  journal.draw(true);
}

/** @param {string} text */
export function filterBy(text) {
  input('filter').value = text;
  filterChanged();
  $('filter').focus();
}
