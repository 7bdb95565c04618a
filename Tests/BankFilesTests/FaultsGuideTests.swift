import BankModel
import Faults
import Foundation
import TestBanks
import Testing

@testable import BankFiles

/// The guide to faults has every kind, and every example in it and in the reference is valid.
@Suite struct FaultsGuideTests {
    private func page(_ path: String) throws -> String {
        try String(contentsOf: Clone.root.appending(path: path), encoding: .utf8)
    }

    private var text: String { get throws { try page("docs/faults.md") } }

    private func blocks(of text: String) -> [String] {
        text.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    }

    private func rule(_ yaml: String) throws -> Rule {
        try Complaints.collecting { complaints in
            Node.parse(yaml: yaml, file: "faults.md", complaints).flatMap { Rule($0, complaints) }
        }
    }

    @Test func `the table of curl's exit codes has every kind once`() throws {
        let rows = try text.split(separator: "\n").compactMap { line -> [String]? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return line.hasPrefix("| [`") ? cells : nil
        }

        #expect(rows.allSatisfy { $0.count == 3 })
        let links = rows.flatMap { $0[0].components(separatedBy: ", ") }
        #expect(links.sorted() == FaultKinds.all.map { "[`\($0.kind)`](reference/faults.md#fault-\($0.kind))" }.sorted())
    }

    @Test func `every kind's example is a valid rule at its point`() throws {
        let listed = try #require(FaultKinds.json.array)

        #expect(listed.map { $0["kind"]?.string } == FaultKinds.all.map { $0.kind })
        for kind in listed {
            let name = try #require(kind["kind"]?.string)
            let rule = try rule(JSON.object(["fault": .object(JSONObject([(name, kind["example"] ?? .null)]))]).text)
            #expect(rule.kind == name)
            #expect(kind["point"]?.string == rule.point.rawValue)
            #expect(kind["about"]?.string?.isEmpty == false)
        }
    }

    @Test func `every example of the reference is a valid rule`() throws {
        let examples = blocks(of: try page("docs/reference/faults.md"))
        let rules = examples.filter { $0.hasPrefix("fault: ") }
        let lengths = examples.filter { !$0.hasPrefix("fault: ") }

        #expect(rules.count > FaultKinds.all.count)
        for example in rules { #expect(throws: Never.self, "\(example)") { _ = try rule(example) } }
        #expect(lengths.count == 4)
        for length in lengths { #expect(throws: Never.self, "\(length)") { _ = try rule("fault: {delay: {\(length)}}") } }
    }

    @Test func `every example of the guide is a valid rule`() throws {
        // The example of a plan is read by PlanTests.
        let blocks = blocks(of: try text).filter { !$0.hasPrefix("about: ") }

        #expect(blocks.count >= 3)
        for block in blocks { #expect(throws: Never.self, "\(block)") { _ = try rule(block) } }
    }

    @Test func `every length of a delay is read`() throws {
        let line = try #require(try text.split(separator: "\n").first { $0.hasPrefix("A `delay` has one of") })
        let lengths = line.split(separator: "`").map(String.init).filter { $0.contains(": ") }

        #expect(lengths.count == 6)
        for length in lengths { #expect(throws: Never.self, "\(length)") { _ = try rule("fault: {delay: {\(length)}}") } }
    }
}
