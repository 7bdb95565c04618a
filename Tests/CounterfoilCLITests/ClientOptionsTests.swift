import ArgumentParser
import BankModel
import Testing

@testable import CounterfoilCLI

/// The options that all commands of the model client share.
@Suite struct ClientOptionsTests {
    @Test(
        arguments: [
            (0, "a moment ago"), (1, "1 second ago"), (59, "59 seconds ago"), (60, "1 minute ago"), (12 * 60 + 59, "12 minutes ago"),
            (3600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "1 day ago"), (1_000_000, "11 days ago"),
            (-1, "2027-01-15T08:00:01Z"),
        ] as [(Int64, String)])
    func `old data is shown with its age, and current data without one`(_ age: Int64, _ expected: String) {
        let now = Instant(seconds: 1_800_000_000)

        #expect(oldDataRemark(now + .seconds(-age), now: now) == "Cached data from \(expected): the bank did not answer.\n")
        #expect(oldDataRemark(nil, now: now).isEmpty)
    }

    @Test func `each address of a bank has a folder of its own in --home; --state names one outright`() throws {
        func folder(_ words: String...) throws -> String {
            try ClientAccounts.parse(["--bank", "roundup"] + words).options.stateFolder
        }

        #expect(try folder("--home", "/h") == "/h/client/roundup/http%3A%2F%2F127.0.0.1%3A8080%2Froundup")
        #expect(try folder("--state", "/s", "--home", "/h") == "/s")
        #expect(try folder() == UserFolder.path + "/client/roundup/http%3A%2F%2F127.0.0.1%3A8080%2Froundup")
        #expect(
            try folder("--home", "/h", "--url", "https://bank.example/../x/") == "/h/client/roundup/https%3A%2F%2Fbank.example%2F..%2Fx")
    }

    @Test func `a bank's address is taken with a slash at its end, and distinguished from what is none`() throws {
        func address(_ words: String...) throws -> String { try ClientAccounts.parse(["--bank", "roundup"] + words).options.baseURL }

        #expect(try address() == "http://127.0.0.1:8080/roundup")
        #expect(try address("--url", "https://bank.example/api/") == "https://bank.example/api")
        for wrong in ["127.0.0.1:8080/roundup", "ftp://bank.example", "http://bank.example?a=b", ""] {
            let error = #expect(throws: (any Error).self) { try address("--url", wrong) }
            #expect(error.map { ClientAccounts.message(for: $0).contains("found --url \(wrong), expected an http or https") } == true)
        }
    }
}
