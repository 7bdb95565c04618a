import BankCore
import BankEngine
import BankModel
import EventStore
import FailingDisk
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// A disk that fails during a commit: no response reports that its payment was made, and none that it was not.
@Suite struct FailedDiskTests {
    private func failing(_ folder: TestFolder) -> (inout ServerConfiguration) -> Void {
        var options = EventStore.Options()
        options.vfs = FailingDisk.name
        return { [options] in $0.keep(in: folder.path + "/state", options) }
    }

    /// A commit writes some ten times; a failed flush at the end leaves the payment in the file.
    @Test(arguments: [0, 2, 4, 6, 8]) func `a payment whose commit fails gets no byte, and a restart decides`(calls: Int) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let disk = FailingDisk(folder: folder.path)
        var token = ""
        try await withAdmin(configure: failing(folder)) { admin in
            let stub = admin.stub
            token = try stub.token()
            #expect(try await stub.ask(payment("0.01", key: "one", token: token)).status == 201)
            let client = try stub.client()
            disk.fail(after: calls, .error)

            await client.send(payment("0.02", key: "two", token: token))

            let end = await client.end()
            #expect(end.end == .fin)
            #expect(end.bytes == [])
            #expect(disk.repair())
            for request in [payment("0.03", key: "three", token: token), request("GET /v1/accounts", token: token)] {
                let rejection = try await stub.ask(request)
                #expect(rejection.status == 503)
                #expect(rejection.error == "maintenance")
            }
            let ready = try await admin.ask("GET /readyz")
            #expect(ready.status == 503)
            #expect(ready.text.contains("no further changes are written until the server is restarted"))
        }

        try await withStub(configure: { $0.keep(in: folder.path + "/state") }) { stub in
            let till = try stub.till
            #expect(try await stub.ask(payment("0.01", key: "one", token: token)).header("Idempotent-Replayed") == "true")
            #expect(try await stub.ask(payment("0.02", key: "two", token: token)).status == 201)
            #expect(try await stub.ask(payment("0.03", key: "three", token: token)).status == 201)
            #expect(till.ledger.movements.map(\.key) == ["one", "two", "three"])
            #expect(till.ledger.isBalanced)
        }
    }

    @Test func `a stream of HTTP/2 is reset, and the journal does not call the payment committed`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let disk = FailingDisk(folder: folder.path)
        try await withStub(configure: failing(folder)) { stub in
            let token = try stub.token()
            #expect(try await stub.ask(payment("0.01", key: "one", token: token)).status == 201)
            let client = try await HTTP2Client(stub)
            disk.fail(after: 3, .error)

            let stream = await client.send(
                [
                    (":method", "POST"), (":scheme", "http"), (":authority", "bank"), (":path", "/v1/payments"),
                    ("authorization", "Bearer \(token)"), ("idempotency-key", "two"), ("content-type", "application/json"),
                ], body: #"{"from": "a1", "to": "p1", "amount": "0.02"}"#)

            await client.read { $0.haveEnded([stream]) }
            let till = try stub.till
            #expect(client.streams[stream]?.status == nil)
            await till.waitForExchanges(within: .seconds(300))
            #expect(till.journal().entries.last?.committed == false)
        }
    }
}
