import BankCore
import BankEngine
import BankModel
import Contracts
import Faults
import NIOHTTP1

extension AdminCall {
    /// All calls: listed by `GET /__admin`, by the error for a request that matches none, and in the OpenAPI document.
    static let all = server + sessions + tokens + events + webhooks + rules + journal

    private static let server: [AdminCall] = [
        AdminCall(.GET, "", "listCalls", "lists the calls", .ok(ServerShapes.calls)),
        AdminCall(.GET, "/openapi.json", "getDescription", "this API in OpenAPI 3.1", .anyObject),
        AdminCall(.GET, "/health", "getHealth", "reports that the server is running", .ok(ServerShapes.health)),
        AdminCall(
            .GET, "/livez", "getLiveness", "reports that the process is alive; needs no token, any Host is allowed", query: nil, root: "",
            .text(.ok)),
        AdminCall(
            .GET, "/readyz", "getReadiness",
            "reports whether the server accepts new clients: 503 while it drains or cannot write its state file; needs no token, any Host is allowed",
            query: nil, root: "", .text(.ok), .text(.serviceUnavailable)),
        AdminCall(.GET, "/version", "getVersion", "returns the version, the seed and the names of the banks", .ok(ServerShapes.version)),
        AdminCall(
            .GET, "/metrics", "getMetrics", "returns metrics for Prometheus; ?sessions=true adds those of each session",
            query: [.sometimes("sessions", .bool, "whether to include the metrics of each session")], .text(.ok)),
        AdminCall(.GET, "/banks", "listBanks", "lists the banks with their operations, roles and customers", .ok(ServerShapes.banks)),
        AdminCall(
            .GET, "/fault-kinds", "listFaultKinds",
            "lists the kinds of fault with point, protocols and example settings; includes the JSON Schema of a rule",
            .ok(ServerShapes.kinds)),
        AdminCall(.POST, "/shutdown", "shutDown", "stops the server after at most 5 s for responses in progress", .accepted),
        AdminCall(
            .POST, "/drain", "drain", "stops it as SIGTERM does: no new sessions; responses in progress have the time of `serve --drain`",
            .accepted),
        AdminCall(.GET, "/outages", "listPlans", "lists the plans", .ok(ServerShapes.plans)),
        AdminCall(
            .GET, "/outages/{name}", "getPlan", "returns a plan", .ok(ServerShapes.plan), rejects: [.notFound, .unprocessableContent]),
    ]

    private static let sessions: [AdminCall] = [
        AdminCall(
            .GET, "/sessions", "listSessions", "lists the sessions; ?label=team=ios selects those with that label",
            query: [
                .sometimes(
                    "label",
                    .list(.text(TextSchema("a name and a value such as `team=ios`", pattern: "[\\s\\S]*=[\\s\\S]*")), atLeast: 0),
                    "only sessions with this label; if repeated, with all of these labels")
            ], .ok(SessionShapes.sessions)),
        AdminCall(
            .POST, "/sessions", "createSession",
            "creates a session: bank, name, seed, clock, listen (true or \"tls\"), plan, labels, ttl, authorize, challenges",
            body: AdminKeys.sessionSchema, .created(SessionShapes.made),
            rejects: [.notFound, .conflict, .unprocessableContent, .tooManyRequests, .serviceUnavailable]),
        AdminCall(
            .GET, "/sessions/{session}", "getSession",
            "returns a session; a bank's default session has the bank's name, `default` is that of the first bank",
            .ok(SessionShapes.session)),
        AdminCall(
            .PUT, "/sessions/{session}", "putSession",
            "creates it, with the body of POST: 201, 200 if it exists with these settings, 409 if it has others",
            body: AdminKeys.sessionSchema, .ok(SessionShapes.session), .created(SessionShapes.made),
            rejects: [.conflict, .unprocessableContent, .tooManyRequests]),
        AdminCall(
            .DELETE, "/sessions/{session}", "deleteSession", "removes it; a default session cannot be removed", .done, rejects: [.conflict]),
        AdminCall(
            .POST, "/sessions/{session}/reset", "resetSession",
            "resets money, clock, rules and journal; its tokens become invalid", .done),
        AdminCall(.POST, "/sessions/{session}/snapshot", "takeSnapshot", "saves its state; a new snapshot replaces the old one", .done),
        AdminCall(
            .POST, "/sessions/{session}/restore", "restoreSnapshot", "restores its snapshot", .done, rejects: [.conflict]),
        AdminCall(.GET, "/sessions/{session}/clock", "getClock", "returns its clock", .ok(SessionShapes.clock)),
        AdminCall(
            .PUT, "/sessions/{session}/clock", "setClock", "sets its clock: now, mode (running or frozen), skew",
            body: AdminKeys.clockSchema,
            .ok(SessionShapes.clock), rejects: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/clock/advance", "advanceClock", "advances its clock: by, such as 16m",
            body: AdminKeys.advanceSchema,
            .ok(SessionShapes.clock), rejects: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/connections/close", "closeConnections", "closes its idle connections", body: AdminKeys.closeSchema,
            .done),
    ]

