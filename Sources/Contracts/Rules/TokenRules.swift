import BankModel

extension ClientRule {
    static let tokenRules = [
        ClientRule(
            "auth.token-cleared-on-rejection", why: "A rejected token must be discarded and never sent again (RFC 6750 §3.1).",
            trigger: "the bank rejected a token", restsOn: [.responseRead, .oneTab, .tokenRejected], shows: "own-token-only"
        ) { scene, result in
            for rejections in scene.rejectionsByToken {
                guard let rejection = rejections.first, let token = rejection.token, !rejection.hasTokenInCookie else { continue }
                // Banks ask for the token with its revocation, and many for the one that has expired with its renewal.
                var successors = scene.successors(of: rejection, among: scene.index.byToken[token]) {
                    !$0.has(.logout) && !$0.has(.refresh)
                }
                // Issued again in between, or typed in by the user: not what the rule is about.
                if let again = successors.certain, !scene.isKept(token, from: rejection, to: again) { continue }
                // Nor is a sign-in that a client keeps while the bank fails, as `auth.refresh-while-offline-keeps-token` demands.
                if let again = successors.certain, scene.failsToRenew(token, from: rejection, to: again) { continue }
                successors.uncertain.removeAll { !scene.isKept(token, from: rejection, to: $0.request) }
                result.add(rejection, successors) { .rejectedToken(token, $0, after: rejection) }
            }
        },
        ClientRule(
            "auth.no-empty-bearer",
            why: "A cleared token is removed, not sent as `Bearer ` without a token or with a word such as `null` (RFC 6750 §2.1).",
            trigger: "a request had an Authorization header", restsOn: [.tokenHeader]
        ) { scene, result in
            for request in scene.requests where request.token != nil {
                result.add(request.emptyBearer.map { .emptyBearer(request, $0) })
            }
        },
        tokenNeverInURL,
        keeping(
            "auth.scope-refusal-keeps-token", .scopeRefused,
            why: "A 403 for a missing scope does not invalidate the token, so the client must not discard it (RFC 6750 §3.1)."),
        keeping(
            "auth.step-up-keeps-token", .stepUp,
            why: "A 403 that demands step-up authentication does not invalidate the token, so the client must not sign out (PSD2)."),
    ]

    /// A rejection that leaves the token valid. Only two events show whether the client has discarded it: the client sends the token
    /// again, or it sends a request without a token at once and never sends the token again. A sign-in or sign-out in between may be
    /// intended, and a customer may sign out without a request to the bank, so nothing is known then. Nor is it of a client that has
    /// another token besides, such as the app's own: why it sends a request without either is not known.
    private static func keeping(_ id: String, _ response: DialectResponseName, why: String) -> ClientRule {
        let trigger = "the bank answered `\(response.rawValue)`, and the client sent further requests"
        return ClientRule(id, why: why, trigger: trigger, restsOn: [.responseRead, .oneTab, .onePageLoad]) { scene, result in
            // A client may sign out after any 401 (RFC 9110 §15.5.2).
            let changes = scene.requests.indices.filter { scene.requests[$0].changesTokens }
            let bares = scene.requests.indices.filter { scene.requests[$0].isBare }
            let accompanied = scene.accompaniedTokens
            for rejection in scene.requests where rejection.wasAnswered(response) && rejection.status != 401 {
                guard let token = rejection.knownToken, let ended = rejection.endNanoseconds else { continue }
                let again = scene.firstPosition(among: scene.index.byToken[token] ?? [], following: rejection)
                let change = scene.firstPosition(among: changes, following: rejection)
                // Without a token, before anything else may have been intended.
                let bare = scene.firstPosition(among: bares, following: rejection).flatMap { position -> JournalEntry? in
                    let isCalm = position < min(again ?? .max, change ?? .max)
                    return isCalm && scene.requests[position].monoNanoseconds < ended + Scene.unasked ? scene.requests[position] : nil
                }
                if let again, again <= change ?? .max {
                    result.add()
                } else if let begin = accompanied[token], begin <= rejection.monoNanoseconds {
                    continue
                } else if let bare {
                    let isOther = scene.mayBeOfAnotherDevice(bare, than: rejection)
                    result.add(.discardedToken(rejection, bare, token), unless: isOther ? .device : nil)
                } else if let early = scene.atOnce(after: rejection, among: bares, before: changes),
                    case .open(let cause) = scene.order(of: early, after: rejection)
                {
                    result.add(.discardedToken(rejection, early, token), unless: cause)
                }
            }
        }
    }
}

