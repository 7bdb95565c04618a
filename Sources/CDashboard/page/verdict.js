// @ts-check
// The judge's verdict on the journal so far: in the head as a badge, in its panel rule by rule, failures first.
import { call } from './api.js';
import { $, actionButton, details, el, facts, list, prose, setText } from './base.js';
import { showExchange } from './exchange.js';
import { journal } from './journal.js';
import { counted } from './text.js';

/**
 * @typedef {{ expected: string, seen: string, source?: string, link?: string, reason?: string, do?: string, exchanges: number[] }} Finding
 * @typedef {object} JudgedRule
 * @property {string} id
 * @property {string} level
 * @property {string} why
 * @property {string} trigger
 * @property {string} verdict
 * @property {Finding[]} violations
 * @property {Finding[]} cannot_tell
 *
 * @typedef {{ rules: JudgedRule[], under_way: number }} Verdict
 */

/** @type {Record<string, string>} */
const SIGNS = { fail: '✗', pass: '✓', inconclusive: '?', 'not-exercised': '○', unsupported: '–', 'harness-error': '!' };
/**
 * The verdicts that are counted, with their words; the worst first.
 *
 * @type {[verdict: string, word: string][]}
 */
const COUNTED = [['fail', 'failed'], ['harness-error', 'in error'], ['inconclusive', 'inconclusive'], ['pass', 'passed']];
const ORDER = [...COUNTED.map(([verdict]) => verdict), 'not-exercised', 'unsupported'];

/**
 * The journal that the verdict on show is about.
 *
 * @type {string}
 */
let judged = '';
/** No other verdict before this, by the performance clock: judging a long journal takes the server a while. */
let notBefore = 0;

/**
 * Loads the verdict if the journal has changed since the last one; a later refresh does if it is too early.
 *
 * @param {string} session
 * @param {AbortSignal} signal
 */
export async function refreshVerdict(session, signal) {
  const now = `${session} ${journal.revision}`;
  const begun = performance.now();
  if (journal.revision === null || now === judged || (begun < notBefore && judged.startsWith(`${session} `))) return;
  const verdict = await call('GET /sessions/{s}/verdict', { s: session }, { signal });
  if (signal.aborted) return;
  // An exchange that is under way changes the journal again when it ends.
  judged = now;
  notBefore = performance.now() + 10 * (performance.now() - begun);
  showVerdict(verdict);
}

/** @param {JudgedRule[]} rules */
function summary(rules) {
  const counts = COUNTED.map(([verdict, word]) => ({ verdict, word, count: rules.filter((rule) => rule.verdict === verdict).length }));
  return counts.filter(({ count }) => count);
}

/** @param {Verdict} verdict */
function showVerdict({ rules, under_way: underWay }) {
  const counts = summary(rules);
  setText($('verdict-badge'), counts.map(({ count, word }) => `${count} ${word}`).join(', ') + (underWay ? `, ${underWay} in progress` : ''));
  const worst = counts[0]?.verdict ?? 'not-exercised';
  $('verdict-badge').classList.toggle('fail', worst === 'fail');
  $('verdict-head').className = `verdict ${worst}`;
  list($('verdict-head'), counts.length ? counts : [{ verdict: 'not-exercised', word: 'nothing to check yet', count: 0 }], ({ verdict }) => verdict,
    ({ verdict, word, count }) => el('span', { class: `${verdict}-count` }, el('span', { 'aria-hidden': 'true' }, `${SIGNS[verdict]} `),
      count ? String(count) : null, el('span', { class: 'word' }, count ? ` ${word}` : word)));
  document.title = document.title.replace(/^✗ \d+ · /, '').replace(/^/, worst === 'fail' ? `✗ ${counts[0].count} · ` : '');
  const sorted = [...rules].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  $('verdict-list').replaceChildren();
  $('verdict-rest').replaceChildren();
  const idle = sorted.filter(({ verdict }) => verdict === 'not-exercised');
  list($('verdict-list'), sorted.filter(({ verdict }) => verdict !== 'not-exercised'), ({ id }) => id, ruleItem);
  list($('verdict-rest'), idle, ({ id }) => id, ruleItem);
  $('verdict-idle').hidden = idle.length === 0;
  setText($('verdict-idle-count'), `${counted(idle.length, 'rule')} not exercised`);
}

/** @param {JudgedRule} rule */
function ruleItem(rule) {
  return el('li', { class: rule.verdict },
    el('p', {}, el('span', { class: `mark ${rule.verdict}`, 'aria-hidden': 'true' }, SIGNS[rule.verdict] ?? '!'), ' ',
      el('code', {}, rule.id), el('span', { class: 'unseen' }, ` ${rule.verdict}`), rule.level === 'should' ? el('small', {}, ' should') : ''),
    ...[...rule.violations, ...rule.cannot_tell].map(findingItem),
    ...sources(rule),
    el('p', { class: 'quiet' }, ...prose(rule.verdict === 'not-exercised' ? `Not exercised. Trigger: ${rule.trigger}.` : rule.why)));
}

/**
 * Where a broken rule comes from: its sources, with their pages on the web, and the command that explains its case.
 *
 * @param {JudgedRule} rule
 */
function sources({ id, violations }) {
  if (!violations.length) return [];
  const named = violations.filter(({ source }, place) => source && violations.findIndex((other) => other.source === source) === place);
  return [el('p', { class: 'quiet' },
    ...named.flatMap(({ source = '', link }) =>
      ['Source: ', link ? el('a', { href: link, rel: 'noreferrer', target: '_blank' }, source) : source, '. ']),
    'To explain the case step by step: ', el('code', {}, `counterfoil test --explain ${id}`))];
}

/** @param {Finding} found */
function findingItem(found) {
  return el('div', { class: found.reason ? 'violation undecided' : 'violation' },
    facts([['expected', found.expected], ['found', found.seen], ...(found.reason ? /** @type {[string, any][]} */ ([['reason', found.reason], ['next step', found.do]]) : [])]),
    el('p', { class: 'row' }, ...found.exchanges.map((seq) =>
      actionButton(`#${seq}`, () => showExchange(seq), { class: 'link', 'aria-label': `Open request ${seq}` }))));
}

/** Forgets the verdict of another session. */
export function clearVerdict() {
  judged = '';
  notBefore = 0;
  $('verdict-head').className = 'verdict';
  $('verdict-head').replaceChildren(el('span', {}, 'Checking …'));
}

export function setUpVerdict() {
  $('verdict-head').addEventListener('click', () => {
    details('verdict-panel').open = true;
    $('verdict-panel').scrollIntoView({ block: 'nearest' });
    $('verdict-panel').querySelector('summary')?.focus();
  });
}
