/// A long list that grows at its end. A copy shares all its chunks, and the first change after a copy moves one of them: a
/// reader can hold a list of a hundred thousand elements while it continues to grow.
package struct ChunkedArray<Element> {
    /// Each has ``size`` elements, except the last.
    private var chunks: ContiguousArray<ContiguousArray<Element>> = []
    /// The number of removed elements of the first chunk; their places remain until all of them are removed.
    private var removed = 0
    package private(set) var count = 0

    /// A payment after a copy moves one chunk and the list of chunks: at 200,000 elements these are about as long.
    private static var shift: Int { 8 }
    private static var size: Int { 1 << shift }

    package init() {}

    package init(_ elements: some Sequence<Element>) { for element in elements { append(element) } }

    package mutating func append(_ element: Element) {
        if chunks.last.map({ $0.count == Self.size }) ?? true {
            var chunk: ContiguousArray<Element> = []
            // The first chunk grows gradually: most lists remain short.
            if !chunks.isEmpty { chunk.reserveCapacity(Self.size) }
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(element)
        count += 1
    }

    @discardableResult
    package mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        let element = chunks[chunks.count - 1].popLast()
        if chunks[chunks.count - 1].isEmpty { chunks.removeLast() }
        count -= 1
        if count == 0 { (chunks, removed) = ([], 0) }
        return element
    }

    /// Removes the first element; its content is freed with its chunk.
    package mutating func removeFirst() {
        precondition(count > 0, "a list without elements has no first")
        count -= 1
        removed += 1
        if count == 0 {
            (chunks, removed) = ([], 0)
        } else if removed == Self.size {
            chunks.removeFirst()
            removed = 0
        }
    }

    package mutating func removeAll() { self = ChunkedArray() }
}

extension ChunkedArray: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int { count }

    package subscript(_ place: Int) -> Element {
        get { chunks[(removed + place) >> Self.shift][(removed + place) & (Self.size - 1)] }
        _modify { yield &chunks[(removed + place) >> Self.shift][(removed + place) & (Self.size - 1)] }
    }
}

extension ChunkedArray: Sendable where Element: Sendable {}

extension ChunkedArray: Equatable where Element: Equatable {
    package static func == (a: ChunkedArray, b: ChunkedArray) -> Bool { a.elementsEqual(b) }
}

extension ChunkedArray: Hashable where Element: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}
