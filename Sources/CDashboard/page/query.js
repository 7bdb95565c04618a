// @ts-check
// The journal's filter: words that must all fit, `name:value`, and `-` in front of what must not.
import { attemptNumber, endText, faultText, isError, isUnderWay, target } from './entry.js';

/**
 * @typedef {import('./entry.js').Entry} Entry
 *
 * @typedef {object} Term
 * @property {string | null} name null for a word that may be anywhere
 * @property {string} value in lower case
 * @property {boolean} isNot
 *
 * Headers and bodies of an exchange in lower case; null if they are not loaded.
 * @typedef {{ headers: string, bodies: string } | null} Texts
 */

/**
 * The texts in which a named term looks.
 *
 * @type {Record<string, (entry: Entry) => (string | number | null)[]>}
 */
const TEXTS = {
  method: (entry) => [entry.method],
  path: (entry) => [target(entry)],
  operation: (entry) => [entry.operation],
  role: (entry) => entry.roles,
  reply: (entry) => [entry.reply],
  key: (entry) => [entry.key],
  token: (entry) => [entry.token],
  customer: (entry) => [entry.customer],
  fault: (entry) => [faultText(entry), entry.fault?.rule ?? null],
  end: (entry) => [endText(entry), entry.receipt?.end ?? null],
  host: (entry) => [entry.host],
  protocol: (entry) => [entry.protocol],
};

/** @type {Record<string, (entry: Entry) => boolean>} */
const STATES = {
  error: isError,
  replayed: (entry) => entry.replayed,
  committed: (entry) => entry.committed,
  retry: (entry) => (attemptNumber(entry) ?? 0) > 1,
  open: isUnderWay,
};

/**
 * The names that a term can have, for people: name, example, meaning.
 *
 * @type {[name: string, example: string, meaning: string][]}
 */
export const NAMES = [
  ['', 'tea-1 201', 'words anywhere: address, response, key, headers and bodies; all must match'],
  ['', '"insufficient funds"', 'an exact phrase'],
  ['status', 'status:5xx', 'a class of statuses, a status, or `status:none` for no response'],
  ['path', '-path:/atms', 'the path; with `-` in front: all other paths'],
  ['method', 'method:post', 'also `operation:` `role:` `reply:` `key:` `token:` `customer:` `fault:` `end:` `host:` `protocol:`'],
  ['header', 'header:retry-after', 'only in headers'],
  ['body', 'body:insufficient', 'only in bodies'],
  ['ms', 'ms:>500', 'took more than 500 ms; `ms:<5`: less than 5 ms'],
  ['is', 'is:retry', 'also `is:error` `is:replayed` `is:committed` `is:open`'],
];

const KNOWN = new Set([...Object.keys(TEXTS), 'status', 'header', 'body', 'ms', 'is']);

/**
 * Reads a filter. A name that is not known is part of a word, as in `http://`.
 *
 * @param {string} text
 * @returns {Term[]}
 */
export function parse(text) {
  const terms = [];
  for (const [all] of text.matchAll(/-?(?:[a-z]+:)?(?:"[^"]*"?|[^\s"]+)/gi)) {
    const isNot = all.length > 1 && all.startsWith('-');
    const rest = isNot ? all.slice(1) : all;
    const name = rest.match(/^([a-z]+):/i)?.[1].toLowerCase() ?? '';
    const isNamed = KNOWN.has(name) && rest.length > name.length + 1;
    const value = (isNamed ? rest.slice(name.length + 1) : rest).replaceAll('"', '').toLowerCase();
    // A name without its value is still being typed.
    if (value && !(KNOWN.has(name) && !isNamed)) terms.push({ name: isNamed ? name : null, value, isNot });
  }
  return terms;
}

/**
 * Whether a term needs headers and bodies.
 *
 * @param {Term} term
 */
export const isDeep = ({ name }) => name === null || name === 'header' || name === 'body';

/**
 * Whether an exchange fits all terms.
 *
 * @param {Term[]} terms
 * @param {Entry} entry
 * @param {Texts} texts
 */
export const fits = (terms, entry, texts) => terms.every((term) => holds(term, entry, texts) !== term.isNot);

/**
 * @param {Term} term
 * @param {Entry} entry
 * @param {Texts} texts
 * @returns {boolean}
 */
function holds({ name, value }, entry, texts) {
  switch (name) {
    case null: return listText(entry).includes(value) || Boolean(texts && (texts.headers.includes(value) || texts.bodies.includes(value)));
    case 'header': return Boolean(texts?.headers.includes(value));
    case 'body': return Boolean(texts?.bodies.includes(value));
    case 'status': return statusFits(entry, value);
    case 'ms': return timeFits(entry, value);
    case 'is': return STATES[value]?.(entry) ?? false;
    default: return TEXTS[name](entry).some((text) => String(text ?? '').toLowerCase().includes(value));
  }
}

/**
 * @param {Entry} entry
 * @param {string} value `5xx`, `503`, `50` or `none`
 */
function statusFits({ status, ...entry }, value) {
  if (value === 'none') return status === null && entry.duration_us !== null;
  return status !== null && String(status).startsWith(value.replace(/x+$/, ''));
}

/**
 * @param {Entry} entry
 * @param {string} value
 */
function timeFits({ duration_us: microseconds }, value) {
  const [, sign, number] = value.match(/^([<>]?)=?(\d+(?:\.\d+)?)$/) ?? [];
  if (number === undefined || microseconds === null) return false;
  return sign === '<' ? microseconds < Number(number) * 1000 : microseconds >= Number(number) * 1000;
}

/** @param {Entry} entry */
function listText(entry) {
  return [
    `#${entry.seq}`, entry.method, target(entry), entry.operation, entry.status, entry.reply, entry.key, entry.token, entry.customer,
    entry.fault?.kind, entry.fault?.rule, entry.receipt?.end, endText(entry), entry.protocol,
  ].join(' ').toLowerCase();
}
