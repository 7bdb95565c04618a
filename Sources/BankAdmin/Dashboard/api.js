// The admin API: the only server of this page.

const TOKEN = 'counterfoil.admin-token';

/** The server refused a call; the message is its `detail`. */
class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The server sends no response. */
class Gone extends Error {}

/**
 * One call. `line` is method and path with {names}, as in the API's table.
 *
 * Throws Refused or Gone, or the AbortError of its signal.
 */
async function call(line, names = {}, { query = {}, body, signal } = {}) {
  const [method, template] = line.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name]));
  const asked = Object.entries(query).filter(([, value]) => value != null);
  const url = '/__admin' + path + (asked.length ? '?' + new URLSearchParams(asked) : '');
  for (;;) {
    const headers = {};
    const token = sessionStorage.getItem(TOKEN);
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    let response, text;
    try {
      response = await fetch(url, { method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body) });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Gone();
    }
    if (response.status === 401) {
      await askForToken(token, signal);
      continue;
    }
    let answer = null;
    try {
      if (text) answer = JSON.parse(text);
    } catch {
      // The response comes from another server.
      throw new Gone();
    }
    if (!response.ok) throw new Refused(response.status, answer?.detail ?? `status ${response.status}`);
    return answer;
  }
}

let asking = null;

/** Returns once the tab has another token than the refused one. Concurrent calls prompt once. */
async function askForToken(refused) {
  if (sessionStorage.getItem(TOKEN) !== refused) return;
  asking ??= new Promise((resolve) => {
    $('ask').hidden = false;
    $('frame').hidden = true;
    say($('ask-said'), refused ? 'That token was refused.' : '');
    $('admin-token').focus();
    $('ask').onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, $('admin-token').value);
      $('admin-token').value = '';
      $('ask').hidden = true;
      $('frame').hidden = false;
      asking = null;
      resolve();
    };
  });
  await asking;
}

/** Shows whether the server responds. */
const link = {
  downSince: null,
  up() {
    this.downSince = null;
    $('gone').hidden = true;
    say($('link'), '● live');
    $('link').className = 'pass';
  },
  down() {
    this.downSince ??= new Date();
    $('gone').hidden = false;
    say($('gone'), `No response since ${this.downSince.toLocaleTimeString()}. The page shows the last known state and reconnects automatically.`);
    say($('link'), '○ no response');
    $('link').className = 'fail';
  },
  rest() {
    if (this.downSince) return;
    say($('link'), '◌ idle');
    $('link').className = 'quiet';
  },
};

/**
 * Runs a user's action, then refreshes the page. Shows a refusal of the server in `said`.
 */
async function attempt(said, action) {
  try {
    await action();
    if (said) say(said, '');
    await refresh();
  } catch (error) {
    if (error instanceof Refused) { if (said) say(said, error.message); }
    else if (error instanceof Gone) link.down();
    else if (error.name !== 'AbortError') throw error;
  }
}

/** Runs an action when a form is submitted, instead of sending the form. */
function onSubmit(id, action) {
  const form = $(id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(form.querySelector('.said'), action);
  });
}
