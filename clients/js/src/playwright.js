// @ts-check
/** Playwright's `test` with the fixture `bank`: a session of a bank for each test. `playwright.d.ts` has the types. */
import { expect, test as base } from '@playwright/test';
import { lend, workerFixtures } from './kit.js';

export { expect };

export const test = base.extend({
  serveOptions: [{}, { option: true, scope: 'worker' }],
  bankOptions: [{}, { option: true }],
  judged: [[], { option: true }],
  ...workerFixtures,
  bank: async ({ counterfoilBegun, bankOptions, judged }, use, testInfo) => {
    const { project, titlePath, repeatEachIndex } = testInfo;
    await lend(
      {
        name: [project.name, ...titlePath, repeatEachIndex || ''].filter(Boolean).join(' / '),
        begun: counterfoilBegun,
        options: bankOptions,
        judged,
        outcome: () => {
          if (testInfo.status === 'skipped' || testInfo.status === 'interrupted') return testInfo.status;
          return testInfo.errors.length === 0 && testInfo.status === 'passed' ? 'passed' : 'failed';
        },
        show: (journal) => testInfo.attach('counterfoil-journal', { body: journal, contentType: 'text/plain' }),
      },
      use,
    );
  },
});
