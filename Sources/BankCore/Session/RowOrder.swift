import BankModel
import DequeModule

/// The order of added rows.
struct RowOrder: Sendable {
    let descends: Bool
    /// False if the order is that of insertion alone.
    let isByRank: Bool

    init(_ table: Table?) {
        descends = table?.order?.descending ?? false
        isByRank = table?.order != nil
    }

    /// Whether one row is listed before the other: of equal rank by their positions.
    func isBefore(_ rows: [TableRow], _ a: Int32, _ b: Int32) -> Bool {
        let (one, other) = (rows[Int(a)], rows[Int(b)])
        if isByRank, one.rank != other.rank { return descends ? other.rank < one.rank : one.rank < other.rank }
        let (position, next) = (one.position ?? .added(a), other.position ?? .added(b))
        return position == next ? a < b : isBefore(position, next)
    }

    /// Whether one position precedes another. With an order, added rows precede the fixture's of equal rank; without one they follow it.
    func isBefore(_ position: TableRow.Position, _ other: TableRow.Position) -> Bool {
        switch (position, other) {
        case (.fixture(let position), .fixture(let next)): position < next
        case (.added(let number), .added(let next)): number < next
        case (.added, .fixture): isByRank
        case (.fixture, .added): !isByRank
        }
    }
}

extension TableRow {
    /// Whether the row is visible at an instant of the session's clock.
    func isThere(at now: Instant) -> Bool { since <= now && now < until }

    /// A field's value, a relative date resolved.
    func value(_ path: String, start: Instant) -> JSON? {
        let value = fields.at(path)
        guard let text = value?.string, text.hasPrefix("@"), let date = RelativeDate(text) else { return value }
        return .string(date.instant(start: start).rfc3339(.nanoseconds))
    }
}

extension Table {
    /// The owner that a row names, as ``belongs`` declares; nil if none.
    func owner(of row: TableRow) -> String? {
        switch belongs {
        case nil: nil
        case .owner: row.fields["_customer"]?.string
        case .row(let field, _), .customer(let field): row.fields.at(field)?.plainText
        }
    }

    /// The field that names a row's owner; nil if there is none.
    var ownerField: String? {
        switch belongs {
        case nil: nil
        case .owner: "_customer"
        case .row(let field, _), .customer(let field): field
        }
    }
}

/// The current rows of one table that operations added, in the order of listing: a list for each combination of some fields'
/// texts, and in it one for each owner.
struct RowIndex: Sendable {
    /// Sorted; without the owner's field.
    let fields: [String]
    /// By the texts, then by owner.
    private(set) var lists: [[String?]: [String?: SortedNumbers]] = [:]

    /// Inserts a row's number into its list.
    mutating func insert(_ number: Int32, _ texts: [String?], _ owner: String?, beforeFirstWhere holds: (Int32) -> Bool) {
        lists[texts, default: [:]][owner, default: SortedNumbers()].insert(number, beforeFirstWhere: holds)
    }

    /// Removes a row's number from its list; an empty list is removed.
    mutating func remove(_ number: Int32, _ texts: [String?], _ owner: String?, atFirstWhere holds: (Int32) -> Bool) {
        lists[texts]?[owner]?.remove(number, atFirstWhere: holds)
        guard lists[texts]?[owner]?.isEmpty == true else { return }
        lists[texts]?[owner] = nil
        if lists[texts]?.isEmpty == true { lists[texts] = nil }
    }
}

/// Numbers in an order that their owner knows, such as rows by their dates.
struct SortedNumbers: Sendable, Equatable {
    private var all: Deque<Int32>

    /// - Parameter sorted: in the owner's order.
    init(sorted: [Int32] = []) { all = Deque(sorted) }

    var count: Int { all.count }

    var isEmpty: Bool { all.isEmpty }

    var first: Int32? { all.first }

    /// The number at an index.
    subscript(_ index: Int) -> Int32 { all[index] }

    /// The numbers of a range of indexes, in order.
    func numbers(_ range: Range<Int>) -> [Int32] { Array(all[range]) }

    /// The first index for whose number the predicate holds, which must hold for all after it too; the end if it holds for
    /// none.
    func partitioningIndex(where holds: (Int32) -> Bool) -> Int { (0..<all.count).partitioningIndex { holds(all[$0]) } }

    /// Inserts a number before the first for which the predicate holds, which must hold for all after it too.
    mutating func insert(_ number: Int32, beforeFirstWhere holds: (Int32) -> Bool) {
        all.insert(number, at: partitioningIndex(where: holds))
    }

    /// Removes a number, if it is at the index that its owner's order implies.
    ///
    /// - Parameter holds: whether a number is the one or follows it.
    mutating func remove(_ number: Int32, atFirstWhere holds: (Int32) -> Bool) {
        let index = partitioningIndex(where: holds)
        if index < all.count, all[index] == number { all.remove(at: index) }
    }
}
