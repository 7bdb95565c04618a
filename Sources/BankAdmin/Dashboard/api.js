// The admin API: the only thing this page speaks to.

const TOKEN = 'counterfoil.admin-token';

/** The server said no; the message is its `detail`. */
class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The server does not answer. */
class Gone extends Error {}

/**
 * One call. `line` is method and path with {names} in it, as the API's table has them.
 *
 * Throws Refused, or Gone; whoever aborts it gets the abort.
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
      // Something else answers in its place.
      throw new Gone();
    }
    if (!response.ok) throw new Refused(response.status, answer?.detail ?? `status ${response.status}`);
    return answer;
  }
}

let asking = null;

/** Returns once there is another token than the one that was refused. Several calls ask once. */
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

/** Says whether the server answers. */
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
    say($('gone'), `The server does not answer since ${this.downSince.toLocaleTimeString()}. What is shown is how it was; this page comes back by itself when the server does.`);
    say($('link'), '○ no answer');
    $('link').className = 'fail';
  },
  rest() {
    if (this.downSince) return;
    say($('link'), '◌ resting');
    $('link').className = 'quiet';
  },
};

/**
 * Does what a person asked for, then shows how things are now. What the server refuses is said beside it.
 *
 * @param said where to say it
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

/** Makes a form do something instead of being sent. */
function onSubmit(id, action) {
  const form = $(id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(form.querySelector('.said'), action);
  });
}
