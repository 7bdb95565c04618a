// A session's clock, tokens and money.

const clock = { base: 0, at: 0, mode: 'running' };

function showClock({ now, mode, skew }) {
  Object.assign(clock, { base: Date.parse(now), at: performance.now(), mode });
  say($('clock-mode'), mode === 'running' ? 'Freeze' : 'Unfreeze');
  clock.skew = skew === '0ms' ? '' : `, Date off by ${skew}`;
  tickClock();
}

function tickClock() {
  const now = clock.base + (clock.mode === 'running' ? performance.now() - clock.at : 0);
  const text = new Date(now).toISOString().replace('T', ' ').slice(0, 19);
  say($('clock-badge'), `${text}${clock.mode === 'running' ? '' : ', frozen'}${clock.skew ?? ''}`);
}

const moveClock = (by) => call('POST /sessions/{s}/clock/advance', { s: view.session }, { body: { by } });

function setUpClock() {
  const said = $('advance-form').querySelector('.said');
  $('advance').append(...[['30s', '+30 s'], ['5m', '+5 min'], ['1h', '+1 h'], ['1d', '+1 day']]
    .map(([by, text]) => actionButton(text, () => attempt(said, () => moveClock(by)), { 'aria-label': `Advance the clock by ${by}` })));
  onSubmit('advance-form', () => moveClock($('advance-by').value.trim()));
  $('clock-mode').addEventListener('click', () => attempt(said, () => call('PUT /sessions/{s}/clock', { s: view.session }, {
    body: { mode: clock.mode === 'running' ? 'frozen' : 'running' },
  })));
}

// Tokens: shown by id; the text only after issuing, until another session is selected.

const endToken = (line, id) => attempt($('token-form').querySelector('.said'), () => call(line, { s: view.session }, { body: id ? { token: id } : {} }));

function showTokens(tokens) {
  const newest = tokens.slice(-50).reverse();
  const live = tokens.filter((token) => token.state === 'live' && token.kind === 'access').length;
  say($('token-badge'), tokens.length ? `${live} live` : '');
  $('token-all').hidden = tokens.length === 0;
  list($('token-list'), newest, (token) => token.id, (token) => el('li', {},
    el('p', {}, el('strong', {}, token.id), ` ${token.login} `, el('span', { class: token.state === 'live' ? 'pass' : 'quiet' }, token.state)),
    el('p', { class: 'quiet' }, `${token.state === 'live' ? 'until' : 'expiry'} ${token.expires_at.slice(0, 19).replace('T', ' ')}${token.scopes.length ? `, ${token.scopes.join(' ')}` : ''}`),
    token.state === 'live' && el('p', { class: 'row' },
      actionButton('Expire', () => endToken('POST /sessions/{s}/tokens/expire', token.id), { 'aria-label': `Expire ${token.id}` }),
      actionButton('Revoke', () => endToken('POST /sessions/{s}/tokens/revoke', token.id), { 'aria-label': `Revoke ${token.id}` }))));
}

function setUpTokens() {
  onSubmit('token-form', async () => {
    const session = view.session;
    const issued = await call('POST /sessions/{s}/tokens', { s: session }, { body: { login: $('token-login').value } });
    if (session !== view.session) return;
    $('token-new').replaceChildren(
      el('p', {}, `${issued.id}, shown this once. For a shell:`), shellLine(`token=${issued.token}`));
    $('token-new').hidden = false;
  });
  $('expire-all').addEventListener('click', () => endToken('POST /sessions/{s}/tokens/expire'));
  $('revoke-all').addEventListener('click', () => endToken('POST /sessions/{s}/tokens/revoke'));
}

// Money.

function showMoney({ balances, more }, ledger) {
  const items = balances.map((each) => ({ ...each, change: ledger.accounts.find(({ account }) => account === each.account)?.change_minor_units ?? 0 }));
  if (more) items.push({ account: 'and more', balance: '…', currency: '', change: 0 });
  list($('balances'), items, (each) => each.account, (each) => el('li', { class: 'pair' },
    el('span', { class: each.change ? 'moved' : '' }, each.account), el('span', { class: 'amount' }, `${each.balance} ${each.currency}`)));
  const amounts = new Map();
  for (const posting of ledger.postings) {
    if (!amounts.has(posting.movement)) amounts.set(posting.movement, []);
    amounts.get(posting.movement).push(posting);
  }
  const movements = [...ledger.movements].reverse().map((each) => ({ ...each, postings: amounts.get(each.id) ?? [] }));
  list($('movements'), movements, (each) => each.id, (each) => el('li', {},
    el('p', { class: 'pair' }, el('strong', {}, each.id), el('span', { class: 'quiet' }, `${each.state}, ${each.at.slice(11, 19)}`)),
    ...each.postings.map((posting) => el('p', { class: 'pair' }, el('span', {}, posting.account), el('span', { class: 'amount' }, `${posting.amount} ${posting.currency}`))),
    each.key !== null && el('p', {}, actionButton(`key ${each.key}`, () => filterBy(each.key), { class: 'link key' }))));
  say($('money-badge'), ledger.balanced ? '' : 'NOT BALANCED');
}
