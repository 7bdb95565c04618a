package import BankModel
package import DriverProtocol
import Faults

/// Makes random scenarios for a client on a bank, the same for one seed and number. Many kinds of step have no weight in a scenario (swarm
/// testing, Groce et al. 2012): ten steps of two kinds find what a mixture of all kinds does not.
package struct ScenarioGenerator: Sendable {
    package let bank: BankFacts
    package let views: Set<DriverOperation>
    let operations: Set<DriverOperation>
    let features: Set<DriverFeature>
    /// The faults that rules choose from, by kind.
    let faults: [(kind: String, settings: [JSON])]

    /// Chooses among the settings of faults that a rule can have; `views` are the operations with expected results for every customer.
    package init(_ bank: BankFacts, _ client: DriverHello, faults: [JSON], views: Set<DriverOperation>) {
        self.bank = bank
        self.views = views
        // No scenario visits a page of the bank.
        let unmade: [DriverOperation] = bank.authorisesPayments ? [.pay, .resume] : []
        operations = Set(client.operations.compactMap(DriverOperation.init(rawValue:))).intersection(bank.operations).subtracting(unmade)
        features = Set(client.features.compactMap(DriverFeature.init(rawValue:)))
        var byKind: [String: [JSON]] = [:]
        for fault in distinct(faults.map(\.text)).compactMap({ try? JSON(parsing: $0) }) {
            guard let rule = ScenarioGenerator.rule(["fault": fault]), rule.setting.fault.need.map({ !bank.unmet.contains($0) }) ?? true
            else { continue }
            byKind[rule.kind, default: []].append(fault)
        }
        self.faults = byKind.sorted { $0.key < $1.key }.map { (kind: $0.key, settings: $0.value) }
    }

    /// Whether client and bank have any operation in common.
    package var hasAnything: Bool { !reads.isEmpty || !payments.isEmpty }

    /// The scenario of that number; nil if what was drawn is not a case on the bank.
    package func scenario(seed: UInt64, number: Int) -> Scenario? {
        var draft = ScenarioDraft(self, SeededGenerator(seed: SeededGenerator.hash(seed, "\(bank.name) \(number)")))
        draft.write()
        guard draft.isLongEnough else { return nil }
        let scenario = Scenario(name: "run-\(number)", bank: bank.name, given: draft.given, steps: draft.steps)
        return scenario.instance(on: bank, views: views) == nil ? nil : scenario
    }

    static func rule(_ json: JSON) -> Rule? {
        let complaints = Complaints()
        let rule = Rule(Node(json), complaints)
        return complaints.errors.isEmpty ? rule : nil
    }

    /// The reads of the client on this bank.
    var reads: [DriverOperation] { [.accounts, .balance, .transactions, .atms, .goals].filter(operations.contains) }

    /// The roles of requests that the client sends here.
    var roles: [Role] {
        let asked = reads.compactMap { Role(rawValue: $0.rawValue) } + (payments.isEmpty ? [] : [.pay, .paymentStatus])
        return bank.roles.map(\.role).filter { asked.contains($0) || [.login, .refresh, .logout].contains($0) }
    }

    /// Some customers, without those who have nobody to pay: a client could not do what it is asked for.
    var payers: [String] {
        let logins = bank.customers.map(\.login).filter { login in
            !bank.unfilled.contains { $0.login == login && payments.contains($0.operation) }
        }
        return Array(logins.prefix(3))
    }

    /// The operations that move money.
    var payments: [DriverOperation] { [.pay, .roundUp].filter(operations.contains) }

    /// The settings of every fault in a catalogue, and the example of each kind: what rules are made of.
    package static func faults(of suites: [Suite]) -> [JSON] {
        let examples = FaultKinds.all.compactMap { type -> JSON? in
            (try? JSON(parsing: type.example)).map { .object(JSONObject([(type.kind, $0)])) }
        }
        let used = suites.flatMap(\.cases).flatMap { $0.steps.elements(Complaints()) ?? [] }.compactMap { step -> JSON? in
            guard case .mapping(let members) = step.content else { return nil }
            return members.first { $0.key.scalar == "fault" }?.value.json
        }
        return examples + used.filter { $0.object != nil && !$0.text.contains("$") && $0.text.count <= longest }
    }

    /// Longer settings are bodies that a contract should not repeat.
    private static let longest = 160
}

extension SeededGenerator {
    /// A number from zero up to and without this one.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

    /// True on average once in that many calls.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func element<Value>(of values: [Value]) -> Value? { values.isEmpty ? nil : values[below(values.count)] }
}
