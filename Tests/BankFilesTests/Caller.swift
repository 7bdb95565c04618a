import BankCore
import BankFiles
import BankModel
import Testing

/// A session of a bank and one customer's calls to it; no socket.
struct Caller {
    private(set) var state: SessionState
    /// Sent with each call; nil if nobody is signed in.
    var token: String?
    let start: Instant
    /// The time of the calls: the start, unless moved.
    var now: Instant

    /// - Parameters:
    ///   - login: the customer; nil for none.
    ///   - start: the session's start.
    init(_ bank: Bank, login: String?, start: Instant = Instant(seconds: 1_763_553_600)) throws {
        var state = SessionState(id: "files", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: start)
        let signedIn = bank.auth == nil ? nil : login
        token = try signedIn.map { try state.issueTokens(login: $0, at: start).access.text }
        self.start = start
        self.now = start
        self.state = state
    }

    /// Signs in once more.
    mutating func signIn(_ login: String, scopes: [String]? = nil) throws {
        token = try state.issueTokens(login: login, scopes: scopes, at: now).access.text
    }

    mutating func send(_ method: String = "GET", _ target: String, headers: [JournalEntry.Header] = [], body: String = "") -> BankResponse {
        state.answer(request(method, target, headers, body), at: now).response
    }

    /// A request up to its admission.
    mutating func admit(
        _ method: String = "GET", _ target: String, headers: [JournalEntry.Header] = [], body: String = ""
    ) -> Admission.Verdict {
        let request = request(method, target, headers, body)
        return state.admit(request, at: now)?.admission.verdict ?? .rejected(state.dialectResponse(.notFound, to: request, at: now))
    }

    /// The key of a request as the journal has it.
    mutating func journalKey(_ method: String, _ target: String, body: String) -> String? {
        state.admit(request(method, target, [], body), at: now)?.admission.key
    }

    private func request(_ method: String, _ target: String, _ headers: [JournalEntry.Header], _ body: String) -> BankRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let location = state.bank.auth?.location
        let credential = token.map { text in
            if case .header(let name)? = location {
                [JournalEntry.Header(name, text)]
            } else {
                [JournalEntry.Header("Authorization", "Bearer \(text)")]
            }
        }
        return BankRequest(
            method, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers + (credential ?? []), body: Array(body.utf8))
    }

    /// A response of the dialect's closed list.
    mutating func dialectResponse(_ name: DialectResponseName) -> BankResponse {
        state.dialectResponse(name, to: BankRequest("GET", "/"), at: now)
    }

    mutating func json(_ target: String) -> JSON { send("GET", target).json }

    /// The JSON of a successful response to a GET, redirects followed.
    mutating func get(_ target: String) throws -> JSON {
        let response = send("GET", target)
        if response.status == 302, let location = response.header("Location") {
            return try get(String(location.dropFirst("http://bank".count)))
        }
        try #require(response.status == 200, "\(target): \(String(decoding: response.body, as: UTF8.self))")
        return try JSON(parsing: response.body)
    }
}

extension BankResponse {
    var json: JSON { (try? JSON(parsing: body)) ?? .null }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}
