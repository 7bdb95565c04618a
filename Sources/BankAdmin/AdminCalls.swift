import BankEngine
import BankModel
import Faults
import HTTPTypes
import Hummingbird

/// One call of the admin API, as listed.
package struct AdminCall: Sendable {
    let method: HTTPRequest.Method
    /// Its path under ``root``; a segment in braces matches any text.
    let path: String
    /// The path that all calls have in common, but for the probes.
    let root: String
    /// Its effect and its parameters, for people.
    let does: String
    /// The allowed names of query parameters; nil if all are.
    let query: [String]?
    /// The schema of its body; nil if it has none.
    let body: Schema?

    private init(
        _ method: HTTPRequest.Method, _ path: String, _ does: String, query: [String]? = [], body: ObjectSchema? = nil,
        root: String = "/__admin"
    ) {
        self.method = method
        self.root = root
        self.path = path
        self.does = does
        self.query = query
        self.body = body.map(Schema.object)
    }

    /// All calls: listed by `GET /__admin`, and by the error for a request that matches none.
    static let all: [AdminCall] = [
        AdminCall(.get, "", "this list"),
        AdminCall(.get, "/health", "whether the server answers"),
        AdminCall(.get, "/livez", "whether the process answers; without token, for any Host", root: ""),
        AdminCall(
            .get, "/readyz",
            "whether it takes new clients: 503 while it drains, or cannot write its state file; without token, for any Host",
            root: ""),
        AdminCall(.get, "/version", "version, seed and the banks' names"),
        AdminCall(.get, "/metrics", "counts for Prometheus: ?sessions=true has those of each session too", query: ["sessions"]),
        AdminCall(.get, "/banks", "the banks with their operations, roles and customers"),
        AdminCall(.get, "/fault-kinds", "every kind of fault with its point, protocols and settings to begin with; a rule's JSON Schema"),
        AdminCall(.post, "/shutdown", "ends the server; answers under way have 5 s"),
        AdminCall(.post, "/drain", "ends it as SIGTERM does: no new session, answers under way have as long as `serve --drain` says"),
        AdminCall(.get, "/outages", "the plans there are"),
        AdminCall(.get, "/outages/{name}", "one plan"),
        AdminCall(.get, "/sessions", "the sessions: ?label=team=ios has those with that label", query: ["label"]),
        AdminCall(
            .post, "/sessions", "makes one: bank, name, seed, clock, listen (true or \"tls\"), plan, labels, ttl",
            body: AdminKeys.sessionSchema),
        AdminCall(.get, "/sessions/{session}", "one session; a bank's standing one is named like the bank, default is the first bank's"),
        AdminCall(
            .put, "/sessions/{session}",
            "makes it, with the body of POST: 201, 200 if it is there with these settings, 409 if it has others",
            body: AdminKeys.sessionSchema),
        AdminCall(.delete, "/sessions/{session}", "removes it; a standing one stays"),
        AdminCall(.post, "/sessions/{session}/reset", "puts it back to its start: money, clock, rules and journal; its tokens end"),
        AdminCall(.post, "/sessions/{session}/snapshot", "keeps its state; one snapshot a session"),
        AdminCall(.post, "/sessions/{session}/restore", "puts it back to its snapshot"),
        AdminCall(.get, "/sessions/{session}/clock", "its clock"),
        AdminCall(.put, "/sessions/{session}/clock", "sets it: now, mode (running or frozen), skew", body: AdminKeys.clockSchema),
        AdminCall(.post, "/sessions/{session}/clock/advance", "moves it on: by, such as 16m", body: AdminKeys.advanceSchema),
        AdminCall(.post, "/sessions/{session}/connections/close", "closes its idle connections", body: AdminKeys.closeSchema),
        AdminCall(.get, "/sessions/{session}/tokens", "its tokens by name, never their texts"),
        AdminCall(.post, "/sessions/{session}/tokens", "issues one: login, scopes, lifetime", body: AdminKeys.tokenSchema),
        AdminCall(
            .post, "/sessions/{session}/tokens/expire", "ends one by its clock: token; without it all", body: AdminKeys.tokenChangeSchema),
        AdminCall(.post, "/sessions/{session}/tokens/revoke", "revokes one: token; without it all", body: AdminKeys.tokenChangeSchema),
        AdminCall(
            .post, "/sessions/{session}/tokens/downscope", "leaves one the scopes: token, scopes; without token all",
            body: AdminKeys.downscopeSchema),
        AdminCall(
            .post, "/sessions/{session}/provider-state", "makes a provider state of a pact so: state, params, action", query: nil,
            body: AdminKeys.stateSchema),
        AdminCall(.get, "/sessions/{session}/faults", "its rules in the order in which they are tried"),
        AdminCall(.post, "/sessions/{session}/faults", "sets a rule: fault, on, times, …", body: Rule.schema),
        AdminCall(.delete, "/sessions/{session}/faults", "removes all rules"),
        AdminCall(.delete, "/sessions/{session}/faults/{rule}", "removes one"),
        AdminCall(.post, "/sessions/{session}/faults/release", "releases the exchanges and connections that rules hold"),
        AdminCall(.get, "/sessions/{session}/outage", "how its outage stands"),
        AdminCall(.post, "/sessions/{session}/outage", "starts one: name or plan, for, seed, replace", body: AdminKeys.outageSchema),
        AdminCall(.delete, "/sessions/{session}/outage", "ends it"),
        AdminCall(
            .get, "/sessions/{session}/journal",
            "what happened: ?since=, before=, limit=, last=, operation=, status=, brief=true; with revision= and wait=20s once it has changed",
            query: JournalQuery.names),
        AdminCall(.delete, "/sessions/{session}/journal", "forgets it"),
        AdminCall(
            .get, "/sessions/{session}/journal/har", "the same as an HTTP archive", query: JournalQuery.names.filter { $0 != "brief" }),
        AdminCall(.get, "/sessions/{session}/journal/unmatched", "requests that met no operation, with the nearest ones"),
        AdminCall(.get, "/sessions/{session}/journal/{seq}", "one exchange, the curl line that sends it again, and what it nearly met"),
        AdminCall(.get, "/sessions/{session}/verdict", "the judge's verdict on the journal: ?suites=auth,pay", query: ["suites"]),
        AdminCall(.get, "/sessions/{session}/ledger", "accounts, postings, movements and keys: ?last=", query: ["last"]),
        AdminCall(.get, "/sessions/{session}/balances", "what its accounts can spend: the first 200"),
    ]

    /// The call as a request line.
    var line: String { "\(method.rawValue) \(root)\(path)" }

    /// Whether a path, without its query, matches this call.
    func fits(_ asked: Substring) -> Bool {
        guard asked.hasPrefix(root) else { return false }
        let pieces = asked.dropFirst(root.count).split(separator: "/")
        let own = path.split(separator: "/")
        return pieces.count == own.count && zip(pieces, own).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }

    /// The error for an unknown query parameter, since a misspelt one would have no effect.
    ///
    /// - Returns: nil if all names are known, or the request matches no call.
    static func problem(_ method: HTTPRequest.Method, _ path: String, query names: [String]) -> AdminProblem? {
        let call = all.first { $0.method == (method == .head ? .get : method) && $0.fits(path[...]) }
        guard let call, let known = call.query, let name = names.first(where: { !known.contains($0) }) else { return nil }
        let hint = didYouMean(name, among: known)
        return .badRequest("found `\(name)` in the query of \(call.line), expected \(oneOf(known))\(hint)")
    }

    /// The error for a request that matches no call.
    static func problem(_ method: HTTPRequest.Method, _ path: String) -> AdminProblem {
        let path = path.prefix { $0 != "?" }
        let allowed = all.filter { $0.fits(path) }.map(\.method.rawValue).reduce(into: [String]()) { methods, method in
            if !methods.contains(method) { methods.append(method) }
        }
        guard allowed.isEmpty else {
            return AdminProblem(
                status: .methodNotAllowed, detail: "found \(method.rawValue) \(path), expected \(oneOf(allowed))", allowed: allowed)
        }
        return .notFound("there is no admin call \(method.rawValue) \(path); GET /__admin lists those there are")
    }

    /// The schemas of all bodies, each once.
    static var bodies: [Schema] {
        var seen: Set<String> = []
        return all.compactMap(\.body).filter { body in
            if case .object(let object) = body { seen.insert(object.name).inserted } else { true }
        }
    }

    /// The calls as a table of the reference page, each with the name of its body.
    ///
    /// - Parameter link: returns the address of the section with that name.
    package static func table(_ link: (String) -> String) -> String {
        let rows = all.map { call in
            let body = if case .object(let object)? = call.body { "[\(object.name)](\(link(object.name)))" } else { "none" }
            return "| `\(call.line)` | \(call.does.replacing("|", with: "\\|")) | \(body) |"
        }
        return (["| call | does | body |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    /// The reply to `GET /__admin`.
    static var list: JSON { ["calls": .array(all.map { ["call": .string($0.line), "does": .string($0.does)] })] }
}
