// @ts-check
// The page's address names the session and the filter: `#/roundup?q=status%3A5xx&errors`.

/** @typedef {{ session: string, filter: string, errorsOnly: boolean }} Place */

/** @returns {Place} what the address names; empty texts if it does not */
export function place() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const asked = new URLSearchParams(query);
  let session = path;
  try {
    session = decodeURIComponent(path);
  } catch {
    // A per cent sign by hand: no session has that name.
  }
  return { session, filter: asked.get('q') ?? '', errorsOnly: asked.has('errors') };
}

/** @param {Place} wanted */
export function addressOf({ session, filter, errorsOnly }) {
  const query = [filter && `q=${encodeURIComponent(filter)}`, errorsOnly && 'errors'].filter(Boolean).join('&');
  return `#/${encodeURIComponent(session)}${query && `?${query}`}`;
}

/**
 * Keeps the filter in the address, without an entry in the history for each letter.
 *
 * @param {Place} now
 */
export function remember(now) {
  const wanted = addressOf(now);
  if (location.hash !== wanted) history.replaceState(null, '', wanted);
}
