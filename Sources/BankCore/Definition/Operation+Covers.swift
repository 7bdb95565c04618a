extension Operation {
    /// Whether every request that matches the other matches this one too, so that behind it the other is unreachable.
    package func covers(_ other: Operation) -> Bool {
        method == other.method && path.covers(other.path)
            && when.allSatisfy { wanted in other.when.contains { $0.implies(wanted) } }
    }
}

extension PathTemplate {
    /// Whether every path that matches the other matches this one too.
    func covers(_ other: PathTemplate) -> Bool {
        let isLongEnough = hasRest ? other.parts.count >= parts.count : other.parts.count == parts.count && !other.hasRest
        return isLongEnough && zip(parts, other.parts).allSatisfy { $0.covers($1) }
    }

    /// The path without its parameters' names: two that are alike match the same requests.
    package var unnamed: String {
        parts.map { part in
            switch part {
            case .literal(let text): text
            case .parameter: "{}"
            case .rest: "{...}"
            case .parameterWithSuffix(_, let suffix): "{}\(suffix)"
            }
        }.joined(separator: "/")
    }

    /// Whether some path may match both.
    func meets(_ other: PathTemplate) -> Bool {
        let isLongEnough =
            switch (hasRest, other.hasRest) {
            case (false, false): parts.count == other.parts.count
            case (true, false): other.parts.count >= parts.count
            case (false, true): parts.count >= other.parts.count
            case (true, true): true
            }
        return isLongEnough && zip(parts, other.parts).allSatisfy { $0.meets($1) }
    }
}

extension PathTemplate.Part {
    /// Whether every segment that matches the other matches this one too.
    func covers(_ other: PathTemplate.Part) -> Bool {
        switch (self, other) {
        case (.rest, _): true
        case (.parameter, .literal(let text)): !text.isEmpty
        case (.parameter, .parameter), (.parameter, .parameterWithSuffix): true
        case (.literal(let a), .literal(let b)): a == b
        case (.parameterWithSuffix, .literal(let text)): fits(text)
        case (.parameterWithSuffix(_, let a), .parameterWithSuffix(_, let b)): b.hasSuffix(a)
        default: false
        }
    }

    /// Whether some segment may match both.
    func meets(_ other: PathTemplate.Part) -> Bool {
        switch (self, other) {
        case (.literal(let text), let part), (let part, .literal(let text)): part.fits(text)
        default: true
        }
    }
}

/// Finds the operations that match every request which another matches, as quickly among thousands as among ten.
package struct CoverIndex: Sendable {
    private typealias NumberedOperation = (number: Int, operation: Operation)

    /// The operations of one path, by the rarest of their conditions that only the same condition implies; and those without
    /// one.
    private struct Leaf: Sendable {
        var anchored: [Condition: [NumberedOperation]] = [:]
        var others: [NumberedOperation] = []
    }

    private var trees: [String: PathTree<Leaf>] = [:]

    package init() {}

    /// Adds an operation under the caller's number.
    package mutating func add(_ operation: Operation, as number: Int) {
        trees[operation.method, default: PathTree()].update(operation.path, default: Leaf()) { leaf in
            let exact = operation.when.filter(\.isExact).map(\.normal)
            if let anchor = exact.min(by: { leaf.anchored[$0, default: []].count < leaf.anchored[$1, default: []].count }) {
                leaf.anchored[anchor, default: []].append((number, operation))
            } else {
                leaf.others.append((number, operation))
            }
        }
    }

    /// The numbers of the operations that cover this one, in no order.
    package func covering(_ operation: Operation) -> [Int] {
        guard let tree = trees[operation.method] else { return [] }
        return tree.values(covering: operation.path).flatMap { leaf in
            let anchored = leaf.anchored.isEmpty ? [] : Set(operation.when.map(\.normal)).flatMap { leaf.anchored[$0] ?? [] }
            return (anchored + leaf.others).filter { $0.operation.covers(operation) }.map(\.number)
        }
    }
}

extension Condition {
    /// Whether only the same condition implies this one: it requires one value, or none.
    package var isExact: Bool {
        switch wanted {
        case .absent, .value: true
        case .like, .matches, .any, .all, .not, .values, .at, .alike, .schema: false
        }
    }

    /// The canonical form of the condition: a header's name in lower case.
    package var normal: Condition { part == .header ? Condition(part, name.lowercased(), wanted) : self }
}
