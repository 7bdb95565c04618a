import BankCore
import BankModel

/// Finds lists in the examples of responses, and makes tables of their rows.
struct DescribedTables {
    /// A list that became a table.
    struct Found {
        var table: String
        /// The field by which a row is known.
        var key: String
        var rows: [JSON]
    }

    private var names = Names()
    private(set) var found: [Found] = []
    /// The table of the same rows, by their canonical form.
    private var byRows: [[UInt8]: Int] = [:]
    /// The table that each list's path shows.
    private var byPath: [PathTemplate: Int] = [:]
    /// The media type of responses that are made of templates.
    let contentType: String

    init(contentType: String) { self.contentType = contentType }

    /// The response of a list's operation: the rows of a table, and all else as it stands.
    ///
    /// - Returns: nil if the example is no list, or its rows have no key.
    mutating func list(_ operation: DescribedOperation) -> JSON? {
        guard operation.method == "GET", let body = operation.body, let json = body.json, body.type == contentType else { return nil }
        if let rows = json.array { return add(rows, operation.path.lastWord, operation.path).map { ["rows": .string($0)] } }
        guard let object = json.object, !object.members.contains(where: { TemplateWords.occur(in: .object(JSONObject([$0]))) }) else {
            return nil
        }
        let lists = object.members.filter { $0.value.array?.isEmpty == false && $0.value.array?.allSatisfy { $0.object != nil } == true }
        guard lists.count == 1, let list = lists.first, let rows = list.value.array else { return nil }
        guard let table = add(rows, list.key, operation.path) else { return nil }
        var reply = JSONObject()
        for member in object.members {
            if member.key == list.key { reply[member.key] = ["rows": .string(table)] } else { reply[member.key] = literal(member.value) }
        }
        return .object(reply)
    }

    /// The response of an operation that shows one row of a list: `GET /accounts/{id}`, where `GET /accounts` lists it.
    func row(_ operation: DescribedOperation) -> JSON? {
        guard operation.method == "GET", let body = operation.body, body.type == contentType, let json = body.json else { return nil }
        guard case .parameter(let name)? = operation.path.parts.last else { return nil }
        var parent = operation.path
        parent.parts.removeLast()
        guard let list = byPath[parent].map({ found[$0] }), list.rows.contains(json) else { return nil }
        let wanted: JSON = ["path": .string(name)]
        return ["row": .string(list.table), "where": .object(JSONObject([(key: list.key, value: wanted)]))]
    }

    private mutating func add(_ rows: [JSON], _ name: String, _ path: PathTemplate) -> String? {
        guard let key = DescribedTables.key(rows) else { return nil }
        // The same rows under another address are the same table.
        let form = JSON.array(rows).canonical
        if let known = byRows[form] {
            byPath[path] = known
            return found[known].table
        }
        let table = names.kept(name)
        byRows[form] = found.count
        byPath[path] = found.count
        found.append(Found(table: table, key: key, rows: rows))
        return table
    }

    /// The field by which rows are known: of a name that ends as ids do, with another text or number in each row.
    static func key(_ rows: [JSON]) -> String? {
        guard !rows.isEmpty, rows.allSatisfy({ row in row.object.map { !$0.keys.contains { $0.hasPrefix("_") } } ?? false }) else {
            return nil
        }
        let candidates = rows[0].object?.keys.filter { name in
            let lower = name.lowercased()
            return lower.hasSuffix("id") || lower == "key" || lower == "number" || lower == "code"
        }
        return candidates?.first { name in
            let values = rows.compactMap { row -> String? in
                switch row[name] {
                case .string(let text)?: text.isEmpty ? nil : text
                case .number(let number)?: number.digits
                default: nil
                }
            }
            return values.count == rows.count && Set(values).count == rows.count
        }
    }

    private func literal(_ value: JSON) -> JSON {
        switch value {
        case .object, .array: ["literal": value]
        default: value
        }
    }
}

extension PathTemplate {
    /// The last part that is no parameter; `rows` if there is none.
    fileprivate var lastWord: String {
        parts.lazy.reversed().compactMap { part in if case .literal(let text) = part, !text.isEmpty { text } else { nil } }.first ?? "rows"
    }
}
