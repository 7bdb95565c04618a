import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// The test of one cell of the table.
struct OracleRun: Sendable {
    let row: FaultRow
    let cell: OracleCell
    /// Signs the server's certificates.
    let authority: TestAuthority

    /// The table's expectation; nil if it has no such cell.
    var seen: Seen? { row[cell] }

    /// The deviations from the table; empty if there are none.
    func complaints() async throws -> [String] {
        guard seen?.isHeld == true else { return try await complaints(limit: 300) }
        // Held cells wait for curl's limit each time, so it is short. It may be exceeded while the machine stalls: a
        // deviation is checked again with more time.
        let complaints = try await complaints(limit: 1.5)
        return complaints.isEmpty ? [] : try await self.complaints(limit: 60)
    }

    /// - Parameter limit: curl's time limit, in seconds.
    private func complaints(limit: Double) async throws -> [String] {
        guard let seen else { return [] }
        var complaints: [String] = []
        try await withStub(
            OracleBank.sources(),
            configure: { if cell.wire.isSecure { $0.tls = TLSSettings(authority: authority.authority, port: 0) } }
        ) { stub in
            let session = try stub.till
            let request = try await arguments(stub)
            session.clearJournal()
            do {
                _ = try session.set(rule(#"{"fault": \#(row.fault)\#(selector)}"#))
                if seen.isRejected { return complaints.append("the rule is set, expected that it is rejected") }
            } catch let error as RuleError {
                if !seen.isRejected { complaints.append("the rule is rejected: \(error)") }
                return
            }
            await session.waitForPorts()

            let result = try await OracleCurl.run(
                (cell.state == .cold ? [] : [common + ["\(origin(stub))/v1/clock"]]) + [request], limit: limit)

            let before = cell.state == .cold ? 0 : 1
            let entries = await session.ended(before + seen.applications.lowerBound)
            complaints += seen.complaints(result, limit: limit)
            complaints += seen.complaints(entries.filter { $0.fault != nil }, result, cell)
            complaints += complaintsOfBody(result)
            complaints += complaintsOfEffects(result, isHeld: seen.isHeld)
        }
        return complaints.map { "\(row) on \(cell): \($0)" }
    }

    /// The requests that the rule matches.
    private var selector: String {
        switch (cell.state, row.request) {
        case (.warm, _): #", "on": {"connection": "warm"}"#
        case (.cold, _): ""
        case (.again, .document): #", "on": {"operation": "document"}"#
        case (.again, .page): #", "on": {"operation": "entries"}"#
        case (.again, .pay): #", "on": {"operation": "pay"}"#
        }
    }

    private func origin(_ stub: Stub) -> String { (cell.wire.isSecure ? stub.server.tlsAddress : nil) ?? stub.server.address }

    private var common: [String] {
        switch cell.wire {
        case .h1: ["--http1.1"]
        case .h2c: ["--http2-prior-knowledge"]
        case .h1s: ["--http1.1", "--cacert", authority.file]
        case .h2: ["--http2", "--cacert", authority.file]
        }
    }

    /// curl's arguments for the request, once the bank is ready for it.
    private func arguments(_ stub: Stub) async throws -> [String] {
        let base = common + row.options
        switch row.request {
        case .document: return base + ["\(origin(stub))/v1/document.json"]
        case .pay:
            return base + [
                "-H", "Authorization: Bearer \(try stub.token())", "-H", "Idempotency-Key: k1", "-H", "Content-Type: application/json",
                "-d", #"{"from": "a1", "to": "p1", "amount": "1.00"}"#, "\(origin(stub))/v1/payments",
            ]
        case .page:
            let bearer = ["-H", "Authorization: Bearer \(try stub.token())"]
            let list = "\(origin(stub))/v1/accounts/a1/entries?limit=2"
            let first = try await OracleCurl.run([common + bearer + [list]], limit: 300)
            let cursor = try #require(JSON(parsing: first.body)["next"]?.string)
            return base + bearer + ["\(list)&cursor=\(cursor)"]
        }
    }

    /// The bank's own response, if the kind declares it whole, must be complete for curl.
    private func complaintsOfEffects(_ result: CurlResult, isHeld: Bool) -> [String] {
        guard !isHeld, let kind = try? rule(#"{"fault": \#(row.fault)}"#).kind else { return [] }
        let effects = FaultKinds.effects(of: kind)
        guard effects.contains(.wholeResponse), !effects.contains(.changesContent), result.exit != 0 else { return [] }
        return ["\(kind) is declared to send a whole response"]
    }

    /// A received document must be a prefix of the original, unless the fault changes the text.
    private func complaintsOfBody(_ result: CurlResult) -> [String] {
        guard case .document = row.request, let kind = try? rule(#"{"fault": \#(row.fault)}"#).kind else { return [] }
        let effects = FaultKinds.effects(of: kind)
        guard !effects.contains(.changesContent) || effects.contains(.cutsResponse) else { return [] }
        return OracleBank.document.utf8.starts(with: result.body) ? [] : ["the body is not the document's beginning"]
    }
}

extension Seen {
    /// The deviations of curl's result.
    fileprivate func complaints(_ result: CurlResult, limit: Double) -> [String] {
        var complaints: [String] = []
        if !exits.contains(result.exit) {
            complaints.append("curl exits with \(result.exit), expected \(exits.sorted()): \(result.message)")
        }
        if !statuses.contains(result.status) { complaints.append("curl sees status \(result.status), expected \(statuses.sorted())") }
        if !body.allows(result.body.count) { complaints.append("curl gets \(result.body.count) bytes, expected \(body)") }
        let least = isHeld ? limit - 0.01 : seconds
        if result.seconds < least { complaints.append("it takes \(result.seconds) s, expected \(least) or more") }
        let isReset = ends == [.rst] && result.exit != 7
        if result.exit != 0, !isHeld, !statuses.isEmpty, result.message.contains("reset by peer") != isReset {
            complaints.append("curl should report a reset: \(isReset); it prints \(result.message)")
        }
        return complaints
    }

    /// The deviations of the journal.
    fileprivate func complaints(_ affected: [JournalEntry], _ result: CurlResult, _ cell: OracleCell) -> [String] {
        var complaints: [String] = []
        if !applications.contains(affected.count) { complaints.append("\(affected.count) entries are affected, expected \(applications)") }
        for entry in affected {
            let receipt = entry.receipt
            if entry.durationMicroseconds == nil { complaints.append("the exchange never ends") }
            if entry.fault?.applied != isApplied {
                complaints.append(
                    "applied is \(entry.fault?.applied == true), expected \(isApplied): \(entry.fault?.reason ?? "no reason")")
            }
            if !isApplied, entry.fault?.reason == nil { complaints.append("no reason is recorded") }
            // A client that has seen enough goes away, and the rest stays unacknowledged.
            let isCutShort = receipt.unsent > 0 && (receipt.isReset || result.exit != 0)
            if !ends.contains(receipt.end), !(isCutShort && receipt.end == .clientGone) {
                complaints.append("it ends by \(receipt.end), expected \(ends)")
            }
            if (receipt.headBytes > 0) != hasHead { complaints.append("\(receipt.headBytes) bytes of head, expected some: \(hasHead)") }
            if !sent.allows(receipt.bodyBytes) { complaints.append("\(receipt.bodyBytes) bytes of body are recorded, expected \(sent)") }
            if let raw, !raw.allows(receipt.rawBytes) { complaints.append("\(receipt.rawBytes) other bytes are recorded, expected \(raw)") }
            if entry.committed != isCommitted { complaints.append("committed is \(entry.committed), expected \(isCommitted)") }
            if entry.method != nil, entry.wireProtocol != cell.wire.wireProtocol {
                complaints.append("it speaks \(entry.wireProtocol), expected \(cell.wire.wireProtocol)")
            }
            if receipt.unsent != 0, !isCutShort { complaints.append("\(receipt.unsent) bytes are not sent, expected none") }
        }
        // curl counts the head of HTTP/1.1 as received.
        if hasHead, !cell.wire.isHTTP2, result.exit == 0, let last = affected.last, body != .nothing,
            last.receipt.headBytes + (areInterim ? last.receipt.rawBytes : 0) != result.headBytes
        {
            complaints.append("\(last.receipt) is recorded, curl counts \(result.headBytes) bytes of head")
        }
        return complaints
    }
}

extension Amount {
    func allows(_ count: Int) -> Bool {
        switch self {
        case .nothing: count == 0
        case .exactly(let bytes): count == bytes
        case .whole: count > 0
        case .any: true
        case .maybe(let bytes): count == 0 || count == bytes
        }
    }
}
