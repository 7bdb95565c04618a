import BankCore
import BankModel
import DriverProtocol

/// Reads the operations of a client of the bank, and their default arguments.
struct ClientReader {
    let bank: Bank
    /// Tables whose rows are unknown.
    let faulty: Set<String>
    let complaints: Complaints

    /// `operations_of_a_client`: names of the driver protocol, each with an operation of the bank.
    func operations(_ node: Node?) -> [String] {
        var listed: [String] = []
        for element in node?.elements(complaints) ?? [] {
            guard let operation = element.choice(of: DriverOperation.self, complaints) else { continue }
            if listed.contains(operation.rawValue) {
                complaints.add("found `\(operation.rawValue)` a second time, expected each once", at: element.position)
            }
            listed.append(operation.rawValue)
            for need in needs where need.of.contains(operation) && !need.isMet {
                complaints.add(found: "`\(operation.rawValue)`", expected: need.expected, at: element.position)
            }
            for role in operation.roles where bank.operations(of: role).isEmpty {
                complaints.add(
                    found: "`\(operation.rawValue)`", expected: "an operation with the role \(role.rawValue) in `roles`",
                    at: element.position)
            }
        }
        return listed
    }

    /// What operations of a client need in the bank.
    private var needs: [(of: [DriverOperation], isMet: Bool, expected: String)] {
        [
            ([.login, .logout, .status], bank.auth != nil, "`auth` in the bank: it has no tokens"),
            ([.authorizeBegin, .authorizeFinish], bank.signIn != nil, "`sign_in` in the bank: it has no sign-in page"),
            ([.events], bank.webhooks != nil, "`webhooks` in the bank: it sends none"),
            ([.challengeAnswer], bank.challenges != nil, "`challenges` in the bank: it challenges no request"),
            ([.consents, .consentRevoke], !bank.consents.isEmpty, "`consents` in the bank: a sign-in covers everything"),
            ([.watch], bank.operations.contains { $0.stream != nil }, "an operation with `stream` in the bank"),
        ]
    }

    /// `defaults`: arguments per driver operation, each of which must name something that exists.
    func defaults(_ node: Node?, listed: [String]) -> JSON {
        guard let node else { return .object([:]) }
        for (name, keyNode, arguments) in Fields(node, of: "defaults", complaints).all {
            guard let operation = keyNode.choice(of: DriverOperation.self, complaints) else { continue }
            if !listed.contains(name) {
                complaints.add(
                    found: "defaults of `\(name)`", expected: "an operation listed in `operations_of_a_client`", at: keyNode.position)
            }
            for (_, argumentNode, value) in Fields(arguments, of: "the defaults of `\(name)`", complaints).all {
                guard let argument = argumentNode.choice(of: Argument.self, complaints), let text = value.text(complaints) else { continue }
                check(argument, text, of: operation, at: value.position)
            }
            guard operation == .pay, case .mapping = arguments.content else { continue }
            for needed in ["from", "to", "currency"] where node.json[name]?[needed] == nil {
                complaints.add("`\(needed)` is missing in the defaults of `\(name)`", at: arguments.position)
            }
        }
        return node.json
    }

    /// The arguments that a harness fills in.
    enum Argument: String, CaseIterable {
        case account, goal, from, to, currency, path

        var help: String {
            switch self {
            case .account: "the key of an account"
            case .goal: "the key of a savings goal"
            case .from: "the paying account, or the first instant of a list"
            case .to: "the recipient, or the last instant of a list"
            case .currency: "an ISO 4217 code"
            case .path: "a path that begins with `/`"
            }
        }
    }

    private func check(_ argument: Argument, _ text: String, of operation: DriverOperation, at position: SourcePosition) {
        let pay = bank.operations(of: .pay).compactMap(\.move)
        switch argument {
        case .currency:
            if Currency(text) == nil { complaints.add(found: "`\(text)`", expected: "an ISO 4217 code such as GBP", at: position) }
        case .path:
            if !text.hasPrefix("/") { complaints.add(found: "`\(text)`", expected: "a path that begins with /", at: position) }
        case .from where operation == .pay: requireRow(text, of: pay.flatMap(\.from).map(\.table), at: position)
        case .to where operation == .pay, .goal: requireRow(text, of: pay.flatMap(\.to).map(\.table), at: position)
        case .from, .to:
            if Instant(rfc3339: text) == nil, RelativeDate(text) == nil {
                complaints.add(found: "`\(text)`", expected: "an instant such as 2026-01-12T09:15:00Z or @-3d09:15", at: position)
            }
        case .account: requireRow(text, of: operation.roles.flatMap(bank.operations(of:)).flatMap(\.tablesOfPath), at: position)
        }
    }

    /// A row of one of the tables must have the key; if no table is known, as in a bank that is one document, any text is
    /// accepted.
    private func requireRow(_ key: String, of names: [String], at position: SourcePosition) {
        let tables = Set(names).sorted().compactMap { bank.tables[$0] }
        let keys = tables.flatMap { table in table.rows.compactMap { $0[table.key]?.plainText } }
        guard !tables.isEmpty, !keys.contains(key), faulty.isDisjoint(with: names) else { return }
        let hint = didYouMean(key, among: keys)
        complaints.add(found: "`\(key)`", expected: "the key of a row of \(oneOf(tables.map(\.name)))\(hint)", at: position)
    }
}

extension DriverOperation {
    /// The roles that a bank must have for it. Signing in, signing out and the status need no call of the bank.
    fileprivate var roles: [Role] {
        switch self {
        case .login, .logout, .status, .authorizeBegin, .authorizeFinish, .events, .challengeAnswer, .consents, .consentRevoke: []
        case .accounts: [.accounts]
        case .balance: [.balance]
        case .transactions: [.transactions]
        case .atms: [.atms]
        case .image: [.image]
        case .goals: [.goals]
        case .pay, .resume: [.pay]
        case .roundUp: [.transactions, .pay]
        case .paymentStatus: [.pay, .paymentStatus]
        case .quote: [.pay, .quote]
        case .watch: [.balance, .transactions]
        }
    }
}

extension Operation {
    /// The tables whose rows the path names.
    fileprivate var tablesOfPath: [String] {
        let parents = parents.filter { if case .path = $0.key { true } else { false } }.map(\.table)
        guard parents.isEmpty, case .json(.row(let query)) = response else { return parents.prefix(1).map(\.self) }
        return query.filters.contains { if case .path = $0.value { true } else { false } } ? [query.table] : []
    }
}
