#!/usr/bin/env node
// A client on Counterfoil's driver kit, counterfoil-driver.mjs.
//
//     counterfoil test --client "node /…/driver.mjs" --bank counterfoil --bank roundup
//
// To test your own client write your calls into `operations`; README.md beside it explains how.
import * as banks from "./banks.mjs";
import { Client } from "./client.mjs";
import { Driver, Unsupported } from "./kit.mjs";
import { amountTyped } from "./typed.mjs";

const reads = ["accounts", "balance", "transactions", "atms", "goals"];

// A read of the bank; of the first account that it lists where none is named.
async function read(client, { operation, args, case: start }) {
  const { bank } = client, get = client.reader(), isOfAccount = ["balance", "transactions", "goals"].includes(operation);
  const account = args.account ?? (isOfAccount ? (await bank.accounts(get)).accounts[0]?.id : undefined);
  return bank[operation](get, { ...args, account }, start.time_zone || "UTC");
}

// Each does what a user would do, and returns what they would be shown. Throws Failure.
const operations = {
  async login(client, { args: { user, password, token } }) {
    await client.login(user, password, token);
    return { signed_in: true };
  },
  authorize_begin: (client) => ({ url: client.page.begin(client.bank.page) }),
  async authorize_finish(client, { args: { url } }) {
    await client.finish(url);
    return { signed_in: true };
  },
  async logout(client) {
    await client.logout();
    return { signed_in: false };
  },
  status: (client) => ({ signed_in: Boolean(client.state.token), prompts: client.state.prompts ?? 0 }),
  pay(client, { args, case: start }) {
    const { intent, from, to, currency, raw_amount: raw } = args; // what the user typed counts, where it is given
    return client.pay(intent, { from, to, amount: raw === undefined ? args.amount : amountTyped(raw, currency, start.locale), currency });
  },
  resume: (client, { args }) => client.pay(args.intent),
  payment_status: (client, { args }) => client.paymentStatus(args.intent, args.until === "final"),
  ...Object.fromEntries(reads.map((name) => [name, read])),
};

// The banks do not have the same operations.
const supported = (operation) => (client, step) => {
  if (!client.bank.operations.includes(step.operation)) throw new Unsupported();
  return operation(client, step);
};

new Driver("javascript-template 1.0", {
  banks: Object.keys(banks),
  features: ["persistence", "together", "parallel", "ca"],
  open: (start) => new Client(banks[start.bank], start),
  operations: Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, supported(operation)])),
}).run();
