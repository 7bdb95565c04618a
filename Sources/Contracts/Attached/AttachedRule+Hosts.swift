import BankModel

extension AttachedRule {
    /// Rules on redirects to another host, which is another party.
    static let hostRules = [
        staysAtHome(
            "auth.token-not-forwarded-to-other-host",
            why: "A redirect to another host leads to another party, which must not receive the token (RFC 6750 §5.3, RFC 9110 §15.4).",
            trigger: "a request with a token was redirected to another host, and followed there",
            isMeant: { $0.token != nil }, carried: { $0.token }),
        staysAtHome(
            "pay.redirected-payment-stays-with-its-bank",
            why:
                "A redirect to another host leads to another party, which must not receive the payment's key and body (RFC 9110 §15.4, §17.9).",
            trigger: "a payment was redirected to another host, and followed there",
            isMeant: { $0.has(.pay) }, carried: { $0.content }),
        staysAtHome(
            "invariant.no-foreign-host",
            why:
                "A redirect to another host leads to another party, which must not receive a password or other data (RFC 9110 §15.4, §17.9).",
            trigger: "a request with a body was redirected to another host, and followed there",
            isMeant: { !$0.has(.pay) && $0.bodyBytes > 0 }, carried: { $0.content }),
    ]

    /// - Parameters:
    ///   - isMeant: whether the rule is about that request, if it is redirected.
    ///   - carried: what the request at the other host must not have, as the failure shows it; nil if it has none.
    private static func staysAtHome(
        _ id: String, why: String, trigger: String, isMeant: @escaping @Sendable (JournalEntry) -> Bool,
        carried: @escaping @Sendable (JournalEntry) -> String?
    ) -> AttachedRule {
        AttachedRule(id, why: why, trigger: trigger) { scene in
            var findings = Findings()
            for redirect in scene.requests where isMeant(redirect) {
                guard let location = redirect.replyHeader("location"), location.contains("://"), let host = redirect.host,
                    hostName(location) != hostName(host)
                else { continue }
                let followed = scene.within(Scene.Timing.quick, after: redirect).first { request in
                    request.host.map(hostName) == hostName(location) && redirect.redirects(to: request)
                }
                guard let followed else { continue }
                findings.add(
                    carried(followed).map {
                        Finding.redirectedContent(redirect, followed, $0, host: hostName(location))
                    })
            }
            return findings
        }
    }
}

extension JournalEntry {
    /// The content of the request: its idempotency key, and its body; nil if it has neither.
    fileprivate var content: String? {
        let body = bodyBytes > 0 ? "a body of \(bodyBytes) bytes" : nil
        let parts = [key.map { "the key \(clipped($0, to: 40))" }, body].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }
}
