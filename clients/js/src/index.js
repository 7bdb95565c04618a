// @ts-check
/**
 * Starts and controls Counterfoil, a mock bank API with contract tests for bank clients.
 *
 * Everything is a call of the admin API (docs/admin-api.md); objects that it returns are plain, with the names of its reference.
 * `index.d.ts` has the types.
 */
export { AdminError, CounterfoilError, ExpectationError, NoExchangeError, StartError, UnreachableError } from './errors.js';
export { Journal } from './journal.js';
export { Authorizations, Challenges, Clock, Faults, Outage, Tokens } from './parts.js';
export { LocalServer, serve } from './process.js';
export { Server, connect, sessionLabel, sessionName } from './server.js';
export { Session } from './session.js';
