/// Reads one mapping by its schema.
///
///     static let ttl = Field("ttl", .duration, "after which the rule is removed")
///     static let schema = ObjectSchema("a rule", fields: [ttl])
///
///     let fields = Fields(node, of: Self.schema, complaints)
///     let ttl = fields[Self.ttl]
///     fields.finish()      // complains of every unknown key, with the nearest known one
///
/// Schema and reader cannot part: asking for a key that is not declared, and a reading without complaints that has not asked
/// for every declared key, are assertions.
package final class Fields {
    package let node: Node
    private let what: String
    private let schema: ObjectSchema?
    private let complaints: Complaints
    private let complaintsBefore: Int
    private let members: [(key: Node, value: Node)]
    private var asked: [String] = []
    /// The unknown keys that were complained of before ``finish()``.
    private var misspelt: Set<String> = []

    /// The number of unknown keys that are compared with all known ones, at 50 µs each: no more than these are shown (`bounded`).
    private static let mostHints = 101

    /// The fields of a mapping, which messages call `what`; of something else, which is a complaint, every field is missing.
    package convenience init(_ node: Node, of what: String, _ complaints: Complaints) {
        self.init(node, of: what, schema: nil, complaints)
    }

    /// The fields of a mapping with known keys. If the node is something else, a complaint is made and every field is missing.
    ///
    /// - Parameter what: what complaints call it if it has a name: "the table `accounts`".
    package convenience init(_ node: Node, of schema: ObjectSchema, called what: String? = nil, _ complaints: Complaints) {
        self.init(node, of: what ?? schema.what, schema: schema, complaints)
    }

    private init(_ node: Node, of what: String, schema: ObjectSchema?, _ complaints: Complaints) {
        self.node = node
        self.what = what
        self.schema = schema
        self.complaints = complaints
        complaintsBefore = complaints.all.count
        guard case .mapping(let members) = node.content else {
            complaints.add(found: node.kindName, expected: "\(what), a mapping", at: node.position)
            self.members = []
            return
        }
        self.members = members
    }

    package var keys: [String] { members.compactMap(\.key.scalar) }

    /// All members in order, for mappings whose keys are names of the file's own; none counts as unknown afterwards.
    package var all: [(key: String, keyNode: Node, value: Node)] {
        asked += keys
        return members.compactMap { member in member.key.scalar.map { ($0, member.key, member.value) } }
    }

    /// The value of an optional key.
    package subscript(_ key: String) -> Node? {
        precondition(schema?.keys.contains(key) ?? true, "`\(key)` is not declared in the schema of \(what)")
        asked.append(key)
        return members.first { $0.key.scalar == key }?.value
    }

    /// The value of a key that must be there; a complaint if it is not, and one of each unknown key that is spelt almost like it.
    package func required(_ key: String) -> Node? {
        if let value = self[key] { return value }
        guard case .mapping = node.content else { return nil }
        complaints.add("`\(key)` is missing in \(what)", at: node.position)
        complainOfMisspellings(of: [key])
        return nil
    }

    /// Complains of the unknown keys that are spelt almost like one of these: a reader without a required key may not get to ``finish()``.
    private func complainOfMisspellings(of missing: [String]) {
        let known = schema?.keys ?? []
        for name in keys.lazy.filter({ !known.contains($0) }).prefix(Fields.mostHints) {
            guard let nearest = nearestName(to: name, among: known), missing.contains(nearest), misspelt.insert(name).inserted,
                let position = members.first(where: { $0.key.scalar == name })?.key.position
            else { continue }
            complaints.add("unknown key `\(name)` in \(what); did you mean `\(nearest)`?", at: position)
        }
    }

    /// The value of a declared key: its default if it is absent and has one; nil if it is absent, or wrong, which is complained of.
    package subscript<Value>(_ field: Field<Value>) -> Value? {
        if case .wrong = field.absence { return required(field.key).flatMap { field.format.read($0, complaints) } }
        if let node = self[field.key] { return field.format.read(node, complaints) }
        if case .standard(let value) = field.absence { return value() }
        return nil
    }

    /// The node of a declared key; nil if it is absent.
    package func node<Value>(of field: Field<Value>) -> Node? { self[field.key] }

    /// The value of the one of these keys that is there; nil, and a complaint that names `what`, if none or several are.
    package func exactlyOne<Value>(of fields: [Field<Value>], _ what: String) -> Value? {
        let given = fields.filter { node(of: $0) != nil }
        guard given.count == 1 else {
            complaints.add(
                found: given.isEmpty ? "no \(what)" : given.map { "`\($0.key)`" }.joined(separator: " and "),
                expected: "one of \(fields.map(\.key).joined(separator: ", "))", at: node.position)
            if given.isEmpty { complainOfMisspellings(of: fields.map(\.key)) }
            return nil
        }
        return self[given[0]]
    }

    /// Complains of every key that is not declared, or without a schema of every key that was not asked for.
    package func finish() {
        precondition(
            schema.map { Set($0.keys).isSubset(of: asked) } ?? true || complaints.all.count > complaintsBefore,
            "the reader of \(what) has not asked for \((schema?.keys ?? []).filter { !asked.contains($0) })")
        let known = schema?.keys ?? asked
        var count = 0
        for (key, _) in members {
            let name = key.scalar ?? key.kindName
            guard !known.contains(name), !misspelt.contains(name) else { continue }
            count += 1
            guard count <= Fields.mostHints else {
                complaints.add("unknown key `\(name)` in \(what)", at: key.position)
                continue
            }
            let names = known.isEmpty ? "it has no keys" : "known keys are \(known.joined(separator: ", "))"
            let hint = didYouMean(name, among: known, otherwise: "; \(names)")
            complaints.add("unknown key `\(name)` in \(what)\(hint)", at: key.position)
        }
    }
}
