import BankModel
import TestBanks
import Testing

@testable import StubServer

/// A journal as a HAR file, compared with one that browsers open.
@Suite struct HTTPArchiveTests {
    @Test func theArchive() {
        var answered = JournalEntry(
            seq: 1, at: Instant(seconds: 1_763_553_600), monoNanoseconds: 0, durationMicroseconds: 12_000, requestOnConnection: 1,
            path: "/v1/accounts", query: "page=1", roles: ["accounts"], token: "token#1", attempt: 1, bodySHA256: "", status: 200)
        answered.method = "GET"
        answered.operation = "accounts"
        answered.replyHeaders = [.init("Content-Type", "application/json")]
        answered.replyBody = Array("{}".utf8)
        answered.receipt = Receipt(headBytes: 80, bodyBytes: 2, end: .kept)
        var open = answered
        open.seq = 2
        open.operation = nil
        open.durationMicroseconds = nil

        let archive = HTTPArchive([answered, open], baseURL: "http://bank", version: "1").json

        #expect(Golden().difference("journal.har", archive.pretty) == nil)
    }
}
