import CounterfoilTesting
import Foundation
import Testing

/// The bank `roundup`, as an app of the round-up exercise reads it: accounts, the settled feed of a week, spaces, and money to a goal.
@Suite struct StrictRoundUpTests {
    private struct Money: Codable {
        var currency: String
        var minorUnits: Int
    }

    private struct Accounts: Decodable {
        struct Account: Decodable {
            enum Kind: String, Decodable { case PRIMARY, ADDITIONAL }

            var accountUid: String
            var accountType: Kind
            var defaultCategory: String
            var currency: String
            var createdAt: Date
            var name: String
        }

        var accounts: [Account]
    }

    private struct Feed: Decodable {
        struct Item: Decodable {
            enum Direction: String, Decodable { case IN, OUT }

            var amount: Money
            var feedItemUid: String
            var reference: String
            var transactionTime: Date
            var direction: Direction
        }

        var feedItems: [Item]
    }

    private struct Spaces: Decodable {
        struct Goal: Decodable {
            var savingsGoalUid: String
            var name: String
            var totalSaved: Money
        }

        var savingsGoals: [Goal]
    }

    private struct Transfer: Decodable {
        var transferUid: String
        var success: Bool
    }

    /// Three digits of a second and `Z`, and nothing else.
    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = formatter.date(from: text), text.hasSuffix("Z") else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "found the date \(text)")
            }
            return date
        }
        return decoder
    }()

    private func read<BankResponse: Decodable>(_ app: StrictApp, _ path: String, _ token: String) async throws -> BankResponse {
        try StrictRoundUpTests.decoder.decode(
            BankResponse.self, from: await app.send("GET", path, headers: ["Authorization": "Bearer \(token)"]))
    }

    @Test func `the first account, its week, its goals and a transfer load`() async throws {
        try await withStubBank(.roundup) { bank in
            let app = StrictApp(baseURL: bank.url.appending(path: "api/v2"))
            let token = try bank.tokens.issue(for: .ava).text

            let accounts: Accounts = try await read(app, "/accounts", token)
            let account = try #require(accounts.accounts.first)
            let instants = ISO8601DateFormatter()
            instants.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
            let from = instants.string(from: Date() - 8 * 86_400)
            let to = instants.string(from: Date())
            let window = "minTransactionTimestamp=\(from)&maxTransactionTimestamp=\(to)"
            let feed: Feed = try await read(app, "/feed/account/\(account.accountUid)/settled-transactions-between?\(window)", token)
            let spaces: Spaces = try await read(app, "/account/\(account.accountUid)/spaces", token)

            #expect(Set(accounts.accounts.map(\.currency)) == ["GBP"])
            #expect(feed.feedItems.count >= 9)
            #expect(Set(feed.feedItems.map(\.amount.currency)) == ["GBP"])
            #expect(Set(feed.feedItems.map(\.feedItemUid)).count == feed.feedItems.count)
            #expect(!spaces.savingsGoals.isEmpty)
        }
    }

    /// The encoder orders members differently at each call: all of these are the same transfer.
    @Test func `a transfer that is encoded again for each attempt is one transfer`() async throws {
        struct Body: Encodable { var amount: Money }

        try await withStubBank(.roundup) { bank in
            let app = StrictApp(baseURL: bank.url.appending(path: "api/v2"))
            let token = try bank.tokens.issue(for: .ava).text
            let accounts: Accounts = try await read(app, "/accounts", token)
            let account = try #require(accounts.accounts.first)
            let spaces: Spaces = try await read(app, "/account/\(account.accountUid)/spaces", token)
            let goal = try #require(spaces.savingsGoals.first)
            let path = "/account/\(account.accountUid)/savings-goals/\(goal.savingsGoalUid)/add-money/\(UUID().uuidString)"
            let headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
            let encoded = try JSONEncoder().encode(Body(amount: Money(currency: "GBP", minorUnits: 342)))
            let written = [#"{"amount":{"currency":"GBP","minorUnits":342}}"#, #"{"amount": {"minorUnits": 342, "currency": "GBP"}}"#]

            for body in [encoded] + written.map({ Data($0.utf8) }) {
                let response = try StrictRoundUpTests.decoder.decode(
                    Transfer.self, from: await app.send("PUT", path, headers: headers, body: body))
                #expect(response.success)
                #expect(path.hasSuffix(response.transferUid))
            }

            #expect(bank.ledger.movements.map(\.amount.description) == ["3.42 GBP"])
        }
    }
}
