import BankModel

/// The rows that operations added to one table, in the order in which they did.
package struct AddedRows: Sendable {
    package private(set) var rows: [TableRow] = []
    /// Of each row's key; with them at hand the table below grows without a look at any key.
    private var hashes: [Int] = []
    /// For each row, where the next one of its key stands, such as the next stage of the same; -1 after the last.
    private var next: [Int32] = []
    /// Where the first row of each key stands, at the slot of its hash or the next that was free; -1 in a free one. As many as a
    /// power of two, at least twice as many as are taken.
    private var slots: [Int32] = []
    private var keyCount = 0

    package init() {}

    /// Adds a row.
    mutating func append(_ row: TableRow) {
        if 2 * (keyCount + 1) > slots.count { grow() }
        let (place, hash) = (Int32(rows.count), row.key.hashValue)
        let slot = slot(of: row.key, hash)
        if slots[slot] < 0 {
            slots[slot] = place
            keyCount += 1
        } else {
            next[last(after: slots[slot])] = place
        }
        rows.append(row)
        hashes.append(hash)
        next.append(-1)
    }

    /// The slot of a key's first row, or the free one that is to be it. There is at least one.
    private func slot(of key: String, _ hash: Int) -> Int {
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0, hashes[Int(slots[slot])] != hash || rows[Int(slots[slot])].key != key {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: max(16, 2 * slots.count))
        var isFirst = [Bool](repeating: true, count: rows.count)
        for place in next where place >= 0 { isFirst[Int(place)] = false }
        // In their order: the last one put in can be taken out again.
        for place in rows.indices where isFirst[place] {
            var slot = hashes[place] & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(place)
        }
    }

    /// Where the last row of a key stands.
    private func last(after first: Int32) -> Int {
        var place = Int(first)
        while next[place] >= 0 { place = Int(next[place]) }
        return place
    }

    /// Takes back the row that was added last.
    mutating func removeLast() {
        guard let key = rows.last?.key, let hash = hashes.last else { return }
        let slot = slot(of: key, hash)
        var place = Int(slots[slot])
        if place == rows.count - 1 {
            // It was put in last, so nobody had to go past its slot.
            slots[slot] = -1
            keyCount -= 1
        } else {
            while Int(next[place]) < rows.count - 1 { place = Int(next[place]) }
            next[place] = -1
        }
        rows.removeLast()
        hashes.removeLast()
        next.removeLast()
    }

    /// The rows that there are at an instant of the session's clock.
    func present(at now: Instant) -> [TableRow] { rows.filter { $0.isThere(at: now) } }

    /// The first row of that key that there is at an instant.
    func row(key: String, at now: Instant) -> TableRow? {
        guard !slots.isEmpty else { return nil }
        var place = slots[slot(of: key, key.hashValue)]
        while place >= 0 {
            if rows[Int(place)].isThere(at: now) { return rows[Int(place)] }
            place = next[Int(place)]
        }
        return nil
    }
}

extension TableRow {
    /// Whether the row is to be seen at an instant of the session's clock.
    func isThere(at now: Instant) -> Bool { since <= now && now < until }
}
