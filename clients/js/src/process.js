// @ts-check
import { spawn } from 'node:child_process';
import { AdminAPI, parsed } from './admin.js';
import { findProgram } from './download.js';
import { CounterfoilError, StartError } from './errors.js';
import { Server } from './server.js';

/** The number of characters of the program's words that an error has. */
const LONGEST_WORDS = 8192;

/** The servers that were started and not stopped. @type {Set<import('node:child_process').ChildProcess>} */
const started = new Set();

/** The signals that end this process without its event `exit`. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** A server that this process has started. */
export class LocalServer extends Server {
  #process;
  #output;

  /**
   * @param {AdminAPI} admin
   * @param {import('node:child_process').ChildProcess} child
   * @param {any} ready
   * @param {() => string} output
   */
  constructor(admin, child, ready, output) {
    super(admin);
    this.#process = child;
    this.#output = output;
    this.bankAddress = ready.bank;
    this.bankAddresses = ready.banks;
    this.seed = ready.seed;
    this.ready = ready;
  }

  get pid() {
    return this.#process.pid;
  }

  get exitStatus() {
    return this.#process.exitCode;
  }

  /** @param {number} [timeout] */
  async wait(timeout = 10_000) {
    await ended(this.#process, timeout);
    return this.#process.exitCode ?? this.#process.signalCode;
  }

  lastWords() {
    return this.#output().trim().slice(-2000);
  }

  /** @param {number} [timeout] */
  async stop(timeout = 10_000) {
    await end(this.#process, timeout);
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

/**
 * @param {string[]} [banks]
 * @param {import('./index.js').ServeOptions} [options]
 */
export async function serve(banks = [], options = {}) {
  if (!Array.isArray(banks)) throw new CounterfoilError(`found ${JSON.stringify(banks)}, expected an array of banks, such as ['counterfoil']`);
  const { port = 0, adminPort = 0, timeout = 30_000, arguments: further = [] } = options;
  const program = await findProgram(options.program);
  const chosen = { ...options, stubs: options.stubs || process.env.COUNTERFOIL_STUBS || undefined };
  const words = ['serve', ...banks, '--quiet', '--port', String(port), '--admin-port', String(adminPort)];
  for (const name of /** @type {const} */ (['stubs', 'seed', 'state', 'plan'])) {
    if (chosen[name] !== undefined) words.push(`--${name}`, String(chosen[name]));
  }
  if (options.tls) words.push('--tls', ...(further.some((word) => word.startsWith('--tls-port')) ? [] : ['--tls-port', '0']));
  words.push(...further);
  const token = options.adminToken || process.env.COUNTERFOIL_ADMIN_TOKEN;
  const env = token ? { ...process.env, COUNTERFOIL_ADMIN_TOKEN: token } : process.env;
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env });
  endWithThisProcess(child);
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => (output = (output + piece).slice(-LONGEST_WORDS)));
  try {
    const ready = parsed(await firstLine(child, timeout));
    const server = new LocalServer(new AdminAPI(ready.admin, { token }), child, ready, () => output);
    // A script that forgets to stop its server still ends.
    for (const one of [child, child.stdout, child.stderr]) /** @type {{unref(): void}} */ (/** @type {unknown} */ (one)).unref();
    return server;
  } catch (error) {
    await end(child, 2000);
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code) throw new StartError(`cannot run ${program}: ${code}; expected the program \`counterfoil\`, on the path, in COUNTERFOIL or as \`program\``);
    throw new StartError(`${withoutSecrets([program, ...words]).join(' ')}: ${message}${output.trim() ? `; its output:\n${output.trim()}` : ''}`, true);
  }
}

/**
 * The words of a command without the value of `--admin-token`: errors stand in logs that others read.
 *
 * @param {string[]} words
 */
function withoutSecrets(words) {
  const name = '--admin-token';
  return words.map((word, index) => (words[index - 1] === name ? '***' : word.startsWith(`${name}=`) ? `${name}=***` : word));
}

/**
 * The first line of the process's output.
 *
 * @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child
 * @param {number} timeout
 * @returns {Promise<string>}
 */
function firstLine(child, timeout) {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`found no ready line after ${timeout} ms, expected one`)), timeout);
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ piece) => {
      text += piece;
      if (!text.includes('\n')) return;
      clearTimeout(timer);
      resolve(text);
    });
    // Not `exit`: `close` comes when all its output has been read.
    child.once('close', (status) => {
      clearTimeout(timer);
      reject(new Error(`it ended with status ${status}, expected a ready line`));
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/**
 * Returns when a process has ended, or after that time.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} timeout in milliseconds
 * @param {() => void} [late] called if it has not ended after that time; then this returns when it has
 * @returns {Promise<void>}
 */
function ended(child, timeout, late) {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
    child.ref();
    const timer = setTimeout(late ?? done, timeout);
    child.once('exit', done);
    function done() {
      clearTimeout(timer);
      child.removeListener('exit', done);
      child.unref();
      resolve();
    }
  });
}

/**
 * Ends a process, and returns when it has ended: gracefully, or by force after that time.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} timeout in milliseconds
 */
async function end(child, timeout) {
  if (started.delete(child) && started.size === 0) {
    process.removeListener('exit', killAll);
    for (const signal of SIGNALS) process.removeListener(signal, endAt);
  }
  const gone = ended(child, timeout, () => child.kill('SIGKILL'));
  child.kill();
  await gone;
}

/**
 * Ends a server with this process, if nothing else ends it before.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithThisProcess(child) {
  if (started.size === 0) {
    process.on('exit', killAll);
    for (const signal of SIGNALS) process.prependListener(signal, endAt);
  }
  started.add(child);
}

function killAll() {
  for (const child of started) child.kill();
}

/**
 * Ends this process as the signal does where nobody listens to it. Another listener, such as that of a test runner, decides alone.
 *
 * @param {NodeJS.Signals} signal
 */
function endAt(signal) {
  process.removeListener(signal, endAt);
  if (process.listenerCount(signal) > 0) return;
  killAll();
  process.kill(process.pid, signal);
}
