// @ts-check
// The keyboard, and the page that explains it.
import { $, dialog, el, input, prose } from './base.js';
import { compareShown, showNeighbour } from './exchange.js';
import { NAMES } from './query.js';

const STORE = 'counterfoil.no-keys';

/**
 * The keys, for people.
 *
 * @type {[keys: string[], does: string][]}
 */
const KEYS = [
  [['/'], 'go to the filter'],
  [['j'], 'select the next row (an older request)'],
  [['k'], 'select the previous row (a newer request)'],
  [['Enter'], 'open the request and its response'],
  [['c'], 'compare the open request with the one chosen beside it'],
  [['Esc'], 'close the dialog; leave the filter'],
  [['?'], 'show this help'],
];

/**
 * Moves to the next row, or to the one before; scrolls no further than needed.
 *
 * @param {1 | -1} step
 */
function step(step) {
  const buttons = [...document.querySelectorAll('#row-body .c-seq button')];
  const now = buttons.findIndex((button) => button.closest('tr')?.contains(document.activeElement));
  const next = buttons[now < 0 ? 0 : now + step];
  if (!(next instanceof HTMLElement)) return;
  next.focus({ preventScroll: true });
  next.closest('tr')?.scrollIntoView({ block: 'nearest' });
}

/** @type {Record<string, () => void>} */
const ON_PAGE = {
  '/': () => { input('filter').focus(); input('filter').select(); },
  j: () => step(1),
  k: () => step(-1),
  '?': () => dialog('help').showModal(),
};

/** @type {Record<string, () => void>} */
const IN_EXCHANGE = {
  j: () => showNeighbour('older'),
  k: () => showNeighbour('newer'),
  c: compareShown,
  '?': () => dialog('help').showModal(),
};

/**
 * Whether a key is being typed into something.
 *
 * @param {EventTarget | null} target
 */
const isTyping = (target) => target instanceof HTMLElement
  && (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'));

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.target === $('filter') && event.key === 'Escape') $('filter').blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target) || localStorage.getItem(STORE)) return;
  const open = [...document.querySelectorAll('dialog[open]')].map(({ id }) => id);
  const actions = open.length === 0 ? ON_PAGE : open.join() === 'exchange' ? IN_EXCHANGE : {};
  if ($('frame').hidden || !Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

export function setUpKeys() {
  $('help-keys').append(...KEYS.flatMap(([keys, does]) => [el('dt', {}, ...keys.map((key) => el('kbd', {}, key))), el('dd', {}, does)]));
  $('help-filter').append(...NAMES.flatMap(([, example, meaning]) => [el('dt', {}, el('code', {}, example)), el('dd', {}, ...prose(meaning))]));
  $('help-open').addEventListener('click', () => dialog('help').showModal());
  $('help-close').addEventListener('click', () => dialog('help').close());
  dialog('help').addEventListener('click', (event) => { if (event.target === dialog('help')) dialog('help').close(); });
  const isOn = input('keys-on');
  isOn.checked = !localStorage.getItem(STORE);
  isOn.addEventListener('change', () => (isOn.checked ? localStorage.removeItem(STORE) : localStorage.setItem(STORE, 'off')));
  addEventListener('keydown', press);
  $('row-body').addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    step(event.key === 'ArrowDown' ? 1 : -1);
  });
}
