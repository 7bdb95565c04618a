import BankCore
import BankModel

/// Lets a client read a payment by the id in its response.
extension TrafficLearner {
    /// Makes the payment add the row that the recorded one was read as; lists that read if its row cannot be learned.
    ///
    /// - Parameter operation: with the response to a new payment.
    mutating func readBack(_ write: LearnedExchange, _ template: ResponseTemplate, _ operation: inout LearnedOperation) {
        let texts = Set((write.json?.leaves ?? []).compactMap(\.value.string))
        let read = exchanges.first { read in
            guard read.method == "GET", read.isSuccess, read.number > write.number else { return false }
            return read.path.parameters.last.flatMap { read.parameters[$0] }.map(texts.contains) ?? false
        }
        guard let read else { return }
        if !addRow(write, read, template, &operation) {
            note(.approximate, read, "each payment has an id of its own, and this operation knows only that of the recorded one")
        }
    }

    /// Whether the payment now adds a row that the operation of the read shows: an object at an address with one parameter, which is a member
    /// of the object, for requests of one customer or of nobody.
    private mutating func addRow(
        _ write: LearnedExchange, _ read: LearnedExchange, _ template: ResponseTemplate, _ operation: inout LearnedOperation
    ) -> Bool {
        let parameters = read.path.parameters
        guard write.method == "POST", parameters.count == 1, let parameter = parameters.first, let id = read.parameters[parameter],
            let shown = read.json?.object, !TemplateWords.isDirective(shown),
            let key = shown.members.first(where: { $0.value.string == id })?.key,
            let index = tables.firstIndex(where: { $0.key == "_key" && $0.path == read.path && $0.belongs == nil }),
            tables[index].rows.allSatisfy({ $0[key] == $0["_\(parameter)"] }),
            let position = operations.firstIndex(where: { known in known.exchanges.contains { $0.number == read.number } }),
            case .object(var row) = template.template(.object(shown)),
            case .template(let response) = operation.response, let recorded = write.json,
            (read.token == nil) == (write.token == nil)
        else { return false }
        row[key] = ["uuid": .string(ResponseTemplate.prefix(id))]
        let known = tables[index]
        let linked = ResponseTemplate.linked(response, recorded, to: shown, of: known.name)
        guard linked.flattened.contains(where: { $0["inserted"] != nil && $0["field"]?.string == key }) else { return false }
        let owner: JSON? = read.token == nil ? nil : .string(customer(read))
        let rows = known.rows.map { old -> JSONObject in
            var kept = JSONObject(old.members.filter { $0.key != "_key" && $0.key != "_\(parameter)" })
            kept["_customer"] = owner
            return kept
        }
        var table = LearnedTable(name: known.name, key: key, rows: rows, path: known.path)
        if owner != nil {
            table.belongs = ["_customer": "customer"]
            row["_customer"] = ["customer": "login"]
        }
        tables[index] = table
        operations[position].response = .template(self.row(table.name, [(field: key, source: ["path": .string(parameter)])]))
        operation.details["insert"] = [table.name: .object(row)]
        operation.response = .template(linked)
        return true
    }
}

extension ResponseTemplate {
    /// The template of a payment's response with the inserted row's field for each new id that the row has, too.
    ///
    /// - Parameters:
    ///   - recorded: the response of which the template was made.
    ///   - shown: the recorded row.
    fileprivate static func linked(_ template: JSON, _ recorded: JSON, to shown: JSONObject, of table: String) -> JSON {
        if template["uuid"] != nil, let name = shown.members.first(where: { $0.value == recorded })?.key {
            return ["inserted": .string(table), "field": .string(name)]
        }
        guard let members = template.object, let object = recorded.object else { return template }
        return .object(
            members.compactMapValues { name, value in object[name].map { linked(value, $0, to: shown, of: table) } ?? value })
    }
}
