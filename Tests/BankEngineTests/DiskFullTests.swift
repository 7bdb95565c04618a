import BankCore
import BankModel
import EventStore
import Foundation
import Platform
import TestBanks
import Testing
import TestServer

@testable import BankEngine
@testable import StubServer

/// A state file without space: the bank reports it, loses nothing, and continues once there is space.
@Suite struct DiskFullTests {
    /// Pays under one key after another until the bank rejects.
    ///
    /// - Returns: the keys of the payments made, and the rejection.
    private func fill(
        _ stub: Stub, _ name: String, token: String, prefix: String = ""
    ) async throws -> (done: [String], rejection: RawResponse) {
        let client = try stub.client()
        var done: [String] = []
        while true {
            let key = "\(name)-\(done.count + 1)"
            await client.send(payment("0.01", key: key, token: token, prefix: prefix))
            let response = try #require(await client.response())
            guard response.status == 201 else { return (done, response) }
            done.append(key)
            try #require(done.count < 5000, "the file never gets full")
        }
    }

    @Test func `nothing is lost or half done and a later retry succeeds once`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        var options = EventStore.Options(pageLimit: 40)
        // A checkpoint that ends after the first rejection would free space.
        options.checkpointBytes = .max / 2
        try await withAdmin(configure: { $0.keep(in: folder.path + "/state", options) }) { admin in
            let stub = admin.stub
            let till = try stub.till
            #expect(try await admin.call("POST /sessions", #"{"bank": "till", "name": "spare"}"#).status == 201)
            let spare = try #require(stub.server.registry.session("spare"))
            let spareToken = try spare.issueTokens(login: "ann").access.text
            for number in 1...20 {
                let paid = try await stub.ask(payment("0.01", key: "spare-\(number)", token: spareToken, prefix: "/s/spare"))
                #expect(paid.status == 201)
            }
            let token = try stub.token()
            try await till.durable()

            let (done, rejection) = try await fill(stub, "key", token: token)
            let before = till.ledger

            #expect(rejection.status == 503, "\(rejection.text)")
            #expect(rejection.error == "maintenance", "\(rejection.text)")
            #expect(before.movements.map(\.key) == done)
            #expect(before.isBalanced)
            // All at once, and each again: the key is not in flight, and nothing is done.
            let clients = try (0..<20).map { _ in try stub.client() }
            for _ in 1...3 {
                for (number, client) in clients.enumerated() {
                    await client.send(
                        payment("0.01", key: "late-\(number)", token: token) + payment("0.01", key: "later-\(number)", token: token))
                }
                for client in clients { #expect([await client.response()?.status, await client.response()?.status] == [503, 503]) }
            }
            #expect(till.ledger == before)
            #expect(till.tally.payments.values.reduce(0, +) == done.count, "those that were undone are not counted")
            #expect(try await stub.ask(request("GET /v1/accounts", token: token)).status == 200, "reads go on")
            #expect(try await stub.ask(payment("0.01", key: "key-1", token: token)).header("Idempotent-Replayed") == "true")
            let frozen = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen"}"#)
            #expect(frozen.status == 503 || frozen.status == 200, "it may be small enough")

            #expect(try await admin.call("DELETE /sessions/spare").status == 204)
            let fresh = try await stub.ask(payment("0.01", key: "late-0", token: token))
            let replay = try await stub.ask(payment("0.01", key: "late-0", token: token))

            #expect(fresh.status == 201)
            #expect(fresh.header("Idempotent-Replayed") == nil)
            #expect(replay.header("Idempotent-Replayed") == "true")
            #expect(replay.body == fresh.body)
            #expect(till.ledger.movements.map(\.key) == done + ["late-0"])
            #expect(till.ledger.isBalanced)
        }
    }

    @Test func `a rejected command is absent after a restart with more space`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        var (token, done) = ("", [String]())
        try await withStub(configure: { $0.keep(in: folder.path + "/state", EventStore.Options(pageLimit: 20)) }) { stub in
            token = try stub.token()
            done = try await fill(stub, "key", token: token).done
        }

        try await withStub(configure: { $0.keep(in: folder.path + "/state") }) { stub in
            #expect(try stub.till.ledger.movements.map(\.key) == done)
            let late = try await stub.ask(payment("0.01", key: "key-\(done.count + 1)", token: token))

            #expect(late.status == 201)
            #expect(late.header("Idempotent-Replayed") == nil)
            #expect(try await stub.ask(payment("0.01", key: done[0], token: token)).header("Idempotent-Replayed") == "true")
            #expect(try stub.till.ledger.movements.count == done.count + 1)
        }
    }

    @Test func `the journal keeps the rejection and nothing of the undone response`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await withStub(configure: { $0.keep(in: folder.path + "/state", EventStore.Options(pageLimit: 20)) }) { stub in
            let rejection = try await fill(stub, "key", token: try stub.token()).rejection

            let till = try stub.till
            let entries = await till.entries { $0.last?.status == 503 && $0.last?.durationMicroseconds != nil }
            let entry = try #require(entries.last)
            let found = till.inner.withLock { $0.journal.record(entry.seq) }
            let record = try #require(found)

            #expect(entry.responseBody == rejection.body)
            #expect(entry.response == "maintenance")
            #expect(!entry.committed)
            let request = cost(record.requestHeaders) + record.requestBody.count
            #expect(record.cost == ExchangeRecord.baseCost + request + cost(record.responseHeaders) + record.responseBody.count)
        }
    }

    /// What the journal counts for the headers of a message.
    private func cost(_ headers: [JournalEntry.Header]) -> Int {
        headers.reduce(headers.isEmpty ? 0 : 64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    }

    @Test func `a server that cannot keep its bank does not start`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }

        await #expect {
            try await withStub(configure: { $0.keep(in: folder.path + "/state", EventStore.Options(pageLimit: 1)) }) { _ in }
        } throws: { "\($0)".contains("no space left for the state file") }
    }

    @Test func `a restore that could not be stored is undone, with what changed after it`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await withStub(configure: { $0.keep(in: folder.path + "/state") }) { stub in
            let (till, token) = (try stub.till, try stub.token())
            for key in ["one", "two"] {
                #expect(try await stub.ask(payment("0.01", key: key, token: token)).status == 201)
                if key == "one" { till.snapshot() }
                try await till.durable()
            }
            let losses = till.losses

            #expect(till.restore())
            try await till.durable()
            // Not stored yet when the restore is lost; the token has expired by then.
            try till.advance(.seconds(700))
            let ticket = try #require(till.inner.withLock { $0.log?.last })
            let number = try #require(till.inner.withLock { $0.log?.seq })
            till.lose(LostCommands(session: till.id, first: number, ticket: ticket))

            #expect(till.ledger.movements.map(\.key) == ["one", "two"])
            #expect(till.ledger.isBalanced)
            await #expect(throws: (any Error).self) { try await till.durable(since: losses) }
            #expect(try await stub.ask(payment("0.01", key: "two", token: token)).header("Idempotent-Replayed") == "true")
        }
    }

    @Test func `an advance of the clock that could not be stored is undone`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await withStub(configure: { $0.keep(in: folder.path + "/state") }) { stub in
            let till = try stub.till
            let began = till.now

            try till.advance(.seconds(86_400))
            try await till.durable()
            #expect(till.now >= began + .seconds(86_400))
            let ticket = try #require(till.inner.withLock { $0.log?.last })
            let number = try #require(till.inner.withLock { $0.log?.seq })
            till.lose(LostCommands(session: till.id, first: number, ticket: ticket))

            #expect(till.now < began + .seconds(86_400))
        }
    }
}
