// @ts-check
// The program: on the path, by COUNTERFOIL, or in an archive of `make dist` that is downloaded once (COUNTERFOIL_URL).
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { StartError } from './errors.js';

/** The version of this library, and of the program that it downloads. */
const VERSION = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
/** The largest archive, and the largest sum of its files, in bytes. */
const LARGEST_ARCHIVE = 100_000_000;
const LARGEST_TREE = 400_000_000;
/** The longest wait for the whole archive, in milliseconds. */
const WAIT = 600_000;
const MOST_REDIRECTS = 10;

/**
 * The program: this one, or that of COUNTERFOIL, or `counterfoil` on the path, or that of the archive at COUNTERFOIL_URL. Without
 * COUNTERFOIL_URL nothing is downloaded.
 *
 * @param {string} [program]
 * @returns {Promise<string>}
 */
export async function findProgram(program) {
  const { COUNTERFOIL, COUNTERFOIL_URL, COUNTERFOIL_SHA256 = '', COUNTERFOIL_CACHE, PATH = '' } = process.env;
  const named = program || COUNTERFOIL;
  const isOnPath = () => PATH.split(path.delimiter).some((folder) => folder && isProgram(path.join(folder, 'counterfoil')));
  if (named || !COUNTERFOIL_URL || isOnPath()) return named || 'counterfoil';
  return download(COUNTERFOIL_URL, COUNTERFOIL_SHA256, COUNTERFOIL_CACHE || path.join(os.homedir(), '.cache', 'counterfoil'));
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The program of the archive with that checksum, which is downloaded unless it is in the cache.
 *
 * @param {string} address
 * @param {string} sha256
 * @param {string} cache
 */
async function download(address, sha256, cache) {
  const name = `counterfoil-${VERSION}-${os.type().toLowerCase()}-${os.machine()}`;
  const url = address + (address.endsWith('/') ? `${name}.tar.gz` : '');
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw wrong(url, 'expected its checksum in COUNTERFOIL_SHA256, 64 hexadecimal digits, from SHA256SUMS');
  const place = path.join(cache, `${name}-${sha256}`);
  const program = path.join(place, 'bin', 'counterfoil');
  if (existsSync(program)) return program;
  let folder;
  try {
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(path.join(cache, 'new.'));
  } catch (error) {
    throw wrong(url, `found ${/** @type {Error} */ (error).message}, expected a folder for it; COUNTERFOIL_CACHE can name another`);
  }
  try {
    const archive = await fetched(url);
    const found = createHash('sha256').update(archive).digest('hex');
    if (found !== sha256) throw wrong(url, `found the checksum ${found}, expected ${sha256} (COUNTERFOIL_SHA256)`);
    await unpack(url, archive, name, folder);
    await rename(path.join(folder, name), place).catch((error) => {
      // Another process may have been faster: its copy is the same.
      if (!existsSync(program)) throw error;
    });
  } catch (error) {
    throw error instanceof StartError ? error : wrong(url, `found an archive that cannot be unpacked: ${/** @type {Error} */ (error).message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return program;
}

/**
 * @param {string} url
 * @param {string} why
 */
function wrong(url, why) {
  return new StartError(`cannot download the program from ${plain(url)}: ${why}`);
}

/** An address of http or https, up to its query: scheme, user, host with port, path. */
const ADDRESS = /^(https?:\/\/)(?:[^/@]*@)?((?:\[[^/@[\]]*\]|[^/@:[\]\\\s]+)(?::[0-9]*)?)(\/.*)?$/i;

/**
 * The address without a user's name, password and query, which may be secret. Of a mistyped one only what is behind the last `@`.
 *
 * @param {string} url
 */
function plain(url) {
  const base = url.replace(/[?#][^]*/, '');
  const parts = ADDRESS.exec(base);
  return parts ? parts[1] + parts[2] + (parts[3] ?? '') : `…${base.slice(base.lastIndexOf('@') + 1)}`;
}

/**
 * The address, if it is https, or http on this machine.
 *
 * @param {string} url
 */
function checked(url) {
  // With a user or mistyped the errors of `fetch` would show it.
  if (plain(url) !== url.replace(/[?#][^]*/, '')) throw wrong(url, 'expected an https address, or http on this machine, without a user');
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  if (protocol !== 'https:' && !(protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))) {
    throw wrong(url, 'expected an https address, or http on this machine');
  }
  return url;
}

/**
 * The bytes at that address. Redirects are followed to https, and within one host of this machine.
 *
 * @param {string} first
 */
async function fetched(first) {
  let url = checked(first);
  const signal = AbortSignal.timeout(WAIT);
  try {
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const answer = await fetch(url, { redirect: 'manual', signal });
      const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
      if (!location) {
        if (!answer.ok) throw wrong(first, `found the status ${answer.status}, expected the archive`);
        return await whole(first, answer);
      }
      await answer.body?.cancel();
      const here = new URL(url);
      const there = new URL(location, here);
      checked(there.href);
      if (here.protocol !== there.protocol || (here.protocol === 'http:' && here.host !== there.host)) {
        throw wrong(url, `found a redirect to ${plain(there.href)}, expected none to another host, or from https to http`);
      }
      url = there.href;
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { message, cause } = /** @type {Error} */ (error);
    throw wrong(first, `found ${cause instanceof Error ? cause.message : message}, expected the archive`);
  }
  throw wrong(first, `found more than ${MOST_REDIRECTS} redirects, expected the archive`);
}

/**
 * @param {string} url
 * @param {Response} answer
 */
async function whole(url, answer) {
  const pieces = [];
  let size = 0;
  for await (const piece of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (answer.body ?? []))) {
    size += piece.length;
    if (size > LARGEST_ARCHIVE) throw wrong(url, `found more than ${LARGEST_ARCHIVE} bytes, expected an archive of \`make dist\``);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Unpacks an archive (ustar, gzip) that has files and folders below `name` alone.
 *
 * @param {string} url
 * @param {Buffer} archive
 * @param {string} name
 * @param {string} folder
 */
async function unpack(url, archive, name, folder) {
  const tar = inflated(url, archive);
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const head = tar.subarray(at, at + 512);
    /** @param {number} from @param {number} to */
    const text = (from, to) => head.toString('utf8', from, to).replace(/\0[^]*/, '');
    const prefix = text(345, 500);
    const entry = ((prefix ? `${prefix}/` : '') + text(0, 100)).replace(/\/$/, '');
    const size = parseInt(text(124, 136), 8);
    const kind = text(156, 157);
    const parts = entry.split('/');
    if (parts[0] !== name || parts.some((part) => ['', '.', '..'].includes(part)) || !['', '0', '5'].includes(kind)) {
      throw wrong(url, `found ${JSON.stringify(entry)} in the archive, expected files and folders below ${name} alone`);
    }
    if (!(size >= 0 && at + 512 + size <= tar.length)) throw new Error(`${entry} is cut short`);
    const place = path.join(folder, ...parts);
    if (kind === '5') await mkdir(place, { recursive: true });
    else {
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, tar.subarray(at + 512, at + 512 + size), { flag: 'wx' });
      await chmod(place, parseInt(text(100, 108), 8) & 0o100 ? 0o755 : 0o644);
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  if (!existsSync(path.join(folder, name, 'bin', 'counterfoil'))) throw wrong(url, `found no ${name}/bin/counterfoil in the archive, expected it`);
}

/**
 * @param {string} url
 * @param {Buffer} archive
 */
function inflated(url, archive) {
  try {
    return gunzipSync(archive, { maxOutputLength: LARGEST_TREE });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw wrong(url, `found more than ${LARGEST_TREE} bytes in the archive, expected an archive of \`make dist\``);
  }
}
