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

    @Test func `another challenge of a request ends the one before, which holds the request no longer`() {
        let start = Instant(seconds: 1_000_000)
        let key = IdempotencyBook.ID(customer: "ann", operation: "pay", key: "k1")
        let held = HeldRequest(method: "POST", path: "/payments", query: nil, contentType: nil, body: [1], key: key)
        var book = ChallengeBook()
        for number in 1...2 {
            book.store(
                Challenge(
                    number: number, kind: .otp, customer: "ann", operation: "pay", beganAt: start, expiresAt: start + .seconds(60),
                    approvesAt: nil, family: nil, held: held))
        }

        #expect(book[1]?.stage == .expired)
        #expect(book[1]?.held == nil)
        #expect(book[2]?.held == held)
        #expect(book.challenge(key: key)?.number == 2)
    }
}
