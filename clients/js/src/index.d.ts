/**
 * Starts and controls Counterfoil, a mock bank API with contract tests for bank clients.
 *
 * Objects that the server returns have the names of the reference of the admin API (docs/reference/admin-api.md); a server may add
 * members. Durations in the bank's time are texts such as `16m`; timeouts of this library are milliseconds.
 */
/// <reference lib="esnext.disposable" />

/** A duration such as `250ms`, `30s`, `5m`, `2h` or `1d`. */
export type Duration = string;
/** An instant (RFC 3339). */
export type Instant = string;
/** A whole number below 2^64. The server's are texts of digits, since a number cannot hold them all. */
export type Seed = number | bigint | string;

/** Starts `counterfoil serve` with these banks, or all of them. Resolves when it is ready; rejects with `StartError`. */
export function serve(banks?: string[], options?: ServeOptions): Promise<LocalServer>;

/**
 * A server that is already running; by default at COUNTERFOIL_ADMIN, else `http://127.0.0.1:8081`, with the token
 * COUNTERFOIL_ADMIN_TOKEN, as for the command `counterfoil`. `timeout`: the milliseconds for which a call waits for the response.
 *
 * Rejects with `UnreachableError` if it does not answer, with `AdminError` if it rejects the token.
 */
export function connect(address?: string, options?: { token?: string; timeout?: number }): Promise<Server>;

/**
 * The name of a session for a test, from the test's id, such as `sessionName(expect.getState().currentTestName)` with Jest.
 *
 * An id that is already a valid name is returned unchanged. Any other is reduced to its letters and digits, at most 54, followed by eight
 * digits of its SHA-256: different ids get different names, and an id gets the same name in every run.
 */
export function sessionName(test: string): string;

/** The value of a label for a test, from the test's id: its last 63 characters, with `-` for those that a label cannot have. */
export function sessionLabel(test: string): string;

export interface ServeOptions {
  /**
   * The command, or the path of the program; by default COUNTERFOIL, else `counterfoil` on the path, else the archive at COUNTERFOIL_URL,
   * which is downloaded once.
   */
  program?: string;
  /** The folder of the banks; by default COUNTERFOIL_STUBS, else as for the command. */
  stubs?: string;
  /** The seed for all random values; by default a new one each time. */
  seed?: Seed;
  /** A file that stores all sessions. */
  state?: string;
  /** An outage that runs on every bank from the start. */
  plan?: string;
  /** Serves over TLS too. */
  tls?: boolean;
  /** By default 0: any free port. */
  port?: number;
  /** By default 0: any free port. */
  adminPort?: number;
  /** Required for every admin call; by default COUNTERFOIL_ADMIN_TOKEN. It is not on the command line. */
  adminToken?: string;
  /** Further options of `counterfoil serve`. */
  arguments?: string[];
  /** The longest wait for the ready line, in milliseconds; by default 30,000. */
  timeout?: number;
}

/** A running server, as its admin API shows it. */
export class Server {
  /** For calls that this library has no method for: `server.admin.get(['banks'])`. */
  readonly admin: AdminAPI;
  readonly adminAddress: string;
  /** Version, seed and the banks' names. */
  version(): Promise<{ version: string; seed: string; banks: string[] }>;
  /** The banks with their operations, roles and customers. */
  banks(): Promise<BankInfo[]>;
  /** Every kind of fault with its point, protocols and example settings. */
  faultKinds(): Promise<FaultKind[]>;
  /** The outages that can be started. */
  outages(): Promise<{ name: string; about?: string; faulty?: string }[]>;
  /** Metrics in Prometheus text format. */
  metrics(): Promise<string>;
  sessions(): Promise<SessionInfo[]>;
  /** The session with that id: a bank's default session has the bank's name; by default that of the first bank. */
  session(id?: string): Promise<Session>;
  /** Makes a session of a bank. */
  newSession(bank: string, options?: SessionOptions): Promise<Session>;
  /** Stops the server after it has sent the responses in progress. */
  shutdown(): Promise<void>;
}

