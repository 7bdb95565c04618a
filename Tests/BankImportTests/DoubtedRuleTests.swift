import Contracts
import Foundation
import Testing

/// The rules that the check of recorded traffic names. After a renaming such a rule would lose its doubts, and a client would be reported
/// for what a recording does not prove.
@Suite struct DoubtedRuleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Interop/BankImport/TrafficCheck")

    @Test func `every rule that the check of recorded traffic names is one for recorded traffic`() throws {
        let known = Set(ClientRule.ofJournals.map { $0.id })
        var named: Set<String> = []
        for file in ["ArchiveDoubts.swift", "RecordingDoubts.swift"] {
            let source = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
            for text in source.split(separator: "\"") where !text.contains(" ") {
                let isID = ["auth.", "pay.", "retry.", "invariant."].contains { text.hasPrefix($0) && text.count > $0.count }
                if isID { named.insert(String(text)) }
            }
        }

        #expect(named.count >= 19)
        #expect(named.subtracting(known).sorted() == [])
    }
}
