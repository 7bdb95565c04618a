package import BankModel

/// The shape of JSON at one location, gathered from any number of examples; the elements of an array count as examples of one location.
package struct Shape: Sendable, Hashable {
    /// Every kind of value that was seen here.
    package private(set) var kinds: Set<ValueKind> = []
    /// How many of the examples were objects.
    package private(set) var objects = 0
    /// The members of those objects, in the order in which they were first seen.
    package private(set) var members: [Member] = []
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
        let position = members.firstIndex { $0.name == name } ?? members.endIndex
        if position == members.endIndex { members.append(Member(name: name)) }
        members[position].count += 1
        members[position].shape.add(value)
    }

    /// The member of that name; nil if no object had it.
    package subscript(_ name: String) -> Member? { members.first { $0.name == name } }

    /// The kinds in words: `a text or null`; `nothing` of no example.
    package var text: String { kinds.isEmpty ? "nothing" : kinds.sorted().map(\.description).joined(separator: " or ") }
}
