/** Playwright's `test` with the fixture `bank`: a session of a bank for each test, named and labelled after it. */
import type { PlaywrightTestArgs, PlaywrightTestOptions, PlaywrightWorkerArgs, PlaywrightWorkerOptions, TestType } from '@playwright/test';
import type { BankFixtures, BankWorkerFixtures } from './kit.js';

export { expect } from '@playwright/test';
export type { BankFixtures, BankOptions, BankWorkerFixtures, Judged, WorkerOptions } from './kit.js';

/** `test.use({ bankOptions: { bank: 'roundup' }, judged: ['auth'] })` chooses the bank, and the suites that check a test that has passed. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & BankFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & BankWorkerFixtures
>;
