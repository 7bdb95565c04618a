import BankModel

/// A whole description, in which references lead from one piece to another, and into the files beside it.
final class Description {
    let root: LocatedNode
    let notes: ImportNotes
    /// The examples that were made of schemas.
    private(set) lazy var examples = SchemaExample(description: self)
    private var reported: Set<String> = []
    /// The targets of references, by file and text; each is resolved once.
    private var targets: [String: Result<LocatedNode, Astray>] = [:]
    /// The members of large mappings, by the mappings' pointers.
    private var indexes: [String: [String: Node]] = [:]

    /// The description's own name in its folder.
    private let name: String
    /// A file's root, by the file's path in that folder; nil for one that does not exist, is not YAML, or is outside the folder.
    private let neighbour: (String) -> Node?
    /// The roots of files, by their paths.
    private var files: [String: Node?] = [:]

    init(_ node: Node, name: String = "", notes: ImportNotes, neighbour: @escaping (String) -> Node? = { _ in nil }) {
        root = LocatedNode(node: node, pointer: "#", item: "description")
        self.name = name
        self.notes = notes
        self.neighbour = neighbour
    }

    /// Longer chains of references are a circle.
    private static let longestChain = 32

    /// The piece itself, or what its `$ref` leads to; nil, with a note, where that is nowhere.
    func resolved(_ node: LocatedNode) -> LocatedNode? {
        var node = node
        for _ in 0..<Description.longestChain {
            guard let reference = node["$ref"], let text = reference.text else { return node }
            switch target(text, from: node) {
            case .success(var found):
                found.item = node.item
                node = found
            case .failure(let reason):
                warn(.ignored, reference, reason.rawValue)
                return nil
            }
        }
        warn(.ignored, node, "its references are circular")
        return nil
    }

    /// Why a reference leads to nothing, for messages.
    private enum Astray: String, Error {
        case nowhere = "the reference has no target"
        case host = "references to other hosts are not followed"
        case outside = "references out of the description's folder are not followed"
        case noFile = "there is no such file of YAML or JSON in the description's folder"
    }

    private func target(_ reference: String, from node: LocatedNode) -> Result<LocatedNode, Astray> {
        let file = String(node.pointer.prefix { $0 != "#" })
        let key = "\(file) \(reference)"
        if let known = targets[key] { return known }
        let found = Result { () throws(Astray) in try lookUp(reference, from: file) }
        targets[key] = found
        return found
    }

    /// - Parameter file: the path of the file in which the reference stands; empty for the description itself.
    private func lookUp(_ reference: String, from file: String) throws(Astray) -> LocatedNode {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var node = parts[0].isEmpty ? try document(file) : try document(path(String(parts[0]), from: file))
        for step in parts.dropFirst().joined().split(separator: "/") {
            // A reference is a URI: what its fragment may not have is escaped (RFC 3986 §3.5).
            guard let decoded = percentDecoded(step, plusIsSpace: false) else { throw .nowhere }
            let key = decoded.replacing("~1", with: "/").replacing("~0", with: "~")
            guard let next = member(key, of: node) ?? Int(key).flatMap({ node.elements.indices.contains($0) ? node.elements[$0] : nil })
            else { throw .nowhere }
            node = next
        }
        return node
    }

    // MARK: files

    private func document(_ path: String) throws(Astray) -> LocatedNode {
        if path.isEmpty || path == name { return root }
        let node = files[path] ?? neighbour(path)
        files[path] = .some(node)
        guard let node else { throw .noFile }
        return LocatedNode(node: node, pointer: "\(path)#", item: "description")
    }

    /// The path in the description's folder of a file that is named relative to another.
    private func path(_ reference: String, from file: String) throws(Astray) -> String {
        guard !reference.contains("://") else { throw .host }
        guard !reference.hasPrefix("/"), let relative = percentDecoded(reference, plusIsSpace: false),
            let path = ImportFile.path(relative, from: file.split(separator: "/").dropLast())
        else { throw .outside }
        return path
    }

    // MARK: members

    /// Looking through all members is quicker for a few of them.
    private static let small = 16

    private func member(_ key: String, of node: LocatedNode) -> LocatedNode? {
        guard case .mapping(let members) = node.node.content, members.count > Description.small else { return node[key] }
        let index =
            indexes[node.pointer]
            ?? Dictionary(members.compactMap { member in member.key.scalar.map { ($0, member.value) } }) { first, _ in first }
        indexes[node.pointer] = index
        return index[key].flatMap { $0.isNull ? nil : node.inner($0, key) }
    }

    /// Notes what cannot be converted, each piece with each reason once: what is referred to is met often.
    func warn(_ effect: ImportWarning.Effect, _ node: LocatedNode, _ reason: String) {
        guard reported.insert("\(node.pointer) \(reason)").inserted else { return }
        notes.warn(effect, node.piece, reason)
    }

    /// A parameter of some operation that is the header Authorization; descriptions may have it instead of a security scheme.
    var authorizationHeader: LocatedNode? {
        let operations = (root["paths"]?.members ?? []).flatMap { _, path in [path] + path.members.map(\.value) }
        let parameters = operations.flatMap { $0["parameters"]?.elements ?? [] }.lazy.compactMap(resolved)
        return parameters.first { $0["in"]?.text == "header" && $0["name"]?.text?.lowercased() == "authorization" }
    }
}

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
        LocatedNode(node: node, pointer: "\(pointer)/\(key.pointerStep)", item: item)
    }
}

/// The base path of a description's servers.
enum DescribedServer {
    /// The path of an address, or of a reference below it, without a slash at its end; nil if there is a variable in it.
    static func path(of address: String) -> String? {
        var rest = Substring(address.prefix { $0 != "?" && $0 != "#" })
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...].drop { $0 != "/" } }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains("{") else { return nil }
        return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// The base of the first server, its variables filled in; what the others have besides is noted.
    static func base(_ description: Description) -> String {
        let servers = description.root["servers"]?.elements ?? []
        guard let first = servers.first, let url = first["url"]?.text else { return "" }
        let base = path(of: filled(url, first)) ?? ""
        for other in servers.dropFirst() where other["url"]?.text.flatMap({ path(of: filled($0, other)) }) != base {
            description.warn(.ignored, other, "a bank has one base; it is \(base.isEmpty ? "empty" : base)")
        }
        if path(of: filled(url, first)) == nil { description.warn(.ignored, first, "a variable in it has no default; the base is empty") }
        return base
    }

    private static func filled(_ url: String, _ server: LocatedNode) -> String {
        (server["variables"]?.members ?? []).reduce(url) { $0.replacing("{\($1.key)}", with: $1.value["default"]?.text ?? "{}") }
    }
}
