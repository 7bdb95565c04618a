import BankModel

/// Sign-ins on the bank's page.
extension Finding {
    static func noPage(_ step: Phrase) -> Finding {
        Finding("\(step) had no address to open", "`authorize_begin` shows the address of the bank's sign-in page")
    }

    static func pageElsewhere(_ step: Phrase, _ address: String) -> Finding {
        Finding("\(step) got the address \(clipped(address, to: 100))", "`authorize_begin` shows an address at the bank")
    }

    static func pageFailed(_ step: Phrase, _ reason: String) -> Finding {
        Finding("\(step) did not finish: \(reason)", "the case needs a customer who can sign in on the bank's page")
    }

    static func confidentialClient(_ client: String) -> Finding {
        Finding("the client signs in as \(client), which has a secret at the bank", "the case is about public clients, which have none")
    }

    static func usedCode(_ exchange: JournalEntry, _ earlier: JournalEntry?) -> Finding {
        let before: Phrase = earlier.map { "that it had sent in \($0.named)" } ?? "again"
        return Finding(
            "\(exchange.named) sent the authorization code \(before)", "a client uses a code once", source: "RFC 6749 §4.1.2",
            in: [earlier, exchange])
    }

    static func parameterNotSent(_ name: String, _ glob: String, _ page: JournalEntry) -> Finding {
        let value: Phrase = glob == "*" ? "" : " like \(fixed: glob)"
        return Finding("\(page.named) had no `\(fixed: name)`\(value)", "the case is about clients that send one", in: [page])
    }

    static func parameterDiffers(_ name: String, _ value: String?, _ glob: String, _ page: JournalEntry) -> Finding {
        let seen: Phrase = value.map { "the `\(fixed: name)` \(clipped($0, to: 60))" } ?? "no `\(fixed: name)`"
        let wanted: Phrase = glob == "*" ? "a value for it" : "the value \(fixed: glob)"
        return Finding("\(page.named) had \(seen)", "every request for the sign-in page has \(wanted)", in: [page])
    }

    static func parameterShared(_ name: String, _ first: JournalEntry, _ second: JournalEntry) -> Finding {
        Finding(
            "\(second.named) had the same `\(fixed: name)` as \(first.named)", "each attempt to sign in has a new `\(fixed: name)`",
            in: [first, second])
    }
}
