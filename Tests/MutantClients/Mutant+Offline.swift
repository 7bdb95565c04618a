import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Foundation
import Platform

extension Mutant {
    /// Mistakes with cached data while the bank is unreachable.
    static var offline: [Mutant] {
        [
            Mutant(
                "erases-first", "erases its stored data before it checks the response", killedBy: ["offline.error-keeps-old-data"]
            ) { parts, _ in
                let cache = parts.cache
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    try? cache?.removeAll(butOf: nil)
                    return try await base.send(request)
                }
            },
            Mutant(
                "old-shown-as-new", "shows cached data as current data",
                killedBy: ["offline.old-data-marked", "signin.nothing-of-others-shown"]
            ) { parts, _ in
                let accounts = Last<Listing<Account>>()
                let balance = Last<Balance>()
                let rows = Last<Listing<Transaction>>()
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in try await accounts.orNew(read) }
                    changes.balance = { read async throws(ClientFailure) in try await balance.orNew(read) }
                    changes.transactions = { read async throws(ClientFailure) in try await rows.orNew(read) }
                }
            },
            Mutant(
                "one-cache-for-all", "caches data without its customer", killedBy: ["offline.never-other-customers"]
            ) { parts, _ in
                parts.cache = parts.cache.map { OneCacheForAll(base: $0) }
            },
            Mutant(
                "only-adds-to-its-store", "stores each row that was ever listed, and shows all of them when the bank is unreachable",
                killedBy: ["offline.withdrawn-rows-stay-away"]
            ) { parts, _ in
                let stored = Stored()
                parts.show { changes in
                    changes.transactions = { read async throws(ClientFailure) in try await stored.orAll(read) }
                }
            },
            Mutant(
                "keeps-data-at-logout", "leaves cached data at sign-out", killedBy: ["offline.wiped-at-logout"]
            ) { parts, _ in
                parts.cache = parts.cache.map { KeepsAtLogout(base: $0) }
            },
            Mutant(
                "keeps-no-pictures", "requests every picture each time",
                killedBy: ["offline.image-shown-without-bank", "offline.icon-shown-without-bank"],
                control: paying
            ) { parts, _ in
                parts.images = nil
            },
            Mutant(
                "data-never-asked-twice", "serves data from its cache without revalidation",
                killedBy: ["offline.images-cached-data-not", "offline.icons-cached-data-not"]
            ) { parts, _ in
                let accounts = Last<Listing<Account>>()
                let rows = Last<Listing<Transaction>>()
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in try await accounts.orAsk(read) }
                    changes.transactions = { read async throws(ClientFailure) in try await rows.orAsk(read) }
                }
            },
            Mutant(
                "data-in-memory-only", "caches data in memory only, though it declares persistence",
                killedBy: ["offline.cache-survives-kill"]
            ) {
                parts, _ in
                parts.cache = MemoryCache()
            },
            Mutant(
                "plain-cache", "writes its cache in plain text", killedBy: ["offline.nothing-readable-on-disk"],
                control: controlWithoutToken
            ) { parts, start in
                parts.cache = parts.cache.map { PlainCopy(base: $0, folder: start.stateDirectory) }
            },
            Mutant("crashes-on-damage", "crashes if one of its files cannot be read", killedBy: ["offline.corrupt-cache-recovers"]) {
                parts, start in
                let folder = start.stateDirectory
                let clock = parts.caller.clock
                let fatal: Warn = { _ in exit(70) }
                parts = (try? ModelClient.parts(start, clock: clock, warn: fatal)) ?? parts
                parts.images = FileImageCache(folder: folder + "/images")
            },
            Mutant(
                "stays-damaged", "sends nothing any more once one of its files could not be read",
                killedBy: ["offline.corrupt-cache-recovers"]
            ) { parts, start in
                let isDamaged = Locked(false)
                let clock = parts.caller.clock
                let note: Warn = { _ in isDamaged.withLock { $0 = true } }
                parts = (try? ModelClient.parts(start, clock: clock, warn: note)) ?? parts
                parts.around { request, base throws(TransportFailure) in
                    if isDamaged.withLock({ $0 }) { throw TransportFailure(.offline, "a file is damaged", mayHaveLeft: false) }
                    return try await base.send(request)
                }
            },
        ]
    }
}

/// The last good value, and nothing of when it came.
private final class Last<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    /// The bank's answer; without one the last.
    func orNew(_ read: () async throws(ClientFailure) -> Value) async throws(ClientFailure) -> Value {
        do throws(ClientFailure) {
            let new = try await read()
            value.withLock { $0 = new }
            return new
        } catch {
            guard let old = value.withLock({ $0 }) else { throw error }
            return old
        }
    }

    /// The last; only without one the bank's answer.
    func orAsk(_ read: () async throws(ClientFailure) -> Value) async throws(ClientFailure) -> Value {
        if let old = value.withLock({ $0 }) { return old }
        return try await orNew(read)
    }
}

/// Every row that was ever listed, and when the last list came.
private final class Stored: Sendable {
    private let rows = Locked<[Transaction]>([])

    /// The bank's answer; without one all rows, marked as old.
    func orAll(_ read: () async throws(ClientFailure) -> Listing<Transaction>) async throws(ClientFailure) -> Listing<Transaction> {
        do throws(ClientFailure) {
            let new = try await read()
            let ids = Set(new.rows.map(\.id))
            rows.withLock { rows in rows = new.rows + rows.filter { !ids.contains($0.id) } }
            return new
        } catch {
            let old = rows.withLock { $0 }
            guard [.offline, .timeout, .decode].contains(error.error), !old.isEmpty else { throw error }
            var all = Listing(old)
            all.asOf = Instant(nanoseconds: 0)
            return all
        }
    }
}

private struct OneCacheForAll: DataCache {
    let base: any DataCache

    func entry(_ question: String, of owner: String) -> CachedData? { base.entry(question, of: "") }
    func store(_ data: CachedData, as question: String, of owner: String) { base.store(data, as: question, of: "") }
    func removeAll(butOf owner: String?) throws(StorageError) { try base.removeAll(butOf: owner.map { _ in "" }) }
}

private struct KeepsAtLogout: DataCache {
    let base: any DataCache

    func entry(_ question: String, of owner: String) -> CachedData? { base.entry(question, of: owner) }
    func store(_ data: CachedData, as question: String, of owner: String) { base.store(data, as: question, of: owner) }
    func removeAll(butOf owner: String?) throws(StorageError) { if let owner { try base.removeAll(butOf: owner) } }
}

private final class MemoryCache: DataCache {
    private struct Position: Hashable {
        var question, owner: String
    }

    private let entries = Locked<[Position: CachedData]>([:])

    func entry(_ question: String, of owner: String) -> CachedData? { entries.withLock { $0[Position(question: question, owner: owner)] } }
    func store(_ data: CachedData, as question: String, of owner: String) {
        entries.withLock { $0[Position(question: question, owner: owner)] = data }
    }
    func removeAll(butOf owner: String?) { entries.withLock { entries in entries = entries.filter { $0.key.owner == owner } } }
}

/// As `Cache.db` does: the stored data is beside it, readable.
private struct PlainCopy: DataCache {
    let base: any DataCache
    let folder: String

    func entry(_ question: String, of owner: String) -> CachedData? { base.entry(question, of: owner) }

    func store(_ data: CachedData, as question: String, of owner: String) {
        base.store(data, as: question, of: owner)
        try? Data(data.value.bytes).write(to: URL(filePath: folder).appending(path: "Cache.db"))
    }

    func removeAll(butOf owner: String?) throws(StorageError) { try base.removeAll(butOf: owner) }
}
