// @ts-check
// Rules: a fault in words, and the list of those that are set.
import { attempt, call } from './api.js';
import { $, actionButton, el, list, setText } from './base.js';
import { counted } from './text.js';
import { view } from './view.js';

/**
 * A rule as it is sent and shown; its id is opaque.
 *
 * @typedef {object} Rule
 * @property {string} [id]
 * @property {Record<string, any>} fault
 * @property {Record<string, any>} [on]
 * @property {number} [nth]
 * @property {number} [every]
 * @property {number} [first]
 * @property {number} [skip]
 * @property {number} [times]
 * @property {any} [probability]
 * @property {string} [ttl]
 * @property {number} [matched]
 * @property {number} [fired]
 */

/**
 * Whether a rule can never act again.
 *
 * @param {Rule} rule
 */
export function isSpent({ times, nth, first, matched = 0, fired = 0 }) {
  return (times !== undefined && fired >= times) || (nth !== undefined && matched >= nth) || (first !== undefined && matched >= first);
}

/**
 * A JSON value in a few words: `by close`, `status 503, retry after 2`.
 *
 * @param {any} value
 * @returns {string}
 */
function words(value) {
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map(words).join(', ');
  return Object.entries(value).map(([name, each]) => (each !== null && typeof each === 'object' ? `${name.replaceAll('_', ' ')} (${words(each)})` : `${name.replaceAll('_', ' ')} ${words(each)}`)).join(', ');
}

/**
 * The kind of a rule's fault: the one name that is no setting of every fault.
 *
 * @param {Rule['fault']} fault
 */
const kindOf = (fault) => Object.keys(fault).filter((name) => !['after', 'encoded'].includes(name))[0];

/**
 * A rule's settings and counts in words.
 *
 * @param {Rule} rule
 */
export function ruleWords({ fault, on, times, nth, every, first, skip, probability, ttl }) {
  const kind = kindOf(fault);
  return [
    words(fault[kind] ?? {}), fault.after && `after ${words(fault.after)}`, fault.encoded && 'on the compressed body', on && `on ${words(on)}`, times && counted(times, 'time'), nth && `only match ${nth}`,
    every && `every ${every} matches`, first && `the first ${first}`, skip && `not the first ${skip}`,
    probability !== undefined && `with probability ${words(probability)}`, ttl && `for ${ttl}`,
  ].filter(Boolean).join('; ');
}

/**
 * @param {Rule} rule
 * @returns {HTMLElement[]}
 */
export function ruleParts(rule) {
  const kind = kindOf(rule.fault);
  const { id, matched = 0, fired = 0, ...wanted } = rule;
  return [
    el('p', {}, el('span', { class: 'fault' }, kind), ' ', el('span', { class: 'quiet' }, `${id}: applied to ${fired} of ${matched} matching requests`),
      ' ', isSpent(rule) && el('span', { class: 'spent-mark' }, 'used up')),
    el('p', { class: 'settings', title: JSON.stringify(wanted) }, ruleWords(rule)),
  ];
}

/** @param {Rule} rule */
const remove = (rule) => call('DELETE /sessions/{s}/faults/{rule}', { s: view.session, rule: rule.id });

/**
 * The rules that are set, spent ones last.
 *
 * @type {Rule[]}
 */
let rules = [];

/** @param {{ faults: Rule[], held: number }} answer */
export function showFaults({ faults, held }) {
  rules = [...faults].sort((a, b) => Number(isSpent(a)) - Number(isSpent(b)));
  const spent = rules.filter(isSpent).length;
  setText($('fault-badge'), [rules.length - spent && `${rules.length - spent} set`, spent && `${spent} used up`].filter(Boolean).join(', '));
  list($('fault-list'), rules, (rule) => rule.id ?? '', (rule) => el('li', { class: isSpent(rule) ? 'spent' : '' }, ...ruleParts(rule),
    actionButton('Remove', () => attempt($('fault-notice'), () => remove(rule)), { 'aria-label': `Remove ${rule.id}` })));
  $('clear-spent').hidden = spent === 0;
  $('held').hidden = held === 0;
  const [first] = $('held').children;
  setText(first, `${counted(held, 'request')} held`);
}

export function setUpRules() {
  $('release').addEventListener('click', () => attempt($('fault-notice'), () => call('POST /sessions/{s}/faults/release', { s: view.session })));
  $('clear-spent').addEventListener('click', () => attempt($('fault-notice'), () => Promise.all(rules.filter(isSpent).map(remove))));
}
