// @ts-check
// Setting a fault: presets that act at once, and a form whose fields come from the server's schema.
import { attempt, call, onSubmit } from './api.js';
import { $, actionButton, choices, copyButton, input, prose, setText, select } from './base.js';
import { objectFields } from './fields.js';
import { ruleWords } from './rules.js';
import { view } from './view.js';

/**
 * @typedef {import('./rules.js').Rule} Rule
 * @typedef {{ kind: string, point: string, about: string, protocols: string[], example: Record<string, any> }} Kind
 */

/**
 * What is wanted most, with one press.
 *
 * @type {{ name: string, rule: Rule }[]}
 */
const PRESETS = [
  { name: 'Lose the next payment’s response', rule: { fault: { 'lose-reply': { by: 'close' } }, on: { role: 'pay' }, times: 1 } },
  { name: 'Send 503 twice', rule: { fault: { status: { status: 503 } }, times: 2 } },
  { name: 'Delay responses by 2 s', rule: { fault: { delay: { fixed: '2s' } } } },
  { name: 'Reject the token once', rule: { fault: { dialect: { name: 'token-rejected' } }, times: 1 } },
  { name: 'Drop the connection once', rule: { fault: { reset: {} }, times: 1 } },
  { name: 'Send half a body once', rule: { fault: { truncate: { at: 0.5, framing: 'short' } }, times: 1 } },
];

/**
 * The kinds of fault, as the server lists them.
 *
 * @type {Kind[]}
 */
let kinds = [];
/**
 * Their schemas.
 *
 * @type {import('./fields.js').Definitions}
 */
let definitions = {};
/**
 * The settings of the kind in the form.
 *
 * @type {import('./fields.js').Field | null}
 */
let settings = null;
/**
 * The counts of the form.
 *
 * @type {import('./fields.js').Field | null}
 */
let counts = null;

/** The counts and limits that the form has besides `times`. */
const COUNTS = ['first', 'skip', 'every', 'nth', 'probability', 'ttl'];

export async function loadKinds() {
  const listed = await call('GET /fault-kinds');
  kinds = listed.kinds;
  definitions = listed.schema?.definitions ?? {};
  const points = [...new Set(kinds.map(({ point }) => point))];
  choices(select('fault-kind'), points.map((point) => [`at ${point}`, kinds.filter((kind) => kind.point === point).map(({ kind }) => [kind, kind])]));
  if (!settings) select('fault-kind').value = kinds.some(({ kind }) => kind === 'status') ? 'status' : kinds[0]?.kind ?? '';
  const rule = definitions.rule?.properties ?? {};
  const properties = Object.fromEntries(COUNTS.filter((name) => rule[name]).map((name) => [name, rule[name]]));
  counts = objectFields({ properties }, definitions, {});
  $('fault-counts').replaceChildren(counts.element);
  showKind();
}

function showKind() {
  const kind = kinds.find((each) => each.kind === select('fault-kind').value);
  if (!kind) return;
  const only = kind.protocols.includes('h2') ? (kind.protocols.length === 1 ? ' Only on HTTP/2.' : '') : ' Not on HTTP/2.';
  const port = kind.point === 'connect' || kind.point === 'tls' ? ' Requires a session with a separate port.' : '';
  $('fault-about').replaceChildren(...prose(kind.about[0].toUpperCase() + kind.about.slice(1) + '.' + only + port).flatMap((piece) => (piece ? [piece] : [])));
  settings = objectFields(definitions[`fault-${kind.kind}`] ?? {}, definitions, kind.example);
  $('fault-settings').replaceChildren(settings.element);
  showRule();
}

/** Offers the roles and operations of the session's bank as targets of a fault. */
export function showTargets() {
  const bank = view.bank;
  const roles = Object.keys(bank?.roles ?? {});
  choices(select('fault-on'), [
    [null, [['', 'every request']]], ['role', roles.map((role) => [`role ${role}`, `${role} (role)`])],
    ['operation', (bank?.operations ?? []).map(({ name, request }) => [`operation ${name}`, `${name} (${request})`])],
  ]);
  $('presets').replaceChildren(...PRESETS.map(({ name, rule }) => {
    const isPossible = !rule.on?.role || roles.includes(rule.on.role);
    return actionButton(name, () => attempt($('fault-notice'), () => set(rule)),
      { disabled: !isPossible, title: isPossible ? `Sets ${Object.keys(rule.fault)[0]}: ${ruleWords(rule) || 'every request'}` : `This bank has no operation with the role ${rule.on?.role}.` });
  }));
}

/** @param {Rule} rule */
const set = (rule) => call('POST /sessions/{s}/faults', { s: view.session }, { body: rule });

/**
 * The rule in the form.
 *
 * @returns {Rule}
 */
function wantedRule() {
  /** @type {Rule} */
  const rule = { fault: { [select('fault-kind').value]: settings?.value() ?? {} } };
  const [by, ...name] = select('fault-on').value.split(' ');
  const on = name.length ? { [by]: name.join(' ') } : {};
  const attemptOnly = input('fault-attempt').value ? { attempt: Number(input('fault-attempt').value) } : {};
  if (Object.keys({ ...on, ...attemptOnly }).length) rule.on = { ...on, ...attemptOnly };
  if (input('fault-times').value) rule.times = Number(input('fault-times').value);
  return { ...rule, ...(counts?.value() ?? {}) };
}

/** Shows the rule of the form as it would be written in a file or sent by a test. */
function showRule() {
  setText($('fault-json'), JSON.stringify(wantedRule()));
}

export function setUpFaults() {
  select('fault-kind').addEventListener('change', showKind);
  // A field that stops the form must be visible.
  $('fault-form').addEventListener('invalid', (event) => {
    const around = event.target instanceof Element ? event.target.closest('details') : null;
    if (around) around.open = true;
  }, true);
  $('fault-form').addEventListener('input', showRule);
  $('fault-form').addEventListener('change', showRule);
  $('fault-json').after(copyButton('Copy', () => $('fault-json').textContent ?? ''));
  onSubmit('fault-form', () => set(wantedRule()), $('fault-notice'));
}
