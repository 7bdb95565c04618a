// @ts-check
// Two exchanges side by side, with their difference.
import { call, Gone, link, Rejected } from './api.js';
import { $, dialog, el, input, setText } from './base.js';
import { headerRows, lineRows } from './diff.js';
import { attemptNumber, faultText, receiptText, responseText, requestText } from './entry.js';
import { counted, laidOut, tookText } from './text.js';
import { view } from './view.js';

/** @typedef {import('./entry.js').WholeEntry} WholeEntry */
/** @typedef {import('./diff.js').Row} Row */

/**
 * Shows two exchanges.
 *
 * @param {number} left the older one's number
 * @param {number} right
 */
export async function compare(left, right) {
  const { session } = view;
  try {
    /** @type {WholeEntry[]} */
    const [a, b] = await Promise.all([left, right].map((seq) => call('GET /sessions/{s}/journal/{seq}', { s: session, seq })));
    if (session !== view.session) return;
    show(a, b);
  } catch (error) {
    if (error instanceof Gone) link.down();
    else if (error instanceof Rejected) {
      setText($('compare-title'), `#${left} and #${right}`);
      $('compare-body').replaceChildren(el('p', { class: 'notice' }, error.message));
    } else throw error;
  }
  if (!dialog('compare').open) dialog('compare').showModal();
  $('compare-title').focus();
}

/**
 * @param {WholeEntry} a
 * @param {WholeEntry} b
 */
function show(a, b) {
  setText($('compare-title'), `#${a.seq} and #${b.seq}`);
  const sections = [
    section('Summary', pairs(a, b)),
    section('Request headers', headerRows(a.request_headers, b.request_headers)),
    section('Request body', lineRows(laidOut(a.request_body), laidOut(b.request_body))),
    section('Response headers', headerRows(a.reply_headers, b.reply_headers)),
    section('Response body', lineRows(laidOut(a.reply_body), laidOut(b.reply_body))),
  ];
  $('compare-body').replaceChildren(el('table', { class: 'diff' },
    el('caption', { class: 'unseen' }, `Request ${a.seq} on the left, request ${b.seq} on the right.`),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, `#${a.seq}, ${a.at.slice(11, 23)} UTC`), el('th', { scope: 'col' }, `#${b.seq}, ${b.at.slice(11, 23)} UTC`))),
    ...sections));
}

/**
* What both have in common, in a line.
 *
 * @param {WholeEntry} a
 * @param {WholeEntry} b
 * @returns {Row[]}
 */
function pairs(a, b) {
  /** @type {[name: string, of: (entry: WholeEntry) => string | number | null][]} */
  const lines = [
    ['request', requestText], ['response', (entry) => [responseText(entry), entry.reply].filter(Boolean).join(' ')], ['duration', (entry) => tookText(entry.duration_us)],
    ['sent', receiptText], ['fault', (entry) => faultText(entry) || null], ['operation', (entry) => entry.operation],
    ['customer', (entry) => entry.customer], ['token', (entry) => entry.token], ['key', (entry) => entry.key], ['attempt', attemptNumber],
    ['executed', (entry) => (entry.committed ? (entry.replayed ? 'earlier, and replayed' : 'yes') : 'no')],
    ['connection', (entry) => `${entry.connection}, request ${entry.request_on_connection}, ${entry.protocol}`],
  ];
  return lines.flatMap(([name, of]) => {
    const [left, right] = [of(a), of(b)];
    if (left === null && right === null) return [];
    /** @type {(value: string | number | null) => string | null} */
    const line = (value) => (value === null ? null : `${name}: ${value}`);
    return [{ left: line(left), right: line(right), isSame: left === right }];
  });
}

/**
 * @param {string} name
 * @param {Row[]} rows
 */
function section(name, rows) {
  const different = rows.filter(({ isSame }) => !isSame).length;
  const note = rows.length === 0 ? 'none' : different ? counted(different, 'difference') : 'the same';
  /** @type {(text: string | null, sign: string, mark: string) => HTMLTableCellElement} */
  const cell = (text, sign, mark) => el('td', { class: text === null ? 'blank' : mark },
    text !== null && mark && el('span', { class: 'sign', 'aria-hidden': 'true' }, sign), text !== null && mark && el('span', { class: 'unseen' }, 'differs: '), text ?? '');
  return el('tbody', {},
    el('tr', { class: 'section' }, el('th', { colspan: 2, scope: 'rowgroup' }, name, ' ', el('small', { class: different ? 'doubt' : '' }, note))),
    ...rows.map(({ left, right, isSame }) => el('tr', { class: isSame ? 'same' : '' },
      cell(left, '−', isSame ? '' : 'before'), cell(right, '+', isSame ? '' : 'after'))));
}

export function setUpCompare() {
  $('compare-close').addEventListener('click', () => dialog('compare').close());
  input('compare-all').addEventListener('change', () => $('compare-body').classList.toggle('all', input('compare-all').checked));
  dialog('compare').addEventListener('click', (event) => { if (event.target === dialog('compare')) dialog('compare').close(); });
}
