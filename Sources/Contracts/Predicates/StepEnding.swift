import BankModel
import DriverProtocol

/// One way in which a step may end; everything that is given must match.
struct StepEnding: Sendable {
    private var outcome: Outcome?
    private var error: ClientError?
    /// A glob over the client's message beside the error.
    private var detail: String?
    private var view: View?
    /// Whether the view must be marked as old data; nil: it may.
    private var stale: Bool?
    /// Keys that the view must have though a client may leave them out.
    private var demand: Set<String> = []
    /// Paths of keys that the view must not have.
    private var absent: [String] = []

    private enum View: Sendable {
        /// The bank's own expected view of the operation, for the customer who is signed in.
        case expected
        /// The view that the client showed in the step of that number.
        case asIn(step: Int)
        case like(JSON)
    }

    private enum Outcome: String, CaseIterable {
        case ok, error, silent
    }

    static let fields: [any AnyField] = [Key.outcome, Key.error, Key.detail, Key.view, Key.stale, Key.demand, Key.absent]

    static let schema = ObjectSchema(
        "an ending of a step", "One way in which a step may end. All conditions that are given must hold.", fields: fields)

    private enum Key {
        static let outcome = Field("outcome", .choice(of: Outcome.self), "`ok`, any error, or nothing shown")
        static let error = Field("error", .choice(of: ClientError.self), "the kind of error that the client reports")
        static let detail = Field("detail", .text(), "the client's message beside the error; `*` stands for any text")
        static let view = Field(
            "view",
            .node(
                .anyOf([
                    .words(["expected"]), .text(TextSchema("`as` and a step's label", pattern: "as .+")),
                    .map(keys: "members of the view", .any), .list(.any, atLeast: 0),
                ])), "the bank's expected results, the data that another step displayed, or members that the data must have")
        static let stale = Field("stale", .bool, "whether the displayed data is marked as old; by default either is accepted")
        static let demand = Field("demand", StepEnding.paths, "optional keys that the displayed data must have")
        static let absent = Field("absent", StepEnding.paths, "paths of keys that the displayed data must not have")
    }

    /// Paths of keys in a view, such as `accounts.balance`.
    static let paths = Format<[String]>.texts("a path of keys")

    /// Reads the ``fields``; `isAny` is whether an ending without an expectation is one: any.
    init?(_ fields: Fields, _ outline: StepOutline, isAny: Bool, _ complaints: Complaints) {
        let position = fields.node.position
        error = fields[Key.error]
        detail = fields[Key.detail]
        outcome = fields[Key.outcome]
        view = fields[Key.view].flatMap { StepEnding.view($0, outline, complaints) }
        stale = fields[Key.stale]
        demand = Set(fields[Key.demand] ?? [])
        absent = fields[Key.absent] ?? []
        guard outcome != nil || error != nil || looksAtView || isAny else {
            complaints.add(
                "the expectation does not define how the step ends: expected `outcome`, `error`, `view`, `within` or `any`", at: position)
            return nil
        }
        if detail != nil, error == nil {
            complaints.add("`detail` is allowed beside `error` only", at: position)
            return nil
        }
        if error != nil || outcome == .error || outcome == .silent, looksAtView || (error != nil && outcome != nil && outcome != .error) {
            complaints.add("a step cannot end both in success and with an error", at: position)
            return nil
        }
    }

    private static func view(_ node: Node, _ outline: StepOutline, _ complaints: Complaints) -> View? {
        guard let text = node.scalar else { return .like(node.json) }
        if text == "expected" { return .expected }
        guard text.hasPrefix("as ") else { return node.wrong(complaints, "`expected`, `as` and a step's label, or the view's members") }
        let label = Node(.scalar(String(text.dropFirst(3)), quoted: false), at: node.position)
        return outline.number(label, operationOnly: true, complaints).map { .asIn(step: $0) }
    }

    /// Whether the view that it names, if it does, is one of that operation.
    func fits(_ operation: DriverOperation) -> Bool {
        guard case .like(.object(let members)) = view else { return true }
        let own = Set(ViewShape(of: operation).fields.map(\.name))
        return members.members.isEmpty || members.members.contains { own.contains($0.key) }
    }

    /// Whether it names members that the view must have.
    var namesMembers: Bool { if case .like? = view { true } else { false } }

    /// Whether it is the error that reports that nobody is signed in.
    var isUnauthorized: Bool { error == .unauthorized }

    /// Whether it is the error that reports a rejection.
    var isRejected: Bool { error == .rejected }

    private var looksAtView: Bool { view != nil || stale != nil || !absent.isEmpty }

