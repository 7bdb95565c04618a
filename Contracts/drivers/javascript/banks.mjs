// The differences between the banks: addresses, shapes and words. `get` reads a path for the customer who is signed in.
import { Failure, PENDING, minor, major, day, text, rows } from "./exact.mjs";

const FORM = { "content-type": "application/x-www-form-urlencoded" }, JSON_TYPE = { "content-type": "application/json" };
const form = (fields) => String(new URLSearchParams(fields));
const part = encodeURIComponent;
const signed = (sign, amount) => (/[1-9]/.test(amount) ? sign + amount : amount);

// A view of one object; `decode` where the answer is not what was agreed.
function one(read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof Failure ? error : new Failure("decode", error.message);
  }
}

// One row of each id, the latest first.
function newestFirst(found) {
  const latest = new Map();
  for (const row of found) if (!(latest.get(row.id)?.at > row.at)) latest.set(row.id, row);
  return [...latest.values()].sort((a, b) => b.at - a.at);
}

const degrees = (value) => text(typeof value === "bigint" ? String(value) : value); // a fraction comes as the text that was sent
const decimal = (money) => major(minor(money.amount, money.currency), money.currency);

const counterfoil = {
  operations: [
    "login", "authorize_begin", "authorize_finish", "logout", "status", "accounts", "balance", "transactions", "atms", "goals", "pay",
    "resume", "payment_status",
  ],
  page: "/oauth/authorize",
  rejectedToken: ["token-rejected", "token-expired", "invalid_token", "invalid_grant"],
  consent: "consent-expired", inFlight: "key-in-flight", mismatch: "key-mismatch",
  problem: (body) => (/^urn:/.test(body.type) ? String(body.type).split(":").pop() : body.error),
  loginCall: (username, password) =>
    ({ method: "POST", path: "/oauth/token", headers: FORM, body: form({ grant_type: "password", username, password }) }),
  codeCall: (fields) => ({ method: "POST", path: "/oauth/token", headers: FORM, body: form(fields) }),
  logoutCall: (token) => ({ method: "POST", path: "/oauth/revoke", headers: FORM, body: form({ token }) }),
  token: (body) => text(body.access_token),

  accounts: async (get) => {
    const row = ({ id, name, currency, balance }) =>
      ({ id: text(id), name: text(name), currency: text(currency), ...(balance != null && { balance: decimal(balance) }) });
    return { accounts: rows((await get("/v1/accounts")).accounts, row) };
  },
  balance: async (get, { account }) => {
    const found = await get(`/v1/accounts/${part(account)}`);
    return one(() => ({
      balance: decimal(found.balance), currency: found.balance.currency,
      ...(found.available != null && { available: decimal(found.available) }),
    }));
  },
  payment_status: async (get, payment) => {
    const { state } = await get(`/v1/payments/${part(payment)}`);
    if (![...PENDING, "settled", "rejected", "returned", "cancelled"].includes(state)) throw new Failure("outcome_unknown", "an unknown state");
    return { payment, state };
  },
  transactions: async (get, { account, from, to }, zone) => {
    const { found, complete } = await counterfoil.pages(get, `/v1/accounts/${part(account)}/transactions`, { from, to });
    const read = rows(found, (row) => {
      const { at, date } = day(row.booked_at, zone);
      const sign = { credit: "", debit: "-" }[row.direction] ?? text(undefined);
      const pending = { pending: true, booked: false }[row.status];
      const view = { id: text(row.id), date, description: text(row.description ?? ""), amount: signed(sign, decimal(row.amount)),
        currency: row.amount.currency, ...(pending !== undefined && { pending }) };
      return { id: row.id, at, view, replaces: row.replaces, atm: row.atm_id };
    });
    const known = read.some((row) => row.atm) ? await counterfoil.atms(get).catch(() => ({ atms: [] })) : { atms: [] };
    const replaced = new Set(read.map((row) => row.replaces)), atms = new Set(known.atms.map((atm) => atm.id));
    const shown = newestFirst(read).filter((row) => !(row.view.pending && replaced.has(row.id)));
    return { transactions: shown.map(({ view, atm }) => (atms.has(atm) ? { ...view, atm } : view)), complete };
  },
  // Every row of a list in pages. A cursor that has expired means to begin again, once.
  pages: async (get, path, period, again = true) => {
    let found = [], cursor;
    const cursors = new Set();
    while (cursors.size < 200) {
      const query = new URLSearchParams(Object.entries({ ...period, cursor }).filter(([, value]) => value != null));
      let page;
      try {
        page = await get(`${path}?${query}`);
      } catch (failure) {
        if (failure.problem !== "cursor-expired" || !cursor || !again) throw failure;
        return counterfoil.pages(get, path, period, false);
      }
      found = found.concat(rows(page.transactions, (row) => row));
      cursor = page.next_cursor ?? null;
      if (cursor === null) return { found, complete: true };
      if (typeof cursor !== "string" || !cursor || cursors.has(cursor)) throw new Failure("decode", "a cursor that leads nowhere");
      cursors.add(cursor);
    }
    return { found, complete: false };
  },
  atms: async (get) => {
    const row = ({ id, name, location: { lat, lng } }) => ({ id: text(id), name: text(name), lat: degrees(lat), lng: degrees(lng) });
    return { atms: rows((await get("/v1/atms", "open to all")).atms, row) };
  },
  goals: async (get, { account }) => {
    const row = ({ id, name, saved }) => ({ id: text(id), name: text(name), saved: decimal(saved), currency: saved.currency });
    return { goals: rows((await get(`/v1/accounts/${part(account)}/goals`)).goals, row) };
  },

  payCall: (key, { from, to, amount, currency }) => {
    const body = JSON.stringify({ from, to, amount: { amount: major(minor(amount, currency), currency), currency } });
    return { method: "POST", path: "/v1/payments", headers: { ...JSON_TYPE, "idempotency-key": `"${key}"` }, body };
  },
  paid: ({ id, state }) => {
    if (state === "rejected") throw new Failure("rejected", "the bank rejected the payment", { problem: "rejected" });
    if (![...PENDING, "settled"].includes(state) || typeof id !== "string") throw new Failure("decode", "no payment in the response");
    return { payment: id, state };
  },
};

