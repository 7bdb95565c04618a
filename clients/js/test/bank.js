// The parts that the tests share: one server, and requests to its banks.
import http from 'node:http';
import { after, afterEach, before, beforeEach } from 'node:test';
import { serve } from '../src/index.js';

export const program = process.env.COUNTERFOIL;
export const stubs = process.env.COUNTERFOIL_STUBS;

export const served = (banks = [], options = {}) => serve(banks, { program, stubs, seed: 7, ...options });

/** The status of a GET, or of a POST with that body; null if no response came. */
export function request(address, { token, body, agent = false } = {}) {
  const headers = { ...(token && { Authorization: `Bearer ${token}` }) };
  if (body) Object.assign(headers, { 'Content-Type': 'application/json', 'Idempotency-Key': 'tea-1' });
  return new Promise((resolve) => {
    const asked = http.request(address, { method: body ? 'POST' : 'GET', headers, agent }, (response) => {
      response.resume().on('error', () => resolve(null)).on('end', () => resolve(response.statusCode));
    });
    asked.on('error', () => resolve(null)).end(body && JSON.stringify(body));
  });
}

/** In a suite: one server, and a session for each test whose clock stands. */
export function withBank() {
  const all = {};
  before(async () => (all.server = await served(['counterfoil', 'roundup'])));
  after(() => all.server?.stop());
  beforeEach(async () => (all.bank = await all.server.newSession('counterfoil', { seed: 9, clock: '2026-01-12T09:15:00Z' })));
  afterEach(() => all.bank[Symbol.asyncDispose]());
  all.accounts = (token) => request(`${all.bank.baseURL}/v1/accounts`, { token });
  all.atms = () => request(`${all.bank.baseURL}/v1/atms`);
  return all;
}
