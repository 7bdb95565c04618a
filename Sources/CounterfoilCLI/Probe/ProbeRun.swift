import BankModel
import Platform
import ProviderCheck

/// Sends each kind of fault once, in a session made for it.
struct ProbeRun: Sendable {
    let session: ServedSession
    let requests: ProbeRequests
    let connection: ProbeConnection
    let kinds: [ProbeKind]
    /// Called before each kind, with its number from 0.
    let progress: @Sendable (Int, ProbeKind) -> Void

    /// The rows in the order of the kinds; those before, if the task is cancelled.
    ///
    /// - Throws: ``AdminFailure`` if the admin API cannot be reached, or a plain request does not reach the session.
    func rows() async throws -> [ProbeReport.Row] {
        let cursor = try await plainRequest()
        var rows: [ProbeReport.Row] = []
        for (number, kind) in kinds.enumerated() where !Task.isCancelled {
            progress(number, kind)
            rows.append(try await row(kind, cursor: cursor))
        }
        return rows
    }

    /// Sends a request without a fault: the path has to lead to the session at all.
    ///
    /// - Returns: the cursor of the bank's list.
    private func plainRequest() async throws -> String? {
        let exchange = await connection.exchange(requests.plain)
        exchange.socket?.close()
        let path = "http://\(requests.address.authority)\(requests.prefix)"
        if let failure = exchange.failure { throw AdminFailure(description: "cannot connect to \(path) (\(failure))") }
        guard try await !entries(after: exchange).isEmpty else {
            let status = exchange.observation.response.status.map { "status \($0)" } ?? "no response"
            throw AdminFailure(
                description: "found \(status) for a plain request to \(path), which did not reach the session",
                hint: "--through has to lead to the port of the banks, with the path unchanged")
        }
        return requests.cursor(in: exchange.observation.response)
    }

    private func row(_ kind: ProbeKind, cursor: String?) async throws -> ProbeReport.Row {
        if let reason = kind.unavailable { return ProbeReport.Row(kind.name, notProbed: reason) }
        try await session.call("DELETE", "/faults")
        try await session.call("DELETE", "/journal")
        do {
            try await session.call("POST", "/faults", kind.rule)
        } catch let failure as AdminFailure {
            // The remedy in the server's sentence is one for other sessions.
            return ProbeReport.Row(kind.name, notProbed: failure.description.split(separator: ";").first.map(String.init) ?? "refused")
        }
        let exchange = await connection.exchange(requests.bytes(for: kind, cursor: cursor))
        let open = exchange.observation.end == .silence ? try await openEntries() : []
        exchange.socket?.close()
        let attempts = try await entries(after: exchange).map { entry in
            ProbeReceipt(entry, wasOpen: open.contains(entry["seq"]?.int ?? 0), skew: kind.skew)
        }
        return ProbeReport.Row(kind.name, attempts: attempts, came: exchange.observation, effects: kind.effects)
    }

    // MARK: the journal

    /// The numbers of the exchanges that are in progress.
    private func openEntries() async throws -> [Int64] {
        let entries = try await session.get("/journal")["entries"]?.array ?? []
        return entries.filter { !ProbeRun.hasEnded($0) }.compactMap { $0["seq"]?.int }
    }

    /// The exchanges, once all have ended; if something between does not close its connection, removing the rules ends them.
    private func entries(after exchange: ProbeConnection.Exchange) async throws -> [JSON] {
        let entries = try await entries(within: connection.limit)
        if !entries.isEmpty, entries.allSatisfy(ProbeRun.hasEnded) { return entries }
        try await session.call("DELETE", "/faults")
        return try await self.entries(within: entries.isEmpty ? .zero : connection.limit)
    }

    /// Reads the journal until there are exchanges and all have ended, or for as long as that.
    private func entries(within limit: Duration) async throws -> [JSON] {
        let deadline = ContinuousClock.now + limit
        var answer = try await session.get("/journal")
        while true {
            let entries = answer["entries"]?.array ?? []
            let left = Int64((deadline - ContinuousClock.now) / .milliseconds(1))
            if left <= 0 || !entries.isEmpty && entries.allSatisfy(ProbeRun.hasEnded) { return entries }
            answer = try await session.get("/journal?revision=\(answer.text("revision"))&wait=\(left)ms")
        }
    }

    private static func hasEnded(_ entry: JSON) -> Bool { entry["receipt"]?.object != nil }
}

struct ProbeRequests: Sendable {
    let address: ProviderAddress
    /// The session's path, without a slash at its end.
    let prefix: String
    /// The path of a read.
    let example: String
    /// Nil if the bank needs none.
    let token: String?
    /// Nil if the probe knows none for the bank.
    let known: Known?

    /// Requests of one bank that its description does not contain.
    struct Known: Sendable {
        /// A list in pages, with the name of the cursor in responses and in queries.
        let list: String
        let cursorMember: String
        let cursorName: String
        let paymentPath: String
        let payment: String

        static let all: [String: Known] = [
            "counterfoil": Known(
                list: "/v1/accounts/ava-gbp/transactions", cursorMember: "next_cursor", cursorName: "cursor", paymentPath: "/v1/payments",
                payment: #"{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "5.00", "currency": "GBP"}}"#)
        ]
    }

    /// The request for a kind.
    ///
    /// - Parameter cursor: that of the list's second page; nil if unknown.
    func bytes(for kind: ProbeKind, cursor: String?) -> [UInt8] {
        switch kind.request {
        case .payment where known != nil: payment(key: "probe-\(kind.name)")
        case .page where known != nil && cursor != nil: list(cursor: cursor)
        case .payment: head("GET", example, ["Content-Type: application/json"], body: "{}")
        case .read, .page: head("GET", example)
        }
    }

    /// A read that no rule concerns: of the list, if the bank has one, because its response contains the cursor.
    var plain: [UInt8] { known == nil ? head("GET", example) : list(cursor: nil) }

    /// The cursor in the response to ``plain``.
    func cursor(in response: ProbeResponse) -> String? {
        known.flatMap { known in (try? JSON(parsing: response.body))?[known.cursorMember]?.string }
    }

    private func list(cursor: String?) -> [UInt8] {
        head("GET", (known?.list ?? example) + (cursor.map { "?\(known?.cursorName ?? "")=\($0.pathSegment)" } ?? ""))
    }

    private func payment(key: String) -> [UInt8] {
        head(
            "POST", known?.paymentPath ?? example, ["Content-Type: application/json", "Idempotency-Key: \(key)"],
            body: known?.payment ?? "{}")
    }

    private func head(_ method: String, _ path: String, _ lines: [String] = [], body: String = "") -> [UInt8] {
        var all = ["\(method) \(prefix)\(path) HTTP/1.1", "Host: \(address.authority)", "User-Agent: counterfoil-probe/1"]
        all += token.map { ["Authorization: Bearer \($0)"] } ?? []
        all += lines
        if !body.isEmpty { all.append("Content-Length: \(body.utf8.count)") }
        // So the server, or the proxy, ends the connection after the response, and the probe sees all bytes after it.
        all.append("Connection: close")
        return Array((all.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
