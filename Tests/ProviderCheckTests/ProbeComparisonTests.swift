import BankModel
import Faults
import Testing

@testable import ProviderCheck

@Suite struct ProbeComparisonTests {
    private static let date = "Mon, 12 Jan 2026 09:15:00 GMT"
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nDate: \(date)\r\n\r\n"

    @Test func `a response as it was sent arrives`() {
        #expect(result(ok(), came(Self.head + "hello")) == arrives())
    }

    @Test func `no entry in the journal is a swallowed request`() {
        #expect(
            result([], came("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")).verdict
                == .swallowed("the request never reached the server; the client saw 502"))
    }

    @Test func `two entries for one request are a swallowed fault`() {
        let verdict = result([receipt(nil, end: .rst), ok()], came(Self.head + "hello")).verdict

        #expect(verdict == .swallowed("2 attempts reached the server for 1 request; the client saw 200"))
    }

    @Test func `a fault that did not act is not probed`() {
        var sent = ok()
        sent.unapplied = "the request has no body"

        #expect(result(sent, came(Self.head + "hello")).verdict == .notProbed("the request has no body"))
    }

    // MARK: the end of the connection

    @Test(arguments: [
        (Receipt.End.rst, ProbeObservation.End.rst), (.fin, .fin), (.clientGone, .silence), (.held, .silence),
    ]) func `nothing arrives as nothing`(sent: Receipt.End, came end: ProbeObservation.End) {
        #expect(result(receipt(nil, end: sent), came("", end)) == arrives())
    }

    @Test(arguments: [
        (Receipt.End.rst, ProbeObservation.End.fin, "FIN instead of RST"), (.fin, .rst, "RST instead of FIN"),
        (.fin, .silence, "silence instead of FIN"), (.clientGone, .fin, "FIN instead of silence"), (.held, .rst, "RST instead of silence"),
    ]) func `another end is an alteration`(sent: Receipt.End, came end: ProbeObservation.End, words: String) {
        #expect(result(receipt(nil, end: sent), came("", end)).verdict == .altered([words]))
    }

    @Test(arguments: [
        (Receipt.End.rst, "502 instead of a reset (RST)"), (.fin, "502 instead of the end of the connection (FIN)"),
        (.clientGone, "502 instead of silence"),
    ]) func `a response of something between is an alteration`(end: Receipt.End, words: String) {
        let came = came("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")

        #expect(result(receipt(nil, end: end), came).verdict == .altered([words]))
    }

    @Test func `an exchange that was open at the end of the limit is silence, however it ended later`() {
        var sent = receipt(nil, end: .fin)
        sent.wasOpen = true

        #expect(result(sent, came("", .silence)) == arrives())
    }

    @Test(arguments: [ProbeObservation.End.fin, .silence]) func `a complete response needs no end of the connection`(
        end: ProbeObservation.End
    ) {
        var sent = ok()
        sent.receipt.end = .kept

        #expect(result(sent, came(Self.head + "hello", end)).verdict == .arrives)
    }

    @Test func `a reset behind a complete response is an alteration`() {
        #expect(result(ok(), came(Self.head + "hello", .rst)).verdict == .altered(["RST instead of FIN"]))
    }

    // MARK: head

    @Test func `a second Date is an alteration`() {
        let text = Self.head.replacing("\r\n\r\n", with: "\r\nDate: \(Self.date)\r\n\r\n") + "hello"

        #expect(result(ok(), came(text)).verdict == .altered(["Date added"]))
    }

    @Test func `another Date is an alteration`() {
        let text = Self.head.replacing("09:15:00", with: "09:15:07") + "hello"

        #expect(result(ok(), came(text)).verdict == .altered(["Date changed"]))
    }

    @Test func `fields that are removed, changed and added are named`() {
        var sent = ok()
        sent.headers.append(.init("X-Why", "test"))
        let text = Self.head.replacing("text/plain\r\n", with: "text/html\r\nServer: proxy\r\n") + "hello"

        #expect(result(sent, came(text)).verdict == .altered(["Content-Type changed", "X-Why removed", "Server added"]))
    }

    @Test func `a redacted value is not compared`() {
        var sent = ok()
        sent.headers.append(.init("Set-Cookie", "[redacted]"))
        let text = Self.head.replacing("\r\n\r\n", with: "\r\nSet-Cookie: session=1\r\n\r\n") + "hello"

        #expect(result(sent, came(text)).verdict == .arrives)
    }

    @Test(arguments: [("xxxxxx", ProbeVerdict.arrives), ("xxyx", .altered(["X-Filler changed"]))])
    func `a long value is compared as far as the journal has it`(value: String, verdict: ProbeVerdict) {
        var sent = ok()
        sent.headers.append(.init("X-Filler", "xxx…"))
        let text = Self.head.replacing("\r\n\r\n", with: "\r\nX-Filler: \(value)\r\n\r\n") + "hello"

        #expect(result(sent, came(text)).verdict == verdict)
    }

    @Test func `fields of one hop are tolerated and listed`() {
        let text = Self.head.replacing("\r\n\r\n", with: "\r\nVia: 1.1 proxy\r\nConnection: close\r\n\r\n") + "hello"

        let result = result(ok(), came(text))

        #expect(result.verdict == .arrives)
        #expect(result.tolerated == ["Connection added", "Via added"])
    }

    @Test func `another spelling of the head is tolerated and listed`() {
        let result = result(ok(), came(Self.head.replacing("200 OK", with: "200 Fine") + "hello"))

        #expect(result.verdict == .arrives)
        #expect(result.tolerated == ["a head of \(Self.head.utf8.count + 2) bytes instead of \(Self.head.utf8.count)"])
    }

    @Test func `a head that was cut arrives cut at the same byte`() {
        let sent = ProbeReceipt(Receipt(headBytes: 20, end: .fin), headers: [.init("Content-Type", "text/plain")])

        #expect(result(sent, came(String(Self.head.prefix(19))), [.cutsResponse]) == arrives())
        #expect(
            result(sent, came(String(Self.head.prefix(18))), [.cutsResponse]).verdict == .altered(["a head of 19 bytes instead of 20"]))
    }

    // MARK: body

    @Test func `a body that was cut arrives cut`() {
        var sent = ok()
        sent.receipt = Receipt(headBytes: Self.head.utf8.count, bodyBytes: 3, end: .rst)

        #expect(result(sent, came(Self.head + "hel", .rst), [.cutsResponse]) == arrives())
        #expect(
            result(sent, came(Self.head + "he", .rst), [.cutsResponse]).verdict == .altered(["a body of 2 bytes instead of 3"]))
    }

    @Test func `a cut body that looks complete is an alteration`() {
        var sent = ok()
        sent.receipt = Receipt(headBytes: Self.head.utf8.count, bodyBytes: 3, end: .fin)
        let text = Self.head.replacing("Length: 5", with: "Length: 3") + "hel"

        #expect(result(sent, came(text), [.cutsResponse]).verdict == .altered(["arrived complete instead of truncated"]))
    }

    @Test func `a whole body that arrives cut is an alteration`() {
        #expect(
            result(ok(), came(Self.head + "hel")).verdict
                == .altered(["arrived truncated instead of complete", "a body of 3 bytes instead of 5"]))
    }

    @Test func `another body of the same length is an alteration`() {
        #expect(result(ok(), came(Self.head + "hullo")).verdict == .altered(["the body changed"]))
    }

    @Test func `a body that the journal does not have is compared by its length`() {
        var sent = ok()
        sent.headers.append(.init("Content-Encoding", "gzip"))
        let text = Self.head.replacing("\r\n\r\n", with: "\r\nContent-Encoding: gzip\r\n\r\n") + "12345"

        #expect(result(sent, came(text)).verdict == .arrives)
    }

    // MARK: around the response, and time

    @Test func `bytes that are not HTTP arrive by their number`() {
        let sent = ProbeReceipt(status: nil, Receipt(rawBytes: 7, end: .fin))

        #expect(result(sent, came("SSH-2.0")) == arrives())
        #expect(result(sent, came("SSH")).verdict == .altered(["3 bytes instead of 7 that are not HTTP"]))
        #expect(
            result(sent, came("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")).verdict
                == .altered(["502 instead of bytes that are not HTTP"]))
    }

    @Test func `interim responses and bytes behind a response are counted`() {
        var sent = ok()
        sent.receipt.rawBytes = 17

        #expect(result(sent, came("HTTP/1.1 103 \r\n\r\n" + Self.head + "hello"), [.addsBytes]) == arrives())
        #expect(result(sent, came(Self.head + "hello" + "HTTP/1.1 408 \r\n\r\n"), [.addsBytes]) == arrives())
        #expect(result(sent, came(Self.head + "hello"), [.addsBytes]).verdict == .altered(["0 bytes around the response instead of 17"]))
    }

    @Test func `trailers that do not come are an alteration`() {
        var sent = ok()
        sent.receipt.rawBytes = 20
        let head = Self.head.replacing("Content-Length: 5", with: "Transfer-Encoding: chunked")

        #expect(result(sent, came(head + "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"), [.addsTrailers]).verdict == .arrives)
        #expect(result(sent, came(head + "5\r\nhello\r\n0\r\n\r\n"), [.addsTrailers]).verdict == .altered(["trailers removed"]))
    }

    @Test func `a slow body that comes at once is an alteration`() {
        var sent = ok()
        sent.milliseconds = 900
        let bytes = Array((Self.head + "hello").utf8)
        let slow = ProbeObservation(bytes, end: .fin, first: .milliseconds(1), last: .milliseconds(900), duration: .milliseconds(900))
        let buffered = ProbeObservation(bytes, end: .fin, first: .milliseconds(905), last: .milliseconds(905), duration: .milliseconds(906))

        #expect(result(sent, slow, [.spreadsBody]) == arrives())
        #expect(result(sent, buffered, [.spreadsBody]).verdict == .altered(["arrived immediately instead of slowly"]))
    }

    @Test(arguments: ["x", "\n", "1\r\na\r\n", "HTTP/1.1 103 x\r\n\r\n"])
    func `a response without end is an alteration, and only its beginning is examined`(piece: String) {
        let piece = Array(piece.utf8)
        let rest = (0...ProbeObservation.mostBytes / piece.count).flatMap { _ in piece }
        let came = ProbeObservation(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8) + rest, end: .silence)

        #expect(result(ok(), came).verdict == .altered(["over 4194304 bytes instead of \(Self.head.utf8.count + 5)"]))
        #expect(came.response.status == 200)
        #expect(came.response.surplusBytes < 1 << 20)
    }

    @Test func `a response that the bank itself sent so long is not probed`() {
        var sent = ok()
        sent.receipt.bodyBytes = 5_000_000
        let came = ProbeObservation(Array(Self.head.utf8) + [UInt8](repeating: 120, count: 5_000_000), end: .fin)

        let verdict = result(sent, came).verdict

        #expect(
            verdict
                == .notProbed("the response has \(5_000_000 + Self.head.utf8.count) bytes, of which the probe reads 4194304 bytes"))
    }

    // MARK: the journal's entry

    @Test func `an entry of the journal is read`() throws {
        let entry = try JSON(
            parsing: Array(
                #"""
                {"seq": 1, "at": "2026-01-12T09:15:00.000Z", "duration_us": 2500, "status": 200,
                 "fault": {"applied": true, "reason": null},
                 "receipt": {"head_bytes": 90, "body_bytes": 5, "raw_bytes": 2, "unsent": 1, "end": "rst"},
                 "reply_headers": [["Content-Type", "text/plain"]], "reply_body": "hello"}
                """#.utf8))

        #expect(
            ProbeReceipt(entry, wasOpen: false, skew: .seconds(-3600))
                == ProbeReceipt(
                    Receipt(headBytes: 90, bodyBytes: 5, rawBytes: 2, unsent: 1, end: .rst), milliseconds: 2,
                    date: "Mon, 12 Jan 2026 08:15:00 GMT", headers: [.init("Content-Type", "text/plain")], body: "hello"))
    }

    @Test func `a status whose head was never sent is none`() {
        #expect(ProbeReceipt(status: 201, Receipt(end: .fin)).status == nil)
    }

    // MARK: factories

    private func ok() -> ProbeReceipt {
        ProbeReceipt(
            Receipt(headBytes: Self.head.utf8.count, bodyBytes: 5, end: .fin), date: Self.date,
            headers: [.init("Content-Type", "text/plain")], body: "hello")
    }

    private func receipt(_ status: Int?, end: Receipt.End) -> ProbeReceipt { ProbeReceipt(status: status, Receipt(end: end)) }

    private func came(_ text: String, _ end: ProbeObservation.End = .fin) -> ProbeObservation {
        ProbeObservation(Array(text.utf8), end: end)
    }

    private func arrives() -> ProbeComparison.Result { ProbeComparison.Result(verdict: .arrives) }

    private func result(_ sent: ProbeReceipt, _ came: ProbeObservation, _ effects: Set<FaultEffect> = []) -> ProbeComparison.Result {
        result([sent], came, effects)
    }

    private func result(_ sent: [ProbeReceipt], _ came: ProbeObservation, _ effects: Set<FaultEffect> = []) -> ProbeComparison.Result {
        ProbeComparison.result(of: sent, came: came, effects: effects)
    }
}
