import BankCore
import BankModel
import Foundation

/// Finds what writes change: money between rows, and rows that are new.
extension TrafficLearner {
    /// - Returns: the exchanges that a learned operation does not answer.
    mutating func learnWrite(_ call: [LearnedExchange]) -> [LearnedExchange] {
        guard let write = call.first(where: { $0.isSuccess && !$0.reportsFailure && $0.requestJSON?.object != nil }),
            write.method == "POST" || write.method == "PUT"
        else {
            let paid = call.first { $0.isSuccess && !$0.reportsFailure }
            if let paid, paid.requestJSON?.object == nil { _ = unbound(paid, "its body is not a JSON object") }
            return call
        }
        if var operation = payment(write, call) ?? insertion(write, call) {
            if let failed = call.first(where: \.reportsFailure), let json = failed.json {
                operation.details["business_failure"] = TemplateWords.literal(json)
                note(.approximate, failed, "the bank sends this failure with a success status only if the fault `business-failure` is set")
            }
            add(operation)
            return call.filter { $0.status >= 400 && operation.details["key"] == nil && $0.status != 422 && $0.status != 402 }
        }
        return call
    }

    // MARK: payments

    private static let senders = ["from", "source", "debtor", "debit", "sender", "payer", "account"]
    private static let receivers = ["to", "target", "dest", "creditor", "payee", "benefic", "recipient", "credit", "receiver"]

    /// Beside the digits of an amount: `{"unscaledValue": "1250", "scale": 2}`.
    private static let scales: Set<String> = ["scale", "exponent", "decimals", "precision", "fractiondigits"]

    private mutating func payment(_ write: LearnedExchange, _ call: [LearnedExchange]) -> LearnedOperation? {
        guard let body = write.requestJSON else { return nil }
        let leaves = body.leaves
        let amounts = leaves.filter { leaf in
            let words = leaf.path.split(separator: ".").map { RecordedExchange.plain(String($0)) }
            let isAmount = words.contains { AmountUnit.withoutUnit($0).hasSuffix("amount") || $0 == "value" }
            return isAmount && !TrafficLearner.scales.contains(words.last ?? "")
                && (leaf.value.number != nil || Double(leaf.value.string ?? "") != nil)
        }
        guard write.role == .pay || !amounts.isEmpty else { return nil }
        guard let amount = amounts.first, amounts.count == 1 else {
            return unbound(write, amounts.isEmpty ? "its body has no amount" : "its body has \(amounts.count) amounts")
        }
        func binding(_ words: [String], not others: [String], _ isTable: (LearnedTable) -> Bool) -> Binding? {
            let inPath = write.path.parameters.map { (path: $0, value: JSON.string(write.parameters[$0] ?? ""), isInPath: true) }
            let inBody = leaves.map { (path: $0.path, value: $0.value, isInPath: false) }
            for location in inBody + inPath {
                let name = RecordedExchange.plain(location.path)
                guard words.contains(where: name.contains), !others.contains(where: name.hasPrefix) else { continue }
                if let table = tables.first(where: { isTable($0) && $0.row(location.value.plainText) != nil }) {
                    return Binding(table: table.name, key: location.value.plainText, path: location.path, isInPath: location.isInPath)
                }
            }
            return nil
        }
        guard let from = binding(TrafficLearner.senders, not: TrafficLearner.receivers, { $0.holds != nil }) else {
            return unbound(write, lackOfPayer)
        }
        var to = binding(TrafficLearner.receivers, not: ["from", "source", "debtor"], { $0.key != "_key" }).flatMap {
            $0.key == from.key ? nil : $0
        }
        let change = amount.value.exactDecimal.flatMap { fall(write, by: $0, of: from) }
        // A balance that falls shows that money moves, wherever it goes.
        guard to != nil || change?.amounts.isEmpty == false else {
            return unbound(write, "no member names a recorded row that is paid, and no balance fell")
        }
        let code = leaves.first { LearnedHolds.isCurrency($0.path, $0.value) }
        let payer = self.currency(of: from)
        guard let currency = code?.value ?? payer else { return unbound(write, "its currency is unknown") }
        guard payer == currency else {
            return unbound(write, "the account that pays has another currency than the payment")
        }
        if let payee = to.flatMap({ self.currency(of: $0) }), payee != currency {
            note(.approximate, write, "the account that is paid has another currency; the bank does not credit it")
            to = nil
        }
        var operation = LearnedOperation(write, among: call.filter { $0.isSuccess })
        operation.role = .pay
        operation.name = "pay"
        var move = JSONObject([
            ("amount", ["body": .string(amount.path)]), ("unit", .string(AmountUnit.of(amount.value, amount.path).rawValue)),
            ("currency", code.map { ["body": .string($0.path)] } ?? currency), ("from", from.json), ("to", to?.json ?? anyone()),
        ])
        let template = ResponseTemplate(write: write, leaves: leaves)
        let required = [amount.path, code?.path] + [from, to].map { $0?.isInPath == false ? $0?.path : nil }
        operation.details["takes"] = ["json": .array(Set(required.compactMap(\.self)).sorted().map(JSON.string))]
        if write.hasKey {
            operation.details["key"] = "dialect"
        } else if write.method == "PUT", case .parameter(let name)? = write.path.parts.last, name != from.path, name != to?.path {
            operation.details["key"] = ["path": .string(name)]
        }
        if let to { move["lists"] = listed(write, call, amount, from: from, to: to) }
        operation.details["move"] = .object(move)
        setBalance(write, change, from)
        operation.response = write.json.map { .template(template.payment($0)) } ?? .none
        readBack(write, template, &operation)
        setHeaders(&operation)
        if let location = write.header("location") {
            operation.headers.removeAll { $0.value == location }
            note(.ignored, write, "the header Location of a new payment cannot be converted")
        }
        return operation
    }

