import BankCore
import BankModel

/// Finds mappings that one request may fit both, of thousands as quickly as of ten.
struct OverlapFinder {
    private typealias NumberedOperation = (number: Int, operation: Operation)

    /// The part of the request that an exact condition compares.
    private struct ComparedPart: Hashable {
        let part: Condition.Part
        let name: String
    }

    private typealias Exact = [ComparedPart: Condition.Wanted]

    /// Operations of one path whose exact conditions look at the same spots.
    private struct Group {
        let spots: [ComparedPart]
        var entries: [NumberedOperation] = []
        /// The entries by the values that they want at the spots.
        var byValues: [[Condition.Wanted]: [NumberedOperation]] = [:]

        mutating func add(_ entry: NumberedOperation, _ exact: Exact) {
            entries.append(entry)
            byValues[spots.compactMap { exact[$0] }, default: []].append(entry)
        }

        /// Those that may want the same values: all, unless a value is known for each spot.
        func candidates(_ exact: Exact) -> [NumberedOperation] {
            let values = spots.compactMap { exact[$0] }
            return values.count == spots.count ? byValues[values] ?? [] : entries
        }
    }

    private var groups: [Group] = []
    /// By method: the indexes of the groups of each path.
    private var trees: [String: PathTree<[Int]>] = [:]

    /// Adds an operation under a number of the caller's.
    mutating func add(_ operation: Operation, as number: Int) {
        let exact = OverlapFinder.exact(operation)
        let spots = exact.keys.sorted { ($0.part.rawValue, $0.name) < ($1.part.rawValue, $1.name) }
        var groups = groups
        self.groups = []
        trees[operation.method, default: PathTree()].update(operation.path, default: []) { positions in
            let position = positions.first { groups[$0].spots == spots } ?? groups.count
            if position == groups.count {
                positions.append(position)
                groups.append(Group(spots: spots))
            }
            groups[position].add((number, operation), exact)
        }
        self.groups = groups
    }

    /// One that may answer a request which the operation answers too, of those that the caller asks about.
    func one(meeting operation: Operation, where isAsked: (Int) -> Bool) -> Int? {
        let exact = OverlapFinder.exact(operation)
        for position in (trees[operation.method]?.values(meeting: operation.path) ?? []).joined() {
            let found = groups[position].candidates(exact).first { isAsked($0.number) && operation.mayMeet($0.operation) }
            if let found { return found.number }
        }
        return nil
    }

    private static func exact(_ operation: Operation) -> Exact {
        Dictionary(operation.when.filter(\.isExact).map(\.normal).map { (ComparedPart(part: $0.part, name: $0.name), $0.wanted) }) {
            first, _ in
            first
        }
    }
}

extension Operation {
    /// Whether some request may be answered by both; rather yes than a wrong no.
    fileprivate func mayMeet(_ other: Operation) -> Bool {
        let (mine, theirs) = (pathBeginning, other.pathBeginning)
        return (mine.hasPrefix(theirs) || theirs.hasPrefix(mine)) && when.mayMeet(other.when)
    }

    /// The text with which the path of every request that it answers begins.
    private var pathBeginning: String {
        var text = ""
        for part in path.parts {
            guard case .literal(let literal) = part else {
                text += "/"
                guard case .rest(let name) = part else { return text }
                for condition in when where condition.name == name || [.url, .rawPath].contains(condition.part) {
                    guard case .matches(let pattern) = condition.wanted else { continue }
                    return condition.part == .path ? text + pattern.literalPrefix : pattern.literalPrefix
                }
                return text
            }
            text += "/" + literal
        }
        return text
    }
}

extension [Condition] {
    /// Whether some request may have what both want; rather yes than a wrong no.
    fileprivate func mayMeet(_ others: [Condition]) -> Bool {
        let mine = map(\.normal)
        let theirs = others.map(\.normal)
        return mine.allSatisfy { condition in
            theirs.allSatisfy { other in
                guard condition.part == other.part, condition.name == other.name else { return true }
                return switch (condition.wanted, other.wanted) {
                case (.absent, _): other.wanted.holds(nil)
                case (_, .absent): condition.wanted.holds(nil)
                case (.value(let value), _), (_, .value(let value)): condition.wanted.holds(value) && other.wanted.holds(value)
                default: true
                }
            }
        }
    }
}
