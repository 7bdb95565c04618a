import Foundation

/// The path of a state file that is not there yet.
package func newStateFile() -> String { NSTemporaryDirectory() + "counterfoil-state-\(UUID().uuidString).sqlite" }

package func removeStateFile(_ path: String) {
    for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
}
