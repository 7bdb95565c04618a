import BankCore
import BankModel
import EventStore

/// A server's sessions in its state file: those of before are there again, and all are kept from now on.
struct KeptSessions: Sendable {
    let store: EventStore

    /// Opens the file.
    ///
    /// - Parameter options: how much it may hold, and when a checkpoint is worth while.
    init(_ path: String, _ options: EventStore.Options) throws(ServerError) {
        do throws(StoreError) { store = try EventStore(path, options: options) } catch { throw .state("\(error)") }
    }

    /// Puts back what is kept, and keeps the standing sessions that are new.
    ///
    /// - Returns: the sessions that came back beside the standing ones, and those whose bank is not served now: they stay in
    ///   the file.
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
                guard let bank = banks[stored.bank] else { return left.append(stored.id) }
                do throws(ImageError) {
                    let session = registry.session(stored.id) ?? registry.adopt(stored.id, bank)
                    guard session.bankName == stored.bank else { return left.append(stored.id) }
                    try session.resume(stored)
                    session.keep(in: store, stored: stored)
                    known.insert(stored.id)
                    if !registry.standing.contains(where: { $0 === session }) { back.append(session) }
                } catch {
                    throw ServerError.state(
                        "the session \(stored.id) in \(store.path) cannot be read with the bank \(stored.bank) as it is now: \(error); mend the bank's files, or choose another file"
                    )
                }
            }
        } catch let error as ServerError {
            throw error
        } catch {
            throw .state("\(store.path) cannot be read: \(error)")
        }
        store.onFailure { [weak registry] session, seq in registry?.session(session)?.lose(from: seq) }
        for session in registry.standing where !known.contains(session.id) {
            do throws(StoreError) { try await session.keep(in: store)?.wait() } catch { throw .state("\(error)") }
        }
        return (back, left)
    }
}
