import BankModel

extension ClientRule {
    /// To whom a client sends, and whether in clear text: a redirect to another host leads to another party.
    static let hostRules = [
        ClientRule(
            "auth.token-not-forwarded-to-other-host",
            why: "A redirect to another host leads to another party, which must not receive the token (RFC 6750 §5.3, RFC 9110 §15.4).",
            trigger: "a request with a token was redirected to another host, and followed there", restsOn: [.otherParty],
            shows: "no-foreign-host"
        ) { $0.staysAtHome(&$1, { $0.token != nil }, carried: { $0.token }) },
        ClientRule(
            "pay.redirected-payment-stays-with-its-bank",
            why:
                "A redirect to another host leads to another party, which must not receive the payment's key and body (RFC 9110 §15.4, §17.9).",
            trigger: "a payment was redirected to another host, and followed there", restsOn: [.payment, .otherParty],
            shows: "no-foreign-host"
        ) { $0.staysAtHome(&$1, { $0.has(.pay) }, carried: { $0.content }) },
        ClientRule(
            "invariant.no-foreign-host", .tokens,
            recorded: Recorded(
                why:
                    "A redirect to another host leads to another party, which must not receive a password or other data (RFC 9110 §15.4, §17.9).",
                trigger: "a request with a body was redirected to another host, and followed there", restsOn: [.otherParty])
        ) { scene, result in
            scene.knows.contains(.address)
                ? scene.noForeignHost(&result)
                : scene.staysAtHome(&result, { !$0.has(.pay) && $0.bodyBytes > 0 }, carried: { $0.content })
        },
        ClientRule(
            "invariant.tls-stays-tls", .tokens, survivesDroppedEntries: true,
            recorded: Recorded(
                why: "A token received over TLS is sent over TLS only; in clear text, every host on the way can read it (RFC 6750 §5.3).",
                trigger: "a response over TLS contained a token, or redirected a request to an http URL that the client then requested",
                restsOn: [.network])
        ) { $0.knows.contains(.address) ? $0.tlsStaysTLS(&$1) : $0.noTokenInClear(&$1) },
    ]
}

extension Scene {
    /// What a request carries is not sent on where a redirect leads to another host.
    ///
    /// - Parameters:
    ///   - isMeant: whether the rule is about that request, if it is redirected.
    ///   - carried: what the request at the other host must not have, as the failure shows it; nil if it has none.
    fileprivate func staysAtHome(_ result: inout RuleResult, _ isMeant: (JournalEntry) -> Bool, carried: (JournalEntry) -> String?) {
        let hosts = requests.map { $0.host.map(hostName) }
        for redirect in requests where isMeant(redirect) {
            guard let target = redirect.redirectTarget?.host, let host = redirect.host, target != hostName(host) else { continue }
            let position = within(Timing.quick, after: redirect).indices.first { position in
                hosts[position] == target && redirect.redirects(to: requests[position]) && requests[position].mayFollow(redirect)
            }
            guard let followed = position.map({ requests[$0] }) else { continue }
            result.add(carried(followed).map { .redirectedContent(redirect, followed, $0, host: target) })
        }
    }

    /// The host of the address that the client was given for the bank.
    var ownHost: String { hostName(evidence.baseURL) }

    /// The host to which a request went, if it is another than the bank's.
    func otherHost(of request: JournalEntry) -> String? { request.host.map(hostName).flatMap { $0 == ownHost ? nil : $0 } }

    /// Nothing that is the customer's goes to another host, and nobody is asked there whom the bank did not name.
    fileprivate func noForeignHost(_ result: inout RuleResult) {
        // The hosts to which the bank has redirected.
        var named: Set<String> = []
        for request in requests {
            if let host = otherHost(of: request) {
                let carried = request.load ?? (named.contains(host) ? nil : "a request")
                result.add(carried.map { .otherHost(request, $0, host: host, own: ownHost) })
            } else if request.host != nil {
                result.add()
            }
            if request.isStatus(3), let target = request.redirectTarget?.host { named.insert(target) }
        }
    }

