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

    /// The ids of access and refresh tokens.
    static func tokens(in texts: [String]) -> [String] { ids("token#", in: texts) + ids("refresh#", in: texts) }

    /// The ids of the tokens that the reply brought.
    var tokensInReply: [String] {
        replyBody.contains(UInt8(ascii: "#")) ? JournalEntry.tokens(in: [String(decoding: replyBody, as: UTF8.self)]) : []
    }

    /// The ids of the tokens in the request: its own, and those in its address and body.
    var tokensCarried: [String] {
        let own = [knownToken].compactMap(\.self)
        let body = requestBody.contains(UInt8(ascii: "#")) ? [String(decoding: requestBody, as: UTF8.self)] : []
        return own + tokensInURL + JournalEntry.tokens(in: body)
    }

    /// The ids of the tokens in the request's path and query.
    var tokensInURL: [String] { JournalEntry.tokens(in: [path, query ?? ""]) }

    /// Whether the journal has taken a secret's value out of the request's body: what is left of two such bodies may be the same
    /// though they were not.
    var isBodyBlanked: Bool { requestBody.firstPlace(of: Array(SecretFields.mark.utf8)) != nil }
}
