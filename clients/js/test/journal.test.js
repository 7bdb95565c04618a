import assert from 'node:assert/strict';
import http from 'node:http';
import { describe, it } from 'node:test';
import { ExpectationError, Journal, NoExchangeError } from '../src/index.js';
import { request, withBank } from './bank.js';

describe('a journal', { timeout: 600_000 }, () => {
  const on = withBank();

  it('has what was asked', async () => {
    await on.accounts('wrong');
    await request(`${on.bank.baseURL}/v1/nothing`);
    const exchanges = await on.bank.journal.exchanges();
    assert.deepEqual(exchanges.map((exchange) => exchange.status), [401, 404]);
    assert.equal((await on.bank.journal.exchanges({ operation: 'accounts', status: 401 })).length, 1);
    assert.match((await on.bank.journal.exchange(exchanges[0].seq)).curl.line, /^curl -i /);
    assert.deepEqual((await on.bank.journal.unmatched()).map((exchange) => exchange.path), ['/v1/nothing']);
    assert.equal((await on.bank.journal.har()).log.entries.length, 2);
    assert.equal((await on.bank.journal.page({ last: 1, brief: true })).entries[0].request_headers, undefined);
    await on.bank.journal.clear();
    assert.deepEqual(await on.bank.journal.exchanges(), []);
  });

  it('returns an exchange that is there at once', async () => {
    await on.atms();
    await on.accounts('wrong');
    const { journal } = on.bank;
    assert.equal((await journal.waitForExchange({ timeout: 0 })).path, '/v1/atms');
    for (const wanted of [{ status: 401 }, { role: 'accounts' }, { operation: 'accounts' }, { method: 'GET', path: '/v1/accounts' }]) {
      assert.equal((await journal.waitForExchange({ ...wanted, timeout: 0 })).reply, 'token-rejected');
    }
    assert.equal((await journal.waitForExchange({ matches: ({ token }) => token === 'unknown', timeout: 0 })).status, 401);
    await assert.rejects(journal.waitForExchange({ status: 401, after: await journal.lastSeq(), timeout: 0 }), NoExchangeError);
  });

  it('is waited for without polling', async (t) => {
    const { journal } = on.bank;
    const pages = [];
    const page = journal.page.bind(journal);
    let asking;
    t.mock.method(journal, 'page', (query) => {
      pages.push(query);
      if (query.wait) asking ??= on.atms().then(() => on.accounts('wrong'));
      return page(query);
    });
    assert.equal((await journal.waitForExchange({ path: '/v1/accounts', timeout: 120_000 })).operation, 'accounts');
    await asking;
    // Once without waiting, then once a change: an exchange changes the journal when it comes and when it ends.
    assert.ok(pages.length <= 6, `found ${pages.length} requests, expected at most 6`);
  });

  it('looks again at an exchange in progress', async () => {
    const { faults, journal } = on.bank;
    await faults.set({ delay: { at_point: 'head', until: 'released' } }, { on: { role: 'atms' } });
    const asking = on.atms();
    const started = await journal.waitForExchange({ role: 'atms', timeout: 120_000 });
    assert.equal(started.duration_us, null);
    await on.accounts('wrong');
    const waiting = journal.waitForExchange({ path: '/v1/atms', matches: ({ duration_us }) => duration_us !== null, timeout: 120_000 });
    await journal.waitForExchange({ status: 401, after: started.seq });
    assert.equal(await faults.release(), 1);
    const ended = await waiting;
    assert.deepEqual([ended.seq, ended.status], [started.seq, 200]);
    assert.equal(await asking, 200);
  });

  it('is read page by page', async (t) => {
    for (let n = 0; n < 5; n++) await on.atms();
    await on.accounts('wrong');
    t.after(() => (Journal.pageLength = 500));
    Journal.pageLength = 2;
    assert.equal((await on.bank.journal.waitForExchange({ status: 401, timeout: 0 })).operation, 'accounts');
  });

  it('reports what came instead', async () => {
    await on.atms();
    const began = performance.now();
    await assert.rejects(on.bank.journal.waitForExchange({ role: 'pay', status: 201, timeout: 200 }), (error) => {
      assert.ok(error instanceof NoExchangeError);
      assert.match(error.message, /found no exchange with role pay, status 201 after 200 ms[^]*GET \/v1\/atms → 200/);
      return error.last.length === 1;
    });
    assert.ok(performance.now() - began >= 200);
    await on.bank.journal.clear();
    await assert.rejects(on.bank.journal.waitForExchange({ timeout: 0 }), /received no request/);
  });

  it('is waited for through a reset', async () => {
    await on.atms();
    const waiting = on.bank.journal.waitForExchange({ status: 404, timeout: 120_000 });
    await on.bank.reset();
    await request(`${on.bank.baseURL}/v1/nothing`);
    assert.equal((await waiting).path, '/v1/nothing');
  });
});

