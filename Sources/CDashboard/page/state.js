// @ts-check
// A session's clock, tokens and money.
import { attempt, call, onSubmit, noticeOf } from './api.js';
import { $, actionButton, el, input, list, setText, select, shellLine } from './base.js';
import { filterBy } from './journal.js';
import { dateText, timeOfDay } from './text.js';
import { view } from './view.js';

const clock = { base: 0, at: 0, mode: 'running', skew: '' };

/** @param {{ now: string, mode: string, skew: string }} time */
export function showClock({ now, mode, skew }) {
  Object.assign(clock, { base: Date.parse(now), at: performance.now(), mode, skew: skew === '0ms' ? '' : `, Date off by ${skew}` });
  setText($('clock-mode'), mode === 'running' ? 'Freeze' : 'Unfreeze');
  tickClock();
}

export function tickClock() {
  const now = clock.base + (clock.mode === 'running' ? performance.now() - clock.at : 0);
  setText($('clock-badge'), `${dateText(new Date(now).toISOString())}${clock.mode === 'running' ? '' : ', frozen'}${clock.skew}`);
}

/** @param {string} by */
const moveClock = (by) => call('POST /sessions/{s}/clock/advance', { s: view.session }, { body: { by } });

export function setUpClock() {
  const notice = noticeOf('advance-form');
  $('advance').append(...[['30s', '+30 s'], ['5m', '+5 min'], ['1h', '+1 h'], ['1d', '+1 day']]
    .map(([by, text]) => actionButton(text, () => attempt(notice, () => moveClock(by)), { 'aria-label': `Advance the clock by ${by}` })));
  onSubmit('advance-form', () => moveClock(input('advance-by').value.trim()));
  $('clock-mode').addEventListener('click', () => attempt(notice, () => call('PUT /sessions/{s}/clock', { s: view.session }, {
    body: { mode: clock.mode === 'running' ? 'frozen' : 'running' },
  })));
}

// Tokens: shown by id; the text only after issuing, until another session is selected.

/** @typedef {{ id: string, kind: string, login: string, state: string, expires_at: string, scopes: string[] }} Token */

/**
 * @param {string} line
 * @param {string} [id] all without one
 */
const endToken = (line, id) => attempt(noticeOf('token-form'), () => call(line, { s: view.session }, { body: id ? { token: id } : {} }));

/** @param {Token[]} tokens */
export function showTokens(tokens) {
  const newest = tokens.slice(-50).reverse();
  const live = tokens.filter((token) => token.state === 'live' && token.kind === 'access').length;
  setText($('token-badge'), tokens.length ? `${live} live` : '');
  $('token-all').hidden = tokens.length === 0;
  list($('token-list'), newest, (token) => token.id, (token) => el('li', {},
    el('p', {}, el('strong', {}, token.id), ` ${token.login} `, el('span', { class: token.state === 'live' ? 'pass' : 'quiet' }, token.state)),
    el('p', { class: 'quiet' }, `${token.state === 'live' ? 'until' : 'expiry'} ${dateText(token.expires_at)}${token.scopes.length ? `, ${token.scopes.join(' ')}` : ''}`),
    token.state === 'live' && el('p', { class: 'row' },
      actionButton('Expire', () => endToken('POST /sessions/{s}/tokens/expire', token.id), { 'aria-label': `Expire ${token.id}` }),
      actionButton('Revoke', () => endToken('POST /sessions/{s}/tokens/revoke', token.id), { 'aria-label': `Revoke ${token.id}` }))));
}

export function setUpTokens() {
  onSubmit('token-form', async () => {
    const { session } = view;
    const issued = await call('POST /sessions/{s}/tokens', { s: session }, { body: { login: select('token-login').value } });
    if (session !== view.session) return;
    $('token-new').replaceChildren(
      el('p', {}, `${issued.id}, shown only once. For a shell:`), shellLine(`token=${issued.token}`));
    $('token-new').hidden = false;
  });
  $('expire-all').addEventListener('click', () => endToken('POST /sessions/{s}/tokens/expire'));
  $('revoke-all').addEventListener('click', () => endToken('POST /sessions/{s}/tokens/revoke'));
}

// Money.

/**
 * The members of each event that the form has.
 *
 * @type {Record<string, string[]>}
 */
const eventMembers = {
  'payment-in': ['account', 'amount'], 'direct-debit': ['account', 'amount'], 'card-authorised': ['account', 'amount'],
  'card-incremented': ['amount', 'payment'], 'card-captured': ['amount', 'payment'], 'card-refunded': ['amount', 'payment'],
  'card-reversed': ['payment'], 'payment-authorised': ['payment'], 'payment-settles': ['payment'], 'payment-cancelled': ['payment'],
  'payment-rejected': ['payment', 'reason'], 'payment-returns': ['payment', 'reason'],
  'account-closed': ['account'], 'consent-revoked': ['consent'],
};

export function setUpEvents() {
  const kind = select('event-kind');
  const members = () => eventMembers[kind.value] ?? [];
  kind.addEventListener('change', () => {
    for (const name of new Set(Object.values(eventMembers).flat())) $(`event-${name}-field`).hidden = !members().includes(name);
  });
  onSubmit('event-form', async () => {
    const values = members().map((name) => [name, input(`event-${name}`).value.trim()]).filter(([, value]) => value);
    await call('POST /sessions/{s}/events', { s: view.session }, { body: { event: kind.value, ...Object.fromEntries(values) } });
  });
}

/**
 * @typedef {{ movement: string, account: string, amount: string, currency: string }} Posting
 * @typedef {object} Ledger
 * @property {{ account: string, change_minor_units: number }[]} accounts
 * @property {Posting[]} postings
 * @property {{ id: string, state: string, at: string, key: string | null }[]} movements
 * @property {boolean} balanced
 */

/**
 * @param {{ balances: { account: string, balance: string, currency: string }[], more: boolean }} answer
 * @param {Ledger} ledger
 */
export function showMoney({ balances, more }, ledger) {
  const items = balances.map((each) => ({ ...each, change: ledger.accounts.find(({ account }) => account === each.account)?.change_minor_units ?? 0 }));
  if (more) items.push({ account: 'and more', balance: '…', currency: '', change: 0 });
  list($('balances'), items, (each) => each.account, (each) => el('li', { class: 'pair' },
    el('span', { class: each.change ? 'moved' : '' }, each.account), el('span', { class: 'amount' }, `${each.balance} ${each.currency}`)));
  const movements = [...ledger.movements].reverse().map((each) => ({ ...each, postings: ledger.postings.filter(({ movement }) => movement === each.id) }));
  list($('movements'), movements, (each) => each.id, (each) => el('li', {},
    el('p', { class: 'pair' }, el('strong', {}, each.id), el('span', { class: 'quiet' }, `${each.state}, ${timeOfDay(each.at).slice(0, 8)} UTC`)),
    ...each.postings.map((posting) => el('p', { class: 'pair' }, el('span', {}, posting.account), el('span', { class: 'amount' }, `${posting.amount} ${posting.currency}`))),
    each.key !== null && el('p', {}, actionButton(`key ${each.key}`, () => filterBy(`key:"${each.key}"`), { class: 'link key' }))));
  setText($('money-badge'), ledger.balanced ? '' : 'NOT BALANCED');
}
