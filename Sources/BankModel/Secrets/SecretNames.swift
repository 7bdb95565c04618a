/// The names of secret fields: passwords, one-time codes, tokens and other credentials.
///
/// Case and the separators between words are ignored, and the last part of a name counts: `clientSecret`, `client_secret` and
/// `app[client-secret]` are one name.
package struct SecretNames: Sendable {
    /// The message that contains a field.
    package enum Side: Sendable {
        case request
        /// A bank's response: there `code` is an error's, and `token` may be a page's.
        case response
    }

    /// Further names that a bank's definition reads as a password or token.
    private let own: Set<String>

    /// - Parameter own: further names, which requests have.
    package init(own: [String] = []) {
        let known = own.isEmpty ? nil : SecretNames()
        self.own = Set(own.filter { known?.hold($0, in: .request) == false }.map(SecretNames.plain))
    }

    /// Whether the value of a field of that name is a secret.
    package func hold(_ name: String, in side: Side) -> Bool {
        let name = SecretNames.plain(name)
        if SecretNames.never.contains(name) || SecretNames.everywhere.contains(name) { return true }
        if SecretNames.endings.contains(where: name.hasSuffix) { return true }
        guard side == .request else { return false }
        return own.contains(name) || SecretNames.asked.contains(name) || SecretNames.parts.contains(where: name.contains)
    }

    /// Whether the value of a header of that name is a secret, in a request or a response.
    package func holdHeader(_ name: String) -> Bool {
        let name = name.lowercased()
        return SecretNames.headers.contains(name) || SecretNames.headerEnds.contains(String(name.split(separator: "-").last ?? ""))
            || hold(name, in: .request)
    }

    /// Whether a field of that name must never be in an address, at any bank (RFC 9110 §17.9).
    package static func areForNoAddress(_ name: String) -> Bool { never.contains(plain(name)) }

    /// The last part of a name, in lower case, letters and digits only.
    private static func plain(_ name: String) -> String {
        let parts = name.utf8.split { byte in "[].:/".utf8.contains(byte) }
        let word = parts.last { !$0.allSatisfy(\.isDigit) } ?? parts.last ?? ""[...].utf8
        return String(decoding: word.filter { $0.isLetter || $0.isDigit || $0 >= 0x80 }.map(\.lowercased), as: UTF8.self)
    }

    private static let never: Set<String> = [
        "password", "passwd", "passcode", "pwd", "otp", "onetimecode", "clientsecret", "accesstoken", "refreshtoken", "authtoken",
    ]

    private static let everywhere: Set<String> = [
        "passphrase", "passwort", "secret", "totp", "onetimepassword", "idtoken", "sessiontoken", "bearertoken", "apitoken", "apikey",
        "xapikey", "idtokenhint", "clientassertion", "assertion", "samlresponse", "credential", "credentials", "jwt", "privatekey",
        "authorization",
    ]

    private static let asked: Set<String> = [
        "pin", "pincode", "newpin", "oldpin", "userpin", "cardpin", "code", "authcode", "authorizationcode", "securitycode",
        "verificationcode", "mfacode", "smscode", "tan", "cvv", "cvv2", "cvc", "cvc2", "token", "subjecttoken", "actortoken",
        "codeverifier", "pass",
    ]

    private static let endings = [
        "password", "passwd", "secret", "accesstoken", "refreshtoken", "idtoken", "authtoken", "secretkey", "subscriptionkey",
    ]

    private static let headers: Set<String> = ["cookie", "set-cookie", "proxy-authorization", "x-api-key", "dpop"]

    /// Last words of the names of headers: `X-Auth-Token`, `X-Pin`.
    private static let headerEnds: Set<String> = [
        "token", "password", "passwd", "passcode", "passphrase", "pwd", "secret", "pin", "otp", "totp", "tan", "authorization", "auth",
        "apikey", "credential", "credentials", "assertion", "jwt", "cookie",
    ]

    /// `passwordConfirmation`, `password_2`.
    private static let parts = ["password", "passwd", "passphrase"]
}

