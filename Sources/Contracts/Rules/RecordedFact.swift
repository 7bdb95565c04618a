/// A fact without which the requests of a finding do not prove that the client broke a rule. A bank's own journal shows all of them; a HAR,
/// or the record of a proxy, may lack some.
package enum RecordedFact: Sendable, Hashable {
    /// The client read each response but that of the last request. A rule that it breaks in any case does not rest on this: a payment whose
    /// response it does not wait for needs its key, too.
    case responseRead
    /// The requests come from one tab of a browser: another tab does not know what the first one knows.
    case oneTab
    /// The same of the last two requests.
    case oneTabOfLastTwo
    /// The requests come from one load of a page: the next one knows only what was stored.
    case onePageLoad
    /// The same of the last two requests.
    case onePageLoadOfLastTwo
    /// The bank rejected the token of the first request, nothing else, and did not issue it again before the last.
    case tokenRejected
    /// The bank rejected the token of each request that has one and asks for no new one, nothing else, and never accepted that token.
    case newTokensRejected
    /// The bank rejected the refresh token of the first request, for good.
    case refreshTokenRejected
    /// The headers are as they were sent, with the token.
    case tokenHeader
    /// The client put a secret into the address of the last request, and had another place for it.
    case ownSecretAddress
    /// The first request is the sign-out of this client, not of another device, and the bank did not issue its token again before the last.
    case ownSignOut
    /// The last request went to another party than the first.
    case otherParty
    /// The last request left the machine.
    case network
    /// The bodies of the payments, and which value is their idempotency key.
    case payment
    /// Which value is the idempotency key of the payments, whatever their bodies.
    case key
    /// The bodies differ because their content does.
    case content
    /// Each request without a response left the device: of another one the bank knows nothing.
    case sent
    /// The client could read `Retry-After`, and a date in it is by a clock that agrees with the bank's.
    case pause
}
