import BankModel
import Crypto

extension RequestRejection {
    /// What is wrong with the proof that a request comes from its token's client.
    enum Sender {
        /// The proof of DPoP (RFC 9449 §5 and §7.1).
        case invalidProof
        /// The proof has no valid nonce (RFC 9449 §8 and §9).
        case useNonce
        /// The token is bound to another key, or presented in the wrong scheme (RFC 9449 §7.1).
        case invalidToken
        /// The token is bound to another certificate (RFC 8705 §3).
        case otherCertificate
        /// A token needs a certificate, and the client has shown none.
        case noCertificate

        var error: String {
            switch self {
            case .invalidProof: "invalid_dpop_proof"
            case .useNonce: "use_dpop_nonce"
            case .invalidToken, .otherCertificate: "invalid_token"
            case .noCertificate: "invalid_request"
            }
        }
    }
}

extension SessionState {
    /// What the tokens issued for a request are bound to: the key of its proof and the client's certificate, as far as the bank uses them.
    mutating func binding(_ request: BankRequest, at now: Instant) throws(RequestRejection) -> TokenBinding {
        var binding = TokenBinding()
        if let dpop = bank.signIn?.dpop {
            binding.key = try proofKey(request, dpop, at: now)
            if binding.key == nil, dpop.use == .required {
                throw RequestRejection(name: .badRequest, detail: "The proof is missing: the header DPoP.", sender: .invalidProof)
            }
        }
        if let mtls = bank.signIn?.mtls {
            binding.certificate = request.certificate
            if binding.certificate == nil, mtls == .required {
                throw RequestRejection(
                    name: .badRequest, detail: "The client has shown no certificate on this connection.", sender: .noCertificate)
            }
        }
        return binding
    }

    /// Whether a request comes from the client to which its token is bound (RFC 9449 §7, RFC 8705 §3).
    mutating func requireSender(of token: TokenBook.Token, _ request: BankRequest, at now: Instant) throws(RequestRejection) {
        func rejected(_ words: String, _ sender: RequestRejection.Sender) -> RequestRejection {
            RequestRejection(name: .tokenRejected, detail: words, sender: sender)
        }
        guard let policy = bank.signIn else { return }
        if let certificate = token.binding.certificate, request.certificate != certificate {
            throw rejected("The token is bound to a certificate other than this connection's.", .otherCertificate)
        }
        let credential = policy.dpop == nil ? nil : request.credential("DPoP")
        guard let key = token.binding.key else {
            guard credential != nil else { return }
            throw rejected("The token is not bound to a key: send it with the scheme Bearer.", .invalidToken)
        }
        guard let dpop = policy.dpop, let credential else {
            throw rejected("The token is bound to a key: send it with the scheme DPoP.", .invalidToken)
        }
        guard let proved = try proofKey(request, dpop, credential: credential, at: now) else {
            throw rejected("The proof is missing: the header DPoP.", .invalidProof)
        }
        guard proved == key else { throw rejected("The token is bound to a key other than the proof's.", .invalidToken) }
    }

    /// The thumbprint of the key of a request's proof, once that is checked (RFC 9449 §4.3); nil if the request has none.
    ///
    /// - Parameter credential: the text of the access token; nil at the token endpoint.
    mutating func proofKey(
        _ request: BankRequest, _ policy: DPoPPolicy, credential: Substring? = nil, at now: Instant
    ) throws(RequestRejection) -> String? {
        func rejected(_ words: String, _ sender: RequestRejection.Sender = .invalidProof) -> RequestRejection {
            RequestRejection(name: credential == nil ? .badRequest : .tokenRejected, detail: words, sender: sender)
        }
        let proofs = request.headerValues("DPoP")
        guard let compact = proofs.first else { return nil }
        guard proofs.count == 1 else { throw rejected("The header DPoP is given more than once.") }
        let (proof, facts): (DPoPProof, (id: String, address: String, issuedAt: Double))
        do throws(ProofObjection) {
            proof = try DPoPProof(compact, policy)
            facts = try proof.checked(
                request.method, [baseURL + request.path] + (request.address.map { [$0] } ?? []), credential: credential)
        } catch { throw rejected(error.words) }
        if let nonces = nonces(at: now) {
            guard let nonce = proof.claims["nonce"]?.string, nonces.contains(nonce) else {
                throw rejected("The proof's nonce is missing, or no longer valid.", .useNonce)
            }
        } else {
            let difference = facts.issuedAt - Double((now - Instant(seconds: 0)).components.seconds)
            guard difference.magnitude <= Double(policy.window.components.seconds) else {
                throw rejected("The proof's iat is not within \(policy.window.components.seconds) s of the session clock.")
            }
        }
        let life = policy.nonce ?? policy.window
        guard usedIDs.insert(tokens.digest("\(proof.key.thumbprint) \(facts.address) \(facts.id)"), until: now + life + life, at: now)
        else {
            throw rejected("The proof's jti was used before.")
        }
        return proof.key.thumbprint
    }

    /// The nonces that a proof may have, the one for new proofs first (RFC 9449 §8); nil if the bank demands none.
    ///
    /// They follow from the session's seed, as the keys of ID tokens do.
    private func nonces(at now: Instant) -> [String]? {
        guard let life = bank.signIn?.dpop?.nonce else { return nil }
        let period = (now - Instant(seconds: 0)).components.seconds / max(1, life.components.seconds)
        return [period, period - 1].map { number in
            Base64.url(Array(SHA256.hash(data: Array("counterfoil dpop \(seed) \(id) \(epoch) \(number)".utf8)).prefix(16)))
        }
    }

    /// The header with the nonce for the client's next proof (RFC 9449 §8.2); nil if the bank demands none, or the request has no proof.
    func nonceHeader(for request: BankRequest, at now: Instant) -> JournalEntry.Header? {
        guard bank.signIn?.dpop?.nonce != nil, request.header("DPoP") != nil, let nonce = nonces(at: now)?.first else { return nil }
        return JournalEntry.Header("DPoP-Nonce", nonce)
    }

    /// The response to a request whose sender is not the token's client: the token endpoint's error (RFC 6749 §5.2), or a challenge.
    mutating func response(_ sender: RequestRejection.Sender, _ rejection: RequestRejection, _ scope: inout Scope) -> BankResponse {
        let words = rejection.detail ?? ""
        guard rejection.name != .badRequest else { return json(400, error: sender.error, words, scope) }
        var response = dialectResponse(rejection.name, &scope)
        // The token itself is not rejected: the client may send it again with a better proof.
        response.name = nil
        let scheme = sender == .otherCertificate ? "Bearer" : "DPoP"
        response.setHeader("WWW-Authenticate", "\(scheme) error=\"\(sender.error)\", error_description=\"\(words)\"" + algorithms(scheme))
        return response
    }

    /// The bank's challenge in the scheme that the client uses, or must use (RFC 9449 §7.1).
    func inScheme(_ response: BankResponse, of request: BankRequest) -> BankResponse {
        guard let dpop = bank.signIn?.dpop, dpop.use == .required || request.credential("DPoP") != nil,
            let challenge = response.headers.value(of: "WWW-Authenticate"),
            challenge.hasPrefix("Bearer")
        else { return response }
        var response = response
        response.setHeader("WWW-Authenticate", "DPoP" + challenge.dropFirst(6) + algorithms("DPoP"))
        return response
    }

    private func algorithms(_ scheme: String) -> String {
        guard scheme == "DPoP", let dpop = bank.signIn?.dpop else { return "" }
        return ", algs=\"\(dpop.algorithms.map(\.rawValue).joined(separator: " "))\""
    }
}
