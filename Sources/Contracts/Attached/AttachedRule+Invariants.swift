import BankModel

extension AttachedRule {
    /// The invariants of every driven run that a journal can show broken, with the rules that judge them here.
    ///
    /// An invariant that a rule of the catalogue judges already is not judged twice; the rest are ``invariantRules``. The other
    /// invariants need to know what the person wished or was shown, or what lies on the disk and in the log.
    package static let invariants: [(id: String, rules: [String])] = [
        ("invariant.no-secret-in-address", ["auth.token-never-in-url", "invariant.no-secret-in-address"]),
        ("invariant.own-token-only", ["auth.token-cleared-on-rejection", "invariant.own-token-only"]),
        ("invariant.tls-stays-tls", ["invariant.tls-stays-tls"]),
        ("invariant.same-wish-same-body", ["pay.retry-same-bytes"]),
        ("invariant.other-wish-other-key", ["pay.new-intent-new-key", "pay.corrected-payment-new-key"]),
        ("invariant.bounded", ["retry.bounded", "retry.payment-bounded", "wire.redirect-loop-bounded"]),
        (
            "invariant.no-foreign-host",
            ["auth.token-not-forwarded-to-other-host", "pay.redirected-payment-stays-with-its-bank", "invariant.no-foreign-host"]
        ),
    ]

    /// Whether a rule counts for that suite though its id is of another: the rules of invariants count for `invariant`.
    static func extends(_ id: String, to suite: String) -> Bool {
        suite == "invariant" && invariants.contains { $0.rules.contains(id) }
    }

    /// The invariants that no other rule judges.
    static let invariantRules = [
        AttachedRule(
            "invariant.no-secret-in-address",
            why: "URLs are stored in logs and browser histories, so they must not contain a password or one-time code (RFC 9110 §17.9).",
            trigger: "a customer signed in, or a URL had a parameter for a secret"
        ) { scene in
            var findings = Findings()
            for request in scene.requests {
                let leaked = request.secretParameters.first
                guard leaked != nil || request.has(.login) else { continue }
                findings.add(
                    leaked.map {
                        Finding.secretInAddress(request, "the parameter `\($0)`")
                    })
            }
            return findings
        },
        AttachedRule(
            "invariant.own-token-only",
            why: "A revoked token must not be sent again, least of all with the next customer's requests (RFC 7009 §2).",
            trigger: "a customer signed out"
        ) { scene in
            var findings = Findings()
            let given = scene.requests.map(\.tokensInReply).filter { !$0.isEmpty }
            for logout in scene.requests where logout.has(.logout) && logout.succeeded {
                let ended = logout.tokensSignedOut(given)
                guard !ended.isEmpty else { continue }
                let sequel = scene.sequel(of: logout) { request in
                    !request.has(.logout)
                        && request.tokensCarried.contains { token in
                            ended.contains(token)
                                && !scene.wasGiven(token, from: logout.monoNanoseconds, to: request.monoNanoseconds)
                        }
                }
                findings.add(logout, sequel) { request in
                    let carried = request.tokensCarried.first(where: ended.contains) ?? "a token"
                    return Finding.tokenAfterSignOut(request, carried, logout)
                }
            }
            return findings
        },
        AttachedRule(
            "invariant.tls-stays-tls",
            why: "A token received over TLS is sent over TLS only; in clear text, every host on the way can read it (RFC 6750 §5.3).",
            trigger: "a response over TLS contained a token, or redirected a request to an http URL that the client then requested"
        ) { scene in
            var findings = Findings()
            let bare = scene.requests.filter { $0.tls == nil }
            let bareTokens = bare.map(\.tokensCarried)
            let alsoInClear = Set(bare.flatMap(\.tokensInReply))
            for reply in scene.requests where reply.tls != nil {
                let ended = reply.endNanoseconds ?? .max
                let tokens = Set(reply.tokensInReply).subtracting(alsoInClear)
                if !tokens.isEmpty {
                    let leak = zip(bare, bareTokens).first { $0.monoNanoseconds > ended && !tokens.isDisjoint(with: $1) }
                    findings.add(
                        leak.map { request, carried in
                            let token = carried.first(where: tokens.contains) ?? "a token"
                            return Finding.clearText(request, "\(token), which \(reply.named) issued over TLS,", after: reply)
                        })
                }
                guard reply.replyHeader("location")?.lowercased().hasPrefix("http://") == true else { continue }
                let followed = scene.within(Scene.Timing.quick, after: reply).first { $0.tls == nil && reply.redirects(to: $0) }
                guard let followed else { continue }
                findings.add(
                    Finding.clearRedirectFollowed(reply, followed))
            }
            return findings
        },
    ]
}

extension JournalEntry {
    /// The ids of access and refresh tokens.
    private static func tokens(in texts: [String]) -> [String] { ids("token#", in: texts) + ids("refresh#", in: texts) }

    /// The ids of the tokens that the reply brought.
    fileprivate var tokensInReply: [String] {
        replyBody.contains(UInt8(ascii: "#")) ? JournalEntry.tokens(in: [String(decoding: replyBody, as: UTF8.self)]) : []
    }

    /// The ids of the tokens in the request: its own, and those in its address and body.
    fileprivate var tokensCarried: [String] {
        let own = [knownToken].compactMap(\.self)
        let body = requestBody.contains(UInt8(ascii: "#")) ? [String(decoding: requestBody, as: UTF8.self)] : []
        return own + JournalEntry.tokens(in: [path, query ?? ""] + body)
    }

    /// The ids of the tokens that a sign-out ends.
    ///
    /// A body that names tokens means these (RFC 7009 §2.1), and with a refresh token those that came with it; the request's own
    /// token is no more than its authorization then. Else it signs its own token out, and all that came with that.
    ///
    /// - Parameter given: the tokens of each reply that brought some.
    fileprivate func tokensSignedOut(_ given: [[String]]) -> Set<String> {
        let named = JournalEntry.tokens(in: [String(decoding: requestBody, as: UTF8.self)])
        let roots = named.isEmpty ? [knownToken].compactMap(\.self) : named.filter { $0.hasPrefix("refresh#") }
        return Set(named + roots + given.filter { !Set($0).isDisjoint(with: roots) }.joined())
    }
}
