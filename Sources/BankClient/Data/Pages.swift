public import BankModel

/// Reads lists that come in pages by a cursor: how many pages, and what if one of them fails.
public protocol PageReading: Sendable {
    /// - Parameter page: asks the bank for the page at a cursor; nil is the first.
    /// - Returns: the rows of all pages; `isComplete` is false if the bank has more.
    func read(
        _ page: (_ cursor: String?) async throws(ClientFailure) -> ListPage
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool)
}

/// One page of a list.
public struct ListPage: Sendable, Hashable {
    public var rows: [JSON]
    /// The cursor of the page after it; nil if this is the last.
    public var next: String?

    public init(rows: [JSON], next: String?) {
        self.rows = rows
        self.next = next
    }
}

/// Reads a list that comes in pages by a cursor, whole.
///
/// - A row that lies on two pages word for word counts once (banks give no isolation between pages). One that changed on
///   the way comes twice here; of those with one id the adapter keeps the newest.
/// - A cursor that comes again would go round for ever: there the list stops, marked incomplete. So it does at the limit.
/// - A cursor that has expired, or rows that changed on the way, begin anew: what was read so far would have holes.
/// - A page that fails, fails the list: a part is never shown as the whole.
public struct Pages: PageReading {
    var limit = 1000
    var restarts = 2

    public init() {}

    init(limit: Int = 1000, restarts: Int = 2) {
        self.limit = limit
        self.restarts = restarts
    }

    public func read(
        _ page: (_ cursor: String?) async throws(ClientFailure) -> ListPage
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool) {
        var restartsLeft = restarts
        while true {
            do throws(ClientFailure) { return try await readOnce(page) } catch {
                let expired = error.problem == "cursor-expired"
                guard expired, restartsLeft > 0 else { throw error }
                restartsLeft -= 1
            }
        }
    }

    private func readOnce(
        _ page: (String?) async throws(ClientFailure) -> ListPage
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool) {
        var (rows, seen, cursors): ([JSON], Set<JSON>, Set<String>) = ([], [], [])
        var cursor: String?
        for _ in 0..<limit {
            let page = try await page(cursor)
            rows += page.rows.filter { seen.insert($0).inserted }
            guard let next = page.next else { return (rows, true) }
            guard cursors.insert(next).inserted else { return (rows, false) }
            cursor = next
        }
        return (rows, false)
    }
}
