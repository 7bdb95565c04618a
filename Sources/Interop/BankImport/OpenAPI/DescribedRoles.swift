import BankCore
package import BankModel

/// The reads that contracts need, as far as paths and examples show them: roles, the operations of a client, its defaults, and what a
/// conforming client shows.
///
/// An operation gets a role only if its path names the role, and its example can be read by the usual names of members, so that the
/// expected views can be written too. Every candidate without a role has a reason.
struct DescribedRoles {
    private var bound: [(role: Role, operation: DescribedOperation)] = []
    private(set) var choices: [RoleChoice] = []
    private let tables: DescribedTables
    private let owned: OwnedRows
    private var locations: [Role: DescribedTables.RowLocation] = [:]

    /// - Parameter operations: those that have a response.
    init(_ operations: [DescribedOperation], tables: DescribedTables, owned: OwnedRows) {
        self.tables = tables
        self.owned = owned
        for (role, word) in [(Role.accounts, "account"), (.balance, "balance"), (.transactions, "transaction")] {
            let named = operations.indices.filter { DescribedRoles.isCandidate(operations[$0], word) }
            for index in named + operations.indices.filter({ !named.contains($0) && isListed($0, as: word) }) {
                let operation = operations[index]
                if let reason = missing(role, operation, index) {
                    decline(role, operation, reason)
                } else if bound.contains(where: { $0.role == role }) {
                    decline(role, operation, "the role has an operation; add this one to `roles` by hand if clients use it")
                } else {
                    bind(role, operation, index)
                }
            }
        }
        // A row of the accounts may have the balance, if no separate operation does.
        guard let accounts = locations[.accounts], !bound.contains(where: { $0.role == .balance }) else { return }
        for location in tables.locations where location.table == accounts.table && location.parameter != nil && !location.isList {
            guard missing(.balance, operations[location.operation], location.operation) == nil else { continue }
            bind(.balance, operations[location.operation], location.operation)
            return
        }
    }

    private mutating func bind(_ role: Role, _ operation: DescribedOperation, _ index: Int) {
        bound.append((role, operation))
        locations[role] = tables.locations.first { $0.operation == index && $0.isPrimary }
        choices.append(
            RoleChoice(
                state: .bound, role: role.rawValue, operation: operation.node.item,
                reason: evidence(role, operation) + (isWhole(role, operation) ? DescribedRoles.whole : "")))
    }

    private mutating func decline(_ role: Role, _ operation: DescribedOperation, _ reason: String) {
        choices.append(RoleChoice(state: .declined, role: role.rawValue, operation: operation.node.item, reason: reason))
    }

    private static func isCandidate(_ operation: DescribedOperation, _ word: String) -> Bool {
        guard operation.isRead else { return false }
        let words = [word] + (word == "transaction" ? ["feed", "movement", "statemententr", "activit", "booking"] : [])
        let noun = DescribedName.plain(operation.noun)
        if word == "balance", noun.contains("account") || noun.contains("transaction") { return false }
        return words.contains { noun.contains($0) } && !operation.endsInParameter
    }

    /// Whether the only list of a response has that name, whatever its path is.
    private func isListed(_ index: Int, as word: String) -> Bool {
        let lists = tables.locations.filter { $0.operation == index && $0.isList }
        return lists.count == 1 && lists[0].parameter == nil && DescribedName.singular(lists[0].path.last ?? "") == word
    }

    // MARK: evidence

    /// Added where amounts are whole numbers.
    private static let whole = "; whole amounts may be minor units, so its expected view is left to you"

    /// Whether all its amounts are whole numbers, of which nothing shows whether they are minor units.
    private func isWhole(_ role: Role, _ operation: DescribedOperation) -> Bool {
        guard role != .accounts else { return false }
        let rows = locations[role].map { tables.found[$0.table].rows.map(JSON.object) } ?? [operation.body?.json].compactMap(\.self)
        return DescribedRoles.areWhole(rows)
    }

    private static func areWhole(_ rows: [JSON]) -> Bool {
        let amounts = rows.flatMap(DescribedRoles.amounts)
        return !amounts.isEmpty && amounts.allSatisfy { $0.number?.digits.contains(".") == false }
    }

