// @ts-check
import { CounterfoilError } from './errors.js';

/** The parts of a session that are set: clock, tokens, faults, outage. */

/** A part of a session; its calls are below `/__admin/sessions/{session}`. */
export class Part {
  /**
   * @param {import('./admin.js').AdminAPI} admin
   * @param {string} session
   */
  constructor(admin, session) {
    /** @protected */
    this.admin = admin;
    /** @protected */
    this.path = ['sessions', session];
  }
}

/**
 * The number of the last of these that is pending. Throws that message if none is.
 *
 * @param {{ number: number, state: string }[]} entries
 * @param {string} missing
 */
function newestPending(entries, missing) {
  const newest = entries.findLast(({ state }) => state === 'pending');
  if (!newest) throw new CounterfoilError(missing);
  return newest.number;
}

/** The bank's clock. */
export class Clock extends Part {
  show() {
    return this.admin.get([...this.path, 'clock']);
  }

  /** @param {import('./index.js').ClockSetting} setting */
  set(setting) {
    return this.admin.put([...this.path, 'clock'], setting);
  }

  /** @param {string} by */
  advance(by) {
    return this.admin.post([...this.path, 'clock', 'advance'], { by });
  }
}

/** The bank's tokens. */
export class Tokens extends Part {
  async list() {
    return (await this.admin.get([...this.path, 'tokens'])).tokens;
  }

  /** @param {import('./index.js').TokenOptions} [options] */
  async issue(options = {}) {
    if (typeof options !== 'object') throw new CounterfoilError(`found ${options}, expected an object such as { login: 'ava' }`);
    return this.admin.post([...this.path, 'tokens'], options);
  }

  /** @param {string} [token] */
  async expire(token) {
    await this.admin.post([...this.path, 'tokens', 'expire'], { token });
  }

  /** @param {string} [token] */
  async revoke(token) {
    await this.admin.post([...this.path, 'tokens', 'revoke'], { token });
  }

  /**
   * @param {string[]} scopes
   * @param {string} [token]
   */
  async downscope(scopes, token) {
    await this.admin.post([...this.path, 'tokens', 'downscope'], { token, scopes });
  }
}

/** Sign-ins on the bank's page. Without a number, a decision applies to the newest pending sign-in. */
export class Authorizations extends Part {
  async list() {
    return (await this.admin.get([...this.path, 'authorizations'])).authorizations;
  }

  /** @param {{ number?: number; login?: string }} [options] */
  async approve({ number, login } = {}) {
    return (await this.#decide('approve', number, login)).redirect;
  }

  /** @param {{ number?: number }} [options] */
  async deny({ number } = {}) {
    return (await this.#decide('deny', number)).redirect;
  }

  /** @param {{ number?: number }} [options] */
  async cancel({ number } = {}) {
    return (await this.#decide('cancel', number)).redirect;
  }

  /** @param {{ number?: number }} [options] */
  async abandon({ number } = {}) {
    await this.#decide('abandon', number);
  }

  /**
   * @param {string} decision
   * @param {number} [number]
   * @param {string} [login]
   */
  async #decide(decision, number, login) {
    const missing = "found no pending sign-in, expected one: the app has not opened the bank's page";
    return this.admin.post([...this.path, 'authorizations', String(number ?? newestPending(await this.list(), missing))], { decision, login });
  }
}

/** Requests that a customer must confirm. Without a number, a decision applies to the newest pending request. */
export class Challenges extends Part {
  async list() {
    return (await this.admin.get([...this.path, 'challenges'])).challenges;
  }

  /** @param {{ number?: number }} [options] */
  approve({ number } = {}) {
    return this.#decide('approve', number);
  }

  /** @param {{ number?: number }} [options] */
  deny({ number } = {}) {
    return this.#decide('deny', number);
  }

  /**
   * @param {string} decision
   * @param {number} [number]
   */
  async #decide(decision, number) {
    const missing = 'found no pending challenge, expected one: the bank has not challenged a request';
    return this.admin.post([...this.path, 'challenges', String(number ?? newestPending(await this.list(), missing))], { decision });
  }
}

/** The rules, each with a fault and the requests that it affects. */
export class Faults extends Part {
  async list() {
    return (await this.admin.get([...this.path, 'faults'])).faults;
  }

  /**
   * @param {import('./index.js').Fault} fault
   * @param {import('./index.js').RuleOptions} [options]
   */
  async set(fault, options = {}) {
    return (await this.admin.post([...this.path, 'faults'], { fault, ...options })).id;
  }

  /** @param {string} rule */
  async remove(rule) {
    await this.admin.delete([...this.path, 'faults', rule]);
  }

  async clear() {
    await this.admin.delete([...this.path, 'faults']);
  }

  async release() {
    return (await this.admin.post([...this.path, 'faults', 'release'])).released;
  }
}

/** The session's outage: a plan of faults on a timetable. */
export class Outage extends Part {
  show() {
    return this.admin.get([...this.path, 'outage']);
  }

  /**
   * @param {string | object} nameOrPlan
   * @param {import('./index.js').OutageOptions} [options]
   */
  async start(nameOrPlan, options = {}) {
    if (typeof options !== 'object') throw new CounterfoilError(`found ${options}, expected an object such as { for: '5m' }`);
    const body = typeof nameOrPlan === 'string' ? { name: nameOrPlan } : { plan: nameOrPlan };
    await this.admin.post([...this.path, 'outage'], { ...body, ...options });
  }

  async stop() {
    await this.admin.delete([...this.path, 'outage']);
  }
}
