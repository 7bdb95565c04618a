// @ts-check
// A form's fields from a JSON Schema (draft 7, as the server writes it), and the value that they make.
import { el, prose } from './base.js';

/**
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {any[]} [enum]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [allOf]
 * @property {Schema[]} [oneOf]
 * @property {Record<string, Schema>} [properties]
 * @property {Schema | boolean} [additionalProperties]
 * @property {string[]} [required]
 * @property {string} [description]
 * @property {string} [pattern]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [exclusiveMaximum]
 * @property {any} [default]
 *
 * @typedef {Record<string, Schema>} Definitions
 *
 * A field or a group of fields; `value` is undefined if it is left empty.
 * @typedef {{ element: HTMLElement, value: () => any }} Field
 */

let fieldNumber = 0;

/**
 * The fields of a mapping.
 *
 * @param {Schema} schema
 * @param {Definitions} definitions
 * @param {Record<string, any>} example the values to begin with
 * @returns {Field}
 */
export function objectFields(schema, definitions, example) {
  const required = new Set(schema.required ?? []);
  const groups = schema.allOf?.map(({ oneOf }) => oneOf?.map((each) => each.required ?? []) ?? []).find((each) => each.length > 1) ?? [];
  const grouped = new Set(groups.flat());
  /** @type {(name: string) => [string, Field]} */
  const make = (name) => [name, fieldOf(name, (schema.properties ?? {})[name], definitions, example[name], required.has(name) || grouped.has(name))];
  const plain = Object.keys(schema.properties ?? {}).filter((name) => !grouped.has(name)).map(make);
  const chosen = groups.length ? alternatives(groups.map((names) => names.map(make)), groups.findIndex((names) => names.some((name) => name in example))) : null;
  return {
    element: el('div', { class: 'fields' }, ...plain.map(([, { element }]) => element), chosen?.element),
    value: () => {
      const pairs = [...plain, ...(chosen?.pairs() ?? [])].map(([name, field]) => [name, field.value()]);
      return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
    },
  };
}

/**
 * Groups of fields of which one is chosen.
 *
 * @param {[string, Field][][]} groups
 * @param {number} first the one that is chosen at first; below 0 for none in particular
 */
function alternatives(groups, first) {
  const id = `field-${++fieldNumber}`;
  const choice = el('select', { id }, ...groups.map((fields, place) => el('option', { value: place }, fields.map(([name]) => nameText(name)).join(', '))));
  choice.selectedIndex = Math.max(first, 0);
  const boxes = groups.map((fields) => el('fieldset', { class: 'plain' }, ...fields.map(([, { element }]) => element)));
  const show = () => boxes.forEach((box, place) => {
    box.hidden = place !== choice.selectedIndex;
    // The fields of a disabled set need not be valid.
    box.disabled = box.hidden;
  });
  choice.addEventListener('change', show);
  show();
  return {
    element: el('div', {}, el('label', { for: id }, 'One of'), choice, ...boxes),
    pairs: () => groups[choice.selectedIndex],
  };
}

/**
 * One field, by the form of its value.
 *
 * @param {string} name
 * @param {Schema} schema
 * @param {Definitions} definitions
 * @param {any} example
 * @param {boolean} isRequired
 * @returns {Field}
 */
function fieldOf(name, schema, definitions, example, isRequired) {
  const forms = alternativesOf(schema, definitions);
  const help = schema.description ?? '';
  const object = forms.find(({ properties }) => properties);
  if (forms.length === 1 && object) return nested(name, help, objectFields(object, definitions, example ?? {}), isRequired);
  const words = forms.flatMap((form) => form.enum ?? []).filter((word) => typeof word === 'string');
  const isTruth = forms.some((form) => form.type === 'boolean' || form.enum?.includes(true));
  const numeric = forms.filter((form) => form.type === 'integer' || form.type === 'number');
  if (isTruth && !numeric.length) return checkbox(name, help, example ?? schema.default ?? isRequired, isRequired);
  if (forms.every((form) => form.enum)) return choice(name, help, [...new Set(words)], example ?? schema.default, isRequired);
  if (forms.some((form) => form.additionalProperties && !form.properties)) return area(name, help, linesText(example), linesValue, 'Name: value');
  if (forms.some((form) => !form.type && !form.enum && !form.properties)) return area(name, help, anyText(example), anyValue, 'text, or JSON');
  const isNumber = numeric.length > 0 && !isTruth && forms.every((form) => numeric.includes(form) || form.properties);
  return isNumber ? number(name, help, numeric, example ?? '', isRequired, schema.default) : line(name, help, forms, words, example, isRequired, schema.default);
}

/**
 * The forms that a value can have, without references and null.
 *
 * @param {Schema} schema
 * @param {Definitions} definitions
 * @returns {Schema[]}
 */
function alternativesOf(schema, definitions) {
  const resolved = schema.$ref ? definitions[schema.$ref.replace('#/definitions/', '')] ?? {} : schema;
  const all = resolved.anyOf ? resolved.anyOf.flatMap((each) => alternativesOf(each, definitions)) : [resolved];
  return all.filter(({ type }) => type !== 'null');
}

