package import BankModel

/// Reads lists that come in pages by a cursor: how many pages, and what to do if one fails.
package protocol PageReading: Sendable {
    /// - Parameter page: requests the page at a cursor; nil is the first.
    /// - Returns: the rows of all pages; `isComplete` is false if the bank has more.
    func read(
        _ page: (_ cursor: String?) async throws(ClientFailure) -> ListPage
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool)
}

package struct ListPage: Sendable, Hashable {
    package var rows: [JSON]
    /// The cursor of the next page; nil if this is the last.
    package var next: String?
}

/// Reads a list that comes in pages by a cursor, whole.
///
/// - A row that is on two pages byte for byte counts once (banks do not isolate pages). A row that changed between pages
///   occurs twice here; the adapter uses the newest.
/// - A repeated cursor would loop forever: the list stops there, marked incomplete. The same happens at the limit.
/// - An expired cursor, or rows that changed between pages, restart the list: the rows read so far would have gaps.
/// - A failed page fails the list: a part is never shown as the whole.
package struct Pages: PageReading {
    /// The most pages of one list.
    private static let limit = 1000
    /// How often a list is begun again at the most.
    private static let restarts = 2

    package init() {}

    package func read(
        _ page: (_ cursor: String?) async throws(ClientFailure) -> ListPage
    ) async throws(ClientFailure) -> (rows: [JSON], isComplete: Bool) {
        var restartsLeft = Pages.restarts
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
        for _ in 0..<Pages.limit {
            let page = try await page(cursor)
            rows += page.rows.filter { seen.insert($0).inserted }
            guard let next = page.next else { return (rows, true) }
            guard cursors.insert(next).inserted else { return (rows, false) }
            cursor = next
        }
        return (rows, false)
    }
}
