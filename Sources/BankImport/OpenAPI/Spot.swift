import BankModel

/// A piece of a description: what stands there, its JSON pointer (RFC 6901), and the operation that it belongs to.
struct Spot {
    let node: Node
    /// Such as `#/paths/~1accounts/get`.
    let pointer: String
    /// In a person's words: `GET /accounts`.
    var item: String

    /// The member of that name; nil if there is none, or null.
    subscript(_ key: String) -> Spot? {
        guard case .mapping(let members) = node.content, let member = members.first(where: { $0.key.scalar == key }), !member.value.isNull
        else { return nil }
        return inner(member.value, key)
    }

    /// All members in order; none if this is no mapping.
    var members: [(key: String, value: Spot)] {
        guard case .mapping(let members) = node.content else { return [] }
        return members.compactMap { member in member.key.scalar.map { ($0, inner(member.value, $0)) } }
    }

    /// All elements; none if this is no list.
    var elements: [Spot] {
        guard case .list(let nodes) = node.content else { return [] }
        return nodes.enumerated().map { inner($1, String($0)) }
    }

    /// The scalar's text; nil if this is no scalar.
    var text: String? { node.scalar }

    /// Whether this is a plain `true`.
    var isTrue: Bool { node.scalar == "true" }

    /// The value as JSON.
    var json: JSON { node.json }

    /// For notes: file and line, pointer and what was found.
    var piece: Piece {
        var place = node.place
        place.path = ""
        return Piece(json: json, file: place.description, item: item, path: pointer)
    }

    fileprivate func inner(_ node: Node, _ key: String) -> Spot {
        let step = key.replacing("~", with: "~0").replacing("/", with: "~1")
        return Spot(node: node, pointer: "\(pointer)/\(step)", item: item)
    }
}

/// A whole description, in which references lead from one piece to another.
final class Description {
    let root: Spot
    let notes: Notes
    /// The examples that were made of schemas.
    private(set) lazy var examples = SchemaExample(description: self)
    private var told: Set<String> = []
    /// Where references lead, by their texts; each is looked up once.
    private var targets: [String: Spot?] = [:]
    /// The members of large mappings, by the mappings' pointers.
    private var indexes: [String: [String: Node]] = [:]

    init(_ node: Node, notes: Notes) {
        root = Spot(node: node, pointer: "#", item: "description")
        self.notes = notes
    }

    /// Longer chains of references are a circle.
    private static let longestChain = 32

    /// The piece itself, or what its `$ref` leads to; nil, with a note, where that is nowhere in this file.
    func resolved(_ spot: Spot) -> Spot? {
        var spot = spot
        for _ in 0..<Description.longestChain {
            guard let reference = spot["$ref"], let text = reference.text else { return spot }
            guard let found = target(text, item: spot.item) else {
                let reason = text.hasPrefix("#") ? "it leads nowhere" : "references into other files are not followed"
                cannot(.ignored, reference, reason)
                return nil
            }
            spot = found
        }
        cannot(.ignored, spot, "its references go round in a circle")
        return nil
    }

    private func target(_ reference: String, item: String) -> Spot? {
        if targets[reference] == nil { targets[reference] = .some(lookUp(reference)) }
        guard var spot = targets[reference].flatMap(\.self) else { return nil }
        spot.item = item
        return spot
    }

    private func lookUp(_ reference: String) -> Spot? {
        guard reference.hasPrefix("#") else { return nil }
        var spot = root
        for step in reference.dropFirst().split(separator: "/") {
            guard let decoded = decoded(step) else { return nil }
            let key = decoded.replacing("~1", with: "/").replacing("~0", with: "~")
            guard let next = member(key, of: spot) ?? Int(key).flatMap({ spot.elements.indices.contains($0) ? spot.elements[$0] : nil })
            else {
                return nil
            }
            spot = next
        }
        return spot
    }

    /// Looking through all members is quicker for a few of them.
    private static let small = 16

    private func member(_ key: String, of spot: Spot) -> Spot? {
        guard case .mapping(let members) = spot.node.content, members.count > Description.small else { return spot[key] }
        let index =
            indexes[spot.pointer]
            ?? Dictionary(members.compactMap { member in member.key.scalar.map { ($0, member.value) } }) { first, _ in first }
        indexes[spot.pointer] = index
        return index[key].flatMap { $0.isNull ? nil : spot.inner($0, key) }
    }

    /// A reference is a URI: what its fragment may not have is escaped (RFC 3986 §3.5).
    private func decoded(_ step: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(step.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Notes what cannot be said, each piece with each reason once: what is referred to is met often.
    func cannot(_ effect: Unsaid.Effect, _ spot: Spot, _ reason: String) {
        guard told.insert("\(spot.pointer) \(reason)").inserted else { return }
        notes.cannot(effect, spot.piece, reason)
    }
}
