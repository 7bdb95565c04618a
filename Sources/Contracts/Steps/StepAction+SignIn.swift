package import BankModel
import DriverProtocol

/// The customer's part of a sign-in on the bank's page, which the harness plays.
extension StepAction {
    /// Whether the customer visits a page of the bank.
    var isVisit: Bool { if case .browser = self { true } else { false } }

    /// What the customer does on the page.
    package struct Browser: Sendable, Hashable {
        package var decision: SignInDecision
        /// Who signs in; nil: the case's customer.
        package var user: String?
    }

    /// A change of the address to which the page has led.
    package struct RedirectChange: Sendable, Hashable {
        /// The parameters that get another value, or are added.
        package var set: [Argument] = []
        /// The names of the parameters that are left out.
        package var drop: [String] = []
        /// Another address, which gets the parameters; nil: the address of the app.
        package var to: String?

        package func applied(to address: String) -> String {
            var parameters = FormFields(ofAddress: address)
            parameters.all.removeAll { drop.contains($0.name) }
            for argument in set {
                if let index = parameters.all.firstIndex(where: { $0.name == argument.name }) {
                    parameters.all[index].value = argument.value
                } else {
                    parameters.all.append(FormFields.Field(argument.name, argument.value))
                }
            }
            let base = to ?? String(address.prefix { $0 != "?" && $0 != "#" })
            return parameters.all.isEmpty ? base : "\(base)?\(parameters.text)"
        }
    }
}

extension StepAction.Browser: CustomStringConvertible {
    /// `approve as ben`
    package var description: String { decision.rawValue + (user.map { " as \($0)" } ?? "") }

    var words: String {
        let who = user.map { "the customer \($0)" } ?? "the customer"
        return switch decision {
        case .approve: "\(who) signs in on the bank's page and approves"
        case .deny: "\(who) denies access on the bank's page"
        case .cancel: "\(who) cancels on the bank's page"
        case .abandon: "\(who) closes the bank's page"
        }
    }
}

extension StepAction.RedirectChange: CustomStringConvertible {
    /// `to other-app:/callback, state=another, without code`
    package var description: String {
        let parts = [to.map { "to \($0)" }].compactMap(\.self) + set.map { "\($0.name)=\($0.value)" } + drop.map { "without \($0)" }
        return parts.joined(separator: ", ")
    }

    var words: String { "the address that the page led to is changed: \(self)" }
}

/// The steps `browser` and `redirect`.
extension StepReader {
    static let browserSchema = Schema.anyOf([.words(SignInDecision.allCases.map(\.rawValue)), .object(visitSchema)])

    private static let visitSchema = ObjectSchema(
        "`browser`", named: "browser", "What the customer does on the bank's sign-in page.", fields: [decision, user],
        example: "- browser: {does: approve, user: $other}")
    private static let decision = Field(
        required: "does", .choice(of: SignInDecision.self),
        "`approve`: signs in and allows access; `deny`: denies access; `cancel`: returns to the app without a decision; `abandon`: closes "
            + "the page, so that the app gets no response")
    private static let user = Field("user", .text("a user's name"), "the customer who signs in; by default the case's")

    static let redirectSchema = ObjectSchema(
        "`redirect`", named: "redirect", "Changes the address that the app is opened with.", fields: [set, drop, to],
        rules: [.atLeastOne([set.key, drop.key, to.key])], example: "- redirect: {set: {state: another}}")
    private static let set = Field(
        "set", .node(.map(keys: "parameters", .text(TextSchema("a value", pattern: "[\\s\\S]*")))),
        "parameters to set, with their values")
    private static let drop = Field("drop", .texts("a parameter", atLeast: 1), "parameters to remove")
    private static let to = Field("to", .text("an address"), "an address that replaces the app's, with the same parameters")

    /// Reads `approve`, or `{does: approve, user: $other}`.
    func browser(_ node: Node) -> StepAction? {
        guard case .mapping = node.content else {
            return node.choice(of: SignInDecision.self, complaints).map { .browser(StepAction.Browser(decision: $0)) }
        }
        let fields = Fields(node, of: StepReader.visitSchema, complaints)
        let decision = fields[StepReader.decision]
        let user = fields[StepReader.user]
        fields.finish()
        return decision.map { .browser(StepAction.Browser(decision: $0, user: user)) }
    }

    /// Reads `{set: {state: another}, drop: [iss], to: "other-app:/callback"}`.
    func redirect(_ node: Node) -> StepAction? {
        let fields = Fields(node, of: StepReader.redirectSchema, complaints)
        let values = fields[StepReader.set].map { Fields($0, of: "the parameters", complaints).all } ?? []
        let drop = fields[StepReader.drop] ?? []
        let to = fields[StepReader.to]
        fields.finish()
        let set = values.map { StepAction.Argument($0.key, $0.value.anyText(complaints) ?? "") }
        guard !set.isEmpty || !drop.isEmpty || to != nil else { return node.wrong(complaints, "at least one of `set`, `drop` and `to`") }
        return .redirect(StepAction.RedirectChange(set: set, drop: drop, to: to))
    }
}

/// The order in which the parts of a sign-in may come.
struct SignInOrder {
    private var hasBegun = false
    private var hasAddress = false

    /// Notes a step; a complaint if what it needs has not come before it.
    mutating func take(_ action: StepAction, at position: SourcePosition, _ complaints: Complaints) {
        switch action {
        case .operation(.authorizeBegin, _): hasBegun = true
        case .browser(let browser):
            if !hasBegun { complaints.add(found: "`browser`", expected: "a step `authorize_begin` before it", at: position) }
            hasAddress = browser.decision != .abandon
        case .redirect where !hasAddress:
            complaints.add(found: "`redirect`", expected: "a step `browser` before it that does not abandon the page", at: position)
        case .operation(.authorizeFinish, let arguments) where !hasAddress && !arguments.contains { $0.name == "url" }:
            complaints.add(
                found: "`authorize_finish` without `url`", expected: "a step `browser` before it that does not abandon the page",
                at: position)
        default: break
        }
    }
}
