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

    static func unknownToken(_ exchange: JournalEntry, _ sent: String?) -> Finding {
        let what: Phrase = sent.map { "`\($0)` as its token" } ?? "a token that this bank did not issue"
        return Finding(
            "\(exchange.named) sent \(what)", "a client sends only tokens that this bank issued to it", in: [exchange],
            mistake: sent == nil ? nil : .emptyBearer)
    }

    static func tokenOfAnother(_ exchange: JournalEntry, _ token: String, owner: String, signedIn: String) -> Finding {
        Finding(
            "\(exchange.named) sent \(token), which is \(owner)'s, while \(signedIn) was signed in",
            "a client sends only the token of the customer who is signed in", in: [exchange])
    }

    /// - Parameter logout: the request that signed out; nil if that was a step.
    static func tokenAfterSignOut(_ exchange: JournalEntry, _ token: String, _ logout: JournalEntry?) -> Finding {
        let when: Phrase = logout.map { "\($0.named) revoked it" } ?? "the sign-out"
        return Finding(
            "\(exchange.named) sent \(token) after \(when)", "a token must not be sent after the sign-out", source: "RFC 7009 §2",
            in: [logout, exchange])
    }

    static func dataOfAnother(_ step: Phrase, _ text: String, signedIn: String) -> Finding {
        Finding("\(step) showed \"\(clipped(text, to: 60))\" while \(signedIn) was signed in", "a client shows no data of another customer")
    }

    static func discardedToken(_ refusal: JournalEntry, _ bare: JournalEntry, _ token: String) -> Finding {
        Finding(
            "\(bare.named) came without a token after \(refusal.named), which did not reject \(token)",
            "a client keeps a token that the bank did not reject", source: "RFC 6750 §3.1", in: [refusal, bare])
    }

    static func refreshTokenAgain(_ refresh: JournalEntry, _ again: JournalEntry, _ token: String, isReplaced: Bool) -> Finding {
        let what: Phrase = isReplaced ? "replaced" : "rejected"
        return Finding(
            "\(again.named) sent \(token) again after \(refresh.named) \(what) it",
            isReplaced
                ? "a refresh token must not be sent again once a new one replaced it" : "a rejected refresh token must not be sent again",
            source: isReplaced ? "RFC 6749 §6" : "RFC 6749 §5.2", in: [refresh, again])
    }

    static func secondRefresh(_ second: JournalEntry, beside first: JournalEntry, after rejections: [JournalEntry]) -> Finding {
        Finding(
            "\(second.named) sent the same refresh token as \(first.named), after \(counted(rejections.count, "request")) with one token were rejected",
            "one refresh serves all requests whose token expired", source: "RFC 9700 §4.14", in: rejections + [first, second])
    }

    static func refreshLoop(_ rounds: [JournalEntry], _ last: JournalEntry) -> Finding {
        Finding(
            "the bank rejected the new token in \(last.named) at once, after \(rounds.count) refreshes in a row",
            "a client stops after two refreshes whose token is rejected at once", in: rounds + [last])
    }

    // MARK: secrets

    /// - Parameter secret: `no token`; the kind that must not be found.
    static func secretStored(_ place: String, _ secret: SecretChoice, step: Int?) -> Finding {
        Finding(
            "\(place)",
            "a client keeps \(fixed: secret.name) \(fixed: step == nil ? "in its log" : "on disk")\(step.map { " after step \($0)" } ?? "")"
        )
    }

    static func secretOnDisk(_ place: String, _ rule: Phrase) -> Finding { Finding("\(place)", rule) }

    static func secretShown(_ place: String, _ secret: String) -> Finding {
        Finding("\(place)", "a client writes \(fixed: secret) to its log and shows none")
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

    static func redirectedContent(_ redirect: JournalEntry, _ followed: JournalEntry, _ what: String, host: String) -> Finding {
        Finding(
            "\(followed.named) sent \(what) to \(host), where \(redirect.named) was redirected",
            "a redirect to another host must not receive it", source: "RFC 9110 §15.4", in: [redirect, followed])
    }

    /// - Parameter issue: the request whose response had over TLS what was sent.
    static func clearText(_ exchange: JournalEntry, _ what: Phrase, after issue: JournalEntry? = nil) -> Finding {
        Finding(
            "\(exchange.named) sent \(what) in clear text", "a client of an https address sends nothing in clear text",
            in: [issue, exchange])
    }

    static func clearRedirectFollowed(_ redirect: JournalEntry, _ followed: JournalEntry) -> Finding {
        Finding(
            "\(followed.named) followed the redirect of \(redirect.named) from TLS to clear text",
            "a client of an https address sends nothing in clear text", in: [redirect, followed])
    }
}
