extension StubBank.Fault {
    /// The kind of a fault, by its name in files and in the journal. `counterfoil faults` explains each.
    public enum Kind: String, Sendable, CaseIterable {
        case badChunk = "bad-chunk"
        case bandwidth
        case blackhole
        case businessFailure = "business-failure"
        case captivePortal = "captive-portal"
        case certificate
        case close
        case closeOnAccept = "close-on-accept"
        case contentType = "content-type"
        case corrupt
        case dateSkew = "date-skew"
        case delay
        case dialect
        case earlyHints = "early-hints"
        case earlyReply = "early-reply"
        case endlessPage = "endless-page"
        case expireCursor = "expire-cursor"
        case garbage
        case goAway = "goaway"
        case gzip
        case hang
        case hugeHead = "huge-head"
        case longerLength = "longer-length"
        case loseReply = "lose-reply"
        case oldTLS = "old-tls"
        case redirect
        case refuse
        case replayPage = "replay-page"
        case reset
        case resetBody = "reset-body"
        case resetOnAccept = "reset-on-accept"
        case resetStream = "reset-stream"
        case setCookie = "set-cookie"
        case shiftPage = "shift-page"
        case slow
        case staleRead = "stale-read"
        case stallBody = "stall-body"
        case status
        case surplus
        case tlsAbort = "tls-abort"
        case trailers
        case truncate
    }

    /// The point of an exchange at which a fault acts, in the order in which an exchange passes them.
    public enum Point: String, Sendable, CaseIterable {
        /// The connection is accepted and no byte of it is read.
        case connect
        /// Before the TLS handshake.
        case tls
        /// The request is read and nothing is executed.
        case request
        /// The operation is executed and durable, and nothing is sent.
        case commit
        /// Before the status line and the headers.
        case head
        /// Before and during the body.
        case body
    }
}
