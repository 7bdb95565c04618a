import BankEngine
import BankModel
import Faults
import Platform
import StubServer
import TestServer
import Testing

/// Tests that measure what belongs to the whole process, or take most of it: memory, open files, threads, thousands of connections.
///
/// One at a time, because another test would count as well. `.ci/unit-tests` gives them a process without other tests.
@Suite(.serialized) struct SerialTests {
    @Test func `thousands of open connections do not keep others out`() async throws {
        try await withStub(configure: { $0.eventLoops = 2 }) { stub in
            let limit = try #require(ThisProcess.openFileLimit)
            let count = min(9000, Int(clamping: limit) / 2 - 300)
            try #require(count > 100)

            let open = try (1...count).map { _ in try stub.client() }
            for client in open[..<(count / 2)] { await client.send("GET /v1/clo") }

            #expect(try await stub.ask(request("GET /v1/clock")).status == 200)
            #expect(stub.server.connectionCount >= count - 1)
            open.forEach { $0.close() }
        }
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
                for client in clients { await client.send(request("GET /v1/document.json")) }
                #expect(try await stub.till.holds(500), "\(ends)")
                let (_, threads) = resources()
                #expect(threads <= before.threads + 4, "no thread waits for anything")

                if ends == "removing the rule" { #expect(try stub.till.removeRule(id)) } else { try stub.till.reset() }

                for client in clients { #expect(await client.end().end == .fin) }
                #expect(try stub.till.heldCount == 0)
                clients.forEach { $0.close() }
            }
            while stub.server.connectionCount > 0 { await Task.yield() }
            // The loop closes the last sockets asynchronously.
            let after = resources()
            #expect(after.files <= before.files + 2)
        }
    }

    /// The open sockets and files of this process, and its threads; zeros if the system does not report them.
    private func resources() -> (files: Int, threads: Int) {
        (ThisProcess.openDescriptors ?? 0, ThisProcess.threads ?? 0)
    }
}
