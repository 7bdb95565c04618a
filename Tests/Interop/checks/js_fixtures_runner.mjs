// Stands in for `test` of @playwright/test and of vitest: fixtures are resolved by the names that a function destructures from its first
// argument, made when needed, and ended in the opposite order; a fixture of the scope `worker` ends with the file. An error of the test or of
// a fixture fails the test.
import assert from 'node:assert/strict';
import { after, test as run } from 'node:test';
import { basename } from 'node:path';

export const expect = (found) => ({ toBe: (wanted) => assert.equal(found, wanted) });

const file = basename(process.argv[1]);
const workers = new Map();
const worker = [];
after(async () => {
  for (const end of worker.reverse()) await end();
});

/** The names that a fixture or test destructures. Both runners demand the pattern. */
function namesOf(work) {
  const pattern = /^async\s*\(\s*(?:\{([^}]*)\}|\w*)?/.exec(String(work));
  assert.ok(pattern, `found ${String(work).slice(0, 40)}, expected an async function`);
  assert.ok(pattern[1] !== undefined || work.length === 0, 'the first argument must be an object that is destructured');
  return (pattern[1] ?? '').split(',').map((name) => name.trim()).filter(Boolean);
}

function api(fixtures, context) {
  const test = (title, work) =>
    run(title, async () => {
      const state = context(title);
      const ends = [];
      const made = new Map(Object.entries(state.given));
      const of = async (name) => {
        if (made.has(name)) return made.get(name);
        if (workers.has(name)) return workers.get(name);
        assert.ok(name in fixtures, `found the fixture ${name}, expected one of ${Object.keys(fixtures)}`);
        const { value, scope } = fixtures[name];
        if (typeof value !== 'function') return value;
        const needed = {};
        for (const other of namesOf(value)) {
          assert.ok(scope !== 'worker' || fixtures[other]?.scope === 'worker', `the worker's fixture ${name} needs ${other} of a test`);
          needed[other] = await of(other);
        }
        let finish;
        const done = new Promise((resolve) => (finish = resolve));
        let failed;
        const value_ = await new Promise((resolve, reject) => {
          failed = Promise.resolve(value(needed, (given) => (resolve(given), done), state.info)).then(() => null, (error) => (reject(error), error));
        });
        (scope === 'worker' ? workers : made).set(name, value_);
        (scope === 'worker' ? worker : ends).push(async () => {
          finish();
          const error = await failed;
          if (error) throw error;
        });
        return value_;
      };
      try {
        const needed = {};
        for (const name of namesOf(work)) needed[name] = await of(name);
        await work(needed, state.info);
      } catch (error) {
        state.fail(error);
      }
      for (const end of ends.reverse()) await end().catch((error) => state.fail(error));
      if (state.errors.length > 0) throw state.errors[0];
    });
  test.extend = (more) => {
    const all = { ...fixtures };
    for (const [name, given] of Object.entries(more)) {
      const isTuple = Array.isArray(given) && given.length === 2 && typeof given[1] === 'object';
      all[name] = { scope: 'test', ...all[name], ...(isTuple ? given[1] : {}), value: isTuple ? given[0] : given };
    }
    return api(all, context);
  };
  test.use = (options) => {
    for (const [name, value] of Object.entries(options)) {
      assert.ok(fixtures[name]?.option, `found ${name} in test.use, expected a fixture with { option: true }`);
      fixtures[name].value = value;
    }
  };
  return test;
}

export const playwright = api({}, (title) => {
  const info = {
    project: { name: 'chromium' }, titlePath: [file, title], repeatEachIndex: 0, retry: 0, errors: [], status: 'passed',
    attach: async (name, { body }) => console.log(`attached ${name}: ${body}`),
  };
  return { given: {}, info, errors: info.errors, fail: (error) => (info.errors.push(error), (info.status = 'failed')) };
});

export const vitest = api({}, (title) => {
  const task = { name: title, file: { name: file }, suite: { name: 'payments' }, result: { state: 'run', errors: [] } };
  // The errors of this attempt; those of the task may be of attempts before.
  const errors = [];
  return { given: { task }, info: undefined, errors, fail: (error) => (errors.push(error), task.result.errors.push(error), (task.result.state = 'fail')) };
});
