import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Platform

/// Mistakes in what is made of connections that end, stall or lead nowhere.
///
/// Mutants that misreport a failure have no cache, which they could rightly show instead.
extension Mutant {
    static var wires: [Mutant] {
        [
            Mutant(
                "follows-without-bound", "follows redirects 180 times", killedBy: ["wire.redirect-loop-bounded"]
            ) { parts, start in
                var limits = TransportLimits(start)
                limits.redirects = 180
                parts.caller.transport = CurlTransport(limits: limits, caFile: start.caFile)
            },
            Mutant(
                "follows-to-any-host", "follows redirects to any host with the token (CURLOPT_UNRESTRICTED_AUTH)",
                killedBy: ["auth.token-not-forwarded-to-other-host"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(forwardsToken: true))
            },
            Mutant(
                "keeps-dead-connections", "reuses a closed connection, and never opens another",
                killedBy: ["wire.stale-keepalive", "wire.goaway-midway", "wire.stream-reset"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .init(keepsDeadConnections: true))
            },
            Mutant(
                "one-read-per-connection", "reads once over a TLS connection, and treats the network as lost after that",
                killedBy: ["wire.goaway-before-response"]
            ) { parts, _ in
                let reads = Counter()
                parts.cache = nil
                parts.around { request, base throws(TransportFailure) in
                    let isRead = request.method == "GET" && request.url.hasPrefix("https:")
                    if isRead, reads.next() >= 2 { throw TransportFailure(.offline, "the connection has ended", mayHaveLeft: false) }
                    return try await base.send(request)
                }
            },
            Mutant(
                "ends-with-a-reset-stream", "treats a reset stream as a sign-out", killedBy: ["wire.stream-reset"]
            ) { parts, _ in
                let store = parts.store
                parts.failures { _, failure in
                    if failure.torn { try? store.clear() }
                    return failure
                }
            },
            Mutant(
                "slow-answer-is-offline", "reports a slow response as an unreachable network",
                killedBy: ["wire.slow-body-times-out"]
            ) { parts, _ in
                parts.cache = nil
                parts.misreport(.timeout, as: .offline)
            },
            Mutant(
                "body-without-limit", "limits the time between bytes, but not the total time",
                killedBy: ["wire.slow-body-times-out"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .init(timesOnlySilence: true))
            },
            Mutant(
                "connects-without-limit", "limits the time of a response, but not of the connection",
                killedBy: ["errors.connect-timeout"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .init(waitsForConnection: true))
            },
            Mutant(
                "shows-torn-bodies", "shows the complete rows of a truncated response", killedBy: ["wire.reset-mid-body"]
            ) { parts, start in
                parts.caller.reader = CompletesTornBodies()
                parts.useNaiveTransport(start, .init(takesTornAnswers: true))
            },
            Mutant(
                "poisoned-by-a-huge-head", "is unusable after a response that was too large", killedBy: ["wire.huge-head"]
            ) { parts, _ in
                let poisoned = Locked(false)
                parts.around { request, base throws(TransportFailure) in
                    if poisoned.withLock({ $0 }) { throw TransportFailure(.tooLarge, "the last answer was too large", mayHaveLeft: false) }
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        if error.error == .tooLarge { poisoned.withLock { $0 = true } }
                        throw error
                    }
                }
            },
        ]
    }

    static var certificates: [Mutant] {
        [
            Mutant(
                "verifies-nothing", "accepts every certificate",
                killedBy: [
                    "tls.expired", "tls.not-yet-valid", "tls.self-signed", "tls.unknown-authority", "auth.token-not-sent-over-bad-tls",
                ]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(verifiesPeer: false, verifiesHost: false))
            },
            Mutant(
                "verifies-no-host", "verifies the certificate's chain, but not its host (nine of 400 banking apps)",
                killedBy: ["tls.wrong-host", "auth.token-not-sent-over-bad-tls"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(verifiesHost: false))
            },
            Mutant(
                "bad-certificate-is-offline", "reports an invalid certificate as an unreachable network",
                killedBy: ["tls.expired", "tls.not-yet-valid", "tls.self-signed"]
            ) { parts, _ in
                parts.cache = nil
                parts.misreport(.tls, as: .offline)
            },
            Mutant(
                "cut-handshake-is-no-answer", "reports an aborted handshake as an undecodable response",
                killedBy: ["tls.handshake-cut"]
            ) { parts, _ in
                parts.cache = nil
                parts.misreport(.tls, as: .decode)
            },
            Mutant(
                "follows-into-clear-text", "follows a redirect to clear text, though it discards the response",
                killedBy: ["tls.no-downgrade"]
            ) { parts, start in
                parts.around { request, base throws(TransportFailure) in
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        if error.detail.hasPrefix("redirected to") { inClearText(request, start) }
                        throw error
                    }
                }
            },
            Mutant(
                "knocks-in-clear-text", "probes the bank in clear text if TLS fails",
                killedBy: [
                    "tls.expired", "tls.not-yet-valid", "tls.wrong-host", "tls.self-signed", "tls.unknown-authority", "tls.handshake-cut",
                    "auth.token-not-sent-over-bad-tls",
                ]
            ) { parts, start in
                parts.around { request, base throws(TransportFailure) in
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        if error.error == .tls { inClearText(HTTPRequest("HEAD", start.baseURL + "/"), start) }
                        throw error
                    }
                }
            },
            Mutant(
                "signs-out-on-redirect", "treats a redirect to clear text or another host as a sign-out",
                killedBy: ["tls.no-downgrade"]
            ) { parts, _ in
                let store = parts.store
                parts.failures { _, failure in
                    if failure.detail.hasPrefix("redirected to") { try? store.clear() }
                    return failure
                }
            },
        ]
    }

    /// Sends a request without TLS; whatever comes of it is nobody's business.
    private static func inClearText(_ request: HTTPRequest, _ start: CaseStart) {
        var request = request
        request.url = request.url.replacing("https://", with: "http://", maxReplacements: 1)
        _ = try? PlainSocket(request, milliseconds: start.timeouts.totalMilliseconds)?.answer()
    }
}

/// Ends a text of JSON after its last whole row, and closes what is open.
struct CompletesTornBodies: BodyReading {
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        var response = response
        response.body = CompletesTornBodies.completed(response.body)
        return try StrictBodyReader().json(response)
    }

    static func completed(_ body: [UInt8]) -> [UInt8] {
        var open: [UInt8] = []
        var inText = false
        var escaped = false
        var whole = (end: 0, open: [UInt8]())
        for (position, byte) in body.enumerated() {
            if escaped {
                escaped = false
            } else if inText {
                if byte == UInt8(ascii: "\\") { escaped = true }
                if byte == UInt8(ascii: "\"") { inText = false }
            } else if byte == UInt8(ascii: "\"") {
                inText = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                // `{` and `}`, `[` and `]` are two apart.
                open.append(byte + 2)
            } else if byte == open.last {
                open.removeLast()
                whole = (position + 1, open)
            }
        }
        return Array(body[..<whole.end]) + whole.open.reversed()
    }
}
