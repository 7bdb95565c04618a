import BankModel

extension ClientRule {
    /// How clients refresh tokens.
    static let refreshRules = [
        ClientRule(
            "auth.one-refresh-for-parallel-rejections",
            why: "One refresh serves all requests that find the token expired at the same time (RFC 9700 §4.14).",
            trigger: "several requests with one token were rejected, and a refresh followed",
            restsOn: [.oneTabOfLastTwo, .onePageLoadOfLastTwo]
        ) { scene, result in
            for rejections in scene.rejectionsByToken where rejections.count > 1 {
                guard let ended = rejections.first?.endNanoseconds,
                    let refresh = scene.requests(scene.index.refreshes, after: ended).first
                else { continue }
                let second = scene.second(beside: refresh, after: ended)
                result.add(second.map { .secondRefresh($0, beside: refresh, after: rejections) })
            }
        },
        ClientRule(
            "auth.refresh-rotation-persisted",
            why: "A refresh issues a new refresh token and invalidates the old one, which must not be used again (RFC 6749 §6).",
            trigger: "a refresh issued a new refresh token", restsOn: [.responseRead, .oneTab]
        ) { scene, result in
            for refresh in scene.refreshes where refresh.succeeded {
                guard let old = refresh.refreshTokensSent.first, refresh.refreshTokensGiven.contains(where: { $0 != old }) else { continue }
                result.add(refresh, scene.uses(of: old, after: refresh)) {
                    .refreshTokenAgain(refresh, $0, old, isReplaced: true)
                }
            }
        },
        ClientRule(
            "auth.refresh-refused-signs-out",
            why: "A rejected refresh (invalid_grant) is final; the client must not repeat it (RFC 6749 §5.2).",
            trigger: "a refresh was rejected", restsOn: [.responseRead, .oneTab, .refreshTokenRejected]
        ) { scene, result in
            for refresh in scene.refreshes where refresh.isRejectedRefresh {
                guard let token = refresh.refreshTokensSent.first else { continue }
                result.add(refresh, scene.uses(of: token, after: refresh)) {
                    .refreshTokenAgain(refresh, $0, token, isReplaced: false)
                }
            }
        },
        ClientRule(
            "auth.no-refresh-loop",
            why: "If the bank rejects the new token as well, the client stops refreshing and the customer signs in again.",
            trigger: "a token that a refresh had just issued was rejected", restsOn: [.responseRead, .oneTab, .newTokensRejected]
        ) { scene, result in
            // Several devices may refresh side by side, so a round continues the one whose refresh token it sends.
            // The rounds that ended with a token that has not been used yet, by that token.
            var unused: [String: RefreshRounds] = [:]
            // The rounds that ended with a rejected token, by the refresh tokens of the last one.
            var rejected: [String: RefreshRounds] = [:]
            for request in scene.requests {
                if request.has(.refresh), request.succeeded {
                    var rounds = RefreshRounds()
                    for token in request.refreshTokensSent {
                        if let earlier = rejected.removeValue(forKey: token) { rounds = earlier }
                    }
                    rounds.add(request)
                    for token in request.tokensGiven { unused[token] = rounds }
                } else if request.has(.login) {
                    unused = [:]
                    rejected = [:]
                } else if let token = request.knownToken, request.isDelivered, var rounds = unused.removeValue(forKey: token),
                    let refresh = rounds.latest.last?.refresh
                {
                    // Only the new token's first use counts: later it is rejected for its age.
                    guard request.wasAnswered(.tokenRejected, .tokenExpired), request.isSoon(after: refresh) else { continue }
                    rounds.reject(in: request)
                    // A client may refresh twice, because the first may fail by chance.
                    if rounds.unasked == 3 {
                        result.add(rounds.loop(request))
                    } else if rounds.count == 3 {
                        result.add(rounds.loop(request), unless: .user)
                    } else {
                        result.add()
                    }
                    for token in refresh.refreshTokensSent + refresh.refreshTokensGiven { rejected[token] = rounds }
                }
            }
        },
    ]
}

/// Refreshes of one sign-in, each after the bank had rejected the token of the one before at its first use.
private struct RefreshRounds {
    /// At most three, which show a loop.
    private(set) var latest: [(refresh: JournalEntry, rejection: JournalEntry?)] = []
    private(set) var count = 0
    /// How many of the last ones followed each other at a program's speed: between others the user may have asked again.
    private(set) var unasked = 0

    mutating func add(_ refresh: JournalEntry) {
        let rejected = latest.last?.rejection?.endNanoseconds
        let isSoon = rejected.map { refresh.monoNanoseconds <= $0 + Scene.Timing.quick } ?? false
        unasked = isSoon ? unasked + 1 : 1
        latest = latest.suffix(2) + [(refresh: refresh, rejection: nil)]
        count += 1
    }

    /// Notes that the bank rejected the token of the last one.
    mutating func reject(in request: JournalEntry) {
        guard let refresh = latest.popLast()?.refresh else { return }
        latest.append((refresh: refresh, rejection: request))
    }

    /// That the last three were a loop, which ended with that rejection.
    func loop(_ rejection: JournalEntry) -> Finding {
        .refreshLoop(latest.map(\.refresh), latest.compactMap(\.rejection), rejection)
    }
}

extension Scene {
    fileprivate var refreshes: [JournalEntry] { index.refreshes.map { requests[$0] } }

    /// The rejected requests, for each token.
    var rejectionsByToken: [[JournalEntry]] {
        let rejections = requests.filter { $0.knownToken != nil && $0.wasAnswered(.tokenRejected, .tokenExpired) }
        let byToken = Dictionary(grouping: rejections) { $0.token ?? "" }
        return distinct(rejections.compactMap(\.token)).compactMap { byToken[$0] }
    }

