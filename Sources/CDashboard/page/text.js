// @ts-check
// Numbers, times and JSON as texts.

/**
 * `1 fault`, `2 faults`.
 *
 * @param {number} number
 * @param {string} noun
 */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/**
 * Formats milliseconds as `00:04:31`, with days in front if there are any.
 *
 * @param {number} milliseconds
 */
export function spanText(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  /** @type {(number: number) => string} */
  const two = (number) => String(number).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  return (days ? `${days} d ` : '') + [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}

/**
 * Formats microseconds as milliseconds without their unit: three digits that count, `0.42`, `12.3`, `2,013`.
 *
 * @param {number | null} microseconds
 */
export function msText(microseconds) {
  if (microseconds == null) return '…';
  const ms = microseconds / 1000;
  const digits = ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return ms.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * Formats microseconds with their unit.
 *
 * @param {number | null} microseconds
 */
export function tookText(microseconds) {
  if (microseconds == null) return '…';
  if (microseconds < 1e6) return `${msText(microseconds)} ms`;
  if (microseconds < 6e7) return `${(microseconds / 1e6).toFixed(2)} s`;
  return spanText(microseconds / 1000);
}

/**
 * The time of day of an instant of the API, in UTC: `10:31:05.042`.
 *
 * @param {string} instant
 */
export const timeOfDay = (instant) => instant.slice(11, 23);

/**
 * Date and time of an instant of the API, to the second, with the zone's name.
 *
 * @param {string} instant
 */
export const dateText = (instant) => `${instant.slice(0, 19).replace('T', ' ')} UTC`;

/** @param {string} text */
export const byteCount = (text) => new TextEncoder().encode(text).length;

/**
 * Indents a JSON text; returns other texts unchanged. Numbers keep their digits: `12.00` does not become `12`.
 *
 * @param {string} text
 */
export function laidOut(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => '\n' + '  '.repeat(depth);
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+|([{[])\s*([}\]])?|([}\]])|(,)|(:)/g, (_all, string, open, empty, close, comma, colon) => {
    if (string) return string;
    if (open) return empty ? open + empty : (depth++, open + line());
    if (close) return (depth--, line() + close);
    if (comma) return comma + line();
    return colon ? ': ' : '';
  });
}
