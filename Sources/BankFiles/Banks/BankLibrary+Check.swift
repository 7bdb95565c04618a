package import BankCore
package import BankModel

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
        var seen: Set<Complaint> = []
        result.complaints = complaints.all.filter { seen.insert($0).inserted }.inOrder
        return result
    }
}

/// The known names for a message, with the one that was probably meant.
func expectation(_ known: some Collection<String>, for name: String) -> String { oneOf(known) + didYouMean(name, among: known) }
