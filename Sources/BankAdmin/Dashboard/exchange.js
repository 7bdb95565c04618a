// One exchange with all its details.

/** The number of bytes of a body that the journal stores at most. */
const STORED = 8 * 1024;

let shownExchange = null;

/** Opens the exchange with that number, or replaces the open one. */
async function showExchange(seq) {
  const session = view.session;
  let entry;
  try {
    entry = await call('GET /sessions/{s}/journal/{seq}', { s: session, seq });
  } catch (error) {
    if (!(error instanceof Refused)) { if (error instanceof Gone) link.down(); return; }
    fillExchange(`Exchange ${seq}`, [el('p', { class: 'said' }, error.message)]);
    return;
  }
  if (session !== view.session) return;
  const request = entry.method === null ? 'a connection' : `${entry.method} ${target(entry)}`;
  fillExchange(`#${entry.seq} ${request}`, [
    el('p', {}, el('span', { class: `status ${look(entry)}` }, replyText(entry)), entry.reply ? ` ${entry.reply}` : '',
      `, ${tookText(entry.duration_us)}, ${receiptText(entry)}`),
    ...nearestParts(entry), ...faultParts(entry), ...attemptParts(entry),
    facts([
      ['operation', entry.operation ?? (entry.method === null ? null : 'none matched')], ['roles', entry.roles.join(', ')],
      ['customer', entry.customer], ['token', entry.token], ['key', entry.key], ['attempt', entry.attempt],
      ['executed', entry.committed ? (entry.replayed ? 'yes, earlier: the stored reply was sent again' : 'yes') : 'no'],
      ['at', `${entry.at} by the session's clock`],
      ['connection', `${entry.connection}, request ${entry.request_on_connection}, ${entry.protocol}${entry.tls ? `, ${entry.tls}` : ''}`],
      ['host', entry.host],
    ]),
    ...messageParts('Request', entry.request_headers, entry.request_body, entry.body_bytes),
    ...messageParts('Reply', entry.reply_headers, entry.reply_body, isCut(entry.reply_body) ? entry.receipt?.body_bytes : 0),
    ...againParts(entry),
  ]);
  shownExchange = entry.seq;
  $('exchange-newer').disabled = shownExchange >= journal.high;
  $('exchange-older').disabled = shownExchange <= journal.oldest;
}

function fillExchange(title, parts) {
  say($('exchange-title'), title);
  $('exchange-body').replaceChildren(...parts);
  if (!$('exchange').open) $('exchange').showModal();
  $('exchange-title').focus();
}

/** The operations nearest to a request, and why they did not match. */
function nearestParts({ nearest }) {
  if (!nearest.length) return [];
  return [
    el('h3', {}, 'No operation matched. The nearest'),
    el('ul', { class: 'list' }, ...nearest.map((miss) => el('li', {},
      el('p', {}, el('strong', {}, miss.operation), ' ', el('code', {}, miss.wants)),
      ...miss.reasons.map((reason) => el('p', { class: 'quiet' }, ...prose(reason)))))),
  ];
}

/** The faults of the exchange. */
function faultParts(entry) {
  const faults = entry.fault?.all ?? (entry.fault ? [entry.fault] : []);
  return faults.map((fault) => el('p', { class: fault.applied ? 'fault-line' : 'quiet' },
    el('span', { class: fault.applied ? 'fault' : '' }, fault.kind), ` at ${fault.point} by ${fault.rule}`,
    fault.applied ? '' : `, not applied: ${fault.reason ?? 'no reason given'}`));
}

/** The loaded attempts with the same key. */
function attemptParts(entry) {
  if (entry.key === null) return [];
  const all = [...journal.entries.values()].filter((each) => each.key === entry.key).sort((a, b) => a.seq - b.seq);
  if (all.length < 2) return [];
  return [
    el('h3', {}, 'Attempts with this key'),
    el('ul', { class: 'attempts' }, ...all.map((each) => el('li', {},
      each.seq === entry.seq ? el('strong', {}, `#${each.seq}`) : actionButton(`#${each.seq}`, () => showExchange(each.seq), { class: 'link' }),
      ` ${replyText(each)}${each.replayed ? ', replayed' : ''}${each.fault ? `, ${each.fault.kind}` : ''}`))),
  ];
}

const byteCount = (text) => new TextEncoder().encode(text).length;

/** Whether the journal may have cut the body. A shorter one is whole: without its secrets it has fewer bytes than were sent. */
const isCut = (body) => byteCount(body) >= STORED;

function messageParts(name, headers, body, bytes) {
  // Bytes that are no text have become longer.
  const kept = Math.min(STORED, byteCount(body));
  const parts = [el('h3', {}, name)];
  parts.push(headers.length
    ? el('pre', { tabindex: 0, class: 'headers' }, headers.map(([key, value]) => `${key}: ${value}`).join('\n'))
    : el('p', { class: 'quiet' }, 'No headers.'));
  if (body) parts.push(el('pre', { tabindex: 0, class: 'body' }, laidOut(body)));
  if (bytes > kept) parts.push(el('p', { class: 'quiet' }, `${kept} of ${counted(bytes, 'byte')} stored.`));
  return parts;
}

/** The command that sends the request again. */
function againParts(entry) {
  if (entry.method === null) return [];
  const { line, left_out: leftOut } = entry.curl;
  const hints = [];
  if (line.includes('Bearer $token')) hints.push('Set the shell variable token first; issue a token under Tokens.');
  if (leftOut.length) hints.push(`Left out: ${leftOut.join(', ')}.`);
  return [el('h3', {}, 'Send again'), shellLine(line), ...hints.map((text) => el('p', { class: 'quiet' }, text))];
}

function setUpExchange() {
  $('exchange-close').addEventListener('click', () => $('exchange').close());
  $('exchange-newer').addEventListener('click', () => showExchange(shownExchange + 1));
  $('exchange-older').addEventListener('click', () => showExchange(shownExchange - 1));
  // A click outside closes the dialog.
  $('exchange').addEventListener('click', (event) => { if (event.target === $('exchange')) $('exchange').close(); });
  $('exchange').addEventListener('close', () => document.querySelector(`[data-seq="${Number(shownExchange)}"]`)?.focus());
}
