package import BankModel
import DriverProtocol

/// How a step must end: `{step: 4, error: unauthorized}`, `{step: 2, view: expected, demand: [atm]}`,
/// `{step: 4, any: [{outcome: ok}, {error: outcome_unknown}]}`, `{step: 4, error: rejected, detail: "*Mill Lane*"}`.
package struct StepPredicate: Predicate {
    package static let name = "step"

    let step: Int
    let operation: DriverOperation
    let allowed: [Ending]

    /// One way in which a step may end; all that is given must hold.
    struct Ending: Sendable {
        var ok: Bool?
        var error: ClientError?
        /// A glob over what the client says beside the error.
        var detail: String?
        var view: View?
        var demand: Set<String> = []
    }

    /// What the view must be.
    enum View: Sendable {
        /// The bank's own expected view of the operation, for the customer who signs in.
        case expected
        case like(JSON)
    }

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        let number = fields.required("step").flatMap { outline.number($0, operationOnly: true, complaints) }
        if let any = fields["any"] {
            allowed = (any.elements(complaints) ?? []).compactMap { node in
                let inner = Fields(node, of: "an ending of a step", complaints)
                let ending = Ending(inner, complaints)
                inner.finish()
                return ending
            }
        } else {
            allowed = Ending(fields, complaints).map { [$0] } ?? []
        }
        guard let number, let operation = outline.operations.first(where: { $0.n == number })?.operation, !allowed.isEmpty else {
            return nil
        }
        (step, self.operation) = (number, operation)
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let expected = "step \(step) (\(operation.rawValue)) ends with " + allowed.map(\.text).joined(separator: ", or ")
        guard let outcome = scene.outcome(of: step) else { return [Unmet(expected: expected, seen: "it was never begun")] }
        if scene.evidence.expected[operation] == nil, allowed.contains(where: { if case .expected = $0.view { true } else { false } }) {
            let bank = scene.instance.bank.name
            return [
                Unmet(.inconclusive, expected: expected, seen: "the bank \(bank) says nowhere what the view of \(operation.rawValue) is")
            ]
        }
        let differences = allowed.map { $0.differences(from: outcome, of: operation, scene) }
        guard !differences.contains([]) else { return [] }
        let inViews = differences.filter { $0 != [Ending.otherwise] }.flatMap(\.self)
        let seen = inViews.isEmpty ? "\(outcome)" : inViews.prefix(8).joined(separator: "; ")
        return [Unmet(expected: expected, seen: seen)]
    }
}

extension StepPredicate.Ending {
    /// Reads `outcome`, `error`, `detail`, `view`, `demand`.
    init?(_ fields: Fields, _ complaints: Complaints) {
        let place = fields.node.place
        error = fields["error"].flatMap { $0.choice(of: ClientError.self, complaints) }
        detail = fields["detail"]?.text(complaints)
        ok = fields["outcome"].flatMap { $0.choice(of: Outcome.self, complaints) }.map { $0 == .ok }
        view = fields["view"].map { $0.scalar == "expected" ? .expected : .like($0.json) }
        if let texts = fields["demand"]?.texts(complaints) { demand = Set(texts) }
        guard ok != nil || error != nil || view != nil else {
            complaints.add("the expectation says nothing of the step: give `outcome`, `error`, `view` or `any`", at: place)
            return nil
        }
        if detail != nil, error == nil {
            complaints.add("`detail` stands beside an `error` only", at: place)
            return nil
        }
        if error != nil || ok == false, view != nil || ok == true {
            complaints.add("a step cannot end both well and with an error", at: place)
            return nil
        }
    }

    private enum Outcome: String, CaseIterable {
        case ok, error
    }

    /// What is told when the step did not even end in this way.
    static let otherwise = "it ended otherwise"

    var text: String {
        if let error { return "error \(error.rawValue)" + (detail.map { " and a detail like `\($0)`" } ?? "") }
        switch view {
        case .expected:
            return "ok and the bank's expected view" + (demand.isEmpty ? "" : " with \(demand.sorted().joined(separator: ", "))")
        case .like(let json): return "ok and a view like \(json.text)"
        case nil: return ok == true ? "ok" : "an error"
        }
    }

    func differences(from outcome: StepOutcome, of operation: DriverOperation, _ scene: Scene) -> [String] {
        switch outcome {
        case .ok(let shown):
            guard error == nil, ok != false else { return [Self.otherwise] }
            switch view {
            case .like(let json): return ViewComparison(optional: [], demand: []).differences(expected: json, seen: shown)
            case .expected:
                let comparison = ViewComparison(optional: ViewComparison.optional(in: operation), demand: demand)
                guard let expected = scene.evidence.expected[operation] else { return [Self.otherwise] }
                return comparison.differences(expected: expected, seen: shown)
            case nil: return []
            }
        case .error(let name, let told):
            if let error {
                let isTold = detail.map { globMatches($0, told ?? "") } ?? true
                return error.rawValue == name && isTold ? [] : [Self.otherwise]
            }
            return ok == false ? [] : [Self.otherwise]
        default: return [Self.otherwise]
        }
    }
}
