import BankClient
import BankModel
import Platform

/// Mistakes in what follows from a refresh that was rejected, lost or needed in the middle of a list.
extension Mutant {
    static var refreshEnds: [Mutant] {
        [
            Mutant(
                "waiting-requests-refresh-again", "refreshes again for each request that waited for a rejected refresh",
                killedBy: ["auth.refused-refresh-ends-all-waiting"]
            ) { parts, _ in
                parts.caller.keeper = WaitingRefreshAgain(parts)
            },
            Mutant(
                "page-without-cursor-after-refresh", "repeats a page without its cursor after a refresh",
                killedBy: ["auth.refresh-in-the-middle-of-pages"]
            ) { parts, _ in
                let last = Locked<(url: String, token: String)>(("", ""))
                parts.around { request, base throws(TransportFailure) in
                    guard let token = request.headers["Authorization"] else { return try await base.send(request) }
                    let before = last.withLock { last in
                        defer { last = (request.url, token) }
                        return last
                    }
                    guard request.url.contains("cursor="), before.url == request.url, before.token != token else {
                        return try await base.send(request)
                    }
                    var request = request
                    request.url = String(request.url.prefix { $0 != "?" })
                    return try await base.send(request)
                }
            },
            Mutant(
                "refusal-after-lost-refresh-is-offline", "reports a rejected refresh as a lost connection, once one refresh was lost",
                killedBy: ["auth.refresh-timeout-may-have-rotated"]
            ) { parts, _ in
                let wasLost = Locked(false)
                parts.refreshes { caller, refresh, base throws(ClientFailure) in
                    do throws(ClientFailure) { return try await base.refresh(caller, refresh) } catch {
                        if [.offline, .timeout].contains(error.error) { wasLost.withLock { $0 = true } }
                        guard wasLost.withLock({ $0 }) else { throw error }
                        throw ClientFailure(.offline, error.detail, mayHaveLeft: true)
                    }
                }
            },
            Mutant(
                "failed-refresh-signs-out", "treats every failed refresh as rejected, even one without a connection",
                killedBy: ["auth.refresh-while-offline-keeps-token"]
            ) { parts, _ in
                parts.refreshes { caller, refresh, base throws(ClientFailure) in
                    do throws(ClientFailure) { return try await base.refresh(caller, refresh) } catch {
                        throw ClientFailure(.unauthorized, error.detail, mayHaveLeft: true)
                    }
                }
            },
            Mutant(
                "payment-renewed-after-an-hour", "sends an open payment of more than an hour ago as a new one",
                killedBy: ["pay.resumed-hours-later-same-key"]
            ) { parts, _ in
                parts.outbox = RenewsOld(base: parts.outbox, clock: parts.caller.clock, makeKey: parts.makeKey)
            },
        ]
    }
}

/// Refreshes once more, with nothing to refresh with, where a request waited for the rejection that another caused.
private final class WaitingRefreshAgain: ForwardingKeeper {
    let base: any TokenKeeping
    private let bank: (any SigningInBank)?
    private let caller: BankCaller
    private let waiting = Locked(0)

    init(_ parts: ClientParts) {
        base = parts.caller.keeper
        bank = parts.signing
        caller = parts.caller
    }

    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        let isFirst = waiting.withLock { waiting in
            waiting += 1
            return waiting == 1
        }
        defer { waiting.withLock { $0 -= 1 } }
        let new = try await base.replacement(for: rejected)
        if new == nil, !isFirst { _ = try? await bank?.refresh(caller, "") }
        return new
    }
}

/// Gives an open payment that is old another key.
private struct RenewsOld: Outbox {
    let base: any Outbox
    let clock: any ClientClock
    let makeKey: @Sendable () -> String

    func entry(_ intent: String, of owner: String) async throws(StorageError) -> OutboxEntry? {
        guard var entry = try await base.entry(intent, of: owner), entry.state == .open, let sent = entry.sentAt,
            clock.now() - sent > .seconds(3600)
        else { return try await base.entry(intent, of: owner) }
        (entry.key, entry.sentAt) = (makeKey(), nil)
        return entry
    }

    func owners(of intent: String) async throws(StorageError) -> Set<String> { try await base.owners(of: intent) }
    func put(_ entry: OutboxEntry) async throws(StorageError) { try await base.put(entry) }
    func claim(_ entry: OutboxEntry, replacing key: String?) async throws(StorageError) -> OutboxEntry {
        try await base.claim(entry, replacing: key)
    }
}
