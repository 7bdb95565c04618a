package import BankFiles
package import Foundation

/// The clone of the repository that has these tests.
package enum Clone {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    package static let stubs = root.appending(path: "Stubs").path
    package static let contracts = root.appending(path: "Contracts")
    /// The banks that come with the program.
    package static let library = BankLibrary(folder: stubs)
}
