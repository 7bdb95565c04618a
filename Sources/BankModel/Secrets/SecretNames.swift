/// Which fields hold a secret, by their names: passwords, one-time codes, tokens and what else signs somebody in.
///
/// A name counts whatever its case and the signs between its words, and by its last part: `clientSecret`, `client_secret` and
/// `app[client-secret]` are one name.
package struct SecretNames: Sendable {
    /// Where a field stands.
    package enum Side: Sendable {
        case request
        /// What a bank says: there `code` is an error's, and `token` perhaps a page's.
        case reply
    }

    /// What a bank's definition reads as a password or token, whatever it is called.
    private let own: Set<String>

    /// - Parameter own: further names.
    package init(own: [String] = []) { self.own = Set(own.map(SecretNames.plain)) }

    /// Whether the value of a field of that name is a secret.
    package func hold(_ name: String, in side: Side) -> Bool {
        let name = SecretNames.plain(name)
        if SecretNames.never.contains(name) || SecretNames.everywhere.contains(name) || own.contains(name) { return true }
        if SecretNames.endings.contains(where: name.hasSuffix) { return true }
        return side == .request && (SecretNames.asked.contains(name) || SecretNames.parts.contains(where: name.contains))
    }

    /// Whether a field of that name may stand in no address, whatever the bank (RFC 9110 §17.9).
    package static func areForNoAddress(_ name: String) -> Bool { never.contains(plain(name)) }

    /// The last part of a name, in small letters and digits alone.
    private static func plain(_ name: String) -> String {
        let parts = name.utf8.split { byte in "[].:/".utf8.contains(byte) }
        let word = parts.last { $0.contains { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } } ?? parts.last ?? ""[...].utf8
        return String(
            decoding: word.compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: byte
                default: nil
                }
            }, as: UTF8.self)
    }

    private static let never: Set<String> = [
        "password", "passwd", "passcode", "pwd", "otp", "onetimecode", "clientsecret", "accesstoken", "refreshtoken", "authtoken",
    ]

    private static let everywhere: Set<String> = [
        "passphrase", "passwort", "secret", "totp", "onetimepassword", "idtoken", "sessiontoken", "bearertoken", "apitoken", "apikey",
        "xapikey", "clientassertion", "assertion", "samlresponse", "credential", "credentials", "jwt", "privatekey", "authorization",
    ]

    private static let asked: Set<String> = [
        "pin", "pincode", "newpin", "oldpin", "userpin", "cardpin", "code", "authcode", "authorizationcode", "securitycode",
        "verificationcode", "mfacode", "smscode", "tan", "cvv", "cvc", "token", "subjecttoken", "actortoken", "codeverifier", "pass",
    ]

    private static let endings = ["password", "passwd", "secret", "accesstoken", "refreshtoken", "idtoken", "authtoken"]

    /// `passwordConfirmation`, `password_2`.
    private static let parts = ["password", "passwd", "passphrase"]
}

extension SecretNames {
    /// Whether there may be a secret in a text, by one quick look: most have none, and a session waits meanwhile.
    ///
    /// - Parameter lead: the first two letters of tokens, in small letters.
    package func mayBe(in bytes: UnsafeBufferPointer<UInt8>, orTokensBeginning lead: (UInt8, UInt8)? = nil) -> Bool {
        if bytes.starts(with: "--".utf8) { return true }
        // So long a word may be the base 64 of something, or its hexadecimal digits; a UUID has none.
        let longest = 16
        var (word, before): (Int, UInt8) = (0, 0)
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"): return true
            case UInt8(ascii: ":"), UInt8(ascii: "="):
                if mayHoldName(bytes, endingAt: place) { return true }
                word = 0
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "_"):
                word += 1
                if let lead, byte | 0x20 == lead.1, before | 0x20 == lead.0 { return true }
                if word >= longest { return true }
            default: word = 0
            }
            before = byte
        }
        return false
    }

    /// Whether the name that ends there may hold a secret: a quick look without any allocation, which says yes too often. Every name
    /// above has one of these three letters in a row.
    ///
    /// - Parameter end: behind the name's last byte, perhaps its closing quote.
    package func mayHoldName(_ bytes: UnsafeBufferPointer<UInt8>, endingAt end: Int) -> Bool {
        if !own.isEmpty { return true }
        var (place, seen, letters) = (end, 0, UInt32(0))
        while place > 0, seen < 64 {
            place -= 1
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                // From its end to its beginning: the first of the three comes in last.
                letters = (letters << 8 | UInt32(byte | 0x20)) & 0xFF_FFFF
                if SecretNames.beginClues & 1 << UInt32(byte & 0x1F) != 0, SecretNames.clues.contains(letters) { return true }
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

    /// The first letters of the clues, a bit each: a hash for every letter would cost more than all the rest.
    private static let beginClues: UInt32 = "pocstajk".utf8.reduce(0) { $0 | 1 << UInt32($1 & 0x1F) }

    private static let clues: Set<UInt32> = Set(
        ["pas", "pwd", "pin", "otp", "cod", "sec", "tok", "ass", "jwt", "aut", "cre", "key", "cvv", "cvc", "tan", "sam"].map { clue in
            clue.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32(8 * $1.offset) }
        })
}
