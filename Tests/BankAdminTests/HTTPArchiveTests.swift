import BankModel
import TestBanks
import Testing

@testable import BankAdmin

/// A journal as a HAR file, compared with one that browsers open.
@Suite struct HTTPArchiveTests {
    private func json(_ archive: HTTPArchive<[JournalEntry]>) throws -> JSON { try JSON(parsing: archive.pieces.flatMap(\.self)) }

    @Test func `the archive is as it was written down`() throws {
        var answered = JournalEntry(
            seq: 1, at: Instant(seconds: 1_763_553_600), monoNanoseconds: 0, durationMicroseconds: 12_000, requestOnConnection: 1,
            path: "/v1/accounts", query: "page=1", roles: ["accounts"], token: "token#1", attempt: 1, bodySHA256: "", status: 200)
        answered.method = "GET"
        answered.operation = "accounts"
        answered.responseHeaders = [.init("Content-Type", "application/json")]
        answered.responseBody = Array("{}".utf8)
        answered.receipt = Receipt(headBytes: 80, bodyBytes: 2, end: .kept)
        var open = answered
        open.seq = 2
        open.operation = nil
        open.durationMicroseconds = nil

        let archive = try json(HTTPArchive([answered, open], baseURL: "http://bank", version: "1"))

        #expect(Golden().difference("journal.har", archive.pretty) == nil)
    }

    private func archived(_ entry: JournalEntry) throws -> JSON {
        try #require(json(HTTPArchive([entry], baseURL: "", version: "1")).at("log.entries")?.array?.first)
    }

    @Test func `a response that is no text is in Base64`() throws {
        let entry = try archived(JournalEntry(seq: 1, responseBody: [0x89, 0x50, 0x4E, 0x47]))

        #expect(entry.at("response.content.text") == "iVBORw==")
        #expect(entry.at("response.content.encoding") == "base64")
    }

    @Test func `a text that is cut within a character stays text`() throws {
        let text = String(repeating: "a", count: JournalEntry.storedBodyBytes - 1)
        let entry = try archived(JournalEntry(seq: 1, responseBody: Array((text + "é").utf8.prefix(JournalEntry.storedBodyBytes))))

        #expect(entry.at("response.content.text") == .string(text))
        #expect(entry.at("response.content.encoding") == nil)
    }

    @Test(arguments: [(WireProtocol.h1, "HTTP/1.1"), (.h1s, "HTTP/1.1"), (.h2, "HTTP/2")])
    func `the version is that of the connection`(wire: WireProtocol, version: String) throws {
        let entry = try archived(JournalEntry(seq: 1, wireProtocol: wire))

        #expect(entry.at("request.httpVersion") == .string(version))
        #expect(entry.at("response.httpVersion") == .string(version))
    }

    @Test func `only a request with a body has post data`() throws {
        let post = try archived(JournalEntry(seq: 1, method: "POST", bodyBytes: 2, requestBody: Array("{}".utf8)))
        let get = try archived(JournalEntry(seq: 1))

        #expect(post.at("request.postData.text") == "{}")
        #expect(get.at("request.postData") == nil)
    }
}
