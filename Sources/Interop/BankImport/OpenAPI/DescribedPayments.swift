import BankCore
import BankModel

/// Finds the operation that pays, and how money moves by it.
struct DescribedPayments {
    private(set) var choices: [RoleChoice] = []
    /// The operation that pays, as its name in the bank; nil if there is none, or it is not confirmed.
    private(set) var operation: String?
    /// The arguments with which a harness pays.
    private(set) var defaults: JSON?
    /// The table with the one payee that represents all others.
    let payees: String

    private struct Plan {
        var move: JSON
        var words: String
        var currency: String
        /// Whether the request may name one of the customer's accounts as the payee.
        var namesAccount: Bool
        /// Whether amounts are whole numbers of minor units.
        var isMinor: Bool
    }

    private static let words = ["payment", "transfer", "payout", "pay", "addmoney", "withdraw", "remittance"]
    private static let others = [
        "consent", "cancel", "refund", "webhook", "validat", "search", "authorisation", "authorization", "link", "estimate", "quote",
        "reason", "fee", "schedul", "standing", "request",
        "method", "session", "template", "batch", "bulk", "file", "confirm", "status", "initiationurl",
    ]
    private static let amounts = ["amount", "value", "minorunits", "amountinminor", "totalamount", "sourceamount", "targetamount"]
    private static let currencies = ["currency", "currencycode", "isocurrencycode", "sourcecurrency", "targetcurrency", "ccy"]
    private static let sources = ["source", "debtor", "from", "payer", "sender", "debit", "origin"]
    private static let targets = [
        "target", "creditor", "beneficiary", "to", "destination", "payee", "receiver", "recipient", "counterparty", "credit",
    ]

    /// What accounts are known by outside their bank.
    private static let numbers: Set<String> = ["iban", "bban", "accountnumber", "accountno", "number", "identification", "sortcode"]

    /// - Parameter accounts: the table of accounts; nil if there is none.
    init(
        _ operations: inout [DescribedOperation], tables: DescribedTables, owned: inout OwnedRows, accounts: Int?, keys: DescribedKeys,
        confirmed: Bool
    ) {
        payees = owned.found.contains { $0.name == "payees" } ? "other_payees" : "payees"
        for index in operations.indices where DescribedPayments.isCandidate(operations[index]) {
            let found = operations[index]
            func decline(_ reason: String) {
                choices.append(RoleChoice(state: .declined, role: "pay", operation: found.node.item, reason: reason))
            }
            if let other = DescribedPayments.others.first(where: { DescribedName.plain(found.noun).contains($0) }) {
                decline("its path has \(other), so it does not pay by itself")
                continue
            }
            guard operation == nil, !choices.contains(where: { $0.state == .proposed }) else {
                decline("the role has an operation; add this one to `roles` by hand")
                continue
            }
            let plan: Plan
            do throws(Missing) {
                plan = try DescribedPayments.plan(found, tables: tables, owned: owned, accounts: accounts, payees: payees)
            } catch {
                decline(error.reason)
                continue
            }
            let key = keys.words[index].map { "; key: \($0)" } ?? ""
            choices.append(
                RoleChoice(state: confirmed ? .bound : .proposed, role: "pay", operation: found.node.item, reason: plan.words + key))
            guard confirmed, let accounts, let money = DescribedHoldings.table(owned, accounts, isMinor: plan.isMinor),
                let holds = DescribedHoldings.holds(owned.found[money], isMinor: plan.isMinor)
            else { continue }
            operations[index].move = plan.move
            if operations[index].takes == nil { operations[index].takes = ["json": []] }
            operation = found.name
            owned.set(holds: holds, of: money)
            defaults = DescribedPayments.defaults(owned, accounts, plan)
        }
    }

    private struct Missing: Error { var reason: String }

    private static func isCandidate(_ operation: DescribedOperation) -> Bool {
        guard ["POST", "PUT"].contains(operation.method), !operation.isRead else { return false }
        let noun = DescribedName.plain(operation.noun)
        return words.contains { $0 == "pay" ? noun.hasPrefix($0) : noun.contains($0) }
    }

