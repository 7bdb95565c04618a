import BankModel
public import Foundation

/// Faults that apply before the operation is executed, and faults that lose or delay its response.
extension StubBank.Fault {
    /// Executes and stores the operation, then loses the response: the client cannot know whether the payment was made.
    public static func loseReply(by way: LosingWay) -> Self { Self(kind: .loseReply, ["by": .string(way.rawValue)]) }

    /// The way in which a response is lost.
    public enum LosingWay: String, Sendable, CaseIterable {
        /// The connection closes before any byte of the response.
        case close
        /// The connection is reset before any byte of the response.
        case reset
        /// Nothing is sent and the connection stays open.
        case hang
        /// The connection closes inside the first header's name.
        case halfHead = "half-head"
        /// The connection closes in the middle of the body.
        case halfBody = "half-body"
    }

    /// Closes the connection without a response. Nothing is executed.
    public static let close = Self(kind: .close)

    /// Resets the connection without a response. Nothing is executed.
    public static let reset = Self(kind: .reset)

    /// Sends nothing and leaves the connection open. Nothing is executed.
    public static let hang = Self(kind: .hang)

    /// Sends this response. Nothing is executed.
    ///
    /// - Parameters:
    ///   - status: the status code, from 200 to 599.
    ///   - headers: headers to add; without a `Content-Type`, a body is plain text.
    ///   - body: the body, sent unchanged; nil for none.
    ///   - retryAfter: the header `Retry-After`, in seconds; nil for none.
    public static func status(_ status: Int, headers: [String: String] = [:], body: String? = nil, retryAfter: Int? = nil) -> Self {
        Self(
            kind: .status,
            [
                "status": .int(status), "retry_after": retryAfter.map { .int($0) }, "headers": headers.sortedObject,
                "body": body.map(JSON.string),
            ])
    }

    /// Sends a rejection in the bank's own dialect. Nothing is executed.
    ///
    /// - Parameters:
    ///   - response: the error response.
    ///   - retryAfter: the header `Retry-After`, in seconds; nil for none.
    public static func refusal(_ response: Refusal, retryAfter: Int? = nil) -> Self {
        Self(kind: .dialect, ["name": .string(response.rawValue), "retry_after": retryAfter.map { .int($0) }])
    }

    /// A rejection that every bank's dialect has.
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

    /// Sends the sign-in page of a captive portal: 200 with HTML. Nothing is executed.
    public static let captivePortal = Self(kind: .captivePortal)

    /// Sends 200 with a rejection in the body. Nothing is executed.
    public static let businessFailure = Self(kind: .businessFailure)

    /// Sends a redirect.
    ///
    /// - Parameters:
    ///   - target: the address in `Location`.
    ///   - status: the status code, from 301 to 308.
    ///   - executed: true to execute and store the request first; otherwise nothing is executed.
    ///   - retryAfter: the header `Retry-After`, in seconds; nil for none.
    public static func redirect(to target: RedirectTarget, status: Int = 302, executed: Bool = false, retryAfter: Int? = nil) -> Self {
        Self(
            kind: .redirect,
            [
                "to": .string(target.text), "status": .int(status), "executed": executed ? .bool(true) : nil,
                "retry_after": retryAfter.map { .int($0) },
            ])
    }

    /// The address to which a redirect leads.
    public enum RedirectTarget: Sendable, Hashable {
        /// The same URL again.
        case loop
        /// The same operation under another address, which is not redirected again.
        case sameHost
        /// Another name of the same address.
        case otherHost
        /// The same address by http instead of https.
        case downgrade
        /// This URL.
        case url(URL)

        fileprivate var text: String {
            switch self {
            case .loop: "loop"
            case .sameHost: "same-host"
            case .otherHost: "other-host"
            case .downgrade: "downgrade"
            case .url(let url): url.absoluteString
            }
        }
    }

    /// Makes the next page of a list repeat this one.
    public static let replayPage = Self(kind: .replayPage)

    /// Puts one row of a list on two pages.
    public static let shiftPage = Self(kind: .shiftPage)

    /// Rejects the cursor of a list as unknown.
    public static let expireCursor = Self(kind: .expireCursor)

    /// Announces a next page on every page of a list.
    public static let endlessPage = Self(kind: .endlessPage)

    /// Responds to reads with old rows and balances.
    ///
    /// - Parameter age: the age of the data, by the bank's clock.
    public static func staleRead(by age: Duration) -> Self { Self(kind: .staleRead, ["by": .string(age.shortText)]) }

    /// Issues an ID token that a client must not accept (OpenID Connect Core 1.0 §3.1.3.7).
    ///
    /// - Parameter part: the part of the ID token that is wrong.
    public static func wrongIDToken(_ part: IDTokenPart) -> Self { Self(kind: .wrongIDToken, ["part": .string(part.rawValue)]) }

