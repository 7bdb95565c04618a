package import BankCore
import BankEngine
package import BankFiles
import BankModel
package import Contracts
import DriverProtocol
package import Faults
import Foundation
package import StubServer

/// The stub server, in this process, as the bank that cases run on: each session has its own port.
///
/// This file alone of the harness knows the server.
package struct StubServerBank: TestBank {
    private let server: StubServer
    private let loaded: [String: LoadedBank]
    package let banks: [BankFacts]
    package let caFile: String?
    package let pins: [String]
    private let plans: [String: Plan]

    /// - Parameters:
    ///   - loaded: the banks that the server serves, with what a conforming client shows of them.
    ///   - caFile: the authority's certificate, if the server speaks TLS.
    ///   - pins: the keys of its certificates.
    ///   - plans: those that cases name.
    package init(
        _ server: StubServer, _ loaded: [LoadedBank], caFile: String? = nil, pins: [String] = [], plans: [String: Plan] = [:]
    ) {
        self.server = server
        self.caFile = caFile
        self.pins = pins
        self.plans = plans
        self.loaded = Dictionary(loaded.map { ($0.bank.name, $0) }, uniquingKeysWith: { $1 })
        banks = loaded.map { BankFacts($0.bank) }
    }

    package func openSession(_ parameters: SessionParameters) async throws -> any TestSession {
        let wire = parameters.wireProtocol
        let session = try await server.openSession(
            bank: parameters.bank, name: parameters.name, seed: parameters.seed,
            beginning: parameters.clock.map { VirtualClock.Beginning(now: $0.now, mode: $0.isFrozen ? .frozen : .running) },
            metadata: SessionMetadata(challenges: parameters.challenges.flatMap { ChallengePolicy.Setting(rawValue: $0.rawValue) }),
            listener: wire == .h1 ? .clear(protocols: [.h1]) : .tls(protocols: [wire], acceptsClearText: true))
        let opened = StubServerSession(
            session: session, registry: server.registry, plans: plans, loaded: loaded[parameters.bank])
        if parameters.isRefusing, let rule = Rule(Node(["fault": ["refuse": [:]]]), Complaints()) {
            do { _ = try session.set(rule) } catch {
                await opened.close()
                throw error
            }
            // Until the port is closed a client would get a connection.
            await session.waitForPorts()
        }
        return opened
    }

    package func shutdown() async { await server.shutdown(grace: .zero) }
}

extension BankFacts {
    /// The facts that the bank's definition declares.
    package init(_ bank: Bank) {
        self.init(
            name: bank.name, customers: bank.customers.filter { !$0.locked }.map { Customer(login: $0.login, password: $0.password ?? "") },
            hasTokens: bank.auth != nil, hasLoginCall: bank.hasLoginCall,
            key: bank.dialect.idempotency.map { Key(isUUID: $0.isUUID, longest: $0.longest) } ?? Key(),
            operations: bank.clientOperations.compactMap(DriverOperation.init(rawValue:)),
            roles: Role.allCases.compactMap { role in
                let calls = bank.operations(of: role).map { (method: $0.method, path: "\($0.path)") }
                return calls.isEmpty ? nil : (role, calls)
            }, invented: Set(bank.dialect.responses.filter(\.value.invented).keys))
        decisionCalls = bank.decisionCalls
        publicClients = Set(bank.signIn?.clients.filter { $0.authentication == .none }.map(\.id) ?? [])
        consentIsCredential = bank.consents.values.contains(where: \.isCredential)
        authorisesPayments = bank.operations(of: .pay).contains { operation in
            operation.uses != nil || operation.insert.map { bank.consents[$0.table] != nil } ?? false
        }
        locked = Set(bank.customers.filter(\.locked).map(\.login))
        if !bank.operations.contains(where: { $0.businessFailure != nil }) { unmet.insert(.businessFailure) }
        impossible = Set(BankEvent.Kind.allCases.filter { !bank.canHave($0) })
        if !bank.operations.contains(where: { $0.stream != nil }) { unmet.insert(.stream) }
        if !bank.operations.contains(where: \.givesIDToken) { unmet.insert(.idToken) }
        if bank.signInPage == nil { unmet.insert(.signInPage) }
        if !bank.operations.contains(where: \.isPaged) { unmet.formUnion([.page, .cursor]) }
        indistinct = Set(
            DialectResponseName.allCases.filter { name in name.contrary.contains { bank.dialect.sendsTheSame(for: name, and: $0) } })
        // Any 401 may mean another sign-in (RFC 9110 §15.5.2): a client may sign out, and report that.
        let unauthorized = [DialectResponseName.scopeRefused, .consentExpired].filter { bank.dialect.responses[$0]?.status == 401 }
        indistinct.formUnion(unauthorized)
        unfilled = customers.flatMap { customer in
            [DriverOperation.pay, .roundUp].flatMap { operation in
                bank.unfilledDefaults(of: operation.rawValue, for: customer.login).map { argument in
                    (login: customer.login, operation: operation, argument: argument)
                }
            }
        }
        let signing: Set<Role> = [.login, .refresh, .logout]
        isOpen =
            bank.auth != nil
            && roles.map(\.role).filter { !signing.contains($0) }.allSatisfy { role in
                bank.operations(of: role).contains { $0.access == .open }
            }
    }
}

