#!/usr/bin/env node
"use strict";
// Counterfoil's driver protocol, version 1: one JSON object a line on stdin, one on stdout. Logs go to stderr.
//
//     counterfoil test --client "node /…/driver.js" --bank counterfoil --bank roundup
//
// To test your own client keep this file and write your calls into `perform`; README.md beside it says how.
const readline = require("node:readline");
const banks = require("./banks.js");
const { Client } = require("./client.js");
const { Failure } = require("./exact.js");
const { amountTyped } = require("./typed.js");

const FEATURES = ["persistence", "together", "parallel", "ca"];
const OPERATIONS = [...new Set(Object.values(banks).flatMap((bank) => bank.operations))];
const cases = new Map();
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

// Does what a person would do, and returns what they would be shown. Throws Failure.
async function perform({ start, client }, op, args) {
  const bank = client.bank, login = { ...start.login, ...args };
  if (!bank.operations.includes(op)) return undefined;
  if (op === "login") {
    await client.login(login.user, login.password, login.token);
    return { signed_in: true };
  }
  if (op === "logout") {
    await client.logout();
    return { signed_in: false };
  }
  if (op === "status") return { signed_in: Boolean(client.state.token), prompts: client.state.prompts ?? 0 };
  if (op === "pay") {
    const { intent, from, to, currency, raw_amount: raw } = args; // what the person typed counts, where it is given
    return client.pay(intent, { from, to, amount: raw === undefined ? args.amount : amountTyped(raw, currency, start.locale), currency });
  }
  if (op === "resume") return client.pay(args.intent);
  const get = client.reader(), isOfAccount = ["balance", "transactions", "goals"].includes(op);
  const account = args.account ?? (isOfAccount ? (await bank.accounts(get)).accounts[0]?.id : undefined);
  return bank[op](get, { ...args, account }, start.time_zone || "UTC");
}

async function step(message) {
  const answer = { t: "result", case: message.case, n: message.n };
  try {
    const view = await perform(cases.get(message.case), message.op, message.args ?? {});
    say(view ? { ...answer, outcome: "ok", view } : { ...answer, outcome: "unsupported" });
  } catch (error) {
    if (!(error instanceof Failure)) throw error; // a mistake of ours: a client that is gone is noticed at once
    say({ ...answer, outcome: "error", error: error.name, detail: error.detail });
  }
}

async function handle(message) {
  if (message.t === "hello") {
    const abilities = { client: "javascript-template 1.0", banks: Object.keys(banks), operations: OPERATIONS, features: FEATURES };
    say({ t: "hello", v: 1, nonce: message.nonce, ...abilities });
  } else if (message.t === "case") {
    cases.set(message.case, { start: message, client: new Client(banks[message.bank], message), steps: [] });
    say({ t: "ready", case: message.case });
  } else if (message.t === "step") {
    cases.get(message.case).steps.push(step(message)); // not awaited: several steps may be under way at once
  } else if (message.t === "end") {
    const { client, steps } = cases.get(message.case);
    cases.delete(message.case);
    await Promise.all(steps);
    await client.close();
    say({ t: "ended", case: message.case });
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => handle(JSON.parse(line)));
