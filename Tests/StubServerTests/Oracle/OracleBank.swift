import BankEngine
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
    /// The journal once so many exchanges have ended, without keeping a thread; as it is after twenty seconds if it never is.
    func finished(_ count: Int) async -> [JournalEntry] { await blocking { self.ended(count) } }
}
