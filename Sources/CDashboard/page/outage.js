// @ts-check
// The running outage, and starting another.
import { attempt, call, onSubmit, page, Rejected, noticeOf } from './api.js';
import { $, actionButton, choices, el, input, list, setText, select } from './base.js';
import { ruleParts } from './rules.js';
import { spanText } from './text.js';
import { view } from './view.js';

/** @typedef {{ affected: number, without_answer_ms?: number, since?: number, until?: number, recovered?: number }} Effect */
/** @typedef {{ name: string, running: boolean, left_ms?: number, clock?: string, skipped: string[], rules: import('./rules.js').Rule[], effect?: Effect }} Outage */

/**
 * The plans.
 *
 * @type {{ name: string, about: string, error?: string }[]}
 */
let plans = [];
/**
 * The end of the outage by this machine's performance clock; null if it has none, or its clock is frozen.
 *
 * @type {number | null}
 */
let outageEnd = null;

export async function loadPlans() {
  plans = (await call('GET /outages')).outages;
  choices(select('outage-name'), [[null, plans.filter(({ error }) => !error).map(({ name }) => [name, name])]]);
  showPlan();
}

function showPlan() {
  setText($('outage-about'), plans.find(({ name }) => name === select('outage-name').value)?.about ?? '');
}

/**
 * @param {Outage | null} outage
 * @param {string} clockMode
 */
export function showOutage(outage, clockMode) {
  const isRunning = outage?.running ?? false;
  const left = outage?.left_ms;
  const isCounting = isRunning && left != null && (outage?.clock === 'real' || clockMode === 'running');
  outageEnd = isCounting && left != null ? performance.now() + left : null;
  setText($('outage-badge'), outage && isRunning ? outage.name : '');
  setText($('outage-start'), isRunning ? 'Replace' : 'Start');
  const stands = isRunning && left != null && !isCounting ? `${spanText(left)} left, but the clock is frozen` : '';
  const over = outage && !isRunning ? [`${outage.name} is over`, ...effectLines(outage.effect)] : [];
  const items = outage && isRunning
    ? [{ name: outage.name, skipped: outage.skipped, stands, rules: outage.rules, effect: effectLines(outage.effect) }] : [];
  list($('outage-over'), over, (line) => line, (line) => el('p', { class: 'quiet' }, line));
  list($('outage-now'), items, () => 'running', (now) =>
    el('div', { class: 'running' },
      el('p', { class: 'row' }, el('strong', {}, `${now.name} is running`), ' ', el('span', { id: 'outage-left', class: 'quiet' }, now.stands)),
      el('ul', { class: 'list' }, ...now.rules.map((rule) => el('li', {}, ...ruleParts(rule)))),
      ...now.effect.map((line) => el('p', {}, line)),
      ...now.skipped.map((text) => el('p', { class: 'quiet' }, `Skipped: ${text}`)),
      actionButton('Stop the outage', () => attempt(noticeOf('outage-form'), () => call('DELETE /sessions/{s}/outage', { s: view.session })), { class: 'main' })));
  tickOutage();
}

/**
 * How the outage affected the app, a line for each fact, as `counterfoil outage show` words it.
 *
 * @param {Effect} [effect]
 */
function effectLines(effect) {
  if (!effect) return [];
  const { affected, without_answer_ms: length, since, until, recovered } = effect;
  const span = until ? `exchanges ${since} to ${until}` : `since exchange ${since}`;
  return [
    `${affected} ${affected === 1 ? 'request' : 'requests'} affected`,
    ...(length === undefined ? [] : [`no successful response for ${spanText(length)} (${span})`]),
    recovered ? `recovered with exchange ${recovered}` : 'not recovered yet',
  ];
}

/** Shows the time left; refreshes when it is over. */
export function tickOutage() {
  const place = document.getElementById('outage-left');
  if (!place) return;
  if (outageEnd === null) {
    if (!place.textContent) setText(place, 'until it is stopped');
    return;
  }
  const left = outageEnd - performance.now();
  setText(place, `${spanText(left)} left`);
  if (left < -500) { outageEnd = null; page.refreshSoon(); }
}

/**
 * Returns null if the outage has ended between two calls.
 *
 * @param {unknown} error
 */
export function unlessOver(error) {
  if (error instanceof Rejected && error.status === 404) return null;
  throw error;
}

export function setUpOutage() {
  select('outage-name').addEventListener('change', showPlan);
  onSubmit('outage-form', () => {
    const time = input('outage-for').value.trim();
    return call('POST /sessions/{s}/outage', { s: view.session }, { body: { name: select('outage-name').value, replace: true, ...(time ? { for: time } : {}) } });
  });
}
