// @ts-check
import { AdminError, CounterfoilError, ExpectationError } from './errors.js';
import { Journal, LONGEST_WAIT } from './journal.js';
import { Authorizations, Challenges, Clock, Faults, Outage, Tokens } from './parts.js';

/** A session of a running server: a bank with money, clock, tokens, faults and journal of its own. */
export class Session {
  #admin;
  #path;

  /**
   * @param {import('./admin.js').AdminAPI} admin
   * @param {import('./index.js').SessionInfo} info
   */
  constructor(admin, info) {
    this.#admin = admin;
    this.#path = ['sessions', info.id];
    this.id = info.id;
    this.bank = info.bank;
    this.baseURL = info.base_url;
    this.port = info.port ?? null;
    this.seed = info.seed;
    this.clock = new Clock(admin, info.id);
    this.tokens = new Tokens(admin, info.id);
    this.authorizations = new Authorizations(admin, info.id);
    this.challenges = new Challenges(admin, info.id);
    this.faults = new Faults(admin, info.id);
    this.outage = new Outage(admin, info.id);
    this.journal = new Journal(admin, info.id);
  }

  info() {
    return this.#admin.get(this.#path);
  }

  async reset() {
    await this.#admin.post([...this.#path, 'reset']);
  }

  async snapshot() {
    await this.#admin.post([...this.#path, 'snapshot']);
  }

  async restore() {
    await this.#admin.post([...this.#path, 'restore']);
  }

  async remove() {
    await this.#admin.delete(this.#path);
  }

  async [Symbol.asyncDispose]() {
    try {
      await this.remove();
    } catch (error) {
      // Removed already; or a bank's default session, which stays.
      if (!(error instanceof AdminError) || ![404, 409].includes(error.status)) throw error;
    }
  }

  async closeConnections() {
    await this.#admin.post([...this.#path, 'connections', 'close']);
  }

  /**
   * @param {string} state
   * @param {{params?: Record<string, unknown>, action?: 'setup' | 'teardown'}} [options]
   */
  providerState(state, options = {}) {
    return this.#admin.post([...this.#path, 'provider-state'], { state, ...options });
  }

  /**
   * @param {string} event
   * @param {import('./index.js').EventMembers} [members]
   */
  happen(event, members = {}) {
    return this.#admin.post([...this.#path, 'events'], { event, ...members });
  }

  /**
   * @param {string} event
   * @param {string} after
   * @param {import('./index.js').EventMembers & { every?: string }} [members]
   */
  schedule(event, after, members = {}) {
    return this.#admin.post([...this.#path, 'schedule'], { event, in: after, ...members });
  }

  /**
   * @param {string} url
   * @param {{ events?: string[], sign?: string }} [options]
   */
  addWebhook(url, options = {}) {
    return this.#admin.post([...this.#path, 'webhooks'], { url, ...options });
  }

  /** @param {string} id */
  webhook(id) {
    return this.#admin.get([...this.#path, 'webhooks', id]);
  }

  /**
   * @param {string} id
   * @param {string} fault
   * @param {number} [times]
   */
  async breakWebhook(id, fault, times = 1) {
    await this.#admin.post([...this.#path, 'webhooks', id, 'faults'], { fault, times });
  }

  /** @param {{ last?: number }} [query] */
  ledger(query = {}) {
    return this.#admin.get([...this.#path, 'ledger'], query);
  }

  async balances() {
    return (await this.#admin.get([...this.#path, 'balances'])).balances;
  }

  /**
   * @param {string[]} [suites]
   * @param {{sequential?: boolean}} [options]
   */
  async verdict(suites = [], { sequential = false } = {}) {
    if (!Array.isArray(suites) || suites.some((suite) => typeof suite !== 'string' || suite.includes(','))) {
      throw new CounterfoilError(`found ${JSON.stringify(suites)}, expected an array of suites, such as ['auth', 'pay']`);
    }
    return this.#admin.get([...this.#path, 'verdict'], { suites: suites.join(',') || undefined, sequential: sequential || undefined });
  }

  /**
   * @param {string[]} [suites]
   * @param {{timeout?: number, sequential?: boolean}} [options]
   */
  async expect(suites = [], { timeout = 10_000, sequential = false } = {}) {
    const until = performance.now() + timeout;
    /** @type {import('./index.js').Verdict} */
    let verdict;
    for (;;) {
      // The revision first: what ends after it is a change.
      const { revision } = await this.journal.page({ last: 1, brief: true });
      verdict = await this.verdict(suites, { sequential });
      const left = until - performance.now();
      if (verdict.under_way === 0 || left <= 0) break;
      await this.journal.page({ last: 1, brief: true, revision, wait: Math.min(left, LONGEST_WAIT) });
    }
    const broken = verdict.rules.filter((rule) => rule.verdict === 'fail' && rule.level === 'must');
    if (broken.length > 0) throw new ExpectationError(broken.map(textOf).join('\n'), verdict);
    if (verdict.dropped > 0) {
      throw new ExpectationError(`the journal dropped ${verdict.dropped} requests: without them, no rule can pass`, verdict);
    }
    const silent = [...new Set(suites.length > 0 ? suites : [''])].filter(
      (suite) => !verdict.rules.some((rule) => ['pass', 'fail'].includes(rule.verdict) && isOf(rule, suite)));
    if (silent.length > 0) {
      const named = silent.join(' and no rule of ') || 'any suite';
      const running = verdict.under_way > 0 ? `; ${verdict.under_way} of them in progress: wait for the app's requests before the check` : '';
      const expected = suites.length > 1 ? 'at least one of each' : 'at least one';
      const doubts = verdict.rules.filter((rule) => rule.verdict === 'inconclusive' && silent.some((suite) => isOf(rule, suite)));
      const text = `found no rule of ${named} exercised in ${verdict.exchanges} requests, expected ${expected}${running}`;
      throw new ExpectationError([text, ...doubts.map(doubtOf)].join('\n'), verdict);
    }
    for (const rule of verdict.rules) if (rule.verdict === 'inconclusive') process.emitWarning(doubtOf(rule), 'InconclusiveWarning');
    return verdict;
  }
}

/**
 * Whether it is a rule of the suite. Rules of every suite show invariants; the empty suite stands for all.
 * @param {import('./index.js').JudgedRule} rule
 * @param {string} suite
 */
function isOf(rule, suite) {
  return ['', 'invariant'].includes(suite) || rule.id.startsWith(`${suite}.`);
}

/** @param {import('./index.js').JudgedRule} rule */
function doubtOf(rule) {
  const doubt = rule.cannot_tell[0];
  if (!doubt) return `${rule.id} is inconclusive: the journal dropped entries`;
  return `${rule.id} is inconclusive: ${doubt.seen}; ${doubt.reason}; to decide it, ${doubt.do}`;
}

/** @param {import('./index.js').JudgedRule} rule */
function textOf(rule) {
  const lines = [...rule.violations.map((violation) => violation.headline), `why: ${rule.why}`, ...rule.timeline];
  return rule.id + lines.map((line) => `\n  ${line}`).join('');
}
