// @ts-check
// The lines that send a request again, and the exchange as a file.
import { attempt, call } from './api.js';
import { $, actionButton, copyButton, el, shellLine } from './base.js';
import { target } from './entry.js';
import { byteCount } from './text.js';
import { view } from './view.js';

/** @typedef {import('./entry.js').WholeEntry} WholeEntry */

/** Headers of a connection, which `fetch` sets by itself (Fetch Standard, forbidden request-header). */
const OWN = new Set([
  'host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'upgrade', 'keep-alive', 'te', 'trailer', 'accept-encoding',
]);

/**
 * The command and the script that send the request again, and its archive.
 *
 * @param {WholeEntry} entry
 * @param {string} base the session's address
 * @returns {HTMLElement[]}
 */
export function againParts(entry, base) {
  if (entry.method === null) return [];
  const { line, left_out: leftOut } = entry.curl;
  const script = fetchScript(entry, base);
  const hints = [];
  if (line.includes('Bearer $token')) hints.push('First set the variable token in the shell or the script. You can issue a token under Tokens.');
  if (leftOut.length) hints.push(`Left out: ${leftOut.join(', ')}.`);
  if (script.leftOut) hints.push(`Left out of fetch: ${script.leftOut}.`);
  const notice = el('p', { class: 'notice', role: 'alert' });
  return [
    el('h3', {}, 'Send again'), shellLine(line),
    el('p', { class: 'row' },
      copyButton('Copy as fetch', () => script.text, { id: 'copy-fetch' }),
      actionButton('Save as HAR', () => attempt(notice, () => saveArchive({ since: entry.seq - 1, before: entry.seq + 1 }, `-${entry.seq}`)))),
    notice, ...hints.map((text) => el('p', { class: 'quiet' }, text)),
  ];
}

/**
 * The call of `fetch` that sends the request again, for a browser's console or Node.
 *
 * Texts of a client are JSON in it, which is JavaScript. What the server leaves out of the command is left out here, too.
 *
 * @param {WholeEntry} entry
 * @param {string} base
 * @returns {{ text: string, leftOut: string }}
 */
export function fetchScript(entry, base) {
  const leftOut = new Set(entry.curl.left_out);
  const headers = entry.request_headers.filter(([name]) => !OWN.has(name.toLowerCase()) && !leftOut.has(name)).map(([name, value]) => {
    const isBearer = name.toLowerCase() === 'authorization' && entry.token !== null && entry.token !== 'empty';
    return `    [${JSON.stringify(name)}, ${isBearer ? '`Bearer ${token}`' : JSON.stringify(value)}],`;
  });
  const lines = [`  method: ${JSON.stringify(entry.method)},`];
  if (headers.length) lines.push('  headers: [', ...headers, '  ],');
  let missing = '';
  if (entry.body_bytes > 0) {
    const isWhole = byteCount(entry.request_body) === entry.body_bytes && ![...leftOut].some((text) => text.startsWith('the body'));
    if (entry.method === 'GET' || entry.method === 'HEAD') missing = `the body, which fetch cannot send with ${entry.method}`;
    else if (isWhole) lines.push(`  body: ${JSON.stringify(entry.request_body)},`);
    else missing = 'the body, which the journal does not store unchanged';
  }
  const text = [`const response = await fetch(${JSON.stringify(base + target(entry))}, {`, ...lines, '});', 'console.log(response.status, await response.text());'];
  return { text: text.join('\n'), leftOut: missing };
}

/**
 * Saves exchanges as an HTTP archive. The call is made here, not by a link: only calls carry the admin token.
 *
 * @param {Record<string, number>} range
 * @param {string} suffix
 */
async function saveArchive(range, suffix) {
  const archive = await call('GET /sessions/{s}/journal/har', { s: view.session }, { query: range });
  const url = URL.createObjectURL(new Blob([JSON.stringify(archive, null, 1)], { type: 'application/json' }));
  el('a', { href: url, download: `counterfoil-${view.session}${suffix}.har` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function setUpArchive() {
  $('save-har').addEventListener('click', () => attempt($('older-notice'), () => saveArchive({}, '')));
}
