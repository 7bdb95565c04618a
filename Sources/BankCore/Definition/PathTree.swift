/// Values at the paths of operations, looked up segment by segment instead of one after the other.
///
/// Names of parameters do not count: `/a/{id}` and `/a/{key}` are one path.
package struct PathTree<Value: Sendable>: Sendable {
    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        /// Takes all segments that are left.
        var rest: Int?
        var suffixes: [(suffix: String, node: Int)] = []
        var value: Value?
    }

    private var nodes = [Node()]

    package init() {}

    /// Changes the value at exactly that path.
    package mutating func update(_ path: PathTemplate, default value: @autoclosure () -> Value, _ change: (inout Value) -> Void) {
        var index = 0
        for part in path.parts { index = child(of: index, part) }
        var found = nodes[index].value ?? value()
        nodes[index].value = nil  // So that `found` is changed in place.
        change(&found)
        nodes[index].value = found
    }

    private mutating func child(of index: Int, _ part: PathTemplate.Part) -> Int {
        let known: Int? =
            switch part {
            case .literal(let text): nodes[index].literals[text]
            case .parameter: nodes[index].parameter
            case .rest: nodes[index].rest
            case .parameterWithSuffix(_, let suffix): nodes[index].suffixes.first { $0.suffix == suffix }?.node
            }
        if let known { return known }
        let new = nodes.count
        nodes.append(Node())
        switch part {
        case .literal(let text): nodes[index].literals[text] = new
        case .parameter: nodes[index].parameter = new
        case .rest: nodes[index].rest = new
        case .parameterWithSuffix(_, let suffix): nodes[index].suffixes.append((suffix, new))
        }
        return new
    }

    // MARK: queries

    /// The values of the paths that these segments of a request's path match.
    package func values(fitting segments: [String]) -> [Value] {
        values(along: segments) { segment, node in
            let fitting = node.suffixes.filter { PathTemplate.Part.parameterWithSuffix("", suffix: $0.suffix).fits(segment) }.map(\.node)
            return [node.literals[segment], segment.isEmpty ? nil : node.parameter].compactMap(\.self) + fitting
        }
    }

    /// The values of the paths that match every request which that path matches.
    package func values(covering path: PathTemplate) -> [Value] {
        values(along: path.parts) { part, node in
            let suffixes = node.suffixes.filter { PathTemplate.Part.parameterWithSuffix("", suffix: $0.suffix).covers(part) }.map(\.node)
            guard case .literal(let text) = part else { return [node.parameter].compactMap(\.self) + suffixes }
            return [node.literals[text], node.parameter].compactMap(\.self) + suffixes
        }
    }

    /// The values of the paths that match some request which that path matches too.
    package func values(meeting path: PathTemplate) -> [Value] {
        guard path.hasRest else { return values(along: path.parts) { part, node in nodes(meeting: part, node) } }
        let indexes = indexes(along: Array(path.parts.dropLast())) { part, node in nodes(meeting: part, node) }
        return indexes.rests + indexes.ends.flatMap { everything(below: $0) }
    }

    private func everything(below index: Int) -> [Value] {
        let node = nodes[index]
        let below = Array(node.literals.values) + [node.parameter, node.rest].compactMap(\.self) + node.suffixes.map(\.node)
        return below.flatMap { [nodes[$0].value].compactMap(\.self) + everything(below: $0) }
    }

    private func nodes(meeting part: PathTemplate.Part, _ node: Node) -> [Int] {
        let suffixes = node.suffixes.filter { PathTemplate.Part.parameterWithSuffix("", suffix: $0.suffix).meets(part) }.map(\.node)
        let parameter = [node.parameter].compactMap(\.self).filter { _ in PathTemplate.Part.parameter("").meets(part) }
        if case .literal(let text) = part { return [node.literals[text]].compactMap(\.self) + parameter + suffixes }
        return node.literals.filter { part.fits($0.key) }.map(\.value) + parameter + suffixes
    }

    private func values<Step>(along steps: [Step], _ next: (Step, Node) -> [Int]) -> [Value] {
        let indexes = indexes(along: steps, next)
        return indexes.rests + indexes.ends.compactMap { nodes[$0].value }
    }

    /// The nodes at the end of the steps, and the values of those on the way that take the rest of them.
    private func indexes<Step>(along steps: [Step], _ next: (Step, Node) -> [Int]) -> (ends: [Int], rests: [Value]) {
        var indexes = [0]
        var rests: [Value] = []
        for step in steps {
            rests += indexes.compactMap { nodes[$0].rest.flatMap { nodes[$0].value } }
            indexes = indexes.flatMap { next(step, nodes[$0]) }
            if indexes.isEmpty { break }
        }
        return (indexes, rests)
    }
}
