// Arguments as another language's client takes them are rejected with the form that this one takes, without a server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdminAPI } from '../src/admin.js';
import { CounterfoilError, serve, Server } from '../src/index.js';
import { Session } from '../src/session.js';

/** A session whose every call would succeed. */
const session = new Session(
  { get: async () => ({ entries: [], revision: 1, rules: [] }), post: async () => ({}) },
  { id: 's', bank: 'counterfoil', base_url: 'http://127.0.0.1:1', seed: '7' },
);

/** Expects an error of this library. */
const rejects = (promise, message) =>
  assert.rejects(promise, (error) => error instanceof CounterfoilError && assert.equal(error.message, message) === undefined);

describe('arguments', () => {
  it('has suites in an array', async () => {
    await rejects(session.expect('auth'), "found \"auth\", expected an array of suites, such as ['auth', 'pay']");
    await rejects(session.verdict(['auth,pay']), "found [\"auth,pay\"], expected an array of suites, such as ['auth', 'pay']");
  });

  it('has banks in an array', async () => {
    await rejects(serve('counterfoil'), "found \"counterfoil\", expected an array of banks, such as ['counterfoil']");
  });

  it('has a condition in an object: a function alone would select every exchange', async () => {
    await rejects(
      session.journal.waitForExchange((exchange) => exchange.replayed),
      "found (exchange) => exchange.replayed, expected an object such as { role: 'pay', matches: (exchange) => exchange.replayed }");
  });

  it('has values of their types: another would match no exchange', async () => {
    const { journal } = session;
    await rejects(journal.waitForExchange({ status: '200' }), 'found status: "200", expected a number, such as status: 200');
    await rejects(journal.waitForExchange({ role: ['pay'] }), 'found role: ["pay"], expected a string, such as role: "pay"');
    await rejects(
      journal.waitForExchange({ matches: 'replayed' }),
      'found matches: "replayed", expected a function, such as matches: exchange => exchange.replayed');
    await rejects(
      journal.waitForExchange({ verb: 'GET' }),
      'found the member verb, expected operation, role, status, method, path, matches, after, timeout');
  });

  it('has the time of an outage in an object', async () => {
    await rejects(session.outage.start('maintenance', '5m'), "found 5m, expected an object such as { for: '5m' }");
  });

  it('has names that are not empty', async () => {
    const server = new Server(new AdminAPI('http://127.0.0.1:1'));
    await rejects(server.session(''), 'GET /__admin/sessions/: found an empty name, expected the id of a session, a rule or the like');
    await rejects(server.session('..'), "GET /__admin/sessions/..: found the name '..', expected the id of a session, a rule or the like");
  });
});
