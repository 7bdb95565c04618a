import BankModel

/// The response to one request, as a client saw it.
package struct ProbeObservation: Sendable {
    package enum End: String, Sendable {
        case fin, rst
        /// Nothing more came within the limit.
        case silence
        /// No connection was made.
        case refused

        /// The end in a sentence.
        var words: String {
            switch self {
            case .fin: "the end of the connection (FIN)"
            case .rst: "a reset (RST)"
            case .silence: "silence"
            case .refused: "no connection"
            }
        }
    }

    package let end: End
    package let byteCount: Int
    /// From the request to the first byte; nil if none came.
    package let first: Duration?
    /// From the request to the last byte; nil if none came.
    package let last: Duration?
    /// From the request to the end.
    package let duration: Duration
    package let response: ProbeResponse

    package init(_ bytes: [UInt8], end: End, first: Duration? = nil, last: Duration? = nil, duration: Duration = .zero) {
        self.end = end
        byteCount = bytes.count
        self.first = first
        self.last = last
        self.duration = duration
        response = ProbeResponse(bytes, hasEnded: end == .fin)
    }

    /// The observation in a few words: `502`, `a reset (RST)`.
    var words: String {
        if let status = response.status { return String(status) }
        return byteCount > 0 ? "bytes that are not HTTP" : end.words
    }

    var json: JSON {
        [
            "status": response.status.map { .int($0) } ?? .null, "bytes": .int(byteCount), "body_bytes": .int(response.body.count),
            "end": .string(end.rawValue), "first_ms": first.map(JSON.milliseconds) ?? .null,
            "last_ms": last.map(JSON.milliseconds) ?? .null, "duration_ms": .milliseconds(duration),
        ]
    }
}

extension JSON {
    /// A time in whole milliseconds.
    fileprivate static func milliseconds(_ duration: Duration) -> JSON { .int(duration.nanoseconds / 1_000_000) }
}