    /// The row's amounts as they are written, without those whose name states their unit.
    private static func amounts(_ row: JSON) -> [JSON] {
        if row["minorUnits"] != nil || row["unscaledValue"] != nil { return [] }
        let names = ["amount", "value", "balance", "current", "balances", "attributes", "data"]
        return names.compactMap { row[$0] }.filter { $0 != .null }.flatMap { $0.isContainer ? amounts($0) : [$0] }
    }

    private func evidence(_ role: Role, _ operation: DescribedOperation) -> String {
        let name = role == .balance || DescribedRoles.isCandidate(operation, DescribedName.singular(role.rawValue)) ? "path" : "list's name"
        switch role {
        case .accounts: return "its \(name), and rows with id, name and currency"
        case .balance: return "its \(name), and an amount with its currency"
        default: return "its \(name), and rows with id, time and amount"
        }
    }

    /// Why the operation cannot have the role; nil if it can.
    private func missing(_ role: Role, _ operation: DescribedOperation, _ index: Int) -> String? {
        guard operation.response != nil, let json = operation.body?.json else { return "its response has no example of JSON" }
        let wanted = role == .accounts ? 0 : 1
        let isKnown = operation.path.parameters.allSatisfy { tables.table(named: $0, operation.path) != nil }
        if operation.path.parameters.count > wanted {
            return
                "its path has \(counted(operation.path.parameters.count, "parameter")), and a client's call has \(wanted == 0 ? "none" : "the account alone")"
        }
        if !isKnown { return "{\(operation.path.parameters[0])} of its path names no row of a list that was found" }
        if role == .balance {
            if CommonMembers.balance(json) == nil { return "its example has no balance with a currency by the usual names" }
            let isList = tables.locations.contains { $0.operation == index && $0.isList }
            let above = operation.path.parameters.first.flatMap { tables.table(named: $0, operation.path) }
            let isOne = above.map { tables.found[$0].thing.contains("account") } ?? false
            return isList && !isOne ? "its list may have the balances of several accounts" : nil
        }
        guard let location = tables.locations.first(where: { $0.operation == index && $0.isPrimary && $0.isList }) else {
            return "its example is not a list of objects, or has several"
        }
        let rows = tables.found[location.table].rows
        guard CommonMembers.rows(json) == location.path.reduce(Optional(json), { $0?[$1] })?.array else {
            return "its example has several lists, and which one counts is not known"
        }
        guard let key = tables.found[location.table].key else { return "its rows have no id" }
        let lacking = rows.lazy.compactMap { DescribedRoles.lacking(role, .object($0), key) }.first
        return lacking.map { "its rows have no \($0) by the usual names" }
    }

    /// What a row lacks, as a word; nil if it can be read.
    private static func lacking(_ role: Role, _ row: JSON, _ key: String) -> String? {
        func isRead(_ row: JSON) -> Bool { role == .accounts ? CommonMembers.account(row) != nil : CommonMembers.transaction(row) != nil }
        if isRead(row), row[key] != nil {
            let id = role == .accounts ? CommonMembers.account(row)?.id : CommonMembers.transaction(row)?.id
            return id == row[key]?.plainText ? nil : "id that is read as \(key)"
        }
        let parts: [(String, String, JSON)] =
            role == .accounts
            ? [("name", "name", "x"), ("currency", "currency", "GBP")]
            : [("time", "booked_at", "2026-01-12"), ("amount", "amount", ["amount": "1.00", "currency": "GBP"])]
        guard case .object(let members) = row else { return "members" }
        var lacking: [String] = []
        for (word, _, _) in parts {
            var without = members
            for (other, name, value) in parts where other != word { without[name] = value }
            if !isRead(.object(without)) { lacking.append(word) }
        }
        // Most often it is the currency that an amount lacks.
        let words = lacking.map { $0 == "amount" ? "amount with a currency" : $0 }
        return lacking.isEmpty ? "id, or no currency with their amounts" : words.joined(separator: " and no ")
    }

    // MARK: what is written

    /// The operations of each role that was found.
    var roles: JSONObject { JSONObject(bound.map { (key: $0.role.rawValue, value: .array([.string($0.operation.name)])) }) }

    /// The operations that a client can be asked for.
    var clientOperations: [String] { bound.map(\.role.rawValue) }

