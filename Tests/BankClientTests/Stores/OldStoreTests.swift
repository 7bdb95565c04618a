import BankClient
import BankModel
import Foundation
import SQLiteFile
import Testing

/// Files as older versions wrote them: a new version reads them, and neither pays twice nor signs anybody out.
///
/// `0.1` is what version 0.1.0 stored after a sign-in, a payment A without an answer and a payment B that was accepted; `first` is an
/// outbox of the first schema, which knew no customers.
struct OldStoreTests {
    private static let keyOfA = "a4cf29bf-3172-4232-aae8-8cd08846b8b1"

    @Test func `the sign-in and the payments of version 0.1.0 are found, each under its key`() async throws {
        try await withOld("0.1") { folder in
            let token = try #require(try FileTokenStore(path: folder + "/token").load())
            let outbox = try SQLiteOutbox(path: folder + "/outbox.sqlite")
            let owner = try #require(token.owner)

            #expect(!token.access.isEmpty)
            #expect(token.refresh != nil)
            let open = try #require(try outbox.entry("A", of: owner))
            #expect((open.key, open.state) == (OldStoreTests.keyOfA, .open))
            #expect(open.mayHaveLeft)
            #expect(open.order.amount == order("10.00").amount)
            let done = try #require(try outbox.entry("B", of: owner))
            guard case .done(let receipt) = done.state else {
                Issue.record("found \(done.state), expected a payment that is done")
                return
            }
            #expect(receipt.state == .accepted)
        }
    }

    @Test
    func `a payment of the first schema, whose customer nobody knows, is neither lost nor sent: its outcome is unknown`() async throws {
        try await withOld("first") { folder in
            let bank = try await Bank(outbox: try SQLiteOutbox(path: folder + "/outbox.sqlite")) { _, _ in .paid }

            #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
            #expect(await bank.error { try await $0.resume("A") } == .outcomeUnknown)
            #expect(bank.payments.isEmpty)
            let kept = try SQLiteOutbox(path: folder + "/outbox.sqlite").entry("A", of: "")
            #expect(kept?.key == OldStoreTests.keyOfA)

            _ = try await bank.client.pay("C", order("10.00"))
            #expect(bank.payments.count == 1)
        }
    }

    /// A copy of old files, readable by their owner only, as they were: a clone does not keep that. A file of SQL becomes the database.
    private func withOld(_ name: String, _ body: (String) async throws -> Void) async throws {
        let old = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "OldStores/\(name)")
        try await withFolder { folder in
            for file in try FileManager.default.contentsOfDirectory(atPath: old.path) {
                var copy = folder + "/" + file
                if file.hasSuffix(".sql") {
                    copy += "ite"
                    try SQLiteDatabase(copy).script(String(contentsOf: old.appending(path: file), encoding: .utf8))
                } else {
                    try FileManager.default.copyItem(atPath: old.appending(path: file).path, toPath: copy)
                }
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            }
            try await body(folder)
        }
    }
}
