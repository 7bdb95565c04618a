// What the fixtures of counterfoil-client/playwright and counterfoil-client/vitest do, in runs of Node's test runner of their own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { serve, sessionName } from 'counterfoil-client';

const APP = `
/** The app under test: one request; resolves to its status. */
const ask = (bank, token, path = '/v1/accounts') =>
  fetch(bank.baseURL + path, { headers: token ? { Authorization: 'Bearer ' + token } : {} }).then((response) => response.arrayBuffer().then(() => response.status), () => null);
const issued = async (bank) => (await bank.tokens.issue()).token;
async function hold(bank) {
  await bank.faults.set({ delay: { at_point: 'head', until: 'released' } }, { on: { role: 'atms' } });
  ask(bank, undefined, '/v1/atms');
  await bank.journal.waitForExchange({ role: 'atms' });
  await ask(bank, await issued(bank));
}
`;
let runs = 0;

/** The name of the next file of tests. */
const nextFile = () => `spec${++runs}.mjs`;

/** Runs a file of tests; its exit code and what it printed. */
function run(runner, tests, env = {}, file = nextFile()) {
  writeFileSync(file, `import assert from 'node:assert/strict';\nimport { test } from 'counterfoil-client/${runner}';\n${APP}${tests}`);
  const all = { ...process.env, ...env };
  for (const [name, value] of Object.entries(all)) if (value === undefined || name.startsWith('NODE_TEST')) delete all[name];
  const child = spawn(process.execPath, ['--test-reporter=spec', file], { env: all });
  let output = '';
  for (const from of [child.stdout, child.stderr]) from.setEncoding('utf8').on('data', (piece) => (output += piece));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output, file })));
}

function passes({ code, output }) {
  assert.equal(code, 0, output);
}

/** It failed, with these words in this order. */
function fails({ code, output }, ...words) {
  assert.equal(code, 1, output);
  includes({ output }, ...words);
}

function includes({ output }, ...words) {
  const plain = output.replace(/\s+/g, ' ');
  let from = 0;
  for (const word of words) {
    const at = plain.indexOf(word, from);
    assert.notEqual(at, -1, `found no «${word}» in:\n${output}`);
    from = at + word.length;
  }
}

