import BankCore
package import BankModel
package import Contracts
package import DriverProtocol
import Faults
package import StubServer
import Synchronization

/// The stub server, in this process, as the bank that cases run on: each session has a port of its own.
///
/// This file alone of the harness knows the server.
package struct StubServerBank: TestBank {
    private let server: StubServer
    package let banks: [BankFacts]

    /// - Parameter expected: per bank and customer the normalised views of each operation.
    package init(_ server: StubServer, expected: [String: [String: [DriverOperation: JSON]]]) {
        self.server = server
        banks = server.servedBanks.map { BankFacts($0, expected: expected[$0.name] ?? [:]) }
    }

    package func openSession(bank: String, name: String, seed: UInt64) async throws -> any TestSession {
        StubServerSession(session: try await server.openSession(bank: bank, name: name, seed: seed, ownPort: true), registry: server.registry)
    }

    package func shutdown() async { await server.shutdown(grace: .zero) }
}

extension BankFacts {
    /// What the bank's definition says of these.
    init(_ bank: Bank, expected: [String: [DriverOperation: JSON]]) {
        self.init(
            name: bank.name, customers: bank.customers.filter { !$0.locked }.map { Customer(login: $0.login, password: $0.password ?? "") },
            hasTokens: bank.auth != nil, hasLoginCall: bank.hasLoginCall,
            operations: bank.clientOperations.compactMap(DriverOperation.init(rawValue:)),
            roles: Role.allCases.compactMap { role in
                let calls = bank.operations(of: role).map { Call(method: $0.method, path: $0.path.text) }
                return calls.isEmpty ? nil : (role, calls)
            },
            defaults: bank.defaults, expected: expected)
    }
}

extension PathTemplate {
    /// The template as it is written: `/v1/accounts/{id}`.
    fileprivate var text: String {
        parts.map { part in
            switch part {
            case .literal(let text): "/\(text)"
            case .parameter(let name): "/{\(name)}"
            case .parameterWithSuffix(let name, let suffix): "/{\(name)}\(suffix)"
            }
        }.joined()
    }
}

/// A session of the stub server.
private struct StubServerSession: TestSession {
    let session: BankSession
    let registry: SessionRegistry

    var baseURL: String { session.baseURL }
    var seed: UInt64 { session.seed }

    func issueToken(login: String) throws -> (id: String, text: String) {
        let token = try session.issueTokens(login: login).access
        return (token.id, token.text)
    }

    func tokens(_ action: StepAction.TokenAction) throws {
        switch action {
        case .expire: try session.expireTokens()
        case .revoke: try session.revokeTokens()
        case .downscope: try session.downscopeTokens()
        }
    }

    func set(_ rule: Rule) throws -> String { try session.set(rule) }

    func release() { session.release() }

    func firedCounts() -> [String: Int] {
        Dictionary(session.rules.map { ($0.id, $0.fired) }, uniquingKeysWith: { $1 })
    }

    func journal() -> (entries: [JournalEntry], dropped: Int) { session.journal() }

    func movements() -> [Movement] { session.ledger.movements }

    func tokenTexts() -> [String: String] {
        Dictionary(session.tokens.map { ($0.id, $0.text) }, uniquingKeysWith: { $1 })
    }

    func journalChanged(since seq: Int, within limit: Duration) async {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watcher = session.watchJournal { change.yield() }
        defer { session.stopWatching(watcher) }
        if !session.journal(since: seq).entries.isEmpty { return }
        let timer = Task {
            try? await Task.sleep(for: limit)
            change.finish()
        }
        defer { timer.cancel() }
        for await _ in changes { return }
    }

    func advance(by duration: Duration) throws {
        try session.withClock { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
    }

    func closeIdleConnections() {
        _ = session.closeIdleConnections()
    }

    func close() async { try? registry.remove(session.id) }
}
