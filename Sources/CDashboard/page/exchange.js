// @ts-check
// One exchange with all its details.
import { againParts } from './again.js';
import { call, Gone, link, Rejected } from './api.js';
import { $, actionButton, choices, dialog, el, facts, pressable, prose, setText, select } from './base.js';
import { compare } from './compare.js';
import { attemptNumber, look, receiptText, responseText, requestText } from './entry.js';
import { journal } from './journal.js';
import { gapTitle } from './rows.js';
import { byteCount, counted, laidOut, tookText } from './text.js';
import { gaps } from './timeline.js';
import { view } from './view.js';

/** @typedef {import('./entry.js').Entry} Entry */
/** @typedef {import('./entry.js').WholeEntry} WholeEntry */
/** @typedef {import('./base.js').Child} Child */

/** The number of bytes of a body that the journal stores at most. */
const STORED = 8 * 1024;

/**
 * The number of the exchange in the dialog.
 *
 * @type {number | null}
 */
let shown = null;

/**
 * Opens the exchange with that number, or replaces the open one.
 *
 * @param {number} seq
 */
export async function showExchange(seq) {
  const { session } = view;
  /** @type {WholeEntry} */
  let entry;
  try {
    entry = await call('GET /sessions/{s}/journal/{seq}', { s: session, seq });
  } catch (error) {
    if (error instanceof Gone) link.down();
    else if (error instanceof Rejected) fill(`Request ${seq}`, [el('p', { class: 'notice' }, error.message)]);
    return;
  }
  if (session !== view.session) return;
  shown = entry.seq;
  fill(`#${entry.seq} ${requestText(entry)}`, parts(entry));
  pressable('exchange-newer').disabled = shown >= journal.high;
  pressable('exchange-older').disabled = shown <= journal.oldest;
  offerOthers(entry);
}

/**
 * Opens the newer or the older neighbour, if there is one.
 *
 * @param {'newer' | 'older'} which
 */
export function showNeighbour(which) {
  if (!pressable(`exchange-${which}`).disabled) pressable(`exchange-${which}`).click();
}

/**
 * @param {WholeEntry} entry
 * @returns {Child[]}
 */
function parts(entry) {
  const gap = gaps(journal.entries.values()).get(entry.seq);
  return [
    el('p', {}, el('span', { class: `status ${look(entry)}` }, responseText(entry)), entry.reply ? ` ${entry.reply}` : '',
      `, ${tookText(entry.duration_us)}, ${receiptText(entry)}`),
    ...nearestParts(entry), ...faultParts(entry), ...attemptParts(entry),
    facts([
      ['operation', entry.operation ?? (entry.method === null ? null : 'none matched')], ['roles', entry.roles.join(', ')],
      ['customer', entry.customer], ['token', entry.token], ['key', entry.key], ['attempt', attemptNumber(entry)],
      ['began', gap ? gapTitle(gap) : null],
      ['executed', entry.committed ? (entry.replayed ? 'yes, earlier: the stored response was sent again' : 'yes') : 'no'],
      ['at', `${entry.at.replace('T', ' ').replace('Z', '')} UTC by the session clock`],
      ['connection', `${entry.connection}, request ${entry.request_on_connection}, ${entry.protocol}${entry.tls ? `, ${entry.tls}` : ''}`],
      ['host', entry.host],
    ]),
    ...messageParts('Request', entry.request_headers, entry.request_body, entry.body_bytes),
    ...messageParts('Response', entry.reply_headers, entry.reply_body, isCut(entry.reply_body) ? entry.receipt?.body_bytes ?? 0 : 0),
    ...againParts(entry, view.own?.base_url ?? ''),
  ];
}

/**
 * @param {string} title
 * @param {Child[]} content
 */
function fill(title, content) {
  setText($('exchange-title'), title);
  $('exchange-body').replaceChildren(...content.flatMap((each) => (each ? [each] : [])));
  if (!dialog('exchange').open) dialog('exchange').showModal();
  dialog('exchange').scrollTop = 0;
  $('exchange-title').focus();
}

/**
 * The operations nearest to a request, and why they did not match.
 *
 * @param {WholeEntry} entry
 */
function nearestParts({ nearest }) {
  if (!nearest.length) return [];
  return [
    el('h3', {}, 'No operation matched. Closest operations'),
    el('ul', { class: 'list' }, ...nearest.map((miss) => el('li', {},
      el('p', {}, el('strong', {}, miss.operation), ' ', el('code', {}, miss.wants)),
      ...miss.reasons.map((reason) => el('p', { class: 'quiet' }, ...prose(reason)))))),
  ];
}

/**
 * The faults of the exchange.
 *
 * @param {Entry} entry
 */
