import CounterfoilTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Payments that the user confirms in another app, on the bank's page, or by a code.
@Suite(.timeLimit(.minutes(10))) struct ChallengeTests {
    private func pay(_ bank: StubBank, _ token: String) async throws -> Int {
        var request = URLRequest(url: bank.url.appending(path: "v1/payments"))
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("k1", forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = Data(#"{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "1.00", "currency": "GBP"}}"#.utf8)
        return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode ?? 0
    }

    @Test func `a test approves or denies in the user's place`() async throws {
        try await withStubBank(.counterfoil, options: StubBankOptions(challenges: .decoupled)) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            #expect(throws: StubBankError.self) { try bank.challenge.approve() }
            #expect(try await pay(bank, token) == 403)
            try bank.challenge.deny()
            #expect(try await pay(bank, token) == 403)
            try bank.challenge.approve()
            #expect(try await pay(bank, token) == 201)
            #expect(try bank.challenge.states() == [.denied, .approved])
            #expect(try bank.challenge.code() == "0000")
        }
    }

    @Test func `a user decides on the bank's page, or a test in the user's place`() async throws {
        try await withStubBank(.counterfoil, options: StubBankOptions(challenges: .redirect)) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            #expect(try await pay(bank, token) == 403)
            try bank.challenge.deny()
            #expect(try await pay(bank, token) == 403)
            let page = try #require(URL(string: "\(bank.url)/oauth/authorize?challenge=challenge-2&client_id=web&state=s2"))
            let answer = try bank.authorize(page)
            #expect(answer?.absoluteString.hasPrefix("https://web.example/callback?challenge=challenge-2&state=s2") == true)
            #expect(try await pay(bank, token) == 201)
            #expect(try bank.challenge.states() == [.denied, .approved])
        }
    }
}