    /// Makes the sign-in page return to the app with an error (RFC 6749 §4.1.2.1).
    ///
    /// Select the operation that shows the page, or the one that takes its form: `on: .operation("signInDecision")`. The fault applies to
    /// the requests of a browser; ``StubBank/authorize(_:as:decision:)`` makes none.
    ///
    /// - Parameters:
    ///   - error: the parameter `error`.
    ///   - description: the parameter `error_description`; nil for none.
    public static func authorizationError(_ error: SignInError, description: String? = nil) -> Self {
        Self(kind: .authorizationError, ["error": .string(error.rawValue), "description": description.map(JSON.string)])
    }

    /// An error with which a sign-in page returns to the app (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6).
    public enum SignInError: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case unauthorizedClient = "unauthorized_client"
        case accessDenied = "access_denied"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case interactionRequired = "interaction_required"
        case loginRequired = "login_required"
        case accountSelectionRequired = "account_selection_required"
        case consentRequired = "consent_required"
        case requestNotSupported = "request_not_supported"
    }

    /// Drops, duplicates or reorders the events of a stream.
    ///
    /// - Parameter change: `drop`, `duplicate`, `reorder` or `end`.
    public static func streamEvents(_ change: StreamChange) -> Self { Self(kind: .streamEvents, ["by": .string(change.rawValue)]) }

    /// The change to the events of a stream.
    public enum StreamChange: String, Sendable, CaseIterable {
        /// Every second event is missing, beginning with the first.
        case drop
        /// Each event is sent twice.
        case duplicate
        /// Of two events of a table, the second is sent first.
        case reorder
        /// The stream ends instead of its first event.
        case end
    }

    /// A part of an ID token that a client must check.
    public enum IDTokenPart: String, Sendable, CaseIterable {
        case issuer, audience, nonce
        /// It has expired.
        case expiry
        /// It is issued a day in the future.
        case issuedAt = "issued-at"
        /// It is not signed: the algorithm is `none`.
        case algorithm
        /// The key that it names is not among the bank's.
        case keyID = "key-id"
        case signature
    }

    /// Delays the response's head by a fixed duration.
    ///
    /// - Parameter duration: the delay, in real time.
    public static func delay(_ duration: Duration) -> Self { Self(kind: .delay, ["fixed": .string(duration.shortText)]) }

    /// Delays the response's head by a duration that is drawn each time from the bank's seed.
    ///
    /// - Parameter range: the shortest and the longest delay, in real time.
    public static func delay(_ range: ClosedRange<Duration>) -> Self {
        Self(kind: .delay, ["uniform": ["from": .string(range.lowerBound.shortText), "to": .string(range.upperBound.shortText)]])
    }

    /// Delays the response's head until ``StubBank/release()``.
    public static let delayUntilRelease = Self(kind: .delay, ["until": "released"])
}

/// Faults that leave a response complete, but send it, or other bytes, at an unexpected time.
extension StubBank.Fault {
    /// Sends interim responses before the final one.
    ///
    /// - Parameters:
    ///   - status: 100, 102 or 103.
    ///   - count: the number of interim responses, from 1 to 100.
    public static func earlyHints(_ status: Int = 103, count: Int = 1) -> Self {
        Self(kind: .earlyHints, ["status": .string(String(status)), "count": .int(count)])
    }

    /// Sends a response before the request's body has ended. Nothing is executed, and a request without a body is unchanged.
    ///
    /// - Parameters:
    ///   - status: the status code, from 200 to 599.
    ///   - body: the body, sent as plain text; nil for none.
    ///   - drains: true to read and drop the rest of the request and keep the connection, false to end it.
    public static func earlyReply(_ status: Int = 413, body: String? = nil, drains: Bool = false) -> Self {
        Self(kind: .earlyReply, ["status": .int(status), "then": .string(drains ? "drain" : "close"), "body": body.map(JSON.string)])
    }

    /// Sends bytes after a whole response, on a connection that stays open. HTTP/1.1 only.
    public static func surplus(_ bytes: Surplus = .sameResponse) -> Self {
        switch bytes {
        case .sameResponse: Self(kind: .surplus)
        case .reply(let status, let body): Self(kind: .surplus, ["status": .int(status), "body": body.map(JSON.string)])
        case .bytes(let text): Self(kind: .surplus, ["bytes": .string(text)])
        }
    }

    /// The bytes after a whole response.
    public enum Surplus: Sendable, Hashable {
        /// The response once more.
        case sameResponse
        /// Another whole response; a body is sent as plain text.
        case reply(Int, body: String? = nil)
        /// These bytes.
        case bytes(String)
    }
}
