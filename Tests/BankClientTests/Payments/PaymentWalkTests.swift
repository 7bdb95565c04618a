import BankClient
import BankModel
import Foundation
import Testing

/// The guide's payment that goes wrong three times: its code is this code.
@Suite(.timeLimit(.minutes(10)))
struct PaymentWalkTests {
    /// The bank of the guide: the responses to its payments, in order.
    private static let responses: [ScriptedTransport.Outcome] =
        Array(repeating: .lost, count: RetryPolicy().attempts) + [.problem(401, "token-expired"), .problem(409, "key-in-flight"), .paid]

    /// An app's client: transport and clock are the test's, everything else is an app's.
    private func makeClient(_ folder: String, _ transport: ScriptedTransport, _ clock: TestClock) throws -> BankClient {
        let parts = ClientParts(
            adapter: CounterfoilBank(Reading()), baseURL: "http://bank", transport: transport,
            store: FileTokenStore(path: folder + "/token", keys: KeyFile(path: folder + "/key")),
            outbox: try SQLiteOutbox(path: folder + "/outbox.sqlite"), clock: clock)
        return BankClient(parts)
    }

    @Test func `the walk through one payment that goes wrong three times`() async throws {
        try await withFolder { folder in
            let transport = ScriptedTransport { _, count in Self.responses[count] }
            let clock = TestClock()
            func start() throws -> BankClient { try makeClient(folder, transport, clock) }
            var errors: [ClientError] = []
            let order = PaymentOrder(from: "ava-gbp", to: "payee-1", amount: pounds("10.00"))

            // guide: one
            let client = try start()
            try await client.signIn(token: "the first token", of: "ava")
            do {
                _ = try await client.pay("rent for May", order)
            } catch let failure as ClientFailure {
                errors.append(failure.error)  // outcomeUnknown: four attempts, no response to any
            }
            // guide: end

            // guide: two
            let restarted = try start()
            do {
                _ = try await restarted.resume("rent for May")
            } catch let failure as ClientFailure {
                errors.append(failure.error)  // outcomeUnknown still: the first attempts may have been carried out
            }
            let mustSignIn = try await !restarted.status().signedIn  // true: the token has expired meanwhile
            // guide: end

            // guide: three
            try await restarted.signIn(token: "the second token", of: "ava")
            let receipt = try await restarted.resume("rent for May")  // a 409 first, then the receipt
            // guide: end

            #expect(errors == [.outcomeUnknown, .outcomeUnknown])
            #expect(mustSignIn)
            #expect(receipt == PaymentReceipt(id: "p1", state: .accepted))
            #expect(transport.requests.count == Self.responses.count)
            #expect(Set(transport.requests.compactMap { $0.headers["Idempotency-Key"] }).count == 1)
            #expect(Set(transport.requests.map(\.body)).count == 1)
            let again = try await restarted.pay("rent for May", order)
            #expect(again == receipt, "a payment that was made is not sent again")
            #expect(transport.requests.count == Self.responses.count, "a payment that was made is not sent again")
        }
    }

    @Test func `the guide shows this code`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guide = try String(contentsOf: root.appending(path: "docs/one-payment.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let pieces = source.matches(of: #/// guide: (?:one|two|three)\n(?<code>(?:.*\n)*?) +// guide: end/#)
            .map { $0.output.code.split(separator: "\n").map { $0.trimmingPrefix("            ") }.joined(separator: "\n") }

        #expect(pieces.count == 3)
        for piece in pieces { #expect(guide.contains("```swift\n\(piece)\n```"), "the guide lacks:\n\(piece)") }
    }
}
