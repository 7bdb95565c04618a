// The journal, newest first: followed while the page is visible, with as many rows as requested.

/** The number of rows at first, and the number that each click for older ones adds. */
const PAGE = matchMedia('(max-width: 760px)').matches ? 50 : 200;
/** The maximum number of rows in the page. */
const MOST = 2000;

const journal = {
  /** By number, without gaps: from `low` to `high`. */
  entries: new Map(),
  low: 1, high: 0,
  oldest: 1, dropped: 0, revision: null,
  shown: PAGE, isPaused: false, pausedAt: 0,

  clear() {
    this.entries.clear();
    [this.low, this.high, this.oldest, this.dropped, this.revision] = [1, 0, 1, 0, null];
    [this.shown, this.pausedAt] = [PAGE, 0];
    this.draw(true);
  },

  /** The number after which to load entries: reloads recent ones that are still under way. */
  get since() {
    let since = this.high;
    for (let seq = Math.max(this.low, this.high - PAGE); seq <= this.high; seq++) {
      if (this.entries.get(seq)?.duration_us === null) { since = seq - 1; break; }
    }
    return since;
  },

  take(page) {
    [this.revision, this.oldest, this.dropped] = [page.revision, page.oldest, page.dropped];
    for (const seq of this.entries.keys()) if (seq < page.oldest) this.entries.delete(seq);
    const first = page.entries[0]?.seq;
    // Too many arrived at once: the gap is loaded only on a click for older ones.
    if (first > this.high + 1) this.entries.clear();
    for (const entry of page.entries) this.entries.set(entry.seq, entry);
    this.settle();
    if (this.entries.size > MOST) {
      for (let seq = this.low; this.entries.size > MOST; seq++) this.entries.delete(seq);
      this.settle();
    }
    this.draw();
  },

  settle() {
    const numbers = [...this.entries.keys()];
    this.low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = numbers.reduce((a, b) => Math.max(a, b), 0);
    if (!numbers.length) [this.low, this.high] = [this.oldest, this.oldest - 1];
  },

  async follow(session, signal) {
    while (!signal.aborted) {
      const query = { brief: true, last: 2 * PAGE, since: this.revision === null ? 0 : this.since };
      if (this.revision !== null) Object.assign(query, { revision: this.revision, wait: '20s' });
      const page = await call('GET /sessions/{s}/journal', { s: session }, { query, signal });
      const isNew = page.revision !== this.revision;
      link.up();
      if (isNew) {
        this.take(page);
        refreshSoon();
      }
      // A busy bank is polled a few times a second, not for each exchange.
      await pause(200, signal);
    }
  },

  async older(session) {
    if (this.low > this.oldest) {
      const page = await call('GET /sessions/{s}/journal', { s: session }, { query: { brief: true, last: PAGE, before: this.low } });
      for (const entry of page.entries) this.entries.set(entry.seq, entry);
      this.settle();
    }
    this.shown = Math.min(MOST, this.shown + PAGE);
    this.draw(true);
  },

  /** The entries that match the filter, newest first. */
  fitting() {
    const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const errorsOnly = $('errors-only').checked;
    return [...this.entries.values()].sort((a, b) => b.seq - a.seq).filter((entry) => {
      if (errorsOnly && !isError(entry)) return false;
      const text = words.length ? searchText(entry) : '';
      return words.every((word) => text.includes(word));
    });
  },

  draw(isAsked = false) {
    if (this.isPaused && !isAsked) {
      say($('pause'), this.high > this.pausedAt ? `Resume (${this.high - this.pausedAt} new)` : 'Resume');
      return;
    }
    const fitting = this.fitting();
    const rows = fitting.slice(0, this.shown);
    const isEmpty = this.entries.size === 0;
    $('rows').hidden = rows.length === 0;
    // The hint and its token are removed together; before the first response it is unknown whether the hint is needed.
    if (!isEmpty || this.revision === null) $('empty').replaceChildren();
    else if (!$('empty').firstChild) showEmpty();
    $('empty').hidden = !$('empty').firstChild;
    list($('row-body'), rows, (entry) => entry.seq, row);
    const parts = [];
    if (!isEmpty) parts.push(fitting.length === this.entries.size ? counted(this.high - this.oldest + 1, 'exchange') : `${fitting.length} of ${counted(this.entries.size, 'loaded exchange')} match`);
    if (this.dropped) parts.push(`${counted(this.dropped, 'older exchange')} dropped`);
    say($('journal-count'), parts.join('; '));
    const more = fitting.length > rows.length || (!isEmpty && this.low > this.oldest && this.entries.size < MOST);
    $('older').hidden = !more || this.shown >= MOST;
    say($('older'), `Show ${PAGE} older`);
  },
};

