import BankClient
import BankModel

extension Mutant {
    /// Mistakes in reporting failures. They have no cache, which would be shown instead.
    static var errors: [Mutant] {
        [
            status(401, .forbidden), status(409, .rejected), status(410, .rejected), status(429, .unavailable), status(504, .timeout),
            Mutant("404-is-nothing-there", "treats a 404 as an empty list", killedBy: ["errors.404"]) { parts, _ in
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    var response = try await base.send(request)
                    if response.status == 404 { response.status = 200 }
                    return response
                }
            },
            Mutant(
                "any-403-is-a-rejected-token", "treats every 403 as a rejected token",
                killedBy: ["errors.403", "auth.scope-refusal-keeps-token"]
            ) { parts, _ in
                parts.judge { response, verdict in
                    if response.status == 403 {
                        verdict.error = .unauthorized
                        verdict.tokenRejected = true
                    }
                }
            },
            Mutant(
                "body-before-status", "reads the body before the status, so a gateway's page is an undecodable response",
                killedBy: ["errors.502", "errors.maintenance-outage"]
            ) { parts, _ in
                parts.cache = nil
                parts.judge { response, verdict in
                    guard (try? StrictBodyReader().json(response)) == nil, !response.mediaType.hasSuffix("problem+json") else { return }
                    verdict.error = .decode
                    verdict.detail = "no JSON"
                }
            },
            Mutant(
                "one-alert-for-all", "shows the same alert for every error",
                killedBy: ["errors.404", "errors.cold-refused"], control: "retry.not-on-client-errors"
            ) { parts, _ in
                parts.cache = nil
                parts.judge { response, verdict in if verdict.error != nil { verdict.error = .failed } }
            },
            Mutant(
                "nothing-fetched-is-nothing-there", "shows a balance of 0 and an empty list if they cannot be fetched",
                killedBy: [
                    "errors.outage-of-each-screen", "errors.lost-connection-of-each-screen", "errors.no-data-for-each-screen",
                ]
            ) { parts, _ in
                parts.show { changes in
                    changes.balance = { read async throws(ClientFailure) in
                        do throws(ClientFailure) { return try await read() } catch {
                            guard let pounds = Currency("GBP") else { throw error }
                            return Balance(balance: Money(minorUnits: 0, currency: pounds))
                        }
                    }
                    changes.transactions = { read async throws(ClientFailure) in
                        do throws(ClientFailure) { return try await read() } catch { return Listing([]) }
                    }
                }
            },
            Mutant(
                "closed-list-of-statuses", "knows a list of statuses and treats every other as a rejection",
                killedBy: ["errors.unknown-status"]
            ) { parts, _ in
                parts.cache = nil
                parts.judge { response, verdict in
                    let known = [200, 201, 400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 502, 503, 504]
                    if !known.contains(response.status) { verdict.error = .rejected }
                }
            },
            Mutant(
                "unreached-is-unavailable", "reports every connection failure as a failure of the bank",
                killedBy: ["errors.refused-told-apart", "errors.name-not-found"]
            ) { parts, _ in
                parts.cache = nil
                parts.retell { failure in if failure.error == .offline { failure.error = .unavailable } }
            },
            Mutant(
                "silence-is-offline", "reports a silent bank as an unreachable one",
                killedBy: ["errors.read-timeout"]
            ) { parts, _ in
                parts.cache = nil
                parts.retell { failure in if failure.error == .timeout { failure.error = .offline } }
            },
            Mutant(
                "failed-sign-in-is-wrong-password", "reports every failed sign-in as a wrong password",
                killedBy: ["errors.not-reached-at-sign-in", "signin.bank-fails", "signin.no-reply"]
            ) { parts, _ in
                parts.signing = parts.signing.map { FailedSignInIsWrongPassword(base: $0) }
            },
            Mutant(
                "detail-dropped", "drops the bank's message to the customer",
                killedBy: ["errors.problem-detail-shown", "signin.locked-account-explained"]
            ) { parts, _ in
                parts.judge { _, verdict in verdict.detail = "something went wrong" }
            },
        ]
    }

    /// Reports one status as the error of another.
    private static func status(_ status: Int, _ reported: ClientError) -> Mutant {
        Mutant("\(status)-is-\(reported.rawValue)", "reports \(status) as `\(reported.rawValue)`", killedBy: ["errors.\(status)"]) {
            parts, _ in
            parts.cache = nil
            parts.judge { response, verdict in if response.status == status { verdict.error = reported } }
        }
    }
}

private struct FailedSignInIsWrongPassword: SigningInBank {
    let base: any SigningInBank

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        do throws(ClientFailure) { return try await base.signIn(caller, user: user, password: password) } catch {
            throw .mutant(.unauthorized)
        }
    }

    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token { try await base.refresh(caller, refresh) }
    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) { try await base.revoke(caller, token) }
}
