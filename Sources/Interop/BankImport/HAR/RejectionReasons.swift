import BankModel

extension RecordedExchange {
    /// What the response names as the reason of a rejection, such as `SIGNATURE_INVALID`, if that is not a token; nil if it is a token, or
    /// nothing that is known.
    ///
    /// A 401 may be about the request's signature or the customer's consent (Berlin Group NextGenPSD2), and a gateway's about credentials
    /// of its own.
    var otherReason: String? {
        let response = json ?? .null
        let code = RecordedExchange.values(of: RecordedExchange.codeNames, in: response).first { code in
            let plain = RecordedExchange.plain(code)
            guard plain.utf8.count <= RecordedExchange.longestCode, !RecordedExchange.isAboutToken(plain) else { return false }
            let words = code.lowercased().split { !$0.isLetter }.map(String.init)
            return RecordedExchange.otherReasons.contains(where: plain.contains) || !RecordedExchange.otherWords.isDisjoint(with: words)
        }
        if let code { return "`\(code.shortened(to: 40))`" }
        let isSigned = RecordedExchange.values(of: RecordedExchange.textNames, in: response).contains { text in
            let plain = RecordedExchange.plain(text)
            return !RecordedExchange.isAboutToken(plain) && ["signature", "certificate"].contains(where: plain.contains)
        }
        if isSigned { return "a signature or certificate" }
        let challenge = (responseHeader("www-authenticate") ?? "").lowercased()
        let scheme = challenge.split(separator: " ").first.map(String.init) ?? ""
        if RecordedExchange.otherSchemes.contains(scheme), !challenge.contains("bearer") { return "the scheme `\(scheme)`" }
        return responseBody.bytes.isHTML && !challenge.contains("bearer") ? "nothing, in a page that a gateway may have sent" : nil
    }

    /// The name of a field with a password or a one-time code, for which a bank may reject the request; nil if it has none.
    var proofInBody: String? {
        guard let json = try? JSON(parsing: requestBody.bytes) else { return fields.map(\.name).first(where: RecordedExchange.isProof) }
        return json.allMembers(levels: RecordedExchange.deepest).map(\.key).first(where: RecordedExchange.isProof)
    }

    /// Whether a field of that name proves who the customer is. A token or the app's own secret does not.
    private static func isProof(_ name: String) -> Bool {
        let plain = RecordedExchange.plain(name)
        return SecretNames().hold(name, in: .request)
            && !["token", "secret", "assertion", "jwt", "key", "authorization", "verifier"].contains(where: plain.hasSuffix)
    }

    /// Whether a code or a text, letters and digits only, is about a token or the grant behind it.
    private static func isAboutToken(_ plain: String) -> Bool { ["token", "grant", "jwt"].contains(where: plain.contains) }

    /// The texts in the members of those names, in whatever object they are.
    private static func values(of wanted: Set<String>, in json: JSON) -> [String] {
        json.allMembers(levels: deepest).filter { wanted.contains(RecordedExchange.plain($0.key)) }.compactMap(\.value.string)
    }

    /// Errors are not in deeper objects.
    private static let deepest = 5
    /// A longer text is a sentence, or a token.
    private static let longestCode = 80
    private static let codeNames: Set<String> = ["code", "error", "errorcode", "errortype", "reason"]
    /// Members with a sentence, in which only some words are certain to name the reason (RFC 9457 §3.1, RFC 6749 §5.2).
    private static let textNames: Set<String> = ["description", "detail", "errordescription", "message", "title"]
    /// Parts of codes.
    private static let otherReasons = [
        "signature", "certificate", "consent", "nonce", "timestamp", "device", "attestation", "password", "captcha", "upgrade",
        "maintenance", "toomanyrequests", "ratelimit", "userauthentication",
    ]
    /// Whole words of codes.
    private static let otherWords: Set<String> = ["otp", "mfa", "sca", "pin", "tan", "psu", "version"]
    private static let otherSchemes: Set<String> = ["basic", "digest", "negotiate", "ntlm"]
}
