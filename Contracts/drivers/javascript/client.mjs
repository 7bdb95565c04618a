// The client under test, built on `fetch`: signs in, reads, and pays each payment order once, whatever the network does.
// Your own client takes the place of this file and of banks.mjs.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, PENDING, parseJSON } from "./exact.mjs";
import { Page, exchangeForm } from "./page.mjs";
import { retryAfter } from "./waits.mjs";

// Node's fetch is undici's, and is loaded when it is first called. With the package `undici`: const { Agent } = require("undici").
fetch("data:,").catch(() => {});
const { constructor: Agent } = globalThis[Symbol.for("undici.globalDispatcher.1")];

const ATTEMPTS = 3, LONGEST_WAIT = 4, LARGEST_BODY = 8 << 20; // seconds; bytes
const RETRIES = 20; // of all requests together while the bank fails; each success gives one back

const utf8 = new TextDecoder("utf-8", { fatal: true });

// Values in a file of the owner's (0600). On return every change is on disk, whole. A damaged file counts as absent: the user signs in again.
class Store {
  constructor(folder, name) {
    this.file = path.join(folder, `${name}.json`);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  // Read when it is first needed: on a locked device a file cannot be read for a while, and nothing is forgotten for that.
  get values() {
    return (this.known ??= usable("read", () => (fs.existsSync(this.file) ? this.parsed(fs.readFileSync(this.file)) : {})));
  }
  parsed(bytes) {
    try {
      const values = JSON.parse(utf8.decode(bytes));
      if (Object.getPrototypeOf(values) === Object.prototype) return values;
    } catch {}
    return this.damaged();
  }
  damaged() {
    return {};
  }
  change(values) {
    const changed = JSON.stringify({ ...this.values, ...values });
    usable("written", () => {
      flushed(fs.openSync(`${this.file}.new`, "w", 0o600), (half) => fs.writeSync(half, changed));
      fs.renameSync(`${this.file}.new`, this.file);
      flushed(fs.openSync(path.dirname(this.file), "r"));
    });
    this.known = JSON.parse(changed);
  }
}

// The payment orders. A damaged file may contain a payment that was sent: it is reported, and never replaced.
class Payments extends Store {
  damaged() {
    throw new Failure("unavailable", `the payments cannot be read: ${path.basename(this.file)} is damaged`, { sent: false });
  }
}

function flushed(file, write = () => {}) {
  try {
    write(file);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

// Does something with a file. A rejection of the system is a failure of this moment only.
function usable(what, work) {
  try {
    return work();
  } catch (error) {
    throw error.syscall ? new Failure("unavailable", `the store cannot be ${what} now: ${error.code}`, { sent: false }) : error;
  }
}

const nameless = (token) => createHash("sha256").update(token).digest("hex");

class Client {
  constructor(bank, { base_url, bank: name, state_dir, ca_file, timeouts = {} }) {
    Object.assign(this, { bank, base: base_url, total: timeouts.total_ms ?? 10000, paying: new Map(), turn: 0, retriesLeft: RETRIES });
    this.store = new Store(state_dir, name); // what one bank gave, no other gets
    this.payments = new Payments(state_dir, `${name}.payments`);
    this.page = new Page(base_url);
    this.agent = new Agent({ connect: { timeout: timeouts.connect_ms ?? 5000, ...(ca_file && { ca: fs.readFileSync(ca_file) }) } });
  }
  close() {
    return this.agent.destroy();
  }
  get state() {
    return this.store.values;
  }

  // -- signing in

  // Another customer is signed out first: a sign-in that fails leaves nobody else signed in.
  async login(user, password, token) {
    await this.signIn(user ?? nameless(token ?? ""), async () => {
      if (!this.bank.loginCall) return token;
      return this.bank.token(await this.patiently(() => this.exchange(this.bank.loginCall(user, password))));
    });
  }
  // The address that the app was opened with after the bank's page.
  async finish(url) {
    const answer = this.page.answer(url);
    // Once: a second use of a code ends what the first one gave (RFC 6749 §4.1.2).
    await this.signIn(null, async () => this.bank.token(await this.exchange(this.bank.codeCall(exchangeForm(answer)))));
  }
  // Signs in with a token; without a customer's name its owner is nobody we know.
  async signIn(customer, granted) {
    const turn = ++this.turn;
    let token;
    if (customer === null || customer !== this.state.customer) this.store.change({ customer: null, token: null });
    try {
      token = await granted();
      if (!token) throw new Failure(this.bank.loginCall ? "decode" : "unauthorized", "no token");
    } catch (failure) {
      if (turn === this.turn) this.store.change({ token: null }); // a sign-in that fails leaves nobody signed in
      throw failure instanceof Failure ? failure : new Failure("decode", failure.message);
    }
    if (turn !== this.turn) throw new Failure("cancelled", "somebody signed in or out meanwhile");
    this.store.change({ customer: customer ?? nameless(token), token });
  }
  // Forgets the token first, then has it revoked. Open payments stay, for their customer only: they may have moved money.
  async logout() {
    const { token } = this.state;
    this.turn += 1;
    this.store.change({ customer: null, token: null });
    if (token && this.bank.logoutCall) await this.exchange(this.bank.logoutCall(token)).catch(() => {});
  }
  // The current customer. Work for them ends as soon as somebody else signs in.
  get customer() {
    return this.state.customer ?? null;
  }
  tokenOf(customer) {
    const { token } = this.state;
    if (!token || customer === null || customer !== this.customer) throw new Failure("unauthorized", "not signed in", { sent: false });
    return token;
  }

  // -- requests

  reader(customer = this.customer) {
    return (path, openToAll) => this.patiently(async () => {
      const call = { method: "GET", path, headers: {} };
      const body = await (openToAll ? this.exchange(call) : this.authorised(customer, call));
      if (!openToAll) this.tokenOf(customer); // what comes late is not shown to the next customer
      return body;
    });
  }
  async authorised(customer, call) {
    const token = this.tokenOf(customer);
    try {
      return await this.exchange({ ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } });
    } catch (failure) {
      const isRejected = failure.name === "unauthorized" && this.state.token === token; // not a newer one
      if (isRejected) this.store.change({ token: null, prompts: (this.state.prompts ?? 0) + 1 });
      throw failure;
    }
  }
  async patiently(send) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send();
      } catch (failure) {
        await this.pause(failure, attempt);
      }
    }
  }
  // Waits before the next attempt; throws if there should be none. The pause grows, and no two clients come back together.
  async pause(failure, attempt) {
    const asked = failure.retryAfter ?? 0;
    if (!failure.retryable || attempt >= ATTEMPTS || asked > LONGEST_WAIT || this.retriesLeft <= 0) throw failure;
    this.retriesLeft -= 1;
    await sleep(1000 * Math.max(asked && asked + 0.05, 0.2 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)));
  }

  // Sends once. fetch would follow redirects, token and body included, and unpack whatever comes: both are switched off.
  async exchange({ method, path, headers, body }) {
    let response, text;
    try {
      response = await fetch(this.base + path, {
        method, body, headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
        redirect: "manual", dispatcher: this.agent, signal: AbortSignal.timeout(this.total),
      });
      text = await wholeText(response);
    } catch (error) {
      throw torn(error);
    }
    let found;
    try {
      if (/^application\/([^;]+\+)?json\s*(;|$)/i.test(response.headers.get("content-type") ?? "")) found = parseJSON(text);
    } catch {}
    if (![200, 201].includes(response.status)) throw this.rejection(response, Object(found));
    this.retriesLeft = Math.min(RETRIES, this.retriesLeft + 1);
    if (typeof found !== "object" || found === null) throw new Failure("decode", "no JSON in the response");
    return found;
  }
  rejection({ status, headers }, body) {
    const problem = this.bank.problem(body), detail = [`status ${status}`, body.detail ?? body.error_description ?? problem].join(": ");
    const more = { problem, retryable: status === 429 || status >= 500, retryAfter: retryAfter(headers) };
    if (status === 401 || this.bank.rejectedToken.includes(problem)) return new Failure("unauthorized", detail, { problem });
    if (problem === this.bank.consent) return new Failure("consent_expired", detail, { problem });
    const name = { 403: "forbidden", 404: "not_found", 409: "conflict", 410: "not_found", 429: "rate_limited" }[status];
    return new Failure(name ?? (status < 400 ? "decode" : status < 500 ? "rejected" : "unavailable"), detail, more);
  }

  // -- paying

  // Pays a payment order. Asked again for the same payment order it goes on with the same key and bytes, until there is a final answer.
  // A payment order belongs to its customer: an intent alone is not unique: two customers may use the same. Two taps are one payment order.
  async pay(intent, order) {
    const customer = this.customer, name = JSON.stringify(["wish", customer, intent]);
    if (customer === null) throw new Failure("unauthorized", "not signed in", { sent: false });
    while (this.paying.has(name)) await this.paying.get(name).catch(() => {});
    const work = this.settle(customer, name, order).finally(() => this.paying.delete(name));
    this.paying.set(name, work);
    return work;
  }
  // How a payment stands that the bank has accepted. It is not sent again, whatever the answer is.
  async paymentStatus(intent, untilEnded) {
    const entry = this.payments.values[JSON.stringify(["wish", this.customer, intent])];
    if (!entry) throw new Failure("nothing_to_do", "no such payment order");
    if (entry.state === "rejected") throw new Failure("rejected", "the bank has rejected this payment");
    if (!entry.result?.payment) throw new Failure("outcome_unknown", "the bank has not confirmed this payment");
    for (let pause = 0.25; ; pause *= 2) {
      const shown = await this.bank.payment_status(this.reader(), entry.result.payment);
      if (!untilEnded || !PENDING.includes(shown.state) || pause > 1) return shown;
      await sleep(1000 * pause);
    }
  }
  async settle(customer, name, order) {
    let entry = this.payments.values[name];
    if (!entry && !order) throw new Failure("nothing_to_do", "no such payment order");
    if (entry && order && JSON.stringify(order) !== JSON.stringify(entry.order)) {
      if (entry.state === "done" || (entry.state === "open" && entry.sent)) throw new Failure("outcome_unknown", "open with another amount");
      entry = undefined; // rejected for good or never carried out, and now corrected: another payment
    }
    if (entry?.state === "done") return entry.result;
    if (entry?.state === "rejected") throw new Failure("rejected", "the bank has rejected this payment");
    entry ??= { order, state: "open", sent: false, call: this.newCall(order) };
    const keep = (values) => this.payments.change({ [name]: (entry = { ...entry, ...values }) });
    // The outcome is true, whether it can be stored or not.
    const learn = (values) => {
      try {
        keep(values);
      } catch {}
    };
    for (let attempt = 1; ; attempt++) {
      const isFirst = !entry.sent;
      if (isFirst) keep({ sent: true }); // on disk before the first byte leaves
      try {
        const result = this.bank.paid(await this.authorised(customer, entry.call));
        learn({ state: "done", result, call: undefined });
        return result;
      } catch (failure) {
        await this.pause(this.unpaid(failure, isFirst, learn), attempt);
      }
    }
  }
  newCall(order) {
    try {
      return this.bank.payCall(crypto.randomUUID(), order);
    } catch (error) {
      throw new Failure("rejected", error.message, { sent: false });
    }
  }
  // The meaning of a failure for the money. Rejected: a final no. Untouched: no byte left, or the bank looked no further than the token
  // or the rate. All else may have been paid.
  unpaid(failure, isFirst, learn) {
    const { name, detail, problem, sent } = failure;
    const inFlight = name === "conflict" && [undefined, this.bank.inFlight].includes(problem);
    const isFinal = ["rejected", "not_found"].includes(name) || (name === "conflict" && !inFlight);
    if (isFinal && (isFirst || ![undefined, this.bank.mismatch].includes(problem))) {
      learn({ state: "rejected", call: undefined });
      return new Failure("rejected", detail);
    }
    const untouched = !sent || ["unauthorized", "forbidden", "consent_expired", "rate_limited"].includes(name);
    if (isFirst && untouched) {
      learn({ sent: false });
      return failure;
    }
    const retryable = failure.retryable || inFlight || name === "decode"; // asked again, the bank may report it better
    return new Failure("outcome_unknown", detail, { retryable, retryAfter: failure.retryAfter });
  }
}

