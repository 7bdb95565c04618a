import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Real curl follows redirected payments and stores cookies; the journal records it.
///
/// Not on HTTP/2 in clear text: curl 7.88.1 cannot use such a connection twice (curl/curl#10634).
@Suite struct RedirectOracleTests {
    private static let wires: [OracleWire] = [.h1, .h1s, .h2]

    /// Runs curl against a session with this rule; then the test looks at its journal.
    private func withCurl(
        _ wire: OracleWire, _ fault: String, arguments: (Stub, _ origin: String) throws -> [String], exchanges: Int,
        _ test: (BankSession, [JournalEntry], CurlResult) throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        defer { authority.remove() }
        try await withStub(
            OracleBank.sources(),
            configure: { if wire.isSecure { $0.tls = TLSSettings(authority: authority.authority, port: 0) } }
        ) { stub in
            let session = try stub.till
            let origin = (wire.isSecure ? stub.server.tlsAddress : nil) ?? stub.server.address
            let version = wire.isHTTP2 ? "--http2" : "--http1.1"
            let request = try [version] + (wire.isSecure ? ["--cacert", authority.file] : []) + arguments(stub, origin)
            _ = try session.set(rule(fault))

            let result = try await OracleCurl.run([request], limit: 300)

            try test(session, await session.ended(exchanges), result)
        }
    }

    private func payment(_ stub: Stub, _ origin: String) throws -> [String] {
        [
            "-L", "-H", "Authorization: Bearer \(try stub.token())", "-H", "Idempotency-Key: k1",
            "-H", "Content-Type: application/json", "-d", #"{"from": "a1", "to": "p1", "amount": "1.00"}"#, "\(origin)/v1/payments",
        ]
    }

    @Test(arguments: wires, [307, 308])
    func `a payment is followed to the operation itself and paid once`(wire: OracleWire, status: Int) async throws {
        let fault = #"{"fault": {"redirect": {"to": "same-host", "status": \#(status)}}, "on": {"operation": "pay"}}"#
        try await withCurl(wire, fault, arguments: payment, exchanges: 2) { session, entries, result in
            #expect(result.exit == 0)
            #expect(result.status == 201)
            #expect(entries.map(\.status) == [status, 201])
            #expect(entries.map(\.committed) == [false, true])
            #expect(entries.map(\.query) == [nil, RedirectTarget.mark])
            #expect(entries.map(\.key) == ["k1", "k1"])
            #expect(Set(entries.map(\.bodySHA256)).count == 1)
            #expect(entries.map { $0.fault?.kind } == ["redirect", nil])
            #expect(entries.allSatisfy { $0.receipt.end == .kept })
            #expect(session.ledger.movements.count == 1)
        }
    }

    @Test(arguments: wires, [301, 302, 303])
    func `a payment becomes a GET that pays nothing`(wire: OracleWire, status: Int) async throws {
        let fault = #"{"fault": {"redirect": {"to": "same-host", "status": \#(status)}}, "on": {"operation": "pay"}}"#
        try await withCurl(wire, fault, arguments: payment, exchanges: 2) { session, entries, result in
            #expect(result.exit == 0)
            #expect(result.status == 404)
            #expect(entries.map(\.method) == ["POST", "GET"])
            #expect(entries.map(\.status) == [status, 404])
            #expect(entries[1].bodyBytes == 0)
            #expect(session.ledger.movements.isEmpty)
        }
    }

    @Test(arguments: wires, [303, 307])
    func `an executed payment is redirected afterwards and replayed under its key`(wire: OracleWire, status: Int) async throws {
        let fault = #"{"fault": {"redirect": {"to": "same-host", "status": \#(status), "executed": true}}, "on": {"operation": "pay"}}"#
        try await withCurl(wire, fault, arguments: payment, exchanges: 2) { session, entries, result in
            #expect(result.status == (status == 303 ? 404 : 201))
            #expect(entries.map(\.status) == [status, result.status])
            #expect(entries[0].committed)
            #expect(entries[0].fault?.point == "commit")
            #expect(entries[0].receipt.bodyBytes == 0)
            #expect(entries[1].replayed == (status == 307))
            #expect(session.ledger.movements.count == 1)
        }
    }

    @Test(arguments: wires)
    func `what reaches another host is in the journal`(wire: OracleWire) async throws {
        let fault = #"{"fault": {"redirect": {"to": "other-host", "status": 307}}, "times": 1}"#
        try await withCurl(wire, fault, arguments: payment, exchanges: 2) { _, entries, _ in
            let hosts = entries.compactMap { $0.host?.split(separator: ":").first }

            #expect(Set(hosts) == ["127.0.0.1", "localhost"])
            #expect(entries[1].bodyBytes == entries[0].bodyBytes)
            #expect(entries[1].requestHeaders.contains { $0.name.lowercased() == "idempotency-key" && $0.value == "k1" })
            // curl keeps a header of its user's, but not the token's, from another host.
            #expect(entries.map { $0.token != nil } == [true, false])
        }
    }

    @Test(arguments: wires)
    func `curl stores a cookie and sends it back`(wire: OracleWire) async throws {
        let fault = #"{"fault": {"set-cookie": {"attributes": "Path=/; HttpOnly"}}, "on": {"operation": "document"}}"#
        try await withCurl(
            wire, fault, arguments: { _, origin in ["-b", "", "\(origin)/v1/document.json", "\(origin)/v1/clock"] }, exchanges: 2
        ) { _, entries, result in
            #expect(result.exit == 0)
            let cookies = entries.map { $0.requestHeaders.contains { $0.name.lowercased() == "cookie" } }
            #expect(cookies == [false, true])
            // The journal shows that there was one, and not which.
            let values = (entries[0].responseHeaders + entries[1].requestHeaders).filter { $0.name.lowercased().hasSuffix("cookie") }
            #expect(values.count == 2)
            #expect(values.allSatisfy { !$0.value.contains("n3k7") })
            #expect(entries[0].status == 200)
        }
    }

    @Test(arguments: wires)
    func `a date of the fault's own is the only one`(wire: OracleWire) async throws {
        let date = "Tue, 05 Jun 2001 10:00:00 GMT"
        let fault = #"{"fault": {"status": {"status": 503, "headers": {"Date": "\#(date)"}}}}"#
        try await withCurl(wire, fault, arguments: { _, origin in ["-i", "\(origin)/v1/clock"] }, exchanges: 1) { _, _, result in
            let lines = String(decoding: result.body, as: UTF8.self).lowercased().split(whereSeparator: \.isNewline)

            #expect(lines.filter { $0.hasPrefix("date:") } == ["date: \(date.lowercased())"])
        }
    }
}