for (const runner of ['playwright', 'vitest']) {
  /** A test's name in messages and labels. */
  const named = ({ file }, title) => (runner === 'playwright' ? `chromium / ${file} / ${title}` : `${file} / payments / ${title}`);
  /** The words that choose suites. */
  const judged = (rules) => (runner === 'playwright' ? `test.use({ judged: ${rules} });` : `const judgedTest = test.extend({ judged: ${rules} });`);
  const judgedTest = runner === 'playwright' ? 'test' : 'judgedTest';

  describe(`the fixture bank with ${runner}`, { concurrency: 2 }, () => {
    it('gives each test a session that is named and labelled after it, and removes it', async (t) => {
      const server = await serve(['counterfoil', 'roundup']);
      t.after(() => server.stop());
      const options = runner === 'playwright' ? `test.use({ bankOptions: { bank: 'roundup', seed: 9 } }); const other = test;` : `const other = test.extend({ bankOptions: { bank: 'roundup', seed: 9 } });`;
      const one = await run(runner, `
        const ids = [];
        test('pays once', async ({ bank, counterfoilServer }) => {
          const info = await bank.info();
          console.log('label', info.labels.test, '.');
          assert.match(bank.id, /pays-once-[0-9a-f]{8}$/);
          assert.equal((await counterfoilServer.sessions()).length, 3);
          ids.push(bank.id);
        });
        test('pays twice', async ({ bank }) => assert.notEqual(bank.id, ids[0]));`, { COUNTERFOIL_ADMIN: server.adminAddress });
      passes(one);
      includes(one, `label ${named(one, 'pays once')} .`);
      passes(await run(runner, `${options} other('rounds up', async ({ bank }) => assert.deepEqual([bank.bank, bank.seed], ['roundup', '9']));`, { COUNTERFOIL_ADMIN: server.adminAddress }));
      assert.deepEqual((await server.sessions()).map((session) => session.id), ['counterfoil', 'roundup']);
    });

    it('starts a server for the worker and ends it', async () => {
      const one = await run(runner, `test('asks', async ({ bank, counterfoilServer }) => {
        console.log('pid', counterfoilServer.pid, '.');
        assert.equal(await ask(bank, await issued(bank)), 200);
      });`);
      passes(one);
      const pid = Number(/pid (\d+) \./.exec(one.output)[1]);
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    });

    it('gives the server of a worker its banks and options', async () => {
      const value = `{ banks: ['counterfoil'], arguments: ['--cors', 'http://localhost:3000'] }`;
      const chosen = runner === 'playwright' ? `test.use({ serveOptions: ${value} }); const page = test;` : `const page = test.extend({ serveOptions: ${value} });`;
      passes(await run(runner, `${chosen} page('may call', async ({ bank, counterfoilServer }) => {
        assert.deepEqual((await counterfoilServer.sessions()).map(({ id }) => id).filter((id) => id !== bank.id), ['counterfoil']);
        const headers = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'GET' };
        const response = await fetch(bank.baseURL + '/v1/accounts', { method: 'OPTIONS', headers });
        assert.equal(response.headers.get('access-control-allow-origin'), 'http://localhost:3000');
      });`));
    });

    const revoked = (times) => `${judged("{ suites: ['auth'], sequential: true }")}
      ${judgedTest}('forgets a token', async ({ bank }) => {
        const token = await issued(bank);
        await ask(bank, token);
        await bank.tokens.revoke();
        for (let time = 0; time < ${times}; time++) assert.equal(await ask(bank, token), 401);
      });`;

    it('fails a judged test with the verdict', async () => {
      passes(await run(runner, revoked(1)));
      const broken = await run(runner, revoked(2));
      fails(broken, `${named(broken, 'forgets a token')}: auth.token-cleared-on-rejection Exchange 3 (GET /v1/accounts) sent token#1 again`, 'why: ');
      const none = await run(runner, `${judged("['pay']")} ${judgedTest}('asks nothing', async ({ bank }) => {});`);
      fails(none, `${named(none, 'asks nothing')}: found no rule of pay exercised in 0 requests`);
    });

    it('shows the requests of a test that fails, and does not judge it', async () => {
      const one = await run(runner, `${judged("['pay']")} ${judgedTest}('fails', async ({ bank }) => assert.equal(await ask(bank), 200));`);
      fails(one, '#1 GET /v1/accounts → 401');
      fails(one, 'Expected values to be strictly equal');
      assert.doesNotMatch(one.output, /found no rule of/);
    });

    it('does not judge a test that was skipped while it ran', async () => {
      const skip = runner === 'playwright' ? `(info.status = 'skipped')` : `(task.result.state = 'skip')`;
      const first = runner === 'playwright' ? '{ bank }, info' : '{ bank, task }';
      const one = await run(runner, `${judged("['pay']")} ${judgedTest}('skips', async (${first}) => ${skip});`);
      passes(one);
      assert.doesNotMatch(one.output, /found no rule of|the bank received no request/);
    });

    if (runner === 'playwright') {
      it('adds no error to a test that was interrupted, with its server', async () => {
        passes(await run(runner, `test('waits', async ({ bank, counterfoilServer }, info) => {
          await counterfoilServer.shutdown();
          assert.equal(await counterfoilServer.wait(), 0);
          info.status = 'interrupted';
        });`));
      });
    } else {
      it('judges a test that passes at its second attempt', async () => {
        const one = await run(runner, `${judged("['pay']")} ${judgedTest}('retries', async ({ bank, task }) => {
          task.result.errors.push(new Error('of the first attempt'));
        });`);
        fails(one, `${named(one, 'retries')}: found no rule of pay`);
      });
    }

    it('names the operation that is nearest to a request of a test that fails', async () => {
      const one = await run(runner, `test('fails', async ({ bank }) => assert.equal(await ask(bank, undefined, '/v1/acounts'), 200));`);
      fails(one, '#1 GET /v1/acounts → 404 #1 matched no operation of the bank; the nearest is GET /v1/accounts: path: found `acounts`, expected `accounts`');
    });

    it('names an unknown suite before the test runs, and an unknown bank', async () => {
      const one = await run(runner, `${judged("['auht']")} ${judgedTest}('typo', async ({ bank }) => console.log('it ran'));`);
      fails(one, `${named(one, 'typo')}: \`judged\`: found the suite \`auht\`, expected auth, pay,`, 'did you mean `auth`?');
      assert.doesNotMatch(one.output, /it ran/);
      for (const [value, found] of [[`'auth'`, '"auth", expected an array of suites'], [`{ suite: ['auth'] }`, 'suite, expected suites,'], ['{ sequential: true }', 'no suites, expected an array of suites']]) {
        const wrong = await run(runner, `${judged(value)} ${judgedTest}('typo', async ({ bank }) => console.log('it ran'));`);
        fails(wrong, `${named(wrong, 'typo')}: \`judged\`: found ${found}`);
        assert.doesNotMatch(wrong.output, /it ran/);
      }
      const options = runner === 'playwright' ? `test.use({ bankOptions: { bank: 'roundap' } });` : '';
      const extended = runner === 'playwright' ? 'test' : `test.extend({ bankOptions: { bank: 'roundap' } })`;
      const other = await run(runner, `${options} ${extended}('other', async ({ bank }) => {});`);
      fails(other, `${named(other, 'other')}: `, 'found the bank "roundap", expected berlin, bins,', 'The bank is that of `bankOptions`.');
    });

    it('reports requests that are in flight when a test ends', async () => {
      const failed = await run(runner, `${judged("{ suites: ['auth'], timeout: 200 }")} ${judgedTest}('held', async ({ bank }) => hold(bank));`);
      fails(failed, `${named(failed, 'held')} ended while one request was in progress: #1 GET /v1/atms → 200, in progress`, 'Wait for the app', 'bank.faults.release()');
      const warned = await run(runner, `test('held', async ({ bank }) => hold(bank));`);
      passes(warned);
      includes(warned, `BankWarning: ${named(warned, 'held')} ended while one request was in progress: #1 GET /v1/atms`);
      const waited = await run(runner, `${judged("['auth']")} ${judgedTest}('held', async ({ bank }) => {
        await hold(bank);
        setTimeout(() => bank.faults.release(), 300);
      });`);
      passes(waited);
      assert.doesNotMatch(waited.output, /BankWarning/);
      passes(await run(runner, `test('removes its session', async ({ bank }) => bank.remove());`));
    });

    it('keeps runs on one server apart', async (t) => {
      const server = await serve(['counterfoil', 'roundup']);
      t.after(() => server.stop());
      const env = { COUNTERFOIL_ADMIN: server.adminAddress };
      const tests = [1, 2, 3].map((times) => `${judged("['auth']")} ${judgedTest}('parallel', async ({ bank }) => {
        const token = await issued(bank);
        await bank.faults.set({ status: { status: 503 } }, { on: { role: 'accounts' }, times: ${times} });
        for (let time = 0; time < ${times}; time++) assert.equal(await ask(bank, token), 503);
        assert.equal(await ask(bank, token), 200);
        assert.equal((await bank.journal.exchanges()).length, ${times} + 1);
      });`);
      for (const one of await Promise.all(tests.map((text) => run(runner, text, env)))) passes(one);
      assert.equal((await server.sessions()).length, 2);

      // The same test of another run, or of one that was killed: it prints a warning, and works.
      const file = nextFile();
      const title = named({ file }, 'taken');
      const other = await server.newSession('roundup', { name: sessionName(title) });
      const taken = await run(runner, `test('taken', async ({ bank }) => assert.equal(bank.bank, 'counterfoil'));`, env, file);
      passes(taken);
      includes(taken, `BankWarning: ${title}: the server at ${server.adminAddress} already has the session ${other.id}:`, `counterfoil session rm ${other.id}`);
      assert.equal((await other.info()).bank, 'roundup');
    });

    it('names a server that dies, with the test', async (t) => {
      const one = await run(runner, `
        test('dies', async ({ bank, counterfoilServer }) => {
          process.kill(counterfoilServer.pid, 'SIGKILL');
          assert.equal(await counterfoilServer.wait(), 'SIGKILL');
        });
        test('later', async ({ bank }) => {});`);
      fails(one, `${named(one, 'dies')}: the server of this run ended during this test, with SIGKILL; every later test with a bank fails.`);
      fails(one, `${named(one, 'later')}: the server of this run ended during ${named(one, 'dies')}, with SIGKILL`);
      const server = await serve(['counterfoil']);
      t.after(() => server.stop());
      const far = await run(runner, `test('dies', async ({ bank, counterfoilServer }) => counterfoilServer.shutdown());`, { COUNTERFOIL_ADMIN: server.adminAddress });
      fails(far, `${named(far, 'dies')}: `, `no response from ${server.adminAddress}`, 'Check that the server at COUNTERFOIL_ADMIN is running');
    });

    it('reports in each test what to do without a server', async () => {
      const two = `test('one', async ({ bank }) => {}); test('two', async ({ bank }) => {});`;
      const ways = [
        [{ COUNTERFOIL: '/no/counterfoil' }, 'cannot run /no/counterfoil: ENOENT', 'Put the program `counterfoil` on the path, or its path in COUNTERFOIL'],
        [{ COUNTERFOIL: undefined, PATH: '/no' }, 'cannot run counterfoil: ENOENT', 'Put the program `counterfoil` on the path, or its path in COUNTERFOIL'],
        [{ COUNTERFOIL_ADMIN: 'http://127.0.0.1:1' }, 'no response from http://127.0.0.1:1', 'Start a server at the address in COUNTERFOIL_ADMIN, or unset it'],
        [{ COUNTERFOIL_STUBS: 'no-such-folder' }, 'it ended with status 2', "Correct what the program's output lists.", 'COUNTERFOIL_STUBS'],
      ];
      for (const [env, ...words] of ways) {
        const one = await run(runner, two, env);
        for (const title of ['one', 'two']) fails(one, `${named(one, title)}: no Counterfoil server: `, ...words);
      }
    });

    it('shows no token', async (t) => {
      const server = await serve(['counterfoil'], { adminToken: 'open-sesame' });
      t.after(() => server.stop());
      const env = { COUNTERFOIL_ADMIN: server.adminAddress };
      const one = await run(runner, `test('asks', async ({ bank }) => {});`, { ...env, COUNTERFOIL_ADMIN_TOKEN: 'wrong-sesame' });
      fails(one, `${named(one, 'asks')}: no Counterfoil server: `, '401', "COUNTERFOIL_ADMIN_TOKEN must contain the server's admin token.");
      const two = await run(runner, `test('asks', async ({ bank }) => assert.fail('no'));`, { ...env, COUNTERFOIL_ADMIN_TOKEN: 'open-sesame' });
      fails(two, 'no');
      assert.doesNotMatch(one.output + two.output, /sesame/);
    });
  });
}
