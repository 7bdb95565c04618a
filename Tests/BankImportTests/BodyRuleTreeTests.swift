import Testing

@testable import BankImport

/// The rule of a location in the body of a pact.
@Suite struct BodyRuleTreeTests {
    private func tree(_ paths: [String]) throws -> BodyRuleTree {
        var tree = BodyRuleTree()
        for (number, path) in paths.enumerated() { tree.add(number, at: try steps(path)) }
        return tree
    }

    private func steps(_ path: String) throws -> [PactRules.PathElement] { try #require(PactRules.steps(path)) }

    @Test(arguments: [
        ("$.other", 0), ("$.items", 1), ("$.items[3]", 2), ("$.items[3].id", 4), ("$.items[0].id", 3), ("$.items[3].id.deep", 4),
        ("$.items[3].name", 5), ("$", 0),
    ])
    func `the longest rule holds and of these the one with the fewest wildcards`(path: String, rule: Int) throws {
        let tree = try tree(["$", "$.items", "$.items[*]", "$.items[0].id", "$.items[*].id", "$.items[*].*", "$.items"])

        let location = try steps(path)
        #expect(tree.rule(at: location) == rule)
    }

    @Test func `a location without a rule above it has none`() throws {
        let tree = try tree(["$.a.b", "$.*.c"])
        let (a, ab, abc, z, zc) = (try steps("$.a"), try steps("$.a.b"), try steps("$.a.b.c"), try steps("$.z"), try steps("$.z.c"))

        #expect([[], a, abc, zc].map(tree.rule) == [nil, nil, 0, 1])
        #expect([a, ab, z].map(tree.has) == [false, true, false])
        #expect([[], a, z, abc].map(tree.hasRule) == [true, true, true, false])
        #expect(!BodyRuleTree().hasRule(below: []))
    }

    /// Compared with each other, 2,000 rules and members took 8 s.
    @Test(.timeLimit(.minutes(2))) func `each of thousands of rules is found without comparing it with the others`() throws {
        let tree = try tree((0..<20_000).map { "$.k\($0)" })

        let found = (0..<20_000).compactMap { tree.rule(at: [.name("k\($0)")]) }
        #expect(found == Array(0..<20_000))
    }
}
