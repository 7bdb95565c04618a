import BankModel
import Contracts
import Testing

/// What a case counts, orders and forbids of the client's requests.
@Suite struct RequestPredicateTests {
    private func verdict(_ instance: Instance?, _ change: (inout Evidence) -> Void = { _ in }) throws -> Verdict {
        judge(try #require(instance), Make.allWell(change)).verdict
    }

    @Test func `requests are counted by role and after a step`() throws {
        let instance = Make.reading("{requests: {role: login, max: 1}}", "{requests: {min: 1, after: {step: 2}}}")

        #expect(try verdict(instance) { $0.journal[0].roles = ["login"] } == .pass)
        #expect(
            try verdict(instance) {
                $0.journal[0].roles = ["login"]
                $0.journal[1].roles = ["login"]
            } == .fail)
    }

    @Test func `requests of one step are counted`() throws {
        let instance = Make.reading("{requests: {role: login, max: 1, during: 1}}")
        var again = Make.exchange(1, seq: 4)
        again.roles = ["login"]

        #expect(
            try verdict(instance) {
                $0.journal[0].roles = ["login"]
                $0.journal[1].roles = ["login"]
            } == .pass)
        #expect(
            try verdict(instance) {
                $0.journal[0].roles = ["login"]
                $0.journal.append(again)
            } == .fail)
    }

    @Test func `a connection without a request is not counted as one`() throws {
        let instance = Make.reading("{requests: {max: 3}}")

        #expect(
            try verdict(instance) {
                $0.journal.append(Make.exchange(3, seq: 4))
                $0.journal[3].method = nil
            } == .pass)
        #expect(try verdict(instance) { $0.journal.append(Make.exchange(3, seq: 4)) } == .fail)
    }

    @Test func `the order is that of first coming`() throws {
        let instance = Make.reading("{order: [login, accounts]}")

        #expect(
            try verdict(instance) {
                $0.journal[0].roles = ["login"]
                $0.journal[2].roles = ["accounts"]
            } == .pass)
        #expect(
            try verdict(instance) {
                $0.journal[0].roles = ["accounts"]
                $0.journal[2].roles = ["login"]
            } == .fail)
    }

    @Test func `a gap runs from a response to the next head`() throws {
        let instance = Make.reading("{gap: {role: accounts, min: 1s}}")
        func journal(_ later: Int64) -> [JournalEntry] {
            var first = Make.exchange(2, roles: ["accounts"], status: 503)
            first.durationMicroseconds = 500_000
            return [Make.exchange(1), first, Make.exchange(3, at: 210 + later, roles: ["accounts"]), Make.exchange(3, seq: 4)]
        }

        #expect(try verdict(instance) { $0.journal = journal(1_600_000_000) } == .pass)
        #expect(try verdict(instance) { $0.journal = journal(1_400_000_000) } == .fail)
        #expect(try verdict(instance) == .notExercised)
    }

    @Test func `a token in an address is a violation`() throws {
        let instance = Make.reading("{url: {lacks: $tokens}}")

        #expect(try verdict(instance) == .pass)
        #expect(try verdict(instance) { $0.journal[1].query = "access=token#1" } == .fail)
        #expect(try verdict(instance) { $0.journal[1].path = "/renew/refresh#1" } == .fail)
        // A fragment of that name is no token of the bank's.
        #expect(try verdict(instance) { $0.journal[1].path = "/help/token#renew" } == .pass)
        let found = judge(try #require(instance), Make.allWell { $0.journal[1].query = "access=token#1" }).reasons.first?.finding
        #expect(found?.seen.text == "exchange 2 (GET /) had token#1 in its URL")
        #expect(found?.requests.map(\.number) == [2])
    }
}
