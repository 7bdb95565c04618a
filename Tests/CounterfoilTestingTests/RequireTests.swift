import Contracts
import CounterfoilTesting
import Foundation
import Testing

/// The judge inside a test.
@Suite(.timeLimit(.minutes(10))) struct RequireTests {
    @Test func `an app that does right passes`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            _ = try await call(bank, "v1/accounts", token: token)

            let verdict = try await bank.require("auth.no-empty-bearer", "auth.token-never-in-url")

            #expect(verdict.rules.map(\.outcome) == [.kept, .kept])
            #expect(verdict.rules.map(\.met) == [1, 1])
            try await bank.require()
        }
    }

    @Test func `a broken rule is reported so that a newcomer can act`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava)
            try bank.tokens.revoke()
            let http = connections()
            for _ in 1...2 { _ = try await call(bank.url.appending(path: "v1/accounts"), over: http, token: token.text) }

            let thrown = await #expect(throws: BrokenRules.self) { try await bank.require(.auth) }
            let broken = try #require(thrown)

            #expect(broken.notExercised == [])
            #expect(broken.verdict.rules.filter { $0.outcome == .broken }.map(\.id) == ["auth.token-cleared-on-rejection"])
            for line in [
                "bank \"counterfoil\", seed 7", "FAIL  auth.token-cleared-on-rejection@counterfoil", "  why       A rejected token must be",
                "  Exchange 2 (GET /v1/accounts) sent token#1 again after", ". A rejected token must not be sent again", "  timeline",
                "GET /v1/accounts token#1 → 401, token-rejected",
            ] {
                #expect(broken.description.contains(line), "\(line)")
            }
            #expect(!broken.description.contains(token.text))
            #expect(broken.errorDescription == broken.description)
        }
    }

    @Test
    func `a token that is sent again at once on another connection decides the rule if the app sends one request at a time`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava)
            _ = try await call(bank, "v1/accounts", token: token.text)
            try bank.tokens.revoke()
            for _ in 1...2 { _ = try await call(bank.url.appending(path: "v1/accounts"), over: connections(), token: token.text) }

            let open = try await bank.require(.auth)
            let broken = await #expect(throws: BrokenRules.self) { try await bank.require(.auth, sequential: true) }

            #expect(open.rules.first { $0.id == "auth.token-cleared-on-rejection" }?.outcome == .inconclusive)
            #expect(broken?.verdict.rules.first { $0.id == "auth.token-cleared-on-rejection" }?.outcome == .broken)
        }
    }

    @Test(arguments: [true, false])
    func `a corrected payment needs a new key, however the digits of the UUID are written`(isUpper: Bool) async throws {
        try await withStubBank(.roundup) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            let key = isUpper ? "70585E3A-5382-4052-88D9-4E8523D4BA99" : "70585e3a-5382-4052-88d9-4e8523d4ba99"
            let account = "api/v2/account/5f1c0a10-0000-4000-8000-000000000a01"
            let goal = "savings-goals/90a10a10-0000-4000-8000-000000000a11"
            let http = connections()
            for amount in [#"{"currency":"GBP"}"#, #"{"currency":"GBP","minorUnits":100}"#] {
                let url = bank.url.appending(path: "\(account)/\(goal)/add-money/\(key)")
                _ = try await call(url, over: http, method: "PUT", token: token, body: #"{"amount":\#(amount)}"#)
            }

            let broken = await #expect(throws: BrokenRules.self) { try await bank.require("pay.corrected-payment-new-key") }

            #expect(broken?.verdict.rules.map(\.outcome) == [.broken])
        }
    }

    @Test func `what was never exercised is no pass`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let early = await #expect(throws: BrokenRules.self) { try await bank.require() }
            let untouched = try #require(early)
            #expect(untouched.description.contains("the bank received no request: does the app use bank.url?"))
            _ = try await call(bank, "v1/accounts", token: try bank.tokens.issue().text)

            let thrown = await #expect(throws: BrokenRules.self) { try await bank.require(.auth, .pay) }
            let broken = try #require(thrown)

            #expect(broken.notExercised == ["pay"])
            #expect(
                broken.description.contains(
                    "\"pay\" was expected, but not exercised: the app never triggered\n  pay.retry-same-bytes: when "))
            #expect(!broken.description.contains("received no request"))
        }
    }

    @Test func `what was before clearing is not judged`() async throws {
        try await withStubBank(.counterfoil) { bank in
            _ = try await call(bank, "v1/accounts", token: "")
            await #expect(throws: BrokenRules.self) { try await bank.require("auth.no-empty-bearer") }

            try bank.clearJournal()
            _ = try await call(bank, "v1/accounts", token: try bank.tokens.issue().text)

            try await bank.require("auth.no-empty-bearer")
        }
    }

    @Test func `the suites are those of the judge`() {
        let suites: [StubBank.RuleSet] = [.auth, .invariant, .pay, .retry, .webhooks, .wire]
        #expect(Set(suites.map(\.rawValue)) == Set(ClientRule.suites))
    }

    @Test func `a rule that shows an invariant counts for that suite too`() async throws {
        try await withStubBank(.counterfoil) { bank in
            _ = try await call(bank, "v1/accounts", token: try bank.tokens.issue().text)

            let verdict = try await bank.require(.invariant)

            #expect(verdict.rules.contains { !$0.id.hasPrefix("invariant.") && $0.outcome == .kept })
        }
    }

    @Test func `every rule of a verdict can be required by its id`() async throws {
        #expect(Set(ClientRule.judged.map { String($0.id.prefix { $0 != "." }) }) == Set(ClientRule.suites))
        try await withStubBank(.login) { bank in
            for (id, trigger) in ClientRule.judged {
                let thrown = await #expect(throws: BrokenRules.self, "\(id)") {
                    try await bank.require(StubBank.RuleSet(rawValue: id))
                }

                #expect(thrown?.notExercised.map(\.rawValue) == [id])
                #expect(thrown?.description.contains("the app never triggered\n  \(id): when \(trigger)") == true, "\(id)")
            }
        }
    }

    @Test(arguments: [
        ("invariant.never-hangs", "it needs a driver (steps); expected invariant."),
        ("case.success-after-response", "it needs a driver (steps); expected the suites auth, "),
        ("invariant.bounded", "a journal shows it only by "),
    ])
    func `a rule that no journal decides is not checked here`(_ id: String, _ reason: String) async throws {
        try await withStubBank(.login) { bank in
            let error = await trouble { try await bank.require(.pay, StubBank.RuleSet(rawValue: id)) }

            #expect(error?.code == .unknownRule)
            let start = "found the rule \"\(id)\", which is not checked here: \(reason)"
            #expect(error?.description.hasPrefix(start) == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        ("webhooks.forged-refuse", "expected webhooks.forged-refused, ", "did you mean `webhooks.forged-refused`?"),
        ("auth.no-empty-baerer", "expected auth.token-cleared-on-rejection, ", "did you mean `auth.no-empty-bearer`?"),
        ("paiy", "expected the suites auth, ", "did you mean `pay`?"),
        ("tls.expired", "expected the suites auth, ", ": no other case can be checked with a journal"),
    ])
    func `an unknown rule is an error that lists those of its suite`(_ id: String, _ expected: String, _ hint: String) async throws {
        try await withStubBank(.login) { bank in
            let error = await trouble { try await bank.require(.pay, StubBank.RuleSet(rawValue: id)) }

            #expect(error?.code == .unknownRule)
            #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
            #expect(error?.description.hasSuffix(hint) == true, "\(String(describing: error))")
        }
    }

    @Test func `an exchange is waited for and reported in one line`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            async let response = pay(bank, token: token)
            _ = try await bank.waitForExchange(.role(.pay))
            #expect(try await response.status == 201)
            try await bank.waitUntilIdle()

            let exchange = try await bank.waitForExchange { $0.key == "tea-1" }
            #expect((exchange.method, exchange.path, exchange.operation) == ("POST", "/v1/payments", "payments"))
            #expect((exchange.token, exchange.customer, exchange.attempt) == (.issued("token#1"), "ava", 1))
            #expect((exchange.status, exchange.receipt.end, exchange.wireProtocol) == (201, .kept, .http1))
            #expect(exchange.requestHeader("idempotency-key") == "tea-1")
            #expect(exchange.responseHeader("cache-control") == "no-store")
            #expect(String(decoding: exchange.responseBody, as: UTF8.self).contains("\"accepted\""))
            #expect(exchange.description.hasPrefix("#1 POST /v1/payments token#1 key tea-1 → 201, committed, keep-alive, "))
            #expect(!"\(exchange)\(exchange.requestHeaders)".contains(token))
        }
    }

    @Test func `an exchange that does not come is reported`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let none = await trouble { _ = try await bank.waitForExchange(within: .zero) { _ in true } }
            #expect(none?.description.hasSuffix("the bank received no request") == true)
            _ = try await call(bank, "v1/atms")
            try await bank.waitUntilIdle()

            let other = await trouble { _ = try await bank.waitForExchange(within: .milliseconds(1)) { $0.path == "/nowhere" } }

            #expect(other?.code == .noExchange)
            #expect(other?.description.contains("\n  #1 GET /v1/atms → 200, committed, keep-alive, ") == true)
        }
    }
}
