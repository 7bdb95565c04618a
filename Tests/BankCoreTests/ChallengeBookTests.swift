import BankModel
import Testing

@testable import BankCore

/// The book of challenges by itself.
@Suite struct ChallengeBookTests {
    @Test(arguments: [(59, true), (60, false), (61, false)])
    func `a challenge approves itself before it expires, or not at all`(seconds: Int64, approves: Bool) {
        let start = Instant(seconds: 1_000_000)
        var book = ChallengeBook()
        book.store(
            Challenge(
                number: 1, kind: .decoupled, customer: "ann", operation: "pay", beganAt: start, expiresAt: start + .seconds(60),
                approvesAt: start + .seconds(seconds), family: nil, held: nil))
        #expect((book.nextToApprove?.number == 1) == approves, "one that never leaves the list would be due forever")
    }
}
