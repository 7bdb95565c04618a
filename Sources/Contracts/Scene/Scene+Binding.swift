import BankModel
import Faults

/// Tokens that are bound to a key of the client (DPoP, RFC 9449).
extension Scene {
    /// Why a failure may follow from the binding of tokens, which the client chooses: the case moves a clock, and the bank rejects the time in
    /// the client's proofs; or a fault gives the client a bearer token. nil if neither is so.
    var bindingOfTokens: Finding? {
        if movesClock, let rejected = requests.first(where: \.isRejectedForProof) { return .proofRejected(rejected) }
        return requests.first(where: \.getsBearerTokenForProof).map { .tokenNotBound($0) }
    }

    /// Whether the clocks of client and bank, or the date that the bank sends, differ in the case.
    private var movesClock: Bool {
        if instance?.given.clock != nil || requests.contains(where: { $0.hasFault(.movesDate) }) { return true }
        return steps.contains { step in
            switch step.action {
            case .advance, .deviceClock: return true
            default: return false
            }
        }
    }
}

extension JournalEntry {
    /// Whether the bank rejected its DPoP proof: at the token endpoint, or at a resource (RFC 9449 §5 and §7.1).
    fileprivate var isRejectedForProof: Bool {
        rejectsProof || (status == 401 && responseHeader("www-authenticate")?.contains("invalid_dpop_proof") == true)
    }

    /// Whether it asked for a token with a proof, and a fault answered it with one that is not bound.
    fileprivate var getsBearerTokenForProof: Bool {
        guard isByFault, isStatus(2), requestHeaders.contains(where: { $0.name.lowercased() == "dpop" }),
            let body = try? JSON(parsing: responseBody), body["access_token"] != nil
        else { return false }
        return body["token_type"]?.string?.lowercased() == "bearer"
    }
}
