import BankCore
import BankModel

extension Expectation {
    /// Expects what a template makes: its literals as they are, the rest by form.
    ///
    /// - Parameters:
    ///   - json: what was made of it.
    ///   - operation: defines the members of a row that it adds.
    ///   - bank: defines which of a row's fields are always present.
    mutating func read(_ json: JSON, _ template: Template, _ path: String, _ operation: Operation, _ bank: Bank) -> JSON? {
        switch template {
        case .literal: return json
        case .value(let source): return value(json, source, path)
        case .page: return nil
        case .inserted(let field):
            guard field == nil, let row = operation.insert?.row, json.object != nil else { return infer([json], path) }
            return read(json, row, path, operation, bank)
        case .row(let query):
            guard query.field == nil else { return infer([json], path) }
            return infer([json.keeping(bank.tables[query.table])], path)
        case .rows(let query): return infer([.array(json.array?.map { $0.keeping(bank.tables[query.table]) } ?? [])], path)
        case .array(let elements):
            guard let list = json.array, list.count == elements.count else { return infer([json], path) }
            return .array(
                zip(list, elements).enumerated().compactMap { index, pair in read(pair.0, pair.1, "\(path)[\(index)]", operation, bank) })
        case .object(let members):
            guard let object = json.object else { return infer([json], path) }
            var example = JSONObject()
            for member in members {
                guard let value = object[member.key] else { continue }
                example[member.key] = read(value, member.value, Expectation.path(path, member.key), operation, bank)
            }
            return .object(example)
        }
    }

    private mutating func value(_ json: JSON, _ source: ValueSource, _ path: String) -> JSON? {
        if case .literal = source { return json }
        return infer([json], path)
    }

    /// Expects a rejection's content: codes and numbers as they are, sentences as texts.
    mutating func rejection(_ json: JSON, _ path: String) -> JSON? {
        switch json {
        case .string(let text):
            if text.contains(" ") { add(path, ["match": "type"]) }
            return json
        case .array(let elements):
            return .array(elements.enumerated().compactMap { rejection($1, "\(path)[\($0)]") })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.compactMap { key, value in rejection(value, Expectation.path(path, key)).map { (key: key, value: $0) } })
            )
        case .null, .bool, .number: return json
        }
    }
}

extension JSON {
    /// A row without the fields that other rows of the table's fixture leave out or have as null.
    fileprivate func keeping(_ table: Table?) -> JSON {
        guard let table, !table.rows.isEmpty else { return self }
        return table.rows.prefix(500).reduce(self) { $0.keeping(those: .object($1)) }
    }

    private func keeping(those other: JSON) -> JSON {
        guard let object, let other = other.object else { return self }
        return .object(
            JSONObject(
                object.members.compactMap { key, value in
                    guard let theirs = other[key], theirs != .null else { return nil }
                    return (key: key, value: value.keeping(those: theirs))
                }))
    }
}
