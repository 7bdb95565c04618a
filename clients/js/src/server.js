// @ts-check
import { createHash } from 'node:crypto';
import { AdminAPI } from './admin.js';
import { Session } from './session.js';

/** A running server, as its admin API shows it. */
export class Server {
  /** @param {AdminAPI} admin */
  constructor(admin) {
    this.admin = admin;
  }

  get adminAddress() {
    return this.admin.address;
  }

  version() {
    return this.admin.get(['version']);
  }

  async banks() {
    return (await this.admin.get(['banks'])).banks;
  }

  async faultKinds() {
    return (await this.admin.get(['fault-kinds'])).kinds;
  }

  async outages() {
    return (await this.admin.get(['outages'])).outages;
  }

  metrics() {
    return this.admin.get(['metrics']);
  }

  async sessions() {
    return (await this.admin.get(['sessions'])).sessions;
  }

  /** @param {string} [id] */
  async session(id = 'default') {
    return new Session(this.admin, await this.admin.get(['sessions', id]));
  }

  /**
   * @param {string} bank
   * @param {import('./index.js').SessionOptions} [options]
   */
  async newSession(bank, options = {}) {
    return new Session(this.admin, await this.admin.post(['sessions'], { bank, ...options }));
  }

  async shutdown() {
    await this.admin.post(['shutdown']);
  }
}

/** @param {string} test */
export function sessionName(test) {
  if (/^[a-z0-9-]{1,63}$/.test(test)) return test;
  const dashes = /^-+|-+$/g;
  const readable = test.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(dashes, '').slice(0, 54).replace(dashes, '');
  return (readable ? `${readable}-` : '') + createHash('sha256').update(test).digest('hex').slice(0, 8);
}

/** @param {string} test */
export function sessionLabel(test) {
  return test.replace(/[^A-Za-z0-9_.:/@+ -]+/g, '-').slice(-63).trim() || 'test';
}

/**
 * @param {string} [address]
 * @param {{token?: string, timeout?: number}} [options]
 */
export async function connect(address, { token, timeout } = {}) {
  const admin = new AdminAPI(address || process.env.COUNTERFOIL_ADMIN || 'http://127.0.0.1:8081', {
    token: token || process.env.COUNTERFOIL_ADMIN_TOKEN,
    timeout,
  });
  await admin.get(['health']);
  return new Server(admin);
}
