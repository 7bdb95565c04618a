package import BankModel
import Platform

/// The rows of a fixture, in its order. Rows of a large file are read one by one, on demand.
package struct TableRows: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private let source: Source
    private let keys = KeyIndex()

    private enum Source: Sendable {
        case read([JSONObject])
        case scanned(RowScan)
    }

    package init(_ rows: [JSONObject]) { source = .read(rows) }

    package init(_ scan: RowScan) { source = .scanned(scan) }

    package init(arrayLiteral elements: JSONObject...) { self.init(elements) }

    package var startIndex: Int { 0 }

    package var endIndex: Int {
        switch source {
        case .read(let rows): rows.count
        case .scanned(let scan): scan.rows.count
        }
    }

    package subscript(_ row: Int) -> JSONObject {
        switch source {
        case .read(let rows): rows[row]
        case .scanned(let scan): scan[row]
        }
    }

    /// Whether the rows are in a large file, which is not read whole.
    package var isScanned: Bool { if case .scanned = source { true } else { false } }

    /// A row's value at a dotted path.
    package func value(_ path: String, _ row: Int) -> JSON? {
        switch source {
        case .read(let rows): rows[row].at(path)
        case .scanned(let scan):
            scan.plainBytes(path, row).map { JSON.string(String(decoding: $0, as: UTF8.self)) } ?? scan.value(path, row)
        }
    }

    /// A row's value at a dotted path as plain text; nil if there is none.
    package func text(_ path: String, _ row: Int) -> String? {
        if case .scanned(let scan) = source, let bytes = scan.plainBytes(path, row) { return String(decoding: bytes, as: UTF8.self) }
        return value(path, row)?.plainText
    }

    /// The rows with a key, in order; the key is the plain text of that member. The first call builds an index.
    package func rows(of key: String, in member: String) -> [Int] { keys.rows(of: key) { index(on: member) } }

    /// Rows whose key an earlier row has, each with the first row of the key.
    package func repeated(in member: String) -> [(row: Int, first: Int)] {
        keys.entries { index(on: member) }.more.flatMap { key, rows in
            key.isEmpty ? [] : rows.map { (Int($0), keys.rows(of: key) { index(on: member) }[0]) }
        }
    }

    private func index(on member: String) -> KeyIndex.Entries {
        var entries = KeyIndex.Entries()
        entries.first.reserveCapacity(count)
        for row in indices {
            let key = text(member, row) ?? ""
            if entries.first[key] == nil { entries.first[key] = Int32(row) } else { entries.more[key, default: []].append(Int32(row)) }
        }
        return entries
    }
}

/// The rows of each key; built on first use, and shared by all copies of the rows.
private final class KeyIndex: Sendable {
    struct Entries {
        var first: [String: Int32] = [:]
        /// For keys with several rows, all but the first.
        var more: [String: [Int32]] = [:]
    }

    private let made = Locked<Entries?>(nil)

    func entries(_ make: () -> Entries) -> Entries {
        made.withLock { made in
            if let made { return made }
            let entries = make()
            made = entries
            return entries
        }
    }

    func rows(of key: String, _ make: () -> Entries) -> [Int] {
        let entries = entries(make)
        guard let first = entries.first[key] else { return [] }
        guard let others = entries.more[key] else { return [Int(first)] }
        return [Int(first)] + others.map(Int.init)
    }
}