extension Bank {
    /// The names of the operations of no role that show a challenge or a consent.
    fileprivate var decisionCalls: Set<String> {
        let polls = operations.filter { operation in
            guard operation.roles.isEmpty, operation.method == "GET" else { return false }
            if operation.challenge != nil { return true }
            guard case .json(let template) = operation.response else { return false }
            return template.tablesRead.contains { consents[$0] != nil }
        }
        return Set(polls.map(\.name))
    }

    /// Whether that event can happen there: it defines how its lists show new money, or payments of clients are pending for a time.
    fileprivate func canHave(_ event: BankEvent.Kind) -> Bool {
        let moves = operations(of: .pay).compactMap(\.move)
        return switch event.effect {
        case .moves: events != nil
        case _ where event.isOfCards: events != nil
        case .closes: tables.values.contains { $0.closed != nil }
        case .grows: events != nil
        case .authorises: moves.contains { !$0.authorisation.isEmpty }
        case .ends(let state): moves.contains { !$0.settles.isEmpty || state.isReversed && !$0.authorisation.isEmpty }
        case .revokes: !consents.isEmpty
        case .returns: moves.contains { $0.lists.allSatisfy { $0.stages.returned != nil } }
        }
    }
}

private struct StubServerSession: TestSession {
    let session: BankSession
    let registry: SessionRegistry
    let plans: [String: Plan]
    let loaded: LoadedBank?

    var baseURL: String { session.baseURL }
    var seed: UInt64 { session.seed }
    var now: Instant { session.now }

    func machineClockWasSet() -> Duration { session.clock.wasSet() }

