package import BankModel
import DriverProtocol
import Faults

extension ContractCase {
    /// The case on a bank, one instance for each combination of the matrix; none if the bank lacks something that it needs.
    package func instances(on bank: BankFacts, _ complaints: Complaints) -> [Instance] {
        guard isMeant(for: bank) else { return [] }
        return matrix.combinations.compactMap { combination in
            var instance = instance(on: bank, combination, complaints)
            // A client without a sign-in runs the case as on a bank without tokens, if the bank lets it read.
            if let open = bank.withoutSignIn, let unsigned = self.instance(on: open, combination, Complaints()) {
                instance?.otherwise.append(unsigned)
            }
            return instance
        }
    }

    /// Whether it names no banks, or this one.
    func isMeant(for bank: BankFacts) -> Bool { banks?.contains { $0.name == bank.name } ?? true }

    package func applies(to bank: BankFacts) -> Bool {
        let move = [.pay, .roundUp].first(where: bank.operations.contains)
        return isMeant(for: bank)
            && matrix.combinations.contains { combination in
                operations(values(combination, move, bank), move, bank, Complaints()) != nil
                    && instance(on: bank, combination, Complaints()) != nil
            }
    }

    /// Complains of all that is wrong in any combination, whatever the bank.
    func check(_ complaints: Complaints) {
        let anyBank = BankFacts(name: "any", operations: DriverOperation.allCases)
        var seen: Set<Complaint> = []
        for combination in matrix.combinations {
            let found = Complaints()
            instance(on: anyBank, combination, found)?.warnOfColdRules(found)
            for complaint in found.all where seen.insert(complaint).inserted { complaints.add(complaint) }
        }
    }

    /// The case in one combination; where it moves money, and the bank lets a client do so by a payment and by a round-up,
    /// the instance for clients that only round up stands beside it.
    private func instance(on bank: BankFacts, _ combination: [Parameter], _ complaints: Complaints) -> Instance? {
        let moves = [.pay, .roundUp].filter(bank.operations.contains)
        guard needs.contains(where: { $0.scalar == "move" }), let move = moves.first else {
            return instance(on: bank, combination, move: nil, complaints)
        }
        var instance = instance(on: bank, combination, move: move, complaints)
        if moves.count > 1 { instance?.otherwise = self.instance(on: bank, combination, move: .roundUp, Complaints()).map { [$0] } ?? [] }
        return instance
    }

    private func instance(on bank: BankFacts, _ combination: [Parameter], move: DriverOperation?, _ complaints: Complaints) -> Instance? {
        let values = values(combination, move, bank)
        guard let needs = operations(values, move, bank, complaints) else { return nil }
        var reader = StepReader(read: bank.read, move: move, complaints)
        let steps = reader.steps(self.steps.substituting(values))
        let given = Given(given?.substituting(values), values, at: expect.position, complaints)
        let outline = StepOutline(
            steps: steps, bank: bank.roles.isEmpty ? nil : (bank.name, Set(bank.roles.map(\.role))), isSecure: given.wireProtocol != .h1,
            hasOutage: given.plan != nil)
        for step in outline.all {
            guard case .fault(let rule) = step.action else { continue }
            outline.demand(rule.on.role, so: "the fault can never apply", at: step.position, complaints)
        }
        checkNeeds(outline, needs, complaints)
        RawAmount.check(outline, given, complaints)
        let expectations = (expect.substituting(values).elements(complaints) ?? []).compactMap {
            PredicateKinds.read($0, outline, complaints)
        }
        let extra =
            (outline.hasTogether ? [DriverFeature.together] : []) + (outline.hasCancel ? [.cancel] : [])
            + (outline.hasSecondProcess ? [.processes] : [])
            + (given.wireProtocol == .h2 ? [.h2] : []) + (given.clock == nil && !outline.movesDevice ? [] : [.clock])
        guard bank.canDecide(given, outline.all) else { return nil }
        return Instance(
            caseID: id, why: why, level: rests(onInvented: steps, bank) ? .should : level, bank: bank, parameters: combination,
            needs: needs + (signsIn(outline, needs) && bank.hasTokens && !needs.contains(.login) ? [.login] : []),
            features: features + extra.filter { !features.contains($0) }, given: given, steps: steps, expectations: expectations,
            bugs: bugs, exempt: exempt)
    }

    /// Whether the client must be able to sign in because a step does so. A receiver of webhooks need not; its case skips the step.
    private func signsIn(_ outline: StepOutline, _ needs: [DriverOperation]) -> Bool { outline.has(.login) && !needs.contains(.events) }

    /// The value of each `$name` in one combination; without the operation that moves money, `$move` stays as it is.
    func values(_ combination: [Parameter], _ move: DriverOperation?, _ bank: BankFacts) -> [String: Node.Content] {
        var values = Dictionary(
            combination.map { ($0.key, contents[$0.key]?[$0.value].map { .scalar($0, quoted: true) } ?? matrix.scalar($0)) },
            uniquingKeysWith: { $1 })
        values["read"] = bank.read.map { .scalar($0.rawValue, quoted: false) }
        values["move"] = move.map { .scalar($0.rawValue, quoted: false) }
        let customer = Given(given?.substituting(values), values, at: expect.position, Complaints()).customer
        values["other"] = bank.customer(otherThan: customer).map { .scalar($0.login, quoted: true) }
        return values
    }

    /// The operations that `needs` names on this bank; nil if the bank lacks one of them.
    private func operations(
        _ values: [String: Node.Content], _ move: DriverOperation?, _ bank: BankFacts, _ complaints: Complaints
    ) -> [DriverOperation]? {
        var result: [DriverOperation] = []
        for node in needs.map({ $0.substituting(values) }) {
            if node.scalar == "read" || node.scalar == "move" {
                guard let operation = node.scalar == "read" ? bank.read : move else { return nil }
                result.append(operation)
            } else {
                guard let operation = node.choice(of: DriverOperation.self, complaints) else { continue }
                guard bank.operations.contains(operation) else { return nil }
                result.append(operation)
            }
        }
        return result
    }

    /// Whether a fault of the case answers in words that were made up for the stub, and that alone define what the answer means.
    ///
    /// No client can have learnt them from the bank, so the case is then no `must` there.
    private func rests(onInvented steps: [NumberedStep], _ bank: BankFacts) -> Bool {
        steps.contains { step in
            guard case .fault(let rule) = step.action, let name = (rule.setting.fault as? DialectFault)?.name else { return false }
            return bank.invented.contains(name) && ContractCase.distinguishedByWords.contains(name)
        }
    }

    /// The rejections whose status alone is ambiguous.
    private static let distinguishedByWords: Set<DialectResponseName> = [
        .scopeRefused, .stepUp, .consentExpired, .tokenRejected, .tokenExpired, .keyMismatch, .keyInFlight, .cursorExpired,
    ]

    private func checkNeeds(_ outline: StepOutline, _ needs: [DriverOperation], _ complaints: Complaints) {
        for step in outline.asked where ![.login, .status].contains(step.operation) && !needs.contains(step.operation) {
            complaints.add("the step `\(step.operation.rawValue)` is not among the case's `needs`", at: step.position)
        }
    }
}