    /// The later refreshes with that token, unless the bank has issued it again, as after the session was put back.
    fileprivate func uses(of token: String, after refresh: JournalEntry) -> Successors {
        successors(of: refresh, among: index.byRefreshTokenSent[token] ?? []) { later in
            !wasGiven(token, from: refresh.monoNanoseconds, to: later.monoNanoseconds)
        }
    }

    /// The first other refresh with a refresh token of that one that was read after that time, and that the client sent beside it or at once
    /// behind it.
    ///
    /// A client that gave up waiting for the first may ask again: the bank may not have seen yet that it is gone, and behind a proxy never sees
    /// it.
    fileprivate func second(beside refresh: JournalEntry, after time: Int64) -> JournalEntry? {
        guard refresh.isDelivered else { return nil }
        let latest = refresh.monoNanoseconds + Timing.quick + Timing.grace
        let seconds = refresh.refreshTokensSent.compactMap { token in
            requests(index.byRefreshTokenSent[token] ?? [], after: time).first { other in
                other.monoNanoseconds > latest
                    || (other.seq != refresh.seq && (other.isBeside(refresh) || isStampede(other, after: refresh))
                        && other.purpose == refresh.purpose)
            }
        }
        return seconds.filter { $0.monoNanoseconds <= latest }.min { $0.monoNanoseconds < $1.monoNanoseconds }
    }

    /// Whether the second refresh follows one that replaced its refresh token, so soon that it may have been sent beside it.
    ///
    /// A client does not time out on an immediate response, so it sent the request beside the first, or with a replaced token:
    /// either is a second refresh where one serves.
    fileprivate func isStampede(_ other: JournalEntry, after refresh: JournalEntry) -> Bool {
        guard refresh.succeeded, refresh.isQuick, let old = refresh.refreshTokensSent.first,
            refresh.refreshTokensGiven.contains(where: { $0 != old })
        else { return false }
        if case .open(.soon) = order(of: other, after: refresh) { return true }
        return false
    }
}

extension JournalEntry {
    /// Whether the bank rejected a refresh for good.
    fileprivate var isRejectedRefresh: Bool {
        isDelivered && [400, 401, 403].contains(status ?? 0) && !rejectsProof && !isBlocked && !mayBeAccepted
    }

    /// Whether a refresh leaves a client with the tokens that it had: it brought none, and the bank did not reject it, or the client may not have
    /// read the response.
    var leavesTokens: Bool { mayBeUnread || !(isRejectedRefresh || (succeeded && !tokensGiven.isEmpty)) }

    /// Whether a firewall or a proxy rejected it, and not the bank, so that the refresh token stays valid: with a page, because the bank's own
    /// rejection is JSON (RFC 6749 §5.2), or with a 403 of a fault that does not name the grant.
    fileprivate var isBlocked: Bool {
        guard !wasAnswered(.tokenRejected, .tokenExpired) else { return false }
        return responseBody.isHTML || (status == 403 && isByFault && oauthError != "invalid_grant")
    }

    /// Whether the bank rejected something else than the refresh token, such as the client or the scopes: the token may come again in a corrected
    /// request (RFC 6749 §5.2, RFC 8707 §2). Or it asks for something of the customer first (OpenID Connect Core 1.0 §3.1.2.6), or for some time.
    fileprivate var mayBeAccepted: Bool {
        responseHeader("retry-after") != nil
            || [
                "invalid_client", "invalid_request", "invalid_scope", "invalid_target", "unauthorized_client", "unsupported_grant_type",
                "interaction_required", "login_required", "consent_required", "account_selection_required",
                "insufficient_user_authentication", "temporarily_unavailable", "server_error", "slow_down",
            ].contains(oauthError ?? "")
    }

    /// What a token is asked for: one refresh token may serve several scopes and resources (RFC 6749 §6, RFC 8707 §2.2).
    fileprivate var purpose: [String?] {
        let json = try? JSON(parsing: requestBody)
        return ["scope", "resource", "audience"].map { json?[$0]?.string ?? form[$0] }
    }

    /// Whether it was answered faster than any client gives up waiting.
    fileprivate var isQuick: Bool { durationMicroseconds.map { $0 * 1000 < Scene.Timing.quick } ?? false }

    /// The ids of access tokens in the response.
    fileprivate var tokensGiven: [String] { JournalEntry.ids("token#", in: [responseText]) }

    /// Whether it came within a minute, by the machine's clock and by the session's: no token is so short-lived.
    fileprivate func isSoon(after other: JournalEntry) -> Bool {
        max(monoNanoseconds - other.monoNanoseconds, (at - other.at).nanoseconds) < 60_000_000_000
    }

    /// Whether it came while the other was under way, so soon that no client has given up waiting for that.
    fileprivate func isBeside(_ other: JournalEntry) -> Bool {
        monoNanoseconds >= other.monoNanoseconds && monoNanoseconds <= (other.endNanoseconds ?? .max)
            && monoNanoseconds - other.monoNanoseconds < Scene.Timing.quick
    }
}

extension Finding {
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

    /// - Parameter rejections: those of the refreshes' tokens; `last` is among them.
    static func refreshLoop(_ refreshes: [JournalEntry], _ rejections: [JournalEntry], _ last: JournalEntry) -> Finding {
        Finding(
            "the bank rejected the new token in \(last.named) at once, after \(refreshes.count) refreshes in a row",
            "a client stops after two refreshes whose token is rejected at once",
            in: (refreshes + rejections).sorted { $0.seq < $1.seq })
    }
}
