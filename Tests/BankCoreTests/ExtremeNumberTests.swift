import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// Every number and duration of a bank's files with the largest and smallest values: the bank is rejected, or serves.
@Suite struct ExtremeNumberTests {
    static let numbers = ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e308", "-1e308"]
    static let durations = ["9223372036s", "36525d", "3155760000001ms", "0s", "9223372036854775807ms"]

    /// A bank that contains every kind of number and duration of a file at least once.
    static let files = TestFiles.settling
        .replacing("till/bank.yaml", "scope: read\n", with: "scope: read\n    fresh: {within: 5m, for: {query: from, older: 90d}}\n")
        .replacing("dialects/terse.yaml", "stored: executed", with: "stored: [200-299, 422]")
        .replacing(
            "dialects/terse.yaml", "replies:", with: "magic: {amounts: {\"6660101\": insufficient-funds}, payees: {p9: rejected}}\nreplies:"
        )

    /// A position in a file that holds a number or a duration.
    struct Position: Sendable, CustomTestStringConvertible {
        let file: String
        let range: Range<Int>
        let text: String

        var testDescription: String { "\(file)@\(range.lowerBound): \(text)" }

        /// The files with another text at that position.
        func files(with text: String) -> TestFiles {
            var changed = ExtremeNumberTests.files
            var bytes = Array((changed.files[file] ?? "").utf8)
            bytes.replaceSubrange(range, with: Array(text.utf8))
            changed.files[file] = String(decoding: bytes, as: UTF8.self)
            return changed
        }
    }

    static let positions: [Position] = files.files.sorted { $0.key < $1.key }.flatMap { file, text in
        text.matches(of: #/[\s:\[{,"@-]([0-9]+(\.[0-9]+)?(e[0-9])?(ms|s|m|h|d)?)(?=[\s,\]}"d])/#).map { match in
            let start = text.utf8.distance(from: text.startIndex, to: match.output.1.startIndex)
            return Position(file: file, range: start..<start + match.output.1.utf8.count, text: String(match.output.1))
        }
    }

    @Test func `the positions are found`() {
        let texts = Set(Self.positions.map(\.text))

        #expect(complaints(Self.files).isEmpty, "otherwise no bank would serve")
        #expect(texts.isSuperset(of: ["10m", "1d", "24h", "1m", "40", "3", "5", "201", "0", "6660101", "100.00", "12.00", "3.50"]))
    }

    @Test(arguments: positions)
    func `a bank with it is rejected or serves`(_ position: Position) throws {
        for text in Self.numbers + Self.durations {
            let files = position.files(with: text)
            guard complaints(files).isEmpty else { continue }
            try use(files)
        }
    }

    private func complaints(_ files: TestFiles) -> [Complaint] { files.library.check().complaints.filter { !$0.isWarning } }

    /// Signs in, reads, pays and advances the clock: none of it must end the process.
    private func use(_ files: TestFiles) throws {
        var till = try Till(files)
        let signedIn = till.send("POST", "/v1/token", body: "grant_type=password&username=ann&password=apple")
        let issued = try? till.token()
        let token = signedIn.json["access"]?.string ?? issued ?? ""
        for round in 1...2 {
            for target in ["", "/a1", "/a1/entries?limit=5", "/a1/entries?from=1677-09-22&to=2262-04-11"] {
                _ = till.send("GET", "/v1/accounts" + target, token: token)
            }
            for (number, amount) in ["1.00", "92233720368547758.07", "0.01", "66601.01"].enumerated() {
                for payee in ["p1", "a2", "p9"] {
                    _ = till.pay(amount, key: "k\(round)-\(number)-\(payee)", token: token, to: payee)
                }
            }
            till.now = till.now + Duration.longestText
        }
        _ = till.state.audit(at: till.now)
    }
}
