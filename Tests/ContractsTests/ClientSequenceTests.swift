import BankModel
import Contracts
import Testing

@Suite struct ClientSequenceTests {
    private static let start = Instant(seconds: 1_767_366_245)

    /// Two requests of a client: a list since 30 days, and a payment.
    private func journal(_ key: String, _ id: String, token: String = "token#1", amount: Int = 5, later: Duration = .zero) -> [JournalEntry]
    {
        let now = Self.start + later
        let body = Array(#"{"to":"\#(id)","amount":\#(amount)}"#.utf8)
        return [
            JournalEntry(
                seq: 1, at: now, path: "/list", query: "from=\((now + .seconds(-30 * 86_400)).rfc3339())&x=a%20b", operation: "list",
                roles: ["transactions"], customer: "ava", token: token),
            JournalEntry(
                seq: 2, at: now, method: "POST", path: "/pay/\(key)", operation: "pay", roles: ["pay"], customer: "ava", token: token,
                key: key, bodyBytes: body.count, status: 201, requestBody: body),
        ]
    }

    private let ids = ["7d0c1a52-6f0e-4c0b-9d54-1f2b8a6c3e90", "0d3b8a3c-9b57-4c6a-8f0e-2f6f1c0c7b11"]

    @Test func `two runs of one client give the same sequence, with names for what differs`() {
        let first = ClientSequence(journal("k-1", ids[0]))
        let second = ClientSequence(journal("k-2", ids[1], token: "token#9", later: .seconds(86_400 * 3 + 7)))
        #expect(first == second)
        #expect(first.steps[1].title == "pay POST /pay/key#1")
        #expect(
            first.steps[1].facts == [
                "customer customer#1", "token token#1", "key key#1", "body amount = 5", "body to = id#1", "status 201",
            ])
        #expect(first.steps[0].facts.contains("query from = now-30d"))
    }

    @Test(arguments: [400, 90]) func `a form whose secrets are redacted is shown by its fields`(sent: Int) {
        let form = JournalEntry(
            seq: 1, at: Self.start, method: "POST", path: "/token", bodyBytes: sent, status: 200,
            requestHeaders: [.init("Content-Type", "application/x-www-form-urlencoded")],
            requestBody: Array("grant_type=refresh_token&refresh_token=refresh%232".utf8))

        #expect(
            ClientSequence([form]).steps[0].facts == [
                "body grant_type = refresh_token", "body refresh_token = refresh#1", "status 200",
            ])
    }

    @Test func `a file is read as it was written`() throws {
        let sequence = ClientSequence(journal("k-1", ids[0]))
        #expect(try ClientSequence(text: sequence.text, file: "a.golden") == sequence)
        #expect(try ClientSequence(text: sequence.text.replacing("\n", with: "\r\n"), file: "a.golden") == sequence)
        #expect(throws: ComplaintsError.self) { try ClientSequence(text: "hi\n", file: "a.golden") }
    }

    @Test func `a difference names the exchange, what was expected and what was found`() {
        let golden = ClientSequence(journal("k-1", ids[0]))
        let found = ClientSequence(journal("k-1", ids[0], amount: 6))
        #expect(SequenceDifference(golden: golden, found: golden).lines.isEmpty)
        #expect(
            SequenceDifference(golden: golden, found: found).lines == [
                "1 of 2 exchanges differs: - expected, + found", "exchange 2: pay POST /pay/key#1", "  - body amount = 5",
                "  + body amount = 6",
            ])
        let paid = ClientSequence(Array(journal("k-1", ids[0]).dropFirst()))
        let short = ClientSequence(Array(journal("k-1", ids[0]).dropLast()))
        #expect(SequenceDifference(golden: paid, found: short).lines[0] == "2 of 2 exchanges differ: - expected, + found")
        #expect(SequenceDifference(golden: golden, found: short).lines[1] == "golden exchange 2, not found: pay POST /pay/key#1")
        #expect(SequenceDifference(golden: short, found: golden).lines[1] == "exchange 2, not expected: pay POST /pay/key#1")
    }

    @Test func `an entry's JSON gives the sequence of the entry`() {
        let journal = journal("k-1", ids[0])
        #expect(
            ClientSequence(journal.compactMap { JournalEntry(json: $0.json) }).steps.map(\.title)
                == ClientSequence(journal).steps.map(\.title))
        #expect(JournalEntry(json: ["a": 1]) == nil)
    }
}
