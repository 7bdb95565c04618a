// Outages and faults.

/** The kinds of fault, as the server lists them. */
let kinds = [];
/** The end of the outage by this machine's performance clock; null if it has none, or its clock is frozen. */
let outageEnd = null;

async function loadKinds() {
  const [{ outages }, listed] = await Promise.all([call('GET /outages'), call('GET /fault-kinds')]);
  view.outages = outages;
  kinds = listed.kinds;
  choices($('outage-name'), [[null, outages.filter((each) => !each.error).map((each) => [each.name, each.name])]]);
  const points = [...new Set(kinds.map((kind) => kind.point))];
  choices($('fault-kind'), points.map((point) => [`at ${point}`, kinds.filter((kind) => kind.point === point).map(({ kind }) => [kind, kind])]));
  if (!$('fault-settings').value) $('fault-kind').value = kinds.some(({ kind }) => kind === 'status') ? 'status' : kinds[0]?.kind;
  showOutageAbout();
  showKind();
}

function showOutageAbout() {
  say($('outage-about'), view.outages.find((each) => each.name === $('outage-name').value)?.about ?? '');
}

function showKind() {
  const kind = kinds.find((each) => each.kind === $('fault-kind').value);
  if (!kind) return;
  $('fault-settings').value = JSON.stringify(kind.example);
  const only = kind.protocols.includes('h2') ? (kind.protocols.length === 1 ? ' Only on HTTP/2.' : '') : ' Not on HTTP/2.';
  const port = kind.point === 'connect' || kind.point === 'tls' ? ' Needs a session with a port of its own.' : '';
  $('fault-about').replaceChildren(...prose(kind.about + '.' + only + port));
}

/** Offers the roles and operations of the session's bank as targets of a fault. */
function showTargets(bank) {
  const roles = Object.keys(bank?.roles ?? {});
  choices($('fault-on'), [
    [null, [['', 'every exchange']]], ['role', roles.map((role) => [`role ${role}`, `${role} (role)`])],
    ['operation', (bank?.operations ?? []).map(({ name, request }) => [`operation ${name}`, `${name} (${request})`])],
  ]);
}

function showOutage(outage, clockMode) {
  const isRunning = outage?.running ?? false;
  const isCounting = isRunning && outage.left_ms != null && (outage.clock === 'real' || clockMode === 'running');
  outageEnd = isCounting ? performance.now() + outage.left_ms : null;
  say($('outage-badge'), isRunning ? outage.name : '');
  say($('outage-start'), isRunning ? 'Replace' : 'Start');
  const stands = isRunning && outage.left_ms != null && !isCounting ? `${spanText(outage.left_ms)} left, but the clock is frozen` : '';
  list($('outage-now'), isRunning ? [{ name: outage.name, skipped: outage.skipped, stands, rules: outage.rules }] : [], () => 'running', (now) =>
    el('div', { class: 'running' },
      el('p', { class: 'row' }, el('strong', {}, `${now.name} is running`), ' ', el('span', { id: 'outage-left', class: 'quiet' }, now.stands)),
      el('ul', { class: 'list' }, ...now.rules.map((rule) => el('li', {}, ...ruleParts(rule)))),
      ...now.skipped.map((text) => el('p', { class: 'quiet' }, `Left out: ${text}`)),
      actionButton('End the outage', () => attempt($('outage-form').querySelector('.said'), () => call('DELETE /sessions/{s}/outage', { s: view.session })),
        { class: 'main' })));
  tickOutage();
}

/** Shows the time left; refreshes when it is over. */
function tickOutage() {
  const place = $('outage-left');
  if (!place) return;
  if (outageEnd === null) {
    if (!place.textContent) say(place, 'until it is ended');
    return;
  }
  const left = outageEnd - performance.now();
  say(place, `${spanText(left)} left`);
  if (left < -500) { outageEnd = null; refreshSoon(); }
}

function ruleParts(rule) {
  const [[kind, settings]] = Object.entries(rule.fault).filter(([name]) => name !== 'after');
  const on = rule.on ? ` on ${JSON.stringify(rule.on)}` : '';
  const rest = Object.entries(rule).filter(([name]) => !['id', 'fault', 'on', 'matched', 'fired'].includes(name))
    .map(([name, value]) => `, ${name} ${JSON.stringify(value)}`).join('');
  return [
    el('p', {}, el('span', { class: 'fault' }, kind), ' ', el('span', { class: 'quiet' }, `${rule.id}: fired ${rule.fired} of ${rule.matched} that matched`)),
    el('code', { class: 'settings', title: JSON.stringify(rule.fault) }, JSON.stringify(settings) + on + rest),
  ];
}

function showFaults({ faults, held }) {
  say($('fault-badge'), faults.length ? `${faults.length} set` : '');
  list($('fault-list'), faults, (rule) => rule.id, (rule) => el('li', {}, ...ruleParts(rule),
    actionButton('Remove', () => attempt($('fault-form').querySelector('.said'),
      () => call('DELETE /sessions/{s}/faults/{rule}', { s: view.session, rule: rule.id })), { 'aria-label': `Remove ${rule.id}` })));
  $('held').hidden = held === 0;
  say($('held').firstElementChild, `${held} held`);
}

/** The rule in the form; throws Refused if its settings are not JSON. */
function wantedRule() {
  let settings;
  try {
    settings = JSON.parse($('fault-settings').value || '{}');
  } catch (error) {
    throw new Refused(0, `The settings are not JSON: ${error.message}`);
  }
  const rule = { fault: { [$('fault-kind').value]: settings } };
  const [what, name] = $('fault-on').value.split(' ');
  if (name) rule.on = { [what]: name };
  if ($('fault-times').value) rule.times = Number($('fault-times').value);
  return rule;
}

function setUpFaults() {
  $('outage-name').addEventListener('change', showOutageAbout);
  $('fault-kind').addEventListener('change', showKind);
  onSubmit('outage-form', () => call('POST /sessions/{s}/outage', { s: view.session }, {
    body: { name: $('outage-name').value, replace: true, ...($('outage-for').value.trim() ? { for: $('outage-for').value.trim() } : {}) },
  }));
  onSubmit('fault-form', () => call('POST /sessions/{s}/faults', { s: view.session }, { body: wantedRule() }));
  $('release').addEventListener('click', () => attempt($('fault-form').querySelector('.said'), () => call('POST /sessions/{s}/faults/release', { s: view.session })));
}