    /// The account that is read where a contract names none.
    var defaults: JSONObject {
        JSONObject(
            bound.compactMap { role, operation in
                guard let parameter = operation.path.parameters.first, let table = tables.table(named: parameter, operation.path),
                    let key = owned.found[table].key, let id = owned.found[table].rows.first?[key]
                else { return nil }
                return (key: role.rawValue, value: ["account": .string(id.plainText)] as JSON)
            })
    }

    /// `expected.yaml`: the views of each customer; nil if there are none.
    func expected(_ customers: [String]) -> JSON? {
        guard !bound.isEmpty else { return nil }
        return .object(JSONObject(customers.map { (key: $0, value: .object(views($0))) }))
    }

    private func views(_ customer: String) -> JSONObject {
        var views = JSONObject()
        for (role, operation) in bound where !isWhole(role, operation) {
            switch role {
            case .accounts:
                guard let location = locations[role] else { continue }
                let own = rows(location, of: customer)
                var accounts = own.compactMap(CommonMembers.account)
                if DescribedRoles.areWhole(own) { for index in accounts.indices { accounts[index].balance = nil } }
                views["accounts"] = ["accounts": .array(accounts.map(\.view))]
            case .balance:
                let own = locations[role].map { rows($0, of: customer) } ?? []
                let isList = locations[role]?.isList ?? false
                let response = isList && own.count > 1 ? JSON.array(own) : own.first ?? operation.body?.json
                views["balance"] = response.flatMap(CommonMembers.balance)?.view
            default:
                guard let location = locations[role] else { continue }
                let rows = rows(location, of: customer).compactMap(CommonMembers.transaction).enumerated()
                // The newest first; rows of one time stay in their order.
                let sorted = rows.sorted { ($1.element.instant, $0.offset) < ($0.element.instant, $1.offset) }
                views["transactions"] = ["transactions": .array(sorted.map(\.element.view))]
            }
        }
        return views
    }

    /// The rows as they are sent in that location.
    private func rows(_ location: DescribedTables.RowLocation, of customer: String) -> [JSON] {
        owned.rows(location.table, of: customer).map { row in .object(JSONObject(row.members.filter { location.fields.contains($0.key) })) }
    }
}

extension CommonMembers.Account {
    fileprivate var view: JSON {
        .object(known: [
            "id": .string(id), "name": .string(name), "currency": .string(currency.code), "balance": balance.map { .string($0.major) },
        ])
    }
}

extension CommonMembers.Balance {
    fileprivate var view: JSON {
        .object(known: [
            "balance": .string(balance.major), "available": available.map { .string($0.major) },
            "currency": .string(balance.currency.code),
        ])
    }
}

extension CommonMembers.Transaction {
    fileprivate var view: JSON {
        // A client may show markup and a missing text as it likes.
        let isShown = !description.isEmpty && !description.contains { "<>&\n".contains($0) }
        return .object(known: [
            "id": .string(id), "date": day.map { .string($0.description) }, "description": isShown ? .string(description) : nil,
            "amount": .string(amount.major), "currency": .string(amount.currency.code),
        ])
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

/// What an import decided for a role and an operation: bound, proposed or not taken, and why.
package struct RoleChoice: Sendable, Hashable {
    package enum State: String, Sendable {
        /// The operation has the role in the bank's file.
        case bound
        /// It would have it, if the user confirms.
        case proposed
        /// It looked like a candidate and is none.
        case declined
    }

    /// A role that is bound only if the user confirms it.
    package enum Confirmation: String, Sendable, CaseIterable {
        case login, pay, key
    }

    package var state: State
    /// `accounts`, `pay`, `key`, …
    package var role: String
    /// `POST /transfers`
    package var operation: String
    /// The evidence, what it would do, or what is missing.
    package var reason: String

    package var description: String {
        switch state {
        case .bound: "\(role): \(operation): \(reason)"
        case .proposed: "\(role): \(operation): proposed, not yet in the bank: \(reason); confirm with --confirm-\(role)"
        case .declined: "\(role): \(operation): not used: \(reason)"
        }
    }

    package var json: JSON {
        ["state": .string(state.rawValue), "role": .string(role), "operation": .string(operation), "reason": .string(reason)]
    }
}
