/** Vitest's `test` with the fixture `bank`: a session of a bank for each test, named and labelled after it. */
import type { TestAPI } from 'vitest';
import type { BankFixtures, BankWorkerFixtures } from './kit.js';

export type { BankFixtures, BankOptions, BankWorkerFixtures, Judged, WorkerOptions } from './kit.js';

/** `test.extend({ bankOptions: { bank: 'roundup' }, judged: ['auth'] })` chooses the bank, and the suites that check a test that has passed. */
export const test: TestAPI<BankFixtures & BankWorkerFixtures>;
