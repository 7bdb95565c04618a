import BankModel

/// A piece of a description: what stands there, its JSON pointer (RFC 6901), and the operation that it belongs to.
struct LocatedNode {
    let node: Node
    /// Such as `#/paths/~1accounts/get`; in a file beside the description `schemas/money.yaml#/Money`.
    let pointer: String
    /// In a user's words: `GET /accounts`.
    var item: String

    /// The member of that name; nil if there is none, or null.
    subscript(_ key: String) -> LocatedNode? {
        guard case .mapping(let members) = node.content, let member = members.first(where: { $0.key.scalar == key }), !member.value.isNull
        else { return nil }
        return inner(member.value, key)
    }

    /// All members in order; none if this is not a mapping.
    var members: [(key: String, value: LocatedNode)] {
        guard case .mapping(let members) = node.content else { return [] }
        return members.compactMap { member in member.key.scalar.map { ($0, inner(member.value, $0)) } }
    }

    /// All elements; none if this is not a list.
    var elements: [LocatedNode] {
        guard case .list(let nodes) = node.content else { return [] }
        return nodes.enumerated().map { inner($1, String($0)) }
    }

    /// The scalar's text; nil if this is not a scalar.
    var text: String? { node.scalar }

    /// Whether this is a plain `true`.
    var isTrue: Bool { node.scalar == "true" }

    var json: JSON { node.json }

    /// For notes: file and line, pointer and what was found.
    var piece: LocatedJSON {
        var position = node.position
        position.path = ""
        return LocatedJSON(json: json, file: position.description, item: item, path: pointer)
    }

    func inner(_ node: Node, _ key: String) -> LocatedNode {
        let step = key.replacing("~", with: "~0").replacing("/", with: "~1")
        return LocatedNode(node: node, pointer: "\(pointer)/\(step)", item: item)
    }
}
