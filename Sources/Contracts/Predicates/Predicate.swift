package import BankModel

/// One expectation of a case. The set is closed and small: a kind is one type, and an element of ``PredicateKinds``.
package protocol Predicate: Sendable {
    /// The key by which files name it, such as `never`.
    static var name: String { get }

    /// Its keys; several forms if some keys exclude others.
    static var forms: [ObjectSchema] { get }

    /// Reads it; nil and complaints if something in it is wrong or names a step that does not exist.
    init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints)

    func judge(_ scene: Scene) -> [UnmetExpectation]

    /// The steps after which the client's disk must be scanned.
    var scansAfter: [Int] { get }

    /// The evidence that it needs besides that of every run.
    var needs: Knowledge { get }

    /// Whether it depends on how long the client waits by itself between attempts.
    var measuresPauses: Bool { get }
}

extension Predicate {
    /// The one form of most kinds.
    static func form(_ about: String, _ fields: [any AnyField], example: String) -> ObjectSchema {
        ObjectSchema("an expectation", named: "expect-\(name)", about, fields: fields, example: "- \(example)")
    }

    package var scansAfter: [Int] { [] }
    package var needs: Knowledge { [] }
    package var measuresPauses: Bool { false }
}

/// Every kind of expectation. A new one is a file and an element of ``all``.
package enum PredicateKinds {
    /// An element of `expect`.
    static let schema = Schema.named("expectation") { .anyOf(all.flatMap { $0.forms }.map(Schema.object)) }

    package static let all: [any Predicate.Type] = [
        StepPredicate.self, ControlPredicate.self, FiredPredicate.self, RejectedPredicate.self, NeverPredicate.self,
        RequestsPredicate.self, SamePredicate.self, DistinctPredicate.self, LedgerPredicate.self, DiskPredicate.self,
        LogPredicate.self, URLPredicate.self, OrderPredicate.self, GapPredicate.self, KeyPredicate.self,
        SpreadPredicate.self, AuthorizationPredicate.self, ReceiverPredicate.self,
    ]

    /// Reads one element of `expect`; nil and a complaint with the nearest name if there is no such predicate.
    static func read(_ node: Node, _ outline: StepOutline, _ complaints: Complaints) -> (any Predicate)? {
        let keys = Fields(node, of: "an expectation", Complaints()).keys
        guard let type = all.first(where: { keys.contains($0.name) }),
            let form = type.forms.first(where: { $0.fields.allSatisfy { !$0.isRequired || keys.contains($0.key) } }) ?? type.forms.last
        else {
            _ = Fields(node, of: "an expectation", complaints)
            guard case .mapping = node.content else { return nil }
            let names = all.map { $0.name }
            let found = keys.first ?? ""
            let hint = didYouMean(found, among: names, otherwise: "; known are \(names.joined(separator: ", "))")
            complaints.add("unknown predicate `\(found)`\(hint)", at: node.position)
            return nil
        }
        let fields = Fields(node, of: form, complaints)
        let predicate = type.init(fields, outline, complaints)
        fields.finish()
        return predicate
    }
}

/// Which exchanges a predicate looks at.
struct ExchangeFilter: Sendable {
    var role: Role?
    var operation: String?
    /// Only those after the result of this step.
    var after: Int?
    /// Only those after the first exchange that the case's fault was applied to.
    var isAfterFault = false
    /// Only those while this step was under way.
    var during: Int?

    /// The keys of every predicate that chooses exchanges.
    static let fields: [any AnyField] = [role, operation, after, during]

    static let afterSchema = ObjectSchema("`after`", "After the result of a step.", fields: [step], example: "after: {step: payment}")

    private static let role = Field("role", .choice(of: Role.self), "only requests of this role")
    private static let operation = Field("operation", .text(), "only requests of this operation of the bank")
    private static let after = Field(
        "after", .node(.anyOf([.words(["$struck"]), .object(afterSchema)])),
        "only requests after a step's result, or with `$struck` after the first request that the case's fault affected")
    private static let during = Field("during", .node(StepOutline.schema), "only requests while this step was under way")
    private static let step = Field(required: "step", .node(StepOutline.schema), "the step")

    /// Reads `role`, `operation`, `during: n`, and `after: {step: n}` or `after: $struck`.
    init(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        role = fields[Self.role]
        operation = fields[Self.operation]
        during = fields[Self.during].flatMap { outline.number($0, operationOnly: true, complaints) }
        guard let node = fields[Self.after] else { return }
        isAfterFault = node.scalar == "$struck"
        if isAfterFault, !outline.hasFault {
            complaints.add("`$struck` needs a step `fault` or `outage`, or an outage in `given`", at: node.position)
        }
        if !isAfterFault { after = ExchangeFilter.after(node, outline, complaints) }
    }

    static func after(_ node: Node, _ outline: StepOutline, _ complaints: Complaints) -> Int? {
        let fields = Fields(node, of: afterSchema, complaints)
        let step = fields[step].flatMap { outline.number($0, complaints) }
        fields.finish()
        return step
    }

    func exchanges(of scene: Scene) -> [JournalEntry] {
        let affected = isAfterFault ? scene.affected.first : nil
        if isAfterFault, affected == nil { return [] }
        let step = during.map { Set(scene.exchanges(during: $0).map(\.seq)) }
        return scene.exchanges(after: after).filter { exchange in
            if let affected, exchange.monoNanoseconds <= affected.monoNanoseconds { return false }
            if let step, !step.contains(exchange.seq) { return false }
            return (role.map { exchange.roles.contains($0.rawValue) } ?? true) && (operation.map { $0 == exchange.operation } ?? true)
        }
    }

    /// ` of role pay after step 4`
    var text: Phrase {
        let role: Phrase = role.map { " of role \(fixed: $0.rawValue)" } ?? ""
        let operation: Phrase = operation.map { " of operation \(fixed: $0)" } ?? ""
        let step: Phrase = after.map { " after step \($0)" } ?? ""
        let own: Phrase = during.map { " in step \($0)" } ?? ""
        return "\(role)\(operation)\(step)\(own)" + (isAfterFault ? " after the request that the fault was applied to" : "")
    }
}
