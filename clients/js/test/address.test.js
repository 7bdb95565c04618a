// Addresses of the admin API: behind a proxy that ends TLS, below a path, redirected, and rejected.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AdminError, CounterfoilError, connect } from '../src/index.js';

/** Answers every call with a version, or with a redirect, and records the path and the token; with TLS if it has a certificate. */
async function proxied(t, { certificate, elsewhere, status = 200, content = '{"banks":["counterfoil"]}' } = {}) {
  const calls = [];
  const answer = (request, response) => {
    calls.push([request.url, request.headers.authorization ?? null]);
    response.writeHead(elsewhere ? 307 : status, { 'Content-Type': 'application/json', ...(elsewhere && { Location: elsewhere + request.url }) });
    response.end(content);
  };
  const pem = certificate && readFileSync(certificate);
  const server = certificate ? https.createServer({ key: pem, cert: pem }, answer) : http.createServer(answer);
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { address: `${certificate ? 'https' : 'http'}://127.0.0.1:${server.address().port}`, calls };
}

/** A file with a key and its certificate for 127.0.0.1, which no authority has signed; undefined without openssl. */
function certified(t) {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'proxy.pem');
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  const extensions = '-addext subjectAltName=IP:127.0.0.1 -addext keyUsage=digitalSignature,keyCertSign';
  const words = `req -x509 -days 2 -subj /CN=proxy ${key} ${extensions}`.split(' ');
  try {
    execFileSync('openssl', [...words, '-keyout', file, '-out', file], { stdio: 'ignore' });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    t.skip('found no openssl, which makes the certificate');
    return undefined;
  }
  return file;
}

/** What a script prints that connects to an address with the token: Node reads its authorities when it starts. */
async function connected(address, environment) {
  const script = `import { connect } from ${JSON.stringify(new URL('../src/index.js', import.meta.url).href)};
    try {
      const server = await connect(${JSON.stringify(address)}, { token: 'open-sesame' });
      console.log(server.adminAddress, (await server.version()).banks.join());
    } catch (error) {
      console.log(String(error));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => (printed += piece));
  await once(child, 'close');
  return printed.trim();
}

describe('an address', { timeout: 600_000 }, () => {
  it('may be behind TLS', async (t) => {
    const certificate = certified(t);
    if (!certificate) return;
    const { address, calls } = await proxied(t, { certificate });
    assert.equal(await connected(`${address}/nodes/n%32/`, { NODE_EXTRA_CA_CERTS: certificate }), `${address}/nodes/n%32 counterfoil`);
    assert.deepEqual(calls, ['health', 'version'].map((call) => [`/nodes/n%32/__admin/${call}`, 'Bearer open-sesame']));
  });

  it('gets no token unless its certificate is trusted', async (t) => {
    const certificate = certified(t);
    if (!certificate) return;
    const { address, calls } = await proxied(t, { certificate });
    const named = address.replace('127.0.0.1', 'localhost');
    for (const found of [
      await connected(address, {}),
      await connected(address, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      await connected(named, { NODE_EXTRA_CA_CERTS: certificate }),
    ]) {
      assert.match(found, /^UnreachableError: GET \/__admin\/health: no response from https:.*(self-signed|does not match)/);
    }
    assert.deepEqual(calls, []);
  });

  it('is not waited for without end', async (t) => {
    const silent = net.createServer().listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    await assert.rejects(connect(`https://127.0.0.1:${silent.address().port}`, { timeout: 200 }), /timed out after 200 ms/);
  });

  it('keeps its path', async (t) => {
    const { address, calls } = await proxied(t);
    const kept = { '': '', '/': '', '/nodes/n2': '/nodes/n2', '/a/%2e%2e/../b%2Fc//': '/a/%2e%2e/../b%2Fc' };
    for (const [path, prefix] of Object.entries(kept)) {
      assert.equal((await connect(address + path)).adminAddress, address + prefix);
      assert.deepEqual(calls.pop(), [`${prefix}/__admin/health`, null]);
    }
  });

  it('shows its token to no redirect', async (t) => {
    const other = await proxied(t);
    const { address, calls } = await proxied(t, { elsewhere: other.address });
    await assert.rejects(connect(address, { token: 'open-sesame' }), (error) => error instanceof AdminError && error.status === 307);
    assert.deepEqual([calls.length, other.calls], [1, []]);
  });

  it('may be of another server, whose responses are errors of this library', async (t) => {
    const reached = async (options) => connect((await proxied(t, options)).address);
    for (const errors of ['{"token":["is missing"]}', 'null', '"none"', '[1,null,{}]']) {
      const content = `{"title":"Forbidden","detail":"no","errors":${errors}}`;
      await assert.rejects(reached({ status: 403, content }), { name: 'AdminError', detail: 'no', details: [], place: null });
    }
    const detail = 'found no problem details, but: {"detail';
    await assert.rejects(reached({ status: 502, content: '{"detail' }), { name: 'AdminError', status: 502, detail });
    const message = 'GET /__admin/health: found no valid JSON, but: {"banks';
    await assert.rejects(reached({ content: '{"banks' }), { name: 'CounterfoilError', message });
  });

  it('is rejected if it is none', async () => {
    const end = 'expected one such as http://127.0.0.1:8081, without user, query and fragment';
    for (const address of [
      '127.0.0.1:8081', 'ftp://127.0.0.1', 'https://', 'http://127.0.0.1:x', 'http://127.0.0.1:65536',
      'http://127.0.0.1/?a=b', 'http://127.0.0.1/#a', 'http://127.0.0.1/a b', 'http://127.0.0.1/é', 'http://127.0.0.1/%zz',
    ]) {
      await assert.rejects(connect(address), { name: 'CounterfoilError', message: `found the address ${address}, ${end}` });
    }
  });

  it('is shown without its user', async () => {
    for (const [address, shown] of Object.entries({
      'https://ava:secret@bank.example/x': 'https://…@bank.example/x',
      'http://secret@bank.example': 'http://…@bank.example',
      'ava:secret@bank.example': '…@bank.example',
      'http://ava:sec/ret@secret@h:1': 'http://…@h:1',
    })) {
      await assert.rejects(connect(address), (error) => {
        assert.ok(error instanceof CounterfoilError && error.message.startsWith(`found the address ${shown}, expected`), error.message);
        return error.cause === undefined;
      });
    }
  });

  it('gets no token that cannot be sent, and none is shown', async () => {
    const message = 'found a line break or a character beyond ASCII in the admin token, expected one line of ASCII text';
    for (const token of ['open-sesame\n', 'open\rsesame', 'open-sésame']) {
      await assert.rejects(connect('http://127.0.0.1:1', { token }), { name: 'CounterfoilError', message });
    }
  });
});