/** @param {string} name */
const nameText = (name) => name.replaceAll('_', ' ');

/**
 * A label, a control and its help.
 *
 * @param {string} name
 * @param {string} help
 * @param {HTMLElement} control
 * @param {...HTMLElement} more
 */
function labelled(name, help, control, ...more) {
  control.id = `field-${++fieldNumber}`;
  control.dataset.field = name;
  const about = el('p', { class: 'quiet help', id: `${control.id}-help` }, ...prose(help));
  control.setAttribute('aria-describedby', about.id);
  return el('div', { class: 'field' }, el('label', { for: control.id }, nameText(name)), control, ...more, help ? about : null);
}

/** @type {(name: string, help: string, words: string[], value: any, isRequired: boolean) => Field} */
function choice(name, help, words, value, isRequired) {
  const control = el('select', {}, !isRequired && el('option', { value: '' }, '–'), ...words.map((word) => el('option', { value: word }, word)));
  control.value = value === undefined ? (isRequired ? words[0] : '') : String(value);
  return { element: labelled(name, help, control), value: () => control.value || undefined };
}

/** @type {(name: string, help: string, value: any, isRequired: boolean) => Field} */
function checkbox(name, help, value, isRequired) {
  const control = el('input', { type: 'checkbox' });
  control.checked = value === true;
  // The only value of an alternative that was chosen already.
  control.disabled = isRequired;
  return { element: labelled(name, help, control), value: () => (control.checked ? true : undefined) };
}

/** @type {(name: string, help: string, forms: Schema[], value: any, isRequired: boolean, standard: any) => Field} */
function number(name, help, forms, value, isRequired, standard) {
  const step = forms.some(({ type }) => type === 'number') ? 'any' : 1;
  /** @type {(limits: (number | undefined)[], best: (...limits: number[]) => number) => number | null} */
  const bound = (limits, best) => (limits.every((limit) => limit !== undefined) ? best(...limits.map(Number)) : null);
  const control = el('input', {
    type: 'number', step, required: isRequired && standard === undefined, placeholder: standard ?? '',
    min: bound(forms.map(({ minimum }) => minimum), Math.min), max: bound(forms.map(({ maximum, exclusiveMaximum }) => maximum ?? exclusiveMaximum), Math.max),
  });
  control.value = String(value);
  return { element: labelled(name, help, control), value: () => (control.value === '' ? undefined : Number(control.value)) };
}

/** @type {(name: string, help: string, forms: Schema[], words: string[], value: any, isRequired: boolean, standard: any) => Field} */
function line(name, help, forms, words, value, isRequired, standard) {
  const isMixed = forms.some(({ type, enum: all }) => type === 'integer' || type === 'number' || all?.includes(true));
  const known = el('datalist', { id: `words-${++fieldNumber}` }, ...words.map((word) => el('option', { value: word })));
  const isDuration = forms.some(({ pattern }) => pattern?.includes('(ms|s|m|h|d)'));
  const pattern = words.length || isMixed ? null : forms.find((form) => form.pattern)?.pattern;
  const control = el('input', {
    autocomplete: 'off', spellcheck: 'false', list: words.length ? known.id : null, pattern, required: isRequired && standard === undefined && !isMixed,
    placeholder: standard ?? (isDuration ? 'such as 250ms, 30s or 5m' : ''),
  });
  control.value = value === undefined ? '' : String(value);
  /** @type {(text: string) => any} */
  const read = (text) => (isMixed && (text === 'true' || /^\d+(\.\d+)?$/.test(text)) ? JSON.parse(text) : text);
  return { element: labelled(name, help, control, known), value: () => (control.value.trim() === '' ? (isMixed && isRequired ? true : undefined) : read(control.value.trim())) };
}

/** @type {(name: string, help: string, text: string, read: (text: string) => any, placeholder: string) => Field} */
function area(name, help, text, read, placeholder) {
  const control = el('textarea', { rows: 2, spellcheck: 'false', placeholder });
  control.value = text;
  return { element: labelled(name, help, control), value: () => (control.value.trim() === '' ? undefined : read(control.value)) };
}

/** @type {(name: string, help: string, inner: Field, isRequired: boolean) => Field} */
function nested(name, help, inner, isRequired) {
  return {
    element: el('fieldset', {}, el('legend', {}, nameText(name)), help && el('p', { class: 'quiet help' }, ...prose(help)), inner.element),
    value: () => {
      const value = inner.value();
      return isRequired || Object.keys(value).length ? value : undefined;
    },
  };
}

/** @param {Record<string, any> | undefined} value */
const linesText = (value) => Object.entries(value ?? {}).map(([name, text]) => `${name}: ${text ?? ''}`).join('\n');

/** @param {string} text */
const linesValue = (text) => Object.fromEntries(text.split('\n').filter((each) => each.trim()).map((each) => {
  const colon = each.indexOf(':');
  return colon < 0 ? [each.trim(), ''] : [each.slice(0, colon).trim(), each.slice(colon + 1).trim()];
}));

/** @param {any} value */
const anyText = (value) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

/** @param {string} text */
function anyValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
