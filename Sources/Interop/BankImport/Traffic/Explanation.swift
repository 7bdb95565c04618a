import BankCore
import BankModel

/// Whether differences of two responses are those that a learned movement or insertion makes.
struct Explanation {
    let tables: [LearnedTable]
    /// By table, the keys of rows that the bank adds.
    let newRows: [String: Set<String>]
    /// The members that name the next page.
    let cursors: Set<String>

    func holds(_ before: JSON, _ after: JSON) -> Bool {
        switch (before, after) {
        case (.array(let old), .array(let new)):
            if new.contains(where: isNew) { return new.allSatisfy { isNew($0) || isKnown($0) } }
            return new.count == old.count && zip(old, new).allSatisfy { holds($0, $1) }
        case (.object(let old), .object(let new)):
            if let table = table(of: new) { return isSame(old, new, held: Set(table.holds?.amounts ?? [])) }
            let names = Set(old.keys + new.keys).subtracting(cursors)
            return names.allSatisfy { name in old[name].flatMap { value in new[name].map { holds(value, $0) } } ?? false }
        default: return before == after
        }
    }

    private func table(of row: JSONObject) -> LearnedTable? {
        tables.first { table in row[table.key].map { table.row($0.plainText) != nil } ?? false }
    }

    private func isKnown(_ row: JSON) -> Bool {
        guard let object = row.object, let table = table(of: object), let key = object[table.key]?.plainText,
            let known = table.row(key).flatMap({ LearnedTable.sent($0).object })
        else { return false }
        return isSame(known, object, held: Set(table.holds?.amounts ?? []))
    }

    /// Whether the rows differ in nothing but the amounts that they hold.
    func isSame(_ old: JSONObject, _ new: JSONObject, held: Set<String>, below path: String = "") -> Bool {
        old.keys == new.keys
            && zip(old.members, new.members).allSatisfy { a, b in
                if held.contains(path + a.key) { return true }
                guard let inner = a.value.object, let other = b.value.object else { return a.value == b.value }
                return isSame(inner, other, held: held, below: path + a.key + ".")
            }
    }

    private func isNew(_ row: JSON) -> Bool {
        tables.contains { table in row[table.key].map { newRows[table.name]?.contains($0.plainText) ?? false } ?? false }
    }
}
