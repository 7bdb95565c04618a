import BankClient
import BankModel
import DriverProtocol
import Platform

/// Mistakes in what a client shows of consents, and in what it does when one has ended.
extension Mutant {
    static var consents: [Mutant] {
        [
            Mutant(
                "shows-old-consents", "shows the consents that it has seen before when the bank rejects the request",
                killedBy: ["signin.consent-revoked-shown"]
            ) { parts, _ in
                let seen = Locked<HTTPResponse?>(nil)
                parts.answers { request, response in
                    guard request.isAboutConsents else { return }
                    if response.status == 200 {
                        seen.withLock { $0 = response }
                    } else if let before = seen.withLock({ $0 }) {
                        response = before
                    }
                }
            },
            Mutant(
                "hopes-for-the-consent", "sends a request again and again after its consent has ended",
                killedBy: ["signin.consent-expired-reauthorises"]
            ) { parts, _ in
                let rules = parts.caller.rules
                parts.around { request, base throws(TransportFailure) in
                    var response = try await base.send(request)
                    for _ in 1..<10 where rules.judge(response).error == .consentExpired { response = try await base.send(request) }
                    return response
                }
            },
            Mutant(
                "takes-the-return-for-consent", "treats the return from the page as the customer's approval",
                killedBy: ["signin.denied-consent-signs-nobody-in@berlin", "signin.cancelled-signs-nobody-in@berlin"]
            ) { parts, _ in
                parts.answers { request, response in
                    guard request.isAboutConsents, request.url.hasSuffix("/status") else { return }
                    response.body = Array(#"{"consentStatus":"valid"}"#.utf8)
                }
            },
            Mutant(
                "rejects-only-rejected-consents", "treats a consent that still awaits the customer as given",
                killedBy: ["signin.cancelled-signs-nobody-in@berlin"]
            ) { parts, _ in
                parts.answers { request, response in
                    guard request.isAboutConsents, request.url.hasSuffix("/status") else { return }
                    response.body = Array(String(decoding: response.body, as: UTF8.self).replacing("received", with: "valid").utf8)
                }
            },
            Mutant(
                "consent-as-bearer-token", "sends the id of the consent as a bearer token",
                killedBy: ["signin.consent-signs-in@berlin"], control: paying
            ) { parts, _ in
                parts.caller.conventions = RequestConventions()
            },
            Mutant(
                "forgets-the-consent-only", "removes a consent from its own list, and does not end it at the bank",
                killedBy: ["signin.consent-ended-at-the-bank"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    guard request.isAboutConsents, request.method == "DELETE" else { return try await base.send(request) }
                    var request = request
                    (request.method, request.url) = ("GET", request.url.prefixUpToLastSlash)
                    _ = try await base.send(request)
                    return HTTPResponse(status: 204, headers: HTTPHeaders(), body: [])
                }
            },
        ]
    }
}

extension HTTPRequest {
    fileprivate var isAboutConsents: Bool { url.contains("/v1/consents") }
}

extension String {
    /// Without the last segment of the path.
    fileprivate var prefixUpToLastSlash: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? self }
}
