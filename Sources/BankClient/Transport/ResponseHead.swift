/// The head of a response, parsed line by line.
///
/// libcurl 7.88.1 accepts much that RFC 9112 does not; its answers are validated here.
struct ResponseHead {
    /// The lines of the final response.
    private(set) var headers = HTTPHeaders()
    /// True once the empty line of the final response's head has come.
    var isComplete: Bool { expects == .trailers }
    private(set) var status = 0
    /// True if the response states a coding of its body.
    var isCoded: Bool { headers["Content-Encoding"] != nil }
    /// True for a stream of events, whose body is read while it arrives.
    var isEventStream: Bool { HTTPResponse(status: status, headers: headers).isEventStream }
    /// The first line that was malformed, with the expectation.
    private var malformed: String?
    private var expects = Expectation.statusLine
    private var version = Version.http11

    private enum Version: String, CaseIterable {
        case http11 = "HTTP/1.1"
        case http10 = "HTTP/1.0"
        case http2 = "HTTP/2"
        case http20 = "HTTP/2.0"
    }

    private enum Expectation {
        case statusLine, fields, trailers
    }

    /// Parses all lines of an exchange; the last one may lack its line end.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let line = rest[..<end]
            parse(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            rest = rest[end...].dropFirst()
        }
    }

    /// Parses a line without its line end. After an interim response (1xx) a status line begins again; lines after the final
    /// answer's empty one are trailers, which are ignored.
    private mutating func parse(line: ArraySlice<UInt8>) {
        switch expects {
        case .statusLine:
            headers = HTTPHeaders()
            parseStatus(line)
        case .fields where line.isEmpty: expects = (100..<200).contains(status) ? .statusLine : .trailers
        case .fields: parseField(line)
        case .trailers: break
        }
    }

    /// `HTTP/1.1 200 OK` (RFC 9112 §4); libcurl writes `HTTP/2 200 ` for HTTP/2.
    private mutating func parseStatus(_ line: ArraySlice<UInt8>) {
        (expects, status) = (.fields, 0)
        let space = line.firstIndex(of: 0x20) ?? line.endIndex
        let found = Version.allCases.first { line[..<space].elementsEqual($0.rawValue.utf8) }
        let digits = line[space...].dropFirst().prefix { $0 != 0x20 }
        guard let found, digits.count == 3, let number = ResponseHead.number(digits), number >= 100 else {
            malformed = malformed ?? "found the status line \"\(String(decoding: line.prefix(80), as: UTF8.self))\""
            return
        }
        (version, status) = (found, number)
    }

    private mutating func parseField(_ line: ArraySlice<UInt8>) {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = line.first, !isSpace(first) else {
            // A line that continues the one before (obs-fold, RFC 9112 §5.2): rejected, as it hides what the field is.
            malformed = malformed ?? "a line of the head continues the one before it"
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy({ 0x20 < $0 && $0 < 0x7F })
        else {
            malformed = malformed ?? "found \"\(String(decoding: line.prefix(80), as: UTF8.self))\", expected NAME: VALUE"
            return
        }
        var value = line[(colon + 1)...].drop(while: isSpace)
        while let last = value.last, isSpace(last) { value = value.dropLast() }
        headers.append(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// The reason why this response is incomplete although libcurl reports it as complete; nil if it is complete.
    ///
    /// curl 7.88.1 treats a head that ends with the connection, even inside a header's name, as a response with no body.
    /// - Parameters:
    ///   - bodyBytes: the number that arrived.
    ///   - isUnpacked: true if libcurl has undone the codings of the body; it ends a transfer with one that it does not know.
    ///   - speaksHTTP2: true if HTTP/2 was negotiated over TLS. Only there the stream's end is the body's; an answer on another
    ///     connection may call itself HTTP/2 (libcurl accepts that), and has no framing.
    ///   - method: the request's.
    func fault(bodyBytes: Int, isUnpacked: Bool = false, speaksHTTP2: Bool, method: String) -> String? {
        guard isComplete else { return "the head ended before its empty line" }
        if let malformed { return malformed }
        let isHTTP2 = version == .http2 || version == .http20
        if isHTTP2, !speaksHTTP2 { return "found \(version.rawValue) in the status line, expected HTTP/1.1: HTTP/2 was not negotiated" }
        let lengths = headers.values("Content-Length")
        let length = lengths.first.flatMap { ResponseHead.number($0.utf8) }
        if !lengths.isEmpty, length == nil || Set(lengths).count > 1 {
            return "found Content-Length: \(lengths.joined(separator: ", ")), expected one number"
        }
        let codings = headers.values("Transfer-Encoding")
        if !codings.isEmpty, length != nil { return "found both Content-Length and Transfer-Encoding" }
        if method == "HEAD" || status == 204 || status == 304 { return nil }
        if !isUnpacked, let coding = headers["Content-Encoding"], coding.lowercased() != "identity" {
            return "found Content-Encoding: \(coding), expected none: the request asked for none"
        }
        if let length { return length == bodyBytes ? nil : "found \(bodyBytes) bytes of body, expected \(length)" }
        if isHTTP2 { return nil }
        if !codings.isEmpty {
            if version == .http11, codings.count == 1, codings[0].lowercased() == "chunked" { return nil }
            return "found Transfer-Encoding: \(codings.joined(separator: ", ")) in \(version.rawValue), expected chunked in HTTP/1.1"
        }
        return "found neither Content-Length nor chunks, expected one: the end of the body is not known"
    }

    /// Parses decimal digits and nothing else, at most 15 of them.
    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy({ 0x30 <= $0 && $0 <= 0x39 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
