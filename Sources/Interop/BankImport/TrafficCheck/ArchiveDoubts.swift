import BankModel
import Contracts

extension ArchiveJournal {
    /// Why a recording does not prove a finding, and what would.
    typealias Doubt = (reason: String, advice: String)

    /// Why an archive does not prove a finding about these exchanges, and what would; nil if it does.
    ///
    /// A bank's own journal knows what was sent to a client. An archive is written by the client or a proxy: it may lack bodies, and it
    /// does not know whether the app could read what it shows.
    func doubt(_ needed: [RecordedFact], _ exchanges: [Int]) -> Doubt? {
        let found = exchanges.compactMap { entries[$0] }
        guard let last = found.last else { return nil }
        if let doubt = apiDoubt(last) { return doubt }
        for fact in needed {
            if let doubt = lack(of: fact, in: found) { return doubt }
        }
        return nil
    }

    private func lack(of fact: RecordedFact, in found: [RecordedExchange]) -> Doubt? {
        guard let first = found.first, let last = found.last else { return nil }
        switch fact {
        case .responseRead: return waitDoubt(found)
        case .oneTab: return tabDoubt(found[...])
        case .oneTabOfLastTwo: return tabDoubt(found.suffix(2))
        case .onePageLoad: return loadDoubt(found[...])
        case .onePageLoadOfLastTwo: return loadDoubt(found.suffix(2))
        case .tokenRejected: return tokenDoubt(first, last)
        case .newTokensRejected: return newTokensDoubt(found)
        case .refreshTokenRejected: return refreshDoubt(first, last)
        case .tokenHeader:
            guard recorder == .file, !hasToken else { return nil }
            return ("the recorder may have removed the token: no request in the HAR has one", "record with the headers as they were sent")
        case .ownSecretAddress: return addressDoubt(last)
        case .ownSignOut: return signOutDoubt(first) ?? reissueDoubt(facts.token(of: last), after: first, before: last)
        case .otherParty: return hostDoubt(first, last)
        case .network:
            guard last.url.isLoopback else { return nil }
            return (
                "exchange \(last.number) did not leave the machine: \(last.url.host) is the server of a developer",
                "record with the bank's own address"
            )
        case .payment: return paymentDoubt(found)
        case .key: return keyDoubt
        case .content: return contentDoubt(first, last)
        case .sent: return sendingDoubt(found)
        case .pause: return pauseDoubt(first)
        }
    }

    private func paymentDoubt(_ found: [RecordedExchange]) -> Doubt? {
        if let entry = found.first(where: \.requestBody.isMissing) {
            return ("\(recorder.title) lacks the request body of exchange \(entry.number)", recorder.bodyAdvice)
        }
        return keyDoubt
    }

    private var keyDoubt: Doubt? {
        guard facts.isKeyUncertain else { return nil }
        return (
            "\(recorder.title) does not show whether X-Request-Id is the idempotency key",
            "if it is, write `key: {header: X-Request-Id}` in api.yaml"
        )
    }

    /// Parts of the names of failures before which the request was on its way. mitmproxy writes `server closed connection`.
    private static let failuresOfSent = [
        "CLOSED CONNECTION",
        "EMPTY_RESPONSE", "RESET", "CONNECTION_CLOSED", "TIMED_OUT", "TIMEOUT", "PROTOCOL_ERROR", "NETWORK_CHANGED", "ABORT",
    ]

    private func sendingDoubt(_ found: [RecordedExchange]) -> Doubt? {
        let unsent = found.first { entry in
            let failure = entry.failure?.uppercased() ?? ""
            return entry.status == nil && entry.seen == nil && !ArchiveJournal.failuresOfSent.contains(where: failure.contains)
        }
        guard let unsent else { return nil }
        return (
            "the HAR does not show whether exchange \(unsent.number) left the device"
                + (unsent.failure.map { " (\($0.shortened(to: 60)))" } ?? ""),
            "record with a proxy between the client and the network"
        )
    }

    private static let rejectionAdvice = "set in api.yaml what the response to a rejected token has: `rejected: {contains: …}`"

