// @ts-check
/** Playwright's `test` with the fixture `bank`: a session of a bank for each test. `playwright.d.ts` has the types. */
import { expect, test as base } from '@playwright/test';
import { begin, finish, lend } from './kit.js';

export { expect };

// Playwright reads the names of the fixtures that one needs from its first argument: it stays written out.
export const test = base.extend({
  bankOptions: [{}, { option: true }],
  judged: [[], { option: true }],
  counterfoilBegun: [
    async ({}, use) => {
      const begun = await begin();
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
  bank: async ({ counterfoilBegun, bankOptions, judged }, use, testInfo) => {
    const { project, titlePath, repeatEachIndex } = testInfo;
    await lend(
      {
        name: [project.name, ...titlePath, repeatEachIndex || ''].filter(Boolean).join(' / '),
        begun: counterfoilBegun,
        options: bankOptions,
        judged,
        hasPassed: () => testInfo.errors.length === 0 && testInfo.status === 'passed',
        show: (journal) => testInfo.attach('counterfoil-journal', { body: journal, contentType: 'text/plain' }),
      },
      use,
    );
  },
});
