import BankCore
import BankModel
import Crypto

/// A key of a client, and the proofs that it signs (RFC 9449 §4.2).
struct Prover {
    /// A signature of the bytes.
    private let sign: ([UInt8]) throws -> [UInt8]
    private let algorithm: String
    let jwk: JSON

    /// RFC 7638; in the order of its members.
    var thumbprint: String { Base64.url(Array(SHA256.hash(data: jwk.bytes))) }

    init() {
        let key = P256.Signing.PrivateKey()
        self.init("ES256", Prover.point("P-256", Array(key.publicKey.rawRepresentation))) {
            Array(try key.signature(for: $0).rawRepresentation)
        }
    }

    static var p384: Prover {
        let key = P384.Signing.PrivateKey()
        return Prover("ES384", point("P-384", Array(key.publicKey.rawRepresentation))) {
            Array(try key.signature(for: $0).rawRepresentation)
        }
    }

    static var ed25519: Prover {
        let key = Curve25519.Signing.PrivateKey()
        let jwk: JSON = ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64.url(Array(key.publicKey.rawRepresentation)))]
        return Prover("EdDSA", jwk) { Array(try key.signature(for: $0)) }
    }

    private init(_ algorithm: String, _ jwk: JSON, _ sign: @escaping ([UInt8]) throws -> [UInt8]) {
        self.algorithm = algorithm
        self.jwk = jwk
        self.sign = sign
    }

    private static func point(_ curve: String, _ bytes: [UInt8]) -> JSON {
        [
            "crv": .string(curve), "kty": "EC", "x": .string(Base64.url(Array(bytes.prefix(bytes.count / 2)))),
            "y": .string(Base64.url(Array(bytes.suffix(bytes.count / 2)))),
        ]
    }

    /// A request that the client sends.
    struct Call {
        var method = "POST"
        var address = "http://bank/oauth/token"
        /// The access token that it presents.
        var token: String?
        var nonce: String?

        static func accounts(_ token: String, nonce: String? = nil) -> Call {
            Call(method: "GET", address: "http://bank/v1/accounts", token: token, nonce: nonce)
        }
    }

    /// The parts of a proof before they are signed; nil leaves a member out.
    struct Parts {
        var header: [String: JSON?]
        var claims: [String: JSON?]
        /// Bytes of the signature that are changed.
        var flipped: UInt8 = 0
    }

    /// The proof for a request, changed in one way.
    func proof(_ call: Call = Call(), at now: Instant, _ change: (inout Parts) -> Void = { _ in }) throws -> String {
        var randomness = SystemRandomNumberGenerator()
        var parts = Parts(
            header: ["typ": "dpop+jwt", "alg": .string(algorithm), "jwk": jwk],
            claims: [
                "htm": .string(call.method), "htu": .string(call.address), "jti": .string("j\(randomness.next())"),
                "iat": .int((now - Instant(seconds: 0)).components.seconds), "nonce": call.nonce.map(JSON.string),
                "ath": call.token.map { .string(Base64.url(Array(SHA256.hash(data: Array($0.utf8))))) },
            ])
        change(&parts)
        func encoded(_ members: [String: JSON?]) -> String {
            let sent = members.sorted { $0.key < $1.key }.compactMap { member in member.value.map { (key: member.key, value: $0) } }
            return Base64.url(JSON.object(JSONObject(sent)).bytes)
        }
        let input = "\(encoded(parts.header)).\(encoded(parts.claims))"
        var signature = try sign(Array(input.utf8))
        signature[0] ^= parts.flipped
        return "\(input).\(Base64.url(signature))"
    }

    /// The headers of a request with a proof and, if it has a token, that.
    func headers(
        _ call: Call = Call(), at now: Instant, _ change: (inout Parts) -> Void = { _ in }
    ) throws -> [JournalEntry.Header] {
        [JournalEntry.Header("DPoP", try proof(call, at: now, change))]
            + (call.token.map { [JournalEntry.Header("Authorization", "DPoP \($0)")] } ?? [])
    }
}