    func expectedViews(customer: String, timeZone: String) -> [DriverOperation: JSON] {
        let zone = TimeZone(identifier: timeZone) ?? .gmt
        let secondsEast = { (instant: Instant) in
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds)))
        }
        let views = DriverOperation.allCases.compactMap { operation in
            loaded?.expected?.view(customer: customer, operation: operation.rawValue, start: session.start, secondsEast: secondsEast).map {
                (operation, $0)
            }
        }
        return Dictionary(views, uniquingKeysWith: { $1 })
    }

    func defaults(of operation: DriverOperation, customer: String?) -> JSONObject {
        let written = loaded?.bank.defaults(of: operation.rawValue, for: customer) ?? JSONObject()
        return JSONObject(
            written.members.map { name, value in
                let instant = value.string.flatMap(RelativeDate.init).map { $0.instant(start: session.start) }
                return (name, instant.map { .string($0.rfc3339(.milliseconds)) } ?? value)
            })
    }

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

    func happen(_ event: BankEvent) throws { _ = try session.happen(event) }

    func webhook(_ action: StepAction.WebhookAction, url: String?) throws -> String? {
        switch action {
        case .register(let types):
            let kinds = Set(types.compactMap(WebhookEvent.Kind.init))
            guard kinds.count == types.count else { throw StepError("found a type of events that the bank does not send") }
            return try session.register(WebhookPolicy.Receiver(url: url ?? "", types: kinds.isEmpty ? nil : kinds)).secret
        case .rotate: return try session.rotateSecret(of: webhookID).secret
        case .fault(let fault):
            guard let fault = DeliveryFault(rawValue: fault.rawValue) else { throw StepError("found a fault that deliveries do not have") }
            _ = try session.add(fault, times: 1, to: webhookID)
            return nil
        }
    }

    private var webhookID: String { session.webhooks.webhooks.last?.id ?? "" }

    var isDelivering: Bool { session.isDelivering }

    func deliveries() -> [WebhookAttempt] { session.webhookAttempts }

    func decideChallenge(approves: Bool) throws { _ = try session.decide(approves: approves) }

    var authorisedConsent: String? { session.consents.last { $0.state == .authorised }?.id.key }

    func set(_ rule: Rule) throws -> String { try session.set(rule) }

    func waitForPorts() async { await session.waitForPorts() }

    func remove(rule id: String) { _ = session.removeRule(id) }

    func start(outage name: String) throws -> (rules: [(id: String, rule: Rule)], seed: UInt64) {
        guard let plan = plans[name] else { throw StepError("the plan \(name) was not read") }
        let outage = try session.start(plan, replaces: true)
        return (outage.rules.map { ($0.id, $0.rule) }, outage.seed ?? session.seed)
    }

    func endOutage() { _ = session.endOutage() }

    func release() { session.release() }

    func appliedCounts() -> [String: Int] {
        let rules = session.rules + (session.outage?.outage.rules ?? [])
        return Dictionary(rules.map { ($0.id, $0.applied) }, uniquingKeysWith: { $1 })
    }

    func journal() -> (entries: [JournalEntry], dropped: Int) { session.journal() }

    func movements() -> [Movement] { session.ledger.movements.filter { $0.event == nil } }

    func tokenTexts() -> [String: String] {
        // By the standard, the id of a consent is part of addresses, even where it is the credential: it is not a secret.
        let consents = Set(session.consents.map(\.id.key))
        let secrets = session.tokens.filter { token in token.text.map { !consents.contains($0) } ?? false }
        return Dictionary(secrets.compactMap { token in token.text.map { (token.id, $0) } }, uniquingKeysWith: { $1 })
    }

    func idTokenBeginnings() -> [String: String] {
        Dictionary(session.idTokenHeaders.enumerated().map { ("id_token#\($0 + 1)", $1) }, uniquingKeysWith: { $1 })
    }

    func tokenOwners() -> [String: String] {
        // An app's own token (RFC 6749 §4.4) belongs to no customer: the app may send it for each of them.
        let apps = Set(loaded?.bank.signIn?.clients.map(\.id) ?? [])
        let ofCustomers = session.tokens.filter { !apps.contains($0.customer) }
        return Dictionary(ofCustomers.map { ($0.id, $0.customer) }, uniquingKeysWith: { $1 })
    }

    func sensitiveTexts() -> [String: String] {
        ServedTexts(session.journal().entries, fields: loaded?.bank.sensitive ?? []).texts
    }

    func waitForExchanges(within limit: Duration) async { await session.waitForExchanges(within: limit) }

    func journalChanged(since seq: Int, within limit: Duration) async {
        let revision = session.journalRevision
        await session.watchJournal(within: limit) {
            session.journalRevision != revision || !session.journal(since: seq).entries.isEmpty
        }
    }

    func advance(by duration: Duration) throws {
        try session.withClock { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
    }

    func endConnectionsAfterResponses() { session.endConnectionsAfterResponses() }

    func closeIdleConnections(within limit: Duration) async { await session.closeIdleConnections(within: limit) }

    func close() async { try? registry.remove(session.id) }
}

/// Why the bank cannot do what a step asks for.
private struct StepError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
