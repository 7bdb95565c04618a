package import BankModel

/// The members of a row. A row of a fixture or of a state file has them as an object. One that an operation added has only the
/// values that differ from row to row: 200,000 payments in a session share the rest with their template.
package struct RowFields: Sendable {
    private let content: Content

    private enum Content: Sendable {
        case object(JSONObject)
        case filled(FilledTemplate)
    }

    /// No members.
    static let none = RowFields(JSONObject())

    package init(_ object: JSONObject) { content = .object(object) }

    /// The members that a template gives.
    init(_ filled: FilledTemplate) { content = .filled(filled) }

    /// All members, in order; put together at each call if the row was added.
    package var object: JSONObject {
        switch content {
        case .object(let object): object
        case .filled(let filled): filled.object
        }
    }

    /// The member of that name.
    package subscript(_ key: String) -> JSON? {
        switch content {
        case .object(let object): object[key]
        case .filled(let filled): filled[key]
        }
    }

    /// The value at a dotted path such as `balance.amount`, as ``JSONObject/at(_:)`` finds it; nil if any step is missing.
    package func at(_ path: String) -> JSON? {
        switch content {
        case .object(let object): object.at(path)
        case .filled(let filled): filled.at(path)
        }
    }

    /// These members with those of a later stage of the row: a member of both has the later value in its earlier position.
    func overlaid(with later: RowFields) -> RowFields {
        if case .filled(let first) = content, case .filled(let second) = later.content, let both = first.overlaid(with: second) {
            return RowFields(both)
        }
        var members = object
        for member in later.object.members { members[member.key] = member.value }
        return RowFields(members)
    }
}

/// A template with its values, and perhaps another one that is laid over it.
struct FilledTemplate: Sendable {
    private let base: PreparedTemplate
    /// Its members replace those of the base.
    private let overlay: PreparedTemplate?
    /// One for each slot of the base, then of the overlay; nil if it is missing.
    private let values: [JSON?]

    /// - Parameter values: one for each of the template's slots; nil if it is missing.
    init(_ template: PreparedTemplate, _ values: [JSON?]) { self.init(base: template, overlay: nil, values) }

    private init(base: PreparedTemplate, overlay: PreparedTemplate?, _ values: [JSON?]) {
        self.base = base
        self.overlay = overlay
        self.values = values
    }

    private var first: ArraySlice<JSON?> { values[..<base.slots.count] }
    private var second: ArraySlice<JSON?> { values[base.slots.count...] }

    var object: JSONObject {
        var members = base.members.compactMap { member in member.value(first).map { (key: member.key, value: $0) } }
        guard let overlay else { return JSONObject(unique: members) }
        let count = members.count
        for member in overlay.members {
            guard let value = member.value(second) else { continue }
            if let position = members[..<count].firstIndex(where: { $0.key == member.key }) {
                members[position].value = value
            } else {
                members.append((member.key, value))
            }
        }
        return JSONObject(unique: members)
    }

    subscript(_ key: String) -> JSON? {
        overlay?.members.first { $0.key == key }?.value(second) ?? base.members.first { $0.key == key }?.value(first)
    }

    func at(_ path: String) -> JSON? {
        if let direct = self[path] { return direct }
        guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return self[String(path[..<dot])]?.at(String(path[path.utf8.index(after: dot)...]))
    }

    /// Nil if either has an overlay already.
    func overlaid(with later: FilledTemplate) -> FilledTemplate? {
        guard overlay == nil, later.overlay == nil else { return nil }
        var values: [JSON?] = []
        values.reserveCapacity(self.values.count + later.values.count)
        values += self.values
        for member in base.members {
            // A value that is no longer shown is not stored either. Its member remains, to keep its position: a missing one has none.
            guard case .slot(let slot) = member.part, values[slot] != nil, later[member.key] != nil else { continue }
            values[slot] = .some(.null)
        }
        values += later.values
        return FilledTemplate(base: base, overlay: later.base, values)
    }
}

extension PreparedTemplate.Member {
    /// Its value, if it is not missing.
    fileprivate func value(_ values: ArraySlice<JSON?>) -> JSON? {
        switch part {
        case .fixed(let value): value
        case .slot(let slot): values[values.startIndex + slot]
        case .object(let members):
            .object(JSONObject(unique: members.compactMap { member in member.value(values).map { (key: member.key, value: $0) } }))
        }
    }
}
