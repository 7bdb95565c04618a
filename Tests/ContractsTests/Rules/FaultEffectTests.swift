import BankModel
import Contracts
import Faults
import Testing

/// What the client must know of a response that a fault has changed.
@Suite struct FaultEffectTests {
    /// The verdict of a rule on requests of which the first was answered with a fault of that kind.
    private func verdict(of rule: String, _ kind: String, _ journal: [JournalEntry]) throws -> Verdict {
        let faults = [FaultRecord(rule: "rule-1", kind: kind, point: "head", applied: true)]
        let entries = journal.enumerated().map { index, entry in index == 0 ? entry.with { $0.faults = faults } : entry }
        let report = JournalReport(session: "s", bank: "toy", journal: Story.numbered(entries))
        return try #require(report.rules.first { $0.id == rule }).verdict
    }

    @Test(arguments: ["content-type", "set-cookie", "early-hints", "trailers", "slow", "delay", "date-skew"])
    func `a rejection that arrives whole is known to the client`(kind: String) throws {
        #expect(try verdict(of: "auth.token-cleared-on-rejection", kind, [.read(0, "token#1", .tokenRejected), .read(200)]) == .fail)
    }

    @Test(arguments: ["captive-portal", "garbage", "truncate", "corrupt", "gzip", "surplus", "lose-reply", "no-such-kind"])
    func `a rejection that may not have been readable is not`(kind: String) throws {
        #expect(try verdict(of: "auth.token-cleared-on-rejection", kind, [.read(0, "token#1", .tokenRejected), .read(200)]) != .fail)
    }

    @Test func `a page of somebody else is no answer to a payment`() throws {
        let again = [JournalEntry.pay(0, "k"), .pay(300, "other")]

        #expect(try verdict(of: "pay.transport-resend-harmless", "captive-portal", again) == .fail)
        #expect(try verdict(of: "pay.transport-resend-harmless", "set-cookie", again) == .notExercised)
    }

    @Test(arguments: FaultKinds.all.map { $0.kind })
    func `a response is not both whole and cut`(kind: String) {
        let effects = FaultKinds.effects(of: kind)
        #expect(!effects.isSuperset(of: [.wholeResponse, .cutsResponse]))
        #expect(!effects.contains(.foreignResponse) || effects.isSuperset(of: [.wholeResponse, .changesContent]))
    }
}
