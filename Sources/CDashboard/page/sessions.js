// @ts-check
// The sessions: the list, the selected one, a new one, snapshot, reset and removal.
import { addressOf } from './address.js';
import { attempt, call, onSubmit, Rejected } from './api.js';
import { $, actionButton, choices, copy, details, el, input, list, pressable, setText, select, shellLine } from './base.js';
import { showTargets } from './faults.js';
import { journal } from './journal.js';
import { counted } from './text.js';
import { view } from './view.js';

/**
 * When this page took the snapshot of a session.
 *
 * @type {Map<string, string>}
 */
const snapshots = new Map();

export function showSessions() {
  list($('sessions'), view.sessions.map(({ now, seed, ...session }) => ({ ...session, isCurrent: session.id === view.session })), (session) => session.id,
    (session) => el('li', {}, el('a', { href: addressOf({ session: session.id, filter: '', errorsOnly: false }), 'aria-current': session.isCurrent ? 'page' : null },
      el('span', { class: 'pair' }, el('strong', {}, session.id), el('span', { class: 'count', title: 'requests so far' }, String(session.exchanges))),
      el('span', { class: 'quiet' }, [session.bank === session.id ? '' : `bank ${session.bank}`, session.port ? `port ${session.port}` : '', session.rules ? counted(session.rules, 'fault') : '']
        .filter(Boolean).join(', ')),
      session.outage ? el('span', { class: 'fault' }, session.outage) : null)));
}

export function showSession() {
  const session = view.own;
  const bank = view.bank;
  if (!session) return;
  document.title = `${session.id} · Counterfoil`;
  setText($('session-name'), session.id);
  setText($('session-about'), bank?.about ?? '');
  setText($('session-url'), session.base_url);
  showTargets();
  choices(select('token-login'), [[null, (bank?.customers ?? []).map((login) => [login, login])]]);
  $('token-panel').hidden = !bank?.needs_token;
  $('token-new').hidden = true;
  $('token-new').replaceChildren();
  $('webhook-new').hidden = true;
  $('webhook-new').replaceChildren();
  $('remove').hidden = view.banks.some(({ name }) => name === session.id);
  showSnapshot();
  for (const notice of document.querySelectorAll('.notice')) setText(notice, '');
  $('empty').replaceChildren();
  journal.draw(true);
}

function showSnapshot() {
  const taken = snapshots.get(view.session ?? '');
  setText($('snapshot-notice'), taken ? `Snapshot of ${taken}.` : '');
}

/**
 * Shows how to send the first request.
 *
 * @param {string} [token]
 */
export function showEmpty(token) {
  const session = view.own;
  const bank = view.bank;
  if (!session) return;
  const header = bank?.needs_token ? `-H 'Authorization: Bearer ${token ?? '…'}' ` : '';
  const parts = [
    el('p', {}, el('strong', {}, 'No requests yet.'), ' Point your app at the address above, or paste this into a shell:'),
    shellLine(`curl -sL ${header}'${session.base_url}${bank?.example ?? '/'}'`),
  ];
  if (bank?.needs_token && !token) {
    const notice = el('p', { class: 'notice', role: 'alert' });
    const insert = actionButton('Insert a new token', async () => {
      insert.disabled = true;
      try {
        await attempt(notice, async () => {
          const issued = await call('POST /sessions/{s}/tokens', { s: session.id }, { body: {} });
          if (view.session === session.id && !$('empty').hidden) showEmpty(issued.token);
        });
      } finally {
        insert.disabled = false;
      }
    }, { class: 'main' });
    parts.push(el('p', {}, insert), notice);
  }
  parts.push(el('p', { class: 'quiet' }, 'The first request appears here immediately.'));
  $('empty').replaceChildren(...parts);
}

/** Puts the session back to its snapshot. */
async function restore() {
  try {
    await call('POST /sessions/{s}/restore', { s: view.session });
  } catch (error) {
    if (error instanceof Rejected && error.status === 409) throw new Rejected(409, 'There is no snapshot of this session yet; take one first.');
    throw error;
  }
}

/**
 * Asks before something is lost for good.
 *
 * @type {[id: string, line: string, question: string][]}
 */
const FINAL = [
  ['reset', 'POST /sessions/{s}/reset', 'This resets everything: money, tokens, clock, faults and journal.'],
  ['remove', 'DELETE /sessions/{s}', 'This removes the session and its address.'],
];

export function setUpSessions() {
  journal.showEmpty = () => showEmpty();
  $('copy-url').addEventListener('click', () => copy($('session-url').textContent ?? '', pressable('copy-url')));
  onSubmit('new-session-form', async () => {
    const name = input('new-name').value.trim();
    const made = await call('POST /sessions', {}, {
      body: { bank: select('new-bank').value, ...(name ? { name } : {}), ...(input('new-port').checked ? { listen: true } : {}) },
    });
    view.sessions.push(made);
    input('new-name').value = '';
    details('new-session').open = false;
    location.hash = addressOf({ session: made.id, filter: '', errorsOnly: false });
  });
  const notice = $('session-notice');
  $('snapshot').addEventListener('click', () => attempt(notice, async () => {
    const { session } = view;
    await call('POST /sessions/{s}/snapshot', { s: session });
    if (session !== null) snapshots.set(session, new Date().toLocaleTimeString('en-GB', { timeZoneName: 'short' }));
    showSnapshot();
  }));
  $('restore').addEventListener('click', () => attempt(notice, restore));
  for (const [id, line, question] of FINAL) {
    $(id).addEventListener('click', () => {
      if (confirm(question)) attempt(notice, () => call(line, { s: view.session }));
    });
  }
}
