import BankFiles

/// The files shipped with the program, found relative to this one.
enum Shipped {
    /// The clone's top folder.
    static let root = folder(above: 3)

    static let stubs = "\(root)/Stubs"

    static var library: BankLibrary { BankLibrary(folder: stubs) }

    /// The shipped files, overlaid with the tests' own.
    static var withOwnBank: BankLibrary {
        let own = "\(folder(above: 1))/Stubs"
        let disk = FileReader.disk
        @Sendable func mine(_ path: String) -> String { "\(own)\(path.dropFirst(stubs.count))" }
        return BankLibrary(
            folder: stubs,
            files: FileReader(
                read: { (try? disk.read(named: mine($0))) ?? (try? disk.read(named: $0)) },
                list: { path in
                    let names = Set(disk.list(path) ?? []).union(disk.list(mine(path)) ?? [])
                    return names.isEmpty ? nil : names.sorted()
                }))
    }

    private static func folder(above levels: Int) -> String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(levels).joined(separator: "/")
    }
}
