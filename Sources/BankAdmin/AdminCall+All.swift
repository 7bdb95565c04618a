import BankEngine
import BankModel
import Faults
import NIOHTTP1

extension AdminCall {
    /// All calls: listed by `GET /__admin`, by the error for a request that matches none, and in the OpenAPI document.
    static let all = server + sessions + tokens + rules + journal

    private static let server: [AdminCall] = [
        AdminCall(.GET, "", "listCalls", "this list", .ok(ServerShapes.calls)),
        AdminCall(.GET, "/openapi.json", "getDescription", "this API in OpenAPI 3.1", .anyObject),
        AdminCall(.GET, "/health", "getHealth", "whether the server answers", .ok(ServerShapes.health)),
        AdminCall(
            .GET, "/livez", "getLiveness", "whether the process answers; without token, for any Host", query: nil, root: "", .text(.ok)),
        AdminCall(
            .GET, "/readyz", "getReadiness",
            "whether it takes new clients: 503 while it drains, or cannot write its state file; without token, for any Host",
            query: nil, root: "", .text(.ok), .text(.serviceUnavailable)),
        AdminCall(.GET, "/version", "getVersion", "version, seed and the banks' names", .ok(ServerShapes.version)),
        AdminCall(
            .GET, "/metrics", "getMetrics", "counts for Prometheus: ?sessions=true has those of each session too",
            query: [.sometimes("sessions", .bool, "whether those of each session too")], .text(.ok)),
        AdminCall(.GET, "/banks", "listBanks", "the banks with their operations, roles and customers", .ok(ServerShapes.banks)),
        AdminCall(
            .GET, "/fault-kinds", "listFaultKinds",
            "every kind of fault with its point, protocols and settings to begin with; a rule's JSON Schema", .ok(ServerShapes.kinds)),
        AdminCall(.POST, "/shutdown", "shutDown", "ends the server; answers under way have 5 s", .accepted),
        AdminCall(
            .POST, "/drain", "drain", "ends it as SIGTERM does: no new session, answers under way have as long as `serve --drain` says",
            .accepted),
        AdminCall(.GET, "/outages", "listPlans", "the plans there are", .ok(ServerShapes.plans)),
        AdminCall(
            .GET, "/outages/{name}", "getPlan", "one plan", .ok(ServerShapes.plan), refuses: [.notFound, .unprocessableContent]),
    ]

    private static let sessions: [AdminCall] = [
        AdminCall(
            .GET, "/sessions", "listSessions", "the sessions: ?label=team=ios has those with that label",
            query: [
                .sometimes(
                    "label",
                    .list(.text(TextSchema("a name and a value such as `team=ios`", pattern: "[\\s\\S]*=[\\s\\S]*")), atLeast: 0),
                    "only sessions with this label; with each, if there are several")
            ], .ok(SessionShapes.sessions)),
        AdminCall(
            .POST, "/sessions", "createSession", "makes one: bank, name, seed, clock, listen (true or \"tls\"), plan, labels, ttl",
            body: AdminKeys.sessionSchema, .created(SessionShapes.made),
            refuses: [.notFound, .conflict, .unprocessableContent, .tooManyRequests, .serviceUnavailable]),
        AdminCall(
            .GET, "/sessions/{session}", "getSession",
            "one session; a bank's standing one is named like the bank, default is the first bank's",
            .ok(SessionShapes.session)),
        AdminCall(
            .PUT, "/sessions/{session}", "putSession",
            "makes it, with the body of POST: 201, 200 if it is there with these settings, 409 if it has others",
            body: AdminKeys.sessionSchema, .ok(SessionShapes.session), .created(SessionShapes.made),
            refuses: [.conflict, .unprocessableContent, .tooManyRequests]),
        AdminCall(.DELETE, "/sessions/{session}", "deleteSession", "removes it; a standing one stays", .done, refuses: [.conflict]),
        AdminCall(
            .POST, "/sessions/{session}/reset", "resetSession",
            "puts it back to its start: money, clock, rules and journal; its tokens end", .done),
        AdminCall(.POST, "/sessions/{session}/snapshot", "takeSnapshot", "keeps its state; one snapshot a session", .done),
        AdminCall(
            .POST, "/sessions/{session}/restore", "restoreSnapshot", "puts it back to its snapshot", .done, refuses: [.conflict]),
        AdminCall(.GET, "/sessions/{session}/clock", "getClock", "its clock", .ok(SessionShapes.clock)),
        AdminCall(
            .PUT, "/sessions/{session}/clock", "setClock", "sets it: now, mode (running or frozen), skew", body: AdminKeys.clockSchema,
            .ok(SessionShapes.clock), refuses: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/clock/advance", "advanceClock", "moves it on: by, such as 16m", body: AdminKeys.advanceSchema,
            .ok(SessionShapes.clock), refuses: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/connections/close", "closeConnections", "closes its idle connections", body: AdminKeys.closeSchema,
            .done),
    ]