    var text: Phrase {
        if let error { return "error \(fixed: error.rawValue)" + (detail.map { " and a detail like `\($0)`" } ?? "") }
        switch outcome {
        case .error: return "an error"
        case .silent: return "nothing shown"
        case .ok, nil: break
        }
        var parts: [Phrase] = []
        switch view {
        case .expected:
            parts.append("the bank's data" + (demand.isEmpty ? "" : " with \(fixed: demand.sorted().joined(separator: ", "))"))
        case .asIn(let step): parts.append("the data of step \(step)")
        case .like(let json): parts.append("data like \(clipped(json.text, to: 200))")
        case nil: break
        }
        if let stale { parts.append(stale ? "marked as old" : "not marked as old") }
        if !absent.isEmpty { parts.append("no \(fixed: absent.joined(separator: ", "))") }
        guard !parts.isEmpty else { return outcome == .ok ? "ok" : "any outcome" }
        return "ok and \(parts.joined(separator: ", "))"
    }

    /// Why nothing can be compared: the expected view is not there.
    func missing(of operation: DriverOperation, at step: Int, _ scene: Scene) -> String? {
        switch view {
        case .expected where scene.expectedView(operation, at: step) == nil:
            return "the bank \(scene.instance?.bank.name ?? "") declares no expected view of \(operation.rawValue)"
        case .asIn(let step):
            if case .ok = scene.outcome(of: step) { return nil }
            return
                "step \(step), whose view it is compared with, showed none: \(scene.outcome(of: step).map { "\($0)" } ?? "never started")"
        default: return nil
        }
    }

    /// In what the outcome's view differs from this ending; nil if the step did not even end in this way.
    func differences(from outcome: StepOutcome, of operation: DriverOperation, at step: Int, _ scene: Scene) -> [Difference]? {
        switch outcome {
        case .ok(let shown):
            guard error == nil, self.outcome == nil || self.outcome == .ok else { return nil }
            return inView(shown, expected: scene.expectedView(operation, at: step), operation, scene)
        case .error(let name, let text):
            if let error {
                let hasDetail = detail.map { globMatches($0, text ?? "") } ?? true
                return error.rawValue == name && hasDetail ? [] : nil
            }
            return self.outcome == .error || isAny ? [] : nil
        case .silent: return self.outcome == .silent || isAny ? [] : nil
        default: return nil
        }
    }

    private var isAny: Bool { outcome == nil && error == nil && !looksAtView }

    /// In what the view differs from the one that it names.
    private func compared(_ shown: JSON, expected: JSON?, _ operation: DriverOperation, _ scene: Scene) -> [ViewDifference] {
        let hasCurrency = ViewDifference.isCurrencyStated(in: scene.evidence.expected)
        func all(_ expected: JSON, optional: Set<String> = [], demand: Set<String> = []) -> [ViewDifference] {
            ViewDifference.all(expected: expected, seen: shown, optional: optional, demand: demand, hasCurrency: hasCurrency)
        }
        switch view {
        case .like(let json): return all(json)
        case .expected: return all(expected ?? .null, optional: ViewDifference.optional(in: operation), demand: demand)
        case .asIn(let step):
            guard case .ok(let before)? = scene.outcome(of: step) else { return [] }
            return all(ViewComparison.withoutAge(before))
        case nil: return []
        }
    }

    private func inView(_ shown: JSON, expected: JSON?, _ operation: DriverOperation, _ scene: Scene) -> [Difference] {
        var differences = compared(shown, expected: expected, operation, scene).map(Difference.view)
        if let stale, stale != (shown["stale"]?.bool ?? false) {
            differences.append(.age(isExpectedOld: stale))
        }
        for path in absent where ViewComparison.has(path, in: shown) {
            differences.append(.surplus(path))
        }
        return differences
    }

    /// One way in which a step ended otherwise than an ending demands, though with the same outcome.
    enum Difference: Hashable {
        case view(ViewDifference)
        /// The view is marked as old data and must not be, or the other way round.
        case age(isExpectedOld: Bool)
        /// The view has something at this path of keys.
        case surplus(String)

        /// A noun phrase after `showed`.
        var text: Phrase {
            switch self {
            case .view(let difference): ViewComparison.text(difference)
            case .age(let isExpectedOld):
                isExpectedOld ? "the data without marking it as old (`stale`)" : "the data marked as old (`stale`)"
            case .surplus(let path): "\(fixed: path), which must not be there"
            }
        }

        /// The rows that a list lacks; nil if it does not lack any.
        var missingRows: Int? {
            guard case .view(let difference) = self, case .rows(let wanted, let seen) = difference.kind else { return nil }
            return !seen.isEmpty && seen.count < wanted.count ? wanted.count - seen.count : nil
        }

        /// The difference between the views; nil for one of another kind.
        var inView: ViewDifference? { if case .view(let difference) = self { difference } else { nil } }
    }
}

extension StepOutcome {
    /// How it ended, the kind of error fixed: `ok with …`, `error decode (…)`.
    var phrase: Phrase {
        switch self {
        case .error(let name, let text): "error \(fixed: name)" + (text.map { " (\(clipped($0, to: 200)))" } ?? "")
        case .ok: Phrase(text: "\(self)", shape: "ok and data")
        case .silent: Phrase(text: "\(self)", shape: "silent")
        default: Phrase(stringLiteral: "\(self)")
        }
    }

    /// How it ended, without the view: `ok`, `error decode (…)`.
    var kind: String { if case .ok = self { "ok" } else { "\(self)" } }
}
