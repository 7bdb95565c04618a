import BankModel

/// The current rows of one table that operations added, in the order of listing: a list for each combination of some fields'
/// texts, and in it one for each owner.
struct RowIndex: Sendable {
    /// Sorted; without the owner's field.
    let fields: [String]
    private(set) var lists: [[String?]: [String?: SortedNumbers]] = [:]

    /// The texts and the owner of one list.
    struct Position: Hashable {
        let texts: [String?]
        let owner: String?
    }

    /// The lists of those texts, by owner; nil if there is none.
    func owners(_ texts: [String?]) -> [String?: SortedNumbers]? { lists[texts] }

    /// Inserts a row's number into its list.
    mutating func insert(_ number: Int32, at position: Position, beforeFirstWhere holds: (Int32) -> Bool) {
        lists[position.texts, default: [:]][position.owner, default: SortedNumbers()].insert(number, beforeFirstWhere: holds)
    }

    /// Removes a row's number from its list; an empty list is removed.
    mutating func remove(_ number: Int32, at position: Position, atFirstWhere holds: (Int32) -> Bool) {
        lists[position.texts]?[position.owner]?.remove(number, atFirstWhere: holds)
        guard lists[position.texts]?[position.owner]?.isEmpty == true else { return }
        lists[position.texts]?[position.owner] = nil
        if lists[position.texts]?.isEmpty == true { lists[position.texts] = nil }
    }
}
