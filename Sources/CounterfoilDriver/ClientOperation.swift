/// The operations that a harness can request of a client.
public enum ClientOperation: String, Sendable, CaseIterable {
    case login, logout, status, accounts, balance, transactions, atms, image, goals, pay, resume
    case roundUp = "round_up"
    /// The state of a payment, as the bank reports it now.
    case paymentStatus = "payment_status"
    /// The address of the bank's sign-in page that the app would open.
    case authorizeBegin = "authorize_begin"
    /// The app is opened with the address to which the page redirected.
    case authorizeFinish = "authorize_finish"
    /// The events that the receiver of webhooks has processed.
    case events
    /// The user confirms a request that the bank has challenged.
    case challengeAnswer = "challenge_answer"
    /// The consents that the customer has given, as the app shows them.
    case consents
    /// The user revokes a consent in the app.
    case consentRevoke = "consent_revoke"
    /// The user asks for the rate of a payment in another currency.
    case quote
    /// The user looks at an account that the bank's stream keeps up to date.
    case watch

    /// Whether money may move.
    var pays: Bool { [.pay, .resume, .roundUp].contains(self) }
}

/// An ability of a client beyond single operations; a case that needs more is unsupported, not failed.
public enum ClientFeature: String, Sendable, CaseIterable {
    /// Sign-in and unfinished payments survive a kill.
    case persistence
    /// Old data is shown, marked as old, if the bank cannot be reached.
    case cache
    /// Several steps of one case at once.
    case together
    /// Several cases at once in one process.
    case parallel
    /// Takes the time from ``DriverCase/now`` and ``DriverStep/now`` instead of the system's clock.
    case clock
    /// Steps end at once when their task is cancelled.
    case cancel
    /// The client renews an expired token automatically.
    case refresh
    /// Speaks HTTP/2 by ALPN over TLS.
    case h2
    /// Trusts the authority in ``DriverCase/caFile``.
    case ca
    /// Connects only to a bank with a key of ``DriverCase/pins``.
    case pins
    /// Keeps state in memory from one case to the next, so that each case needs a separate process.
    case fresh
    /// Several processes of it work on one state folder at once.
    case processes
}

/// A result that is neither a view nor a failure; thrown by a handler.
public enum DriverOutcome: Error, Sendable {
    /// The client showed the user neither data nor an error.
    case silent
    /// The client does not have the operation, such as on this bank.
    case unsupported
}
