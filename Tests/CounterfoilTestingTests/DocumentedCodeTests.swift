import Foundation
import Testing

/// The code blocks of the pages, the library's article and its comments are part of the example's tests.
@Suite struct DocumentedCodeTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: [
        "README.md", "docs/swift-tests.md", "Sources/CounterfoilTesting/CounterfoilTesting.docc/CounterfoilTesting.md",
        "Sources/CounterfoilTesting/Names.swift", "Sources/CounterfoilTesting/WithStubBank.swift",
        "Sources/CounterfoilTesting/Testing/StubBankTrait.swift", "Sources/CounterfoilTesting/Bank/Arrangement.swift",
        "Sources/CounterfoilTesting/Bank/StubBank+Respond.swift", "Sources/CounterfoilTesting/Faults/StubBank+Fault.swift",
        "Sources/CounterfoilTesting/Seen/StubBank+Require.swift", "Sources/CounterfoilTesting/Seen/StubBank+Journal.swift",
    ])
    func `every block of Swift is in a test`(_ path: String) throws {
        let folder = DocumentedCodeTests.root.appending(path: "examples/PocketApp/Tests/PocketAppTests")
        let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }.map { "\n" + unindented(try String(contentsOf: $0, encoding: .utf8)) + "\n" }
        let blocks = blocks(of: try String(contentsOf: DocumentedCodeTests.root.appending(path: path), encoding: .utf8))

        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(sources.contains { $0.contains("\n" + unindented(block) + "\n") }, "found in no test:\n\(block)")
        }
    }

    /// The lines between ```swift and ```; a manifest's lines are marked otherwise.
    private func blocks(of text: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(withoutCommentMark) {
            if line == "```swift" {
                block = []
            } else if line.hasPrefix("```") {
                if let lines = block { blocks.append(lines.joined(separator: "\n")) }
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private func withoutCommentMark(_ line: Substring) -> Substring {
        let inner = line.drop { $0 == " " }
        return inner.hasPrefix("///") ? inner.dropFirst(3).drop { $0 == " " } : line
    }

    /// A test's code is deeper than a page's.
    private func unindented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }
}