const units = (money) => major(money.minorUnits, money.currency);

const roundup = {
  operations: ["login", "status", "accounts", "balance", "transactions", "goals", "pay", "resume"],
  rejectedToken: ["invalid_token"],
  consent: "consent_expired", inFlight: "TRANSFER_IN_PROGRESS", mismatch: "TRANSFER_UID_ALREADY_USED",
  problem: (body) => body.error ?? body.errors?.[0]?.message,

  accounts: async (get) => {
    const row = (account) => ({ id: text(account.accountUid), name: text(account.name), currency: text(account.currency) });
    return { accounts: rows((await get("/api/v2/accounts")).accounts, row) };
  },
  balance: async (get, { account }) => {
    const { clearedBalance, effectiveBalance } = await get(`/api/v2/accounts/${part(account)}/balance`);
    return one(() => ({
      balance: units(clearedBalance), currency: clearedBalance.currency,
      ...(effectiveBalance != null && { available: units(effectiveBalance) }),
    }));
  },
  transactions: async (get, { account, from, to }, zone) => {
    const query = new URLSearchParams({ minTransactionTimestamp: from, maxTransactionTimestamp: to });
    const answer = await get(`/api/v2/feed/account/${part(account)}/settled-transactions-between?${query}`);
    const found = rows(answer.feedItems, (item) => {
      const { at, date } = day(item.transactionTime, zone);
      const sign = { IN: "", OUT: "-" }[item.direction] ?? text(undefined);
      const view = { id: text(item.feedItemUid), date, description: text(item.reference || item.counterPartyName || ""),
        amount: signed(sign, units(item.amount)), currency: item.amount.currency };
      return { id: view.id, at, view };
    });
    return { transactions: newestFirst(found).map((row) => row.view) };
  },
  goals: async (get, { account }) => {
    const row = ({ savingsGoalUid: id, name, totalSaved }) =>
      ({ id: text(id), name: text(name), saved: units(totalSaved), currency: totalSaved.currency });
    return { goals: rows((await get(`/api/v2/account/${part(account)}/spaces`)).savingsGoals, row) };
  },

  payCall: (key, { from, to, amount, currency }) => {
    const path = `/api/v2/account/${part(from)}/savings-goals/${part(to)}/add-money/${key}`;
    const body = `{"amount":{"currency":"${currency}","minorUnits":${minor(amount, currency)}}}`; // JSON.stringify takes no BigInt
    return { method: "PUT", path, headers: JSON_TYPE, body };
  },
  paid: ({ success, transferUid }) => {
    if (typeof success !== "boolean") throw new Failure("decode", "no transfer in the response");
    if (!success) throw new Failure("rejected", "the bank rejected it: success is false", { problem: "success-false" });
    return { ...(typeof transferUid === "string" && { payment: transferUid }), state: "accepted" };
  },
};

export { counterfoil, roundup };
