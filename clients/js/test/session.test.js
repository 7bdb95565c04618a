import assert from 'node:assert/strict';
import http from 'node:http';
import { describe, it } from 'node:test';
import { AdminError, CounterfoilError, sessionName } from '../src/index.js';
import { request, withBank } from './bank.js';

const rejection = (status) => (error) => error instanceof AdminError && error.status === status;

describe('a session', { timeout: 600_000 }, () => {
  const on = withBank();

  it('is made as it is wanted', async () => {
    const seed = 2n ** 64n - 1n;
    const bank = await on.server.newSession('roundup', { name: 'mine-1', seed, listen: true, clock: { mode: 'frozen' } });
    assert.deepEqual([bank.id, bank.bank, bank.seed], ['mine-1', 'roundup', String(seed)]);
    assert.equal(bank.baseURL, `http://127.0.0.1:${bank.port}`);
    assert.equal((await bank.clock.show()).mode, 'frozen');
    assert.equal((await on.server.session('mine-1')).port, bank.port);
    await bank[Symbol.asyncDispose]();
    await bank[Symbol.asyncDispose]();
    await assert.rejects(bank.info(), { status: 404, title: 'Not Found', place: null });
    await assert.rejects(on.server.newSession('roundup', { seed: 1.5 }), CounterfoilError);
  });

  it('may have any character in its id', async () => {
    const call = 'GET /__admin/sessions/a%20b%2Fc%231%3F%C3%A9';
    await assert.rejects(on.server.session('a b/c#1?é'), { detail: 'there is no session a b/c#1?é', call });
  });

  it('reports what it rejects, where and why', async () => {
    await assert.rejects(on.bank.faults.set({ 'lose-reply': { by: 'clsoe' } }), (error) => {
      assert.ok(error instanceof AdminError);
      assert.deepEqual([error.status, error.title, error.place], [400, 'Bad Request', 'fault.lose-reply.by']);
      assert.match(error.detail, /clsoe/);
      assert.equal(error.call, `POST /__admin/sessions/${on.bank.id}/faults`);
      return error.message.includes(error.detail);
    });
  });

  it('is kept and put back', async () => {
    await assert.rejects(on.bank.restore(), rejection(409));
    await on.bank.snapshot();
    const { token } = await on.bank.tokens.issue();
    assert.equal(await on.accounts(token), 200);
    await on.bank.restore();
    assert.equal(await on.accounts(token), 401);
    await on.bank.reset();
    assert.deepEqual(await on.bank.journal.exchanges(), []);
  });

  it('of a bank stays', async () => {
    const standing = await on.server.session('roundup');
    await standing[Symbol.asyncDispose]();
    await assert.rejects(standing.remove(), rejection(409));
  });

  it('has a clock', async () => {
    assert.equal((await on.bank.clock.advance('45s')).now, '2026-01-12T09:15:45.000Z');
    assert.equal((await on.bank.clock.set({ now: '2026-01-12T10:00:00Z', skew: '-90s' })).skew, '-90s');
    assert.equal((await on.bank.clock.set({ mode: 'running' })).mode, 'running');
  });

  it('has labels, a time to live and a name made from a test', async () => {
    const ids = ['test/pay.test.js > pays twice [EUR]', 'test/pay.test.js > pays twice [eur]', '円口座', 'x'.repeat(300), 'a'];
    const names = ids.map(sessionName);
    assert.deepEqual(names, ids.map(sessionName));
    assert.equal(new Set(names).size, ids.length);
    assert.match(names[0], /^test-pay-test-js-pays-twice-eur-[0-9a-f]{8}$/);
    assert.equal(names[4], 'a');
    for (const name of names) {
      const bank = await on.server.newSession('counterfoil', { name, labels: { team: 'ios' }, ttl: '5m' });
      const { labels, ttl } = await bank.info();
      assert.deepEqual([bank.id, labels, ttl], [name, { team: 'ios' }, '5m']);
      await bank.remove();
    }
  });

  it('decides sign-ins on the page', async () => {
    const page = `${on.bank.baseURL}/oauth/authorize?response_type=code&client_id=web&state=s1`;
    for (let count = 0; count < 4; count++) assert.equal(await request(page), 200);
    const { authorizations } = on.bank;
    assert.match(await authorizations.approve({ number: 1, login: 'ben' }), /^https:\/\/web\.example\/callback\?code=/);
    assert.match(await authorizations.deny(), /error=access_denied/);
    assert.match(await authorizations.cancel(), /The%20customer%20has%20cancelled/);
    await authorizations.abandon({ number: 2 });
    const listed = await authorizations.list();
    const undecided = ['abandoned', undefined];
    assert.deepEqual(listed.map(({ state, login }) => [state, login]), [['approved', 'ben'], undecided, undecided, ['denied', undefined]]);
    await assert.rejects(authorizations.approve(), { name: 'CounterfoilError', message: /found no pending sign-in/ });
  });

  it('decides challenges', async () => {
    const body = { from: 'ava-gbp', to: 'payee-lark', amount: { amount: '1.00', currency: 'GBP' } };
    const bank = await on.server.newSession('counterfoil', { challenges: 'decoupled' });
    const { token } = await bank.tokens.issue({ login: 'ava' });
    assert.equal(await request(`${bank.baseURL}/v1/payments`, { token, body }), 403);
    assert.equal((await bank.challenges.approve()).state, 'approved');
    assert.equal(await request(`${bank.baseURL}/v1/payments`, { token, body }), 201);
    assert.deepEqual((await bank.challenges.list()).map(({ kind }) => kind), ['decoupled']);
    await assert.rejects(bank.challenges.deny(), { name: 'CounterfoilError', message: /found no pending challenge/ });
    await bank[Symbol.asyncDispose]();
  });

  it('makes events happen', async () => {
    const arrived = await on.bank.happen('payment-in', { account: 'ava-gbp', amount: '1200.00', name: 'Acme' });
    assert.deepEqual([arrived.from, arrived.to], ['outside/Acme', 'accounts/ava-gbp']);
    const reserved = await on.bank.happen('card-authorised', { account: 'ava-gbp', amount: '20.00' });
    assert.equal(reserved.state, 'accepted');
    assert.equal((await on.bank.happen('card-reversed', { payment: reserved.id })).state, 'rejected');
    assert.equal((await on.bank.schedule('payment-in', '3d', { every: 'month', account: 'ava-gbp', amount: '1.00' })).every, 'month');
    await assert.rejects(on.bank.happen('payment-returns', { payment: 'unknown' }), /found the payment unknown/);
  });

  it('registers and breaks webhooks', async () => {
    const { id, secret } = await on.bank.addWebhook('http://127.0.0.1:9/hook', { events: ['payment.settled'] });
    assert.match(secret, /^whsec_/);
    await on.bank.breakWebhook(id, 'forged', 2);
    const shown = await on.bank.webhook(id);
    assert.deepEqual([shown.events, shown.faults, shown.deliveries], [['payment.settled'], ['forged', 'forged'], []]);
    await assert.rejects(on.bank.addWebhook('http://192.0.2.1/hook'), /--webhooks-to/);
  });

  it('has tokens', async () => {
    const { id, token } = await on.bank.tokens.issue({ login: 'ben', scopes: ['accounts'], lifetime: '5m' });
    const listed = (await on.bank.tokens.list()).find((one) => one.id === id);
    assert.deepEqual([listed.login, listed.scopes], ['ben', ['accounts']]);
    assert.equal(await on.accounts(token), 200);
    await on.bank.tokens.downscope([], id);
    assert.equal(await on.accounts(token), 403);
    await on.bank.tokens.expire();
    assert.equal(await on.accounts(token), 401);
    const other = await on.bank.tokens.issue();
    await on.bank.tokens.revoke(other.id);
    assert.equal(await on.accounts(other.token), 401);
  });

  it('has faults, whatever their ids look like', async () => {
    const rule = await on.bank.faults.set({ status: { status: 503 } }, { on: { role: 'atms' }, times: 2 });
    assert.equal(await on.atms(), 503);
    assert.deepEqual((await on.bank.faults.list()).map(({ id, fired }) => [id, fired]), [[rule, 1]]);
    await on.bank.faults.remove(rule);
    assert.equal(await on.atms(), 200);
    await on.bank.faults.set('close', { first: 1, ttl: '1h' });
    await on.bank.faults.clear();
    assert.deepEqual(await on.bank.faults.list(), []);
  });

  it('sends the server every part of a rule', async () => {
    const rules = [
      { on: { role: 'atms', method: 'GET' }, nth: 3 },
      { every: 2, ttl: '1h' },
      { first: 4, probability: 0.25 },
      { skip: 5, times: 6 },
    ];
    for (const rule of rules) await on.bank.faults.set({ status: { status: 503 } }, rule);
    const listed = await on.bank.faults.list();
    assert.deepEqual(listed.map(({ id, fault, matched, fired, ...rule }) => rule), rules);
    for (const { fault } of listed) assert.deepEqual(fault, { status: { status: 503 } });
  });

  it('has an outage', async () => {
    await on.bank.outage.start('maintenance', { for: '5m', seed: 3 });
    assert.equal(await on.atms(), 503);
    const { running, left_ms, seed } = await on.bank.outage.show();
    assert.deepEqual([running, left_ms, seed], [true, 300_000, '3']);
    await assert.rejects(on.bank.outage.start('slow'), rejection(409));
    await on.bank.outage.start('slow', { replace: true });
    assert.equal((await on.bank.outage.show()).name, 'slow');
    await on.bank.outage.stop();
    await on.bank.outage.start({ about: 'Teapots.', entries: [{ rules: [{ fault: { status: { status: 418 } } }] }] });
    assert.equal(await on.atms(), 418);
  });

  it('has money in its ledger', async () => {
    const { token } = await on.bank.tokens.issue({ login: 'ava' });
    const body = { from: 'ava-gbp', to: 'payee-lark', amount: { amount: '5.00', currency: 'GBP' } };
    const balance = async () => (await on.bank.balances()).find((row) => row.account === 'accounts/ava-gbp').balance;
    assert.equal(await balance(), '24915.55');
    await on.bank.faults.set({ 'lose-reply': { by: 'close' } }, { on: { role: 'pay' }, times: 1 });
    assert.equal(await request(`${on.bank.baseURL}/v1/payments`, { token, body }), null);
    assert.equal(await request(`${on.bank.baseURL}/v1/payments`, { token, body }), 201);
    assert.deepEqual((await on.bank.ledger()).movements.map((movement) => movement.key), ['tea-1']);
    assert.equal((await on.bank.ledger({ last: 1 })).balanced, true);
    assert.equal(await balance(), '24910.55');
  });

  it('makes a provider state, and rejects one that it does not know', async () => {
    assert.equal((await on.bank.providerState('customer ava is signed in')).accounts, 'ava-gbp');
    await assert.rejects(on.bank.providerState('pigs fly'), rejection(422));
  });

  // Sooner than the server does by itself, after a minute.
  it('closes idle connections', { timeout: 30_000 }, async () => {
    const agent = new http.Agent({ keepAlive: true });
    const closed = new Promise((resolve) => agent.on('free', (socket) => socket.once('close', resolve)));
    assert.equal(await request(`${on.bank.baseURL}/v1/atms`, { agent }), 200);
    await on.bank.closeConnections();
    await closed;
    agent.destroy();
  });
});
