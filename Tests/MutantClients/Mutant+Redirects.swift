import BankClient
import BankModel
import ClientDriver

/// Mistakes in what is made of a redirected write. The right client follows none.
extension Mutant {
    static var redirects: [Mutant] {
        [
            Mutant(
                "redirected-payment-is-a-get", "follows 301, 302 and 303 of a payment as a GET, and treats any success there as a payment",
                killedBy: ["pay.redirected-payment-once"]
            ) { parts, _ in
                parts.followsWrites { request, redirect, base throws(TransportFailure) in
                    guard redirect.isSameOrigin, !redirect.keepsMethod else { return nil }
                    let page = try await base.send(request.asGet(redirect.url))
                    return page.status < 300 && request.isPayment ? .paid(by: request) : page
                }
            },
            Mutant(
                "redirected-payment-gets-another-key", "makes a new key for a payment that it sends on (307, 308)",
                killedBy: ["pay.redirected-payment-once", "pay.redirect-after-execution"]
            ) { parts, _ in
                let random = RandomSource()
                parts.resendsWrites(where: { $0.isSameOrigin && $0.keepsMethod }) { next in
                    if next.url.contains("/add-money/") { next.url = next.url.withLastPart(random.uuid()) }
                    if next.headers["Idempotency-Key"] != nil { next.headers["Idempotency-Key"] = "\"\(random.uuid())\"" }
                }
            },
            Mutant(
                "redirected-payment-loses-its-body", "sends a redirected payment on without its body",
                killedBy: ["pay.redirected-payment-once"]
            ) { parts, _ in
                parts.resendsWrites(where: { $0.isSameOrigin && $0.keepsMethod }) { $0.body = [] }
            },
            Mutant(
                "missing-page-is-a-refusal", "follows 302 and 303 of a payment as a GET, and reports a missing page there as a rejection",
                killedBy: ["pay.redirect-after-execution"]
            ) { parts, _ in
                parts.followsWrites { request, redirect, base throws(TransportFailure) in
                    guard redirect.isSameOrigin, !redirect.keepsMethod else { return nil }
                    return try await base.send(request.asGet(redirect.url))
                }
            },
            Mutant(
                "follows-writes-to-any-host", "sends a redirected write on to another host, token and body included",
                killedBy: [
                    "pay.redirected-payment-stays-with-its-bank", "signin.redirected-password-stays-with-its-bank",
                    "invariant.no-foreign-host in pay.redirected-payment-stays-with-its-bank",
                ]
            ) { parts, _ in
                parts.resendsWrites(where: { !$0.isSameHost && !$0.isDowngrade })
            },
            Mutant(
                "follows-writes-into-clear-text", "sends a redirected write on in clear text",
                killedBy: ["pay.redirected-payment-stays-encrypted", "signin.redirected-password-stays-encrypted"]
            ) { parts, _ in
                parts.resendsWrites(where: { $0.isDowngrade })
            },
        ]
    }
}

extension ClientParts {
    typealias Following = @Sendable (HTTPRequest, Redirect, any HTTPTransport) async throws(TransportFailure) -> HTTPResponse?

    /// Follows redirects of writes; nil leaves the redirect as the answer.
    fileprivate mutating func followsWrites(_ follow: @escaping Following) {
        around { request, base throws(TransportFailure) in
            let response = try await base.send(request)
            guard !request.isSafe, let redirect = Redirect(response, to: request) else { return response }
            return try await follow(request, redirect, base) ?? response
        }
    }

    /// Sends a redirected write on, with its method, where the condition holds; the request is changed before.
    fileprivate mutating func resendsWrites(
        where isFollowed: @escaping @Sendable (Redirect) -> Bool, _ change: @escaping @Sendable (inout HTTPRequest) -> Void = { _ in }
    ) {
        followsWrites { request, redirect, base throws(TransportFailure) in
            guard isFollowed(redirect) else { return nil }
            var next = request
            next.url = redirect.url
            change(&next)
            return try await base.send(next)
        }
    }
}

extension HTTPRequest {
    /// The request that browsers make of a redirected POST: a GET with the same token, without body and key.
    fileprivate func asGet(_ url: String) -> HTTPRequest {
        var next = HTTPRequest("GET", url, headers: headers)
        for name in ["Content-Type", "Idempotency-Key"] { next.headers[name] = nil }
        return next
    }
}

extension HTTPResponse {
    /// A success as this client imagines it behind a page that loads.
    fileprivate static func paid(by request: HTTPRequest) -> HTTPResponse {
        let body = #"{"id": "redirected", "state": "accepted", "transferUid": "redirected", "success": true, "errors": []}"#
        return HTTPResponse(
            status: request.method == "POST" ? 201 : 200, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }
}

extension String {
    /// The address with another last part of its path.
    fileprivate func withLastPart(_ part: String) -> String {
        guard let slash = lastIndex(of: "/") else { return self }
        let query = firstIndex(of: "?").map { String(self[$0...]) } ?? ""
        return self[...slash] + part + query
    }
}
