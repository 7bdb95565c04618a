// How long the bank asks a client to wait, by the headers of a response.
// Seconds until a limit that is used up begins again, from `"default";r=0;t=60`; undefined if there is none.
function limitEnds(headers) {
  const usedUp = (headers.get("ratelimit") ?? "").split(",").filter((limit) => /;\s*r=0\s*(;|$)/.test(limit));
  const waits = usedUp.map((limit) => /;\s*t=(\d{1,9})\s*(;|$)/.exec(limit)?.[1]).filter((wait) => wait !== undefined);
  return waits.length ? Math.max(...waits.map(Number)) : undefined;
}

// Seconds, from a number or a date (by the bank's own clock), or from RateLimit; undefined if absent or unreadable.
export function retryAfter(headers) {
  const value = headers.get("retry-after") ?? "";
  if (value === "") return limitEnds(headers);
  if (/^\d+$/.test(value)) return Number(value);
  if (!/GMT$/.test(value)) return undefined;
  const seconds = (Date.parse(value) - (Date.parse(headers.get("date") ?? "") || Date.now())) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
