import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// One call of the admin API: what it takes, does and answers, declared once for the list, the checks, the reference page and the
/// OpenAPI document.
package struct AdminCall: Sendable {
    let method: HTTPMethod
    /// Its path under ``root``; a segment in braces matches any text.
    let path: String
    /// Its name in generated clients: the `operationId` of the OpenAPI document.
    let name: String
    /// The path that all calls have in common, but for the probes.
    let root: String
    /// Its effect and its parameters, for people.
    let does: String
    /// The query parameters; nil if all names are allowed.
    let query: [FieldSchema]?
    /// The schema of its body; nil if it has none.
    let body: Schema?
    /// Its responses, except ``rejections``.
    let responses: [DescribedResponse]
    /// The statuses with which it is rejected for reasons that other calls do not have.
    private let rejects: [HTTPResponseStatus]
    let answer: Answer

    /// The code that answers a call.
    enum Answer: Sendable {
        typealias OfSession = @Sendable (AdminAPI, BankSession, AdminRequest) async throws -> AdminResponse

        /// A call that reads or changes what is in a session.
        case ofSession(OfSession)
        /// A call for the server, or one that makes or removes a session.
        case ofServer(@Sendable (AdminAPI, AdminRequest) async throws -> AdminResponse)
    }

    init(
        _ method: HTTPMethod, _ path: String, _ name: String, _ does: String, query: [FieldSchema]? = [],
        body: ObjectSchema? = nil, root: String = "/__admin", _ responses: DescribedResponse..., rejects: [HTTPResponseStatus] = [],
        answer: Answer
    ) {
        self.method = method
        self.root = root
        self.path = path
        self.name = name
        self.does = does
        self.query = query
        self.body = body.map(Schema.object)
        self.responses = responses
        self.rejects = rejects
        self.answer = answer
    }

    /// All calls: listed by `GET /__admin`, by the error for a request that matches none, and in the OpenAPI document.
    static let all: [AdminCall] = [
        listCalls, getDescription, getHealth, getLiveness, getReadiness, getVersion, getMetrics, listBanks, listFaultKinds,
        shutDown, drain, listPlans, getPlan,
        listSessions, createSession, getSession, putSession, deleteSession, resetSession, takeSnapshot, restoreSnapshot, getClock,
        setClock, advanceClock, closeConnections,
        listTokens, issueToken, expireTokens, revokeTokens, downscopeTokens, listAuthorizations, decideAuthorization, listConsents,
        listChallenges, decideChallenge, enterProviderState,
        makeEvent, getSchedule, scheduleEvent, clearSchedule,
        listWebhooks, addWebhook, getWebhook, removeWebhook, rotateWebhookSecret, resendWebhook, setWebhookFault,
        listRules, setRule, removeRules, removeRule, releaseHeld, getOutage, startOutage, endOutage,
        getJournal, clearJournal, getArchive, listUnmatched, getExchange, getVerdict, getLedger, getBalances,
    ]

    /// Whether host, origin and token are checked before it: always, but for the probes.
    var isGuarded: Bool { !root.isEmpty }

    /// The statuses of its problem details, in order: for its own reasons, and for those that its form brings.
    var rejections: [HTTPResponseStatus] {
        let checks: [HTTPResponseStatus] = isGuarded ? [.badRequest, .unauthorized, .forbidden] : []
        // A session may be unknown or another node's; its state may not be durable.
        let ofSession: [HTTPResponseStatus] = path.contains("{session}") ? [.notFound, .misdirectedRequest, .serviceUnavailable] : []
        let ofBody: [HTTPResponseStatus] = body == nil ? [] : [.contentTooLarge]
        return Set(checks + ofSession + ofBody + rejects).sorted { $0.code < $1.code }
    }

    /// Every response that it can have.
    var allResponses: [DescribedResponse] { responses + rejections.map(DescribedResponse.problem) }

    var line: String { "\(method.rawValue) \(root)\(path)" }

    /// The segments that stand for the names in braces, if a path, without its query, matches this call; else nil.
    private func segments(of asked: ArraySlice<Substring>) -> [String: String]? {
        let own = (root + path).split(separator: "/")
        guard asked.count == own.count, !asked.contains("") else { return nil }
        var found: [String: String] = [:]
        for (asked, own) in zip(asked, own) {
            if own.hasPrefix("{") {
                found[String(own.dropFirst().dropLast())] = String(asked)
            } else if asked != own {
                return nil
            }
        }
        return found
    }

    /// A call that matches a path, with what stands there for its names in braces.
    typealias Match = (call: AdminCall, segments: [String: String])

    /// The calls at a path, without its query. A segment itself is preferred to one in braces: `DELETE …/faults/release` removes no rule
    /// of that name. An empty segment is a name that the caller left out: `DELETE …/faults/` must not remove all rules. Only at the end of
    /// a read's path it changes nothing.
    private static func matches(_ method: HTTPMethod, _ path: String) -> [Match] {
        var asked = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if method == .GET || method == .HEAD, asked.last?.isEmpty == true { asked.removeLast() }
        let fitting = all.compactMap { call in call.segments(of: asked).map { (call, $0) } }
        let fewest = fitting.map { $0.0.variables.count }.min()
        return fitting.filter { $0.0.variables.count == fewest }
    }

    /// The call that a request is for; nil if there is none. Programs that wait for a server to start send HEAD as well as GET.
    static func match(_ method: HTTPMethod, _ path: String) -> Match? {
        matches(method, path).first { $0.call.method == (method == .HEAD ? .GET : method) }
    }

    /// The names in braces in its path.
    var variables: [String] { path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) } }

    /// Rejects an unknown query parameter, since a misspelt one would have no effect.
    func checkNames(of query: AdminQuery) throws {
        guard let known = self.query?.map(\.key), let name = query.parameters.map(\.name).first(where: { !known.contains($0) })
        else { return }
        throw AdminProblem.badRequest("found `\(name)` in the query of \(line), expected \(oneOf(known))\(didYouMean(name, among: known))")
    }

    /// Rejects settings in the body of a change that takes none, since they would have no effect: `DELETE …/faults` with the name of one
    /// rule would remove all. HTTP libraries send `{}` for no settings; the body of a read has no meaning (RFC 9110 §9.3.1).
    func checkAbsence(ofBodyIn request: AdminRequest) throws {
        guard body == nil, !request.isRead, request.body.readableBytes > 0 else { return }
        if let json = try? JSON(parsing: request.body.readableBytesView), json == .object([:]) || json == .null { return }
        throw AdminProblem.badRequest("found a body in \(line), expected none: the call has no settings")
    }

    /// The error for a request that matches no call.
    static func problem(_ method: HTTPMethod, _ path: String) -> AdminProblem {
        let allowed = distinct(matches(method, path).map(\.call.method.rawValue))
        guard allowed.isEmpty else {
            return AdminProblem(
                status: .methodNotAllowed, detail: "found \(method.rawValue) \(path), expected \(oneOf(allowed))", allowed: allowed)
        }
        return .notFound("there is no admin call \(method.rawValue) \(path); GET /__admin lists all calls")
    }

    /// The schemas of all bodies, each once.
    static var bodies: [Schema] {
        var seen: Set<String> = []
        return all.compactMap(\.body).filter { body in
            if case .object(let object) = body { seen.insert(object.name).inserted } else { true }
        }
    }

    /// The calls as a table of the reference page, each with the name of its body and the statuses of its responses.
    ///
    /// - Parameter link: returns the address of the section with that name.
    package static func table(_ link: (String) -> String) -> String {
        let rows = all.map { call in
            let body = if case .object(let object)? = call.body { "[\(object.name)](\(link(object.name)))" } else { "none" }
            let statuses = call.allResponses.map { "\($0.status.code)" }.joined(separator: ", ")
            return "| `\(call.line)` | \(call.does.replacing("|", with: "\\|")) | \(body) | \(statuses) |"
        }
        return (["| call | effect | body | statuses |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    /// The response to `GET /__admin`.
    static var list: JSON { ["calls": .array(all.map { ["call": .string($0.line), "does": .string($0.does)] })] }
}