extension SecretNames {
    /// Whether a text may contain a secret, or a token that begins with `lead` (in lower case): one scan, because most contain none.
    package func mayBe(in bytes: UnsafeBufferPointer<UInt8>, orTokensBeginning lead: (UInt8, UInt8)? = nil) -> Bool {
        if bytes.starts(with: "--".utf8) { return true }
        // A word of this length may be base 64 of something, or its hexadecimal digits; a UUID has none.
        let longest = 16
        var (word, before): (Int, UInt8) = (0, 0)
        for (position, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"): return true
            case UInt8(ascii: ":"), UInt8(ascii: "="):
                if mayHoldName(bytes, endingAt: position) { return true }
                word = 0
            case _ where byte.isLetter || byte.isDigit || "+/_".utf8.contains(byte):
                word += 1
                if let lead, byte | 0x20 == lead.1, before | 0x20 == lead.0 { return true }
                if word >= longest { return true }
            default: word = 0
            }
            before = byte
        }
        return false
    }

    /// Whether the name that ends there, or at its quote, may be a secret's: quick, with false positives. Every name above has one
    /// of these three letters in a row.
    package func mayHoldName(_ bytes: UnsafeBufferPointer<UInt8>, endingAt end: Int) -> Bool {
        if !own.isEmpty { return true }
        var (position, seen, second, third) = (end, 0, UInt8(0), UInt8(0))
        while position > 0, seen < 64 {
            position -= 1
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                // From its end to its beginning.
                if SecretNames.isClue(byte | 0x20, second, third) { return true }
                (second, third) = (byte | 0x20, second)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "&"), UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: ";"), 0x0A:
                if seen > 0 { return false }
                continue
            case 0x20, 0x09, 0x0D: continue
            default: break
            }
            seen += 1
        }
        return seen == 64
    }

    /// Whether the three letters occur in a row in the name of a secret.
    private static func isClue(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        // Not a table: a hash for every letter would cost more than everything else.
        switch (first, second, third) {
        case (UInt8(ascii: "p"), UInt8(ascii: "a"), UInt8(ascii: "s")),
            (UInt8(ascii: "p"), UInt8(ascii: "w"), UInt8(ascii: "d")),
            (UInt8(ascii: "p"), UInt8(ascii: "i"), UInt8(ascii: "n")),
            (UInt8(ascii: "o"), UInt8(ascii: "t"), UInt8(ascii: "p")),
            (UInt8(ascii: "c"), UInt8(ascii: "o"), UInt8(ascii: "d")),
            (UInt8(ascii: "s"), UInt8(ascii: "e"), UInt8(ascii: "c")),
            (UInt8(ascii: "t"), UInt8(ascii: "o"), UInt8(ascii: "k")),
            (UInt8(ascii: "a"), UInt8(ascii: "s"), UInt8(ascii: "s")),
            (UInt8(ascii: "j"), UInt8(ascii: "w"), UInt8(ascii: "t")),
            (UInt8(ascii: "a"), UInt8(ascii: "u"), UInt8(ascii: "t")),
            (UInt8(ascii: "c"), UInt8(ascii: "r"), UInt8(ascii: "e")),
            (UInt8(ascii: "k"), UInt8(ascii: "e"), UInt8(ascii: "y")),
            (UInt8(ascii: "c"), UInt8(ascii: "v"), UInt8(ascii: "v")),
            (UInt8(ascii: "c"), UInt8(ascii: "v"), UInt8(ascii: "c")),
            (UInt8(ascii: "t"), UInt8(ascii: "a"), UInt8(ascii: "n")),
            (UInt8(ascii: "s"), UInt8(ascii: "a"), UInt8(ascii: "m")):
            true
        default: false
        }
    }
}
