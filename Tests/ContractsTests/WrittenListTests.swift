import Contracts
import Foundation
import Testing

/// Lists of suites that are written by hand, in comments and pages.
@Suite struct WrittenListTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: WrittenListTests.root.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: [
        "clients/java/src/junit/java/counterfoil/junit/WithBank.java", "clients/java/src/junit4/java/counterfoil/junit4/BankRule.java",
        "clients/js/src/kit.d.ts", "clients/python/src/counterfoil/mcp_server.py", "clients/python/src/counterfoil/pytest_plugin.py",
        "docs/steering.md",
    ])
    func `a list of the suites for recorded traffic names each of them`(path: String) throws {
        let lists = try text(path).split(separator: "\n").map { line in line.split { !$0.isLetter && $0 != "_" }.map(String.init) }
            .filter { $0.contains("auth") && $0.contains("retry") }

        #expect(!lists.isEmpty)
        for list in lists { #expect(ClientRule.suites.filter { !list.contains($0) } == [], "\(path)") }
    }

    @Test func `the page of the contracts names each suite`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: WrittenListTests.root.appending(path: "Contracts").path)
        let suites = Set(files.filter { $0.hasSuffix(".yaml") }.compactMap { $0.split(separator: ".").first.map(String.init) })
        let rows = try text("Contracts/README.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let named = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }

        #expect(named.sorted() == suites.subtracting(["bugs", "invariants"]).sorted())
    }
}
