// The selected session, and its updates.

const view = { session: null, sessions: [], banks: [], outages: [] };
/** Aborts the calls of the previous session, or of the time in which the page was visible. */
let current = new AbortController();
let refreshTimer = null;
let lastRefresh = 0;

const bankOf = (id) => view.banks.find((bank) => bank.name === view.sessions.find((session) => session.id === id)?.bank);

/** The session in the address; else the previous one, or the first. */
function wantedSession() {
  const ids = view.sessions.map(({ id }) => id);
  const named = decodeURIComponent(location.hash.match(/^#\/(.+)$/)?.[1] ?? '');
  return [named, view.session, ids[0]].find((id) => ids.includes(id));
}

/** Loads everything that the page needs before it shows a session. */
async function load(signal) {
  const [version, { banks }, { sessions }] = await Promise.all([
    call('GET /version', {}, { signal }), call('GET /banks', {}, { signal }), call('GET /sessions', {}, { signal })]);
  Object.assign(view, { banks, sessions });
  say($('version'), `${version.version}, seed ${version.seed}`);
  choices($('new-bank'), [[null, banks.map(({ name }) => [name, name])]]);
  await loadKinds();
}

function showSessions() {
  list($('sessions'), view.sessions.map(({ now, seed, ...session }) => ({ ...session, isCurrent: session.id === view.session })), (session) => session.id,
    (session) => el('li', {}, el('a', { href: `#/${encodeURIComponent(session.id)}`, 'aria-current': session.isCurrent ? 'page' : null },
      el('span', { class: 'pair' }, el('strong', {}, session.id), el('span', { class: 'count', title: 'exchanges so far' }, session.exchanges)),
      el('span', { class: 'quiet' }, [session.bank === session.id ? '' : `of ${session.bank}`, session.port ? `port ${session.port}` : '', session.rules ? counted(session.rules, 'fault') : '']
        .filter(Boolean).join(', ')),
      session.outage ? el('span', { class: 'fault' }, session.outage) : null)));
}

function showSession() {
  const session = view.sessions.find(({ id }) => id === view.session);
  const bank = bankOf(view.session);
  const isStanding = view.banks.some(({ name }) => name === view.session);
  document.title = `${session.id} · Counterfoil`;
  say($('session-name'), session.id);
  say($('session-about'), bank?.about ?? '');
  say($('session-url'), session.base_url);
  showTargets(bank);
  choices($('token-login'), [[null, (bank?.customers ?? []).map((login) => [login, login])]]);
  $('token-panel').hidden = !bank?.needs_token;
  $('token-new').hidden = true;
  $('token-new').replaceChildren();
  $('remove').hidden = isStanding;
  for (const said of document.querySelectorAll('.said')) say(said, '');
  $('empty').replaceChildren();
  journal.draw(true);
}

/** Shows how to send the first request. */
function showEmpty(token) {
  const session = view.sessions.find(({ id }) => id === view.session);
  const bank = bankOf(view.session);
  const parts = [el('p', {}, el('strong', {}, 'No requests yet.'), ' Point your app at the address above, or paste this into a shell:')];
  const header = bank?.needs_token ? `-H 'Authorization: Bearer ${token ?? '…'}' ` : '';
  parts.push(shellLine(`curl -sL ${header}'${session.base_url}${bank?.example ?? '/'}'`));
  if (bank?.needs_token && !token) {
    const said = el('p', { class: 'said', role: 'alert' });
    const insert = async (event) => {
      const button = event.currentTarget;
      button.disabled = true;
      try {
        await attempt(said, async () => {
          const issued = await call('POST /sessions/{s}/tokens', { s: session.id }, { body: {} });
          if (view.session === session.id && !$('empty').hidden) showEmpty(issued.token);
        });
      } finally {
        button.disabled = false;
      }
    };
    parts.push(el('p', {}, actionButton('Insert a new token', insert, { class: 'main' })), said);
  }
  parts.push(el('p', { class: 'quiet' }, 'The first request appears here at once.'));
  $('empty').replaceChildren(...parts);
}

/** Loads the session's state; for closed panels only the data in their titles. */
async function refresh() {
  lastRefresh = performance.now();
  const session = view.session;
  const signal = current.signal;
  const get = (line, query) => call(line, { s: session }, { signal, query });
  const { sessions } = await call('GET /sessions', {}, { signal });
  view.sessions = sessions;
  const own = sessions.find(({ id }) => id === session);
  if (!own) return choose();
  const when = (id, line, query) => ($(id).open ? get(line, query) : null);
  const [time, faults, outage, tokens, balances, ledger, verdict] = await Promise.all([
    get('GET /sessions/{s}/clock'), get('GET /sessions/{s}/faults'), own.outage ? get('GET /sessions/{s}/outage').catch(unlessOver) : null,
    when('token-panel', 'GET /sessions/{s}/tokens'), when('money-panel', 'GET /sessions/{s}/balances'),
    when('money-panel', 'GET /sessions/{s}/ledger', { last: 30 }), when('verdict-panel', 'GET /sessions/{s}/verdict')]);
  if (signal.aborted) return undefined;
  showSessions();
  showClock(time);
  showFaults(faults);
  showOutage(outage, time.mode);
  if (tokens) showTokens(tokens.tokens);
  if (balances) showMoney(balances, ledger);
  if (verdict) showVerdict(verdict);
  return undefined;
}

/** Returns null if the outage has ended between two calls. */
function unlessOver(error) {
  if (error instanceof Refused && error.status === 404) return null;
  throw error;
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
  if (isOther) journal.clear();
  restart();
}

/** Follows the selected session, and stops following another. */
async function restart() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  if (document.hidden) return link.rest();
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      if (link.downSince || !view.sessions.length) {
        await load(signal);
        journal.clear();
        view.session = wantedSession();
      }
      link.up();
      $('frame').hidden = false;
      showSession();
      await refresh();
      await journal.follow(view.session, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof Refused && error.status === 404) view.sessions = [];
      else if (!(error instanceof Gone)) throw error;
      else link.down();
      await pause(wait, signal);
    }
  }
  return undefined;
}

