import BankModel
import Testing

@testable import BankCore

/// The index finds the same operations as comparing each with each.
@Suite struct CoverIndexTests {
    private static func operation(_ line: String, _ when: [Condition]) throws -> Operation {
        let parts = line.split(separator: " ").map(String.init)
        var operation = Operation(name: line, method: parts[0], path: try #require(PathTemplate(parts[1])))
        operation.when = when
        return operation
    }

    /// Every path with every choice of conditions.
    private static func all() throws -> [Operation] {
        let paths = [
            "/", "/a", "/a/b", "/{x}", "/a/{x}", "/{x}/b", "/{x}/{y}", "/a/{x}.png", "/a/b.png", "/a/{x}.large.png", "/a/b.large.png",
        ]
        let conditions: [[Condition]] = [
            [], [Condition(.header, "X-A", .value("1"))], [Condition(.header, "x-a", .value("1")), Condition(.query, "q", .value("1"))],
            [Condition(.header, "X-A", .like(["1*"]))], [Condition(.query, "q", .absent)], [Condition(.query, "q", .like(["*"]))],
        ]
        return try paths.flatMap { path in
            try conditions.flatMap { when in try ["GET", "POST"].map { try operation("\($0) \(path)", when) } }
        }
    }

    @Test func `finds what covers`() throws {
        let all = try CoverIndexTests.all()
        var index = CoverIndex()
        for (number, operation) in all.enumerated() { index.add(operation, as: number) }

        for operation in all {
            let expected = all.indices.filter { all[$0].covers(operation) }
            #expect(index.covering(operation).sorted() == expected, "\(operation.name) \(operation.when)")
        }
    }

    @Test(arguments: ["/", "/a", "/b", "/a/b", "/a/", "/a/b.png", "/a/.png", "/a/c.large.png", "/a/b/c"])
    func `a tree finds the paths that fit`(_ path: String) throws {
        let paths = try CoverIndexTests.all().map(\.path)
        var tree = PathTree<Set<String>>()
        for path in paths { tree.update(path, default: []) { $0.insert(path.description) } }
        let segments = try #require(BankRequest("GET", path).segments)

        let expected = Set(paths.filter { $0.parameters(of: segments) != nil }.map(\.description))
        #expect(Set(tree.values(fitting: segments).joined()) == expected)
    }

    @Test func `a tree finds the paths that meet`() throws {
        let paths = try CoverIndexTests.all().map(\.path)
        var tree = PathTree<Set<String>>()
        for path in paths { tree.update(path, default: []) { $0.insert(path.description) } }

        for path in paths {
            let expected = Set(paths.filter { $0.meets(path) }.map(\.description))
            #expect(Set(tree.values(meeting: path).joined()) == expected, "\(path)")
        }
    }
}
