import BankModel

/// Header lines that several journal records share.
final class HeaderList: Sendable {
    let headers: [JournalEntry.Header]
    /// Its approximate size in bytes; 0 for an empty list, which all share.
    let cost: Int

    init(_ headers: [JournalEntry.Header]) {
        self.headers = headers
        cost = headers.reduce(headers.isEmpty ? 0 : 64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    }

    static let empty = HeaderList([])
}
