import BankModel
import Contracts
import Testing

extension Make {
    /// All invariants, as the shipped file has them.
    static var invariants: [Invariant] {
        let bounds = [
            "files-private": "{files-private: {mode: \"0600\"}}", "bounded": "{bounded: {requests: 3, pages: 5}}",
        ]
        let lines = ClientRule.names.map { "- {id: invariant.\($0), why: because, authority: none, holds: \(bounds[$0] ?? $0)}" }
        return Invariant.list(node("contract: 1\ninvariants:\n" + lines.joined(separator: "\n")), Complaints())
    }

    /// The invariants broken in a run, as `no-unrequested-payments: …` with the observation.
    static func broken(_ instance: Instance?, _ evidence: Evidence) throws -> [String] {
        let instance = try #require(instance)
        return InvariantVerdicts(invariants, of: instance, evidence).broken.map {
            "\($0.invariant.id.dropFirst("invariant.".count)): \($0.unmet.map(\.seen).joined(separator: "; "))"
        }
    }

    /// The ids of the invariants that had something to look at and held.
    static func held(_ instance: Instance?, _ evidence: Evidence) throws -> [String] {
        InvariantVerdicts(invariants, of: try #require(instance), evidence).held.map { String($0.dropFirst("invariant.".count)) }
    }

    /// A payment's exchange in the middle of step n, committed.
    static func payment(_ n: Int, seq: Int? = nil, key: String?, body: String = "{\"amount\":\"10.00\"}") -> JournalEntry {
        var entry = exchange(n, seq: seq, roles: ["pay"], key: key, status: 201)
        entry.method = "POST"
        entry.committed = true
        entry.customer = "ava"
        entry.requestBody = Array(body.utf8)
        entry.bodyBytes = entry.requestBody.count
        // It stands for the digest: equal texts are equal bytes.
        entry.bodySHA256 = body
        return entry
    }

    /// A movement of pounds.
    static func movement(
        key: String?, amount: String = "10.00", currency: String = "GBP", from: String = "1", to: String = "2",
        state: Movement.State = .settled
    ) throws -> Movement {
        Movement(
            id: "m", operation: "pay", key: key, customer: "ava", state: state, from: .init(table: "t", id: from),
            to: .init(table: "t", id: to), amount: try Money(major: amount, currency: try #require(Currency(currency))),
            at: Instant(seconds: 0))
    }

    /// A case that pays A (step 2) and B (step 3), with all that was asked for, and nothing done yet.
    static func orders(_ changes: (inout Evidence) throws -> Void) rethrows -> Evidence {
        let order: JSON = ["amount": "10.00", "currency": "GBP", "from": "1", "to": "2"]
        var evidence = Evidence(steps: steps([1: .ok(view: ["signed_in": true]), 2: .ok(view: [:]), 3: .ok(view: [:])]))
        evidence.arguments = [2: order, 3: order]
        try changes(&evidence)
        return evidence
    }
}
