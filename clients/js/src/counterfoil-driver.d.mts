/** The names of the driver protocol's errors. */
export type ErrorName =
  | 'unauthorized' | 'consent_expired' | 'forbidden' | 'not_found' | 'conflict' | 'rejected' | 'rate_limited' | 'unavailable' | 'offline'
  | 'timeout' | 'tls' | 'too_large' | 'decode' | 'outcome_unknown' | 'cancelled' | 'nothing_to_do' | 'failed';
export type OperationName =
  | 'login' | 'logout' | 'status' | 'accounts' | 'balance' | 'transactions' | 'atms' | 'image' | 'goals' | 'pay' | 'resume' | 'round_up' | 'payment_status'
  | 'authorize_begin' | 'authorize_finish' | 'events' | 'challenge_answer' | 'consents' | 'consent_revoke' | 'quote' | 'watch';
export type Feature =
  | 'persistence' | 'cache' | 'together' | 'parallel' | 'clock' | 'cancel' | 'refresh' | 'h2' | 'ca' | 'pins' | 'fresh' | 'processes';

/** A customer. `token` is there on banks without a login call. */
export interface Login { user?: string; password?: string; token?: string }

/** A case that begins, as the harness sends it. */
export interface CaseStart {
  case: string;
  /** Without a slash at its end. */
  base_url: string;
  bank: string;
  /** The only folder that the client may write to. */
  state_dir: string;
  login: Login;
  customers?: Login[];
  ca_file?: string;
  pins?: string[];
  time_zone: string;
  locale?: string;
  /** `backoff_ms`: the longest first pause before a retry, for clients whose pauses can be configured; missing if the client's own pauses are tested. */
  timeouts: { connect_ms: number; total_ms: number; backoff_ms?: number };
  now?: string;
  resumed?: boolean;
  process?: number;
}

/** One step. A `login` without a user has the user, password and token of the case. */
export interface Step {
  case: CaseStart;
  operation: string;
  args: Record<string, string>;
  /** The argument of that name, such as `from`, as an instant; undefined if there is none. */
  instant(name: string): Date | undefined;
  /** The current time, for clients with the feature `clock`. */
  now?: string;
  /** Aborted when the harness no longer waits for the step (feature `cancel`). */
  signal: AbortSignal;
}

/** What the user sees: see the driver protocol, "Operations". */
export type View = Record<string, unknown>;

export interface Description<Client> {
  banks?: string[];
  features?: Feature[];
  /** Makes the client of a case; its method `close`, if it has one, is called at the end. */
  open?: (start: CaseStart) => Client | Promise<Client>;
  /** The failure that an error of the client's own means; undefined for any other. */
  failure?: (error: unknown) => Failure | undefined;
  operations: Partial<Record<OperationName, (client: Client, step: Step) => View | Promise<View>>>;
}

/** A step that failed. */
export declare class Failure extends Error {
  readonly name: ErrorName;
  readonly detail: string;
  /** Whether a byte of the request may have been sent; a payment without a final response is then `outcome_unknown`. */
  readonly sent: boolean;
  /** Whether the client shows the error to the user. */
  readonly shown: boolean;
  constructor(name: ErrorName, detail?: string, options?: { sent?: boolean; shown?: boolean });
  /** The failure that a status means, for a bank without its own error codes. */
  static ofStatus(status: number, detail?: string): Failure;
  /** The failure that an error of `fetch` or of Node's sockets means; undefined for any other. */
  static of(error: unknown): Failure | undefined;
}

/** The client does not have the operation, such as on this bank. */
export declare class Unsupported extends Error {}

/** The client showed the user nothing, neither data nor an error. */
export declare class Silent extends Error {}

/** The loop between the harness and a client. */
export declare class Driver<Client> {
  constructor(client: string, description: Description<Client>);
  /** Runs until stdin ends. With the arguments `--try URL OPERATION [NAME=VALUE]…` it executes these operations once and prints their results. */
  run(words?: string[]): Promise<void>;
}

/** The number of digits after the decimal point in amounts of the currency (ISO 4217). */
export declare function digits(currency: string): number;
/** The minor units of an amount in major units: ("12.30", "GBP") gives 1230n. */
export declare function minor(amount: string, currency: string): bigint;
/** An amount of minor units as text: (1230n, "GBP") gives "12.30". */
export declare function major(units: bigint | number, currency: string): string;
/** The day of an instant in a time zone; of a text that is a day, that day. */
export declare function day(text: string, zone: string): string;
