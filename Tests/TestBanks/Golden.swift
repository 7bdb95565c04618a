import Foundation

/// A printed text as it was when somebody last looked at it: a file in a folder `Golden` beside the test.
///
/// `GOLDEN=write` in the environment rewrites the files; the difference then shows in the commit.
package struct Golden: Sendable {
    private let folder: String

    /// The folder `Golden` beside the calling source file.
    package init(beside source: String = #filePath) {
        folder = source.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Golden"
    }

    /// The first lines that differ between the file `name` and `text`; nil if they are equal.
    package func difference(_ name: String, _ text: String) -> String? {
        let path = "\(folder)/\(name)"
        if ProcessInfo.processInfo.environment["GOLDEN"] == "write" {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(filePath: path))
            } catch {
                return "\(path) cannot be written: \(error)"
            }
        }
        guard let expected = FileManager.default.contents(atPath: path).map({ String(decoding: $0, as: UTF8.self) }) else {
            return "found no \(path), expected it; GOLDEN=write writes it"
        }
        guard expected != text else { return nil }
        let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let new = text.split(separator: "\n", omittingEmptySubsequences: false)
        let same = zip(old, new).prefix { $0 == $1 }.count
        let shown = old.dropFirst(same).prefix(5).map { "- \($0)" } + new.dropFirst(same).prefix(5).map { "+ \($0)" }
        return "\(name) differs from line \(same + 1) on; GOLDEN=write rewrites it\n" + shown.joined(separator: "\n")
    }
}
