import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AdminError, StartError, UnreachableError, connect } from '../src/index.js';
import { program, request, served, stubs } from './bank.js';

const isGone = (pid) => assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });

/** A script that starts a server and goes on with these lines, and a connection to that server, which its end closes. */
async function scripted(lines) {
  const text = `import { serve } from ${JSON.stringify(new URL('../src/index.js', import.meta.url).href)};
    const server = await serve(['counterfoil'], ${JSON.stringify({ program, stubs })});
    ${lines}
    console.log(server.adminAddress);`;
  const script = spawn(process.execPath, ['--input-type=module', '--eval', text], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [address] = await once(script.stdout, 'data');
  const connection = net.connect(Number(new URL(String(address).trim()).port), '127.0.0.1');
  await once(connection, 'connect');
  return { script, connection };
}

describe('a server', { timeout: 600_000 }, () => {
  it('is started, serves and is stopped', async () => {
    const server = await served(['counterfoil', 'roundup']);
    assert.equal(server.seed, '7');
    assert.deepEqual((await server.version()).banks, ['counterfoil', 'roundup']);
    assert.equal(await request(`${server.bankAddresses.counterfoil}/v1/atms`), 200);
    assert.equal(server.exitStatus, null);

    await server[Symbol.asyncDispose]();

    assert.equal(server.exitStatus, 0);
    await server.stop();
    await assert.rejects(server.version(), UnreachableError);
  });

  it('ends while it holds a request', async () => {
    const server = await served(['counterfoil']);
    const bank = await server.session();
    await bank.faults.set('hang');
    const hanging = request(`${bank.baseURL}/v1/atms`);
    await bank.journal.waitForExchange({ path: '/v1/atms' });

    await server.stop();

    assert.equal(await hanging, null);
    isGone(server.pid);
  });

  it('reports why it does not start', async () => {
    await assert.rejects(served(['roundap']), (error) => error instanceof StartError && /roundap/.test(error.message));
    await assert.rejects(served([], { program: '/no/counterfoil' }), { name: 'StartError', message: /^cannot run \/no\/counterfoil: ENOENT/ });
  });

  it('leaves the admin token out of the error of a start', async () => {
    for (const words of [['--admin-token', 'open-sesame'], ['--admin-token=open-sesame']]) {
      await assert.rejects(served(['roundap'], { arguments: [...words, '--drain', '1s'], adminToken: 'open-sesame' }), (error) => {
        assert.match(error.message, /--admin-token[ =]\*\*\* --drain 1s: /);
        assert.doesNotMatch(error.message, /open-sesame/);
        return error instanceof StartError;
      });
    }
  });

  it('is ended if it is never ready', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const silent = join(folder, 'silent');
    writeFileSync(silent, '#!/bin/sh\necho $$ >"$0.pid"\nexec tail -f /dev/null\n');
    chmodSync(silent, 0o755);

    // On a busy machine the program may be ended before its first line.
    for (const timeout of [500, 10_000, 120_000]) {
      await assert.rejects(served([], { program: silent, timeout }), new RegExp(`found no ready line after ${timeout} ms`));
      if (existsSync(`${silent}.pid`) && readFileSync(`${silent}.pid`, 'utf8')) break;
    }

    isGone(Number(readFileSync(`${silent}.pid`, 'utf8')));
  });

  it('outlives no script that forgets it', async () => {
    const { script, connection } = await scripted('process.stdin.resume();');
    const closed = once(connection.resume(), 'close');

    script.stdin.end();

    // The script ends although its server runs; then the server ends, and with it the connection.
    assert.deepEqual(await once(script, 'exit'), [0, null]);
    await closed;
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    it(`outlives no script that ${signal} ends`, async () => {
      const { script, connection } = await scripted('process.stdin.resume();');
      const closed = once(connection.resume(), 'close');

      script.kill(signal);

      assert.deepEqual(await once(script, 'exit'), [null, signal]);
      await closed;
    });
  }

  it('does not end if another listener handles the signal', async () => {
    const { script, connection } = await scripted(`process.on('SIGTERM', () => setImmediate(async () => {
      console.log((await server.version()).banks.join());
      process.exit(3);
    }));
    process.stdin.resume();`);
    const closed = once(connection.resume(), 'close');
    const ended = once(script, 'exit');

    script.kill('SIGTERM');

    assert.equal(String((await once(script.stdout, 'data'))[0]).trim(), 'counterfoil');
    assert.deepEqual(await ended, [3, null]);
    await closed;
  });

  it('leaves no listener behind', async () => {
    const count = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
    const before = count();
    const servers = [await served(['counterfoil']), await served(['counterfoil'])];
    for (const server of servers) await server.stop();
    assert.deepEqual(count(), before);
  });

  it('is found by the environment, and demands its token', async (t) => {
    const server = await served(['counterfoil'], { adminToken: 'open-sesame' });
    t.after(() => server.stop());
    process.env.COUNTERFOIL_ADMIN = server.adminAddress;
    process.env.COUNTERFOIL_ADMIN_TOKEN = 'open-sesame';
    t.after(() => {
      delete process.env.COUNTERFOIL_ADMIN;
      delete process.env.COUNTERFOIL_ADMIN_TOKEN;
    });
    const other = await connect();
    assert.equal((await other.session('counterfoil')).bank, 'counterfoil');
    await assert.rejects(connect(undefined, { token: 'wrong' }), (error) => error instanceof AdminError && error.status === 401);
    await other.shutdown();
  });

  it('is named if it does not run', async () => {
    await assert.rejects(connect('http://127.0.0.1:1'), /^UnreachableError: GET \/__admin\/health: no response from http:\/\/127.0.0.1:1/);
  });

  it('is distinguished from another', async (t) => {
    const server = await served(['roundup']);
    t.after(() => server.stop());
    await assert.rejects(connect(server.bankAddress), { status: 404, title: 'Not Found', detail: /^found no problem details, but: / });
  });

  it('is not waited for without end', async (t) => {
    const silent = net.createServer().listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    await assert.rejects(connect(`http://127.0.0.1:${silent.address().port}`, { timeout: 200 }), /timed out after 200 ms/);
  });

  it('lists what it has', async (t) => {
    const server = await served(['counterfoil', 'roundup']);
    t.after(() => server.stop());
    assert.deepEqual((await server.banks()).map((bank) => bank.name), ['counterfoil', 'roundup']);
    assert.ok((await server.faultKinds()).some((kind) => kind.kind === 'lose-reply'));
    assert.ok((await server.outages()).some((outage) => outage.name === 'maintenance'));
    assert.deepEqual((await server.sessions()).map((session) => session.id), ['counterfoil', 'roundup']);
    assert.match(await server.metrics(), /counterfoil_exchanges_total/);
    assert.equal((await server.session()).id, 'counterfoil');
  });
});
