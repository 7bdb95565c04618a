// Elements, lists and texts. Data from the server is inserted as text, never as HTML.

const $ = (id) => document.getElementById(id);

/** An element. Properties are attributes, `on` its listeners; children are elements or texts. */
function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

/** Changes a text only if it differs: an unchanged text is not drawn or read out again. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Replaces a parent's children by those of the items. The child of an unchanged item stays, and keeps focus and selection; the
 * child of a changed item takes over the focus of its predecessor.
 */
function list(parent, items, key, make) {
  const wanted = new Set(items.map((item) => String(key(item))));
  for (const child of [...parent.children]) if (!wanted.has(child.dataset.key)) child.remove();
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    const print = JSON.stringify(item);
    let child = known.get(name);
    if (child && child.print !== print) {
      const next = make(item);
      const focused = [...child.querySelectorAll('button, a')].indexOf(document.activeElement);
      if (place === child) place = next;
      child.replaceWith(next);
      if (focused >= 0) next.querySelectorAll('button, a')[focused]?.focus();
      child = next;
    }
    child ??= make(item);
    [child.dataset.key, child.print] = [name, print];
    if (place === child) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
}

/** Replaces a select's options; keeps the selected value if it is still there. */
function choices(select, groups) {
  const print = JSON.stringify(groups);
  if (select.print === print) return;
  select.print = print;
  const chosen = select.value;
  const option = ([value, text]) => el('option', { value }, text);
  select.replaceChildren(
    ...groups.flatMap(([label, options]) => (label ? [el('optgroup', { label }, ...options.map(option))] : options.map(option))));
  if ([...select.options].some((each) => each.value === chosen)) select.value = chosen;
}

/** A button with an action. */
function actionButton(text, action, properties = {}) {
  return el('button', { type: 'button', ...properties, on: { click: action } }, text);
}

/** Copies a text, and shows the result on the button. */
async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Cannot copy';
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}

/** A line for a shell, with a button that copies it. */
function shellLine(text) {
  return el('div', { class: 'shell' }, el('pre', { tabindex: 0 }, el('code', {}, text)),
    actionButton('Copy', (event) => copy(text, event.currentTarget)));
}

/** A sentence whose `words in backquotes` are code. */
const prose = (text) => text.split('`').map((part, place) => (place % 2 ? el('code', {}, part) : part));

/** A list of names and values; omits those without a value. */
function facts(pairs) {
  const shown = pairs.filter(([, value]) => value != null && value !== '');
  return el('dl', {}, ...shown.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/** `1 fault`, `2 faults`. */
const counted = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Formats milliseconds as `00:04:31`, with days in front if there are any. */
function spanText(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (number) => String(number).padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  return (days ? `${days} d ` : '') + [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}

/** Formats microseconds for people. */
function tookText(microseconds) {
  if (microseconds == null) return '…';
  if (microseconds < 1000) return `${microseconds} µs`;
  return microseconds < 1e6 ? `${(microseconds / 1000).toFixed(1)} ms` : `${(microseconds / 1e6).toFixed(2)} s`;
}

/** Indents a JSON text; returns other texts unchanged. Numbers keep their digits: `12.00` does not become `12`. */
function laidOut(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => '\n' + '  '.repeat(depth);
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+|([{[])\s*([}\]])?|([}\]])|(,)|(:)/g, (all, string, open, empty, close, comma, colon) => {
    if (string) return string;
    if (open) return empty ? open + empty : (depth++, open + line());
    if (close) return (depth--, line() + close);
    if (comma) return comma + line();
    return colon ? ': ' : '';
  });
}

const pause = (milliseconds, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
});
