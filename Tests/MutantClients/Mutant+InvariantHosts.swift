import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes in where a request goes: in clear text where TLS was agreed, or to another host.
extension Mutant {
    static var invariantHosts: [Mutant] {
        [
            Mutant(
                "clear-text-when-tls-fails", "falls back to clear text if TLS fails, and uses the response",
                killedBy: ["invariant.tls-stays-tls in tls.expired"]
            ) { parts, start in
                parts.around { request, base throws(TransportFailure) in
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        guard error.error == .tls, let answer = inClearText(request, start) else { throw error }
                        return answer
                    }
                }
            },
            Mutant(
                "clear-text-first", "probes the bank in clear text before it connects over TLS",
                killedBy: ["invariant.tls-stays-tls in wire.stale-keepalive"]
            ) { parts, start in
                let count = Counter()
                parts.around { request, base throws(TransportFailure) in
                    if request.url.hasPrefix("https:"), count.next() == 1 {
                        _ = inClearText(HTTPRequest("HEAD", start.baseURL + "/"), start)
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "clear-text-after-a-loss", "pays in clear text after a lost TLS connection",
                killedBy: ["invariant.tls-stays-tls in pay.reply-lost-after-commit"]
            ) { parts, start in
                parts.around { request, base throws(TransportFailure) in
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        guard request.isPayment, error.torn, let answer = inClearText(request, start) else { throw error }
                        return answer
                    }
                }
            },
            Mutant(
                "token-follows-redirects", "follows a redirect to another host with the token",
                killedBy: ["invariant.no-foreign-host in auth.token-not-forwarded-to-other-host"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(forwardsToken: true))
            },
            Mutant(
                "reports-failures-elsewhere", "reports each failure of the bank to another host, with the request head",
                killedBy: ["invariant.no-foreign-host in retry.payment-bounded"]
            ) { parts, start in
                parts.answers { request, response in
                    guard response.status >= 500, request.url.hasPrefix("http:") else { return }
                    let head = request.headers.lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
                    _ = inClearText(
                        HTTPRequest("POST", elsewhere(start.baseURL) + "/collect", body: Array(head.utf8)), start)
                }
            },
            Mutant(
                "counts-payments-elsewhere", "reports each payment to another host, with the body",
                killedBy: ["invariant.no-foreign-host in pay.new-intent-new-key"]
            ) { parts, start in
                parts.answers { request, _ in
                    guard request.isPayment, request.url.hasPrefix("http:") else { return }
                    _ = inClearText(HTTPRequest("POST", elsewhere(start.baseURL) + "/events", body: request.body), start)
                }
            },
        ]
    }

    /// The same port under another host's name.
    private static func elsewhere(_ url: String) -> String {
        url.contains("127.0.0.1")
            ? url.replacing("127.0.0.1", with: "localhost", maxReplacements: 1)
            : url.replacing("localhost", with: "127.0.0.1", maxReplacements: 1)
    }

    private static func inClearText(_ request: HTTPRequest, _ start: CaseStart) -> HTTPResponse? {
        var request = request
        request.url = request.url.replacing("https://", with: "http://", maxReplacements: 1)
        return try? PlainSocket(request, milliseconds: start.timeouts.totalMilliseconds)?.answer()
    }
}
