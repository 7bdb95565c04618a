#!/usr/bin/env node
// A driver: Counterfoil operates your client through it. README.md beside it has the commands.
import { randomUUID } from 'node:crypto';
import { Driver, Failure } from './counterfoil-driver.mjs';

// The text of that name; a response without it is not what was agreed.
function text(response, name) {
  if (typeof response?.[name] !== 'string') throw new Failure('decode', `no text \`${name}\` in the response`);
  return response[name];
}

// What the user is shown of a payment that the bank has accepted.
function paid(response) {
  const state = text(response, 'state');
  if (!['accepted', 'pending-authorisation', 'settled'].includes(state)) throw new Failure(state === 'rejected' ? 'rejected' : 'decode');
  return { payment: text(response, 'id'), state };
}

// The bank's own words, which the user is shown; empty if the error has none that can be read.
async function reason(response) {
  const problem = await response.json().catch(() => undefined);
  return [problem?.detail, problem?.error_description].find((words) => typeof words === 'string') ?? '';
}

// Signs in, reads a balance and pays at the bank `counterfoil`. Your own client takes its place.
class Client {
  payments = new Map();

  constructor({ base_url, timeouts }) {
    Object.assign(this, { base: base_url, total: timeouts.total_ms });
  }

  async login(username, password) {
    const body = new URLSearchParams({ grant_type: 'password', username, password });
    Object.assign(this, { user: undefined, token: undefined });
    const token = text(await this.send('/oauth/token', { method: 'POST', body }), 'access_token');
    Object.assign(this, { user: username, token });
  }

  async balance(account) {
    return (await this.send(`/v1/accounts/${encodeURIComponent(account)}`))?.balance;
  }

  async pay(intent, order) {
    const name = `${this.user} ${intent}`; // one payment order of one customer, one key
    if (!this.payments.has(name)) this.payments.set(name, { key: randomUUID(), body: JSON.stringify(order) });
    const { key, body, receipt } = this.payments.get(name);
    if (receipt) return receipt; // paid: not sent again, because the bank may answer otherwise now
    try {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const shown = paid(await this.send('/v1/payments', { method: 'POST', headers, body }));
      this.payments.set(name, { receipt: shown });
      return shown;
    } catch (error) {
      if (['rejected', 'not_found'].includes(error.name)) this.payments.delete(name); // rejected: the payment order, corrected, is another payment
      throw error;
    }
  }

  async send(path, { headers = {}, ...call } = {}) {
    if (path !== '/oauth/token') {
      if (!this.token) throw new Failure('unauthorized', 'not signed in', { sent: false });
      headers.authorization = `Bearer ${this.token}`;
    }
    const response = await fetch(this.base + path, { ...call, headers, redirect: 'manual', signal: AbortSignal.timeout(this.total) });
    if (response.status === 401) this.token = undefined;
    if (![200, 201].includes(response.status)) throw Failure.ofStatus(response.status, await reason(response));
    return response.json(); // the kit knows the errors of fetch and of JSON
  }
}

new Driver('my-client 1.0', {
  banks: ['counterfoil'],
  open: (start) => new Client(start),
  operations: {
    async login(client, { args }) {
      await client.login(args.user, args.password);
      return { signed_in: true };
    },
    async balance(client, { args }) {
      const balance = await client.balance(args.account);
      return { balance: text(balance, 'amount'), currency: text(balance, 'currency') };
    },
    async pay(client, { args: { intent, from, to, amount, currency } }) {
      return client.pay(intent, { from, to, amount: { amount, currency } });
    },
  },
}).run();
