// @ts-check
// What the fixtures for Playwright and Vitest share: the server of a worker, a session for each test, and the check of its requests.
import { randomUUID } from 'node:crypto';
import { AdminError, CounterfoilError, ExpectationError, StartError, UnreachableError } from './errors.js';
import { LONGEST_WAIT, lineOf, unmatchedLines } from './journal.js';
import { LocalServer, serve } from './process.js';
import { connect, sessionLabel, sessionName } from './server.js';

/** @typedef {import('./server.js').Server} Server */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./index.js').Exchange} Exchange */
/** @typedef {{bank?: string} & import('./index.js').SessionOptions} BankOptions */
/** @typedef {{suites: readonly string[], timeout: number, sequential: boolean}} Judged */
/** @typedef {{banks?: string[]} & import('./index.js').ServeOptions} WorkerOptions */

/** The number of requests that a failure shows. */
const SHOWN = 20;
/** The milliseconds for which a test without `judged` waits for the end of its requests. */
const GRACE = 1000;
const WAIT =
  "Wait for the app's requests before the test ends (await their promises), or end those that a fault holds with `bank.faults.release()`.";

const OWN_BANKS =
  'The bank is that of `bankOptions`. Your own banks are those of the folder `Stubs` where the run starts, or of COUNTERFOIL_STUBS.';

/** The test during which the server of this worker was found to have ended. */
let endedIn = '';

/**
 * The server of a worker: the one at COUNTERFOIL_ADMIN, else a new one. It does not throw, so that each test can name itself.
 *
 * @param {WorkerOptions} options
 * @returns {Promise<{server?: Server, problem: string}>}
 */
async function begin({ banks = [], ...options }) {
  try {
    return { server: process.env.COUNTERFOIL_ADMIN ? await connect() : await serve(banks, options), problem: '' };
  } catch (error) {
    if (!(error instanceof CounterfoilError)) throw error;
    return { problem: `no Counterfoil server: ${error.message}\n${wayOut(error)}` };
  }
}

/** @param {{server?: Server}} begun */
async function finish({ server }) {
  if (server instanceof LocalServer) await server.stop();
}

/**
 * The fixtures of a worker. The two runners read the names of the fixtures that one needs from its first argument: it stays written out.
 *
 * @type {any}
 */
export const workerFixtures = {
  counterfoilBegun: [
    async ({ serveOptions }, use) => {
      const begun = await begin(serveOptions);
      await use(begun);
      await finish(begun);
    },
    { scope: 'worker' },
  ],
  counterfoilServer: [
    async ({ counterfoilBegun }, use) => {
      if (!counterfoilBegun.server) throw new Error(counterfoilBegun.problem);
      await use(counterfoilBegun.server);
    },
    { scope: 'worker' },
  ],
};

/**
 * A fixture: lends a session to a test, and checks it when the test has passed.
 *
 * @param {object} test
 * @param {string} test.name what messages name the test
 * @param {{server?: Server, problem: string}} test.begun
 * @param {BankOptions} test.options
 * @param {string[] | Partial<Judged>} test.judged
 * @param {() => 'passed' | 'failed' | 'skipped' | 'interrupted'} test.outcome called when the test has ended
 * @param {(journal: string) => unknown} test.show called with the journal if the test has failed
 * @param {(session: Session) => Promise<void>} use
 */
export async function lend({ name, begun, options, judged, outcome, show }, use) {
  const { server } = begun;
  if (!server) throw new CounterfoilError(`${name}: ${begun.problem}`);
  const rules = { timeout: 10_000, sequential: false, ...rulesOf(name, judged ?? []) };
  const session = await reported(name, server, () => newSession(server, name, options, rules.suites));
  await use(session);
  const ended = outcome();
  const work = reported(name, server, async () => {
    try {
      if (ended === 'failed') await show(await journalOf(session));
      else if (ended === 'passed' && rules.suites.length > 0) await judge(session, name, rules);
      else if (ended === 'passed') await warnOfRunning(session, name);
    } finally {
      await session[Symbol.asyncDispose]();
    }
  });
  // Ctrl-C has ended the server of the worker, too.
  await (ended === 'interrupted' ? work.catch(() => {}) : work);
}

/**
 * What `judged` chooses. A value that is not understood fails the test: it would otherwise pass unchecked.
 *
 * @param {string} test
 * @param {unknown} judged
 * @returns {{suites: readonly string[]} & Partial<Judged>}
 */
function rulesOf(test, judged) {
  const isObject = typeof judged === 'object' && judged !== null;
  const rules = /** @type {any} */ (isObject && !Array.isArray(judged) ? judged : { suites: judged });
  const unknown = Object.keys(rules).find((key) => !['suites', 'timeout', 'sequential'].includes(key));
  if (unknown !== undefined) throw new CounterfoilError(`${test}: \`judged\`: found ${unknown}, expected suites, timeout or sequential`);
  if (!Array.isArray(rules.suites) || !rules.suites.every((/** @type {unknown} */ suite) => typeof suite === 'string')) {
    const found = rules.suites === undefined ? 'no suites' : JSON.stringify(rules.suites);
    throw new CounterfoilError(`${test}: \`judged\`: found ${found}, expected an array of suites: \`['auth', 'pay']\``);
  }
  return rules;
}

/**
 * @param {Server} server
 * @param {string} test
 * @param {BankOptions} options
 * @param {readonly string[]} suites
 */
