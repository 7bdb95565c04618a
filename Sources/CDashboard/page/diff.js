// @ts-check
// The difference of two texts or lists of headers, row by row. It knows nothing of the page.

/**
 * One row: equal on both sides, or different, or on one side only (null on the other).
 *
 * @typedef {{ left: string | null, right: string | null, isSame: boolean }} Row
 */

/** Above this many pairs of lines the middle is shown as one change: a longer search would be felt. */
const MOST_PAIRS = 4e6;

/**
 * Pairs the lines of two texts by their longest common subsequence; a line that changed stands beside its new form.
 *
 * @param {string} left
 * @param {string} right
 * @returns {Row[]}
 */
export function lineRows(left, right) {
  const a = left === '' ? [] : left.split('\n');
  const b = right === '' ? [] : right.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  /** @type {(line: string) => Row} */
  const same = (line) => ({ left: line, right: line, isSame: true });
  return [
    ...a.slice(0, start).map(same),
    ...middleRows(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Row[]}
 */
function middleRows(a, b) {
  if (a.length * b.length > MOST_PAIRS) return changed(a, b);
  // common[i][j]: the length of the longest common subsequence of a[i...] and b[j...].
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const rows = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [fromI, fromJ] = [i, j];
    while ((i < a.length || j < b.length) && !(i < a.length && j < b.length && a[i] === b[j])) {
      if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) i++;
      else j++;
    }
    rows.push(...changed(a.slice(fromI, i), b.slice(fromJ, j)));
    if (i < a.length && j < b.length) {
      rows.push({ left: a[i], right: b[j], isSame: true });
      i++;
      j++;
    }
  }
  return rows;
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Row[]}
 */
const changed = (a, b) => Array.from({ length: Math.max(a.length, b.length) }, (_, place) => ({ left: a[place] ?? null, right: b[place] ?? null, isSame: false }));

/**
 * Pairs headers by name, in the order of the left side; names are compared without case (RFC 9110 §5.1).
 *
 * @param {[name: string, value: string][]} left
 * @param {[name: string, value: string][]} right
 * @returns {Row[]}
 */
export function headerRows(left, right) {
  /** @type {(headers: [string, string][]) => Map<string, string[]>} */
  const byName = (headers) => {
    const map = new Map();
    for (const [name, value] of headers) map.set(name.toLowerCase(), [...(map.get(name.toLowerCase()) ?? []), `${name}: ${value}`]);
    return map;
  };
  const a = byName(left);
  const b = byName(right);
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((name) => {
    const before = a.get(name) ?? [];
    const after = b.get(name) ?? [];
    return changed(before, after).map((row) => ({ ...row, isSame: row.left === row.right }));
  });
}
