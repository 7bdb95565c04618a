// @ts-check
// The journal's rows, and their bars.
import { $, actionButton, el } from './base.js';
import { attemptNumber, faultText, isError, look, operationText, receiptText, responseText, requestText, target } from './entry.js';
import { msText, timeOfDay, tookText } from './text.js';
import { bars } from './timeline.js';

/** @typedef {import('./entry.js').Entry} Entry */

/** What a click on a row, or on a key, does; main.js fills it in. */
export const rowActions = {
  /** @type {(seq: number) => void} */
  open: () => {},
  /** @type {(text: string) => void} */
  filter: () => {},
};

/**
 * @param {{ entry: Entry, gap: import('./timeline.js').Gap | null }} item
 * @returns {HTMLTableRowElement}
 */
export function row({ entry, gap }) {
  const open = () => rowActions.open(entry.seq);
  /** @type {(name: string, ...children: import('./base.js').Child[]) => HTMLTableCellElement} */
  const cell = (name, ...children) => el('td', { class: name }, ...children);
  const status = [el('span', { class: `status ${look(entry)}` }, responseText(entry))];
  if (entry.reply) status.push(el('span', { class: 'operation quiet' }, entry.reply));
  if (entry.replayed) status.push(el('span', { class: 'operation quiet' }, 'replayed'));
  const fault = faultText(entry);
  return el('tr', { class: isError(entry) ? 'is-error' : '', on: { click: open } },
    cell('c-seq', actionButton(String(entry.seq), (event) => { event.stopPropagation(); open(); },
      { class: 'link', 'aria-label': `Request ${entry.seq}: ${requestText(entry)}, ${responseText(entry)}`, 'data-seq': entry.seq }),
    el('span', { class: 'operation quiet', title: `${entry.at}, in UTC by the session clock` }, timeOfDay(entry.at))),
    cell('c-request', el('span', { class: 'request', title: target(entry) }, el('span', { class: 'method' }, entry.method ?? '–'), ' ',
      el('span', { class: 'path' }, target(entry) || 'a connection')),
      el('span', { class: 'operation quiet' }, operationText(entry))),
    cell('c-status', ...status),
    cell('c-fault', fault && el('span', { class: entry.fault?.applied ? 'fault' : 'quiet' }, fault),
      entry.fault && entry.receipt?.end !== 'kept' && el('span', { class: 'operation quiet' }, receiptText(entry))),
    cell('c-key', ...keyParts(entry, gap)),
    cell('c-took', el('span', { class: 'unseen' }, 'took '), msText(entry.duration_us), el('span', { class: 'unit' }, ' ms')),
    cell('c-bar', el('span', { class: `bar ${look(entry)}` })));
}

/**
 * The key, the attempt's number, and the time since the attempt before.
 *
 * @param {Entry} entry
 * @param {import('./timeline.js').Gap | null} gap
 */
function keyParts(entry, gap) {
  const { key } = entry;
  if (key === null) return [];
  const number = attemptNumber(entry) ?? 1;
  return [
    actionButton(key, (event) => { event.stopPropagation(); rowActions.filter(/\s/.test(key) ? `key:"${key}"` : `key:${key}`); },
      { class: 'link key', title: `Show all attempts with the key ${key}` }),
    number > 1 && el('span', { class: 'operation doubt' }, `attempt ${number}`),
    gap && el('span', { class: 'operation quiet', title: gapTitle(gap) }, gap.microseconds < 0 ? 'overlaps' : `+${tookText(gap.microseconds)}`),
  ];
}

/** @param {import('./timeline.js').Gap} gap */
export function gapTitle({ after, microseconds }) {
  return microseconds < 0 ? `began while #${after}, the previous attempt, was in progress`
    : `${tookText(microseconds)} after the end of #${after}, the previous attempt`;
}

/**
 * Sets the bars of the rows on show: their scale changes with every new exchange, and the rows stay.
 *
 * @param {Entry[]} entries
 */
export function drawBars(entries) {
  const places = bars(entries);
  for (const child of $('row-body').children) {
    if (!(child instanceof HTMLElement)) continue;
    const place = places.get(Number(child.dataset.key));
    const bar = child.querySelector('.bar');
    if (!place || !(bar instanceof HTMLElement)) continue;
    bar.style.setProperty('--left', String(place.left));
    bar.style.setProperty('--width', String(place.width));
    if (bar.parentElement) bar.parentElement.title = `within a burst of ${tookText(Math.round(place.span))}`;
    child.classList.toggle('is-first', place.isFirst);
  }
}