    private func tokenDoubt(_ rejection: RecordedExchange, _ again: RecordedExchange) -> Doubt? {
        guard let token = facts.token(of: rejection) else { return nil }
        let advice = ArchiveJournal.rejectionAdvice
        let later = first(of: accepted[token] ?? [], after: rejection)
        if let accepted = later, !accepted.isCall(of: rejection) || accepted.started <= again.started {
            return (
                "the bank accepted the same token later, in exchange \(accepted.number); its rejection may have had another reason", advice
            )
        }
        let (body, nextBody) = (rejection.requestBody, again.requestBody)
        if body.count > 0, body.isMissing || body != nextBody, again.isCall(of: rejection), !facts.namesToken(rejection) {
            let next = body.isMissing || nextBody.isMissing ? "may have another" : "has another"
            return (
                "exchange \(rejection.number) may have been rejected for its body, such as a wrong code: exchange \(again.number) \(next)",
                advice
            )
        }
        if again.isCall(of: rejection), !facts.namesToken(rejection), let name = rejection.proof(otherThanIn: again) {
            return (
                "exchange \(rejection.number) may have been rejected for its header \(name), such as a wrong code: exchange \(again.number) has "
                    + "another", advice
            )
        }
        return reasonDoubt(rejection, before: again) ?? reissueDoubt(token, after: rejection, before: again)
    }

    /// Of tokens that refreshes had just issued: a client may renew its token after any 401, once for each request.
    private func newTokensDoubt(_ found: [RecordedExchange]) -> Doubt? {
        for rejection in found where facts.role(of: rejection) != .refresh {
            guard let token = facts.token(of: rejection) else { continue }
            if let number = accepted[token]?.first {
                return (
                    "the bank accepted the token of exchange \(rejection.number) in exchange \(number); its rejection may have had another reason",
                    ArchiveJournal.rejectionAdvice
                )
            }
            if let doubt = reasonDoubt(rejection, before: nil) { return doubt }
        }
        return nil
    }

    /// Of a 401 that may be about something else than the token.
    ///
    /// - Parameter again: the next request with the token; nil if there need not be one.
    private func reasonDoubt(_ rejection: RecordedExchange, before again: RecordedExchange?) -> Doubt? {
        guard !facts.namesToken(rejection) else { return nil }
        if let reason = rejection.otherReason {
            return (
                "exchange \(rejection.number) does not show that its token was the reason: its response names \(reason)",
                ArchiveJournal.rejectionAdvice
            )
        }
        // The next call shows nothing of the code: the same call would.
        guard again?.isCall(of: rejection) != true, let name = rejection.proofInBody else { return nil }
        return ("exchange \(rejection.number) may have been rejected for its `\(name)`", ArchiveJournal.rejectionAdvice)
    }

    /// Of a token that the bank may have issued again between its end, in the first request, and the last one.
    private func reissueDoubt(_ token: String?, after first: RecordedExchange, before last: RecordedExchange) -> Doubt? {
        func isBetween(_ entry: RecordedExchange) -> Bool {
            ![first.number, last.number].contains(entry.number) && entry.ended ?? entry.started > first.started
                && entry.started <= last.started
        }
        if let signIn = blindSignIns.first(where: isBetween) {
            return (
                "\(recorder.title) lacks the response body of exchange \(signIn.number), which may have issued the token again",
                recorder.bodyAdvice
            )
        }
        let given = token.map(entriesGiving)?.first { owners[$0.number] != owners[first.number] && isBetween($0) }
        if let given {
            return ("exchange \(given.number) of another client issued the token again", "record one tab or app at a time")
        }
        return nil
    }

    /// The entries whose responses may have brought a token to one of several clients.
    private func entriesGiving(_ token: String) -> [RecordedExchange] {
        guard clients.count > 1 else { return [] }
        if let label = labels.labelInTexts(token) { return (givers[label] ?? []).compactMap { entries[$0] } }
        let text = Array(token.utf8)
        return entries.values.filter { $0.responseBody.bytes.firstRange(of: text) != nil }
    }

    /// The first of these entries, by number, that began after a rejection.
    private func first(of numbers: [Int], after rejection: RecordedExchange) -> RecordedExchange? {
        numbers.compactMap { entries[$0] }.filter { $0.started > rejection.started }.min { $0.number < $1.number }
    }

