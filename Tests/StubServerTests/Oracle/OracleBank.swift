import BankModel
import StubServer
import TestBanks
import Testing

/// The bank that the oracle asks: the small one with a document of a known size.
enum OracleBank {
    static let documentBytes = 1000
    /// What stands in the document.
    static let document = text(documentBytes)

    /// A JSON text of so many bytes.
    static func text(_ bytes: Int) -> String { #"{"text": ""# + String(repeating: "x", count: bytes - 13) + #""}"# + "\n" }

    /// The bank with a document of another size.
    static func sources(_ document: String = document) throws -> [BankSource] {
        var files = TestFiles.till
        files["till/document.json"] = document
        return [try source(TestFiles(files))]
    }
}

extension BankSession {
    /// The journal once so many exchanges have ended, without keeping a thread; as it is after five seconds if it never is.
    func finished(_ count: Int) async -> [JournalEntry] {
        let isDone: ([JournalEntry]) -> Bool = { $0.count >= count && $0.allSatisfy { $0.durationMicroseconds != nil } }
        let changes = AsyncStream<Void>.makeStream()
        let watcher = watchJournal { changes.continuation.yield() }
        let limit = Task {
            try? await Task.sleep(for: .seconds(5))
            changes.continuation.finish()
        }
        defer {
            limit.cancel()
            stopWatching(watcher)
        }
        var entries = journal().entries
        if isDone(entries) { return entries }
        for await _ in changes.stream {
            entries = journal().entries
            if isDone(entries) { break }
        }
        return entries
    }
}
