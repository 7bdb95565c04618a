import Faults

extension StubBank.Fault {
    /// The kind of a fault, by its name in files and in the journal. `counterfoil faults` describes each.
    public struct Kind: RawRepresentable, Sendable, Hashable, CaseIterable {
        public let rawValue: String

        /// - Returns: nil if no kind has that name.
        public init?(rawValue: String) {
            guard FaultKinds.all.contains(where: { $0.kind == rawValue }) else { return nil }
            self.rawValue = rawValue
        }

        private init(_ name: String) { rawValue = name }

        /// Every kind of this version, in the order of the points at which they apply.
        public static var allCases: [Kind] { FaultKinds.all.map { Kind($0.kind) } }

        public static let authorizationError = Kind("authorization-error")
        public static let badChunk = Kind("bad-chunk")
        public static let bandwidth = Kind("bandwidth")
        public static let blackhole = Kind("blackhole")
        public static let businessFailure = Kind("business-failure")
        public static let captivePortal = Kind("captive-portal")
        public static let certificate = Kind("certificate")
        public static let close = Kind("close")
        public static let closeOnAccept = Kind("close-on-accept")
        public static let contentType = Kind("content-type")
        public static let corrupt = Kind("corrupt")
        public static let dateSkew = Kind("date-skew")
        public static let delay = Kind("delay")
        public static let dialect = Kind("dialect")
        public static let earlyHints = Kind("early-hints")
        public static let earlyReply = Kind("early-reply")
        public static let edit = Kind("edit")
        public static let endlessPage = Kind("endless-page")
        public static let expireCursor = Kind("expire-cursor")
        public static let garbage = Kind("garbage")
        public static let goAway = Kind("goaway")
        public static let gzip = Kind("gzip")
        public static let hang = Kind("hang")
        public static let hugeHead = Kind("huge-head")
        public static let longerLength = Kind("longer-length")
        public static let loseReply = Kind("lose-reply")
        public static let oldTLS = Kind("old-tls")
        public static let redirect = Kind("redirect")
        public static let refuse = Kind("refuse")
        public static let replayPage = Kind("replay-page")
        public static let reset = Kind("reset")
        public static let resetBody = Kind("reset-body")
        public static let resetOnAccept = Kind("reset-on-accept")
        public static let resetStream = Kind("reset-stream")
        public static let setCookie = Kind("set-cookie")
        public static let shiftPage = Kind("shift-page")
        public static let slow = Kind("slow")
        public static let staleRead = Kind("stale-read")
        public static let stallBody = Kind("stall-body")
        public static let status = Kind("status")
        public static let streamEvents = Kind("stream-events")
        public static let surplus = Kind("surplus")
        public static let tlsAbort = Kind("tls-abort")
        public static let trailers = Kind("trailers")
        public static let truncate = Kind("truncate")
        public static let wrongIDToken = Kind("wrong-id-token")
    }

    /// The point of an exchange at which a fault applies, in the order in which an exchange reaches them.
    public enum Point: String, Sendable, CaseIterable {
        /// The connection is accepted and no byte of it is read.
        case connect
        /// Before the TLS handshake.
        case tls
        /// The request is read and nothing is executed.
        case request
        /// The operation is executed and stored, and nothing is sent.
        case commit
        /// Before the status line and the headers.
        case head
        /// Before and during the body.
        case body
    }
}
