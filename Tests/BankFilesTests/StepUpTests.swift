import BankCore
import BankFiles
import BankModel
import Testing

/// Monzo's five minutes: old rows are visible only soon after the sign-in, and their rejection signs nobody out.
@Suite struct StepUpTests {
    private func read(_ query: String, secondsAfterSignIn: Int64) throws -> (response: BankResponse, again: BankResponse) {
        var caller = try Caller(Shipped.library.load("feed").bank, login: "ava")
        caller.now = caller.start + .seconds(secondsAfterSignIn)
        return (caller.send("GET", "/v2/transactions" + query), caller.send("GET", "/v2/transactions"))
    }

    private static let day: Int64 = 86_400
    /// The session's start is 2025-11-19T12:00:00Z; 90 days before it is 2025-08-21T12:00:00Z.
    static let reads: [(query: String, seconds: Int64, status: Int)] = [
        ("?since=2025-01-01T00:00:00Z", 0, 200), ("?since=2025-01-01T00:00:00Z", 300, 200),
        ("?since=2025-01-01T00:00:00Z", 301, 403), ("?since=2025-01-01", 301, 403),
        ("?since=2025-08-21T12:05:01Z", 301, 200), ("?since=2025-08-21T12:05:00Z", 301, 403),
        ("?since=2025-01-01&before=2025-02-01", 301, 403), ("?before=2025-02-01", 301, 200),
        ("?since=2025-11-01", 301, 200), ("", 301, 200), ("?since=yesterday", 301, 400),
    ]

    @Test(arguments: reads)
    func `old rows are for the first five minutes`(_ query: String, _ seconds: Int64, _ status: Int) throws {
        let (response, again) = try read(query, secondsAfterSignIn: seconds)

        #expect(response.status == status)
        #expect((response.name == .stepUp) == (status == 403))
        #expect(again.status == 200, "the token stays good")
    }

    @Test func `a new sign-in opens them again`() throws {
        var caller = try Caller(Shipped.library.load("feed").bank, login: "ava")
        caller.now = caller.start + .seconds(600)
        #expect(caller.send("GET", "/v2/transactions?since=2025-01-01").status == 403)

        try caller.signIn("ava")

        #expect(caller.send("GET", "/v2/transactions?since=2025-01-01").status == 200)
    }

    @Test func `since and before narrow the list`() throws {
        var caller = try Caller(Shipped.library.load("feed").bank, login: "ava")
        let all = try #require(caller.json("/v2/transactions")["data"]?.array)
        let days = all.compactMap { $0["date"]?.string }
        let (newest, oldest) = (try #require(days.first), try #require(days.last))

        let some = caller.json("/v2/transactions?since=\(newest)&before=\(newest)")["data"]?.array

        #expect(newest > oldest)
        #expect(some == all.filter { $0["date"]?.string == newest })
    }
}
