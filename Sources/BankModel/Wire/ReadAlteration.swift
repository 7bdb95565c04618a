/// A fault's effect on what an operation answers.
package enum ReadAlteration: Sendable, Hashable {
    /// The next page's cursor is that of the requested page.
    case samePageAgain
    /// The page begins one row too early.
    case overlap
    /// The cursor is rejected as unknown.
    case expiredCursor
    /// There is always a next page.
    case endless
    /// The rows and balances are as they were that long ago, by the session's clock.
    case stale(Duration)
    /// A part of the ID token is wrong.
    case wrongIDToken(IDTokenPart)
    /// Events of a stream do not come as they happened.
    case events(StreamAlteration)
    /// The sign-in page returns to the client with that error and its description, whatever the customer does.
    case failedSignIn(AuthorizationErrorCode, String?)
}

/// How the events of a stream differ from those that happened.
package enum StreamAlteration: String, Sendable, CaseIterable {
    /// Every second one is missing, beginning with the first.
    case drop
    /// Each comes twice.
    case duplicate
    /// Of two events of a table, the second is sent first.
    case reorder
    /// The stream ends instead of its first event.
    case end
}

/// A part of an ID token that a client must check (OpenID Connect Core 1.0 §3.1.3.7).
package enum IDTokenPart: String, Sendable, CaseIterable {
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

/// An error with which a sign-in page returns to its client (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6).
package enum AuthorizationErrorCode: String, Sendable, CaseIterable {
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
