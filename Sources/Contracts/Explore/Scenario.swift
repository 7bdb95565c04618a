package import BankModel
package import DriverProtocol

/// A scenario of `counterfoil explore`: one case on one bank. What must then be so follows from its steps (``ScenarioExpectations``).
package struct Scenario: Sendable {
    /// The name of the case after the suite's, such as `never-dies-3f2a`.
    package var name: String
    package var bank: String
    package var given: JSONObject
    package var steps: [JSON]
    /// The requirement in a sentence, for the contract.
    package var why: String

    package static let suite = "explored"

    package init(name: String, bank: String, given: JSONObject = JSONObject(), steps: [JSON], why: String = Scenario.usualWhy) {
        self.name = name
        self.bank = bank
        self.given = given
        self.steps = steps
        self.why = why
    }

    package static let usualWhy = "A random scenario: the invariants hold, and displayed data matches the bank's."

    package var id: String { "\(Scenario.suite).\(name)" }

    /// The contract's file name. The part before the first dot is the suite's name, as in every folder of contracts.
    package var fileName: String { "\(id).yaml" }

    /// The instance that is tested; nil if the steps are not a case on this bank. `views` are the operations with expected results.
    package func instance(on facts: BankFacts, views: Set<DriverOperation>) -> Instance? {
        let complaints = Complaints()
        guard let contract = contract(on: facts, views: views),
            let read = ContractCase(Node(contract), suite: Scenario.suite, Corpus(), complaints)
        else { return nil }
        let instance = read.instances(on: facts, complaints).first
        return complaints.errors.isEmpty ? instance : nil
    }

    /// The case as a contract file has it; nil if the steps are invalid.
    package func contract(on facts: BankFacts, views: Set<DriverOperation>) -> JSON? {
        guard let steps = numbered(on: facts), !steps.isEmpty else { return nil }
        let expect = ScenarioExpectations(steps, facts, views).all
        guard !expect.isEmpty else { return nil }
        let asked = steps.flatMap(\.flattened).compactMap(\.action.asked)
        let needs = distinct(asked.map(\.rawValue)).filter { $0 != DriverOperation.login.rawValue || facts.hasTokens }
        var object: JSONObject = JSONObject([
            ("id", .string(id)), ("why", .string(why)), ("needs", .array(needs.map(JSON.string))),
        ])
        if steps.flatMap(\.flattened).contains(where: \.action.needsOwnProcess) {
            object["features"] = .array([.string(DriverFeature.persistence.rawValue)])
        }
        object["banks"] = .array([.string(bank)])
        if !given.members.isEmpty { object["given"] = .object(given) }
        object["steps"] = .array(self.steps)
        object["expect"] = .array(expect)
        return .object(object)
    }

    /// The file of contracts with this one case; nil if the steps are invalid.
    package func file(on facts: BankFacts, views: Set<DriverOperation>) -> JSON? {
        contract(on: facts, views: views).map { contract in
            ["contract": .int(Suite.version), "suite": .string(Scenario.suite), "cases": .array([contract])]
        }
    }

    /// The steps as the runner numbers them; nil if one of them is not a step.
    func numbered(on facts: BankFacts) -> [NumberedStep]? {
        let complaints = Complaints()
        var reader = StepReader(read: facts.read, complaints)
        let numbered = reader.steps(Node(.array(steps)))
        return complaints.errors.isEmpty ? numbered : nil
    }

    /// The number of steps, members of `together` counted one by one.
    package var length: Int { steps.reduce(0) { $0 + ($1["together"]?.array?.count ?? 1) } }

    package var rules: Int { steps.count { $0["fault"] != nil && $0["fault"]?.string != "stop" } }

    /// The steps and preconditions in plain words, a line each.
    package func words(on facts: BankFacts) -> [String] {
        let given = ContractSentences.members(.object(given)).map { "given \($0)" }
        return given
            + (numbered(on: facts) ?? []).flatMap(\.flattened).map { "\(String($0.n).padded(to: 2)) \($0.words)" }
    }
}
