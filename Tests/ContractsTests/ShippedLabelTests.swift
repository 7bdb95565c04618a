import BankFiles
import BankModel
import Foundation
import TestBanks
import Testing

/// Shipped contracts refer to steps by label, so that a step put between others re-points nothing.
@Suite struct ShippedLabelTests {
    private static let folder = Clone.contracts

    private static func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
    }

    /// The positions that name a step by its number, and how many name one at all.
    private func references(in node: Node) -> (all: Int, numbered: [String]) {
        switch node.content {
        case .scalar: return (0, [])
        case .list(let nodes):
            return nodes.map { references(in: $0) }.reduce((0, [])) { ($0.0 + $1.all, $0.1 + $1.numbered) }
        case .mapping(let members):
            return members.reduce((0, [])) { sum, member in
                guard let name = reference(member.key.scalar, member.value) else {
                    let inner = references(in: member.value)
                    return (sum.0 + inner.all, sum.1 + inner.numbered)
                }
                return (sum.0 + 1, sum.1 + (Int(name) == nil ? [] : ["\(member.value.position)"]))
            }
        }
    }

    /// The step's number or label, if the member refers to one.
    private func reference(_ key: String?, _ value: Node) -> String? {
        guard let text = value.scalar else { return nil }
        switch key {
        case "step", "control", "cancel": return text
        case "view" where text.hasPrefix("as "): return String(text.dropFirst(3))
        default: return nil
        }
    }

    @Test func `no shipped contract refers to a step by its number`() throws {
        let complaints = Complaints()
        var count = 0
        for file in try ShippedLabelTests.files() {
            let text = try String(contentsOf: file, encoding: .utf8)
            let root = try #require(Node.parse(yaml: text, file: file.lastPathComponent, complaints))

            let found = references(in: root)

            #expect(found.numbered == [])
            count += found.all
        }
        #expect(complaints.all.isEmpty)
        #expect(count > 400)
    }

    @Test func `a reference by number is found`() throws {
        let node = try #require(Node.parse(yaml: "expect: [{control: 2}, {step: before, view: as 3}]", file: "t.yaml", Complaints()))

        let found = references(in: node)

        #expect(found.all == 3)
        #expect(found.numbered.count == 2)
    }
}
