package import BankModel

extension JournalEntry {
    /// The names of those parameters of the address that are made for a secret and have one: the journal has taken their values out.
    /// Tokens of the bank's own are not among them: they stand there by their ids.
    package var secretParameters: [String] {
        (query ?? "").split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, !parts[1].contains("token#"), !parts[1].contains("refresh#") else { return nil }
            let name = Escapes.allRemoved(String(parts[0]))
            return SecretNames.areForNoAddress(name) ? name : nil
        }
    }

    /// A token of ours by its id, such as `token#1`; nil for none, an unknown and an empty one.
    var knownToken: String? { token.flatMap { $0.contains("#") ? $0 : nil } }

    /// The bodies as texts.
    var requestText: String { String(decoding: requestBody, as: UTF8.self) }
    var responseText: String { String(decoding: responseBody, as: UTF8.self) }

    var refreshTokensSent: [String] { JournalEntry.ids("refresh#", in: [query ?? "", requestText, token ?? ""]) }

    var refreshTokensGiven: [String] { JournalEntry.ids("refresh#", in: [responseText]) }

    /// The ids that begin so, each once.
    static func ids(_ prefix: String, in texts: [String]) -> [String] {
        distinct(
            texts.flatMap { text -> [String] in
                // Hardly any text has one, and the search below is slow.
                guard text.utf8.contains(UInt8(ascii: "#")) else { return [] }
                return text.ranges(of: prefix).compactMap { range in
                    let number = text[range.upperBound...].prefix { $0.isNumber }
                    return number.isEmpty ? nil : prefix + number
                }
            })
    }

    /// The ids of the tokens in texts, each once.
    package static func tokens(in texts: [String]) -> [String] { ids("token#", in: texts) + ids("refresh#", in: texts) }

    /// The ids of the tokens that the response brought.
    var tokensInResponse: [String] {
        responseBody.contains(UInt8(ascii: "#")) ? JournalEntry.tokens(in: [responseText]) : []
    }

    /// The ids of the tokens in the request: its own, and those in its address and body.
    var tokensCarried: [String] {
        let body = requestBody.contains(UInt8(ascii: "#")) ? [requestText] : []
        return [knownToken].compactMap(\.self) + tokensInURL + JournalEntry.tokens(in: body)
    }

    /// The ids of the tokens in the request's path and query. The id of a consent stands in addresses even where it is the credential
    /// (NextGenPSD2, `/consents/{consentId}`), so it does not count.
    var tokensInURL: [String] { JournalEntry.tokens(in: [pathWithoutConsent, queryWithoutHint]) }

    /// The query. That of a sign-out is without its ID token, which belongs there (OpenID Connect RP-Initiated Logout §2): some banks accept it
    /// as the access token, too.
    private var queryWithoutHint: String {
        guard has(.logout), let query else { return query ?? "" }
        return query.split(separator: "&").filter { !$0.hasPrefix("id_token_hint=") }.joined(separator: "&")
    }

    /// Whether its token is in a cookie, as at a bank with `in: {cookie: sid}`: the request has a cookie, and nothing else in it has the token. The
    /// client is not to blame for such a token: its HTTP library sends a cookie until it expires or the server removes it, and a script in a
    /// browser cannot remove one with `HttpOnly` (RFC 6265 §5.3 and §5.4).
    var hasTokenInCookie: Bool {
        guard let token = knownToken, carriesCookie, requestHeaders.value(of: "authorization") == nil else { return false }
        return !tokensInURL.contains(token) && !requestHeaders.contains { $0.value.contains(token) }
    }

    private var pathWithoutConsent: String {
        guard path.contains("/consents/") else { return path }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for index in parts.indices.dropFirst() where parts[index - 1] == "consents" { parts[index] = "" }
        return parts.joined(separator: "/")
    }

    /// Whether the journal has taken a secret's value out of the request's body: what is left of two such bodies may be the same
    /// though they were not.
    var isBodyBlanked: Bool { requestBody.firstPosition(of: Array(SecretFields.mark.utf8)) != nil }

    /// A text that is the same for two bodies with the same content: JSON by value, all else byte for byte.
    ///
    /// A body of which the journal stores only the beginning, or with a secret taken out, is compared by its digest.
    var bodyValue: String {
        guard isBodyWhole, !isBodyBlanked else { return bodySHA256 }
        return String(decoding: JSON.canonical(ofBody: requestBody), as: UTF8.self)
    }

    /// Whether the journal stores the request's body to its end: it stores only the beginning of a long one, and nothing of
    /// one that is forwarded to another bank.
    var isBodyWhole: Bool { !requestBody.isEmpty && bodyBytes <= JournalEntry.storedBodyBytes }

    /// Whether both requests' bodies have the same content; nil if the journal stores too little of them to decide.
    func hasBody(of other: JournalEntry) -> Bool? {
        if bodySHA256 == other.bodySHA256 { return true }
        if bodyBytes == 0 || other.bodyBytes == 0 { return false }
        guard isBodyWhole, other.isBodyWhole, !isBodyBlanked, !other.isBodyBlanked else { return nil }
        if JSON.isSameBody(requestBody, other.requestBody) { return true }
        return isBodyOpaque || other.isBodyOpaque ? nil : false
    }

    /// Whether other bytes may have the same content: a compressed body may have the time in it (RFC 1952 §2.3), and one in several parts has a new
    /// boundary each time (RFC 2046 §5.1.1).
    private var isBodyOpaque: Bool {
        let coding = requestHeaders.value(of: "content-encoding") ?? "identity"
        let type = requestHeaders.value(of: "content-type") ?? ""
        return coding.lowercased() != "identity" || type.lowercased().hasPrefix("multipart/")
    }
}
