// @ts-check
// Elements, lists and texts. Data from the server is inserted as text, never as HTML.

/**
 * The element with that id.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function $(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`found no element #${id} in the page`);
  return element;
}

/**
 * The element with that id, of that class.
 *
 * @template {HTMLElement} E
 * @param {string} id
 * @param {{ new (): E }} type
 * @returns {E}
 */
export function part(id, type) {
  const element = $(id);
  if (!(element instanceof type)) throw new Error(`found another element as #${id}, expected ${type.name}`);
  return element;
}

/** @param {string} id */
export const input = (id) => part(id, HTMLInputElement);
/** @param {string} id */
export const select = (id) => part(id, HTMLSelectElement);
/** @param {string} id */
export const pressable = (id) => part(id, HTMLButtonElement);
/** @param {string} id */
export const dialog = (id) => part(id, HTMLDialogElement);
/** @param {string} id */
export const details = (id) => part(id, HTMLDetailsElement);

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element. Properties are attributes, `on` its listeners; children are elements or texts.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child != null && child !== false && child !== '') element.append(child);
  return element;
}

/**
 * Changes a text only if it differs: an unchanged text is not drawn or read out again.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The JSON of the item for which a child was made.
 *
 * @type {WeakMap<Element, string>}
 */
const prints = new WeakMap();

/**
 * Replaces a parent's children by those of the items. The child of an unchanged item stays, and keeps focus and selection; the
 * child of a changed item takes over the focus of its predecessor.
 *
 * @template I
 * @param {Element} parent
 * @param {I[]} items
 * @param {(item: I) => string | number} key
 * @param {(item: I) => HTMLElement} make
 */
export function list(parent, items, key, make) {
  const wanted = new Set(items.map((item) => String(key(item))));
  /** @type {Map<string, HTMLElement>} */
  const known = new Map();
  for (const child of [...parent.children]) {
    if (!(child instanceof HTMLElement) || !wanted.has(child.dataset.key ?? '')) child.remove();
    else known.set(child.dataset.key ?? '', child);
  }
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    const print = JSON.stringify(item);
    let child = known.get(name);
    if (child && prints.get(child) !== print) {
      const next = make(item);
      if (place === child) place = next;
      replace(child, next);
      child = next;
    }
    child ??= make(item);
    child.dataset.key = name;
    prints.set(child, print);
    if (place === child) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
}

/**
 * Replaces an element; the same button or link of the new one gets the focus.
 *
 * @param {HTMLElement} old
 * @param {HTMLElement} next
 */
function replace(old, next) {
  /** @type {(element: HTMLElement) => HTMLElement[]} */
  const reached = (element) => [...element.querySelectorAll('button, a')].flatMap((each) => (each instanceof HTMLElement ? [each] : []));
  const focused = reached(old).findIndex((each) => each === document.activeElement);
  old.replaceWith(next);
  if (focused >= 0) reached(next)[focused]?.focus();
}

/**
 * Replaces a select's options; keeps the selected value if it is still there.
 *
 * @param {HTMLSelectElement} element
 * @param {[label: string | null, options: [value: string, text: string][]][]} groups
 */
export function choices(element, groups) {
  const print = JSON.stringify(groups);
  if (prints.get(element) === print) return;
  prints.set(element, print);
  const chosen = element.value;
  /** @type {(option: [string, string]) => HTMLOptionElement} */
  const option = ([value, text]) => el('option', { value }, text);
  element.replaceChildren(
    ...groups.flatMap(([label, options]) => (label ? [el('optgroup', { label }, ...options.map(option))] : options.map(option))));
  if ([...element.options].some((each) => each.value === chosen)) element.value = chosen;
}

/**
 * A button with an action.
 *
 * @param {string} text
 * @param {(event: Event) => void} action
 * @param {Record<string, any>} [properties]
 */
export function actionButton(text, action, properties = {}) {
  return el('button', { type: 'button', ...properties, on: { click: action } }, text);
}

/**
 * Copies a text, and shows the result on the button.
 *
 * @param {string} text
 * @param {HTMLElement} button
 */
export async function copy(text, button) {
  const before = button.dataset.name ?? button.textContent ?? '';
  button.dataset.name = before;
  try {
    await navigator.clipboard.writeText(text);
    setText(button, 'Copied');
  } catch {
    setText(button, 'Cannot copy');
  }
  setTimeout(() => setText(button, before), 1500);
}

/**
 * A button that copies a text.
 *
 * @param {string} name
 * @param {() => string} text
 * @param {Record<string, any>} [properties]
 */
export function copyButton(name, text, properties = {}) {
  const button = actionButton(name, () => copy(text(), button), properties);
  return button;
}

/**
 * A line for a shell, with a button that copies it.
 *
 * @param {string} text
 */
export function shellLine(text) {
  return el('div', { class: 'shell' }, el('pre', { tabindex: 0 }, el('code', {}, text)), copyButton('Copy', () => text));
}

/**
 * A sentence whose `words in backquotes` are code.
 *
 * @param {string} text
 * @returns {Child[]}
 */
export const prose = (text) => text.split('`').map((piece, place) => (place % 2 ? el('code', {}, piece) : piece));

/**
 * A list of names and values; omits those without a value.
 *
 * @param {[name: string, value: any][]} pairs
 */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value != null && value !== '');
  return el('dl', {}, ...shown.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value instanceof Node ? value : String(value))]));
}