    private static let tokens: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/tokens", "listTokens", "lists its tokens by name, without their texts", .ok(SessionShapes.tokens)),
        AdminCall(
            .POST, "/sessions/{session}/tokens", "issueToken", "issues a token: login, scopes, lifetime", body: AdminKeys.tokenSchema,
            .created(SessionShapes.issued), rejects: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/tokens/expire", "expireTokens", "expires a token: token; without it all tokens",
            body: AdminKeys.tokenChangeSchema, .done, rejects: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/tokens/revoke", "revokeTokens", "revokes a token: token; without it all tokens",
            body: AdminKeys.tokenChangeSchema, .done, rejects: [.unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/tokens/downscope", "downscopeTokens",
            "reduces a token to the given scopes: token, scopes; without token all tokens", body: AdminKeys.downscopeSchema, .done,
            rejects: [.unprocessableContent]),
        AdminCall(
            .GET, "/sessions/{session}/authorizations", "listAuthorizations",
            "lists the attempts to sign in on the bank's page, by number, without their secrets", .ok(SessionShapes.authorizations)),
        AdminCall(
            .POST, "/sessions/{session}/authorizations/{authorization}", "decideAuthorization",
            "decides an attempt to sign in as its customer: decision (approve, deny, cancel or abandon), login, accounts; returns the address that the app gets",
            body: AdminKeys.decisionSchema, .ok(SessionShapes.decided), rejects: [.conflict, .unprocessableContent]),
        AdminCall(
            .GET, "/sessions/{session}/consents", "listConsents",
            "lists the consents of its customers, with their states and the accounts that they cover", .ok(SessionShapes.consents)),
        AdminCall(
            .GET, "/sessions/{session}/challenges", "listChallenges", "lists the challenges, by number, with the correct code",
            .ok(SessionShapes.challenges)),
        AdminCall(
            .POST, "/sessions/{session}/challenges/{challenge}", "decideChallenge",
            "decides a challenge as its customer in the bank's own app: decision (approve or deny); an approved payment is executed",
            body: AdminKeys.verdictSchema, .ok(SessionShapes.challenge), rejects: [.conflict, .unprocessableContent]),
        AdminCall(
            .POST, "/sessions/{session}/provider-state", "enterProviderState",
            "sets up a provider state of a pact: state, params, action", query: nil, body: AdminKeys.stateSchema, .anyObject,
            rejects: [.unprocessableContent]),
    ]

    private static let events: [AdminCall] = [
        AdminCall(
            .POST, "/sessions/{session}/events", "makeEvent",
            "makes an event happen: event, account, amount, payment, name, reference, reason, consent; returns the movement, or the consent",
            body: BankEvent.schema, .created(LedgerShapes.event), rejects: [.conflict, .unprocessableContent]),
        AdminCall(
            .GET, "/sessions/{session}/schedule", "getSchedule", "returns the scheduled events, and those that could not happen",
            .ok(LedgerShapes.schedule)),
        AdminCall(
            .POST, "/sessions/{session}/schedule", "scheduleEvent", "schedules an event: in, every, and what `events` takes",
            body: BankEvent.scheduledSchema, .created(LedgerShapes.scheduled), rejects: [.unprocessableContent]),
        AdminCall(.DELETE, "/sessions/{session}/schedule", "clearSchedule", "removes all scheduled events", .done),
    ]

