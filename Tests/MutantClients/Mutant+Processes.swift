import BankClient
import BankModel
import DriverProtocol
import Platform

/// Mistakes of a client of which two processes work on one folder.
extension Mutant {
    static var processes: [Mutant] {
        [
            Mutant(
                "refreshes-beside-others", "refreshes the token while another process does", killedBy: ["store.two-processes-one-refresh"]
            ) { parts, _ in
                var store = AlteredStore(parts.store)
                store.processLock = nil
                parts.useStore(store)
            },
            Mutant(
                "reads-token-once", "reads the token when it starts, and never sees that another process has changed it",
                killedBy: ["store.two-processes-new-token-seen", "store.two-processes-signed-out-in-both"]
            ) { parts, _ in
                parts.useStore(ReadsOnce(base: parts.store))
            },
            Mutant(
                "outbox-for-each-process", "stores payments for each process by itself", killedBy: ["store.two-processes-one-payment"]
            ) { parts, start in
                parts.outbox = SQLiteOutbox.opened("\(start.stateDirectory)/outbox-\(start.process).sqlite")
            },
            Mutant(
                "writes-outbox-whole", "reads all payments when it starts, and writes all of them back with each change",
                killedBy: ["store.two-processes-keep-both-payments"]
            ) { parts, start in
                parts.outbox = WholeFileOutbox(path: start.stateDirectory + "/outbox.json")
            },
        ]
    }
}

/// Knows the token that it has read first, until it changes it itself.
private final class ReadsOnce: TokenStore {
    private let base: any TokenStore
    private let known = Locked<Token?>(nil)

    init(base: any TokenStore) { self.base = base }

    func load() throws(StorageError) -> Token? {
        if let token = known.withLock({ $0 }) { return token }
        let token = try base.load()
        known.withLock { $0 = token }
        return token
    }

    func save(_ token: Token) throws(StorageError) {
        try base.save(token)
        known.withLock { $0 = token }
    }

    func clear() throws(StorageError) {
        try base.clear()
        known.withLock { $0 = nil }
    }
}
