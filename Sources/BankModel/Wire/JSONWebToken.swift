/// A signed JSON Web Token (RFC 7519) in its compact form (RFC 7515 §3.1), taken apart. Its signature is not verified.
package struct JSONWebToken: Sendable, Hashable {
    package let header: JSON
    package let claims: JSON
    /// The bytes that are signed.
    package let signed: [UInt8]
    package let signature: [UInt8]

    /// - Returns: nil if the text is not three parts in base64url, of which the first two are JSON objects.
    package init?(_ compact: String) {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = JSONWebToken.object(parts[0]), let claims = JSONWebToken.object(parts[1]),
            let signature = Base64.urlDecoded(parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: String) -> JSON? {
        guard let json = Base64.urlDecoded(part).flatMap({ try? JSON(parsing: $0) }), json.object != nil else { return nil }
        return json
    }
}
