/// The errors of a bank client: the closed list of names that drivers report and contracts expect.
public enum ClientError: String, Error, Sendable, CaseIterable {
    /// A new sign-in is required: any 401, a 403 whose body reports an invalid token, a rejected refresh, no token.
    case unauthorized
    /// The bank's consent has expired and must be given again.
    case consentExpired = "consent_expired"
    /// Any other 403.
    case forbidden
    /// 404 and 410.
    case notFound = "not_found"
    /// 409 on a read.
    case conflict
    /// Every other 4xx, and every rejection in a 200 or 201.
    case rejected
    /// 429, if the client did not retry after the wait.
    case rateLimited = "rate_limited"
    /// 5xx, maintenance.
    case unavailable
    /// Could not connect, or the name was not found.
    case offline
    case timeout
    /// Certificate or handshake.
    case tls
    case tooLarge = "too_large"
    /// A response that is not as agreed, an unexpected 2xx or 3xx.
    case decode
    /// A payment of which a byte may have been sent, without a final response.
    case outcomeUnknown = "outcome_unknown"
    case cancelled
    case nothingToDo = "nothing_to_do"
    /// An error was shown, of no kind: "Something went wrong".
    case failed
}
