import BankCore
import BankFiles
import BankModel
import Testing

/// A session of a bank and one customer's calls to it; no socket.
struct Caller {
    private var state: SessionState
    private let token: String?
    let start: Instant

    /// - Parameters:
    ///   - login: who calls; nil: nobody.
    ///   - start: when the session starts; all calls are made then.
    init(_ bank: Bank, login: String?, start: Instant = Instant(seconds: 1_763_553_600)) throws {
        var state = SessionState(id: "files", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: start)
        let signedIn = bank.auth == nil ? nil : login
        token = try signedIn.map { try state.issueTokens(login: $0, at: start).access.text }
        (self.start, self.state) = (start, state)
    }

    mutating func send(_ method: String = "GET", _ target: String, headers: [JournalEntry.Header] = [], body: String = "") -> Reply {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let bearer = token.map { [JournalEntry.Header("Authorization", "Bearer \($0)")] } ?? []
        let request = BankRequest(
            method, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers + bearer, body: Array(body.utf8))
        guard let match = state.prepared.router.match(request) else { return state.dialectReply(.notFound, to: request, at: start) }
        switch state.admit(request, match, at: start).verdict {
        case .ready(let ticket): return state.execute(ticket, at: start)
        case .replay(let reply), .refused(let reply): return reply
        }
    }

    mutating func json(_ target: String) -> JSON { send("GET", target).json }

    /// The JSON of a successful reply to a GET, redirects followed.
    mutating func get(_ target: String) throws -> JSON {
        let reply = send("GET", target)
        if reply.status == 302, let location = reply.header("Location") { return try get(String(location.dropFirst("http://bank".count))) }
        try #require(reply.status == 200, "\(target): \(String(decoding: reply.body, as: UTF8.self))")
        return try JSON(parsing: reply.body)
    }
}

extension Reply {
    var json: JSON { (try? JSON(parsing: body)) ?? .null }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}
