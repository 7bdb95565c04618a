package import BankCore
package import BankModel

/// A folder of banks, dialects and outages: `Stubs/`.
package struct BankLibrary: Sendable {
    package let folder: String
    /// The folder that came with the program: dialects, outages and the corpus that `folder` does not have are its own. nil if
    /// there is none.
    package let shipped: String?
    package let files: FileReader
    /// Whether `expected.yaml` is read too; a server does not need it.
    let readsExpected: Bool

    package init(folder: String, shipped: String? = nil, files: FileReader = .disk, readsExpected: Bool = true) {
        self.folder = folder
        self.shipped = shipped
        self.files = files
        self.readsExpected = readsExpected
    }

    /// The existing banks: every folder with a `bank.yaml`.
    package var names: [String] { (files.list(folder) ?? []).filter(has) }

    package func has(_ name: String) -> Bool { !name.contains("/") && hasFile("bank.yaml", of: name) }

    /// Whether the folder of a bank has a file of that name, whether or not it can be read.
    func hasFile(_ file: String, of bank: String) -> Bool { files.list("\(folder)/\(bank)")?.contains(file) ?? false }

    /// The outages of the folder, and those that came with the program.
    package var plans: PlanLibrary { PlanLibrary(stubs: folder, shipped: shipped, files: files) }

    /// The folder, and the one that came with the program.
    var layers: FileLayers { FileLayers(own: folder, shipped: shipped, files: files) }

    /// Reads one bank and all its files.
    ///
    /// - Throws: every error of every file, at once, in the order of files and lines.
    package func load(_ name: String) throws(ComplaintsError) -> LoadedBank {
        let complaints = Complaints()
        let loader = BankLoader(name: name, library: self, complaints: complaints)
        let loaded = loader.load()
        guard var loaded, complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors.inOrder) }
        loaded.warnings = complaints.all.filter(\.isWarning).inOrder
        return loaded
    }
}

/// A bank that was read and validated.
package struct LoadedBank: Sendable {
    package var bank: Bank
    /// The views of a correct client; nil if the bank has no `expected.yaml`.
    package var expected: ExpectedViews?
    package var warnings: [Complaint]
    /// Every file it was read from.
    package var files: [String]
}

extension [Complaint] {
    /// Grouped by file, in the order of lines; the files in the order of their first complaint.
    var inOrder: [Complaint] {
        var files: [String?: Int] = [:]
        for complaint in self where files[complaint.position.file] == nil { files[complaint.position.file] = files.count }
        let ranked = enumerated().map { offset, complaint in
            let position = complaint.position
            return (rank: [files[position.file] ?? 0, position.line ?? 0, position.column ?? 0, offset], complaint: complaint)
        }
        return ranked.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.complaint)
    }
}

/// The result of reading banks and dialects: the valid ones, and every complaint about the rest.
package struct LibraryCheck: Sendable {
    /// The banks without an error.
    package var banks: [LoadedBank] = []
    /// The dialects without an error.
    package var dialects: [Dialect] = []
    /// Errors and warnings of all files, each once, in the order of files and lines.
    package var complaints: [Complaint] = []
}

extension BankLibrary {
    /// The existing dialects: every YAML file in `dialects`, and those that came with the program.
    package var dialectNames: [String] { layers.names(in: "dialects", ending: ".yaml") }

    /// The file of a dialect.
    func path(ofDialect name: String) -> String { layers.path(of: "\(name).yaml", in: "dialects") }

    /// Reads the banks of these names and their dialects; without a name all banks and all dialects, also those of no bank.
    package func check(_ wanted: [String] = []) -> LibraryCheck {
        let complaints = Complaints()
        var result = LibraryCheck()
        let known = names
        if known.isEmpty { complaints.add(found: "no bank", expected: "folders with a bank.yaml", at: SourcePosition(file: folder)) }
        for name in wanted.isEmpty ? known : wanted {
            guard known.contains(name) else {
                if !known.isEmpty {
                    complaints.add(found: "the bank `\(name)`", expected: expectation(known, for: name), at: SourcePosition(file: folder))
                }
                continue
            }
            let found = Complaints()
            if let bank = BankLoader(name: name, library: self, complaints: found).load(), found.errors.isEmpty {
                result.banks.append(bank)
            }
            found.all.forEach(complaints.add)
        }
        let spoken = Set(result.banks.map(\.bank.dialect.name))
        for name in dialectNames where wanted.isEmpty || spoken.contains(name) {
            let found = Complaints()
            if let dialect = BankLoader(name: name, library: self, complaints: found).dialect(named: name), found.errors.isEmpty {
                result.dialects.append(dialect)
            }
            found.all.forEach(complaints.add)
        }
        // A dialect's errors are found with each bank that uses it.
        result.complaints = distinct(complaints.all).inOrder
        return result
    }
}

/// The known names for a message, with the one that was probably meant.
func expectation(_ known: some Collection<String>, for name: String) -> String { oneOf(known) + didYouMean(name, among: known) }
