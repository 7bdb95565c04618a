// @ts-check
// The selected session, and what the page knows of the server.

/**
 * @typedef {{ id: string, bank: string, base_url: string, port?: number, seed: number, now: string, exchanges: number, rules: number, outage?: string }} Session
 * @typedef {object} Bank
 * @property {string} name
 * @property {string} about
 * @property {{ name: string, request: string, roles: string[] }[]} operations
 * @property {Record<string, string[]>} roles
 * @property {string[]} customers
 * @property {string | null} example
 * @property {boolean} needs_token
 */

export const view = {
  /**
   * Its id; null before the first response.
   *
   * @type {string | null}
   */
  session: null,
  /** @type {Session[]} */
  sessions: [],
  /** @type {Bank[]} */
  banks: [],
  /**
   * Aborted once another session is selected, or the page is hidden.
   *
   * @type {AbortSignal}
   */
  signal: new AbortController().signal,

  /** The selected session. */
  get own() {
    return this.sessions.find(({ id }) => id === this.session);
  },

  /** The selected session's bank. */
  get bank() {
    return this.banks.find(({ name }) => name === this.own?.bank);
  },
};
