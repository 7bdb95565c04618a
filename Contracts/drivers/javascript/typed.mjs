// Amounts as people type them, read by the signs of their language. A text that has two readings is rejected.
import { Failure, minor, major, digits } from "./exact.mjs";

const words = (text) => new Set(text.split(" "));
const COMMA = words("az be bg bs ca cs da de el es et eu fi fr gl hr hu id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tr uk uz vi");
const POINT_IN = words("CH LI MX US PR GT HN NI SV PA DO PE"); // though their languages elsewhere write a comma
const COMMA_IN = words("ar_DZ ar_LB ar_LY ar_MA ar_MR ar_TN en_ZA");

// ("1.234,5", "EUR", "de_DE") gives "1234.50".
function amountTyped(typed, currency, locale = "en") {
  const [language, country] = locale.split("_");
  const comma = COMMA_IN.has(locale) || (COMMA.has(language) && !POINT_IN.has(country));
  const point = comma ? "," : ".", group = comma ? "[. '’\u066c]" : "[, '’\u066c]";
  const shown = typed.replace(/[\u200e\u200f\u061c]/g, "").trim().replace(/\s+/g, " "); // marks of direction are invisible
  const plain = shown.replace(/\p{Nd}/gu, (digit) => valueOf(digit.codePointAt(0)));
  const pattern = new RegExp(`^(\\d+|\\d{1,3}(?:${group}\\d{2,3})*${group}\\d{3})(?:[${point}\u066b](\\d+))?$`);
  const [, whole, fraction = ""] = pattern.exec(plain) ?? reject(typed);
  try {
    if (fraction.length > digits(currency)) reject(typed);
    return major(minor(whole.replace(/\D/g, "") + (fraction && `.${fraction}`), currency), currency);
  } catch {
    return reject(typed);
  }
}

// The digits of each script are ten characters in a row: how many of them stand before this one. Scripts follow each other without a gap.
function valueOf(code) {
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

function reject(typed) {
  throw new Failure("rejected", `cannot read the amount "${typed}" for certain`, { sent: false });
}

export { amountTyped };
