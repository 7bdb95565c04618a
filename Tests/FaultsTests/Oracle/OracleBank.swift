import BankEngine
import BankModel
import StubServer
import TestBanks
import TestServer
import Testing

/// The bank for the oracle: the small one with a document of a known size.
enum OracleBank {
    static let documentBytes = 1000
    /// The content of the document.
    static let document = text(documentBytes)

    /// A JSON text with that number of bytes.
    static func text(_ bytes: Int) -> String { #"{"text": ""# + String(repeating: "x", count: bytes - 13) + #""}"# + "\n" }

    /// The bank with a document of another size.
    static func sources(_ document: String = document) throws -> [BankSource] {
        var files = TestFiles.till
        files["till/document.json"] = document
        return [try source(TestFiles(files))]
    }
}
