/// A search for many texts at once, in one pass over the bytes.
///
/// A text of at least ``shortest`` bytes covers a block of four that begins at a multiple of four, wherever it stands. So only those blocks
/// of the searched bytes are looked up, in a table of the first four blocks of every text.
struct TextSearch: Sendable {
    /// The length of the shortest text that can be searched for.
    static let shortest = block + step - 1
    private static let block = 4
    private static let step = 4

    /// The texts that are long enough; the others are empty.
    private let texts: [[UInt8]]
    /// For each hash of a block the last of its entries; -1 for none.
    private var heads: [Int32]
    /// For each entry the one before it with the same hash. Entry `4 * text + offset` is the block of a text at an offset.
    private var before: [Int32]

    /// - Parameter texts: those of fewer than ``shortest`` bytes are never found.
    init(_ texts: [[UInt8]]) {
        self.texts = texts.map { $0.count < TextSearch.shortest ? [] : $0 }
        let entries = texts.count * TextSearch.step
        var size = 1 << 8
        while size < 8 * entries, size < 1 << 16 { size *= 2 }
        heads = [Int32](repeating: -1, count: size)
        before = [Int32](repeating: -1, count: entries)
        for (text, bytes) in self.texts.enumerated() where !bytes.isEmpty {
            for offset in 0..<TextSearch.step {
                let entry = text * TextSearch.step + offset
                let hash = bytes.withUnsafeBytes { TextSearch.hash($0, at: offset) & (size - 1) }
                before[entry] = heads[hash]
                heads[hash] = Int32(entry)
            }
        }
    }

    /// The indexes in the list of those texts that the bytes contain, ascending.
    func found(in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard bytes.count >= TextSearch.shortest, !texts.isEmpty else { return [] }
        var isFound = [Bool](repeating: false, count: texts.count)
        heads.withUnsafeBufferPointer { heads in
            let mask = heads.count - 1
            var position = 0
            while position <= bytes.count - TextSearch.block {
                var entry = heads[TextSearch.hash(bytes, at: position) & mask]
                while entry >= 0 {
                    let (text, offset) = Int(entry).quotientAndRemainder(dividingBy: TextSearch.step)
                    if !isFound[text], stands(text, in: bytes, at: position - offset) { isFound[text] = true }
                    entry = before[Int(entry)]
                }
                position += TextSearch.step
            }
        }
        return isFound.indices.filter { isFound[$0] }
    }

    private func stands(_ text: Int, in bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        let text = texts[text]
        guard start >= 0, start + text.count <= bytes.count else { return false }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + text.count]).elementsEqual(text)
    }

    /// A hash of the four bytes there (Knuth's multiplicative).
    private static func hash(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
        Int((bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) &* 2_654_435_761) >> 16)
    }
}
