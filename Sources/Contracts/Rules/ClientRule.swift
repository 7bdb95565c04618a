import BankModel

/// A requirement that a client must meet: one entry of the registry, from which cases, invariants and `counterfoil judge` choose.
///
/// The rules are Swift and not data in `Contracts/*.yaml`, because each groups the requests in its own way, and because a server checks its
/// journal without the contract files.
package struct ClientRule: Sendable {
    /// `invariant.` and a name, `case.` and a name, or the id of the catalogue's case that it stands for, such as `auth.no-empty-bearer`.
    package let id: String
    /// The subject under which reports list a broken invariant.
    let topic: Cause.Topic
    /// What must be known for it besides the client's requests.
    let needs: Knowledge
    /// Whether a breach counts even if the journal dropped entries: an entry, a file or the end of a step shows it by itself. The owner of a
    /// token, and the payment order of a movement, follow from entries that may have been dropped.
    let survivesDroppedEntries: Bool
    /// Its texts in reports on recorded traffic; nil if it is not used there.
    let recorded: Recorded?
    /// The settings that files give an invariant; nil if it has none.
    let settings: Settings?
    private let check: Check

    /// Adds what a scene shows of the rule.
    typealias Check = @Sendable (_ scene: Scene, _ result: inout RuleResult) -> Void

    /// The texts of a rule for recorded traffic, and what its findings rest on.
    struct Recorded: Sendable {
        /// The requirement in a sentence, with its source.
        var why: String
        /// The event that the rule needs to be exercised.
        var trigger: String
        /// The facts on which a finding rests. A recording that lacks some leaves it open, and the report names the first of them.
        var restsOn: [RecordedFact]
        /// The name of the invariant that it shows broken, which is another entry; nil if there is none.
        var shows: String?
    }

    /// The settings of an invariant, as in `holds: {bounded: {requests: 100, pages: 1000}}`.
    struct Settings: Sendable {
        /// Its name and the settings' schema.
        let field: Field<Node>
        let schema: ObjectSchema
        /// Reads them; nil and complaints if one is missing or wrong.
        let read: @Sendable (Fields) -> ClientRule?
    }

    /// An invariant, or a rule of every case.
    init(
        _ id: String, _ topic: Cause.Topic = .other, needs: Knowledge = [], survivesDroppedEntries: Bool = false,
        recorded: Recorded? = nil, settings: Settings? = nil, check: @escaping Check
    ) {
        self.id = id
        self.topic = topic
        self.needs = needs
        self.survivesDroppedEntries = survivesDroppedEntries
        self.recorded = recorded
        self.settings = settings
        self.check = check
    }

    /// A rule for recorded traffic alone.
    init(_ id: String, why: String, trigger: String, restsOn: [RecordedFact], shows: String? = nil, check: @escaping Check) {
        self.init(id, recorded: Recorded(why: why, trigger: trigger, restsOn: restsOn, shows: shows), check: check)
    }

    /// What a scene shows of the rule.
    func result(in scene: Scene) -> RuleResult {
        var result = RuleResult()
        check(scene, &result)
        return result
    }

    /// The part of the id before its first dot.
    package var suite: String { ClientRule.suite(of: id) }

    /// The name by which files call an invariant.
    var name: String { String(id.dropFirst(Invariant.prefix.count)) }

    static func suite(of id: String) -> String { String(id.prefix { $0 != "." }) }

    /// Whether enough is known of a client: a run whose journal dropped entries shows less.
    func applies(to scene: Scene) -> Bool {
        needs.isSubset(of: scene.knows) && (survivesDroppedEntries || scene.evidence.dropped == 0 || scene.instance == nil)
    }

    /// Every rule, by subject. A new one is an element of its subject's list.
    package static let all: [ClientRule] =
        tokenRules + refreshRules + keyRules + rejectionRules + retryAfterRules + boundRules + hostRules + secretRules + customerRules
        + paymentRules + answerRules + recoveryRules

    /// Those that are part of the verdict on every case.
    static let ofEveryCase = all.filter { $0.suite == "case" }

    /// The invariants: those of every run of every case, as far as `invariants.yaml` names them.
    package static let invariants = all.filter { $0.suite == Invariant.suite }

    /// Those for recorded traffic, the invariants among them last.
    package static let ofJournals = (all.filter { $0.suite != Invariant.suite } + invariants).filter { $0.recorded != nil }

    /// The invariants that no journal shows broken, because they need to know more.
    static let beyondJournals = invariants.filter { rule in
        rule.recorded == nil && !rule.needs.isEmpty && !ofJournals.contains { $0.recorded?.shows == rule.name }
    }

    /// Each rule that a session's verdict may have, for clients and for the receivers of webhooks, with its trigger.
    package static let judged: [(id: String, trigger: String)] =
        (ofJournals + webhookRules).compactMap { rule in rule.recorded.map { (id: rule.id, trigger: $0.trigger) } }

    /// Why no session's verdict has a rule of that id; nil if one has, or there is no such rule.
    package static func reasonNotJudged(_ id: String) -> String? {
        guard !judged.contains(where: { $0.id == id }), let rule = all.first(where: { $0.id == id }) else { return nil }
        let shown = ofJournals.filter { $0.recorded?.shows == rule.name }.map(\.id)
        if !shown.isEmpty { return "a journal shows it only by \(shown.joined(separator: ", "))" }
        return rule.needs.isEmpty ? "it needs a driver" : "it needs a driver (\(rule.needs.words))"
    }

    // MARK: suites

    /// The suites that have rules for recorded traffic, and that of webhooks' receivers.
    package static let suites = distinct((ofJournals + webhookRules).map(\.suite))

    /// Whether a rule counts for a suite: those that show an invariant broken count for `invariant`, too.
    package static func counts(_ id: String, for suite: String) -> Bool {
        ClientRule.suite(of: id) == suite || suite == Invariant.suite && ofJournals.contains { $0.id == id && $0.recorded?.shows != nil }
    }

    /// Reads a list of suites, such as `auth,pay`, each once; blanks around a name do not count. Throws for a suite without rules.
    package static func suites(named list: String) throws(UnknownSuiteError) -> [String] {
        let names = list.split(separator: ",").map(\.trimmed)
        for name in names where !suites.contains(name) { throw UnknownSuiteError(name: name) }
        return distinct(names)
    }
}

