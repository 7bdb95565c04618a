import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

@Suite struct ShippedBanksTests {
    static let views: [(bank: String, customer: String?)] = [
        ("counterfoil", "ava"), ("counterfoil", "ben"), ("roundup", "ava"), ("roundup", "ben"), ("bins", nil), ("snapshot", nil),
        ("feed", "ava"), ("feed", "ben"), ("login", "ava"), ("login", "ben"),
    ]

    @Test func allBanksAndDialectsAreSound() {
        let check = Shipped.library.check()

        #expect(check.complaints.map(\.description) == [])
        #expect(check.banks.map(\.bank.name) == ["bins", "counterfoil", "feed", "login", "roundup", "snapshot"])
        #expect(check.dialects.map(\.name) == ["monzo", "openbanking-uk", "plain", "problem-json", "starling"])
    }

    @Test(arguments: views)
    func expectedViewsAreWhatTheRepliesSay(_ bank: String, _ customer: String?) throws {
        let loaded = try Shipped.library.load(bank)
        var caller = try Caller(loaded.bank, login: customer)
        let expected = Answers(expected: try #require(loaded.expected), customer: customer ?? "anyone", start: caller.start)

        let seen = try Answers(bank: bank, &caller)

        #expect(expected.accounts == seen.accounts)
        #expect(expected.balance == seen.balance)
        #expect(expected.transactions == seen.transactions)
        #expect(expected != Answers())
    }

    @Test(arguments: [("snapshot", "/content/data.json", "data.json"), ("bins", "/bins/1a30k8", "list.json")])
    func wholeFileGoesOutByteForByte(_ bank: String, _ path: String, _ file: String) throws {
        var caller = try Caller(Shipped.library.load(bank).bank, login: nil)

        let reply = caller.send("GET", path)

        #expect(reply.body == FileReader.disk.read("\(Shipped.stubs)/\(bank)/\(file)"))
        #expect(reply.header("Content-Type") == "application/json")
    }

    @Test func exampleOfTheGuideIsASoundBank() throws {
        let guide = String(decoding: try #require(FileReader.disk.read("\(Shipped.stubs)/README.md")), as: UTF8.self)
        let example = try #require(guide.split(separator: "```yaml\n").first { $0.hasPrefix("bank: ") }?.split(separator: "```").first)
        let dialect = String(decoding: try #require(FileReader.disk.read("\(Shipped.stubs)/dialects/problem-json.yaml")), as: UTF8.self)
        let row = "\"balance\": {\"amount\": \"12.30\", \"currency\": \"GBP\"}"
        let files = TestFiles([
            "mybank/bank.yaml": String(example), "dialects/problem-json.yaml": dialect,
            "mybank/accounts.json": "[{\"id\": \"a1\", \(row)}, {\"id\": \"a2\", \(row)}]",
        ])

        #expect(complaints(files) == [])
    }
}

extension Answers {
    /// Nothing is told.
    fileprivate init() { (accounts, balance, transactions) = (nil, nil, nil) }
}
