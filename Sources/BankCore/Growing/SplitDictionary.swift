/// A dictionary of many entries. A copy shares all its parts, and the first change after a copy moves one of them; it never
/// moves all of them at once to grow.
package struct SplitDictionary<Key: Hashable, Value> {
    /// None, one, or ``most``: the hash of an entry's key selects its part.
    private var parts: [[Key: Value]] = []
    package private(set) var count = 0

    private static var most: Int { 256 }
    /// The largest size of a single part.
    private static var largestOnly: Int { 1024 }

    package init() {}

    package var isEmpty: Bool { count == 0 }

    private func part(of key: Key) -> Int {
        // The upper half: a part's own slots follow the lower one.
        parts.count < Self.most ? 0 : Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) >> 32) & (Self.most - 1)
    }

    private mutating func prepareToGrow() {
        if parts.isEmpty { parts.append([:]) }
        guard parts.count == 1, count >= Self.largestOnly else { return }
        let all = parts[0]
        parts = Array(repeating: [:], count: Self.most)
        for (key, value) in all { parts[part(of: key)][key] = value }
    }

    package subscript(_ key: Key) -> Value? {
        get { parts.isEmpty ? nil : parts[part(of: key)][key] }
        _modify {
            prepareToGrow()
            let part = part(of: key)
            let before = parts[part].count
            defer { count += parts[part].count - before }
            yield &parts[part][key]
        }
    }

    package subscript(_ key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        _modify {
            prepareToGrow()
            let part = part(of: key)
            let before = parts[part].count
            defer { count += parts[part].count - before }
            yield &parts[part][key, default: value()]
        }
    }
}

extension SplitDictionary: Sequence {
    package func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> { parts.joined().makeIterator() }

    package var keys: some Sequence<Key> { parts.lazy.flatMap(\.keys) }

    package var values: some Sequence<Value> { parts.lazy.flatMap(\.values) }
}

extension SplitDictionary: Sendable where Key: Sendable, Value: Sendable {}

extension SplitDictionary: Equatable where Value: Equatable {
    package static func == (a: SplitDictionary, b: SplitDictionary) -> Bool {
        a.count == b.count && a.allSatisfy { b[$0.key] == $0.value }
    }
}

extension SplitDictionary: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
        // The order of the entries does not count.
        hasher.combine(reduce(0) { sum, entry in sum &+ entry.key.hashValue &+ entry.value.hashValue })
    }
}
