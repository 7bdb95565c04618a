// Numbers and money as banks send them, read exactly: no amount ever becomes a float.

import * as kit from "./kit.mjs";

const { digits, major, minor } = kit;

// A step that failed, with what this client needs to decide about another attempt.
class Failure extends kit.Failure {
  // problem: the bank's own word for what is wrong.
  constructor(name, detail, { sent = true, retryable = false, retryAfter, problem } = {}) {
    super(name, detail, { sent });
    Object.assign(this, { retryable, retryAfter, problem });
  }
}

// States of a payment that the bank has accepted: the second waits for another person. Neither is paid yet, nor has failed.
const PENDING = ["accepted", "pending-authorisation"];

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

// The day of an instant of RFC 3339 in a time zone, and its milliseconds. A leap second is read as the second before it.
function day(instant, zone) {
  const at = Date.parse(text(instant).replace(/^(.{10})[Tt ](\d\d:\d\d):60/, "$1T$2:59").replace(/[t ]/, "T"));
  if (Number.isNaN(at) || instant.length === 10) fail("no instant");
  return { at, date: kit.day(instant, zone) };
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

export { Failure, PENDING, parseJSON, minor, major, digits, day, text, rows };