function setUpSessions() {
  $('copy-url').addEventListener('click', (event) => copy($('session-url').textContent, event.currentTarget));
  onSubmit('new-session-form', async () => {
    const name = $('new-name').value.trim();
    const made = await call('POST /sessions', {}, {
      body: { bank: $('new-bank').value, ...(name ? { name } : {}), ...($('new-port').checked ? { listen: true } : {}) },
    });
    view.sessions.push(made);
    $('new-name').value = '';
    $('new-session').open = false;
    location.hash = `#/${encodeURIComponent(made.id)}`;
  });
  for (const [id, line, question] of [
    ['reset', 'POST /sessions/{s}/reset', 'This resets everything: money, tokens, clock, faults and journal.'],
    ['remove', 'DELETE /sessions/{s}', 'This removes the session and its address.']]) {
    $(id).addEventListener('click', () => {
      if (!confirm(question)) return;
      attempt($('reset-said'), () => call(line, { s: view.session }));
    });
  }
  for (const panel of document.querySelectorAll('.panel')) panel.addEventListener('toggle', () => { if (panel.open) refreshSoon(); });
}

setUpJournal();
setUpExchange();
setUpFaults();
setUpClock();
setUpTokens();
setUpSessions();
// Jumps within the page leave the address unchanged, because it names the session.
for (const button of document.querySelectorAll('[data-to]')) {
  button.addEventListener('click', () => { $(button.dataset.to).scrollIntoView(); $(button.dataset.to).focus({ preventScroll: true }); });
}
addEventListener('hashchange', choose);
document.addEventListener('visibilitychange', restart);
// Changes by others (a command line, another page) appear within seconds; a hidden page sends no requests.
setInterval(() => { if (!document.hidden && !link.downSince && view.session && $('ask').hidden) refreshSoon(); }, 4000);
setInterval(() => { if (!document.hidden && view.session) { tickClock(); tickOutage(); } }, 1000);
restart();
