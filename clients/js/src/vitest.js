// @ts-check
/** Vitest's `test` with the fixture `bank`: a session of a bank for each test. `vitest.d.ts` has the types. */
import { test as base } from 'vitest';
import { lend, workerFixtures } from './kit.js';

/**
 * The file, the suites and the name of a test.
 *
 * @param {any} task
 */
function titles(task) {
  const names = [task.name];
  for (let suite = task.suite; suite && suite !== task.file; suite = suite.suite) names.unshift(suite.name);
  return [task.file?.name, ...names].filter(Boolean).join(' / ');
}

export const test = base.extend({
  serveOptions: [{}, { scope: 'worker' }],
  bankOptions: {},
  judged: [],
  ...workerFixtures,
  bank: async ({ task, counterfoilBegun, bankOptions, judged }, use) => {
    await lend(
      {
        name: titles(task),
        begun: counterfoilBegun,
        options: bankOptions,
        judged,
        // Not its errors: after a retry they are still those of the attempts before.
        outcome: () => (task.result?.state === 'fail' ? 'failed' : task.result?.state === 'skip' ? 'skipped' : 'passed'),
        show: (journal) => console.error(journal),
      },
      use,
    );
  },
});
