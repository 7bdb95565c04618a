/// How the user of a page, or a test in their place, ends an attempt to sign in.
package enum SignInDecision: String, Sendable, CaseIterable {
    case approve, deny
    /// Decides nothing, and returns to the client: a consent still awaits the customer.
    case cancel
    /// Closes the page: the client gets no response.
    case abandon
}

/// How a customer ends a challenge in the bank's own app.
package enum ChallengeDecision: String, Sendable, CaseIterable {
    case approve, deny
}