const isUnderWay = (entry) => entry.duration_us === null;

function isError(entry) {
  return entry.status >= 400 || entry.fault?.applied || (entry.status === null && !isUnderWay(entry));
}

function searchText(entry) {
  return [
    `#${entry.seq}`, entry.method, target(entry), entry.operation, entry.status, entry.reply, entry.key, entry.token, entry.customer,
    entry.fault?.kind, entry.fault?.rule, entry.receipt?.end, entry.protocol,
  ].join(' ').toLowerCase();
}

const target = (entry) => entry.path + (entry.query === null ? '' : `?${entry.query}`);

/** The style of a reply: by its status, or by its absence. */
function look(entry) {
  if (isUnderWay(entry)) return 'quiet';
  if (entry.status === null || entry.status >= 500) return 'fail';
  return entry.status >= 400 ? 'doubt' : 'pass';
}

function replyText(entry) {
  if (entry.status !== null) return String(entry.status);
  return isUnderWay(entry) ? 'under way' : 'no reply';
}

/** The wire's receipt, or that the exchange is still under way. */
function receiptText(entry) {
  if (!entry.receipt) return 'under way';
  const { end, head_bytes: head, body_bytes: body, unsent } = entry.receipt;
  return `${end} after ${head}+${body} bytes${unsent ? `, ${unsent} unsent` : ''}`;
}

function faultText(entry) {
  if (!entry.fault) return isUnderWay(entry) || entry.receipt.end === 'kept' ? '' : entry.receipt.end;
  return `${entry.fault.kind} at ${entry.fault.point}${entry.fault.applied ? '' : ' (not applied)'}`;
}

function row(entry) {
  const open = () => showExchange(entry.seq);
  const cell = (name, ...children) => el('td', { class: name }, ...children);
  const status = [el('span', { class: `status ${look(entry)}` }, replyText(entry))];
  if (entry.reply) status.push(' ', el('span', { class: 'quiet' }, entry.reply));
  if (entry.replayed) status.push(' ', el('span', { class: 'quiet' }, 'replayed'));
  const fault = faultText(entry);
  const request = entry.method === null ? 'a connection' : `${entry.method} ${target(entry)}`;
  return el('tr', { class: isError(entry) ? 'is-error' : '', on: { click: open } },
    cell('c-seq', actionButton(String(entry.seq), (event) => { event.stopPropagation(); open(); },
      { class: 'link', 'aria-label': `Exchange ${entry.seq}: ${request}, ${replyText(entry)}`, 'data-seq': entry.seq }),
    el('span', { class: 'operation quiet', title: entry.at }, entry.at.slice(11, 19))),
    cell('c-request', el('span', { class: 'method' }, entry.method ?? '–'), ' ',
      el('span', { class: 'path', title: target(entry) }, target(entry) || 'a connection'),
      el('span', { class: 'operation quiet' }, entry.operation ?? (entry.method ? 'no operation' : ''))),
    cell('c-status', ...status),
    cell('c-fault', fault && el('span', { class: entry.fault?.applied ? 'fault' : 'quiet' }, fault),
      entry.fault && entry.receipt?.end !== 'kept' && el('span', { class: 'operation quiet' }, receiptText(entry))),
    cell('c-key', entry.key !== null && actionButton(entry.key, (event) => { event.stopPropagation(); filterBy(entry.key); },
      { class: 'link key', title: `Show all attempts with the key ${entry.key}` }),
    entry.attempt > 1 && el('span', { class: 'operation doubt' }, `attempt ${entry.attempt}`)),
    cell('c-took', tookText(entry.duration_us)));
}

function filterBy(text) {
  $('filter').value = text;
  journal.draw(true);
  $('filter').focus();
}

function setUpJournal() {
  $('filter').addEventListener('input', () => journal.draw(true));
  $('errors-only').addEventListener('change', () => journal.draw(true));
  $('older').addEventListener('click', () => attempt($('older-said'), () => journal.older(view.session)));
  $('pause').addEventListener('click', () => {
    journal.isPaused = !journal.isPaused;
    journal.pausedAt = journal.high;
    $('pause').setAttribute('aria-pressed', String(journal.isPaused));
    say($('pause'), journal.isPaused ? 'Resume' : 'Pause');
    journal.draw();
  });
  $('row-body').addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...$('row-body').querySelectorAll('.c-seq button')];
    const next = step && buttons[buttons.indexOf(document.activeElement?.closest('tr')?.querySelector('.c-seq button')) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
