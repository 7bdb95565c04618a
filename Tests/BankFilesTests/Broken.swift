import BankFiles
import BankModel
import TestBanks
import Testing

/// The test bank with one error, and the expected message.
struct Broken: Sendable, CustomTestStringConvertible {
    let file: String
    let old: String
    let new: String
    /// The text at whose first occurrence in the broken file the position is; nil if the file has no position for it.
    let mark: String?
    let message: String
    /// The number of further complaints that follow from it.
    let consequences: Int

    /// - Parameters:
    ///   - old: the text in the valid bank's file.
    ///   - new: its replacement.
    ///   - at: the text at whose beginning the complaint must point.
    ///   - message: the whole message.
    ///   - consequences: the number of further complaints that follow from the error.
    init(_ file: String, _ old: String, _ new: String, at mark: String?, message: String, consequences: Int = 0) {
        self.file = file
        self.old = old
        self.new = new
        self.mark = mark
        self.message = message
        self.consequences = consequences
    }

    var testDescription: String { "\(file): \(new)" }

    /// The valid bank's files.
    static let valid: TestFiles = {
        var files = TestFiles()
        files.files["till/expected.yaml"] = """
            ann:
              accounts: {accounts: [{id: a1, name: Current, currency: GBP, balance: "100.00"}, {id: a2, name: Savings, balance: "5.50"}]}
              transactions:
                transactions:
                - {id: e6, date: "@0d00:00", amount: "2.00", currency: GBP, pending: false}
                - {id: e4, date: "@-1d23:59", amount: "0.05", currency: GBP}
            """
        files.files["till/pictures/coin.png"] = "coin"
        return files
    }()

    var files: TestFiles { Broken.valid.replacing(file, old, with: new) }

    /// `file:line:column: message`, as it must be reported.
    var expected: String {
        guard let mark else { return "Stubs/\(file): \(message)" }
        let text = files.files[file] ?? ""
        guard let range = text.firstRange(of: mark) else { return "the mark \(mark) is not in the file" }
        let before = text[..<range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
        return "Stubs/\(file):\(before.count):\((before.last?.count ?? 0) + 1): \(message)"
    }
}

extension Broken {
    /// Checks that the bank is rejected for this error, and for its consequences only.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let found = complaints(files)

        #expect(files != Broken.valid, "the bank is not broken", sourceLocation: sourceLocation)
        #expect(found.contains(expected), "\(found)", sourceLocation: sourceLocation)
        #expect(found.count == 1 + consequences, "\(found)", sourceLocation: sourceLocation)
    }
}

/// Every complaint of a library, warnings included, as reported.
func complaints(_ files: TestFiles) -> [String] { files.library.check().complaints.map(\.description) }