    /// Where a request names a row.
    struct Binding {
        var table: String
        var key: String
        var path: String
        var isInPath: Bool

        var json: JSON { [table: [isInPath ? "path" : "body": .string(path)]] }
    }

    /// The currency of the row; nil if it has no balance.
    private func currency(of binding: Binding) -> JSON? {
        guard let table = tables.first(where: { $0.name == binding.table }), let held = table.holds else { return nil }
        return table.row(binding.key).flatMap { JSON.object($0).at(held.currency) }
    }

    /// Why no recorded row pays.
    private var lackOfPayer: String {
        if !tables.contains(where: { $0.holds != nil }), let table = tables.first(where: { $0.balanceList != nil }),
            let member = table.balanceList
        {
            return "the balances of `\(table.name)` are a list, `\(member)`, which no payment changes; "
                + "Stubs/berlin/bank.yaml makes such a list of a balance"
        }
        return "no member or part of the path names a recorded row with a balance that pays"
    }

    private func unbound(_ write: LearnedExchange, _ reason: String) -> LearnedOperation? {
        guard write.role == .pay else { return nil }
        note(.approximate, write, "this payment moves no money in the bank: \(reason); its response is sent as recorded")
        return nil
    }

    /// Somebody who is paid and of whom nothing was recorded.
    private mutating func anyone() -> JSON {
        let name = "recipients"
        if let path = PathTemplate("/\(name)"), !tables.contains(where: { $0.name == name }) {
            tables.append(LearnedTable(name: name, key: "id", rows: [JSONObject([("id", "anyone")])], path: path))
        }
        return [name: "anyone"]
    }

    /// The amounts of the row that pays which fell by the payment, and the response that shows it; nil if the row was not read before and
    /// after it.
    private func fall(_ write: LearnedExchange, by paid: Decimal, of from: Binding) -> (amounts: [String], after: LearnedExchange)? {
        guard let table = tables.first(where: { $0.name == from.table }), let held = table.holds else { return nil }
        let reads = exchanges.filter { $0.isSuccess && $0.method == "GET" && $0.path == table.path }
        func row(_ exchange: LearnedExchange) -> JSON? {
            guard let list = lists[table.name] else { return exchange.parameters.values.contains(from.key) ? exchange.json : nil }
            return LearnedList.rows(exchange.json, list.path).first { $0[table.key]?.plainText == from.key }
        }
        guard let before = reads.last(where: { $0.number < write.number && row($0) != nil }),
            let after = reads.first(where: { $0.number > write.number && row($0) != nil }), after.era == before.era + 1
        else { return nil }
        let fallen = held.amounts.filter { path in
            guard let old = row(before)?.at(path)?.exactDecimal, let new = row(after)?.at(path)?.exactDecimal else { return false }
            return old - new == paid
        }
        return (fallen, after)
    }

    /// The amounts that fell are what the payment changes.
    private mutating func setBalance(_ write: LearnedExchange, _ change: (amounts: [String], after: LearnedExchange)?, _ from: Binding) {
        guard let index = tables.firstIndex(where: { $0.name == from.table }) else { return }
        tables[index].holds?.hasLowest = dialect.responses[.insufficientFunds] != nil
        guard let change else { return }
        if change.amounts.isEmpty {
            note(
                .approximate, change.after,
                "the balance did not fall by the amount of exchange \(write.number); in the bank it does, and at once")
        } else {
            tables[index].holds?.amounts = change.amounts
        }
    }

    // MARK: rows

