"""admin_calls: for each call of the admin API right bodies and queries, to be made odd."""
import urllib.parse

from oddities import DURATIONS, TEXTS, odd, places, text, with_odd

S = "/__admin/sessions/{session}"
INSTANT = "2026-01-12T09:15:00Z"
PLAN = {"about": "x", "clock": "session", "seed": 3, "entries": [
    {"at": "1s", "for": "1m", "rules": [{"fault": {"status": {"status": 503}}, "probability": {"from": 0, "to": 0.1, "over": "1m"}}]}]}
CLOCK = {"now": INSTANT, "mode": "running", "skew": "-5m"}
DELAYS = [{"fixed": "30ms"}, {"uniform": {"from": "10ms", "to": "50ms"}}, {"normal": {"mean": "10ms", "sigma": "20ms", "max": "1s"}},
          {"lognormal": {"median": "9ms", "sigma": 0.4, "max": "1s"}}, {"ramp": {"from": "0ms", "to": "2s", "over": "5m"}}, {"until": "released"}]
BODIES = {
    "POST /__admin/sessions": [{"bank": "counterfoil", "name": "odd", "seed": 3, "clock": CLOCK, "listen": True, "plan": "brownout"},
                               {"bank": "counterfoil", "clock": INSTANT, "listen": "tls"},
                               {"bank": "counterfoil", "labels": {"team": "ios", "run": "7"}, "ttl": "10m", "challenges": "otp"}],
    f"PUT {S}": [{"bank": "counterfoil", "name": "attacked", "listen": True}, {"bank": "counterfoil", "seed": 3, "clock": CLOCK, "labels": {"team": "ios"}, "ttl": "10m"}],
    f"PUT {S}/clock": [CLOCK, {"now": INSTANT}, {"skew": "1h"}],
    f"POST {S}/clock/advance": [{"by": "16m"}],
    f"POST {S}/connections/close": [{"idle": True}],
    f"POST {S}/tokens": [{"login": "ava", "scopes": ["accounts", "payments"], "lifetime": "5m"}],
    f"POST {S}/tokens/expire": [{"token": "token#1"}, {}],
    f"POST {S}/tokens/revoke": [{"token": "token#1"}, {}],
    f"POST {S}/tokens/downscope": [{"token": "token#1", "scopes": ["accounts"]}],
    f"POST {S}/events": [{"event": "payment-in", "account": "ava-gbp", "amount": "12.30", "name": "Acme", "reference": "salary"}, {"event": "card-refunded", "payment": "movement-1", "amount": "1.00"}],
    f"POST {S}/schedule": [{"in": "3d", "every": "month", "event": "direct-debit", "account": "ava-gbp", "amount": "4.00"}, {"in": "1d", "every": "7d", "event": "payment-returns"}],
    f"POST {S}/webhooks": [{"url": "http://127.0.0.1:9/hook", "events": ["*"], "sign": "jws"}, {"url": "http://localhost:9/", "events": ["payment.settled"]}],
    f"POST {S}/webhooks/{{webhook}}/faults": [{"fault": "duplicate", "times": 2}, {"fault": "forged"}],
    f"POST {S}/webhooks/{{webhook}}/resend": [{"event": "evt_1"}, {}],
    f"POST {S}/challenges/{{challenge}}": [{"decision": "approve"}, {"decision": "deny"}],
    f"POST {S}/authorizations/{{authorization}}": [{"decision": "approve", "login": "ava"}, {"decision": "deny"}],
    f"POST {S}/provider-state": [{"state": sentence, "params": {"operation": "payments"}, "action": "setup", "consumer": "x"} for sentence in (
        "customer ava is known", "customer ava is signed in", "the payment key k1 is new", "the payment key k1 was used", "payments has an entry", "the token is expired")],
    f"POST {S}/outage": [{"name": "brownout", "for": "5m", "seed": 7, "replace": True}, {"plan": PLAN, "replace": True}, {"plan": PLAN | {"clock": "real"}, "replace": True}],
    f"POST {S}/faults": [],  # from the kinds that the server lists
}
# They take no body: one with settings is rejected.
BARE = {f"POST {S}/webhooks/{{webhook}}/secret", f"POST {S}/reset", f"POST {S}/snapshot", f"POST {S}/restore", f"POST {S}/faults/release"}
UNCALLED = {"POST /__admin/shutdown", "POST /__admin/drain"}  # they end what is under test
QUERIES = {
    "GET /__admin/sessions": {"label": "team=ios"},
    f"GET {S}/journal": {"since": "0", "before": "9", "limit": "3", "last": "3", "operation": "atms", "status": "200", "brief": "true", "revision": "0", "wait": "1ms"},
    f"GET {S}/journal/har": {"since": "0", "before": "9", "limit": "3", "last": "3", "operation": "atms", "status": "200"},
    f"GET {S}/verdict": {"suites": "auth,pay"}, f"GET {S}/ledger": {"last": "3"},
}
WEIGHTS = {f"POST {S}/faults": 60, f"POST {S}/outage": 20}  # where the most settings are
ON = {"role": "atms", "operation": "atms", "method": "GET", "path": "/v1/*", "header": {"X": "y"}, "customer": "ava", "token": "token#1", "connection": "cold", "protocol": "h1",
      "attempt": 1}
