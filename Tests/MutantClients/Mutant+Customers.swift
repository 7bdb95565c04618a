import BankClient
import BankModel
import Platform

/// Mistakes with tokens when customers change, or sign out.
extension Mutant {
    static var customers: [Mutant] {
        [
            Mutant(
                "bearer-cached-by-library", "lets the HTTP library store the token, which sends it until the bank rejects it",
                killedBy: ["auth.sign-in-as-another-carries-no-old-token", "auth.sign-out-then-another-carries-no-old-token"]
            ) { parts, _ in
                let stored = Locked<String?>(nil)
                parts.around { request, base throws(TransportFailure) in
                    guard let token = request.headers["Authorization"] else { return try await base.send(request) }
                    var request = request
                    request.headers["Authorization"] = stored.withLock { stored in
                        stored = stored ?? token
                        return stored
                    }
                    let response = try await base.send(request)
                    if response.status == 401 || response.status == 403 { stored.withLock { $0 = nil } }
                    return response
                }
            },
            Mutant(
                "refresh-token-cached-by-library", "lets the HTTP library store the refresh token, which keeps the first customer's",
                killedBy: ["auth.refresh-is-the-signed-in-customers"]
            ) { parts, _ in
                let stored = Locked<String?>(nil)
                parts.refreshes { caller, refresh, base throws(ClientFailure) in
                    let token = try await base.refresh(caller, stored.withLock { $0 } ?? refresh)
                    stored.withLock { $0 = token.refresh ?? $0 }
                    return token
                }
                parts.aroundStore(saved: { token in stored.withLock { $0 = $0 ?? token.refresh } })
            },
            Mutant(
                "refreshes-to-sign-out", "refreshes the token before it signs out, to sign out with a valid one",
                killedBy: ["auth.sign-out-no-refresh"]
            ) { parts, _ in
                parts.revokes { caller, token, base throws(ClientFailure) in
                    var token = token
                    if let refresh = token.refresh, let new = try? await base.refresh(caller, refresh) { token = new }
                    try await base.revoke(caller, token)
                }
            },
            Mutant(
                "stores-late-refresh", "stores the tokens of a refresh that ends after the sign-out",
                killedBy: ["auth.late-refresh-stays-signed-out"]
            ) { parts, _ in
                // A refreshed token that is about to be revoked without ever having been stored.
                let unstored = Locked<String?>(nil)
                let store = parts.store
                parts.signing = parts.signing.map { signing in
                    ChangedSigning(
                        base: signing,
                        refreshing: { caller, refresh, base throws(ClientFailure) in
                            let token = try await base.refresh(caller, refresh)
                            unstored.withLock { $0 = token.access }
                            return token
                        },
                        revoking: { caller, token, base throws(ClientFailure) in
                            guard unstored.withLock({ $0 }) == token.access else { return try await base.revoke(caller, token) }
                            try? store.save(token)
                        })
                }
                parts.aroundStore(saved: { token in
                    unstored.withLock { unstored in if unstored == token.access { unstored = nil } }
                })
            },
        ]
    }
}