    /// The row that a payment adds to a list of the account, as the bank writes it; nil if there is none, or it cannot be converted.
    private mutating func listed(
        _ write: LearnedExchange, _ call: [LearnedExchange], _ amount: (path: String, value: JSON), from: Binding, to: Binding
    ) -> JSON? {
        for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
            guard let table = tables.first(where: { $0.name == name }), let parameter = table.path.parameters.last, name != from.table,
                let found = newRow(in: table, list, after: write, { $0.parameters[parameter] == from.key })
            else { continue }
            guard to.table != from.table else {
                note(.approximate, found.exchange, "the rows of a payment between accounts are not added to \(name)")
                return nil
            }
            var row = JSONObject()
            row[table.key] = ["uuid": .string(ResponseTemplate.prefix(found.row[table.key]?.plainText ?? ""))]
            row["_\(parameter)"] = ["side": "account"]
            var isSaid = false
            let other = tables.first { $0.name == to.table }?.row(to.key)?.members ?? []
            func templated(_ value: JSON, _ key: String) -> JSON {
                if LearnedHolds.isCurrency(key, value) { return ["move": "currency"] }
                if let field = other.first(where: { $0.value == value && !value.isContainer && value != .null }) {
                    return ["side": .string("other.\(field.key)")]
                }
                if let object = value.object {
                    let wasSaid = isSaid
                    let templates = object.compactMapValues { templated($1, $0) }
                    if TemplateWords.isDirective(templates) { isSaid = wasSaid }
                    return TemplateWords.object(templates, of: object)
                }
                if let paid = amount.value.exactDecimal, let shown = value.exactDecimal, !isSaid, shown == paid || shown == -paid {
                    isSaid = true
                    return ["move": shown == paid ? "amount" : "signed"]
                }
                return ResponseTemplate.time(value, write) ?? TemplateWords.literal(value)
            }
            for member in found.row.members where member.key != table.key { row[member.key] = templated(member.value, member.key) }
            guard isSaid else {
                note(.approximate, found.exchange, "a payment's row in \(name) has another amount; the bank adds none")
                return nil
            }
            newRows[name, default: []].insert(found.row[table.key]?.plainText ?? "")
            return [["in": .string(name), "side": .string(from.table), "row": .object(row)]]
        }
        return nil
    }

    /// The first row of a later response that is in none before the write.
    private func newRow(
        in table: LearnedTable, _ list: LearnedList, after write: LearnedExchange, _ fits: (LearnedExchange) -> Bool = { _ in true }
    ) -> (row: JSONObject, exchange: LearnedExchange)? {
        let reads = exchanges.filter { $0.isSuccess && $0.method == "GET" && $0.path == table.path && fits($0) }
        let known = Set(table.rows.compactMap { $0[table.key]?.plainText })
        for read in reads where read.number > write.number && read.era == write.era + 1 {
            for row in LearnedList.rows(read.json, list.path) {
                if let object = row.object, let key = object[table.key]?.plainText, !known.contains(key) { return (object, read) }
            }
        }
        return nil
    }

    /// A write whose response is a row that a later list has.
    private mutating func insertion(_ write: LearnedExchange, _ call: [LearnedExchange]) -> LearnedOperation? {
        guard write.method == "POST", let response = write.json?.object else { return nil }
        for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
            guard let table = tables.first(where: { $0.name == name }), let id = response[table.key]?.plainText,
                let found = newRow(in: table, list, after: write), found.row[table.key]?.plainText == id
            else { continue }
            let leaves = (write.requestJSON ?? .null).leaves
            let template = ResponseTemplate(write: write, leaves: leaves)
            guard !TemplateWords.isDirective(found.row), case .object(var row) = template.template(.object(found.row)) else { continue }
            for parameter in table.path.parameters {
                guard write.path.parameters.contains(parameter) else { return nil }
                row["_\(parameter)"] = ["path": .string(parameter)]
            }
            if table.belongs == "owner" { row["_customer"] = ["customer": "login"] }
            var operation = LearnedOperation(write, among: call.filter { $0.isSuccess })
            operation.details["takes"] = ["json": .array(leaves.prefix(1).map { .string($0.path) })]
            if write.hasKey { operation.details["key"] = "dialect" }
            if table.belongs?.object != nil { operation.details["parent"] = parent(table) }
            operation.details["insert"] = [name: .object(row)]
            let isRow = JSON.object(found.row) == .object(response)
            operation.response = .template(isRow ? ["inserted": .string(name)] : template.template(.object(response)))
            setHeaders(&operation)
            operation.headers.removeAll { $0.name.lowercased() == "location" }
            newRows[name, default: []].insert(id)
            return operation
        }
        return nil
    }

    private func parent(_ table: LearnedTable) -> JSON? {
        guard let member = table.belongs?.object?.members.first, let name = member.value.string else { return nil }
        return [name: ["path": .string(String(member.key.dropFirst()))]]
    }
}