/** A server that this process has started. `await using` stops it at the end of the block. */
export class LocalServer extends Server implements AsyncDisposable {
  /** The address of the banks. */
  readonly bankAddress: string;
  /** The address of each bank, by its name. */
  readonly bankAddresses: Record<string, string>;
  /** The seed for all random values; the same seed makes the same bank. */
  readonly seed: string;
  /** The line of JSON that the server printed when it was ready. */
  readonly ready: Record<string, unknown>;
  readonly pid: number | undefined;
  /** The status with which the process has ended; null while it runs, or if a signal ended it. */
  readonly exitStatus: number | null;
  /** The status or signal with which the process has ended, or ends within `timeout` milliseconds (10,000); null if it still runs then. */
  wait(timeout?: number): Promise<number | string | null>;
  /** The last output of the program on standard error. */
  lastWords(): string;
  /** Stops the server and resolves when it has ended: gracefully, or by force after `timeout` milliseconds (10,000). */
  stop(timeout?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface AdminAPI {
  readonly address: string;
  /** Sends a request to `/__admin/…`, each part of the path percent-encoded, and resolves to its JSON, text, or null. */
  call(method: string, path: string[], options?: { query?: Record<string, unknown>; body?: object }): Promise<any>;
  get(path: string[], query?: Record<string, unknown>): Promise<any>;
  post(path: string[], body?: object): Promise<any>;
  put(path: string[], body: object): Promise<any>;
  delete(path: string[]): Promise<any>;
}

export interface SessionOptions {
  /** 1 to 63 of a-z, 0-9 and -; `sessionName` makes one from a test's id. */
  name?: string;
  /** The seed for all random values; by default the server's. */
  seed?: Seed;
  /** An instant at which the clock is frozen, or the clock's settings. */
  clock?: Instant | ClockSetting;
  /** True for a separate port, `tls` for a separate port with TLS. */
  listen?: boolean | 'tls';
  /** The outage that runs from the start. */
  plan?: string;
  /** Texts by which the session can be found, such as `{ team: 'ios' }`. */
  labels?: Record<string, string>;
  /** The time after which an unused session is removed; by default that of `serve --session-ttl`. */
  ttl?: Duration;
  /** Makes customers confirm payments and reads of old rows; by default the bank's setting. */
  challenges?: 'otp' | 'decoupled' | 'redirect' | 'off';
  /** `auto` lets the sign-in page approve at once if its address has `auto=approve`. */
  authorize?: 'page' | 'auto';
}

/** A session: a bank with its own money, clock, tokens, faults and journal. `await using` removes it at the end of the block. */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly bank: string;
  /** The base URL for the app under test. */
  readonly baseURL: string;
  /** The session's own port; null if it shares the banks' port. */
  readonly port: number | null;
  readonly seed: string;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly authorizations: Authorizations;
  readonly challenges: Challenges;
  readonly faults: Faults;
  readonly outage: Outage;
  readonly journal: Journal;
  info(): Promise<SessionInfo>;
  /** Resets the session to its start: money, clock, rules and journal. Its tokens become invalid. */
  reset(): Promise<void>;
  /** Saves the session's state. A session has at most one snapshot. */
  snapshot(): Promise<void>;
  /** Restores the session's snapshot. */
  restore(): Promise<void>;
  /** Removes the session; rejects for a bank's default session, which cannot be removed. */
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  /** Closes the connections that carry no request. */
  closeConnections(): Promise<void>;
  /** Sets up a provider state of a pact, or tears it down; resolves to the values that it created, by name, such as `token`. */
  providerState(state: string, options?: { params?: Record<string, unknown>; action?: 'setup' | 'teardown' }): Promise<Record<string, any>>;
  /** Triggers an event at the bank, such as `payment-in` with `account` and `amount`, and returns its movement. */
  happen(event: string, members?: EventMembers): Promise<Record<string, string>>;
  /** Schedules an event by the session clock: after `3d`, every `month`. */
  schedule(event: string, after: string, members?: EventMembers & { every?: string }): Promise<Record<string, string>>;
  /** Registers a receiver of webhooks, and returns the secret of its signatures. */
  addWebhook(url: string, options?: { events?: string[]; sign?: 'timestamped' | 'body' | 'jws' | 'jwt' }): Promise<Webhook & { secret: string }>;
  /** A receiver with its deliveries, and every attempt of each. */
  webhook(id: string): Promise<Webhook & { secret: string; deliveries: Record<string, unknown>[] }>;
  /** Applies a fault to the next deliveries, such as `duplicate` or `forged`. */
  breakWebhook(id: string, fault: string, times?: number): Promise<void>;
  /** Accounts, postings, movements and keys; with `last` only the newest. */
  ledger(query?: { last?: number }): Promise<Ledger>;
  /** The available balances of the first 200 accounts. */
  balances(): Promise<{ account: string; balance: string; currency: string }[]>;
  /**
   * The verdict on the requests in the journal, by default of all suites. `sequential` states that the app sends one request at a time, each
   * after it has read the response to the one before: then the order of requests decides rules that are inconclusive otherwise.
   */
  verdict(suites?: string[], options?: { sequential?: boolean }): Promise<Verdict>;
  /**
   * Resolves to the verdict once no request is in progress, or after `timeout` milliseconds (10,000). Rejects with
   * `ExpectationError` if the app broke a rule that it must comply with (`level`), if of one of the suites no rule was exercised, or
   * if the journal dropped requests. Emits the warning `InconclusiveWarning` for each rule that
   * the journal cannot decide.
   */
  expect(suites?: string[], options?: { timeout?: number; sequential?: boolean }): Promise<Verdict>;
}

/** The bank's clock. */
export class Clock {
  show(): Promise<ClockInfo>;
  set(setting: ClockSetting): Promise<ClockInfo>;
  /** Advances the clock by a duration such as `16m`. */
  advance(by: Duration): Promise<ClockInfo>;
}

/** The bank's tokens. Without a name such as `token#1`, a change applies to all of them. */
export class Tokens {
  list(): Promise<TokenInfo[]>;
  /** Issues a token: for the first customer, with all scopes and the bank's lifetime, unless the options set others. */
  issue(options?: TokenOptions): Promise<IssuedToken>;
  /** Expires a token. */
  expire(token?: string): Promise<void>;
  revoke(token?: string): Promise<void>;
  /** Reduces a token to these scopes. */
  downscope(scopes: string[], token?: string): Promise<void>;
}

/** Sign-ins on the bank's page. Without a number, a decision applies to the newest pending sign-in. */
export class Authorizations {
  list(): Promise<AuthorizationInfo[]>;
  /** Signs in as that customer, by default the first, and resolves to the address with the code that the app gets. */
  approve(options?: { number?: number; login?: string }): Promise<string>;
  /** Resolves to the address with the error that the app gets. */
  deny(options?: { number?: number }): Promise<string>;
  /** Decides nothing, and resolves to the address with the error that the app gets. */
  cancel(options?: { number?: number }): Promise<string>;
  /** Closes the page: the app gets no response. */
  abandon(options?: { number?: number }): Promise<void>;
}

/** A request that a customer must confirm. */
export interface ChallengeInfo {
  number: number;
  id: string;
  kind: 'otp' | 'decoupled' | 'redirect';
  login: string;
  operation: string;
  state: 'pending' | 'approved' | 'denied' | 'locked' | 'expired';
  /** The correct code of an `otp` challenge. */
  code?: string;
  wrong_codes: number;
  expires_at: string;
}

/** Requests that a customer must confirm. Without a number, a decision applies to the newest pending request. */
export class Challenges {
  list(): Promise<ChallengeInfo[]>;
  /** Confirms the request: a challenged payment is executed. */
  approve(options?: { number?: number }): Promise<ChallengeInfo>;
  /** Rejects the request: a challenged payment is never executed. */
  deny(options?: { number?: number }): Promise<ChallengeInfo>;
}

/** The rules, each with a fault and the requests that it affects. */
export class Faults {
  /** The rules in the order in which they are tried. */
  list(): Promise<RuleInfo[]>;
  /** Sets a rule and resolves to its id; docs/reference/faults.md has the faults and what `on` takes. */
  set(fault: Fault, options?: RuleOptions): Promise<string>;
  /** Removes the rule with that id. */
  remove(rule: string): Promise<void>;
  /** Removes all rules. */
  clear(): Promise<void>;
  /** Releases the requests and connections that rules hold, and resolves to their number. */
  release(): Promise<number>;
}

/** The session's outage: a plan of faults on a timetable. */
export class Outage {
  /** The state of the outage. Rejects with `AdminError` (404) if none was started. */
  show(): Promise<OutageInfo>;
  /** Starts the outage of this name, or your own plan. */
  start(nameOrPlan: string | object, options?: OutageOptions): Promise<void>;
  /** Ends the outage. Rejects with `AdminError` (404) if none was started. */
  stop(): Promise<void>;
}

/** The journal of a session: the last 10,000 requests with their responses. */
export class Journal {
  /** One page. With `revision` and `wait` (milliseconds) it resolves once the journal has changed, or after that time. */
  page(query?: JournalQuery): Promise<JournalPage>;
  /** The requests so far with their responses, oldest first. */
  exchanges(query?: { operation?: string; status?: number; since?: number }): Promise<Exchange[]>;
  /** The number of the newest exchange, for `after`; 0 if the journal is empty. */
  lastSeq(): Promise<number>;
  /**
   * Resolves to the first exchange that matches all of `wanted`: immediately if it is in the journal, otherwise as soon as it arrives. Rejects
   * with `NoExchangeError` if none came in time. The server reports changes, so nothing is polled.
   *
   * The exchange may be in progress, without a status; give `status`, or `matches: (exchange) => exchange.status !== null`, for one
   * that is answered.
   */
  waitForExchange(wanted?: Wanted): Promise<Exchange>;
  /** One request with its response, and a curl command that sends it again. */
  exchange(seq: number): Promise<Exchange & { curl: { line: string; left_out: string[] }; nearest: NearMiss[] }>;
  /** The requests that matched no operation, each with the closest operations. */
  unmatched(): Promise<(Exchange & { nearest: NearMiss[] })[]>;
  /** The journal as an HTTP archive. */
  har(): Promise<any>;
  /** Deletes all entries. */
  clear(): Promise<void>;
}

export interface Wanted {
  operation?: string;
  /** A role of the operation, such as `pay`. */
  role?: string;
  status?: number;
  method?: string;
  path?: string;
  matches?: (exchange: Exchange) => unknown;
  /** Only exchanges with a number above this; `lastSeq()` resolves to one. */
  after?: number;
  /** The longest wait, in milliseconds; by default 10,000. */
  timeout?: number;
}

export interface JournalQuery {
  since?: number;
  before?: number;
  limit?: number;
  last?: number;
  operation?: string;
  status?: number;
  brief?: boolean;
  revision?: number;
  wait?: number;
}

/** The name of a kind, or a kind with its settings. */
export type Fault = string | Record<string, unknown>;

/** The exchanges that a rule affects; it must match every member. */
export interface RuleOptions {
  on?: Record<string, unknown>;
  nth?: number;
  every?: number;
  first?: number;
  skip?: number;
  times?: number;
  probability?: number | Record<string, unknown>;
  /** The real time after which the rule is removed. */
  ttl?: Duration;
}

export interface OutageOptions {
  /** The longest time that it runs. */
  for?: Duration;
  seed?: Seed;
  /** Whether it replaces a running outage. */
  replace?: boolean;
}

export interface TokenOptions {
  login?: string;
  scopes?: string[];
  lifetime?: Duration;
}

export interface ClockSetting {
  now?: Instant;
  mode?: 'running' | 'frozen';
  skew?: Duration;
}

export interface ClockInfo {
  now: Instant;
  mode: 'running' | 'frozen';
  skew: Duration;
}

export interface SessionInfo {
  id: string;
  bank: string;
  base_url: string;
  port?: number;
  seed: string;
  now: Instant;
  exchanges: number;
  rules: number;
}

export interface BankInfo {
  name: string;
  about: string;
  base_url: string;
  dialect: string;
  operations: { name: string; request: string; roles: string[] }[];
  [member: string]: unknown;
}

export interface FaultKind {
  kind: string;
  point: string;
  about: string;
  protocols: string[];
  example: Record<string, unknown>;
}

export interface IssuedToken {
  /** Its name, such as `token#1`; the journal contains only this name. */
  id: string;
  /** Its text, which no other call returns. */
  token: string;
  /** Absent if the bank has none. */
  refresh_token?: string;
  /** Absent if it does not expire. */
  expires_at?: Instant;
}

export interface AuthorizationInfo {
  number: number;
  client: string;
  redirect_uri: string;
  scopes: string[];
  state: 'pushed' | 'pending' | 'approved' | 'denied' | 'abandoned';
  login?: string;
  expires_at: string;
}

export interface TokenInfo {
  id: string;
  kind: 'access' | 'refresh';
  login: string;
  scopes: string[];
  /** Absent if it does not expire. */
  expires_at?: Instant;
  state: string;
}

/** A rule that was set, with its id and counts. */
export interface RuleInfo extends RuleOptions {
  id: string;
  fault: Fault;
  matched: number;
  fired: number;
}

export interface OutageInfo {
  name: string;
  running: boolean;
  /** Milliseconds until its end; absent if it has ended or has no end. */
  left_ms?: number;
  clock: string;
  seed?: string;
  rules: RuleInfo[];
  skipped: string[];
}

/** An operation that a request nearly matched. */
export interface NearMiss {
  operation: string;
  /** Its method and path, such as `GET /v1/accounts/{id}`. */
  wants: string;
  /** Why the request did not match, such as `method: found PUT, expected POST`. */
  reasons: string[];
}

/** An entry of the journal. With `brief` it has no headers, bodies and digests. */
export interface Exchange {
  seq: number;
  at: Instant;
  mono_ns: number;
  /** Microseconds to the end of the response; null while the exchange is in progress. */
  duration_us: number | null;
  connection: number;
  request_on_connection: number;
  protocol: 'h1' | 'h1s' | 'h2';
  host: string | null;
  /** Null if the connection ended before it sent a request. */
  method: string | null;
  path: string;
  query: string | null;
  /** Null if the request matched no operation. */
  operation: string | null;
  roles: string[];
  customer: string | null;
  token: string | null;
  key: string | null;
  attempt: number | null;
  /** Null if no response was sent, or not yet. */
  status: number | null;
  /** The dialect's name of a rejection, such as `token-rejected`. */
  reply: string | null;
  committed: boolean;
  replayed: boolean;
  fault: { rule: string; kind: string; point: string; applied: boolean; reason: string | null } | null;
  /** The part of the response that was actually sent. */
  receipt: { head_bytes: number; body_bytes: number; raw_bytes: number; unsent: number; end: string; reset?: true };
  request_headers?: [string, string][];
  request_body?: string;
  reply_headers?: [string, string][];
  reply_body?: string;
  [member: string]: unknown;
}

export interface JournalPage {
  /** Oldest first. */
  entries: Exchange[];
  revision: number;
  oldest: number;
  dropped: number;
  next_since: number;
}

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  faults: string[];
  sign: 'timestamped' | 'body' | 'jws' | 'jwt';
}

