import BankModel

extension SessionState.Hidden {
    /// The client that has asked for the consent.
    static let client = "_client"
}

/// Whose consents are whose: one that a client has asked for with a token, or that a sign-in made for it, is that client's only.
extension SessionState {
    /// The client to which a token was issued, for itself or by a code; nil for a token that anybody may use who has it.
    func client(of token: TokenBook.Token) -> String? {
        if let request = authorizations.authorization(ofFamily: token.family)?.request { return request.client }
        return customer(token.customer) == nil ? token.customer : nil
    }

    /// Whether a client may use or end a consent: it has asked for it, or nobody is known to have.
    ///
    /// - Parameter client: nil for a request of which the client is not known.
    func isConsent(_ consent: FoundConsent, of client: String?) -> Bool {
        guard let client, let owner = consent.row.fields[Hidden.client]?.string else { return true }
        return owner == client
    }
}
