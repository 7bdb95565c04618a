import Foundation
import Platform

/// A folder of a test's own.
package struct TestFolder: Sendable {
    package let path: String

    package init() throws {
        let given = FileManager.default.temporaryDirectory.path + "/counterfoil-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: given, withIntermediateDirectories: true)
        // Errors, and SQLite, name files without links: on macOS `/var` is one.
        path = Disk.resolved(given) ?? given
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// The path of a state file that is not there yet.
package func newStateFile() -> String { NSTemporaryDirectory() + "counterfoil-state-\(UUID().uuidString).sqlite" }

package func removeStateFile(_ path: String) {
    for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
}
