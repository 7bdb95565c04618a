import BankClient
import BankModel
import Platform

/// Mistakes in whose token is sent, and in whose data is shown.
extension Mutant {
    static var invariantOwner: [Mutant] {
        [
            Mutant(
                "default-header-never-cleared", "registers the token with the HTTP library, which sends it with every later request",
                killedBy: ["invariant.own-token-only in \(anotherSignsIn)"]
            ) { parts, _ in
                let first = Locked<String?>(nil)
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if let token = request.headers["Authorization"] {
                        request.headers["Authorization"] = first.withLock { first in
                            first = first ?? token
                            return first
                        }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "two-tokens-in-turn", "keeps the previous customer's token, and alternates between both",
                killedBy: ["invariant.own-token-only in \(anotherSignsIn)"]
            ) { parts, _ in
                let seen = Locked<(tokens: [String], turn: Int)>(([], 0))
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if let token = request.headers["Authorization"] {
                        request.headers["Authorization"] = seen.withLock { seen in
                            if !seen.tokens.contains(token) { seen.tokens.append(token) }
                            seen.turn += 1
                            return seen.tokens[seen.turn % seen.tokens.count]
                        }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "token-outlives-sign-out", "continues with the token in memory after the sign-out",
                killedBy: ["invariant.own-token-only in auth.logout-revokes-and-forgets"]
            ) { parts, _ in
                let last = Locked<Token?>(nil)
                parts.caller.keeper = AroundKeeper(
                    base: parts.caller.keeper,
                    returned: { token in
                        last.withLock { last in
                            last = token ?? last
                            return last
                        }
                    })
            },
            Mutant(
                "renews-after-sign-out", "refreshes the token of a signed-out customer with the next request",
                killedBy: ["invariant.own-token-only in auth.logout-revokes-and-forgets", "auth.sign-out-no-refresh"]
            ) { parts, _ in
                let last = Locked<String?>(nil)
                parts.aroundStore(saved: { token in last.withLock { $0 = token.refresh } })
                let signing = parts.signing
                let caller = parts.caller
                parts.caller.keeper = AroundKeeper(
                    base: parts.caller.keeper,
                    asked: { token in
                        guard token == nil, let refresh = last.withLock({ $0 }) else { return }
                        _ = try? await signing?.refresh(caller, refresh)
                    })
            },
            Mutant(
                "cache-by-question-only", "caches responses by request without the customer, and shows them when the bank is unreachable",
                killedBy: ["invariant.own-data-only in \(anotherSignsIn)"]
            ) { parts, _ in
                let accounts = LastShown<Listing<Account>>()
                let balance = LastShown<Balance>()
                let rows = LastShown<Listing<Transaction>>()
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in try await accounts.orOld(read) { $0 != .unauthorized } }
                    changes.balance = { read async throws(ClientFailure) in try await balance.orOld(read) { $0 != .unauthorized } }
                    changes.transactions = { read async throws(ClientFailure) in try await rows.orOld(read) { $0 != .unauthorized } }
                }
            },
            Mutant(
                "old-data-after-sign-out", "leaves data on the screen after the sign-out",
                killedBy: ["invariant.own-data-only in offline.wiped-at-logout"]
            ) { parts, _ in
                let accounts = LastShown<Listing<Account>>()
                let balance = LastShown<Balance>()
                let rows = LastShown<Listing<Transaction>>()
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in try await accounts.orOld(read) { $0 == .unauthorized } }
                    changes.balance = { read async throws(ClientFailure) in try await balance.orOld(read) { $0 == .unauthorized } }
                    changes.transactions = { read async throws(ClientFailure) in try await rows.orOld(read) { $0 == .unauthorized } }
                }
            },
            Mutant(
                "customers-merged", "merges new data into the previous customer's data",
                killedBy: ["invariant.own-data-only in \(anotherSignsIn)"]
            ) { parts, _ in
                let accounts = Merged<Account>(\.id)
                let rows = Merged<Transaction>(\.id)
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in try await accounts.adding(read) }
                    changes.transactions = { read async throws(ClientFailure) in try await rows.adding(read) }
                }
            },
        ]
    }

    private static let anotherSignsIn = "offline.never-other-customers"
}

/// The data shown last, to any customer.
private final class LastShown<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    /// The bank's answer; in place of some errors what was shown last.
    func orOld(
        _ read: () async throws(ClientFailure) -> Value, for isCovered: (ClientError) -> Bool
    ) async throws(ClientFailure) -> Value {
        do throws(ClientFailure) {
            let new = try await read()
            value.withLock { $0 = new }
            return new
        } catch {
            guard isCovered(error.error), let old = value.withLock({ $0 }) else { throw error }
            return old
        }
    }
}

/// All rows that were ever shown, each once.
private final class Merged<Row: Sendable & Hashable>: Sendable {
    private let rows = Locked<[Row]>([])
    private let id: @Sendable (Row) -> String

    init(_ id: @escaping @Sendable (Row) -> String) { self.id = id }

    /// The bank's rows after the earlier ones; without an answer, only the earlier ones.
    func adding(_ read: () async throws(ClientFailure) -> Listing<Row>) async throws(ClientFailure) -> Listing<Row> {
        do throws(ClientFailure) {
            var listing = try await read()
            let ids = Set(listing.rows.map(id))
            listing.rows = rows.withLock { rows in
                rows = listing.rows + rows.filter { !ids.contains(id($0)) }
                return rows
            }
            return listing
        } catch {
            let old = rows.withLock { $0 }
            if old.isEmpty || error.error == .unauthorized { throw error }
            return Listing(old)
        }
    }
}