    /// Nothing goes in clear text to a bank whose address is one of TLS.
    fileprivate func tlsStaysTLS(_ result: inout RuleResult) {
        guard evidence.baseURL.hasPrefix("https:") else { return }
        for request in requests { result.add(request.tls == nil ? .clearText(request, "a request") : nil) }
    }

    /// No token that came over TLS is sent in clear text, and no redirect to clear text is followed.
    fileprivate func noTokenInClear(_ result: inout RuleResult) {
        let clear = requests.filter { $0.tls == nil }
        // A proxy may have ended the client's TLS.
        let bare = clear.filter { !$0.isForwarded }
        var carriers: [String: [Int]] = [:]
        for (position, request) in bare.enumerated() {
            for token in request.tokensCarried { carriers[token, default: []].append(position) }
        }
        let alsoInClear = Set(clear.flatMap(\.tokensInResponse))
        for response in requests where response.tls != nil {
            let ended = response.endNanoseconds ?? .max
            let tokens = Set(response.tokensInResponse).subtracting(alsoInClear)
            if !tokens.isEmpty {
                let leaks = tokens.compactMap { token -> Int? in
                    let carrying = carriers[token] ?? []
                    let first = carrying.indices.partitioningIndex { bare[carrying[$0]].monoNanoseconds > ended }
                    return first < carrying.count ? carrying[first] : nil
                }
                result.add(
                    leaks.min().map { leak in
                        let request = bare[leak]
                        let token = request.tokensCarried.first(where: tokens.contains) ?? "a token"
                        return Finding.clearText(request, "\(token), which \(response.named) issued over TLS,", after: response)
                    })
            }
            guard response.responseHeader("location")?.lowercased().hasPrefix("http://") == true else { continue }
            let followed = within(Scene.Timing.quick, after: response).first {
                $0.tls == nil && !$0.isForwarded && response.redirects(to: $0) && $0.mayFollow(response)
            }
            guard let followed else { continue }
            result.add(.clearRedirectFollowed(response, followed))
        }
    }
}

extension JournalEntry {
    /// Whether the client of that redirect may have sent it: no other token, key, customer or body shows that it is another client's.
    fileprivate func mayFollow(_ redirect: JournalEntry) -> Bool {
        func isSame(_ own: String?, _ other: String?) -> Bool { own == nil || other == nil || own == other }
        return isSame(token, redirect.token) && isSame(key, redirect.key) && !isOfAnotherPerson(than: redirect)
            && (bodyBytes == 0 || hasBody(of: redirect) != false)
    }

    /// The content of the request: its idempotency key, and its body; nil if it has neither.
    fileprivate var content: String? {
        let body = bodyBytes > 0 ? "a body of \(bodyBytes) bytes" : nil
        let parts = [key.map { "the key \(clipped($0, to: 40))" }, body].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }

    /// The gravest thing of the customer's that a request brings; nil for one that asks and no more.
    fileprivate var load: String? {
        if carriesAnyToken || token == "unknown" { return "a token" }
        if key != nil { return "a key" }
        if bodyBytes > 0 { return "a body" }
        return carriesCookie ? "a cookie" : nil
    }
}

extension Finding {
    static func redirectedContent(_ redirect: JournalEntry, _ followed: JournalEntry, _ what: String, host: String) -> Finding {
        Finding(
            "\(followed.named) sent \(what) to \(host), where \(redirect.named) was redirected",
            "a redirect to another host must not receive it", source: "RFC 9110 §15.4", in: [redirect, followed])
    }

    static func clearRedirectFollowed(_ redirect: JournalEntry, _ followed: JournalEntry) -> Finding {
        Finding(
            "\(followed.named) followed the redirect of \(redirect.named) from TLS to clear text",
            "a client of an https address sends nothing in clear text", in: [redirect, followed])
    }
}
