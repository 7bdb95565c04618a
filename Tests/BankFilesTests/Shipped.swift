import BankFiles

/// The files that come with the program, found from this one.
enum Shipped {
    /// The clone's top folder.
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

    static let stubs = "\(root)/Stubs"

    static var library: BankLibrary { BankLibrary(folder: stubs) }
}
