// @ts-check
import { CounterfoilError, NoExchangeError } from './errors.js';
import { Part } from './parts.js';

/** @typedef {import('./index.js').Exchange} Exchange */

/** The longest time, in milliseconds, for which one request waits for a change; the server allows 25 s. */
export const LONGEST_WAIT = 20_000;

/**
 * A value of each member of a wanted exchange; others have its type.
 *
 * @type {Map<string, unknown>}
 */
const EXAMPLES = new Map(
  Object.entries({
    operation: 'accounts', role: 'pay', status: 200, method: 'POST', path: '/v1/payments',
    matches: () => true, after: 5, timeout: 10_000,
  }),
);

/** The journal of a session: the last 10,000 requests with their responses. */
export class Journal extends Part {
  /** The number of entries that one request asks for while it searches. */
  static pageLength = 500;

  /**
   * @param {import('./index.js').JournalQuery} [query]
   * @returns {Promise<import('./index.js').JournalPage>}
   */
  page({ wait, ...query } = {}) {
    const words = { ...query, wait: wait === undefined ? undefined : `${Math.max(1, Math.round(wait))}ms` };
    return this.admin.get([...this.path, 'journal'], words, wait);
  }

  /** @param {{operation?: string, status?: number, since?: number}} [query] */
  async exchanges(query = {}) {
    return (await this.page(query)).entries;
  }

  async lastSeq() {
    return (await this.page({ last: 1, brief: true })).entries[0]?.seq ?? 0;
  }

  /**
   * @param {import('./index.js').Wanted} [wanted]
   * @returns {Promise<Exchange>}
   */
  async waitForExchange(wanted = {}) {
    if (typeof wanted !== 'object') {
      throw new CounterfoilError(`found ${wanted}, expected an object such as { role: 'pay', matches: (exchange) => exchange.replayed }`);
    }
    for (const [name, value] of Object.entries(wanted)) {
      const example = EXAMPLES.get(name);
      if (example === undefined) throw new CounterfoilError(`found the member ${name}, expected ${[...EXAMPLES.keys()].join(', ')}`);
      if (value !== undefined && typeof value !== typeof example) {
        const shown = typeof example === 'function' ? 'exchange => exchange.replayed' : JSON.stringify(example);
        throw new CounterfoilError(`found ${name}: ${JSON.stringify(value)}, expected a ${typeof example}, such as ${name}: ${shown}`);
      }
    }
    const { timeout = 10_000, after = 0, matches, role, ...members } = wanted;
    const pairs = Object.entries(members).filter(([, value]) => value !== undefined);
    /** @param {Exchange} exchange */
    const fits = (exchange) =>
      pairs.every(([name, value]) => /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (exchange))[name] === value) &&
      (role === undefined || exchange.roles.includes(role)) &&
      (matches === undefined || Boolean(matches(exchange)));
    const limit = Journal.pageLength;
    const until = performance.now() + timeout;
    let since = after;
    /** @type {number | undefined} */
    let revision;
    for (;;) {
      const left = Math.max(0, until - performance.now());
      let page = await this.page({ since, limit, revision, wait: revision === undefined ? undefined : Math.min(left, LONGEST_WAIT) });
      // The revision of the first page: a later page may come after an exchange of this one has changed.
      revision = page.revision;
      /** @type {number | undefined} */
      let resume;
      for (;;) {
        const found = page.entries.find(fits);
        if (found) return found;
        // An exchange in progress is looked at again.
        const open = page.entries.find((exchange) => exchange.duration_us === null);
        if (open) resume ??= open.seq - 1;
        if (page.entries.length < limit) break;
        page = await this.page({ since: page.next_since, limit });
      }
      since = resume ?? page.next_since;
      if (performance.now() >= until) break;
    }
    const names = [...(role ? [['role', role]] : []), ...pairs].map(([name, value]) => `${name} ${value}`);
    const words = [...names, ...(matches ? ['the condition'] : [])].join(', ') || 'any request';
    const last = (await this.page({ last: 20, brief: true })).entries;
    const lines = last.map((exchange) => `\n  ${lineOf(exchange)}`).join('');
    const came = last.length > 0 ? `the end of the journal:${lines}` : 'the bank received no request';
    throw new NoExchangeError(`found no exchange with ${words} after ${timeout} ms, expected one; ${came}`, last);
  }

  /** @param {number} seq */
  exchange(seq) {
    return this.admin.get([...this.path, 'journal', String(seq)]);
  }

  /** @returns {Promise<(Exchange & {nearest: import('./index.js').NearMiss[]})[]>} */
  async unmatched() {
    return (await this.admin.get([...this.path, 'journal', 'unmatched'])).entries;
  }

  har() {
    return this.admin.get([...this.path, 'journal', 'har']);
  }

  async clear() {
    await this.admin.delete([...this.path, 'journal']);
  }
}

/**
 * A line for each request among these that matched no operation of the bank, with the operation nearest to it.
 *
 * @param {Journal} journal
 * @param {Exchange[]} shown
 */
export async function unmatchedLines(journal, shown) {
  if (shown.every((exchange) => exchange.operation !== null || exchange.status === null)) return [];
  const numbers = new Set(shown.map((exchange) => exchange.seq));
  return (await journal.unmatched())
    .filter((exchange) => numbers.has(exchange.seq) && exchange.nearest.length > 0)
    .map(({ seq, nearest: [near] }) => `#${seq} matched no operation of the bank; the nearest is ${near.wants}: ${near.reasons.join('; ')}`);
}

/**
 * One line that shows an exchange: `#3 GET /v1/accounts → 200`.
 *
 * @param {Exchange} exchange
 */
export function lineOf(exchange) {
  const shown = [...(exchange.status ? [exchange.status] : []), ...(exchange.duration_us === null ? ['in progress'] : [])];
  return `#${exchange.seq} ${exchange.method ?? 'no request'} ${exchange.path} → ${shown.join(', ') || 'no response'}`;
}
