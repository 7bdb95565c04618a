import BankModel
import NIOCore
import NIOHPACK

/// A request in any protocol.
struct TimedRequest {
    var method = "GET"
    var path: String
    var headers: [JournalEntry.Header] = []
    var body = ""
}

/// The parts of a response received so far.
struct TimedAnswer {
    var timeline = Timeline()
    /// As counted by receipts: on HTTP/2 names and values.
    var headBytes = 0
    var body: [UInt8] = []
    /// Bytes that are neither.
    var rawBytes = 0
    /// The body's length declared by the head.
    var length: Int?
    var closes = false
}

/// Parses responses of one protocol, and encodes requests.
protocol ResponseReader {
    var answer: TimedAnswer { get set }

    /// The first bytes sent on a connection.
    var greeting: [UInt8] { get }

    /// Begins a new exchange.
    ///
    /// - Returns: the request's bytes.
    mutating func begin(_ request: TimedRequest) -> [UInt8]

    /// Parses received bytes.
    ///
    /// - Returns: the bytes to send in response.
    mutating func read(_ bytes: [UInt8], at time: Int) -> [UInt8]
}

/// HTTP/1.1, one request at a time.
struct HTTP1Reader: ResponseReader {
    var answer = TimedAnswer()
    private var buffer: [UInt8] = []
    private var hasHead = false
    private var isChunked = false
    /// The size of the first chunk; nil before its line.
    private var chunk: Int?

    var greeting: [UInt8] { [] }

