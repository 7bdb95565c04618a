// @ts-check
// An exchange of the journal, in words.

/**
 * @typedef {{ rule: string, kind: string, point: string, applied: boolean, reason: string | null }} Fault
 * @typedef {Fault & { all?: Fault[] }} Faults
 * @typedef {{ head_bytes: number, body_bytes: number, raw_bytes: number, unsent: number, end: string }} Receipt
 *
 * An exchange as a list shows it: without headers and bodies.
 * @typedef {object} Entry
 * @property {number} seq
 * @property {string} at the instant by the session clock, RFC 3339 in UTC
 * @property {number} mono_ns the instant by the machine's clock
 * @property {number | null} duration_us null while it is under way
 * @property {number} connection
 * @property {number} request_on_connection
 * @property {string} protocol
 * @property {string | null} tls
 * @property {string | null} host
 * @property {string | null} method null for a connection without a request
 * @property {string} path
 * @property {string | null} query
 * @property {string | null} operation
 * @property {string[]} roles
 * @property {string | null} customer
 * @property {string | null} token
 * @property {string | null} key
 * @property {number | null} attempt
 * @property {number} body_bytes
 * @property {number | null} status
 * @property {string | null} reply
 * @property {boolean} committed
 * @property {boolean} replayed
 * @property {Faults | null} fault
 * @property {Receipt | null} receipt
 *
 * What only the whole exchange has.
 * @typedef {object} Messages
 * @property {[name: string, value: string][]} request_headers
 * @property {string} request_body
 * @property {[name: string, value: string][]} reply_headers
 * @property {string} reply_body
 * @property {{ line: string, left_out: string[] }} curl
 * @property {{ operation: string, wants: string, reasons: string[] }[]} nearest
 *
 * @typedef {Entry & Messages} WholeEntry
 */

/** @param {Entry} entry */
export const isUnderWay = (entry) => entry.duration_us === null;

/** @param {Entry} entry */
export function isError(entry) {
  return (entry.status ?? 0) >= 400 || Boolean(entry.fault?.applied) || (entry.status === null && !isUnderWay(entry));
}

/** @param {Entry} entry */
export const target = (entry) => entry.path + (entry.query === null ? '' : `?${entry.query}`);

/** @param {Entry} entry */
export const requestText = (entry) => (entry.method === null ? 'a connection' : `${entry.method} ${target(entry)}`);

/**
 * The style of a response: by its status, or by its absence.
 *
 * @param {Entry} entry
 */
export function look(entry) {
  if (isUnderWay(entry)) return 'quiet';
  if (entry.status === null || entry.status >= 500) return 'fail';
  return entry.status >= 400 ? 'doubt' : 'pass';
}

/** @param {Entry} entry */
export function responseText(entry) {
  if (entry.status !== null) return String(entry.status);
  return isUnderWay(entry) ? 'in progress' : 'no response';
}

/**
 * The ends of an exchange that have another name on the page than in the API.
 *
 * @type {Record<string, string>}
 */
const ENDS = { kept: 'keep-alive', fin: 'closed', rst: 'reset' };

/**
 * How the exchange ended on its connection, as the page names it; null while it is in progress.
 *
 * @param {Entry} entry
 */
export const endText = (entry) => (entry.receipt ? ENDS[entry.receipt.end] ?? entry.receipt.end : null);

/**
 * What was sent, and how the exchange ended on its connection.
 *
 * @param {Entry} entry
 */
export function receiptText(entry) {
  if (!entry.receipt) return 'in progress';
  const { end, head_bytes: head, body_bytes: body, unsent } = entry.receipt;
  if (end === 'incomplete') return `incomplete: ${entry.body_bytes} bytes of the request's body arrived`;
  return `${endText(entry)}, ${head} B head + ${body} B body${unsent ? `, ${unsent} B unsent` : ''}`;
}

/** @param {Entry} entry */
export function faultText(entry) {
  if (!entry.fault) return isUnderWay(entry) || entry.receipt?.end === 'kept' ? '' : endText(entry) ?? '';
  const applied = (entry.fault.all ?? []).filter((fault) => fault.applied);
  if (applied.length > 1) return applied.map((fault) => `${fault.kind} at ${fault.point}`).join(' + ');
  return `${entry.fault.kind} at ${entry.fault.point}${entry.fault.applied ? '' : ' (not applied)'}`;
}

/**
 * The attempt's number; null without a key: only a key shows that two requests are one payment order.
 *
 * @param {Entry} entry
 */
export const attemptNumber = (entry) => (entry.key === null ? null : entry.attempt);

/**
 * The operation, or that there is none.
 *
 * @param {Entry} entry
 */
export const operationText = (entry) => entry.operation ?? (entry.method === null ? '' : 'no operation');
