// @ts-check
// The admin API: the only server of this page.
import { $, input, setText } from './base.js';

const TOKEN = 'counterfoil.admin-token';

/** The server rejected a call; the message is its `detail`. */
export class Rejected extends Error {
  /**
   * @param {number} status 0 if the page rejected it itself
   * @param {string} detail
   */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The server sends no response. */
export class Gone extends Error {}

/** The effect of an action on the rest of the page; main.js fills it in. */
export const page = {
  refresh: async () => {},
  refreshSoon: () => {},
};

/**
 * One call. `line` is method and path with {names}, as in the API's table.
 *
 * Throws Rejected or Gone, or the AbortError of its signal.
 *
 * @param {string} line
 * @param {Record<string, any>} [names]
 * @param {{ query?: Record<string, any>, body?: any, signal?: AbortSignal }} [options]
 * @returns {Promise<any>} the response's JSON; null if it has none
 */
export async function call(line, names = {}, options = {}) {
  const { query = {}, body, signal } = options;
  const [method, template] = line.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name]));
  const asked = Object.entries(query).filter(([, value]) => value != null).map(([name, value]) => [name, String(value)]);
  const url = '__admin' + path + (asked.length ? '?' + new URLSearchParams(asked) : '');
  for (;;) {
    /** @type {Record<string, string>} */
    const headers = {};
    const token = sessionStorage.getItem(TOKEN);
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let response, text;
    try {
      response = await fetch(url, { method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body) });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Gone();
    }
    if (response.status === 401) {
      await askForToken(token);
      continue;
    }
    let answer = null;
    try {
      if (text) answer = JSON.parse(text);
    } catch {
      // The response comes from another server.
      throw new Gone();
    }
    if (!response.ok) throw new Rejected(response.status, answer?.detail ?? `status ${response.status}`);
    return answer;
  }
}

/** @type {Promise<void> | null} */
let asking = null;

/**
 * Returns once the tab has another token than the rejected one. Concurrent calls prompt once.
 *
 * @param {string | null} rejected
 */
async function askForToken(rejected) {
  if (sessionStorage.getItem(TOKEN) !== rejected) return;
  asking ??= new Promise((resolve) => {
    $('ask').hidden = false;
    $('frame').hidden = true;
    setText($('ask-notice'), rejected ? 'The server rejected that token.' : '');
    $('admin-token').focus();
    $('ask').onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, input('admin-token').value);
      input('admin-token').value = '';
      $('ask').hidden = true;
      $('frame').hidden = false;
      asking = null;
      resolve();
    };
  });
  await asking;
}

/** Shows whether the server responds. */
export const link = {
  /** @type {Date | null} */
  downSince: null,
  up() {
    this.downSince = null;
    $('gone').hidden = true;
    setText($('link'), '● live');
    $('link').className = 'pass';
  },
  down() {
    this.downSince ??= new Date();
    $('gone').hidden = false;
    const since = this.downSince.toLocaleTimeString('en-GB', { timeZoneName: 'short' });
    setText($('gone'), `No response since ${since}. The page shows the last known state and reconnects automatically.`);
    setText($('link'), '○ no response');
    $('link').className = 'fail';
  },
  rest() {
    if (this.downSince) return;
    setText($('link'), '◌ idle');
    $('link').className = 'quiet';
  },
};

/**
 * Runs a user's action, then refreshes the page. Shows an error of the server in `notice`.
 *
 * @param {Element | null} notice
 * @param {() => any} action
 */
export async function attempt(notice, action) {
  try {
    await action();
    if (notice) setText(notice, '');
    await page.refresh();
  } catch (error) {
    if (error instanceof Rejected) { if (notice) setText(notice, error.message); }
    else if (error instanceof Gone) link.down();
    else if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
  }
}

/**
 * The place for error messages in a form.
 *
 * @param {string} id
 */
export const noticeOf = (id) => $(id).querySelector('.notice');

/**
 * Runs an action when a form is submitted, instead of sending the form.
 *
 * @param {string} id
 * @param {() => any} action
 * @param {Element | null} [notice] the place for error messages
 */
export function onSubmit(id, action, notice = noticeOf(id)) {
  $(id).addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(notice, action);
  });
}

/**
 * Waits, or returns at once when aborted.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export const pause = (milliseconds, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
});
