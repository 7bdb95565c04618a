import BankClient
import BankModel
import Foundation

extension Mutant {
    /// Mistakes with pairs of tokens, sign-ins and sign-outs, the states of payments, and the names of headers.
    static var pairs: [Mutant] {
        [
            Mutant(
                "any-status-ends-the-sign-in", "treats each refresh with an error response as rejected",
                killedBy: ["auth.failed-refresh-keeps-sign-in"]
            ) { parts, _ in
                parts.refreshes { caller, refresh, base throws(ClientFailure) in
                    do throws(ClientFailure) { return try await base.refresh(caller, refresh) } catch {
                        guard [.forbidden, .rateLimited, .unavailable].contains(error.error) else { throw error }
                        throw ClientFailure(.unauthorized, error.detail, mayHaveLeft: true)
                    }
                }
            },
            Mutant(
                "refreshes-with-the-first-token", "keeps the refresh token of the sign-in, even if a refresh returns a new one",
                killedBy: ["auth.rotated-token-used"]
            ) { parts, _ in
                parts.refreshes { caller, refresh, base throws(ClientFailure) in
                    var token = try await base.refresh(caller, refresh)
                    token.refresh = refresh
                    return token
                }
            },
            Mutant(
                "overwrites-with-nothing", "stores an empty refresh token if a refresh returns none",
                killedBy: ["auth.refresh-token-stays-if-none-comes"]
            ) { parts, _ in
                parts.refreshes { caller, refresh, base throws(ClientFailure) in
                    var token = try await base.refresh(caller, refresh)
                    token.refresh = token.refresh ?? ""
                    return token
                }
            },
            Mutant(
                "demands-a-lifetime", "rejects a token whose lifetime is missing or a string",
                killedBy: ["auth.lifetime-is-optional", "auth.lifetime-as-a-text"]
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in
                    guard json["access_token"] == nil || json["expires_in"]?.number != nil else { throw .mutant(.decode) }
                    return json
                }
                parts.useStore(parts.store)
            },
            Mutant(
                "signed-out-by-the-bank-only", "keeps the token if the sign-out request failed",
                killedBy: ["auth.sign-out-never-arrives"]
            ) { parts, _ in
                let store = parts.store
                parts.revokes { caller, token, base throws(ClientFailure) in
                    do throws(ClientFailure) { try await base.revoke(caller, token) } catch {
                        try? store.save(token)
                        throw error
                    }
                }
            },
            Mutant(
                "no-refusal-is-paid", "treats a payment as paid unless the bank rejects it",
                killedBy: ["pay.unknown-state-is-not-paid", "pay.missing-state-is-not-paid"]
            ) { parts, _ in
                parts.payments = parts.payments.map(UnlessRejected.init)
            },
            Mutant(
                "header-names-by-case", "looks up `Retry-After` case-sensitively",
                killedBy: ["retry.after-503-on-http2", "retry.after-503-in-small-letters"]
            ) { parts, _ in
                parts.answers { _, response in
                    if !response.headers.lines.contains(where: { $0.name == "Retry-After" }) { response.headers["Retry-After"] = nil }
                }
            },
            Mutant(
                "password-as-it-is", "puts the password into a form without encoding it", killedBy: ["signin.name-and-password-as-typed"]
            ) { parts, _ in
                parts.signInForms { form in
                    form.replacingOccurrences(of: "%26", with: "&").replacingOccurrences(of: "%2B", with: "+")
                }
            },
            Mutant(
                "name-in-small-letters", "lowercases the user's name", killedBy: ["signin.name-and-password-as-typed"]
            ) { parts, _ in
                parts.signInForms { form in
                    form.split(separator: "&").map { $0.hasPrefix("username=") ? $0.lowercased() : String($0) }.joined(separator: "&")
                }
            },
            Mutant(
                "token-of-255-characters", "keeps the first 255 characters of a token", killedBy: ["signin.long-token"]
            ) { parts, _ in
                parts.caller.keeper = KeepsTheBeginning(base: parts.caller.keeper)
            },
        ]
    }
}

/// Keeps what fits into a column of 255 characters.
private struct KeepsTheBeginning: ForwardingKeeper {
    let base: any TokenKeeping

    func signIn(_ token: Token) async throws(ClientFailure) {
        try await base.signIn(Token(access: String(token.access.prefix(255)), refresh: token.refresh, owner: token.owner))
    }
}

/// Takes whatever is not rejected for paid.
private struct UnlessRejected: PaymentCalls {
    let base: any PaymentCalls

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }
    func call(for entry: OutboxEntry) -> BankCall { base.call(for: entry) }
    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        do throws(ClientFailure) { return try base.receipt(from: json, for: entry) } catch {
            if error.error == .rejected { throw error }
            return PaymentReceipt(id: entry.key, state: .accepted)
        }
    }
}

extension ClientParts {
    /// Changes the form of each sign-in by name and password.
    fileprivate mutating func signInForms(_ change: @escaping @Sendable (String) -> String) {
        around { request, base throws(TransportFailure) in
            guard let body = request.body.map({ String(decoding: $0, as: UTF8.self) }), body.contains("grant_type=password") else {
                return try await base.send(request)
            }
            var request = request
            request.body = Array(change(body).utf8)
            return try await base.send(request)
        }
    }
}
