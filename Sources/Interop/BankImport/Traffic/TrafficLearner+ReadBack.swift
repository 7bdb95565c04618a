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
    /// of the object or of one in it, for requests of one customer or of nobody.
    private mutating func addRow(
        _ write: LearnedExchange, _ read: LearnedExchange, _ template: ResponseTemplate, _ operation: inout LearnedOperation
    ) -> Bool {
        let parameters = read.path.parameters
        guard write.method == "POST", parameters.count == 1, let parameter = parameters.first, let id = read.parameters[parameter],
            let whole = read.json?.object, let shown = ShownRow(id, in: whole),
            let index = tables.firstIndex(where: { $0.key == "_key" && $0.path == read.path && $0.belongs == nil }),
            let position = operations.firstIndex(where: { known in known.exchanges.contains { $0.number == read.number } }),
            case .object(var row) = template.template(.object(shown.row)),
            case .template(let response) = operation.response, let recorded = write.json,
            (read.token == nil) == (write.token == nil)
        else { return false }
        let known = tables[index]
        let owner: JSON? = read.token == nil ? nil : .string(customer(read))
        let rows = known.rows.compactMap { old -> JSONObject? in
            guard let id = old["_\(parameter)"]?.string, let whole = LearnedTable.sent(old).object, let other = ShownRow(id, in: whole),
                other.key == shown.key, other.rest == shown.rest
            else { return nil }
            var row = other.row
            row["_customer"] = owner
            return row
        }
        row[shown.key] = ["uuid": .string(ResponseTemplate.prefix(id))]
        let linked = ResponseTemplate.linked(response, recorded, to: shown.row, of: known.name)
        guard rows.count == known.rows.count,
            linked.flattened.contains(where: { $0["inserted"] != nil && $0["field"]?.string == shown.key })
        else { return false }
        var table = LearnedTable(name: known.name, key: shown.key, rows: rows, path: known.path)
        if owner != nil {
            table.belongs = ["_customer": "customer"]
            row["_customer"] = ["customer": "login"]
        }
        tables[index] = table
        let source: JSON = ["path": .string(parameter)]
        operations[position].response = .template(shown.response(self.row(table.name, [(field: shown.key, source: source)])))
        operation.details["insert"] = [table.name: .object(row)]
        operation.response = .template(linked)
        return true
    }
}

/// The object in a response that has a payment's id, and what is around it: `{"data": {"id": "p-1"}}`.
private struct ShownRow {
    let row: JSONObject
    /// The member with the id.
    let key: String
    /// The response with null in place of the row; nil if the response is the row.
    let rest: JSONObject?
    private let member: String?

    /// - Returns: nil if neither the response nor an object in it has the id, or the row cannot be one of a table.
    init?(_ id: String, in response: JSONObject) {
        func idMember(of object: JSONObject) -> String? { object.members.first { $0.value.string == id }?.key }
        if let own = idMember(of: response) {
            row = response
            key = own
            rest = nil
            member = nil
        } else {
            guard let around = response.members.first(where: { $0.value.object.flatMap { idMember(of: $0) } != nil }),
                let inner = around.value.object, let own = idMember(of: inner)
            else { return nil }
            var others = response
            others[around.key] = JSON.null
            row = inner
            key = own
            rest = others
            member = around.key
        }
        guard !TemplateWords.isDirective(row), !row.keys.contains(where: { $0.hasPrefix("_") }) else { return nil }
    }

    /// The template of the response with the template of the row.
    func response(_ row: JSON) -> JSON {
        guard let rest, let member else { return row }
        return TemplateWords.object(rest.compactMapValues { $0 == member ? row : TemplateWords.literal($1) }, of: rest)
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
