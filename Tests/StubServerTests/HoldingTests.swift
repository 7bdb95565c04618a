import BankCore
import BankEngine
import BankModel
import Faults
import Foundation
import Platform
import StubServer
import Testing

extension WireTests {
    /// Held exchanges leave nothing behind.
    @Suite struct HoldingTests {
        /// The open sockets and files of this process, and its threads; zeros if the system does not report them.
        private func resources() -> (files: Int, threads: Int) {
            (ThisProcess.openDescriptors ?? 0, ThisProcess.threads ?? 0)
        }

        @Test(arguments: [
            #"{"fault": "hang"}"#, #"{"fault": {"delay": {"at_point": "request", "until": "released"}}}"#,
            #"{"fault": {"stall-body": {"at": 1}}}"#, #"{"fault": {"slow": {"bytes_per_second": 1}}}"#,
            #"{"fault": {"lose-reply": {"by": "hang"}}}"#, #"{"fault": {"status": {"status": 500}, "after": "1h"}}"#,
            #"{"fault": "blackhole"}"#,
        ])
        func `a thousand held requests leave nothing`(text: String) async throws {
            try await withStub { stub in
                let before = resources()
                for ends in ["removing the rule", "resetting the session"] {
                    try stub.till.clearJournal()
                    let id = try stub.till.set(rule(text))
                    let clients = try (0..<500).map { _ in try stub.client() }
                    clients.forEach { $0.send(request("GET /v1/document.json")) }
                    #expect(try stub.till.holds(500), "\(ends)")
                    let (_, threads) = resources()
                    #expect(threads <= before.threads + 4, "no thread waits for anything")

                    if ends == "removing the rule" { #expect(try stub.till.removeRule(id)) } else { try stub.till.reset() }

                    #expect(clients.allSatisfy { $0.end().end == .fin })
                    #expect(try stub.till.heldCount == 0)
                    clients.forEach { $0.close() }
                }
                while stub.server.connectionCount > 0 { await Task.yield() }
                // The loop closes the last sockets asynchronously.
                let after = resources()
                #expect(after.files <= before.files + 2)
            }
        }

        @Test func `a client that goes away is held no longer`() async throws {
            try await withStub { stub in
                _ = try stub.till.set(rule(#"{"fault": "hang"}"#))
                let client = try stub.client()
                client.send(request("GET /v1/clock"))
                _ = try stub.till.entries { !$0.isEmpty }

                client.close()

                #expect(try stub.till.ended(1).map(\.receipt.end) == [.clientGone])
                #expect(try stub.till.heldCount == 0)
            }
        }

        @Test func `held exchanges end with their rule's time to live`() async throws {
            try await withStub { stub in
                _ = try stub.till.set(rule(#"{"fault": "hang", "ttl": "200ms"}"#))
                let client = try stub.client()

                client.send(request("GET /v1/clock"))

                #expect(client.end() == (.fin, []))
                #expect(try stub.till.rules.isEmpty)
            }
        }

        @Test func `a released delay executes and a removed one does not`() async throws {
            try await withStub { stub in
                let token = try stub.token()
                let delay = #"{"fault": {"delay": {"at_point": "request", "until": "released"}}, "on": {"role": "pay", "attempt": 1}}"#
                let id = try stub.till.set(rule(delay))
                let (first, second) = (try stub.client(), try stub.client())
                first.send(payment(key: "k1", token: token))
                _ = try stub.till.entries { $0.count == 1 }
                #expect(try stub.ask(payment(key: "k1", token: token)).error == "key-in-flight")
                #expect(try stub.till.ledger.movements.isEmpty)

                #expect(try stub.till.release() == 1)
                #expect(first.reply()?.status == 201)
                second.send(payment(key: "k2", token: token))
                _ = try stub.till.entries { $0.count == 3 }
                #expect(try stub.till.removeRule(id))

                #expect(second.end() == (.fin, []))
                #expect(try stub.till.ledger.movements.map(\.key) == ["k1"])
                #expect(try stub.ask(payment(key: "k2", token: token)).status == 201)
            }
        }

        @Test func `a payment that waits while the session is restored is not made in the restored state`() async throws {
            try await withStub { stub in
                let till = try stub.till
                till.snapshot()
                // A token of after the snapshot, which the restored state does not know.
                let token = try stub.token()
                _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "request", "until": "released"}}, "times": 1}"#))
                let client = try stub.client()
                client.send(payment(key: "k1", token: token))
                #expect(till.holds(1))

                #expect(till.restore())
                #expect(till.release() == 1)

                #expect(client.end() == (.fin, []))
                #expect(till.ledger.movements.isEmpty)
                #expect(try stub.ask(payment(key: "k1", token: try stub.token())).status == 201)
                #expect(till.ledger.movements.map(\.key) == ["k1"])
            }
        }
    }
}
