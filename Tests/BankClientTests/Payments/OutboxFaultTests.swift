import BankClient
import BankModel
import Foundation
import SQLiteFile
import Testing

/// An outbox that cannot store a payment: nothing is sent, and the reason is reported.
@Suite(.timeLimit(.minutes(10)))
struct OutboxFaultTests {
    @Test func `a folder in which nothing can be made`() async throws {
        try await expectNothingSent(path: "/proc/counterfoil/outbox.sqlite", "/proc/counterfoil")
    }

    @Test func `a full disk: earlier entries remain, and the failure is reported`() async throws {
        try await withFolder { folder in
            let outbox = try SQLiteOutbox(path: folder + "/outbox.sqlite", pages: 14)
            let bank = try await Bank(outbox: outbox) { _, _ in .paid }
            _ = try await bank.client.pay("A", order("10.00"))
            let long = PaymentOrder(from: String(repeating: "f", count: 100_000), to: "to", amount: pounds("1.00"))

            let failure = await #expect(throws: ClientFailure.self) { try await bank.client.pay("B", long) }

            #expect(failure?.error == .unavailable)
            #expect(failure?.detail.contains("full") == true)
            #expect(bank.payments.count == 1)
            #expect(try await onlyEntry("A", in: outbox)?.state == .done(PaymentReceipt(id: "p1", state: .accepted)))
            #expect(try outbox.owners(of: "B") == [])
        }
    }

    @Test(arguments: ["PRAGMA user_version = 99", "PRAGMA user_version = 0"])
    func `a file of another version is left as it is`(_ change: String) async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            _ = try SQLiteOutbox(path: path)
            try SQLiteDatabase(path).script(change)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))

            try await expectNothingSent(path: path, "found an outbox of version \(change.split(separator: " ").last ?? "")")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test func `the database of another program is left as it is`() async throws {
        try await withFolder { folder in
            let path = folder + "/notes.sqlite"
            try SQLiteDatabase(path).script("CREATE TABLE notes (text TEXT)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))

            try await expectNothingSent(path: path, "found another program's database, expected an outbox")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test(arguments: [0, 4096, 4097])
    func `a file that is not an outbox, or a damaged one`(_ from: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            let outbox = try SQLiteOutbox(path: path)
            for number in 0..<50 {
                let intent = "intent \(number)"
                let body = [UInt8](repeating: 1, count: 500)
                try outbox.put(OutboxEntry(owner: "ava", intent: intent, order: order("1.00"), key: "k", body: body))
            }
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes.replaceSubrange(from..<bytes.count, with: Data(repeating: 7, count: bytes.count - from))
            let copy = folder + "/copy.sqlite"
            try bytes.write(to: URL(fileURLWithPath: copy))

            try await expectNothingSent(path: copy, "copy.sqlite")
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
        }
    }

    @Test(
        arguments: ["currency = 'pounds'", "state = 'maybe'", "body = x'00', currency = ''"])
    func `an unreadable row is reported, not guessed`(_ change: String) async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            let outbox = try SQLiteOutbox(path: path)
            _ = try await Bank(outbox: outbox) { _, _ in .paid }.client.pay("A", order("10.00"))
            try SQLiteDatabase(path).script("UPDATE outbox SET \(change)")

            try await expectNothingSent(path: path, "expected")
        }
    }

    @Test(
        arguments: [ScriptedTransport.Outcome.paid, .problem(422, "x"), .lost])
    func `one that fails after the answer changes nothing of the answer`(_ outcome: ScriptedTransport.Outcome) async throws {
        let bank = try await Bank(outbox: FailingOutbox(puts: 1)) { _, _ in outcome }

        let error = await bank.error { try await $0.pay("A", order("10.00")) }

        #expect(error == (outcome == .paid ? nil : outcome == .lost ? .outcomeUnknown : .rejected))
        #expect(bank.payments.count == 1)
    }

    private func expectNothingSent(path: String, _ detail: String) async throws {
        let bank = try await Bank(outbox: SQLiteOutbox.opened(path)) { _, _ in .paid }

        let failure = await #expect(throws: ClientFailure.self) { try await bank.client.pay("A", order("10.00")) }

        #expect(failure?.error == .unavailable)
        #expect(failure?.detail.contains(detail) == true, "\(failure?.detail ?? "")")
        #expect(bank.payments.isEmpty)
    }
}

/// Stores a given number of times, then fails.
private actor FailingOutbox: Outbox {
    private var puts: Int
    private var kept: OutboxEntry?

    init(puts: Int) { self.puts = puts }

    func entry(_ intent: String, of owner: String) -> OutboxEntry? { kept }
    func owners(of intent: String) -> Set<String> { [] }

    func put(_ entry: OutboxEntry) throws(StorageError) {
        guard puts > 0 else { throw StorageError("the disk is full") }
        puts -= 1
        kept = entry
    }
}