extension Scene {
    /// Within this time, in nanoseconds, nobody signs out or enters a token.
    fileprivate static let unasked: Int64 = 5_000_000_000

    /// The tokens beside which the client had another one, each with the time from which on it is known: the first of the two was in use
    /// after the second had come.
    fileprivate var accompaniedTokens: [String: Int64] {
        let tokens = Set(index.byToken.keys).union(index.byTokenGiven.keys).filter { $0.hasPrefix("token#") }
        let uses = tokens.map { token -> (token: String, first: Int, last: Int) in
            let positions = (index.byToken[token] ?? []) + (index.byTokenGiven[token] ?? [])
            return (token: token, first: positions.min() ?? .max, last: positions.max() ?? .min)
        }.sorted { $0.first < $1.first }
        var accompanied: [String: Int64] = [:]
        // The last use of any token that came before.
        var last = Int.min
        for (number, use) in uses.enumerated() {
            // Those of one response, such as an ID token, are one sign-in's.
            let next = uses[(number + 1)...].first { $0.first > use.first }?.first ?? .max
            let begin: Int? = last > use.first ? use.first : next < use.last ? next : nil
            accompanied[use.token] = begin.map { requests[$0].monoNanoseconds }
            last = max(last, use.last)
        }
        return accompanied
    }

    /// The first of the positions whose request came so soon that it may have been sent before the response was read; nil if one of the changes
    /// came before it.
    fileprivate func atOnce(after rejection: JournalEntry, among positions: [Int], before changes: [Int]) -> JournalEntry? {
        let soon = within(Scene.Timing.grace, after: rejection).indices
        func first(_ positions: [Int]) -> Int? {
            let begin = positions.indices.partitioningIndex { positions[$0] >= soon.lowerBound }
            return begin < positions.count && positions[begin] < soon.upperBound ? positions[begin] : nil
        }
        return first(positions).flatMap { $0 < first(changes) ?? .max ? requests[$0] : nil }
    }

    /// Whether the client's last attempt in between to renew the token's sign-in failed: it has no other token until one succeeds or is rejected.
    fileprivate func failsToRenew(_ token: String, from rejection: JournalEntry, to again: JournalEntry) -> Bool {
        guard let ended = rejection.endNanoseconds else { return false }
        let known = Set((index.byTokenGiven[token] ?? []).flatMap { requests[$0].refreshTokensGiven })
        let renewals = known.isEmpty ? [index.refreshes] : known.map { index.byRefreshTokenSent[$0] ?? [] }
        let last = renewals.compactMap { lastPosition(among: $0, after: ended, to: again.monoNanoseconds) }.max()
        return last.map { requests[$0].leavesTokens } ?? false
    }

    /// Whether the client still had the token that it sends again, and was not given it again: by the bank, as after the
    /// session was put back to its snapshot, or by a user who has no other one where a fault made up the rejection.
    fileprivate func isKept(_ token: String, from rejection: JournalEntry, to again: JournalEntry) -> Bool {
        if wasGiven(token, from: rejection.monoNanoseconds, to: again.monoNanoseconds) { return false }
        let isSoon = again.monoNanoseconds < (rejection.endNanoseconds ?? .max) + Scene.unasked
        return isSoon || !rejection.isByFault || wasGiven(token)
    }
}

extension JournalEntry {
    /// Whether the client asked for what needs a token, and sent none.
    fileprivate var isBare: Bool { emptyBearer != nil || (token == nil && wasAnswered(.noCredentials)) }

    /// Whether the user signs in or out, or the client refreshes the token.
    fileprivate var changesTokens: Bool { has(.login) || has(.logout) || has(.refresh) }
}

extension Finding {
    static func discardedToken(_ rejection: JournalEntry, _ bare: JournalEntry, _ token: String) -> Finding {
        Finding(
            "\(bare.named) came without a token after \(rejection.named), which did not reject \(token)",
            "a client keeps a token that the bank did not reject", source: "RFC 6750 §3.1", in: [rejection, bare])
    }
}
