// What `expect` makes of a verdict, without a server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExpectationError } from '../src/index.js';
import { Session } from '../src/session.js';

/** Expects of a session whose journal is at rest and whose verdict has these rules. */
function expect(rules, dropped = 0, suites = []) {
  const all = rules.map(([id, level, verdict]) => ({ id, level, verdict, why: 'why', violations: [], timeline: [], cannot_tell: [] }));
  const verdict = { exchanges: 3, under_way: 0, dropped, rules: all };
  const admin = { get: async (path) => (path.at(-1) === 'verdict' ? verdict : { entries: [], revision: 1 }) };
  return new Session(admin, { id: 's', bank: 'counterfoil', base_url: 'http://127.0.0.1:1', seed: '7' }).expect(suites);
}

describe('expect', () => {
  it('fails no test for a rule that the app only should comply with', async () => {
    assert.equal((await expect([['retry.a', 'should', 'fail']])).rules.length, 1);
    const both = expect([['retry.a', 'should', 'fail'], ['retry.b', 'must', 'fail']]);
    await assert.rejects(both, (error) => error instanceof ExpectationError && /^retry.b\n/.test(error.message));
  });

  it('passes nothing without the exchanges that the journal dropped', async () => {
    await assert.rejects(expect([['retry.a', 'must', 'pass']], 2), /the journal dropped 2 requests/);
  });

  it('demands that a rule was exercised', async () => {
    await assert.rejects(expect([['retry.a', 'must', 'not-exercised']]), /found no rule of any suite exercised in 3 requests/);
  });

  it('demands that a rule of each suite was exercised', async () => {
    const rules = [['auth.a', 'must', 'pass'], ['pay.a', 'must', 'not-exercised'], ['retry.a', 'must', 'inconclusive']];
    assert.equal((await expect(rules, 0, ['auth'])).rules.length, 3);
    assert.equal((await expect(rules, 0, ['invariant', 'auth'])).rules.length, 3);
    await assert.rejects(
      expect(rules, 0, ['auth', 'pay']), { message: 'found no rule of pay exercised in 3 requests, expected at least one of each' });
    await assert.rejects(
      expect(rules, 0, ['pay', 'auth', 'retry']), /no rule of pay and no rule of retry exercised .*\nretry.a is inconclusive: /);
  });
});