    private static let tokens: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/tokens", "listTokens", "its tokens by name, never their texts", .ok(SessionShapes.tokens)),
        AdminCall(
            .POST, "/sessions/{session}/tokens", "issueToken", "issues one: login, scopes, lifetime", body: AdminKeys.tokenSchema,
            .created(SessionShapes.issued), refuses: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/tokens/expire", "expireTokens", "ends one by its clock: token; without it all",
            body: AdminKeys.tokenChangeSchema, .done, refuses: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/tokens/revoke", "revokeTokens", "revokes one: token; without it all",
            body: AdminKeys.tokenChangeSchema, .done, refuses: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/tokens/downscope", "downscopeTokens",
            "leaves one the scopes: token, scopes; without token all", body: AdminKeys.downscopeSchema, .done,
            refuses: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/provider-state", "enterProviderState",
            "makes a provider state of a pact so: state, params, action", query: nil, body: AdminKeys.stateSchema, .anyObject,
            refuses: [.unprocessableContent]),
    ]

    private static let rules: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/faults", "listRules", "its rules in the order in which they are tried", .ok(SessionShapes.rules)),
        AdminCall(
            .POST, "/sessions/{session}/faults", "setRule", "sets a rule: fault, on, times, …", body: Rule.schema,
            .created(SessionShapes.rule), refuses: [.unprocessableContent]),
        AdminCall(.DELETE, "/sessions/{session}/faults", "removeRules", "removes all rules", .done),
        AdminCall(.DELETE, "/sessions/{session}/faults/{rule}", "removeRule", "removes one", .done),
        AdminCall(
            .POST, "/sessions/{session}/faults/release", "releaseHeld", "releases the exchanges and connections that rules hold",
            .ok(SessionShapes.released)),
        AdminCall(.GET, "/sessions/{session}/outage", "getOutage", "how its outage stands", .ok(SessionShapes.outage)),
        AdminCall(
            .POST, "/sessions/{session}/outage", "startOutage", "starts one: name or plan, for, seed, replace",
            body: AdminKeys.outageSchema, .created(SessionShapes.started), refuses: [.conflict, .unprocessableContent]),
        AdminCall(.DELETE, "/sessions/{session}/outage", "endOutage", "ends it", .done),
    ]

    private static let journal: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/journal", "getJournal",
            "what happened: ?since=, before=, limit=, last=, operation=, status=, brief=true; with revision= and wait=20s once it has changed",
            query: JournalQuery.parameters, .ok(JournalShapes.journal), refuses: [.tooManyRequests]),
        AdminCall(.DELETE, "/sessions/{session}/journal", "clearJournal", "forgets it", .done),
        AdminCall(
            .GET, "/sessions/{session}/journal/har", "getArchive", "the same as an HTTP archive",
            query: JournalQuery.parameters.filter { $0.key != "brief" }, .ok(JournalShapes.archive), refuses: [.tooManyRequests]),
        AdminCall(
            .GET, "/sessions/{session}/journal/unmatched", "listUnmatched",
            "requests that met no operation, with the nearest ones", .ok(JournalShapes.unmatched), refuses: [.tooManyRequests]),
        AdminCall(
            .GET, "/sessions/{session}/journal/{seq}", "getExchange",
            "one exchange, the curl line that sends it again, and what it nearly met", .ok(JournalShapes.exchange)),
        AdminCall(
            .GET, "/sessions/{session}/verdict", "getVerdict", "the judge's verdict on the journal: ?suites=auth,pay",
            query: [
                .sometimes("suites", .anyText, "only rules of these suites, with commas between them"),
                .sometimes(
                    "sequential", .bool,
                    "whether the app sends one request at a time, each after it has read the response to the one before"),
            ], .ok(LedgerShapes.verdict)),
        AdminCall(
            .GET, "/sessions/{session}/ledger", "getLedger", "accounts, postings, movements and keys: ?last=",
            query: [.sometimes("last", .count, "the greatest number of movements, and of keys; the newest win")], .ok(LedgerShapes.ledger),
            refuses: [.tooManyRequests]),
        AdminCall(
            .GET, "/sessions/{session}/balances", "getBalances", "what its accounts can spend: the first 200", .ok(LedgerShapes.balances)),
    ]
}