async function newSession(server, test, { bank = 'counterfoil', ...options }, suites) {
  const whole = { name: sessionName(test), ...options, labels: { test: sessionLabel(test), ...options.labels } };
  let session;
  try {
    session = await server.newSession(bank, whole);
  } catch (error) {
    if (!(error instanceof AdminError) || error.status !== 409) throw error;
    const other = sessionName(`${test} ${randomUUID()}`);
    process.emitWarning(
      `${test}: the server at ${server.adminAddress} already has the session ${whole.name}: another run uses this server, or was killed. ` +
        `This test uses ${other}; to remove the other, run \`counterfoil session rm ${whole.name}\`.`,
      'BankWarning',
    );
    session = await server.newSession(bank, { ...whole, name: other });
  }
  if (suites.length > 0) {
    try {
      await session.verdict([...suites]);
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error instanceof AdminError ? new CounterfoilError(`${test}: \`judged\`: ${error.detail}`) : error;
    }
  }
  return session;
}

/**
 * @param {Session} session
 * @param {string} test
 * @param {Judged} rules
 */
async function judge(session, test, { suites, timeout, sequential }) {
  const running = await unfinished(session, timeout);
  if (running.length > 0) throw new CounterfoilError(`${test} ended while ${listed(running)}\nIts requests cannot be checked. ${WAIT}`);
  try {
    await session.expect([...suites], { timeout: 0, sequential });
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error;
    throw new ExpectationError(`${test}: ${error.message}`, error.verdict);
  }
}

/**
 * @param {Session} session
 * @param {string} test
 */
async function warnOfRunning(session, test) {
  const running = await unfinished(session, GRACE).catch((error) => {
    // A test may have removed its session itself.
    if (error instanceof AdminError && error.status === 404) return [];
    throw error;
  });
  if (running.length > 0) process.emitWarning(`${test} ended while ${listed(running)}\n${WAIT}`, 'BankWarning');
}

/**
 * The exchanges that are in progress still, after at most that many milliseconds.
 *
 * @param {Session} session
 * @param {number} timeout
 */
async function unfinished(session, timeout) {
  const until = performance.now() + timeout;
  for (;;) {
    const page = await session.journal.page({ last: 100, brief: true });
    const running = page.entries.filter((exchange) => exchange.duration_us === null);
    const left = until - performance.now();
    if (running.length === 0 || left <= 0) return running;
    await session.journal.page({ last: 1, brief: true, revision: page.revision, wait: Math.min(left, LONGEST_WAIT) });
  }
}

/** @param {Exchange[]} running */
function listed(running) {
  const count = running.length === 1 ? 'one request was' : `${running.length} requests were`;
  return `${count} in progress:${running.slice(0, SHOWN).map((exchange) => `\n  ${lineOf(exchange)}`).join('')}`;
}

/** @param {Session} session */
async function journalOf(session) {
  const { entries } = await session.journal.page({ last: SHOWN, brief: true });
  const lines = [...entries.map(lineOf), ...(await unmatchedLines(session.journal, entries))].join('\n') || 'the bank received no request';
  return `Counterfoil session ${session.id} of ${session.bank}, seed ${session.seed}:\n${lines}`;
}

/**
 * Turns an error of the admin API into one that names the test and what to do.
 *
 * @template T
 * @param {string} test
 * @param {Server} server
 * @param {() => Promise<T>} work
 */
async function reported(test, server, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreachableError) throw new CounterfoilError(`${test}: ${await endOf(server, test, error)}`, { cause: error });
    if (error instanceof AdminError) throw new CounterfoilError(`${test}: ${error.message}\n${OWN_BANKS}`, { cause: error });
    throw error;
  }
}

/**
 * @param {Server} server
 * @param {string} test
 * @param {Error} error
 */
async function endOf(server, test, error) {
  if (!(server instanceof LocalServer)) return `${error.message}\nCheck that the server at COUNTERFOIL_ADMIN is running, then run the tests again.`;
  const status = await server.wait(1000);
  if (status === null) return `${error.message}\nThe server of this run is still running, but does not respond: check whether the machine is overloaded.`;
  endedIn ||= test;
  const when = endedIn === test ? 'during this test' : `during ${endedIn}`;
  const words = server.lastWords();
  return (
    `the server of this run ended ${when}, with ${typeof status === 'string' ? '' : 'status '}${status}; every later test with a bank fails. ` +
    `Run them again; if nothing killed the server, report it${words ? ` with its output:\n${words}` : '; it printed nothing.'}`
  );
}

/** @param {CounterfoilError} error */
function wayOut(error) {
  if (error instanceof UnreachableError) return 'Start a server at the address in COUNTERFOIL_ADMIN, or unset it: then the run starts its own.';
  if (error instanceof AdminError) return "COUNTERFOIL_ADMIN_TOKEN must contain the server's admin token.";
  if (!(error instanceof StartError)) return 'Correct the address in COUNTERFOIL_ADMIN, or the token in COUNTERFOIL_ADMIN_TOKEN.';
  if (error.hasRun) {
    return (
      "Correct what the program's output lists. Tests find the banks in the folder Stubs where they run, in the folder that COUNTERFOIL_STUBS " +
      'names, or beside an installed program.'
    );
  }
  return (
    'Put the program `counterfoil` on the path, or its path in COUNTERFOIL, or the admin address of a running server in COUNTERFOIL_ADMIN. ' +
    'docs/packaging.md shows how to install or download it.'
  );
}
