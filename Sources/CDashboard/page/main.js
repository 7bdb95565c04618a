// @ts-check
// The selected session, and its updates.
import { place } from './address.js';
import { attempt, call, Gone, link, page, pause, Rejected } from './api.js';
import { setUpArchive } from './again.js';
import { $, choices, details, input, pressable, setText, select } from './base.js';
import { setUpCompare } from './compare.js';
import { setUpExchange, showExchange } from './exchange.js';
import { loadKinds, setUpFaults } from './faults.js';
import { filterBy, filterChanged, journal } from './journal.js';
import { setUpKeys } from './keys.js';
import { loadPlans, setUpOutage, showOutage, tickOutage, unlessOver } from './outage.js';
import { rowActions } from './rows.js';
import { setUpRules, showFaults } from './rules.js';
import { setUpSessions, showSession, showSessions } from './sessions.js';
import { setUpClock, setUpEvents, setUpTokens, showClock, showMoney, showTokens, tickClock } from './state.js';
import { setUpWebhooks, showWebhooks } from './webhooks.js';
import { clearVerdict, refreshVerdict, setUpVerdict } from './verdict.js';
import { view } from './view.js';

/** Aborts the calls of the previous session, or of the time in which the page was visible. */
let current = new AbortController();
/** @type {ReturnType<typeof setTimeout> | null} */
let refreshTimer = null;
let lastRefresh = 0;

/** The session in the address; else the previous one, or the first. */
function wantedSession() {
  const ids = view.sessions.map(({ id }) => id);
  return [place().session, view.session, ids[0]].find((id) => id != null && ids.includes(id)) ?? null;
}

/** Puts the filter of the address into the page. */
function showFilter() {
  const { filter, errorsOnly } = place();
  input('filter').value = filter;
  input('errors-only').checked = errorsOnly;
}

/**
 * Loads everything that the page needs before it shows a session.
 *
 * @param {AbortSignal} signal
 */
async function load(signal) {
  const [version, { banks }, { sessions }] = await Promise.all([
    call('GET /version', {}, { signal }), call('GET /banks', {}, { signal }), call('GET /sessions', {}, { signal })]);
  Object.assign(view, { banks, sessions });
  setText($('version'), `${version.version}, seed ${version.seed}`);
  choices(select('new-bank'), [[null, view.banks.map(({ name }) => [name, name])]]);
  await Promise.all([loadKinds(), loadPlans()]);
}

/** Loads the session's state; for closed panels only the data in their titles. */
async function refresh() {
  lastRefresh = performance.now();
  const { session } = view;
  const { signal } = current;
  /** @type {(line: string, query?: Record<string, any>) => Promise<any>} */
  const get = (line, query) => call(line, { s: session }, { signal, query });
  const { sessions } = await call('GET /sessions', {}, { signal });
  view.sessions = sessions;
  const own = view.own;
  if (!own || session === null) return choose();
  /** @type {(id: string, line: string, query?: Record<string, any>) => Promise<any> | null} */
  const when = (id, line, query) => (details(id).open ? get(line, query) : null);
  const [time, faults, outage, tokens, balances, ledger, webhooks] = await Promise.all([
    get('GET /sessions/{s}/clock'), get('GET /sessions/{s}/faults'), own.outage ? get('GET /sessions/{s}/outage').catch(unlessOver) : null,
    when('token-panel', 'GET /sessions/{s}/tokens'), when('money-panel', 'GET /sessions/{s}/balances'),
    when('money-panel', 'GET /sessions/{s}/ledger', { last: 30 }), when('webhook-panel', 'GET /sessions/{s}/webhooks'),
    refreshVerdict(session, signal)]);
  if (signal.aborted) return;
  showSessions();
  showClock(time);
  showFaults(faults);
  showOutage(outage, time.mode);
  if (tokens) showTokens(tokens.tokens);
  if (balances) showMoney(balances, ledger);
  if (webhooks) showWebhooks(webhooks.webhooks);
}

/** Refreshes within a second; combines concurrent requests. */
function refreshSoon() {
  refreshTimer ??= setTimeout(async () => {
    refreshTimer = null;
    if (document.hidden || link.downSince) return;
    await attempt(null, async () => {});
  }, Math.max(0, 1000 - (performance.now() - lastRefresh)));
}

/** Selects the wanted session. */
function choose() {
  const wanted = wantedSession();
  const isOther = wanted !== view.session;
  view.session = wanted;
  showFilter();
  if (isOther) {
    journal.clear();
    clearVerdict();
  }
  restart();
}

/** Follows the selected session, and stops following another. */
async function restart() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  view.signal = signal;
  if (document.hidden) return link.rest();
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      if (link.downSince || !view.sessions.length) {
        await load(signal);
        journal.clear();
        clearVerdict();
        view.session = wantedSession();
      }
      link.up();
      $('frame').hidden = false;
      showSession();
      await refresh();
      if (view.session !== null) await journal.follow(view.session, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof Rejected && error.status === 404) view.sessions = [];
      else if (!(error instanceof Gone)) throw error;
      else link.down();
      await pause(wait, signal);
    }
  }
  return undefined;
}

function setUpJournal() {
  Object.assign(rowActions, { open: showExchange, filter: filterBy });
  $('filter').addEventListener('input', filterChanged);
  $('errors-only').addEventListener('change', filterChanged);
  $('older').addEventListener('click', () => attempt($('older-notice'), () => journal.older(view.session ?? '')));
  $('no-match-clear').addEventListener('click', () => {
    input('errors-only').checked = false;
    filterBy('');
  });
  $('pause').addEventListener('click', () => {
    journal.isPaused = !journal.isPaused;
    journal.pausedAt = journal.high;
    pressable('pause').setAttribute('aria-pressed', String(journal.isPaused));
    setText($('pause'), journal.isPaused ? 'Resume' : 'Pause');
    journal.draw();
  });
}

Object.assign(page, { refresh, refreshSoon });
setUpJournal();
setUpArchive();
setUpExchange();
setUpCompare();
setUpOutage();
setUpFaults();
setUpRules();
setUpClock();
setUpTokens();
setUpEvents();
setUpWebhooks();
setUpSessions();
setUpVerdict();
setUpKeys();
showFilter();
for (const panel of document.querySelectorAll('details.panel')) {
  panel.addEventListener('toggle', () => { if (panel instanceof HTMLDetailsElement && panel.open) refreshSoon(); });
}
// Jumps within the page leave the address unchanged, because it names the session.
for (const button of document.querySelectorAll('[data-to]')) {
  const to = button instanceof HTMLElement ? button.dataset.to : null;
  button.addEventListener('click', () => { if (to) { $(to).scrollIntoView(); $(to).focus({ preventScroll: true }); } });
}
addEventListener('hashchange', choose);
document.addEventListener('visibilitychange', restart);
// Changes by others (a command line, another page) appear within seconds; a hidden page sends no requests.
setInterval(() => { if (!document.hidden && !link.downSince && view.session && $('ask').hidden) refreshSoon(); }, 4000);
setInterval(() => { if (!document.hidden && view.session) { tickClock(); tickOutage(); } }, 1000);
restart();
