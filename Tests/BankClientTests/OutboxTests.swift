import BankClient
import BankModel
import Foundation
import Testing

/// One behaviour, two outboxes.
struct OutboxTests {
    enum Kind: CaseIterable { case memory, sqlite }

    @Test(arguments: Kind.allCases)
    func `an entry is read as stored, and the later of one intent counts`(_ kind: Kind) async throws {
        try await withOutbox(kind) { outbox in
            let states: [OutboxEntry.State] = [
                .open, .rejected("no, \u{1F4B8} \"really\""), .done(PaymentReceipt(id: nil, state: .accepted)),
                .done(PaymentReceipt(id: "p", state: .settled)),
            ]
            for state in states {
                let entry = OutboxEntry(
                    owner: "ava", intent: "A", order: order("10.00"), key: "k", body: [0, 1, 255],
                    sentAt: state == .open ? Instant(seconds: 1_800_000_000) : nil, state: state)
                try await outbox.put(entry)
                try await outbox.put(OutboxEntry(owner: "ava", intent: "B", order: order("1.00"), key: "other", body: []))
                #expect(try await outbox.entry("A", of: "ava") == entry)
            }
            #expect(try await outbox.entry("C", of: "ava") == nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `payments of one intent are separate for each customer`(_ kind: Kind) async throws {
        try await withOutbox(kind) { outbox in
            let entries = ["ava", "ben", ""].map {
                OutboxEntry(owner: $0, intent: "A", order: order("1.00"), key: "key of \($0)", body: [])
            }

            for entry in entries { try await outbox.put(entry) }

            for entry in entries { #expect(try await outbox.entry("A", of: entry.owner) == entry) }
            #expect(try await outbox.entry("A", of: "cy") == nil)
            #expect(try await outbox.owners(of: "A") == ["ava", "ben", ""])
            #expect(try await outbox.owners(of: "B") == [])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a cancelled task stores its entry: the outcome of a payment must not get lost with its payment order`(_ kind: Kind) async throws {
        try await withOutbox(kind) { outbox in
            let entry = OutboxEntry(owner: "ava", intent: "A", order: order("1.00"), key: "k", body: [1])

            try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await outbox.put(entry)
            }.value

            #expect(try await outbox.entry("A", of: "ava") == entry)
        }
    }

    @Test func `the file is for its owner only`() async throws {
        try await withFolder { folder in
            let path = folder + "/state/outbox.sqlite"
            try SQLiteOutbox(path: path).put(OutboxEntry(owner: "ava", intent: "A", order: order("1.00"), key: "k", body: [1]))

            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
    }

    private func withOutbox(_ kind: Kind, _ body: (any Outbox) async throws -> Void) async throws {
        try await withFolder { folder in
            switch kind {
            case .memory: try await body(MemoryOutbox())
            case .sqlite: try await body(try SQLiteOutbox(path: folder + "/outbox.sqlite"))
            }
        }
    }
}
