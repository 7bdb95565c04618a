package import BankModel

/// The response to one request, and the steps that execute the request and send it: faults change both, the wire carries them out.
package struct OutgoingResponse: Sendable {
    package var status: Int
    package var headers: [JournalEntry.Header]
    package var body: [UInt8]
    /// False for a response that has no body, whatever its headers are: to HEAD, 204, 304 (RFC 9110 §6.4.1).
    package var mayHaveBody: Bool
    /// The coding that bank and request have in common; nil if the body is sent as it is.
    package var coding: ContentCoding?
    /// The body before it was coded, for journals; nil if it is not coded.
    package var plainBody: [UInt8]?
    /// How far the `Date` header is off.
    package var dateSkew = Duration.zero
    package var framing = Framing.length(nil)
    /// Another response instead of the bank's, set at `request`: nothing is executed.
    package var substitute: Substitute?
    /// The alteration of a read, set at `request`.
    package var readAlteration: ReadAlteration?
    /// The steps of the wire, in order.
    package var steps: [WireStep]

    /// A response that is sent as it is.
    package init(status: Int, headers: [JournalEntry.Header], body: [UInt8], mayHaveBody: Bool = true) {
        self.status = status
        self.headers = headers
        self.body = body
        self.mayHaveBody = mayHaveBody
        steps = OutgoingResponse.whole
    }

    /// The steps of a response that is sent as it is: one array for all of them.
    private static let whole: [WireStep] = [.head, .body]

    /// Whether it is sent as it is, in one piece.
    package var isWhole: Bool {
        guard steps.count == 2, case .head = steps[0], case .body = steps[1] else { return false }
        return mayHaveBody && !body.isEmpty
    }

    /// A request that is executed as it is.
    package static let executed: OutgoingResponse = {
        var outgoing = OutgoingResponse(status: 500, headers: [], body: [])
        outgoing.steps = [.execute]
        return outgoing
    }()

    /// How the end of the body is framed.
    package enum Framing: Sendable, Hashable {
        /// By `Content-Length`; nil: the body's own.
        case length(Int?)
        /// Chunked, the chunks being written as raw bytes (RFC 9112 §7.1), or as pieces.
        case chunked
    }

    // MARK: for faults

    /// Whether the exchange comes to that point with what has been decided so far.
    package func reaches(_ point: FaultPoint) -> Bool {
        switch point {
        case .head: steps.contains(.head)
        case .body: steps.contains(.body)
        default: true
        }
    }

    /// Replaces the steps that send the body.
    mutating func replaceBody(_ with: [WireStep]) {
        guard let index = steps.firstIndex(of: .body) else { return }
        steps.replaceSubrange(index..., with: with)
    }

    /// Replaces all steps but the waits at the start, which a fault at an earlier point has added.
    mutating func replaceAll(_ with: [WireStep]) { steps.replaceSubrange(waits..., with: with) }

    /// Waits before everything that is still to be done, after the waits of earlier points.
    mutating func wait(_ wait: Wait, _ ruleID: String) { steps.insert(.pause(wait, rule: ruleID), at: waits) }

    /// The number of steps at the start that only wait.
    private var waits: Int { steps.prefix { if case .pause = $0 { true } else { false } }.count }

    /// Drops the steps before the execution of the request, because its turn has come.
    package mutating func skipToExecute() {
        guard let index = steps.firstIndex(of: .execute) else { return }
        steps.removeSubrange(..<index)
    }

    /// Sets a header, in place of those of the same name.
    mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.isHeaderName(name) }
        headers.append(JournalEntry.Header(name, value))
    }

    /// The size of the body that will be sent.
    ///
    /// - Throws: ``NotApplied`` if there is none.
    func bodyCount() throws(NotApplied) -> Int {
        guard mayHaveBody, !body.isEmpty else { throw NotApplied("the response has no body") }
        return body.count
    }
}