describe('a verdict', { timeout: 600_000 }, () => {
  const on = withBank();

  it('passes a good client and fails a bad one', async (t) => {
    const { token } = await on.bank.tokens.issue();
    await on.accounts(token);
    assert.equal((await on.bank.expect(['auth'])).exchanges, 1);
    await on.bank.tokens.revoke();
    // On one connection, so that the second was sent after the first response.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    for (let n = 0; n < 2; n++) await request(`${on.bank.baseURL}/v1/accounts`, { token, agent });
    // By their order alone, too.
    await assert.rejects(on.bank.expect(['auth'], { sequential: true }), ExpectationError);
    await assert.rejects(on.bank.expect(['auth']), (error) => {
      assert.ok(error instanceof ExpectationError);
      assert.match(error.message, /^auth.token-cleared-on-rejection\n  Exchange \d+ .* sent token#1 again .*\n  why: .*\n +0.0 ms  #/);
      return error.verdict.rules.find((rule) => rule.id === 'auth.token-cleared-on-rejection').verdict === 'fail';
    });
    assert.equal((await on.bank.verdict(['pay'])).rules[0].verdict, 'not-exercised');
  });

  it('warns of a rule that the journal cannot decide', async (t) => {
    const warn = t.mock.method(process, 'emitWarning', () => {});
    // The second request asks for something else: the user may have sent it before the time is over.
    await on.bank.faults.set({ dialect: { name: 'rate-limited', retry_after: 600 } }, { on: { role: 'atms' }, times: 1 });
    await request(`${on.bank.baseURL}/v1/atms?page=1`);
    await on.bank.journal.waitForExchange({ status: 429, matches: (exchange) => exchange.duration_us !== null, timeout: 120_000 });
    await request(`${on.bank.baseURL}/v1/atms?page=2`);
    await on.bank.expect(['retry']);
    assert.deepEqual(warn.mock.calls.map((call) => call.arguments[1]), ['InconclusiveWarning']);
    assert.match(warn.mock.calls[0].arguments[0], /^retry.after-429-seconds is inconclusive: exchange 2 .*; to decide it, [a-z]+ /);
  });

  it('on nothing is no success', async () => {
    await assert.rejects(on.bank.expect(['pay']), /found no rule of pay exercised in 0 requests/);
  });

  it('waits for the end of an exchange', async (t) => {
    await on.bank.faults.set({ delay: { at_point: 'head', until: 'released' } }, { on: { role: 'accounts' } });
    const { token } = await on.bank.tokens.issue();
    const asking = on.accounts(token);
    await on.bank.journal.waitForExchange({ role: 'accounts', timeout: 120_000 });
    assert.equal((await on.bank.verdict(['auth'])).under_way, 1);
    const { faults, journal } = on.bank;
    const page = journal.page.bind(journal);
    let releasing;
    t.mock.method(journal, 'page', (query) => {
      if (query.wait) releasing ??= faults.release();
      return page(query);
    });
    // Released only once it waits: a verdict that does not wait has an exchange in progress.
    assert.equal((await on.bank.expect(['auth'], { timeout: 120_000 }).catch((error) => error.verdict)).under_way, 0);
    await faults.release();
    await asking;
  });
});
