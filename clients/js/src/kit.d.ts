/** The fixtures that `counterfoil-client/playwright` and `counterfoil-client/vitest` share. */
import type { ServeOptions, Server, Session, SessionOptions } from './index.js';

/** The bank of a test, by default `counterfoil`, and the options of its session. */
export type BankOptions = { bank?: string } & SessionOptions;

/**
 * The suites (`auth`, `pay`, `retry`, `wire`, `invariant`, `webhooks`) that check the requests of a test once it has passed; none by
 * default. The test fails if the app broke a rule, or if no rule of one of the suites was exercised.
 */
export type Judged =
  | string[]
  | {
      suites: string[];
      /** The longest wait for requests in progress, in milliseconds; by default 10,000. */
      timeout?: number;
      /** Whether the app sends one request at a time, as for `Session.expect`. */
      sequential?: boolean;
    };

export interface BankFixtures {
  bankOptions: BankOptions;
  judged: Judged;
  /** A new session of a bank. Give the app `bank.baseURL`. */
  bank: Session;
}

/** The banks that the server of a worker serves, by default all, and the options of `serve`. With COUNTERFOIL_ADMIN they have no effect. */
export type WorkerOptions = { banks?: string[] } & ServeOptions;

export interface BankWorkerFixtures {
  /** `{ arguments: ['--cors', 'http://localhost:3000'] }` allows the pages of that address to call the bank. */
  serveOptions: WorkerOptions;
  /** The server: the one at COUNTERFOIL_ADMIN, else one that the worker starts and ends. */
  counterfoilServer: Server;
}
