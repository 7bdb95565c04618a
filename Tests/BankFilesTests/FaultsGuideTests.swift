import BankModel
import Faults
import Foundation
import Testing

@testable import BankFiles

/// The guide to faults tells what there is, and its examples are valid.
@Suite struct FaultsGuideTests {
    private var text: String {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            return try String(contentsOf: root.appending(path: "docs/faults.md"), encoding: .utf8)
        }
    }

    /// Each row of the table of kinds: the kind, its point, its example.
    private var rows: [(kind: String, point: String, example: String, about: String)] {
        get throws {
            try text.split(separator: "\n").compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard line.hasPrefix("| `"), cells.count == 6 else { return nil }
                let names = cells.prefix(3).map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "`")) }
                return (names[0], names[1], names[2], cells[3])
            }
        }
    }

    private func rule(_ yaml: String) throws -> Rule {
        try Complaints.collecting { complaints in
            Node.parse(yaml: yaml, file: "faults.md", complaints).flatMap { Rule($0, complaints) }
        }
    }

    @Test func everyKindStandsThereWithItsPoint() throws {
        let rows = try rows

        #expect(rows.map(\.kind) == FaultKinds.all.map { $0.kind })
        for row in rows {
            let rule = try rule("fault: \(row.example)")
            #expect(rule.kind == row.kind)
            #expect(row.point == rule.point.rawValue || row.point == "at_point")
        }
    }

    @Test func theListInTheProgramTellsTheSame() throws {
        let listed = try #require(FaultKinds.json.array)

        for (row, kind) in zip(try rows, listed) {
            #expect(kind["kind"]?.string == row.kind && kind["about"]?.string == row.about)
            let example = try Complaints.collecting { complaints in Node.parse(yaml: row.example, file: "faults.md", complaints)?.json }
            let settings = try #require(example[row.kind])
            #expect((kind["example"] ?? .null) == settings, "\(row.kind)")
            #expect(kind["point"]?.string == (row.point == "at_point" ? "head" : row.point))
        }
        #expect(listed.count == FaultKinds.all.count)
    }

    @Test func everyExampleIsASoundRule() throws {
        // The example of a plan is read by PlanTests.
        let blocks = try text.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
            .filter { !$0.hasPrefix("about: ") }

        #expect(blocks.count >= 3)
        for block in blocks { #expect(throws: Never.self, "\(block)") { _ = try rule(block) } }
    }

    @Test func everyLengthOfADelayIsRead() throws {
        let line = try #require(try text.split(separator: "\n").first { $0.hasPrefix("A `delay` has one of") })
        let lengths = line.split(separator: "`").map(String.init).filter { $0.contains(": ") }

        #expect(lengths.count == 6)
        for length in lengths { #expect(throws: Never.self, "\(length)") { _ = try rule("fault: {delay: {\(length)}}") } }
    }
}
