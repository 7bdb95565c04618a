import BankModel

/// An event of a stream of server-sent events.
package struct ServerSentEvent: Sendable, Hashable {
    /// The last id that the stream has sent, this event's included; empty if it has sent none.
    package var id = ""
    /// `message` if the event has no name.
    package var type = "message"
    package var data: String
}

/// Reads server-sent events (WHATWG HTML §9.2.6) from the pieces in which their bytes come.
///
/// Memory is bounded: no event is longer than the limit.
package struct EventStreamParser: Sendable {
    /// An event that is longer than the limit.
    package struct EventTooLong: Error, Sendable, Hashable {
        package var limit: Int
    }

    /// The id up to which the stream was read: with it a client connects again. Empty before the first.
    package private(set) var lastID: String
    /// How long the bank asks a client to wait before it connects again; nil if it has not.
    package private(set) var retry: Duration?
    private let limit: Int
    private var line: [UInt8] = []
    /// The fields of the event whose empty line has not come yet.
    private var id: String
    private var type = ""
    private var data: [UInt8] = []
    private var endsWithReturn = false
    private var isFirstLine = true

    /// - Parameters:
    ///   - lastID: the id from the connection before.
    ///   - retry: that of the connection before.
    ///   - limit: the bytes of an event.
    package init(lastID: String = "", retry: Duration? = nil, limit: Int = 1 << 16) {
        self.lastID = lastID
        self.retry = retry
        self.limit = limit
        id = lastID
    }

    /// The events that are complete with these bytes. What is incomplete when the stream ends is not an event.
    package mutating func read(_ bytes: [UInt8]) throws(EventTooLong) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let isReturn = byte == UInt8(ascii: "\r")
            if isReturn || byte == UInt8(ascii: "\n") {
                // CR LF is one end of a line.
                if isReturn || !endsWithReturn, let event = endLine() { events.append(event) }
            } else {
                guard line.count + data.count < limit else { throw EventTooLong(limit: limit) }
                line.append(byte)
            }
            endsWithReturn = isReturn
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        take(String(decoding: line[..<colon], as: UTF8.self), value)
        line.removeAll(keepingCapacity: true)
        return nil
    }

    /// Takes a field; a comment has an empty name.
    private mutating func take(_ name: String, _ value: ArraySlice<UInt8>) {
        switch name {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            data += value
            data.append(UInt8(ascii: "\n"))
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy(\.isDigit):
            retry = .milliseconds(min(Int64(String(decoding: value, as: UTF8.self)) ?? .max, 86_400_000))
        default: break
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        lastID = id
        defer { (type, data) = ("", []) }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(id: id, type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self))
    }
}
