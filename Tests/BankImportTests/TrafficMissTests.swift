import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// What is learned beside a bank that has some of the operations.
@Suite struct TrafficMissTests {
    private static let seen = [Traffic.signIn, Traffic.get(1000, "/v1/accounts", Traffic.accounts)]
    private static let feed = #"{"transactions":[{"id":"t1","amount":"1.00"},{"id":"t2","amount":"2.00"}]}"#

    /// What is learned of entries beside the bank of ``seen``.
    private func missing(_ entries: [HAREntry]) throws -> TrafficImport.Learned {
        let bank = try Traffic.learned(TrafficMissTests.seen).imported.bank("b").bank
        return try Traffic.learned(entries) { $0.onMissOf = PreparedBank(bank) }
    }

    @Test func `operations that a bank has are left out and named, with the tables that nothing else needs`() throws {
        let learned = try missing(
            TrafficMissTests.seen + [
                Traffic.get(1100, "/v1/rates", #"{"rates":[{"id":"GBP","rate":"1.10"},{"id":"EUR","rate":"1.00"}]}"#)
            ])
        let bank = try learned.imported.bank("b").bank

        #expect(learned.known == ["POST /oauth/token", "GET /v1/accounts"])
        #expect(bank.operations.map(\.requestLine) == ["GET /v1/rates"])
        #expect(bank.tables.keys.sorted() == ["rates"])
    }

    @Test func `a table stays if the rows of another belong to it`() throws {
        let learned = try missing(TrafficMissTests.seen + [Traffic.get(1100, "/v1/accounts/a1/feed", TrafficMissTests.feed)])
        let bank = try learned.imported.bank("b").bank

        #expect(bank.operations.map(\.requestLine) == ["GET /v1/accounts/{accountId}/feed"])
        #expect(bank.tables.keys.contains("accounts"))
    }

    @Test func `operations below the bank's base path are written without it`() throws {
        var bank = try Traffic.learned(TrafficMissTests.seen).imported.bank("b").bank
        bank.base = "/v1"
        let rates = Traffic.get(1100, "/v1/rates", #"{"rates":[{"id":"GBP","rate":"1.10"}]}"#)
        let learned = try Traffic.learned(TrafficMissTests.seen + [rates]) { $0.onMissOf = PreparedBank(bank) }

        #expect(try #require(learned.imported.text("b/bank.yaml")).contains("base: /v1"))
        #expect(try #require(learned.imported.text("b/bank.yaml")).contains("request: \"GET /rates\""))
    }

    @Test func `another method of a known path is learned`() throws {
        let created = HAREntry(
            1100, "POST", "/v1/accounts", 201, token: "tok-aaaaaaaaaaaa", body: #"{"name":"Pot"}"#, sends: Traffic.json,
            gets: Traffic.json, response: #"{"id":"a3"}"#)
        let learned = try missing(TrafficMissTests.seen + [created])

        #expect(try learned.imported.bank("b").bank.operations.map(\.requestLine) == ["POST /v1/accounts"])
    }

    @Test func `if the bank has an operation for every request, nothing is learned, and the error names the bank`() throws {
        let error = #expect(throws: ComplaintsError.self) { _ = try missing(TrafficMissTests.seen) }

        #expect(error?.complaints.first?.message == "found 2 exchanges, and the bank b has operations for all of them")
    }
}
