package import BankModel
import Crypto

/// The reason why a proof is rejected.
struct ProofObjection: Error {
    /// Characters of RFC 6750 §3 only, and nothing from the request.
    let words: String

    init(_ words: String) { self.words = words }
}

/// A token with which a client proves that it holds a key (RFC 9449 §4.2). Its signature is verified.
struct DPoPProof {
    /// Longer proofs are rejected.
    static let longest = 8192
    /// Longer ids are rejected.
    static let longestID = 512

    let key: ProofKey
    let claims: JSON

    /// Takes a proof apart and verifies what needs no request (RFC 9449 §4.3, checks 2 to 7).
    init(_ compact: String, _ policy: DPoPPolicy) throws(ProofObjection) {
        guard compact.utf8.count <= DPoPProof.longest, let token = JSONWebToken(compact) else {
            throw ProofObjection("The proof is not a signed token, or has more than \(DPoPProof.longest) bytes.")
        }
        guard token.header["typ"] == "dpop+jwt" else { throw ProofObjection("The proof's typ is not dpop+jwt.") }
        guard token.header["crit"] == nil else { throw ProofObjection("The proof has crit, but the bank supports no extension.") }
        guard let algorithm = token.header["alg"]?.string.flatMap(DPoPPolicy.Algorithm.init), policy.algorithms.contains(algorithm) else {
            throw ProofObjection("The proof's alg is not \(policy.algorithms.map(\.rawValue).joined(separator: " or ")).")
        }
        guard let jwk = token.header["jwk"] else { throw ProofObjection("The proof has no jwk.") }
        guard !ProofKey.privateParts.contains(where: { jwk[$0] != nil }) else { throw ProofObjection("The proof's jwk is a private key.") }
        guard let key = ProofKey(jwk, algorithm) else { throw ProofObjection("The proof's jwk is not a public key for its alg.") }
        guard key.hasSigned(token) else { throw ProofObjection("The proof's signature is wrong.") }
        (self.key, claims) = (key, token.claims)
    }

    /// The id, and the second of its creation, of a proof for that request (RFC 9449 §4.3, checks 3, 8, 9 and 12).
    ///
    /// - Parameters:
    ///   - addresses: those of the request; the proof has one of them.
    ///   - credential: the text of the access token; nil at the token endpoint.
    func checked(
        _ method: String, _ addresses: [String], credential: Substring?
    ) throws(ProofObjection) -> (id: String, address: String, issuedAt: Double) {
        guard claims["htm"]?.string == method else { throw ProofObjection("The proof's htm is not the request's method.") }
        guard let address = claims["htu"]?.string.flatMap(DPoPProof.normalized),
            addresses.contains(where: { DPoPProof.normalized($0) == address })
        else { throw ProofObjection("The proof's htu is not the request's address.") }
        if let credential, claims["ath"]?.string != Base64.url(Array(SHA256.hash(data: Array(credential.utf8)))) {
            throw ProofObjection("The proof's ath is not the digest of the access token.")
        }
        guard let id = claims["jti"]?.string, (1...DPoPProof.longestID).contains(id.utf8.count) else {
            throw ProofObjection("The proof's jti is missing, or has more than \(DPoPProof.longestID) bytes.")
        }
        guard let issuedAt = claims["iat"]?.number?.double, issuedAt.isFinite else {
            throw ProofObjection("The proof's iat is not a number of seconds.")
        }
        return (id, address, issuedAt)
    }

    /// An address without query and fragment, in one spelling (RFC 3986 §6.2.2 and §6.2.3); nil if it is not one.
    private static func normalized(_ address: String) -> String? {
        ProviderAddress(String(address.prefix { $0 != "?" && $0 != "#" })).map {
            $0.origin + (percentDecoded($0.path, plusIsSpace: false) ?? $0.path)
        }
    }
}

/// The public key in a proof (RFC 7517).
struct ProofKey {
    /// The members of keys that nobody else may see (RFC 7518 §6).
    static let privateParts = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private enum Key {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    private let key: Key
    /// RFC 7638.
    let thumbprint: String

    /// - Returns: nil if it is not a public key for that algorithm.
    init?(_ jwk: JSON, _ algorithm: DPoPPolicy.Algorithm) {
        func bytes(_ name: String, _ count: Int) -> [UInt8]? {
            jwk[name]?.string.flatMap { Base64.urlDecoded($0) }.flatMap { $0.count == count ? $0 : nil }
        }
        let (kind, curve, size) =
            switch algorithm {
            case .es256: ("EC", "P-256", 32)
            case .es384: ("EC", "P-384", 48)
            case .edDSA: ("OKP", "Ed25519", 32)
            }
        guard jwk["kty"]?.string == kind, jwk["crv"]?.string == curve, let x = bytes("x", size) else { return nil }
        var required: JSON = ["crv": .string(curve), "kty": .string(kind), "x": .string(Base64.url(x))]
        if algorithm == .edDSA {
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else { return nil }
            self.key = .ed25519(key)
        } else {
            guard let y = bytes("y", size) else { return nil }
            required = ["crv": .string(curve), "kty": .string(kind), "x": .string(Base64.url(x)), "y": .string(Base64.url(y))]
            if algorithm == .es256 {
                guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y) else { return nil }
                self.key = .p256(key)
            } else {
                guard let key = try? P384.Signing.PublicKey(rawRepresentation: x + y) else { return nil }
                self.key = .p384(key)
            }
        }
        thumbprint = Base64.url(Array(SHA256.hash(data: required.bytes)))
    }

    func hasSigned(_ token: JSONWebToken) -> Bool {
        switch key {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)).map { key.isValidSignature($0, for: token.signed) }
                ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(rawRepresentation: token.signature)).map { key.isValidSignature($0, for: token.signed) }
                ?? false
        case .ed25519(let key): key.isValidSignature(token.signature, for: token.signed)
        }
    }
}

/// The ids (`jti`) of signed tokens that clients have presented: a second use is a replay (RFC 9449 §11.1, RFC 7523 §3).
///
/// Like the counts of rate limits it is in no state file.
package struct UsedIDs: Sendable {
    /// The ends of their validity, by digests.
    private var ends: [String: Instant] = [:]

    /// The largest number of ids; those that are no longer valid are dropped then, or all if that is not enough.
    package static let largestCount = 50_000

    /// The number of ids that are stored.
    package var count: Int { ends.count }

    package init() {}

    /// Remembers an id.
    ///
    /// - Parameters:
    ///   - digest: of the id, and of the signer whose it is.
    ///   - end: the instant from which the signed token is not valid anyway.
    /// - Returns: whether the id is new.
    package mutating func insert(_ digest: String, until end: Instant, at now: Instant) -> Bool {
        if let known = ends[digest], now < known { return false }
        if ends.count >= UsedIDs.largestCount {
            ends = ends.filter { now < $0.value }
            if ends.count > UsedIDs.largestCount / 2 { ends = [:] }
        }
        ends[digest] = end
        return true
    }
}
