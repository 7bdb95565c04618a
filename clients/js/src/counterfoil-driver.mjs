// Turns a JavaScript client into a driver: Counterfoil operates it, and reads what the user would see.
//
//     import { Driver } from './counterfoil-driver.mjs';
//
//     new Driver('acme-bank 2.1', {
//       banks: ['counterfoil'],
//       open: (start) => new Bank(start.base_url),
//       operations: {
//         async login(bank, { args }) {
//           await bank.signIn(args.user, args.password);
//           return { signed_in: true };
//         },
//       },
//     }).run();
//
// One file without packages, for Node 20, to copy or install. Several steps and cases may be in progress at once. While `run` works,
// what the client prints goes to stderr, so it cannot corrupt the protocol.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ERRORS = new Set([
  'unauthorized', 'consent_expired', 'forbidden', 'not_found', 'conflict', 'rejected', 'rate_limited', 'unavailable', 'offline',
  'timeout', 'tls', 'too_large', 'decode', 'outcome_unknown', 'cancelled', 'nothing_to_do', 'failed',
]);
const BY_STATUS = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found', 409: 'conflict', 410: 'not_found', 429: 'rate_limited' };
const PAYING = new Set(['pay', 'resume', 'round_up']);
// Without a final response it is unknown whether a payment was made; 409 for a key still in use is not final. An account that does not
// exist is a rejection.
const OPEN = ['offline', 'timeout', 'tls', 'too_large', 'decode', 'unavailable', 'conflict'];
const OF_PAYMENTS = { ...Object.fromEntries(OPEN.map((name) => [name, 'outcome_unknown'])), not_found: 'rejected' };

/** A step that failed, by the name of an error of the driver protocol. */
export class Failure extends Error {
  /**
   * @param sent whether a byte of the request may have been sent; a payment without a final response is then `outcome_unknown`
   * @param shown whether the client shows the error to the user
   */
  constructor(name, detail = '', { sent = true, shown = true } = {}) {
    if (!ERRORS.has(name)) throw new RangeError(`found the error "${name}", expected one of ${[...ERRORS].join(', ')}`);
    super(detail || name);
    Object.assign(this, { name, detail: (detail || name).toWellFormed(), sent, shown });
  }

  /** The failure that a status means, for a bank without its own error codes. */
  static ofStatus(status, detail = '') {
    const name = BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : status >= 400 ? 'rejected' : 'decode');
    return new Failure(name, `status ${status}${detail && `: ${detail}`}`);
  }

  /** The failure that an error of `fetch` or of Node's sockets means; undefined for any other error, which is a bug in the driver. */
  static of(error) {
    if (error instanceof Failure) return error;
    if (error?.name === 'TimeoutError') return new Failure('timeout', 'no complete response in time');
    if (error?.name === 'AbortError') return Object.assign(new Failure('cancelled', 'the request was cancelled'), { isCalledOff: true });
    const { code = '', message = '' } = error?.cause ?? error ?? {};
    const unsent = { sent: false };
    if (code === 'UND_ERR_CONNECT_TIMEOUT') return new Failure('timeout', 'no connection in time', unsent);
    if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/.test(code)) return new Failure('timeout', code);
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return new Failure('offline', code, unsent);
    if (/CERT|^(ERR_TLS_|UNABLE_TO_)/.test(code) || /before secure TLS/.test(message)) return new Failure('tls', code, unsent);
    if (/^(EPROTO|ERR_SSL_)/.test(code)) return new Failure('tls', code);
    if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/.test(code)) return new Failure('offline', code);
    if (error instanceof SyntaxError) return new Failure('decode', 'no JSON');
    if (/^(UND_ERR_|HPE_|Z_|ERR__ERROR_|ERR_BROTLI_|ZSTD_|ERR_ENCODING_)/.test(code)) return new Failure('decode', code);
    // A redirection that cannot be followed; a wrong address of the client's own has another message.
    if (error?.message === 'fetch failed' && (code === 'ERR_INVALID_URL' || /redirect|^URL scheme/.test(message))) return new Failure('decode', message);
    return undefined;
  }
}

/** The client does not have the operation, such as on this bank. */
export class Unsupported extends Error {}

/** The client showed the user nothing, neither data nor an error. */
export class Silent extends Error {}

/** The loop between the harness and a client. */
export class Driver {
  #cases = new Map();
  #write;