/// One thing the wire does with an exchange.
package enum WireStep: Sendable, Hashable {
    /// Executes the request; the steps that its response needs follow.
    case execute
    /// Writes the status line and headers.
    case head
    /// Writes the status line and part of the first header's name. HTTP/1.1 only.
    case halfHead
    /// Writes the body.
    case body
    /// Writes these bytes of the body.
    case part(Range<Int>)
    /// Writes these bytes of the body in pieces of `piece` bytes, with a pause after each.
    case trickle(Range<Int>, piece: Int, every: Duration, rule: String)
    /// Writes bytes of a body that is not in `body`; none: the end of the body.
    case piece([UInt8])
    /// Writes the rest of a body that comes in pieces, from a real bank or as a stream of events: each piece is a step of its own.
    case restOfBody
    /// Writes bytes that are not part of the response. HTTP/1.1 only.
    case raw([UInt8])
    /// Writes an interim response (1xx), which is not part of the final one (RFC 9110 §15.2).
    case interim(status: Int, [JournalEntry.Header])
    /// Writes head and body once more, as bytes that are not part of the response. HTTP/1.1 only.
    case again
    /// Waits, then goes on.
    case pause(Wait, rule: String)
    /// Silence until it is released, removed, or the client is gone.
    case hold(rule: String)
    /// Ends a whole response whose request may not have ended: FIN as `close`; on HTTP/2 RST_STREAM with NO_ERROR (RFC 9113 §8.1).
    case endRequest
    /// Shuts down writing (FIN), drains and closes; on HTTP/2 resets the stream with INTERNAL_ERROR.
    case close
    /// Resets the connection (RST), once all that was written has left; on HTTP/2 resets the stream with CANCEL.
    case reset
    /// HTTP/2: resets the stream with that code (RFC 9113 §6.4).
    case resetStream(HTTP2Code)
    /// HTTP/2: announces the end of the connection (RFC 9113 §6.8), and ends it by FIN unless it stays open.
    case goaway(HTTP2Code, last: LastStream, staysOpen: Bool)

    /// The last stream that a GOAWAY names as processed.
    package enum LastStream: String, Sendable, CaseIterable {
        /// No stream at all: this one may be sent again.
        case none = "0"
        case this
    }
}

/// An error code of HTTP/2 (RFC 9113 §7).
package enum HTTP2Code: String, Sendable, CaseIterable {
    case noError = "no-error"
    case protocolError = "protocol-error"
    case internalError = "internal-error"
    case flowControlError = "flow-control-error"
    case settingsTimeout = "settings-timeout"
    case streamClosed = "stream-closed"
    case frameSizeError = "frame-size-error"
    case refusedStream = "refused-stream"
    case cancel
    case compressionError = "compression-error"
    case connectError = "connect-error"
    case enhanceYourCalm = "enhance-your-calm"
    case inadequateSecurity = "inadequate-security"
    case http11Required = "http-1-1-required"

    /// The number on the wire: they are listed in its order.
    package var number: Int { HTTP2Code.allCases.firstIndex(of: self) ?? 0 }
}

extension OutgoingResponse {
    /// Codes the body in the coding that bank and request have in common, at the end of all faults; leaves it as it is if there is
    /// none, or if a fault has cut or replaced it byte by byte.
    package mutating func code() {
        let isWhole = steps.contains(.head) && (!mayHaveBody || steps.contains(.body)) && framing == .length(nil)
        guard isWhole else { return coding = nil }
        applyCoding()
    }

    /// Codes the body before a fault with `encoded: true` acts on it, unless an earlier one has.
    ///
    /// - Throws: ``NotApplied`` if there is no coding.
    mutating func codeForFault() throws(NotApplied) {
        if plainBody != nil { return }
        guard coding != nil, mayHaveBody, !body.isEmpty else {
            throw NotApplied("the response is not compressed: the bank has no `compression` for it, or the request accepts none of it")
        }
        applyCoding()
    }

    /// The body of the journal: never a coded one, in which no secret could be found.
    package var shownBody: [UInt8] { plainBody ?? body }

    /// Replaces the body by bytes that are sent as they are.
    ///
    /// - Parameter shown: the body of the journal; nil if it is `bytes`.
    mutating func replaceBytes(_ bytes: [UInt8], shown: [UInt8]? = nil) {
        coding = nil
        body = bytes
        if let shown { plainBody = shown }
    }

    /// Applies the coding to headers and body. The body of a response to HEAD is coded for its length; a 304 has none.
    private mutating func applyCoding() {
        guard let coding else { return }
        self.coding = nil
        let hasBody = status != 304 && !body.isEmpty
        headers = headers.announcing(coding, hasBody: hasBody)
        guard hasBody else { return }
        plainBody = body
        body = coding.coded(body)
    }
}