async function wholeText(response) {
  const encoding = response.headers.get("content-encoding");
  if (encoding && encoding.toLowerCase() !== "identity") {
    await response.body?.cancel();
    throw new Failure("decode", `an encoding that was not asked for: ${encoding}`);
  }
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    if ((size += chunk.length) > LARGEST_BODY) throw new Failure("too_large", `more than ${LARGEST_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch {
    return ""; // no text, so no JSON either; the status still counts
  }
}

// The meaning of an error of fetch. A kept connection that the bank closes just as it is used again is UND_ERR_SOCKET, and fetch does not
// send again by itself: a payment may have left then.
function torn(error) {
  if (error instanceof Failure) return error;
  const { code = error.name, message } = error.cause ?? error;
  const unsent = { sent: false, retryable: true };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new Failure("timeout", "no connection in time", unsent);
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return new Failure("offline", code, unsent);
  if (/CERT|^(ERR_TLS_|UNABLE_TO_)/.test(code) || /before secure TLS/.test(message)) return new Failure("tls", code, { sent: false });
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return new Failure("tls", code);
  if (["TimeoutError", "AbortError"].includes(error.name)) return new Failure("timeout", "no complete response in time", { retryable: true });
  const isTorn = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/.test(code);
  return new Failure(isTorn ? "offline" : "decode", String(code), { retryable: true });
}

export { Client };