  /**
   * @param client name and version
   * @param description `banks` (left out: all), `features`, `open`, which makes the client of a case, `failure`,
   *   the meaning of an error of the client's own, and `operations` by name
   */
  constructor(client, { banks, features = [], open = () => undefined, failure = () => undefined, operations }) {
    Object.assign(this, { client, banks, features, open, failure, operations });
  }

  /** Runs until stdin ends. With the arguments `--try URL OPERATION [NAME=VALUE]…` it executes these operations once and prints their results. */
  async run(words = process.argv.slice(2)) {
    this.#write = process.stdout.write.bind(process.stdout);
    process.stdout.write = process.stderr.write.bind(process.stderr);
    if (words[0] === '--try') return this.#try(words.slice(1));
    // A line waits only until a case is open: steps do not wait for each other.
    for await (const line of linesOf(process.stdin)) {
      if (!line.trim()) continue;
      const message = JSON.parse(line);
      if (message.t === 'bye') break;
      await this.#handle(message);
    }
    await Promise.all([...this.#cases.values()].flatMap(({ steps }) => [...steps.values()].map((step) => step.answered)));
  }

  #send(message) {
    this.#write(`${JSON.stringify(message)}\n`);
  }

  async #handle(message) {
    const { t, case: id, n } = message;
    if (t === 'hello') {
      const { client, banks, features } = this;
      this.#send({ t, v: 1, nonce: message.nonce, client, banks, operations: Object.keys(this.operations), features });
    } else if (t === 'case') {
      this.#cases.set(id, { start: message, client: await this.open(message), steps: new Map() });
      this.#send({ t: 'ready', case: id });
    } else if (t === 'step') {
      const { start, client, steps } = this.#cases.get(id);
      const calledOff = new AbortController();
      const answered = this.#result(client, stepOf(start, message, calledOff.signal)).then(
        (result) => this.#send({ t: 'result', case: id, n, ...result }),
        mistaken,
      );
      steps.set(n, { calledOff, answered });
    } else if (t === 'cancel') {
      this.#cases.get(id)?.steps.get(n)?.calledOff.abort();
    } else if (t === 'end') {
      const { client, steps } = this.#cases.get(id);
      const ended = Promise.all([...steps.values()].map((step) => step.answered))
        .then(() => client?.close?.())
        .then(() => this.#cases.delete(id) && this.#send({ t: 'ended', case: id }), mistaken);
      steps.set('end', { calledOff: new AbortController(), answered: ended });
    }
  }

  async #result(client, step) {
    const operation = Object.hasOwn(this.operations, step.operation) ? this.operations[step.operation] : undefined;
    if (!operation) return { outcome: 'unsupported' };
    try {
      return { outcome: 'ok', view: whole(await operation(client, step)) };
    } catch (error) {
      if (error instanceof Unsupported) return { outcome: 'unsupported' };
      if (error instanceof Silent) return { outcome: 'silent' };
      const failure = this.failure(error) ?? Failure.of(error);
      if (!failure) throw error;
      const name = PAYING.has(step.operation) && failure.sent ? nameOfPayment(failure) : failure.name;
      return failure.shown ? { outcome: 'error', error: name, detail: failure.detail } : { outcome: 'silent', error: name };
    }
  }

  async #try([address = '', ...words]) {
    if (!/^https?:/.test(address) || words[0]?.includes('=')) {
      console.error('usage: --try URL [OPERATION [NAME=VALUE]…]…, such as --try http://127.0.0.1:8080/counterfoil login user=ava password=correct-horse');
      process.exit(2);
    }
    const asked = [];
    for (const word of words) {
      const [, name, value] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
      if (name === undefined) asked.push({ op: word, args: {} });
      else asked.at(-1).args[name] = value;
    }
    const base_url = address.replace(/\/+$/, ''), named = base_url.split('/').at(-1);
    const bank = !this.banks || this.banks.includes(named) ? named : this.banks[0];
    const state_dir = mkdtempSync(join(tmpdir(), 'counterfoil-try-'));
    const isOver = removedAtSignal(state_dir);
    try {
      const start = { case: 'try', base_url, bank, state_dir, login: {}, time_zone: 'UTC', timeouts: { connect_ms: 2000, total_ms: 5000 } };
      const client = await this.open(start);
      for (const message of asked.length ? asked : [{ op: 'status', args: {} }]) {
        const result = await this.#result(client, stepOf(start, message, new AbortController().signal));
        this.#write(`${message.op}: ${JSON.stringify(result)}\n`);
      }
      await client?.close?.();
    } finally {
      rmSync(state_dir, { recursive: true, force: true });
      isOver();
    }
  }
}

