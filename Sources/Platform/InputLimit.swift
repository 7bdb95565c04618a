/// The kinds of input, each with the number of bytes that the program reads at most.
///
/// The size of a file is checked before its first byte is read: a sparse file of a terabyte takes no memory.
package enum InputLimit: Sendable, CaseIterable {
    /// A file in a language of Counterfoil: a bank, dialect, contract, outage, rule, expected results, known failures.
    case settings
    /// A file of data: a body, a file of the corpus, a source of an import.
    case data
    /// A report as JSON: a run of all cases, ten times each, has some 30,000 results.
    case report
    /// Recorded traffic: an HTTP archive with its bodies.
    case archive
    /// The rows of a bank's table: `counterfoil generate` writes up to 10,000,000 of them, which are 2.9 GB.
    case rows
    /// One file of a client in a search for secrets; the rest of a larger one is not searched.
    case searchedFile
    /// All files of a client together in one search for secrets.
    case searchedFolder

    /// The limit in bytes.
    package var bytes: Int {
        switch self {
        case .settings: 4 << 20
        case .data, .searchedFile: 64 << 20
        case .rows: 4 << 30
        case .report, .archive, .searchedFolder: 256 << 20
        }
    }
}