    private static let webhooks: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/webhooks", "listWebhooks", "lists its webhooks with the numbers of their deliveries",
            .ok(WebhookShapes.webhooks)),
        AdminCall(
            .POST, "/sessions/{session}/webhooks", "addWebhook", "registers a receiver of webhooks: url, events, sign; returns its secret",
            body: WebhookPolicy.Receiver.schema, .created(WebhookShapes.made), rejects: [.unprocessableContent]),
        AdminCall(
            .GET, "/sessions/{session}/webhooks/{webhook}", "getWebhook", "returns a webhook with its secret and its last deliveries",
            .ok(WebhookShapes.deliveries)),
        AdminCall(
            .DELETE, "/sessions/{session}/webhooks/{webhook}", "removeWebhook", "removes a webhook; its pending deliveries are not sent",
            .done),
        AdminCall(
            .POST, "/sessions/{session}/webhooks/{webhook}/secret", "rotateWebhookSecret",
            "replaces the secret of a webhook; the old one remains valid for a day of the session clock", .ok(WebhookShapes.made)),
        AdminCall(
            .POST, "/sessions/{session}/webhooks/{webhook}/resend", "resendWebhook",
            "sends a finished delivery again: event; without it, all that failed", body: AdminKeys.resendSchema,
            .ok(WebhookShapes.resent)),
        AdminCall(
            .POST, "/sessions/{session}/webhooks/{webhook}/faults", "setWebhookFault",
            "applies a fault to the next deliveries: fault, times", body: DeliveryFault.schema,
            .created(WebhookShapes.webhook), rejects: [.unprocessableContent]),
    ]

    private static let rules: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/faults", "listRules", "lists its rules in the order in which they are matched",
            .ok(SessionShapes.rules)),
        AdminCall(
            .POST, "/sessions/{session}/faults", "setRule", "sets a rule: fault, on, times, …", body: Rule.schema,
            .created(SessionShapes.rule), rejects: [.unprocessableContent]),
        AdminCall(.DELETE, "/sessions/{session}/faults", "removeRules", "removes all rules", .done),
        AdminCall(.DELETE, "/sessions/{session}/faults/{rule}", "removeRule", "removes a rule", .done),
        AdminCall(
            .POST, "/sessions/{session}/faults/release", "releaseHeld", "releases the requests and connections that rules hold",
            .ok(SessionShapes.released)),
        AdminCall(.GET, "/sessions/{session}/outage", "getOutage", "returns the status of its outage", .ok(SessionShapes.outage)),
        AdminCall(
            .POST, "/sessions/{session}/outage", "startOutage", "starts an outage: name or plan, for, seed, replace",
            body: AdminKeys.outageSchema, .created(SessionShapes.started), rejects: [.conflict, .unprocessableContent]),
        AdminCall(.DELETE, "/sessions/{session}/outage", "endOutage", "stops it", .done),
    ]

    private static let journal: [AdminCall] = [
        AdminCall(
            .GET, "/sessions/{session}/journal", "getJournal",
            "returns its journal: ?since=, before=, limit=, last=, operation=, status=, brief=true; revision= and wait=20s wait for a change",
            query: JournalQuery.parameters, .ok(JournalShapes.journal), rejects: [.tooManyRequests]),
        AdminCall(.DELETE, "/sessions/{session}/journal", "clearJournal", "clears the journal", .done),
        AdminCall(
            .GET, "/sessions/{session}/journal/har", "getArchive", "returns the journal as an HTTP archive",
            query: JournalQuery.parameters.filter { $0.key != "brief" }, .ok(JournalShapes.archive), rejects: [.tooManyRequests]),
        AdminCall(
            .GET, "/sessions/{session}/journal/unmatched", "listUnmatched",
            "lists requests that matched no operation, with the nearest operations", .ok(JournalShapes.unmatched),
            rejects: [.tooManyRequests]),
        AdminCall(
            .GET, "/sessions/{session}/journal/{seq}", "getExchange",
            "returns an exchange, a curl command that repeats the request, and its nearest operations", .ok(JournalShapes.exchange)),
        AdminCall(
            .GET, "/sessions/{session}/verdict", "getVerdict", "checks the journal and returns the results: ?suites=auth,pay",
            query: [
                .sometimes("suites", .anyText, "only rules of these suites, separated by commas"),
                .sometimes(
                    "sequential", .bool,
                    "whether the app sends one request at a time, each after it has read the previous response"),
            ], .ok(JournalReport.schema)),
        AdminCall(
            .GET, "/sessions/{session}/ledger", "getLedger", "returns accounts, postings, movements and keys: ?last=",
            query: [.sometimes("last", .count, "maximum number of movements and of keys; the newest are returned")],
            .ok(LedgerShapes.ledger),
            rejects: [.tooManyRequests]),
        AdminCall(
            .GET, "/sessions/{session}/balances", "getBalances", "returns the available balances of its first 200 accounts",
            .ok(LedgerShapes.balances)),
    ]
}