function faultParts(entry) {
  const faults = entry.fault?.all ?? (entry.fault ? [entry.fault] : []);
  return faults.map((fault) => el('p', { class: fault.applied ? 'fault-line' : 'quiet' },
    el('span', { class: fault.applied ? 'fault' : '' }, fault.kind), ` at ${fault.point} by ${fault.rule}`,
    fault.applied ? '' : `, not applied: ${fault.reason ?? 'no reason given'}`));
}

/**
 * The loaded exchanges with the same key, oldest first.
 *
 * @param {Entry} entry
 */
const attempts = (entry) => (entry.key === null ? [] : [...journal.entries.values()].filter(({ key }) => key === entry.key).sort((a, b) => a.seq - b.seq));

/**
 * The loaded attempts with the same key.
 *
 * @param {Entry} entry
 */
function attemptParts(entry) {
  const all = attempts(entry);
  if (all.length < 2) return [];
  return [
    el('h3', {}, 'Attempts with this key'),
    el('ul', { class: 'attempts' }, ...all.map((each) => el('li', {},
      each.seq === entry.seq ? el('strong', {}, `#${each.seq}`) : actionButton(`#${each.seq}`, () => showExchange(each.seq), { class: 'link' }),
      ` ${responseText(each)}${each.replayed ? ', replayed' : ''}${each.fault ? `, ${each.fault.kind}` : ''}`))),
  ];
}

/**
 * Offers the exchanges to compare with: the attempt before first, then those of the operation, then the neighbours.
 *
 * @param {Entry} entry
 */
function offerOthers(entry) {
  const others = journal.newestFirst.filter(({ seq }) => seq !== entry.seq);
  const sameKey = attempts(entry).filter(({ seq }) => seq !== entry.seq).sort((a, b) => Number(a.seq > entry.seq) - Number(b.seq > entry.seq) || b.seq - a.seq);
  /** @type {(all: Entry[]) => [string, string][]} */
  const options = (all) => all.slice(0, 50).map((each) => [String(each.seq), `#${each.seq} ${requestText(each).slice(0, 40)} ${responseText(each)}`]);
  const sameOperation = others.filter((each) => each.operation === entry.operation && !sameKey.includes(each))
    .sort((a, b) => Math.abs(a.seq - entry.seq) - Math.abs(b.seq - entry.seq));
  const rest = others.filter((each) => !sameKey.includes(each) && !sameOperation.includes(each))
    .sort((a, b) => Math.abs(a.seq - entry.seq) - Math.abs(b.seq - entry.seq));
  $('compare-form').hidden = others.length === 0;
  /** @type {[string, [string, string][]][]} */
  const groups = [['same key', options(sameKey)], ['same operation', options(sameOperation)], ['other requests', options(rest)]];
  choices(select('compare-with'), groups.filter(([, all]) => all.length));
  select('compare-with').selectedIndex = 0;
}

/**
 * Whether the journal may have cut the body. A shorter one is whole: without its secrets it has fewer bytes than were sent.
 *
 * @param {string} body
 */
const isCut = (body) => byteCount(body) >= STORED;

/**
 * @param {string} name
 * @param {[string, string][]} headers
 * @param {string} body
 * @param {number} bytes
 */
function messageParts(name, headers, body, bytes) {
  // Bytes that are no text have become longer.
  const kept = Math.min(STORED, byteCount(body));
  /** @type {HTMLElement[]} */
  const all = [el('h3', {}, name)];
  all.push(headers.length
    ? el('pre', { tabindex: 0, class: 'headers' }, headers.map(([key, value]) => `${key}: ${value}`).join('\n'))
    : el('p', { class: 'quiet' }, 'No headers.'));
  if (body) all.push(el('pre', { tabindex: 0, class: 'body' }, laidOut(body)));
  if (bytes > kept) all.push(el('p', { class: 'quiet' }, `${kept} of ${counted(bytes, 'byte')} stored.`));
  return all;
}

/** Compares the open exchange with the chosen one; the older is on the left. */
export function compareShown() {
  const other = Number(select('compare-with').value);
  if (shown === null || !other) return;
  compare(Math.min(shown, other), Math.max(shown, other));
}

/**
 * Closes a dialog on a click outside.
 *
 * @param {HTMLDialogElement} element
 */
export function closeOnClickOutside(element) {
  element.addEventListener('click', (event) => { if (event.target === element) element.close(); });
}

export function setUpExchange() {
  $('exchange-close').addEventListener('click', () => dialog('exchange').close());
  $('exchange-newer').addEventListener('click', () => { if (shown !== null) showExchange(shown + 1); });
  $('exchange-older').addEventListener('click', () => { if (shown !== null) showExchange(shown - 1); });
  $('compare-form').addEventListener('submit', (event) => { event.preventDefault(); compareShown(); });
  closeOnClickOutside(dialog('exchange'));
  dialog('exchange').addEventListener('close', () => {
    const button = document.querySelector(`[data-seq="${Number(shown)}"]`);
    if (button instanceof HTMLElement) button.focus();
  });
}