// Removes the folder, which can hold tokens, before a signal ends the process; the function that is returned ends that.
function removedAtSignal(folder) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const isOver = () => { for (const name of signals) process.off(name, end); };
  const end = (name) => {
    rmSync(folder, { recursive: true, force: true });
    isOver();
    process.kill(process.pid, name);
  };
  for (const name of signals) process.on(name, end);
  return isOver;
}

// A request that was called off on its way may have paid; what the client itself calls cancelled has not.
function nameOfPayment({ name, isCalledOff }) {
  return isCalledOff ? 'outcome_unknown' : (OF_PAYMENTS[name] ?? name);
}

// Lines end with \n alone: `node:readline` also ends them at U+2028, which JSON has inside texts.
async function* linesOf(stream) {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}

// A `login` without a user has the user, password and token of the case.
function stepOf(start, { op, args = {}, now }, signal) {
  const all = op === 'login' ? { ...start.login, ...args } : args;
  return { case: start, operation: op, args: all, now, signal, instant: (name) => (name in all ? new Date(all[name]) : undefined) };
}

// The view. A text with half of a surrogate pair, as `JSON.parse` reads it from `"\ud800"`, is not valid text: `decode`.
function whole(view) {
  JSON.stringify(view, (name, value) => {
    if (name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())) return value;
    throw new Failure('decode', 'a text with half of a surrogate pair');
  });
  return view;
}

// A bug in the driver ends the program: a client that has ended is noticed at once, one without output is not.
function mistaken(error) {
  console.error(error);
  process.exit(70);
}

// Amounts and days as views have them: texts, read exactly.

const DIGITS = {
  BHD: 3, BIF: 0, CLF: 4, CLP: 0, DJF: 0, GNF: 0, IQD: 3, ISK: 0, JOD: 3, JPY: 0, KMF: 0, KRW: 0, KWD: 3, LYD: 3, OMR: 3, PYG: 0, RWF: 0,
  TND: 3, UGX: 0, UYI: 0, UYW: 4, VND: 0, VUV: 0, XAF: 0, XOF: 0, XPF: 0,
};

/** The number of digits after the decimal point in amounts of the currency (ISO 4217). */
export function digits(currency) {
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) throw new RangeError('not a currency code');
  return DIGITS[currency] ?? 2;
}

/** The minor units of an amount in major units: ("12.30", "GBP") gives 1230n. No floating point, no rounding. */
export function minor(amount, currency) {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,18})(?:\.(\d{1,18}))?$/.exec(typeof amount === 'string' ? amount : '') ?? [];
  if (whole === undefined) throw new RangeError('not an amount');
  const count = digits(currency);
  if (/[1-9]/.test(fraction.slice(count))) throw new RangeError('more digits than the currency has');
  return BigInt(sign + whole + fraction.slice(0, count).padEnd(count, '0'));
}

/** An amount of minor units as text: (1230n, "GBP") gives "12.30". */
export function major(units, currency) {
  if (typeof units !== 'bigint' && !Number.isSafeInteger(units)) throw new RangeError('minor units must be a whole number');
  const whole = BigInt(units), count = digits(currency), shown = String(whole < 0n ? -whole : whole).padStart(count + 1, '0');
  const point = shown.length - count;
  return (whole < 0n ? '-' : '') + shown.slice(0, point) + (count ? `.${shown.slice(point)}` : '');
}

/**
 * The day of an instant in a time zone, such as "2026-01-12"; of a text that is a day, that day. A leap second, which only the end of June
 * or December has, is the second before it.
 */
export function day(text, zone) {
  const [, whole, time] = /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?!24)\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)))?$/.exec(typeof text === 'string' ? text : '') ?? [];
  const midnight = Date.parse(`${whole}T00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== whole) throw new RangeError('not an existing day'); // 30 February
  if (time === undefined) return whole;
  const at = Date.parse(`${whole}T${time.replace(/^(\d\d:\d\d):60/, '$1:59')}`);
  if (Number.isNaN(at)) throw new RangeError('not an instant');
  if (/^\d\d:\d\d:60/.test(time) && !/(?:06-30|12-31)T23:59/.test(new Date(at).toISOString())) throw new RangeError('not a leap second');
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at);
}