/// What a rule or an expectation may need to know besides a client's requests.
package struct Knowledge: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// What the client was asked for, and what it reported and showed.
    package static let steps = Knowledge(rawValue: 1)
    /// The movements of money at the bank.
    package static let ledger = Knowledge(rawValue: 2)
    /// The data that the bank has for each customer.
    package static let views = Knowledge(rawValue: 4)
    /// The customer of each token.
    package static let owners = Knowledge(rawValue: 8)
    /// The client's files.
    package static let files = Knowledge(rawValue: 16)
    /// What the client writes to its log, so that no other case may write to it.
    package static let log = Knowledge(rawValue: 32)
    /// The address that the client was given for the bank.
    package static let address = Knowledge(rawValue: 64)
    /// Where texts are that the bank served and calls sensitive, besides tokens.
    package static let data = Knowledge(rawValue: 128)

    /// What the evidence of every run has.
    static let ofRuns: Knowledge = [.steps, .ledger, .views, .owners, .files, .log, .address, .data]

    /// `steps, ledger`
    var words: String {
        let names = ["steps", "ledger", "expected results", "owners of tokens", "files", "log", "address", "sensitive data"]
        return names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element).joined(separator: ", ")
    }
}

// MARK: the registry

/// A suite was named that has no rules for journals.
package struct UnknownSuiteError: Error, CustomStringConvertible {
    /// The complaint about an unknown suite.
    package let name: String

    package var description: String {
        let hint = didYouMean(name, among: ClientRule.suites)
        return "found the suite `\(name)`, expected \(oneOf(ClientRule.suites)); a journal alone is enough for these only\(hint)"
    }
}
