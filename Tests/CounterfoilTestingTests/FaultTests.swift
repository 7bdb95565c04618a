import BankModel
import CounterfoilTesting
import Faults
import Foundation
import Testing

/// Faults that are set from Swift.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    typealias Fault = StubBank.Fault

    /// One of each function, and two that are delivered late.
    static let all: [(kind: String, fault: Fault)] = [
        ("refuse", .refuse), ("blackhole", .blackhole), ("reset-on-accept", .resetOnAccept), ("close-on-accept", .closeOnAccept),
        ("bandwidth", .bandwidth(bytesPerSecond: 1000)), ("certificate", .certificate(.expired)), ("tls-abort", .tlsAbort),
        ("certificate", .certificate(.newIntermediate)), ("certificate", .certificate(lasting: .seconds(2))), ("old-tls", .oldTLS()),
        ("status", .status(503, headers: ["Content-Type": "text/html"], body: "<p>closed", retryAfter: 2)),
        ("dialect", .refusal(.rateLimited, retryAfter: 1)), ("close", .close), ("reset", .reset), ("hang", .hang),
        ("captive-portal", .captivePortal), ("business-failure", .businessFailure), ("redirect", .redirect(to: .loop)),
        ("replay-page", .replayPage), ("shift-page", .shiftPage), ("expire-cursor", .expireCursor), ("endless-page", .endlessPage),
        ("stale-read", .staleRead(by: .seconds(60))), ("wrong-id-token", .wrongIDToken(.keyID)), ("stream-events", .streamEvents(.reorder)),
        ("authorization-error", .authorizationError(.serverError, description: "Try again later.")),
        ("lose-reply", .loseReply(by: .halfBody)),
        ("garbage", .garbage()),
        ("huge-head", .hugeHead(bytes: 4096, lines: 4)), ("content-type", .contentType("text/html")),
        ("edit", .edit(headers: ["Cache-Control": "no-store"], without: ["ETag"], replacing: ["GBP": "XTS"])),
        ("set-cookie", .setCookie("session", attributes: "Path=/")),
        ("redirect", .redirect(to: .sameHost, status: 303, executed: true, retryAfter: 1)),
        ("date-skew", .dateSkew(by: .seconds(-300))), ("goaway", .goAway(finishing: true)), ("reset-stream", .resetStream()),
        ("truncate", .truncate(at: .bytes(10), honest: true)), ("longer-length", .longerLength()),
        ("reset-body", .resetBody(at: .fraction(0.25))), ("stall-body", .stallBody()), ("slow", .slow(bytesPerSecond: 500)),
        ("slow", .slow(chunks: 4, over: .milliseconds(20))), ("bad-chunk", .cutChunk), ("bad-chunk", .badChunkSize),
        ("corrupt", .corrupt(.malformedJSON(.trailingComma))), ("corrupt", .corrupt(.wrongType)), ("corrupt", .corrupt(.deepNesting(9))),
        ("gzip", .gzip(.plainAsGzip)), ("gzip", .gzip(.gzipUnannounced)), ("gzip", .gzip(.cut(at: .bytes(30)))),
        ("gzip", .gzip(.bomb(bytes: 1 << 20))), ("gzip", .gzip(.unasked)), ("trailers", .trailers(["X-Checksum": "1"])),
        ("early-hints", .earlyHints()), ("early-hints", .earlyHints(100, count: 3)),
        ("early-reply", .earlyReply()), ("early-reply", .earlyReply(503, body: "x", drains: true)),
        ("surplus", .surplus()), ("surplus", .surplus(.reply(408))), ("surplus", .surplus(.reply(200, body: "x"))),
        ("surplus", .surplus(.bytes("x"))),
        ("delay", .delay(.milliseconds(5))), ("delay", .delay(Duration.milliseconds(1)...Duration.milliseconds(2))),
        ("delay", .delayUntilRelease),
        ("reset", .reset.after(.milliseconds(5))), ("close", .close.afterRelease()),
    ]

    @Test func `the names are those of the catalogue of faults`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/CounterfoilTesting/Faults/Fault+Kind.swift")
        let names = try String(contentsOf: source, encoding: .utf8).matches(of: /= Kind\("([a-z-]+)"\)/).map { String($0.1) }
        #expect(names.count > 40)
        for name in names { #expect(StubBank.Fault.Kind(rawValue: name) != nil, "\(name)") }
        #expect(StubBank.Fault.Kind(rawValue: "no-kind") == nil)
        #expect(StubBank.Fault.Point.allCases.map(\.rawValue) == FaultPoint.allCases.map(\.rawValue))
        #expect(StubBank.Fault.HTTP2Code.allCases.map(\.rawValue) == HTTP2Code.allCases.map(\.rawValue))
        #expect(StubBank.Fault.SignInError.allCases.map(\.rawValue) == AuthorizationErrorCode.allCases.map(\.rawValue))
        #expect(Set(StubBank.Fault.JSONMistake.allCases.map(\.rawValue)) == Set(JSONDamage.allCases.map(\.rawValue)))
    }

    @Test(arguments: StubBank.Fault.JSONMistake.allCases)
    func `a body has each mistake of JSON`(_ mistake: StubBank.Fault.JSONMistake) async throws {
        try await withStubBank(.counterfoil) { bank in
            try await bank.inject(.corrupt(.malformedJSON(mistake)))

            let response = try await call(bank, "v1/atms")

            #expect(response.status == 200)
            #expect(throws: JSONError.self, "\(response.body)") { try JSON(parsing: Array(response.body.utf8)) }
        }
    }

    @Test func `a response is edited`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let rule = try await bank.inject(.edit(headers: ["X-Edited": "yes"], without: ["ETag"], replacing: ["atms": "machines"]))

            let response = try await call(bank, "v1/atms")

            #expect(rule.count == 1)
            #expect(response.status == 200)
            #expect(response.body.hasPrefix(#"{"machines":["#), "\(response.body.prefix(40))")
            let exchange = try #require(bank.journal.first)
            #expect(exchange.responseHeader("X-Edited") == "yes")
            #expect(exchange.responseHeader("ETag") == nil)
        }
    }

    @Test(
        arguments: [(.loop, "/v1/atms"), (.otherHost, "localhost"), (.sameHost, "/v1/atms")]
            + [URL(string: "http://127.0.0.1:1/elsewhere")].compactMap(\.self).map { (.url($0), "http://127.0.0.1:1/elsewhere") }
            as [(StubBank.Fault.RedirectTarget, String)])
    func `a redirect leads where it is reported`(_ target: StubBank.Fault.RedirectTarget, _ expected: String) async throws {
        try await withStubBank(.counterfoil) { bank in
            let rule = try await bank.inject(.redirect(to: target, status: 307), times: 1)
            _ = try? await call(bank, "v1/atms")

            #expect(rule.count == 1)
            let location = try #require(bank.journal.first?.responseHeader("Location"))
            #expect(location.contains(expected), "\(location)")
        }
    }

    @Test func `every kind has a function`() {
        #expect(Set(FaultTests.all.map { $0.kind }) == Set(FaultKinds.all.map { $0.kind }))
        #expect(FaultTests.all.allSatisfy { $0.kind == $0.fault.kind.rawValue })
    }

    @Test func `every kind can be written in a rule`() async throws {
        try await withStubBank(.counterfoil, options: StubBankOptions(tls: true)) { bank in
            for kind in FaultKinds.all where kind.kind != "business-failure" {
                let error = await trouble { try await bank.addRule("{fault: {\(kind.kind): \(kind.example)}}") }
                #expect(error == nil, "\(kind.kind)")
            }
        }
    }

    @Test func `every function makes a rule that the bank takes`() async throws {
        // The one bank with a rejection inside a success, and the one with pages.
        try await withStubBanks(.roundup, .counterfoil, options: StubBankOptions(tls: true)) { banks in
            let roundup = try await banks.open(.roundup)
            let counterfoil = try await banks.open(.counterfoil)
            for (kind, fault) in FaultTests.all {
                let error = await trouble { try await (kind == "business-failure" ? roundup : counterfoil).inject(fault) }
                #expect(error == nil, "\(kind)")
            }
        }
    }

    @Test func `a rule applies to what it is for and counts`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            let rule = try await bank.inject(.status(500, body: "no"), on: .role(.accounts).customer(.ava), times: 1)

            #expect(try await call(bank, "v1/atms").status == 200)
            let affected = try await call(bank, "v1/accounts", token: token)
            #expect((affected.status, affected.body) == (500, "no"))
            #expect(try await call(bank, "v1/accounts", token: token).status == 200)
            #expect(rule.count == 1)
            #expect(rule.matched >= 1)
            #expect(bank.journal.map(\.fault?.kind) == [nil, .status, nil])
        }
    }

    @Test(
        arguments: [
            (.nth(2), [200, 503, 200, 200]), (.every(2), [200, 503, 200, 503]), (.first(1), [503, 200, 200, 200]),
            (.skipping(3), [200, 200, 200, 503]), (.probability(1), [503, 503, 503, 503]), (.probability(0), [200, 200, 200, 200]),
        ] as [(StubBank.Occurrences, [Int])])
    func `a rule applies by number`(_ occurrences: StubBank.Occurrences, _ expected: [Int]) async throws {
        try await withStubBank(.counterfoil) { bank in
            try await bank.inject(.refusal(.maintenance), occurrences: occurrences)

            var seen: [Int] = []
            for _ in expected { seen.append(try await call(bank, "v1/atms").status) }

            #expect(seen == expected)
        }
    }

    @Test func `a response is lost behind the movement`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava).text
            try await bank.inject(.loseReply(by: .close), on: .role(.pay).attempt(1))

            await #expect(throws: (any Error).self) { try await pay(bank, token: token) }
            try await bank.waitUntilIdle()

            let exchange = try #require(bank.journal.first)
            #expect(exchange.isCommitted)
            #expect(exchange.fault?.point == .commit)
            #expect((exchange.receipt.headBytes, exchange.receipt.end) == (0, .fin))
            #expect(bank.ledger.movements.count == 1)
        }
    }

    @Test func `a rule that is removed keeps its counts`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let rule = try await bank.inject(.refuse)
            let other = try await bank.inject(.status(503))
            await #expect(throws: (any Error).self) { try await call(bank, "v1/atms") }

            try await rule.remove()

            #expect(try await call(bank, "v1/atms").status == 503)
            #expect((rule.count, other.count) == (1, 1))
            let error = await trouble { try await rule.remove() }
            #expect(error?.description == "found rule-1 removed or expired, expected a rule that is set at the bank \"counterfoil\"")
            #expect(await trouble { try await rule.remove() }?.code == .unknownRule)
            try await bank.removeRules()
            #expect((other.count, other.matched) == (1, 1))
            #expect(try await call(bank, "v1/atms").status == 200)
        }
    }

    @Test func `what is held is released`() async throws {
        try await withStubBank(.counterfoil) { bank in
            try await bank.inject(.delayUntilRelease, times: 1)
            async let response = call(bank, "v1/atms")
            let held = try await bank.waitForExchange { $0.operation == "atms" }
            #expect(held.duration == nil)
            let error = await trouble { try await bank.waitUntilIdle(within: .zero) }
            #expect(error?.code == .stillInProgress)

            var released = 0
            while released == 0 {
                released = try bank.release()
                await Task.yield()
            }

            #expect(try await response.status == 200)
        }
    }

    @Test func `a rule is taken as it stands in the files`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let rule = try await bank.addRule(
                #"{"fault": {"status": {"status": 503, "retry_after": 1}}, "on": {"role": "atms"}, "times": 1}"#)
            #expect(try await call(bank, "v1/atms").status == 503)
            #expect(rule.count == 1)
            try await bank.addRule("fault: hang\non: {path: /nowhere}\n")
        }
    }

    @Test(
        arguments: [
            ("hanng", "unknown kind of fault `hanng`; did you mean `hang`?"),
            ("{lose-reply: {by: magic}}", "the rule's text:1:27: found `magic`, expected close, reset, hang, half-head or half-body"),
            ("{lose-reply: ", "the rule's text:"),
            ("{corrupt: {json: almost}}", "found `almost`, expected empty, blank"),
            ("{redirect: {to: home}}", "found `home`, expected loop, same-host, other-host, downgrade, or a URL"),
        ])
    func `a wrong rule is reported with its position`(_ fault: String, _ expected: String) async throws {
        try await withStubBank(.counterfoil) { bank in
            let error = await trouble { try await bank.addRule("{fault: \(fault)}") }

            #expect(error?.code == .invalidRule)
            #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
        }
    }

    @Test func `a wrong setting of a fault is reported`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let error = await trouble { try await bank.inject(.status(700)) }
            #expect(error?.code == .invalidRule)
            #expect(error?.description == "fault.status.status: found `700`, expected a whole number from 200 to 599")
            let role = await trouble { try await bank.inject(.hang, on: .role("payy")) }
            #expect(role?.code == .invalidRule)
            #expect(role?.description.contains("`payy`") == true, "\(String(describing: role))")
        }
    }

    @Test func `a selection is restricted by every member`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let token = try bank.tokens.issue(for: .ava)
            let all = StubBank.Exchanges.role(.accounts).operation("accounts").method("GET").path("/v1/*").header("Accept", "*")
                .customer(.ava).token(token.id).connection(.cold).wireProtocol(.http1).attempt(1)
            let rule = try await bank.inject(.status(418), on: all)
            let others: [StubBank.Exchanges] = [
                all.role(.atms), all.operation("atms"), all.method("PUT"), all.path("/v2/*"), all.header("Accept", "nothing"),
                all.customer(.ben), all.token("token#9"), all.connection(.warm), all.wireProtocol(.http2), all.attempt(2),
            ]

            #expect(try await call(bank, "v1/accounts", token: token.text).status == 418)

            #expect(rule.count == 1)
            #expect(bank.journal.matching(all).map(\.status) == [418])
            for other in others { #expect(bank.journal.matching(other).isEmpty, "\(other)") }
            #expect(bank.journal.matching(.role("no-role")).isEmpty)
        }
    }

    @Test func `a rule that could never apply is reported`() async throws {
        try await withStubBank(.login) { bank in
            let error = await trouble { try await bank.inject(.hang, on: .role(.pay)) }
            #expect(error?.description == "found the role pay, for which bank login has no operation: the rule could never apply")
            #expect(error?.code == .cannotAct)
            let misspelt = await trouble { try await bank.inject(.hang, on: .operation("profil")) }
            #expect(misspelt?.description.contains("did you mean `profile`?") == true)
            let clear = await trouble { try await bank.inject(.certificate(.expired)) }
            #expect(clear?.description.hasSuffix("at a bank in clear text; expected one with StubBankOptions(tls: true)") == true)
            let times = await trouble { try await bank.inject(.hang, times: 0) }
            #expect(times?.description == "times: found `0`, expected a whole number, at least 1")
        }
    }

    @Test func `an outage is started and ended`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let outage = try await bank.startOutage("maintenance")
            #expect((outage.name, outage.skipped) == ("maintenance", []))
            #expect(try await call(bank, "v1/atms").status == 503)
            #expect(await trouble { try await bank.startOutage("slow") }?.code == .outageRunning)
            try await bank.startOutage("blackout", replacing: true)
            await #expect(throws: (any Error).self) { try await call(bank, "v1/atms") }

            try await bank.endOutage()
            try await bank.endOutage()

            #expect(try await call(bank, "v1/atms").status == 200)
            let error = await trouble { try await bank.startOutage("maintenence") }
            #expect(error?.code == .unknownOutage)
            #expect(error?.description.contains("did you mean `maintenance`?") == true)
        }
    }
}
