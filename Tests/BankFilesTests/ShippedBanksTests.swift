import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

@Suite struct ShippedBanksTests {
    static let names = ["berlin", "bins", "counterfoil", "feed", "login", "openbanking", "roundup", "snapshot"]
    /// Those with expected results: clients are tested against them.
    static let tested = ["berlin", "bins", "counterfoil", "feed", "login", "openbanking", "roundup", "snapshot"]
    /// At noon, a minute before midnight, and half an hour into a leap day.
    static let starts = ["2026-03-11T12:00:00Z", "2026-03-11T23:59:00Z", "2024-02-29T00:30:00Z"]

    @Test func `all banks and dialects are valid`() {
        let check = Shipped.library.check()

        #expect(check.complaints.map(\.description) == [])
        #expect(check.banks.map(\.bank.name) == ShippedBanksTests.names)
        #expect(check.dialects.map(\.name) == ["monzo", "nextgenpsd2", "openbanking-uk", "plain", "problem-json", "starling"])
    }

    @Test(arguments: tested, starts)
    func `expected views are what the responses say`(_ name: String, _ start: String) throws {
        let loaded = try Shipped.library.load(name)
        let expected = try #require(loaded.expected)
        let start = try #require(Instant(rfc3339: start))
        // A customer without accounts has no view.
        let logins: [String?] = loaded.bank.customers.filter { !$0.locked && (name != "counterfoil" || !$0.owns.isEmpty) }.map(\.login)
        let reads = ["accounts", "balance", "transactions", "atms", "goals"].filter(loaded.bank.clientOperations.contains)

        #expect(!reads.isEmpty)
        for login in logins.isEmpty ? [nil] : logins {
            for hoursEast in [-10, 0, 13] {
                var right = RightViews(bank: try Caller(loaded.bank, login: login, start: start), secondsEast: hoursEast * 3600)
                for operation in reads {
                    let seen = try right.view(of: operation, bank: name)
                    let written = expected.view(customer: login ?? "anyone", operation: operation, start: start) { _ in hoursEast * 3600 }
                    #expect(written == seen, "\(login ?? "anyone"), \(operation), \(hoursEast) hours east: \(difference(written, seen))")
                }
            }
        }
    }

    private func difference(_ written: JSON?, _ seen: JSON) -> String {
        guard let rows = written?.object?.members.first?.value.array, let others = seen.object?.members.first?.value.array else {
            return "expected.yaml has \(written?.text ?? "nothing"), the responses make \(seen.text)"
        }
        let odd = zip(rows, others).first { $0 != $1 }.map { "the first that differs: \($0.text) and \($1.text)" }
        return "expected.yaml has \(rows.count), the responses make \(others.count); \(odd ?? "all that both have are equal")"
    }

    @Test(arguments: tested)
    func `customers see different rows`(_ name: String) throws {
        let loaded = try Shipped.library.load(name)
        let expected = try #require(loaded.expected)
        for operation in ["accounts", "transactions", "goals"]
        where loaded.bank.auth != nil && loaded.bank.clientOperations.contains(operation) {
            let ids = ["ava", "ben"].map { login in
                let view = expected.view(customer: login, operation: operation, start: Instant(seconds: 0)) { _ in 0 }
                return Set((view?.object?.members.first?.value.array ?? []).compactMap { $0["id"] })
            }

            #expect(!ids[0].isEmpty, "\(operation)")
            #expect(!ids[1].isEmpty, "\(operation)")
            #expect(ids[0].isDisjoint(with: ids[1]), "\(operation)")
        }
    }

    @Test(arguments: [("snapshot", "/content/data.json", "data.json"), ("bins", "/bins/1a30k8", "list.json")])
    func `a whole file is sent byte for byte`(_ bank: String, _ path: String, _ file: String) throws {
        var caller = try Caller(Shipped.library.load(bank).bank, login: nil)

        let response = caller.send("GET", path)

        #expect(response.body == (try? FileReader.disk.read(named: "\(Shipped.stubs)/\(bank)/\(file)")))
        #expect(response.header("Content-Type") == "application/json")
    }

    @Test func `an example of the guide is a valid bank`() throws {
        let guide = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/../docs/bank-language.md"), as: UTF8.self)
        let example = try #require(guide.split(separator: "```yaml\n").first { $0.hasPrefix("bank: ") }?.split(separator: "```").first)
        let dialect = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/dialects/problem-json.yaml"), as: UTF8.self)
        let row = "\"balance\": {\"amount\": \"12.30\", \"currency\": \"GBP\"}"
        let files = TestFiles([
            "mybank/bank.yaml": String(example), "dialects/problem-json.yaml": dialect,
            "mybank/accounts.json": "[{\"id\": \"a1\", \(row)}, {\"id\": \"a2\", \(row)}]",
        ])

        #expect(complaints(files) == [])
    }
}
