import BankModel
import Faults

extension JournalEntry {
    /// When the response's last byte was written, by the machine's monotonic clock; nil while the exchange is under way.
    var endNanoseconds: Int64? { durationMicroseconds.map { monoNanoseconds + $0 * 1000 } }

    /// Whether the client has been sent the bank's whole response, so that it must know its content.
    var isDelivered: Bool {
        guard status != nil, durationMicroseconds != nil, receipt.headBytes > 0, receipt.unsent == 0 else { return false }
        switch receipt.end {
        case .kept, .fin, .goaway:
            return faults.allSatisfy { !$0.applied || FaultKinds.effects(of: $0.kind).contains(.wholeResponse) }
                && !hasFault(.foreignResponse)
        default: return false
        }
    }

    /// Whether a fault with that effect was applied, at any point if none is given.
    func hasFault(_ effect: FaultEffect, at point: FaultPoint? = nil) -> Bool {
        faults.contains { fault in
            fault.applied && (point == nil || fault.point == point?.rawValue) && FaultKinds.effects(of: fault.kind).contains(effect)
        }
    }

    func has(_ role: Role) -> Bool { roles.contains(role.rawValue) }

    func wasAnswered(_ names: DialectResponseName...) -> Bool { names.contains { $0.rawValue == response } && isDelivered }

    /// Whether it was answered with that kind of status, such as 5 for 5xx.
    func isStatus(_ hundreds: Int) -> Bool { status.map { $0 / 100 == hundreds } ?? false }

    var succeeded: Bool { isDelivered && isStatus(2) }

    /// Whether the client ended the connection before the bank knew that the response had arrived: it may have cancelled the request long
    /// before.
    var isAbandoned: Bool { receipt.end == .clientGone || receipt.isReset }

    /// Whether it failed in a way that may pass: no whole response, a fault of the bank, or too many requests.
    var isPassingFailure: Bool { durationMicroseconds != nil && (!isDelivered || isStatus(5) || status == 429) }

    /// Whether a client that holds its requests back for a moment may send it: the renewal of its token, or a probe. `HEAD` and `OPTIONS`
    /// return no data and change nothing (RFC 9110 §9.3.2 and §9.3.7); a browser sends `OPTIONS` by itself.
    var isPreparation: Bool { ["HEAD", "OPTIONS"].contains(method) || (has(.refresh) && succeeded) }

    /// Whether the client has been rejected for good: the same request will never be answered otherwise.
    ///
    /// Excluded are the rejections that time, a sign-in, a confirmation or another proof resolves: 401, 403, 408, 409, 423, 424, 425 and 429, any
    /// with `Retry-After` (RFC 9110 §10.2.3), and the response to a poll before the customer has decided. So are those after which a client may
    /// repeat the same content with another head or on another connection: 406, 407, 411, 412, 416, 417, 421 and 426 (RFC 9110 §15.5), 428 and
    /// 431 (RFC 6585 §3 and §5).
    var isFinalRejection: Bool {
        guard isDelivered, isStatus(4), !rejectsProof, !isUndecided, responseHeader("retry-after") == nil else { return false }
        // The lock of a resource ends; that of an account does not.
        if status == 423 { return has(.login) }
        return ![401, 403, 406, 407, 408, 409, 411, 412, 416, 417, 421, 424, 425, 426, 428, 429, 431].contains(status ?? 0)
    }

    /// Whether the token endpoint asks the client to poll again: the customer has not decided yet (RFC 8628 §3.5; CIBA Core 1.0 §11).
    private var isUndecided: Bool { status == 400 && ["authorization_pending", "slow_down"].contains(oauthError ?? "") }

    /// Whether it was rejected for its DPoP proof, before anything else of it was looked at (RFC 9449 §5 and §8).
    var rejectsProof: Bool { status == 400 && ["use_dpop_nonce", "invalid_dpop_proof"].contains(oauthError ?? "") }

    /// The member `error` of the response, in which a token endpoint names what it rejects (RFC 6749 §5.2); nil without one.
    var oauthError: String? { (try? JSON(parsing: responseBody))?["error"]?.string }

    /// Whether the bank itself, and no fault, rejected it for a limit.
    var isBeyondLimit: Bool {
        response == DialectResponseName.rateLimited.rawValue && !faults.contains { $0.applied && $0.kind == DialectFault.kind }
    }

    /// Whether both are known to be of a customer, and of different ones.
    func isOfAnotherPerson(than other: JournalEntry) -> Bool {
        guard let customer, let another = other.customer else { return false }
        return customer != another
    }

    /// Whether a fault made up the response in place of the bank, which did not execute the request.
    var isByFault: Bool { hasFault(.changesContent, at: .request) }

    /// Whether a proxy has sent it on.
    var isForwarded: Bool { requestHeaders.contains { JournalReport.proxyHeaders.contains($0.name.lowercased()) } }

    func responseHeader(_ name: String) -> String? { responseHeaders.value(of: name) }

    /// The properties that distinguish requests, except the idempotency key.
    var sameness: [String] { [method ?? "", path, query ?? "", bodyValue, token ?? ""] }

    /// Whether a program that repeats the other request sends this one: the same but for its token, which may be renewed between.
    func saysTheSame(as other: JournalEntry) -> Bool { sameness.dropLast() == other.sameness.dropLast() }

    /// The host to which the response redirects, nil if it names none, and the path with all behind it; nil without a redirect. A reference may
    /// have a host without a scheme, and an address in its query (RFC 3986 §4.2).
    var redirectTarget: (host: String?, path: Substring)? {
        guard let location = responseHeader("location") else { return nil }
        let scheme = location.prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        let rest = location.hasPrefix("\(scheme)://") ? location.dropFirst(scheme.count + 1) : location[...]
        guard rest.hasPrefix("//") else { return (host: nil, path: rest) }
        return (host: hostName("http:\(rest)"), path: rest.dropFirst(2).drop { !"/?#".contains($0) })
    }

    /// Whether its response sends to that request's address; a session's prefix stands in the one and not in the other.
    func redirects(to request: JournalEntry) -> Bool { redirectPath.map(request.isTarget) ?? false }

    /// The path to which its response redirects; nil if it does not, or the client may not have read it.
    var redirectPath: Substring? {
        guard isDelivered, isStatus(3), status != 304, let target = redirectTarget else { return nil }
        return target.path.prefix { $0 != "?" && $0 != "#" }
    }

    /// Whether the path of a redirect leads to the request's address.
    func isTarget(of path: Substring) -> Bool {
        // A relative one begins where the request's last slash is (RFC 3986 §5.2.3).
        path.hasPrefix("/") ? path.hasSuffix(self.path) : self.path.hasSuffix("/" + path)
    }

    /// `exchange 3 (POST /v1/payments)`
    var named: Phrase { "exchange \(seq) (\(fixed: method ?? "no request") \(path))" }

    /// As ``named``, for the request with which a step `browser` opened the client's address: the client did not send it.
    var namedAsPage: Phrase {
        "exchange \(seq) (\(fixed: method ?? "no request") \(path), the client's address opened by the harness's browser)"
    }
}