    mutating func begin(_ request: TimedRequest) -> [UInt8] {
        self = HTTP1Reader()
        var lines = ["\(request.method) \(request.path) HTTP/1.1", "Host: bank"] + request.headers.map { "\($0.name): \($0.value)" }
        if !request.body.isEmpty { lines.append("Content-Length: \(request.body.utf8.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + request.body).utf8)
    }

    mutating func read(_ bytes: [UInt8], at time: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        buffer += bytes
        while !hasHead {
            guard !buffer.isEmpty else { return [] }
            guard buffer.starts(with: "HTTP/1.1 ".utf8) else {
                answer.rawBytes = buffer.count
                answer.timeline.add("raw \(buffer.count)", at: time)
                return []
            }
            guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else {
                answer.headBytes = buffer.count
                answer.timeline.add("cut", at: time)
                return []
            }
            let head = String(decoding: buffer[..<end.upperBound], as: UTF8.self)
            buffer.removeSubrange(..<end.upperBound)
            if head.hasPrefix("HTTP/1.1 1") {
                answer.rawBytes += head.utf8.count
                answer.timeline.add("interim \(head.dropFirst(9).prefix(3))", at: time)
            } else {
                parse(head: head, at: time)
            }
        }
        if isChunked, let end = buffer.firstRange(of: Array("\r\n".utf8)) {
            isChunked = false
            chunk = Int(String(decoding: buffer[..<end.lowerBound], as: UTF8.self), radix: 16)
            answer.rawBytes += end.upperBound
            buffer.removeSubrange(..<end.upperBound)
        }
        // The lines behind the only chunk: its end, the last chunk and the trailers.
        let tail = chunk.map { buffer.dropFirst(max(0, $0 - answer.body.count)) } ?? []
        answer.rawBytes += tail.count
        buffer.removeLast(tail.count)
        let own = buffer.prefix(answer.length.map { max(0, $0 - answer.body.count) } ?? buffer.count)
        if !own.isEmpty { answer.timeline.add("body \(own.count)", at: time) }
        answer.body += own
        if answer.body.count == answer.length, !answer.timeline.has("whole") { answer.timeline.add("whole", at: time) }
        let surplus = buffer.count - own.count
        if surplus > 0 { answer.timeline.add("raw \(surplus)", at: time) }
        answer.rawBytes += surplus
        if Array(tail.suffix(4)) == Array("\r\n\r\n".utf8) { answer.timeline.add("whole", at: time) }
        buffer = []
        return []
    }

    private mutating func parse(head: String, at time: Int) {
        hasHead = true
        answer.headBytes = head.utf8.count
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        answer.timeline.add("head \(status)", at: time)
        for line in head.split(separator: "\r\n").dropFirst() {
            let (name, value) = (line.prefix { $0 != ":" }.lowercased(), line.drop { $0 != ":" }.dropFirst(2))
            switch name {
            case "content-length": answer.length = Int(value)
            case "transfer-encoding": isChunked = true
            case "connection": answer.closes = value == "close"
            default: break
            }
        }
        if status == 204 || status == 304 { answer.length = 0 }
    }
}

/// HTTP/2 (RFC 9113): one stream at a time is observed.
struct HTTP2Reader: ResponseReader {
    var answer = TimedAnswer()
    private var buffer: [UInt8] = []
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var stream = -1

    var greeting: [UInt8] { Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + HTTP2Reader.frame(type: 4, stream: 0) }

    mutating func begin(_ request: TimedRequest) -> [UInt8] {
        answer = TimedAnswer()
        stream += 2
        let own = [(":method", request.method), (":scheme", "http"), (":authority", "bank"), (":path", request.path)]
        var block: [UInt8] = []
        for (name, value) in own + request.headers.map({ ($0.name.lowercased(), $0.value) }) {
            // A literal without indexing, with a new name, no Huffman (RFC 7541 §6.2.2); all are shorter than 127 bytes.
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        let head = HTTP2Reader.frame(type: 1, flags: request.body.isEmpty ? 5 : 4, stream: stream, block)
        return request.body.isEmpty ? head : head + HTTP2Reader.frame(type: 0, flags: 1, stream: stream, Array(request.body.utf8))
    }

    mutating func read(_ bytes: [UInt8], at time: Int) -> [UInt8] {
        buffer += bytes
        var output: [UInt8] = []
        while buffer.count >= 9 {
            let length = HTTP2Reader.number(buffer[..<3])
            guard buffer.count >= 9 + length else { break }
            let (type, flags, stream) = (buffer[3], buffer[4], HTTP2Reader.number(buffer[5..<9]))
            let payload = Array(buffer[9..<(9 + length)])
            buffer.removeFirst(9 + length)
            // Settings are acknowledged.
            if type == 4, flags & 1 == 0 { output += HTTP2Reader.frame(type: 4, flags: 1, stream: 0) }
            if type == 7 {
                let last = HTTP2Reader.number(payload[..<4])
                answer.timeline.add("goaway \(last == self.stream ? "this" : "\(last)")", at: time)
            }
            if stream == self.stream { parse(type, flags, payload, at: time) }
        }
        return output
    }

    private mutating func parse(_ type: UInt8, _ flags: UInt8, _ payload: [UInt8], at time: Int) {
        switch type {
        case 0:
            answer.body += payload
            if !payload.isEmpty { answer.timeline.add("body \(payload.count)", at: time) }
        case 1:
            var block = ByteBuffer(bytes: payload)
            let headers = (try? decoder.decodeHeaders(from: &block)) ?? [:]
            let count = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            if let status = headers.first(name: ":status"), status.hasPrefix("1") {
                answer.rawBytes += count
                return answer.timeline.add("interim \(status)", at: time)
            }
            answer.headBytes = count
            answer.length = headers.first(name: "content-length").flatMap { Int($0) }
            answer.timeline.add("head \(headers.first(name: ":status") ?? "?")", at: time)
        case 3: answer.timeline.add("reset \(HTTP2Reader.number(payload[...]))", at: time)
        default: return
        }
        if type < 2, flags & 1 != 0 { answer.timeline.add("whole", at: time) }
    }

    private static func frame(type: UInt8, flags: UInt8 = 0, stream: Int, _ payload: [UInt8] = []) -> [UInt8] {
        big(payload.count).dropFirst() + [type, flags] + big(stream) + payload
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
}