LIMITS = {"times": 1, "nth": 2, "every": 2, "first": 3, "skip": 1, "probability": 0.5, "ttl": "5m"}


def rule(chooser, kinds):
    """A rule that could be set, of a kind the server lists."""
    kind = chooser.choice(kinds)
    settings = dict(kind["example"])
    if kind["kind"] == "delay":
        settings = {"at_point": chooser.choice(["request", "commit", "head", "body"]), **chooser.choice(DELAYS)}
    fault = {kind["kind"]: settings}
    if chooser.random() < 0.3:
        fault["after"] = chooser.choice(["30ms", "released"])
    made = {"fault": fault}
    if chooser.random() < 0.5:
        made["on"] = {name: ON[name] for name in chooser.sample(sorted(ON), chooser.randrange(1, 3))}
    for name in chooser.sample(sorted(LIMITS), chooser.randrange(3)):
        made[name] = LIMITS[name]
    if chooser.random() < 0.2:
        made["probability"] = {"from": 0, "to": 0.5, "over": "5m"}
    return made


class Ask:
    """One call: its method, path and bytes, and the names one of which a rejection must hold."""

    def __init__(self, method, path, body, names):
        self.method, self.path, self.body, self.names = method, path, body, names


def ask(chooser, calls, kinds, session):
    """A call with something odd in it: in its body, its query or its path."""
    call = chooser.choices(calls, [WEIGHTS.get(one, 8 if one in BODIES else 2 if one in QUERIES else 1) for one in calls])[0]
    method, path = call.split(" ", 1)
    body, names = None, []
    if call in BODIES:
        right = chooser.choice(BODIES[call] or [rule(chooser, kinds)])
        document, changed = right, ()
        for _ in range(chooser.choice([1, 1, 1, 2])):
            document, changed = with_odd(document, chooser)
            names += [str(key) for key in changed] + [str(path[-1]) for path in places(document) if path]
        body = text(document)
    elif call in BARE:
        body = text(odd(chooser)) if chooser.random() < 0.3 else None
    query = dict(QUERIES.get(call, {}))
    if query:
        query = {name: query[name] for name in chooser.sample(sorted(query), chooser.randrange(1, len(query) + 1))}
        name = chooser.choice([*query, "odd"])
        query[name] = str(chooser.choice(DURATIONS) if name == "wait" and chooser.random() < 0.5 else odd(chooser, 1))
        query.update({"wait": "1ms"} if len(query.get("wait", "")) > 3 and not query["wait"].startswith("-") and name != "wait" else {})
        names += query
    for hole in ("{session}", "{rule}", "{seq}", "{name}", "{authorization}", "{challenge}", "{webhook}"):
        if hole in path:
            plain = {"{session}": session, "{rule}": "rule-1", "{seq}": "1", "{name}": "brownout", "{authorization}": "1", "{challenge}": "1", "{webhook}": "webhook-1"}[hole]
            strange = method == "GET" or hole != "{session}"
            path = path.replace(hole, urllib.parse.quote(chooser.choice(TEXTS) if strange and chooser.random() < 0.2 else plain, safe="", errors="surrogatepass"))
    if query:
        path += "?" + urllib.parse.urlencode(query, errors="surrogatepass")
    return Ask(method, path, body, names)
