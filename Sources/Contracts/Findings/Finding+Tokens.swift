import BankModel

/// Tokens, passwords, and what the bank calls sensitive.
extension Finding {
    /// - Parameter rejection: the request that the bank rejected; nil if that is not known.
    static func rejectedToken(_ token: String, _ again: JournalEntry, after rejection: JournalEntry?) -> Finding {
        let when: Phrase = rejection.map { " after the bank rejected it in \($0.named)" } ?? ""
        return Finding(
            "\(again.named) sent \(token) again\(when)", "a rejected token must not be sent again", source: "RFC 6750 §3.1",
            in: [rejection, again],
            mistake: .rejectedToken)
    }

    static func emptyBearer(_ exchange: JournalEntry, _ sent: String) -> Finding {
        Finding(
            "\(exchange.named) sent the header Authorization with `\(sent)`, which has no token",
            "a client without a token sends no Authorization header", source: "RFC 6750 §2.1", in: [exchange], mistake: .emptyBearer)
    }

    /// - Parameter what: `a token`.
    static func sent(_ what: Phrase, _ exchange: JournalEntry, rule: Phrase) -> Finding {
        Finding("\(exchange.named) sent \(what)", rule, in: [exchange])
    }

    // MARK: secrets

    /// - Parameter secret: `no token`; the kind that must not be found.
    static func secretStored(_ place: String, _ secret: SecretChoice, step: Int?) -> Finding {
        Finding(
            "\(place)",
            "a client keeps \(fixed: secret.name) \(fixed: step == nil ? "in its log" : "on disk")\(step.map { " after step \($0)" } ?? "")"
        )
    }

    static func secretInAddress(_ place: String, _ secret: Phrase) -> Finding {
        Finding("\(place)", "a URL contains \(secret): URLs are stored in logs and histories", source: "RFC 6750 §5.3")
    }

    static func secretInAddress(_ exchange: JournalEntry, _ what: String) -> Finding {
        Finding(
            "\(exchange.named) had \(what) in its URL", "a URL contains no secret: URLs are stored in logs and histories",
            source: "RFC 6750 §5.3",
            in: [exchange])
    }

    static func modeTooWide(_ path: String, _ mode: String, most: String) -> Finding {
        Finding(
            "the file \(path), which holds a secret, has the mode \(mode)", "only its owner may read a file with a secret (mode \(most))")
    }

    static func notSearched(_ files: Phrase, _ reason: String) -> Finding {
        Finding("\(files) was not searched for secrets: \(reason)", "without it nobody can tell whether a secret was stored")
    }

    // MARK: other hosts and clear text

    static func otherHost(_ exchange: JournalEntry, _ what: String, host: String, own: String) -> Finding {
        let note: Phrase = ["localhost", "127.0.0.1"].contains(host) && host != own ? ", which stands for another host here" : ""
        return Finding(
            "\(exchange.named) sent \(what) to \(host)\(note)", "only the bank's host, \(own), may receive it", source: "RFC 9110 §15.4",
            in: [exchange])
    }

    /// - Parameter issue: the request whose response had over TLS what was sent.
    static func clearText(_ exchange: JournalEntry, _ what: Phrase, after issue: JournalEntry? = nil) -> Finding {
        Finding(
            "\(exchange.named) sent \(what) in clear text", "a client of an https address sends nothing in clear text",
            in: [issue, exchange])
    }
}