    private func refreshDoubt(_ rejection: RecordedExchange, _ again: RecordedExchange) -> Doubt? {
        let advice = "use the app until the bank rejects a refresh with `invalid_grant`, and record that"
        guard let token = rejection.field(["refreshtoken"]) else { return nil }
        if let accepted = first(of: acceptedRefreshes[token] ?? [], after: rejection) {
            return ("the bank accepted the same refresh token later, in exchange \(accepted.number)", advice)
        }
        // One refresh token may serve several resources, of which the customer has consented to some (RFC 6749 §6, RFC 8707 §2.2).
        let names = ["scope", "resource", "audience"]
        if let name = names.first(where: { rejection.field([$0]) != again.field([$0]) }) {
            return ("exchange \(rejection.number) may have been rejected for its `\(name)`: exchange \(again.number) has another", advice)
        }
        let error = (try? JSON(parsing: rejection.responseBody.bytes))?["error"]?.string
        if error != "invalid_grant", !facts.namesToken(rejection), let reason = rejection.otherReason {
            return (
                "exchange \(rejection.number) does not show that its refresh token was the reason: its response names \(reason)", advice
            )
        }
        // RFC 6749 §5.2 has no 403: a firewall or a gateway sends it, and the token stays valid.
        guard rejection.status == 403, error != "invalid_grant", !(facts.namesToken(rejection) && facts.rejectsToken(rejection)) else {
            return nil
        }
        return (
            "a firewall or a gateway may have answered exchange \(rejection.number) with 403",
            "if the bank rejects refresh tokens so, write `rejected: {status: [401, 403]}` in api.yaml"
        )
    }

    private func hostDoubt(_ redirect: RecordedExchange, _ followed: RecordedExchange) -> Doubt? {
        let isOne = facts.areOneParty(redirect.url.host, followed.url.host)
        let isLikely = facts.isOfAPI(followed) || RecordedURL.party(redirect.url.host) == RecordedURL.party(followed.url.host)
        guard isOne == true || (isOne == nil && isLikely) else { return nil }
        return (
            "\(recorder.title) does not show whether \(followed.url.host) belongs to another party",
            "name the hosts of the API in api.yaml: `hosts: […]`; others are other parties then"
        )
    }

    private func pauseDoubt(_ answered: RecordedExchange) -> Doubt? {
        guard let wait = answered.responseHeader("retry-after") else { return nil }
        let exposed = (answered.responseHeader("access-control-expose-headers") ?? "").lowercased()
        // With cookies `*` is a name and no wildcard (Fetch standard §3.3.3).
        if answered.isCrossOrigin, !exposed.contains("retry-after"), exposed != "*" || answered.header("cookie") != nil {
            return (
                "the page is of another origin, and a browser shows Retry-After to it only if Access-Control-Expose-Headers names it",
                "expose Retry-After in the bank's responses"
            )
        }
        guard Instant(httpDate: wait) != nil, let ended = answered.ended else { return nil }
        let date = answered.responseHeader("date").flatMap(Instant.init(httpDate:))
        let isSame = date.map { (ended - $0).nanoseconds.magnitude < 2_500_000_000 } ?? false
        guard !isSame else { return nil }
        return (
            "Retry-After is a date, and the clocks of the bank and of the recorder are not known to agree",
            "set the recorder's clock, or let the bank send seconds"
        )
    }
}

extension RecordedExchange {
    /// Whether the bank accepted it. With 304 it did, too: it tests a condition only if the response would be a success (RFC 9110 §13.2.1).
    var isAccepted: Bool { status.map { (200...299).contains($0) || $0 == 304 } ?? false }

    /// The name of a header with a one-time code or another secret besides the token, of which the other request has none or another.
    fileprivate func proof(otherThanIn other: RecordedExchange) -> String? {
        let names = SecretNames()
        let proofs = requestHeaders.filter { header in
            names.holdHeader(header.name) && !["authorization", "cookie"].contains(header.name.lowercased())
        }
        return proofs.first { other.header($0.name) != $0.value }?.name
    }

    /// Whether both have one method and path.
    fileprivate func isCall(of other: RecordedExchange) -> Bool { method == other.method && url.path == other.url.path }
}
