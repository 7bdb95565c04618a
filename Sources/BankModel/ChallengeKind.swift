/// How a customer confirms a request that the bank has challenged.
package enum ChallengeKind: String, Sendable, CaseIterable {
    /// The client sends a code that the customer types in.
    case otp
    /// The customer approves in another app, and the client polls for the approval.
    case decoupled
    /// The customer signs in on the bank's page and approves there, and the page returns to the client.
    case redirect
}