export interface EventMembers {
  account?: string;
  /** In major units, such as `12.30`. */
  amount?: string;
  /** A movement's id, the id in the bank's response, or an idempotency key; by default the newest to which the event can happen. */
  payment?: string;
  name?: string;
  reference?: string;
  /** Why a payment is rejected or returned, such as `AC04`. */
  reason?: string;
  /** The consent that is revoked; by default the newest that is authorised. */
  consent?: string;
}

export interface Ledger {
  accounts: Record<string, any>[];
  postings: Record<string, any>[];
  movements: Record<string, any>[];
  idempotency: Record<string, any>[];
  balanced: boolean;
}

export interface JudgedRule {
  id: string;
  level: string;
  why: string;
  trigger: string;
  met: number;
  verdict: 'pass' | 'fail' | 'inconclusive' | 'not-exercised';
  violations: { expected: string; seen: string; headline: string; exchanges: number[] }[];
  /** The cases that the journal cannot decide: what was seen, why that is not enough, and what to do. */
  cannot_tell: { expected: string; seen: string; headline: string; reason: string; do: string; exchanges: number[] }[];
  timeline: string[];
  timeline_left_out: number;
}

export interface Verdict {
  session: string;
  bank: string;
  exchanges: number;
  /** Exchanges in progress. */
  under_way: number;
  dropped: number;
  rules: JudgedRule[];
}

