import BankClient
import BankModel
import DriverProtocol
import Foundation
import Platform

/// Mistakes of a client whose file access fails for a while, or that is killed around the sending of a payment or of a sign-out.
extension Mutant {
    static var stores: [Mutant] { lockedStores + fullDisks + killedPayments + killedSignOuts }

    private static var lockedStores: [Mutant] {
        [
            Mutant(
                "takes-locked-for-signed-out", "treats a token that cannot be read now as missing",
                killedBy: ["store.locked-keeps-sign-in", "store.locked-is-not-signed-out"]
            ) { parts, _ in
                parts.loading { store throws(StorageError) in
                    do throws(StorageError) { return try store.load() } catch { return nil }
                }
            },
            Mutant(
                "removes-locked-token", "removes a token that cannot be read now", killedBy: ["store.locked-keeps-sign-in"]
            ) { parts, _ in
                parts.loading { store throws(StorageError) in
                    do throws(StorageError) { return try store.load() } catch {
                        try store.clear()
                        throw error
                    }
                }
            },
            Mutant(
                "begins-anew-when-locked", "replaces an outbox that cannot be read now by an empty one",
                killedBy: ["store.locked-payment-paid-once"]
            ) { parts, start in
                guard parts.outbox is ReopeningOutbox else { return }
                let path = start.stateDirectory + "/outbox.sqlite"
                try? FileManager.default.removeItem(atPath: path)
                parts.outbox = SQLiteOutbox.opened(path)
            },
        ]
    }

    private static var fullDisks: [Mutant] {
        [
            Mutant(
                "pays-without-stored-key", "sends a payment even if its key could not be stored",
                killedBy: ["store.full-disk-paid-once", "store.full-disk-sends-no-payment"]
            ) { parts, _ in
                parts.outbox = AlteredOutbox(base: parts.outbox) { entry, store in (try? await store(entry)) ?? entry }
            },
            Mutant(
                "gives-up-after-full-disk", "pays no more once a payment could not be stored", killedBy: ["store.full-disk-then-works"]
            ) { parts, _ in
                let ended = Locked<StorageError?>(nil)
                parts.outbox = AlteredOutbox(base: parts.outbox) { entry, store throws(StorageError) in
                    if let error = ended.withLock({ $0 }) { throw error }
                    do throws(StorageError) { return try await store(entry) } catch {
                        ended.withLock { $0 = error }
                        throw error
                    }
                }
            },
            Mutant(
                "rewrites-token-in-place", "rewrites the token file at each use: empties it first, then fills it",
                killedBy: ["store.full-disk-keeps-sign-in"]
            ) { parts, start in
                let path = start.stateDirectory + "/token"
                parts.loading { store throws(StorageError) in
                    let token = try store.load()
                    guard let bytes = FileManager.default.contents(atPath: path), let file = FileHandle(forWritingAtPath: path) else {
                        return token
                    }
                    try? file.truncate(atOffset: 0)
                    try? file.write(contentsOf: bytes)
                    try? file.close()
                    return token
                }
            },
            Mutant(
                "drops-unstored-token", "forgets a refreshed token that could not be stored",
                killedBy: ["store.full-disk-keeps-refreshed-token"]
            ) { parts, _ in
                parts.caller.keeper = DropsUnstored(base: parts.caller.keeper, bank: parts.signing, caller: parts.caller)
            },
        ]
    }

    private static var killedPayments: [Mutant] {
        [
            Mutant(
                "counts-stored-as-paid", "stores a payment as paid before it is sent", killedBy: ["store.killed-before-send"]
            ) { parts, _ in
                parts.outbox = AlteredOutbox(base: parts.outbox) { entry, store throws(StorageError) in
                    var entry = entry
                    if entry.state == .open, entry.mayHaveLeft { entry.state = .done(PaymentReceipt(id: nil, state: .accepted)) }
                    return try await store(entry)
                }
            },
            Mutant(
                "takes-unstored-answer-for-failure", "reports a payment as failed if the bank's response could not be stored",
                killedBy: ["store.killed-before-answer-stored"]
            ) { parts, _ in
                let failures = Locked<[String: StorageError]>([:])
                var parts = parts
                parts.outbox = AlteredOutbox(base: parts.outbox) { entry, store throws(StorageError) in
                    do throws(StorageError) { return try await store(entry) } catch {
                        if entry.state != .open { failures.withLock { $0[entry.intent] = error } }
                        throw error
                    }
                }
                return parts.client { base in
                    OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            let receipt = try await base.pay(intent, order)
                            guard let error = failures.withLock({ $0.removeValue(forKey: intent) }) else { return receipt }
                            throw ClientFailure(.unavailable, "the payment failed: \(error)", mayHaveLeft: true)
                        })
                }
            },
        ]
    }
}

extension Mutant {
    private static var killedSignOuts: [Mutant] {
        [
            Mutant(
                "revokes-before-it-removes", "removes the token only when the bank has revoked it",
                killedBy: ["store.killed-while-signing-out"]
            ) { parts, _ in
                let store = parts.store
                parts.revokes { caller, token, base throws(ClientFailure) in
                    try await base.revoke(caller, token)
                    try? store.clear()
                }
                parts.caller.keeper = RemovesLater(base: parts.caller.keeper)
            }
        ]
    }
}

/// Returns the token at a sign-out, and does not remove it.
private struct RemovesLater: ForwardingKeeper {
    let base: any TokenKeeping

    func signOut() async throws(ClientFailure) -> Token? { try await base.current() }
}

extension ClientParts {
    /// Reads the token in another way.
    fileprivate mutating func loading(_ change: @escaping @Sendable (any TokenStore) throws(StorageError) -> Token?) {
        var altered = AlteredStore(store)
        altered.loading = change
        useStore(altered)
    }
}

/// Renews by itself, and stores the new token as if somebody had signed in: if that fails, nobody has it.
private struct DropsUnstored: ForwardingKeeper {
    let base: any TokenKeeping
    let bank: (any SigningInBank)?
    let caller: BankCaller

    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        guard let bank, let refresh = rejected.refresh else { return try await base.replacement(for: rejected) }
        var token = try await bank.refresh(caller, refresh)
        token.owner = rejected.owner
        try await base.signIn(token)
        return token
    }
}
