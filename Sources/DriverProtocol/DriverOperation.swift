/// The operations that a harness can request of a client under test.
///
/// `CounterfoilDriver` repeats them, and the features, as public types: an app's driver imports that one module. A test compares both.
package enum DriverOperation: String, Sendable, CaseIterable {
    case login, logout, status, accounts, balance, transactions, atms, image, goals, pay, resume
    case roundUp = "round_up"
    case paymentStatus = "payment_status"
    /// The sign-in on the bank's own page: from the app to the page, and back to the app.
    case authorizeBegin = "authorize_begin"
    case authorizeFinish = "authorize_finish"
    /// What the client's receiver of webhooks has acted on.
    case events
    /// The user confirms a request that the bank has challenged.
    case challengeAnswer = "challenge_answer"
    /// The consents that the app shows, and the end of one.
    case consents
    case consentRevoke = "consent_revoke"
    /// The user asks for the rate of a payment in another currency.
    case quote
    /// What the app shows of an account while the bank's stream keeps it up to date.
    case watch
}

/// The abilities of a client beyond single operations; contracts may require one.
package enum DriverFeature: String, Sendable, CaseIterable {
    /// Sign-in and unfinished payments survive a kill.
    case persistence
    /// Cached data is shown if the bank is unreachable.
    case cache
    /// Several steps of one case at once.
    case together
    /// Several cases at once in one process.
    case parallel
    /// Uses the time in `now` instead of the system's clock.
    case clock
    case cancel
    case refresh
    /// Supports HTTP/2 by ALPN over TLS.
    case h2
    /// Trusts the authority in `ca_file`, without which no bank with TLS can be reached.
    case ca
    /// Pins the keys in `pins`.
    case pins
    /// Holds state in memory beyond the end of a case, so that each case needs a new process.
    case fresh
    /// Several processes of it work on one state folder at once.
    case processes
}
