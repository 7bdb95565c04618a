import BankCore
import BankModel

/// The parts of a described bank that contracts need, as far as paths and examples tell them: roles, the operations of a client,
/// its defaults, and what a right client shows.
///
/// An operation gets a role only if its example can be read by the usual names of members, so that the expected views can be
/// written too.
struct DescribedRoles {
    private var accounts: (operation: String, rows: [CommonMembers.Account])?
    private var balance: (operation: DescribedOperation, found: CommonMembers.Balance)?
    private var transactions: (operation: DescribedOperation, rows: [CommonMembers.Transaction])?
    private let hasTokens: Bool

    /// - Parameters:
    ///   - operations: those that have a reply.
    ///   - hasTokens: whether a client signs in.
    init(_ operations: [DescribedOperation], hasTokens: Bool) {
        self.hasTokens = hasTokens
        let reads = operations.filter { $0.method == "GET" && $0.path.endsInWord && $0.reply != nil }
        accounts = reads.lazy.filter { $0.path.parameters.isEmpty && $0.path.says("account") }.compactMap { operation in
            DescribedRoles.rows(operation, CommonMembers.account).map { (operation.name, $0) }
        }.first { Set($0.1.map(\.id)).count == $0.1.count }
        let most = accounts == nil ? 0 : 1
        let ofOne = reads.filter { $0.path.parameters.count <= most }
        balance =
            ofOne.lazy.filter { $0.path.says("balance") }.compactMap { operation in
                operation.body?.json.flatMap(CommonMembers.balance).map { (operation, $0) }
            }.first
        transactions = ofOne.lazy.compactMap { operation in
            DescribedRoles.rows(operation, CommonMembers.transaction).map { (operation, $0) }
        }.first { Set($0.1.map(\.id)).count == $0.1.count }
    }

    /// The rows of an operation's example; nil if there are none, or one cannot be read.
    private static func rows<Row>(_ operation: DescribedOperation, _ read: (JSON) -> Row?) -> [Row]? {
        guard let rows = operation.body?.json.flatMap(CommonMembers.rows), !rows.isEmpty else { return nil }
        let readable = rows.compactMap(read)
        return readable.count == rows.count ? readable : nil
    }

    // MARK: what is written

    /// The operations of each role that was found.
    var roles: JSONObject {
        JSONObject(bound.map { (key: $0.role.rawValue, value: .array([.string($0.operation)])) })
    }

    /// The operations that a client can be asked for; none if nothing can be read.
    var clientOperations: [JSON] {
        guard !bound.isEmpty else { return [] }
        return ((hasTokens ? ["login", "status"] : []) + bound.map(\.role.rawValue)).map(JSON.string)
    }

    /// The account that is read where a contract names none.
    var defaults: JSONObject {
        let id = accounts?.rows.first?.id
        let ofOne = [(Role.balance, balance?.operation), (.transactions, transactions?.operation)]
        return JSONObject(
            ofOne.compactMap { role, operation in
                guard let id, let operation, !operation.path.parameters.isEmpty else { return nil }
                return (key: role.rawValue, value: ["account": .string(id)] as JSON)
            })
    }

    private var bound: [(role: Role, operation: String)] {
        [(.accounts, accounts?.operation), (.balance, balance?.operation.name), (.transactions, transactions?.operation.name)]
            .compactMap { role, operation in operation.map { (role, $0) } }
    }

    /// `expected.yaml`: the same views for each of the customers; nil if there are none.
    func expected(_ customers: [String]) -> JSON? {
        guard !bound.isEmpty else { return nil }
        var views = JSONObject()
        views["accounts"] = (accounts?.rows).map { ["accounts": .array($0.map(\.view))] }
        views["balance"] = balance?.found.view
        views["transactions"] = (transactions?.rows).map { ["transactions": .array($0.newestFirst.map(\.view))] }
        return .object(JSONObject(customers.map { (key: $0, value: .object(views)) }))
    }
}

extension PathTemplate {
    /// Whether its last part is no parameter.
    fileprivate var endsInWord: Bool {
        guard case .literal(let text)? = parts.last else { return false }
        return !text.isEmpty
    }

    /// Whether its last part has that word in it.
    fileprivate func says(_ word: String) -> Bool {
        guard case .literal(let text)? = parts.last else { return false }
        return text.lowercased().contains(word)
    }
}

extension CommonMembers.Account {
    fileprivate var view: JSON {
        var view = JSONObject([("id", .string(id)), ("name", .string(name)), ("currency", .string(currency.code))])
        view["balance"] = balance.map { .string($0.major) }
        return .object(view)
    }
}

extension CommonMembers.Balance {
    fileprivate var view: JSON {
        var view = JSONObject([("balance", .string(balance.major))])
        view["available"] = available.map { .string($0.major) }
        view["currency"] = .string(balance.currency.code)
        return .object(view)
    }
}

extension CommonMembers.Transaction {
    fileprivate var view: JSON {
        var view = JSONObject([("id", .string(id))])
        view["date"] = day.map { .string($0.description) }
        // A client may show markup and a missing text as it likes.
        if !description.isEmpty, !description.contains(where: { "<>&\n".contains($0) }) { view["description"] = .string(description) }
        view["amount"] = .string(amount.major)
        view["currency"] = .string(amount.currency.code)
        return .object(view)
    }

    /// The day, if it is the same in every time zone from UTC-10 to UTC+13.
    private var day: CivilDate? {
        switch time {
        case .day(let day): return day
        case .instant(let instant):
            let days = [-10, 13].map { (instant + .seconds($0 * 3600)).date }
            return days[0] == days[1] ? days[0] : nil
        }
    }

    fileprivate var instant: Instant {
        switch time {
        case .day(let day): Instant(day)
        case .instant(let instant): instant
        }
    }
}

extension [CommonMembers.Transaction] {
    /// Rows of one time stay in their order.
    fileprivate var newestFirst: Self {
        enumerated().sorted { ($1.element.instant, $0.offset) < ($0.element.instant, $1.offset) }.map(\.element)
    }
}
