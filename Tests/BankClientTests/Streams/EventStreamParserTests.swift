@testable import BankClient
import Testing

/// Streams, each with its events.
private let streams: [(text: String, events: [ServerSentEvent])] = [
    ("data: a\n\n", [ServerSentEvent(data: "a")]),
    ("data:a\ndata\ndata:  b\n\n", [ServerSentEvent(data: "a\n\n b")]),
    ("\u{FEFF}data: a\n\n", [ServerSentEvent(data: "a")]),
    ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", [ServerSentEvent(data: "a"), ServerSentEvent(data: "b"), ServerSentEvent(data: "c")]),
    (": still here\n\ndata: a\n: no end\n\n", [ServerSentEvent(data: "a")]),
    ("event: rows\n\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    ("event: rows\ndata: é\nother: x\ndata\n\n", [ServerSentEvent(type: "rows", data: "é\n")]),
    ("id: 7\ndata: a\n\ndata: b\n\n", [ServerSentEvent(id: "7", data: "a"), ServerSentEvent(id: "7", data: "b")]),
    ("id: 7\n\nid\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    ("id: a\0b\ndata: a\n\n", [ServerSentEvent(data: "a")]),
    ("data: a\n\ndata: b\n", [ServerSentEvent(data: "a")]),
    ("data: a\n", []), ("data: a", []), ("\n\n", []), ("", []),
]

/// Server-sent events as WHATWG HTML §9.2.6 defines them.
@Suite struct EventStreamParserTests {
    @Test(arguments: streams) func `events are read, whole and byte by byte`(_ text: String, _ expected: [ServerSentEvent]) throws {
        var (whole, single) = (EventStreamParser(), EventStreamParser())
        let events = try whole.read(Array(text.utf8))
        var pieces: [ServerSentEvent] = []
        for byte in text.utf8 { pieces += try single.read([byte]) }
        #expect(events == expected)
        #expect(pieces == expected)
    }

    @Test func `the id counts once its block is complete, even without data, and survives a connection`() throws {
        var parser = EventStreamParser()
        _ = try parser.read(Array("retry: 2000\nid: x-1\n\nid: x-2\ndata: a\n".utf8))
        #expect(parser.lastID == "x-1")
        #expect(parser.retry == .seconds(2))

        var next = EventStreamParser(lastID: parser.lastID, retry: parser.retry)
        let events = try next.read(Array("data: b\n\n".utf8))
        #expect(events == [ServerSentEvent(id: "x-1", data: "b")])
        #expect(next.retry == .seconds(2))
    }

    @Test(arguments: ["retry: 2s", "retry:", "retry: -1", "retry"]) func `a wait that is no number is ignored`(_ line: String) throws {
        var parser = EventStreamParser(retry: .seconds(5))
        _ = try parser.read(Array("\(line)\n\n".utf8))
        #expect(parser.retry == .seconds(5))
    }

    @Test(arguments: ["data: 0123456789", "data: 012\ndata: 345\ndata: 678\n", "0123456789012345"])
    func `an event that is too long is an error`(_ text: String) {
        var parser = EventStreamParser(limit: 12)
        let error = #expect(throws: EventStreamParser.EventTooLong.self) { _ = try parser.read(Array(text.utf8)) }
        #expect(error?.limit == 12)
    }
}
