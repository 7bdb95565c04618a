"use strict";
// Numbers and money as banks send them, read exactly: no amount ever becomes a float.

class Failure extends Error {
  // sent: whether a byte of the request may have left. problem: the bank's own word for what is wrong.
  constructor(name, detail, { sent = true, retryable = false, retryAfter, problem } = {}) {
    super(detail);
    Object.assign(this, { name, detail, sent, retryable, retryAfter, problem });
  }
}

const MARK = `number ${crypto.randomUUID()} `; // no bank can guess it

// Strict JSON. Whole numbers become a BigInt, others the text that was sent ("12.30" stays "12.30").
function parseJSON(text) {
  JSON.parse(text); // throws unless the text is JSON, so the pattern below need not be strict
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token[0] === '"' ? token : `"${MARK}${token}"`));
  return JSON.parse(marked, (_, value) => {
    if (typeof value !== "string" || !value.startsWith(MARK)) return value;
    const number = value.slice(MARK.length);
    return /^-?\d+$/.test(number) ? BigInt(number) : number;
  });
}

const DIGITS = { JPY: 0, KRW: 0, VND: 0, ISK: 0, CLP: 0, BHD: 3, KWD: 3, OMR: 3, JOD: 3, TND: 3, IQD: 3, CLF: 4 };

function digits(currency) {
  if (!/^[A-Z]{3}$/.test(text(currency))) throw new Error("no currency");
  return DIGITS[currency] ?? 2;
}

// ("12.3", "GBP") gives 1230n.
function minor(amount, currency) {
  const [, sign, whole, fraction = ""] = /^(-?)(\d{1,18})(?:\.(\d{1,18}))?$/.exec(text(amount)) ?? fail("no amount");
  const count = digits(currency);
  if (/[1-9]/.test(fraction.slice(count))) fail("more digits than the currency has");
  return BigInt(sign + whole + fraction.slice(0, count).padEnd(count, "0"));
}

// (1230n, "GBP") gives "12.30".
function major(units, currency) {
  if (typeof units !== "bigint") fail("minor units must be a whole number");
  const count = digits(currency), shown = String(units < 0n ? -units : units).padStart(count + 1, "0");
  const [whole, fraction] = [shown.slice(0, shown.length - count), shown.slice(shown.length - count)];
  return (units < 0n ? "-" : "") + whole + (count ? "." + fraction : "");
}

// The day of an instant of RFC 3339 in a time zone, and its milliseconds. A leap second is read as the second before it.
function day(instant, zone) {
  const [, whole, time] = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))$/.exec(text(instant))
    ?? fail("no instant");
  const at = Date.parse(`${whole}T${time.replace(":60", ":59")}`);
  if (Number.isNaN(at) || new Date(`${whole}T00:00Z`).toISOString().slice(0, 10) !== whole) fail("no such day"); // 30 February
  return { at, date: new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(at) };
}

function text(value) {
  return typeof value === "string" ? value : fail("found no text");
}

function fail(why) {
  throw new Error(why);
}

// The rows of a list, each read by `read`. One that cannot be read is left out; if none can, the answer is no good.
function rows(list, read) {
  if (!Array.isArray(list)) throw new Failure("decode", "found no list");
  const shown = list.flatMap((row) => {
    try {
      return [read(row)];
    } catch {
      return [];
    }
  });
  if (list.length && !shown.length) throw new Failure("decode", "no row can be read");
  return shown;
}

module.exports = { Failure, parseJSON, minor, major, digits, day, text, rows };