    private static func plan(
        _ operation: DescribedOperation, tables: DescribedTables, owned: OwnedRows, accounts: Int?, payees: String
    ) throws(Missing) -> Plan {
        guard !operation.fields.isEmpty, !operation.isForm else { throw Missing(reason: "it takes no JSON body with fields") }
        guard let amount = amount(operation.fields) else { throw Missing(reason: "no field of its body is an amount by name and type") }
        guard let accounts else { throw Missing(reason: "no list of accounts was found that could pay") }
        guard let money = DescribedHoldings.table(owned, accounts, isMinor: amount.kind == .whole) else {
            let name = owned.found[accounts].name
            throw Missing(reason: "neither the rows of \(name) nor their balances have an amount that a payment could change")
        }
        let currency = currency(operation.fields, beside: amount)
        let code = DescribedHoldings.currency(owned.found[money]) ?? "GBP"
        let unit = unit(amount)
        let table = owned.found[money].name
        let from = from(operation, tables, accounts)
        let to = operation.fields.first { $0.kind == .text && isAccount($0, targets) }
        let named = currency.map { field in
            JSON.object(known: ["body": .string(field.path), "default": field.isRequired ? nil : .string(code)])
        }
        let move: JSON = [
            "amount": ["body": .string(amount.path)], "unit": .string(unit.rawValue), "currency": named ?? .string(code),
            "from": [table: from.source], "to": .object(known: [table: to.map { ["body": .string($0.path)] }, payees: "anyone"]),
        ]
        let words = [
            "amount: $.\(amount.path) (\(unit.rawValue))",
            "currency: " + (currency.map { "$.\($0.path)" } ?? "\(code), as the accounts have"), "from: \(from.words)",
            "to: " + (to.map { "$.\($0.path), an account of the customer or anyone" } ?? "anyone"),
        ]
        return Plan(
            move: move, words: words.joined(separator: "; "), currency: code, namesAccount: to != nil,
            isMinor: amount.kind == .whole)
    }

    // MARK: fields

    private static func amount(_ fields: [BodyFields.DescribedField]) -> BodyFields.DescribedField? {
        let fitting = fields.filter { field in
            guard let kind = field.kind, [.text, .number, .whole].contains(kind) else { return false }
            let word = DescribedName.plain(field.name)
            let above = field.path.split(separator: ".").dropLast().last.map { DescribedName.plain(String($0)) } ?? ""
            return amounts.contains(word) && (word != "value" || above.contains("amount")) && !field.path.lowercased().contains("fee")
        }
        return fitting.first { $0.isRequired } ?? fitting.first
    }

    private static func currency(
        _ fields: [BodyFields.DescribedField], beside amount: BodyFields.DescribedField
    ) -> BodyFields.DescribedField? {
        let found = fields.filter { $0.kind == .text && currencies.contains(DescribedName.plain($0.name)) }
        let above = amount.path.split(separator: ".").dropLast().joined(separator: ".")
        return found.first { $0.path.split(separator: ".").dropLast().joined(separator: ".") == above }
            ?? found.first { !$0.path.contains(".") }
    }

    private static func unit(_ amount: BodyFields.DescribedField) -> AmountUnit {
        switch amount.kind {
        case .text: .major
        case .number: DescribedName.plain(amount.name).contains("minor") ? .minor : .number
        default: .minor
        }
    }

    /// Whether a field names an account of that side: `debtorAccount.iban`, `source_account_id`, `to`.
    private static func isAccount(_ field: BodyFields.DescribedField, _ words: [String]) -> Bool {
        let steps = field.path.split(separator: ".").map { DescribedName.plain(String($0)) }
        guard let last = steps.last,
            !["name", "currency", "amount", "country", "schemename", "type", "city", "currencycode"].contains(where: last.hasSuffix)
        else { return false }
        return steps.contains { step in
            words.contains {
                step == $0 || $0.count > 2 && step.hasPrefix($0) || $0.count <= 4 && step == "\($0)accountid" || step == "\($0)account"
            }
        }
    }

    /// The paying account: one that the request names by its key, or else the customer's first.
    private static func from(_ operation: DescribedOperation, _ tables: DescribedTables, _ accounts: Int) -> (source: JSON, words: String) {
        if let parameter = operation.path.parameters.first(where: { tables.table(named: $0, operation.path) == accounts }) {
            return (["path": .string(parameter)], "path {\(parameter)}")
        }
        let key = tables.found[accounts].key ?? "id"
        let named = operation.fields.filter { $0.kind == .text && isAccount($0, sources) }
        // `fromAccount` is the account's number, if accounts have one.
        let hasNumber = tables.found[accounts].rows.contains { row in row.keys.contains { numbers.contains(DescribedName.plain($0)) } }
        func isKey(_ field: BodyFields.DescribedField) -> Bool {
            let word = DescribedName.plain(field.name)
            return word == DescribedName.plain(key) || word.hasSuffix("accountid") || word.hasSuffix("accountuid") || word == "from"
                || word == "source" || word.hasSuffix("account") && !hasNumber
        }
        if let field = named.first(where: isKey)
            ?? operation.fields.first(where: {
                $0.kind == .text && DescribedName.isID($0.name, of: "account") && !DescribedName.ids.contains(DescribedName.plain($0.name))
                    && !isAccount($0, targets)
            })
        {
            return (["body": .string(field.path)], "$.\(field.path)")
        }
        let why = named.first.map { "$.\($0.path) may be another number than the accounts' \(key)" } ?? "the request names none"
        return (["customer": "account"], "the customer's first account (\(why))")
    }

    private static func defaults(_ owned: OwnedRows, _ accounts: Int, _ plan: Plan) -> JSON? {
        let rows = owned.found[accounts].rows
        guard let key = owned.found[accounts].key, let first = rows.first?[key] else { return nil }
        let second = plan.namesAccount ? rows.dropFirst().first?[key].map { JSON.string($0.plainText) } : nil
        return ["from": .string(first.plainText), "to": second ?? "anyone", "currency": .string(plan.currency)]
    }
}
