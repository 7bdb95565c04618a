import BankModel

/// Faults that strike before the operation is executed, and the one that strikes just behind.
extension StubBank.Fault {
    /// The operation is executed and durable, then the reply is lost: did the payment happen?
    public static func loseReply(by way: LosingWay) -> Self { Self(kind: "lose-reply", ["by": .string(way.rawValue)]) }

    /// How a reply is lost.
    public enum LosingWay: String, Sendable, CaseIterable {
        /// The connection ends before any byte.
        case close
        /// The connection is reset before any byte.
        case reset
        /// Silence.
        case hang
        /// The connection ends inside the first header's name.
        case halfHead = "half-head"
        /// The connection ends in the middle of the body.
        case halfBody = "half-body"
    }

    /// The connection ends; nothing is executed.
    public static let close = Self(kind: "close")

    /// The connection is reset; nothing is executed.
    public static let reset = Self(kind: "reset")

    /// Silence; nothing is executed.
    public static let hang = Self(kind: "hang")

    /// Another reply; nothing is executed.
    ///
    /// - Parameters:
    ///   - status: from 200 to 599.
    ///   - headers: a body without a Content-Type is plain text.
    ///   - body: as it is sent.
    ///   - retryAfter: the header `Retry-After`, in seconds.
    public static func status(_ status: Int, headers: [String: String] = [:], body: String? = nil, retryAfter: Int? = nil) -> Self {
        var settings = JSONObject([("status", .int(status))])
        settings["retry_after"] = retryAfter.map { .int($0) }
        if !headers.isEmpty {
            settings["headers"] = .object(JSONObject(headers.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) }))
        }
        settings["body"] = body.map(JSON.string)
        return Self(kind: "status", object: settings)
    }

    /// The refusal in the words of the bank's own dialect; nothing is executed.
    ///
    /// - Parameters:
    ///   - reply: which.
    ///   - retryAfter: the header `Retry-After`, in seconds.
    public static func refusal(_ reply: Refusal, retryAfter: Int? = nil) -> Self {
        var settings = JSONObject([("name", .string(reply.rawValue))])
        settings["retry_after"] = retryAfter.map { .int($0) }
        return Self(kind: "dialect", object: settings)
    }

    /// What every bank can say instead of doing what was asked.
    public enum Refusal: String, Sendable, CaseIterable {
        case noCredentials = "no-credentials"
        case tokenRejected = "token-rejected"
        case tokenExpired = "token-expired"
        case scopeRefused = "scope-refused"
        case stepUp = "step-up"
        case consentExpired = "consent-expired"
        case notFound = "not-found"
        case badRequest = "bad-request"
        case keyMissing = "key-missing"
        case keyMismatch = "key-mismatch"
        case keyInFlight = "key-in-flight"
        case rateLimited = "rate-limited"
        case maintenance
        case internalError = "internal-error"
        case insufficientFunds = "insufficient-funds"
        case cursorExpired = "cursor-expired"
    }

    /// A sign-in page of somebody else's network: 200 and HTML.
    public static let captivePortal = Self(kind: "captive-portal")

    /// A success whose body says no.
    public static let businessFailure = Self(kind: "business-failure")

    /// A redirect.
    ///
    /// - Parameters:
    ///   - target: `loop`, `other-host`, `downgrade`, or a URL.
    ///   - status: from 301 to 308.
    public static func redirect(to target: String, status: Int = 302) -> Self {
        Self(kind: "redirect", ["to": .string(target), "status": .int(status)])
    }

    /// The page after this one is this one again.
    public static let replayPage = Self(kind: "replay-page")

    /// A row stands on two pages.
    public static let shiftPage = Self(kind: "shift-page")

    /// The bank does not know the cursor any more.
    public static let expireCursor = Self(kind: "expire-cursor")

    /// There is always a next page.
    public static let endlessPage = Self(kind: "endless-page")

    /// Reads show what was true some time ago.
    ///
    /// - Parameter age: by the bank's clock.
    public static func staleRead(by age: Duration) -> Self { Self(kind: "stale-read", ["by": .string(age.shortText)]) }

    /// A wait before the head of the reply.
    ///
    /// - Parameter duration: real time.
    public static func delay(_ duration: Duration) -> Self { Self(kind: "delay", ["fixed": .string(duration.shortText)]) }

    /// A wait before the head of the reply, drawn anew each time from the bank's seed.
    ///
    /// - Parameter range: real time.
    public static func delay(_ range: ClosedRange<Duration>) -> Self {
        Self(kind: "delay", ["uniform": ["from": .string(range.lowerBound.shortText), "to": .string(range.upperBound.shortText)]])
    }

    /// A wait before the head of the reply, until ``StubBank/release()``.
    public static let delayUntilRelease = Self(kind: "delay", ["until": "released"])
}
