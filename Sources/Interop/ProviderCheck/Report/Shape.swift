package import BankModel

/// The shape of JSON at one location, gathered from any number of examples; the elements of an array count as examples of one location.
package struct Shape: Sendable, Hashable {
    /// Every kind of value that was seen here.
    package private(set) var kinds: Set<ValueKind> = []
    /// How many of the examples were objects.
    package private(set) var objects = 0
    /// The members of those objects, in the order in which they were first seen.
    package private(set) var members: [Member] = []
    /// Where each member is: an object may have as many names as rows, such as one that has accounts by their ids.
    private var positions: [String: Int] = [:]
    /// The shape of the elements of those examples that were arrays; nil if no array had any.
    package var elements: Shape? { gathered.first }
    /// At most one: a value cannot hold another of the same type.
    private var gathered: [Shape] = []

    /// A member of an object.
    package struct Member: Sendable, Hashable {
        package let name: String
        /// How many of the objects had it.
        package fileprivate(set) var count = 0
        package fileprivate(set) var shape = Shape()
    }

    /// The shape of nothing: no example was seen.
    package init() {}

    package init(_ value: JSON) { add(value) }

    /// Whether no example was seen.
    package var isUnknown: Bool { kinds.isEmpty }

    /// Adds one more example.
    package mutating func add(_ value: JSON) {
        kinds.insert(ValueKind(value))
        switch value {
        case .null, .bool, .number, .string: break
        case .array(let values):
            guard !values.isEmpty else { return }
            if gathered.isEmpty { gathered.append(Shape()) }
            for value in values { gathered[0].add(value) }
        case .object(let object):
            objects += 1
            for (name, value) in object.members { take(name, value) }
        }
    }

    private mutating func take(_ name: String, _ value: JSON) {
        let position = positions[name] ?? members.endIndex
        if position == members.endIndex {
            members.append(Member(name: name))
            positions[name] = position
        }
        members[position].count += 1
        members[position].shape.add(value)
    }

    /// The member of that name; nil if no object had it.
    package subscript(_ name: String) -> Member? { positions[name].map { members[$0] } }

    /// The kinds in words: `a text or null`; `nothing` of no example.
    package var text: String { kinds.isEmpty ? "nothing" : kinds.sorted().map(\.description).joined(separator: " or ") }
}

/// Two shapes held against each other.
package struct ShapeComparison: Sendable, Hashable {
    package private(set) var drifts: [Drift] = []
    /// Locations for which one side showed nothing, such as the elements of a list that was empty: nothing is known of them.
    package private(set) var uncompared: [String] = []

    /// Compares what a provider gives with what the stub gives.
    ///
    /// It is drift if a client that reads all that the stub shows could stumble over the provider: a field that is always there at
    /// the stub and not at the provider, a field that the stub never has, a kind of value that the stub never shows. That the
    /// provider shows less variety is none.
    package init(stub: Shape, provider: Shape) { compare(stub, provider, at: "") }

    private mutating func compare(_ stub: Shape, _ provider: Shape, at pointer: String) {
        guard !stub.isUnknown, !provider.isUnknown else {
            if stub.isUnknown != provider.isUnknown { uncompared.append(pointer) }
            return
        }
        if !provider.kinds.allSatisfy({ kind in stub.kinds.contains { $0.covers(kind) } }) {
            drifts.append(Drift(.otherType, at: pointer, stub: stub.text, provider: provider.text))
        }
        if stub.objects > 0, provider.objects > 0 { compareMembers(stub, provider, at: pointer) }
        if stub.kinds.contains(.array), provider.kinds.contains(.array) {
            compare(stub.elements ?? Shape(), provider.elements ?? Shape(), at: pointer + "/*")
        }
    }

    private mutating func compareMembers(_ stub: Shape, _ provider: Shape, at pointer: String) {
        for member in stub.members {
            let location = pointer + "/" + member.name.pointerStep
            let other = provider[member.name]
            let count = other?.count ?? 0
            if member.count == stub.objects, count < provider.objects {
                let seen = count == 0 ? "nothing" : "\(other?.shape.text ?? "nothing") in \(count) of \(provider.objects)"
                drifts.append(Drift(.missingField, at: location, stub: member.shape.text, provider: seen))
            }
            if let other { compare(member.shape, other.shape, at: location) }
        }
        var added: Set<Drift> = []
        for member in provider.members where stub[member.name] == nil {
            let location = pointer + "/" + ShapeComparison.shown(member.name).pointerStep
            let drift = Drift(.newField, at: location, stub: "nothing", provider: member.shape.text)
            // Names that are data are shown as one.
            if added.insert(drift).inserted { drifts.append(drift) }
        }
    }

    /// A member's name as it may be printed: one that looks like data, such as an account number, is not printed.
    private static func shown(_ name: String) -> String {
        let digits = name.utf8.count(where: \.isDigit)
        let isWord = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }
        return isWord && !name.isEmpty && name.utf8.count <= 40 && digits <= 4 && !isUUID(name) ? name : "{…}"
    }
}
