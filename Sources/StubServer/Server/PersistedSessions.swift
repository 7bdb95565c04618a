import BankCore
import BankEngine
import BankModel

/// A server's sessions in its state file: restores those of earlier runs, and persists all from then on.
struct PersistedSessions: Sendable {
    let store: any DurableLog

    init(_ open: () throws(StoreError) -> any DurableLog) throws(ServerError) {
        do throws(StoreError) { store = try open() } catch { throw .state("\(error)") }
    }

    /// Restores the stored sessions, and begins to persist the default sessions that are new.
    ///
    /// - Returns: the restored sessions besides the default ones, and the ids of those whose bank is not served now, which stay in
    ///   the file.
    /// - Throws: ``ServerError`` with the locations if a row is damaged or a session's books do not agree.
    func restore(
        into registry: SessionRegistry, _ banks: [String: PreparedBank]
    ) async throws(ServerError) -> (
        back: [BankSession], left: [String]
    ) {
        var back: [BankSession] = []
        var left: [String] = []
        var known: Set<String> = []
        do {
            try store.load { stored in
                // A default session has its bank's name, on every node.
                if let node = registry.node, !stored.id.hasPrefix(node.prefix), stored.id != stored.bank {
                    throw rejection(stored, of: node)
                }
                guard let bank = banks[stored.bank] else {
                    guard stored.faults.isEmpty else { throw rejection(stored, stored.faults) }
                    return left.append(stored.id)
                }
                let session = registry.session(stored.id) ?? registry.adopt(stored.id, bank)
                guard session.bankName == stored.bank else { return left.append(stored.id) }
                let faults = session.resume(stored)
                guard faults.isEmpty else { throw rejection(stored, faults) }
                session.keep(in: store, stored: stored)
                known.insert(stored.id)
                if !registry.defaultSessions.contains(where: { $0 === session }) { back.append(session) }
            }
        } catch let error as ServerError {
            throw error
        } catch {
            throw .state("\(error)")
        }
        store.onFailure { [weak registry] lost in registry?.session(lost.session)?.lose(lost) }
        for session in registry.defaultSessions where !known.contains(session.id) {
            do throws(StoreError) { try await session.keep(in: store)?.wait() } catch { throw .state("\(error)") }
        }
        return (back, left)
    }

    /// The error for a session that was made by another node, or without one: no proxy would find it here.
    private func rejection(_ stored: StoredSession, of node: ServerNode) -> ServerError {
        let maker =
            ServerNode(ofSession: stored.id).map { "which belongs to the node \($0)" } ?? "which has no node prefix"
        return .state(
            "found the session \(stored.id) in \(store.path), \(maker), expected only sessions of the node \(node): give each node a separate file"
        )
    }

    private func rejection(_ stored: StoredSession, _ faults: [String]) -> ServerError {
        let shown = faults.prefix(PersistedSessions.shownFaults).joined(separator: "; ")
        let rest = faults.count > PersistedSessions.shownFaults ? "; and \(faults.count - PersistedSessions.shownFaults) more" : ""
        return .state(
            "the session \(stored.id) in \(store.path) cannot be read with the bank \(stored.bank) as it is now: \(shown)\(rest). Restore a complete copy or the previous files of the bank, or choose another file; counterfoil state check shows all errors"
        )
    }

    private static let shownFaults = 5
}
