import BankModel
import Contracts
import DriverProtocol
import Testing

/// Clients whose tokens are bound to a key (DPoP, RFC 9449) in cases that move a clock or make up a token.
@Suite struct BoundTokenTests {
    /// The verdict on a read that fails in the third step after the bank has answered a request so.
    private func verdict(_ steps: String, _ outcome: StepOutcome, _ change: (inout JournalEntry) -> Void) throws -> Verdict {
        let instance = try #require(Make.reading("{step: 3, outcome: ok}", steps: steps))
        let evidence = Make.allWell {
            $0.steps = Make.steps([1: .ok(view: [:]), 2: .ok(view: [:]), 3: outcome])
            change(&$0.journal[2])
        }
        return judge(instance, evidence).verdict
    }

    private static let signedOut = StepOutcome.error("unauthorized", detail: nil)

    @Test(arguments: [
        ("[login, advance: 6m, accounts]", "invalid_dpop_proof", Verdict.notExercised),
        ("[login, device_clock: 1h, accounts]", "invalid_dpop_proof", .notExercised),
        ("[login, accounts, accounts]", "invalid_dpop_proof", .fail), ("[login, advance: 6m, accounts]", "invalid_token", .fail),
    ])
    func `a proof has another time than the bank once a clock is moved`(steps: String, error: String, expected: Verdict) throws {
        func reject(_ exchange: inout JournalEntry) {
            exchange.status = 401
            exchange.responseHeaders = [JournalEntry.Header("WWW-Authenticate", "DPoP error=\"\(error)\"")]
        }

        let failed = try verdict(steps, Self.signedOut, reject)
        let passed = try verdict(steps, .ok(view: [:]), reject)

        #expect(failed == expected)
        #expect(passed == .pass)
    }

    @Test(arguments: [("DPoP", "Bearer", Verdict.notExercised), ("DPoP", "DPoP", .fail), ("Accept", "Bearer", .fail)])
    func `a client may discard a bearer token that a fault gives it for a proof`(header: String, type: String, expected: Verdict) throws {
        let failed = try verdict("[login, accounts, accounts]", Self.signedOut) { exchange in
            exchange.requestHeaders = [JournalEntry.Header(header, "…")]
            exchange.responseBody = Array("{\"access_token\":\"token#2\",\"token_type\":\"\(type)\"}".utf8)
            exchange.faults = [FaultRecord(rule: "rule-1", kind: "status", point: "request", applied: true)]
        }

        #expect(failed == expected)
    }
}
