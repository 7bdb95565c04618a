import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Synchronization

/// Mistakes in what is made of connections that end, stall or lead nowhere.
///
/// Where it is about what a failure is called, the client keeps no old data, which it could rightly show instead.
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
                "follows-to-any-host", "follows redirects to any host and takes the token along (CURLOPT_UNRESTRICTED_AUTH)",
                killedBy: ["auth.token-not-forwarded-to-other-host"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(forwardsToken: true))
            },
            Mutant(
                "keeps-dead-connections", "goes on with a connection that has ended, and never opens another",
                killedBy: ["wire.stale-keepalive", "wire.goaway-midway", "wire.stream-reset"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .init(keepsDeadConnections: true))
            },
            Mutant(
                "ends-with-a-reset-stream", "takes a reset stream for the end of the sign-in", killedBy: ["wire.stream-reset"]
            ) { parts, _ in
                let store = parts.store
                parts.failures { _, failure in
                    if failure.torn { try? store.clear() }
                    return failure
                }
            },
            Mutant(
                "slow-answer-is-offline", "tells an answer that did not come whole in time as a network that cannot be reached",
                killedBy: ["wire.slow-body-times-out"]
            ) { parts, _ in
                parts.cache = nil
                parts.failures {
                    TransportFailure($1.error == .timeout ? .offline : $1.error, $1.detail, mayHaveLeft: $1.mayHaveLeft, torn: $1.torn)
                }
            },
            Mutant(
                "body-without-limit", "watches the time until the next byte comes, and not the time until the last one has",
                killedBy: ["wire.slow-body-times-out"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .init(timesOnlySilence: true))
            },
            Mutant(
                "connects-without-limit", "has a limit for an answer that begins once there is a connection, and none for the connection",
                killedBy: ["errors.connect-timeout"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaiveTransport(start, .init(waitsForConnection: true))
            },
            Mutant(
                "shows-torn-bodies", "shows the rows that came whole of an answer that broke off", killedBy: ["wire.reset-mid-body"]
            ) { parts, start in
                parts.caller.reader = MendsTornBodies()
                parts.useNaiveTransport(start, .init(takesTornAnswers: true))
            },
            Mutant(
                "poisoned-by-a-huge-head", "cannot be used any more once an answer was too large for it", killedBy: ["wire.huge-head"]
            ) { parts, _ in
                let poisoned = Mutex(false)
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
                "verifies-nothing", "takes every certificate (PruebaOrangeBank: validateCertificate = false)",
                killedBy: [
                    "tls.expired", "tls.not-yet-valid", "tls.self-signed", "tls.unknown-authority", "auth.token-not-sent-over-bad-tls",
                ]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(verifiesPeer: false, verifiesHost: false))
            },
            Mutant(
                "verifies-no-host", "checks who signed the certificate, and not whose it is (nine of 400 banking apps)",
                killedBy: ["tls.wrong-host", "auth.token-not-sent-over-bad-tls"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(verifiesHost: false))
            },
            Mutant(
                "bad-certificate-is-offline", "tells a bad certificate as a network that cannot be reached",
                killedBy: ["tls.expired", "tls.not-yet-valid", "tls.self-signed"]
            ) { parts, _ in
                parts.cache = nil
                parts.failures {
                    TransportFailure($1.error == .tls ? .offline : $1.error, $1.detail, mayHaveLeft: $1.mayHaveLeft, torn: $1.torn)
                }
            },
            Mutant(
                "cut-handshake-is-no-answer", "tells a handshake that was cut as an answer that makes no sense",
                killedBy: ["tls.handshake-cut"]
            ) { parts, _ in
                parts.cache = nil
                parts.failures {
                    TransportFailure($1.error == .tls ? .decode : $1.error, $1.detail, mayHaveLeft: $1.mayHaveLeft, torn: $1.torn)
                }
            },
            Mutant(
                "follows-into-clear-text", "asks again in clear text where a redirect leads there, though it shows nothing of the answer",
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
                "knocks-in-clear-text", "sees in clear text whether the bank is there at all, where TLS has failed",
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
                "signs-out-on-redirect", "takes a redirect to clear text or to another host for the end of the sign-in",
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
private struct MendsTornBodies: BodyReading {
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        var response = response
        response.body = MendsTornBodies.mended(response.body)
        return try StrictBodyReader().json(response)
    }

    static func mended(_ body: [UInt8]) -> [UInt8] {
        var open: [UInt8] = []
        var inText = false
        var escaped = false
        var whole = (end: 0, open: [UInt8]())
        for (place, byte) in body.enumerated() {
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
                whole = (place + 1, open)
            }
        }
        return Array(body[..<whole.end]) + whole.open.reversed()
    }
}
