package import BankModel

extension Node {
    /// The node of a YAML text with one document. An alias is replaced by a copy of its anchor's node, and a merge key `<<` by the
    /// members that it brings; tags and a byte order mark are ignored.
    ///
    /// - Parameter file: the file's name in positions.
    /// - Returns: nil, with a complaint that has line and column, if the text is not YAML, or if a mapping has a key twice or one
    ///   that is not a text, or if it is nested too deeply, or if its aliases expand to more than a machine can hold.
    package static func parse(yaml text: String, file: String, _ complaints: Complaints) -> Node? {
        var text = text
        // libyaml would count it as a column, so that no other key has the indentation of the first.
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let read = text.withUTF8 { bytes in
            Result { () throws(Complaint) in
                guard Node.tagDirectives(bytes) <= Node.mostTagDirectives else {
                    throw Complaint(
                        "found more than \(Node.mostTagDirectives) directives `%TAG`, expected none: tags are ignored",
                        at: SourcePosition(file: file, line: 1, column: 1))
                }
                var composer = NodeComposer(YAMLEvents(bytes, file: file), size: bytes.count)
                return try composer.document()
            }
        }
        switch read {
        case .success(let node?): return node
        case .success(nil):
            complaints.add(found: "an empty file", expected: "a mapping", at: SourcePosition(file: file, line: 1, column: 1))
        case .failure(let complaint): complaints.add(complaint)
        }
        return nil
    }

    /// libyaml compares each directive with all before it.
    private static let mostTagDirectives = 100

    /// How many directives the text may have; those within texts are counted too.
    private static func tagDirectives(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        text.indices.count { text[$0] == UInt8(ascii: "%") && text[$0...].starts(with: "%TAG".utf8) }
    }
}

/// Makes a node of the events of a document.
private struct NodeComposer {
    private let events: YAMLEvents
    /// The nodes that an alias may repeat: of how many nodes each consists, and how many levels are in it.
    private var anchors: [String: (node: Node, size: Int, levels: Int)] = [:]
    /// How many nodes there are so far.
    private var size = 0
    /// How many there may be: each written one has at least one byte, aliases may expand to several times as much.
    private let limit: Int
    /// The level of the node under way, and the deepest one that it has reached so far.
    private var depth = 0
    private var deepest = 0

    /// - Parameter size: the text's, in bytes.
    init(_ events: YAMLEvents, size: Int) {
        self.events = events
        limit = 16 * size + 10_000
    }

    /// The only document's node; nil if there is none.
    mutating func document() throws(Complaint) -> Node? {
        _ = try events.next()
        guard case .documentStart = try events.next().event else { return nil }
        let node = try node(try events.next())
        _ = try events.next()
        let (event, position) = try events.next()
        guard case .streamEnd = event else {
            throw Complaint("found another document, expected a single document", at: position)
        }
        return node
    }

    private mutating func node(_ begin: (event: YAMLEvents.Event, position: SourcePosition)) throws(Complaint) -> Node {
        let position = begin.position
        let sizeBefore = size
        let deepestBefore = deepest
        deepest = depth
        defer { deepest = max(deepest, deepestBefore) }
        let node: Node
        let anchor: String?
        switch begin.event {
        case .scalar(let text, let quoted, let name):
            anchor = name
            node = Node(.scalar(text, quoted: quoted), at: position)
        case .listStart(let name):
            anchor = name
            node = Node(.list(try elements(position)), at: position)
        case .mappingStart(let name):
            anchor = name
            node = Node(.mapping(try members(position)), at: position)
        case .alias(let name): return try repeated(name, at: position)
        case .listEnd, .mappingEnd, .documentStart, .streamEnd, .other: throw Complaint("found no value, expected YAML", at: position)
        }
        size += 1
        if let anchor { anchors[anchor] = (node, size - sizeBefore, deepest - depth) }
        return node
    }

    /// A list's elements, up to its end.
    private mutating func elements(_ position: SourcePosition) throws(Complaint) -> [Node] {
        try descend(1, position)
        depth += 1
        var nodes: [Node] = []
        while true {
            let next = try events.next()
            if case .listEnd = next.event { break }
            nodes.append(try node(next))
        }
        depth -= 1
        return nodes
    }

    /// A mapping's members, up to its end.
    private mutating func members(_ position: SourcePosition) throws(Complaint) -> [(key: Node, value: Node)] {
        try descend(1, position)
        depth += 1
        var members: [(key: Node, value: Node)] = []
        var merged: [(key: Node, value: Node)] = []
        var positions: [String: SourcePosition] = [:]
        while true {
            let next = try events.next()
            if case .mappingEnd = next.event { break }
            let key = try node(next)
            guard let name = key.scalar else { throw Complaint("found \(key.kindName) as a key, expected a text", at: key.position) }
            if let line = positions.updateValue(key.position, forKey: name)?.line {
                throw Complaint("found the key `\(name)` a second time (first in line \(line)), expected each once", at: key.position)
            }
            let value = try node(try events.next())
            if case .scalar("<<", quoted: false) = key.content {
                merged += try NodeComposer.merged(value)
            } else {
                members.append((key, value))
            }
        }
        // The mapping's own members replace merged ones, and of several merged ones of a name the first is used.
        for member in merged {
            guard let name = member.key.scalar, positions[name] == nil else { continue }
            positions[name] = member.key.position
            members.append(member)
        }
        depth -= 1
        return members
    }

    /// The members that a merge key brings (YAML 1.1): those of a mapping, or of each mapping in a list.
    private static func merged(_ value: Node) throws(Complaint) -> [(key: Node, value: Node)] {
        let nodes: [Node] = if case .list(let list) = value.content { list } else { [value] }
        var members: [(key: Node, value: Node)] = []
        for node in nodes {
            guard case .mapping(let more) = node.content else {
                throw Complaint(
                    "found \(node.kindName) for the merge key `<<`, expected a mapping, or a list of mappings", at: node.position)
            }
            members += more
        }
        return members
    }

    /// Notes levels that follow below this one.
    private mutating func descend(_ levels: Int, _ position: SourcePosition) throws(Complaint) {
        deepest = max(deepest, depth + levels)
        guard depth + levels <= JSON.maximumDepth else {
            throw Complaint("found level \(depth + levels), expected at most \(JSON.maximumDepth) levels of nesting", at: position)
        }
    }

    /// The node that an alias repeats.
    private mutating func repeated(_ anchor: String, at position: SourcePosition) throws(Complaint) -> Node {
        guard let (node, count, levels) = anchors[anchor] else {
            throw Complaint("found the alias `*\(anchor)`, expected its anchor `&\(anchor)` before it", at: position)
        }
        try descend(levels, position)
        size += count
        guard size <= limit else {
            throw Complaint(
                "found aliases that repeat each other into millions of values, expected values that are written out", at: position)
        }
        return node
    }
}
