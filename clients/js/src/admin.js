// @ts-check
import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { AdminError, CounterfoilError, UnreachableError } from './errors.js';

/** An address, with its path as it is written: `URL` would resolve `..` and encode characters. */
const ADDRESS = /^https?:\/\/[^\s/?#@\\]+((?:\/(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*)*)$/i;

/** The admin API of one server: JSON over HTTP or HTTPS. Each call has a connection of its own. */
export class AdminAPI {
  #origin;
  #prefix;
  #token;
  #timeout;

  /**
   * @param {string} address such as `http://127.0.0.1:8081`; a path is kept, such as that of `https://bank.example/nodes/n2`. The
   *   authorities of certificates are those of Node, with NODE_EXTRA_CA_CERTS.
   * @param {{token?: string, timeout?: number}} [options] the token that the server requires, and the milliseconds for which a call
   *   waits for the response; no redirect is followed
   */
  constructor(address, { token, timeout = 30_000 } = {}) {
    const path = ADDRESS.exec(address)?.[1];
    if (path === undefined || !URL.canParse(address)) {
      const shown = address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@');
      throw new CounterfoilError(`found the address ${shown}, expected one such as http://127.0.0.1:8081, without user, query and fragment`);
    }
    if (token && !/^[ -~]+$/.test(token)) {
      throw new CounterfoilError('found a line break or a character beyond ASCII in the admin token, expected one line of ASCII text');
    }
    this.#origin = new URL(new URL(address).origin);
    this.#prefix = path.replace(/\/+$/, '');
    this.address = this.#origin.origin + this.#prefix;
    this.#token = token;
    this.#timeout = timeout;
  }

  /**
   * @param {string[]} path
   * @param {Record<string, unknown>} [query]
   * @param {number} [longer] added to the timeout, in milliseconds
   */
  get(path, query, longer) {
    return this.call('GET', path, { query, longer });
  }

  /**
   * @param {string[]} path
   * @param {object} [body]
   */
  post(path, body) {
    return this.call('POST', path, { body });
  }

  /**
   * @param {string[]} path
   * @param {object} body
   */
  put(path, body) {
    return this.call('PUT', path, { body });
  }

  /** @param {string[]} path */
  delete(path) {
    return this.call('DELETE', path);
  }

  /**
   * Sends a request and returns the JSON of the response, or its text if it is not JSON; null if there is no body.
   *
   * Each part of the path is percent-encoded, so an id may contain any character. Members of `query` and `body` that are undefined are
   * left out.
   *
   * @param {string} method
   * @param {string[]} path
   * @param {{query?: Record<string, unknown>, body?: object, longer?: number}} [options]
   * @returns {Promise<any>}
   */
  async call(method, path, { query = {}, body, longer = 0 } = {}) {
    const target = ['/__admin', ...path.map(encodeURIComponent)].join('/');
    const name = `${method} ${target}`;
    // A list would answer for an empty name, and a proxy removes dots.
    const flaw = path.find((part) => ['', '.', '..'].includes(part));
    if (flaw !== undefined) {
      throw new CounterfoilError(`${name}: found ${flaw ? `the name '${flaw}'` : 'an empty name'}, expected the id of a session, a rule or the like`);
    }
    const words = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = words.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&');
    const content = body === undefined ? undefined : textOf(body);
    let response;
    try {
      response = await this.#send(method, search ? `${target}?${search}` : target, content, Math.ceil(this.#timeout + longer));
    } catch (error) {
      const reason = /** @type {Error} */ (error).message;
      throw new UnreachableError(`${name}: no response from ${this.address}: ${reason}`, { cause: error });
    }
    return resultOf(name, response);
  }

  /**
   * @param {string} method
   * @param {string} target
   * @param {string | undefined} content
   * @param {number} timeout
   * @returns {Promise<{status: number, type: string, text: string}>}
   */
  #send(method, target, content, timeout) {
    return new Promise((resolve, reject) => {
      /** @type {Record<string, string | number>} */
      const headers = { Accept: 'application/json' };
      if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
      if (content !== undefined) headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = Buffer.byteLength(content ?? '');
      const signal = AbortSignal.timeout(timeout);
      const to = { ...urlToHttpOptions(this.#origin), path: this.#prefix + target };
      // Verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0, because the request has the token.
      const options = { ...to, method, headers, agent: /** @type {const} */ (false), signal, rejectUnauthorized: true };
      const request = (to.protocol === 'https:' ? https : http).request(options, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (/** @type {string} */ piece) => (text += piece));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }));
      });
      request.on('error', (error) => reject(signal.aborted ? new Error(`timed out after ${timeout} ms`) : error));
      request.end(content);
    });
  }
}

/**
 * A seed may be larger than a number can be exactly, so it is a text of digits here, and a number in JSON.
 *
 * @param {object} body
 */
function textOf(body) {
  const { seed, ...rest } = /** @type {{seed?: number | bigint | string}} */ (body);
  const text = JSON.stringify(rest);
  if (seed === undefined) return text;
  if (!/^[0-9]+$/.test(String(seed))) throw new CounterfoilError(`found the seed ${seed}, expected a whole number below 2^64`);
  return `{"seed":${seed}${text === '{}' ? '' : ','}${text.slice(1)}`;
}

/**
 * The JSON of a text, with each seed as its digits.
 *
 * @param {string} text
 */
export function parsed(text) {
  // Inside a string the quotes would have a backslash.
  return JSON.parse(text.replace(/"seed":([0-9]+)/g, '"seed":"$1"'));
}

/**
 * @param {string} call
 * @param {{status: number, type: string, text: string}} response
 */
function resultOf(call, { status, type, text }) {
  const isJSON = /^application\/(problem\+)?json\b/.test(type);
  if (status >= 200 && status < 300) {
    if (text === '' || !isJSON) return text || null;
    try {
      return parsed(text);
    } catch {
      throw new CounterfoilError(`${call}: found no valid JSON, but: ${text.slice(0, 500)}`);
    }
  }
  let problem;
  try {
    problem = isJSON ? JSON.parse(text) : {};
  } catch {
    // As below: it is no problem document.
  }
  if (typeof problem?.detail === 'string') throw new AdminError(call, status, problem);
  const detail = `found no problem details, but: ${text.slice(0, 500)}`;
  throw new AdminError(call, status, { title: http.STATUS_CODES[status], detail });
}
