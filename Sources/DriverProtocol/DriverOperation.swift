/// What a harness can ask of a client under test.
package enum DriverOperation: String, Sendable, CaseIterable {
    case login, logout, status, accounts, balance, transactions, atms, image, goals, pay, resume
    case roundUp = "round_up"
}

/// What a client can do beyond single operations; contracts may demand one.
package enum DriverFeature: String, Sendable, CaseIterable {
    /// Sign-in and unfinished payments survive a kill.
    case persistence
    /// Old data is shown when the bank cannot be reached.
    case cache
    /// Several steps of one case at once.
    case together
    /// Several cases at once in one process.
    case parallel
    /// Takes its time from `now` instead of the system's clock.
    case clock
    case cancel
    case refresh
    /// Speaks HTTP/2 by ALPN over TLS.
    case h2
    /// Trusts the authority in `ca_file`, without which no bank under TLS can be reached.
    case ca
    /// Keeps state in memory beyond the end of a case, so that each case needs a new process.
    case fresh
}
