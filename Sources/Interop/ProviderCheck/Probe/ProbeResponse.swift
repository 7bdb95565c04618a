package import BankModel

/// The HTTP/1.1 response within the bytes that one request got, however broken (RFC 9112).
package struct ProbeResponse: Sendable, Hashable {
    /// Nil if the bytes do not begin with a status line.
    package private(set) var status: Int?
    /// Bytes of the responses before the final one, such as 103.
    package private(set) var interimBytes = 0
    /// Bytes of the final response's status line and fields, as far as they arrived.
    package private(set) var headBytes = 0
    /// Whether the final response's head is complete, up to its empty line.
    package private(set) var hasWholeHead = false
    package private(set) var headers: [JournalEntry.Header] = []
    /// The content, without the framing of chunks.
    package private(set) var body: [UInt8] = []
    /// Whether the response is complete by its framing.
    package private(set) var isWhole = false
    package private(set) var trailers: [JournalEntry.Header] = []
    /// Bytes after a complete response.
    package private(set) var surplusBytes = 0

    /// - Parameters:
    ///   - bytes: all that came on the connection.
    ///   - hasEnded: whether the connection ended with FIN, which completes a body without a length.
    package init(_ bytes: [UInt8], hasEnded: Bool) {
        var rest = bytes[...]
        while true {
            let end = rest.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            let lines = ProbeResponse.lines(rest[..<(end ?? rest.endIndex)])
            guard let code = lines.first.flatMap(ProbeResponse.status) else { return }
            status = code
            headBytes = (end ?? rest.endIndex) - rest.startIndex
            guard let end else { return }
            rest = rest[end...]
            guard (100..<200).contains(code) else {
                hasWholeHead = true
                headers = lines.dropFirst().compactMap(ProbeResponse.field)
                break
            }
            interimBytes += headBytes
            status = nil
            headBytes = 0
        }
        readBody(&rest, hasEnded: hasEnded)
        surplusBytes = rest.count
    }

    /// The values of a field, in order.
    package func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    private mutating func readBody(_ rest: inout ArraySlice<UInt8>, hasEnded: Bool) {
        if status == 204 || status == 304 {
            isWhole = true
        } else if values("Transfer-Encoding").contains(where: { $0.lowercased().hasSuffix("chunked") }) {
            readChunks(&rest)
        } else if let length = values("Content-Length").first.flatMap({ Int($0) }) {
            body = Array(rest.prefix(max(0, length)))
            isWhole = body.count == length
            rest = rest.dropFirst(body.count)
        } else {
            body = Array(rest)
            isWhole = hasEnded
            rest = []
        }
    }

    /// Reads chunks up to the first that is broken, or the last one with its trailers (RFC 9112 §7.1).
    private mutating func readChunks(_ rest: inout ArraySlice<UInt8>) {
        while let line = ProbeResponse.line(rest) {
            let digits = line.text.prefix { $0 != ";" }.filter { $0 != " " }
            guard let size = Int(digits, radix: 16), size >= 0 else { return }
            rest = rest[line.end...]
            if size == 0 { return readTrailers(&rest) }
            let chunk = rest.prefix(size)
            body += chunk
            rest = rest.dropFirst(chunk.count)
            guard chunk.count == size, rest.starts(with: [13, 10]) else { return }
            rest = rest.dropFirst(2)
        }
    }

    private mutating func readTrailers(_ rest: inout ArraySlice<UInt8>) {
        while let line = ProbeResponse.line(rest) {
            rest = rest[line.end...]
            if line.text.isEmpty {
                isWhole = true
                return
            }
            if let field = ProbeResponse.field(line.text) { trailers.append(field) }
        }
    }

    // MARK: lines

    /// The first line and the index behind its end; nil if it has no end.
    private static func line(_ bytes: ArraySlice<UInt8>) -> (text: String, end: Int)? {
        guard let feed = bytes.firstIndex(of: 10) else { return nil }
        let line = bytes[..<feed]
        let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        return (text, feed + 1)
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) -> [String] {
        // By bytes: to Swift's String a CR and LF are one character.
        bytes.split(separator: 10).map { line in String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self) }
    }

    /// The code of a status line; nil if it is none.
    private static func status(_ line: String) -> Int? {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].count == 3 else { return nil }
        return Int(parts[1])
    }

    private static func field(_ line: String) -> JournalEntry.Header? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return JournalEntry.Header(String(line[..<colon]), String(value))
    }
}
