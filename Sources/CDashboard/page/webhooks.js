// @ts-check
// A session's webhooks, and how their deliveries ended.
import { attempt, call, onSubmit, noticeOf } from './api.js';
import { $, actionButton, el, input, list, setText, shellLine } from './base.js';
import { view } from './view.js';

/** @typedef {{ id: string, url: string, events: string[], faults: string[], waiting: number, delivered: number, failed: number }} Webhook */

/**
 * @param {string} line
 * @param {string} id
 */
const changeWebhook = (line, id) => attempt(noticeOf('webhook-form'), () => call(line, { s: view.session, w: id }, line.startsWith('POST') ? { body: {} } : {}));

/** @param {Webhook[]} webhooks */
export function showWebhooks(webhooks) {
  const failed = webhooks.reduce((sum, each) => sum + each.failed, 0);
  setText($('webhook-badge'), failed ? `${failed} failed` : '');
  list($('webhook-list'), webhooks, (each) => each.id, (each) => el('li', {},
    el('p', {}, el('strong', {}, each.id), ` ${each.url}`),
    el('p', { class: 'quiet' }, `${each.delivered} delivered, ${each.waiting} waiting, ${each.failed} failed; ${each.events.join(' ')}`),
    each.faults.length > 0 && el('p', {}, `faults of the next deliveries: ${each.faults.join(', ')}`),
    el('p', { class: 'row' },
      each.failed > 0 && actionButton('Resend failed', () => changeWebhook('POST /sessions/{s}/webhooks/{w}/resend', each.id), { 'aria-label': `Resend the failed deliveries of ${each.id}` }),
      actionButton('Remove', () => changeWebhook('DELETE /sessions/{s}/webhooks/{w}', each.id), { 'aria-label': `Remove ${each.id}` }))));
}

export function setUpWebhooks() {
  onSubmit('webhook-form', async () => {
    const { session } = view;
    const made = await call('POST /sessions/{s}/webhooks', { s: session }, { body: { url: input('webhook-url').value.trim() } });
    if (session !== view.session) return;
    $('webhook-new').replaceChildren(el('p', {}, `${made.id}. Its secret, for a shell:`), shellLine(`secret=${made.secret}`));
    $('webhook-new').hidden = false;
  });
}