/** An error of this library. */
export class CounterfoilError extends Error {}

/** A call that the server rejected, with its problem details (RFC 9457). */
export class AdminError extends CounterfoilError {
  /** The call, such as `POST /__admin/sessions`. */
  readonly call: string;
  /** The status code, such as 404. */
  readonly status: number;
  /** The title of the problem, such as `Not Found`. */
  readonly title: string;
  /** One sentence: what was found and what was expected. */
  readonly detail: string;
  /** One sentence for each mistake in the body, each as `place: sentence`. */
  readonly details: string[];
  /** The path of keys to the first mistake in the body, such as `fault.lose-reply.by`; null if the body has no mistake. */
  readonly place: string | null;
}

/** A server that could not be reached, or did not respond in time. */
export class UnreachableError extends CounterfoilError {}

/** A server that could not be started. The message has the program's output. */
export class StartError extends CounterfoilError {
  /** Whether the program was found and has run. */
  hasRun: boolean;
}

/** No request matched in time. */
export class NoExchangeError extends CounterfoilError {
  /** The newest exchanges of the journal, oldest first, without headers and bodies. */
  readonly last: Exchange[];
}

/** The app broke a rule, or of one of the suites no rule was exercised. */
export class ExpectationError extends CounterfoilError {
  readonly verdict: Verdict;
}
