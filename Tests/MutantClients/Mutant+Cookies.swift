import BankClient
import BankModel
import ClientDriver
import DriverProtocol

/// Mistakes in what is made of cookies, which these banks do not need.
extension Mutant {
    static var cookies: [Mutant] {
        [
            Mutant(
                "stumbles-over-cookies", "rejects a response whose cookie has a date that it cannot read",
                killedBy: ["auth.cookie-not-needed"]
            ) { parts, _ in
                parts.cache = nil
                parts.around { request, base throws(TransportFailure) in
                    let response = try await base.send(request)
                    let isOdd = response.headers.values("Set-Cookie").contains { $0.contains("Expires=") && !$0.contains("GMT") }
                    if isOdd { throw TransportFailure(.decode, "a cookie that cannot be read", mayHaveLeft: true) }
                    return response
                }
            },
            Mutant(
                "sends-every-cookie", "sends each cookie back until the next sign-in, whatever its attributes are",
                killedBy: ["auth.cookie-attributes-kept"]
            ) { parts, _ in
                let jar = CookieJar(readsAttributes: false)
                parts.aroundStore(saved: { _ in jar.removeAll() }, cleared: { jar.removeAll() })
                parts.sendsCookies(of: jar)
            },
            Mutant(
                "keeps-cookies-across-sign-ins", "sends one customer's cookies under the next customer's token",
                killedBy: ["auth.cookie-not-under-another-sign-in"]
            ) { parts, _ in
                parts.sendsCookies(of: CookieJar(readsAttributes: true))
            },
            Mutant(
                "takes-cookies-along", "follows a redirect to another host without the token, but with the cookies",
                killedBy: ["auth.cookie-not-to-other-host", "invariant.no-foreign-host in auth.cookie-not-to-other-host"]
            ) { parts, start in
                let jar = CookieJar(readsAttributes: true)
                parts.aroundStore(saved: { _ in jar.removeAll() }, cleared: { jar.removeAll() })
                var limits = TransportLimits(start)
                limits.redirects = 0
                parts.caller.transport = CurlTransport(limits: limits, caFile: start.caFile)
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    jar.fill(&request)
                    var response = try await base.send(request)
                    jar.take(response)
                    for _ in 0..<5 {
                        guard request.isSafe, let redirect = Redirect(response, to: request) else { break }
                        request.url = redirect.url
                        if !redirect.isSameHost { request.headers["Authorization"] = nil }
                        response = try await base.send(request)
                    }
                    return response
                }
            },
        ]
    }
}

extension ClientParts {
    /// Stores cookies, and sends them with every request.
    fileprivate mutating func sendsCookies(of jar: CookieJar) {
        around { request, base throws(TransportFailure) in
            var request = request
            jar.fill(&request)
            let response = try await base.send(request)
            jar.take(response)
            return response
        }
    }
}
